/* The scaled matrix of the large solvers: products, sweeps, factors of principal blocks. */
#include "solver/lcp_matrix.h"

#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/wide.h"
#include "solver/lcp_product.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* x'y of a long row, in sixteen partial sums. */
CAROM_WIDE static double wide_dot(int n, const double *restrict x, const double *restrict y)
{
    double part[16] = {0}, sum = 0;
    int i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            part[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        sum += x[i] * y[i];
    for (int k = 0; k < 16; k++)
        sum += part[k];
    return sum;
}

/* w += A y of a symmetric A, four columns at a time. */
CAROM_WIDE static void wide_product(int n, const double *A, const double *restrict y,
                                    double *restrict w)
{
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        const double *restrict a = A + (size_t)j * n, *restrict b = a + n, *restrict c = b + n,
                               *restrict d = c + n;
        double p = y[j], q = y[j + 1], r = y[j + 2], s = y[j + 3];
        for (int i = 0; (p != 0 || q != 0 || r != 0 || s != 0) && i < n; i++)
            w[i] += (a[i] * p + b[i] * q) + (c[i] * r + d[i] * s);
    }
    for (; j < n; j++)
        for (int i = 0; i < n; i++)
            w[i] += A[i + (size_t)j * n] * y[j];
}

/* Entry (i, j) of the lower triangle of a band matrix lies here. */
static size_t band_at(const carom_lcp_matrix *m, int i, int j)
{
    return (size_t)(i - j) + (size_t)j * (size_t)(m->band + 1);
}

static void fill(carom_lcp_matrix *m, const carom_lcp *lcp)
{
    int n = m->n;
    const double *M = lcp->M, *d = m->d;
    for (int j = 0; j < n; j++) {
        if (m->band < 0) {
            double *Aj = m->A + (size_t)j * n;
            for (int i = 0; i < n; i++)
                Aj[i] = d[i] * M[i + (size_t)j * n] * d[j];
            for (int i = 0; lcp->bandwidth > 0 && lcp->bandwidth < n - 1 && i < n; i++)
                if (i < j - lcp->bandwidth || i > j + lcp->bandwidth)
                    Aj[i] = 0; /* whatever is in M */
            Aj[j] = 1;
        } else {
            int last = j + m->band < n ? j + m->band : n - 1;
            m->A[band_at(m, j, j)] = 1;
            for (int i = j + 1; i <= last; i++)
                m->A[band_at(m, i, j)] = d[i] * M[i + (size_t)j * n] * d[j];
        }
        double factor = d[j] > 0 ? d[j] : 1;
        m->b[j] = factor * lcp->q[j];
        m->e[j] = fabs(m->b[j]);
        if (lcp->q_size)
            m->e[j] = fmax(m->e[j], factor * lcp->q_size[j]);
    }
}

carom_status carom_lcp_matrix_make(carom_lcp_matrix *m, const carom_lcp *lcp, carom_arena *arena,
                                   carom_error *error)
{
    size_t n = (size_t)lcp->n;
    bool banded = lcp->bandwidth > 0 && lcp->bandwidth < lcp->n / 4;
    size_t size = banded ? n * ((size_t)lcp->bandwidth + 1) : n * n;
    m->n = lcp->n;
    m->band = banded ? lcp->bandwidth : -1;
    m->A = carom_arena_doubles(arena, size);
    m->L = carom_arena_doubles(arena, size);
    m->b = carom_arena_doubles(arena, n);
    m->d = carom_arena_doubles(arena, n);
    m->e = carom_arena_doubles(arena, n);
    if (!m->A || !m->L || !m->b || !m->d || !m->e)
        return carom_error_memory(error);
    for (int i = 0; i < lcp->n; i++) {
        double diagonal = lcp->M[i + (size_t)i * n];
        if (diagonal < 0)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "lcp: M[%d,%d] is %g, so M is not positive semidefinite; use "
                                   "the algorithm lemke",
                                   i, i, diagonal);
        m->d[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
    }
    fill(m, lcp);
    return CAROM_OK;
}

static void add_product_band(const carom_lcp_matrix *m, const double *y, double *w, double *s)
{
    for (int j = 0; j < m->n; j++) {
        const double *Aj = m->A + (size_t)j * (size_t)(m->band + 1);
        int reach = m->n - 1 - j < m->band ? m->n - 1 - j : m->band;
        w[j] += y[j];
        if (s)
            s[j] += fabs(y[j]);
        for (int i = 1; i <= reach; i++) {
            w[j + i] += Aj[i] * y[j];
            w[j] += Aj[i] * y[j + i];
            if (s) {
                s[j + i] += fabs(Aj[i] * y[j]);
                s[j] += fabs(Aj[i] * y[j + i]);
            }
        }
    }
}

