/* Cholesky's factorisation with diagonal pivoting: rank by curvature, one solution. */
#include "linalg/pivoted_cholesky.h"

#include "linalg/cholesky.h"

#include <math.h>

/* Swap rows and columns i < j of a symmetric matrix of which only the lower triangle is kept. */
static void swap_symmetric(int n, double *A, int ld, int i, int j)
{
    double t;
    for (int k = 0; k < i; k++) {
        t = A[i + (size_t)k * ld];
        A[i + (size_t)k * ld] = A[j + (size_t)k * ld];
        A[j + (size_t)k * ld] = t;
    }
    t = A[i + (size_t)i * ld];
    A[i + (size_t)i * ld] = A[j + (size_t)j * ld];
    A[j + (size_t)j * ld] = t;
    for (int k = i + 1; k < j; k++) {
        t = A[k + (size_t)i * ld];
        A[k + (size_t)i * ld] = A[j + (size_t)k * ld];
        A[j + (size_t)k * ld] = t;
    }
    for (int k = j + 1; k < n; k++) {
        t = A[k + (size_t)i * ld];
        A[k + (size_t)i * ld] = A[k + (size_t)j * ld];
        A[k + (size_t)j * ld] = t;
    }
}

int carom_pivoted_cholesky_factor(int n, double *A, int ld, double tolerance, int *pivot,
                                  double *scale)
{
    for (int i = 0; i < n; i++) {
        pivot[i] = i;
        scale[i] = A[i + (size_t)i * ld];
    }
    for (int k = 0; k < n; k++) {
        int best = -1;
        double largest = tolerance;
        for (int i = k; i < n; i++) {
            double ratio = scale[i] > 0 ? A[i + (size_t)i * ld] / scale[i] : 0;
            if (ratio > largest) {
                largest = ratio;
                best = i;
            }
        }
        if (best < 0)
            return k;
        if (best != k) {
            swap_symmetric(n, A, ld, k, best);
            int index = pivot[k];
            pivot[k] = pivot[best];
            pivot[best] = index;
            double s = scale[k];
            scale[k] = scale[best];
            scale[best] = s;
        }
        double *Ak = A + (size_t)k * ld;
        double root = sqrt(Ak[k]);
        Ak[k] = root;
        for (int i = k + 1; i < n; i++)
            Ak[i] /= root;
        for (int j = k + 1; j < n; j++) {
            double a = Ak[j];
            double *Aj = A + (size_t)j * ld;
            if (a != 0)
                for (int i = j; i < n; i++)
                    Aj[i] -= a * Ak[i];
        }
    }
    return n;
}

void carom_pivoted_cholesky_solve(int n, int rank, const double *L, int ld, const int *pivot,
                                  double *x, double *work)
{
    for (int k = 0; k < rank; k++)
        work[k] = x[pivot[k]];
    carom_cholesky_solve(rank, L, ld, work);
    for (int k = 0; k < n; k++)
        x[pivot[k]] = k < rank ? work[k] : 0;
}
