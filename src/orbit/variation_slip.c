/* Slip that starts under forces that are not determined (docs/theory/sensitivities.md, "Slip that
 * starts on several feet"): all contacts that begin to slide are at the limit of their friction,
 * and how they share it before does not matter. With the accelerations y that begin, v_i = H_i'y,
 *
 *   sigma = sum mu_i lambda_i |v_i| + lambda_Ti v_i,  T_i = mu_i lambda_i sign v_i + lambda_Ti,
 *   sum T_i H_i + R z = 0,  dsigma = sum |v_i| d(mu_i lambda_i) + v_i dlambda_Ti
 *                                    + y'(sum T_i dH_i + (dR) z)
 *
 * with R the other rows, which hold y. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

/* The forces at the limit leave less than this part of them. */
static const double balanced = CAROM_TOLERANCE_REGULAR;

typedef struct limit {
    carom_variation *v;
    unsigned char *slips; /* p: begins to slide */
    double *y;            /* n */
    double *force;        /* n x k: work */
} limit;

/* Where a row stands among those of the mode before; -1: it follows from the others. */
static int place_of(const carom_variation_point *p, carom_motion_kind kind, int index)
{
    for (int k = 0; k < p->r; k++)
        if (p->rows[k].kind == kind && p->rows[k].index == index)
            return k;
    return -1;
}

static double slip_of(const limit *l, int i)
{
    const int j = l->v->shape->slip_start[i];
    return carom_dense_dot(l->v->n, l->v->point.state.H + (size_t)j * (size_t)l->v->n, l->y);
}

/* Who begins to slide: planar contacts whose normal forces are determined, while nothing else
 * slides or opens. */
static bool find_slipping(limit *l, const carom_event_driven *e)
{
    const carom_variation *v = l->v;
    bool any = false;
    for (int i = 0; i < v->shape->p; i++) {
        const unsigned char now = e->motion.mode[i];
        if (v->mode[i] == CAROM_MODE_OPEN && now == CAROM_MODE_OPEN)
            continue;
        if (v->point.sliding[i] || v->mode[i] == CAROM_MODE_OPEN || now == CAROM_MODE_OPEN)
            return false;
        l->slips[i] = v->mode[i] == CAROM_MODE_STICK && now != CAROM_MODE_STICK;
        any = any || l->slips[i];
        if (l->slips[i] && (v->shape->slip_start[i + 1] - v->shape->slip_start[i] != 1 ||
                            place_of(&v->point, CAROM_MOTION_NORMAL, i) < 0))
            return false;
    }
    return any;
}

/* The rows that hold y, into v->strike. */
static void choose_holding(const limit *l, const carom_event_driven *e)
{
    carom_variation *v = l->v;
    const carom_variation_point *p = &v->point;
    int count = 0;
    memset(v->strike.sliding, 0, (size_t)v->shape->p);
    for (int k = 0; k < p->r; k++) {
        bool free = false;
        for (int i = 0; i < v->shape->p && p->rows[k].kind == CAROM_MOTION_SLIP; i++)
            free = free || (l->slips[i] && v->shape->slip_start[i] == p->rows[k].index);
        if (!free)
            v->strike.rows[count++] = p->rows[k];
    }
    carom_variation_strike_choose(v, e, count);
}

/* T and z, into the forces of v->strike; are they at the limit, and do they hold each other? */
static bool find_balance(const limit *l, const carom_event_driven *e)
{
    carom_variation *v = l->v;
    const carom_variation_point *p = &v->point;
    carom_variation_point *s = &v->strike;
    const size_t n = (size_t)v->n, k = (size_t)v->k;
    double sigma = 0, size = 0;
    choose_holding(l, e);
    memset(s->rhs, 0, sizeof(double) * n * k);
    memset(s->dx, 0, sizeof(double) * (size_t)s->r * k);
    for (int i = 0; i < v->shape->p; i++) {
        if (!l->slips[i])
            continue;
        const int j = v->shape->slip_start[i];
        const double most = v->shape->contacts[i].friction_static * p->lambda[i];
        const double slip = slip_of(l, i), T = copysign(most, slip) + p->lambda_T[j];
        sigma += T * slip;
        size += most * fabs(slip);
        carom_dense_axpy(v->n, T, s->state.H + (size_t)j * n, s->rhs);
    }
    carom_variation_point_solve(s, s->rhs, s->dx);
    if (!(fabs(sigma) <= balanced * size) ||
        !(carom_dense_max(v->n, s->rhs) <= balanced * carom_variation_point_size(p)))
        return false;
    memcpy(s->x, s->dx, sizeof(double) * (size_t)s->r);
    carom_variation_point_distribute(s);
    for (int i = 0; i < v->shape->p; i++)
        if (l->slips[i]) {
            const int j = v->shape->slip_start[i];
            s->lambda_T[j] =
                p->lambda_T[j] +
                copysign(v->shape->contacts[i].friction_static * p->lambda[i], slip_of(l, i));
        }
    return true;
}

