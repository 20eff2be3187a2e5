/* Multipliers of dependent rows: the shortest choice, and whether there is another. */
#include "cone/cone_multipliers.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "cone/nnls.h"
#include "linalg/dense.h"

/* Unit columns nearer to a span than this depend on it: rounding of the columns, magnified by the
 * metric in which they became unit columns. */
static const double DEPENDENT = CAROM_TOLERANCE_REFINED;

/* A convex combination of unit columns shorter than this is zero. */
static const double VANISHING = CAROM_TOLERANCE_SIGN;

/* Subtract from y its part in the span of k orthonormal columns, twice. */
static void subtract(int n, int k, const double *Q, double *y)
{
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < k; l++) {
            const double *q = Q + (size_t)l * n;
            carom_dense_axpy(n, -carom_dense_dot(n, q, y), q, y);
        }
}

/* Add y to the orthonormal columns of Q unless it depends on them. y has length 1 or less. */
static bool extend(int n, int *k, double *Q, const double *y)
{
    if (*k == n)
        return false;
    double *q = Q + (size_t)*k * n;
    memcpy(q, y, (size_t)n * sizeof(double));
    subtract(n, *k, Q, q);
    double norm = carom_dense_norm(n, q);
    if (norm <= DEPENDENT)
        return false;
    carom_dense_scale(n, 1 / norm, q);
    ++*k;
    return true;
}

size_t carom_cone_multipliers_vanish_bytes(int n, int m)
{
    const size_t rows = (size_t)n + 1, columns = (size_t)m;
    return carom_arena_bytes(rows * columns, sizeof(double)) +
           carom_arena_bytes(2 * rows + columns, sizeof(double)) + carom_nnls_bytes(n + 1, m);
}

bool carom_cone_multipliers_vanish(int n, int m, const double *Z, carom_arena *arena)
{
    /* alpha >= 0, sum alpha = 1, Z alpha = 0 as a least-squares problem with residual zero. */
    carom_mark mark = carom_arena_mark(arena);
    size_t rows = (size_t)n + 1;
    double *E = carom_arena_reserved(arena, rows * (size_t)m, sizeof *E);
    double *f = carom_arena_reserved(arena, 2 * rows + (size_t)m, sizeof *f);
    double *r = f + rows, *s = r + rows;
    for (int j = 0; j < m; j++) {
        memcpy(E + (size_t)j * rows, Z + (size_t)j * (size_t)n, (size_t)n * sizeof(double));
        E[(size_t)j * rows + (size_t)n] = 1;
    }
    memset(f, 0, (size_t)n * sizeof *f);
    f[n] = 1;
    carom_nnls_info info;
    carom_nnls_solve(n + 1, m, E, f, 1, arena, s, r, &info);
    const double rest = carom_dense_norm(n + 1, r);
    carom_arena_rewind(arena, mark);
    return m > 0 && rest <= VANISHING;
}

size_t carom_cone_multipliers_fit_bytes(int n, int e)
{
    const size_t rows = (size_t)n, columns = 2 * (size_t)e;
    return carom_arena_bytes(rows * columns, sizeof(double)) +
           carom_arena_bytes(columns + rows, sizeof(double)) + carom_nnls_bytes(n, 2 * e);
}

double carom_cone_multipliers_fit(int n, int e, const double *E, const double *f, double scale,
                                  carom_arena *arena, double *t)
{
    carom_mark mark = carom_arena_mark(arena);
    size_t size = (size_t)n * (size_t)e;
    double *both = carom_arena_reserved(arena, 2 * size, sizeof *both);
    double *s = carom_arena_reserved(arena, 2 * (size_t)e + (size_t)n, sizeof *s);
    for (size_t i = 0; i < size; i++) {
        both[i] = E[i];
        both[size + i] = -E[i];
    }
    double *r = s + 2 * (size_t)e;
    carom_nnls_info info;
    carom_nnls_solve(n, 2 * e, both, f, scale, arena, s, r, &info);
    for (int j = 0; j < e; j++)
        t[j] = s[j] - s[j + e];
    const double rest = carom_dense_norm(n, r);
    carom_arena_rewind(arena, mark);
    return rest;
}

