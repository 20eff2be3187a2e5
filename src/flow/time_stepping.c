#include "flow/time_stepping.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "flow/motion.h"
#include "flow/step_contact.h"
#include "linalg/lu.h"

typedef struct stepper {
    carom_record *record;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    carom_arena *scratch;
    carom_motion motion; /* state at the beginning of the step */
    carom_state point;   /* forces at the theta point */
    carom_step_contact contact;
    int n, nq, p;
    double h, t;
    unsigned want;            /* parts evaluated at the beginning of a step */
    double *e, *e_tangential; /* p, restitution the law gives each contact */
    unsigned char *rough;     /* p: the law knows friction */
    unsigned char *mode;      /* p */
    const char *law_name;
    double *v, *next, *change, *old_force; /* n */
    double *impulse, *tangent;             /* p, s: of this step */
    double *rate;                          /* nq */
    bool implicit;                         /* the forces depend on the motion: What is used */
    double *What;                          /* n x n, factored */
    int *What_pivot;
    int held; /* joints and rolling constraints that are independent */
    carom_motion_row *hold;
    double *Yj, *S, *beta, *hats; /* n x held responses, factored held x held, impulses, offsets */
    int *S_pivot;
    double kick; /* largest change of velocity by the forces of the last step */
    bool warned_iteration;
} stepper;

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static double largest(int n, const double *x)
{
    double top = 0;
    for (int i = 0; i < n; i++)
        top = fabs(x[i]) > top ? fabs(x[i]) : top;
    return top;
}

/* What the law says of contact i; false when time-stepping cannot use it. */
static bool adopt(stepper *s, int i, const carom_law *law)
{
    const carom_contact *c = &s->shape->contacts[i];
    const char *name = law->ops->name;
    s->e[i] = c->restitution;
    s->rough[i] = 0;
    if (strcmp(name, "coulomb") == 0) {
        s->rough[i] = 1;
        s->e_tangential[i] = c->tangential_restitution;
    } else if (strcmp(name, "inelastic") == 0) {
        s->e[i] = 0;
    } else if (strcmp(name, "moreau") == 0) {
        double e = carom_law_number(law, "restitution");
        if (!isnan(e))
            s->e[i] = e;
    } else if (strcmp(name, "newton") != 0) {
        return false;
    }
    return true;
}

static carom_status create(stepper *s, carom_record *record, const carom_law *law,
                           const carom_flow_start *start, carom_arena *work, carom_arena *scratch,
                           carom_error *error)
{
    const carom_system_shape *shape = record->shape;
    const size_t n = (size_t)shape->n, p = (size_t)shape->p, c = (size_t)(shape->m + shape->a);
    memset(s, 0, sizeof *s);
    s->record = record;
    s->shape = shape;
    s->options = record->options;
    s->scratch = scratch;
    s->n = shape->n;
    s->nq = shape->nq;
    s->p = shape->p;
    s->h = s->options->step;
    s->t = start->t;
    s->law_name = law->ops->name;
    carom_status status = carom_motion_create(record->system, work, &s->motion, error);
    if (status == CAROM_OK)
        status = carom_state_create(record->system, work, &s->point, error);
    if (status == CAROM_OK)
        status = carom_step_contact_create(work, shape, &s->contact, error);
    if (status != CAROM_OK)
        return status;
    double *d = carom_arena_zeros(
        work, 3 * p + (size_t)shape->s + 4 * n + (size_t)shape->nq + n * n + n * c + c * c + 2 * c,
        sizeof(double));
    int *ints = carom_arena_zeros(work, n + c, sizeof(int));
    s->rough = carom_arena_zeros(work, 2 * p, 1);
    s->hold = carom_arena_array(work, c, sizeof *s->hold);
    if (!d || !ints || !s->rough || !s->hold)
        return carom_error_memory(error);
    s->mode = s->rough + p;
    s->What_pivot = ints;
    s->S_pivot = ints + n;
    s->e = d;
    s->e_tangential = d += p;
    s->impulse = d += p;
    s->tangent = d += p;
    s->v = d += shape->s;
    s->next = d += n;
    s->change = d += n;
    s->old_force = d += n;
    s->rate = d += n;
    s->What = d += shape->nq;
    s->Yj = d += n * n;
    s->S = d += n * c;
    s->beta = d += c * c;
    s->hats = d + c;
    for (int i = 0; i < s->p; i++) {
        const carom_law *own = shape->contacts[i].law ? shape->contacts[i].law : law;
        if (!adopt(s, i, own))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "time-stepping takes the laws newton, moreau, inelastic and "
                                   "coulomb, whose impulse is part of the step; %s needs the "
                                   "instant of the impact (method event-driven)",
                                   own->ops->name);
    }
    s->want = CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_MASS;
    if (shape->s > 0)
        s->want |= CAROM_WANT_SLIPS;
    if (c > 0)
        s->want |= CAROM_WANT_JOINTS;
    if (!shape->kinematics_is_identity)
        s->want |= CAROM_WANT_KINEMATICS;
    memcpy(s->motion.state.q, start->q, sizeof(double) * (size_t)s->nq);
    memcpy(s->v, start->u, sizeof(double) * n);
    return CAROM_OK;
}

