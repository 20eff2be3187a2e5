/* The equations of one mode of motion at one point, and their derivatives in k directions:
 *
 *   M da - F dx = dh + (dF)x - (dM)a,      R'da = -dbias - (dR)'a
 *
 * (docs/theory/sensitivities.md, "Between events"). */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "orbit/variation.h"

typedef carom_variation_point point;

/* Pivots of R'M^-1 F below this part of their column are those of dependent rows, as in motion. */
static const double dependent = CAROM_TOLERANCE_REFINED;

carom_status carom_variation_point_create(const carom_system *system, int k, carom_arena *arena,
                                          carom_variation_point *p, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    const size_t n = (size_t)shape->n, c = (size_t)shape->p, s = (size_t)shape->s;
    const size_t m = (size_t)shape->m, a = (size_t)shape->a, r = c + s + m + a, K = (size_t)k;
    memset(p, 0, sizeof *p);
    p->system = system;
    p->shape = shape;
    p->k = k;
    carom_status status = carom_state_create(system, arena, &p->state, error);
    if (status != CAROM_OK)
        return status;
    double *d = carom_arena_zeros(arena,
                                  n * n + n + 2 * n * r + r * r + r + n + 2 * c + 2 * s + m + a +
                                      K * (5 * n + 2 * c + 4 * s + 2 * m + 2 * a + r),
                                  sizeof(double));
    p->rows = carom_arena_array(arena, r, sizeof *p->rows);
    p->sliding = carom_arena_zeros(arena, 2 * c, 1);
    p->pivot = carom_arena_array(arena, r, sizeof(int));
    if (!d || !p->rows || !p->sliding || !p->pivot)
        return carom_error_memory(error);
    p->spatial = p->sliding + c;
    double **const parts[] = {
        &p->L,      &p->F,          &p->Y,        &p->K,           &p->x,      &p->a,
        &p->lambda, &p->mu,         &p->lambda_T, &p->direction,   &p->joint,  &p->rolling,
        &p->Mx,     &p->h,          &p->force,    &p->rhs,         &p->normal, &p->normal_bias,
        &p->slip,   &p->slip_bias,  &p->slip_u,   &p->slip_motion, &p->held,   &p->held_bias,
        &p->rolls,  &p->rolls_bias, &p->dx,       &p->unheld,      &p->inverse};
    const size_t sizes[] = {n * n, n * r, n * r, r * r, r,     n,     c,     c,     s,     s,
                            m,     a,     n * K, n * K, n * K, n * K, c * K, c * K, s * K, s * K,
                            s * K, s * K, m * K, m * K, a * K, a * K, r * K, n * K, n};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *parts[i] = d;
        d += sizes[i];
    }
    return CAROM_OK;
}

const double *carom_variation_point_row(const carom_variation_point *p, carom_motion_row row)
{
    return carom_motion_row_vector(&p->state, p->shape->n, row);
}

bool carom_variation_point_factor(carom_variation_point *p)
{
    const int n = p->shape->n;
    if (!p->shape->mass_is_diagonal) {
        memcpy(p->L, p->state.M, sizeof(double) * (size_t)n * (size_t)n);
        if (carom_cholesky_factor(n, p->L, n) != 0)
            return false;
        for (int i = 0; i < n; i++)
            p->inverse[i] = 1 / p->L[i + (size_t)i * (size_t)n];
        return true;
    }
    for (int i = 0; i < n; i++) {
        if (!(p->state.M[i] > 0))
            return false;
        p->inverse[i] = 1 / p->state.M[i];
    }
    return true;
}

