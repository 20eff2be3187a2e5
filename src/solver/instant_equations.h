/* The equations of one combination of modes: u = 0 on the rows that it holds. */
#ifndef CAROM_SRC_SOLVER_INSTANT_EQUATIONS_H
#define CAROM_SRC_SOLVER_INSTANT_EQUATIONS_H

#include "solver/instant_modes.h"

/* The rows of the combination modes->mode; unknown c is the force of row equation[c], for a slip
 * with its friction. */
void carom_instant_equations_choose(carom_instant_modes *modes);

/* R z = -u on the rows chosen: R, the right-hand sides in z, and the weights. */
void carom_instant_equations_fill(carom_instant_modes *modes, const double *u);

/* Gaussian elimination with row pivoting of the first m equations and unknowns, R being m x m;
 * false when a pivot is small. */
bool carom_instant_equations_solve(carom_instant_modes *modes, int m);

/* twin: N, the first row that is the same as row k to the last bit, with what is known of its
 * velocity. Returns it, NULL: no two rows are the same. Rows must be known. */
int *carom_instant_equations_twins(const carom_instant *problem, int *twin);

/* Are equations of the combination dependent because rows are the same (the slips of all feet of a
 * flat base)? Then their forces are shared equally: */
bool carom_instant_equations_share(carom_instant_modes *modes);

/* The shortest z with R z = -u, once forces are shared. False: there is more to it. */
bool carom_instant_equations_solve_shared(carom_instant_modes *modes, const double *u);

#endif
