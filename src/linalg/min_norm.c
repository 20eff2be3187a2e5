#include "linalg/min_norm.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* A = U diag(sigma) V', all of U and V. Returns LAPACK's info, or -1000 without memory. */
static int decompose(int m, int n, double *A, double *sigma, double *U, double *Vt,
                     carom_arena *arena)
{
    double best;
    int info =
        LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', m, n, A, m, sigma, U, m, Vt, n, &best, -1);
    if (info)
        return info;
    int size = (int)best;
    double *work = carom_arena_doubles(arena, (size_t)size);
    if (!work)
        return -1000;
    return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', m, n, A, m, sigma, U, m, Vt, n, work,
                               size);
}

static double distance(int m, int n, const double *A, const double *x, const double *b)
{
    double sum = 0;
    for (int i = 0; i < m; i++) {
        double r = -b[i];
        for (int j = 0; j < n; j++)
            r += A[i + (size_t)j * m] * x[j];
        sum += r * r;
    }
    return sqrt(sum);
}

carom_status carom_min_norm_solve(int m, int n, const double *A, const double *b, double rcond,
                                  carom_arena *arena, double *x, carom_min_norm *info,
                                  carom_error *error)
{
    *info = (carom_min_norm){0};
    info->kernel = carom_arena_doubles(arena, (size_t)n * n);
    if (!info->kernel)
        return carom_error_memory(error);
    carom_mark mark = carom_arena_mark(arena);
    size_t entries = (size_t)m * n;
    double *copy = carom_arena_doubles(arena, entries);
    double *sigma = carom_arena_doubles(arena, (size_t)smaller(m, n) + 1);
    double *U = carom_arena_doubles(arena, (size_t)m * m);
    double *Vt = carom_arena_doubles(arena, (size_t)n * n);
    if (!copy || !sigma || !U || !Vt)
        return carom_error_memory(error);
    int count = smaller(m, n);
    if (count == 0) { /* no equations: everything is kernel */
        memset(Vt, 0, sizeof *Vt * (size_t)n * n);
        for (int j = 0; j < n; j++)
            Vt[j + (size_t)j * n] = 1;
    } else {
        memcpy(copy, A, sizeof *copy * entries);
        int failed = decompose(m, n, copy, sigma, U, Vt, arena);
        if (failed == -1000)
            return carom_error_memory(error);
        if (failed)
            return carom_error_set(error, CAROM_ERROR_NUMERIC,
                                   "singular value decomposition failed (LAPACK info %d)", failed);
        info->largest = sigma[0];
    }
    while (info->rank < count && sigma[info->rank] > rcond * sigma[0])
        info->rank++;
    for (int j = 0; j < n; j++)
        x[j] = 0;
    for (int k = 0; k < info->rank; k++) {
        double c = 0;
        for (int i = 0; i < m; i++)
            c += U[i + (size_t)k * m] * b[i];
        c /= sigma[k];
        for (int j = 0; j < n; j++)
            x[j] += c * Vt[k + (size_t)j * n];
    }
    for (int k = info->rank; k < n; k++)
        for (int j = 0; j < n; j++)
            info->kernel[j + (size_t)(k - info->rank) * n] = Vt[k + (size_t)j * n];
    info->residual = distance(m, n, A, x, b);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
