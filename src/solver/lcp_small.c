/* The common case of principal pivoting for small n: regular M_FF, strict signs, few exchanges.
 * Everything else is left to the general way. Arrays of fixed size, no work space, no scaling (all
 * decisions are relative to the terms of a row), nothing outside the band of M; for n <= 4 the
 * compiler unrolls all loops, and indices outside F are masked by rows of the unit matrix instead
 * of being gathered. */
#include "solver/lcp_small.h"

#include "solver/lcp_band.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Vectors of two numbers, stored and read back at once, cost more than they save: n = 4 takes
 * 57 ns without and 84 ns with them. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize")
#endif

enum { N = CAROM_LCP_SMALL, UNROLLED = 4, EXCHANGES = 4 };

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

typedef struct small {
    const double *M; /* n x n, the caller's */
    double z[N], w[N], s[N];
    double residual;
    bool in[N];
} small;

/* The last row within reach of column j. */
INLINE int last(int j, int reach, int n)
{
    return j + reach < n ? j + reach : n - 1;
}

/* The set of one Gauss-Seidel sweep. False when a diagonal entry is not positive. */
INLINE bool guess(small *p, const double *q, int n, int reach)
{
    double inverse[N];
    bool positive = true;
    for (int i = 0; i < n; i++) {
        p->w[i] = q[i];
        positive = positive && p->M[i + i * n] > 0;
        inverse[i] = 1 / p->M[i + i * n]; /* ahead of the sweep, where one would wait for another */
    }
    for (int i = 0; i < n; i++) {
        p->in[i] = p->w[i] < 0;
        double z = p->in[i] ? -p->w[i] * inverse[i] : 0;
        for (int k = i + 1, end = last(i, reach, n); k <= end; k++)
            p->w[k] += p->M[k + i * n] * z;
    }
    return positive;
}

/* L D L' in place (unit L below the diagonal, 1/D on it) and x = solution. False when a pivot is
 * small against the diagonal entry it came from. */
INLINE bool solve_definite(double *A, double *x, int k, int reach)
{
    bool regular = true;
    double least[N];
    for (int j = 0; j < k; j++)
        least[j] = 1e-6 * A[j + j * k];
    for (int j = 0; j < k; j++) {
        double *Aj = A + j * k, inverse = 1 / Aj[j];
        int end = last(j, reach, k);
        regular = regular && Aj[j] > least[j];
        for (int c = j + 1; c <= end; c++) {
            double *Ac = A + c * k, l = Aj[c] * inverse;
            for (int i = c; i <= end; i++)
                Ac[i] -= l * Aj[i];
        }
        for (int i = j + 1; i <= end; i++) {
            Aj[i] *= inverse;
            x[i] -= Aj[i] * x[j];
        }
        Aj[j] = inverse;
    }
    for (int j = k - 1; j >= 0; j--) {
        x[j] *= A[j + j * k];
        for (int i = j + 1, end = last(j, reach, k); i <= end; i++)
            x[j] -= A[i + j * k] * x[i];
    }
    return regular;
}

INLINE bool solve_masked(small *p, const double *q, int n)
{
    double A[UNROLLED * UNROLLED];
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++)
            A[i + j * n] = p->in[i] && p->in[j] ? p->M[i + j * n] : i == j;
        p->z[j] = p->in[j] ? -q[j] : 0;
    }
    return solve_definite(A, p->z, n, n - 1);
}

static bool solve_gathered(small *p, const double *q, int n, int reach)
{
    double A[N * N], x[N];
    int F[N], k = 0;
    for (int i = 0; i < n; i++)
        if (p->in[i])
            F[k++] = i;
    for (int c = 0; c < k; c++) {
        const double *Mc = p->M + F[c] * n;
        for (int a = c, end = last(c, reach, k); a <= end; a++)
            A[a + c * k] = F[a] - F[c] <= reach ? Mc[F[a]] : 0;
        x[c] = -q[F[c]];
    }
    bool regular = solve_definite(A, x, k, reach);
    for (int i = 0; i < n; i++)
        p->z[i] = 0;
    for (int a = 0; a < k; a++)
        p->z[F[a]] = x[a];
    return regular;
}

/* w = M z + q and s, the sums of the magnitudes of its terms. */
INLINE void evaluate(small *p, const carom_lcp *lcp, int n, int reach)
{
    for (int i = 0; i < n; i++) {
        p->w[i] = lcp->q[i];
        p->s[i] = fabs(p->w[i]);
    }
    for (int i = 0; lcp->q_size && i < n; i++)
        p->s[i] = p->s[i] >= lcp->q_size[i] ? p->s[i] : lcp->q_size[i];
    for (int j = 0; j < n; j++) {
        double z = p->z[j];
        for (int i = j > reach ? j - reach : 0, end = last(j, reach, n); i <= end; i++) {
            double term = p->M[i + j * n] * z;
            p->w[i] += term;
            p->s[i] += fabs(term);
        }
    }
}