/* The m candidate rows scaled to unit length, with lambda scaled accordingly. */
typedef struct candidates {
    int n, m;
    int positive;   /* the first so many have lambda > 0 */
    int *row;       /* m, numbers in the problem */
    double *A;      /* n x m, unit columns */
    double *norm;   /* m */
    double *lambda; /* m, scaled */
} candidates;

static void candidates_collect(candidates *c, int n, int p, const double *A, const bool *candidate,
                               const double *lambda, carom_arena *arena)
{
    *c = (candidates){.n = n};
    c->row = carom_arena_reserved(arena, (size_t)p, sizeof *c->row);
    c->A = carom_arena_reserved(arena, (size_t)n * (size_t)p, sizeof *c->A);
    c->norm = carom_arena_reserved(arena, 2 * (size_t)p, sizeof *c->norm);
    c->lambda = c->norm + p;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < p; j++) {
            const double *a = A + (size_t)j * n;
            double norm = carom_dense_norm(n, a);
            if (!(norm > 0) || (lambda[j] > 0) != (pass == 0) || (pass == 1 && !candidate[j]))
                continue;
            c->row[c->m] = j;
            c->norm[c->m] = norm;
            c->lambda[c->m] = norm * lambda[j];
            double *to = c->A + (size_t)c->m * n;
            memcpy(to, a, (size_t)n * sizeof(double));
            carom_dense_scale(n, 1 / norm, to);
            c->m++;
            c->positive += pass == 0;
        }
}

/* Move candidate j behind those in use, with lambda = 0. */
static void candidates_retire(candidates *c, int j)
{
    int last = --c->m, row = c->row[j];
    double norm = c->norm[j], *a = c->A + (size_t)j * c->n, *b = c->A + (size_t)last * c->n;
    c->row[j] = c->row[last];
    c->row[last] = row;
    c->norm[j] = c->norm[last];
    c->norm[last] = norm;
    c->lambda[j] = c->lambda[last];
    c->lambda[last] = 0;
    for (int i = 0; i < c->n; i++) {
        double swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}

/* Orthonormal basis (m x (m - k), in N) of the null space of c->A, given an orthonormal basis Q
 * (n x k) of its range. S: m x m work. */
static int null_space(const candidates *c, int k, const double *Q, double *S, double *row)
{
    int m = c->m, count = 0;
    for (int l = 0; l < k; l++) { /* row space: rows of Q'A, of length up to sqrt(m) */
        for (int j = 0; j < m; j++)
            row[j] = carom_dense_dot(c->n, Q + (size_t)l * c->n, c->A + (size_t)j * c->n);
        double norm = carom_dense_norm(m, row);
        if (norm > 0)
            carom_dense_scale(m, 1 / norm, row);
        extend(m, &count, S, row);
    }
    int rank = count;
    while (count < m) { /* complete with the unit vector farthest from the span */
        int best = 0;
        double far = -1;
        for (int j = 0; j < m; j++) {
            double d = 1;
            for (int l = 0; l < count; l++)
                d -= S[j + (size_t)l * m] * S[j + (size_t)l * m];
            if (d > far) {
                far = d;
                best = j;
            }
        }
        memset(row, 0, (size_t)m * sizeof(double));
        row[best] = 1;
        if (!extend(m, &count, S, row))
            break;
    }
    return rank;
}

/* Least |l0 + N kappa| with l0 + N kappa >= 0, N'l0 = 0: Lawson and Hanson's least distance
 * programming, by non-negative least squares on [N'; -l0'] v ~ (0, ..., 0, 1), in place. A residual
 * of zero would say that no solution exists; as one does, it says that the entries with v_j > 0
 * vanish in all solutions: they are marked in `zero`. */
static void least_distance(int m, int d, const double *N, double *l, bool *zero, bool *degenerate,
                           carom_arena *arena)
{
    double top = carom_dense_max(m, l);
    double *E = carom_arena_reserved(arena, (size_t)(d + 1) * (size_t)m, sizeof *E);
    double *f = carom_arena_reserved(arena, 2 * ((size_t)d + 1) + (size_t)m, sizeof *f);
    double *r = f + d + 1, *v = r + d + 1;
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < d; i++)
            E[i + (size_t)j * (size_t)(d + 1)] = N[j + (size_t)i * m];
        E[d + (size_t)j * (size_t)(d + 1)] = -l[j] / top;
    }
    memset(f, 0, (size_t)d * sizeof *f);
    f[d] = 1;
    carom_nnls_info info;
    carom_nnls_solve(d + 1, m, E, f, 1, arena, v, r, &info);
    *degenerate = !(r[d] > CAROM_TOLERANCE_HALF);
    double most = carom_dense_max(m, v);
    for (int j = 0; j < m; j++)
        zero[j] = v[j] > 0.01 * most;
    for (int i = 0; i < d && !*degenerate; i++)
        carom_dense_axpy(m, -top * r[i] / r[d], N + (size_t)i * m, l);
}

