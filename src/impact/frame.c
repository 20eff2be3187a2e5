#include "impact/frame.h"

#include "impact/joints.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool all_zero(const double *x, int count)
{
    for (int k = 0; x && k < count; k++)
        if (x[k] != 0)
            return false;
    return true;
}

/* b += Z x with Z = M_c^-1 R and R'Z x = -r_hat - R'b. Rows that the joints block drop out. */
static carom_status add_rows(const carom_geometry *g, int k, const double *R, const double *r_hat,
                             carom_arena *arena, double *b, double *free_norm, carom_error *error)
{
    int n = g->impact->n;
    double *Z = carom_arena_doubles(arena, (size_t)n * k);
    double *Q = carom_arena_doubles(arena, (size_t)k * k);
    double *x = carom_arena_doubles(arena, 2 * (size_t)k);
    int *pivot = carom_arena_array(arena, (size_t)k, sizeof(int));
    if (!Z || !Q || !x || !pivot)
        return carom_error_memory(error);
    for (int j = 0; j < k; j++) {
        const double *r = R + (size_t)j * n;
        double *z = Z + (size_t)j * n;
        memcpy(z, r, (size_t)n * sizeof(double));
        carom_joints_inverse_mass(g, z);
        free_norm[j] = carom_dense_dot(n, r, z);
        carom_joints_project(g, NULL, z);
        x[j] = -(r_hat ? r_hat[j] : 0) - carom_dense_dot(n, r, b);
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            Q[i + (size_t)j * k] = carom_dense_dot(n, R + (size_t)i * n, Z + (size_t)j * n);
    for (int j = 0; j < k; j++)
        if (Q[j + (size_t)j * k] <= carom_joints_rank_tolerance(g->c + 1) * free_norm[j])
            for (int i = 0; i < k; i++)
                Q[i + (size_t)j * k] = Q[j + (size_t)i * k] = 0;
    int rank = carom_pivoted_cholesky_factor(k, Q, k, carom_joints_rank_tolerance(k), pivot, x + k);
    carom_pivoted_cholesky_solve(k, rank, Q, k, pivot, x, x + k);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < n; i++)
            b[i] += Z[i + (size_t)j * n] * x[j];
    return CAROM_OK;
}

/* The velocity of least kinetic norm with R'b = -r_hat and C'b = -c_hat. Since b lies in the span
 * of M^-1 [R C], it is the shortest one. *exists tells whether all rows are met. */
