/* A restitution matrix for all quasi-velocities: the velocities that have an outcome, and those
 * among them that jump. */
#include "certify/full.h"

#include "linalg/basis.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* x := L^-1 x for a vector of quasi-velocities (k). */
static void lower(const carom_full *w, double *x)
{
    carom_cholesky_forward(w->m.p, w->m.L, w->m.p, x);
}

void carom_full_raise(const carom_full *w, double *x)
{
    const int p = w->m.p;
    for (int i = p - 1; i >= 0; i--) {
        double sum = 0;
        for (int j = 0; j <= i; j++)
            sum += w->m.L[i + (size_t)j * p] * x[j];
        x[i] = sum;
    }
}

/* F = L^-1 E L, column by column. */
static void form_F(carom_full *w)
{
    const int k = w->k;
    double size = 1;
    for (int j = 0; j < k; j++) {
        double *column = w->F + (size_t)j * k;
        memset(column, 0, sizeof(double) * (size_t)k);
        for (int c = j; c < k; c++) {
            double l = j >= w->m.p  ? (double)(c == j)
                       : c < w->m.p ? w->m.L[c + (size_t)j * w->m.p]
                                    : 0;
            if (l != 0)
                carom_dense_axpy(k, l, w->E + (size_t)c * k, column);
        }
        lower(w, column);
        size = fmax(size, carom_dense_max(k, column));
    }
    const double conditioning = w->m.identity ? 1 : sqrt(w->m.largest / w->m.least);
    w->rounding = 32.0 * (k + w->q.n) * DBL_EPSILON * conditioning * size;
}

/* The range of L^-1 G_bar: normals and slips in units of their own. */
static carom_status find_range(const carom_full *w, carom_basis *range)
{
    const int k = w->k, columns = w->q.p + w->q.s;
    carom_status status = carom_arena_reserve(
        w->arena, carom_arena_bytes((size_t)k, sizeof(double)) + carom_basis_bytes(k, columns),
        w->error);
    if (status)
        return status;
    double *column = carom_arena_reserved(w->arena, (size_t)k, sizeof *column);
    carom_basis_create(k, columns, w->arena, range);
    const double tolerance = 64.0 * (k + w->q.n + columns) * DBL_EPSILON; /* of products */
    for (int j = 0; j < columns; j++) {
        carom_dense_copy(k, w->q.G_bar + (size_t)j * k, column);
        lower(w, column);
        const double size = carom_dense_norm(k, column);
        if (size > 0) {
            carom_dense_scale(k, 1 / size, column);
            carom_basis_add(range, column, tolerance);
        }
    }
    return CAROM_OK;
}

/* Right singular vectors of A (rows x columns, used up): those with a value up to `tolerance` to
 * kernel, the others to rest; columns x count each. Returns the count of the others. */
static carom_status split(const carom_full *w, int rows, int columns, double *A, double tolerance,
                          double *rest, double *kernel, int *count)
{
    const size_t m = (size_t)columns, most = rows > columns ? (size_t)rows : m;
    double *square = carom_arena_zeros(w->arena, 3 * most * most + most, sizeof *square);
    if (!square)
        return carom_error_memory(w->error);
    double *left = square + most * most, *right = left + most * most, *values = right + most * most;
    for (size_t j = 0; j < m; j++) /* made square, so that all right vectors come out */
        carom_dense_copy(rows, A + j * (size_t)rows, square + j * most);
    carom_status status = carom_spectrum_singular((int)most, (int)most, square, w->arena, values,
                                                  left, right, w->error);
    int others = 0, few = 0;
    for (size_t c = 0; c < most && !status; c++) {
        double inside = 0; /* directions of the columns that were added are left out */
        for (size_t i = 0; i < m; i++)
            inside += right[c + i * most] * right[c + i * most];
        if (inside < 0.5 || others + few == columns)
            continue;
        double *to = values[c] > tolerance ? rest + (size_t)others++ * m
                                           : (kernel ? kernel + (size_t)few * m : NULL);
        few += !(values[c] > tolerance);
        for (size_t i = 0; i < m && to; i++)
            to[i] = right[c + i * most];
    }
    *count = others;
    return status;
}

/* S: the y with (I - P)(I + F)y = 0, P the projector on the range. */
static carom_status form_S(carom_full *w)
{
    const int k = w->k;
    const size_t square = (size_t)k * k;
    carom_basis range;
    double *R = carom_arena_doubles(w->arena, 2 * square);
    carom_status status = find_range(w, &range);
    if (status || !R)
        return status ? status : carom_error_memory(w->error);
    for (int j = 0; j < k; j++) {
        double *r = R + (size_t)j * k;
        for (int i = 0; i < k; i++)
            r[i] = (i == j) + w->F[i + (size_t)j * k];
        carom_basis_subtract(&range, r);
    }
    int lost;
    status = split(w, k, k, R, w->rounding * sqrt(k), R + square, w->S, &lost);
    w->freedom = k - lost;
    return status;
}

/* U, V and the velocities that jump. */
static carom_status form_jumps(carom_full *w)
{
    const int k = w->k, d = w->freedom;
    for (int c = 0; c < d; c++) {
        double *u = w->U + (size_t)c * k, *v = w->V + (size_t)c * k;
        const double *s = w->S + (size_t)c * k;
        for (int i = 0; i < k; i++)
            u[i] = v[i] = s[i];
        carom_dense_gemv(k, k, 1, w->F, k, s, u);
        carom_dense_gemv(k, k, -1, w->F, k, s, v);
    }
    carom_mark mark = carom_arena_mark(w->arena);
    double *copy = carom_arena_doubles(w->arena, (size_t)k * (size_t)d + 1);
    if (!copy)
        return carom_error_memory(w->error);
    memcpy(copy, w->U, sizeof(double) * (size_t)k * (size_t)d);
    carom_status status =
        split(w, k, d, copy, w->rounding * sqrt(k), w->moving, w->still, &w->jumps);
    carom_arena_rewind(w->arena, mark);
    return status;
}

carom_status carom_full_make(carom_full *w)
{
    const size_t square = (size_t)w->k * (size_t)w->k;
    w->F = carom_arena_doubles(w->arena, 6 * square);
    if (!w->F)
        return carom_error_memory(w->error);
    w->S = w->F + square;
    w->U = w->S + square;
    w->V = w->U + square;
    w->moving = w->V + square;
    w->still = w->moving + square;
    form_F(w);
    carom_status status = form_S(w);
    return status ? status : form_jumps(w);
}

carom_status carom_full_attach(const carom_full *w, carom_certificate *c, double *y,
                               carom_witness_claim claim)
{
    const double speed = w->g->speed > 0 ? w->g->speed : 1, size = carom_dense_norm(w->k, y);
    double *u = carom_arena_doubles(w->arena, (size_t)w->q.n);
    if (!u)
        return carom_error_memory(w->error);
    if (size > 0)
        carom_dense_scale(w->k, speed / size, y);
    carom_full_raise(w, y);
    carom_quasi_to_velocity(&w->q, y, u);
    c->counterexample = u;
    return carom_witness_run(w->law, w->g, u, claim, w->arena, &c->verified, NULL, w->error);
}
