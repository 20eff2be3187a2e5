/* The loop of the event-driven method: step, first event, decision, go on. */
#include "base/larger.h"
#include "carom/tolerance.h"
#include "flow/event_apex.h"
#include "flow/event_corner.h"
#include "flow/event_follow.h"
#include "flow/event_own.h"
#include "flow/event_region.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/short_loops.h"

/* y = (q, u, work of forces, work of moving constraints, friction by contact) */
static carom_status slope(void *self, double t, const double *y, double *dy, carom_error *error)
{
    carom_event_driven *e = self;
    carom_motion *m = &e->motion;
    const carom_system_shape *shape = e->shape;
    carom_status status = carom_motion_evaluate(m, t, y, y + e->nq, CAROM_WANT_ENERGY, error);
    if (status != CAROM_OK)
        return status;
    double *work = dy + e->nq + e->n, moving = 0;
    carom_motion_kinematics(m, y + e->nq, dy);
    memcpy(dy + e->nq, m->a, sizeof(double) * (size_t)e->n);
    memset(work, 0, sizeof(double) * (size_t)e->extra);
    work[0] = m->state.power;
    if (m->row_count == 0)
        return CAROM_OK;
    for (int i = 0; i < shape->p; i++) {
        moving -= m->force[i] * m->state.w_hat[i];
        for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++) {
            if (m->friction[j] == 0)
                continue;
            moving -= m->friction[j] * m->state.slip_motion[j];
            if (m->sliding[i])
                work[2 + i] += m->friction[j] * carom_motion_slip(m, j);
        }
    }
    for (int j = 0; j < shape->m; j++)
        moving -= m->joint[j] * m->state.b_hat[j];
    for (int j = 0; j < shape->a; j++)
        moving -= m->joint[shape->m + j] * m->state.a_hat[j];
    work[1] = moving;
    return CAROM_OK;
}

/* The slope at the start of a step, and what contact forces cancel in its accelerations. */
static carom_status begin_step(carom_event_driven *e, carom_error *error)
{
    carom_status status = slope(e, e->t, e->ode.y, e->ode.k[0], error);
    if (status == CAROM_OK)
        carom_event_rounding_cancelled(e);
    return status;
}

/* Where the ledger's integrals stand at y. */
static void book(carom_event_driven *e, const double *y)
{
    carom_flow_ledger *l = &e->record->result->ledger;
    const double *work = y + e->nq + e->n;
    l->constraints = work[1];
    l->forces = work[0] + work[1];
    l->friction = 0;
    for (int i = 0; i < e->extra - 2; i++) {
        l->friction_loss[i] = work[2 + i];
        l->friction += work[2 + i];
    }
}

static carom_status emit(carom_event_driven *e, double t, const double *y, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_status status = carom_motion_evaluate(m, t, y, y + e->nq, CAROM_WANT_ALL, error);
    if (status != CAROM_OK)
        return status;
    if (m->row_count == 0) {
        memset(m->force, 0, sizeof(double) * (size_t)e->shape->p);
        memset(m->friction, 0, sizeof(double) * (size_t)e->shape->s);
    }
    book(e, y);
    carom_record_balance(e->record, &m->state);
    carom_flow_row row = {.t = t,
                          .q = m->state.q,
                          .u = m->state.u,
                          .gap = m->state.g,
                          .force = m->force,
                          .friction = m->friction,
                          .mode = m->mode,
                          .mass = m->state.M,
                          .ledger = &e->record->result->ledger};
    return carom_record_row(e->record, &row, error);
}

/* Rows due before `end` on the continuous solution of the present step. */
static carom_status emit_until(carom_event_driven *e, double begin, double end, carom_error *error)
{
    const double every = e->options->output;
    if (!(every > 0) || !e->record->observer->row)
        return CAROM_OK;
    for (;;) {
        double t = begin + (double)e->row * every;
        if (!(t < end) || t >= e->options->until - CAROM_TOLERANCE_SAME * every)
            return CAROM_OK;
        double theta = (t - e->ode.t) / e->ode.h;
        carom_ode_dop853_at(&e->ode, larger(theta, 0), e->ode.n, e->point);
        carom_status status = emit(e, t, e->point, error);
        if (status > 0) { /* stopped here: the motion ends with this row */
            e->t = t;
            memcpy(e->ode.y, e->point, sizeof(double) * (size_t)e->ode.n);
        }
        if (status != CAROM_OK)
            return status;
        e->row++;
    }
}

