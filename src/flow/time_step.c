/* One step of the time-stepping methods: forces, free velocity, contact problem, new state. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/step_solve.h"
#include "flow/step_static.h"
#include "flow/time_stepping.h"
#include "linalg/dense.h"

void carom_time_step_kinematics(const carom_time_stepping *s, const double *u, double *out)
{
    if (s->shape->kinematics_is_identity) {
        memcpy(out, u, sizeof(double) * (size_t)s->n);
        return;
    }
    memset(out, 0, sizeof(double) * (size_t)s->nq);
    carom_dense_gemv(s->nq, s->n, 1, s->state.N, s->nq, u, out);
}

/* Forces at t + part h for a final velocity `next`: the theta point. */
carom_status carom_time_step_forces_at(carom_time_stepping *s, double part, const double *next,
                                       unsigned more, carom_error *error)
{
    const double h = s->h, *q = s->state.q;
    carom_state *x = &s->point;
    if (s->shape->forces_are_constant && s->forces_known && (s->shape->power_is_zero || !more))
        return CAROM_OK;
    s->forces_known = true;
    x->t = s->t + part * h;
    for (int i = 0; i < s->n; i++)
        x->u[i] = part * next[i] + (1 - part) * s->v[i];
    if (s->shape->kinematics_is_identity) {
        for (int i = 0; i < s->nq; i++)
            x->q[i] = q[i] + h * part * x->u[i];
    } else {
        carom_time_step_kinematics(s, x->u, s->rate);
        for (int i = 0; i < s->nq; i++)
            x->q[i] = q[i] + h * part * s->rate[i];
    }
    return carom_system_evaluate(s->record->system, CAROM_WANT_FORCES | more, x, error);
}

/* Factor What, in blocks that are found anew when it couples more than before. */
static carom_status use_forces(carom_time_stepping *s, carom_error *error)
{
    carom_step_response *r = &s->response;
    if (!carom_step_response_fits(r, s->What)) {
        carom_status status = carom_step_response_build(r, s->What, s->work, error);
        if (status == CAROM_OK)
            status = carom_step_contact_build(&s->contact, s->work, error);
        if (status != CAROM_OK)
            return status;
        carom_step_response_factor_mass(r); /* it was definite before */
    }
    if (carom_step_response_factor_forces(r, s->What))
        return CAROM_OK;
    return carom_record_stop(s->record, CAROM_FLOW_UNSOLVED,
                             "M + h theta C + h^2 theta^2 K is singular; take a "
                             "smaller step");
}

/* What = M - h theta dF/du - h^2 theta^2 dF/dq N by central differences, factored. For forces that
 * are linear the differences are exact up to rounding, and so is the step. */
static carom_status linearise(carom_time_stepping *s, carom_error *error)
{
    const int n = s->n;
    const double theta = s->options->theta, h = s->h;
    carom_state *x = &s->point;
    double qs = carom_dense_max(s->nq, x->q), us = carom_dense_max(n, x->u);
    if (!s->What)
        s->What = carom_arena_array(s->work, (size_t)n * (size_t)n, sizeof(double));
    if (!s->What)
        return carom_error_memory(error);
    us = us > 0 ? us : 1;
    qs = qs > 0 ? qs : h * us;
    double step[2] = {1e-6 * qs, 1e-6 * us}, any = 0;
    memset(s->What, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int kind = 0; kind < 2; kind++) {
            memset(s->change, 0, sizeof(double) * (size_t)n);
            s->change[j] = 1;
            carom_time_step_kinematics(s, s->change, s->rate);
            const double d = step[kind];
            const double factor = kind == 0 ? h * h * theta * theta : h * theta;
            for (int sign = 1; sign >= -1; sign -= 2) {
                if (kind == 0)
                    for (int i = 0; i < s->nq; i++)
                        x->q[i] += (sign > 0 ? d : -2 * d) * s->rate[i];
                else
                    x->u[j] += sign > 0 ? d : -2 * d;
                carom_status status =
                    carom_system_evaluate(s->record->system, CAROM_WANT_FORCES, x, error);
                if (status != CAROM_OK)
                    return status;
                for (int i = 0; i < n; i++)
                    s->What[i + (size_t)j * n] -= sign * factor * x->h[i] / (2 * d);
            }
            if (kind == 0)
                for (int i = 0; i < s->nq; i++)
                    x->q[i] += d * s->rate[i];
            else
                x->u[j] += d;
        }
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        any = fmax(any, fabs(s->What[i]));
    if (any == 0) {
        s->response.implicit = false;
        return CAROM_OK;
    }
    if (s->shape->mass_is_diagonal)
        for (int j = 0; j < n; j++)
            s->What[j + (size_t)j * n] += s->state.M[j];
    else
        carom_dense_axpy(n * n, 1, s->state.M, s->What);
    return use_forces(s, error);
}

