/* The rounding of time in the formulas of contacts that move.
 *
 * A table sin(w (t + T)) stands still while t + T rounds to the same number, and then jumps: its
 * velocity and acceleration are staircases, whatever the digits of t. How high their steps are is
 * measured: the second difference f(t + d) - 2 f(t) + f(t - d) falls with d^2 where f is smooth and
 * stops falling at the steps. */
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

/* Second differences over d into out (3 p). */
static carom_status differences(carom_event_driven *e, double d, double *out, carom_error *error)
{
    const carom_state *here = &e->motion.state;
    carom_state *s = &e->probe;
    const int p = e->shape->p;
    memcpy(s->q, here->q, sizeof(double) * (size_t)e->nq);
    memcpy(s->u, here->u, sizeof(double) * (size_t)e->n);
    for (int k = 0; k < 3 * p; k++)
        out[k] = -2 * value(here, k % p, k / p);
    carom_status status = CAROM_OK;
    for (int side = -1; side <= 1 && status == CAROM_OK; side += 2) {
        s->t = here->t + side * d;
        status = carom_system_evaluate(
            e->motion.system, CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_BIASES, s, error);
        for (int k = 0; k < 3 * p && status == CAROM_OK; k++)
            out[k] += value(s, k % p, k / p);
    }
    return status;
}

/* Are the differences over a quarter of the distance as small as those of a smooth function? */
static bool falls(const carom_event_driven *e, const double *far, const double *near)
{
    const int p = e->shape->p;
    for (int k = 0; k < 3 * p; k++) {
        const double rounding = 8 * DBL_EPSILON * fabs(value(&e->motion.state, k % p, k / p));
        if (fabs(far[k]) > rounding && fabs(near[k]) < fabs(far[k]) / 8)
            return true;
    }
    return false;
}

/* The longest distance over which all differences are rounding, from a part of the time that is
 * left; the noise of time itself ends the search. */
static carom_status choose_distance(carom_event_driven *e, double *far, double *near,
                                    carom_error *error)
{
    double d = ldexp(e->options->until - e->t, -20);
    carom_status status = differences(e, d, far, error);
    while (status == CAROM_OK && d > 4 * DBL_EPSILON * fabs(e->t)) {
        d /= 4;
        status = differences(e, d, near, error);
        if (status != CAROM_OK || !falls(e, far, near))
            break;
        memcpy(far, near, 3 * sizeof(double) * (size_t)e->shape->p);
    }
    e->tick = d;
    return status;
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
    carom_status status = CAROM_OK;
    if (!(e->tick > 0))
        status = choose_distance(e, far, e->clock, error);
    if (status == CAROM_OK)
        status = differences(e, e->tick, far, error);
    for (int i = 0; i < p && status == CAROM_OK; i++) {
        e->noise[i] = larger(e->noise[i], fabs(far[i]));
        e->tremor[i] = larger(e->tremor[i], fabs(far[p + i]));
        e->shake[i] = larger(e->shake[i], fabs(far[2 * p + i]));
    }
    return status == CAROM_ERROR_NUMERIC ? CAROM_OK : status; /* at the edge of its domain */
}
