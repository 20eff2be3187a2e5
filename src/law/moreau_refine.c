/* Refinement of a projected velocity (docs/theory/cones.md, "Light bodies"): the projection is
 * right in the kinetic norm, in which a light body's velocity drowns. What should hold with
 * equality is recomputed from the velocity itself, and the shortest correction is added to it. */
#include "cone/cone_frame.h"
#include "impact/predicate.h"
#include "law/law_moreau.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Beyond LARGEST degrees of freedom the decomposition would cost more than the projection. */
enum { PASSES = 40, LARGEST = 200 };

/* of a step */
static const double LEAST_PART = 1e-3;

/* Singular values of unit rows below this are rounding: the rows are dependent. */
static const double DEPENDENT = 1e-12;

/* Equations row'd = rest for the correction d, unit rows in the frame of the kinetic metric. */
typedef struct equations {
    carom_cone_frame frame;
    int n, most, count;
    double *A;    /* most x n, by columns */
    double *rest; /* most */
    double *row;  /* n */
    double dust;  /* what rounding leaves of zero */
    double worst; /* largest rest beyond rounding, in units of the terms it is made of */
} equations;

static carom_status create(const carom_geometry *g, carom_arena *arena, equations *e,
                           carom_error *error)
{
    const carom_impact *impact = g->impact;
    const carom_metric metric = {impact->mass_is_diagonal, impact->M, g->L};
    const size_t n = (size_t)impact->n;
    *e = (equations){.n = impact->n, .dust = carom_predicate_dust(g, impact->n)};
    e->most = impact->p + g->spread_start[impact->p] + g->c;
    e->A = carom_arena_doubles(arena, (size_t)e->most * (n + 1) + n);
    if (!e->A)
        return carom_error_memory(error);
    e->rest = e->A + (size_t)e->most * n;
    e->row = e->rest + e->most;
    return carom_cone_frame_create(impact->n, &metric, arena, &e->frame, error);
}

/* The row in e->row, which should be `value` further; size: of the terms of value. */
static void add(equations *e, double value, double size)
{
    carom_cone_frame_row(&e->frame, e->row);
    const double norm = carom_dense_norm(e->n, e->row);
    if (!(norm > 0))
        return;
    for (int k = 0; k < e->n; k++)
        e->A[e->count + (size_t)k * (size_t)e->most] = e->row[k] / norm;
    e->rest[e->count++] = value / norm;
    if (fabs(value) > 8 * DBL_EPSILON * size + e->dust)
        e->worst = fmax(e->worst, fabs(value) / size);
}

/* w'v with the sizes of its terms. */
static double product(int n, const double *w, const double *v, double *size)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum += w[k] * v[k];
        *size += fabs(w[k] * v[k]);
    }
    return sum;
}

/* A second-order cone w'v + motion >= |A'v|: its surface where A'v is not zero, else its apex. */
static void add_cone(const carom_geometry *g, int i, const double *v, double gamma, double size,
                     double *t, equations *e)
{
    const carom_impact *impact = g->impact;
    const int n = impact->n, first = g->spread_start[i], count = g->spread_start[i + 1] - first;
    const double *w = impact->W + (size_t)i * (size_t)n;
    const double *A = impact->spread + (size_t)first * (size_t)n;
    double sizes = 0;
    for (int j = 0; j < count; j++)
        t[j] = product(n, A + (size_t)j * (size_t)n, v, &sizes);
    const double norm = carom_dense_norm(count, t);
    const bool apex = norm <= 1e-6 * sizes;
    carom_dense_copy(n, w, e->row);
    for (int j = 0; j < count && !apex; j++)
        carom_dense_axpy(n, -t[j] / norm, A + (size_t)j * (size_t)n, e->row);
    add(e, apex ? -gamma : norm - gamma, size + sizes);
    for (int j = 0; j < count && apex; j++) {
        carom_dense_copy(n, A + (size_t)j * (size_t)n, e->row);
        add(e, -t[j], sizes);
    }
}

/* All that holds v: contacts that push, those it violates, and the joints. */
static void pose(const carom_geometry *g, const double *impulse, bool all, const double *v,
                 double *t, equations *e)
{
    const carom_impact *impact = g->impact;
    const int n = impact->n;
    e->count = 0;
    e->worst = 0;
    for (int i = 0; i < impact->p; i++) {
        double size = fabs(impact->w_hat ? impact->w_hat[i] : 0);
        double gamma = (impact->w_hat ? impact->w_hat[i] : 0);
        gamma += product(n, impact->W + (size_t)i * (size_t)n, v, &size);
        const bool cone = g->spread_start[i + 1] > g->spread_start[i];
        if (!(impulse[i] > 0) && !(all && gamma < 0))
            continue;
        if (cone) {
            add_cone(g, i, v, gamma, size, t, e);
        } else {
            carom_dense_copy(n, impact->W + (size_t)i * (size_t)n, e->row);
            add(e, -gamma, size);
        }
    }
    for (int j = 0; j < g->c; j++) {
        carom_dense_copy(n, g->C + (size_t)j * (size_t)n, e->row);
        add(e, 0, 1);
    }
}

/* The shortest d (a velocity) with row'd = rest, or nearest to it. */
static carom_status shortest(const equations *e, carom_arena *arena, double *d, carom_error *error)
{
    const int n = e->n;
    carom_mark mark = carom_arena_mark(arena);
    carom_min_norm info;
    double *A = carom_arena_doubles(arena, (size_t)e->count * (size_t)n);
    if (!A)
        return carom_error_memory(error);
    for (int k = 0; k < n; k++)
        carom_dense_copy(e->count, e->A + (size_t)k * (size_t)e->most, A + (size_t)k * e->count);
    carom_status status =
        carom_min_norm_solve(e->count, n, A, e->rest, DEPENDENT, arena, d, &info, error);
    carom_arena_rewind(arena, mark);
    if (!status)
        carom_cone_frame_vector_back(&e->frame, d);
    return status;
}

carom_status carom_moreau_refine(const carom_geometry *g, const double *impulse, bool all,
                                 carom_arena *arena, double *v, carom_error *error)
{
    const int n = g->impact->n;
    if (n > LARGEST)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    equations e;
    carom_status status = create(g, arena, &e, error);
    double *d = status ? NULL : carom_arena_doubles(arena, 2 * (size_t)n + (size_t)e.most + 1);
    if (!status && !d)
        status = carom_error_memory(error);
    if (status)
        return status;
    double *next = d + n, *t = next + n;
    pose(g, impulse, all, v, t, &e);
    for (int pass = 0; pass < PASSES && e.worst > 0 && !status; pass++) {
        const double before = e.worst;
        status = shortest(&e, arena, d, error);
        /* near the apex of a cone its surface bends within the step: a part of it may do more */
        double part = 1;
        for (bool better = false; !better && part > LEAST_PART && !status; part /= 2) {
            carom_dense_copy(n, v, next);
            carom_dense_axpy(n, part, d, next);
            pose(g, impulse, all, next, t, &e);
            better = e.worst <= (1 - part / 4) * before;
        }
        if (status || !(e.worst < before))
            break;
        carom_dense_copy(n, next, v);
    }
    carom_arena_rewind(arena, mark);
    return status;
}