/* Add contact i with its friction rows to the problem of this step. */
static void activate(carom_time_stepping *s, int i)
{
    carom_step_contact *c = &s->contact;
    const int slips = s->shape->slip_start[i + 1] - s->shape->slip_start[i];
    /* a law without friction is one of impacts: friction acts from the second step in contact on,
     * with Schatzman-Paoli, whose impacts take two steps, from the third */
    const int impact_steps = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI ? 2 : 1;
    if (slips == 0 || !(s->shape->contacts[i].friction_static > 0) ||
        !(s->rough[i] || c->carried[i] >= impact_steps)) {
        carom_step_contact_add(c, i, 0, 0);
        return;
    }
    carom_step_static_add(c, i, slips);
}

carom_status carom_time_step_solve_contacts(carom_time_stepping *s, double *velocity,
                                            carom_error *error)
{
    carom_step_contact *c = &s->contact;
    double residual;
    do {
        carom_status status =
            carom_step_solve(c, s->options->solver_tolerance, s->scratch, &residual, error);
        if (status != CAROM_OK)
            return status;
    } while (carom_step_static_revise(c));
    if (residual > s->options->solver_tolerance && !s->warned_iteration) {
        s->warned_iteration = true;
        carom_status status =
            carom_record_warn(s->record, s->t, error,
                              "t = %.12g: contact problem of %d contacts solved to %.3g only "
                              "(solver tolerance %.3g); further ones are not reported",
                              s->t, c->count, residual, s->options->solver_tolerance);
        if (status != CAROM_OK)
            return status;
    }
    for (int r = 0; r < c->total; r++)
        if (c->P[r] != 0)
            carom_step_contact_push(c, r, c->P[r], velocity);
    carom_step_solve_polish(c, velocity);
    return CAROM_OK;
}

/* Rates of the active rows at the velocity `at` with the restitution terms of velocity v. */
static void offsets(carom_time_stepping *s, const double *at)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->state;
    const bool paoli = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contact[k], n = c->base[k];
        const double e = s->e[i], hat = s->moves ? s->after[i] : x->w_hat[i];
        const double before = s->moves ? s->before[i] : carom_step_contact_rate(c, n, s->v) + hat;
        c->offset[n] = paoli ? hat - e * before + (1 + e) * x->g[i] / s->h : hat + e * before;
        for (int r = n + 1; r < c->base[k + 1]; r++) {
            const int j = c->row[r] - s->p;
            const double motion = s->moves ? s->after[s->p + j] : x->slip_motion[j];
            const double slip =
                s->moves ? s->before[s->p + j] : carom_step_contact_rate(c, r, s->v) + motion;
            c->offset[r] = motion + s->e_tangential[i] * slip;
            c->slip[r] = slip;
        }
        for (int r = n; r < c->base[k + 1]; r++)
            c->b[r] = carom_step_contact_rate(c, r, at) + c->offset[r];
    }
}

