/* Cholesky factors: whole, by rows appended and deleted, with rank-one changes, in bands. */
#include "linalg/cholesky.h"

#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/wide.h"

/* From these sizes on OpenBLAS is faster than the loops below (bench/bench_linalg.c). */
enum { FACTOR_BY_LAPACK = 24, SOLVE_BY_BLAS = 48 };

static int factor_small(int n, double *A, int ld)
{
    for (int j = 0; j < n; j++) {
        double *Aj = A + (size_t)j * ld;
        for (int k = 0; k < j; k++) {
            const double *Ak = A + (size_t)k * ld;
            double a = Ak[j];
            if (a != 0)
                for (int i = j; i < n; i++)
                    Aj[i] -= a * Ak[i];
        }
        if (!(Aj[j] > 0))
            return j + 1;
        double root = sqrt(Aj[j]), inverse = 1 / root;
        Aj[j] = root;
        for (int i = j + 1; i < n; i++)
            Aj[i] *= inverse;
    }
    return 0;
}

int carom_cholesky_factor(int n, double *A, int ld)
{
    return CAROM_HAS_LAPACK && n >= FACTOR_BY_LAPACK ? carom_lapack_cholesky(n, A, ld)
                                                     : factor_small(n, A, ld);
}

void carom_cholesky_forward(int n, const double *L, int ld, double *x)
{
    if (CAROM_HAS_LAPACK && n >= SOLVE_BY_BLAS) {
        carom_lapack_triangle(n, L, ld, false, x);
        return;
    }
    for (int j = 0; j < n; j++) {
        const double *Lj = L + (size_t)j * ld;
        double xj = x[j] /= Lj[j];
        for (int i = j + 1; i < n; i++)
            x[i] -= Lj[i] * xj;
    }
}

void carom_cholesky_backward(int n, const double *L, int ld, double *x)
{
    if (CAROM_HAS_LAPACK && n >= SOLVE_BY_BLAS) {
        carom_lapack_triangle(n, L, ld, true, x);
        return;
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *Lj = L + (size_t)j * ld;
        double sum = x[j];
        for (int i = j + 1; i < n; i++)
            sum -= Lj[i] * x[i];
        x[j] = sum / Lj[j];
    }
}

void carom_cholesky_solve(int n, const double *L, int ld, double *x)
{
    carom_cholesky_forward(n, L, ld, x);
    carom_cholesky_backward(n, L, ld, x);
}

void carom_cholesky_delete(int n, double *L, int ld, int k)
{
    /* Rows below k move up; their part right of column k-1 loses the shape of a triangle by one
     * diagonal, which rotations of neighbouring columns put back. */
    for (int j = 0; j < n; j++) {
        double *Lj = L + (size_t)j * ld;
        for (int i = j > k ? j - 1 : k; i + 1 < n; i++)
            Lj[i] = Lj[i + 1];
    }
    for (int j = k; j + 1 < n; j++) {
        double *Lj = L + (size_t)j * ld, *Lk = Lj + ld;
        double h = hypot(Lj[j], Lk[j]), c = Lj[j] / h, s = Lk[j] / h;
        Lj[j] = h;
        for (int i = j + 1; i + 1 < n; i++) {
            double a = Lj[i], b = Lk[i];
            Lj[i] = c * a + s * b;
            Lk[i] = c * b - s * a;
        }
    }
}

/* The columns right of j lose the products of its entries. */
CAROM_WIDE static void eliminate(const double *restrict Aj, int reach, int ld,
                                 double *restrict next)
{
    for (int k = 1; k <= reach; k++, next += ld)
        for (int i = k; i <= reach; i++)
            next[i - k] -= Aj[i] * Aj[k];
}

int carom_cholesky_band_factor(int n, int band, double *A)
{
    int ld = band + 1;
    for (int j = 0; j < n; j++) {
        double *Aj = A + (size_t)j * ld;
        if (!(Aj[0] > 0))
            return j + 1;
        double root = sqrt(Aj[0]);
        Aj[0] = root;
        int reach = n - 1 - j < band ? n - 1 - j : band;
        for (int i = 1; i <= reach; i++)
            Aj[i] /= root;
        eliminate(Aj, reach, ld, Aj + ld);
    }
    return 0;
}

void carom_cholesky_band_solve(int n, int band, const double *L, double *x)
{
    int ld = band + 1;
    for (int j = 0; j < n; j++) {
        const double *Lj = L + (size_t)j * ld;
        double xj = x[j] /= Lj[0];
        for (int i = 1; i <= band && i + j < n; i++)
            x[i + j] -= Lj[i] * xj;
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *Lj = L + (size_t)j * ld;
        double sum = x[j];
        for (int i = 1; i <= band && i + j < n; i++)
            sum -= Lj[i] * x[i + j];
        x[j] = sum / Lj[0];
    }
}
