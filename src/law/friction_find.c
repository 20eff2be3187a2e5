/* One solution of a frictional impact by the solver of friction problems.
 *
 * The laws know two coefficients of friction, and friction without bound. Contacts begin with the
 * static coefficient; those that slip with it slip with the dynamic one, and the problem is solved
 * again: coefficients only fall, so that ends. Friction without bound is a coefficient that is
 * raised as long as its contact slips. */
#include "carom/friction.h"
#include "carom/tolerance.h"
#include "law/friction.h"
#include "linalg/dense.h"

#include <math.h>

#define ROUGH   1e3 /* first coefficient of friction without bound, and its factor */
#define ROUGHER 1e9 /* the last one */

typedef struct finder {
    const carom_friction *f;
    int *rows;       /* p */
    double *mu;      /* p: in force */
    double *x;       /* N */
    bool *bilateral; /* p */
} finder;

static bool make_room(const carom_friction *f, carom_arena *arena, finder *w)
{
    size_t p = (size_t)f->p;
    w->f = f;
    w->rows = carom_arena_array(arena, p, sizeof *w->rows);
    w->mu = carom_arena_doubles(arena, p);
    w->x = carom_arena_doubles(arena, (size_t)f->N);
    w->bilateral = carom_arena_zeros(arena, p, sizeof *w->bilateral);
    if (!w->rows || !w->mu || !w->x || !w->bilateral)
        return false;
    for (int i = 0; i < f->p; i++) {
        w->rows[i] = f->row[i + 1] - f->row[i];
        w->mu[i] = isfinite(f->mu_s[i]) ? f->mu_s[i] : ROUGH;
        w->bilateral[i] = f->equality[i] && w->rows[i] == 1;
    }
    return true;
}

/* New coefficients for the solution x; false: none changes. */
static bool change_friction(finder *w)
{
    const carom_friction *f = w->f;
    bool changed = false;
    for (int i = 0; i < f->p; i++) {
        const double *x = w->x + f->row[i], normal = x[0];
        double across = w->rows[i] == 3 ? hypot(x[1], x[2]) : w->rows[i] == 2 ? fabs(x[1]) : 0;
        if (!(normal > 0) || across < (1 - CAROM_TOLERANCE_SAME) * w->mu[i] * normal)
            continue;
        double next = isfinite(f->mu_s[i])         ? fmin(w->mu[i], f->mu_d[i])
                      : w->mu[i] * ROUGH < ROUGHER ? w->mu[i] * ROUGH
                                                   : w->mu[i];
        changed = changed || next != w->mu[i];
        w->mu[i] = next;
    }
    return changed;
}

carom_status carom_friction_find(const carom_friction *problem, carom_arena *arena, double *x,
                                 double *residual, bool *none, carom_error *error)
{
    const carom_friction *f = problem;
    finder w;
    carom_mark mark = carom_arena_mark(arena);
    *residual = carom_friction_residual(f, x);
    *none = false;
    if (!make_room(f, arena, &w))
        return carom_error_memory(error);
    carom_friction_problem statement = {.contacts = f->p,
                                        .rows = w.rows,
                                        .mu = w.mu,
                                        .bilateral = w.bilateral,
                                        .form = CAROM_FRICTION_DENSE,
                                        .W = f->A,
                                        .q = f->b};
    carom_friction_options options = {
        .accept = CAROM_TOLERANCE_SOLVED, .start = w.x, .polish = true};
    carom_friction_info info = {.outcome = CAROM_FRICTION_LIMIT};
    carom_status status = CAROM_OK;
    carom_dense_copy(f->N, x, w.x);
    for (int round = 0; round <= 2 * f->p && !status; round++) {
        status = carom_friction_problem_solve(&statement, &options, arena, w.x, NULL, NULL, &info,
                                              error);
        if (info.outcome != CAROM_FRICTION_SOLVED || !change_friction(&w))
            break;
    }
    double found = carom_friction_residual(f, w.x);
    *none = !status && info.outcome == CAROM_FRICTION_INFEASIBLE;
    if (!status && !*none && found <= *residual) {
        carom_dense_copy(f->N, w.x, x);
        *residual = found;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
