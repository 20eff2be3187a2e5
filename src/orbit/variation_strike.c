/* Variations through impulses on given rows, and onto constraints (docs/theory/sensitivities.md,
 * "Impacts"):
 *
 *   M(du+ - du-) - F dx = (dF)x - (dM)(u+ - u-),     r'du+ = target - (dr)'u+ - dhat. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "orbit/variation.h"

/* D may be off the constraints of a mode by this part of itself; more, and more than the errors of
 * what it was made of, means that the motion took as zero what the variations do not. */
static const double held = 1e-6;

int carom_variation_strike_choose(carom_variation *v, const carom_event_driven *e, int count)
{
    carom_variation_point *s = &v->strike;
    s->state = e->motion.state; /* borrowed while the event lasts */
    if (!carom_variation_point_factor(s))
        return 0;
    s->r = 0;
    for (int k = 0; k < count; k++) {
        const carom_motion_row row = s->rows[k];
        s->rows[k] = s->rows[s->r];
        s->rows[s->r++] = row;
        if (!carom_variation_point_assemble(s))
            s->r--;
    }
    carom_variation_point_assemble(s);
    return s->r;
}

carom_status carom_variation_strike_rates(carom_variation *v, const carom_state *state,
                                          const double *u, carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const carom_directions along = carom_variation_directions(v);
    const unsigned rows = CAROM_WANT_NORMALS | CAROM_WANT_SLIPS | CAROM_WANT_JOINTS;
    carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_MASS | rows, state, &along, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.x = u,
                        .Wx = s->normal,
                        .w_hat = s->normal_bias,
                        .Hx = s->slip,
                        .slip_motion = s->slip_bias,
                        .Bx = s->held,
                        .b_hat = s->held_bias,
                        .Ax = s->rolls,
                        .a_hat = s->rolls_bias};
    carom_system_tangents(v->system, &t);
    return CAROM_OK;
}

double carom_variation_strike_rate(const carom_variation *v, carom_motion_row row, int column)
{
    return carom_variation_point_row_change(&v->strike, row, column);
}

/* Impulses by contact, slip, joint, rolling, from M(u+ - u-) = F x on the rows. */
static void find_impulses(carom_variation *v, const carom_event_driven *e, const double *before)
{
    carom_variation_point *s = &v->strike;
    const double *after = e->motion.state.u;
    for (int i = 0; i < v->n; i++)
        v->change[i] = after[i] - before[i];
    for (int k = 0; k < s->r; k++)
        s->x[k] = carom_dense_dot(v->n, carom_variation_point_row(s, s->rows[k]), v->change);
    if (s->r > 0)
        carom_lu_solve(s->r, s->K, s->r, s->pivot, s->x);
    carom_variation_point_distribute(s);
}

carom_status carom_variation_strike(carom_variation *v, const carom_event_driven *e,
                                    const double *before, double *target, carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const carom_system_shape *shape = v->shape;
    const size_t n = (size_t)v->n, r = (size_t)s->r, p = (size_t)shape->p;
    find_impulses(v, e, before);
    carom_status status =
        carom_variation_strike_rates(v, &e->motion.state, e->motion.state.u, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.x = v->change,
                        .lambda = s->lambda,
                        .lambda_T = s->lambda_T,
                        .joint = s->joint,
                        .rolling = s->rolling,
                        .Mx = s->Mx,
                        .force = s->force};
    carom_system_tangents(v->system, &t);
    for (int c = 0; c < v->k; c++) {
        double *z = s->rhs + (size_t)c * n;
        for (size_t i = 0; i < n; i++)
            z[i] = s->force[(size_t)c * n + i] - s->Mx[(size_t)c * n + i];
        for (size_t i = 0; i < p; i++)
            for (int j = shape->slip_start[i]; s->sliding[i] && j < shape->slip_start[i + 1]; j++) {
                double change = -v->dmu[i + (size_t)c * p] * s->direction[j];
                carom_variation_ratio_of(s, (int)i, j, c, &change);
                carom_dense_axpy(v->n, change * s->lambda[i], s->state.H + (size_t)j * n, z);
            }
        for (size_t k = 0; k < r; k++)
            target[k + (size_t)c * r] -=
                carom_variation_strike_rate(v, s->rows[k], c) +
                carom_dense_dot(v->n, carom_variation_point_row(s, s->rows[k]),
                                v->du + (size_t)c * n);
    }
    carom_variation_point_solve(s, s->rhs, target);
    for (size_t i = 0; i < n * (size_t)v->k; i++)
        v->du[i] += s->rhs[i];
    return CAROM_OK;
}

