/* How the friction of flights changes (docs/theory/sensitivities.md, "Accumulation"): the impulses
 * of an impact and their derivatives follow from the velocities around it, whatever its law. */
#include <string.h>

#include "linalg/dense.h"
#include "orbit/variation.h"

/* Rows of the contacts with an impulse: normal, then slips. */
static int list_rows(const carom_variation *v, const carom_event_driven *e)
{
    const carom_collide *c = &e->collide;
    const int *start = v->shape->slip_start;
    int count = 0, slips = 0;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contacts[k];
        if (!(c->impulse[k] > 0))
            continue;
        v->strike.rows[count++] = (carom_motion_row){CAROM_MOTION_NORMAL, i};
        for (int j = start[i]; j < start[i + 1]; j++, slips++)
            v->strike.rows[count++] = (carom_motion_row){CAROM_MOTION_SLIP, j};
    }
    return slips > 0 ? count : 0;
}

/* How the rates of the rows change by the derivatives that are known, into dx. */
static carom_status take_rates(carom_variation *v, const carom_event_driven *e, carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const carom_state *state = &e->motion.state;
    const carom_status status = carom_variation_strike_rates(v, state, state->u, error);
    for (int c = 0; c < v->k && status == CAROM_OK; c++)
        for (int k = 0; k < s->r; k++)
            s->dx[k + c * s->r] = carom_variation_strike_rate(v, s->rows[k], c) +
                                  carom_dense_dot(v->n, carom_variation_point_row(s, s->rows[k]),
                                                  v->du + (size_t)c * (size_t)v->n);
    return status;
}

/* drho = (dLambda_T - rho dLambda)/Lambda, from impulses and their derivatives by rows. */
static void divide(carom_variation *v)
{
    const carom_variation_point *s = &v->strike;
    int normal = 0;
    for (int k = 0; k < s->r; k++) {
        if (s->rows[k].kind == CAROM_MOTION_NORMAL) {
            normal = k;
            v->ratio.known[s->rows[k].index] = s->x[k] > 0;
            continue;
        }
        for (int c = 0; c < v->k && s->x[normal] > 0; c++) {
            const double *dx = s->dx + (size_t)c * (size_t)s->r;
            v->ratio.change[s->rows[k].index + c * v->shape->s] =
                (dx[k] - s->x[k] / s->x[normal] * dx[normal]) / s->x[normal];
        }
    }
}

carom_status carom_variation_ratio_find(carom_variation *v, const carom_event_driven *e,
                                        carom_error *error)
{
    const size_t size = sizeof(double) * (size_t)v->n * (size_t)v->k;
    for (int k = 0; k < e->collide.count; k++)
        v->ratio.known[e->collide.contacts[k]] = 0;
    const int count = list_rows(v, e);
    memset(v->strike.sliding, 0, (size_t)v->shape->p);
    if (count == 0 || v->shape->m + v->shape->a > 0 || count > v->n ||
        carom_variation_strike_choose(v, e, count) < count)
        return CAROM_OK; /* no friction, or impulses that are not determined */
    carom_status status = take_rates(v, e, error);
    if (status != CAROM_OK)
        return status;
    memcpy(v->work, v->du, size);
    memcpy(v->du, v->ratio.before, size);
    status = carom_variation_strike(v, e, e->collide.before, v->strike.dx, error);
    memcpy(v->du, v->work, size);
    if (status == CAROM_OK)
        divide(v);
    return status;
}

bool carom_variation_ratio_of(const carom_variation_point *point, int i, int j, int c,
                              double *change)
{
    if (!point->ratio || !point->ratio->known[i])
        return false;
    *change = point->ratio->change[j + c * point->shape->s];
    return true;
}
