#include "flow/contact_problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "carom/lcp.h"
#include "flow/row_set.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

/* How a candidate is treated while the problem is being solved. */
enum {
    FRICTIONLESS,
    SLIDING,      /* slips already, or in a direction found by iteration */
    PLANAR_REST,  /* planar, no slip yet: stick or slip is for the LCP to tell */
    SPATIAL_STICK /* spatial, no slip yet: held like a joint until the cone says otherwise */
};

typedef struct problem {
    carom_motion *motion;
    const carom_system_shape *shape;
    int n;
    int held; /* rows held like joints: independent joints, rolling, spatial sticks */
    carom_motion_row *hold;
    double *Y;                  /* n x held, M^-1 rows */
    double *S;                  /* factor of the held rows' matrix */
    double *a;                  /* n, accelerations without contact forces, held rows satisfied */
    int contacts;               /* candidates */
    int *contact;               /* their numbers */
    int *treatment;             /* by candidate */
    int rests;                  /* planar rests */
    int *rest;                  /* candidate numbers */
    double *lambda;             /* by candidate */
    double *gain;               /* by candidate: gap acceleration */
    double *tangent, *slipping; /* by planar rest: friction force, slip acceleration */
    double *tolerance;          /* by candidate: gap accelerations below it are zero */
} problem;

static bool take(problem *P, carom_arena *scratch)
{
    const carom_system_shape *shape = P->shape;
    const size_t p = (size_t)shape->p, s = (size_t)shape->s, n = (size_t)shape->n;
    const size_t r = s + (size_t)(shape->m + shape->a);
    P->hold = carom_arena_array(scratch, r, sizeof *P->hold);
    P->contact = carom_arena_array(scratch, 3 * p, sizeof(int));
    double *d = carom_arena_doubles(scratch, n * r + r * r + n + 5 * p);
    if (!P->hold || !P->contact || !d)
        return false;
    P->treatment = P->contact + p;
    P->rest = P->treatment + p;
    P->Y = d;
    P->S = d += n * r;
    P->a = d += r * r;
    P->lambda = d += n;
    P->gain = d += p;
    P->tangent = d += p;
    P->slipping = d += p;
    P->tolerance = d + p;
    return true;
}

/* Add a row to those held, unless it depends on them. */
static void hold(problem *P, carom_motion_row row)
{
    carom_row_set set = {
        P->motion, P->shape->s + P->shape->m + P->shape->a, &P->held, P->hold, P->Y, P->S};
    carom_row_set_add(&set, row, 1e-12);
}

/* y = M_c^-1 v: the acceleration a force v causes with the held rows in place. work: held. */
static void respond(const problem *P, const double *v, double *y, double *work)
{
    const int n = P->n, ld = P->shape->s + P->shape->m + P->shape->a;
    memcpy(y, v, sizeof(double) * (size_t)n);
    carom_motion_inverse_mass(P->motion, y);
    for (int k = 0; k < P->held; k++)
        work[k] = carom_dense_dot(n, v, P->Y + (size_t)k * n);
    carom_cholesky_solve(P->held, P->S, ld, work);
    for (int k = 0; k < P->held; k++)
        for (int i = 0; i < n; i++)
            y[i] -= P->Y[i + (size_t)k * n] * work[k];
}

/* Forces of the held rows for the accelerations `a` without them: x = -S^-1(R'a + bias). */
static void held_forces(const problem *P, const double *a, double *x)
{
    const int ld = P->shape->s + P->shape->m + P->shape->a;
    for (int k = 0; k < P->held; k++)
        x[k] = -(carom_dense_dot(P->n, carom_motion_vector(P->motion, P->hold[k]), a) +
                 carom_motion_bias(P->motion, P->hold[k]));
    carom_cholesky_solve(P->held, P->S, ld, x);
}