/* Many right sides a point, each of a few numbers: written out, without divisions. */
void carom_variation_point_inverse_mass(const carom_variation_point *p, double *x)
{
    const int n = p->shape->n;
    if (p->shape->mass_is_diagonal) {
        for (int i = 0; i < n; i++)
            x[i] *= p->inverse[i];
        return;
    }
    for (int j = 0; j < n; j++) {
        const double *L = p->L + (size_t)j * (size_t)n;
        x[j] *= p->inverse[j];
        for (int i = j + 1; i < n; i++)
            x[i] -= L[i] * x[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *L = p->L + (size_t)j * (size_t)n;
        for (int i = j + 1; i < n; i++)
            x[j] -= L[i] * x[i];
        x[j] *= p->inverse[j];
    }
}

/* The column of a row: w - mu H d for a contact that slides. */
static void column_of(const point *p, carom_motion_row row, double *out)
{
    const int n = p->shape->n, *start = p->shape->slip_start, i = row.index;
    memcpy(out, carom_variation_point_row(p, row), sizeof(double) * (size_t)n);
    if (row.kind != CAROM_MOTION_NORMAL || !p->sliding[i])
        return;
    for (int j = start[i]; j < start[i + 1]; j++)
        carom_dense_axpy(n, -p->mu[i] * p->direction[j], p->state.H + (size_t)j * (size_t)n, out);
}

bool carom_variation_point_assemble(carom_variation_point *p)
{
    const int n = p->shape->n, r = p->r;
    for (int k = 0; k < r; k++) {
        double *F = p->F + (size_t)k * (size_t)n, *Y = p->Y + (size_t)k * (size_t)n;
        column_of(p, p->rows[k], F);
        memcpy(Y, F, sizeof(double) * (size_t)n);
        carom_variation_point_inverse_mass(p, Y);
    }
    for (int k = 0; k < r; k++) {
        const double *R = carom_variation_point_row(p, p->rows[k]);
        for (int j = 0; j < r; j++)
            p->K[k + (size_t)j * (size_t)r] = carom_dense_dot(n, R, p->Y + (size_t)j * (size_t)n);
    }
    return r == 0 || carom_lu_factor(r, p->K, r, p->pivot, dependent) == 0;
}

/* M da - F dx = b and R'da = c, by elimination: da = M^-1 b + Y dx with Y = M^-1 F, and then
 * K dx = c - R'M^-1 b with the factor of K = R'Y that the point has. b becomes da, c dx; what da
 * would be without the rows is kept. */
void carom_variation_point_solve(carom_variation_point *p, double *b, double *c)
{
    const int n = p->shape->n, r = p->r;
    for (int j = 0; j < p->k; j++) {
        double *y = b + (size_t)j * (size_t)n, *x = c + (size_t)j * (size_t)r;
        carom_variation_point_inverse_mass(p, y);
        memcpy(p->unheld + (size_t)j * (size_t)n, y, sizeof(double) * (size_t)n);
        if (r == 0)
            continue;
        for (int k = 0; k < r; k++)
            x[k] -= carom_dense_dot(n, carom_variation_point_row(p, p->rows[k]), y);
        carom_lu_solve(r, p->K, r, p->pivot, x);
        for (int k = 0; k < r; k++)
            carom_dense_axpy(n, x[k], p->Y + (size_t)k * (size_t)n, y);
    }
}

/* Slip of column j. */
static double slip_of(const point *p, int j)
{
    const int n = p->shape->n;
    return carom_dense_dot(n, p->state.H + (size_t)j * (size_t)n, p->state.u) +
           p->state.slip_motion[j];
}

/* Contacts that slide in space: where their slip points. */
static void turn(point *p)
{
    const int *start = p->shape->slip_start;
    for (int i = 0; i < p->shape->p; i++) {
        if (!p->sliding[i] || !p->spatial[i])
            continue;
        const int j = start[i];
        const double v[2] = {slip_of(p, j), slip_of(p, j + 1)}, speed = hypot(v[0], v[1]);
        for (int l = 0; l < 2 && speed > 0; l++)
            p->direction[j + l] = v[l] / speed;
    }
}

void carom_variation_point_distribute(carom_variation_point *p)
{
    const carom_system_shape *shape = p->shape;
    memset(p->lambda, 0, sizeof(double) * (size_t)shape->p);
    memset(p->lambda_T, 0, sizeof(double) * (size_t)shape->s);
    memset(p->joint, 0, sizeof(double) * (size_t)shape->m);
    memset(p->rolling, 0, sizeof(double) * (size_t)shape->a);
    for (int k = 0; k < p->r; k++) {
        const int i = p->rows[k].index;
        switch (p->rows[k].kind) {
        case CAROM_MOTION_NORMAL:
            p->lambda[i] = p->x[k];
            for (int j = shape->slip_start[i]; p->sliding[i] && j < shape->slip_start[i + 1]; j++)
                p->lambda_T[j] = -p->mu[i] * p->direction[j] * p->x[k];
            break;
        case CAROM_MOTION_SLIP:
            p->lambda_T[i] = p->x[k];
            break;
        case CAROM_MOTION_JOINT:
            p->joint[i] = p->x[k];
            break;
        case CAROM_MOTION_ROLLING:
            p->rolling[i] = p->x[k];
            break;
        case CAROM_MOTION_SPREAD: /* refused by carom_orbit_run */
            break;
        }
    }
}

unsigned carom_variation_point_want(const carom_variation_point *p)
{
    const unsigned rows =
        CAROM_WANT_NORMALS | CAROM_WANT_SLIPS | CAROM_WANT_JOINTS | CAROM_WANT_BIASES;
    return CAROM_WANT_MASS | CAROM_WANT_FORCES | (p->r > 0 ? rows : 0u);
}

carom_status carom_variation_point_evaluate(carom_variation_point *p, double t, const double *q,
                                            const double *u, carom_error *error)
{
    const int n = p->shape->n, r = p->r;
    p->state.t = t;
    memmove(p->state.q, q, sizeof(double) * (size_t)p->shape->nq);
    memmove(p->state.u, u, sizeof(double) * (size_t)n);
    carom_status status =
        carom_system_evaluate(p->system, carom_variation_point_want(p), &p->state, error);
    if (status != CAROM_OK)
        return status;
    turn(p);
    if (p->onset)
        status = carom_variation_onset_head(p->onset, t, q, u, p->direction, error);
    if (status != CAROM_OK)
        return status;
    if (!carom_variation_point_factor(p) || !carom_variation_point_assemble(p))
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "the equations of the variations are singular at t = %.12g", t);
    memcpy(p->a, p->state.h, sizeof(double) * (size_t)n);
    carom_variation_point_inverse_mass(p, p->a);
    for (int k = 0; k < r; k++)
        p->x[k] = -carom_dense_dot(n, carom_variation_point_row(p, p->rows[k]), p->a) -
                  carom_motion_row_bias(&p->state, p->rows[k]);
    if (r > 0)
        carom_lu_solve(r, p->K, r, p->pivot, p->x);
    for (int k = 0; k < r; k++)
        carom_dense_axpy(n, p->x[k], p->Y + (size_t)k * (size_t)n, p->a);
    carom_variation_point_distribute(p);
    return CAROM_OK;
}

