/* Is what a run has found a solution? The residual is relative to the reactions; where these run to
 * infinity, because there is no solution, it says nothing of velocities. So these are judged by
 * themselves, in twice the digits where rounding leaves a doubt. */
#include "solver/friction_verdict.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/doubled.h"
#include "solver/friction_exact.h"

#include <float.h>
#include <math.h>

/* How far friction is from opposing the slip: as a velocity, |xi_T| + xi_T'x_T / x_0, or as a
 * reaction, |x_T + x_0 xi_T / |xi_T||, whichever is less. x is in the cone. */
static double wrong_slip(int d, const double *x, const double *xi)
{
    double slip = 0, along = 0, force = 0;
    for (int k = 1; k < d; k++) {
        slip = hypot(slip, xi[k]);
        along += xi[k] * x[k];
    }
    if (!(slip > 0 && x[0] > 0))
        return 0;
    for (int k = 1; k < d; k++)
        force = hypot(force, x[k] + x[0] * (xi[k] / slip));
    return fmin(force, slip + along / x[0]);
}

/* What is wrong with row k of contact i at x, xi, as a velocity of the statement. */
static double wrong_at(const carom_friction_island *o, int i, int k, const double *x,
                       const double *xi)
{
    const int row = o->row[i];
    return (o->free[i] ? fabs(xi[row + k])
            : k == 0   ? fabs(fmin(x[row], xi[row]))
                       : wrong_slip(carom_friction_island_rows(o, i), x + row, xi + row)) /
           o->scale[row + k];
}

/* xi of the reactions as they will be returned; false: no memory. */
static bool exact_velocity(const carom_friction_run *run, const double *x, double *xi)
{
    const carom_friction_island *o = run->island;
    const size_t n = (size_t)carom_friction_problem_rows(run->problem);
    carom_mark mark = carom_arena_mark(run->arena);
    double *r = carom_arena_zeros(run->arena, n, sizeof *r);
    double *u = carom_arena_doubles(run->arena, n);
    for (int k = 0; r && k < o->n; k++)
        r[o->outer[k]] = o->scale[k] * x[k] * run->unit;
    const bool known =
        r && u && carom_friction_exact_velocity(run->problem, r, run->arena, u, NULL) == CAROM_OK;
    for (int k = 0; known && k < o->n; k++)
        xi[k] = u[o->outer[k]] / run->unit * o->scale[k];
    carom_arena_rewind(run->arena, mark);
    return known;
}

/* How wrong a velocity of the statement may be: by `accept` of q. */
static double allowed(const carom_friction_run *run)
{
    return run->accept * run->island->q_norm;
}

/* Is something wrong by more than `most`, at x with these velocities? */
static bool wrong_beyond(const carom_friction_island *o, const double *x, const double *xi,
                         double most)
{
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            if (!(wrong_at(o, i, k, x, xi) <= most))
                return true;
    return false;
}

/* Is x in the cones, to what it may be off by? */
static bool inside(const carom_friction_island *o, const double *x, double most)
{
    for (int i = 0; i < o->contacts; i++) {
        const double *xi = x + o->row[i];
        if (!o->free[i] && !(carom_dense_norm(carom_friction_island_rows(o, i) - 1, xi + 1) <=
                             fmax(xi[0], 0) + most))
            return false;
    }
    return true;
}

/* Newton's steps from x with the factors of its modes: an eigenvalue lambda of A leaves delta /
 * (lambda + delta) of what is wrong each time, delta being the least that can be factored. */
enum { STEPS = 12 };

typedef struct neighbour {
    double *x, *xi;    /* n: where the steps lead, and its velocities */
    double *sum, *low; /* n: all steps together, in twice the digits */
    double *F, *eta;
    double *C, *B, *C_now, *B_now; /* 9 for each contact */
} neighbour;