static void hold_all(problem *P, double *work)
{
    const carom_system_shape *shape = P->shape;
    P->held = 0;
    for (int j = 0; j < shape->m; j++)
        hold(P, (carom_motion_row){CAROM_MOTION_JOINT, j});
    for (int j = 0; j < shape->a; j++)
        hold(P, (carom_motion_row){CAROM_MOTION_ROLLING, j});
    for (int k = 0; k < P->contacts; k++)
        if (P->treatment[k] == SPATIAL_STICK)
            for (int j = 0; j < 2; j++)
                hold(P,
                     (carom_motion_row){CAROM_MOTION_SLIP, shape->slip_start[P->contact[k]] + j});
    memcpy(P->a, P->motion->a_free, sizeof(double) * (size_t)P->n);
    held_forces(P, P->a, work);
    for (int k = 0; k < P->held; k++)
        for (int i = 0; i < P->n; i++)
            P->a[i] += P->Y[i + (size_t)k * P->n] * work[k];
}

/* |v|'|a_free| + |bias|: what cancels in a row's acceleration. */
static double row_size(const problem *P, const double *v, double bias)
{
    double sum = fabs(bias);
    for (int i = 0; i < P->n; i++)
        sum += fabs(v[i] * P->motion->a_free[i]);
    return sum;
}

/* Linear map from (normal forces, planar friction forces) to the accelerations of the same rows. */
typedef struct linear {
    int rows;
    double *A; /* rows x rows */
    double *b;
} linear;

static bool linearise(problem *P, double force_rest, carom_arena *scratch, linear *lin)
{
    const int n = P->n, c = P->contacts, r = c + P->rests;
    const carom_system_shape *shape = P->shape;
    const carom_state *state = &P->motion->state;
    double *column = carom_arena_doubles(scratch, 2 * (size_t)n + (size_t)P->held + 1);
    lin->rows = r;
    lin->A = carom_arena_doubles(scratch, (size_t)r * r);
    lin->b = carom_arena_doubles(scratch, (size_t)r);
    if (!column || !lin->A || !lin->b)
        return false;
    double *y = column + n, *work = y + n;
    for (int j = 0; j < r; j++) {
        if (j < c)
            carom_motion_column(P->motion, P->contact[j], column);
        else
            memcpy(column, state->H + (size_t)shape->slip_start[P->contact[P->rest[j - c]]] * n,
                   sizeof(double) * (size_t)n);
        respond(P, column, y, work);
        for (int i = 0; i < r; i++) {
            int k = i < c ? P->contact[i] : shape->slip_start[P->contact[P->rest[i - c]]];
            const double *v = (i < c ? state->W : state->H) + (size_t)k * n;
            lin->A[i + (size_t)j * r] = carom_dense_dot(n, v, y);
        }
    }
    /* couplings that are rounding only would spoil the scaling of the problem */
    for (int j = 0; j < r; j++)
        for (int i = 0; i < r; i++) {
            double size = sqrt(fabs(lin->A[i + (size_t)i * r] * lin->A[j + (size_t)j * r]));
            if (i != j && fabs(lin->A[i + (size_t)j * r]) <= 4 * DBL_EPSILON * size)
                lin->A[i + (size_t)j * r] = 0;
        }
    for (int i = 0; i < r; i++) {
        int k = i < c ? P->contact[i] : shape->slip_start[P->contact[P->rest[i - c]]];
        const double *v = (i < c ? state->W : state->H) + (size_t)k * n;
        double bias = i < c ? state->g_bias[k] : state->slip_bias[k];
        lin->b[i] = carom_dense_dot(n, v, P->a) + bias;
        double size = force_rest * row_size(P, v, bias);
        if (fabs(lin->b[i]) <= size)
            lin->b[i] = 0;
        if (i < c)
            P->tolerance[i] = size;
    }
    return true;
}

