/* What all methods share: the best point so far, the watch, the plan of the factors. */
#include "solver/friction_run.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "solver/friction_natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Put y into the cones, which Newton's steps miss by rounding; true when it was outside. */
static bool clip(const carom_friction_island *o, double *y)
{
    bool moved = false;
    for (int i = 0; i < o->contacts; i++) {
        double was[3], *yi = y + o->row[i];
        const int d = carom_friction_island_rows(o, i);
        if (o->free[i])
            continue;
        memcpy(was, yi, (size_t)d * sizeof *was);
        carom_friction_clip(d, 1, yi);
        for (int k = 0; k < d; k++)
            moved = moved || yi[k] != was[k];
    }
    return moved;
}

carom_status carom_friction_run_start(carom_friction_run *run, const double *r, double unit,
                                      carom_error *error)
{
    const carom_friction_island *o = run->island;
    run->x = carom_arena_zeros(run->arena, (size_t)o->n, sizeof *run->x);
    run->xi = carom_arena_doubles(run->arena, (size_t)o->n);
    run->y = carom_arena_doubles(run->arena, (size_t)o->n);
    run->eta = carom_arena_doubles(run->arena, (size_t)o->n);
    if (!run->x || !run->xi || !run->y || !run->eta)
        return carom_error_memory(error);
    for (int k = 0; r && k < o->n; k++)
        run->x[k] = r[o->outer[k]] / o->scale[k] / unit;
    clip(o, run->x);
    carom_friction_island_velocity(o, run->x, run->xi);
    run->residual = carom_friction_island_residual(o, run->x, run->xi);
    return CAROM_OK;
}

bool carom_friction_run_offer(carom_friction_run *run, const double *y, const double *eta)
{
    const carom_friction_island *o = run->island;
    carom_dense_copy(o->n, y, run->y);
    if (clip(o, run->y))
        carom_friction_island_velocity(o, run->y, run->eta);
    else
        carom_dense_copy(o->n, eta, run->eta);
    double residual = carom_friction_island_residual(o, run->y, run->eta);
    if (!(residual < run->residual)) /* NaN is no progress */
        return false;
    carom_dense_copy(o->n, run->y, run->x);
    carom_dense_copy(o->n, run->eta, run->xi);
    run->residual = residual;
    return true;
}

/* Velocities that rounding leaves less than one digit of say nothing. */
#define DIGIT 0.1

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

bool carom_friction_run_lost(const carom_friction_run *run)
{
    const carom_friction_island *o = run->island;
    const double size = carom_dense_norm(o->n, o->b), most = sqrt(run->accept) * size;
    const double eps = fmin((o->n + 4) * DBL_EPSILON, CAROM_TOLERANCE_SUM);
    double terms = 0;
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            terms += sqrt(carom_friction_island_diagonal(o, i, k)) * fabs(run->x[o->row[i] + k]);
    for (int i = 0; i < o->contacts; i++) {
        const double *x = run->x + o->row[i], *xi = run->xi + o->row[i];
        const int d = carom_friction_island_rows(o, i);
        for (int k = 0; k < d; k++) {
            double wrong = o->free[i] ? fabs(xi[k])
                           : k == 0   ? fabs(fmin(x[0], xi[0]))
                                      : wrong_slip(d, x, xi);
            double rounding = eps * sqrt(carom_friction_island_diagonal(o, i, k)) * terms;
            if (wrong > most + rounding || rounding > DIGIT * size)
                return true;
        }
    }
    return false;
}

bool carom_friction_run_goes_on(carom_friction_run *run)
{
    const carom_friction_options *o = run->options;
    run->iterations++;
    if (o && o->watch && !o->watch(o->self, run->iterations, run->residual))
        run->cancelled = true;
    return !run->cancelled && !(run->residual <= run->tolerance);
}

carom_status carom_friction_run_plan(carom_friction_run *run, carom_error *error)
{
    if (run->matrix)
        return CAROM_OK;
    carom_friction_newton_matrix *m = carom_arena_take(run->arena, sizeof *m);
    if (!m)
        return carom_error_memory(error);
    carom_status status = carom_friction_newton_matrix_plan(run->island, run->arena, m, error);
    if (status == CAROM_OK)
        run->matrix = m;
    return status;
}
