#include "solver/lcp_scale.h"

#include <math.h>

/* The mean exponent of row or column i of r M c, or 0 when it is empty. r, c are powers of two. */
static double mean_exponent(const carom_lcp *lcp, const double *other, size_t start, size_t stride)
{
    double sum = 0;
    int count = 0;
    for (int j = 0; j < lcp->n; j++) {
        double a = lcp->M[start + (size_t)j * stride];
        if (a != 0) {
            sum += logb(a) + logb(other[j]);
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

/* Least squares of the exponents (Curtis, Reid, "On the automatic scaling of matrices for Gaussian
 * elimination"), rows and columns in turn, until nothing changes. */
void carom_lcp_scale_equilibrate(const carom_lcp *lcp, double *r, double *c)
{
    int n = lcp->n;
    for (int i = 0; i < n; i++)
        r[i] = c[i] = 1;
    for (int pass = 0; pass < 20; pass++) {
        bool changed = false;
        for (int i = 0; i < n; i++) {
            double row = ldexp(1, -(int)lrint(mean_exponent(lcp, c, (size_t)i, (size_t)n)));
            changed = changed || row != r[i];
            r[i] = row;
        }
        for (int j = 0; j < n; j++) {
            double column = ldexp(1, -(int)lrint(mean_exponent(lcp, r, (size_t)j * (size_t)n, 1)));
            changed = changed || column != c[j];
            c[j] = column;
        }
        if (!changed)
            return;
    }
}
