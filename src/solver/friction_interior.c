/* Coupled interior point: primal-dual with Nesterov and Todd's scaling and Mehrotra's corrector,
 * the shift |s_T| inside Newton's matrix, and the convexity excess of a step added to s_0, so that
 * s stays inside and the residual of the equations falls by 1 - alpha exactly
 * (docs/theory/friction-problem.md). */
#include "solver/friction_run.h"

#include "linalg/dense.h"
#include "solver/friction_cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LIMIT = 100 };

#define BOUNDARY 0.95 /* of the way to the boundary of the cones */

/* Bilateral rows have no cone that regularises them: a delta about the point does. */
#define BILATERAL 1e-12

typedef struct state {
    const carom_friction_island *island;
    carom_friction_scaling *scaling;
    int cones;
    double *x, *s;   /* the point, inside the cones */
    double *p;       /* n: A x + b + |s_T| e_0 - s, what is left of the equations */
    double *dx, *ds; /* the step */
    double *g;       /* n: right-hand side of the scaled complementarity */
    double *xi;      /* n: A x + b */
    double *B;       /* 9 for each contact: E P */
} state;

static bool take(state *t, carom_arena *arena)
{
    size_t n = (size_t)t->island->n, c = (size_t)t->island->contacts;
    double **arrays[] = {&t->x, &t->s, &t->p, &t->dx, &t->ds, &t->g, &t->xi};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_zeros(arena, n, sizeof(double))))
            return false;
    t->B = carom_arena_zeros(arena, 9 * c, sizeof *t->B);
    t->scaling = carom_arena_array(arena, c, sizeof *t->scaling);
    return t->B && t->scaling;
}

/* Direction of s_T; zero where there is none. */
static void direction(int d, const double *s, double *e)
{
    double norm = d == 3 ? sqrt(s[1] * s[1] + s[2] * s[2]) : d == 2 ? fabs(s[1]) : 0;
    for (int k = 1; k < d; k++)
        e[k] = norm > 0 ? s[k] / norm : 0;
}

static double shift(int d, const double *s)
{
    return d == 3 ? sqrt(s[1] * s[1] + s[2] * s[2]) : d == 2 ? fabs(s[1]) : 0;
}

static double gap(const state *t)
{
    double sum = 0;
    for (int i = 0; i < t->island->contacts; i++)
        if (!t->island->free[i])
            sum += carom_dense_dot(carom_friction_island_rows(t->island, i),
                                   t->x + t->island->row[i], t->s + t->island->row[i]);
    return t->cones ? sum / t->cones : 0;
}

/* p = A x + b + |s_T| e_0 - s; free rows: A x + b. */
static void evaluate(state *t)
{
    const carom_friction_island *o = t->island;
    carom_friction_island_velocity(o, t->x, t->xi);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        for (int k = 0; k < d; k++)
            t->p[row + k] = t->xi[row + k] - (o->free[i] ? 0 : t->s[row + k]);
        if (!o->free[i])
            t->p[row] += shift(d, t->s + row);
    }
}

/* E y = y - e_0 (e'y_T) */
static void apply_E(int d, const double *s, double *y)
{
    double e[3];
    direction(d, s, e);
    for (int k = 1; k < d; k++)
        y[0] -= e[k] * y[k];
}

static bool factor(state *t, carom_friction_newton_matrix *matrix)
{
    const carom_friction_island *o = t->island;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i);
        double *B = t->B + 9 * i, *s = t->s + o->row[i];
        memset(B, 0, 9 * sizeof *B);
        if (o->free[i]) {
            for (int k = 0; k < d; k++)
                B[k + k * d] = BILATERAL;
            continue;
        }
        if (!carom_friction_cone_scale(d, t->x + o->row[i], s, &t->scaling[i]))
            return false;
        carom_friction_cone_square(d, &t->scaling[i], B);
        for (int j = 0; j < d; j++)
            apply_E(d, s, B + j * d);
    }
    return carom_friction_newton_matrix_factor(matrix, NULL, t->B);
}

/* Solve for dx, ds with complementarity W dx + W^-1 ds = g (n, scaled). */
static void solve(state *t, carom_friction_newton_matrix *matrix)
{
    const carom_friction_island *o = t->island;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double y[3];
        if (o->free[i]) {
            for (int k = 0; k < d; k++)
                t->dx[row + k] = -t->p[row + k];
            continue;
        }
        carom_friction_cone_apply(d, &t->scaling[i], t->g + row, y); /* W g */
        memcpy(t->ds + row, y, (size_t)d * sizeof *y);
        apply_E(d, t->s + row, y);
        for (int k = 0; k < d; k++)
            t->dx[row + k] = y[k] - t->p[row + k];
    }
    carom_friction_newton_matrix_solve(matrix, 1, t->dx);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double y[3], z[3];
        if (o->free[i])
            continue;
        carom_friction_cone_apply(d, &t->scaling[i], t->dx + row, y);
        carom_friction_cone_apply(d, &t->scaling[i], y, z); /* P dx */
        for (int k = 0; k < d; k++)
            t->ds[row + k] -= z[k];
    }
}

