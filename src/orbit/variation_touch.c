/* Functions that come to zero and turn back (docs/theory/sensitivities.md, "Touched, not crossed"):
 * the slip of a contact that slides, the function of an event, the gap of an open contact. Whether
 * they cross is below the accuracy of the motion, and neighbours on one side do. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

/* Halvings, in the golden ratio, of the interval in which a minimum lies. */
enum { ROUNDS = 50 };

/* Whether a function sigma that is zero within `noise` goes on to less than -noise where it has the
 * rate `rate` and the second derivative `bend` along the motion, whichever way it is followed. */
static bool is_touch(double rate, double bend, double noise)
{
    return bend > 0 && rate * rate <= 2 * bend * noise;
}

double carom_variation_touch_noise(const carom_variation *v, const carom_event_driven *e, int i)
{
    const double rounding = carom_event_rounding_of(e, i);
    (void)v;
    return e->kind == CAROM_EVENT_CURVED
               ? fmax(rounding, 8 * e->options->event_tolerance * e->extent)
               : rounding;
}

/* The slip of each contact, in space its magnitude, then the function of each event that sets
 * something, at t. */
static carom_status look(carom_variation *v, double t, double *y, carom_error *error)
{
    const carom_system_shape *shape = v->shape;
    carom_state *s = &v->probe;
    const size_t n = (size_t)v->n;
    carom_variation_at(v, t, v->x);
    s->t = t;
    memcpy(s->q, v->x, n * sizeof(double));
    memcpy(s->u, v->x + n, n * sizeof(double));
    const unsigned events = shape->event_count > 0 ? CAROM_WANT_EVENTS : 0u;
    const carom_status status =
        carom_system_evaluate(v->system, CAROM_WANT_SLIPS | events, s, error);
    for (int i = 0; i < shape->p && status == CAROM_OK; i++) {
        const int first = shape->slip_start[i], last = shape->slip_start[i + 1];
        y[i] = 0;
        for (int l = first; l < last; l++) {
            const double slip =
                carom_dense_dot(v->n, s->H + (size_t)l * n, s->u) + s->slip_motion[l];
            y[i] = last == first + 1 ? slip : hypot(y[i], slip);
        }
    }
    for (int k = 0; k < shape->event_count && status == CAROM_OK; k++)
        y[shape->p + k] = s->event[k];
    return status;
}

static bool is_watched(const carom_variation *v, int f)
{
    return f < v->shape->p ? v->point.sliding[f] && v->point.mu[f] > 0
                           : v->shape->events[f - v->shape->p].resets;
}

/* A step, and the functions at its start, middle and end. */
typedef struct passage {
    const carom_event_driven *e;
    double from, end;
    double *a, *m, *b, *now; /* p + event_count */
} passage;

/* The least of function f on its side in the step, and where it is. */
static carom_status find_least(carom_variation *v, const passage *x, int f, double sign, double *at,
                               double *least, carom_error *error)
{
    const double golden = 0.5 * (sqrt(5) - 1);
    double from = x->from, end = x->end, y[2];
    double t[2] = {end - golden * (end - from), from + golden * (end - from)};
    carom_status status = CAROM_OK;
    for (int k = 0; k < 2 && status == CAROM_OK; k++) {
        status = look(v, t[k], x->now, error);
        y[k] = sign * x->now[f];
    }
    for (int round = 0; round < ROUNDS && status == CAROM_OK; round++) {
        const int k = y[0] < y[1] ? 0 : 1; /* the better one stays */
        *(k == 0 ? &end : &from) = t[1 - k];
        y[1 - k] = y[k];
        t[1 - k] = t[k];
        t[k] = k == 0 ? end - golden * (end - from) : from + golden * (end - from);
        status = look(v, t[k], x->now, error);
        y[k] = sign * x->now[f];
    }
    const double ends[2] = {sign * x->a[f], sign * x->b[f]};
    /* what is nearer to an end than check_end can tell is the end */
    const double margin = sqrt(CAROM_TOLERANCE_SAME) * (x->end - x->from);
    *least = fmin(fmin(y[0], y[1]), fmin(ends[0], ends[1]));
    *at = y[0] < y[1] ? t[0] : t[1];
    if (*at <= x->from + margin || ends[0] <= *least)
        *at = x->from;
    else if (*at >= x->end - margin || ends[1] <= *least)
        *at = x->end;
    return status;
}

