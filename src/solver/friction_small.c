/* Small dense problems on the stack. Sweeps go through the columns of W, so that contacts that stay
 * open cost nothing; where they are slow, a few contacts are finished by Newton's method on arrays
 * of fixed size. What is not solved here in a few microseconds takes the general way, which also
 * writes the messages. */
#include "solver/friction_small.h"

#include "linalg/dense.h"
#include "linalg/finite.h"
#include "linalg/lu.h"
#include "solver/friction_map.h"
#include "solver/friction_natural.h"
#include "solver/friction_one.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    ROWS = 3 * CAROM_FRICTION_SMALL,
    SWEEPS = 40,
    PATIENCE = 8, /* sweeps before their pace is looked at */
    MODES = 3,    /* planar contacts whose modes are tried one after the other */
    BEFORE = 3,   /* sweeps before that */
    NEWTON = CAROM_FRICTION_SMALL_NEWTON,
    UNKNOWNS = 3 * NEWTON,
    STEPS = 12
};

#define PACE  0.6  /* a sweep that leaves more of the residual is slow */
#define DELTA 1e-8 /* as in friction_polish.c */

typedef struct state {
    const carom_friction_problem *p;
    double aim;
    int n;
    int row[CAROM_FRICTION_SMALL + 1];
    int active[CAROM_FRICTION_SMALL]; /* rows that take part */
    bool made[CAROM_FRICTION_SMALL];
    carom_friction_one one[CAROM_FRICTION_SMALL];
    double mu[CAROM_FRICTION_SMALL];
    double scale[ROWS], r[ROWS], u[ROWS];
    double weight[CAROM_FRICTION_SMALL]; /* of a reaction beside a velocity: W_NN */
    double q_norm;
} state;

/* Rows and friction; false: not a statement, or not a small one. */
static bool read_contacts(state *t)
{
    const carom_friction_problem *p = t->p;
    t->row[0] = 0;
    for (int i = 0; i < p->contacts; i++) {
        int d = p->rows ? p->rows[i] : p->dimension;
        bool free = p->bilateral && p->bilateral[i];
        double mu = p->mu && !free && d > 1 ? p->mu[i] : 0;
        if (d < 1 || d > 3 || (p->mu && !(p->mu[i] >= 0 && p->mu[i] <= DBL_MAX)))
            return false;
        t->row[i + 1] = t->row[i] + d;
        t->active[i] = free || mu > 0 ? d : 1;
        t->mu[i] = mu;
        t->made[i] = false;
    }
    t->n = t->row[p->contacts];
    size_t n = (size_t)t->n;
    for (int i = 0; i < p->contacts; i++) {
        const double own = p->W[(size_t)t->row[i] * (n + 1)];
        t->weight[i] = own > 0 ? own : 1;
    }
    return carom_finite_sum(n, p->q) == 0 && carom_finite_sum(n * n, p->W) == 0;
}

/* u = W r + q; columns without a reaction are not read. */
static void evaluate(state *t)
{
    memcpy(t->u, t->p->q, (size_t)t->n * sizeof *t->u);
    carom_dense_gemv(t->n, t->n, 1, t->p->W, t->n, t->r, t->u);
}

/* The residual in units of each contact (carom_friction_island_residual): r sqrt(W_NN), and the
 * velocities divided by it. */
static double residual_in_own_units(const state *t)
{
    double sum = 0, rr = 0, uu = 0, qq = 0;
    for (int i = 0; i < t->p->contacts; i++) {
        const double weight = t->weight[i];
        double u[3] = {0, 0, 0};
        for (int k = t->row[i]; k < t->row[i + 1]; k++) {
            const double q = t->p->q[k];
            u[k - t->row[i]] = t->u[k] / weight;
            rr += t->r[k] * t->r[k] * weight;
            uu += t->u[k] * t->u[k] / weight;
            qq += q * q / weight;
        }
        sum += weight * carom_friction_natural(t->row[i + 1] - t->row[i], t->mu[i],
                                               t->p->bilateral && t->p->bilateral[i],
                                               t->r + t->row[i], u);
    }
    const double square = fmax(qq, fmax(rr, uu));
    return sum == 0 ? 0 : isfinite(square) ? sqrt(sum / square) : HUGE_VAL;
}

