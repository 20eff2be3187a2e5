/* Coupled interior point: primal-dual with Nesterov and Todd's scaling and Mehrotra's corrector,
 * the shift |s_T| inside Newton's matrix, and the convexity excess of a step added to s_0, so that
 * s stays inside and the residual of the equations falls by 1 - alpha exactly. Near the end the
 * affine step tells the modes, and semismooth Newton is tried from where it leads
 * (docs/theory/friction-problem.md). */
#include "solver/friction_central.h"
#include "solver/friction_run.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum {
    LIMIT = 100,
    PATIENCE = 12, /* steps without a better point: rounding, or the path has turned back */
    CROSSING = 5   /* steps of Newton's method in modes foreseen */
};

#define BOUNDARY 0.95 /* of the way to the boundary of the cones */

/* Modes are foreseen where the residual is below NEAR and the affine step leaves little of the gap:
 * Mehrotra's sigma, the cube of what it leaves, is below CLEAR. */
#define NEAR  1e-6
#define CLEAR 1e-2

typedef struct state {
    carom_friction_central c;
    int cones;
    double *end;              /* n: x after the affine step */
    carom_mode *mode;         /* contacts: as it foresees them */
    double sigma;             /* the cube of what it leaves of the gap */
    double *x, *xi, residual; /* where the run began, which is no measure of the steps here */
} state;

static carom_status make(carom_friction_run *run, state *t, carom_error *error)
{
    const carom_friction_island *o = run->island;
    t->end = carom_arena_doubles(run->arena, (size_t)o->n);
    t->mode = carom_arena_array(run->arena, (size_t)o->contacts, sizeof *t->mode);
    t->x = carom_arena_doubles(run->arena, (size_t)o->n);
    t->xi = carom_arena_doubles(run->arena, (size_t)o->n);
    if (!t->end || !t->mode || !t->x || !t->xi)
        return carom_error_memory(error);
    carom_dense_copy(o->n, run->x, t->x);
    carom_dense_copy(o->n, run->xi, t->xi);
    t->residual = run->residual;
    run->residual = HUGE_VAL;
    return carom_friction_central_make(o, run->matrix, run->arena, &t->c, error);
}

/* The mean of x's over the cones after a step. */
static double gap_after(const state *t, double step)
{
    const carom_friction_central *c = &t->c;
    const carom_friction_island *o = c->island;
    double sum = 0;
    for (int i = 0; i < o->contacts; i++)
        if (!o->free[i])
            for (int k = o->row[i]; k < o->row[i + 1]; k++)
                sum += (c->x[k] + step * c->dx[k]) * (c->s[k] + step * c->ds[k]);
    return t->cones ? sum / t->cones : 0;
}

/* g = -lambda (affine step). */
static void aim_at_zero(carom_friction_central *t)
{
    const carom_friction_island *o = t->island;
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            t->g[o->row[i] + k] = o->free[i] ? 0 : -t->scaling[i].lambda[k];
}

/* g = lambda \ (centre e - (W dx) o (W^-1 ds)) - lambda */
static void aim_at(carom_friction_central *t, double centre)
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

static double longest(const carom_friction_central *t)
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

/* x += step dx, s += step ds, and the convexity excess of |s_T|. */
static void move(carom_friction_central *t, double step)
{
    const carom_friction_island *o = t->island;
    carom_dense_axpy(o->n, step, t->dx, t->x);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        if (o->free[i])
            continue;
        double e[3], *s = t->s + row, before = carom_friction_central_shift(d, s), along = 0;
        carom_friction_central_direction(d, s, e);
        for (int k = 0; k < d; k++)
            s[k] += step * t->ds[row + k];
        for (int k = 1; k < d; k++)
            along += e[k] * t->ds[row + k];
        double excess = carom_friction_central_shift(d, s) - before - step * along;
        if (excess > 0)
            s[0] += excess;
    }
}