/* Which contacts touch at an event: those closed until now, those of the event, those whose gap
 * closes within the tolerance of it, if that is a time in which its rate stays what it is. */
static void find_touching(carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    const double tau = e->options->event_tolerance * larger(1, fabs(e->t)), steady = 0.01;
    for (int i = 0; i < e->shape->p; i++) {
        double gamma = carom_motion_gamma(m, i);
        const bool near = e->triggered[i] ||
                          m->state.g[i] <= carom_event_rounding_resolution(e, i) ||
                          (m->state.g[i] <= -gamma * tau &&
                           fabs(carom_motion_gain(m, i, m->a_free)) * tau <= steady * fabs(gamma));
        e->touching[i] = m->mode[i] != CAROM_MODE_OPEN            ? CAROM_COLLIDE_TOUCHES
                         : !near                                  ? 0
                         : !carom_event_own_may_close(e, i)       ? 0
                         : !e->triggered[i] && gamma > e->slow[i] ? CAROM_COLLIDE_PARTS
                                                                  : CAROM_COLLIDE_TOUCHES;
    }
}

/* Closed contacts that are not: those in force depend on each other but for rounding, and the
 * forces found for them push bodies anywhere. A body at rest has no speed to compare with: there
 * counts what its gap could become in the time that is left, and what the rounding of the forces
 * that hold it makes of speed and gap in a step. */
static carom_status check_held(carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    const double left = e->options->until - e->t, part = 1e-7, h = e->ode.h;
    char name[32];
    double size = 0;
    for (int i = 0; i < e->nq; i++)
        size = larger(size, e->peak[i]);
    for (int i = 0; i < e->shape->p; i++) {
        const double g = m->state.g[i], gamma = carom_motion_gamma(m, i);
        const double floor = carom_event_rounding_resolution(e, i);
        double rate = e->speed[i], noise = 0; /* of the acceleration that forces cancel */
        for (int k = 0; k < e->n; k++) {
            const double w = fabs(m->state.W[k + (size_t)i * e->n]);
            rate += w * fabs(m->state.u[k]);
            noise += CAROM_TOLERANCE_SUM * w * (fabs(m->a_free[k]) + e->cancelled[k]);
        }
        if (m->mode[i] != CAROM_MODE_OPEN &&
            (fabs(g) > larger(part * size, larger(floor, noise * h * h)) ||
             (fabs(gamma) > larger(part * rate, noise * h) && fabs(gamma) * left > floor)))
            return carom_record_stop(e->record, CAROM_FLOW_UNSOLVED,
                                     "contact %s cannot be held closed (gap %.3g, "
                                     "velocity %.3g): the closed contacts nearly depend on each "
                                     "other",
                                     carom_record_contact(e->record, i, name), g, gamma);
    }
    return CAROM_OK;
}

static void measure_penetration(carom_event_driven *e)
{
    double *most = &e->record->result->max_penetration;
    for (int i = 0; i < e->shape->p; i++)
        if (!e->own.passed[i])
            *most = larger(*most, -e->motion.state.g[i]);
}

/* Drift off the constraints, and penetration, at the end of a step. */
static carom_status check_end(carom_event_driven *e, carom_error *error)
{
    if (e->motion.row_count > 0) {
        carom_status status = carom_event_settle_look(e, error);
        if (status == CAROM_OK)
            status = carom_event_settle_put_back(e, e->options->drift, true, error);
        if (status == CAROM_OK)
            status = check_held(e);
        if (status != CAROM_OK)
            return status;
        carom_event_rounding_speeds(e, false);
        carom_event_rounding_forces(e, false);
    } else if (e->event_count > 0) {
        return CAROM_OK; /* gaps were watched through the step */
    }
    measure_penetration(e);
    return CAROM_OK;
}

/* Who follows the motion is told when an event begins, and when it is settled. */
static carom_status follow_open(const carom_event_driven *e, bool begins, carom_error *error)
{
    const carom_event_follow *f = e->record->follow;
    return f && f->open ? f->open(f->self, e, begins, error) : CAROM_OK;
}

