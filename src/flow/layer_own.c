/* Motion in boundary layers by methods of our own: the explicit one of order 8 and, where damping
 * makes its steps short for no other reason than stability, the implicit one of ode_stiff.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/layer_engine.h"
#include "linalg/finite.h"
#include "solver/ode_events.h"
#include "solver/ode_stiff.h"
#include "solver/root.h"

/* The explicit method is stable for steps up to about 6 over the fastest rate of decay: steps
 * beyond half of that, so many times in a row, are as long as stability lets them be. */
static const double near_the_limit = 3;
enum { PARTS = 8, IN_A_ROW = 12 };

typedef struct solver {
    carom_ode_events events;
    carom_ode_stiff stiff;
    bool implicit;   /* the step made last is of `stiff`, and so is the next */
    int limited;     /* steps in a row at the limit of stability */
    double h;        /* next implicit step */
    double *scale;   /* at.size */
    double *watched; /* 2p: the functions at `when` */
    double *before;  /* 2p: at the start of an implicit step */
    double when;
} solver;

static carom_status slope(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)error; /* the engine's own */
    return carom_layer_integrator_slope(self, t, y, dy);
}

/* Function k, negative before it crosses zero in its direction. */
static double watch(void *self, int k, double t, const double *y)
{
    carom_layer_engine *e = self;
    solver *s = e->integrates;
    if (t != s->when || t == e->t) { /* all of them at once */
        s->when = t;
        if (carom_layer_integrator_watch(e, t, y, s->watched))
            return -1;
    }
    return e->direction[k] * s->watched[k];
}

static carom_status create(carom_layer_engine *e, carom_arena *arena, carom_error *error)
{
    const int size = e->field.at.size, count = 2 * e->shape->p;
    solver *s = carom_arena_zeros(arena, 1, sizeof *s);
    if (!s)
        return carom_error_memory(error);
    e->integrates = s;
    s->scale = carom_arena_zeros(arena, (size_t)(size + 2 * count), sizeof(double));
    if (!s->scale)
        return carom_error_memory(error);
    s->watched = s->scale + size;
    s->before = s->watched + count;
    carom_status status = carom_ode_events_create(arena, size, size, slope, watch, count, PARTS, e,
                                                  &s->events, error);
    if (status == CAROM_OK)
        status = carom_ode_stiff_create(arena, size, slope, e, &s->stiff, error);
    if (status == CAROM_OK && count > 0)
        memset(s->events.settled, 1, (size_t)count);
    return status;
}

static carom_status restart(carom_layer_engine *e)
{
    solver *s = e->integrates;
    carom_ode_events *v = &s->events;
    const double span = e->options->until - e->t;
    v->t = e->t;
    s->when = NAN;
    s->implicit = false;
    s->limited = 0;
    memcpy(v->ode.y, e->y, sizeof(double) * (size_t)e->field.at.size);
    v->h = fmin(v->h > 0 ? v->h : 0.001 * span, 0.01 * span);
    return carom_layer_engine_ended(e, carom_ode_events_start(v, e->error));
}

static carom_status step_explicit(carom_layer_engine *e, double longest)
{
    solver *s = e->integrates;
    carom_ode_events *v = &s->events;
    const double left = e->options->until - e->t;
    int event = -1;
    v->h = v->h > longest * (1 - CAROM_TOLERANCE_CARRIED) ? longest : v->h;
    carom_status status = carom_ode_events_step(v, longest, s->scale, &event, e->error);
    if (status == CAROM_OK && e->status < 0) /* while the functions were watched */
        status = e->status;
    if (status != CAROM_OK)
        return carom_layer_engine_ended(e, status);
    if (!(v->h > 0))
        return carom_layer_integrator_failed(e, 0);
    e->t = event < 0 && v->length == left ? e->options->until : v->t;
    memcpy(e->y, v->ode.y, sizeof(double) * (size_t)e->field.at.size);
    if (event >= 0) {
        e->roots[event] = e->direction[event];
        return carom_layer_engine_ended(e, carom_ode_events_start(v, e->error));
    }
    const bool at_limit = v->length * carom_layer_field_decay(&e->field, e->y) > near_the_limit;
    s->limited = at_limit ? s->limited + 1 : 0;
    s->implicit = s->limited > IN_A_ROW;
    s->h = v->length;
    return CAROM_OK;
}

/* Function k where an implicit step of length h would lead. */
typedef struct search {
    carom_layer_engine *e;
    int k;
    carom_status status;
} search;

