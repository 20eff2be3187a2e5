/* Corners of closed contacts: what holds them holds accelerations, so that a velocity which jumps
 * in the contact itself is seen as a rate that is not zero. */
#include "flow/event_corner.h"

#include "base/larger.h"
#include "carom/tolerance.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/short_loops.h"

/* Rates below this part of their terms are what integration leaves, many times over. */
static const double plain = 1e-7;

/* The rate of a row, if velocities would have to jump to take it out. */
static bool lags(carom_event_driven *e, carom_motion_row row, double slow)
{
    const carom_motion *m = &e->motion;
    const double *r = carom_motion_vector(m, row);
    double rate = carom_motion_hat(m, row), size = fabs(rate), held = 0;
    for (int k = 0; k < e->n; k++) {
        const double term = r[k] * m->state.u[k];
        rate += term;
        size += fabs(term);
        held += fabs(r[k]) * (fabs(m->a_free[k]) + e->cancelled[k]);
    }
    const double small = plain * size + CAROM_TOLERANCE_SUM * held * fabs(e->ode.h);
    return fabs(rate) > larger(small, 2 * slow) && carom_event_guard_jumps(e, r, rate);
}

/* The same for the rows that hold contact i. */
static bool contact_lags(carom_event_driven *e, int i)
{
    const carom_motion *m = &e->motion;
    if (m->mode[i] == CAROM_MODE_OPEN || e->shape->contacts[i].spread_count > 0)
        return false;
    bool off = lags(e, (carom_motion_row){CAROM_MOTION_NORMAL, i}, e->slow[i]);
    if (m->mode[i] == CAROM_MODE_STICK)
        for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++)
            off = off || lags(e, (carom_motion_row){CAROM_MOTION_SLIP, j}, e->slow[i]);
    return off;
}

bool carom_event_corner_passed(carom_event_driven *e)
{
    for (int i = 0; i < e->shape->p; i++)
        if (contact_lags(e, i))
            return true;
    return false;
}

bool carom_event_corner_of_positions(carom_event_driven *e, const double *before)
{
    const carom_motion *m = &e->motion;
    for (int i = 0; i < e->shape->p; i++)
        if (contact_lags(e, i) &&
            2 * fabs(m->state.w_hat[i] - before[i]) < fabs(carom_motion_gamma(m, i)))
            return true;
    return false;
}

double carom_event_corner_room(const carom_event_driven *e)
{
    enum { ROUNDINGS = 64 };
    double fast = 0;
    for (int i = 0; i < e->n; i++)
        fast = larger(fast, fabs(e->motion.state.u[i]));
    return fast > 0 ? ROUNDINGS * e->grain / fast : 0;
}

/* Does the row belong to contact i? */
static bool belongs(const carom_event_driven *e, carom_motion_row row, int i)
{
    return (row.kind == CAROM_MOTION_NORMAL && row.index == i) ||
           (row.kind == CAROM_MOTION_SLIP && row.index >= e->shape->slip_start[i] &&
            row.index < e->shape->slip_start[i + 1]);
}

void carom_event_corner_release(carom_event_driven *e)
{
    carom_motion *m = &e->motion;
    for (int i = 0; i < e->shape->p; i++) {
        int kept = 0;
        if (!contact_lags(e, i))
            continue;
        m->mode[i] = CAROM_MODE_OPEN;
        e->triggered[i] = 1;
        for (int k = 0; k < m->row_count; k++)
            if (!belongs(e, m->rows[k], i))
                m->rows[kept++] = m->rows[k];
        m->row_count = kept;
    }
}

/* The normals at the probe, moved by d along coordinate j from where the motion stands. */
static bool look_aside(carom_event_driven *e, int j, double d)
{
    carom_state *s = &e->probe;
    double *du = e->scale; /* free between steps */
    memset(du, 0, sizeof *du * (size_t)e->n);
    du[j] = d;
    s->t = e->t;
    carom_motion_kinematics(&e->motion, du, s->q);
    for (int i = 0; i < e->nq; i++)
        s->q[i] += e->ode.y[i];
    memcpy(s->u, e->ode.y + e->nq, sizeof *s->u * (size_t)e->n);
    return carom_system_evaluate(e->motion.system, CAROM_WANT_GAPS | CAROM_WANT_NORMALS, s, NULL) ==
           CAROM_OK;
}

/* The closed contact whose normal is another one on the other side of the present place, or -1. The
 * gap of a smooth one turns by its curvature times the distance, which is rounding. */
static int cornered(carom_event_driven *e, double h)
{
    enum { ROUNDINGS = 64 };
    const size_t n = (size_t)e->n;
    for (int j = 0; j < e->n; j++) {
        double d = larger(ROUNDINGS * e->grain, 2 * fabs(e->ode.y[e->nq + j] * h));
        d = larger(d, sqrt(DBL_MIN)); /* in the origin any distance is told */
        if (!look_aside(e, j, d))
            continue;
        memcpy(e->motion.state.W, e->probe.W, sizeof(double) * n * (size_t)e->shape->p);
        if (!look_aside(e, j, -d))
            continue;
        for (int i = 0; i < e->shape->p; i++) {
            const double *a = e->motion.state.W + (size_t)i * n, *b = e->probe.W + (size_t)i * n;
            double jump = 0;
            for (size_t k = 0; k < n; k++)
                jump = larger(jump, fabs(a[k] - b[k]));
            if (e->motion.mode[i] != CAROM_MODE_OPEN &&
                jump > CAROM_TOLERANCE_HALF * carom_dense_max(e->n, a))
                return i;
        }
    }
    return -1;
}

carom_status carom_event_corner_stop(carom_event_driven *e, double h)
{
    const int i = e->shape->rows_are_constant ? -1 : cornered(e, h);
    char name[32];
    if (i < 0)
        return CAROM_OK;
    return carom_record_stop(
        e->record, CAROM_FLOW_UNDERFLOW,
        "contact %s is held in a corner of its gap (abs, min, max or if in its "
        "formula), where it has two normals: make each side a contact",
        carom_record_contact(e->record, i, name));
}
