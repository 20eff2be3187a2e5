#include "solver/lcp_scale.h"

#include <math.h>

/* Row or column i of r M c, own being its r_i or c_i; r, c are powers of two. */
typedef struct line {
    const double *entries, *other;
    int n;
    size_t stride;
    double own;
} line;

/* The largest exponent but for own, or 0 when the line is empty. */
static double largest_exponent(line l)
{
    double largest = -HUGE_VAL;
    for (int j = 0; j < l.n; j++) {
        double a = l.entries[(size_t)j * l.stride];
        if (a != 0)
            largest = fmax(largest, logb(a) + logb(l.other[j]));
    }
    return isfinite(largest) ? largest : 0;
}

/* Entries below 2^FAINT are zero but for rounding, or for an angle that should be zero: they say
 * nothing about units. */
enum { FAINT = -40 };

/* The mean exponent but for own of the entries that are not faint; -own when there is none. */
static double mean_exponent(line l)
{
    double sum = 0, own = logb(l.own);
    int count = 0;
    for (int j = 0; j < l.n; j++) {
        double a = l.entries[(size_t)j * l.stride];
        double exponent = a != 0 ? logb(a) + logb(l.other[j]) : -HUGE_VAL;
        if (exponent + own >= FAINT) {
            sum += exponent;
            count++;
        }
    }
    return count > 0 ? sum / count : -own;
}

/* One pass over rows, then columns. True when a factor changed. */
static bool pass(const carom_lcp *lcp, double *r, double *c, double (*exponent)(line))
{
    int n = lcp->n;
    bool changed = false;
    for (int k = 0; k < 2 * n; k++) {
        bool row = k < n;
        int i = row ? k : k - n;
        double *own = row ? r + i : c + i;
        line l = {lcp->M + (row ? (size_t)i : (size_t)i * (size_t)n), row ? c : r, n,
                  row ? (size_t)n : 1, *own};
        double factor = ldexp(1, -(int)lrint(exponent(l)));
        changed = changed || factor != *own;
        *own = factor;
    }
    return changed;
}

/* Least squares of the exponents (Curtis, Reid, "On the automatic scaling of matrices for Gaussian
 * elimination"), rows and columns in turn, until nothing changes; from where the largest entries
 * are near 1, so that entries which are zero but for rounding are seen as such. */
void carom_lcp_scale_equilibrate(const carom_lcp *lcp, double *r, double *c)
{
    for (int i = 0; i < lcp->n; i++)
        r[i] = c[i] = 1;
    for (int k = 0; k < 20 && pass(lcp, r, c, largest_exponent); k++)
        continue;
    for (int k = 0; k < 20 && pass(lcp, r, c, mean_exponent); k++)
        continue;
}
