/* A combination of modes whose equations are dependent, or nearly so, on the rows of its bodies. */
#ifndef CAROM_SRC_SOLVER_INSTANT_WIDE_H
#define CAROM_SRC_SOLVER_INSTANT_WIDE_H

#include "solver/instant_modes.h"

/* Work space, once for all combinations of modes->f. */
carom_status carom_instant_wide_make(carom_instant_modes *modes, carom_arena *arena,
                                     carom_error *error);

/* Solve the combination modes->mode, whose rows are chosen: the shortest forces that meet its
 * conditions, and whether the motion varies among all that do. */
carom_status carom_instant_wide_solve(carom_instant_modes *modes, carom_arena *arena,
                                      carom_error *error);

#endif