/* One sliding or frictionless contact: a scalar problem with its four classes. */
static void scalar(problem *P, const linear *lin, carom_contact_problem_answer *answer)
{
    double A = lin->A[0], b = lin->b[0];
    P->lambda[0] = 0;
    P->gain[0] = b;
    answer->A = A;
    answer->b = b;
    answer->contact = P->contact[0];
    if (b < 0 && A > 0) {
        P->lambda[0] = -b / A;
        P->gain[0] = 0;
    } else if (b < 0) {
        answer->class = CAROM_CONTACT_PROBLEM_NONE;
        snprintf(answer->text, sizeof answer->text,
                 "inconsistent: acceleration %.6g*force %+.6g cannot be made >= 0 by a force >= 0",
                 A, b);
    } else if (b > 0 && A < 0) {
        answer->class = CAROM_CONTACT_PROBLEM_SEVERAL;
        snprintf(answer->text, sizeof answer->text,
                 "indeterminate: acceleration %.6g*force %+.6g allows no force and force %.6g", A,
                 b, -b / A);
    }
}

/* z = (lambda, s+ = mu lambda + tangent, slip-), w = (gap', slip+, s- = mu lambda - tangent). */
static carom_status complementarity(problem *P, const linear *lin, carom_arena *scratch,
                                    carom_contact_problem_answer *answer, carom_error *error)
{
    const int c = P->contacts, t = P->rests, r = lin->rows, size = c + 2 * t;
    double *M = carom_arena_zeros(scratch, (size_t)size * size + 3 * (size_t)size, sizeof(double));
    if (!M)
        return carom_error_memory(error);
    double *q = M + (size_t)size * size, *z = q + size, *w = z + size;
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < r; j++)
            M[i + (size_t)j * size] = lin->A[i + (size_t)j * r];
        q[i] = lin->b[i];
        for (int k = 0; k < t; k++) { /* tangent = s+ - mu lambda */
            double mu = P->motion->mu[P->contact[P->rest[k]]];
            M[i + (size_t)P->rest[k] * size] -= mu * lin->A[i + (size_t)(c + k) * r];
        }
    }
    for (int k = 0; k < t; k++) {
        M[c + k + (size_t)(r + k) * size] = 1;
        M[r + k + (size_t)(c + k) * size] = -1;
        M[r + k + (size_t)P->rest[k] * size] = 2 * P->motion->mu[P->contact[P->rest[k]]];
    }
    carom_lcp lcp = {.n = size, .M = M, .q = q};
    carom_lcp_options options = {.algorithm = CAROM_LCP_LEMKE};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, &options, scratch, z, w, &info, error);
    if (status == CAROM_OK && info.outcome != CAROM_LCP_SOLVED) {
        /* a ray proves nothing with friction: other coverings, and all bases where they are few */
        options.algorithm = CAROM_LCP_AUTO;
        status = carom_lcp_solve(&lcp, &options, scratch, z, w, &info, error);
    }
    if (status != CAROM_OK)
        return status;
    if (info.outcome != CAROM_LCP_SOLVED) {
        bool limit = info.outcome == CAROM_LCP_LIMIT;
        answer->class = limit ? CAROM_CONTACT_PROBLEM_UNSOLVED : CAROM_CONTACT_PROBLEM_NONE;
        snprintf(answer->text, sizeof answer->text, "%s: contact problem of %d closed contacts%s",
                 limit ? "unsolved" : "inconsistent", c,
                 limit ? "" : ", no solution of its LCP found");
        return CAROM_OK;
    }
    for (int i = 0; i < c; i++) {
        P->lambda[i] = z[i];
        P->gain[i] = w[i];
    }
    for (int k = 0; k < t; k++) {
        double mu = P->motion->mu[P->contact[P->rest[k]]];
        P->tangent[k] = z[c + k] - mu * z[P->rest[k]];
        P->slipping[k] = w[c + k] - z[r + k];
        /* exactly at the limit of the cone: the sign of the friction is kept for the direction */
        if (z[c + k] == 0)
            P->tangent[k] = -mu * z[P->rest[k]];
        else if (w[r + k] == 0)
            P->tangent[k] = mu * z[P->rest[k]];
    }
    return CAROM_OK;
}

