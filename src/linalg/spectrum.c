/* Symmetric eigenvalues: Householder's reduction to tridiagonal form, then implicit QL steps. */
#include "linalg/spectrum.h"

#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/householder.h"
#include "linalg/lapack.h"

#include <float.h>

enum {
    BY_LAPACK = 48, /* LAPACK is faster from here on */
    STEPS = 60      /* QL steps for one eigenvalue; two or three are usual */
};

/* Q'AQ = T: the reflections act on rows and columns k + 1 ... of what is left. Fills the diagonal d
 * and the subdiagonal e; the vectors stay below the subdiagonal of A, tau: n. p: n, work. */
static void reduce(int n, double *A, double *d, double *e, double *tau, double *p)
{
    for (int k = 0; k + 1 < n; k++) {
        int m = n - k - 1;
        double *v = A + k + 1 + (size_t)k * n, *B = A + (k + 1) * (size_t)(n + 1);
        d[k] = A[k * (size_t)(n + 1)];
        tau[k] = carom_householder_make(m, v);
        e[k] = v[0];
        if (tau[k] == 0)
            continue;
        v[0] = 1;
        for (int i = 0; i < m; i++) /* p = tau B v, B symmetric with only its lower triangle */
            p[i] = 0;
        for (int j = 0; j < m; j++) {
            const double *Bj = B + (size_t)j * n;
            p[j] += Bj[j] * v[j] + carom_dense_dot(m - j - 1, Bj + j + 1, v + j + 1);
            carom_dense_axpy(m - j - 1, v[j], Bj + j + 1, p + j + 1);
        }
        carom_dense_scale(m, tau[k], p);
        /* B - v q' - q v' with q = p - (tau p'v / 2) v */
        carom_dense_axpy(m, -0.5 * tau[k] * carom_dense_dot(m, p, v), v, p);
        for (int j = 0; j < m; j++) {
            carom_dense_axpy(m - j, -p[j], v + j, B + j + (size_t)j * n);
            carom_dense_axpy(m - j, -v[j], p + j, B + j + (size_t)j * n);
        }
    }
    d[n - 1] = A[(size_t)n * n - 1];
    e[n - 1] = 0;
}

/* Q itself in place of the reflections. */
static void form(int n, double *A, const double *tau)
{
    for (int k = n - 2; k >= 0; k--) { /* vectors move one column to the right */
        for (int i = k + 2; i < n; i++)
            A[i + (size_t)(k + 1) * n] = A[i + (size_t)k * n];
    }
    for (int i = 0; i < n; i++)
        A[i] = A[(size_t)i * n] = i == 0;
    if (n > 1)
        carom_householder_form(n - 1, n - 1, n - 1, A + n + 1, n, tau);
}

/* Rotate columns i, i + 1 of Z. */
static void rotate(int n, double *Z, int i, double c, double s)
{
    double *a = Z + (size_t)i * n, *b = a + n;
    for (int k = 0; k < n; k++) {
        double f = b[k];
        b[k] = s * a[k] + c * f;
        a[k] = c * a[k] - s * f;
    }
}

/* One implicit QL step with Wilkinson's shift on the block l ... m; the bulge is chased upwards. */
static void step(int n, int l, int m, double *d, double *e, double *Z)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1);
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    double s = 1, c = 1, p = 0;
    for (int i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        e[i + 1] = r = hypot(f, g);
        if (r == 0) { /* the block falls apart: start again on what is left */
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        if (Z)
            rotate(n, Z, i, c, s);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

static bool iterate(int n, double *d, double *e, double *Z)
{
    for (int l = 0; l < n; l++)
        for (int count = 0;; count++) {
            int m = l;
            while (m + 1 < n && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])))
                m++;
            if (m == l)
                break;
            if (count == STEPS)
                return false;
            step(n, l, m, d, e, Z);
        }
    return true;
}

/* Ascending, by insertion: the values come nearly sorted. */
static void sort(int n, double *d, double *Z, double *column)
{
    for (int i = 1; i < n; i++) {
        double value = d[i];
        int j = i;
        while (j > 0 && d[j - 1] > value)
            j--;
        if (j == i)
            continue;
        memmove(d + j + 1, d + j, (size_t)(i - j) * sizeof *d);
        d[j] = value;
        if (!Z)
            continue;
        carom_dense_copy(n, Z + (size_t)i * n, column);
        memmove(Z + (size_t)(j + 1) * n, Z + (size_t)j * n, (size_t)(i - j) * n * sizeof *Z);
        carom_dense_copy(n, column, Z + (size_t)j * n);
    }
}

static bool lower_is_finite(int n, const double *A)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            sum += 0 * A[i + (size_t)j * n];
    return sum == 0;
}

static carom_status fail(carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_NUMERIC,
                           "the iteration for eigenvalues did not converge");
}

carom_status carom_spectrum_symmetric(int n, double *A, bool vectors, carom_arena *arena,
                                      double *values, carom_error *error)
{
    if (n == 0)
        return CAROM_OK;
    if (!lower_is_finite(n, A))
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "eigenvalues of a matrix with an entry that is not finite");
    carom_mark mark = carom_arena_mark(arena);
    bool done;
    if (CAROM_HAS_LAPACK && n >= BY_LAPACK) {
        size_t room = carom_lapack_symmetric_room(n);
        double *work = carom_arena_doubles(arena, room);
        if (!work)
            return carom_error_memory(error);
        done = carom_lapack_symmetric(n, A, vectors, values, work, room);
    } else {
        double *e = carom_arena_doubles(arena, 3 * (size_t)n);
        if (!e)
            return carom_error_memory(error);
        reduce(n, A, values, e, e + n, e + 2 * n);
        if (vectors)
            form(n, A, e + n);
        done = iterate(n, values, e, vectors ? A : NULL);
        sort(n, values, vectors ? A : NULL, e);
    }
    carom_arena_rewind(arena, mark);
    return done ? CAROM_OK : fail(error);
}

/* A B x = lambda x has the eigenvalues of L'A L, B = L L'. */
carom_status carom_spectrum_product(int n, double *A, double *B, carom_arena *arena,
                                    double *largest, carom_error *error)
{
    if (carom_cholesky_factor(n, B, n) != 0)
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "a matrix that must be positive definite is not");
    carom_mark mark = carom_arena_mark(arena);
    double *AL = carom_arena_zeros(arena, (size_t)n * n, sizeof *AL);
    double *values = carom_arena_doubles(arena, (size_t)n);
    if (!AL || !values)
        return carom_error_memory(error);
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            A[j + (size_t)i * n] = A[i + (size_t)j * n];
    for (int j = 0; j < n; j++)
        carom_dense_gemv(n, n - j, 1, A + (size_t)j * n, n, B + j + (size_t)j * n,
                         AL + (size_t)j * n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            A[i + (size_t)j * n] =
                carom_dense_dot(n - i, B + i + (size_t)i * n, AL + i + (size_t)j * n);
    carom_status status = carom_spectrum_symmetric(n, A, false, arena, values, error);
    *largest = values[n - 1];
    carom_arena_rewind(arena, mark);
    return status;
}