static carom_status solve_frame(const carom_geometry *g, int k, const double *R,
                                const double *r_hat, carom_arena *arena, double *b, bool *exists,
                                carom_error *error)
{
    int n = g->impact->n;
    memset(b, 0, (size_t)n * sizeof(double));
    *exists = true;
    if (all_zero(r_hat, k) && all_zero(g->c_hat, g->c))
        return CAROM_OK;
    carom_joints_project(g, g->c_hat, b);
    carom_mark mark = carom_arena_mark(arena);
    double *free_norm = carom_arena_doubles(arena, (size_t)k);
    if (!free_norm)
        return carom_error_memory(error);
    carom_status status = add_rows(g, k, R, r_hat, arena, b, free_norm, error);
    if (status)
        return status;
    double scale = sqrt(carom_geometry_dot(g, b, b));
    for (int j = 0; j < k; j++) {
        double motion = r_hat ? r_hat[j] : 0;
        double off = carom_dense_dot(n, R + (size_t)j * n, b) + motion;
        if (fabs(off) > 1e-9 * (sqrt(free_norm[j]) * scale + fabs(motion)))
            *exists = false;
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* A moving second-order cone w'u + w_hat >= |A u| is b + { w'y >= |A y| } for a b with A b = 0 too:
 * replace b by that one where it exists. */
static carom_status still_spreads(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, p = impact->p, k = g->spread_start[p];
    if (k == 0 || (all_zero(impact->w_hat, p) && all_zero(g->c_hat, g->c)))
        return CAROM_OK;
    double *R = carom_arena_zeros(arena, (size_t)(n + 1) * (size_t)(p + k), sizeof(double));
    double *both = carom_arena_doubles(arena, (size_t)n);
    if (!R || !both)
        return carom_error_memory(error);
    double *r_hat = R + (size_t)n * (size_t)(p + k);
    memcpy(R, impact->W, (size_t)n * p * sizeof(double));
    memcpy(R + (size_t)n * p, impact->spread, (size_t)n * k * sizeof(double));
    if (impact->w_hat)
        memcpy(r_hat, impact->w_hat, (size_t)p * sizeof(double));
    bool exists;
    carom_status status = solve_frame(g, p + k, R, r_hat, arena, both, &exists, error);
    if (!status && exists)
        g->b = both;
    return status;
}

/* Which contacts contradict each other: the first that no b satisfies with those before it, and of
 * those the ones without which there is a b. */
static carom_status blame(const carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    const int n = impact->n, p = impact->p;
    double *R = carom_arena_doubles(arena, (size_t)(n + 1) * (size_t)p + (size_t)n);
    int *used = carom_arena_array(arena, (size_t)p, sizeof *used);
    if (!R || !used)
        return carom_error_memory(error);
    double *r_hat = R + (size_t)n * p, *b = r_hat + p;
    bool exists = true;
    int last = -1, count = 0;
    while (exists && ++last < p) {
        carom_status status =
            solve_frame(g, last + 1, impact->W, impact->w_hat, arena, b, &exists, error);
        if (status)
            return status;
    }
    for (int skip = 0; skip < last; skip++) {
        int k = 0;
        for (int i = 0; i <= last; i++)
            if (i != skip) {
                memcpy(R + (size_t)k * n, impact->W + (size_t)i * n, sizeof *R * (size_t)n);
                r_hat[k++] = impact->w_hat ? impact->w_hat[i] : 0;
            }
        carom_status status = solve_frame(g, k, R, r_hat, arena, b, &exists, error);
        if (status)
            return status;
        if (exists)
            used[count++] = skip;
    }
    char text[160] = "";
    for (int k = 0; k < count + 1 && last < p; k++) {
        const int i = k < count ? used[k] : last;
        const char *name = impact->contacts ? impact->contacts[i].name : NULL;
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", k ? ", " : "", name ? name : number);
    }
    return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                           "the motions of contacts %s are inconsistent: their normals are "
                           "dependent%s and no velocity b satisfies w'b = -motion for all of them",
                           text, g->c > 0 ? " (with the joints)" : "");
}

carom_status carom_frame_make(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, p = impact->p, s = g->s;
    bool exists = true;
    g->b_slip = g->b;
    g->still = all_zero(impact->w_hat, p) && all_zero(g->c_hat, g->c) &&
               (s == 0 || all_zero(impact->slip_motion, s));
    if (g->still) {
        for (int i = 0; i < n; i++)
            g->b[i] = 0;
        return CAROM_OK;
    }
    carom_status status = solve_frame(g, p, impact->W, impact->w_hat, arena, g->b, &exists, error);
    if (status)
        return status;
    if (!exists)
        return blame(g, arena, error);
    status = still_spreads(g, arena, error);
    if (status)
        return status;
    g->b_slip = g->b;
    if (s == 0)
        return CAROM_OK;
    double *R = carom_arena_zeros(arena, (size_t)(n + 1) * (size_t)(p + s), sizeof(double));
    double *both = carom_arena_doubles(arena, (size_t)n);
    if (!R || !both)
        return carom_error_memory(error);
    double *r_hat = R + (size_t)n * (size_t)(p + s);
    memcpy(R, impact->W, (size_t)n * p * sizeof(double));
    memcpy(R + (size_t)n * p, impact->H, (size_t)n * s * sizeof(double));
    if (impact->w_hat)
        memcpy(r_hat, impact->w_hat, (size_t)p * sizeof(double));
    if (impact->slip_motion)
        memcpy(r_hat + p, impact->slip_motion, (size_t)s * sizeof(double));
    status = solve_frame(g, p + s, R, r_hat, arena, both, &exists, error);
    if (!status && exists)
        g->b_slip = both;
    return status;
}
