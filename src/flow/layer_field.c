/* Evaluates the equations of motion with boundary layers. */
#include "flow/layer_field.h"

#include <math.h>
#include <string.h>

#include "carom/layer.h"
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/pivoted_cholesky.h"

static carom_layer_field_parts lay_out(const carom_system_shape *s)
{
    carom_layer_field_parts at = {.q = 0, .u = s->nq};
    at.eta = at.u + s->n;
    at.P = at.eta + s->p;
    at.forces = at.P + s->p;
    at.constraints = at.forces + 1;
    at.projection = at.constraints + 1;
    at.loss = at.projection + 1;
    at.impulse = at.loss + s->p;
    at.size = at.impulse + s->p;
    return at;
}

carom_status carom_layer_field_create(const carom_system *system, const carom_flow_options *options,
                                      carom_arena *arena, carom_layer_field *field,
                                      carom_error *error)
{
    memset(field, 0, sizeof *field);
    carom_status status = carom_motion_create(system, arena, &field->motion, error);
    if (status != CAROM_OK)
        return status;
    const carom_system_shape *shape = field->motion.shape;
    const size_t n = (size_t)shape->n, p = (size_t)shape->p,
                 rows = p + (size_t)field->motion.capacity;
    double *d = carom_arena_zeros(arena, n * p + 2 * p * p + 7 * p + n + 2 * rows, sizeof(double));
    field->place = carom_arena_zeros(arena, p, 1);
    field->active = carom_arena_array(arena, p, sizeof(int));
    field->pivot = carom_arena_array(arena, rows, sizeof(int));
    if (!d || !field->place || !field->active || !field->pivot)
        return carom_error_memory(error);
    field->at = lay_out(shape);
    field->b = options->width;
    field->a = options->transition * options->width;
    field->k = options->stiffness;
    field->c = options->damping;
    field->smooth = options->metric == CAROM_LAYER_SMOOTH;
    field->Y = d;
    field->D = d += n * p;
    field->G = d += p * p;
    field->z = d += p * p;
    field->x = d += p;
    field->rate = d += p;
    field->reaction = d += p;
    field->inertia = d += p;
    field->free_gain = d += p;
    field->entry = d += p;
    field->push = d += p;
    field->spare = d += n;
    field->more = d + rows;
    carom_layer_field_hold(field);
    return CAROM_OK;
}

void carom_layer_field_hold(carom_layer_field *field)
{
    carom_motion *m = &field->motion;
    const carom_system_shape *shape = m->shape;
    m->row_count = 0;
    for (int j = 0; j < shape->m; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_JOINT, j};
    for (int j = 0; j < shape->a; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_ROLLING, j};
    field->active_count = 0;
    for (int i = 0; i < shape->p; i++) {
        m->mode[i] = field->place[i] ? CAROM_MODE_CLOSED : CAROM_MODE_OPEN;
        if (field->place[i] == CAROM_LAYER_FIELD_EDGE)
            m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_NORMAL, i};
        else if (field->place[i] == CAROM_LAYER_FIELD_INSIDE)
            field->active[field->active_count++] = i;
    }
}

/* The layer at one place: cut-off s, xi = x/b, r = xi sqrt(mu) and d(xi/r)/d eta. r is 1 in the
 * metric of the source; in the smooth one r^2 = xi^2 + s (1 - xi^2) is between xi and 1: nothing
 * here is singular. */
typedef struct profile {
    double s, xi, r, turn;
} profile;

static profile look_up(const carom_layer_field *f, double eta)
{
    profile l = {.s = 1, .xi = exp(eta), .r = 1};
    l.turn = l.xi; /* also sharp: the inner layer, extended beyond b until the crossing is found */
    if (!(f->a < f->b))
        return l;
    const double x = f->b * l.xi, rest = (1 - l.xi) * (1 + l.xi);
    l.s = carom_layer_cutoff(f->a, f->b, x);
    if (!f->smooth)
        return l;
    l.r = sqrt(l.xi * l.xi * (1 - l.s) + l.s);
    const double r_eta =
        (l.xi * l.xi * (1 - l.s) + 0.5 * x * carom_layer_cutoff_slope(f->a, f->b, x) * rest) / l.r;
    l.turn = l.xi / l.r * (1 - r_eta / l.r);
    return l;
}

double carom_layer_field_momentum(const carom_layer_field *f, double eta, double rate)
{
    profile l = look_up(f, eta);
    return rate * l.r / l.xi;
}

