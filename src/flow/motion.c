/* Accelerations and contact forces of a fixed set of closed contacts. */
#include "flow/motion.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "cone/cone_interior.h"
#include "flow/motion_onset.h"
#include "flow/motion_singular.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/doubled.h"
#include "linalg/lu.h"

carom_status carom_motion_create(const carom_system *system, carom_arena *arena,
                                 carom_motion *motion, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    const size_t n = (size_t)shape->n, p = (size_t)shape->p, s = (size_t)shape->s;
    const size_t c = (size_t)(shape->m + shape->a), k = (size_t)shape->spread, r = p + s + c + k;
    memset(motion, 0, sizeof *motion);
    motion->system = system;
    motion->shape = shape;
    motion->capacity = (int)r;
    carom_status status = carom_state_create(system, arena, &motion->state, error);
    if (status != CAROM_OK)
        return status;
    double *d = carom_arena_zeros(arena,
                                  n * n + 4 * n + 6 * p + 3 * s + c + k + 3 * n * r + 2 * r * r +
                                      6 * r + carom_motion_onset_room(shape),
                                  sizeof(double));
    motion->rows = carom_arena_array(arena, 2 * r, sizeof *motion->rows);
    motion->mode = carom_arena_zeros(arena, 4 * p, 1);
    motion->pivot = carom_arena_array(arena, 2 * r + s / 2, sizeof(int));
    if (!d || !motion->rows || !motion->mode || !motion->pivot)
        return carom_error_memory(error);
    motion->implied = motion->mode + p;
    motion->sliding = motion->implied + p;
    motion->broken = motion->sliding + p;
    motion->chosen = motion->pivot + r;
    motion->turned = motion->chosen + r;
    motion->columns = motion->rows + r;
    motion->L = d;
    motion->a = d += n * n;
    motion->a_free = d += n;
    motion->force = d += n;
    motion->mu = d += p;
    motion->slack = d += p;
    motion->onset = d += p;
    motion->delay = d += p;
    motion->reached = d += p;
    motion->friction = d += p;
    motion->direction = d += s;
    motion->heading = d += s;
    motion->joint = d += s;
    motion->spread = d += c;
    motion->R = d += k;
    motion->F = d += n * r;
    motion->Y = d += n * r;
    motion->K = d += n * r;
    motion->x = d += r * r;
    motion->reference = d += r;
    motion->unit = d += r;
    motion->space = d += r;
    motion->fine = d += r * r + 2 * r;
    motion->turning = d + 2 * n + r;
    return CAROM_OK;
}

carom_status carom_motion_factor(carom_motion *motion, carom_error *error)
{
    const int n = motion->shape->n;
    if (motion->factored)
        return CAROM_OK;
    int bad = 0;
    if (motion->shape->mass_is_diagonal) {
        for (int i = 0; i < n && bad == 0; i++) {
            if (!(motion->state.M[i] > 0))
                bad = i + 1;
            motion->L[i] = 1 / motion->state.M[i];
        }
    } else {
        memcpy(motion->L, motion->state.M, sizeof(double) * (size_t)n * (size_t)n);
        bad = carom_cholesky_factor(n, motion->L, n);
    }
    if (bad > 0) {
        carom_error_set(error, CAROM_ERROR_NUMERIC,
                        "the mass matrix is not positive definite (pivot %d) at t = %.17g", bad,
                        motion->state.t);
        return CAROM_STOPPED;
    }
    motion->factored = motion->shape->mass_is_constant;
    return CAROM_OK;
}

void carom_motion_inverse_mass(const carom_motion *motion, double *x)
{
    const int n = motion->shape->n;
    if (motion->shape->mass_is_diagonal)
        for (int i = 0; i < n; i++)
            x[i] *= motion->L[i];
    else
        carom_cholesky_solve(n, motion->L, n, x);
}

double carom_motion_gamma(const carom_motion *motion, int i)
{
    const int n = motion->shape->n;
    return carom_dense_dot(n, motion->state.W + (size_t)i * n, motion->state.u) +
           motion->state.w_hat[i];
}

double carom_motion_gain(const carom_motion *motion, int i, const double *a)
{
    const int n = motion->shape->n;
    double gain = motion->state.g_bias[i];
    for (int j = 0; j < n; j++)
        gain += motion->state.W[j + (size_t)i * (size_t)n] * a[j];
    return gain;
}

double carom_motion_slip(const carom_motion *motion, int j)
{
    const int n = motion->shape->n;
    return carom_dense_dot(n, motion->state.H + (size_t)j * n, motion->state.u) +
           motion->state.slip_motion[j];
}

