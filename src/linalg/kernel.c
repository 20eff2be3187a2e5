/* Small square systems by elimination with full pivoting: consistent or not, shortest solution,
 * kernel. */
#include "linalg/kernel.h"

#include "linalg/dense.h"

#include "base/short_loops.h"

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* Bring the largest entry of the remaining block to place (k, k); returns it. */
static double pivot_to(int n, double *A, double *b, int *order, int k)
{
    int row = k, column = k;
    double top = 0;
    for (int j = k; j < n; j++)
        for (int i = k; i < n; i++)
            if (fabs(A[i + (size_t)j * n]) > top) {
                top = fabs(A[i + (size_t)j * n]);
                row = i;
                column = j;
            }
    if (row != k) {
        for (int j = 0; j < n; j++)
            swap(&A[row + (size_t)j * n], &A[k + (size_t)j * n]);
        swap(&b[row], &b[k]);
    }
    if (column != k) {
        for (int i = 0; i < n; i++)
            swap(&A[i + (size_t)column * n], &A[i + (size_t)k * n]);
        int t = order[column];
        order[column] = order[k];
        order[k] = t;
    }
    return top;
}

static void eliminate(int n, double *A, double *b, int k)
{
    double inverse = 1 / A[k + (size_t)k * n];
    for (int i = k + 1; i < n; i++) {
        double l = A[i + (size_t)k * n] * inverse;
        if (l == 0)
            continue;
        for (int j = k; j < n; j++)
            A[i + (size_t)j * n] -= l * A[k + (size_t)j * n];
        b[i] -= l * b[k];
    }
}

/* Back substitution of the leading r x r triangle for the right-hand side y (r), in place. */
static void substitute(int n, int r, const double *A, double *y)
{
    for (int j = r - 1; j >= 0; j--) {
        y[j] /= A[j + (size_t)j * n];
        for (int i = 0; i < j; i++)
            y[i] -= A[i + (size_t)j * n] * y[j];
    }
}

/* Gram-Schmidt, twice where there is something to be orthogonal to. */
static void orthonormalise(int n, int count, double *K)
{
    for (int k = 0; k < count; k++) {
        double *v = K + (size_t)k * n;
        for (int pass = 0; pass < (k ? 2 : 1); pass++) {
            for (int j = 0; j < k; j++)
                carom_dense_axpy(n, -carom_dense_dot(n, K + (size_t)j * n, v), K + (size_t)j * n,
                                 v);
            carom_dense_scale(n, 1 / carom_dense_norm(n, v), v);
        }
    }
}

int carom_kernel_solve(int n, double *A, double *b, double rank_tolerance, double slack, int *order,
                       double *x, double *kernel, bool *consistent)
{
    double top = carom_dense_max(n * n, A);
    int rank = 0;
    for (int k = 0; k < n; k++)
        order[k] = k;
    while (rank < n && pivot_to(n, A, b, order, rank) > rank_tolerance * top)
        eliminate(n, A, b, rank++);
    *consistent = true;
    for (int i = rank; i < n; i++)
        *consistent = *consistent && fabs(b[i]) <= slack;
    if (!*consistent)
        return rank;
    for (int k = rank; k < n; k++) { /* free variable k is -1, the pivots follow */
        double *v = kernel + (size_t)(k - rank) * n;
        for (int i = 0; i < n; i++)
            x[i] = i < rank ? A[i + (size_t)k * n] : i == k ? -1 : 0;
        substitute(n, rank, A, x);
        for (int i = 0; i < n; i++)
            v[order[i]] = x[i];
    }
    orthonormalise(n, n - rank, kernel);
    substitute(n, rank, A, b);
    for (int i = 0; i < n; i++)
        x[order[i]] = i < rank ? b[i] : 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n - rank; k++) {
            const double *v = kernel + (size_t)k * n;
            carom_dense_axpy(n, -carom_dense_dot(n, v, x), v, x);
        }
    return rank;
}
