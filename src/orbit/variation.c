/* Variations between events: D' = f_x D + f_t dt + f_theta along the continuous solution of each
 * step of the motion, with an error control of its own (docs/theory/sensitivities.md, "Between
 * events"). */
#include "orbit/variation.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A step of X may err by this part of the motion's tolerance. */
static const double step_share = 0.1;

void carom_variation_refuse(carom_variation *v, double t, const char *format, ...)
{
    va_list list;
    if (!v->told->exists)
        return;
    v->told->exists = false;
    v->told->refused_at = t;
    va_start(list, format);
    vsnprintf(v->told->reason, sizeof v->told->reason, format, list);
    va_end(list);
}

carom_status carom_variation_pass(carom_variation *v, double t, carom_status status,
                                  carom_error *error)
{
    if (status != CAROM_ERROR_NUMERIC)
        return status;
    carom_variation_refuse(v, t, "%s", error ? error->text : "a number is not finite");
    return CAROM_OK;
}

void carom_variation_split(carom_variation *v)
{
    const size_t n = (size_t)v->n;
    for (size_t j = 0; j < (size_t)v->k; j++) {
        memcpy(v->dq + j * n, v->X + 2 * j * n, n * sizeof(double));
        memcpy(v->du + j * n, v->X + (2 * j + 1) * n, n * sizeof(double));
    }
}

double carom_variation_error(const carom_variation *v, const carom_event_driven *e, int j)
{
    const double own = fmax(e->options->tolerance * v->made[j], CAROM_TOLERANCE_SUM * v->most[j]);
    return fmax(own, v->doubt[j]);
}

void carom_variation_at(const carom_variation *v, double t, double *x)
{
    const carom_event_driven *e = v->motion;
    const carom_ode_dop853 *ode = &e->ode;
    const double s = t - ode->t;
    if (e->kind == CAROM_EVENT_CURVED) {
        carom_ode_dop853_at(ode, ode->h != 0 ? s / ode->h : 0, 2 * v->n, x);
        return;
    }
    for (int i = 0; i < v->n; i++) {
        const double a = ode->k[0][v->n + i], u = ode->y[v->n + i];
        x[i] = ode->y[i] + s * (u + 0.5 * s * a);
        x[v->n + i] = u + s * a;
    }
}

/* Split columns into directions, and back into slopes. */
static carom_status slope(void *self, double t, const double *X, double *dX, carom_error *error)
{
    carom_variation *v = self;
    const size_t n = (size_t)v->n, k = (size_t)v->k;
    for (size_t j = 0; j < k; j++) {
        memcpy(v->dq + j * n, X + 2 * j * n, n * sizeof(double));
        memcpy(v->du + j * n, X + (2 * j + 1) * n, n * sizeof(double));
    }
    carom_variation_at(v, t, v->x);
    const carom_directions along = carom_variation_directions(v);
    carom_status status = carom_variation_point_evaluate(&v->point, t, v->x, v->x + n, error);
    if (status == CAROM_OK)
        status = carom_variation_point_tangent(&v->point, &along, v->dmu, v->work, error);
    for (size_t j = 0; j < k && status == CAROM_OK; j++) {
        memcpy(dX + 2 * j * n, v->du + j * n, n * sizeof(double));
        memcpy(dX + (2 * j + 1) * n, v->work + j * n, n * sizeof(double));
    }
    return status;
}

