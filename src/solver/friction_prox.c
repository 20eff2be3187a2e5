/* Proximal Newton: the problem with A + delta I about a moving centre,
 *
 *     xi = A x + b + delta (x - c),   then c = x,
 *
 * whose fixed points are the solutions whatever delta > 0 is. Each is solved roughly by damped
 * semismooth Newton steps; delta falls when that succeeds and grows when it fails, and two moves in
 * the same direction are extrapolated. Steps that lower |F| are taken; where there are none, a few
 * that raise it are dared, as long as that pays (docs/theory/friction-problem.md). */
#include "solver/friction_run.h"

#include "linalg/dense.h"
#include "solver/friction_map.h"

#include <math.h>
#include <string.h>

enum {
    LIMIT = 4000, /* factorisations */
    STEPS = 3,    /* Newton steps about one centre */
    DARING = 10,  /* the same, once |F| was let go up */
    HALVINGS = 8  /* of a step */
};

/* One setting for all problems. The centre may move on when F has fallen to ENOUGH: what is left is
 * the next one's business. Moves whose cosine is above PARALLEL are extrapolated, by a geometric
 * series, at most FARTHEST times the last move. */
#define ENOUGH   0.7
#define FALL     0.7
#define RISE     4.0
#define LARGEST  1e8
#define PARALLEL 0.3
#define FARTHEST 2.0

/* Rounding comes back divided by delta, at most. With delta above the root of the unit a step has
 * half of its digits, more than a step of Newton's method is worth: it is not refined. */
#define COARSE 1.5e-8

/* Newton polish is tried when the residual has fallen below NEAR, and again when it is HOPE times
 * smaller than at the last attempt. */
#define NEAR 1e-4
#define HOPE 0.1

typedef struct state {
    carom_friction_run *run;
    const carom_friction_island *o;
    double delta;
    double *x, *xi, *F;  /* the point, its velocities, its equations */
    double *y, *eta, *G; /* a trial */
    double *c;           /* centre */
    double *s;           /* xi + delta (x - c) */
    double *move;        /* of the centre, last time */
    double *C, *B;
    bool moved; /* move is of use */
    bool dares; /* |F| has been let go up about this centre */
    bool rests; /* F is zero at the centre */
    int pass;   /* occasions to dare that are still let pass */
    int passed; /* and how many were, after the last attempt in vain */
} state;

static bool take(state *t)
{
    size_t n = (size_t)t->o->n, c = (size_t)t->o->contacts;
    double **arrays[] = {&t->x, &t->xi, &t->F, &t->y, &t->eta, &t->G, &t->c, &t->s, &t->move};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_doubles(t->run->arena, n)))
            return false;
    t->C = carom_arena_doubles(t->run->arena, 9 * c);
    t->B = carom_arena_doubles(t->run->arena, 9 * c);
    return t->C && t->B;
}

/* xi = A x + b and the equations of the problem about the centre. */
static double evaluate(state *t, const double *x, double *xi, double *F)
{
    carom_friction_island_velocity(t->o, x, xi);
    for (int k = 0; k < t->o->n; k++)
        t->s[k] = xi[k] + t->delta * (x[k] - t->c[k]);
    return carom_friction_map_evaluate(t->o, x, t->s, F, t->C, t->B);
}

/* y = x + length times the step F; returns |G|. */
static double try_length(state *t, double length)
{
    for (int k = 0; k < t->o->n; k++)
        t->y[k] = t->x[k] + length * t->F[k];
    return evaluate(t, t->y, t->eta, t->G);
}

/* Along the step: the first halving that lowers |F| = f. Where there is none, contacts are on their
 * way to other modes, at the price of a larger |F| in between: the best of the trials is taken
 * nevertheless, unless occasions are let pass. Returns |G| of y, NaN: nothing is taken. */
static double search_line(state *t, double f)
{
    double best = INFINITY, chosen = 1, length = 1;
    for (int h = 0; h < HALVINGS; h++, length /= 2) {
        double g = try_length(t, length);
        if (g < f)
            return g;
        if (g < best) {
            best = g;
            chosen = length;
        }
    }
    carom_friction_run_offer(t->run, t->y, t->eta);
    if (!t->dares && t->pass > 0) {
        t->pass--;
        return NAN;
    }
    t->dares = true;
    return isfinite(best) ? try_length(t, chosen) : NAN;
}