static double residual_as_given(const state *t)
{
    double sum = 0, rr = 0, uu = 0;
    for (int i = 0; i < t->p->contacts; i++)
        sum += carom_friction_natural(t->row[i + 1] - t->row[i], t->mu[i],
                                      t->p->bilateral && t->p->bilateral[i], t->r + t->row[i],
                                      t->u + t->row[i]);
    for (int k = 0; k < t->n; k++) {
        rr += t->r[k] * t->r[k];
        uu += t->u[k] * t->u[k];
    }
    const double square = fmax(t->q_norm * t->q_norm, fmax(rr, uu));
    if (square > CAROM_FRICTION_TINY * CAROM_FRICTION_TINY) /* one root where two would do */
        return isfinite(square) ? sqrt(sum / square) : HUGE_VAL;
    const double size = fmax(t->q_norm, sqrt(fmax(rr, uu)));
    return sqrt(sum) / (size > DBL_MIN ? size : 1);
}

/* The measure that is above the aim, if one is: that of the statement first. */
static double residual_of(const state *t)
{
    const double given = residual_as_given(t);
    return given <= t->aim ? fmax(given, residual_in_own_units(t)) : given;
}

/* The scales of contact i and its own block. Only mu matters here: the size of the block does not
 * for one contact. */
static void make_one(state *t, int i)
{
    int d = t->active[i], n = t->n;
    const double *W = t->p->W + t->row[i] + (size_t)t->row[i] * (size_t)n;
    double *s = t->scale + t->row[i], A[9];
    s[0] = t->mu[i] > 0 ? 1 / t->mu[i] : 1;
    for (int k = 1; k < d; k++)
        s[k] = 1;
    for (int q = 0; q < d; q++)
        for (int k = 0; k < d; k++)
            A[k + q * d] = W[k + q * n] * s[k] * s[q];
    carom_friction_one_make(&t->one[i], d, t->p->bilateral && t->p->bilateral[i], A);
    t->made[i] = true;
}

/* rho = xi - A_ii x_i from the statement's numbers, then the contact alone. */
static void sweep_contact(state *t, int i)
{
    int d = t->active[i], n = t->n, first = t->row[i];
    const double *W = t->p->W + (size_t)first * (size_t)n;
    double *r = t->r + first, *u = t->u + first, rho[3], x[3];
    if (!t->made[i])
        make_one(t, i);
    const double *s = t->scale + first;
    for (int k = 0; k < d; k++) {
        double v = u[k];
        for (int q = 0; q < d; q++)
            v -= W[first + k + (size_t)q * (size_t)n] * r[q];
        rho[k] = v * s[k];
    }
    carom_friction_one_solve(&t->one[i], rho, x);
    for (int k = 0; k < d; k++) {
        double change = x[k] * s[k] - r[k];
        r[k] += change;
        if (change != 0)
            carom_dense_axpy(n, change, W + (size_t)k * (size_t)n, t->u);
    }
}

static void sweep(state *t)
{
    for (int i = 0; i < t->p->contacts; i++) {
        const double *r = t->r + t->row[i];
        bool free = t->p->bilateral && t->p->bilateral[i];
        if (free || r[0] != 0 || t->u[t->row[i]] < 0)
            sweep_contact(t, i);
    }
}

/* At most `most` sweeps while they are quick; returns the residual, with *sweeps counted. */
static double sweep_all(state *t, double aim, int most, int *sweeps)
{
    double residual = residual_of(t), before = residual;
    while (*sweeps < most && residual > aim) {
        sweep(t);
        residual = residual_of(t);
        if (residual <= aim) { /* u was summed up change by change */
            evaluate(t);
            residual = residual_of(t);
        }
        if (++*sweeps % PATIENCE == 0) {
            if (!(residual < pow(PACE, PATIENCE) * before))
                break;
            before = residual;
        }
    }
    return residual;
}

/* ---- modes -------------------------------------------------------------------------------- */

/* PLUS: slips forwards, r_T = -mu r_N. EDGE: sticks with a reaction on that edge of its cone. */
enum { OPEN, STICK, PLUS, MINUS, COUNT, EDGE_PLUS = COUNT, EDGE_MINUS, ALL };