/* g = -lambda (affine step). */
static void aim_at_zero(state *t)
{
    const carom_friction_island *o = t->island;
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            t->g[o->row[i] + k] = o->free[i] ? 0 : -t->scaling[i].lambda[k];
}

/* g = lambda \ (centre e - (W dx) o (W^-1 ds)) - lambda */
static void aim_at(state *t, double centre)
{
    const carom_friction_island *o = t->island;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        if (o->free[i])
            continue;
        double y[3], z[3], c[3];
        carom_friction_cone_apply(d, &t->scaling[i], t->dx + row, y);
        carom_friction_cone_unapply(d, &t->scaling[i], t->ds + row, z);
        carom_friction_cone_product(d, y, z, c);
        for (int k = 0; k < d; k++)
            c[k] = (k == 0 ? centre : 0) - c[k];
        carom_friction_cone_divide(d, t->scaling[i].lambda, c, y);
        for (int k = 0; k < d; k++)
            t->g[row + k] = y[k] - t->scaling[i].lambda[k];
    }
}

static double longest(const state *t)
{
    const carom_friction_island *o = t->island;
    double step = INFINITY;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        if (o->free[i])
            continue;
        step = fmin(step, carom_friction_cone_step(d, t->x + row, t->dx + row));
        step = fmin(step, carom_friction_cone_step(d, t->s + row, t->ds + row));
    }
    return step;
}

/* Gap after a step without taking it. */
static double gap_after(const state *t, double step)
{
    double sum = 0;
    for (int i = 0; i < t->island->contacts; i++)
        if (!t->island->free[i])
            for (int k = t->island->row[i]; k < t->island->row[i + 1]; k++)
                sum += (t->x[k] + step * t->dx[k]) * (t->s[k] + step * t->ds[k]);
    return sum / t->cones;
}

/* x += step dx, s += step ds, and the convexity excess of |s_T|. */
static void move(state *t, double step)
{
    const carom_friction_island *o = t->island;
    carom_dense_axpy(o->n, step, t->dx, t->x);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        if (o->free[i])
            continue;
        double e[3], *s = t->s + row, before = shift(d, s), along = 0;
        direction(d, s, e);
        for (int k = 0; k < d; k++)
            s[k] += step * t->ds[row + k];
        for (int k = 1; k < d; k++)
            along += e[k] * t->ds[row + k];
        double excess = shift(d, s) - before - step * along;
        if (excess > 0)
            s[0] += excess;
    }
}

static void start(state *t)
{
    const carom_friction_island *o = t->island;
    double size = carom_dense_norm(o->n, o->b) / sqrt(o->contacts);
    size = size > 0 ? size : 1;
    t->cones = 0;
    for (int i = 0; i < o->contacts; i++) {
        if (o->free[i])
            continue;
        t->cones++;
        t->x[o->row[i]] = size;
        t->s[o->row[i]] = size;
    }
}

/* One iteration: predictor, corrector, step. False: no further. */
static bool iterate(state *t, carom_friction_newton_matrix *matrix)
{
    double mu = gap(t);
    if (!factor(t, matrix))
        return false;
    aim_at_zero(t);
    solve(t, matrix);
    double after = gap_after(t, fmin(1, longest(t)));
    double sigma = fmin(1, pow(fmax(after, 0) / mu, 3)); /* Mehrotra's choice */
    aim_at(t, sigma * mu);
    solve(t, matrix);
    move(t, fmin(1, BOUNDARY * longest(t)));
    return true;
}

carom_status carom_friction_interior(carom_friction_run *run, carom_error *error)
{
    state t = {.island = run->island};
    int limit = run->limit > 0 ? run->limit : LIMIT;
    carom_status status = carom_friction_run_plan(run, error);
    if (status != CAROM_OK)
        return status;
    carom_mark mark = carom_arena_mark(run->arena);
    if (!take(&t, run->arena))
        return carom_error_memory(error);
    start(&t);
    for (int k = 0; k < limit; k++) {
        evaluate(&t);
        carom_friction_run_offer(run, t.x, t.xi);
        if (!carom_friction_run_goes_on(run))
            break;
        run->factorisations++;
        if (!iterate(&t, run->matrix))
            break;
    }
    carom_arena_rewind(run->arena, mark);
    return CAROM_OK;
}
