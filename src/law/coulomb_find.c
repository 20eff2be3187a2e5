/* One solution of a frictional impact by the solver of friction problems.
 *
 * The laws know two coefficients of friction, and friction without bound. Contacts begin with the
 * static coefficient; those that slip with it slip with the dynamic one, and the problem is solved
 * again: coefficients only fall, so that ends. A contact with friction without bound is open, and
 * its rows are left out, or it sticks: its slips are rows of a joint. Patterns of these are tried
 * until one satisfies the law (docs/theory/coulomb.md, "Solutions"). */
#include "carom/friction.h"
#include "carom/tolerance.h"
#include "law/coulomb.h"
#include "linalg/dense.h"

#include <math.h>

enum { PATTERNS = 256 }; /* of friction without bound, the most that are tried */

/* The problem of one pattern: `contacts` of the solver, which may be single rows of the law's. */
typedef struct finder {
    const carom_coulomb *f;
    int contacts, N;
    int *rows, *owner; /* f->N each: rows of a contact of the solver, the law's contact it is of */
    int *from;         /* f->N: the law's row of each row */
    double *mu;        /* f->N: in force */
    bool *bilateral;   /* f->N */
    double *W, *q, *x; /* f->N x f->N, f->N, f->N */
    double *whole;     /* f->N: x on the law's rows */
} finder;

static bool make_room(const carom_coulomb *f, carom_arena *arena, finder *w)
{
    size_t N = (size_t)f->N;
    w->f = f;
    w->rows = carom_arena_array(arena, 3 * N, sizeof *w->rows);
    w->mu = carom_arena_doubles(arena, N * (N + 4));
    w->bilateral = carom_arena_array(arena, N, sizeof *w->bilateral);
    if (!w->rows || !w->mu || !w->bilateral)
        return false;
    w->owner = w->rows + N;
    w->from = w->owner + N;
    w->W = w->mu + N;
    w->q = w->W + N * N;
    w->x = w->q + N;
    w->whole = w->x + N;
    return true;
}

static void add_contact(finder *w, int owner, int rows, double mu, bool bilateral)
{
    w->rows[w->contacts] = rows;
    w->owner[w->contacts] = owner;
    w->mu[w->contacts] = mu;
    w->bilateral[w->contacts++] = bilateral;
}

/* State the pattern, whose bits tell which contacts with friction without bound are open. */
static void state_pattern(finder *w, unsigned pattern)
{
    const carom_coulomb *f = w->f;
    w->contacts = w->N = 0;
    for (int i = 0; i < f->p; i++) {
        const int rows = f->row[i + 1] - f->row[i];
        const bool rough = rows > 1 && isinf(f->mu_s[i]);
        const bool open = rough && (pattern & 1u);
        pattern = rough ? pattern >> 1 : pattern;
        if (open)
            continue;
        for (int k = f->row[i]; k < f->row[i + 1]; k++)
            w->from[w->N++] = k;
        if (rough || rows == 1)
            add_contact(w, i, 1, 0, f->equality[i]);
        else
            add_contact(w, i, rows, f->mu_s[i], false);
        for (int k = 1; k < rows && rough; k++)
            add_contact(w, i, 1, 0, true);
    }
    for (int j = 0; j < w->N; j++) {
        w->q[j] = f->b[w->from[j]];
        w->x[j] = w->whole[w->from[j]];
        for (int i = 0; i < w->N; i++)
            w->W[i + (size_t)j * (size_t)w->N] = f->A[w->from[i] + (size_t)w->from[j] * f->N];
    }
}

/* New coefficients for the solution x; false: none changes. */
static bool change_friction(finder *w)
{
    bool changed = false;
    const double *x = w->x;
    for (int c = 0; c < w->contacts; x += w->rows[c++]) {
        const double across = w->rows[c] == 3   ? hypot(x[1], x[2])
                              : w->rows[c] == 2 ? fabs(x[1])
                                                : 0;
        if (w->rows[c] == 1 || !(x[0] > 0) || across < (1 - CAROM_TOLERANCE_SAME) * w->mu[c] * x[0])
            continue;
        const double next = fmin(w->mu[c], w->f->mu_d[w->owner[c]]);
        changed = changed || next != w->mu[c];
        w->mu[c] = next;
    }
    return changed;
}

/* Solve the problem of a pattern; its impulses go to w->whole. */
static carom_status solve_pattern(finder *w, carom_arena *arena, carom_friction_outcome *outcome,
                                  carom_error *error)
{
    carom_friction_problem statement = {.contacts = w->contacts,
                                        .rows = w->rows,
                                        .mu = w->mu,
                                        .bilateral = w->bilateral,
                                        .form = CAROM_FRICTION_DENSE,
                                        .W = w->W,
                                        .q = w->q};
    carom_friction_options options = {
        .accept = CAROM_TOLERANCE_SOLVED, .start = w->x, .polish = true};
    carom_friction_info info = {.outcome =
                                    w->contacts ? CAROM_FRICTION_LIMIT : CAROM_FRICTION_SOLVED};
    carom_status status = CAROM_OK;
    for (int round = 0; round <= 2 * w->f->p && w->contacts && !status; round++) {
        status = carom_friction_problem_solve(&statement, &options, arena, w->x, NULL, NULL, &info,
                                              error);
        if (info.outcome != CAROM_FRICTION_SOLVED || !change_friction(w))
            break;
    }
    for (int k = 0; k < w->f->N; k++)
        w->whole[k] = 0;
    for (int k = 0; k < w->N && !status; k++)
        w->whole[w->from[k]] = w->x[k];
    *outcome = info.outcome;
    return status;
}

/* Patterns of contacts with friction without bound. */
static double pattern_count(const carom_coulomb *f)
{
    double count = 1;
    for (int i = 0; i < f->p; i++)
        count *= f->row[i + 1] > f->row[i] + 1 && isinf(f->mu_s[i]) ? 2 : 1;
    return count;
}

carom_status carom_coulomb_find(const carom_coulomb *problem, carom_arena *arena, double *x,
                                double *residual, bool *none, carom_error *error)
{
    const carom_coulomb *f = problem;
    const double all = pattern_count(f);
    finder w;
    carom_mark mark = carom_arena_mark(arena);
    *residual = carom_coulomb_residual(f, x);
    *none = false;
    if (!make_room(f, arena, &w))
        return carom_error_memory(error);
    bool excluded = all <= PATTERNS;
    carom_status status = CAROM_OK;
    carom_dense_copy(f->N, x, w.whole);
    for (unsigned pattern = 0; pattern < fmin(all, PATTERNS) && !status; pattern++) {
        carom_friction_outcome outcome;
        state_pattern(&w, pattern);
        status = solve_pattern(&w, arena, &outcome, error);
        if (!status && outcome == CAROM_FRICTION_SOLVED)
            status = carom_coulomb_lift(f, arena, w.whole, error);
        excluded = excluded && outcome == CAROM_FRICTION_INFEASIBLE;
        const double found = status ? INFINITY : carom_coulomb_residual(f, w.whole);
        if (outcome != CAROM_FRICTION_INFEASIBLE && found <= *residual) {
            carom_dense_copy(f->N, w.whole, x);
            *residual = found;
        }
        if (carom_coulomb_satisfied(f, x))
            break;
    }
    *none = excluded && !status;
    carom_arena_rewind(arena, mark);
    return status;
}
