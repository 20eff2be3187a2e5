/* From the statement to its islands: connected contacts, active rows, scaling. */
#ifndef CAROM_SRC_SOLVER_FRICTION_LAYOUT_H
#define CAROM_SRC_SOLVER_FRICTION_LAYOUT_H

#include "solver/friction_island.h"

typedef struct carom_friction_layout {
    int islands;
    carom_friction_island *island; /* islands, in the order of their first contacts */
    double unit; /* their q is that of the statement divided by this: 1 unless that would overflow
                  * or vanish when squared */
} carom_friction_layout;

/* The statement has been checked. Everything lives in the arena. */
carom_status carom_friction_layout_make(const carom_friction_problem *problem, carom_arena *arena,
                                        carom_friction_layout *layout, carom_error *error);

#endif