static carom_status evaluate(carom_layer_field *f, unsigned want, carom_error *error)
{
    carom_status status = carom_system_evaluate(f->motion.system, want, &f->motion.state, error);
    return status == CAROM_ERROR_NUMERIC ? CAROM_STOPPED : status;
}

/* v += Y_C x with C'v = goal afterwards; x is left in motion.x. Twice, since C'M^-1 C loses the
 * digits of bodies much lighter than others, which the residual of the first pass still has. */
static void hold(carom_layer_field *f, const double *goal, double *v)
{
    carom_motion *m = &f->motion;
    const int n = m->shape->n, r = m->row_count;
    double *more = f->more;
    memset(m->x, 0, sizeof(double) * (size_t)r);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < r; k++)
            more[k] =
                (goal ? goal[k] : 0) - carom_dense_dot(n, carom_motion_vector(m, m->rows[k]), v);
        carom_pivoted_cholesky_solve(r, f->rank, m->K, r, f->pivot, more, f->spare);
        for (int k = 0; k < r; k++) {
            m->x[k] += more[k];
            carom_dense_axpy(n, more[k], m->Y + (size_t)k * n, v);
        }
    }
}

/* Y = M_c^-1 w, D = w'Y and inertias of the active contacts. */
static carom_status measure(carom_layer_field *f, carom_error *error)
{
    carom_motion *m = &f->motion;
    const int n = m->shape->n, c = f->active_count;
    for (int j = 0; j < c; j++) {
        double *Y = f->Y + (size_t)j * n;
        memcpy(Y, m->state.W + (size_t)f->active[j] * n, sizeof(double) * (size_t)n);
        carom_motion_inverse_mass(m, Y);
        double size = carom_dense_dot(n, Y, m->state.W + (size_t)f->active[j] * n);
        hold(f, NULL, Y);
        for (int i = 0; i < c; i++)
            f->D[i + (size_t)j * c] = carom_dense_dot(n, m->state.W + (size_t)f->active[i] * n, Y);
        if (!(f->D[j + (size_t)j * c] > CAROM_TOLERANCE_CARRIED * size)) {
            carom_error_set(error, CAROM_ERROR_NUMERIC,
                            "t = %.12g: contact %d is in its layer where joints leave it no motion "
                            "along its normal",
                            m->state.t, f->active[j]);
            return CAROM_STOPPED;
        }
        f->inertia[f->active[j]] = 1 / f->D[j + (size_t)j * c];
    }
    return CAROM_OK;
}

/* Give u the normal velocities x' = P xi/r of the layers, with the least kinetic change. */
static void correct_velocity(carom_layer_field *f, const double *y)
{
    carom_motion *m = &f->motion;
    const int c = f->active_count;
    for (int j = 0; j < c; j++) {
        const int i = f->active[j];
        profile l = look_up(f, y[f->at.eta + i]);
        f->x[i] = f->b * l.xi;
        f->rate[i] = y[f->at.P + i] * l.xi / l.r;
        f->z[j] = f->rate[i] - carom_motion_gamma(m, i);
    }
    memcpy(f->G, f->D, sizeof(double) * (size_t)c * (size_t)c);
    int rank = carom_pivoted_cholesky_factor(c, f->G, c, CAROM_TOLERANCE_RANK,
                                             f->pivot + m->capacity, f->spare);
    carom_pivoted_cholesky_solve(c, rank, f->G, c, f->pivot + m->capacity, f->z, f->spare);
    for (int j = 0; j < c; j++)
        carom_dense_axpy(m->shape->n, f->z[j], f->Y + (size_t)j * m->shape->n, m->state.u);
}

/* Everything but forces, at (t, y). */
static carom_status prepare(carom_layer_field *f, double t, const double *y, carom_error *error)
{
    carom_motion *m = &f->motion;
    unsigned want = CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_JOINTS | CAROM_WANT_MASS |
                    CAROM_WANT_KINEMATICS;
    m->state.t = t;
    memcpy(m->state.q, y + f->at.q, sizeof(double) * (size_t)m->shape->nq);
    memcpy(m->state.u, y + f->at.u, sizeof(double) * (size_t)m->shape->n);
    carom_status status = evaluate(f, want, error);
    if (status == CAROM_OK)
        status = carom_motion_factor(m, error);
    if (status != CAROM_OK)
        return status;
    f->rank = carom_motion_factor_rows(m, m->row_count, NULL, f->pivot, f->spare);
    if (f->active_count == 0)
        return CAROM_OK;
    status = measure(f, error);
    if (status == CAROM_OK)
        correct_velocity(f, y);
    return status;
}

