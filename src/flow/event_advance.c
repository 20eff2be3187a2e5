/* One step of the event-driven method that is accurate enough, up to its first event. */
#include "base/larger.h"
#include "carom/tolerance.h"
#include "flow/event_corner.h"

#include <float.h>
#include <math.h>
#include <string.h>

carom_status carom_event_advance_bad_point(carom_event_driven *e, const carom_error *error)
{
    return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE, "%s", error->text);
}

/* A step may err by this part of the tolerance, so that the motion over many steps keeps to it. */
static const double step_share = 0.01;

/* Scale of the error: a part of the largest value of each component so far, and of a thousandth of
 * the largest of its kind. */
static void measure_scale(carom_event_driven *e)
{
    const double *y = e->ode.y, *next = e->ode.next;
    const double tol = larger(step_share * e->options->tolerance, 4 * DBL_EPSILON);
    double kind[2] = {0, 0}, h = fabs(e->ode.h);
    for (int i = 0; i < e->nq + e->n; i++) {
        const int k = i >= e->nq;
        double size = larger(e->peak[i], larger(fabs(y[i]), fabs(next[i])));
        size = larger(size, h * larger(fabs(e->ode.k[0][i]),
                                       larger(fabs(e->ode.k[6][i]), fabs(e->ode.k[11][i]))));
        e->scale[i] = size;
        kind[k] = larger(kind[k], size);
    }
    /* where contact forces hold the system still, what is left is the rounding of what they cancel:
     * of the largest acceleration, and of what the forces add up to in each component, which may
     * be in other units */
    double held = 0, *sum = e->point;
    memset(sum, 0, sizeof(double) * (size_t)e->n);
    if (e->motion.row_count > 0) {
        for (int i = 0; i < e->n; i++)
            held = larger(held, h * fabs(e->motion.a_free[i]));
        carom_motion_magnitudes(&e->motion, sum);
    }
    for (int i = 0; i < e->nq + e->n; i++) {
        const int k = i >= e->nq;
        double own = k ? h * sum[i - e->nq] : e->nq == e->n ? h * h * sum[i] : 0;
        own = larger(own, k ? held : h * held);
        e->scale[i] = tol * larger(larger(e->scale[i], 0.001 * kind[k]), own);
    }
}

static carom_status underflow(carom_event_driven *e, bool bad, const carom_error *error)
{
    const carom_motion *m = &e->motion;
    char name[32];
    if (bad)
        return carom_event_advance_bad_point(e, error);
    const carom_status status = carom_event_corner_stop(e, e->options->min_step);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < e->shape->p; i++)
        if (m->sliding[i])
            return carom_record_stop(
                e->record, CAROM_FLOW_INCONSISTENT,
                "step size below %.3g while contact %s slides with force %.6g growing "
                "without bound (Painleve)",
                e->options->min_step, carom_record_contact(e->record, i, name), m->force[i]);
    return carom_record_stop(
        e->record, CAROM_FLOW_UNDERFLOW,
        "step size below %.3g; the forces change too fast, or jump at once (sign, "
        "abs or if in a formula?)",
        e->options->min_step);
}

static carom_status too_short(carom_event_driven *e)
{
    char name[32];
    const carom_status status = carom_event_corner_stop(e, carom_event_advance_least(e));
    if (status != CAROM_OK)
        return status;
    return carom_record_stop(e->record, CAROM_FLOW_UNDERFLOW,
                             "the gap of contact %s goes to and fro near zero within the shortest "
                             "step, %.3g at t = %.12g",
                             carom_record_contact(e->record, e->cause.contact, name),
                             carom_event_advance_least(e), e->t);
}

void carom_event_advance_still(carom_event_driven *e, double *theta)
{
    carom_motion *m = &e->motion;
    memset(e->triggered, 0, (size_t)e->shape->p);
    for (int i = 0; i < e->shape->p; i++)
        if (m->sliding[i] && m->onset[i] > 0) {
            e->cause = (carom_event){CAROM_EVENT_SLIP_SPATIAL, i, 0, 0};
            e->triggered[i] = 1;
            m->onset[i] = 0;
        }
    e->ode.t = e->t;
    e->ode.h = 0;
    memcpy(e->ode.next, e->ode.y, sizeof(double) * (size_t)e->ode.n);
    *theta = 1;
}

/* The length to try: not beyond the end, and no sliver left before it. */
static double choose_length(const carom_event_driven *e)
{
    const carom_flow_options *o = e->options;
    const double left = o->until - e->t, h = o->max_step > 0 ? fmin(e->h, o->max_step) : e->h;
    return h >= left * (1 - CAROM_TOLERANCE_CARRIED) ? left : h > 0.5 * left ? 0.5 * left : h;
}

/* A step of length h with its continuous solution. Its error is measured where the motion has
 * curved ways; not *accepted: e->h is what to try next. */
