/* Motion with constant accelerations: steps, and, with constant rows, the next event. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/event_driven.h"

carom_event_motion carom_event_uniform_classify(const carom_event_driven *e)
{
    const carom_system_shape *shape = e->shape;
    if (!shape->forces_are_constant || !shape->kinematics_is_identity)
        return CAROM_EVENT_CURVED;
    if (!shape->rows_are_constant)
        return e->motion.row_count == 0 ? CAROM_EVENT_PARABOLA : CAROM_EVENT_CURVED;
    if (shape->event_count + shape->guard_count > 0 || shape->region) /* any form to be watched */
        return e->motion.row_count == 0 ? CAROM_EVENT_PARABOLA : CAROM_EVENT_CURVED;
    for (int i = 0; i < shape->p; i++) /* spatial friction turns with the slip */
        if (e->motion.sliding[i] && shape->slip_start[i + 1] - shape->slip_start[i] == 2)
            return CAROM_EVENT_CURVED;
    return CAROM_EVENT_UNIFORM;
}

carom_status carom_event_uniform_step(carom_event_driven *e, double h, carom_error *error)
{
    carom_ode_dop853 *ode = &e->ode;
    const int n = e->n;
    const double *y = ode->y, *k = ode->k[0], *a = k + n;
    double *next = ode->next, *last = ode->k[12];
    ode->t = e->t;
    ode->h = h;
    for (int i = 0; i < n; i++) {
        next[i] = y[i] + h * (y[n + i] + 0.5 * h * a[i]);
        next[n + i] = y[n + i] + h * a[i];
    }
    if (e->shape->power_is_zero && e->motion.row_count == 0) {
        memcpy(last, next + n, sizeof(double) * (size_t)n);
        memcpy(last + n, a, sizeof(double) * (size_t)n);
        memset(last + 2 * n, 0, sizeof(double) * (size_t)e->extra);
        memcpy(next + 2 * n, y + 2 * n, sizeof(double) * (size_t)e->extra);
    } else { /* powers are linear in time */
        memcpy(next + 2 * n, y + 2 * n, sizeof(double) * (size_t)e->extra);
        carom_status status = ode->f(ode->self, e->t + h, next, last, error);
        if (status != CAROM_OK)
            return status;
        ode->evaluations++;
        for (int i = 2 * n; i < ode->n; i++)
            next[i] += 0.5 * h * (k[i] + last[i]);
    }
    return CAROM_OK;
}

void carom_event_uniform_dense(carom_event_driven *e)
{
    carom_ode_dop853 *ode = &e->ode;
    for (int i = 0; i < ode->n; i++) {
        const double d = ode->next[i] - ode->y[i];
        ode->c[0][i] = ode->y[i];
        ode->c[1][i] = d;
        ode->c[2][i] = ode->h * ode->k[0][i] - d;
    }
    for (int s = 3; s < 8; s++)
        memset(ode->c[s], 0, sizeof(double) * (size_t)ode->n);
}

/* v^2 - 2 a g, with the rounding of the products taken back where they cancel. */
static double discriminant(double g, double v, double a)
{
    const double p = v * v, q = 2 * a * g;
    if (fabs(p - q) > 0.1 * p)
        return p - q;
    return (p - q) + (fma(v, v, -p) - fma(2 * a, g, -q));
}

/* Squares of numbers that are smaller by this power of two do not overflow. */
enum { SMALLER = 540 };

double carom_event_uniform_root(double g, double v, double a)
{
    if (!(g > 0))
        return v < 0 ? 0 : a < 0 ? -2 * v / a : INFINITY;
    if (a >= 0 && v >= 0)
        return INFINITY;
    const double d = discriminant(g, v, a);
    if (!isfinite(d) && isfinite(g) && isfinite(v) &&
        isfinite(a)) /* times do not change with the unit of lengths */
        return carom_event_uniform_root(ldexp(g, -SMALLER), ldexp(v, -SMALLER), ldexp(a, -SMALLER));
    if (!(d > 0) && a > 0)
        return INFINITY;
    return v > 0 ? (v + sqrt(d)) / -a : 2 * g / (sqrt(d) - v);
}

/* When a contact that leaves the present position g, zero but for rounding, with v > 0 is back at
 * zero. */
static double next_landing(double g, double v, double a)
{
    if (!(a < 0))
        return INFINITY;
    const double d = v * v - 2 * a * g;
    return d > 0 ? (v + sqrt(d)) / -a : -2 * v / a;
}

/* Zero where it is the rounding of what contact forces cancel: a contact that neither opens nor
 * closes. */
