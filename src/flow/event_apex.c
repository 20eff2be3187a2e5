/* Cones in motion (docs/theory/event-driven.md, "Cones"): the set g >= |s| is smooth on its flank,
 * where it is an ordinary contact with gap g - |s|, and a second-order cone in its apex s = 0. */
#include "flow/event_apex.h"

#include <math.h>

#include "linalg/dense.h"

/* The rate of a spread column. */
static double column_rate(const carom_event_driven *e, int j)
{
    const carom_motion_row row = {CAROM_MOTION_SPREAD, j};
    const carom_motion *m = &e->motion;
    return carom_dense_dot(e->n, carom_motion_vector(m, row), m->state.u) +
           carom_motion_hat(m, row);
}

/* How fast contact i moves across its cone: |A'u + ...|. */
static double across(const carom_event_driven *e, int i)
{
    double sum = 0;
    for (int j = e->shape->spread_start[i]; j < e->shape->spread_start[i + 1]; j++)
        sum = hypot(sum, column_rate(e, j));
    return sum;
}

/* The apex is as wide as positions are resolved, and as far as the contact moves within the
 * tolerance of an event. */
static double width(const carom_event_driven *e, int i)
{
    const double tau = e->options->event_tolerance * fmax(1, fabs(e->t));
    return carom_event_rounding_resolution(e, i) + tau * across(e, i);
}

bool carom_event_apex_at(const carom_event_driven *e, int i)
{
    return e->shape->contacts[i].spread_count > 0 && e->motion.state.apex[i] <= width(e, i);
}

/* The unit vector s/|s| of a spread column; 0 in the apex itself. On the flank W = w - A s/|s|. */
static double slope(const carom_event_driven *e, int i, int column)
{
    const double size = e->motion.state.apex[i];
    return size > 0 ? e->motion.state.spread_value[column] / size : 0;
}

double carom_event_apex_rate_of(const carom_event_driven *e, int i)
{
    const carom_motion *m = &e->motion;
    const int *start = e->shape->spread_start;
    double gamma = carom_motion_gamma(m, i);
    if (!carom_event_apex_at(e, i))
        return gamma;
    for (int j = start[i]; j < start[i + 1]; j++)
        gamma += slope(e, i, j) * column_rate(e, j);
    return gamma - across(e, i);
}

void carom_event_apex_watch(carom_event_driven *e, int i)
{
    for (int j = e->shape->spread_start[i]; j < e->shape->spread_start[i + 1]; j++)
        e->own.heading[j] = slope(e, i, j);
}

double carom_event_apex_ahead(const carom_event_driven *e, int i)
{
    double sum = 0;
    for (int j = e->shape->spread_start[i]; j < e->shape->spread_start[i + 1]; j++)
        sum += e->own.heading[j] * e->motion.state.spread_value[j];
    return sum;
}

void carom_event_apex_release(carom_event_driven *e)
{
    carom_motion *m = &e->motion;
    for (int i = 0; i < e->shape->p; i++) {
        int kept = 0;
        if (!e->triggered[i] || e->own.held[i] || m->mode[i] == CAROM_MODE_OPEN ||
            !carom_event_apex_at(e, i))
            continue;
        m->mode[i] = CAROM_MODE_OPEN;
        for (int k = 0; k < m->row_count; k++)
            if (m->rows[k].kind != CAROM_MOTION_NORMAL || m->rows[k].index != i)
                m->rows[kept++] = m->rows[k];
        m->row_count = kept;
    }
}

double carom_event_apex_margin(const carom_event_driven *e, int i)
{
    const carom_motion *m = &e->motion;
    double aside = 0;
    for (int j = e->shape->spread_start[i]; j < e->shape->spread_start[i + 1]; j++)
        aside = hypot(aside, m->spread[j] - m->force[i] * slope(e, i, j));
    return m->force[i] - aside;
}

carom_status carom_event_apex_leave(carom_event_driven *e, carom_error *error)
{
    bool moved = false;
    for (int i = 0; i < e->shape->p; i++) {
        const double speed = e->touching[i] && carom_event_apex_at(e, i) ? across(e, i) : 0;
        if (!(speed > e->slow[i]) || !e->shape->kinematics_is_identity)
            continue;
        /* along the flank, out of the apex, where the flank has a normal */
        const double step = 4 * width(e, i) / speed;
        for (int k = 0; k < e->nq; k++)
            e->ode.y[k] += step * e->ode.y[e->nq + k];
        moved = true;
    }
    return moved ? carom_event_settle_look(e, error) : CAROM_OK;
}

carom_status carom_event_apex_hold(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_status status = CAROM_OK;
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) {
        const int rows = m->row_count;
        e->own.held[i] = 0;
        if (m->mode[i] == CAROM_MODE_OPEN || m->column_count > 0 || !carom_event_apex_at(e, i) ||
            across(e, i) > e->slow[i])
            continue;
        for (int j = e->shape->spread_start[i]; j < e->shape->spread_start[i + 1]; j++)
            m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_SPREAD, j};
        status = carom_motion_evaluate(m, e->t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
        e->own.held[i] = status == CAROM_OK && carom_event_apex_margin(e, i) >= -e->weak[i];
        if (!e->own.held[i]) /* it is pushed up the flank */
            m->row_count = rows;
    }
    return status;
}
