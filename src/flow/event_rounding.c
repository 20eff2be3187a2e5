/* Scales below which velocities, slips and forces of the event-driven method are rounding. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/larger.h"
#include "carom/tolerance.h"
#include "flow/event_driven.h"
#include "flow/motion_onset.h"

#include "base/short_loops.h"

/* After an evaluation: what contact forces and joints cancel in each acceleration, and how far the
 * forces may be off: the contact problem judges accelerations to the part carom_event_sharp, which
 * is more in forces where rows nearly depend on each other. A light ball between heavy ones feels
 * the rounding of their weights; strings and balls that are nearly on one line hold each other to
 * few digits. */
void carom_event_rounding_cancelled(carom_event_driven *e)
{
    carom_motion *m = &e->motion;
    memset(e->cancelled, 0, sizeof(double) * (size_t)e->n);
    if (m->row_count == 0)
        return;
    const double part = larger(carom_event_sharp * e->options->force_rest, CAROM_TOLERANCE_SUM);
    carom_motion_magnitudes(m, e->cancelled);
    carom_motion_force_sizes(m, e->cancelled, e->doubt, e->errors);
    for (int i = 0; i < e->shape->p; i++) {
        e->doubt[i] *= part;
        e->weak[i] = larger(e->weak[i], e->doubt[i]);
    }
}

/* A slip in space turns as fast as it ends: steps are a part of the time that is left to it, and in
 * so many of the shortest ones it is followed no further. */
enum { SHORTEST_STEPS = 128 };

/* Scales below which a normal velocity or slip of contact i is rounding: a part of the largest that
 * cancels in it, be it of velocities or, over a step, of accelerations, and of a slip that
 * turns what they make in the shortest steps. Where the step that an
 * event ends was longer than the next one, contacts that were closed keep its scale: their slip was
 * found to end by it. */
void carom_event_rounding_speeds(carom_event_driven *e, bool same_step)
{
    const carom_state *s = &e->motion.state;
    for (int i = 0; i < e->shape->p; i++) {
        double rate = fabs(s->w_hat[i]), gain = fabs(s->g_bias[i]), held = 0;
        for (int k = 0; k < e->n; k++) {
            rate += fabs(s->W[k + (size_t)i * e->n] * s->u[k]);
            gain += fabs(s->W[k + (size_t)i * e->n] * e->motion.a_free[k]);
            held += fabs(s->W[k + (size_t)i * e->n]) * e->cancelled[k];
        }
        for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++) {
            double slip = fabs(s->slip_motion[j]), start = fabs(s->slip_bias[j]);
            for (int k = 0; k < e->n; k++) {
                slip += fabs(s->H[k + (size_t)j * e->n] * s->u[k]);
                start += fabs(s->H[k + (size_t)j * e->n] * e->motion.a_free[k]);
            }
            rate = larger(rate, slip);
            gain = larger(gain, start);
        }
        e->speed[i] = larger(e->speed[i], larger(rate, gain * e->h));
        const bool turns = e->shape->slip_start[i + 1] - e->shape->slip_start[i] > 1;
        const double slow =
            larger(larger(e->options->rest * larger(e->speed[i], held * e->h), 4 * e->tremor[i]),
                   turns ? SHORTEST_STEPS * e->options->min_step * gain : 0);
        const bool closed = e->motion.mode[i] != CAROM_MODE_OPEN;
        e->slow[i] = same_step && closed ? larger(e->slow[i], slow) : slow;
    }
    e->motion.slow = e->motion.quick = 0;
    for (int i = 0; i < e->shape->p; i++) {
        e->motion.slow = larger(e->motion.slow, e->slow[i]);
        e->motion.quick = larger(e->motion.quick, e->speed[i]);
    }
    carom_motion_onset_head(&e->motion);
}

/* M^-1 w_i into e->point; w_i'M^-1 w_i. */
static double inverse_normal(carom_event_driven *e, int i)
{
    const double *w = e->motion.state.W + (size_t)i * e->n;
    double sum = 0;
    memcpy(e->point, w, sizeof(double) * (size_t)e->n);
    carom_motion_inverse_mass(&e->motion, e->point);
    for (int k = 0; k < e->n; k++)
        sum += w[k] * e->point[k];
    return sum;
}

double carom_event_rounding_norm(carom_event_driven *e, int contact)
{
    return sqrt(inverse_normal(e, contact));
}

/* Velocities below the square of the rounding of the largest so far are none: bodies that rest take
 * part in impacts elsewhere, each time by a part e less, down to where numbers have no digits. */
void carom_event_rounding_rest(carom_event_driven *e)
{
    double *u = e->motion.state.u;
    for (int k = 0; k < e->n; k++)
        if (fabs(u[k]) <= DBL_EPSILON * DBL_EPSILON * e->peak[e->nq + k])
            u[k] = 0;
}

/* Rounding of forces is handed on: a wall that holds nothing itself feels that of the contacts of
 * the body it touches. One sweep; did anything change? */
