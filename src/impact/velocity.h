/* Velocities of contacts and the kinetic product of one velocity with another, for a geometry that
 * is known to be there: the functions of carom/impact.h ask for that at every call. */
#ifndef CAROM_SRC_IMPACT_VELOCITY_H
#define CAROM_SRC_IMPACT_VELOCITY_H

#include "carom/impact.h"
#include "linalg/dense.h"

/* w_i'u + w_hat_i. */
static inline double carom_velocity_normal(const carom_geometry *g, int i, const double *u)
{
    const double *w = g->impact->W + (size_t)i * (size_t)g->impact->n;
    const int lo = g->first[i], hi = g->last[i];
    double sum = 0;
    if (hi - lo > 3)
        sum = carom_dense_dot(hi - lo, w + lo, u + lo);
    else /* shorter than the first lines of that function */
        for (int k = lo; k < hi; k++)
            sum += w[k] * u[k];
    return g->impact->w_hat ? sum + g->impact->w_hat[i] : sum;
}

/* Slip column j: h_j'u and the motion of its surface. */
static inline double carom_velocity_slip(const carom_geometry *g, int j, const double *u)
{
    const int n = g->impact->n;
    return carom_dense_dot(n, g->impact->H + (size_t)j * (size_t)n, u) +
           (g->impact->slip_motion ? g->impact->slip_motion[j] : 0);
}

/* x'My. */
static inline double carom_velocity_product(const carom_geometry *g, const double *x,
                                            const double *y)
{
    const int n = g->impact->n;
    const double *M = g->impact->M;
    double sum = 0;
    if (g->impact->mass_is_diagonal)
        for (int i = 0; i < n; i++)
            sum += M[i] * x[i] * y[i];
    else
        for (int j = 0; j < n; j++)
            if (y[j] != 0)
                sum += carom_dense_dot(n, M + (size_t)j * (size_t)n, x) * y[j];
    return sum;
}

#endif
