/* Partial elimination of a dense front, in panels, with the product that takes the time compiled
 * for the vector units that are there. */
#include "linalg/front.h"

#include "linalg/lapack.h"
#include "linalg/wide.h"

#include <math.h>
#include <stddef.h>

enum { PANEL = 24 }; /* columns eliminated one by one before the rest is brought up to date */

/* Four columns of C less four, or fewer, columns of A times their entries of B. */
CAROM_WIDE static void subtract_four(int m, int k, const double *restrict A, size_t lda,
                                     const double *restrict B, size_t ldb, double *restrict C,
                                     size_t ldc)
{
    double *restrict c0 = C, *restrict c1 = C + ldc, *restrict c2 = C + 2 * ldc,
                     *restrict c3 = C + 3 * ldc;
    int p = 0;
    for (; p + 4 <= k; p += 4) {
        const double *restrict a0 = A + (size_t)p * lda, *restrict a1 = a0 + lda,
                               *restrict a2 = a1 + lda, *restrict a3 = a2 + lda;
        const double *b0 = B + p, *b1 = b0 + ldb, *b2 = b1 + ldb, *b3 = b2 + ldb;
        for (int i = 0; i < m; i++) {
            c0[i] -= (a0[i] * b0[0] + a1[i] * b0[1]) + (a2[i] * b0[2] + a3[i] * b0[3]);
            c1[i] -= (a0[i] * b1[0] + a1[i] * b1[1]) + (a2[i] * b1[2] + a3[i] * b1[3]);
            c2[i] -= (a0[i] * b2[0] + a1[i] * b2[1]) + (a2[i] * b2[2] + a3[i] * b2[3]);
            c3[i] -= (a0[i] * b3[0] + a1[i] * b3[1]) + (a2[i] * b3[2] + a3[i] * b3[3]);
        }
    }
    for (; p + 3 <= k; p += 3) {
        const double *restrict a0 = A + (size_t)p * lda, *restrict a1 = a0 + lda,
                               *restrict a2 = a1 + lda;
        const double *b0 = B + p, *b1 = b0 + ldb, *b2 = b1 + ldb, *b3 = b2 + ldb;
        for (int i = 0; i < m; i++) {
            c0[i] -= a0[i] * b0[0] + a1[i] * b0[1] + a2[i] * b0[2];
            c1[i] -= a0[i] * b1[0] + a1[i] * b1[1] + a2[i] * b1[2];
            c2[i] -= a0[i] * b2[0] + a1[i] * b2[1] + a2[i] * b2[2];
            c3[i] -= a0[i] * b3[0] + a1[i] * b3[1] + a2[i] * b3[2];
        }
    }
    for (; p < k; p++) {
        const double *restrict a0 = A + (size_t)p * lda;
        double b0 = B[p], b1 = B[p + ldb], b2 = B[p + 2 * ldb], b3 = B[p + 3 * ldb];
        for (int i = 0; i < m; i++) {
            c0[i] -= a0[i] * b0;
            c1[i] -= a0[i] * b1;
            c2[i] -= a0[i] * b2;
            c3[i] -= a0[i] * b3;
        }
    }
}

CAROM_WIDE static void subtract_one(int m, int k, const double *restrict A, size_t lda,
                                    const double *restrict B, double *restrict C)
{
    int p = 0;
    for (; p + 3 <= k; p += 3) {
        const double *restrict a0 = A + (size_t)p * lda, *restrict a1 = a0 + lda,
                               *restrict a2 = a1 + lda;
        for (int i = 0; i < m; i++)
            C[i] -= a0[i] * B[p] + a1[i] * B[p + 1] + a2[i] * B[p + 2];
    }
    for (; p < k; p++)
        for (int i = 0; i < m; i++)
            C[i] -= A[(size_t)p * lda + (size_t)i] * B[p];
}

void carom_front_subtract(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                          double *C, int ldc)
{
    int j = 0;
    for (; j + 4 <= n; j += 4)
        subtract_four(m, k, A, (size_t)lda, B + (size_t)j * ldb, (size_t)ldb, C + (size_t)j * ldc,
                      (size_t)ldc);
    for (; j < n; j++)
        subtract_one(m, k, A, (size_t)lda, B + (size_t)j * ldb, C + (size_t)j * ldc);
}