/* At the end of the step: does the function come there with a rate of its own? */
static carom_status check_end(carom_variation *v, const passage *x, int f, double sign, double bend,
                              bool *touches, carom_error *error)
{
    const double delta = (x->end - x->from) / 1024;
    const carom_status status = look(v, x->end - delta, x->now, error);
    const double rate = sign * (x->now[f] - x->b[f]) / delta - 0.5 * bend * delta;
    const double top = fmax(fabs(x->a[f]), fabs(x->b[f]));
    *touches = is_touch(rate, bend, CAROM_TOLERANCE_SAME * top);
    return status;
}

/* What is zero of the slip of contact i: in space friction turns with it, and the motion passes a
 * zero at a distance that its steps leave. */
static double still(const carom_variation *v, const carom_event_driven *e, int i)
{
    const bool spatial = v->shape->slip_start[i + 1] - v->shape->slip_start[i] > 1;
    return spatial ? fmax(e->slow[i], CAROM_TOLERANCE_SAME * e->speed[i]) : e->slow[i];
}

/* What is zero of function f, at v->probe. */
static carom_status noise_of(carom_variation *v, const carom_event_driven *e, int f, double *noise,
                             carom_error *error)
{
    const int k = f - v->shape->p;
    *noise = f < v->shape->p ? still(v, e, f) : 0;
    if (k < 0)
        return CAROM_OK;
    carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = k};
    const carom_status status = carom_variation_condition_read(v, e, &c, error);
    const carom_system_event *event = &v->shape->events[k];
    *noise = event->has_guard && !(v->probe.event_if[k] > 0) ? -1 : e->options->tolerance * c.terms;
    return status;
}

static void refuse(carom_variation *v, int f, double at)
{
    char number[16];
    if (f < v->shape->p)
        carom_variation_refuse(v, at,
                               "the slip of contact %s is zero at t = %.12g and goes on as before: "
                               "in a neighbouring motion it ends",
                               carom_contact_name(v->shape->contacts, f, number), at);
    else
        carom_variation_refuse(v, at,
                               "the function of event %s is zero at t = %.12g and turns back: in a "
                               "neighbouring motion the event happens",
                               v->shape->events[f - v->shape->p].name, at);
}

/* A slip in space that is nothing but noise for a whole step, and neither comes from there nor goes
 * there with a rate: rate^2 <= 2 bend noise with bend = speed/time^2 of the whole motion. */
static bool lingers(const carom_variation *v, const passage *x, int f)
{
    const carom_event_driven *e = x->e;
    if (f >= v->shape->p || v->shape->slip_start[f + 1] - v->shape->slip_start[f] < 2)
        return false;
    const double noise = still(v, e, f), rate = (x->b[f] - x->a[f]) / (x->end - x->from);
    return x->m[f] <= noise && rate <= 0 &&
           fabs(rate) * e->options->until <= sqrt(2 * e->speed[f] * noise);
}

/* Does function f come to zero and turn back in the step? A parabola tells which may. */
static carom_status check(carom_variation *v, const passage *x, int f, carom_error *error)
{
    const double sign = x->m[f] < 0 ? -1 : 1;
    const double a = sign * x->a[f], m = sign * x->m[f], b = sign * x->b[f];
    const double curve = a - 2 * m + b, top = fmax(a, b);
    const double length = x->end - x->from, bend = 4 * curve / (length * length);
    double at = x->from, least, noise;
    bool touches = true;
    if (lingers(v, x, f))
        return refuse(v, f, at), CAROM_OK;
    if (!(curve > 0) || fabs(b - a) > 3 * curve || m - (b - a) * (b - a) / (8 * curve) > 0.25 * top)
        return CAROM_OK;
    carom_status status = find_least(v, x, f, sign, &at, &least, error);
    if (status != CAROM_OK || at <= x->from)
        return status; /* what is zero at the start was looked at when the last step ended */
    if (at >= x->end)
        status = check_end(v, x, f, sign, bend, &touches, error);
    if (status == CAROM_OK)
        status = look(v, at, x->now, error);
    if (status == CAROM_OK)
        status = noise_of(v, x->e, f, &noise, error);
    if (status != CAROM_OK || !touches || !(least <= noise))
        return status;
    refuse(v, f, at);
    return status;
}

