/* Forces that are not determined (docs/theory/sensitivities.md, "Forces that are shared"): the rows
 * of a mode as columns give the accelerations of the motion only if these do not depend on how
 * redundant contacts share the forces, here and in every direction:
 *
 *   M y - F z = F_j,  R'y = 0  has y = 0,  and  M dy - F dz = (dF)(z, 1),  R'dy = 0  has dy = 0. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

/* Does something slide, with friction, under forces that are not determined? */
static bool shares(const carom_variation *v, const carom_motion *m)
{
    bool slides = false;
    for (int i = 0; i < v->shape->p; i++)
        slides = slides || (m->sliding[i] && m->mu[i] > 0);
    return slides && m->column_count > 0;
}

static bool is_row(const carom_variation_point *s, carom_motion_row column)
{
    for (int k = 0; k < s->r; k++)
        if (s->rows[k].kind == column.kind && s->rows[k].index == column.index)
            return true;
    return false;
}

/* Does direction c of rhs accelerate, beyond rounding of what the rows take up? */
static bool accelerates(const carom_variation *v, int c)
{
    const carom_variation_point *s = &v->strike;
    const size_t at = (size_t)c * (size_t)v->n;
    return carom_dense_max(v->n, s->rhs + at) >
           CAROM_TOLERANCE_SAME * carom_dense_max(v->n, s->unheld + at);
}

/* How the direction of the slip of contact i turns in direction c; after
 * carom_variation_strike_rates. */
static void find_turn(const carom_variation *v, int i, int c, double *turn)
{
    const carom_variation_point *s = &v->strike;
    const int first = v->shape->slip_start[i];
    const double *d = s->direction + first;
    double slip[2], change[2];
    turn[0] = turn[1] = 0;
    if (v->shape->slip_start[i + 1] - first < 2)
        return;
    for (int l = 0; l < 2; l++) {
        const double *H = s->state.H + (size_t)(first + l) * (size_t)v->n;
        slip[l] = carom_dense_dot(v->n, H, s->state.u) + s->state.slip_motion[first + l];
        change[l] =
            carom_variation_strike_rate(v, (carom_motion_row){CAROM_MOTION_SLIP, first + l}, c) +
            carom_dense_dot(v->n, H, v->du + (size_t)c * (size_t)v->n);
    }
    const double speed = hypot(slip[0], slip[1]), across = d[0] * change[1] - d[1] * change[0];
    if (speed > 0) {
        turn[0] = -d[1] * across / speed;
        turn[1] = d[0] * across / speed;
    }
}

/* A unit of force more on a column, less on the rows: the forces that hold each other. */
static void exchange(carom_variation *v, carom_motion_row column)
{
    carom_variation_point *s = &v->strike;
    memcpy(s->x, s->dx, sizeof(double) * (size_t)s->r);
    carom_variation_point_distribute(s);
    if (column.kind == CAROM_MOTION_SLIP) {
        s->lambda_T[column.index] += 1;
        return;
    }
    const int i = column.index;
    s->lambda[i] += 1;
    for (int j = v->shape->slip_start[i]; s->sliding[i] && j < v->shape->slip_start[i + 1]; j++)
        s->lambda_T[j] -= s->mu[i] * s->direction[j];
}

/* (dF) of these forces, into rhs. */
static carom_status change_columns(carom_variation *v, carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const size_t n = (size_t)v->n, p = (size_t)v->shape->p;
    const carom_status status = carom_variation_strike_rates(v, &s->state, s->state.u, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.lambda = s->lambda,
                        .lambda_T = s->lambda_T,
                        .joint = s->joint,
                        .rolling = s->rolling,
                        .force = s->rhs};
    carom_system_tangents(v->system, &t);
    for (size_t i = 0; i < p; i++)
        for (int c = 0; s->sliding[i] && c < v->k; c++) {
            const int first = v->shape->slip_start[i];
            double turn[2];
            find_turn(v, (int)i, c, turn);
            for (int j = first; j < v->shape->slip_start[i + 1]; j++) {
                const double change =
                    v->dmu[i + (size_t)c * p] * s->direction[j] + s->mu[i] * turn[(j - first) & 1];
                carom_dense_axpy(v->n, -change * s->lambda[i], s->state.H + (size_t)j * n,
                                 s->rhs + (size_t)c * n);
            }
        }
    return CAROM_OK;
}

/* Do the accelerations depend on the force of a column, here or in a direction? */
static carom_status check_column(carom_variation *v, const carom_event_driven *e,
                                 carom_motion_row column, bool *depend, carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const size_t n = (size_t)v->n, k = (size_t)v->k;
    memset(s->rhs, 0, sizeof(double) * n * k);
    memset(s->dx, 0, sizeof(double) * (size_t)s->r * k);
    if (column.kind == CAROM_MOTION_NORMAL && s->sliding[column.index])
        carom_motion_column(&e->motion, column.index, s->rhs);
    else
        memcpy(s->rhs, carom_variation_point_row(s, column), sizeof(double) * n);
    carom_variation_point_solve(s, s->rhs, s->dx);
    *depend = accelerates(v, 0);
    if (*depend)
        return CAROM_OK;
    exchange(v, column);
    const carom_status status = change_columns(v, error);
    memset(s->dx, 0, sizeof(double) * (size_t)s->r * k);
    if (status == CAROM_OK)
        carom_variation_point_solve(s, s->rhs, s->dx);
    for (int c = 0; c < v->k; c++)
        *depend = *depend || accelerates(v, c);
    return status;
}

carom_status carom_variation_sharing_check(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error)
{
    const carom_motion *m = &e->motion;
    carom_variation_point *s = &v->strike;
    carom_status status = CAROM_OK;
    bool depend = false;
    if (!shares(v, m))
        return CAROM_OK;
    memcpy(s->sliding, m->sliding, (size_t)v->shape->p);
    memcpy(s->mu, m->mu, sizeof(double) * (size_t)v->shape->p);
    memcpy(s->direction, m->direction, sizeof(double) * (size_t)v->shape->s);
    memcpy(s->rows, m->rows, sizeof *s->rows * (size_t)m->row_count);
    carom_variation_strike_choose(v, e, m->row_count);
    for (int k = 0; k < m->column_count && status == CAROM_OK && !depend; k++)
        if (!is_row(s, m->columns[k]))
            status = check_column(v, e, m->columns[k], &depend, error);
    if (status == CAROM_OK && depend)
        carom_variation_refuse(v, e->ode.t,
                               "at t = %.12g contacts slide under forces that are not determined, "
                               "and the motion depends on how these are shared: no derivative is "
                               "known",
                               e->ode.t);
    return status;
}
