/* Algebra of the Lorentz cone L = {|x_T| <= x_0} of one, two or three dimensions, and the scaling
 * of Nesterov and Todd (docs/theory/friction-problem.md). */
#ifndef CAROM_SRC_SOLVER_FRICTION_CONE_H
#define CAROM_SRC_SOLVER_FRICTION_CONE_H

#include <stdbool.h>

/* The scaling of a pair x, s inside the cone: W symmetric with W x = W^-1 s = lambda. */
typedef struct carom_friction_scaling {
    double eta;  /* W = eta [w0 w'; w I + w w'/(1 + w0)] */
    double w[3]; /* w0^2 - |w|^2 = 1 */
    double lambda[3];
} carom_friction_scaling;

/* False when x or s is not inside. */
bool carom_friction_cone_scale(int d, const double *x, const double *s,
                               carom_friction_scaling *scaling);

/* y = W x; y = W^-1 x. */
void carom_friction_cone_apply(int d, const carom_friction_scaling *scaling, const double *x,
                               double *y);
void carom_friction_cone_unapply(int d, const carom_friction_scaling *scaling, const double *x,
                                 double *y);

/* P = W^2, d x d, which maps x to s. */
void carom_friction_cone_square(int d, const carom_friction_scaling *scaling, double *P);

/* z = x o y = (x'y, x_0 y_T + y_0 x_T); z with x o z = y. */
void carom_friction_cone_product(int d, const double *x, const double *y, double *z);
void carom_friction_cone_divide(int d, const double *x, const double *y, double *z);

/* The longest step a with x + a dx in the cone; INFINITY: any. */
double carom_friction_cone_step(int d, const double *x, const double *dx);

#endif
