/* Gauss's collocation on an interval: S nodes, order 2S (docs/theory/ode.md, "Linear equations").
 */
#ifndef CAROM_SRC_SOLVER_ODE_GAUSS_H
#define CAROM_SRC_SOLVER_ODE_GAUSS_H

#include "carom/base.h"

enum { CAROM_ODE_GAUSS_NODES = 5 };

/* On the interval [0, 1], for values f_i at the nodes. */
typedef struct carom_ode_gauss {
    double c[CAROM_ODE_GAUSS_NODES];                        /* nodes */
    double b[CAROM_ODE_GAUSS_NODES];                        /* sum b_i f_i: integral over [0, 1] */
    double a[CAROM_ODE_GAUSS_NODES][CAROM_ODE_GAUSS_NODES]; /* sum a_ij f_j: from 0 to c_i */
    double bb[CAROM_ODE_GAUSS_NODES];                       /* the same of two integrals */
    double aa[CAROM_ODE_GAUSS_NODES][CAROM_ODE_GAUSS_NODES];
    double p[CAROM_ODE_GAUSS_NODES][CAROM_ODE_GAUSS_NODES]; /* sum p_li f_i: coefficient of
                                                               Legendre's polynomial l */
} carom_ode_gauss;

void carom_ode_gauss_create(carom_ode_gauss *gauss);

/* The part of the integral that the formula misses, from the sizes of the coefficients l = 0 ... S
 * - 1 of what is integrated: they are taken to go on falling as the last four of them do. */
double carom_ode_gauss_error(const double *size);

#endif
