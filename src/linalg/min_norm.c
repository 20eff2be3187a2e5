/* Shortest least-squares solutions by singular values, with the kernel that is left. */
#include "linalg/min_norm.h"

#include "linalg/dense.h"
#include "linalg/householder.h"
#include "linalg/spectrum.h"

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

/* Columns rank ... n - 1 of Q complete its first ones, the rows of Vt, to an orthonormal basis. */
static void complete(int n, int rank, const double *Vt, int rows, double *Q, double *tau)
{
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < n; j++)
            Q[j + (size_t)k * n] = Vt[k + (size_t)j * rows];
    carom_householder_factor(n, rank, Q, n, tau);
    carom_householder_form(n, rank, n, Q, n, tau);
}

carom_status carom_min_norm_solve(int m, int n, const double *A, const double *b, double rcond,
                                  carom_arena *arena, double *x, carom_min_norm *info,
                                  carom_error *error)
{
    int count = m < n ? m : n;
    *info = (carom_min_norm){0};
    info->kernel = carom_arena_doubles(arena, (size_t)n * n);
    if (!info->kernel)
        return carom_error_memory(error);
    carom_mark mark = carom_arena_mark(arena);
    double *copy = carom_arena_doubles(arena, (size_t)m * n);
    double *sigma = carom_arena_doubles(arena, (size_t)count);
    double *U = carom_arena_doubles(arena, (size_t)m * count);
    double *Vt = carom_arena_doubles(arena, (size_t)count * n);
    double *Q = carom_arena_doubles(arena, (size_t)n * n + (size_t)n);
    if (!copy || !sigma || !U || !Vt || !Q)
        return carom_error_memory(error);
    memcpy(copy, A, sizeof *copy * (size_t)m * n);
    carom_status status = carom_spectrum_singular(m, n, copy, arena, sigma, U, Vt, error);
    if (status != CAROM_OK)
        return status;
    info->largest = count > 0 ? sigma[0] : 0;
    while (info->rank < count && sigma[info->rank] > rcond * sigma[0])
        info->rank++;
    memset(x, 0, sizeof *x * (size_t)n);
    for (int k = 0; k < info->rank; k++) {
        double c = carom_dense_dot(m, U + (size_t)k * m, b) / sigma[k];
        for (int j = 0; j < n; j++)
            x[j] += c * Vt[k + (size_t)j * count];
    }
    complete(n, info->rank, Vt, count, Q, Q + (size_t)n * n);
    memcpy(info->kernel, Q + (size_t)n * info->rank, sizeof *Q * (size_t)n * (n - info->rank));
    info->residual = distance(m, n, A, x, b);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
