/* Frame velocities of moving contacts, joints and surfaces. */
#include "impact/frame.h"

#include "impact/joints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The velocity of least kinetic norm with R'b = -r_hat and C'b = -c_hat: the nearest to zero that
 * meets the rows. *exists tells whether those that were left out as dependent agree. */
static carom_status solve_frame(const carom_geometry *g, int k, const double *R,
                                const double *r_hat, carom_arena *arena, double *b, bool *exists,
                                carom_error *error)
{
    int n = g->impact->n, c = g->c;
    memset(b, 0, (size_t)n * sizeof(double));
    *exists = true;
    if (carom_frame_rests(r_hat, k) && carom_frame_rests(g->c_hat, c))
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    const size_t all = (size_t)(c + k);
    const double **rows;
    const size_t choice = carom_response_take_all_bytes(n, k),
                 frame = carom_joints_frame_bytes(n, c + k);
    carom_status status = carom_arena_reserve(
        arena,
        carom_arena_bytes(all, sizeof *rows) + carom_arena_bytes(all, sizeof(double)) +
            carom_joints_bytes(g, k) + (choice > frame ? choice : frame),
        error);
    if (status)
        return status;
    rows = carom_arena_reserved(arena, all, sizeof *rows);
    double *motion = carom_arena_reserved(arena, all, sizeof *motion);
    carom_response r;
    carom_joints_response(g, k, arena, &r);
    for (int j = 0; j < c + k; j++) {
        rows[j] = j < c ? g->C + (size_t)j * n : R + (size_t)(j - c) * n;
        motion[j] = j < c ? g->c_hat[j] : r_hat ? r_hat[j - c] : 0;
    }
    carom_response_take_all(&r, k, rows + c, c, arena);
    *exists = carom_joints_frame(&r, c + k, rows, motion, arena, b) < 0;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* A moving second-order cone w'u + w_hat >= |A u| is b + { w'y >= |A y| } for a b with A b = 0 too:
 * replace b by that one where it exists. */
static carom_status still_spreads(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, p = impact->p, k = g->spread_start[p];
    if (k == 0 || (carom_frame_rests(impact->w_hat, p) && carom_frame_rests(g->c_hat, g->c)))
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
    g->slip_frame = exists;
    if (!status && exists)
        g->b_slip = both;
    return status;
}
