/* Runs a motion: checks what is asked, gives it to a method, looks at how it ended. */
#include "carom/flow.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "bodies/list.h"
#include "carom/bodies.h"
#include "carom/need.h"
#include "carom/tolerance.h"
#include "flow/bodies_stepping.h"
#include "flow/boundary_layer.h"
#include "flow/event_follow.h"
#include "flow/record.h"
#include "flow/time_stepping.h"
#include "impact/check.h"
#include "law/laws.h"

const char *carom_flow_method_text(carom_flow_method method)
{
    static const char *const text[] = {"event-driven", "time-stepping", "boundary-layer"};
    return (unsigned)method < 3 ? text[method] : "unknown";
}

const char *carom_flow_scheme_text(carom_flow_scheme scheme)
{
    static const char *const text[] = {"moreau-jean", "schatzman-paoli"};
    return (unsigned)scheme < 2 ? text[scheme] : "unknown";
}

const char *carom_flow_end_text(carom_flow_end end)
{
    static const char *const text[] = {"reached",     "stopped",   "inconsistent",
                                       "no-outcome",  "bad-force", "underflow",
                                       "event-limit", "unsolved",  "energy"};
    return (unsigned)end < 9 ? text[end] : "unknown";
}

const char *carom_flow_impact_text(carom_flow_impact_kind kind)
{
    static const char *const text[] = {"collision", "tangential", "passage"};
    return (unsigned)kind < 3 ? text[kind] : "unknown";
}

carom_flow_options carom_flow_options_default(void)
{
    return (carom_flow_options){.method = CAROM_FLOW_EVENT_DRIVEN,
                                .until = NAN,
                                .tolerance = 1e-10,
                                .event_tolerance = 1e-12,
                                .closed = 1e-9,
                                .rest = 1e-11,
                                .force_rest = 1e-11,
                                .drift = 1e-12,
                                .accumulation = 1e-7,
                                .accumulation_impacts = 8,
                                .paradox = CAROM_FLOW_PARADOX_STOP,
                                .min_step = 1e-14,
                                .step = NAN,
                                .theta = 0.5,
                                .activation = 0.5,
                                .scheme = CAROM_FLOW_MOREAU_JEAN,
                                .solver_tolerance = 1e-13,
                                .width = NAN,
                                .transition = NAN,
                                .stiffness = NAN,
                                .damping = NAN,
                                .least_speed = 1e-6,
                                .joint_damping = NAN,
                                .joint_stiffness = NAN,
                                .keep_impacts = LONG_MAX};
}

bool carom_flow_takes_law(carom_flow_method method, const carom_law *law)
{
    return law && law->ops && (law->ops->step || method != CAROM_FLOW_TIME_STEPPING);
}

/* More steps cannot be counted in doubles; rows nearer than this part of the run fill any disk. */
static const double most_steps = 0x1p53, least_output = 1e-9;

/* No upper bound but that of numbers whose sums are still numbers. */
static const double most = 1e300;

/* One bound on one number. */
typedef struct bound {
    const char *name;
    double value, low, high;
    bool open; /* low itself is not allowed */
} bound;

static carom_status check_bounds(const bound *bounds, int count, carom_error *error)
{
    for (int k = 0; k < count; k++) {
        const bound *b = &bounds[k];
        bool good = b->open ? b->value > b->low : b->value >= b->low;
        if (!(good && b->value <= b->high))
            return carom_error_set(error, CAROM_ERROR_INPUT, "%s is %g, allowed is %s%g to %g",
                                   b->name, b->value, b->open ? "above " : "", b->low, b->high);
    }
    return CAROM_OK;
}

/* What only the event-driven method can follow. */
static carom_status check_plain(const carom_system_shape *shape, carom_flow_method method,
                                carom_error *error)
{
    const char *what = shape->guard_count > 0 ? "contacts with `when`"
                       : shape->region        ? "a region"
                       : shape->spread > 0    ? "contacts with `spread`"
                                              : NULL;
    for (int k = 0; k < shape->event_count && !what; k++)
        if (shape->events[k].resets)
            what = "events that set values";
    return what ? carom_error_set(error, CAROM_ERROR_INPUT,
                                  "the system has %s; the method must be event-driven, not %s",
                                  what, carom_flow_method_text(method))
                : CAROM_OK;
}

