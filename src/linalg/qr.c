#include "linalg/qr.h"

#include "linalg/dense.h"

#include <float.h>
#include <lapacke.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

carom_status carom_qr_factor(int m, int n, const double *A, int ld, double tolerance,
                             carom_arena *arena, carom_qr *qr, carom_error *error)
{
    int least = m < n ? m : n, room = 2 * n + (n + 1) * 64;
    *qr = (carom_qr){.m = m, .n = n};
    qr->R = carom_arena_doubles(arena, (size_t)m * (size_t)n);
    qr->tau = carom_arena_doubles(arena, (size_t)least);
    qr->size = carom_arena_doubles(arena, (size_t)n);
    qr->order = carom_arena_zeros(arena, (size_t)n, sizeof *qr->order);
    carom_mark mark = carom_arena_mark(arena);
    double *work = carom_arena_doubles(arena, (size_t)room);
    if (!qr->R || !qr->tau || !qr->size || !qr->order || !work)
        return carom_error_memory(error);
    for (int j = 0; j < n; j++) {
        double *Rj = qr->R + (size_t)j * m, norm = carom_dense_norm(m, A + (size_t)j * ld);
        qr->size[j] = norm > 0 ? norm : 1;
        for (int i = 0; i < m; i++)
            Rj[i] = A[i + (size_t)j * ld] / qr->size[j];
    }
    if (least > 0)
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, qr->R, m, qr->order, qr->tau, work, room);
    for (int j = 0; j < n; j++)
        qr->order[j] = least > 0 ? qr->order[j] - 1 : j;
    if (!(tolerance > 0))
        tolerance = 16 * larger(m, n) * DBL_EPSILON;
    while (qr->rank < least && fabs(qr->R[qr->rank + (size_t)qr->rank * m]) > tolerance)
        qr->rank++;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Z of the complete factorisation A P = Q [T 0; 0 0] Z: T in the upper triangle, the vectors of Z
 * right of it. The columns get their own length back first. */
static carom_status trapezoid(const carom_qr *qr, carom_arena *arena, double **T, double **tau,
                              carom_error *error)
{
    int r = qr->rank, n = qr->n, room = larger(1, 64 * r);
    *T = carom_arena_zeros(arena, (size_t)r * (size_t)n, sizeof **T);
    *tau = carom_arena_doubles(arena, (size_t)r);
    double *work = carom_arena_doubles(arena, (size_t)room);
    if (!*T || !*tau || !work)
        return carom_error_memory(error);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < r && i <= j; i++)
            (*T)[i + (size_t)j * r] = qr->R[i + (size_t)j * qr->m] * qr->size[qr->order[j]];
    if (r > 0 && r < n)
        LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, r, n, *T, r, *tau, work, room);
    return CAROM_OK;
}

/* The columns of C (n x columns, in the order of A P) become Z' C, then rows go back to the order
 * of A. */
static carom_status apply_z(const carom_qr *qr, const double *T, const double *tau, int columns,
                            double *C, carom_arena *arena, carom_error *error)
{
    int r = qr->rank, n = qr->n, room = larger(1, 64 * columns);
    double *work = carom_arena_doubles(arena, (size_t)larger(room, n));
    if (!work)
        return carom_error_memory(error);
    if (r > 0 && r < n && columns > 0)
        LAPACKE_dormrz_work(LAPACK_COL_MAJOR, 'L', 'T', n, columns, r, n - r, T, r, tau, C, n, work,
                            room);
    for (int j = 0; j < columns; j++) {
        double *Cj = C + (size_t)j * n;
        carom_dense_copy(n, Cj, work);
        for (int i = 0; i < n; i++)
            Cj[qr->order[i]] = work[i];
    }
    return CAROM_OK;
}

carom_status carom_qr_solve(const carom_qr *qr, const double *b, carom_arena *arena, double *x,
                            carom_error *error)
{
    int m = qr->m, n = qr->n, r = qr->rank;
    carom_mark mark = carom_arena_mark(arena);
    double *T, *tau, *c = carom_arena_doubles(arena, (size_t)larger(m, n) + 64);
    double *y = carom_arena_zeros(arena, (size_t)n, sizeof *y);
    carom_status status =
        c && y ? trapezoid(qr, arena, &T, &tau, error) : carom_error_memory(error);
    if (status == CAROM_OK) {
        carom_dense_copy(m, b, c);
        double work[64];
        if (r > 0) {
            LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', m, 1, r, qr->R, m, qr->tau, c,
                                larger(m, 1), work, 64);
            LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', r, 1, T, r, c, r);
        }
        carom_dense_copy(r, c, y);
        status = apply_z(qr, T, tau, 1, y, arena, error);
    }
    if (status == CAROM_OK)
        carom_dense_copy(n, y, x);
    carom_arena_rewind(arena, mark);
    return status;
}

carom_status carom_qr_null_space(const carom_qr *qr, carom_arena *arena, double *N,
                                 carom_error *error)
{
    int n = qr->n, k = n - qr->rank;
    carom_mark mark = carom_arena_mark(arena);
    double *T, *tau, *C = carom_arena_zeros(arena, (size_t)n * (size_t)k, sizeof *C);
    carom_status status = C ? trapezoid(qr, arena, &T, &tau, error) : carom_error_memory(error);
    for (int j = 0; status == CAROM_OK && j < k; j++)
        C[qr->rank + j + (size_t)j * n] = 1;
    if (status == CAROM_OK)
        status = apply_z(qr, T, tau, k, C, arena, error);
    if (status == CAROM_OK)
        memcpy(N, C, (size_t)n * (size_t)k * sizeof *N);
    carom_arena_rewind(arena, mark);
    return status;
}
