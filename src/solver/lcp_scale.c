#include "solver/lcp_scale.h"

#include <math.h>

static double power_of_two(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent);
}

/* Rows and columns in turn, by the geometric mean of their largest and smallest entry. */
void carom_lcp_scale_equilibrate(const carom_lcp *lcp, double *r, double *c)
{
    int n = lcp->n;
    for (int i = 0; i < n; i++)
        r[i] = c[i] = 1;
    for (int pass = 0; pass < 6; pass++)
        for (int i = 0; i < n; i++) {
            double low = HUGE_VAL, high = 0;
            for (int j = 0; j < n; j++) {
                double a = pass % 2 ? fabs(lcp->M[j + (size_t)i * n]) * r[j]
                                    : fabs(lcp->M[i + (size_t)j * n]) * c[j];
                if (a > 0) {
                    low = fmin(low, a);
                    high = fmax(high, a);
                }
            }
            if (high > 0)
                *(pass % 2 ? c + i : r + i) = 1 / power_of_two(sqrt(low) * sqrt(high));
        }
}
