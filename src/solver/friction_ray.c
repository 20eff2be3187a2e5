/* The proof that an island has no solution.
 *
 * Without friction the reactions minimise x'Ax/2 + b'x over x_N >= 0, which has no minimum exactly
 * when there is a ray: y_N >= 0, A y = 0, b'y < 0. With delta |x|^2/2 added there is one minimum
 * x(delta), and delta x(delta) tends to zero if a solution exists, else to the ray: x(delta) =
 * y/delta + z + O(delta), so that the difference of two of them is the ray up to delta squared. */
#include "solver/friction_ray.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "solver/friction_map.h"
#include "solver/friction_normals.h"
#include "solver/friction_proof.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Steps to x(delta); exchanges of rows one by one, of which each costs as much as a step. */
enum { STEPS = 100, EXCHANGES = 400, HALVINGS = 12 };

#define BEFORE                                                                                     \
    10.0 /* the last delta in terms of this: a limit is approached no slower than delta */

/* The last delta. A ray of strength c = -b'y has A'y of the order delta squared over c: half of the
 * digits of a ray as weak as a proof allows, the others are those of the kernel (settle). */
#define LEAST (1e3 * DBL_EPSILON)

/* Into the kernel: so often, and with so many sets of impulses that act. */
enum { SETS = 6, CORRECTIONS = 4 };

typedef struct state {
    carom_friction_island o;
    carom_friction_newton_matrix matrix;
    double *x, *xi, *F, *y, *G, *C, *B;
    double *last; /* x of the delta before */
    bool full;    /* the last exchange came to the minimum over the rows that act */
} state;

static carom_status prepare(const carom_friction_island *island, carom_arena *arena, state *t,
                            const int **rows, carom_error *error)
{
    carom_status status = carom_friction_normals_make(island, arena, &t->o, rows, error);
    if (status == CAROM_OK)
        status = carom_friction_newton_matrix_plan(&t->o, arena, &t->matrix, error);
    if (status != CAROM_OK)
        return status;
    size_t n = (size_t)t->o.n, c = (size_t)t->o.contacts;
    double **arrays[] = {&t->x, &t->xi, &t->F, &t->y, &t->G, &t->last};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_zeros(arena, n, sizeof(double))))
            return carom_error_memory(error);
    t->C = carom_arena_doubles(arena, 9 * c);
    t->B = carom_arena_doubles(arena, 9 * c);
    return t->C && t->B ? CAROM_OK : carom_error_memory(error);
}

static double evaluate(state *t, double delta, const double *x, double *F)
{
    carom_friction_island_velocity(&t->o, x, t->xi);
    for (int k = 0; k < t->o.n; k++)
        t->xi[k] += delta * x[k];
    return carom_friction_map_evaluate(&t->o, x, t->xi, F, t->C, t->B);
}

/* What rounding leaves of the equations at x. */
static double rounding(const state *t)
{
    return CAROM_TOLERANCE_SUM *
           (carom_dense_norm(t->o.n, t->o.b) + carom_dense_norm(t->o.n, t->x));
}

/* Factor at x with the sets that C tells, and turn F into the step. False: singular. */
static bool newton_step(carom_friction_run *run, state *t, double delta)
{
    for (int k = 0; k < 9 * t->o.contacts; k++)
        t->B[k] += delta * t->C[k];
    run->factorisations++;
    if (!carom_friction_newton_matrix_factor(&t->matrix, t->C, t->B))
        return false;
    carom_friction_newton_matrix_solve(&t->matrix, 1, t->F);
    return true;
}

/* y = x - length F; inside: put to x_N >= 0. Returns |G|, and leaves xi with y. */
static double try_length(state *t, double delta, double length, bool inside)
{
    for (int k = 0; k < t->o.n; k++)
        t->y[k] = t->x[k] - length * t->F[k];
    for (int i = 0; inside && i < t->o.contacts; i++)
        if (!t->o.free[i])
            t->y[t->o.row[i]] = fmax(t->y[t->o.row[i]], 0);
    return evaluate(t, delta, t->y, t->G);
}

/* x'(A + delta)x/2 + b'x, with xi of that x. */
static double objective(const state *t, const double *x)
{
    return (carom_dense_dot(t->o.n, x, t->xi) + carom_dense_dot(t->o.n, x, t->o.b)) / 2;
}

/* From x >= 0: only rows that are zero and want to stay so are left out of the step, which then
 * descends in the objective along its projection, whatever the sets are (Bertsekas, Projected
 * Newton methods, 1982). False: not even that, to rounding. */