carom_status carom_variation_touch_step(carom_variation *v, const carom_event_driven *e, double end,
                                        carom_error *error)
{
    const int count = v->shape->p + v->shape->event_count;
    bool any = false;
    for (int f = 0; f < count; f++)
        any = any || is_watched(v, f);
    if (!any)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *y = carom_arena_doubles(v->scratch, 4 * (size_t)count);
    if (!y)
        return carom_error_memory(error);
    passage x = {e, v->from, end, y, y + count, y + 2 * count, y + 3 * count};
    carom_status status = look(v, x.from, x.a, error);
    if (status == CAROM_OK)
        status = look(v, 0.5 * (x.from + end), x.m, error);
    if (status == CAROM_OK)
        status = look(v, end, x.b, error);
    for (int f = 0; f < count && status == CAROM_OK && v->told->exists; f++)
        if (is_watched(v, f))
            status = check(v, &x, f, error);
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* The slip of a contact at v->probe along d, in the plane or in space. */
static double slip_along(const carom_variation *v, int contact, const double *d)
{
    const carom_state *s = &v->probe;
    const int first = v->shape->slip_start[contact];
    double slip = 0;
    for (int l = first; l < v->shape->slip_start[contact + 1]; l++)
        slip += d[l - first] *
                (carom_dense_dot(v->n, s->H + (size_t)l * (size_t)v->n, s->u) + s->slip_motion[l]);
    return slip;
}

/* The function of the event v->cause at the start of the last step. */
static carom_status look_back(carom_variation *v, const carom_event_driven *e, double *y,
                              carom_error *error)
{
    const carom_event *cause = &v->cause;
    carom_state *s = &v->probe;
    const size_t n = (size_t)v->n;
    const int i = cause->contact;
    const double along = 1;
    s->t = v->began;
    memcpy(s->q, v->beginning, n * sizeof(double));
    memcpy(s->u, v->beginning + n, n * sizeof(double));
    const unsigned want = cause->kind == CAROM_EVENT_GAP   ? CAROM_WANT_GAPS
                          : cause->kind == CAROM_EVENT_OWN ? CAROM_WANT_EVENTS
                                                           : CAROM_WANT_SLIPS;
    const carom_status status = carom_system_evaluate(v->system, want, s, error);
    if (status == CAROM_OK && cause->kind == CAROM_EVENT_GAP)
        *y = s->g[i];
    else if (status == CAROM_OK && cause->kind == CAROM_EVENT_OWN)
        *y = s->event[i];
    else if (status == CAROM_OK)
        *y = slip_along(
            v, i,
            cause->kind == CAROM_EVENT_SLIP ? &along : e->motion.heading + v->shape->slip_start[i]);
    return status;
}

/* The second derivative of an event's function along the motion, from its rates at the event and
 * half the digits before it, on the side that the motion comes from. */
static carom_status bend_before(carom_variation *v, const carom_event_driven *e, double rate,
                                double *bend, carom_error *error)
{
    const size_t n = (size_t)v->n;
    const double back = CAROM_TOLERANCE_HALF * fmax(1, fabs(e->t));
    carom_mark mark = carom_arena_mark(v->scratch);
    double *kept = carom_arena_doubles(v->scratch, 2 * n);
    if (!kept)
        return carom_error_memory(error);
    memcpy(kept, v->slope, 2 * n * sizeof(double));
    for (size_t i = 0; i < 2 * n; i++)
        v->x[i] = e->ode.y[i] - back * v->slope[i];
    carom_status status =
        carom_variation_point_evaluate(&v->point, e->t - back, v->x, v->x + n, error);
    memcpy(v->slope, v->x + n, n * sizeof(double));
    memcpy(v->slope + n, v->point.a, n * sizeof(double));
    if (status == CAROM_OK)
        status = carom_variation_limit_probe(v, e->t - back, v->x, 0, error);
    carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = v->cause.contact};
    if (status == CAROM_OK)
        status = carom_variation_condition_read(v, e, &c, error);
    *bend = (rate - c.rate) / back;
    memcpy(v->slope, kept, 2 * n * sizeof(double));
    carom_arena_rewind(v->scratch, mark);
    if (status == CAROM_OK) /* the point of the event again, for whoever goes on with it */
        status = carom_variation_point_evaluate(&v->point, e->t, e->ode.y, e->ode.y + n, error);
    return status;
}

