/* Short cuts for small n (docs/theory/lcp-small.md): a set guessed by one Gauss-Seidel sweep and
 * corrected a few times, for n <= 4 and for chains; scalar problems where M is diagonal; else the
 * tableau of lcp_cross.h. What is not regular, finite and beyond doubt is left to the general
 * algorithms. Arrays of fixed size, no work space, no scaling (all decisions are relative to the
 * terms of a row), nothing outside the band of M; for n <= 4 the compiler unrolls all loops, and
 * indices outside F are masked by rows of the unit matrix instead of being gathered. */
#include "solver/lcp_small.h"

#include "carom/tolerance.h"
#include "solver/lcp_band.h"
#include "solver/lcp_cross_solve.h"
#include "solver/lcp_measure.h"

#include <stdlib.h>

/* Vectors of two numbers, stored and read back at once, cost more than they save: n = 4 takes
 * 57 ns without and 84 ns with them. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize")
#endif

#define INLINE CAROM_LCP_INLINE

enum { N = CAROM_LCP_SMALL, UNROLLED = 4, EXCHANGES = 4 };

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
INLINE bool solve_definite(double *A, double *x, int k)
{
    bool regular = true;
    double least[UNROLLED];
    for (int j = 0; j < k; j++)
        least[j] = CAROM_TOLERANCE_REGULAR * A[j + j * k];
    for (int j = 0; j < k; j++) {
        double *Aj = A + j * k, inverse = 1 / Aj[j];
        regular = regular && Aj[j] > least[j];
        for (int c = j + 1; c < k; c++) {
            double *Ac = A + c * k, l = Aj[c] * inverse;
            for (int i = c; i < k; i++)
                Ac[i] -= l * Aj[i];
        }
        for (int i = j + 1; i < k; i++) {
            Aj[i] *= inverse;
            x[i] -= Aj[i] * x[j];
        }
        Aj[j] = inverse;
    }
    for (int j = k - 1; j >= 0; j--) {
        x[j] *= A[j + j * k];
        for (int i = j + 1; i < k; i++)
            x[j] -= A[i + j * k] * x[i];
    }
    return regular;
}

/* The same without symmetry: L U, pivots on the diagonal. */
INLINE bool solve_general(double *A, double *x, int k)
{
    bool regular = true;
    double least[UNROLLED];
    for (int j = 0; j < k; j++)
        least[j] = CAROM_TOLERANCE_REGULAR * A[j + j * k];
    for (int j = 0; j < k; j++) {
        double *Aj = A + j * k, inverse = 1 / Aj[j];
        regular = regular && Aj[j] > least[j];
        for (int i = j + 1; i < k; i++) {
            double l = Aj[i] * inverse;
            for (int c = j + 1; c < k; c++)
                A[i + c * k] -= l * A[j + c * k];
            x[i] -= l * x[j];
        }
        Aj[j] = inverse;
    }
    for (int j = k - 1; j >= 0; j--) {
        for (int c = j + 1; c < k; c++)
            x[j] -= A[j + c * k] * x[c];
        x[j] *= A[j + j * k];
    }
    return regular;
}

INLINE bool solve_masked(small *p, const double *q, int n, bool symmetric)
{
    double A[UNROLLED * UNROLLED];
    for (int j = 0; j < n; j++) {
        for (int i = symmetric ? j : 0; i < n; i++)
            A[i + j * n] = p->in[i] && p->in[j] ? p->M[i + j * n] : i == j;
        p->z[j] = p->in[j] ? -q[j] : 0;
    }
    return symmetric ? solve_definite(A, p->z, n) : solve_general(A, p->z, n);
}

