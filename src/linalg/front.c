/* Partial elimination of a dense front, in panels, with the product that takes the time compiled
 * for the vector units that are there. */
#include "linalg/front.h"

#include "linalg/dense.h"
#include "linalg/wide.h"

#include <math.h>
#include <stddef.h>

enum { PANEL = 12 }; /* columns eliminated one by one before the rest is brought up to date */

/* B is only read entry by entry, so that its transpose serves as well: (p, j) at B[p down + j
 * right].
 */
typedef struct factor {
    const double *B;
    size_t down, right;
} factor;

/* Four columns of C less columns of A times their entries of B. */
CAROM_WIDE static void subtract_four(int m, int k, const double *restrict A, size_t lda, factor f,
                                     double *restrict C, size_t ldc)
{
    double *restrict c0 = C, *restrict c1 = C + ldc, *restrict c2 = C + 2 * ldc,
                     *restrict c3 = C + 3 * ldc;
    int p = 0;
    for (; p + 3 <= k; p += 3) {
        const double *restrict a0 = A + (size_t)p * lda, *restrict a1 = a0 + lda,
                               *restrict a2 = a1 + lda;
        const double *b = f.B + (size_t)p * f.down, *d = b + f.down, *e = d + f.down;
        size_t r = f.right;
        double b0 = b[0], b1 = b[r], b2 = b[2 * r], b3 = b[3 * r];
        double d0 = d[0], d1 = d[r], d2 = d[2 * r], d3 = d[3 * r];
        double e0 = e[0], e1 = e[r], e2 = e[2 * r], e3 = e[3 * r];
        for (int i = 0; i < m; i++) {
            c0[i] -= a0[i] * b0 + a1[i] * d0 + a2[i] * e0;
            c1[i] -= a0[i] * b1 + a1[i] * d1 + a2[i] * e1;
            c2[i] -= a0[i] * b2 + a1[i] * d2 + a2[i] * e2;
            c3[i] -= a0[i] * b3 + a1[i] * d3 + a2[i] * e3;
        }
    }
    for (; p < k; p++) {
        const double *restrict a0 = A + (size_t)p * lda, *b = f.B + (size_t)p * f.down;
        double b0 = b[0], b1 = b[f.right], b2 = b[2 * f.right], b3 = b[3 * f.right];
        for (int i = 0; i < m; i++) {
            c0[i] -= a0[i] * b0;
            c1[i] -= a0[i] * b1;
            c2[i] -= a0[i] * b2;
            c3[i] -= a0[i] * b3;
        }
    }
}

CAROM_WIDE static void subtract_one(int m, int k, const double *restrict A, size_t lda,
                                    const double *B, size_t down, double *restrict C)
{
    int p = 0;
    for (; p + 3 <= k; p += 3) {
        const double *restrict a0 = A + (size_t)p * lda, *restrict a1 = a0 + lda,
                               *restrict a2 = a1 + lda;
        const double *b = B + (size_t)p * down;
        double b0 = b[0], b1 = b[down], b2 = b[2 * down];
        for (int i = 0; i < m; i++)
            C[i] -= a0[i] * b0 + a1[i] * b1 + a2[i] * b2;
    }
    for (; p < k; p++) {
        const double *restrict a0 = A + (size_t)p * lda;
        double b0 = B[(size_t)p * down];
        for (int i = 0; i < m; i++)
            C[i] -= a0[i] * b0;
    }
}

/* C (m x n) -= A (m x k) B (k x n) */
static void subtract(int m, int n, int k, const double *A, size_t lda, factor f, double *C,
                     size_t ldc)
{
    int j = 0;
    for (; j + 4 <= n; j += 4, f.B += 4 * f.right)
        subtract_four(m, k, A, lda, f, C + (size_t)j * ldc, ldc);
    for (; j < n; j++, f.B += f.right)
        subtract_one(m, k, A, lda, f.B, f.down, C + (size_t)j * ldc);
}