double carom_variation_point_size(const carom_variation_point *p)
{
    const int n = p->shape->n;
    double size = carom_dense_max(n, p->a);
    for (int k = 0; k < p->r; k++)
        size = fmax(size, fabs(p->x[k]) * carom_dense_max(n, p->Y + (size_t)k * (size_t)n));
    return size;
}

double carom_variation_point_slip_change(const carom_variation_point *p, int j,
                                         const carom_directions *along, int c)
{
    const size_t n = (size_t)p->shape->n, at = (size_t)j + (size_t)c * (size_t)p->shape->s;
    double change = p->slip_u[at] + p->slip_motion[at];
    if (along->u)
        change +=
            carom_dense_dot(p->shape->n, p->state.H + (size_t)j * n, along->u + (size_t)c * n);
    return change;
}

/* dd = (I - d d') dv/|v| of a contact that slides in space, in direction c; not while it starts. In
 * the plane of the slip I - d d' = e e' with e = (-d_1, d_0) across d, so that only e'dv turns it.
 */
static void find_turn(const point *p, int i, const carom_directions *along, int c, double *dd)
{
    const int first = p->shape->slip_start[i];
    const double *d = p->direction + first;
    const double speed = hypot(slip_of(p, first), slip_of(p, first + 1));
    double dv[2];
    if (!(speed > 0) || (p->onset && speed < p->onset->motion.onset[i]))
        return;
    for (int l = 0; l < 2; l++)
        dv[l] = carom_variation_point_slip_change(p, first + l, along, c);
    const double across = d[0] * dv[1] - d[1] * dv[0];
    dd[0] = -d[1] * across / speed;
    dd[1] = d[0] * across / speed;
}