static void fill_outside(carom_layer_field *f)
{
    for (int i = 0; i < f->motion.shape->p; i++)
        if (f->place[i] != CAROM_LAYER_FIELD_INSIDE) {
            f->x[i] = f->motion.state.g[i];
            f->rate[i] = carom_motion_gamma(&f->motion, i);
        }
}

carom_status carom_layer_field_look(carom_layer_field *f, double t, const double *y,
                                    carom_error *error)
{
    carom_motion *m = &f->motion;
    m->state.t = t;
    memcpy(m->state.q, y + f->at.q, sizeof(double) * (size_t)m->shape->nq);
    memcpy(m->state.u, y + f->at.u, sizeof(double) * (size_t)m->shape->n);
    carom_status status = evaluate(f, CAROM_WANT_GAPS | CAROM_WANT_NORMALS, error);
    if (status == CAROM_OK)
        fill_outside(f);
    return status;
}

/* Goal of the accelerations along the rows held: errors f of joints die out as
 * f'' + c f' + k f = 0. */
static void joint_goal(carom_layer_field *f, double *goal)
{
    const carom_motion *m = &f->motion;
    for (int k = 0; k < m->row_count; k++) {
        const carom_motion_row row = m->rows[k];
        double rate = carom_dense_dot(m->shape->n, carom_motion_vector(m, row), m->state.u) +
                      carom_motion_hat(m, row);
        double error = row.kind == CAROM_MOTION_JOINT    ? m->state.f[row.index]
                       : row.kind == CAROM_MOTION_NORMAL ? m->state.g[row.index] - f->b
                                                         : 0;
        goal[k] = -carom_motion_bias(m, row) - f->joint_damping * rate - f->joint_stiffness * error;
    }
}

/* Reactions R of the active layers, coupled through D:
 *   x''_i = alpha_i + x''_free,i/mu_i,  x''_free,i = x''_0,i + sum_{l != i} D_il R_l,
 *   R_i = g_i (x''_i - x''_free,i);  and the derivatives of eta and P. */
static carom_status react(carom_layer_field *f, const double *y, double *dy, carom_error *error)
{
    carom_motion *m = &f->motion;
    const int n = m->shape->n, c = f->active_count;
    for (int j = 0; j < c; j++) {
        const int i = f->active[j];
        const double P = y[f->at.P + i], g = f->inertia[i];
        profile l = look_up(f, y[f->at.eta + i]);
        double eta_rate = P / (f->b * l.r);
        double force = f->b * l.s * (f->k - f->c / f->entry[i] * P / f->b) / g; /* xi f/g */
        double alpha = force * l.xi / (l.r * l.r) + P * l.turn * eta_rate;
        double kappa = 1 - l.xi * l.xi / (l.r * l.r);
        double gain = carom_dense_dot(n, m->state.W + (size_t)i * n, m->a) + m->state.g_bias[i];
        dy[f->at.eta + i] = eta_rate;
        dy[f->at.P + i] = force / l.r;
        f->free_gain[i] = gain;
        f->z[j] = g * (alpha - kappa * gain);
        for (int k = 0; k < c; k++)
            f->G[j + (size_t)k * c] = j == k ? 1 : g * kappa * f->D[j + (size_t)k * c];
    }
    if (carom_lu_factor(c, f->G, c, f->pivot + m->capacity, CAROM_TOLERANCE_SUM) != 0) {
        carom_error_set(error, CAROM_ERROR_NUMERIC,
                        "t = %.12g: contacts that depend on each other are deep in their layers",
                        m->state.t);
        return CAROM_STOPPED;
    }
    carom_lu_solve(c, f->G, c, f->pivot + m->capacity, f->z);
    for (int j = 0; j < c; j++) {
        const int i = f->active[j];
        profile l = look_up(f, y[f->at.eta + i]);
        f->reaction[i] = f->z[j];
        for (int k = 0; k < c; k++)
            if (k != j)
                f->free_gain[i] += f->D[j + (size_t)k * c] * f->z[k];
        dy[f->at.P + i] += l.xi / l.r * f->free_gain[i];
        dy[f->at.loss + i] = f->z[j] * f->rate[i];
        dy[f->at.impulse + i] = f->z[j];
    }
    return CAROM_OK;
}

