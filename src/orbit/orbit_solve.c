/* Periodic motions by Newton's method on the return map of a section (docs/theory/orbits.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/need.h"
#include "carom/tolerance.h"
#include "orbit/orbit_newton.h"

typedef carom_orbit_newton newton;

/* A residual below `good` is what the motion allows; one that no longer falls is an orbit below
 * `enough`. */
static const double good = CAROM_TOLERANCE_REFINED, enough = CAROM_TOLERANCE_SAME;

enum { ITERATIONS = 40, HALVINGS = 7 };

static void keep(newton *w)
{
    const carom_orbit_map *m = &w->map;
    memcpy(w->best, m->x0, sizeof(double) * 2 * (size_t)m->n);
    w->best[2 * m->n] = m->t0;
}

/* The start at `part` of the move from the last good one. */
static carom_status place(newton *w, double part, carom_error *error)
{
    carom_orbit_map *m = &w->map;
    const size_t n2 = 2 * (size_t)m->n;
    memcpy(m->x0, w->best, n2 * sizeof(double));
    m->t0 = w->best[n2];
    for (size_t c = 0; c < (size_t)w->size; c++) {
        for (size_t i = 0; i < n2; i++)
            m->x0[i] += part * w->move[c] * m->V[i + c * n2];
        if (m->unknown[c] == 2 * m->n)
            m->t0 += part * w->move[c];
    }
    return part != 0 ? carom_orbit_start_project(m, error) : CAROM_OK;
}

/* Newton's method, with steps halved where the residual grows or the motion does not return. */
static carom_status iterate(newton *w, carom_orbit *orbit, carom_error *error)
{
    carom_orbit_map *m = &w->map;
    double before;
    carom_status status = carom_orbit_map_apply(m, error);
    if (status != CAROM_OK)
        return status;
    carom_orbit_newton_assemble(w);
    for (orbit->iterations = 0; orbit->iterations < ITERATIONS; orbit->iterations++) {
        before = w->norm;
        keep(w);
        if (before <= good)
            return CAROM_OK;
        if (!carom_orbit_newton_step(w)) {
            snprintf(m->message, sizeof m->message,
                     "the return map is singular (a multiplier 1: a fold)");
            return before <= enough ? CAROM_OK : CAROM_STOPPED;
        }
        double part = 1;
        for (int l = 0; l < HALVINGS; l++, part *= 0.5) {
            status = place(w, part, error);
            if (status == CAROM_OK)
                status = carom_orbit_map_apply(m, error);
            if (status < 0 && status != CAROM_ERROR_INPUT && status != CAROM_ERROR_NUMERIC)
                return status;
            if (status == CAROM_OK) {
                carom_orbit_newton_assemble(w);
                if (w->norm < before || before <= enough)
                    break;
            }
        }
        if (status != CAROM_OK || (w->norm >= before && before > enough))
            break;
        if (w->norm >= 0.5 * before && before <= enough)
            break;
    }
    /* the best start, with its own derivatives */
    m->message[0] = '\0';
    if (place(w, 0, error) != CAROM_OK)
        return CAROM_STOPPED;
    status = carom_orbit_map_apply(m, error);
    if (status != CAROM_OK)
        return status;
    carom_orbit_newton_assemble(w);
    return w->norm <= enough ? CAROM_OK : CAROM_STOPPED;
}

carom_status carom_orbit_guess(const carom_orbit_problem *problem, const carom_flow_start *start,
                               carom_arena *arena, carom_orbit *orbit, carom_error *error)
{
    CAROM_NEED(error, problem, problem->system, start, start->q, start->u, arena, orbit);
    newton w;
    *orbit = (carom_orbit){0};
    carom_status status = carom_orbit_newton_create(&w, problem, arena, error);
    if (status == CAROM_OK)
        status = carom_orbit_map_first(&w.map, start, error);
    if (status >= 0) {
        const size_t n = (size_t)w.map.n;
        orbit->q = carom_arena_zeros(arena, 2 * n, sizeof(double));
        if (!orbit->q)
            status = carom_error_memory(error);
        else {
            orbit->u = orbit->q + n;
            orbit->t = w.map.t1;
            memcpy(orbit->q, w.map.x1, 2 * n * sizeof(double));
            memcpy(orbit->message, w.map.message, sizeof orbit->message);
        }
    }
    carom_arena_destroy(w.work);
    return status;
}

carom_status carom_orbit_solve(const carom_orbit_problem *problem, carom_arena *arena,
                               carom_orbit *orbit, carom_error *error)
{
    CAROM_NEED(error, problem, problem->system, arena, orbit, orbit->q, orbit->u);
    newton w;
    orbit->found = false;
    orbit->multiplier_count = 0;
    carom_status status = carom_orbit_newton_create(&w, problem, arena, error);
    if (status == CAROM_OK) {
        carom_orbit_map *m = &w.map;
        m->t0 = orbit->t;
        memcpy(m->x0, orbit->q, sizeof(double) * (size_t)m->n);
        memcpy(m->x0 + m->n, orbit->u, sizeof(double) * (size_t)m->n);
        status = carom_orbit_newton_check(&w, error);
        if (status == CAROM_OK)
            status = carom_orbit_map_count(m, error);
        w.norm = INFINITY;
        if (status == CAROM_OK) /* a guess is on its section up to rounding, or less */
            status = carom_orbit_start_project(m, error);
        if (status == CAROM_OK) {
            carom_orbit_newton_compose(&w);
            status = iterate(&w, orbit, error);
        }
    }
    if (status >= 0) {
        carom_status filled = carom_orbit_newton_fill(&w, orbit, arena, error);
        if (filled == CAROM_OK && status == CAROM_OK)
            filled = carom_orbit_newton_multipliers(&w, orbit, arena, error);
        orbit->found = status == CAROM_OK && filled == CAROM_OK;
        if (filled == CAROM_OK && !orbit->found)
            snprintf(orbit->message, sizeof orbit->message,
                     "%.300s%sresidual %.3g after %d iterations", w.map.message,
                     w.map.message[0] ? "; " : "Newton's method does not converge: ", w.norm,
                     orbit->iterations);
        status = filled != CAROM_OK ? filled : status;
    }
    carom_arena_destroy(w.work);
    return status;
}
