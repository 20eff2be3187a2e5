/* The rounding of time in the formulas of contacts that move.
 *
 * A table sin(w (t + T)) stands still while t + T rounds to the same number, and then jumps: its
 * velocity and acceleration are staircases, whatever the digits of t. How high their steps are is
 * measured: the second difference f(t + d) - 2 f(t) + f(t - d) has their height while d is short,
 * and rises with d^2 where f is smooth. A corner of the formula at t has such a difference too, but
 * none beside it: nothing is measured there. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/larger.h"
#include "flow/event_driven.h"

/* The present values of gap, velocity and acceleration of contact i that are due to time. */
static double value(const carom_state *s, int i, int kind)
{
    return kind == 0 ? s->g[i] : kind == 1 ? s->w_hat[i] : s->g_bias[i];
}

/* Second differences over d, `aside` d from the present, into out (3 p). */
static carom_status differences(carom_event_driven *e, int aside, double d, double *out,
                                carom_error *error)
{
    const carom_state *here = &e->motion.state;
    carom_state *s = &e->probe;
    const int p = e->shape->p;
    memcpy(s->q, here->q, sizeof(double) * (size_t)e->nq);
    memcpy(s->u, here->u, sizeof(double) * (size_t)e->n);
    for (int k = 0; k < 3 * p; k++)
        out[k] = aside ? 0 : -2 * value(here, k % p, k / p);
    carom_status status = CAROM_OK;
    for (int side = -1; side <= 1 && status == CAROM_OK; side++) {
        if (side == 0 && !aside)
            continue;
        s->t = here->t + (aside + side) * d;
        status = carom_system_evaluate(
            e->motion.system, CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_BIASES, s, error);
        for (int k = 0; k < 3 * p && status == CAROM_OK; k++)
            out[k] += (side == 0 ? -2 : 1) * value(s, k % p, k / p);
    }
    return status;
}

/* Does a velocity or an acceleration differ across the present and on neither side of it? centre:
 * the differences here. */
static carom_status is_corner(carom_event_driven *e, const double *centre, bool *corner,
                              carom_error *error)
{
    const double d = e->tick;
    const int p = e->shape->p;
    double *left = e->clock, *right = left + 3 * p;
    *corner = false;
    carom_status status = differences(e, -2, d, left, error);
    if (status == CAROM_OK)
        status = differences(e, 2, d, right, error);
    for (int k = p; k < 3 * p && status == CAROM_OK; k++)
        *corner = *corner || fabs(centre[k]) > 8 * larger(fabs(left[k]), fabs(right[k]));
    return status;
}

/* Over one distance, four times that and sixteen times: do some differences rise as those of a
 * smooth function do, by 16 each time? Steps of rounding rise by less, or all at once. */
static bool rise(int count, const double *one, const double *four, const double *sixteen)
{
    for (int k = 0; k < count; k++) {
        const double first = fabs(four[k]), second = fabs(sixteen[k]);
        if (first > 8 * fabs(one[k]) && first < 32 * fabs(one[k]) && second > 8 * first &&
            second < 32 * first)
            return true;
    }
    return false;
}

/* The longest distance over which all differences are rounding. The search goes up from the noise
 * of time itself and ends where a difference has risen twice; going down from a part of the motion
 * it would begin beyond the periods of what moves, where nothing is smooth, and would depend on how
 * long the motion is asked for. */
static carom_status choose_distance(carom_event_driven *e, carom_error *error)
{
    const double t = fabs(e->motion.state.t), top = ldexp(larger(t, 1), -10);
    const int count = 3 * e->shape->p;
    const size_t size = sizeof(double) * (size_t)count;
    double *one = e->clock, *four = one + count, *sixteen = e->flight; /* free between steps */
    double d = 4 * DBL_EPSILON * larger(t, ldexp(1, -20));
    carom_status status = differences(e, 0, d, one, error);
    if (status == CAROM_OK)
        status = differences(e, 0, 4 * d, four, error);
    for (; status == CAROM_OK && d < top; d *= 4) {
        e->tick = d;
        status = differences(e, 0, 16 * d, sixteen, error);
        if (status == CAROM_OK && rise(count, one, four, sixteen))
            break;
        memcpy(one, four, size);
        memcpy(four, sixteen, size);
    }
    return status;
}