static void start(state *t)
{
    carom_friction_central *c = &t->c;
    const carom_friction_island *o = c->island;
    double size = carom_dense_norm(o->n, o->b) / sqrt(o->contacts);
    size = size > 0 ? size : 1;
    t->cones = 0;
    for (int i = 0; i < o->contacts; i++) {
        if (o->free[i])
            continue;
        t->cones++;
        c->x[o->row[i]] = size;
        c->s[o->row[i]] = size;
    }
}

/* Where the affine step leads, and the modes there. x and s are compared in the scaled variables
 * W_s x and W_s^-1 s: on the path those are equal, and after the step the one that goes to zero is
 * small against the other, however small that is in turn. The cones are the same in them. */
static void foresee(state *t)
{
    const carom_friction_central *c = &t->c;
    const carom_friction_island *o = c->island;
    carom_dense_copy(o->n, c->x, t->end);
    carom_dense_axpy(o->n, 1, c->dx, t->end);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double s[3], y[3], z[3];
        t->mode[i] = CAROM_MODE_STICK;
        if (o->free[i])
            continue;
        for (int k = 0; k < d; k++)
            s[k] = c->s[row + k] + c->ds[row + k];
        carom_friction_cone_apply(d, &c->scaling[i], t->end + row, y);
        carom_friction_cone_unapply(d, &c->scaling[i], s, z);
        for (int k = 0; k < d; k++)
            y[k] -= z[k];
        double norm = carom_friction_central_shift(d, y);
        if (norm > y[0])
            t->mode[i] = norm <= -y[0] ? CAROM_MODE_OPEN : CAROM_MODE_SLIP;
    }
}

/* One iteration: predictor, corrector, step. False: no further. */
static bool iterate(state *t)
{
    carom_friction_central *c = &t->c;
    if (!carom_friction_central_factor(c))
        return false;
    double mu = gap_after(t, 0);
    aim_at_zero(c);
    carom_friction_central_solve(c);
    foresee(t);
    double after = gap_after(t, fmin(1, longest(c)));
    t->sigma = fmin(1, pow(fmax(after, 0) / mu, 3)); /* Mehrotra's choice */
    aim_at(c, t->sigma * mu);
    carom_friction_central_solve(c);
    move(c, fmin(1, BOUNDARY * longest(c)));
    return true;
}

/* Newton's method from where the affine step leads, the first step in the modes foreseen. */
static carom_status cross_over(carom_friction_run *run, const state *t, carom_error *error)
{
    const int limit = run->limit;
    if (t->sigma > CLEAR || run->residual > NEAR)
        return CAROM_OK;
    run->limit = CROSSING;
    carom_status status = carom_friction_polish_in_modes(run, t->end, t->mode, error);
    run->limit = limit;
    return status;
}

/* Back to where the run began, if that was better. */
static void keep_better(carom_friction_run *run, const state *t)
{
    if (run->residual < t->residual)
        return;
    carom_dense_copy(run->island->n, t->x, run->x);
    carom_dense_copy(run->island->n, t->xi, run->xi);
    run->residual = t->residual;
}

carom_status carom_friction_interior(carom_friction_run *run, carom_error *error)
{
    state t = {0};
    int limit = run->limit > 0 ? run->limit : LIMIT, waited = 0;
    carom_status status = carom_friction_run_plan(run, error);
    if (status != CAROM_OK)
        return status;
    carom_mark mark = carom_arena_mark(run->arena);
    status = make(run, &t, error);
    if (status == CAROM_OK)
        start(&t);
    for (int k = 0; k < limit && waited < PATIENCE && status == CAROM_OK; k++) {
        carom_friction_central_evaluate(&t.c);
        waited = carom_friction_run_offer(run, t.c.x, t.c.xi) ? 0 : waited + 1;
        if (!carom_friction_run_goes_on(run))
            break;
        run->factorisations++;
        if (!iterate(&t))
            break;
        status = cross_over(run, &t, error);
    }
    if (t.x && t.xi)
        keep_better(run, &t);
    carom_arena_rewind(run->arena, mark);
    return status;
}
