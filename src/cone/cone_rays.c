/* Extreme rays of { y : A'y >= 0 }: in the slacks s = A'y >= 0 the cone is the part of the orthant
 * in the row space of A, which double description finds by equality cuts. */
#include <math.h>
#include <string.h>

#include "carom/cone.h"
#include "carom/need.h"
#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/rays.h"

/* Add y to k orthonormal columns of Q unless it depends on them. */
static bool extend(int n, int *k, double *Q, const double *y)
{
    double *q = Q + (size_t)*k * n;
    memcpy(q, y, (size_t)n * sizeof(double));
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < *k; l++) {
            const double *b = Q + (size_t)l * n;
            carom_dense_axpy(n, -carom_dense_dot(n, b, q), b, q);
        }
    double norm = carom_dense_norm(n, q);
    if (norm <= CAROM_TOLERANCE_SIGN)
        return false;
    carom_dense_scale(n, 1 / norm, q);
    ++*k;
    return true;
}

/* Rounding of the unit vectors here. A vector of the null space is known to that accuracy as a
 * whole, so that smaller entries are zero: taken for numbers they would cut away rays of cones
 * without interior, whose slacks are exactly zero. */
static const double ZERO = CAROM_TOLERANCE_SOLVED;

/* Q (p x p): the first k columns span the row space of A (k x p, unit columns), the rest the null
 * space. False: A has not full row rank. */
static bool split(int k, int p, const double *A, double *Q, double *row)
{
    int count = 0;
    for (int l = 0; l < k; l++) {
        for (int j = 0; j < p; j++)
            row[j] = A[l + (size_t)j * k];
        double norm = carom_dense_norm(p, row);
        if (norm > 0)
            carom_dense_scale(p, 1 / norm, row);
        if (!extend(p, &count, Q, row))
            return false;
    }
    while (count < p) {
        int best = 0;
        double far = -1;
        for (int j = 0; j < p; j++) {
            double d = 1;
            for (int l = 0; l < count; l++)
                d -= Q[j + (size_t)l * p] * Q[j + (size_t)l * p];
            if (d > far) {
                far = d;
                best = j;
            }
        }
        memset(row, 0, (size_t)p * sizeof(double));
        row[best] = 1;
        if (!extend(p, &count, Q, row))
            return false;
    }
    return true;
}

/* y with A'y = s: normal equations of unit columns, solved twice. */
static void from_slacks(int k, int p, const double *A, const double *G, const double *s, double *y,
                        double *rest, double *step)
{
    memset(y, 0, (size_t)k * sizeof(double));
    for (int pass = 0; pass < 3; pass++) {
        for (int j = 0; j < p; j++)
            rest[j] = s[j] - carom_dense_dot(k, A + (size_t)j * k, y);
        memset(step, 0, (size_t)k * sizeof(double));
        carom_dense_gemv(k, p, 1, A, k, rest, step);
        carom_cholesky_solve(k, G, k, step);
        carom_dense_axpy(k, 1, step, y);
    }
    double norm = carom_dense_norm(k, y);
    if (norm > 0)
        carom_dense_scale(k, 1 / norm, y);
}

static carom_status enumerate(int k, int p, const double *A, carom_arena *arena, carom_rays *rays,
                              double *unit, double *G, double *work, carom_error *error)
{
    double *Q = work + p;
    for (int j = 0; j < p; j++) {
        double *u = unit + (size_t)j * k, norm = carom_dense_norm(k, A + (size_t)j * k);
        memcpy(u, A + (size_t)j * k, (size_t)k * sizeof(double));
        carom_dense_scale(k, norm > 0 ? 1 / norm : 0, u);
    }
    memset(G, 0, (size_t)k * (size_t)k * sizeof(double));
    for (int j = 0; j < p; j++)
        for (int i = 0; i < k; i++)
            carom_dense_axpy(k, unit[i + (size_t)j * k], unit + (size_t)j * k, G + (size_t)i * k);
    if (!split(k, p, unit, Q, work) || carom_cholesky_factor(k, G, k))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "extreme rays: the %d rows do not span the %d dimensions, so the "
                               "cone contains a line",
                               p, k);
    carom_status status = carom_rays_start(rays, p, arena, error);
    for (int j = k; j < p && !status; j++) {
        double *q = Q + (size_t)j * p;
        for (int i = 0; i < p; i++)
            q[i] = fabs(q[i]) <= ZERO ? 0 : q[i];
        status = carom_rays_cut(rays, q, true, ZERO, arena, error);
    }
    return status;
}

carom_status carom_cone_rays(int k, int p, const double *A, carom_arena *arena, double **rays,
                             int *count, carom_error *error)
{
    CAROM_NEED(error, A, arena, rays, count);
    if (p > 64)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "extreme rays of a cone with %d rows: at most 64 are supported", p);
    if (k < 1 || p < k)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "extreme rays: %d rows in %d dimensions, at least as many rows as "
                               "dimensions are needed",
                               p, k);
    size_t ks = (size_t)k, ps = (size_t)p;
    carom_mark start = carom_arena_mark(arena);
    double *unit = carom_arena_doubles(arena, ks * ps + ks * ks + ks + 2 * ps + ps * ps);
    if (!unit)
        return carom_error_memory(error);
    double *G = unit + ks * ps, *step = G + ks * ks, *rest = step + k, *work = rest + p;
    carom_rays found;
    carom_status status = enumerate(k, p, A, arena, &found, unit, G, work, error);
    double *y = status ? NULL : carom_arena_doubles(arena, ks * (size_t)found.count + 1);
    if (!status && !y)
        status = carom_error_memory(error);
    if (status) {
        carom_arena_rewind(arena, start);
        return status;
    }
    for (int i = 0; i < found.count; i++)
        from_slacks(k, p, unit, G, found.x + (size_t)i * ps, y + (size_t)i * ks, rest, step);
    *rays = y;
    *count = found.count;
    return CAROM_OK;
}