/* Exchange rows a and b in columns from ... to - 1 of A. */
static void exchange_rows(double *A, size_t ld, int from, int to, int a, int b)
{
    for (int j = from; j < to; j++) {
        double x = A[(size_t)j * ld + (size_t)a];
        A[(size_t)j * ld + (size_t)a] = A[(size_t)j * ld + (size_t)b];
        A[(size_t)j * ld + (size_t)b] = x;
    }
}

/* Columns first ... last - 1 of P, all rows below; pivots among the first k rows. */
static bool factor_panel(int k, int rows, int first, int last, double *P, int *exchange)
{
    size_t ld = (size_t)rows;
    for (int j = first; j < last; j++) {
        double *Pj = P + (size_t)j * ld;
        int best = j;
        for (int i = j + 1; i < k; i++)
            if (fabs(Pj[i]) > fabs(Pj[best]))
                best = i;
        exchange[j] = best;
        if (best != j)
            exchange_rows(P, ld, 0, k, j, best);
        double pivot = Pj[j], inverse = 1 / pivot;
        if (!(fabs(pivot) > 0 && isfinite(inverse)))
            return false;
        for (int i = j + 1; i < rows; i++)
            Pj[i] *= inverse;
        for (int c = j + 1; c < last; c++) {
            double *Pc = P + (size_t)c * ld, x = Pc[j];
            if (x != 0)
                for (int i = j + 1; i < rows; i++)
                    Pc[i] -= Pj[i] * x;
        }
    }
    return true;
}

/* B (k x n) = L^-1 B with the unit lower triangle of rows and columns first ... last - 1 of P. */
static void solve_unit_lower(int first, int last, const double *P, size_t ld, int n, double *B,
                             size_t ldb)
{
    for (int c = 0; c < n; c++) {
        double *b = B + (size_t)c * ldb;
        for (int j = first; j < last; j++) {
            const double *Pj = P + (size_t)j * ld;
            double x = b[j];
            if (x != 0)
                for (int i = j + 1; i < last; i++)
                    b[i] -= Pj[i] * x;
        }
    }
}

bool carom_front_factor(int k, int m, double *P, double *U, double *C, int *exchange)
{
    int rows = k + m;
    size_t ld = (size_t)rows;
    for (int first = 0; first < k; first += PANEL) {
        int last = first + PANEL < k ? first + PANEL : k, rest = k - last;
        if (!factor_panel(k, rows, first, last, P, exchange))
            return false;
        for (int j = first; j < last; j++)
            if (exchange[j] != j)
                exchange_rows(U, (size_t)k, 0, m, j, exchange[j]);
        if (rest > 0) {
            double *right = P + (size_t)last * ld;
            solve_unit_lower(first, last, P, ld, rest, right, ld);
            carom_front_subtract(rows - last, rest, last - first, P + (size_t)first * ld + last,
                                 rows, right + first, rows, right + last, rows);
        }
        solve_unit_lower(first, last, P, ld, m, U, (size_t)k);
        if (rest > 0)
            carom_front_subtract(rest, m, last - first, P + (size_t)first * ld + last, rows,
                                 U + first, k, U + last, k);
    }
    carom_front_subtract(m, m, k, P + k, rows, U, k, C, m);
    return true;
}

void carom_front_forward(int k, int m, const double *P, const int *exchange, double *x, double *y)
{
    size_t ld = (size_t)(k + m);
    for (int j = 0; j < k; j++) {
        double t = x[j];
        x[j] = x[exchange[j]];
        x[exchange[j]] = t;
    }
    for (int j = 0; j < k; j++)
        for (int i = j + 1; i < k; i++)
            x[i] -= P[(size_t)j * ld + (size_t)i] * x[j];
    for (int i = 0; i < m; i++)
        y[i] = 0;
    subtract_one(m, k, P + k, ld, x, y);
}

void carom_front_backward(int k, int m, const double *P, const double *U, const double *y,
                          double *x)
{
    size_t ld = (size_t)(k + m);
    subtract_one(k, m, U, (size_t)k, y, x);
    for (int j = k - 1; j >= 0; j--) {
        x[j] /= P[(size_t)j * ld + (size_t)j];
        for (int i = 0; i < j; i++)
            x[i] -= P[(size_t)j * ld + (size_t)i] * x[j];
    }
}
