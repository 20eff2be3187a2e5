/* Instants of one's own in event-driven motion: events of the system, which may set coordinates and
 * velocities, and contacts that close only under a condition (docs/theory/event-driven.md, "Events
 * of one's own"). */
#include "flow/event_own.h"
#include "base/parts.h"
#include "carom/tolerance.h"
#include "flow/event_follow.h"

#include "flow/event_region.h"

#include <float.h>
#include <math.h>
#include <string.h>

carom_status carom_event_own_create(carom_event_driven *e, carom_arena *work, carom_error *error)
{
    const size_t events = (size_t)e->shape->event_count, p = (size_t)e->shape->p;
    carom_event_own *own = &e->own;
    own->event = -1;
    const carom_arena_part parts[] = {
        {&own->side, events, sizeof *own->side},
        {&own->due, events, sizeof *own->due},
        {&own->near, events, sizeof *own->near},
        {&own->size, events, sizeof *own->size},
        {&own->miss, events, sizeof *own->miss},
        {&own->value, events, sizeof *own->value},
        {&own->last, events, sizeof *own->last},
        {&own->before, (size_t)(e->nq + e->n), sizeof *own->before},
        {&own->heading, (size_t)e->shape->spread, sizeof *own->heading},
        {&own->passed, p, sizeof *own->passed},
        {&own->turned, p, sizeof *own->turned},
        {&own->held, p, sizeof *own->held},
        {&own->apex, p, sizeof *own->apex},
    };
    const carom_status status = carom_arena_parts(work, parts, sizeof parts / sizeof *parts, error);
    for (size_t k = 0; k < events && status == CAROM_OK; k++)
        own->last[k] = -INFINITY;
    return status;
}

/* Values of an event's function below this are rounding. */
static double noise(const carom_event_own *own, int k)
{
    return 16 * DBL_EPSILON * own->size[k];
}

static void measure(carom_event_driven *e, int k)
{
    const double size = fabs(e->motion.state.event[k]);
    if (size > e->own.size[k])
        e->own.size[k] = size;
}

unsigned carom_event_own_want(const carom_event_driven *e)
{
    return e->shape->event_count > 0 ? CAROM_WANT_EVENTS : 0;
}

double carom_event_own_value(carom_event_driven *e, int k)
{
    const double value = e->motion.state.event[k];
    measure(e, k);
    return e->own.side[k] < 0 ? -value : value;
}

double carom_event_own_grain(const carom_event_driven *e, int k)
{
    return noise(&e->own, k);
}

double carom_event_own_shallow(const carom_event_driven *e, const double *b)
{
    double size = 0;
    for (int i = 0; i < CAROM_BERNSTEIN_NODES; i++)
        size = fmax(size, fabs(b[i]));
    return 2 * e->options->tolerance * size;
}

/* A function that starts at zero: on which side it goes on is told by the first coefficient that
 * differs from the first of all. */
void carom_event_own_choose(carom_event_driven *e, int k, double *b, double *samples)
{
    carom_event_own *own = &e->own;
    if (own->side[k] != 0)
        return;
    for (int i = 1; i < CAROM_BERNSTEIN_NODES && own->side[k] == 0; i++)
        if (fabs(b[i] - b[0]) > noise(own, k))
            own->side[k] = b[i] > b[0] ? 1 : -1;
    for (int i = 0; i < CAROM_BERNSTEIN_NODES && own->side[k] < 0; i++) {
        b[i] = -b[i];
        samples[i] = -samples[i];
    }
}

/* On which side is each function now? One that was carried over zero by an impact did not cross
 * it, and one that is on its old side, however near, stays there. One that crosses just now starts
 * from zero, but for where its crossing was located. */
static void take_sides(carom_event_driven *e, bool afresh)
{
    carom_event_own *own = &e->own;
    for (int k = 0; k < e->shape->event_count; k++) {
        const double value = e->motion.state.event[k];
        measure(e, k);
        const bool same = !afresh || value == own->value[k]; /* not by what was set */
        if ((same && own->side[k] * value > 0) || own->due[k])
            continue;
        const double zero = noise(own, k) + 4 * own->miss[k];
        own->side[k] = fabs(value) <= zero ? 0 : value > 0 ? 1 : -1;
    }
}

/* Events and guards at the state that was looked at. */
static carom_status evaluate(carom_event_driven *e, carom_error *error)
{
    unsigned want = carom_event_own_want(e);
    want |= e->shape->guard_count > 0 ? CAROM_WANT_GUARDS : 0u;
    if (!want)
        return CAROM_OK;
    carom_status status = carom_system_evaluate(e->motion.system, want, &e->motion.state, error);
    return status == CAROM_ERROR_NUMERIC ? CAROM_STOPPED : status;
}

/* May contact i close here? */
static bool allowed(const carom_event_driven *e, int i)
{
    const int guard = e->shape->guard ? e->shape->guard[i] : -1;
    return guard < 0 || e->motion.state.guard[guard] > 0;
}

