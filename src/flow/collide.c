#include "flow/collide.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

carom_status carom_collide_create(const carom_law *law, const carom_system_shape *shape,
                                  carom_arena *arena, carom_arena *scratch, carom_collide *collide,
                                  carom_error *error)
{
    const size_t n = (size_t)shape->n, p = (size_t)shape->p, s = (size_t)shape->s;
    memset(collide, 0, sizeof *collide);
    collide->law = law;
    collide->scratch = scratch;
    collide->contacts = carom_arena_array(arena, p, sizeof(int));
    collide->properties = carom_arena_array(arena, p, sizeof(carom_contact));
    double *d = carom_arena_zeros(arena, n + 3 * p + 2 * s + n * p + n * s, sizeof(double));
    if (!collide->contacts || !collide->properties || !d)
        return carom_error_memory(error);
    collide->before = d;
    collide->impulse = d += n;
    collide->loss = d += p;
    collide->w_hat = d += p;
    collide->tangent = d += p;
    collide->slip_motion = d += s;
    collide->W = d += s;
    collide->H = d + n * p;
    return CAROM_OK;
}

/* One contact without joints, with a law for which that is the closed form of a single contact:
 * u+ = u- - (1 + e) gamma M^-1 w / (w'M^-1 w). Saves the general route in long sequences. */
static bool single(carom_collide *c, carom_motion *motion, const carom_law *law)
{
    const carom_system_shape *shape = motion->shape;
    const char *name = law->ops->name;
    if (c->count != 1 || shape->m + shape->a > 0 ||
        (strcmp(name, "newton") != 0 && strcmp(name, "poisson") != 0))
        return false;
    const int n = shape->n, i = c->contacts[0];
    const double *w = motion->state.W + (size_t)i * n, e = shape->contacts[i].restitution;
    double *y = motion->Y, *u = motion->state.u;
    memcpy(y, w, sizeof(double) * (size_t)n);
    carom_motion_inverse_mass(motion, y);
    double rate = carom_dense_dot(n, w, u), gamma = rate + motion->state.w_hat[i];
    double impulse = -(1 + e) * gamma / carom_dense_dot(n, w, y);
    if (!(impulse > 0) || !isfinite(impulse))
        return false;
    for (int k = 0; k < n; k++)
        u[k] += impulse * y[k];
    c->impulse[0] = impulse;
    c->loss[0] = 0.5 * impulse * (rate + carom_dense_dot(n, w, u));
    c->change = c->loss[0];
    c->gain = 0.5 * impulse * (1 - e) * gamma;
    c->name = name;
    return true;
}

/* The statement of the impact: columns of the touching contacts side by side. */
static carom_impact state_impact(carom_collide *c, const carom_motion *motion)
{
    const carom_system_shape *shape = motion->shape;
    const carom_state *state = &motion->state;
    const size_t n = (size_t)shape->n;
    int s = 0;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contacts[k];
        memcpy(c->W + (size_t)k * n, state->W + (size_t)i * n, sizeof(double) * n);
        c->w_hat[k] = state->w_hat[i];
        c->properties[k] = shape->contacts[i];
        for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++, s++) {
            memcpy(c->H + (size_t)s * n, state->H + (size_t)j * n, sizeof(double) * n);
            c->slip_motion[s] = state->slip_motion[j];
        }
    }
    return (carom_impact){.n = shape->n,
                          .p = c->count,
                          .m = shape->m,
                          .a = shape->a,
                          .mass_is_diagonal = shape->mass_is_diagonal,
                          .M = state->M,
                          .u = state->u,
                          .W = c->W,
                          .w_hat = c->w_hat,
                          .contacts = c->properties,
                          .H = c->H,
                          .slip_motion = c->slip_motion,
                          .B = state->B,
                          .b_hat = state->b_hat,
                          .A = state->A,
                          .a_hat = state->a_hat,
                          .coordinates = shape->coordinates};
}

/* What each contact took: impulse times mean velocity (Thomson and Tait). */
static void book(carom_collide *c, const carom_motion *motion, const carom_outcome *outcome)
{
    const int n = motion->shape->n;
    int s = 0;
    for (int k = 0; k < c->count; k++) {
        const double *w = c->W + (size_t)k * n;
        c->impulse[k] = outcome->impulse[k];
        c->loss[k] = 0.5 * c->impulse[k] *
                     (carom_dense_dot(n, w, c->before) + carom_dense_dot(n, w, outcome->u));
        for (int j = 0; j < c->properties[k].slip_count; j++, s++) {
            const double *h = c->H + (size_t)s * n;
            c->tangent[s] = outcome->tangential_impulse ? outcome->tangential_impulse[s] : 0;
            c->loss[k] += 0.5 * c->tangent[s] *
                          (carom_dense_dot(n, h, c->before) + carom_dense_dot(n, h, outcome->u));
        }
    }
}

carom_status carom_collide_apply(carom_collide *c, carom_motion *motion,
                                 const unsigned char *touching, carom_record *record,
                                 carom_error *error)
{
    const carom_system_shape *shape = motion->shape;
    c->count = 0;
    for (int i = 0; i < shape->p; i++)
        if (touching[i])
            c->contacts[c->count++] = i;
    memcpy(c->before, motion->state.u, sizeof(double) * (size_t)shape->n);
    const carom_law *own = c->count == 1 ? shape->contacts[c->contacts[0]].law : NULL;
    const carom_law *law = own ? own : c->law;
    if (single(c, motion, law))
        return CAROM_OK;
    carom_impact impact = state_impact(c, motion);
    carom_geometry geometry;
    carom_outcome outcome;
    carom_mark mark = carom_arena_mark(c->scratch);
    carom_status status = carom_impact_derive(&impact, c->scratch, &geometry, error);
    if (status == CAROM_OK)
        status = carom_law_apply(law, &geometry, c->scratch, &outcome, error);
    if (status == CAROM_OK) {
        c->name = law->ops->name;
        if (outcome.answer == CAROM_ANSWER_OK || outcome.answer == CAROM_ANSWER_SEVERAL) {
            book(c, motion, &outcome);
            c->change = outcome.energy_change;
            c->gain = outcome.verdict.energy_gain;
            memcpy(motion->state.u, outcome.u, sizeof(double) * (size_t)shape->n);
            if (outcome.answer == CAROM_ANSWER_SEVERAL)
                status = carom_record_warn(record, motion->state.t, error,
                                           "impact at t = %.12g: law %s has several outcomes, its "
                                           "default was taken",
                                           motion->state.t, c->name);
        } else {
            status = carom_record_stop(record, CAROM_FLOW_NO_OUTCOME,
                                       "impact at t = %.12g: law %s: %s: %s", motion->state.t,
                                       c->name, carom_answer_text(outcome.answer), outcome.message);
        }
    } else if (status == CAROM_ERROR_INPUT || status == CAROM_ERROR_ARGUMENT ||
               status == CAROM_ERROR_NUMERIC) {
        status = carom_record_stop(record, CAROM_FLOW_NO_OUTCOME, "impact at t = %.12g: %s",
                                   motion->state.t, error ? error->text : "refused");
    }
    carom_arena_rewind(c->scratch, mark);
    return status;
}