/* Errors of the positions (gaps and joints) of the rows, in the k directions, into target. */
static carom_status position_errors(carom_variation *v, const carom_state *state, double *target,
                                    carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const carom_directions along = carom_variation_directions(v);
    carom_status status = carom_system_differentiate(v->system, CAROM_WANT_GAPS | CAROM_WANT_JOINTS,
                                                     state, &along, error);
    carom_tangents t = {.g = s->normal, .f = s->held};
    if (status != CAROM_OK)
        return status;
    carom_system_tangents(v->system, &t);
    for (int c = 0; c < v->k; c++)
        for (int k = 0; k < s->r; k++) {
            const size_t i = (size_t)s->rows[k].index, j = (size_t)c;
            target[(size_t)k + j * (size_t)s->r] = s->rows[k].kind == CAROM_MOTION_NORMAL
                                                       ? -s->normal[i + j * (size_t)v->shape->p]
                                                       : -s->held[i + j * (size_t)v->shape->m];
        }
    return CAROM_OK;
}

/* Take the correction in rhs to y (n x k); *off: the most it is beside what is allowed. A direction
 * without any effect so far is nothing but rounding. */
static void correct(carom_variation *v, const carom_event_driven *e, double *y, double *off)
{
    const size_t n = (size_t)v->n;
    for (size_t c = 0; c < (size_t)v->k; c++) {
        const double size =
            fmax(carom_dense_max(v->n, v->dq + c * n), carom_dense_max(v->n, v->du + c * n));
        const double move = carom_dense_max(v->n, v->strike.rhs + c * n);
        const double error = carom_variation_error(v, e, (int)c);
        *off = fmax(*off, move > 0 ? move / fmax(held * size, error) : 0);
        carom_dense_axpy(v->n, 1, v->strike.rhs + c * n, y + c * n);
    }
}

/* Rows that hold positions, into v->strike; how many are independent. */
static int choose_positions(carom_variation *v, const carom_event_driven *e)
{
    carom_variation_point *s = &v->strike;
    const carom_motion *m = &e->motion;
    int count = 0;
    memset(s->sliding, 0, (size_t)v->shape->p);
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].kind == CAROM_MOTION_NORMAL || m->rows[i].kind == CAROM_MOTION_JOINT)
            s->rows[count++] = m->rows[i];
    return carom_variation_strike_choose(v, e, count);
}

/* Rows that hold velocities: all. What takes a neighbour's velocity back to them, an impact or the
 * flights of a hop, brings the friction of contacts that slide with it. */
static int choose_velocities(carom_variation *v, const carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    memcpy(v->strike.sliding, m->sliding, (size_t)v->shape->p);
    memcpy(v->strike.mu, m->mu, sizeof(double) * (size_t)v->shape->p);
    memcpy(v->strike.direction, m->direction, sizeof(double) * (size_t)v->shape->s);
    memcpy(v->strike.rows, m->rows, sizeof *v->strike.rows * (size_t)m->row_count);
    return carom_variation_strike_choose(v, e, m->row_count);
}

int carom_variation_strike_rank(carom_variation *v, const carom_event_driven *e)
{
    if (e->motion.row_count == 0)
        return 0;
    const int positions = choose_positions(v, e);
    return positions + choose_velocities(v, e);
}

carom_status carom_variation_strike_lost(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const carom_state *state = &e->motion.state;
    const carom_status status = carom_variation_strike_rates(v, state, state->u, error);
    for (int c = 0; c < v->k && status == CAROM_OK; c++) {
        const double allowed =
            fmax(held * carom_variation_condition_size(v, c), carom_variation_error(v, e, c));
        for (int k = 0; k < s->r; k++) {
            const double *w = carom_variation_point_row(s, s->rows[k]);
            double *rate = &s->dx[(size_t)k + (size_t)c * (size_t)s->r];
            *rate = -carom_variation_strike_rate(v, s->rows[k], c) -
                    carom_dense_dot(v->n, w, v->du + (size_t)c * (size_t)v->n);
            if (s->rows[k].kind == CAROM_MOTION_NORMAL)
                v->lost[s->rows[k].index] =
                    fmax(v->lost[s->rows[k].index],
                         held * fabs(*rate) / (carom_dense_max(v->n, w) * allowed));
        }
    }
    return status;
}

carom_status carom_variation_strike_hold(carom_variation *v, const carom_event_driven *e,
                                         carom_variation_off *off, carom_error *error)
{
    carom_variation_point *s = &v->strike;
    const carom_motion *m = &e->motion;
    const size_t n = (size_t)v->n, k = (size_t)v->k;
    *off = (carom_variation_off){0};
    if (m->row_count == 0)
        return CAROM_OK;
    choose_positions(v, e);
    carom_status status = position_errors(v, &m->state, s->dx, error);
    if (status != CAROM_OK)
        return status;
    memset(s->rhs, 0, sizeof(double) * n * k);
    carom_variation_point_solve(s, s->rhs, s->dx);
    correct(v, e, v->dq, &off->position);
    choose_velocities(v, e);
    status = carom_variation_strike_lost(v, e, error);
    if (status != CAROM_OK)
        return status;
    memset(s->rhs, 0, sizeof(double) * n * k);
    carom_variation_point_solve(s, s->rhs, s->dx);
    correct(v, e, v->du, &off->rate);
    return CAROM_OK;
}
