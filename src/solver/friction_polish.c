/* Semismooth Newton with full steps on Alart and Curnier's equations: the last digits, from a point
 * that is near a solution. The matrix is that of A + delta I with a small delta, about the point
 * itself: contacts that depend on each other then share what they carry without moving far
 * (docs/theory/friction-problem.md). */
#include "solver/friction_run.h"

#include "linalg/dense.h"
#include "solver/friction_map.h"

#include <math.h>
#include <string.h>

/* Rounding comes back divided by DELTA, an eigenvalue lambda of A costs a factor DELTA / lambda. */
#define DELTA 1e-8

enum {
    LIMIT = 30,
    PATIENCE = 4 /* steps without a better point: the first may go up where modes change */
};

typedef struct state {
    double *x, *xi, *F, *C, *B;
} state;

static bool take(const carom_friction_run *run, state *t)
{
    size_t n = (size_t)run->island->n, c = (size_t)run->island->contacts;
    t->x = carom_arena_doubles(run->arena, n);
    t->xi = carom_arena_doubles(run->arena, n);
    t->F = carom_arena_doubles(run->arena, n);
    t->C = carom_arena_doubles(run->arena, 9 * c);
    t->B = carom_arena_doubles(run->arena, 9 * c);
    return t->x && t->xi && t->F && t->C && t->B;
}

/* One full step, in the modes given or in those of the point; false: the matrix is singular. */
static bool step(carom_friction_run *run, state *t, const carom_mode *mode)
{
    const carom_friction_island *o = run->island;
    if (mode)
        carom_friction_map_in_modes(o, mode, t->x, t->xi, t->F, t->C, t->B);
    else
        carom_friction_map_evaluate(o, t->x, t->xi, t->F, t->C, t->B);
    for (int k = 0; k < 9 * o->contacts; k++)
        t->B[k] += DELTA * t->C[k];
    run->factorisations++;
    if (!carom_friction_newton_matrix_factor(run->matrix, t->C, t->B))
        return false;
    carom_friction_newton_matrix_solve(run->matrix, 1, t->F);
    for (int k = 0; k < o->n; k++)
        t->x[k] -= t->F[k];
    carom_friction_island_velocity(o, t->x, t->xi);
    return true;
}

carom_status carom_friction_polish_in_modes(carom_friction_run *run, const double *x,
                                            const carom_mode *mode, carom_error *error)
{
    state t;
    carom_status status = carom_friction_run_plan(run, error);
    if (status != CAROM_OK)
        return status;
    carom_mark mark = carom_arena_mark(run->arena);
    if (!take(run, &t))
        return carom_error_memory(error);
    int limit = run->limit > 0 ? run->limit : LIMIT, waited = 0;
    memcpy(t.x, x, (size_t)run->island->n * sizeof *t.x);
    carom_friction_island_velocity(run->island, t.x, t.xi);
    for (int k = 0; k < limit && waited < PATIENCE && run->residual > run->tolerance; k++) {
        if (!step(run, &t, k == 0 ? mode : NULL))
            break;
        waited = carom_friction_run_offer(run, t.x, t.xi) ? 0 : waited + 1;
        if (!carom_friction_run_goes_on(run))
            break;
    }
    carom_arena_rewind(run->arena, mark);
    return CAROM_OK;
}

carom_status carom_friction_polish(carom_friction_run *run, carom_error *error)
{
    return carom_friction_polish_in_modes(run, run->x, NULL, error);
}
