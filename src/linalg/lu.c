/* Gaussian elimination with row pivoting, and solutions with the matrix and its transpose. */
#include "linalg/lu.h"

#include "linalg/dense.h"
#include "linalg/lapack.h"

enum { FACTOR_BY_LAPACK = 24 }; /* OpenBLAS is faster from here on */

int carom_lu_factor(int n, double *A, int ld, int *pivot, double threshold)
{
    if (CAROM_HAS_LAPACK && n >= FACTOR_BY_LAPACK && threshold == 0)
        return carom_lapack_lu(n, A, ld, pivot);
    for (int j = 0; j < n; j++) {
        double *Aj = A + (size_t)j * ld, size = 0;
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(Aj[i]));
        /* bring the column up to date (left-looking) */
        for (int k = 0; k < j; k++) {
            double y = Aj[pivot[k]];
            Aj[pivot[k]] = Aj[k];
            Aj[k] = y;
        }
        for (int k = 0; k < j; k++) {
            const double *Ak = A + (size_t)k * ld, y = Aj[k];
            if (y != 0)
                for (int i = k + 1; i < n; i++)
                    Aj[i] -= Ak[i] * y;
        }
        int best = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(Aj[i]) > fabs(Aj[best]))
                best = i;
        if (!(fabs(Aj[best]) > threshold * size))
            return j + 1;
        pivot[j] = best;
        double x = Aj[best];
        Aj[best] = Aj[j];
        Aj[j] = x;
        for (int k = 0; k < j; k++) { /* earlier columns follow the exchange */
            double *Ak = A + (size_t)k * ld, y = Ak[best];
            Ak[best] = Ak[j];
            Ak[j] = y;
        }
        for (int i = j + 1; i < n; i++)
            Aj[i] /= x;
    }
    return 0;
}

void carom_lu_solve(int n, const double *LU, int ld, const int *pivot, double *x)
{
    for (int k = 0; k < n; k++) {
        double y = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = y;
    }
    for (int j = 0; j < n; j++) {
        const double *Lj = LU + (size_t)j * ld;
        for (int i = j + 1; i < n; i++)
            x[i] -= Lj[i] * x[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *Uj = LU + (size_t)j * ld;
        x[j] /= Uj[j];
        for (int i = 0; i < j; i++)
            x[i] -= Uj[i] * x[j];
    }
}
