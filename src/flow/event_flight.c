/* Flights of constant force towards gaps of any form (docs/theory/event-driven.md, "Flights"): the
 * path is a parabola, and a bound of how fast gaps can bend tells how far none of them can close.
 * Nothing is integrated, sampled or missed. */
#include <float.h>
#include <math.h>

#include "carom/tolerance.h"
#include "flow/event_driven.h"

/* Points looked at in one stretch of time before its bounds are taken anew on a shorter one, and
 * stretches halved before the flight is left to the general method. */
enum { POINTS = 6, HALVINGS = 60 };

/* A flight as it is followed. Times count from its start. */
typedef struct flight {
    carom_event_driven *e;
    const double *a; /* n */
    double s;        /* the point looked at */
    double end;      /* none closes before, with the present bounds in low */
    double *low;     /* p */
    double *offset;  /* p: gaps that stay above its negative are rounding */
    double *ahead;   /* p: how far from the last point none closes, each by itself */
    double rate;     /* of the gap that could close first */
    double *box;     /* nq, nq, n, n: the path's ends */
} flight;

bool carom_event_flight_possible(const carom_event_driven *e)
{
    const carom_system_shape *shape = e->shape;
    return e->kind == CAROM_EVENT_PARABOLA && e->motion.row_count == 0 && !shape->region &&
           shape->spread == 0 && shape->event_count + shape->guard_count == 0;
}

/* Gaps and their rates at s. */
static carom_status look(flight *f, double s, carom_error *error)
{
    carom_event_driven *e = f->e;
    carom_state *x = &e->motion.state;
    const double *q = e->ode.y, *u = q + e->nq;
    f->s = s;
    x->t = e->t + s;
    for (int j = 0; j < e->n; j++) {
        x->q[j] = q[j] + s * (u[j] + 0.5 * s * f->a[j]);
        x->u[j] = u[j] + s * f->a[j];
    }
    const carom_status status =
        carom_system_evaluate(e->motion.system, CAROM_WANT_GAPS | CAROM_WANT_NORMALS, x, error);
    return status == CAROM_ERROR_NUMERIC ? CAROM_STOPPED : status;
}

static void span(double x, double y, double *low, double *high)
{
    *low = x < y ? x : y;
    *high = x < y ? y : x;
}

/* Bounds of the curvature of gaps from s to `end`; false: not known. */
static bool bound(flight *f, double s, double end)
{
    carom_event_driven *e = f->e;
    const int n = e->n;
    const double *q = e->ode.y, *u = q + n;
    double *low = f->box, *high = low + n, *slow = high + n, *fast = slow + n;
    for (int j = 0; j < n; j++) {
        const double a = f->a[j], turn = -u[j] / a;
        span(q[j] + s * (u[j] + 0.5 * s * a), q[j] + end * (u[j] + 0.5 * end * a), &low[j],
             &high[j]);
        span(u[j] + s * a, u[j] + end * a, &slow[j], &fast[j]);
        if (turn > s && turn < end) {
            const double top = q[j] + 0.5 * turn * u[j];
            low[j] = fmin(low[j], top);
            high[j] = fmax(high[j], top);
        }
    }
    f->end = end;
    if (!carom_system_curvature(
            e->motion.system, &(carom_flight){{e->t + s, e->t + end}, low, high, slow, fast, f->a},
            f->low))
        return false;
    for (int k = 0; k < e->event_count; k++)
        if (!isfinite(f->low[e->events[k].contact]))
            return false;
    return true;
}

/* How far from the point looked at until a gap could close, its contact in *which; -1: none in the
 * present stretch. */
static double reach(flight *f, int *which)
{
    const carom_event_driven *e = f->e;
    double far = f->end - f->s;
    *which = -1;
    for (int k = 0; k < e->event_count; k++) {
        const int i = e->events[k].contact;
        const double rate = carom_motion_gamma(&e->motion, i);
        const double s =
            carom_event_uniform_root(e->motion.state.g[i] + f->offset[i], rate, f->low[i]);
        f->ahead[i] = s;
        if (s < far) {
            far = s;
            f->rate = rate;
            *which = i;
        }
    }
    return far;
}

/* What gaps may fall to without being closed: their rounding, and what they start from. */
static void set_offsets(flight *f)
{
    const carom_event_driven *e = f->e;
    for (int k = 0; k < e->event_count; k++) {
        const carom_event *event = &e->events[k];
        const int i = event->contact;
        const double g = e->motion.state.g[i], grain = carom_event_rounding_of(e, i);
        f->offset[i] = event->fresh == 2 ? 0.1 * e->options->tolerance * e->extent : grain;
        if (event->fresh > 0 && g < 0)
            f->offset[i] -= g;
    }
}

/* From a point where the gap of contact i is below zero for sure back to where it closed; `from`:
 * it was open there. */
static carom_status settle(flight *f, int i, double from, carom_error *error)
{
    const carom_motion *m = &f->e->motion;
    const double grain = f->e->grain;
    carom_status status = CAROM_OK;
    for (int round = 0; round < POINTS && status == CAROM_OK; round++) {
        const double rate = carom_motion_gamma(m, i), move = m->state.g[i] / rate;
        if (!(rate < 0) || !(f->s - move > from))
            break; /* a touch: nothing to be gained */
        const double s = f->s - move, curved = 0.5 * fabs(f->low[i]) * move * move;
        if (curved <= grain) {
            f->s = s;
            break;
        }
        status = look(f, s, error);
    }
    return status;
}

/* Was every gap open from s, from where it stays so as far as `ahead` tells, to the point looked
 * at, where that of contact `closing` closes? Seen from there the bounds tell how far back it was.
 */