/* Accelerations with the contact forces found; y: n, work: n + held. */
static void accelerations(const problem *P, double *y, double *work)
{
    const int n = P->n;
    const carom_system_shape *shape = P->shape;
    double *force = work + P->held;
    memcpy(force, P->motion->state.h, sizeof(double) * (size_t)n);
    for (int k = 0; k < P->contacts; k++) {
        carom_motion_column(P->motion, P->contact[k], y);
        for (int i = 0; i < n; i++)
            force[i] += y[i] * P->lambda[k];
    }
    for (int k = 0; k < P->rests; k++) {
        const double *H =
            P->motion->state.H + (size_t)shape->slip_start[P->contact[P->rest[k]]] * n;
        for (int i = 0; i < n; i++)
            force[i] += H[i] * P->tangent[k];
    }
    memcpy(y, force, sizeof(double) * (size_t)n);
    carom_motion_inverse_mass(P->motion, y);
}

/* A mass not above that of slip columns j, j + 1: 1/trace of H'M^-1 H. work: n. */
static double slip_mass(const problem *P, int j, double *work)
{
    double trace = 0;
    for (int l = 0; l < 2; l++) {
        const double *H = P->motion->state.H + (size_t)(j + l) * P->n;
        memcpy(work, H, sizeof(double) * (size_t)P->n);
        carom_motion_inverse_mass(P->motion, work);
        trace += carom_dense_dot(P->n, H, work);
    }
    return trace > 0 ? 1 / trace : 0;
}

/* Spatial contacts at rest: hold them, look at the force that takes; one that leaves its cone
 * slides against that force, and its direction is iterated until slip acceleration and friction are
 * opposed. Returns whether another round is needed. */
static bool spatial_round(problem *P, double *y, double *work)
{
    const carom_system_shape *shape = P->shape;
    bool again = false;
    accelerations(P, y, work);
    held_forces(P, y, work);
    for (int k = 0; k < P->held; k++)
        for (int i = 0; i < P->n; i++)
            y[i] += P->Y[i + (size_t)k * P->n] * work[k];
    for (int k = 0; k < P->contacts; k++) {
        const int i = P->contact[k], j = shape->slip_start[i];
        double *d = P->motion->direction + j;
        if (P->treatment[k] == SPATIAL_STICK) {
            double f[2] = {0, 0};
            for (int l = 0; l < P->held; l++)
                if (P->hold[l].kind == CAROM_MOTION_SLIP && P->hold[l].index - j >= 0 &&
                    P->hold[l].index - j < 2)
                    f[P->hold[l].index - j] = work[l];
            double size = hypot(f[0], f[1]);
            if (size > P->motion->mu[i] * P->lambda[k] * (1 + 1e-12)) {
                P->treatment[k] = SLIDING;
                P->motion->pushed[i] = 2; /* direction still to be found */
                P->motion->mu[i] = shape->contacts[i].friction_dynamic;
                d[0] = -f[0] / size;
                d[1] = -f[1] / size;
                again = true;
            }
        } else if (P->motion->pushed[i] == 2) {
            double v[2];
            for (int l = 0; l < 2; l++)
                v[l] = carom_dense_dot(P->n, P->motion->state.H + (size_t)(j + l) * P->n, y) +
                       P->motion->state.slip_bias[j + l];
            /* d = v/|v| is the fixed point of d ~ mu lambda d + rho v, which stays contracting at
             * the onset of slip, where v is small and turns much when d turns little */
            double f = P->motion->mu[i] * P->lambda[k], rho = slip_mass(P, j, work + P->held);
            double next[2] = {f * d[0] + rho * v[0], f * d[1] + rho * v[1]};
            double size = hypot(next[0], next[1]);
            if (size > 0) {
                double turn = fabs(next[0] / size - d[0]) + fabs(next[1] / size - d[1]);
                d[0] = next[0] / size;
                d[1] = next[1] / size;
                again = again || turn > 1e-14;
            }
        }
    }
    return again;
}