bool carom_event_own_may_close(const carom_event_driven *e, int i)
{
    return !e->own.passed[i] && allowed(e, i);
}

/* A function that starts at zero has no size yet: its rounding is that of its terms, of which each
 * coordinate, velocity and time brings what it changes by with a part of itself. */
static carom_status measure_terms(carom_event_driven *e, carom_error *error)
{
    const carom_state *s = &e->motion.state;
    carom_state *p = &e->probe;
    const int count = e->nq + e->n + 1, events = e->shape->event_count;
    carom_status status = CAROM_OK;
    for (int k = 0; k < events; k++)
        e->own.miss[k] = fabs(s->event[k]);
    for (int i = 0; i < count && events > 0 && status == CAROM_OK; i++) {
        const double more = 1 + CAROM_TOLERANCE_HALF;
        p->t = s->t * (i + 1 == count ? more : 1);
        memcpy(p->q, s->q, sizeof(double) * (size_t)e->nq);
        memcpy(p->u, s->u, sizeof(double) * (size_t)e->n);
        if (i + 1 < count)
            *(i < e->nq ? &p->q[i] : &p->u[i - e->nq]) *= more;
        status = carom_system_evaluate(e->motion.system, CAROM_WANT_EVENTS, p, error);
        for (int k = 0; k < events && status == CAROM_OK; k++)
            e->own.miss[k] += fabs(p->event[k] - s->event[k]) / CAROM_TOLERANCE_HALF;
    }
    for (int k = 0; k < events; k++) {
        const double terms = e->own.miss[k];
        const bool zero = fabs(s->event[k]) <= 16 * DBL_EPSILON * terms;
        e->own.size[k] = zero && status == CAROM_OK ? terms : 0;
        e->own.miss[k] = 0;
    }
    return status == CAROM_ERROR_NUMERIC ? CAROM_OK : status;
}

carom_status carom_event_own_begin(carom_event_driven *e, carom_error *error)
{
    const carom_motion *m = &e->motion;
    carom_status status = evaluate(e, error);
    if (status == CAROM_OK)
        status = measure_terms(e, error);
    if (status != CAROM_OK)
        return status;
    take_sides(e, true);
    for (int i = 0; i < e->shape->p; i++) {
        const double g = m->state.g[i];
        if (allowed(e, i) || g > e->options->closed)
            continue;
        e->own.passed[i] = g < 0 || carom_motion_gamma(m, i) < 0;
        e->own.turned[i] = g >= -e->options->closed;
    }
    return CAROM_OK;
}

carom_status carom_event_own_look(carom_event_driven *e, carom_error *error)
{
    carom_event_own *own = &e->own;
    memset(own->turned, 0, (size_t)e->shape->p);
    carom_status status = evaluate(e, error);
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) {
        const bool open = e->motion.mode[i] == CAROM_MODE_OPEN;
        if (own->passed[i] && e->triggered[i]) {
            own->passed[i] = 0; /* it comes out again */
            own->turned[i] = 1;
        } else if (open && !own->passed[i] && !allowed(e, i) &&
                   (e->triggered[i] || e->motion.state.g[i] < 0)) {
            own->passed[i] = 1;
            own->turned[i] = 1;
        }
    }
    return status;
}

carom_status carom_event_own_settled(carom_event_driven *e, carom_error *error)
{
    if (e->shape->event_count == 0)
        return CAROM_OK;
    carom_status status = evaluate(e, error);
    if (status == CAROM_OK)
        take_sides(e, false);
    return status;
}

/* Does the crossing count? The side is that before it. */
static bool counts(const carom_event_driven *e, int k)
{
    const carom_system_event *event = &e->shape->events[k];
    const bool up = e->own.side[k] < 0;
    if (event->direction == (up ? CAROM_CROSSING_DOWN : CAROM_CROSSING_UP))
        return false;
    return !event->has_guard || e->motion.state.event_if[k] > 0;
}

/* Contacts after the event: those that were closed and are not, open ones that are inside. */
static carom_status check_contacts(carom_event_driven *e, int k)
{
    carom_motion *m = &e->motion;
    char name[32];
    for (int i = 0; i < e->shape->p; i++) {
        const double g = m->state.g[i];
        if (g > e->options->closed) {
            m->mode[i] = CAROM_MODE_OPEN;
            e->own.passed[i] = 0;
            continue;
        }
        e->triggered[i] = 1; /* whatever the rounding of the new position */
        if (!allowed(e, i) && m->mode[i] == CAROM_MODE_OPEN) {
            e->own.passed[i] = g < 0 || carom_motion_gamma(m, i) < 0;
            e->own.turned[i] = g >= -e->options->closed;
        } else if (g < -e->options->closed && !e->own.passed[i]) {
            return carom_record_stop(e->record, CAROM_FLOW_NO_OUTCOME,
                                     "event %s puts contact %s into penetration "
                                     "(gap %.6g)",
                                     e->shape->events[k].name,
                                     carom_record_contact(e->record, i, name), g);
        }
    }
    return CAROM_OK;
}