static carom_status check_event_driven(const carom_flow_options *o, carom_error *error)
{
    if ((unsigned)o->paradox > CAROM_FLOW_PARADOX_IMPACT)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "there is no paradox %d",
                               (int)o->paradox);
    const bound bounds[] = {{"tolerance", o->tolerance, 1e-15, 0.01, false},
                            {"event tolerance", o->event_tolerance, 1e-16, 0.01, false},
                            {"closed", o->closed, 0, most, false},
                            {"rest", o->rest, 0, 0.1, false},
                            {"force_rest", o->force_rest, 0, 0.1, false},
                            {"drift", o->drift, 0, most, false},
                            {"accumulation", o->accumulation, 0, 1, false},
                            {"accumulation impacts", o->accumulation_impacts, 3, most, false},
                            {"max_step", o->max_step, 0, most, false},
                            {"min_step", o->min_step, 0, most, false},
                            {"max_events", (double)o->max_events, 0, most, false}};
    return check_bounds(bounds, sizeof bounds / sizeof *bounds, error);
}

static carom_status check_time_stepping(const carom_flow_options *o, double span,
                                        carom_error *error)
{
    if ((unsigned)o->scheme > CAROM_FLOW_SCHATZMAN_PAOLI)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "there is no scheme %d",
                               (int)o->scheme);
    const bound bounds[] = {{"step", o->step, 0, most, true},
                            {"theta", o->theta, 0, 1, false},
                            {"activation", o->activation, 0, most, false},
                            {"solver tolerance", o->solver_tolerance, 0, 1, true}};
    carom_status status = check_bounds(bounds, sizeof bounds / sizeof *bounds, error);
    if (status == CAROM_OK && !(span / o->step < most_steps))
        status = carom_error_set(error, CAROM_ERROR_INPUT,
                                 "step is %g, which makes %.3g steps to the end; allowed are less "
                                 "than 2^53",
                                 o->step, span / o->step);
    return status;
}

static carom_status check_layer(const carom_flow_options *o, carom_error *error)
{
    if ((unsigned)o->metric > CAROM_LAYER_SMOOTH)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "there is no metric %d",
                               (int)o->metric);
    const bound bounds[] = {
        {"width", o->width, 0, most, true},
        {"transition", o->transition, 0, 1, true},
        {"stiffness", o->stiffness, 0, most, true},
        {"damping", o->damping, 0, most, false},
        {"tolerance", o->tolerance, 1e-14, 0.01, false},
        {"closed", o->closed, 0, most, false},
        {"max_step", o->max_step, 0, most, false},
        {"least_speed", o->least_speed, 0, 1, true},
        {"joint_damping", isnan(o->joint_damping) ? 0 : o->joint_damping, 0, most, false},
        {"joint_stiffness", isnan(o->joint_stiffness) ? 0 : o->joint_stiffness, 0, most, false}};
    return check_bounds(bounds, sizeof bounds / sizeof *bounds, error);
}

/* The options of the method that is asked for; those of others are not looked at. */
static carom_status check_method(const carom_flow_options *o, double span, carom_error *error)
{
    switch (o->method) {
    case CAROM_FLOW_EVENT_DRIVEN:
        return check_event_driven(o, error);
    case CAROM_FLOW_TIME_STEPPING:
        return check_time_stepping(o, span, error);
    case CAROM_FLOW_BOUNDARY_LAYER:
        return check_layer(o, error);
    }
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "there is no method %d", (int)o->method);
}

static carom_status check(const carom_system_shape *shape, const carom_flow_start *start,
                          const carom_flow_options *o, carom_error *error)
{
    if ((shape->nq && !start->q) || (shape->n && !start->u))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the start needs a position (q) and a velocity (u)");
    if (!isfinite(start->t))
        return carom_error_set(error, CAROM_ERROR_INPUT, "the start time is not a finite number");
    const double span = o->until - start->t;
    const bound general[] = {{"until", o->until, start->t, most, false},
                             {"output", o->output, 0, most, false}};
    carom_status status = check_bounds(general, 2, error);
    if (status == CAROM_OK && o->output > 0 && o->output < least_output * span)
        status = carom_error_set(error, CAROM_ERROR_INPUT,
                                 "output is %g, allowed is 0 (first and last row only) or at least "
                                 "%g of the %g to run, %g",
                                 o->output, least_output, span, least_output * span);
    if (status == CAROM_OK)
        status = check_method(o, span, error);
    if (status == CAROM_OK && o->method != CAROM_FLOW_EVENT_DRIVEN)
        status = check_plain(shape, o->method, error);
    if (status == CAROM_OK)
        status = carom_impact_check_contacts(shape->p, shape->contacts, o->any_restitution, error);
    for (int i = 0; i < shape->p && status == CAROM_OK; i++)
        if (!isfinite(shape->contacts[i].friction_static))
            status = carom_error_set(error, CAROM_ERROR_INPUT,
                                     "contact %s: infinite friction is for single impacts; in "
                                     "motion give a finite coefficient",
                                     shape->contacts[i].name ? shape->contacts[i].name : "?");
    return status;
}

