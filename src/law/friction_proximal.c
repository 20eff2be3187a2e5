/* Proximal loop for frictional impacts (docs/theory/coulomb.md, "Many contacts").
 *
 * The problem with A + delta I and b - delta c, whose solution becomes the next centre c, is better
 * conditioned than the one asked for and, for delta large enough, uniquely solvable. Newton's
 * method with the modes chosen anew in each step solves it, kept from cycling by a line search. As
 * the centre moves, delta falls; where Newton's method fails, delta rises again. */
#include "law/friction_newton.h"
#include "linalg/dense.h"

#include <math.h>

static const double goal = 1e-13; /* residual that ends the search */

enum { STEPS = 40, HALVINGS = 7, FAILURES = 8 };

typedef struct proximal {
    const carom_friction *f; /* the problem asked for */
    carom_friction shifted;  /* with A + delta I, b - delta c */
    carom_friction_newton newton, exact;
    double delta;
    double *y, *trial, *best; /* N */
    int steps;
} proximal;

/* Steps in all: about two seconds of factorisations. */
static int most_steps(int N)
{
    double most = 4000 * (300.0 / N) * (300.0 / N);
    return most > 4000 ? 4000 : most < 200 ? 200 : (int)most;
}

static carom_status make_room(const carom_friction *f, carom_arena *arena, proximal *w,
                              carom_error *error)
{
    size_t N = (size_t)f->N;
    w->f = f;
    w->shifted = *f;
    w->steps = 0;
    w->shifted.A = carom_arena_doubles(arena, N * (N + 4));
    if (!w->shifted.A)
        return carom_error_memory(error);
    w->shifted.b = w->shifted.A + N * N;
    w->y = w->shifted.b + N;
    w->trial = w->y + N;
    w->best = w->trial + N;
    for (size_t k = 0; k < N * N; k++)
        w->shifted.A[k] = f->A[k];
    carom_status status = carom_friction_newton_room(&w->shifted, arena, &w->newton, error);
    if (!status)
        status = carom_friction_newton_room(f, arena, &w->exact, error);
    return status;
}

static void shift(proximal *w, const double *centre)
{
    const carom_friction *f = w->f;
    for (int i = 0; i < f->N; i++) {
        w->shifted.A[i + (size_t)i * f->N] = f->A[i + (size_t)i * f->N] + w->delta;
        w->shifted.b[i] = f->b[i] - w->delta * centre[i];
    }
}

/* |x - P(x - rho xi)|, P the projection on x_N >= 0 and on the friction disc of that normal impulse
 * (equality form: xi_N itself, with x_N >= 0 left to the modes). */
static double merit(proximal *w, const double *x, double rho)
{
    const carom_friction *f = &w->shifted;
    double *xi = w->newton.column, sum = 0;
    carom_friction_velocity(f, x, xi);
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], s = f->row[i + 1] - r - 1;
        double a[3], normal = x[r] - rho * xi[r], force = 0;
        normal = normal > 0 || f->equality[i] ? normal : 0;
        sum += (x[r] - normal) * (x[r] - normal);
        for (int k = 1; k <= s; k++) {
            a[k] = x[r + k] - rho * xi[r + k];
            force = s == 1 ? fabs(a[1]) : hypot(force, a[k]);
        }
        double limit = normal > 0 ? f->mu_s[i] * normal : 0;
        double share = force > limit ? f->mu_d[i] * (normal > 0 ? normal : 0) / force : 1;
        for (int k = 1; k <= s; k++)
            sum += (x[r + k] - share * a[k]) * (x[r + k] - share * a[k]);
    }
    return sqrt(sum);
}

/* From y along the line to x of Newton's step: the first point with a sufficient decrease of the
 * merit, or the best of those tried. Returns its place on the line, *now its merit. */
static double search_line(proximal *w, double rho, double before, double *now)
{
    int N = w->f->N;
    double place = 1, chosen = 1;
    *now = INFINITY;
    for (int h = 0; h < HALVINGS; h++, place *= 0.5) {
        for (int i = 0; i < N; i++)
            w->trial[i] = w->y[i] + place * (w->newton.x[i] - w->y[i]);
        double found = merit(w, w->trial, rho);
        if (found < *now) {
            *now = found;
            chosen = place;
        }
        if (found < (1 - 0.1 * place) * before)
            break;
    }
    for (int i = 0; i < N; i++)
        w->y[i] += chosen * (w->newton.x[i] - w->y[i]);
    return chosen;
}

/* The shifted problem from the point y, to the last digit. *taken: Newton's steps. */
static carom_status solve_shifted(proximal *w, carom_arena *arena, bool *solved, int *taken,
                                  carom_error *error)
{
    double rho = 1 / (1 + w->delta), before = merit(w, w->y, rho);
    *solved = false;
    for (*taken = 0; *taken < STEPS && !*solved; ++*taken, w->steps++) {
        carom_friction_newton *n = &w->newton;
        carom_friction_newton_modes_ahead(n, w->y, rho);
        carom_friction_newton_start(n, w->y, n->column, -1);
        carom_friction_newton_evaluate(n);
        carom_friction_newton_jacobian(n);
        carom_status status = carom_friction_newton_step(n, arena, error);
        if (status)
            return status;
        carom_friction_newton_impulses(n);
        double place = search_line(w, rho, before, &before);
        if (!isfinite(before))
            return CAROM_OK;
        *solved = place == 1 && before <= 1e-14 * carom_friction_size(w->f, w->y);
    }
    return CAROM_OK;
}

/* The point y, and what Newton's method on the modes of the problem itself makes of it. */
static carom_status look(proximal *w, carom_arena *arena, double *residual, carom_error *error)
{
    double now = carom_friction_error(w->f, w->y);
    for (int i = 0; i < w->f->N; i++)
        w->trial[i] = w->y[i];
    carom_status status = CAROM_OK;
    if (now < 1e-4)
        status = carom_friction_newton_polish(&w->exact, arena, w->trial, &now, error);
    if (now < *residual) {
        *residual = now;
        for (int i = 0; i < w->f->N; i++)
            w->best[i] = w->trial[i];
    }
    return status;
}

carom_status carom_friction_proximal(const carom_friction *problem, carom_arena *arena, double *x,
                                     double *residual, carom_error *error)
{
    const carom_friction *f = problem;
    proximal w;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = make_room(f, arena, &w, error);
    if (status)
        return status;
    *residual = carom_friction_error(f, x);
    for (int i = 0; i < f->N; i++)
        w.best[i] = x[i];
    w.delta = 1;
    for (int failures = 0, careful = 0; *residual > goal && w.steps < most_steps(f->N);) {
        bool solved;
        int taken;
        shift(&w, x);
        for (int i = 0; i < f->N; i++)
            w.y[i] = x[i];
        status = solve_shifted(&w, arena, &solved, &taken, error);
        if (!status && solved)
            status = look(&w, arena, residual, error);
        if (status)
            return status;
        if (!solved && ++failures > FAILURES)
            break;
        if (!solved) {
            w.delta *= 3;
            careful = 3;
            continue;
        }
        for (int i = 0; i < f->N; i++)
            x[i] = w.y[i];
        if (w.delta < 1e-12)
            break;
        w.delta *= careful ? 0.6 : taken <= 8 ? 0.2 : taken <= 15 ? 0.5 : 0.8;
        careful -= careful > 0;
        failures = 0;
    }
    for (int i = 0; i < f->N; i++)
        x[i] = w.best[i];
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
