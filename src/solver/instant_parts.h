/* Contacts at one instant that do not see each other are problems of their own. */
#ifndef CAROM_SRC_SOLVER_INSTANT_PARTS_H
#define CAROM_SRC_SOLVER_INSTANT_PARTS_H

#include "carom/tolerance.h"
#include "solver/instant.h"

typedef struct carom_instant_part {
    carom_instant problem;
    int *contact; /* problem.p, numbers in the whole */
} carom_instant_part;

/* Entries of W (in kinetic units) up to this couple nothing: they are rounding. */
#define CAROM_INSTANT_UNCOUPLED CAROM_TOLERANCE_SUM

/* The parts, from the arena; *count of them. A problem in one piece is its only part. */
carom_status carom_instant_parts_split(const carom_instant *problem, carom_arena *arena, int *count,
                                       carom_instant_part **parts, carom_error *error);

/* Put the numbers of a part's rows in their places in the whole. */
void carom_instant_parts_place(const carom_instant *whole, const carom_instant_part *part,
                               const double *from, double *to);

#endif
