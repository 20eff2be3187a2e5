/* Critical friction along a coordinate, and where it is least. */
#include "carom/certify.h"

#include "carom/need.h"
#include "carom/tolerance.h"
#include "solver/root.h"

#include <math.h>
#include <string.h>

typedef struct walk {
    const carom_system *system;
    carom_state *state;
    const bool *closed; /* contacts that count as closed */
    int coordinate;
    double h; /* of the stencil for slopes */
    carom_arena *arena;
    carom_error *error;
    carom_status status;
} walk;

/* mu_c at a value of the coordinate; NaN where it cannot be evaluated. */
static double value_at(walk *w, double x)
{
    if (w->status)
        return NAN;
    carom_mark mark = carom_arena_mark(w->arena);
    w->state->q[w->coordinate] = x;
    carom_impact impact;
    carom_geometry geometry;
    carom_critical critical = {.common = NAN};
    int *closed =
        carom_arena_array(w->arena, (size_t)carom_system_get_shape(w->system)->p + 1, sizeof(int));
    w->status = closed ? CAROM_OK : carom_error_memory(w->error);
    if (!w->status)
        w->status = carom_system_evaluate(w->system, CAROM_WANT_ALL, w->state, w->error);
    for (int i = 0; i < carom_system_get_shape(w->system)->p && !w->status; i++)
        w->state->g[i] = w->closed[i] ? 0 : 1;
    if (!w->status)
        w->status =
            carom_impact_from_system(w->system, w->state, 0, w->arena, &impact, closed, w->error);
    if (!w->status) {
        /* the velocity does not matter for mu_c, and need not agree with joints or motion */
        impact.w_hat = NULL;
        impact.slip_motion = NULL;
        impact.b_hat = impact.a_hat = NULL;
        double *rest = carom_arena_zeros(w->arena, impact.n, sizeof(double));
        impact.u = rest;
        w->status = rest ? carom_impact_derive(&impact, w->arena, &geometry, w->error)
                         : carom_error_memory(w->error);
    }
    if (!w->status)
        w->status = carom_critical_friction(&geometry, NULL, w->arena, &critical, w->error);
    carom_arena_rewind(w->arena, mark);
    return critical.common;
}

/* Slope by a stencil of fourth order. */
static double slope_at(void *self, double x)
{
    walk *w = self;
    const double h = w->h;
    double a = value_at(w, x - 2 * h), b = value_at(w, x - h), c = value_at(w, x + h),
           d = value_at(w, x + 2 * h);
    return (a - 8 * b + 8 * c - d) / (12 * h);
}

/* A minimum between a and c: golden section, then a zero of the slope by false position. */
static void locate(walk *w, double a, double c, double width, carom_critical_path *result)
{
    const double golden = 0.5 * (3 - sqrt(5.0));
    double low = a, high = c, x = a + golden * (c - a), y = c - golden * (c - a);
    double fx = value_at(w, x), fy = value_at(w, y);
    for (int k = 0; k < 60 && high - low > 1e-7 * width; k++) {
        if (fx < fy) {
            high = y;
            y = x;
            fy = fx;
            x = low + golden * (high - low);
            fx = value_at(w, x);
        } else {
            low = x;
            x = y;
            fx = fy;
            y = high - golden * (high - low);
            fy = value_at(w, y);
        }
    }
    result->at = 0.5 * (low + high);
    const double reach = 1e-5 * width, left = result->at - reach, right = result->at + reach;
    w->h = 0.001 * width;
    result->inside = slope_at(w, left) < 0 && slope_at(w, right) > 0;
    if (result->inside)
        result->at = carom_root_rise(slope_at, w, left, right, CAROM_TOLERANCE_REFINED * width);
    result->least = value_at(w, result->at);
}

carom_status carom_critical_along(const carom_system *system, carom_state *state, double tolerance,
                                  int coordinate, double lower, double upper, int count,
                                  double *samples, const carom_watch *watch, carom_arena *arena,
                                  carom_critical_path *path, carom_error *error)
{
    CAROM_NEED(error, system, state, arena, path);
    if (count < 3 || !(lower < upper) || coordinate < 0 ||
        coordinate >= carom_system_get_shape(system)->nq)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "critical friction along coordinate %d from %g to %g in %d steps: "
                               "needs lower < upper and at least 3 steps",
                               coordinate, lower, upper, count);
    carom_mark mark = carom_arena_mark(arena);
    double before = state->q[coordinate];
    double *values = carom_arena_doubles(arena, count);
    if (!values)
        return carom_error_memory(error);
    int p = carom_system_get_shape(system)->p;
    bool *closed = carom_arena_array(arena, (size_t)p + 1, sizeof(bool));
    if (!closed)
        return carom_error_memory(error);
    walk w = {system, state, closed, coordinate, 0, arena, error, CAROM_OK};
    w.status = carom_system_evaluate(system, CAROM_WANT_GAPS, state, error);
    for (int i = 0; i < p && !w.status; i++)
        closed[i] = state->g[i] <= tolerance;
    int best = -1, done = 0;
    for (int i = 0; i < count; i++, done++) {
        if (watch && !watch->go_on(watch->self, "critical friction", (double)i / count))
            break;
        double x = lower + (upper - lower) * i / (count - 1);
        values[i] = value_at(&w, x);
        if (isfinite(values[i]) && (best < 0 || values[i] < values[best]))
            best = i;
    }
    carom_critical_path made = {NAN, NAN, false};
    double width = (upper - lower) / (count - 1);
    if (best >= 0 && !w.status) {
        made.at = lower + width * best;
        made.least = values[best];
        if (best > 0 && best + 1 < done)
            locate(&w, made.at - width, made.at + width, width, &made);
    }
    for (int i = done; i < count; i++)
        values[i] = NAN;
    if (samples)
        memcpy(samples, values, sizeof(double) * count);
    state->q[coordinate] = before;
    if (!w.status)
        w.status = carom_system_evaluate(system, CAROM_WANT_ALL, state, error);
    carom_arena_rewind(arena, mark);
    if (!w.status)
        *path = made;
    return w.status;
}