/* Friction data of the candidates: who slides already, who is at rest. */
static void classify(problem *P, const unsigned char *candidate, const double *slow)
{
    carom_motion *motion = P->motion;
    const carom_system_shape *shape = P->shape;
    P->contacts = 0;
    for (int i = 0; i < shape->p; i++) {
        motion->mode[i] = CAROM_FLOW_OPEN;
        motion->pushed[i] = motion->implied[i] = 0;
        if (!candidate[i])
            continue;
        const carom_contact *c = &shape->contacts[i];
        const int j = shape->slip_start[i], k = P->contacts++;
        P->contact[k] = i;
        P->treatment[k] = FRICTIONLESS;
        if (shape->slip_start[i + 1] == j || !(c->friction_static > 0))
            continue;
        double v[2] = {carom_motion_slip(motion, j), 0};
        bool planar = shape->slip_start[i + 1] - j == 1;
        if (!planar)
            v[1] = carom_motion_slip(motion, j + 1);
        double speed = hypot(v[0], v[1]);
        if (speed > 2 * slow[i]) {
            P->treatment[k] = SLIDING;
            motion->mu[i] = c->friction_dynamic;
            motion->pushed[i] = 1;
            motion->direction[j] = v[0] / speed;
            if (!planar)
                motion->direction[j + 1] = v[1] / speed;
        } else {
            P->treatment[k] = planar ? PLANAR_REST : SPATIAL_STICK;
            motion->mu[i] = c->friction_static;
        }
    }
}

static carom_status solve_once(problem *P, double force_rest, carom_arena *scratch,
                               carom_contact_problem_answer *answer, carom_error *error)
{
    double *work = carom_arena_doubles(
        scratch, 2 * (size_t)P->n + (size_t)(P->shape->s + P->shape->m + P->shape->a) + 1);
    if (!work)
        return carom_error_memory(error);
    double *y = work, *rest = work + P->n;
    for (int round = 0; round < 1000; round++) {
        carom_mark mark = carom_arena_mark(scratch);
        P->rests = 0;
        for (int k = 0; k < P->contacts; k++)
            if (P->treatment[k] == PLANAR_REST)
                P->rest[P->rests++] = k;
        hold_all(P, rest);
        linear lin;
        if (!linearise(P, force_rest, scratch, &lin))
            return carom_error_memory(error);
        if (lin.rows == 1) {
            scalar(P, &lin, answer);
        } else {
            carom_status status = complementarity(P, &lin, scratch, answer, error);
            if (status != CAROM_OK)
                return status;
        }
        carom_arena_rewind(scratch, mark);
        if (answer->class == CAROM_CONTACT_PROBLEM_NONE ||
            answer->class == CAROM_CONTACT_PROBLEM_UNSOLVED)
            return CAROM_OK;
        bool again = spatial_round(P, y, rest);
        /* a contact that opens holds nothing */
        for (int k = 0; k < P->contacts; k++)
            if (P->treatment[k] == SPATIAL_STICK && P->gain[k] > P->tolerance[k]) {
                P->treatment[k] = FRICTIONLESS;
                again = true;
            }
        if (!again)
            return CAROM_OK;
    }
    answer->class = CAROM_CONTACT_PROBLEM_UNSOLVED;
    snprintf(answer->text, sizeof answer->text,
             "unsolved: the direction in which a spatial contact starts to slip does not settle");
    return CAROM_OK;
}

/* Planar rests that slip take the dynamic coefficient from here on: solve again with them sliding.
 * Returns whether that changes anything. */
static bool start_slipping(problem *P, double force_rest)
{
    bool again = false;
    for (int l = 0; l < P->rests; l++) {
        const int k = P->rest[l], i = P->contact[k], j = P->shape->slip_start[i];
        const double *H = P->motion->state.H + (size_t)j * P->n;
        const carom_contact *c = &P->shape->contacts[i];
        double size = row_size(P, H, P->motion->state.slip_bias[j]);
        if (P->lambda[k] > 0 && fabs(P->slipping[l]) > force_rest * size &&
            c->friction_dynamic < c->friction_static) {
            P->treatment[k] = SLIDING;
            P->motion->pushed[i] = 1;
            P->motion->mu[i] = c->friction_dynamic;
            P->motion->direction[j] = P->slipping[l] > 0 ? 1 : -1;
            again = true;
        }
    }
    return again;
}

/* Rows of the motion, independent ones only: the factor of the held rows is extended. */
typedef struct chooser {
    problem *P;
    double *S, *Y; /* capacity^2, n x capacity */
} chooser;

