/* Velocities of given reactions in twice the digits, from the statement alone. Large reactions hide
 * the velocities that are left of them, and forces those that motors and belts take away again. */
#ifndef CAROM_SRC_SOLVER_FRICTION_EXACT_H
#define CAROM_SRC_SOLVER_FRICTION_EXACT_H

#include "carom/friction.h"

/* u (n) = W r + q, or H'M^-1 (f + H r) + w: the true values of these r, rounded once. Work space
 * comes from the arena and is given back. A singular mass is CAROM_ERROR_ARGUMENT. */
carom_status carom_friction_exact_velocity(const carom_friction_problem *problem, const double *r,
                                           carom_arena *arena, double *u, carom_error *error);

#endif
