/* Polynomials of degree 7 on [0, 1] in Bernstein form: bounds and first roots that cannot be
 * missed (docs/theory/event-driven.md). */
#ifndef CAROM_SRC_FLOW_BERNSTEIN_H
#define CAROM_SRC_FLOW_BERNSTEIN_H

#include "carom/base.h"

enum { CAROM_BERNSTEIN_DEGREE = 7, CAROM_BERNSTEIN_NODES = 8 };

/* The Chebyshev-Lobatto nodes on [0, 1], ascending, first 0 and last 1. */
extern const double carom_bernstein_node[CAROM_BERNSTEIN_NODES];

/* Coefficients b (8) of the polynomial with the given values (8) at the nodes. */
void carom_bernstein_interpolate(const double *values, double *b);

double carom_bernstein_value(const double *b, int degree, double x);

/* b of degree d = x * r(x), r of degree d - 1, when b[0] is zero (it is taken as such). */
void carom_bernstein_deflate(int degree, const double *b, double *r);

/* The first x in [0, 1] where the polynomial becomes negative, or -1 when it does not: for every
 * x' before it the polynomial is >= 0. A value that is negative at 0 gives 0. */
double carom_bernstein_first_negative(const double *b, int degree);

#endif