static bool descend(carom_friction_run *run, state *t, double delta)
{
    for (int i = 0; i < t->o.contacts; i++)
        if (!t->o.free[i])
            t->x[t->o.row[i]] = fmax(t->x[t->o.row[i]], 0);
    const double f = evaluate(t, delta, t->x, t->F), before = objective(t, t->x);
    for (int i = 0; i < t->o.contacts; i++) {
        const int row = t->o.row[i];
        if (t->o.free[i])
            continue; /* its equations are xi = 0 already */
        bool in = t->x[row] > 0 || t->xi[row] < 0;
        t->C[9 * i] = in;
        t->B[9 * i] = !in;
        t->F[row] = in ? t->xi[row] : 0;
    }
    if (!newton_step(run, t, delta))
        return false;
    double length = 1, slope = carom_dense_dot(t->o.n, t->xi, t->F), terms = 0;
    for (int k = 0; k < t->o.n; k++)
        terms += fabs(t->x[k]) * (fabs(t->xi[k]) + fabs(t->o.b[k]));
    if (slope <=
        CAROM_TOLERANCE_SUM * terms) /* the objective is at its end: the last digits of x */
        return try_length(t, delta, 1, true) < f;
    for (int h = 0; h < HALVINGS; h++, length /= 2) {
        try_length(t, delta, length, true);
        if (objective(t, t->y) < before)
            return true;
    }
    return false;
}

/* From x >= 0, where steps that change many sets at once lower the objective no longer: to the
 * minimum over the rows that act, or as far as all of them stay positive; there the row that is
 * pulled most begins to act (Lawson and Hanson 1974). The objective falls every time, so that no
 * set comes twice. False: nothing is pulled, to rounding. */
static bool exchange(carom_friction_run *run, state *t, double delta)
{
    const double zero = rounding(t);
    double length = 1;
    int pulled = -1, blocked = -1;
    evaluate(t, delta, t->x, t->F);
    for (int i = 0; t->full && i < t->o.contacts; i++)
        if (!t->o.free[i] && t->x[t->o.row[i]] == 0 &&
            t->xi[t->o.row[i]] < (pulled < 0 ? -zero : t->xi[pulled]))
            pulled = t->o.row[i];
    if (t->full && pulled < 0)
        return false;
    for (int i = 0; i < t->o.contacts; i++) {
        const int row = t->o.row[i];
        if (t->o.free[i])
            continue;
        const bool in = t->x[row] > 0 || row == pulled;
        t->C[9 * i] = in;
        t->B[9 * i] = !in;
        t->F[row] = in ? t->xi[row] : 0;
    }
    if (!newton_step(run, t, delta))
        return false;
    for (int i = 0; i < t->o.contacts; i++) {
        const int row = t->o.row[i];
        if (!t->o.free[i] && t->x[row] > 0 && t->x[row] < length * t->F[row]) {
            length = t->x[row] / t->F[row];
            blocked = row;
        }
    }
    try_length(t, delta, length, true);
    if (blocked >= 0)
        t->y[blocked] = 0;
    t->full = blocked < 0;
    return true;
}

/* x(delta) from x, to the last digit: a weak ray is a small difference. Newton steps that lower |F|
 * come first, and where they end the objective is lowered instead, down to rounding: it is strictly
 * convex, so that nothing else stops it. */
static void minimise(carom_friction_run *run, state *t, double delta)
{
    const size_t room = (size_t)t->o.n * sizeof *t->x;
    bool inside = false, single = false;
    t->full = false;
    double f = evaluate(t, delta, t->x, t->F);
    for (int k = 0; k < (single ? STEPS + EXCHANGES : STEPS) && f > rounding(t); k++) {
        double length = 1, g = f;
        carom_friction_run_goes_on(run);
        if (run->cancelled)
            return;
        single = single || (inside && !descend(run, t, delta));
        if (single ? !exchange(run, t, delta) : !inside && !newton_step(run, t, delta))
            return;
        for (int h = 0; !inside && h < HALVINGS; h++, length /= 2) {
            g = try_length(t, delta, length, false);
            if (g < f)
                break;
        }
        if (!inside && !(g < f)) {
            inside = true;
            continue;
        }
        memcpy(t->x, t->y, room);
        f = evaluate(t, delta, t->x, t->F);
    }
}

/* z = A y, y in the units of the normals, summed in twice the digits: what is left of it is a
 * difference of its terms. ray: room for y in the statement's units. */
static bool moved(const carom_friction_island *given, carom_arena *arena, state *t, double *ray,
                  const int *rows, const double *y, double *z)
{
    const carom_friction_masses *m = &t->o.masses;
    if (m->bodies == 0)
        return carom_friction_proof_product(&t->o, arena, y, false, z);
    memset(ray, 0, (size_t)given->n * sizeof *ray);
    for (int k = 0; k < t->o.n; k++)
        ray[rows[k]] = y[k] * t->o.scale[k];
    if (!carom_friction_proof_momenta(given, arena, ray, m->v, NULL))
        return false;
    for (int i = 0; i < t->o.contacts; i++)
        for (int c = 0; c < carom_friction_island_rows(&t->o, i); c++) {
            double sum = 0;
            for (int k = m->start[i]; k < m->start[i + 1]; k++) {
                const int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
                sum += carom_dense_dot(dof, m->V + m->at[k] + c * dof, m->v + first);
            }
            z[t->o.row[i] + c] = sum;
        }
    return true;
}

