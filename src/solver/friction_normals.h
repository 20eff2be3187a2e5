/* The same island without friction: the normal rows, and all rows of bilateral contacts. Whether
 * velocities with u_N >= 0 exist does not depend on masses: where bodies are given they get others,
 * with which H is as well scaled as it can be, and b is w. */
#ifndef CAROM_SRC_SOLVER_FRICTION_NORMALS_H
#define CAROM_SRC_SOLVER_FRICTION_NORMALS_H

#include "solver/friction_island.h"

/* rows (island->n of the new one): row of the island each of its rows is. scale: from its unknowns
 * to the statement's units. Lives in the arena. */
carom_status carom_friction_normals_make(const carom_friction_island *island, carom_arena *arena,
                                         carom_friction_island *normals, const int **rows,
                                         carom_error *error);

#endif