/* The values that the event sets, their energy in the ledger. */
static carom_status set_values(carom_event_driven *e, int k, carom_error *error)
{
    carom_motion *m = &e->motion;
    const double before = carom_record_energy(e->shape, &m->state);
    const carom_event_follow *follow = e->record->follow;
    memcpy(e->own.value, m->state.event, sizeof(double) * (size_t)e->shape->event_count);
    carom_status status =
        follow && follow->reset ? follow->reset(follow->self, e, k, error) : CAROM_OK;
    if (status != CAROM_OK)
        return status;
    status = carom_system_reset(m->system, k, &m->state, e->ode.y, e->ode.y + e->nq, error);
    if (status != CAROM_OK)
        return status == CAROM_ERROR_NUMERIC ? CAROM_STOPPED : status;
    status = carom_event_settle_look(e, error);
    if (status == CAROM_OK)
        status = evaluate(e, error);
    if (status != CAROM_OK)
        return status;
    e->record->result->ledger.events += carom_record_energy(e->shape, &m->state) - before;
    for (int i = 0; i < e->nq + e->n; i++)
        e->peak[i] = fmax(e->peak[i], fabs(e->ode.y[i]));
    memset(e->triggered, 0, (size_t)e->shape->p);
    take_sides(e, true);
    return check_contacts(e, k);
}

/* Event k happens, if its crossing counts. */
static carom_status happen(carom_event_driven *e, int k, carom_error *error)
{
    carom_event_own *own = &e->own;
    const bool happens = counts(e, k);
    own->due[k] = false;
    own->side[k] = 0;
    own->last[k] = e->t;
    if (!happens)
        return CAROM_OK;
    memcpy(own->before, e->ode.y, (size_t)(e->nq + e->n) * sizeof *own->before);
    carom_status status = e->shape->events[k].resets ? set_values(e, k, error) : CAROM_OK;
    if (status != CAROM_OK)
        return status;
    const carom_flow_instant instant = {.t = e->t,
                                        .event = k,
                                        .q_before = own->before,
                                        .u_before = own->before + e->nq,
                                        .q = e->ode.y,
                                        .u = e->ode.y + e->nq};
    return carom_record_instant(e->record, &instant, error);
}

/* The state a time `ahead` later, to first order, into e->probe. */
static carom_status look_ahead(carom_event_driven *e, double ahead, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_state *p = &e->probe;
    const double *q = e->ode.y, *u = q + e->nq;
    carom_status status = carom_motion_evaluate(m, e->t, q, u, 0, error);
    if (status != CAROM_OK)
        return status;
    carom_motion_kinematics(m, u, e->point);
    p->t = e->t + ahead;
    for (int i = 0; i < e->nq; i++)
        p->q[i] = q[i] + ahead * e->point[i];
    for (int i = 0; i < e->n; i++)
        p->u[i] = u[i] + ahead * m->a[i];
    status = carom_system_evaluate(m->system, CAROM_WANT_EVENTS, p, error);
    if (status == CAROM_OK)
        status = carom_event_settle_look(e, error);
    return status == CAROM_OK ? evaluate(e, error) : status;
}

/* Functions that are beyond zero within the time to which instants are known cross at this one:
 * rounding does not decide what comes first. */
static carom_status find_near(carom_event_driven *e, double known, carom_error *error)
{
    carom_event_own *own = &e->own;
    bool any = false;
    for (int k = 0; k < e->shape->event_count; k++) {
        const double value = own->side[k] * e->motion.state.event[k];
        own->near[k] = !own->due[k] && value > 0 && e->t - own->last[k] > known &&
                       value <= CAROM_TOLERANCE_HALF * own->size[k];
        any = any || own->near[k];
    }
    carom_status status = any ? look_ahead(e, known, error) : CAROM_OK;
    for (int k = 0; k < e->shape->event_count && status == CAROM_OK; k++)
        if (own->near[k] && own->side[k] * e->probe.event[k] <= 0) {
            own->due[k] = true;
            own->miss[k] = fabs(e->motion.state.event[k]);
        }
    return status == CAROM_ERROR_NUMERIC ? CAROM_STOPPED : status;
}

carom_status carom_event_own_happen(carom_event_driven *e, carom_error *error)
{
    carom_event_own *own = &e->own;
    const int count = e->shape->event_count;
    const double known = e->options->event_tolerance * fmax(1, fabs(e->t));
    for (int k = 0; k < count; k++) { /* all that have crossed, before any of them sets values */
        const double value = e->motion.state.event[k];
        const bool again = e->t - own->last[k] <= known; /* the same crossing */
        own->due[k] = (!again && own->side[k] != 0 && own->side[k] * value <= 0) || k == own->event;
        own->miss[k] = own->due[k] ? fabs(value) : again ? own->miss[k] : 0;
    }
    own->event = -1;
    carom_status status = find_near(e, known, error);
    for (int k = 0; k < count && status == CAROM_OK; k++)
        if (own->due[k])
            status = happen(e, k, error);
    return status;
}