static carom_status try_step(carom_event_driven *e, double h, double *err, bool *accepted,
                             carom_error *error)
{
    *accepted = true;
    if (e->kind == CAROM_EVENT_PARABOLA) {
        carom_status status = carom_event_uniform_step(e, h, error);
        carom_event_uniform_dense(e);
        return status;
    }
    carom_status status = carom_ode_dop853_try(&e->ode, e->t, h, error);
    if (status != CAROM_OK || e->kind != CAROM_EVENT_CURVED)
        return status;
    measure_scale(e);
    *err = carom_ode_dop853_error(&e->ode, e->scale);
    if (e->over)
        *err = 0; /* h times the jump, less than the rounding of a velocity */
    e->over = false;
    if (!(*err <= 1)) {
        e->h = h * (*err < INFINITY ? carom_ode_dop853_factor(*err) : 0.1);
        *accepted = false;
        return CAROM_OK;
    }
    status = carom_ode_dop853_dense(&e->ode, error);
    /* what forces cancel may grow from nothing: pendulums that pass their lowest point */
    if (status == CAROM_OK && e->motion.row_count > 0)
        carom_event_rounding_forces(e, true);
    return status;
}

/* A jump lies within the last step that failed, at most so many of the shortest away. */
static const double jump_room = 16;

double carom_event_advance_least(const carom_event_driven *e)
{
    return jump_room * e->options->min_step * larger(1, fabs(e->t));
}

carom_status carom_event_advance(carom_event_driven *e, double *theta, double *err,
                                 carom_error *error)
{
    const double smallest = e->options->min_step * larger(1, fabs(e->t));
    int redone = 0;
    bool failed = false;
    carom_event_rounding_positions(e);
    e->extent = 0;
    for (int i = 0; i < e->nq; i++)
        e->extent = larger(e->extent, e->peak[i]);
    carom_status late = carom_event_clock_late(e);
    if (late != CAROM_OK)
        return late;
    if (e->kind == CAROM_EVENT_UNIFORM) {
        carom_status status = carom_event_uniform_advance(e, theta, error);
        return status > 0 ? carom_event_advance_bad_point(e, error) : status;
    }
    if (carom_event_flight_possible(e)) {
        bool done;
        carom_status status = carom_event_flight_advance(e, theta, &done, error);
        if (status < 0 || done)
            return status > 0 ? carom_event_advance_bad_point(e, error) : status;
    }
    for (;;) {
        double h = choose_length(e);
        bool accepted;
        if (h < smallest && h < e->options->until - e->t) {
            const double room = fmin(jump_room * smallest, e->options->until - e->t);
            e->over = carom_event_jump_ahead(e, room, error);
            if (!e->over && failed)
                return underflow(e, false, error);
            /* behind a jump the length is that of the step which met it */
            h = e->h = e->over ? room : smallest;
        }
        carom_status status = try_step(e, h, err, &accepted, error);
        if (status == CAROM_OK && accepted)
            status = carom_event_watch_find(e, theta, error);
        if (status > 0) { /* a point on the way that cannot be evaluated: come nearer first */
            if (0.25 * h < smallest && e->motion.unsettled) {
                carom_event_advance_still(e, theta);
                return CAROM_OK;
            }
            if (0.25 * h < smallest)
                return underflow(e, true, error);
            e->h = 0.25 * h;
            accepted = false;
        } else if (status != CAROM_OK) {
            return status;
        }
        if (!accepted) {
            e->record->result->rejected++;
            failed = true;
            continue;
        }
        if (e->unclear > 0) { /* the step is too long to see what gaps do near zero */
            if (e->unclear * h <= carom_event_advance_least(e))
                return too_short(e);
            e->h = e->unclear * h;
            e->restless = true;
            continue;
        }
        /* Rates of closed contacts jump: a step that ends before it knows nothing of what is
         * behind, and sees all that happens until then. */
        if (*theta > 0 && e->cause.kind == CAROM_EVENT_CORNER && *theta * h > 16 * smallest) {
            e->h = *theta * h - 8 * smallest;
            continue;
        }
        if (*theta > 0 && e->cause.kind == CAROM_EVENT_CORNER && e->cause.fresh)
            *theta = fmin(*theta + carom_event_corner_room(e) / h, 1);
        /* Slip in space that stops: behind the stop friction keeps its direction, so that only a
         * step that ends there has seen how the slip turned on the way. */
        if (*theta > 0 && *theta < 0.5 && e->cause.kind == CAROM_EVENT_SLIP_SPATIAL &&
            *theta * h > 16 * smallest) {
            e->h = *theta * h * 1.05;
            continue;
        }
        /* An early event is located again on a shorter step, whose polynomial is sharper there. */
        if (*theta > 0 && redone < 3 && (*theta < 0.2 || (*theta < 0.5 && *err > 0.001)) &&
            *theta * h > 16 * smallest) {
            e->h = *theta * h * 1.05;
            redone++;
            continue;
        }
        return CAROM_OK;
    }
}
