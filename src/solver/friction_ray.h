/* The proof that an island has no solution: nothing moves so that all normal velocities are
 * positive or zero. */
#ifndef CAROM_SRC_SOLVER_FRICTION_RAY_H
#define CAROM_SRC_SOLVER_FRICTION_RAY_H

#include "solver/friction_run.h"

/* Look for y with y_N >= 0, y_T = 0 (any sign on bilateral rows), A'y = 0, b'y < 0: then y'xi = b'y
 * < 0 for every x, so that xi_N >= 0 and xi = 0 on bilateral rows are impossible. y: n, largest
 * entry 1, verified with A as it is. *product: b'y. False: not found. */
carom_status carom_friction_ray_find(carom_friction_run *run, double *y, bool *found,
                                     double *product, carom_error *error);

/* Does y prove it? Small negative entries and y_T become zero first. */
bool carom_friction_ray_proves(const carom_friction_island *island, carom_arena *arena, double *y,
                               double *product);

#endif