/* Forces at t + part h for a final velocity `next`: the theta point. */
static carom_status forces_at(stepper *s, double part, const double *next, carom_error *error)
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
static carom_status linearise(stepper *s, carom_error *error)
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

static void respond_alone(const stepper *s, double *x)
{
    if (s->implicit)
        carom_lu_solve(s->n, s->What, s->n, s->What_pivot, x);
    else
        carom_motion_inverse_mass(&s->motion, x);
}

/* Responses of the joints; dependent ones are left out. */
static void hold_joints(stepper *s)
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
                s->S[k + (size_t)j * s->held] =
                    dot(n, carom_motion_vector(&s->motion, s->hold[k]), s->Yj + (size_t)j * n);
        int bad = carom_lu_factor(s->held, s->S, s->held, s->S_pivot, 1e-12);
        if (bad == 0)
            return;
        memmove(s->hold + bad - 1, s->hold + bad, sizeof *s->hold * (size_t)(s->held - bad));
        s->held--;
    }
}

/* x -= Yj S^-1 (R'x + offset): afterwards R'x = -offset. Returns the impulses in beta. */
static void obey_joints(stepper *s, double *x, const double *offset)
{
    for (int k = 0; k < s->held; k++)
        s->beta[k] =
            dot(s->n, carom_motion_vector(&s->motion, s->hold[k]), x) + (offset ? offset[k] : 0);
    carom_lu_solve(s->held, s->S, s->held, s->S_pivot, s->beta);
    for (int k = 0; k < s->held; k++)
        for (int i = 0; i < s->n; i++)
            x[i] -= s->Yj[i + (size_t)k * s->n] * s->beta[k];
}

/* Add contact i with its friction rows to the problem of this step. */
static void activate(stepper *s, int i)
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
static void assemble(stepper *s)
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
            obey_joints(s, y, NULL);
    }
    carom_step_contact_delassus(c);
}

static carom_status solve_contacts(stepper *s, double *velocity, carom_error *error)
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
static void offsets(stepper *s, const double *at)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    const bool paoli = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contact[k];
        const double e = s->e[i], hat = x->w_hat[i], before = dot(s->n, c->row[k], s->v);
        double b = dot(s->n, c->row[k], at) + hat;
        if (paoli)
            b += -e * (before + hat) + (1 + e) * x->g[i] / s->h;
        else
            b += e * (before + hat);
        c->b[k] = b;
        for (int f = 0; f < c->width[k]; f++) {
            const int r = c->count + c->tangent[k] + f;
            const double motion = x->slip_motion[s->shape->slip_start[i] + f];
            c->b[r] = dot(s->n, c->row[r], at) + motion +
                      s->e_tangential[i] * (dot(s->n, c->row[r], s->v) + motion);
        }
    }
}