static bool choose(chooser *c, carom_motion_row row)
{
    carom_motion *motion = c->P->motion;
    carom_row_set set = {motion, motion->capacity, &motion->row_count, motion->rows, c->Y, c->S};
    return carom_row_set_add(&set, row, 1e-11);
}

/* Contact k stays: normal row, then what its friction asks for. stick: at the limit of its cone but
 * without slip acceleration it is held rather than pushed. */
static void enter_contact(chooser *c, int k, double force_rest, bool stick)
{
    problem *P = c->P;
    carom_motion *motion = P->motion;
    const int i = P->contact[k], j = P->shape->slip_start[i];
    motion->mode[i] = CAROM_FLOW_CLOSED;
    if (!choose(c, (carom_motion_row){CAROM_MOTION_NORMAL, i}))
        motion->implied[i] = 1;
    if (P->treatment[k] == SLIDING) {
        bool planar = P->shape->slip_start[i + 1] - j == 1;
        motion->pushed[i] = 1;
        motion->mode[i] = !planar                    ? CAROM_FLOW_SLIP
                          : motion->direction[j] > 0 ? CAROM_FLOW_SLIP_PLUS
                                                     : CAROM_FLOW_SLIP_MINUS;
    } else if (P->treatment[k] == SPATIAL_STICK) {
        motion->mode[i] = CAROM_FLOW_STICK;
        if (P->lambda[k] > 0)
            for (int l = 0; l < 2; l++)
                choose(c, (carom_motion_row){CAROM_MOTION_SLIP, j + l});
    } else if (P->treatment[k] == PLANAR_REST) {
        int l = 0;
        while (P->rest[l] != k)
            l++;
        double limit = motion->mu[i] * P->lambda[k];
        motion->mode[i] = CAROM_FLOW_STICK;
        if (!(limit > 0))
            return;
        double size = row_size(P, motion->state.H + (size_t)j * P->n, motion->state.slip_bias[j]);
        const bool slips = fabs(P->slipping[l]) > force_rest * size, held = stick && !slips;
        /* At the limit but for the rounding of the LCP's answer? Where contacts are redundant its
         * basis holds one of them there, and the row of that one depends on the others'. */
        const double inside = limit - fabs(P->tangent[l]);
        motion->pushed[i] = 0;
        if ((inside > 1e-12 * limit || held) &&
            (choose(c, (carom_motion_row){CAROM_MOTION_SLIP, j}) || held))
            return;
        if (inside > 1e-8 * limit)
            return;
        motion->pushed[i] = 1;
        motion->direction[j] = P->tangent[l] > 0 ? -1 : 1;
        if (slips)
            motion->mode[i] =
                motion->direction[j] > 0 ? CAROM_FLOW_SLIP_PLUS : CAROM_FLOW_SLIP_MINUS;
    }
}

static void choose_rows(chooser *c, double force_rest, bool stick)
{
    const problem *P = c->P;
    carom_motion *motion = P->motion;
    motion->row_count = 0;
    for (int j = 0; j < motion->shape->m; j++)
        choose(c, (carom_motion_row){CAROM_MOTION_JOINT, j});
    for (int j = 0; j < motion->shape->a; j++)
        choose(c, (carom_motion_row){CAROM_MOTION_ROLLING, j});
    for (int k = 0; k < P->contacts; k++)
        if (P->lambda[k] > 0)
            enter_contact(c, k, force_rest, stick);
    for (int k = 0; k < P->contacts; k++)
        if (!(P->lambda[k] > 0)) {
            if (P->gain[k] <= P->tolerance[k])
                enter_contact(c, k, force_rest, stick);
            else
                motion->pushed[P->contact[k]] = 0;
        }
}

