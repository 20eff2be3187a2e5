/* Refinement of frictional impulses (docs/theory/newton.md, "Accuracy").
 *
 * A x + b has the rounding of the largest impulses times the largest entries; a light body between
 * heavy ones loses digits. The velocities are recomputed from u+ itself, and the equations of the
 * modes found are solved once more for what is left of them. */
#include "law/coulomb_newton.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

/* Beyond LARGEST rows the factorisation would cost more than the impact itself. */
enum { PASSES = 4, LARGEST = 1024 };

/* Velocities of u in the units of the problem, and the sizes of their terms. */
typedef struct velocities {
    double *xi, *size; /* N */
} velocities;

/* w'u over the entries lo to hi, with the sizes of its terms. */
static double product(const double *w, const double *u, int lo, int hi, double *size)
{
    double sum = 0;
    for (int k = lo; k < hi; k++) {
        sum += w[k] * u[k];
        *size += fabs(w[k] * u[k]);
    }
    return sum;
}

static void true_velocity(const carom_coulomb *f, const carom_geometry *g,
                          const carom_coulomb_data *data, const double *u, const velocities *v)
{
    const carom_impact *impact = g->impact;
    const size_t n = (size_t)impact->n;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], c = f->contact[i];
        double given = (impact->w_hat ? impact->w_hat[c] : 0) + data->normal[c];
        double size = g->gamma_size[c] + fabs(data->normal[c]);
        double sum = product(impact->W + (size_t)c * n, u, g->first[c], g->last[c], &size) + given;
        v->xi[r] = sum / f->scale[r];
        v->size[r] = size / f->scale[r];
        for (int k = r + 1, j = g->slip_start[c]; k < f->row[i + 1]; k++, j++) {
            given = impact->slip_motion ? impact->slip_motion[j] : 0;
            size = fabs(given) + fabs(data->e_t[c] * g->slip[j]);
            sum = product(impact->H + (size_t)j * n, u, 0, impact->n, &size) + given;
            v->xi[k] = (sum + data->e_t[c] * g->slip[j]) / f->scale[k];
            v->size[k] = size / f->scale[k];
        }
    }
}

/* The mode as Newton's method takes it: no impulse is open, no slip rows are closed. */
static carom_mode mode_of(const carom_coulomb *f, const carom_outcome *outcome, const double *x,
                          int i)
{
    carom_mode mode = outcome->mode[f->contact[i]];
    if (mode == CAROM_MODE_OPEN || !(x[f->row[i]] > 0 || f->equality[i]))
        return CAROM_MODE_OPEN;
    if (f->row[i + 1] == f->row[i] + 1)
        return CAROM_MODE_CLOSED;
    return isinf(f->mu_d[i]) ? CAROM_MODE_STICK : mode;
}

/* The part of a velocity that is more than the rounding of its terms. */
static double beyond(double velocity, double size)
{
    return fabs(velocity) > 16 * DBL_EPSILON * size ? fabs(velocity) : 0;
}

/* The largest velocity that should be zero and is not. */
static double worst(const carom_coulomb *f, const carom_outcome *outcome, const double *x,
                    const velocities *v)
{
    const double *xi = v->xi;
    double top = 0;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], s = f->row[i + 1] - r - 1;
        carom_mode mode = mode_of(f, outcome, x, i);
        if (mode == CAROM_MODE_OPEN)
            continue;
        top = fmax(top, beyond(xi[r], v->size[r]));
        for (int k = 1; k <= s && mode == CAROM_MODE_STICK; k++)
            top = fmax(top, beyond(xi[r + k], v->size[r + k]));
        double force = s == 2 && mode == CAROM_MODE_SLIP ? hypot(x[r + 1], x[r + 2]) : 0;
        if (force > 0) { /* across the friction, and with it */
            double across = (x[r + 1] * xi[r + 2] - x[r + 2] * xi[r + 1]) / force;
            double along = (x[r + 1] * xi[r + 1] + x[r + 2] * xi[r + 2]) / force;
            double size = v->size[r + 1] + v->size[r + 2];
            top = fmax(top, fmax(beyond(across, size), along > 0 ? beyond(along, size) : 0));
        }
    }
    return top;
}

/* u += M_c^-1 J S^-1 change */
static void add_change(const carom_coulomb *f, const carom_geometry *g, const double *change,
                       double *u)
{
    int n = g->impact->n;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], c = f->contact[i];
        carom_dense_axpy(n, change[r] / f->scale[r], g->Y + (size_t)c * (size_t)n, u);
        for (int k = r + 1, j = g->slip_start[c]; k < f->row[i + 1]; k++, j++)
            carom_dense_axpy(n, change[k] / f->scale[k], g->Z + (size_t)j * (size_t)n, u);
    }
}

