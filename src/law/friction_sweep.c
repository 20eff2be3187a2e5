/* Large and spatial frictional impacts: sweeps over the contacts (block Gauss-Seidel with exact
 * single-contact solutions) find the modes, Newton's method on the modes gives the digits. */
#include "law/friction_newton.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const double goal = 1e-13; /* residual that ends the search */

/* Newton with the modes chosen anew in every step. */
static carom_status pursue(carom_friction_newton *w, carom_arena *arena, double *from, double *x,
                           double *residual, carom_error *error)
{
    const carom_friction *f = w->f;
    memcpy(w->x, x, sizeof *x * (size_t)f->N);
    double least = INFINITY;
    for (int k = 0, idle = 0; k < 40 && idle < 5 && *residual > goal; k++, idle++) {
        memcpy(from, w->x, sizeof *x * (size_t)f->N);
        carom_friction_newton_modes_ahead(w, from, 1);
        carom_friction_newton_start(w, from, w->column, -1);
        carom_friction_newton_evaluate(w);
        carom_friction_newton_jacobian(w);
        carom_status status = carom_friction_newton_step(w, arena, error);
        if (status)
            return status;
        carom_friction_newton_evaluate(w);
        double now = carom_friction_newton_keep(w, x, residual);
        if (!isfinite(now))
            return CAROM_OK;
        if (now < 0.9 * least) {
            least = now;
            idle = 0;
        }
    }
    return CAROM_OK;
}

/* Rows that each contact acts on, as ranges: first[i] ... first[i+1] - 1 index row pairs. */
typedef struct neighbours {
    int *first, *contact;
} neighbours;

static carom_status find_neighbours(const carom_friction *f, carom_arena *arena, neighbours *near,
                                    carom_error *error)
{
    near->first = carom_arena_array(arena, (size_t)f->p + 1, sizeof *near->first);
    near->contact = carom_arena_array(arena, (size_t)f->p * (size_t)f->p, sizeof *near->contact);
    if (!near->first || !near->contact)
        return carom_error_memory(error);
    near->first[0] = 0;
    for (int i = 0, count = 0; i < f->p; near->first[++i] = count)
        for (int j = 0; j < f->p; j++) {
            bool acts = false;
            for (int c = f->row[i]; c < f->row[i + 1]; c++)
                for (int r = f->row[j]; r < f->row[j + 1]; r++)
                    acts = acts || f->A[r + (size_t)c * f->N] != 0;
            if (acts)
                near->contact[count++] = j;
        }
    return CAROM_OK;
}

/* xi += A_column d on the rows that see contact i. */
static void push(const carom_friction *f, const neighbours *near, int i, int column, double d,
                 double *xi)
{
    const double *A = f->A + (size_t)column * f->N;
    for (int k = near->first[i]; d != 0 && k < near->first[i + 1]; k++)
        for (int r = f->row[near->contact[k]]; r < f->row[near->contact[k] + 1]; r++)
            xi[r] += A[r] * d;
}

/* One pass; xi is kept up to date. The least impulse of the local solutions is taken. */
static void sweep(const carom_friction *f, const neighbours *near, double *x, double *xi,
                  bool backward)
{
    int N = f->N;
    for (int step = 0; step < f->p; step++) {
        int i = backward ? f->p - 1 - step : step;
        int r = f->row[i], rows = f->row[i + 1] - r;
        double xs[3 * CAROM_FRICTION_LOCAL], old[3];
        for (int k = 0; k < rows; k++)
            old[k] = xi[r + k];
        for (int k = 0; k < rows; k++) /* the part of xi that others cause */
            for (int j = 0; j < rows; j++)
                xi[r + k] -= f->A[r + k + (size_t)(r + j) * N] * x[r + j];
        int count = carom_friction_local(f, i, xi, f->floor, xs);
        for (int k = 0; k < rows; k++)
            xi[r + k] = old[k];
        if (count == 0)
            continue;
        for (int j = 0; j < rows; j++) {
            double d = xs[j] - x[r + j];
            x[r + j] = xs[j];
            push(f, near, i, r + j, d, xi);
        }
    }
}

/* Newton's method from x, in `start`; best and least are replaced when it is better. */
static carom_status try_newton(carom_friction_newton *w, carom_arena *arena, const double *x,
                               double *from, double *start, double *best, double *least,
                               carom_error *error)
{
    const size_t size = sizeof *x * (size_t)w->f->N;
    memcpy(start, x, size);
    double tried = carom_friction_error(w->f, x);
    carom_status status = carom_friction_newton_polish(w, arena, start, &tried, error);
    if (!status && tried > goal)
        status = pursue(w, arena, from, start, &tried, error);
    if (!status && tried < *least) {
        *least = tried;
        memcpy(best, start, size);
    }
    return status;
}

carom_status carom_friction_sweep(const carom_friction *problem, carom_arena *arena, double *x,
                                  int limit, double *residual, carom_error *error)
{
    const carom_friction *f = problem;
    size_t N = (size_t)f->N;
    carom_friction_newton w;
    carom_status status = carom_friction_newton_room(f, arena, &w, error);
    double *best = carom_arena_doubles(arena, 4 * N);
    neighbours near;
    if (!status)
        status = find_neighbours(f, arena, &near, error);
    if (status || !best)
        return status ? status : carom_error_memory(error);
    double *xi = best + N, *start = xi + N, *from = start + N;
    memcpy(best, x, sizeof *x * (size_t)f->N);
    double least = carom_friction_error(f, x);
    int most = limit ? limit : f->N < 100 ? 20000 : 5000, next = 4;
    if (carom_dense_max(f->N, x) > 0) { /* a start that may know the modes already */
        status = try_newton(&w, arena, x, from, start, best, &least, error);
        if (status)
            return status;
    }
    for (int k = 0; k < most && least > goal; k++) {
        if (k % 16 == 0)
            carom_friction_velocity(f, x, xi);
        sweep(f, &near, x, xi, k % 2 == 1);
        bool due = k + 1 == next;
        if (!due && k % 4)
            continue;
        double now = carom_friction_error(f, x);
        if (now < least) {
            least = now;
            memcpy(best, x, sizeof *x * (size_t)f->N);
        }
        if (!due)
            continue;
        next *= 2;
        status = try_newton(&w, arena, x, from, start, best, &least, error);
        if (status)
            return status;
    }
    memcpy(x, best, sizeof *x * (size_t)f->N);
    *residual = least;
    return CAROM_OK;
}
