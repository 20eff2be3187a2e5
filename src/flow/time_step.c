#include <float.h>
#include <math.h>
#include <string.h>

#include "flow/time_stepping.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

static double largest(int n, const double *x)
{
    double top = 0;
    for (int i = 0; i < n; i++)
        top = fabs(x[i]) > top ? fabs(x[i]) : top;
    return top;
}

/* Forces at t + part h for a final velocity `next`: the theta point. */
carom_status carom_time_step_forces_at(carom_time_stepping *s, double part, const double *next,
                                       carom_error *error)
{
    const double h = s->h, *q = s->motion.state.q;
    carom_state *x = &s->point;
    x->t = s->t + part * h;
    for (int i = 0; i < s->n; i++)
        x->u[i] = part * next[i] + (1 - part) * s->v[i];
    if (s->shape->kinematics_is_identity) {
        for (int i = 0; i < s->nq; i++)
            x->q[i] = q[i] + h * part * x->u[i];
    } else {
        carom_motion_kinematics(&s->motion, x->u, s->rate);
        for (int i = 0; i < s->nq; i++)
            x->q[i] = q[i] + h * part * s->rate[i];
    }
    return carom_system_evaluate(s->record->system, CAROM_WANT_FORCES | CAROM_WANT_ENERGY, x,
                                 error);
}

/* What = M - h theta dF/du - h^2 theta^2 dF/dq N by central differences, factored. For forces that
 * are linear the differences are exact up to rounding, and so is the step. */
static carom_status linearise(carom_time_stepping *s, carom_error *error)
{
    const int n = s->n;
    const double theta = s->options->theta, h = s->h;
    carom_state *x = &s->point;
    double qs = largest(s->nq, x->q), us = largest(n, x->u), as = 0;
    for (int i = 0; i < n; i++)
        as = fmax(as, fabs(x->h[i]));
    us = us > 0 ? us : 1;
    qs = qs > 0 ? qs : h * us;
    double step[2] = {1e-6 * qs, 1e-6 * us}, any = 0;
    memset(s->What, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int kind = 0; kind < 2; kind++) {
            memset(s->change, 0, sizeof(double) * (size_t)n);
            s->change[j] = 1;
            carom_motion_kinematics(&s->motion, s->change, s->rate);
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
    s->implicit = any > 0;
    if (!s->implicit)
        return CAROM_OK;
    for (int j = 0; j < n; j++)
        if (s->shape->mass_is_diagonal)
            s->What[j + (size_t)j * n] += s->motion.state.M[j];
        else
            for (int i = 0; i < n; i++)
                s->What[i + (size_t)j * n] += s->motion.state.M[i + (size_t)j * n];
    if (carom_lu_factor(n, s->What, n, s->What_pivot, 1e-15) != 0)
        return carom_record_stop(s->record, CAROM_FLOW_UNSOLVED,
                                 "t = %.12g: M + h theta C + h^2 theta^2 K is singular; take a "
                                 "smaller step",
                                 s->t);
    return CAROM_OK;
}

static void respond_alone(const carom_time_stepping *s, double *x)
{
    if (s->implicit)
        carom_lu_solve(s->n, s->What, s->n, s->What_pivot, x);
    else
        carom_motion_inverse_mass(&s->motion, x);
}

/* Responses of the joints; dependent ones are left out. */
void carom_time_step_hold_joints(carom_time_stepping *s)
{
    const int n = s->n, all = s->shape->m + s->shape->a;
    s->held = 0;
    for (int j = 0; j < all; j++)
        s->hold[s->held++] = j < s->shape->m
                                 ? (carom_motion_row){CAROM_MOTION_JOINT, j}
                                 : (carom_motion_row){CAROM_MOTION_ROLLING, j - s->shape->m};
    while (s->held > 0) {
        for (int k = 0; k < s->held; k++) {
            double *y = s->Yj + (size_t)k * n;
            memcpy(y, carom_motion_vector(&s->motion, s->hold[k]), sizeof(double) * (size_t)n);
            respond_alone(s, y);
        }
        for (int k = 0; k < s->held; k++)
            for (int j = 0; j < s->held; j++)
                s->S[k + (size_t)j * s->held] = carom_dense_dot(
                    n, carom_motion_vector(&s->motion, s->hold[k]), s->Yj + (size_t)j * n);
        int bad = carom_lu_factor(s->held, s->S, s->held, s->S_pivot, 1e-12);
        if (bad == 0)
            return;
        memmove(s->hold + bad - 1, s->hold + bad, sizeof *s->hold * (size_t)(s->held - bad));
        s->held--;
    }
}

/* x -= Yj S^-1 (R'x + offset): afterwards R'x = -offset. Returns the impulses in beta. */
void carom_time_step_obey_joints(carom_time_stepping *s, double *x, const double *offset)
{
    for (int k = 0; k < s->held; k++)
        s->beta[k] = carom_dense_dot(s->n, carom_motion_vector(&s->motion, s->hold[k]), x) +
                     (offset ? offset[k] : 0);
    carom_lu_solve(s->held, s->S, s->held, s->S_pivot, s->beta);
    for (int k = 0; k < s->held; k++)
        for (int i = 0; i < s->n; i++)
            x[i] -= s->Yj[i + (size_t)k * s->n] * s->beta[k];
}

/* Add contact i with its friction rows to the problem of this step. */
static void activate(carom_time_stepping *s, int i)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    const carom_contact *contact = &s->shape->contacts[i];
    const int k = c->count++, j = s->shape->slip_start[i], slips = s->shape->slip_start[i + 1] - j;
    c->contact[k] = i;
    c->width[k] = 0;
    c->tangent[k] = -1;
    /* a law without friction is one of impacts: friction acts from the second step in contact on,
     * with Schatzman-Paoli, whose impacts take two steps, from the third */
    const int impact_steps = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI ? 2 : 1;
    if (slips == 0 || !(contact->friction_static > 0) ||
        !(s->rough[i] || c->guess[i] >= impact_steps))
        return;
    double slip = 0, size = 0;
    for (int l = 0; l < slips; l++) {
        double v = x->slip_motion[j + l];
        size += fabs(v);
        for (int m = 0; m < s->n; m++) {
            v += x->H[m + (size_t)(j + l) * s->n] * s->v[m];
            size += fabs(x->H[m + (size_t)(j + l) * s->n] * s->v[m]);
        }
        slip = hypot(slip, v);
    }
    c->mu[k] =
        slip > s->options->rest * size ? contact->friction_dynamic : contact->friction_static;
    c->width[k] = slips;
    c->tangent[k] = c->tangents;
    c->tangents += slips;
}

