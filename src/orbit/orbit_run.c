/* A motion with its derivatives: carom_flow_run followed by variations. */
#include "carom/need.h"
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/orbit_run.h"

/* The caller's observer, and the variations it may look at; these come first, so that whoever is
 * handed them finds the rest. */
typedef struct run {
    carom_variation v;
    const carom_flow_observer *observer;
    const carom_orbit_watch *watch;
} run;

static carom_status check(const carom_system *system, const carom_flow_options *options,
                          const carom_orbit_directions *directions, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    if (directions->k < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%d directions; at least 1",
                               directions->k);
    if (options->method != CAROM_FLOW_EVENT_DRIVEN)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "derivatives go along event-driven motions, not %s",
                               carom_flow_method_text(options->method));
    if (!shape->kinematics_is_identity)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "a system whose velocities are not those of its coordinates has no "
                               "derivatives yet");
    if (shape->region || shape->spread > 0)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "no derivatives are known of motions in a `region` or on contacts "
                               "with `spread`");
    return CAROM_OK;
}

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    run *r = self;
    return r->observer->row(r->observer->self, row, error);
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    run *r = self;
    return r->observer->impact(r->observer->self, impact, error);
}

static carom_status on_accumulation(void *self, const carom_flow_accumulation *a,
                                    carom_error *error)
{
    run *r = self;
    return r->observer->accumulation(r->observer->self, a, error);
}

static carom_status on_change(void *self, const carom_flow_change *change, carom_error *error)
{
    run *r = self;
    return r->observer->change(r->observer->self, change, error);
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    run *r = self;
    return r->observer->instant(r->observer->self, instant, error);
}

static carom_status on_warning(void *self, double t, const char *text, carom_error *error)
{
    run *r = self;
    return r->observer->warning(r->observer->self, t, text, error);
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    run *r = self;
    return r->observer->progress(r->observer->self, t, steps, error);
}

/* Who is told what: everything the caller's observer wants. */
static carom_flow_observer make_observer(run *r, const carom_flow_observer *o)
{
    return (carom_flow_observer){.self = r,
                                 .row = o && o->row ? on_row : NULL,
                                 .impact = o && o->impact ? on_impact : NULL,
                                 .accumulation = o && o->accumulation ? on_accumulation : NULL,
                                 .change = o && o->change ? on_change : NULL,
                                 .instant = o && o->instant ? on_instant : NULL,
                                 .warning = o && o->warning ? on_warning : NULL,
                                 .progress = o && o->progress ? on_progress : NULL};
}

static carom_status on_step(void *self, const carom_event_driven *e, double end, carom_error *error)
{
    const run *r = self;
    const carom_status status = carom_variation_step(self, e, end, error);
    return status == CAROM_OK ? r->watch->step(r->watch->self, self, end, error) : status;
}

static carom_status on_close(void *self, const carom_event_driven *e, carom_error *error)
{
    const run *r = self;
    const carom_status status = carom_variation_event_close(self, e, error);
    return status == CAROM_OK ? r->watch->close(r->watch->self, self, e, error) : status;
}

/* At the end D is brought to the time of the end, which may move with the data. */
static carom_status finish(run *r, const carom_flow_result *result, carom_error *error)
{
    carom_variation *v = &r->v;
    const double *until = v->along->until;
    if (result->end != CAROM_FLOW_REACHED)
        return CAROM_OK;
    carom_status status =
        carom_variation_point_evaluate(&v->point, result->t, result->q, result->u, error);
    memcpy(v->slope, result->u, sizeof(double) * (size_t)v->n);
    memcpy(v->slope + v->n, v->ended ? v->arrival + v->n : v->point.a,
           sizeof(double) * (size_t)v->n);
    for (int j = 0; j < v->k; j++)
        v->extra[j] = (until ? until[j] : 0) - v->dt[j];
    if (status == CAROM_OK)
        carom_variation_event_arrive(v);
    return carom_variation_pass(v, result->t, status, error);
}

carom_status carom_orbit_run_watched(
    const carom_system *system, const carom_law *law, const carom_flow_start *start,
    const carom_flow_options *options, const carom_orbit_directions *directions,
    const carom_flow_observer *observer, const carom_orbit_watch *watch, carom_arena *arena,
    carom_flow_result *result, carom_orbit_tangents *tangents, carom_error *error)
{
    run r = {.observer = observer, .watch = watch};
    carom_arena *scratch = NULL;
    carom_error local = {0};
    error = error ? error : &local;
    carom_status status = check(system, options, directions, error);
    if (status == CAROM_OK)
        status = carom_arena_create(carom_arena_allocator(arena), &scratch, error);
    if (status != CAROM_OK)
        return status;
    status = carom_variation_create(system, directions, tangents, arena, scratch, &r.v, error);
    r.v.free = watch != NULL;
    const carom_event_follow follow = {
        .self = &r.v,
        .step = watch && watch->step ? on_step : carom_variation_step,
        .open = carom_variation_event_open,
        .reset = carom_variation_event_reset,
        .impact = carom_variation_law_impact,
        .project = carom_variation_event_project,
        .limit = carom_variation_event_limit,
        .tail = carom_variation_tail,
        .flights = carom_variation_event_flights,
        .close = watch && watch->close ? on_close : carom_variation_event_close};
    const carom_flow_observer told = make_observer(&r, observer);
    if (status == CAROM_OK)
        status =
            carom_flow_follow(system, law, start, options, &told, &follow, arena, result, error);
    if (status == CAROM_OK) {
        carom_variation_split(&r.v);
        status = finish(&r, result, error);
    }
    carom_arena_destroy(scratch);
    return status;
}

carom_status carom_orbit_run(const carom_system *system, const carom_law *law,
                             const carom_flow_start *start, const carom_flow_options *options,
                             const carom_orbit_directions *directions,
                             const carom_flow_observer *observer, carom_arena *arena,
                             carom_flow_result *result, carom_orbit_tangents *tangents,
                             carom_error *error)
{
    CAROM_NEED(error, system, start, options, directions, arena, result, tangents);
    return carom_orbit_run_watched(system, law, start, options, directions, observer, NULL, arena,
                                   result, tangents, error);
}