/* Does every other solution need a negative entry? True null directions d must have d_j >= 0 where
 * lambda_j = 0. */
static bool is_unique(const candidates *c, double *Q, carom_arena *arena)
{
    int n = c->n, k = 0, zeros = 0;
    double *Z = carom_arena_reserved(arena, (size_t)n * (size_t)c->m, sizeof *Z);
    double top = carom_dense_max(c->m, c->lambda);
    for (int j = 0; j < c->m; j++)
        if (c->lambda[j] > CAROM_TOLERANCE_CARRIED * top && !extend(n, &k, Q, c->A + (size_t)j * n))
            return false;
    for (int j = 0; j < c->m; j++)
        if (!(c->lambda[j] > CAROM_TOLERANCE_CARRIED * top)) {
            double *to = Z + (size_t)zeros++ * n;
            memcpy(to, c->A + (size_t)j * n, (size_t)n * sizeof(double));
            subtract(n, k, Q, to);
        }
    return !carom_cone_multipliers_vanish(n, zeros, Z, arena);
}

/* One attempt for the candidates in use. True: some of them were found to vanish always and taken
 * out. Anything doubtful leaves lambda as it is. */
static bool least_once(candidates *c, double *Q, carom_arena *arena)
{
    int n = c->n, m = c->m, k = 0;
    for (int j = 0; j < m; j++)
        extend(n, &k, Q, c->A + (size_t)j * n);
    if (k == m)
        return false;
    double *S = carom_arena_reserved(arena, ((size_t)m + 2) * (size_t)m, sizeof *S);
    bool *zero = carom_arena_reserved(arena, (size_t)m, sizeof *zero);
    double *row = S + (size_t)m * m, *l = row + m;
    int rank = null_space(c, k, Q, S, row), d = m - rank;
    memcpy(l, c->lambda, (size_t)m * sizeof(double));
    subtract(m, d, S + (size_t)rank * m, l);
    double top = carom_dense_max(m, l), low = 0;
    for (int j = 0; j < m; j++)
        low = fmin(low, l[j]);
    bool degenerate = false;
    if (low < -CAROM_TOLERANCE_SUM * top)
        least_distance(m, d, S + (size_t)rank * m, l, zero, &degenerate, arena);
    bool sound = true;
    for (int j = 0; j < m; j++)
        sound = sound && (degenerate ? !zero[j] || c->lambda[j] <= CAROM_TOLERANCE_SIGN * top
                                     : l[j] >= -CAROM_TOLERANCE_SIGN * top);
    if (!sound)
        return false;
    for (int j = 0; j < m && !degenerate; j++)
        c->lambda[j] = l[j] > CAROM_TOLERANCE_SUM * top ? l[j] : 0;
    bool retired = false;
    for (int j = m - 1; j >= 0 && degenerate; j--)
        if (zero[j]) {
            candidates_retire(c, j);
            retired = true;
        }
    return retired;
}