/* The reactions of given modes: r = E y with u_N = 0 where closed, u_T = 0 where stuck (on an edge
 * e of the cone e'u = 0, the one reaction there). False when the equations are singular or the
 * reactions are outside their cones. */
static bool try_modes(state *t, const int *mode)
{
    int n = t->n, m = 0, row[2 * MODES], pivot[2 * MODES];
    double slope[2 * MODES], edge[2 * MODES], A[4 * MODES * MODES], y[2 * MODES];
    for (int i = 0; i < t->p->contacts; i++) {
        if (mode[i] == OPEN)
            continue;
        const bool plus = mode[i] == PLUS || mode[i] == EDGE_PLUS, sticks = mode[i] == STICK;
        slope[m] = sticks ? 0 : plus ? -t->mu[i] : t->mu[i];
        edge[m] = mode[i] >= EDGE_PLUS ? slope[m] : 0;
        row[m++] = t->row[i];
        slope[m] = edge[m] = 0;
        if (sticks && t->mu[i] > 0)
            row[m++] = t->row[i] + 1;
    }
    for (int j = 0; j < m; j++) {
        const double *W = t->p->W + (size_t)row[j] * (size_t)n;
        for (int i = 0; i < m; i++) {
            const double *a = W + row[i];
            A[i + j * m] = a[0] + (slope[j] != 0 ? slope[j] * a[n] : 0);
            if (edge[i] != 0)
                A[i + j * m] += edge[i] * (a[1] + (slope[j] != 0 ? slope[j] * a[n + 1] : 0));
        }
        y[j] = -t->p->q[row[j]] - (edge[j] != 0 ? edge[j] * t->p->q[row[j] + 1] : 0);
    }
    if (carom_lu_factor(m, A, m, pivot, ROWS * DBL_EPSILON) != 0)
        return false;
    carom_lu_solve(m, A, m, pivot, y);
    for (int i = 0, j = 0; i < t->p->contacts; i++) { /* outside the cone */
        if (mode[i] == OPEN)
            continue;
        if (!(y[j++] >= 0))
            return false;
        if (mode[i] == STICK && t->mu[i] > 0 && !(fabs(y[j]) <= t->mu[i] * y[j - 1]))
            return false;
        j += mode[i] == STICK && t->mu[i] > 0;
    }
    memset(t->r, 0, (size_t)n * sizeof *t->r);
    for (int j = 0; j < m; j++) {
        t->r[row[j]] += y[j];
        if (slope[j] != 0)
            t->r[row[j] + 1] += slope[j] * y[j];
    }
    return true;
}

/* All modes of a few planar contacts below `last`, until one of them is a solution. */
static bool modes(state *t, double aim, int last)
{
    int p = t->p->contacts, mode[MODES] = {OPEN, OPEN, OPEN}, first = 0;
    while (first < p) {
        if (try_modes(t, mode)) {
            evaluate(t);
            if (residual_of(t) <= aim)
                return true;
        }
        /* the next combination; without friction a contact is open or closed */
        for (first = 0; first < p; first++) {
            int count = t->mu[first] > 0 ? last : STICK + 1;
            mode[first] = (mode[first] + 1) % count;
            if (mode[first] != OPEN)
                break;
        }
    }
    return false;
}

static bool few_planar(const state *t)
{
    bool few = t->p->contacts <= MODES;
    for (int i = 0; i < t->p->contacts && few; i++)
        few = t->row[i + 1] - t->row[i] <= 2 && !(t->p->bilateral && t->p->bilateral[i]);
    return few;
}

/* ---- Newton ------------------------------------------------------------------------------- */

/* The scaled problem of all active rows. */
typedef struct scaled {
    carom_friction_island o; /* contacts, rows, bilateral: what the equations need */
    int row[NEWTON + 1], outer[UNKNOWNS];
    bool free[NEWTON];
    double A[UNKNOWNS * UNKNOWNS], b[UNKNOWNS], scale[UNKNOWNS];
} scaled;

