/* QR with column pivoting, and from it rank, shortest least-squares solutions and null spaces. */
#include "linalg/qr.h"

#include "linalg/dense.h"
#include "linalg/householder.h"

#include <float.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void exchange_columns(carom_qr *qr, int k, int l)
{
    double *a = qr->R + (size_t)k * qr->m, *b = qr->R + (size_t)l * qr->m;
    for (int i = 0; k != l && i < qr->m; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
    int column = qr->order[k];
    qr->order[k] = qr->order[l];
    qr->order[l] = column;
}

/* The columns are brought to length one first, so that the rank does not depend on their units. At
 * every step the column with the longest rest comes next; rests are computed afresh, since
 * downdated norms lose the digits that decide the rank. */
carom_status carom_qr_factor(int m, int n, const double *A, int ld, double tolerance,
                             carom_arena *arena, carom_qr *qr, carom_error *error)
{
    int least = m < n ? m : n;
    *qr = (carom_qr){.m = m, .n = n};
    qr->R = carom_arena_doubles(arena, (size_t)m * (size_t)n);
    qr->tau = carom_arena_zeros(arena, (size_t)least, sizeof *qr->tau);
    qr->size = carom_arena_doubles(arena, (size_t)n);
    qr->order = carom_arena_array(arena, (size_t)n, sizeof *qr->order);
    if (!qr->R || !qr->tau || !qr->size || !qr->order)
        return carom_error_memory(error);
    for (int j = 0; j < n; j++) {
        double *Rj = qr->R + (size_t)j * m, norm = carom_dense_norm(m, A + (size_t)j * ld);
        qr->size[j] = norm > 0 ? norm : 1;
        qr->order[j] = j;
        for (int i = 0; i < m; i++)
            Rj[i] = A[i + (size_t)j * ld] / qr->size[j];
    }
    if (!(tolerance > 0))
        tolerance = 16 * larger(m, n) * DBL_EPSILON;
    for (int k = 0; k < least; k++) {
        int best = k;
        double longest = -1;
        for (int j = k; j < n; j++) {
            double rest = carom_dense_norm(m - k, qr->R + k + (size_t)j * m);
            if (rest > longest) {
                longest = rest;
                best = j;
            }
        }
        exchange_columns(qr, k, best);
        double *v = qr->R + k + (size_t)k * m;
        qr->tau[k] = carom_householder_make(m - k, v);
        carom_householder_apply(m - k, v, qr->tau[k], n - k - 1, v + m, m);
        if (longest > tolerance)
            qr->rank = k + 1;
    }
    return CAROM_OK;
}

/* The r rows of R that count, with the columns' own lengths, are [T 0] Z' with an orthonormal Z:
 * from the QR factorisation of their transpose. Z: n x n in the order of A P; T: r x r, lower. */
static carom_status complete(const carom_qr *qr, carom_arena *arena, double **T, double **Z,
                             carom_error *error)
{
    int r = qr->rank, n = qr->n;
    *Z = carom_arena_zeros(arena, (size_t)n * (size_t)n, sizeof **Z);
    *T = carom_arena_zeros(arena, (size_t)r * (size_t)r, sizeof **T);
    double *tau = carom_arena_zeros(arena, (size_t)r, sizeof *tau);
    if (!*T || !*Z || !tau)
        return carom_error_memory(error);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < r && i <= j; i++)
            (*Z)[j + (size_t)i * n] = qr->R[i + (size_t)j * qr->m] * qr->size[qr->order[j]];
    carom_householder_factor(n, r, *Z, n, tau);
    for (int j = 0; j < r; j++)
        for (int i = j; i < r; i++)
            (*T)[i + (size_t)j * r] = (*Z)[j + (size_t)i * n];
    carom_householder_form(n, r, n, *Z, n, tau);
    return CAROM_OK;
}

carom_status carom_qr_solve(const carom_qr *qr, const double *b, carom_arena *arena, double *x,
                            carom_error *error)
{
    int m = qr->m, n = qr->n, r = qr->rank;
    carom_mark mark = carom_arena_mark(arena);
    double *T, *Z, *c = carom_arena_doubles(arena, (size_t)m + (size_t)n);
    carom_status status = c ? complete(qr, arena, &T, &Z, error) : carom_error_memory(error);
    if (status != CAROM_OK)
        return status;
    double *y = c + m;
    carom_dense_copy(m, b, c);
    for (int k = 0; k < r; k++)
        carom_householder_apply(m - k, qr->R + k + (size_t)k * m, qr->tau[k], 1, c + k, m);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < r; j++) { /* T s = c, y = Z s */
        c[j] /= T[j + (size_t)j * r];
        carom_dense_axpy(r - j - 1, -c[j], T + j + 1 + (size_t)j * r, c + j + 1);
        carom_dense_axpy(n, c[j], Z + (size_t)j * n, y);
    }
    for (int i = 0; i < n; i++)
        x[qr->order[i]] = y[i];
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

carom_status carom_qr_null_space(const carom_qr *qr, carom_arena *arena, double *N,
                                 carom_error *error)
{
    int n = qr->n, r = qr->rank;
    carom_mark mark = carom_arena_mark(arena);
    double *T, *Z;
    carom_status status = complete(qr, arena, &T, &Z, error);
    for (int j = r; status == CAROM_OK && j < n; j++)
        for (int i = 0; i < n; i++)
            N[qr->order[i] + (size_t)(j - r) * n] = Z[i + (size_t)j * n];
    carom_arena_rewind(arena, mark);
    return status;
}
