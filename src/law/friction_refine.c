/* Refinement of frictional impulses (docs/theory/newton.md, "Accuracy").
 *
 * A x + b has the rounding of the largest impulses times the largest entries; a light body between
 * heavy ones loses digits. The velocities are recomputed from u+ itself, and the equations of the
 * modes found are solved once more for what is left of them. */
#include "law/friction_newton.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

/* Beyond LARGEST rows the factorisation would cost more than the impact itself. */
enum { PASSES = 4, LARGEST = 1024 };

/* xi of the velocity u, in the units of the problem. */
static void true_velocity(const carom_friction *f, const carom_geometry *g,
                          const carom_friction_data *data, const double *u, double *xi)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], c = f->contact[i], lo = g->first[c];
        double normal =
            carom_dense_dot(g->last[c] - lo, impact->W + (size_t)c * (size_t)n + lo, u + lo);
        normal += (impact->w_hat ? impact->w_hat[c] : 0) + data->normal[c];
        xi[r] = normal / f->scale[r];
        for (int k = r + 1, j = g->slip_start[c]; k < f->row[i + 1]; k++, j++) {
            double slip = carom_dense_dot(n, impact->H + (size_t)j * (size_t)n, u) +
                          (impact->slip_motion ? impact->slip_motion[j] : 0);
            xi[k] = (slip + data->e_t[c] * g->slip[j]) / f->scale[k];
        }
    }
}

/* The mode as Newton's method takes it: no impulse is open, no slip rows are closed. */
static carom_mode mode_of(const carom_friction *f, const carom_outcome *outcome, const double *x,
                          int i)
{
    carom_mode mode = outcome->mode[f->contact[i]];
    if (mode == CAROM_MODE_OPEN || !(x[f->row[i]] > 0 || f->equality[i]))
        return CAROM_MODE_OPEN;
    if (f->row[i + 1] == f->row[i] + 1)
        return CAROM_MODE_CLOSED;
    return isinf(f->mu_d[i]) ? CAROM_MODE_STICK : mode;
}

/* The largest velocity that should be zero and is not. */
static double worst(const carom_friction *f, const carom_outcome *outcome, const double *x,
                    const double *xi)
{
    double top = 0;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], s = f->row[i + 1] - r - 1;
        carom_mode mode = mode_of(f, outcome, x, i);
        if (mode == CAROM_MODE_OPEN)
            continue;
        top = fabs(xi[r]) > top ? fabs(xi[r]) : top;
        for (int k = 1; k <= s && mode == CAROM_MODE_STICK; k++)
            top = fabs(xi[r + k]) > top ? fabs(xi[r + k]) : top;
        double force = s == 2 && mode == CAROM_MODE_SLIP ? hypot(x[r + 1], x[r + 2]) : 0;
        if (force > 0) {
            double across = fabs(x[r + 1] * xi[r + 2] - x[r + 2] * xi[r + 1]) / force;
            top = across > top ? across : top;
        }
    }
    return top;
}

/* u += M_c^-1 J S^-1 (to - from) */
static void add_difference(const carom_friction *f, const carom_geometry *g, const double *from,
                           const double *to, double *u)
{
    int n = g->impact->n;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], c = f->contact[i];
        carom_dense_axpy(n, (to[r] - from[r]) / f->scale[r], g->Y + (size_t)c * (size_t)n, u);
        for (int k = r + 1, j = g->slip_start[c]; k < f->row[i + 1]; k++, j++)
            carom_dense_axpy(n, (to[k] - from[k]) / f->scale[k], g->Z + (size_t)j * (size_t)n, u);
    }
}

/* Do the impulses push, and stay in the friction cones where they stick? A correction of dependent
 * contacts may run along the kernel. */
static bool is_admissible(const carom_friction *f, const carom_mode *mode, const double *x)
{
    double rounding = 1e-13 * carom_friction_size(f, x);
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], s = f->row[i + 1] - r - 1;
        double force = s == 2 ? hypot(x[r + 1], x[r + 2]) : s == 1 ? fabs(x[r + 1]) : 0;
        if (!(x[r] >= 0))
            return false;
        if (mode[i] == CAROM_MODE_STICK && !(force <= f->mu_s[i] * x[r] + rounding))
            return false;
    }
    return true;
}

/* One correction of x and u; *now is lowered by half at least, or nothing is changed. */
static carom_status correct(const carom_friction *f, const carom_geometry *g,
                            const carom_friction_data *data, carom_friction_newton *w, double *x,
                            double *u, double *xi, double *now, carom_arena *arena,
                            carom_outcome *outcome, carom_error *error)
{
    double before = *now;
    for (int i = 0; i < f->p; i++)
        w->mode[i] = mode_of(f, outcome, x, i);
    carom_friction_newton_start(w, x, xi, 1);
    carom_dense_copy(f->N, xi, w->xi);
    carom_friction_newton_equations(w, xi);
    carom_friction_newton_jacobian(w);
    carom_status status = carom_friction_newton_step(w, arena, error);
    if (status)
        return status;
    carom_friction_newton_impulses(w);
    if (!is_admissible(f, w->mode, w->x))
        return CAROM_OK;
    carom_dense_copy(g->impact->n, outcome->u, u);
    add_difference(f, g, x, w->x, u);
    true_velocity(f, g, data, u, xi);
    double after = worst(f, outcome, w->x, xi);
    if (!(after < 0.5 * before))
        return CAROM_OK;
    carom_friction_change(f, g, x, w->x, outcome);
    carom_dense_copy(f->N, w->x, x);
    carom_dense_copy(g->impact->n, u, outcome->u);
    *now = after;
    return CAROM_OK;
}

carom_status carom_friction_refine(const carom_friction *problem, const carom_geometry *g,
                                   const carom_friction_data *data, double *x, carom_arena *arena,
                                   carom_outcome *outcome, carom_error *error)
{
    const carom_friction *f = problem;
    if (f->N > LARGEST)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    double *xi = carom_arena_doubles(arena, (size_t)f->N + (size_t)g->impact->n);
    if (!xi)
        return carom_error_memory(error);
    double *u = xi + f->N, enough = 16 * DBL_EPSILON * g->speed;
    true_velocity(f, g, data, outcome->u, xi);
    double now = worst(f, outcome, x, xi);
    carom_friction_newton w;
    carom_status status = CAROM_OK;
    if (now > enough)
        status = carom_friction_newton_room(f, arena, &w, error);
    for (int pass = 0; pass < PASSES && now > enough && !status; pass++) {
        double before = now;
        status = correct(f, g, data, &w, x, u, xi, &now, arena, outcome, error);
        if (now == before)
            break;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