static void make_scaled(state *t, scaled *to)
{
    int n = 0;
    for (int i = 0; i < t->p->contacts; i++) {
        if (!t->made[i])
            make_one(t, i);
        to->row[i] = n;
        to->free[i] = t->p->bilateral && t->p->bilateral[i];
        double sum = 0;
        for (int k = 0; k < t->active[i]; k++) {
            int row = t->row[i] + k;
            double s = t->scale[row];
            sum += t->p->W[row + (size_t)row * (size_t)t->n] * s * s;
        }
        double sigma = sum > 0 ? 1 / sqrt(sum / t->active[i]) : 1;
        for (int k = 0; k < t->active[i]; k++, n++) {
            to->outer[n] = t->row[i] + k;
            to->scale[n] = sigma * t->scale[t->row[i] + k];
            to->b[n] = t->p->q[to->outer[n]] * to->scale[n];
        }
    }
    to->row[t->p->contacts] = n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            to->A[i + j * n] = t->p->W[to->outer[i] + (size_t)to->outer[j] * (size_t)t->n] *
                               to->scale[i] * to->scale[j];
    to->o = (carom_friction_island){
        .contacts = t->p->contacts, .n = n, .row = to->row, .free = to->free};
}

/* K = C (A + DELTA I) + B */
static void make_matrix(const scaled *z, const double *C, const double *B, double *K)
{
    int n = z->o.n;
    for (int i = 0; i < z->o.contacts; i++) {
        int d = z->row[i + 1] - z->row[i], row = z->row[i];
        for (int j = 0; j < n; j++)
            for (int k = 0; k < d; k++) {
                double sum = 0;
                for (int q = 0; q < d; q++)
                    sum += C[9 * i + k + q * d] * z->A[row + q + j * n];
                K[row + k + j * n] = sum;
            }
        for (int q = 0; q < d; q++)
            for (int k = 0; k < d; k++)
                K[row + k + (row + q) * n] += B[9 * i + k + q * d] + DELTA * C[9 * i + k + q * d];
    }
}

/* Full Newton steps from t->r; the point that reaches the aim stays in t. */
static bool newton(state *t, double aim, int most, int *steps)
{
    scaled z;
    double x[UNKNOWNS], xi[UNKNOWNS], F[UNKNOWNS], C[9 * NEWTON], B[9 * NEWTON];
    double K[UNKNOWNS * UNKNOWNS];
    int pivot[UNKNOWNS];
    make_scaled(t, &z);
    int n = z.o.n;
    for (int k = 0; k < n; k++)
        x[k] = t->r[z.outer[k]] / z.scale[k];
    for (int step = 0; step < most; step++) {
        memcpy(xi, z.b, (size_t)n * sizeof *xi);
        carom_dense_gemv(n, n, 1, z.A, n, x, xi);
        carom_friction_map_evaluate(&z.o, x, xi, F, C, B);
        make_matrix(&z, C, B, K);
        if (carom_lu_factor(n, K, n, pivot, 0) != 0)
            return false;
        carom_lu_solve(n, K, n, pivot, F);
        for (int k = 0; k < n; k++) {
            x[k] -= F[k];
            t->r[z.outer[k]] = x[k] * z.scale[k];
        }
        for (int i = 0; i < z.o.contacts; i++) /* rounding may leave a cone */
            if (!z.free[i])
                carom_friction_clip(t->active[i], t->mu[i], t->r + t->row[i]);
        ++*steps;
        evaluate(t);
        double residual = residual_of(t);
        if (residual <= aim)
            return true;
        if (!isfinite(residual))
            return false;
    }
    return false;
}

/* One step more; what it does not improve stays. */
static double polish_once(state *t, double residual, int *steps)
{
    double r[ROWS], u[ROWS];
    memcpy(r, t->r, (size_t)t->n * sizeof *r);
    memcpy(u, t->u, (size_t)t->n * sizeof *u);
    newton(t, 0, 1, steps);
    double after = residual_of(t);
    if (after <= residual)
        return after;
    memcpy(t->r, r, (size_t)t->n * sizeof *r);
    memcpy(t->u, u, (size_t)t->n * sizeof *u);
    return residual;
}