/* Vectors and responses of the active rows. */
void carom_time_step_assemble(carom_time_stepping *s)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    const size_t n = (size_t)s->n;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contact[k];
        c->row[k] = x->W + (size_t)i * n;
        c->P[k] = c->memory[i];
        for (int f = 0; f < c->width[k]; f++) {
            const int j = s->shape->slip_start[i] + f;
            c->row[c->count + c->tangent[k] + f] = x->H + (size_t)j * n;
            c->P[c->count + c->tangent[k] + f] = c->memory[s->p + j];
        }
    }
    for (int k = 0; k < c->count + c->tangents; k++) {
        double *y = c->Y + (size_t)k * n;
        memcpy(y, c->row[k], sizeof(double) * n);
        respond_alone(s, y);
        if (s->held > 0)
            carom_time_step_obey_joints(s, y, NULL);
    }
    carom_step_contact_delassus(c);
}

carom_status carom_time_step_solve_contacts(carom_time_stepping *s, double *velocity,
                                            carom_error *error)
{
    carom_step_contact *c = &s->contact;
    double residual;
    carom_status status =
        carom_step_contact_solve(c, s->options->solver_tolerance, s->scratch, &residual, error);
    if (status != CAROM_OK)
        return status;
    if (residual > s->options->solver_tolerance && !s->warned_iteration) {
        s->warned_iteration = true;
        status = carom_record_warn(s->record, s->t, error,
                                   "t = %.12g: contact problem of %d contacts solved to %.3g only "
                                   "(solver tolerance %.3g); further ones are not reported",
                                   s->t, c->count, residual, s->options->solver_tolerance);
        if (status != CAROM_OK)
            return status;
    }
    for (int k = 0; k < c->count + c->tangents; k++) {
        const double *y = c->Y + (size_t)k * s->n, P = c->P[k];
        if (P != 0)
            for (int i = 0; i < s->n; i++)
                velocity[i] += P * y[i];
    }
    return CAROM_OK;
}

/* Rates of the active rows at the velocity `at` with the restitution terms of velocity v. */
static void offsets(carom_time_stepping *s, const double *at)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    const bool paoli = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contact[k];
        const double e = s->e[i], hat = x->w_hat[i],
                     before = carom_dense_dot(s->n, c->row[k], s->v);
        double b = carom_dense_dot(s->n, c->row[k], at) + hat;
        if (paoli)
            b += -e * (before + hat) + (1 + e) * x->g[i] / s->h;
        else
            b += e * (before + hat);
        c->b[k] = b;
        for (int f = 0; f < c->width[k]; f++) {
            const int r = c->count + c->tangent[k] + f;
            const double motion = x->slip_motion[s->shape->slip_start[i] + f];
            c->b[r] = carom_dense_dot(s->n, c->row[r], at) + motion +
                      s->e_tangential[i] * (carom_dense_dot(s->n, c->row[r], s->v) + motion);
        }
    }
}

/* The velocity without contacts from the linearisation at `next`: next + What^-1 (h F - M (next -
 * v)), then joints. */