/* A column r of the rows of n velocities: is r'u + motion zero up to rounding? */
static bool row_holds(int n, const double *r, const double *u, double motion, double *off)
{
    double sum = motion, size = fabs(motion);
    for (int k = 0; k < n; k++) {
        sum += r[k] * u[k];
        size += fabs(r[k] * u[k]);
    }
    *off = sum;
    return fabs(sum) <= CAROM_TOLERANCE_SAME * size;
}

/* Joints and rolling that do not hold at the start are corrected by the methods; say so. */
static carom_status warn_about_joints(carom_record *record, const carom_system *system,
                                      const carom_flow_start *start, carom_arena *scratch,
                                      carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    const double closed = record->options->closed;
    const char *what = record->options->method == CAROM_FLOW_BOUNDARY_LAYER
                           ? "dies out at the rate of the joint damping"
                           : "is corrected";
    carom_state x;
    double off;
    if (shape->m + shape->a == 0)
        return CAROM_OK;
    carom_status status = carom_state_create(system, scratch, &x, error);
    if (status != CAROM_OK)
        return status;
    x.t = start->t;
    memcpy(x.q, start->q, (size_t)shape->nq * sizeof(double));
    memcpy(x.u, start->u, (size_t)shape->n * sizeof(double));
    if (carom_system_evaluate(system, CAROM_WANT_JOINTS, &x, NULL) != CAROM_OK)
        return CAROM_OK; /* the method meets the same error and tells it */
    for (int j = 0; j < shape->m && status == CAROM_OK; j++) {
        const char *name = shape->joints && shape->joints[j] ? shape->joints[j] : "?";
        if (fabs(x.f[j]) > closed)
            status = carom_record_warn(record, start->t, error,
                                       "joint %s is off by %g at the start", name, x.f[j]);
        if (status == CAROM_OK &&
            !row_holds(shape->n, x.B + (size_t)j * (size_t)shape->n, x.u, x.b_hat[j], &off))
            status = carom_record_warn(record, start->t, error,
                                       "the start velocity violates joint %s by %g, which %s", name,
                                       off, what);
    }
    for (int j = 0; j < shape->a && status == CAROM_OK; j++)
        if (!row_holds(shape->n, x.A + (size_t)j * (size_t)shape->n, x.u, x.a_hat[j], &off))
            status = carom_record_warn(
                record, start->t, error,
                "the start velocity violates the nonholonomic constraint %s by %g, which %s",
                shape->rollings && shape->rollings[j] ? shape->rollings[j] : "?", off, what);
    return status;
}

/* A number of the layer, said by the run, by the law `layer`, or by neither. */
static carom_status settle_number(const char *name, double *value, const carom_law *layer,
                                  const char *parameter, double scale, double otherwise,
                                  carom_error *error)
{
    const carom_value *said = layer ? carom_law_value(layer, parameter) : NULL;
    const double by_law = said ? said->number * scale : NAN;
    if (said && !isnan(*value) && *value != by_law)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "%s is %g, but %s of the law layer makes it %g: say it once", name,
                               *value, parameter, by_law);
    if (isnan(*value))
        *value = said ? by_law : otherwise;
    return CAROM_OK;
}

/* What a boundary layer is, from the run and from the law `layer` beside it. */
static carom_status settle_layer(const carom_law *law, carom_flow_options *o, carom_error *error)
{
    const carom_law *layer = law && law->ops->layered ? law : NULL;
    carom_status status = settle_number("width", &o->width, layer, "b", 1, NAN, error);
    if (status == CAROM_OK && isnan(o->width))
        status = carom_error_set(error, CAROM_ERROR_INPUT,
                                 "a boundary layer needs its width: `width` of the run, or b of "
                                 "the law layer");
    if (status == CAROM_OK)
        status = settle_number("stiffness", &o->stiffness, layer, "k", 1, 1, error);
    if (status == CAROM_OK)
        status = settle_number("damping", &o->damping, layer, "c", 1, 0, error);
    if (status == CAROM_OK)
        status = settle_number("transition", &o->transition, layer, "a", 1 / o->width, 0.9, error);
    const bool said = layer && carom_law_value(layer, "metric");
    if (said && carom_law_is_choice(layer, "metric", "smooth"))
        o->metric = CAROM_LAYER_SMOOTH;
    else if (status == CAROM_OK && said && o->metric == CAROM_LAYER_SMOOTH)
        status = carom_error_set(error, CAROM_ERROR_INPUT,
                                 "metric is smooth, but source in the law layer: say it once");
    return status;
}