/* Friction of a sliding contact beyond (dH) lambda_T: its coefficient and its direction change. */
static void add_friction(point *p, const carom_directions *along, const double *dmu)
{
    const carom_system_shape *shape = p->shape;
    const size_t n = (size_t)shape->n;
    bool turns = false;
    for (int i = 0; i < shape->p; i++)
        turns = turns || (p->sliding[i] && p->spatial[i]);
    if (turns) {
        carom_tangents slips = {.x = p->state.u, .Hx = p->slip_u, .slip_motion = p->slip_motion};
        carom_system_tangents(p->system, &slips);
    }
    for (int i = 0; i < shape->p; i++) {
        if (!p->sliding[i])
            continue;
        const int first = shape->slip_start[i];
        for (int c = 0; c < along->k; c++) {
            double *rhs = p->rhs + (size_t)c * n, dd[2] = {0, 0};
            if (p->spatial[i])
                find_turn(p, i, along, c, dd);
            const double change = dmu ? dmu[(size_t)i + (size_t)c * (size_t)shape->p] : 0;
            for (int j = first; j < shape->slip_start[i + 1]; j++) {
                double rho = -change * p->direction[j] - p->mu[i] * dd[(j - first) & 1];
                carom_variation_ratio_of(p, i, j, c, &rho);
                carom_dense_axpy(shape->n, p->lambda[i] * rho, p->state.H + (size_t)j * n, rhs);
            }
        }
    }
}

double carom_variation_point_row_change(const carom_variation_point *p, carom_motion_row row, int c)
{
    const carom_system_shape *shape = p->shape;
    const size_t i = (size_t)row.index, j = (size_t)c;
    switch (row.kind) {
    case CAROM_MOTION_NORMAL:
        return p->normal[i + j * (size_t)shape->p] + p->normal_bias[i + j * (size_t)shape->p];
    case CAROM_MOTION_SLIP:
        return p->slip[i + j * (size_t)shape->s] + p->slip_bias[i + j * (size_t)shape->s];
    case CAROM_MOTION_JOINT:
        return p->held[i + j * (size_t)shape->m] + p->held_bias[i + j * (size_t)shape->m];
    case CAROM_MOTION_ROLLING:
    case CAROM_MOTION_SPREAD: /* refused by carom_orbit_run */
        break;
    }
    return p->rolls[i + j * (size_t)shape->a] + p->rolls_bias[i + j * (size_t)shape->a];
}

carom_status carom_variation_point_tangent(carom_variation_point *p, const carom_directions *along,
                                           const double *dmu, double *da, carom_error *error)
{
    const carom_system_shape *shape = p->shape;
    const size_t n = (size_t)shape->n, r = (size_t)p->r;
    carom_status status = carom_system_differentiate(p->system, carom_variation_point_want(p),
                                                     &p->state, along, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.x = p->a, .Mx = p->Mx, .h = p->h};
    if (r > 0) {
        t.lambda = p->lambda;
        t.lambda_T = p->lambda_T;
        t.joint = p->joint;
        t.rolling = p->rolling;
        t.force = p->force;
        t.Wx = p->normal;
        t.g_bias = p->normal_bias;
        t.Hx = p->slip;
        t.slip_bias = p->slip_bias;
        t.Bx = p->held;
        t.b_bias = p->held_bias;
        t.Ax = p->rolls;
        t.a_bias = p->rolls_bias;
    }
    carom_system_tangents(p->system, &t);
    for (size_t i = 0; i < n * (size_t)along->k; i++)
        p->rhs[i] = p->h[i] - p->Mx[i] + (r > 0 ? p->force[i] : 0);
    if (r > 0)
        add_friction(p, along, dmu);
    for (int c = 0; c < along->k; c++)
        for (size_t k = 0; k < r; k++)
            p->dx[k + (size_t)c * r] = -carom_variation_point_row_change(p, p->rows[k], c);
    memcpy(da, p->rhs, sizeof(double) * n * (size_t)along->k);
    const int all = p->k;
    const bool starts = p->onset && p->onset->count > 0;
    if (starts && !carom_variation_onset_prepare(p, p->onset))
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "the direction in which slip starts is not determined at t = %.12g",
                               p->state.t);
    p->k = along->k;
    carom_variation_point_solve(p, da, p->dx);
    p->k = all;
    if (starts)
        carom_variation_onset_turn(p, p->onset, along, da);
    return CAROM_OK;
}