static carom_status follow_close(const carom_event_driven *e, carom_error *error)
{
    const carom_event_follow *f = e->record->follow;
    return f && f->close ? f->close(f->self, e, error) : CAROM_OK;
}

/* Roundings are the largest that were seen, so that after some events a few more of them tell the
 * rest: each look costs three evaluations, a quarter of a flight. */
static bool listens(carom_event_driven *e)
{
    enum { ALWAYS = 64, THEN = 8 };
    e->listened++;
    return e->listened <= ALWAYS || e->listened % THEN == 0;
}

static carom_status listen(carom_event_driven *e, carom_error *error)
{
    const carom_status status = carom_event_rounding_gaps(e, 1, error);
    return status == CAROM_OK ? carom_event_clock_look(e, error) : status;
}

/* At an event: decide how to go on, and refuse to do so for ever at one instant. */
static carom_status event(carom_event_driven *e, carom_error *error)
{
    carom_flow_result *r = e->record->result;
    const double since = e->t - e->event_time;
    const double tau = e->options->event_tolerance * larger(1, fabs(e->t));
    carom_status status = carom_event_settle_look(e, error);
    if (status > 0)
        return carom_event_advance_bad_point(e, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < e->shape->p; i++) /* friction at rest reached its limit, and does again */
        e->motion.broken[i] =
            e->triggered[i] && e->motion.mode[i] == CAROM_MODE_STICK && since <= 1e3 * tau;
    if (e->shape->spread > 0)
        carom_event_apex_release(e);
    if (e->cause.kind == CAROM_EVENT_CORNER) /* putting back might cross it */
        carom_event_corner_release(e);
    else
        status = carom_event_settle_put_back(e, 4 * DBL_EPSILON, false,
                                             error); /* so that what leaves starts from zero */
    if (status != CAROM_OK)
        return status > 0 && r->end == CAROM_FLOW_REACHED ? carom_event_advance_bad_point(e, error)
                                                          : status;
    status = follow_open(e, false, error);
    if (status == CAROM_OK && listens(e))
        status = listen(e, error);
    const bool own = e->shape->event_count + e->shape->guard_count > 0 || e->shape->region;
    if (status == CAROM_OK && own)
        status = carom_event_own_look(e, error);
    if (status == CAROM_OK && own)
        status = carom_event_own_happen(e, error);
    if (status != CAROM_OK)
        return status > 0 && r->end == CAROM_FLOW_REACHED ? carom_event_advance_bad_point(e, error)
                                                          : status;
    carom_event_rounding_positions(e);
    find_touching(e);
    status = carom_event_clock_check(e);
    if (status == CAROM_OK)
        status = carom_event_region_touch(e, error);
    if (status != CAROM_OK)
        return status;
    measure_penetration(e);
    /* modes that change again and again without time or impacts between them */
    e->stuck = since <= 1e3 * tau && r->impact_count == e->impacts_then ? e->stuck + 1 : 0;
    e->impacts_then = r->impact_count;
    if (e->stuck > 300)
        return carom_record_stop(e->record, CAROM_FLOW_UNSOLVED,
                                 "%d changes of mode within %.3g, they do not settle", e->stuck,
                                 1e3 * tau);
    r->events++;
    if (e->options->max_events > 0 && r->events > e->options->max_events)
        return carom_record_stop(e->record, CAROM_FLOW_EVENT_LIMIT, "the limit of %ld events",
                                 e->options->max_events);
    e->event_time = e->t;
    if (since > tau)
        e->h = fmin(e->h, 1.5 * since);
    status = carom_event_settle(e, error);
    if (status == CAROM_OK)
        status = begin_step(e, error);
    if (status > 0 && r->end == CAROM_FLOW_REACHED)
        return carom_event_advance_bad_point(e, error);
    return status == CAROM_OK ? follow_close(e, error) : status;
}

