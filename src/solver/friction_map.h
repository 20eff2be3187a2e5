/* Alart and Curnier's equations of an island, whose zeros are its solutions, with a generalised
 * derivative:
 *
 *     F_N = x_N - (x_N - xi_N)+,   F_T = x_T - P(x_T - xi_T) onto the disc of radius (x_N - xi_N)+
 *
 * (Alart, Curnier, A mixed formulation for frictional contact problems prone to Newton like
 * solution methods, 1991). A bilateral contact has F = xi. */
#ifndef CAROM_SRC_SOLVER_FRICTION_MAP_H
#define CAROM_SRC_SOLVER_FRICTION_MAP_H

#include "carom/mode.h"
#include "solver/friction_island.h"

/* Fills F (n) and C, B (9 for each contact, the first d x d, column-major) so that C A + B is a
 * derivative of F where xi = A x + b. Returns |F|. */
double carom_friction_map_evaluate(const carom_friction_island *island, const double *x,
                                   const double *xi, double *F, double *C, double *B);

/* The same with modes (open, stick, slip) that are given instead of read from x and xi. */
void carom_friction_map_in_modes(const carom_friction_island *island, const carom_mode *mode,
                                 const double *x, const double *xi, double *F, double *C,
                                 double *B);

#endif
