/* Small dense problems on the stack, the common case only, from statement to answer. */
#ifndef CAROM_SRC_SOLVER_FRICTION_SMALL_H
#define CAROM_SRC_SOLVER_FRICTION_SMALL_H

#include "carom/friction.h"

/* Contacts of a small problem, and of one that Newton's method takes. */
enum { CAROM_FRICTION_SMALL = 32, CAROM_FRICTION_SMALL_NEWTON = 5 };

/* Solve a dense problem of at most CAROM_FRICTION_SMALL contacts, if its numbers are finite and the
 * residual comes below `aim` with normal velocities right to `accept` of q: then r, u (may be NULL)
 * and *info are filled. False: nothing is said and nothing written, use the general way. start: n
 * reactions, or NULL. polish: one more step of Newton's method at the end, which more contacts than
 * CAROM_FRICTION_SMALL_NEWTON do not get here. */
bool carom_friction_small_solve(const carom_friction_problem *problem, const double *start,
                                double aim, double accept, bool polish, double *r, double *u,
                                carom_friction_info *info);

#endif