static bool is_open_since(const flight *f, double s, int closing)
{
    const carom_event_driven *e = f->e;
    for (int k = 0; k < e->event_count; k++) {
        const int i = e->events[k].contact;
        const double g = e->motion.state.g[i] + f->offset[i];
        const double back =
            carom_event_uniform_root(g, -carom_motion_gamma(&e->motion, i), f->low[i]);
        if (!(f->ahead[i] + back >= f->s - s) || !(g > 0 || i == closing))
            return false;
    }
    return true;
}

/* From the point looked at straight to where the gap of contact i seems to close: Newton's method
 * with the curvature between the last two points, of which the one before was at `last` with the
 * rate `rate`. *jumped: something was looked at; *landed: it does close, and nothing before; else
 * the point is the old one again. */
static carom_status jump(flight *f, int i, double last, double rate, bool *jumped, bool *landed,
                         carom_error *error)
{
    const carom_motion *m = &f->e->motion;
    const double start = f->s, grain = f->e->grain;
    carom_status status = CAROM_OK;
    *landed = false;
    for (int round = 0; round < POINTS && status == CAROM_OK; round++) {
        const double g = m->state.g[i], v = round ? carom_motion_gamma(m, i) : f->rate;
        const double a = (v - rate) / (f->s - last), d = v * v - 2 * a * g;
        if (!(d > 0) || !(v < 0 || (round == 0 && a < 0)))
            break;
        const double move = v < 0 ? 2 * g / (sqrt(d) - v) : (v + sqrt(d)) / -a;
        if (!(f->s + move > start && f->s + move < f->end))
            break;
        if (round > 0 && 0.5 * fabs(f->low[i]) * move * move <= grain) {
            *landed = is_open_since(f, start, i);
            f->s = *landed ? f->s + move : f->s;
            break;
        }
        last = f->s;
        rate = v;
        *jumped = true;
        status = look(f, f->s + move, error);
    }
    return *landed || status != CAROM_OK || f->s == start ? status : look(f, start, error);
}

/* Along the present stretch: to its end (*contact -1), or to where a gap closes. *settled: false if
 * more points were needed than bounds so wide are worth. */
static carom_status follow(flight *f, int *contact, bool *settled, carom_error *error)
{
    const carom_event_driven *e = f->e;
    const carom_motion *m = &e->motion;
    double open = f->s, last = 0, rate = 0;
    int before = -1;
    bool jumped = false, landed = false;
    *settled = true;
    for (int points = 0;; points++) {
        const double far = reach(f, contact);
        const int i = *contact;
        if (i < 0)
            return f->end > f->s ? look(f, f->end, error) : CAROM_OK;
        if (m->state.g[i] > 0)
            open = f->s;
        /* closed for sure, or nearer than times can be told. But a gap that leaves from below zero
         * is not, and of one that opens the latter is a bound which says nothing, a corner at hand
         */
        const bool near = far <= 2 * DBL_EPSILON * (fabs(e->t) + f->s), leaves = f->rate > 0;
        if (near && leaves && m->state.g[i] > 0) {
            *settled = false;
            return CAROM_OK;
        }
        if (near || (m->state.g[i] <= -0.5 * f->offset[i] && !(leaves && f->s == 0)))
            return f->s > 0 ? settle(f, i, open, error) : CAROM_OK;
        *settled = points < POINTS;
        if (!*settled)
            return CAROM_OK;
        carom_status status = CAROM_OK;
        if (!jumped && before == i)
            status = jump(f, i, last, rate, &jumped, &landed, error);
        if (status != CAROM_OK || landed)
            return status;
        before = i;
        last = f->s;
        rate = f->rate;
        status = look(f, f->s + far, error);
        if (status != CAROM_OK)
            return status;
    }
}

carom_status carom_event_flight_advance(carom_event_driven *e, double *theta, bool *done,
                                        carom_error *error)
{
    const carom_flow_options *o = e->options;
    const int p = e->shape->p, n = e->n;
    flight f = {.e = e,
                .a = e->ode.k[0] + n,
                .low = e->flight,
                .offset = e->flight + p,
                .ahead = e->flight + 2 * p,
                .box = e->flight + 3 * p};
    double limit = o->until - e->t;
    double stretch =
        fmax(e->h, CAROM_TOLERANCE_SUM * fmax(1, fabs(e->t))); /* it may have shrunk to 0 */
    int contact = -1, halved = 0;
    carom_status status = CAROM_OK;
    *theta = -1;
    *done = false;
    if (o->max_step > 0 && limit > o->max_step)
        limit = o->max_step;
    if (!e->looked)
        status = carom_event_uniform_look(e, error);
    set_offsets(&f);
    while (status == CAROM_OK && f.s < limit && contact < 0) {
        const double end = fmin(f.s + stretch, limit);
        bool settled = bound(&f, f.s, end);
        if (settled)
            status = follow(&f, &contact, &settled, error);
        if (settled) {
            stretch *= 2;
        } else if (halved++ < HALVINGS && end > f.s) {
            contact = -1;
            stretch = 0.25 * (end - f.s);
        } else {
            return status; /* a corner, or no bound: *done is false */
        }
    }
    if (status != CAROM_OK)
        return status;
    *done = true;
    if (contact >= 0) {
        for (int i = 0; i < p; i++)
            e->triggered[i] = i == contact;
        for (int k = 0; k < e->event_count; k++)
            if (e->events[k].contact == contact)
                e->cause = e->events[k];
        *theta = 1;
    }
    status = carom_event_uniform_step(e, contact >= 0 ? f.s : limit, error);
    if (status == CAROM_OK && o->output > 0 && e->record->observer->row)
        carom_event_uniform_dense(e);
    return status;
}