carom_status carom_variation_create(const carom_system *system, const carom_orbit_directions *along,
                                    carom_orbit_tangents *told, carom_arena *arena,
                                    carom_arena *scratch, carom_variation *v, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    const size_t n = (size_t)shape->n, p = (size_t)shape->p, k = (size_t)along->k;
    const size_t s = (size_t)shape->s;
    memset(v, 0, sizeof *v);
    v->system = system;
    v->shape = shape;
    v->along = along;
    v->told = told;
    v->scratch = scratch;
    v->n = shape->n;
    v->k = along->k;
    carom_status status =
        carom_variation_point_create(system, 2 * shape->n + 1 + along->k, arena, &v->point, error);
    if (status == CAROM_OK)
        status = carom_variation_point_create(system, along->k, arena, &v->strike, error);
    if (status == CAROM_OK)
        status = carom_state_create(system, arena, &v->probe, error);
    if (status == CAROM_OK)
        status = carom_ode_dop853_create(arena, 2 * v->n * v->k, 2 * v->n * v->k, slope, v, &v->ode,
                                         error);
    if (status == CAROM_OK)
        status = carom_variation_onset_create(system, arena, &v->onset, error);
    if (status == CAROM_OK)
        status = carom_variation_collocate_create(v, arena, error);
    if (status != CAROM_OK)
        return status;
    double *d = carom_arena_zeros(arena, (7 * n + p + s + 8 + CAROM_VARIATION_MEMORY) * k + 9 * n,
                                  sizeof(double));
    v->mode = carom_arena_zeros(arena, 5 * p, 1);
    v->lost = carom_arena_zeros(arena, p, sizeof(double));
    v->side = carom_arena_zeros(arena, (size_t)shape->switch_count, sizeof *v->side);
    v->switches = carom_arena_zeros(arena, 2 * (size_t)shape->switch_count, sizeof(double));
    v->again = carom_arena_doubles(arena, (size_t)shape->event_count);
    if (!d || !v->mode || !v->lost || !v->side || !v->switches || !v->again)
        return carom_error_memory(error);
    v->crossed = v->switches + shape->switch_count;
    v->fresh = v->mode + p;
    v->ratio.known = v->fresh + p;
    v->lifted = v->ratio.known + p;
    v->slips = v->lifted + p;
    v->X = v->ode.y;
    v->dt = d;
    v->extra = d += k;
    v->early = d += k;
    v->limit = d += k;
    v->made = d += k;
    v->tried = d += k;
    v->most = d += k;
    v->doubt = d += k;
    v->dq = d += k;
    v->du = d += n * k;
    v->dmu = d += n * k;
    v->work = d += p * k;
    v->scale = d += 2 * n * k;
    v->shift = d += 2 * n * k;
    v->x = d += CAROM_VARIATION_MEMORY * k;
    v->slope = d += 2 * n;
    v->change = d += 2 * n;
    v->beginning = d += n;
    v->arrival = d += 2 * n;
    v->ratio.before = d += 2 * n;
    v->ratio.change = d + n * k;
    *told = (carom_orbit_tangents){.q = v->dq, .u = v->du, .t = v->dt, .exists = true};
    return CAROM_OK;
}

/* What is zero in the columns of X: a part of the largest of each kind. */
static void measure_scale(carom_variation *v, double tolerance)
{
    const int n = v->n;
    memset(v->tried, 0, sizeof(double) * (size_t)v->k);
    for (int j = 0; j < v->k; j++)
        for (int kind = 0; kind < 2; kind++) {
            double top = 0;
            const size_t at = (size_t)(2 * j + kind) * (size_t)n;
            for (int i = 0; i < n; i++) {
                top = fmax(top,
                           fmax(fabs(v->ode.y[at + (size_t)i]), fabs(v->ode.next[at + (size_t)i])));
                top = fmax(top, fabs(v->ode.h * v->ode.k[0][at + (size_t)i]));
            }
            /* what contact forces cancel leaves its rounding */
            const double h = fabs(v->ode.h);
            const double held = h * carom_dense_max(n, v->point.unheld + (size_t)j * (size_t)n);
            top = fmax(top, kind ? held : h * held);
            v->tried[j] = fmax(v->tried[j], top);
            for (int i = 0; i < n; i++)
                v->scale[at + (size_t)i] = tolerance * top;
        }
}

/* The explicit method, from its slope at t, with its estimate of the error. */
static carom_status try_explicit(carom_variation *v, double t, double h, double tolerance,
                                 double *err, carom_error *error)
{
    carom_status status = slope(v, t, v->ode.y, v->ode.k[0], error);
    if (status == CAROM_OK)
        status = carom_ode_dop853_try(&v->ode, t, h, error);
    if (status != CAROM_OK)
        return status;
    measure_scale(v, tolerance);
    *err = carom_ode_dop853_error(&v->ode, v->scale);
    return CAROM_OK;
}

/* The step is accepted, and what D was made of in it. */
static void take_size(carom_variation *v)
{
    for (int j = 0; j < v->k; j++) {
        const double *D = v->ode.y + 2 * (size_t)j * (size_t)v->n;
        v->made[j] = fmax(v->made[j], fmax(v->tried[j], carom_dense_max(2 * v->n, D)));
    }
}

/* Accelerations that do not change with the state: X is a parabola. */
static carom_status step_uniform(carom_variation *v, double s, carom_error *error)
{
    const size_t n = (size_t)v->n;
    double *X = v->ode.y;
    memset(v->tried, 0, sizeof(double) * (size_t)v->k);
    carom_status status = slope(v, v->from, X, v->ode.k[0], error);
    for (size_t j = 0; j < (size_t)v->k && status == CAROM_OK; j++)
        for (size_t i = 0; i < n; i++) {
            const double a = v->ode.k[0][(2 * j + 1) * n + i];
            X[2 * j * n + i] += s * (X[(2 * j + 1) * n + i] + 0.5 * s * a);
            X[(2 * j + 1) * n + i] += s * a;
            v->tried[j] = fmax(v->tried[j], s * fabs(v->point.unheld[j * n + i]));
        }
    take_size(v);
    return status;
}