static double value_after(void *self, double h)
{
    search *w = self;
    carom_layer_engine *e = w->e;
    solver *s = e->integrates;
    if (w->status == CAROM_OK)
        w->status = carom_ode_stiff_try(&s->stiff, e->from, h, e->error);
    if (w->status == CAROM_OK)
        w->status = carom_layer_integrator_watch(e, e->from + h, s->stiff.next, s->watched);
    return w->status == CAROM_OK ? e->direction[w->k] * s->watched[w->k] : 0;
}

/* The first function that changes its sign over the implicit step just tried; the step is cut to
 * where it does. */
static carom_status cut_at_event(carom_layer_engine *e, int *event)
{
    solver *s = e->integrates;
    double h = s->stiff.h;
    *event = -1;
    carom_status status = carom_layer_integrator_watch(e, e->from + h, s->stiff.next, s->watched);
    for (int k = 0; k < 2 * e->shape->p && status == CAROM_OK; k++) {
        search w = {e, k, CAROM_OK};
        if (!(e->direction[k] * s->before[k] < 0 && value_after(&w, h) >= 0))
            continue;
        h = carom_root_rise(value_after, &w, 0, h, 4 * DBL_EPSILON * fmax(fabs(e->t), h));
        *event = k;
        status = w.status;
    }
    return status == CAROM_OK && *event >= 0 ? carom_ode_stiff_try(&s->stiff, e->from, h, e->error)
                                             : status;
}

/* An accepted step of the implicit method into stiff.next. */
static carom_status try_implicit(carom_layer_engine *e, double longest)
{
    solver *s = e->integrates;
    carom_status status = carom_ode_stiff_linearise(&s->stiff, e->t, s->scale, e->error);
    while (status == CAROM_OK) {
        const double h = fmin(s->h, longest);
        if (e->t + h == e->t)
            return carom_layer_integrator_failed(e, 0);
        status = carom_ode_stiff_try(&s->stiff, e->t, h, e->error);
        if (status != CAROM_OK)
            break;
        const double err = carom_ode_stiff_error(&s->stiff, s->scale);
        s->h = h * carom_ode_stiff_factor(err);
        if (err <= 1)
            return CAROM_OK;
        e->record->result->rejected++;
    }
    return carom_layer_engine_ended(e, status);
}

static carom_status step_implicit(carom_layer_engine *e, double longest)
{
    solver *s = e->integrates;
    const size_t size = sizeof(double) * (size_t)e->field.at.size;
    const double left = e->options->until - e->t;
    int event;
    memcpy(s->stiff.y, e->y, size);
    carom_status status = carom_layer_integrator_watch(e, e->t, e->y, s->before);
    if (status == CAROM_OK)
        status = try_implicit(e, longest);
    if (status == CAROM_OK)
        status = cut_at_event(e, &event);
    if (status != CAROM_OK)
        return carom_layer_engine_ended(e, status);
    e->t = event < 0 && s->stiff.h == left ? e->options->until : e->from + s->stiff.h;
    memcpy(e->y, s->stiff.next, size);
    if (event < 0)
        return CAROM_OK;
    e->roots[event] = e->direction[event];
    s->events.t = e->t;
    memcpy(s->events.ode.y, e->y, size);
    return CAROM_OK;
}

static carom_status step(carom_layer_engine *e)
{
    solver *s = e->integrates;
    const double tol = carom_layer_integrator_tolerance(e), left = e->options->until - e->t;
    const double longest = e->options->max_step > 0 ? fmin(left, e->options->max_step) : left;
    /* extrapolation multiplies rounding by some hundred */
    const double least = s->implicit ? CAROM_TOLERANCE_SOLVED / tol : 1;
    for (int i = 0; i < e->field.at.size; i++)
        s->scale[i] = fmax(1, least) * (e->tolerance[i] + tol * fabs(e->y[i]));
    if (e->shape->p > 0)
        memset(e->roots, 0, sizeof(int) * 2 * (size_t)e->shape->p);
    e->status = CAROM_OK;
    e->from = e->t;
    s->when = NAN;
    return s->implicit ? step_implicit(e, longest) : step_explicit(e, longest);
}

static void at(const carom_layer_engine *e, double t, double *y)
{
    solver *s = e->integrates;
    if (!s->implicit || s->stiff.t != e->from) {
        carom_ode_events_at(&s->events, t, e->field.at.size, y);
        return;
    }
    const size_t size = (size_t)e->field.at.size;
    const bool moves = t > e->from &&
                       carom_ode_stiff_try(&s->stiff, e->from, t - e->from, e->error) == CAROM_OK &&
                       carom_finite_all(size, s->stiff.next);
    memcpy(y, moves ? s->stiff.next : s->stiff.y, sizeof(double) * size);
}

const carom_layer_integrator carom_layer_own = {
    .name = "order 8",
    .create = create,
    .restart = restart,
    .step = step,
    .at = at,
};