/* One Newton step from x; *f is |F| before and after. False: none is taken. */
static bool step(state *t, double *f)
{
    size_t size = (size_t)t->o->n * sizeof *t->x;
    for (int k = 0; k < 9 * t->o->contacts; k++)
        t->B[k] += t->delta * t->C[k];
    t->run->factorisations++;
    if (!carom_friction_newton_matrix_factor(t->run->matrix, t->C, t->B))
        return false;
    for (int k = 0; k < t->o->n; k++)
        t->F[k] = -t->F[k];
    carom_friction_newton_matrix_solve(t->run->matrix, t->delta < COARSE ? 1 : 0, t->F);
    double g = search_line(t, *f);
    if (!isfinite(g))
        return false;
    carom_friction_run_offer(t->run, t->y, t->eta);
    *f = g;
    memcpy(t->x, t->y, size);
    memcpy(t->xi, t->eta, size);
    memcpy(t->F, t->G, size);
    return true;
}

/* Solve roughly about the centre x. After daring in vain 1, 3, 7 ... occasions are let pass, so
 * that it costs little where it never pays. */
static bool solve_about(state *t)
{
    memcpy(t->c, t->x, (size_t)t->o->n * sizeof *t->c);
    double f = evaluate(t, t->x, t->xi, t->F), goal = ENOUGH * f;
    t->dares = false;
    if (f == 0) { /* the centre solves the problem, as far as numbers go: it stays where it is */
        carom_friction_run_offer(t->run, t->x, t->xi);
        t->rests = true;
    }
    for (int k = 0; k < (t->dares ? DARING : STEPS) && f > goal; k++)
        if (!step(t, &f) || !carom_friction_run_goes_on(t->run))
            break;
    if (t->dares)
        t->pass = t->passed = f <= goal ? 0 : 2 * t->passed + 1;
    return f <= goal;
}

/* The centre has moved from c to x: go further where it moved before. */
static void extrapolate(state *t)
{
    double along = 0, now = 0, before = 0;
    int n = t->o->n;
    for (int k = 0; k < n; k++) {
        double m = t->x[k] - t->c[k];
        along += m * t->move[k];
        now += m * m;
        before += t->move[k] * t->move[k];
    }
    bool parallel = t->moved && along > PARALLEL * sqrt(now * before);
    double ratio = sqrt(now / before);
    double more = !parallel                           ? 0
                  : ratio < FARTHEST / (1 + FARTHEST) ? ratio / (1 - ratio)
                                                      : FARTHEST;
    for (int k = 0; k < n; k++) {
        t->move[k] = t->x[k] - t->c[k];
        t->x[k] += more * t->move[k];
    }
    t->moved = !parallel;
}

carom_status carom_friction_prox(carom_friction_run *run, carom_error *error)
{
    state t = {.run = run, .o = run->island, .delta = run->delta > 0 ? run->delta : 1};
    carom_status status = carom_friction_run_plan(run, error);
    if (status != CAROM_OK)
        return status;
    carom_mark mark = carom_arena_mark(run->arena);
    if (!take(&t))
        return carom_error_memory(error);
    int end = run->factorisations + (run->limit > 0 ? run->limit : LIMIT);
    double next = NEAR;
    memcpy(t.x, run->delta > 0 ? run->centre : run->x, (size_t)t.o->n * sizeof *t.x);
    while (run->residual > run->tolerance && run->factorisations < end && t.delta < LARGEST &&
           !t.rests && !run->cancelled && status == CAROM_OK) {
        if (!solve_about(&t)) {
            memcpy(t.x, t.c, (size_t)t.o->n * sizeof *t.x);
            t.delta *= RISE;
            t.moved = false;
        } else {
            extrapolate(&t);
            t.delta *= FALL;
        }
        if (run->residual <= next && run->residual > run->tolerance && !run->cancelled) {
            next = HOPE * run->residual;
            status = carom_friction_polish(run, error);
        }
    }
    if (run->centre) {
        memcpy(run->centre, t.x, (size_t)t.o->n * sizeof *t.x);
        run->delta = t.delta < LARGEST ? t.delta : 0;
    }
    carom_arena_rewind(run->arena, mark);
    return status;
}
