/* Small dense kernels, column-major, written so that the compiler vectorises them. */
#ifndef CAROM_SRC_LINALG_DENSE_H
#define CAROM_SRC_LINALG_DENSE_H

#include <math.h>
#include <stddef.h>
#include <string.h>

/* x'y. Four partial sums: an order of summation that is fixed and that vectorises. What is left is
 * written out: as a loop it would be vectorised too, at ten times the price of its three terms. */
static inline double carom_dense_dot(int n, const double *restrict x, const double *restrict y)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    if (i < n)
        s0 += x[i] * y[i];
    if (i + 1 < n)
        s0 += x[i + 1] * y[i + 1];
    if (i + 2 < n)
        s0 += x[i + 2] * y[i + 2];
    return (s0 + s2) + (s1 + s3);
}

/* y += a x */
static inline void carom_dense_axpy(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* x *= a */
static inline void carom_dense_scale(int n, double a, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= a;
}

static inline void carom_dense_copy(int n, const double *restrict x, double *restrict y)
{
    memcpy(y, x, (size_t)n * sizeof *y);
}

/* max |x_i| */
static inline double carom_dense_max(int n, const double *x)
{
    double top = 0;
    for (int i = 0; i < n; i++)
        top = fabs(x[i]) > top ? fabs(x[i]) : top;
    return top;
}

/* max |a_i - b_i| */
static inline double carom_dense_distance(int n, const double *a, const double *b)
{
    double top = 0;
    for (int i = 0; i < n; i++)
        top = fabs(a[i] - b[i]) > top ? fabs(a[i] - b[i]) : top;
    return top;
}

/* |x| without overflow or underflow of the squares */
static inline double carom_dense_norm(int n, const double *x)
{
    double top = carom_dense_max(n, x);
    if (!(top > 0) || !isfinite(top))
        return top;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] / top) * (x[i] / top);
    return top * sqrt(sum);
}

/* y += a A x, A m x n with leading dimension ld */
static inline void carom_dense_gemv(int m, int n, double a, const double *A, int ld,
                                    const double *x, double *y)
{
    for (int j = 0; j < n && m > 0; j++) /* A may be NULL where it has no entries */
        if (x[j] != 0)
            carom_dense_axpy(m, a * x[j], A + (size_t)j * ld, y);
}

/* y += a A'x, A m x n with leading dimension ld */
static inline void carom_dense_gemv_t(int m, int n, double a, const double *A, int ld,
                                      const double *x, double *y)
{
    for (int j = 0; j < n && m > 0; j++)
        y[j] += a * carom_dense_dot(m, A + (size_t)j * ld, x);
}

/* D = V'V, both triangles, V m x p with leading dimension ld, D p x p: the Delassus matrix when
 * V = L^{-1} W and the mass matrix is L L'. */
static inline void carom_dense_gram(int m, int p, const double *V, int ld, double *D)
{
    for (int j = 0; j < p; j++)
        for (int i = 0; i <= j; i++)
            D[j + (size_t)i * p] = D[i + (size_t)j * p] =
                carom_dense_dot(m, V + (size_t)i * ld, V + (size_t)j * ld);
}

/* B (n x m) = A' of an m x n matrix. */
static inline void carom_dense_transpose(int m, int n, const double *A, double *B)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            B[j + (size_t)i * n] = A[i + (size_t)j * m];
}

#endif