carom_status carom_variation_touch_event(carom_variation *v, const carom_event_driven *e,
                                         double rate, bool *touches, carom_error *error)
{
    const carom_event *cause = &v->cause;
    const double since = e->t - v->began;
    double before = 0, noise = 0, grain = 0; /* what is zero by accuracy, and by rounding */
    *touches = false;
    if (!(since > 0))
        return CAROM_OK;
    carom_status status = look_back(v, e, &before, error);
    if (status == CAROM_OK && cause->kind == CAROM_EVENT_OWN) {
        carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = cause->contact};
        status = carom_variation_condition_read(v, e, &c, error);
        noise = e->options->tolerance * c.terms;
        grain = CAROM_TOLERANCE_SUM * c.terms;
    } else if (cause->kind == CAROM_EVENT_GAP) {
        noise = carom_variation_touch_noise(v, e, cause->contact);
        grain = carom_event_rounding_resolution(e, cause->contact);
    } else {
        noise = grain = still(v, e, cause->contact);
    }
    /* sigma before = -rate since + bend since^2/2, on the side that it comes from */
    const double rest = (rate > 0 ? -1 : 1) * (before + rate * since);
    if (status == CAROM_OK && cause->kind == CAROM_EVENT_OWN && fabs(rate) * since <= noise) {
        double bend = 0; /* the step is too short to tell */
        status = bend_before(v, e, rate, &bend, error);
        *touches = is_touch(rate, (rate > 0 ? -1 : 1) * bend, noise);
    } else if (status == CAROM_OK && rest > grain)
        *touches = is_touch(rate, 2 * rest / (since * since), noise);
    return status;
}

/* dsigma along D, at the start moved along the motion by s: into `moved`. */
static carom_status read_moved(carom_variation *v, const carom_event_driven *e, double s, int k,
                               double *moved, carom_error *error)
{
    carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = k, .moved = moved};
    v->probe.t = e->t + s;
    for (int i = 0; i < v->n; i++) {
        v->probe.q[i] = e->ode.y[i] + s * v->slope[i];
        v->probe.u[i] = e->ode.y[v->n + i] + s * v->slope[v->n + i];
    }
    const carom_status status =
        carom_system_evaluate(v->system, CAROM_WANT_EVENTS, &v->probe, error);
    return status == CAROM_OK ? carom_variation_condition_read(v, e, &c, error) : status;
}

/* d(sigma') = sigma''[f, D] + sigma'[df], the first of it by differences of dsigma along f. */
carom_status carom_variation_touch_start(carom_variation *v, const carom_event_driven *e,
                                         const carom_variation_condition *at, carom_error *error)
{
    const size_t n = (size_t)v->n, k = (size_t)v->k;
    const carom_directions along = carom_variation_directions(v);
    const double step = CAROM_TOLERANCE_HALF * fmax(1, fabs(e->t));
    const double fast = fmax(1, carom_dense_max(2 * v->n, v->slope));
    if (fabs(at->value) > e->options->tolerance * at->terms ||
        fabs(at->rate) > CAROM_TOLERANCE_SAME * at->steep * fast)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *g = carom_arena_zeros(v->scratch, 2 * n + 1 + 2 * k, sizeof(double));
    if (!g)
        return carom_error_memory(error);
    double *ahead = g + 2 * n + 1, *behind = ahead + k;
    carom_variation_condition c = {
        .kind = CAROM_VARIATION_EVENT, .index = at->index, .gradient = g};
    carom_status status = carom_variation_condition_read(v, e, &c, error);
    if (status == CAROM_OK)
        status = read_moved(v, e, step, at->index, ahead, error);
    if (status == CAROM_OK)
        status = read_moved(v, e, -step, at->index, behind, error);
    if (status == CAROM_OK)
        status = carom_variation_point_evaluate(&v->point, e->t, e->ode.y, e->ode.y + n, error);
    if (status == CAROM_OK)
        status = carom_variation_point_tangent(&v->point, &along, v->dmu, v->work, error);
    for (size_t j = 0; j < k && status == CAROM_OK; j++) {
        const double moved = (ahead[j] - behind[j]) / (2 * step) +
                             carom_dense_dot(v->n, g, v->du + j * n) +
                             carom_dense_dot(v->n, g + n, v->work + j * n);
        const double size = at->steep * fmax(carom_variation_condition_size(v, (int)j),
                                             carom_dense_max(v->n, v->work + j * n));
        if (fabs(moved) > CAROM_TOLERANCE_HALF * size)
            carom_variation_refuse(v, e->t,
                                   "the function of event %s is zero at the start, and so is its "
                                   "rate: it turns back to zero in a neighbouring motion",
                                   v->shape->events[at->index].name);
    }
    carom_arena_rewind(v->scratch, mark);
    /* the state of the start, for whoever goes on with it */
    v->probe.t = e->t;
    memcpy(v->probe.q, e->ode.y, n * sizeof(double));
    memcpy(v->probe.u, e->ode.y + n, n * sizeof(double));
    return status == CAROM_OK
               ? carom_system_evaluate(v->system, CAROM_WANT_EVENTS, &v->probe, error)
               : status;
}