/* Impulses that would pull do not act, nor do those that are rounding beside the largest; true:
 * some that did act no longer do. */
static bool drop(const carom_friction_island *o, double *y)
{
    const double least = CAROM_TOLERANCE_SOLVED * carom_dense_max(o->n, y);
    bool dropped = false;
    for (int i = 0; i < o->contacts; i++)
        for (int k = o->row[i]; k < o->row[i + 1]; k++)
            if (y[k] != 0 && (fabs(y[k]) <= least || (y[k] < 0 && !o->free[i]))) {
                y[k] = 0;
                dropped = true;
            }
    return dropped;
}

/* The search leaves y in the kernel of A to half of its digits. y - (A + delta)^-1 A y, over the
 * impulses that act, has them all: what is not in the kernel falls by delta over its eigenvalue
 * each time, and rounding adds what is in it. ray: y in the statement's units, largest entry 1. */
static bool settle(carom_friction_run *run, state *t, const int *rows, double *y, double *ray)
{
    const int n = t->o.n;
    drop(&t->o, y);
    for (int set = 0; set < SETS; set++) {
        for (int i = 0; i < t->o.contacts; i++) {
            const int d = carom_friction_island_rows(&t->o, i);
            memset(t->C + 9 * i, 0, 9 * sizeof *t->C);
            memset(t->B + 9 * i, 0, 9 * sizeof *t->B);
            for (int k = 0; k < d; k++) {
                const bool acts = y[t->o.row[i] + k] != 0;
                t->C[9 * i + k * (d + 1)] = acts;
                t->B[9 * i + k * (d + 1)] = acts ? CAROM_TOLERANCE_REFINED : 1;
            }
        }
        run->factorisations++;
        if (!carom_friction_newton_matrix_factor(&t->matrix, t->C, t->B))
            return false;
        for (int c = 0; c < CORRECTIONS; c++) {
            if (!moved(run->island, run->arena, t, ray, rows, y, t->G))
                return false;
            for (int k = 0; k < n; k++)
                t->G[k] = y[k] != 0 ? t->G[k] : 0;
            carom_friction_newton_matrix_solve(&t->matrix, 1, t->G);
            for (int k = 0; k < n; k++)
                y[k] = y[k] != 0 ? y[k] - t->G[k] : 0;
        }
        if (!drop(&t->o, y))
            break;
    }
    memset(ray, 0, (size_t)run->island->n * sizeof *ray);
    for (int k = 0; k < n; k++)
        ray[rows[k]] = y[k] * t->o.scale[k];
    const double top = carom_dense_max(run->island->n, ray);
    for (int k = 0; k < run->island->n; k++)
        ray[k] /= top;
    return top > 0 && isfinite(top);
}

/* Can there be a ray yet? xi(delta) = A x + b + delta x is not negative, so that b'y = (xi - delta
 * x)'y >= -delta sum |x_i y_i| for every ray: none is strong enough to be proved where each delta
 * |x_i| is below that part of |b_i|. */
static bool ruled_out(const state *t, double delta)
{
    for (int k = 0; k < t->o.n; k++)
        if (delta * fabs(t->x[k]) > CAROM_FRICTION_PROOF_STRENGTH * fabs(t->o.b[k]))
            return false;
    return true;
}

carom_status carom_friction_ray_find(carom_friction_run *run, double *y, bool *found,
                                     double *product, carom_error *error)
{
    state t;
    const int *rows;
    *found = false;
    carom_mark mark = carom_arena_mark(run->arena);
    carom_status status = prepare(run->island, run->arena, &t, &rows, error);
    for (double delta = 1; status == CAROM_OK && delta >= LEAST && !*found && !run->cancelled;
         delta /= BEFORE) {
        minimise(run, &t, delta);
        const double size = carom_dense_norm(t.o.n, t.x);
        for (int k = 0; k < t.o.n; k++)
            t.y[k] = t.x[k] - t.last[k];
        const double change = carom_dense_norm(t.o.n, t.y);
        memcpy(t.last, t.x, (size_t)t.o.n * sizeof *t.x);
        if (change <= BEFORE * delta * size) { /* a limit so far: a ray need not act yet */
            if (ruled_out(&t, delta))
                break;
            continue;
        }
        *found = settle(run, &t, rows, t.y, y) &&
                 carom_friction_proof_holds(run->island, run->arena, y, product);
    }
    carom_arena_rewind(run->arena, mark);
    return status;
}