static bool hand_on(carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    bool changed = false;
    for (int i = 0; i < e->shape->p; i++) {
        if (m->mode[i] == CAROM_MODE_OPEN)
            continue;
        const double own = inverse_normal(e, i);
        for (int j = 0; j < e->shape->p && own > 0; j++) {
            if (j == i || m->mode[j] == CAROM_MODE_OPEN)
                continue;
            const double *w = m->state.W + (size_t)j * e->n;
            double coupling = 0;
            for (int k = 0; k < e->n; k++)
                coupling += w[k] * e->point[k];
            const double weak = e->weak[j] * fabs(coupling) / own;
            if (weak > 2 * e->weak[i]) {
                e->weak[i] = weak;
                changed = true;
            }
        }
    }
    return changed;
}

/* Forces below weak[i] are zero: a part of the largest force that could act along the contact. */
void carom_event_rounding_forces(carom_event_driven *e, bool same_step)
{
    const carom_motion *m = &e->motion;
    double least = HUGE_VAL, most = 0;
    for (int i = 0; i < e->shape->p; i++) {
        const double *w = m->state.W + (size_t)i * e->n, inverse = inverse_normal(e, i);
        double size = fabs(m->state.g_bias[i]);
        for (int k = 0; k < e->n; k++)
            size += fabs(w[k] * m->a_free[k]);
        double weak = inverse > 0 ? e->options->force_rest * size / inverse : 0;
        weak = larger(weak, larger(m->slack[i], e->doubt[i]));
        weak = larger(weak, inverse > 0 ? 4 * e->shake[i] / inverse : 0);
        e->weak[i] = same_step ? larger(e->weak[i], weak) : weak;
        if (m->mode[i] != CAROM_MODE_OPEN) {
            const double scaled = e->weak[i] * sqrt(inverse);
            least = scaled < least ? scaled : least;
            most = larger(most, scaled);
        }
    }
    if (least < 0.001 * most)
        for (int round = 0; round < e->shape->p && hand_on(e);)
            round++;
}

/* Rounding of positions on a step's continuous solution, and of the time for walls that move. */
void carom_event_rounding_positions(carom_event_driven *e)
{
    double size = 0, moved = 0;
    for (int i = 0; i < e->nq; i++)
        size = larger(size, fabs(e->ode.y[i]));
    for (int i = 0; i < e->shape->p; i++)
        moved = larger(moved, fabs(e->motion.state.w_hat[i] * e->t));
    e->grain = CAROM_TOLERANCE_SUM * size + 8 * DBL_EPSILON * moved;
}

double carom_event_rounding_of(const carom_event_driven *e, int contact)
{
    return larger(e->grain, 64 * e->noise[contact]);
}

double carom_event_rounding_resolution(const carom_event_driven *e, int contact)
{
    return 8 * carom_event_rounding_of(e, contact);
}

/* How far a gap is off its tangent at a point so near that curvature cannot show: the rounding of
 * its formula. A gap of the form sqrt(...) - 2R is rounded like R, however small positions are. */
carom_status carom_event_rounding_gaps(carom_event_driven *e, int points, carom_error *error)
{
    const carom_motion *m = &e->motion;
    const carom_state *here = &m->state;
    carom_state *s = &e->probe;
    const int n = e->n, nq = e->nq, p = e->shape->p;
    double *u = e->scale, most = 0; /* free between steps */
    if (p == 0 || e->shape->rows_are_constant)
        return CAROM_OK;
    for (int i = 0; i < nq; i++)
        most = larger(most, e->peak[i]);
    s->t = here->t;
    memcpy(s->u, here->u, sizeof(double) * (size_t)n);
    carom_status status = CAROM_OK;
    for (int k = 0; k < points && status == CAROM_OK; k++) {
        for (int j = 0; j < n; j++) { /* any numbers between 16 and 64 roundings */
            e->dither = e->dither * 1664525u + 1013904223u;
            const double x = (double)(e->dither >> 8) / (1 << 24), size = 16 + 48 * x;
            u[j] = (e->dither & 128 ? size : -size) * DBL_EPSILON * most;
        }
        carom_motion_kinematics(m, u, s->q);
        for (int i = 0; i < nq; i++)
            s->q[i] += here->q[i];
        if (e->shape->kinematics_is_identity) /* what was really added */
            for (int j = 0; j < n; j++)
                u[j] = s->q[j] - here->q[j];
        status = carom_system_evaluate(m->system, CAROM_WANT_GAPS, s, error);
        for (int i = 0; i < p && status == CAROM_OK; i++) {
            double tangent = 0;
            for (int j = 0; j < n; j++)
                tangent += here->W[j + (size_t)i * n] * u[j];
            e->noise[i] = larger(e->noise[i], fabs(s->g[i] - here->g[i] - tangent));
        }
    }
    return status == CAROM_ERROR_NUMERIC ? CAROM_OK : status; /* at the edge of its domain */
}