/* Do the rows determine the forces? Without pushed contacts they do: rows are independent. */
static bool determined(carom_motion *motion)
{
    const int n = motion->shape->n, r = motion->row_count;
    bool pushed = false;
    for (int k = 0; k < r; k++) {
        const carom_motion_row row = motion->rows[k];
        double *Y = motion->Y + (size_t)k * n;
        if (row.kind == CAROM_MOTION_NORMAL && motion->pushed[row.index]) {
            carom_motion_column(motion, row.index, Y);
            pushed = true;
        } else {
            memcpy(Y, carom_motion_vector(motion, row), sizeof(double) * (size_t)n);
        }
        carom_motion_inverse_mass(motion, Y);
    }
    if (!pushed)
        return true;
    for (int k = 0; k < r; k++)
        for (int j = 0; j < r; j++)
            motion->K[k + (size_t)j * r] = carom_dense_dot(
                n, carom_motion_vector(motion, motion->rows[k]), motion->Y + (size_t)j * n);
    return carom_lu_factor(r, motion->K, r, motion->pivot, 1e-13) == 0;
}

carom_status carom_contact_problem_solve(carom_motion *motion, const unsigned char *candidate,
                                         const double *slow, double force_rest,
                                         carom_arena *scratch, carom_contact_problem_answer *answer,
                                         carom_error *error)
{
    problem P = {.motion = motion, .shape = motion->shape, .n = motion->shape->n};
    memset(answer, 0, sizeof *answer);
    answer->contact = -1;
    chooser c = {.P = &P};
    const size_t capacity = (size_t)motion->capacity;
    c.S = carom_arena_doubles(scratch, capacity * capacity + capacity * (size_t)P.n);
    if (!c.S || !take(&P, scratch))
        return carom_error_memory(error);
    c.Y = c.S + capacity * capacity;
    classify(&P, candidate, slow);
    if (P.contacts > 0) {
        for (int round = 0; round < 4; round++) {
            carom_status status = solve_once(&P, force_rest, scratch, answer, error);
            if (status != CAROM_OK)
                return status;
            if (answer->class == CAROM_CONTACT_PROBLEM_NONE ||
                answer->class == CAROM_CONTACT_PROBLEM_UNSOLVED)
                return CAROM_OK;
            if (!start_slipping(&P, force_rest))
                break;
        }
    }
    choose_rows(&c, force_rest, false);
    if (!determined(motion)) /* two friction forces at their limits against each other */
        choose_rows(&c, force_rest, true);
    motion->want = motion->row_count > 0 ? CAROM_WANT_NORMALS | CAROM_WANT_SLIPS |
                                               CAROM_WANT_JOINTS | CAROM_WANT_BIASES
                                         : 0;
    return CAROM_OK;
}

carom_status carom_contact_problem_rest(carom_motion *motion, const unsigned char *candidate,
                                        const double *slow, carom_arena *scratch, bool *moving,
                                        carom_error *error)
{
    problem P = {.motion = motion, .shape = motion->shape, .n = motion->shape->n};
    chooser c = {.P = &P};
    const size_t capacity = (size_t)motion->capacity;
    c.S = carom_arena_doubles(scratch, capacity * capacity + capacity * (size_t)P.n);
    if (!c.S || !take(&P, scratch))
        return carom_error_memory(error);
    c.Y = c.S + capacity * capacity;
    classify(&P, candidate, slow);
    *moving = false;
    motion->row_count = 0;
    for (int j = 0; j < motion->shape->m; j++)
        choose(&c, (carom_motion_row){CAROM_MOTION_JOINT, j});
    for (int j = 0; j < motion->shape->a; j++)
        choose(&c, (carom_motion_row){CAROM_MOTION_ROLLING, j});
    for (int k = 0; k < P.contacts; k++)
        choose(&c, (carom_motion_row){CAROM_MOTION_NORMAL, P.contact[k]});
    for (int k = 0; k < P.contacts; k++) {
        const int i = P.contact[k];
        if (P.treatment[k] != PLANAR_REST && P.treatment[k] != SPATIAL_STICK)
            continue;
        for (int j = motion->shape->slip_start[i]; j < motion->shape->slip_start[i + 1]; j++) {
            *moving = *moving || carom_motion_slip(motion, j) != 0;
            choose(&c, (carom_motion_row){CAROM_MOTION_SLIP, j});
        }
    }
    return CAROM_OK;
}