/* Power of the rows held and of moving layers, sorted for the ledger. */
static void book(carom_layer_field *f, double *dy)
{
    carom_motion *m = &f->motion;
    const int n = m->shape->n;
    dy[f->at.forces] = m->state.power;
    for (int k = 0; k < m->row_count; k++) {
        const carom_motion_row row = m->rows[k];
        double hat = carom_motion_hat(m, row);
        double rate = carom_dense_dot(n, carom_motion_vector(m, row), m->state.u) + hat;
        dy[f->at.constraints] -= m->x[k] * hat;
        dy[f->at.projection] += m->x[k] * rate;
        if (row.kind == CAROM_MOTION_NORMAL)
            f->reaction[row.index] = m->x[k];
    }
    for (int j = 0; j < f->active_count; j++)
        dy[f->at.constraints] -= f->reaction[f->active[j]] * m->state.w_hat[f->active[j]];
}

carom_status carom_layer_field_slope(carom_layer_field *f, double t, const double *y, double *dy,
                                     carom_error *error)
{
    carom_motion *m = &f->motion;
    const int n = m->shape->n;
    carom_status status = prepare(f, t, y, error);
    if (status == CAROM_OK)
        status = evaluate(f, CAROM_WANT_ALL, error);
    if (status != CAROM_OK)
        return status;
    fill_outside(f);
    memset(dy, 0, sizeof(double) * (size_t)f->at.size);
    memset(f->reaction, 0, sizeof(double) * (size_t)m->shape->p);
    double *goal = m->R; /* row_count numbers of the space for rows */
    joint_goal(f, goal);
    memcpy(m->a_free, m->state.h, sizeof(double) * (size_t)n);
    carom_motion_inverse_mass(m, m->a_free);
    memcpy(m->a, m->a_free, sizeof(double) * (size_t)n);
    hold(f, goal, m->a);
    if (f->active_count > 0) {
        status = react(f, y, dy, error);
        if (status != CAROM_OK)
            return status;
        memset(f->push, 0, sizeof(double) * (size_t)n);
        for (int j = 0; j < f->active_count; j++)
            carom_dense_axpy(n, f->z[j], m->state.W + (size_t)f->active[j] * n, f->push);
        carom_motion_inverse_mass(m, f->push);
        memcpy(m->a, m->a_free, sizeof(double) * (size_t)n);
        carom_dense_axpy(n, 1, f->push, m->a);
        hold(f, goal, m->a);
    }
    carom_motion_kinematics(m, m->state.u, dy + f->at.q);
    memcpy(dy + f->at.u, m->a, sizeof(double) * (size_t)n);
    book(f, dy);
    return CAROM_OK;
}

carom_status carom_layer_field_put_back(carom_layer_field *f, int contact, carom_error *error)
{
    carom_motion *m = &f->motion;
    const int n = m->shape->n, nq = m->shape->nq;
    int j = 0;
    while (j < f->active_count && f->active[j] != contact)
        j++;
    if (j == f->active_count)
        return CAROM_OK;
    for (int round = 0; round < 3; round++) {
        double off = f->b - m->state.g[contact];
        memcpy(f->push, f->Y + (size_t)j * n, sizeof(double) * (size_t)n);
        carom_motion_kinematics(m, f->push, m->F);
        carom_dense_axpy(nq, off * f->inertia[contact], m->F, m->state.q);
        carom_status status = evaluate(f, CAROM_WANT_GAPS | CAROM_WANT_KINEMATICS, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

double carom_layer_field_decay(const carom_layer_field *f, const double *y)
{
    double most = 0;
    for (int j = 0; j < f->active_count; j++) {
        const int i = f->active[j];
        const profile l = look_up(f, y[f->at.eta + i]);
        most = fmax(most, l.s * f->c / (f->entry[i] * f->inertia[i] * l.r));
    }
    return most;
}

void carom_layer_field_stored(const carom_layer_field *f, const double *y, int contact,
                              double *kinetic, double *potential)
{
    enum { PARTS = 400 };
    profile l = look_up(f, y[f->at.eta + contact]);
    const double P = y[f->at.P + contact], rate = P * l.xi / l.r;
    *kinetic = 0.5 * f->inertia[contact] * (P - rate) * (P + rate);
    /* k_1 integral of s dx/x from x to b: closed inside a, Simpson's rule over the transition */
    double low = fmax(y[f->at.eta + contact], log(f->a / f->b)), sum = 0;
    for (int i = 0; i <= PARTS && f->a < f->b; i++) {
        double weight = i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2;
        sum += weight * carom_layer_cutoff(f->a, f->b, f->b * exp(low * (1 - i / (double)PARTS)));
    }
    double inner = fmax(low - y[f->at.eta + contact], 0);
    *potential = f->k * f->b * f->b * (inner - low * sum / (3 * PARTS));
}