/* Of joint j, where joints do not change. */
static double constant_motion(const carom_time_stepping *s, int j)
{
    return j < s->shape->m ? s->state.b_hat[j] : s->state.a_hat[j - s->shape->m];
}

/* The velocity without contacts from the linearisation at `next`: next + What^-1 (h F - M (next -
 * v)), then joints. */
static void free_velocity(carom_time_stepping *s, double *out, bool first)
{
    carom_step_response *r = &s->response;
    const int n = s->n;
    for (int i = 0; i < n; i++)
        out[i] = s->h * s->point.h[i];
    if (!first) {
        for (int i = 0; i < n; i++)
            s->rate[i] = s->next[i] - s->v[i];
        carom_step_response_subtract_mass(r, s->shape->mass_is_constant ? s->state.M : s->point.M,
                                          s->rate, out);
    }
    carom_step_response_apply(r, out);
    if (first)
        s->kick = carom_dense_max(n, out);
    for (int i = 0; i < n; i++)
        out[i] += s->next[i];
    if (r->joints.count == 0)
        return;
    for (int j = 0; j < r->joints.count; j++)
        r->hat[j] = s->shape->rows_are_constant ? constant_motion(s, j) : s->joint_motion[j];
    carom_step_response_obey(r, out);
}

static bool same(int n, const double *x, const double *y)
{
    for (int i = 0; i < n; i++)
        if (x[i] != y[i])
            return false;
    return true;
}

/* Contacts that take part: those whose gap has closed after `activation` of the step, were the
 * velocity to stay. One that rests is not let go by rounding: of its position, and of the rates
 * that were taken out of its gap step by step since it closed. */
static void choose_contacts(carom_time_stepping *s, double speed)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->state;
    const double reach = s->options->activation * s->h;
    const double fast = speed + s->kick;
    const double hold = CAROM_TOLERANCE_SUM * (carom_dense_max(s->nq, x->q) + s->h * fast);
    carom_step_contact_clear(c);
    for (int k = 0; k < s->p; k++) {
        const int i = c->order[k];
        double rate =
            s->moves ? s->before[i] : carom_step_rows_dot(&c->rows, i, s->v) + x->w_hat[i];
        const double drift = CAROM_TOLERANCE_CARRIED * fast * (s->t - s->since[i]);
        if (x->g[i] + reach * rate <= (c->carried[i] ? hold + drift : 0) ||
            (s->options->project && x->g[i] <= hold))
            activate(s, i);
    }
}

/* Forces at the theta point for the velocity found in the round before; *stand: they are the same
 * as those it was found with. Forces that depend on the motion come with their derivatives from the
 * second round on. */
static carom_status find_forces(carom_time_stepping *s, int round, bool *stand, bool *assembled,
                                carom_error *error)
{
    const unsigned mass = s->shape->mass_is_constant ? 0 : CAROM_WANT_MASS;
    /* the power, for the ledger, is the one at the last look */
    const unsigned more = (round > 0 ? CAROM_WANT_ENERGY : 0) | mass;
    if (round > 0)
        memcpy(s->old_force, s->point.h, sizeof(double) * (size_t)s->n);
    carom_status status = carom_time_step_forces_at(s, s->options->theta, s->next, more, error);
    *stand = status == CAROM_OK && round > 0 && !mass && !s->response.implicit &&
             same(s->n, s->old_force, s->point.h);
    if (status != CAROM_OK || *stand ||
        !(round == 1 ? !s->response.implicit : round > 0 && round % 5 == 0))
        return status;
    *assembled = false;
    status = linearise(s, error);
    return status != CAROM_OK
               ? status
               : carom_time_step_forces_at(s, s->options->theta, s->next, more, error);
}

/* The velocity after the step, in `change`, with the forces at hand. */
static carom_status find_velocity(carom_time_stepping *s, int round, bool *assembled,
                                  carom_error *error)
{
    carom_step_contact *c = &s->contact;
    if (!*assembled) {
        if (s->response.joints.count > 0)
            carom_step_response_hold(&s->response);
        if (c->count > 0)
            carom_step_contact_assemble(c);
        *assembled = true;
    }
    free_velocity(s, s->change, round == 0);
    if (c->count == 0)
        return CAROM_OK;
    offsets(s, s->change);
    return carom_time_step_solve_contacts(s, s->change, error);
}