/* dsigma along k directions, but for dmu. */
static carom_status change(const limit *l, const carom_directions *along, double *sigma,
                           carom_error *error)
{
    carom_variation *v = l->v;
    const carom_variation_point *p = &v->point, *s = &v->strike;
    const unsigned rows = CAROM_WANT_NORMALS | CAROM_WANT_SLIPS | CAROM_WANT_JOINTS;
    carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_MASS | rows, &s->state, along, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.lambda = s->lambda,
                        .lambda_T = s->lambda_T,
                        .joint = s->joint,
                        .rolling = s->rolling,
                        .force = l->force};
    carom_system_tangents(v->system, &t);
    status = carom_variation_point_tangent(&v->point, along, NULL, v->work, error);
    for (int c = 0; c < along->k && status == CAROM_OK; c++) {
        const double *dx = p->dx + (size_t)c * (size_t)p->r;
        sigma[c] = carom_dense_dot(v->n, l->force + (size_t)c * (size_t)v->n, l->y);
        for (int i = 0; i < v->shape->p; i++) {
            if (!l->slips[i])
                continue;
            const double slip = slip_of(l, i), mu = v->shape->contacts[i].friction_static;
            const int tangent = place_of(p, CAROM_MOTION_SLIP, v->shape->slip_start[i]);
            sigma[c] += fabs(slip) * mu * dx[place_of(p, CAROM_MOTION_NORMAL, i)];
            sigma[c] += tangent >= 0 ? slip * dx[tangent] : 0;
        }
    }
    return status;
}

/* How the instant moves, into v->extra. */
static carom_status shift(const limit *l, bool *known, carom_error *error)
{
    carom_variation *v = l->v;
    const double one = 1;
    double rate;
    const carom_directions forward = {.k = 1, .t = &one, .q = v->slope, .u = v->slope + v->n};
    const carom_directions along = carom_variation_directions(v);
    carom_status status = change(l, &forward, &rate, error);
    if (status == CAROM_OK)
        status = change(l, &along, v->extra, error);
    *known = status == CAROM_OK && fabs(rate) > 0;
    for (int j = 0; j < v->k && status == CAROM_OK; j++) {
        const carom_contact *d = v->along->contacts ? v->along->contacts[j] : NULL;
        for (int i = 0; i < v->shape->p && d; i++)
            if (l->slips[i])
                v->extra[j] += fabs(slip_of(l, i)) * d[i].friction_static * v->point.lambda[i];
        v->extra[j] = *known ? -v->extra[j] / rate : 0;
    }
    return status;
}

carom_status carom_variation_slip_shift(carom_variation *v, const carom_event_driven *e,
                                        bool *known, carom_error *error)
{
    const size_t n = (size_t)v->n, k = (size_t)v->k;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *d = carom_arena_zeros(v->scratch, n * (k + 2), sizeof(double));
    limit l = {.v = v, .slips = carom_arena_zeros(v->scratch, (size_t)v->shape->p, 1), .y = d};
    *known = false;
    if (!d || !l.slips)
        return carom_error_memory(error);
    l.force = d + n;
    for (size_t i = 0; i < n; i++)
        l.y[i] = e->ode.k[0][n + i] - v->slope[n + i];
    carom_status status =
        carom_variation_point_evaluate(&v->point, e->t, e->ode.y, e->ode.y + n, error);
    if (status == CAROM_OK && find_slipping(&l, e) && find_balance(&l, e))
        status = shift(&l, known, error);
    carom_arena_rewind(v->scratch, mark);
    return status;
}