static void free_velocity(carom_time_stepping *s, double *out, bool first)
{
    const int n = s->n;
    const double *M = s->motion.state.M;
    for (int i = 0; i < n; i++)
        out[i] = s->h * s->point.h[i];
    if (!first)
        for (int j = 0; j < n; j++) {
            double d = s->next[j] - s->v[j];
            if (s->shape->mass_is_diagonal)
                out[j] -= M[j] * d;
            else
                for (int i = 0; i < n; i++)
                    out[i] -= M[i + (size_t)j * n] * d;
        }
    respond_alone(s, out);
    if (first)
        s->kick = largest(n, out);
    for (int i = 0; i < n; i++)
        out[i] += s->next[i];
    if (s->held > 0) {
        for (int k = 0; k < s->held; k++)
            s->hats[k] = carom_motion_hat(&s->motion, s->hold[k]);
        carom_time_step_obey_joints(s, out, s->hats);
    }
}

/* One Moreau-Jean step: Newton's iteration at the theta point around the contact problem. */
carom_status carom_time_step_moreau_jean(carom_time_stepping *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    const double reach = s->options->activation * s->h;
    /* a contact that rests is not let go by rounding */
    const double hold =
        64 * DBL_EPSILON * (largest(s->nq, x->q) + s->h * (largest(s->n, s->v) + s->kick));
    c->count = c->tangents = 0;
    for (int i = 0; i < s->p; i++) {
        double rate = carom_dense_dot(s->n, x->W + (size_t)i * s->n, s->v) + x->w_hat[i];
        if (x->g[i] + reach * rate <= (c->guess[i] ? hold : 0))
            activate(s, i);
    }
    memcpy(s->next, s->v, sizeof(double) * (size_t)s->n);
    bool assembled = false;
    double last = INFINITY;
    for (int round = 0; round < 60; round++) {
        if (round > 0)
            memcpy(s->old_force, s->point.h, sizeof(double) * (size_t)s->n);
        carom_status status = carom_time_step_forces_at(s, s->options->theta, s->next, error);
        if (status != CAROM_OK)
            return status;
        if (round > 0 && memcmp(s->old_force, s->point.h, sizeof(double) * (size_t)s->n) == 0 &&
            !s->implicit)
            return CAROM_OK;
        if (round == 1 ? !s->implicit : round > 0 && round % 5 == 0) {
            /* the forces depend on the motion: from here on with their derivatives */
            status = linearise(s, error);
            if (status == CAROM_OK)
                status = carom_time_step_forces_at(s, s->options->theta, s->next, error);
            if (status != CAROM_OK)
                return status;
            assembled = false;
        }
        if (!assembled) {
            if (s->shape->m + s->shape->a > 0)
                carom_time_step_hold_joints(s);
            if (c->count > 0)
                carom_time_step_assemble(s);
            assembled = true;
        }
        free_velocity(s, s->change, round == 0);
        if (c->count > 0) {
            offsets(s, s->change);
            status = carom_time_step_solve_contacts(s, s->change, error);
            if (status != CAROM_OK)
                return status;
        }
        double moved = 0, size = 0;
        for (int i = 0; i < s->n; i++) {
            moved = fmax(moved, fabs(s->change[i] - s->next[i]));
            size = fmax(size, fmax(fabs(s->change[i]), fabs(s->v[i])));
            s->next[i] = s->change[i];
        }
        if (round > 0 &&
            (moved <= 8 * DBL_EPSILON * size || (moved <= 1e-12 * size && moved >= 0.1 * last)))
            return CAROM_OK;
        last = moved;
    }
    return carom_record_stop(s->record, CAROM_FLOW_UNSOLVED,
                             "t = %.12g: the forces at the theta point do not settle (last change "
                             "%.3g); take a smaller step",
                             s->t, last);
}

/* One Schatzman-Paoli step: v is (q_k - q_k-1)/h, next (q_k+1 - q_k)/h; forces at the beginning.
 * Contacts are added until none is violated. */
carom_status carom_time_step_schatzman_paoli(carom_time_stepping *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    carom_status status = carom_time_step_forces_at(s, 0, s->v, error);
    if (status != CAROM_OK)
        return status;
    s->implicit = false;
    c->count = c->tangents = 0;
    if (s->shape->m + s->shape->a > 0)
        carom_time_step_hold_joints(s);
    memcpy(s->next, s->v, sizeof(double) * (size_t)s->n);
    free_velocity(s, s->change, true);
    memcpy(s->next, s->change, sizeof(double) * (size_t)s->n);
    memset(s->mode, 0, (size_t)s->p);
    for (int round = 0; round <= s->p; round++) {
        bool added = false;
        for (int i = 0; i < s->p; i++) {
            const double *w = x->W + (size_t)i * s->n, e = s->e[i];
            double b = carom_dense_dot(s->n, w, s->next) - e * carom_dense_dot(s->n, w, s->v) +
                       (1 - e) * x->w_hat[i] + (1 + e) * x->g[i] / s->h;
            if (b < 0 && !s->mode[i]) {
                s->mode[i] = 1;
                added = true;
            }
        }
        if (!added)
            return CAROM_OK;
        c->count = c->tangents = 0;
        for (int i = 0; i < s->p; i++)
            if (s->mode[i])
                activate(s, i);
        carom_time_step_assemble(s);
        memcpy(s->next, s->change, sizeof(double) * (size_t)s->n);
        offsets(s, s->next);
        status = carom_time_step_solve_contacts(s, s->next, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}
