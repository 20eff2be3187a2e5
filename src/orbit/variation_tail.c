/* How the limit moves to which several contacts fly together (docs/theory/sensitivities.md,
 * "Accumulation"): the tail with the derivatives of its numbers. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/variation.h"

enum { MOST = CAROM_EVENT_TAIL_MOST };

/* Changes of gaps, rates and accelerations. g: work, p x k. */
static carom_status change_flights(carom_variation *v, const carom_event_driven *e,
                                   const carom_event_tail *tail, double *g,
                                   carom_event_tail_change *change, carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const carom_directions along = carom_variation_directions(v);
    const size_t n = (size_t)v->n, p = (size_t)v->shape->p;
    const unsigned all = CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_SLIPS | CAROM_WANT_MASS |
                         CAROM_WANT_FORCES | CAROM_WANT_BIASES;
    carom_status status =
        carom_system_differentiate(v->system, all, &e->motion.state, &along, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents rates = {
        .x = e->motion.state.u, .g = g, .Wx = s->normal, .w_hat = s->normal_bias};
    carom_system_tangents(v->system, &rates);
    for (int c = 0; c < v->k; c++)
        for (int i = 0; i < tail->count; i++) {
            const size_t at = (size_t)tail->contact[i];
            const double *w = e->motion.state.W + at * n;
            change[c].g[i] = g[at + (size_t)c * p];
            change[c].gamma[i] = s->normal[at + (size_t)c * p] +
                                 s->normal_bias[at + (size_t)c * p] +
                                 carom_dense_dot(v->n, w, v->du + (size_t)c * n);
        }
    carom_tangents forces = {
        .x = e->motion.a_free, .Mx = s->Mx, .h = s->h, .Wx = s->normal, .g_bias = s->normal_bias};
    carom_system_tangents(v->system, &forces);
    for (int c = 0; c < v->k; c++) {
        double *a = s->h + (size_t)c * n;
        carom_dense_axpy(v->n, -1, s->Mx + (size_t)c * n, a);
        carom_variation_point_inverse_mass(s, a);
        for (int i = 0; i < tail->count; i++) {
            const size_t at = (size_t)tail->contact[i];
            change[c].a[i] = s->normal[at + (size_t)c * p] + s->normal_bias[at + (size_t)c * p] +
                             carom_dense_dot(v->n, e->motion.state.W + at * n, a);
        }
    }
    return CAROM_OK;
}

/* Changes of the response to impulses of the tail's contact j, at the derivatives taken above:
 * d(w_i'y) = (dw_i)'y + w_i'M^-1((dw_j + dH_j rho) - (dM) y), and of the friction itself. */
static void change_response(carom_variation *v, const carom_event_driven *e,
                            const carom_event_tail *tail, int j, const double *y, double *lambda,
                            double *lambda_T, carom_event_tail_change *change)
{
    carom_variation_point *s = &v->strike;
    const size_t n = (size_t)v->n, p = (size_t)v->shape->p;
    const int contact = tail->contact[j], first = v->shape->slip_start[contact];
    const int end = v->shape->slip_start[contact + 1];
    const double mu = v->shape->contacts[contact].friction_dynamic;
    memset(lambda, 0, p * sizeof(double));
    memset(lambda_T, 0, (size_t)v->shape->s * sizeof(double));
    lambda[contact] = 1;
    for (int l = first; l < end; l++)
        lambda_T[l] = e->ratio[l];
    carom_tangents t = {.x = y,
                        .lambda = lambda,
                        .lambda_T = lambda_T,
                        .Mx = s->Mx,
                        .force = s->force,
                        .Wx = s->normal};
    carom_system_tangents(v->system, &t);
    for (int c = 0; c < v->k; c++) {
        double *b = s->force + (size_t)c * n;
        const carom_contact *d = v->along->contacts ? &v->along->contacts[c][contact] : NULL;
        carom_dense_axpy(v->n, -1, s->Mx + (size_t)c * n, b);
        for (int l = first; l < end; l++) {
            double rho = d && mu > 0 ? e->ratio[l] * d->friction_dynamic / mu : 0;
            carom_variation_ratio_of(s, contact, l, c, &rho);
            carom_dense_axpy(v->n, rho, e->motion.state.H + (size_t)l * n, b);
        }
        carom_variation_point_inverse_mass(s, b);
        for (int i = 0; i < tail->count; i++) {
            const size_t at = (size_t)tail->contact[i];
            change[c].D[i + MOST * j] = s->normal[at + (size_t)c * p] +
                                        carom_dense_dot(v->n, e->motion.state.W + at * n, b);
        }
        change[c].e[j] = d ? d->restitution : 0;
    }
}

carom_status carom_variation_tail(void *self, const carom_event_driven *e,
                                  const carom_event_tail *tail, carom_error *error)
{
    carom_variation *v = self;
    const size_t n = (size_t)v->n, p = (size_t)v->shape->p;
    v->told->limit = NULL;
    if (!v->told->exists)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(v->scratch);
    carom_event_tail_change *change = carom_arena_zeros(v->scratch, (size_t)v->k, sizeof *change);
    double *work = carom_arena_zeros(v->scratch, n + p * ((size_t)v->k + 1) + (size_t)v->shape->s,
                                     sizeof(double));
    if (!change || !work)
        return carom_error_memory(error);
    carom_variation_strike_choose(v, e, 0); /* the mass of this state */
    carom_status status = change_flights(v, e, tail, work, change, error);
    v->strike.ratio = &v->ratio;
    for (int j = 0; j < tail->count && status == CAROM_OK; j++) {
        carom_event_tail_response(e, tail->contact[j], work);
        change_response(v, e, tail, j, work, work + n, work + n + p, change);
    }
    v->strike.ratio = NULL;
    for (int c = 0; c < v->k && status == CAROM_OK; c++) {
        carom_event_tail run = *tail;
        carom_event_tail_follow(&run, &change[c]);
        v->limit[c] = v->dt[c] + change[c].left;
    }
    if (status == CAROM_OK) {
        v->told->limit = v->limit;
        carom_variation_end_accumulation(v, e, e->t + tail->left);
    }
    carom_arena_rewind(v->scratch, mark);
    return carom_variation_pass(v, e->t, status, error);
}
