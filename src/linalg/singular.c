/* Singular values by one-sided rotations (Hestenes): columns are turned in pairs until all are
 * orthogonal; A V = U diag(values). Small singular values keep their digits. */
#include "linalg/dense.h"
#include "linalg/householder.h"
#include "linalg/lapack.h"
#include "linalg/spectrum.h"

#include <float.h>

enum { BY_LAPACK = 48, SWEEPS = 60 };

/* Turn columns p and q of A (m rows) and V (n rows) if they are not orthogonal. */
static bool turn(int m, double *a, double *b, int n, double *v, double *w, double floor)
{
    double alpha = carom_dense_dot(m, a, a), beta = carom_dense_dot(m, b, b);
    double gamma = carom_dense_dot(m, a, b);
    if (fabs(gamma) <= 4 * DBL_EPSILON * sqrt(alpha * beta) || alpha <= floor || beta <= floor)
        return false;
    double zeta = (beta - alpha) / (2 * gamma);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(1, zeta));
    double c = 1 / hypot(1, t), s = c * t;
    for (int i = 0; i < m; i++) {
        double x = a[i];
        a[i] = c * x - s * b[i];
        b[i] = s * x + c * b[i];
    }
    for (int i = 0; i < n; i++) {
        double x = v[i];
        v[i] = c * x - s * w[i];
        w[i] = s * x + c * w[i];
    }
    return true;
}

/* m >= n: A becomes U diag(values) V', V n x n. floor: squares of columns below this are zero. */
static bool orthogonalise(int m, int n, double *A, double *V)
{
    double largest = 0;
    for (int j = 0; j < n; j++) {
        double *Aj = A + (size_t)j * m;
        largest = fmax(largest, carom_dense_dot(m, Aj, Aj));
        for (int i = 0; i < n; i++)
            V[i + (size_t)j * n] = i == j;
    }
    double floor = (double)n * DBL_EPSILON * DBL_EPSILON * largest;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool turned = false;
        for (int p = 0; p + 1 < n; p++)
            for (int q = p + 1; q < n; q++)
                turned = turn(m, A + (size_t)p * m, A + (size_t)q * m, n, V + (size_t)p * n,
                              V + (size_t)q * n, floor) ||
                         turned;
        if (!turned)
            return true;
    }
    return false;
}

static void exchange(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* Descending values; the columns of A and V follow. */
static void sort(int m, int n, double *A, double *V, double *values)
{
    for (int j = 0; j < n; j++)
        values[j] = carom_dense_norm(m, A + (size_t)j * m);
    for (int j = 0; j < n; j++) {
        int top = j;
        for (int k = j + 1; k < n; k++)
            if (values[k] > values[top])
                top = k;
        if (top == j)
            continue;
        double value = values[j];
        values[j] = values[top];
        values[top] = value;
        exchange(m, A + (size_t)j * m, A + (size_t)top * m);
        exchange(n, V + (size_t)j * n, V + (size_t)top * n);
    }
}

/* Columns of A become unit vectors U. Those of (nearly) vanishing values have no direction of their
 * own: they are completed to an orthonormal basis, from Householder's factor of the others. */
static void normalise(int m, int n, double *A, const double *values, double *Q, double *tau)
{
    int rank = 0;
    while (rank < n && values[rank] > (double)m * DBL_EPSILON * values[0])
        rank++;
    for (int j = 0; j < rank; j++)
        carom_dense_scale(m, 1 / values[j], A + (size_t)j * m);
    if (rank == n)
        return;
    memcpy(Q, A, (size_t)m * rank * sizeof *Q);
    carom_householder_factor(m, rank, Q, m, tau);
    carom_householder_form(m, rank, n, Q, m, tau);
    memcpy(A + (size_t)m * rank, Q + (size_t)m * rank, (size_t)m * (n - rank) * sizeof *A);
}

/* The own way, for m >= n; U in A, V n x n. */
static carom_status tall(int m, int n, double *A, double *V, carom_arena *arena, double *values,
                         bool vectors, carom_error *error)
{
    double *Q = vectors ? carom_arena_doubles(arena, (size_t)m * n + (size_t)n) : A;
    if (!Q)
        return carom_error_memory(error);
    double top = carom_dense_max(m * n, A); /* squares neither overflow nor vanish */
    for (int i = 0; top > 0 && i < m * n; i++)
        A[i] /= top;
    if (!orthogonalise(m, n, A, V))
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "the iteration for singular values did not converge");
    sort(m, n, A, V, values);
    if (vectors)
        normalise(m, n, A, values, Q, Q + (size_t)m * n);
    carom_dense_scale(n, top, values);
    return CAROM_OK;
}

static carom_status by_rotations(int m, int n, double *A, carom_arena *arena, double *values,
                                 double *U, double *Vt, carom_error *error)
{
    int least = m < n ? m : n, most = m < n ? n : m;
    double *B = A, *V = carom_arena_doubles(arena, (size_t)least * least);
    if (m < n)
        B = carom_arena_doubles(arena, (size_t)m * n);
    if (!B || !V)
        return carom_error_memory(error);
    if (m < n)
        carom_dense_transpose(m, n, A, B);
    carom_status status = tall(most, least, B, V, arena, values, U && Vt, error);
    if (status != CAROM_OK || !U || !Vt)
        return status;
    if (m < n) { /* A' = B diag V', so A = V diag B' */
        memcpy(U, V, (size_t)least * least * sizeof *U);
        carom_dense_transpose(n, m, B, Vt);
    } else {
        memcpy(U, B, (size_t)m * n * sizeof *U);
        carom_dense_transpose(n, n, V, Vt);
    }
    return CAROM_OK;
}

carom_status carom_spectrum_singular(int m, int n, double *A, carom_arena *arena, double *values,
                                     double *U, double *Vt, carom_error *error)
{
    int least = m < n ? m : n;
    if (least == 0)
        return CAROM_OK;
    for (size_t i = 0; i < (size_t)m * n; i++)
        if (!isfinite(A[i]))
            return carom_error_set(error, CAROM_ERROR_NUMERIC,
                                   "singular values of a matrix with an entry that is not finite");
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = CAROM_OK;
    if (CAROM_HAS_LAPACK && least >= BY_LAPACK) {
        size_t room = carom_lapack_singular_room(m, n);
        double *work = carom_arena_doubles(arena, room);
        int *integers = carom_arena_array(arena, 8 * (size_t)least, sizeof *integers);
        if (!work || !integers)
            status = carom_error_memory(error);
        else if (!carom_lapack_singular(m, n, A, values, U, Vt, work, room, integers))
            status = carom_error_set(error, CAROM_ERROR_NUMERIC,
                                     "the iteration for singular values did not converge");
    } else {
        status = by_rotations(m, n, A, arena, values, U, Vt, error);
    }
    carom_arena_rewind(arena, mark);
    return status;
}
