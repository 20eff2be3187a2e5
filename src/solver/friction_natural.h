/* The natural map of one contact, in the statement's own units: what the residual is made of. */
#ifndef CAROM_SRC_SOLVER_FRICTION_NATURAL_H
#define CAROM_SRC_SOLVER_FRICTION_NATURAL_H

#include <math.h>
#include <stdbool.h>

/* Squares of numbers between these neither overflow nor vanish. */
#define CAROM_FRICTION_TINY 1e-140
#define CAROM_FRICTION_HUGE 1e140

/* The square of r - P_K(r - u - mu |u_T| e_N) for one contact of d rows; of u if bilateral. */
static inline double carom_friction_natural(int d, double mu, bool bilateral, const double *r,
                                            const double *u)
{
    double x[3] = {0, 0, 0}, sum = 0;
    if (bilateral) {
        for (int k = 0; k < d; k++)
            sum += u[k] * u[k];
        return sum;
    }
    for (int k = 0; k < d; k++)
        x[k] = r[k] - u[k];
    if (d > 1)
        x[0] -= mu * (d == 3 ? sqrt(u[1] * u[1] + u[2] * u[2]) : fabs(u[1]));
    double across = d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : d == 2 ? fabs(x[1]) : 0;
    if (x[0] + mu * across <= 0) { /* in the polar cone */
        x[0] = 0;
        for (int k = 1; k < d; k++)
            x[k] = 0;
    } else if (across > mu * x[0]) { /* outside: onto the boundary */
        double normal = (mu * across + x[0]) / (mu * mu + 1);
        for (int k = 1; k < d; k++)
            x[k] *= mu * normal / across;
        x[0] = normal;
    }
    for (int k = 0; k < d; k++)
        sum += (r[k] - x[k]) * (r[k] - x[k]);
    return sum;
}

/* Put r, which may be outside its cone by rounding, onto it. */
static inline void carom_friction_clip(int d, double mu, double *r)
{
    double across = d == 3 ? sqrt(r[1] * r[1] + r[2] * r[2]) : d == 2 ? fabs(r[1]) : 0;
    double share = !(r[0] > 0) ? 0 : across > mu * r[0] ? mu * r[0] / across : 1;
    for (int k = 1; k < d; k++)
        r[k] *= share;
    r[0] = r[0] > 0 ? r[0] : 0;
}

#endif