/* The velocity without contacts from the linearisation at `next`: next + What^-1 (h F - M (next -
 * v)), then joints. */
static void free_velocity(stepper *s, double *out, bool first)
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
        obey_joints(s, out, s->hats);
    }
}

/* One Moreau-Jean step: Newton's iteration at the theta point around the contact problem. */
static carom_status moreau_jean(stepper *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    const double reach = s->options->activation * s->h;
    /* a contact that rests is not let go by rounding */
    const double hold =
        64 * DBL_EPSILON * (largest(s->nq, x->q) + s->h * (largest(s->n, s->v) + s->kick));
    c->count = c->tangents = 0;
    for (int i = 0; i < s->p; i++) {
        double rate = dot(s->n, x->W + (size_t)i * s->n, s->v) + x->w_hat[i];
        if (x->g[i] + reach * rate <= (c->guess[i] ? hold : 0))
            activate(s, i);
    }
    memcpy(s->next, s->v, sizeof(double) * (size_t)s->n);
    bool assembled = false;
    double last = INFINITY;
    for (int round = 0; round < 60; round++) {
        if (round > 0)
            memcpy(s->old_force, s->point.h, sizeof(double) * (size_t)s->n);
        carom_status status = forces_at(s, s->options->theta, s->next, error);
        if (status != CAROM_OK)
            return status;
        if (round > 0 && memcmp(s->old_force, s->point.h, sizeof(double) * (size_t)s->n) == 0 &&
            !s->implicit)
            return CAROM_OK;
        if (round == 1 ? !s->implicit : round > 0 && round % 5 == 0) {
            /* the forces depend on the motion: from here on with their derivatives */
            status = linearise(s, error);
            if (status == CAROM_OK)
                status = forces_at(s, s->options->theta, s->next, error);
            if (status != CAROM_OK)
                return status;
            assembled = false;
        }
        if (!assembled) {
            if (s->shape->m + s->shape->a > 0)
                hold_joints(s);
            if (c->count > 0)
                assemble(s);
            assembled = true;
        }
        free_velocity(s, s->change, round == 0);
        if (c->count > 0) {
            offsets(s, s->change);
            status = solve_contacts(s, s->change, error);
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
static carom_status schatzman_paoli(stepper *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    const carom_state *x = &s->motion.state;
    carom_status status = forces_at(s, 0, s->v, error);
    if (status != CAROM_OK)
        return status;
    s->implicit = false;
    c->count = c->tangents = 0;
    if (s->shape->m + s->shape->a > 0)
        hold_joints(s);
    memcpy(s->next, s->v, sizeof(double) * (size_t)s->n);
    free_velocity(s, s->change, true);
    memcpy(s->next, s->change, sizeof(double) * (size_t)s->n);
    memset(s->mode, 0, (size_t)s->p);
    for (int round = 0; round <= s->p; round++) {
        bool added = false;
        for (int i = 0; i < s->p; i++) {
            const double *w = x->W + (size_t)i * s->n, e = s->e[i];
            double b = dot(s->n, w, s->next) - e * dot(s->n, w, s->v) + (1 - e) * x->w_hat[i] +
                       (1 + e) * x->g[i] / s->h;
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
        assemble(s);
        memcpy(s->next, s->change, sizeof(double) * (size_t)s->n);
        offsets(s, s->next);
        status = solve_contacts(s, s->next, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* The ledger of the step: impulse times mean velocity, contact by contact. */
static carom_status book(stepper *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    carom_flow_ledger *l = &s->record->result->ledger;
    const carom_state *x = &s->motion.state;
    const int n = s->n;
    int fresh_count = 0, *fresh = c->nonzero; /* free after the solve */
    double lost = 0;
    memset(s->impulse, 0, sizeof(double) * (size_t)s->p);
    memset(s->tangent, 0, sizeof(double) * (size_t)s->shape->s);
    memset(s->mode, CAROM_FLOW_OPEN, (size_t)s->p);
    for (int k = 0; k < c->count; k++) {
        const int i = c->contact[k];
        const double P = c->P[k];
        if (!(P > 0))
            continue;
        const bool hit = !c->guess[i];
        double mean = 0.5 * (dot(n, c->row[k], s->v) + dot(n, c->row[k], s->next));
        double impact = P * (mean + x->w_hat[i]), slide = 0;
        double moving = -P * x->w_hat[i], friction = 0;
        s->impulse[i] = P;
        s->mode[i] = CAROM_FLOW_CLOSED;
        for (int f = 0; f < c->width[k]; f++) {
            const int r = c->count + c->tangent[k] + f, j = s->shape->slip_start[i] + f;
            double slip = 0.5 * (dot(n, c->row[r], s->v) + dot(n, c->row[r], s->next));
            s->tangent[j] = c->P[r];
            slide += c->P[r] * (slip + x->slip_motion[j]);
            moving -= c->P[r] * x->slip_motion[j];
            friction = hypot(friction, c->P[r]);
        }
        if (c->width[k] > 0) {
            bool stick = friction < c->mu[k] * P * (1 - 1e-12);
            s->mode[i] = stick                                     ? CAROM_FLOW_STICK
                         : c->width[k] == 2                        ? CAROM_FLOW_SLIP
                         : s->tangent[s->shape->slip_start[i]] < 0 ? CAROM_FLOW_SLIP_PLUS
                                                                   : CAROM_FLOW_SLIP_MINUS;
        }
        if (hit) {
            fresh[fresh_count++] = i;
            impact += slide + moving;
            slide = moving = 0;
            lost += impact;
        }
        l->impacts += impact;
        l->impact_loss[i] += impact;
        l->friction += slide;
        l->friction_loss[i] += slide;
        l->constraints += moving;
        l->forces += moving;
    }
    l->forces += s->h * s->point.power;
    for (int i = 0; i < s->p; i++) {
        c->guess[i] = s->impulse[i] > 0 ? c->guess[i] + (c->guess[i] < 255) : 0;
        c->memory[i] = s->impulse[i];
    }
    memcpy(c->memory + s->p, s->tangent, sizeof(double) * (size_t)s->shape->s);
    if (fresh_count == 0)
        return CAROM_OK;
    for (int k = 0; k < fresh_count; k++)
        c->work[k] = s->impulse[fresh[k]];
    carom_flow_impact impact = {.kind = CAROM_FLOW_COLLISION,
                                .t = s->t + s->h,
                                .contact_count = fresh_count,
                                .contacts = fresh,
                                .law = s->law_name,
                                .q = x->q,
                                .before = s->v,
                                .after = s->next,
                                .impulse = c->work,
                                .energy_change = lost};
    return carom_record_impact(s->record, &impact, error);
}

static carom_status look(stepper *s, unsigned more, carom_error *error)
{
    carom_motion *m = &s->motion;
    m->state.t = s->t;
    memcpy(m->state.u, s->v, sizeof(double) * (size_t)s->n);
    unsigned want = s->want | more;
    if (m->factored && !more)
        want &= ~(unsigned)CAROM_WANT_MASS;
    carom_status status = carom_system_evaluate(s->record->system, want, &m->state, error);
    return status == CAROM_OK ? carom_motion_factor(m, error) : status;
}

static void measure_penetration(stepper *s)
{
    carom_flow_result *r = s->record->result;
    for (int i = 0; i < s->p; i++)
        if (-s->motion.state.g[i] > r->max_penetration)
            r->max_penetration = -s->motion.state.g[i];
}

/* Positions back to g >= 0 and f = 0, the nearest in the kinetic norm; its energy booked apart. */
static carom_status project(stepper *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    carom_state *x = &s->motion.state;
    carom_status status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, error);
    if (status != CAROM_OK)
        return status;
    double before = carom_record_energy(s->shape, x);
    bool moved = false, implicit = s->implicit;
    s->implicit = false;
    for (int round = 0; round < 8; round++) {
        double size = largest(s->nq, x->q), worst = 0;
        c->count = c->tangents = 0;
        for (int i = 0; i < s->p; i++)
            if (x->g[i] < 0) {
                worst = fmax(worst, -x->g[i]);
                c->width[c->count] = 0;
                c->contact[c->count++] = i;
            }
        for (int j = 0; j < s->shape->m; j++)
            worst = fmax(worst, fabs(x->f[j]));
        if (worst <= 8 * DBL_EPSILON * size)
            break;
        hold_joints(s);
        int joints = 0; /* rolling constraints hold for velocities only */
        while (joints < s->held && s->hold[joints].kind == CAROM_MOTION_JOINT)
            s->hats[joints] = x->f[s->hold[joints].index], joints++;
        for (int k = joints; k < s->held; k++)
            s->hats[k] = 0;
        memset(s->change, 0, sizeof(double) * (size_t)s->n);
        if (s->held > 0)
            obey_joints(s, s->change, s->hats);
        if (c->count > 0) {
            assemble(s);
            for (int k = 0; k < c->count; k++)
                c->b[k] = x->g[c->contact[k]] + dot(s->n, c->row[k], s->change);
            status = solve_contacts(s, s->change, error);
        }
        if (status != CAROM_OK)
            return status;
        carom_motion_kinematics(&s->motion, s->change, s->rate);
        for (int i = 0; i < s->nq; i++)
            x->q[i] += s->rate[i];
        moved = true;
        status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, error);
        if (status != CAROM_OK)
            return status;
    }
    s->implicit = implicit;
    if (moved)
        s->record->result->ledger.projection += carom_record_energy(s->shape, x) - before;
    return CAROM_OK;
}

/* One step from t to t + h. */
static carom_status step(stepper *s, carom_error *error)
{
    const bool paoli = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI;
    const double theta = paoli ? 1 : s->options->theta;
    double *q = s->motion.state.q;
    carom_status status = look(s, 0, error);
    if (status != CAROM_OK)
        return status;
    measure_penetration(s);
    status = paoli ? schatzman_paoli(s, error) : moreau_jean(s, error);
    if (status == CAROM_OK)
        status = book(s, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < s->n; i++)
        s->change[i] = theta * s->next[i] + (1 - theta) * s->v[i];
    if (s->shape->kinematics_is_identity) {
        for (int i = 0; i < s->nq; i++)
            q[i] += s->h * s->change[i];
    } else {
        carom_motion_kinematics(&s->motion, s->change, s->rate);
        for (int i = 0; i < s->nq; i++)
            q[i] += s->h * s->rate[i];
    }
    double *v = s->v;
    s->v = s->next;
    s->next = v;
    return CAROM_OK;
}

/* The velocity at t itself: Schatzman-Paoli's is half a step behind. */
static carom_status synchronise(stepper *s, double part, double *out, carom_error *error)
{
    if (out != s->v)
        memcpy(out, s->v, sizeof(double) * (size_t)s->n);
    if (s->options->scheme != CAROM_FLOW_SCHATZMAN_PAOLI)
        return CAROM_OK;
    carom_status status = forces_at(s, 0, s->v, error);
    if (status != CAROM_OK)
        return status;
    memcpy(s->change, s->point.h, sizeof(double) * (size_t)s->n);
    carom_motion_inverse_mass(&s->motion, s->change);
    for (int i = 0; i < s->n; i++)
        out[i] += part * s->h * s->change[i];
    return CAROM_OK;
}

/* State, energy and, when asked, a row, at the present time. */
static carom_status emit(stepper *s, bool row, carom_error *error)
{
    carom_flow_ledger *l = &s->record->result->ledger;
    carom_state *x = &s->motion.state;
    carom_status status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, error);
    if (status == CAROM_OK)
        status = synchronise(s, 0.5, x->u, error);
    if (status != CAROM_OK)
        return status;
    carom_record_balance(s->record, x);
    if (!row || !s->record->observer->row)
        return CAROM_OK;
    for (int i = 0; i < s->p; i++)
        s->impulse[i] /= s->h;
    for (int j = 0; j < s->shape->s; j++)
        s->tangent[j] /= s->h;
    carom_flow_row shown = {.t = s->t,
                            .q = x->q,
                            .u = x->u,
                            .gap = x->g,
                            .force = s->impulse,
                            .friction = s->tangent,
                            .mode = s->mode,
                            .mass = x->M,
                            .ledger = l};
    return carom_record_row(s->record, &shown, error);
}

static carom_status begin(stepper *s, carom_error *error)
{
    char name[32];
    carom_status status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < s->p; i++)
        if (s->motion.state.g[i] < -s->options->closed) {
            status = carom_record_warn(
                s->record, s->t, error, "the motion starts in penetration: contact %s has gap %.6g",
                carom_record_contact(s->record, i, name), s->motion.state.g[i]);
            if (status != CAROM_OK)
                return status;
        }
    s->record->result->ledger.initial = carom_record_energy(s->shape, &s->motion.state);
    return synchronise(s, -0.5, s->v, error);
}

/* Has the row number `row` come due at time t (to a millionth of the step)? */
static bool due(const stepper *s, double begin, long row)
{
    const double every = s->options->output;
    return every > 0 && s->t >= begin + (double)row * every - 1e-6 * s->h;
}

static carom_status all_steps(stepper *s, double begin, carom_error *error)
{
    const double h = s->options->step, ratio = (s->options->until - begin) / h;
    const double whole = nearbyint(ratio);
    const bool exact = fabs(ratio - whole) <= 1e-6;
    const long long count = (long long)(exact ? whole : floor(ratio));
    long row = 1;
    carom_flow_result *r = s->record->result;
    for (long long k = 0; k < count + !exact; k++) {
        s->h = k < count ? h : s->options->until - s->t;
        carom_status status = step(s, error);
        if (status != CAROM_OK)
            return status;
        s->t = k < count ? begin + (double)(k + 1) * h : s->options->until;
        r->steps++;
        if (s->options->project) {
            status = project(s, error);
            if (status != CAROM_OK)
                return status;
        }
        if (due(s, begin, row)) {
            while (due(s, begin, row))
                row++;
            if (k + 1 < count + !exact)
                status = emit(s, true, error);
        }
        if (status == CAROM_OK && (r->steps & 4095) == 0)
            status = carom_record_progress(s->record, s->t, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

carom_status carom_time_stepping_run(carom_record *record, const carom_law *law,
                                     const carom_flow_start *start, carom_arena *work,
                                     carom_arena *scratch, carom_error *error)
{
    stepper stepping, *s = &stepping;
    carom_flow_result *r = record->result;
    carom_status status = create(s, record, law, start, work, scratch, error);
    if (status != CAROM_OK)
        return status;
    status = begin(s, error);
    if (status == CAROM_OK)
        status = emit(s, true, error);
    if (status == CAROM_OK)
        status = all_steps(s, start->t, error);
    if (status == CAROM_ERROR_NUMERIC || (status > 0 && r->end == CAROM_FLOW_REACHED))
        status = carom_record_stop(record, CAROM_FLOW_BAD_FORCE, "%s", error->text);
    if (status < 0)
        return status;
    carom_error ignored;
    carom_status last = emit(s, status == CAROM_OK, status == CAROM_OK ? error : &ignored);
    if (status == CAROM_OK)
        status = last;
    measure_penetration(s);
    s->motion.state.t = s->t;
    if (last != CAROM_OK)
        memcpy(s->motion.state.u, s->v, sizeof(double) * (size_t)s->n);
    carom_status kept = carom_record_finish(record, &s->motion.state, error);
    return kept != CAROM_OK ? kept : status;
}