/* A spatial contact slides where its slip points. At rest, and behind the point where its slip
 * stops, which is an event, it keeps its heading: the motion there is as smooth as before it. True
 * when its slip has just started, and its direction is still to be found. */
static bool turn(carom_motion *motion, int contact)
{
    const int j = motion->shape->slip_start[contact];
    if (motion->shape->slip_start[contact + 1] - j != 2)
        return false;
    const double *from = motion->heading + j;
    double v[2] = {carom_motion_slip(motion, j), carom_motion_slip(motion, j + 1)};
    double speed = hypot(v[0], v[1]), *d = motion->direction + j;
    const bool slips = speed > motion->slow && from[0] * v[0] + from[1] * v[1] > 0;
    const bool starts = speed < motion->onset[contact];
    for (int l = 0; l < 2; l++)
        d[l] = slips && !starts ? v[l] / speed : from[l];
    return starts;
}

/* The force of a contact whose normal force is 1: w, and where it slides the friction
 * -mu sum d_j h_j against the direction d of its slip. */
void carom_motion_column(const carom_motion *motion, int contact, double *out)
{
    const int n = motion->shape->n, *start = motion->shape->slip_start;
    memcpy(out, motion->state.W + (size_t)contact * n, sizeof(double) * (size_t)n);
    if (!motion->sliding[contact])
        return;
    for (int j = start[contact]; j < start[contact + 1]; j++) {
        const double *H = motion->state.H + (size_t)j * n;
        double f = motion->mu[contact] * motion->direction[j];
        for (int i = 0; i < n; i++)
            out[i] -= f * H[i];
    }
}

void carom_motion_kinematics(const carom_motion *motion, const double *u, double *out)
{
    const int n = motion->shape->n, nq = motion->shape->nq;
    if (motion->shape->kinematics_is_identity) {
        memcpy(out, u, sizeof(double) * (size_t)n);
        return;
    }
    memset(out, 0, sizeof(double) * (size_t)nq);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < nq; i++)
            out[i] += motion->state.N[i + (size_t)j * nq] * u[j];
}

/* Accelerations under forces x along the columns F are a = a_free + M^-1 F x, and the rows R that
 * are held ask for R'a + bias = 0: K x = -(R'a_free + bias) with K = R'M^-1 F. A contact that
 * slides pushes along w - mu H d and holds along w, so that K is not symmetric, and singular where
 * Painleve found it so. Here Y = M^-1 F, K = R'Y and the right-hand side, in x, or after the factor
 * in space. */
static void assemble(carom_motion *motion, int c, const carom_motion_row *columns, double *b)
{
    const int n = motion->shape->n, r = motion->row_count;
    for (int k = 0; k < c; k++) {
        double *F = motion->F + (size_t)k * n, *Y = motion->Y + (size_t)k * n;
        if (columns[k].kind == CAROM_MOTION_NORMAL && motion->sliding[columns[k].index])
            carom_motion_column(motion, columns[k].index, F);
        else
            memcpy(F, carom_motion_vector(motion, columns[k]), sizeof(double) * (size_t)n);
        memcpy(Y, F, sizeof(double) * (size_t)n);
        carom_motion_inverse_mass(motion, Y);
    }
    for (int k = 0; k < r; k++) {
        const double *R = carom_motion_vector(motion, motion->rows[k]);
        for (int j = 0; j < c; j++)
            motion->K[k + (size_t)j * r] = carom_dense_dot(n, R, motion->Y + (size_t)j * n);
        b[k] =
            -(carom_dense_dot(n, R, motion->a_free) + carom_motion_bias(motion, motion->rows[k]));
    }
}

/* K = R'M^-1 F is factored. *sharp: solutions are known as well as sums are (CAROM_TOLERANCE_SUM),
 * for a pivot that is 1/64 of its column magnifies rounding 64 times. */
static bool factor(carom_motion *motion, int c, bool *sharp)
{
    const int r = motion->row_count;
    double *size = motion->space;
    *sharp = motion->column_count == 0;
    if (!*sharp)
        return carom_cone_interior_factor(r, c, motion->K, motion->unit, motion->space);
    for (int k = 0; k < r; k++)
        size[k] = carom_dense_max(r, motion->K + (size_t)k * r);
    if (carom_lu_factor(r, motion->K, r, motion->pivot, CAROM_TOLERANCE_REFINED) != 0)
        return false;
    for (int k = 0; k < r; k++)
        *sharp = *sharp && fabs(motion->K[k + (size_t)k * r]) >= CAROM_TOLERANCE_SHARP * size[k];
    return true;
}

