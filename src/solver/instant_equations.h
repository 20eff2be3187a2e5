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

/* Where equations are dependent only because rows are the same to the last bit (the slips of all
 * feet of a flat base): the shortest z, each force shared equally. Rows must be known. False: they
 * are not the same, or there is more to it. */
bool carom_instant_equations_share(carom_instant_modes *modes);

/* The same for R z = -u, once forces are shared. */
bool carom_instant_equations_solve_shared(carom_instant_modes *modes, const double *u);

#endif
