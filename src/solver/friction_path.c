/* Path following: the smooth problem of friction_smooth.h, which is convex and has one solution at
 * theta = 0, is carried into the problem itself by
 *
 *     nu = nu_0 exp(-theta),   tau = 1 - nu / nu_0,   theta -> infinity.
 *
 * The path of solutions turns back in theta at times, so it is followed by its length. It cannot
 * end, and it cannot come back to theta = 0; where its solutions are bounded it arrives. Which way
 * is forward is told by the sign of a determinant (docs/theory/friction-problem.md). */
#include "solver/friction_run.h"

#include "linalg/dense.h"
#include "solver/friction_smooth.h"

#include <math.h>
#include <string.h>

enum {
    LIMIT = 10000,  /* factorisations */
    CORRECTIONS = 8 /* of a step */
};

/* Lengths are those of changes of y against what the derivatives change over, and of theta. */
#define REACH   1.0  /* Newton's method is not asked to correct more */
#define CLOSE   1e-3 /* near enough to the path */
#define SLOWEST 0.5  /* a second correction with the same factors is at most that of the first */
#define SHORT   0.1  /* first corrections that ask for a longer step, and for a shorter one */
#define LONG    0.3

/* Steps: the first, and one that rounding makes no longer sure of (the root of the unit). */
#define FIRST    0.5
#define SHORTEST 1.5e-8

/* Newton polish is tried when the residual has fallen below NEAR, and again when it is HOPE times
 * smaller than at the last attempt. */
#define NEAR 1e-4
#define HOPE 0.1

typedef struct state {
    carom_friction_run *run;
    const carom_friction_island *o;
    double nu_0, theta;
    carom_friction_smooth at,
        trial;                    /* the point that was factored, and one tried with its factors */
    double *tangent, along;       /* direction of the path in y and in theta, of length one */
    double *b;                    /* (-b, 1) is along the path */
    double *change, dtheta;       /* a correction */
    double *before, theta_before; /* where the step began */
    double *away, *work;
} state;

static bool take_point(carom_arena *arena, size_t n, size_t contacts, carom_friction_smooth *p)
{
    double **arrays[] = {&p->y, &p->x, &p->s, &p->xi, &p->G, &p->g, &p->e, &p->rho};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_zeros(arena, n, sizeof(double))))
            return false;
    p->C = carom_arena_doubles(arena, 9 * contacts);
    p->B = carom_arena_doubles(arena, 9 * contacts);
    return p->C && p->B;
}

static bool take(state *t)
{
    carom_arena *arena = t->run->arena;
    size_t n = (size_t)t->o->n, contacts = (size_t)t->o->contacts;
    double **arrays[] = {&t->tangent, &t->b, &t->change, &t->before, &t->away, &t->work};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_zeros(arena, n, sizeof(double))))
            return false;
    t->at.away = t->trial.away = t->away;
    return take_point(arena, n, contacts, &t->at) && take_point(arena, n, contacts, &t->trial);
}

/* Evaluate a point at t->theta. */
static void evaluate(state *t, carom_friction_smooth *p)
{
    double share = exp(-t->theta);
    p->nu = t->nu_0 * share;
    p->tau = 1 - share;
    carom_friction_smooth_evaluate(t->o, t->nu_0, p, t->work);
}

/* to (n) = G_y^-1 f with the factors of t->at: dx from (C A + B) dx = C f, then dy = dx - ds with
 * ds = E (A dx - f). */
static void solve(state *t, const double *f, double *to)
{
    const carom_friction_island *o = t->o;
    const carom_friction_smooth *p = &t->at;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        const double *C = p->C + 9 * i;
        for (int k = 0; k < d; k++) {
            to[row + k] = 0;
            for (int j = 0; j < d; j++)
                to[row + k] += C[k + j * d] * f[row + j];
        }
    }
    carom_friction_newton_matrix_solve(t->run->matrix, 1, to);
    carom_friction_island_product(o, to, t->work);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        if (o->free[i])
            continue;
        for (int k = 0; k < d; k++) {
            double ds = t->work[row + k] - f[row + k];
            to[row + k] -= ds;
            to[row] -= p->e[row + k] * ds;
        }
    }
}

static double length(const state *t, const double *dy, double dtheta)
{
    double most = fabs(dtheta);
    for (int k = 0; k < t->o->n; k++) {
        double share = fabs(dy[k]) / t->at.rho[k];
        if (!(share <= most)) /* NaN is longest */
            most = share;
    }
    return most;
}

/* A scalar product that belongs to these lengths. */
static double product(const state *t, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < t->o->n; k++)
        sum += a[k] * b[k] / (t->at.rho[k] * t->at.rho[k]);
    return sum / t->o->contacts;
}