/* Forces may be finite and the motion under them not, or its energy. */
static carom_status check_finite(carom_event_driven *e)
{
    for (int i = 0; i < e->nq + e->n; i++) {
        const double y = e->ode.y[i];
        if (!isfinite(i < e->nq ? y : y * y))
            return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE,
                                     "at t = %.12g %s %d is %g, too large to go on with", e->t,
                                     i < e->nq ? "coordinate" : "velocity",
                                     i < e->nq ? i + 1 : i - e->nq + 1, y);
    }
    return CAROM_OK;
}

static carom_status step(carom_event_driven *e, double begin, carom_error *error)
{
    carom_flow_result *r = e->record->result;
    double theta, err = 0;
    carom_status status = carom_event_advance(e, &theta, &err, error);
    if (status != CAROM_OK)
        return status;
    const bool hit = theta >= 0;
    double h = e->ode.h, now = e->t + (hit ? theta * h : h);
    const bool still =
        h == 0 && e->cause.kind == CAROM_EVENT_SLIP_SPATIAL; /* carom_event_advance_still's */
    if (!hit && h == e->options->until - e->t)
        now = e->options->until;
    /* a second event before the next number: what changes there is seen at that number only */
    if (hit && now == e->t && e->t == e->event_time)
        now = nextafter(e->t, e->options->until);
    status = emit_until(e, begin, now, error);
    const carom_event_follow *follow = e->record->follow;
    if (status == CAROM_OK && follow && follow->step && !still)
        status = follow->step(follow->self, e, now, error);
    if (status != CAROM_OK)
        return status;
    if (hit && theta < 1)
        carom_ode_dop853_at(&e->ode, theta, e->ode.n, e->ode.y);
    else
        memcpy(e->ode.y, e->ode.next, sizeof(double) * (size_t)e->ode.n);
    e->t = now;
    r->steps++;
    for (int i = 0; i < e->nq + e->n; i++)
        e->peak[i] = larger(e->peak[i], fabs(e->ode.y[i]));
    status = check_finite(e);
    if (status != CAROM_OK)
        return status;
    if (h > 0) /* an event where the step starts tells nothing of its length */
        e->h = h * carom_ode_dop853_factor(err);
    e->looked = hit;
    if (hit)
        return event(e, error);
    for (int k = 0; k < e->event_count; k++)
        e->events[k].fresh = e->sample[(size_t)k * CAROM_BERNSTEIN_NODES + 7] <= 0;
    if (e->motion.row_count > 0) {
        status = check_end(e, error);
        if (status == CAROM_OK)
            status = begin_step(e, error);
        if (status > 0 && e->motion.unsettled) {
            carom_event_advance_still(e, &theta);
            return event(e, error);
        }
        return status > 0 && r->end == CAROM_FLOW_REACHED ? carom_event_advance_bad_point(e, error)
                                                          : status;
    }
    memcpy(e->ode.k[0], e->ode.k[12], sizeof(double) * (size_t)e->ode.n);
    return CAROM_OK;
}

/* The length of the first step: a part of the time in which what acts changes velocities by their
 * size, or positions by theirs; without forces, in which the motion goes as far. It does not depend
 * on how long the motion is asked for, and so neither does the scale that rest is compared with.
 * What stands at the origin and is not pushed has no such time, nor has what would be lost in the
 * rounding of the end's. */
static double first_length(const carom_event_driven *e)
{
    const double left = e->options->until - e->t;
    double q = 0, u = 0, a = 0;
    for (int i = 0; i < e->nq; i++)
        q = larger(q, fabs(e->ode.y[i]));
    for (int i = 0; i < e->n; i++) {
        u = larger(u, fabs(e->ode.y[e->nq + i]));
        a = larger(a, fabs(e->motion.a_free[i]));
    }
    const double own = a > 0 ? larger(u / a, sqrt(q / a)) : u > 0 ? q / u : 0;
    return own > DBL_EPSILON * left ? fmin(0.1 * own, 0.01 * left) : 0.01 * left;
}

