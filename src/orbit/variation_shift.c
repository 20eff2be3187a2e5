/* How the instant of an event moves with the motion (docs/theory/sensitivities.md, "At an event"):
 * by -(dsigma)/sigma' for the condition sigma = 0 that is its cause. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/variation.h"

/* Derivatives of the contact's forces from those of the rows: normal (into *normal), slip column.
 */
static double force_change(const carom_variation_point *p, carom_motion_kind kind, int index, int c,
                           bool *found)
{
    for (int k = 0; k < p->r; k++)
        if (p->rows[k].kind == kind && p->rows[k].index == index) {
            *found = true;
            return p->dx[(size_t)k + (size_t)c * (size_t)p->r];
        }
    return 0;
}

/* dsigma of a force condition in column c of the derivatives just computed; dmu: of mu_s. */
static double force_sigma(const carom_variation *v, const carom_event *cause, double dmu, int c,
                          bool *found)
{
    const carom_variation_point *p = &v->point;
    const int i = cause->contact, j = v->shape->slip_start[i];
    const double mu = v->shape->contacts[i].friction_static;
    const double dl = force_change(p, CAROM_MOTION_NORMAL, i, c, found);
    if (cause->kind == CAROM_EVENT_FORCE)
        return dl;
    const double dT = force_change(p, CAROM_MOTION_SLIP, j, c, found);
    const double edge = mu * dl + dmu * p->lambda[i];
    if (cause->kind == CAROM_EVENT_CONE_PLUS)
        return edge + dT;
    if (cause->kind == CAROM_EVENT_CONE_MINUS)
        return edge - dT;
    const double dS = force_change(p, CAROM_MOTION_SLIP, j + 1, c, found);
    return 2 * (mu * p->lambda[i] * edge - p->lambda_T[j] * dT - p->lambda_T[j + 1] * dS);
}

carom_status carom_variation_shift_force(carom_variation *v, const carom_event *cause, double *rate,
                                         double *sigma, bool *known, carom_error *error)
{
    const double one = 1;
    const carom_directions forward = {.k = 1, .t = &one, .q = v->slope, .u = v->slope + v->n};
    const carom_directions along = carom_variation_directions(v);
    carom_status status = carom_variation_point_tangent(&v->point, &forward, NULL, v->work, error);
    if (status != CAROM_OK)
        return status;
    *known = false;
    *rate = force_sigma(v, cause, 0, 0, known);
    status = carom_variation_point_tangent(&v->point, &along, v->dmu, v->work, error);
    for (int j = 0; j < v->k && status == CAROM_OK; j++) {
        const carom_contact *change = v->along->contacts ? v->along->contacts[j] : NULL;
        sigma[j] =
            force_sigma(v, cause, change ? change[cause->contact].friction_static : 0, j, known);
    }
    return status;
}

/* Slips: along the direction of one (planar) or the heading (spatial). */
static carom_status slip_shift(carom_variation *v, const carom_event_driven *e, double *rate,
                               double *sigma, carom_error *error)
{
    const carom_motion *m = &e->motion;
    const int first = v->shape->slip_start[v->cause.contact];
    const int columns = v->cause.kind == CAROM_EVENT_SLIP ? 1 : 2;
    *rate = 0;
    memset(sigma, 0, sizeof(double) * (size_t)v->k);
    carom_status status = carom_variation_strike_rates(v, &m->state, m->state.u, error);
    for (int l = 0; l < columns && status == CAROM_OK; l++) {
        const double *H = m->state.H + (size_t)(first + l) * (size_t)v->n;
        const double d = columns == 1 ? 1 : m->heading[first + l];
        const carom_motion_row row = {CAROM_MOTION_SLIP, first + l};
        *rate += d * (carom_dense_dot(v->n, H, v->slope + v->n) + m->state.slip_bias[first + l]);
        for (int j = 0; j < v->k; j++)
            sigma[j] += d * (carom_variation_strike_rate(v, row, j) +
                             carom_dense_dot(v->n, H, v->du + (size_t)j * (size_t)v->n));
    }
    return status;
}

