/* The residual of docs/theory/lcp.md, of a point z >= 0 in arrays of small size: the same for all
 * short cuts, inlined where the compiler knows n. */
#ifndef CAROM_SRC_SOLVER_LCP_MEASURE_H
#define CAROM_SRC_SOLVER_LCP_MEASURE_H

#include "carom/lcp.h"

#include <float.h>
#include <math.h>

#if defined(__GNUC__)
#define CAROM_LCP_INLINE static inline __attribute__((always_inline))
#else
#define CAROM_LCP_INLINE static inline
#endif

/* w = M z + q and s, the sums of the magnitudes of its terms. A number that is not finite, anywhere
 * in the statement, is then in some s. */
CAROM_LCP_INLINE void carom_lcp_measure_evaluate(const carom_lcp *lcp, int n, int reach,
                                                 const double *restrict z, double *restrict w,
                                                 double *restrict s)
{
    for (int i = 0; i < n; i++) {
        w[i] = lcp->q[i];
        s[i] = fabs(w[i]);
    }
    for (int i = 0; lcp->q_size && i < n; i++)
        s[i] = lcp->q_size[i] > s[i] ? lcp->q_size[i] : s[i]; /* stays NaN */
    for (int j = 0; j < n; j++) {
        const double *restrict Mj = lcp->M + j * n, x = z[j];
        int first = j > reach ? j - reach : 0, end = j + reach < n ? j + reach : n - 1;
        for (int i = first; i <= end; i++) {
            double term = Mj[i] * x;
            w[i] += term;
            s[i] += fabs(term);
        }
    }
}

/* The residual of z >= 0, or infinity when a number is not finite. */
CAROM_LCP_INLINE double carom_lcp_measure_residual(const carom_lcp *lcp, int n, int reach,
                                                   const double *restrict z,
                                                   const double *restrict w,
                                                   const double *restrict s)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        if (!(s[i] <= DBL_MAX))
            return HUGE_VAL;
        if (-w[i] > worst * s[i])
            worst = -w[i] / s[i];
        if (!(z[i] > 0 && w[i] > worst * s[i]))
            continue;
        const double *Mi = lcp->M + i * n;
        double omega = w[i] / s[i], zeta = 0; /* zeta: the largest share of z_i in a row */
        bool alone = true;
        for (int j = i > reach ? i - reach : 0; zeta < omega && j < n && j <= i + reach; j++) {
            double term = fabs(Mi[j] * z[i]);
            alone = alone && term == 0;
            zeta = term > zeta * s[j] ? term / s[j] : zeta;
        }
        zeta = alone ? 1 : zeta; /* in no row: it must be zero */
        worst = fmax(worst, zeta < omega ? zeta : omega);
    }
    return worst;
}

#endif