static double acceleration(const carom_event_driven *e, const double *row)
{
    const double *a = e->ode.k[0] + e->n;
    double sum = 0, size = 0;
    for (int j = 0; j < e->n; j++) {
        sum += row[j] * a[j];
        size += fabs(row[j]) * (fabs(a[j]) + fabs(e->motion.a_free[j]));
    }
    return fabs(sum) > CAROM_TOLERANCE_SUM * size ? sum : 0;
}

/* How long until this event, if motion goes on as now. */
static double time_to(const carom_event_driven *e, const carom_event *event)
{
    const carom_motion *m = &e->motion;
    const int i = event->contact, j = e->shape->slip_start[i];
    double g = m->state.g[i], v, a;
    switch (event->kind) {
    case CAROM_EVENT_GAP:
    case CAROM_EVENT_IMPLIED:
        v = carom_motion_gamma(m, i);
        a = acceleration(e, m->state.W + (size_t)i * e->n);
        if (event->kind == CAROM_EVENT_IMPLIED)
            return carom_event_uniform_root(g + e->options->closed, v, a);
        if (event->fresh == 1 && v > 0)
            return next_landing(g, v, a);
        if (event->fresh > 0) /* lifts off without velocity: errors of the present state */
            return carom_event_uniform_root(0.1 * e->options->tolerance * e->extent, v, a);
        return g < -carom_event_rounding_of(e, i) ? 0 : carom_event_uniform_root(g, v, a);
    case CAROM_EVENT_SLIP:
        v = m->direction[j] * carom_motion_slip(m, j) + e->slow[i];
        a = m->direction[j] * acceleration(e, m->state.H + (size_t)j * e->n);
        return !(v > 0) ? 0 : a < 0 ? -v / a : INFINITY;
    case CAROM_EVENT_FORCE:
    case CAROM_EVENT_CONE_PLUS:
    case CAROM_EVENT_CONE_MINUS:
    case CAROM_EVENT_CONE:
    case CAROM_EVENT_SLIP_SPATIAL:
        break; /* forces do not change */
    case CAROM_EVENT_RETURN:
    case CAROM_EVENT_APEX:
    case CAROM_EVENT_APEX_FORCE:
    case CAROM_EVENT_CORNER:
    case CAROM_EVENT_OWN:
        break; /* such motions are not uniform */
    }
    return INFINITY;
}

/* Accelerations that contact forces cancel are zero, not the rounding of that: it would be seen
 * after a long rest. */
static void clear_rounding(carom_event_driven *e)
{
    double *a = e->ode.k[0] + e->n, most = 0;
    for (int j = 0; j < e->n; j++)
        most = fmax(most, fabs(e->motion.a_free[j]) + e->cancelled[j]);
    for (int j = 0; j < e->n; j++)
        if (fabs(a[j]) <= 32 * DBL_EPSILON * most)
            a[j] = 0;
}

carom_status carom_event_uniform_look(carom_event_driven *e, carom_error *error)
{
    carom_status status = carom_event_settle_look(e, error);
    for (int k = 0; k < e->event_count && status == CAROM_OK; k++) {
        const int i = e->events[k].contact;
        const bool closed = e->events[k].kind == CAROM_EVENT_GAP && e->motion.state.g[i] <= 0;
        const bool rests = fabs(carom_motion_gamma(&e->motion, i)) <= e->slow[i];
        e->events[k].fresh = !closed ? 0 : rests ? 2 : 1;
    }
    e->looked = true;
    return status;
}

carom_status carom_event_uniform_advance(carom_event_driven *e, double *theta, carom_error *error)
{
    const carom_flow_options *o = e->options;
    double h = o->until - e->t;
    *theta = -1;
    if (o->max_step > 0 && h > o->max_step)
        h = o->max_step;
    if (!e->looked) {
        carom_status status = carom_event_uniform_look(e, error);
        if (status != CAROM_OK)
            return status;
    }
    if (e->motion.row_count > 0)
        clear_rounding(e);
    int which = -1;
    for (int k = 0; k < e->event_count; k++) {
        const double s = time_to(e, &e->events[k]);
        if (s < h) {
            h = s;
            which = k;
        }
    }
    if (which >= 0) {
        e->cause = e->events[which];
        memset(e->triggered, 0, (size_t)e->shape->p);
        e->triggered[e->events[which].contact] = 1;
        *theta = 1;
    }
    carom_status status = carom_event_uniform_step(e, h, error);
    if (status == CAROM_OK && o->output > 0 && e->record->observer->row)
        carom_event_uniform_dense(e);
    return status;
}