/* An event of the system. */
static carom_status own_shift(carom_variation *v, const carom_event_driven *e, double *rate,
                              double *sigma, carom_error *error)
{
    const size_t events = (size_t)v->shape->event_count;
    const double one = 1;
    const carom_directions forward = {.k = 1, .t = &one, .q = v->slope, .u = v->slope + v->n};
    const carom_directions along = carom_variation_directions(v);
    carom_mark mark = carom_arena_mark(v->scratch);
    double *all = carom_arena_doubles(v->scratch, events * (size_t)v->k);
    carom_tangents t = {.event = all};
    if (!all)
        return carom_error_memory(error);
    carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_EVENTS, &e->motion.state, &forward, error);
    if (status == CAROM_OK) {
        carom_system_tangents(v->system, &t);
        *rate = all[v->cause.contact];
        status = carom_system_differentiate(v->system, CAROM_WANT_EVENTS, &e->motion.state, &along,
                                            error);
    }
    if (status == CAROM_OK)
        carom_system_tangents(v->system, &t);
    for (int j = 0; j < v->k && status == CAROM_OK; j++)
        sigma[j] = all[(size_t)v->cause.contact + (size_t)j * events];
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* A gap. */
static carom_status gap_shift(carom_variation *v, const carom_event_driven *e, double *rate,
                              double *sigma, carom_error *error)
{
    const carom_directions along = carom_variation_directions(v);
    const int i = v->cause.contact;
    carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_GAPS, &e->motion.state, &along, error);
    carom_tangents t = {.g = v->strike.normal};
    if (status != CAROM_OK)
        return status;
    carom_system_tangents(v->system, &t);
    *rate = carom_motion_gamma(&e->motion, i);
    for (int j = 0; j < v->k; j++)
        sigma[j] = v->strike.normal[(size_t)i + (size_t)j * (size_t)v->shape->p];
    return CAROM_OK;
}

bool carom_variation_shift_is_force(const carom_variation *v)
{
    return v->cause.kind == CAROM_EVENT_FORCE || v->cause.kind == CAROM_EVENT_CONE ||
           v->cause.kind == CAROM_EVENT_CONE_PLUS || v->cause.kind == CAROM_EVENT_CONE_MINUS;
}

carom_status carom_variation_shift(carom_variation *v, const carom_event_driven *e,
                                   carom_error *error)
{
    double rate = 1;
    bool known = true, switched = false, touches = false;
    carom_status status = CAROM_OK;
    memset(v->extra, 0, sizeof(double) * (size_t)v->k);
    v->grazes = v->shared = false;
    switch (v->cause.kind) {
    case CAROM_EVENT_RETURN:
    case CAROM_EVENT_IMPLIED:
    case CAROM_EVENT_APEX: /* of contacts with spread, which have no derivatives */
    case CAROM_EVENT_APEX_FORCE:
    case CAROM_EVENT_CORNER: /* refused */
        v->grazes = true;    /* nothing jumps there */
        return CAROM_OK;
    case CAROM_EVENT_GAP:
        status = gap_shift(v, e, &rate, v->extra, error);
        known = rate < -e->slow[v->cause.contact];
        break;
    case CAROM_EVENT_OWN:
        status = own_shift(v, e, &rate, v->extra, error);
        break;
    case CAROM_EVENT_SLIP:
    case CAROM_EVENT_SLIP_SPATIAL:
        status = slip_shift(v, e, &rate, v->extra, error);
        v->slack = rate != 0 ? 2 * e->slow[v->cause.contact] / fabs(rate) : 0;
        break;
    case CAROM_EVENT_FORCE:
    case CAROM_EVENT_CONE:
    case CAROM_EVENT_CONE_PLUS:
    case CAROM_EVENT_CONE_MINUS:
        status = carom_variation_switch_shift(v, e, &switched, error);
        if (status == CAROM_OK && !switched)
            status = carom_variation_shift_force(v, &v->cause, &rate, v->extra, &known, error);
        v->shared = !switched && e->motion.column_count > 0;
        known = known && !v->shared; /* all that share the forces are at the limit, not one */
        break;
    }
    if (switched)
        return status; /* forces have jumped, and passed their limit with that */
    if (status == CAROM_OK && known && !carom_variation_shift_is_force(v))
        status = carom_variation_touch_event(v, e, rate, &touches, error);
    v->grazes = !known || touches || !(fabs(rate) > 0);
    for (int j = 0; j < v->k; j++)
        v->extra[j] = v->grazes ? 0 : -v->extra[j] / rate;
    return status;
}
