/* Scales rows and columns of an LCP by powers of two, so that nothing is rounded. */
#include "solver/lcp_scale.h"

#include <limits.h>
#include <math.h>

enum {
    NONE = INT_MIN / 4, /* the exponent of zero */
    FAINT = -40 /* entries below 2^FAINT are zero but for rounding, or for an angle that should
                 * be zero: they say nothing about units */
};

/* Row or column i of r M c in exponents of two, own being its r_i or c_i. */
typedef struct line {
    const int *entries, *other;
    int n;
    size_t stride;
    int own;
} line;

/* The largest exponent but for own, or 0 when the line is empty. */
static int largest_exponent(line l)
{
    int largest = NONE;
    for (int j = 0; j < l.n; j++) {
        int e = l.entries[(size_t)j * l.stride] + l.other[j];
        largest = e > largest ? e : largest;
    }
    return largest > NONE / 2 ? largest : 0;
}

/* The mean exponent but for own of the entries that are not faint; -own when there is none. */
static int mean_exponent(line l)
{
    double sum = 0;
    int count = 0;
    for (int j = 0; j < l.n; j++) {
        int e = l.entries[(size_t)j * l.stride] + l.other[j];
        bool counts = e + l.own >= FAINT;
        sum += counts ? e : 0;
        count += counts;
    }
    return count > 0 ? (int)lrint(sum / count) : -l.own;
}

/* One pass over rows, then columns. True when a factor changed. */
static bool pass(int n, const int *E, int *r, int *c, int (*exponent)(line))
{
    bool changed = false;
    for (int k = 0; k < 2 * n; k++) {
        bool row = k < n;
        int i = row ? k : k - n, *own = row ? r + i : c + i;
        line l = {E + (row ? (size_t)i : (size_t)i * (size_t)n), row ? c : r, n,
                  row ? (size_t)n : 1, *own};
        int now = -exponent(l);
        changed = changed || now != *own;
        *own = now;
    }
    return changed;
}

/* Least squares of the exponents (Curtis, Reid, "On the automatic scaling of matrices for Gaussian
 * elimination"), rows and columns in turn, until nothing changes; from where the largest entries
 * are near 1, so that entries which are zero but for rounding are seen as such. */
void carom_lcp_scale_equilibrate(const carom_lcp *lcp, int *work, double *r, double *c)
{
    int n = lcp->n, *E = work, *a = work + (size_t)n * (size_t)n, *b = a + n;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        E[i] = lcp->M[i] != 0 ? ilogb(lcp->M[i]) : NONE;
    for (int i = 0; i < n; i++)
        a[i] = b[i] = 0;
    for (int k = 0; k < 20 && pass(n, E, a, b, largest_exponent); k++)
        continue;
    for (int k = 0; k < 20 && pass(n, E, a, b, mean_exponent); k++)
        continue;
    for (int i = 0; i < n; i++) {
        r[i] = ldexp(1, a[i]);
        c[i] = ldexp(1, b[i]);
    }
}