/* Exchange rows a and b of A (columns wide), or columns of its transpose. */
static inline void exchange_rows(double *A, size_t ld, int columns, int a, int b)
{
    for (int j = 0; j < columns; j++) {
        double x = A[(size_t)j * ld + (size_t)a];
        A[(size_t)j * ld + (size_t)a] = A[(size_t)j * ld + (size_t)b];
        A[(size_t)j * ld + (size_t)b] = x;
    }
}

static inline void exchange_columns(double *A, size_t rows, int a, int b)
{
    double *restrict x = A + (size_t)a * rows, *restrict y = A + (size_t)b * rows;
    for (size_t i = 0; i < rows; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* Columns first ... last - 1 of P, all rows below; pivots among the first k rows. */
CAROM_WIDE static bool factor_panel(int k, int rows, int first, int last, double *P, int *exchange)
{
    size_t ld = (size_t)rows;
    for (int j = first; j < last; j++) {
        double *restrict Pj = P + (size_t)j * ld;
        int best = j;
        for (int i = j + 1; i < k; i++)
            if (fabs(Pj[i]) > fabs(Pj[best]))
                best = i;
        exchange[j] = best;
        if (best != j)
            exchange_rows(P, ld, k, j, best);
        double pivot = Pj[j], inverse = 1 / pivot;
        if (!(fabs(pivot) > 0 && isfinite(inverse)))
            return false;
        for (int i = j + 1; i < rows; i++)
            Pj[i] *= inverse;
        for (int c = j + 1; c < last; c++) {
            double *restrict Pc = P + (size_t)c * ld, x = Pc[j];
            for (int i = j + 1; i < rows; i++)
                Pc[i] -= Pj[i] * x;
        }
    }
    return true;
}

/* B = L^-1 B for columns of P right of a panel: short columns, one by one. */
static void solve_right(int first, int last, const double *P, size_t ld, int n, double *B)
{
    for (int c = 0; c < n; c++) {
        double *b = B + (size_t)c * ld;
        for (int j = first; j < last; j++)
            for (int i = j + 1; i < last; i++)
                b[i] -= P[(size_t)j * ld + (size_t)i] * b[j];
    }
}

bool carom_front_factor(int k, int m, double *P, double *U, double *C, int *exchange)
{
    int rows = k + m;
    size_t ld = (size_t)rows, w = (size_t)m;
    for (int first = 0; first < k; first += PANEL) {
        int last = first + PANEL < k ? first + PANEL : k, rest = k - last;
        if (!factor_panel(k, rows, first, last, P, exchange))
            return false;
        const double *L = P + (size_t)first * ld; /* the panel's columns */
        if (rest > 0) {
            double *right = P + (size_t)last * ld;
            solve_right(first, last, P, ld, rest, right);
            subtract(rows - last, rest, last - first, L + last, ld, (factor){right + first, 1, ld},
                     right + last, ld);
        }
        for (int j = first; j < last; j++)
            if (exchange[j] != j)
                exchange_columns(U, w, j, exchange[j]);
        for (int j = first + 1; j < last; j++) /* columns of U are rows of the factor */
            subtract_one(m, j - first, U + (size_t)first * w, w, L + j, ld, U + (size_t)j * w);
        if (rest > 0)
            subtract(m, rest, last - first, U + (size_t)first * w, w, (factor){L + last, ld, 1},
                     U + (size_t)last * w, w);
    }
    subtract(m, m, k, P + k, ld, (factor){U, w, 1}, C, w);
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
    subtract_one(m, k, P + k, ld, x, 1, y);
}

void carom_front_backward(int k, int m, const double *P, const double *U, const double *y,
                          double *x)
{
    size_t ld = (size_t)(k + m);
    for (int j = 0; j < k; j++)
        x[j] -= carom_dense_dot(m, U + (size_t)j * (size_t)m, y);
    for (int j = k - 1; j >= 0; j--) {
        x[j] /= P[(size_t)j * ld + (size_t)j];
        for (int i = 0; i < j; i++)
            x[i] -= P[(size_t)j * ld + (size_t)i] * x[j];
    }
}
