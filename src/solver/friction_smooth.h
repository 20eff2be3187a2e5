/* The problem of an island made smooth. With y = x - s and the smoothed projection
 *
 *     x = phi(y),  s = phi(-y),  phi(l) = (l + sqrt(l^2 + 4 nu^2)) / 2 on the eigenvalues l of y,
 *
 * x and s are inside the cones and x o s = nu^2 e. The equations
 *
 *     G(y) = A x + b + (nu / nu_0)^4 a + tau (sqrt(|s_T|^2 + nu^2) - nu) e_0 - s = 0
 *
 * are those of a convex problem for tau = 0, and of the problem itself for tau = 1 as nu vanishes
 * (docs/theory/friction-problem.md). Bilateral rows: x = y, s = 0. */
#ifndef CAROM_SRC_SOLVER_FRICTION_SMOOTH_H
#define CAROM_SRC_SOLVER_FRICTION_SMOOTH_H

#include "solver/friction_island.h"

/* A point of the smooth problem. All arrays belong to the caller. */
typedef struct carom_friction_smooth {
    double nu, tau;
    const double *away; /* n: a */
    double *y, *x, *s;  /* n */
    double *xi, *G,
        *g;        /* n: A x + b, the equations, their derivative by nu where tau = 1 - nu / nu_0 */
    double *e;     /* n: tau s_T / sqrt(|s_T|^2 + nu^2), 0 on normal rows */
    double *rho;   /* n: what y may change by before the derivatives do */
    double *C, *B; /* 9 for each contact: dx = X'dy solves (C A + B) dx = -C G, with C = X'E,
                    * B = I - X', E = I + e_0 e' */
} carom_friction_smooth;

/* Everything from y, nu and tau; nu_0: where tau vanishes. work: n. */
void carom_friction_smooth_evaluate(const carom_friction_island *island, double nu_0,
                                    carom_friction_smooth *point, double *work);

#endif
