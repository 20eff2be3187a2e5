#include "linalg/ldl.h"

#include "linalg/dense.h"

#include <lapacke.h>

carom_status carom_ldl_factor(int n, double *A, int ld, int *pivot, carom_arena *arena,
                              int *singular, carom_error *error)
{
    int size = n > 0 ? 64 * n : 1; /* room for LAPACK's block size */
    carom_mark mark = carom_arena_mark(arena);
    double *work = carom_arena_doubles(arena, (size_t)size);
    if (!work)
        return carom_error_memory(error);
    int info = n > 0 ? LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, A, ld, pivot, work, size) : 0;
    carom_arena_rewind(arena, mark);
    *singular = info > 0 ? info : 0;
    return CAROM_OK;
}

void carom_ldl_solve(int n, const double *LD, int ld, const int *pivot, double *x)
{
    if (n > 0)
        LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, 1, LD, ld, pivot, x, n);
}

static void count(carom_inertia *inertia, double value, double threshold)
{
    if (fabs(value) <= threshold)
        inertia->zero++;
    else if (value > 0)
        inertia->positive++;
    else
        inertia->negative++;
}

carom_inertia carom_ldl_inertia(int n, const double *LD, int ld, const int *pivot, double tolerance)
{
    carom_inertia inertia = {0};
    double top = 0;
    for (int j = 0; j < n; j++) {
        top = fmax(top, fabs(LD[j + (size_t)j * ld]));
        if (pivot[j] < 0 && j + 1 < n && pivot[j + 1] == pivot[j])
            top = fmax(top, fabs(LD[j + 1 + (size_t)j * ld]));
    }
    for (int j = 0; j < n; j++) {
        double a = LD[j + (size_t)j * ld];
        if (pivot[j] > 0) {
            count(&inertia, a, tolerance * top);
            continue;
        }
        /* a 2x2 block: eigenvalues mean +- root */
        double b = LD[j + 1 + (size_t)j * ld], c = LD[j + 1 + (size_t)(j + 1) * ld];
        double mean = a / 2 + c / 2, root = hypot(a / 2 - c / 2, b);
        count(&inertia, mean + root, tolerance * top);
        count(&inertia, mean - root, tolerance * top);
        j++;
    }
    return inertia;
}