/* M_FF of a chain is tridiagonal: d on the diagonal, e beside it. */
static bool solve_chain(small *p, const double *q, int n)
{
    double d[N], e[N], x[N];
    int F[N], k = 0;
    bool regular = true;
    for (int i = 0; i < n; i++) {
        p->z[i] = 0;
        if (p->in[i])
            F[k++] = i;
    }
    for (int c = 0; c < k; c++) {
        const double *Mc = p->M + F[c] * n + F[c];
        d[c] = Mc[0];
        e[c] = c + 1 < k && F[c + 1] == F[c] + 1 ? Mc[1] : 0;
        x[c] = -q[F[c]];
    }
    for (int c = 0; c < k; c++) {
        double inverse = 1 / d[c], l = e[c] * inverse;
        if (c + 1 < k) {
            double least = CAROM_TOLERANCE_REGULAR * d[c + 1];
            d[c + 1] -= l * e[c];
            x[c + 1] -= l * x[c];
            regular = regular && d[c + 1] > least;
        }
        d[c] = inverse;
    }
    for (int c = k - 1; c >= 0; c--) {
        x[c] = (c + 1 < k ? x[c] - e[c] * x[c + 1] : x[c]) * d[c];
        p->z[F[c]] = x[c];
    }
    return regular;
}