/* Are velocities or accelerations rougher than was known? */
static bool exceeds(const carom_event_driven *e, const double *far)
{
    const int p = e->shape->p;
    for (int i = 0; i < p; i++)
        if (fabs(far[p + i]) > e->tremor[i] || fabs(far[2 * p + i]) > e->shake[i])
            return true;
    return false;
}

carom_status carom_event_clock_look(carom_event_driven *e, carom_error *error)
{
    const int p = e->shape->p;
    double *far = e->flight; /* free between steps */
    bool moves = false;
    for (int i = 0; i < p && !e->shape->rows_are_constant; i++)
        moves = moves || e->motion.state.w_hat[i] != 0 || e->motion.state.g_bias[i] != 0;
    if (!moves)
        return CAROM_OK;
    bool corner = false;
    const bool first = !(e->tick > 0);
    carom_status status = first ? choose_distance(e, error) : CAROM_OK;
    if (status == CAROM_OK)
        status = differences(e, 0, e->tick, far, error);
    if (status == CAROM_OK && (first || exceeds(e, far)))
        status = is_corner(e, far, &corner, error);
    if (first && (corner || status != CAROM_OK))
        e->tick = 0;
    for (int i = 0; i < p && status == CAROM_OK && !corner; i++) {
        e->noise[i] = larger(e->noise[i], fabs(far[i]));
        e->tremor[i] = larger(e->tremor[i], fabs(far[p + i]));
        e->shake[i] = larger(e->shake[i], fabs(far[2 * p + i]));
    }
    return status == CAROM_ERROR_NUMERIC ? CAROM_OK : status; /* at the edge of its domain */
}

static carom_status too_late(carom_event_driven *e, int contact, double change, const char *what)
{
    char name[32];
    return carom_record_stop(e->record, CAROM_FLOW_UNDERFLOW,
                             "contact %s at t = %.17g: the next number is %.3g later, in which its "
                             "%s changes by %.3g; let the motion start at an earlier time",
                             carom_record_contact(e->record, contact, name), e->t,
                             nextafter(e->t, INFINITY) - e->t, what, change);
}

/* Late times have few digits left for what contacts do by themselves: where a rate changes by a
 * part of 1e-4 of the speeds from one number to the next, an impact is no more than a guess. */
carom_status carom_event_clock_check(carom_event_driven *e)
{
    const double part = 1e-4, next = 4 * DBL_EPSILON * fabs(e->t);
    for (int i = 0; i < e->shape->p && !e->shape->rows_are_timeless; i++) {
        const double change = fabs(e->motion.state.g_bias[i]) * next;
        if (e->touching[i] && e->motion.state.w_hat[i] != 0 && change > part * e->speed[i] &&
            change > part * fabs(carom_motion_gamma(&e->motion, i)))
            return too_late(e, i, change, "velocity");
    }
    return CAROM_OK;
}

/* And where a contact moves by a hundredth of all positions, whether it closes is one too. */
carom_status carom_event_clock_late(carom_event_driven *e)
{
    const double part = 1e-2, next = 4 * DBL_EPSILON * fabs(e->t);
    for (int i = 0; i < e->shape->p && !e->shape->rows_are_timeless; i++) {
        const double hat = fabs(e->motion.state.w_hat[i]), change = hat * next;
        const double swing = hat * hat / fabs(e->motion.state.g_bias[i]); /* A cos^2/sin of A sin */
        if (change > part * e->extent && change > part * swing &&
            change > part * fabs(e->motion.state.g[i]))
            return too_late(e, i, change, "place");
    }
    return CAROM_OK;
}