/* Do the impulses push, and stay in the friction cones where they stick? A correction of dependent
 * contacts may run along the kernel. */
static bool is_admissible(const carom_coulomb *f, const carom_mode *mode, const double *x)
{
    double rounding = 1e-13 * carom_coulomb_size(f, x);
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

/* All that a correction works with. */
typedef struct correction {
    const carom_coulomb *f;
    const carom_geometry *g;
    const carom_coulomb_data *data;
    carom_coulomb_newton newton; /* x: the impulses it leads to */
    velocities v;
    double *u;             /* n, the velocity it leads to */
    double *change, *base; /* N, of the impulses */
} correction;

/* One step on the modes of the outcome from the impulses x. First these are put on their cones,
 * which they are beside by rounding, and the velocities follow. Changes are added to u as such:
 * impulses between heavy bodies are too large to hold them. */
static carom_status step(correction *c, const carom_outcome *outcome, const double *x,
                         carom_arena *arena, carom_error *error)
{
    const carom_coulomb *f = c->f;
    carom_coulomb_newton *w = &c->newton;
    for (int i = 0; i < f->p; i++)
        w->mode[i] = mode_of(f, outcome, x, i);
    carom_coulomb_newton_start(w, x, x, -1); /* impulses have more digits than slips */
    carom_coulomb_newton_impulses(w);
    for (int k = 0; k < f->N; k++)
        c->base[k] = w->x[k] - x[k];
    carom_dense_copy(c->g->impact->n, outcome->u, c->u);
    add_change(f, c->g, c->base, c->u);
    true_velocity(f, c->g, c->data, c->u, &c->v);
    carom_dense_copy(f->N, c->v.xi, w->xi);
    carom_coulomb_newton_equations(w, w->xi);
    carom_coulomb_newton_jacobian(w);
    carom_status status = carom_coulomb_newton_step(w, arena, error);
    if (status)
        return status;
    carom_coulomb_newton_impulses(w);
    carom_coulomb_newton_change(w, c->change);
    add_change(f, c->g, c->change, c->u);
    true_velocity(f, c->g, c->data, c->u, &c->v);
    carom_dense_axpy(f->N, 1, c->base, c->change);
    return CAROM_OK;
}

/* In the equality form the modes found leave no choice: where their equations are regular and the
 * step has all but solved them, by the factor after/now, a contact that pulls by more than that
 * part of the change pulls indeed. Its number, -1: none. */
static int find_pull(const correction *c, double now, double after)
{
    const carom_coulomb *f = c->f;
    const double rounding = 16 * DBL_EPSILON * carom_dense_max(f->N, c->v.size);
    const double left = 2 * fmax(after, rounding) / now * carom_dense_max(f->N, c->change);
    int worst = -1;
    for (int i = 0; i < f->p && after < 0.5 * now; i++) {
        const double pull = -c->newton.x[f->row[i]];
        if (f->equality[i] && pull > left && (worst < 0 || pull > -c->newton.x[f->row[worst]]))
            worst = i;
    }
    return worst;
}

carom_status carom_coulomb_refine(const carom_coulomb *problem, const carom_geometry *g,
                                  const carom_coulomb_data *data, double *x, carom_arena *arena,
                                  carom_outcome *outcome, int *pulls, carom_error *error)
{
    const carom_coulomb *f = problem;
    const int n = g->impact->n, N = f->N;
    *pulls = -1;
    if (N > LARGEST)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    correction c = {.f = f, .g = g, .data = data};
    c.u = carom_arena_doubles(arena, 4 * (size_t)N + (size_t)n);
    if (!c.u)
        return carom_error_memory(error);
    c.v = (velocities){c.u + n, c.u + n + N};
    c.change = c.v.size + N;
    c.base = c.change + N;
    true_velocity(f, g, data, outcome->u, &c.v);
    double now = worst(f, outcome, x, &c.v);
    carom_status status =
        now > 0 ? carom_coulomb_newton_room(f, arena, &c.newton, error) : CAROM_OK;
    for (int pass = 0; pass < PASSES && now > 0 && !status; pass++) {
        status = step(&c, outcome, x, arena, error);
        if (status)
            break;
        const double after = worst(f, outcome, c.newton.x, &c.v);
        if (!is_admissible(f, c.newton.mode, c.newton.x)) {
            *pulls = outcome->impulse_unique ? find_pull(&c, now, after) : -1;
            break;
        }
        if (!(after < 0.5 * now))
            break;
        carom_coulomb_store(f, g, c.change, outcome);
        carom_dense_copy(N, c.newton.x, x);
        carom_dense_copy(n, c.u, outcome->u);
        now = after;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