/* Change the sides of all indices with a wrong sign. True when there is none. */
INLINE bool exchange(small *p, int n)
{
    bool right = true;
    for (int i = 0; i < n; i++) {
        bool wrong = p->in[i] ? !(p->z[i] >= 0) : !(p->w[i] >= -8 * DBL_EPSILON * p->s[i]);
        right = right && !wrong;
        p->in[i] = p->in[i] != wrong;
    }
    return right;
}

/* The residual (docs/theory/lcp.md) for z >= 0; all rows must have terms. */
INLINE double measure(const small *p, int n, int reach)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        if (-p->w[i] > worst * p->s[i])
            worst = -p->w[i] / p->s[i];
        if (!(p->z[i] > 0 && p->w[i] > worst * p->s[i]))
            continue;
        double omega = p->w[i] / p->s[i];
        double zeta = p->M[i + i * n] * p->z[i] / p->s[i]; /* the largest share of z_i in a row */
        for (int j = i > reach ? i - reach : 0; zeta < omega && j <= last(i, reach, n); j++)
            zeta = fmax(zeta, fabs(p->M[j + i * n] * p->z[i]) / p->s[j]);
        worst = fmax(worst, fmin(zeta, omega));
    }
    return worst;
}

/* Finite, unique and as exact as asked for? Any NaN or infinity of the statement is in some s. */
INLINE bool accept(small *p, double tolerance, int n, int reach)
{
    for (int i = 0; i < n; i++)
        if (!(p->s[i] > 0 && p->s[i] <= DBL_MAX) || (!p->in[i] && !(p->w[i] > tolerance * p->s[i])))
            return false;
    p->residual = measure(p, n, reach);
    return p->residual <= tolerance;
}

INLINE bool solve(const carom_lcp *lcp, double tolerance, int n, int reach, double *z, double *w,
                  carom_lcp_info *info)
{
    small p;
    p.M = lcp->M;
    if (!guess(&p, lcp->q, n, reach))
        return false;
    for (int k = 1; k <= EXCHANGES; k++) {
        if (!(n <= UNROLLED ? solve_masked(&p, lcp->q, n) : solve_gathered(&p, lcp->q, n, reach)))
            return false;
        evaluate(&p, lcp, n, reach);
        if (!exchange(&p, n))
            continue;
        if (!accept(&p, tolerance, n, reach))
            return false;
        for (int i = 0; i < n; i++)
            z[i] = p.z[i];
        for (int i = 0; w && i < n; i++)
            w[i] = p.in[i] || p.w[i] < 0 ? 0 : p.w[i];
        if (info)
            *info = (carom_lcp_info){.algorithm = CAROM_LCP_PIVOT,
                                     .iterations = k,
                                     .residual = p.residual,
                                     .unique_w = true,
                                     .unique_z = true};
        return true;
    }
    return false;
}

/* The same statement with zeros written outside the band. */
static carom_lcp fill_band(const carom_lcp *lcp, double *M)
{
    carom_lcp full = *lcp;
    for (int j = 0; j < lcp->n; j++)
        for (int i = 0; i < lcp->n; i++)
            M[i + j * lcp->n] = abs(i - j) <= lcp->bandwidth ? lcp->M[i + j * lcp->n] : 0;
    full.M = M;
    return full;
}

bool carom_lcp_small_solve(const carom_lcp *lcp, double tolerance, double *z, double *w,
                           carom_lcp_info *info)
{
    int n = lcp->n, band = lcp->bandwidth;
    if (n > UNROLLED)
        return solve(lcp, tolerance, n, band > 0 ? band : carom_lcp_band_measure(lcp->M, n, n), z,
                     w, info);
    double M[UNROLLED * UNROLLED];
    carom_lcp full;
    if (band > 0 && band < n - 1) {
        full = fill_band(lcp, M);
        lcp = &full;
    }
    switch (n) {
    case 1:
        return solve(lcp, tolerance, 1, 0, z, w, info);
    case 2:
        return solve(lcp, tolerance, 2, 1, z, w, info);
    case 3:
        return solve(lcp, tolerance, 3, 2, z, w, info);
    case 4:
        return solve(lcp, tolerance, 4, 3, z, w, info);
    default:
        return false;
    }
}
