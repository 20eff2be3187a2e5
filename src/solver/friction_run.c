/* What all methods share: the best point so far, the watch, the plan of the factors. */
#include "solver/friction_run.h"

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

void carom_friction_run_put(carom_friction_run *run, const double *x)
{
    if (x != run->x)
        carom_dense_copy(run->island->n, x, run->x);
    clip(run->island, run->x);
    carom_friction_island_velocity(run->island, run->x, run->xi);
    run->residual = carom_friction_island_residual(run->island, run->x, run->xi);
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
    carom_friction_run_put(run, run->x);
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
    run->offered = residual;
    if (!(residual < run->residual)) /* NaN is no progress */
        return false;
    carom_dense_copy(o->n, run->y, run->x);
    carom_dense_copy(o->n, run->eta, run->xi);
    run->residual = residual;
    return true;
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