void carom_motion_change(const carom_motion *motion, double *x)
{
    const int r = motion->row_count;
    if (motion->column_count > 0)
        carom_cone_interior_change(r, motion->column_count, motion->unit, motion->space, x);
    else
        carom_lu_solve(r, motion->K, r, motion->pivot, x);
}

/* Bodies a billion times lighter than those they are squeezed between live on the difference of
 * forces that agree in nine digits, and K, a Gram matrix, tells these forces to eps times the ratio
 * of the masses. The rows and columns it is made of have all their digits: what R'a + bias = 0 is
 * missed by, in doubled precision, is taken out with K once more, and what forces change by is
 * added to the accelerations before it is lost in them. A step gains the digits that K has. */
static void refine(carom_motion *motion, int c)
{
    enum { STEPS = 2 };
    const int n = motion->shape->n, r = motion->row_count;
    doubled *a = (doubled *)motion->fine;
    double *dx = motion->fine + 2 * n;
    for (int i = 0; i < n; i++)
        a[i] = (doubled){motion->a_free[i], 0};
    memcpy(dx, motion->x, sizeof *dx * (size_t)c);
    for (int step = 0; step <= STEPS; step++) {
        for (int k = 0; k < c; k++)
            for (int i = 0; i < n; i++)
                if (motion->Y[i + (size_t)k * n] != 0)
                    a[i] = doubled_add(a[i], doubled_product(motion->Y[i + (size_t)k * n], dx[k]));
        if (step == STEPS)
            break;
        for (int k = 0; k < r; k++) {
            const carom_motion_row row = motion->rows[k];
            const doubled bias = {carom_motion_bias(motion, row), 0};
            dx[k] = -doubled_dot(n, carom_motion_vector(motion, row), a, bias).hi;
        }
        carom_motion_change(motion, dx);
        for (int k = 0; k < c; k++)
            motion->x[k] += dx[k];
    }
    for (int i = 0; i < n; i++)
        motion->a[i] = a[i].hi;
}

/* K x = -(R'a_free + bias), a = a_free + M^-1 F x; more columns than rows: x changes as little from
 * the reference as it can. False when K is singular and no x solves it. */
static bool balance(carom_motion *motion)
{
    const int n = motion->shape->n, r = motion->row_count, c = carom_motion_columns(motion);
    const bool hyperstatic = motion->column_count > 0;
    double *x = motion->x, *b = hyperstatic ? motion->fine + 2 * n : x;
    bool sharp;
    assemble(motion, c, hyperstatic ? motion->columns : motion->rows, b);
    motion->singular = !factor(motion, c, &sharp);
    if (!motion->singular) {
        if (hyperstatic)
            carom_dense_gemv(r, c, -1, motion->K, r, motion->reference, b);
        carom_motion_change(motion, b);
        for (int k = 0; k < c && hyperstatic; k++)
            x[k] = motion->reference[k] + b[k];
    } else if (hyperstatic) {
        return false;
    } else {
        assemble(motion, c, motion->rows, b);
        if (!carom_motion_singular_solve(motion))
            return false;
    }
    if (!motion->singular && !sharp) {
        refine(motion, c);
        return true;
    }
    memcpy(motion->a, motion->a_free, sizeof(double) * (size_t)n);
    for (int k = 0; k < c; k++)
        carom_dense_axpy(n, x[k], motion->Y + (size_t)k * n, motion->a);
    return true;
}

void carom_motion_magnitudes(const carom_motion *motion, double *out)
{
    const int n = motion->shape->n;
    const int c = carom_motion_columns(motion);
    memset(out, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < c; k++)
        for (int i = 0; i < n; i++)
            out[i] += fabs(motion->Y[i + (size_t)k * n] * motion->x[k]);
}

/* The contact of row k, or -1. */
static int contact_of(const carom_motion *motion, int k)
{
    const carom_motion_row row = motion->rows[k];
    int i = 0;
    if (row.kind == CAROM_MOTION_NORMAL)
        return row.index;
    if (row.kind != CAROM_MOTION_SLIP)
        return -1;
    while (motion->shape->slip_start[i + 1] <= row.index)
        i++;
    return i;
}

/* Forces x = K^-1 b are known to |K^-1| times the rounding of b, and b is a sum of terms of the
 * sizes found first: columns of K^-1, one after the other, give the bound row by row. */