/* `next` becomes `change`. Returns the largest entry that it moved by; *size grows to the largest
 * velocity. */
static double advance(carom_time_stepping *s, double *size)
{
    double moved = 0;
    for (int i = 0; i < s->n; i++) {
        const double d = fabs(s->change[i] - s->next[i]), new = fabs(s->change[i]);
        moved = d > moved ? d : moved;
        *size = new > *size ? new : *size;
        s->next[i] = s->change[i];
    }
    return moved;
}

/* One Moreau-Jean step: Newton's iteration at the theta point around the contact problem. */
carom_status carom_time_step_moreau_jean(carom_time_stepping *s, carom_error *error)
{
    const double speed = carom_dense_max(s->n, s->v);
    bool assembled = false, stand;
    double last = INFINITY;
    choose_contacts(s, speed);
    memcpy(s->next, s->v, sizeof(double) * (size_t)s->n);
    for (int round = 0; round < 60; round++) {
        if (round > 0 && s->shape->forces_are_constant && s->shape->power_is_zero)
            return CAROM_OK;
        carom_status status = find_forces(s, round, &stand, &assembled, error);
        if (status != CAROM_OK || stand)
            return status;
        status = find_velocity(s, round, &assembled, error);
        if (status != CAROM_OK)
            return status;
        /* a body at rest is held by forces that cancel: their rounding is no motion */
        double size = fmax(speed, s->kick);
        const double moved = advance(s, &size);
        if (round > 0 && (moved <= 8 * DBL_EPSILON * size ||
                          (moved <= CAROM_TOLERANCE_CARRIED * size && moved >= 0.1 * last)))
            return CAROM_OK;
        last = moved;
    }
    return carom_record_stop(s->record, CAROM_FLOW_UNSOLVED,
                             "the forces at the theta point do not settle (last change "
                             "%.3g); take a smaller step",
                             last);
}

/* One Schatzman-Paoli step: v is (q_k - q_k-1)/h, next (q_k+1 - q_k)/h; forces at the beginning.
 * Contacts are added until none is violated. */
carom_status carom_time_step_schatzman_paoli(carom_time_stepping *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->state;
    carom_status status = carom_time_step_forces_at(s, 0, s->v, CAROM_WANT_ENERGY, error);
    if (status != CAROM_OK)
        return status;
    carom_step_contact_clear(c);
    if (s->response.joints.count > 0)
        carom_step_response_hold(&s->response);
    memcpy(s->next, s->v, sizeof(double) * (size_t)s->n);
    free_velocity(s, s->change, true);
    memcpy(s->next, s->change, sizeof(double) * (size_t)s->n);
    memset(s->mode, 0, (size_t)s->p);
    for (int round = 0; round <= s->p; round++) {
        bool added = false;
        for (int i = 0; i < s->p; i++) {
            const double e = s->e[i];
            double b = carom_step_rows_dot(&c->rows, i, s->next) -
                       e * carom_step_rows_dot(&c->rows, i, s->v) + (1 - e) * x->w_hat[i] +
                       (1 + e) * x->g[i] / s->h;
            if (b < 0 && !s->mode[i]) {
                s->mode[i] = 1;
                added = true;
            }
        }
        if (!added)
            return CAROM_OK;
        carom_step_contact_clear(c);
        for (int k = 0; k < s->p; k++)
            if (s->mode[c->order[k]])
                activate(s, c->order[k]);
        carom_step_contact_assemble(c);
        memcpy(s->next, s->change, sizeof(double) * (size_t)s->n);
        offsets(s, s->next);
        status = carom_time_step_solve_contacts(s, s->next, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}