/* Newton's steps end beside the cones by rounding: the answer lies in them. */
static void clip(state *t)
{
    for (int i = 0; i < t->p->contacts; i++)
        if (!(t->p->bilateral && t->p->bilateral[i]))
            carom_friction_clip(t->row[i + 1] - t->row[i], t->mu[i], t->r + t->row[i]);
    evaluate(t);
}

/* May normal velocities be wrong because of reactions that are so large that they hide them from
 * the residual, or from rounding? As carom_friction_verdict_lost, in the units of the statement;
 * where rounding leaves a doubt the general way decides. */
static bool lost(const state *t, double accept)
{
    const double most = accept * t->q_norm;
    double terms = 0, top = 0, wrong = 0, sum = 0;
    for (int k = 0; k < t->n; k++) {
        top = fmax(top, t->p->W[k + k * t->n]);
        sum += fabs(t->r[k]);
    }
    for (int i = 0; i < t->p->contacts; i++)
        wrong = fmax(wrong, fabs(fmin(t->weight[i] * t->r[t->row[i]], t->u[t->row[i]])));
    if (wrong + (t->n + 4) * DBL_EPSILON * top * sum <= most)
        return false; /* the usual case, by a bound that needs no roots of the diagonal */
    for (int k = 0; k < t->n; k++)
        terms += sqrt(fmax(t->p->W[k + k * t->n], 0)) * fabs(t->r[k]);
    for (int i = 0; i < t->p->contacts; i++) {
        const int k = t->row[i];
        const double rounding =
            (t->n + 4) * DBL_EPSILON * sqrt(fmax(t->p->W[k + k * t->n], 0)) * terms;
        if (!(fabs(fmin(t->weight[i] * t->r[k], t->u[k])) + rounding <= most))
            return true;
    }
    return false;
}

/* Sweeps, then modes or Newton's method. Returns the residual. */
static double approach(state *t, const double *start, double aim, carom_friction_info *info)
{
    const bool few = few_planar(t);
    if (start)
        memcpy(t->r, start, (size_t)t->n * sizeof *t->r);
    else
        memset(t->r, 0, (size_t)t->n * sizeof *t->r);
    evaluate(t);
    info->method = CAROM_FRICTION_SWEEPS;
    double residual = sweep_all(t, aim, few ? BEFORE : SWEEPS, &info->iterations);
    /* Where contacts depend on each other the reactions of a mode are a polyhedron without lines:
     * it has a vertex, which is on edges of cones. */
    if (residual > aim && few && (modes(t, aim, COUNT) || modes(t, aim, ALL))) {
        info->method = CAROM_FRICTION_CLOSED;
        residual = residual_of(t);
    }
    if (residual > aim && t->p->contacts <= NEWTON &&
        newton(t, aim, STEPS, &info->factorisations)) {
        info->method = CAROM_FRICTION_NEWTON;
        info->iterations += info->factorisations;
        residual = residual_of(t);
    }
    return residual;
}

bool carom_friction_small_solve(const carom_friction_problem *problem, const double *start,
                                double aim, double accept, bool polish, double *r, double *u,
                                carom_friction_info *info)
{
    if (problem->form != CAROM_FRICTION_DENSE || problem->contacts < 1 ||
        problem->contacts > (polish ? NEWTON : CAROM_FRICTION_SMALL))
        return false;
    state t;
    t.p = problem;
    t.aim = aim;
    if (!read_contacts(&t))
        return false;
    t.q_norm = sqrt(carom_dense_dot(t.n, problem->q, problem->q));
    if (t.q_norm < CAROM_FRICTION_TINY && carom_dense_max(t.n, problem->q) > 0)
        return false;
    *info = (carom_friction_info){.islands = 1};
    double residual = approach(&t, start, aim, info);
    if (!(residual <= aim) || lost(&t, accept))
        return false;
    if (polish && residual > 0)
        residual = polish_once(&t, residual, &info->factorisations);
    if (info->factorisations > 0)
        clip(&t);
    info->residual = residual_as_given(&t);
    memcpy(r, t.r, (size_t)t.n * sizeof *r);
    if (u)
        memcpy(u, t.u, (size_t)t.n * sizeof *u);
    return true;
}