/* The method, on a record that is ready. */
static carom_status move(carom_record *record, const carom_law *law, const carom_flow_start *start,
                         carom_arena *work, carom_arena *scratch, carom_error *error)
{
    const carom_law newton = {.ops = carom_law_find("newton")}, *used = law ? law : &newton;
    switch (record->options->method) {
    case CAROM_FLOW_TIME_STEPPING:
        return carom_bodies_of(record->system)
                   ? carom_bodies_stepping_run(record, used, start, work, scratch, error)
                   : carom_time_stepping_run(record, used, start, work, scratch, error);
    case CAROM_FLOW_BOUNDARY_LAYER:
        return carom_boundary_layer_run(record, carom_layer_integrator_default(), start, work,
                                        error);
    case CAROM_FLOW_EVENT_DRIVEN:
        break;
    }
    return carom_event_driven_run(record, used, start, work, scratch, error);
}

carom_status carom_flow_follow(const carom_system *system, const carom_law *law,
                               const carom_flow_start *start, const carom_flow_options *options,
                               const carom_flow_observer *observer,
                               const carom_event_follow *follow, carom_arena *arena,
                               carom_flow_result *result, carom_error *error)
{
    carom_error local = {0};
    carom_error *e = error ? error : &local;
    const carom_system_shape *shape = carom_system_get_shape(system);
    carom_flow_options o = *options;
    bool own;
    carom_status status = law ? carom_law_check("the law", law, o.any_restitution, e) : CAROM_OK;
    if (status == CAROM_OK)
        status = carom_law_check_own(shape->p, shape->contacts, o.any_restitution, &own, e);
    if (status == CAROM_OK && o.method == CAROM_FLOW_BOUNDARY_LAYER)
        status = settle_layer(law, &o, e);
    if (status == CAROM_OK)
        status = check(shape, start, &o, e);
    const carom_bodies *bodies = carom_bodies_of(system);
    if (status == CAROM_OK && bodies && o.method != CAROM_FLOW_TIME_STEPPING)
        status = carom_bodies_check_smooth(bodies, e);
    if (status != CAROM_OK)
        return status;
    carom_arena *work = NULL, *scratch = NULL;
    carom_flow_result made;
    carom_record record;
    status = carom_arena_create(carom_arena_allocator(arena), &work, e);
    if (status == CAROM_OK)
        status = carom_arena_create(carom_arena_allocator(arena), &scratch, e);
    if (status == CAROM_OK)
        status = carom_record_create(system, &o, observer, arena, &made, &record, e);
    record.follow = follow;
    if (bodies)
        carom_list_forget((carom_bodies *)bodies); /* its work space: one thread at a time */
    if (status == CAROM_OK) {
        status = warn_about_joints(&record, system, start, scratch, e);
        carom_arena_reset(scratch);
    }
    if (status == CAROM_OK)
        status = move(&record, law, start, work, scratch, e);
    carom_arena_destroy(work);
    carom_arena_destroy(scratch);
    if (status == CAROM_OK && !(made.end == CAROM_FLOW_REACHED && made.t == o.until))
        status = carom_error_set(e, CAROM_ERROR_NUMERIC,
                                 "internal error: the motion was to reach t = %.17g and ends at "
                                 "t = %.17g",
                                 o.until, made.t);
    if (status >= 0)
        *result = made;
    return status;
}

carom_status carom_flow_run(const carom_system *system, const carom_law *law,
                            const carom_flow_start *start, const carom_flow_options *options,
                            const carom_flow_observer *observer, carom_arena *arena,
                            carom_flow_result *result, carom_error *error)
{
    CAROM_NEED(error, system, start, options, arena, result);
    return carom_flow_follow(system, law, start, options, observer, NULL, arena, result, error);
}