/* As carom_lcp_measure_evaluate. */
static void evaluate_chain(small *p, const carom_lcp *lcp, int n)
{
    for (int i = 0; i < n; i++) {
        const double *M = p->M + i * n + i;
        double q = lcp->q[i], size = fabs(q);
        double left = i > 0 ? M[-n] * p->z[i - 1] : 0, own = M[0] * p->z[i],
               right = i + 1 < n ? M[n] * p->z[i + 1] : 0;
        if (lcp->q_size)
            size = lcp->q_size[i] > size ? lcp->q_size[i] : size;
        p->w[i] = q + left + own + right;
        p->s[i] = size + fabs(left) + fabs(own) + fabs(right);
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

/* Symmetric: nothing but F has w_i = 0, so z is unique. General: no q_i of F, or that called for
 * z, has drowned in the terms of its row. */
INLINE bool is_clear(const small *p, const double *q, double tolerance, int n, bool symmetric)
{
    bool clear = true;
    for (int i = 0; i < n; i++)
        clear = clear && (symmetric  ? p->in[i] || p->w[i] > tolerance * p->s[i]
                          : p->in[i] ? p->s[i] <= 1e8 * fabs(q[i]) || q[i] == 0
                                     : p->s[i] <= -1e10 * q[i] || q[i] >= 0);
    return clear;
}

static void write_info(carom_lcp_info *info, int iterations, double residual, bool unique)
{
    if (info)
        *info = (carom_lcp_info){.algorithm = CAROM_LCP_PIVOT,
                                 .iterations = iterations,
                                 .residual = residual,
                                 .unique_w = unique,
                                 .unique_z = unique};
}

/* A chain, symmetric with n > UNROLLED, or n <= UNROLLED. */
INLINE bool solve(const carom_lcp *lcp, double tolerance, int n, bool chain, bool symmetric,
                  double *z, double *w, carom_lcp_info *info)
{
    int reach = chain ? 1 : n - 1;
    small p;
    p.M = lcp->M;
    if (!guess(&p, lcp->q, n, reach))
        return false;
    for (int k = 1; k <= EXCHANGES; k++) {
        if (!(chain ? solve_chain(&p, lcp->q, n) : solve_masked(&p, lcp->q, n, symmetric)))
            return false;
        if (chain)
            evaluate_chain(&p, lcp, n);
        else
            carom_lcp_measure_evaluate(lcp, n, reach, p.z, p.w, p.s);
        if (!exchange(&p, n))
            continue;
        p.residual = carom_lcp_measure_residual(lcp, n, reach, p.z, p.w, p.s);
        if (!(p.residual <= tolerance) || !is_clear(&p, lcp->q, tolerance, n, symmetric))
            return false;
        for (int i = 0; i < n; i++)
            z[i] = p.z[i];
        for (int i = 0; w && i < n; i++)
            w[i] = p.in[i] || p.w[i] < 0 ? 0 : p.w[i];
        write_info(info, k, p.residual, symmetric);
        return true;
    }
    return false;
}

/* n problems of one row. */
static bool solve_diagonal(const carom_lcp *lcp, double tolerance, double *z, double *w,
                           carom_lcp_info *info)
{
    int n = lcp->n;
    double x[N], y[N], worst = 0, top = 0;
    bool positive = true;
    for (int i = 0; i < n; i++) {
        double m = lcp->M[i + i * n], q = lcp->q[i];
        positive = positive && m > 0;
        x[i] = q < 0 ? -q / m : 0;
        y[i] = q + m * x[i];
        double error = q < 0 ? fabs(y[i] / q) : 0; /* of terms of twice that */
        worst = error > worst ? error : worst;
        top = fmax(top, fmax(m, fabs(q)));
        positive = positive && x[i] <= DBL_MAX && q == q;
    }
    if (!positive || !(top <= DBL_MAX) || !(worst <= tolerance))
        return false;
    for (int i = 0; i < n; i++) {
        z[i] = x[i];
        if (w)
            w[i] = x[i] > 0 || y[i] < 0 ? 0 : y[i];
    }
    write_info(info, 1, worst / 2, lcp->symmetric);
    return true;
}

/* n known to the compiler; zeros are written outside a declared band. */
INLINE bool solve_unrolled(const carom_lcp *lcp, double tolerance, int n, bool symmetric, double *z,
                           double *w, carom_lcp_info *info)
{
    double M[UNROLLED * UNROLLED];
    carom_lcp full;
    if (lcp->bandwidth > 0 && lcp->bandwidth < n - 1) {
        full = *lcp;
        full.M = M;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                M[i + j * n] = abs(i - j) <= lcp->bandwidth ? lcp->M[i + j * n] : 0;
        lcp = &full;
    }
    return solve(lcp, tolerance, n, false, symmetric, z, w, info);
}

static bool solve_tiny(const carom_lcp *lcp, double tolerance, double *z, double *w,
                       carom_lcp_info *info)
{
    switch (lcp->symmetric ? lcp->n : lcp->n + UNROLLED) {
    case 1:
        return solve_unrolled(lcp, tolerance, 1, true, z, w, info);
    case 2:
        return solve_unrolled(lcp, tolerance, 2, true, z, w, info);
    case 3:
        return solve_unrolled(lcp, tolerance, 3, true, z, w, info);
    case 4:
        return solve_unrolled(lcp, tolerance, 4, true, z, w, info);
    case 5:
        return solve_unrolled(lcp, tolerance, 1, false, z, w, info);
    case 6:
        return solve_unrolled(lcp, tolerance, 2, false, z, w, info);
    case 7:
        return solve_unrolled(lcp, tolerance, 3, false, z, w, info);
    default:
        return solve_unrolled(lcp, tolerance, 4, false, z, w, info);
    }
}

/* Diagonal, or the chain of a symmetric problem. */
static bool solve_narrow(const carom_lcp *lcp, double tolerance, double *z, double *w,
                         carom_lcp_info *info)
{
    int n = lcp->n, band = lcp->bandwidth;
    if (band > 1 || (band == 0 && !carom_lcp_band_within(lcp->M, n, 1)))
        return false;
    if (band == 0 && carom_lcp_band_within(lcp->M, n, 0))
        return solve_diagonal(lcp, tolerance, z, w, info);
    return lcp->symmetric && solve(lcp, tolerance, n, true, true, z, w, info);
}

/* Are the magnitudes of q that were given numbers, none below zero? */
static bool has_sizes(const carom_lcp *lcp)
{
    bool right = true;
    for (int i = 0; i < lcp->n; i++)
        right = right && lcp->q_size[i] >= 0 && lcp->q_size[i] <= DBL_MAX;
    return right;
}

bool carom_lcp_small_solve(const carom_lcp *lcp, double tolerance, bool any_solution, double *z,
                           double *w, carom_lcp_info *info)
{
    if (lcp->q_size && !has_sizes(lcp))
        return false;
    return (lcp->n <= UNROLLED ? solve_tiny(lcp, tolerance, z, w, info)
                               : solve_narrow(lcp, tolerance, z, w, info)) ||
           carom_lcp_cross_solve(lcp, tolerance, any_solution, z, w, info);
}
