/* BLAS and LAPACK behind their one door; nothing at all when the door is closed. */
#include "linalg/lapack.h"

#ifdef CAROM_LAPACK

#include <cblas.h>
#include <lapacke.h>

int carom_lapack_cholesky(int n, double *A, int ld)
{
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, ld);
}

int carom_lapack_lu(int n, double *A, int ld, int *pivot)
{
    int first = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, ld, pivot);
    for (int j = 0; j < n; j++)
        pivot[j]--; /* LAPACK counts from 1 */
    return first;
}

void carom_lapack_triangle(int n, const double *L, int ld, bool transposed, double *x)
{
    cblas_dtrsv(CblasColMajor, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, n,
                L, ld, x, 1);
}

size_t carom_lapack_symmetric_room(int n)
{
    return 66 * (size_t)n + 2;
}

bool carom_lapack_symmetric(int n, double *A, bool vectors, double *values, double *work,
                            size_t room)
{
    return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'L', n, A, n, values, work,
                              (int)room) == 0;
}

size_t carom_lapack_singular_room(int m, int n)
{
    size_t least = (size_t)(m < n ? m : n), most = (size_t)(m < n ? n : m);
    return 4 * least * least + 7 * least + most + 64 * (least + most);
}

bool carom_lapack_singular(int m, int n, double *A, double *values, double *U, double *Vt,
                           double *work, size_t room, int *integers)
{
    double none[1];
    bool vectors = U && Vt;
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, vectors ? 'S' : 'N', m, n, A, m, values,
                               vectors ? U : none, m, vectors ? Vt : none, m < n ? m : n, work,
                               (int)room, integers) == 0;
}

#else

/* Never called: every caller asks CAROM_HAS_LAPACK first. The linker still wants the names where a
 * compiler does not remove the dead branch. */
int carom_lapack_cholesky(int n, double *A, int ld)
{
    (void)n, (void)A, (void)ld;
    return 1;
}

int carom_lapack_lu(int n, double *A, int ld, int *pivot)
{
    (void)n, (void)A, (void)ld, (void)pivot;
    return 1;
}

void carom_lapack_triangle(int n, const double *L, int ld, bool transposed, double *x)
{
    (void)n, (void)L, (void)ld, (void)transposed, (void)x;
}

size_t carom_lapack_symmetric_room(int n)
{
    return (size_t)n;
}

bool carom_lapack_symmetric(int n, double *A, bool vectors, double *values, double *work,
                            size_t room)
{
    (void)n, (void)A, (void)vectors, (void)values, (void)work, (void)room;
    return false;
}

size_t carom_lapack_singular_room(int m, int n)
{
    return (size_t)m + (size_t)n;
}

bool carom_lapack_singular(int m, int n, double *A, double *values, double *U, double *Vt,
                           double *work, size_t room, int *integers)
{
    (void)m, (void)n, (void)A, (void)values, (void)U, (void)Vt, (void)work, (void)room,
        (void)integers;
    return false;
}

#endif