/* What an attempt needs, and what the last question needs, for n rows and m candidates; the null
 * space has at most m dimensions. */
static size_t least_bytes(int n, int m)
{
    const size_t ns = (size_t)n, ms = (size_t)m;
    const size_t attempt =
        carom_arena_bytes((ms + 2) * ms, sizeof(double)) + carom_arena_bytes(ms, sizeof(bool)) +
        carom_arena_bytes((ms + 1) * ms, sizeof(double)) +
        carom_arena_bytes(2 * (ms + 1) + ms, sizeof(double)) + carom_nnls_bytes(m + 1, m);
    const size_t question =
        carom_arena_bytes(ns * ms, sizeof(double)) + carom_cone_multipliers_vanish_bytes(n, m);
    return carom_arena_bytes(ns * ns, sizeof(double)) + (attempt > question ? attempt : question);
}

static carom_status least(candidates *c, carom_arena *arena, bool *unique, carom_error *error)
{
    int all = c->m;
    *unique = true;
    if (c->positive == c->m) /* rows that the projection chose are independent */
        return CAROM_OK;
    carom_status status = carom_arena_reserve(arena, least_bytes(c->n, c->m), error);
    if (status)
        return status;
    double *Q = carom_arena_reserved(arena, (size_t)c->n * (size_t)c->n, sizeof *Q);
    const carom_mark mark = carom_arena_mark(arena);
    while (least_once(c, Q, arena))
        carom_arena_rewind(arena, mark);
    carom_arena_rewind(arena, mark);
    c->m = all;
    *unique = is_unique(c, Q, arena);
    return CAROM_OK;
}

/* Do both sets of multipliers make the same sum, up to rounding of the smaller one? Least norm is a
 * matter of taste, the sum is not. */
static bool same_sum(const candidates *c, const double *lambda)
{
    for (int i = 0; i < c->n; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < c->m; j++) {
            double a = c->A[i + (size_t)j * c->n], before = c->norm[j] * lambda[c->row[j]];
            sum += a * (c->lambda[j] - before);
            size += fabs(a) * fabs(before);
        }
        if (fabs(sum) > 64 * (c->m + 4) * DBL_EPSILON * size)
            return false;
    }
    return true;
}

carom_status carom_cone_multipliers_least(int n, int p, const double *A, const bool *candidate,
                                          carom_arena *arena, double *lambda, bool *unique,
                                          carom_error *error)
{
    carom_mark mark = carom_arena_mark(arena);
    const size_t columns = (size_t)p, bytes = carom_arena_bytes(columns, sizeof(int)) +
                                              carom_arena_bytes((size_t)n * columns, sizeof *A) +
                                              carom_arena_bytes(2 * columns, sizeof *lambda);
    carom_status status = carom_arena_reserve(arena, bytes, error);
    if (status)
        return status;
    candidates c;
    candidates_collect(&c, n, p, A, candidate, lambda, arena);
    status = least(&c, arena, unique, error);
    bool adopt = !status && same_sum(&c, lambda);
    for (int i = 0; i < c.m && adopt; i++)
        lambda[c.row[i]] = c.lambda[i] / c.norm[i];
    carom_arena_rewind(arena, mark);
    return status;
}

void carom_cone_multipliers_touching(int n, int p, const double *A, const double *z, double scale,
                                     bool *touching)
{
    for (int j = 0; j < p; j++) {
        const double *a = A + (size_t)j * n;
        touching[j] =
            carom_dense_dot(n, a, z) <= CAROM_TOLERANCE_SOLVED * carom_dense_norm(n, a) * scale;
    }
}