/* Factor at t->at.y, and the path's direction there. */
static bool factor(state *t)
{
    evaluate(t, &t->at);
    t->run->factorisations++;
    if (!carom_friction_newton_matrix_factor(t->run->matrix, t->at.C, t->at.B))
        return false;
    for (int k = 0; k < t->o->n; k++)
        t->at.g[k] *= -t->at.nu; /* d/dtheta */
    solve(t, t->at.g, t->b);
    return true;
}

/* The change that takes G to zero, across the tangent; its length. */
static double correction(state *t, const double *G)
{
    solve(t, G, t->change);
    double down = t->along - product(t, t->tangent, t->b);
    t->dtheta = product(t, t->tangent, t->change) / down;
    for (int k = 0; k < t->o->n; k++)
        t->change[k] = -t->change[k] - t->dtheta * t->b[k];
    return length(t, t->change, t->dtheta);
}

/* The tangent at the point factored. Along the path the determinant of its equations and of the
 * tangent together keeps its sign, positive at the start: so theta grows where that of G_y is
 * positive. False when that is not the way the path came: another one has been hit. */
static bool turn(state *t)
{
    int sign = carom_block_lu_sign(&t->run->matrix->lu);
    if (sign * (t->along - product(t, t->tangent, t->b)) < 0)
        return false;
    double size = length(t, t->b, 1);
    t->along = sign / size;
    for (int k = 0; k < t->o->n; k++)
        t->tangent[k] = -sign * t->b[k] / size;
    return true;
}

/* The first point is y = 0, x = s = nu_0 e: away is what makes it one. */
static bool begin(state *t)
{
    int n = t->o->n;
    double size = carom_dense_norm(n, t->o->b) / sqrt(t->o->contacts);
    t->nu_0 = size > 0 ? size : 1;
    evaluate(t, &t->at);
    for (int k = 0; k < n; k++)
        t->away[k] = -t->at.G[k];
    t->along = 1;
    return factor(t) && turn(t);
}

/* Back to the path by Newton's method with the factors of the first point: while each correction
 * is at most half of the one before, they lead there. *first: the length of the first. */
static bool correct(state *t, double *first)
{
    int n = t->o->n;
    if (!(t->theta > 0) || !factor(t))
        return false;
    double size = *first = correction(t, t->at.G);
    carom_dense_copy(n, t->at.y, t->trial.y);
    for (int k = 0; size < REACH && k < CORRECTIONS; k++) {
        double last = size;
        carom_dense_axpy(n, 1, t->change, t->trial.y);
        t->theta += t->dtheta;
        if (!(t->theta > 0))
            return false;
        evaluate(t, &t->trial);
        size = correction(t, t->trial.G);
        if (size <= CLOSE) {
            carom_dense_copy(n, t->trial.y, t->at.y);
            return turn(t);
        }
        if (!(size <= SLOWEST * last))
            return false;
    }
    return false;
}

/* A step of length h along the tangent and back to the path; false: too long, nothing changed. */
static bool step(state *t, double h, double *first)
{
    int n = t->o->n;
    carom_dense_copy(n, t->at.y, t->before);
    t->theta_before = t->theta;
    carom_dense_axpy(n, h, t->tangent, t->at.y);
    t->theta += h * t->along;
    if (correct(t, first)) {
        carom_friction_run_offer(t->run, t->trial.x, t->trial.xi);
        return true;
    }
    carom_dense_copy(n, t->before, t->at.y);
    t->theta = t->theta_before;
    return false;
}

/* Follow the path until the residual is small, the steps are below SHORTEST, or `end`
 * factorisations are spent. */
static carom_status follow(state *t, int end, carom_error *error)
{
    carom_friction_run *run = t->run;
    carom_status status = CAROM_OK;
    double h = FIRST, first = 0, next = NEAR;
    while (status == CAROM_OK && run->factorisations < end && h > SHORTEST &&
           carom_friction_run_goes_on(run)) {
        bool done = step(t, h, &first);
        h *= !done ? 1.0 / 3 : first < SHORT ? 2 : first > LONG ? 2.0 / 3 : 1;
        if (run->residual <= next && run->residual > run->tolerance) {
            next = HOPE * run->residual;
            status = carom_friction_polish(run, error);
        }
    }
    return status;
}

carom_status carom_friction_path(carom_friction_run *run, carom_error *error)
{
    state t = {.run = run, .o = run->island};
    carom_status status = carom_friction_run_plan(run, error);
    if (status != CAROM_OK)
        return status;
    carom_mark mark = carom_arena_mark(run->arena);
    if (!take(&t))
        return carom_error_memory(error);
    int end = run->factorisations + (run->limit > 0 ? run->limit : LIMIT);
    if (begin(&t))
        status = follow(&t, end, error);
    carom_arena_rewind(run->arena, mark);
    return status;
}
