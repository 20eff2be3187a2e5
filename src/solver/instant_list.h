/* The list of motions of contacts at one instant: coinciding ones are one. */
#ifndef CAROM_SRC_SOLVER_INSTANT_LIST_H
#define CAROM_SRC_SOLVER_INSTANT_LIST_H

#include "carom/tolerance.h"
#include "solver/instant.h"

/* Motions and forces that differ by less, relative to their size, are one. */
#define CAROM_INSTANT_SAME CAROM_TOLERANCE_SAME

/* Append the solution unless its motion is there already; equal motions with different forces keep
 * the shorter forces. *at: its number in the list. */
carom_status carom_instant_list_add(const carom_instant *problem,
                                    const carom_instant_solution *solution, carom_arena *arena,
                                    carom_instant_list *list, int *at, carom_error *error);

/* Keep those flagged (count flags), in order of the size of their forces. */
void carom_instant_list_sort(carom_instant_list *list, const bool *keep);

#endif