void carom_motion_force_sizes(const carom_motion *motion, const double *cancelled, double *force,
                              double *work)
{
    const int n = motion->shape->n, r = motion->row_count;
    double *size = work, *column = work + r, *sum = column + r;
    memset(force, 0, sizeof(double) * (size_t)motion->shape->p);
    if (motion->column_count > 0 || motion->singular)
        return;
    for (int k = 0; k < r; k++) {
        const double *R = carom_motion_vector(motion, motion->rows[k]);
        size[k] = fabs(carom_motion_bias(motion, motion->rows[k]));
        for (int i = 0; i < n; i++)
            size[k] += fabs(R[i]) * (fabs(motion->a_free[i]) + cancelled[i]);
        sum[k] = 0;
    }
    for (int j = 0; j < r; j++) {
        memset(column, 0, sizeof(double) * (size_t)r);
        column[j] = 1;
        carom_lu_solve(r, motion->K, r, motion->pivot, column);
        for (int k = 0; k < r; k++)
            sum[k] += fabs(column[k]) * size[j];
    }
    for (int k = 0; k < r; k++) {
        const int i = contact_of(motion, k);
        if (i >= 0 && sum[k] > force[i])
            force[i] = sum[k];
    }
}

static carom_status constrain(carom_motion *motion, carom_error *error)
{
    bool starting = false, settled = false;
    motion->unsettled = false;
    for (int i = 0; i < motion->shape->p; i++)
        if (motion->sliding[i])
            starting = turn(motion, i) || starting;
    for (int round = 0; round < 30 && !settled; round++) {
        if (!balance(motion) || (starting && motion->singular)) {
            carom_error_set(error, CAROM_ERROR_NUMERIC,
                            "the contact problem is singular at t = %.17g", motion->state.t);
            return CAROM_STOPPED;
        }
        settled = !starting || carom_motion_onset_turn(motion);
    }
    motion->unsettled = !settled;
    if (settled)
        return CAROM_OK;
    carom_error_set(error, CAROM_ERROR_NUMERIC,
                    "the direction in which slip starts does not settle at t = %.17g",
                    motion->state.t);
    return CAROM_STOPPED;
}

/* Sort the solution into forces by contact, slip column, joint. */
static void distribute(carom_motion *motion)
{
    const carom_system_shape *shape = motion->shape;
    memset(motion->force, 0, sizeof(double) * (size_t)shape->p);
    memset(motion->friction, 0, sizeof(double) * (size_t)shape->s);
    memset(motion->joint, 0, sizeof(double) * (size_t)(shape->m + shape->a));
    memset(motion->spread, 0, sizeof(double) * (size_t)shape->spread);
    const bool hyperstatic = motion->column_count > 0;
    const carom_motion_row *columns = hyperstatic ? motion->columns : motion->rows;
    for (int k = 0; k < carom_motion_columns(motion); k++) {
        const int i = columns[k].index;
        const double x = motion->x[k];
        switch (columns[k].kind) {
        case CAROM_MOTION_NORMAL:
            motion->force[i] = x;
            if (motion->sliding[i])
                for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++)
                    motion->friction[j] = -motion->mu[i] * motion->direction[j] * x;
            break;
        case CAROM_MOTION_SLIP:
            motion->friction[i] = x;
            break;
        case CAROM_MOTION_JOINT:
            motion->joint[i] = x;
            break;
        case CAROM_MOTION_ROLLING:
            motion->joint[shape->m + i] = x;
            break;
        case CAROM_MOTION_SPREAD:
            motion->spread[i] = x;
            break;
        }
    }
}

carom_status carom_motion_evaluate(carom_motion *motion, double t, const double *q, const double *u,
                                   unsigned more, carom_error *error)
{
    const carom_system_shape *shape = motion->shape;
    carom_state *state = &motion->state;
    const int n = shape->n;
    unsigned want = CAROM_WANT_FORCES | motion->want | more;
    if (!motion->factored)
        want |= CAROM_WANT_MASS;
    if (!shape->kinematics_is_identity)
        want |= CAROM_WANT_KINEMATICS;
    state->t = t;
    if (q != state->q)
        memcpy(state->q, q, sizeof(double) * (size_t)shape->nq);
    if (u != state->u)
        memcpy(state->u, u, sizeof(double) * (size_t)n);
    carom_status status = carom_system_evaluate(motion->system, want, state, error);
    if (status == CAROM_ERROR_NUMERIC)
        return CAROM_STOPPED;
    if (status == CAROM_OK)
        status = carom_motion_factor(motion, error);
    if (status != CAROM_OK)
        return status;
    memcpy(motion->a_free, state->h, sizeof(double) * (size_t)n);
    carom_motion_inverse_mass(motion, motion->a_free);
    memcpy(motion->a, motion->a_free, sizeof(double) * (size_t)n);
    if (motion->row_count == 0)
        return CAROM_OK;
    status = constrain(motion, error);
    if (status == CAROM_OK)
        distribute(motion);
    return status;
}
