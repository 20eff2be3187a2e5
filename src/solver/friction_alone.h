/* A problem of one contact, from statement to answer in closed form. */
#ifndef CAROM_SRC_SOLVER_FRICTION_ALONE_H
#define CAROM_SRC_SOLVER_FRICTION_ALONE_H

#include "carom/friction.h"

/* Solve a dense problem of one contact, if its numbers are finite and neither tiny nor huge and the
 * residual of the closed form comes below `aim`: then r, u (may be NULL) and *info are filled.
 * False: nothing is said and nothing written, use the general way. */
bool carom_friction_alone_solve(const carom_friction_problem *problem, double aim, double accept,
                                double *r, double *u, carom_friction_info *info);

#endif