/* The start: refuse penetration and broken joints, close what is closed. */
static carom_status begin(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    const carom_flow_options *o = e->options;
    char name[32];
    carom_status status = carom_event_settle_look(e, error);
    if (status > 0)
        return carom_event_advance_bad_point(e, error);
    if (status != CAROM_OK)
        return status;
    status = carom_event_own_begin(e, error);
    if (status != CAROM_OK)
        return status > 0 ? carom_event_advance_bad_point(e, error) : status;
    if (!carom_event_region_begin(e))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the motion starts outside its region: in no group have all "
                               "contacts a gap >= -%.3g",
                               o->closed);
    for (int i = 0; i < e->shape->p; i++) {
        e->touching[i] = m->state.g[i] <= o->closed && carom_event_own_may_close(e, i);
        if (m->state.g[i] < -o->closed && !e->own.passed[i])
            return carom_error_set(
                error, CAROM_ERROR_INPUT,
                "the motion starts in penetration: contact %s has gap %.6g, allowed is >= -%.3g",
                carom_record_contact(e->record, i, name), m->state.g[i], o->closed);
    }
    for (int j = 0; j < e->shape->m; j++)
        if (!(fabs(m->state.f[j]) <= o->closed))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the motion starts off a joint: %s = %.6g, allowed is %.3g",
                                   e->shape->joints && e->shape->joints[j] ? e->shape->joints[j]
                                                                           : "bilateral",
                                   m->state.f[j], o->closed);
    e->record->result->ledger.initial = carom_record_energy(e->shape, &m->state);
    for (int i = 0; i < e->nq + e->n; i++)
        e->peak[i] = fabs(e->ode.y[i]);
    e->h = first_length(e);
    memset(e->triggered, 0, (size_t)e->shape->p);
    carom_event_rounding_positions(e);
    status = follow_open(e, true, error);
    if (status == CAROM_OK)
        status = carom_event_rounding_gaps(e, 4, error);
    if (status == CAROM_OK)
        status = carom_event_clock_look(e, error);
    if (status == CAROM_OK)
        status = carom_event_region_touch(e, error);
    if (status == CAROM_OK)
        status = carom_event_settle(e, error);
    if (status == CAROM_OK)
        status = begin_step(e, error);
    /* What is remembered are the speeds at the start, not those over a step that was only guessed.
     */
    const double guess = e->h;
    e->h = 0;
    memset(e->speed, 0, sizeof(double) * (size_t)e->shape->p);
    if (status == CAROM_OK)
        carom_event_rounding_speeds(e, true);
    e->h = guess;
    e->looked = true;
    if (status > 0 && e->record->result->end == CAROM_FLOW_REACHED)
        return carom_event_advance_bad_point(e, error);
    if (status == CAROM_OK)
        status = follow_close(e, error);
    if (status == CAROM_OK)
        status = emit(e, e->t, e->ode.y, error);
    e->row = 1;
    return status;
}

carom_status carom_event_driven_run(carom_record *record, const carom_law *law,
                                    const carom_flow_start *start, carom_arena *work,
                                    carom_arena *scratch, carom_error *error)
{
    carom_event_driven engine, *e = &engine;
    carom_flow_result *r = record->result;
    carom_status status = carom_event_create(e, record, law, start, slope, work, scratch, error);
    if (status != CAROM_OK)
        return status;
    status = begin(e, error);
    while (status == CAROM_OK && e->t < e->options->until) {
        status = step(e, start->t, error);
        if (status == CAROM_OK)
            status = carom_event_pace(e);
        if (status == CAROM_OK && (r->steps & 255) == 0)
            status = carom_record_progress(record, e->t, error);
    }
    if (status < 0)
        return status;
    /* the end, reached or not, in the ledger and the last row */
    carom_status last =
        carom_motion_evaluate(&e->motion, e->t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
    if (last == CAROM_OK) {
        book(e, e->ode.y);
        carom_record_balance(record, &e->motion.state);
        if (e->options->until > start->t && carom_record_lacks_end(record, status, e->t))
            last = emit(e, e->t, e->ode.y, error);
        if (status == CAROM_OK || last < 0)
            status = last;
        if (status == CAROM_OK)
            status = carom_event_guard_end(e);
    }
    r->evaluations = e->ode.evaluations;
    e->motion.state.t = e->t;
    memcpy(e->motion.state.q, e->ode.y, sizeof(double) * (size_t)e->nq);
    memcpy(e->motion.state.u, e->ode.y + e->nq, sizeof(double) * (size_t)e->n);
    carom_status kept = carom_record_finish(record, &e->motion.state, error);
    return kept != CAROM_OK ? kept : status;
}