/* w += A y, s += |A| |y| */
static void add_product(const carom_lcp_matrix *m, const double *y, double *w, double *s)
{
    int n = m->n;
    if (m->band >= 0) {
        add_product_band(m, y, w, s);
    } else if (!s) {
        wide_product(n, m->A, y, w);
    } else {
        carom_lcp_product_add(n, m->A, y, w, s);
    }
}

void carom_lcp_matrix_apply(const carom_lcp_matrix *m, const double *y, double *w, double *s)
{
    memset(w, 0, (size_t)m->n * sizeof *w);
    if (s)
        memset(s, 0, (size_t)m->n * sizeof *s);
    add_product(m, y, w, s);
}

void carom_lcp_matrix_evaluate(const carom_lcp_matrix *m, const double *y, double *w, double *s)
{
    carom_dense_copy(m->n, m->b, w);
    for (int i = 0; s && i < m->n; i++)
        s[i] = m->e[i];
    add_product(m, y, w, s);
}

double carom_lcp_matrix_violation(const carom_lcp_matrix *m, const double *y, double *w, double *s)
{
    double worst = 0;
    carom_lcp_matrix_evaluate(m, y, w, s);
    for (int i = 0; i < m->n; i++)
        if (m->d[i] > 0 && s[i] > 0)
            worst = fmax(worst, (y[i] > 0 ? fabs(w[i]) : -w[i]) / s[i]);
    return worst;
}

bool carom_lcp_matrix_proves_infeasible(const carom_lcp_matrix *m, double *g, double *w, double *s)
{
    double top = 0, fall = 0, size = 0;
    for (int i = 0; i < m->n; i++) {
        top = fmax(top, g[i]);
        fall += m->b[i] * g[i];
        size += fabs(m->e[i] * g[i]);
    }
    if (!(fall < -CAROM_TOLERANCE_SIGN * size))
        return false;
    for (int i = 0; i < m->n; i++) {
        if (g[i] < -CAROM_TOLERANCE_SIGN * top)
            return false;
        g[i] = fmax(g[i], 0);
    }
    carom_lcp_matrix_apply(m, g, w, s);
    for (int i = 0; i < m->n; i++)
        if (fabs(w[i]) > CAROM_TOLERANCE_SIGN * s[i])
            return false;
    return true;
}

/* (A y + b)_i */
static double row(const carom_lcp_matrix *m, const double *y, int i)
{
    if (m->band < 0)
        return m->b[i] + wide_dot(m->n, m->A + (size_t)i * m->n, y);
    int first = i > m->band ? i - m->band : 0, last = i + m->band < m->n ? i + m->band : m->n - 1;
    double w = m->b[i];
    for (int j = first; j < i; j++)
        w += m->A[band_at(m, i, j)] * y[j];
    for (int j = i; j <= last; j++)
        w += m->A[band_at(m, j, i)] * y[j];
    return w;
}

double carom_lcp_matrix_sweep(const carom_lcp_matrix *m, double *y, bool upwards, double relax)
{
    double change = 0;
    for (int step = 0; step < m->n; step++) {
        int i = upwards ? step : m->n - 1 - step;
        if (m->d[i] == 0)
            continue;
        double old = y[i];
        y[i] = fmax(0, old - relax * row(m, y, i));
        change = fmax(change, fabs(y[i] - old));
    }
    return change;
}

static void gather_band(carom_lcp_matrix *m, const int *F, int k, double shift)
{
    int ld = m->band + 1;
    for (int c = 0; c < k; c++) {
        double *Lc = m->L + (size_t)c * (size_t)ld;
        for (int r = 0; r < ld; r++)
            Lc[r] = c + r < k && F[c + r] - F[c] <= m->band ? m->A[band_at(m, F[c + r], F[c])] : 0;
        Lc[0] += shift;
    }
}

bool carom_lcp_matrix_factor(carom_lcp_matrix *m, const int *F, int k, double shift)
{
    m->k = k;
    if (m->band >= 0) {
        gather_band(m, F, k, shift);
        return carom_cholesky_band_factor(k, m->band, m->L) == 0;
    }
    for (int c = 0; c < k; c++) {
        const double *Ac = m->A + (size_t)F[c] * m->n;
        double *Lc = m->L + (size_t)c * k;
        for (int r = c; r < k; r++)
            Lc[r] = Ac[F[r]];
        Lc[c] += shift;
    }
    return carom_cholesky_factor(k, m->L, k) == 0;
}

void carom_lcp_matrix_solve(const carom_lcp_matrix *m, double *x)
{
    if (m->band >= 0)
        carom_cholesky_band_solve(m->k, m->band, m->L, x);
    else
        carom_cholesky_solve(m->k, m->L, m->k, x);
}

void carom_lcp_matrix_probe(int n, double *x)
{
    uint32_t state = 2463534242U;
    for (int i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        x[i] = (double)state * 0x1p-31 - 1;
    }
}
