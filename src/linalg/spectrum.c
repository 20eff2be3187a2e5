#include "linalg/spectrum.h"

#include <lapacke.h>

static carom_status fail(carom_error *error, const char *what)
{
    return carom_error_set(error, CAROM_ERROR_NUMERIC, "the iteration for %s did not converge",
                           what);
}

carom_status carom_spectrum_symmetric(int n, double *A, bool vectors, carom_arena *arena,
                                      double *values, carom_error *error)
{
    if (n == 0)
        return CAROM_OK;
    int room = 66 * n + 2;
    carom_mark mark = carom_arena_mark(arena);
    double *work = carom_arena_doubles(arena, (size_t)room);
    if (!work)
        return carom_error_memory(error);
    int info =
        LAPACKE_dsyev_work(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'L', n, A, n, values, work, room);
    carom_arena_rewind(arena, mark);
    return info == 0 ? CAROM_OK : fail(error, "eigenvalues");
}

carom_status carom_spectrum_singular(int m, int n, double *A, carom_arena *arena, double *values,
                                     double *U, double *Vt, carom_error *error)
{
    int least = m < n ? m : n, most = m < n ? n : m;
    if (least == 0)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    size_t k = (size_t)least, room = 4 * k * k + 7 * k + (size_t)most + 64 * (k + (size_t)most);
    double *work = carom_arena_doubles(arena, room), none[1];
    int *integers = carom_arena_array(arena, 8 * k, sizeof *integers);
    if (!work || !integers) {
        carom_arena_rewind(arena, mark);
        return carom_error_memory(error);
    }
    bool vectors = U && Vt;
    int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, vectors ? 'S' : 'N', m, n, A, m, values,
                                   vectors ? U : none, m, vectors ? Vt : none, least, work,
                                   (int)room, integers);
    carom_arena_rewind(arena, mark);
    return info == 0 ? CAROM_OK : fail(error, "singular values");
}
