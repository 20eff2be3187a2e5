/* A root in a bracket (docs/theory/ode.md, "Roots"). */
#ifndef CAROM_SRC_SOLVER_ROOT_H
#define CAROM_SRC_SOLVER_ROOT_H

#include <stdbool.h>

typedef double carom_root_function(void *self, double x);

/* Where f, negative at low and not negative at high, stops being negative: the upper end of a
 * bracket no wider than `width` (or two neighbouring numbers), so that f >= 0 there. f may jump. */
double carom_root_rise(carom_root_function *f, void *self, double low, double high, double width);

/* The value of a function and, in *slope, its derivative. */
typedef double carom_root_curve(void *self, double x, double *slope);

/* The only root between low, where f has the sign of `sign` (1 or -1) or vanishes, and high, where
 * it has the other: Newton's method from x, kept in the bracket, to rounding. */
double carom_root_newton(carom_root_curve *f, void *self, double low, double high, double sign,
                         double x);

#endif
