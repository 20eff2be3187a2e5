/* The proof that an island has no solution: nothing moves so that all normal velocities are
 * positive or zero. */
#ifndef CAROM_SRC_SOLVER_FRICTION_RAY_H
#define CAROM_SRC_SOLVER_FRICTION_RAY_H

#include "solver/friction_run.h"

/* Look for y with y_N >= 0, y_T = 0 (any sign on bilateral rows), W'y = 0, q'y < 0: then y'u = q'y
 * < 0 for every r, so that u_N >= 0 and u = 0 on bilateral rows are impossible. y: n, in the
 * statement's units, largest entry 1, verified (friction_proof.h). *product: q'y. False: not found.
 */
carom_status carom_friction_ray_find(carom_friction_run *run, double *y, bool *found,
                                     double *product, carom_error *error);

#endif