static bool take(const carom_friction_run *run, neighbour *t)
{
    const size_t n = (size_t)run->island->n, c = 9 * (size_t)run->island->contacts;
    double **rows[] = {&t->x, &t->xi, &t->sum, &t->low, &t->F, &t->eta};
    double **blocks[] = {&t->C, &t->B, &t->C_now, &t->B_now};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!(*rows[k] = carom_arena_zeros(run->arena, n, sizeof(double))))
            return false;
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        if (!(*blocks[k] = carom_arena_doubles(run->arena, c)))
            return false;
    return true;
}

/* One step: F becomes it, and x and xi where it leads from run->x with the velocities xi there. */
static bool step(carom_friction_run *run, const double *xi, neighbour *t)
{
    const carom_friction_island *o = run->island;
    carom_friction_newton_matrix_solve(run->matrix, 2, t->F);
    for (int k = 0; k < o->n; k++) {
        doubled sum = doubled_add_double((doubled){t->sum[k], t->low[k]}, -t->F[k]);
        t->sum[k] = sum.hi;
        t->low[k] = sum.lo;
    }
    if (!exact_velocity(run, t->sum, t->eta)) /* with b, which xi has too */
        return false;
    carom_friction_island_product(o, t->low, t->xi);
    for (int k = 0; k < o->n; k++) {
        t->x[k] = run->x[k] + t->sum[k];
        t->xi[k] += t->eta[k] - o->b[k] + xi[k];
    }
    return true;
}

/* Is there a solution whose rounding to numbers x is? Newton's steps from x, with its velocities xi
 * in truth, are known to their own rounding, which is far below that of x; what they lead to is
 * judged as it is, and its rounding becomes x. Where there is no solution they go far or leave
 * something wrong. */
static bool settle(carom_friction_run *run, const double *xi, double most)
{
    const carom_friction_island *o = run->island;
    const double outside = CAROM_TOLERANCE_SUM * carom_dense_max(o->n, run->x);
    neighbour t;
    if (!take(run, &t))
        return false;
    carom_friction_map_evaluate(o, run->x, xi, t.F, t.C, t.B);
    for (int k = 0; k < 9 * o->contacts; k++)
        t.B[k] += CAROM_TOLERANCE_REFINED * t.C[k];
    run->factorisations++;
    if (!carom_friction_newton_matrix_factor(run->matrix, t.C, t.B))
        return false;
    for (int k = 0; k < STEPS && step(run, xi, &t); k++) {
        if (inside(o, t.x, outside) && !wrong_beyond(o, t.x, t.xi, most)) {
            carom_friction_run_put(run, t.x);
            return true;
        }
        carom_friction_map_evaluate(o, t.x, t.xi, t.F, t.C_now, t.B_now);
    }
    return false;
}

/* The same with the velocities that the reactions have in truth. Where those are wrong, the run
 * goes to the solution whose rounding they are, if there is one. */
static bool lost_exactly(carom_friction_run *run)
{
    const carom_friction_island *o = run->island;
    if (carom_friction_run_plan(run, NULL) != CAROM_OK) /* outlives the mark */
        return true;
    carom_mark mark = carom_arena_mark(run->arena);
    double *xi = carom_arena_doubles(run->arena, (size_t)o->n);
    bool lost = !xi || !exact_velocity(run, run->x, xi);
    if (!lost && wrong_beyond(o, run->x, xi, allowed(run)))
        lost = !settle(run, xi, allowed(run));
    carom_arena_rewind(run->arena, mark);
    return lost;
}

bool carom_friction_verdict_lost(carom_friction_run *run)
{
    const carom_friction_island *o = run->island;
    const double eps = fmin((o->n + 4) * DBL_EPSILON, CAROM_TOLERANCE_SUM);
    const double most = allowed(run);
    double sum = 0;
    bool doubt = false;
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            sum += sqrt(carom_friction_island_diagonal(o, i, k)) * fabs(run->x[o->row[i] + k]);
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++) {
            const double rounding = eps * sqrt(carom_friction_island_diagonal(o, i, k)) * sum;
            doubt =
                doubt ||
                !(wrong_at(o, i, k, run->x, run->xi) + rounding / o->scale[o->row[i] + k] <= most);
        }
    return doubt && lost_exactly(run);
}