/* A step tried again: where less length did not make the error less, it is rounding of a column
 * that is zero but for that. */
typedef struct trial {
    double h, err; /* the last that was refused; h 0: none */
    bool rounding;
} trial;

static bool accept(trial *last, double h, double err)
{
    if (err <= 1 || last->rounding)
        return true;
    if (last->h > 0 && err > last->err * (h / last->h))
        return last->rounding = true;
    *last = (trial){h, err, false};
    return false;
}

static carom_status integrate(carom_variation *v, double end, carom_error *error)
{
    const double tolerance = fmax(step_share * v->motion->options->tolerance, 16 * DBL_EPSILON);
    const double least = 1e-6 * (end - v->from);
    const double shortest = 8 * DBL_EPSILON * fabs(end); /* times do not divide it further */
    const bool collocate = carom_variation_collocate_pays(v);
    double t = v->from, h = end - t, err = 0;
    trial last = {0};
    while (t < end) {
        const bool whole = h >= (end - t) * (1 - CAROM_TOLERANCE_SAME);
        h = whole ? end - t : h;
        const carom_status status =
            collocate ? carom_variation_collocate_try(v, t, h, tolerance, &err, error)
                      : try_explicit(v, t, h, tolerance, &err, error);
        if (status != CAROM_OK)
            return status;
        const bool good = accept(&last, h, err) || h <= shortest;
        if (!good && h > least) {
            h *= err < INFINITY ? carom_ode_dop853_factor(err) : 0.1;
            continue;
        }
        if (!good) /* a slip that ends: the direction of friction turns without bound */
            carom_variation_refuse(v, t,
                                   "at t = %.12g the variations change too fast to be followed", t);
        t = whole ? end : t + h;
        memcpy(v->ode.y, v->ode.next, sizeof(double) * (size_t)v->ode.n);
        take_size(v);
        h = last.rounding ? end - t : h * carom_ode_dop853_factor(err);
        last.h = 0;
    }
    return CAROM_OK;
}

/* Slip in space that has just started: its friction is not that of Coulomb yet (motion_onset.h). */
static void check_onset(carom_variation *v, const carom_event_driven *e)
{
    carom_variation_onset_take(&v->onset, &e->motion);
    v->point.onset = v->onset.any ? &v->onset : NULL;
    if (v->onset.any && e->motion.column_count > 0)
        carom_variation_refuse(v, e->ode.t,
                               "slip starts in space at t = %.12g under forces that are not "
                               "determined: no derivative is known",
                               e->ode.t);
}

/* The present step up to `end`, in parts between which formulas switch. */
static carom_status follow(carom_variation *v, const carom_event_driven *e, double end,
                           carom_error *error)
{
    const double from = v->from;
    carom_variation_crossing c = {.index = -1, .before = end, .after = end};
    carom_status status = CAROM_OK;
    do {
        if (v->shape->switch_count > 0)
            status = carom_variation_switch_find(v, e, end, &c, error);
        if (status == CAROM_OK && v->told->exists && c.before > v->from)
            status = e->kind == CAROM_EVENT_CURVED || !carom_variation_collocate_uniform(v)
                         ? integrate(v, c.before, error)
                         : step_uniform(v, c.before - v->from, error);
        carom_variation_split(v);
        if (status == CAROM_OK && v->told->exists && c.index >= 0)
            status = carom_variation_switch_cross(v, e, &c, error);
        v->from = c.after;
    } while (status == CAROM_OK && v->told->exists && c.index >= 0 && v->from < end);
    v->from = from;
    return status;
}

carom_status carom_variation_step(void *self, const carom_event_driven *e, double end,
                                  carom_error *error)
{
    carom_variation *v = self;
    if (!v->told->exists)
        return CAROM_OK; /* nothing is left to follow */
    v->motion = e;
    v->began = v->from = e->ode.t;
    memcpy(v->beginning, e->ode.y, sizeof(double) * 2 * (size_t)v->n);
    check_onset(v, e);
    if (!(end > v->from))
        return CAROM_OK;
    carom_variation_split(v);
    carom_status status = carom_variation_sharing_check(v, e, error);
    if (status == CAROM_OK && v->told->exists)
        status = follow(v, e, end, error);
    if (status == CAROM_OK)
        status = carom_variation_graze_check(v, e, end, error);
    if (status == CAROM_OK && v->told->exists)
        status = carom_variation_touch_step(v, e, end, error);
    if (status == CAROM_OK && end >= e->options->until)
        status = carom_variation_end(v, e, end, error);
    v->point.onset = NULL;
    return carom_variation_pass(v, e->ode.t, status, error);
}
