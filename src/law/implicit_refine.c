/* Refinement of the implicit law's multipliers, as in refine.c: the complementarity problem has
 * lost digits where masses differ much, the velocities of u+ have not (docs/theory/newton.md). */
#include "carom/tolerance.h"
#include "law/implicit.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <float.h>
#include <math.h>

enum { PASSES = 3, LARGEST = 512 };

typedef struct refinement {
    const carom_implicit *f;
    int count;        /* active inequalities */
    int *active;      /* r */
    double *u;        /* n, u+ */
    double *v, *y;    /* k, w */
    double *r, *work; /* r */
} refinement;

/* c - A Gamma (v+ + Lambda v-) of the active inequalities; returns the largest. */
static double residual(refinement *w)
{
    const carom_implicit *f = w->f;
    const carom_geometry *g = f->quasi->geometry;
    double top = 0;
    carom_geometry_normal_velocity(g, w->u, w->v);
    for (int i = 0; i < f->k; i++)
        w->v[i] = g->norm[i] > 0 ? w->v[i] / g->norm[i] : 0;
    carom_dense_gemv(f->k, f->k, 1, f->Lambda, f->k, f->v, w->v);
    for (int i = 0; i < f->w; i++)
        w->y[i] = 0;
    carom_dense_gemv(f->w, f->k, 1, f->Gamma, f->w, w->v, w->y);
    for (int a = 0; a < w->count; a++) {
        w->r[a] = f->c[w->active[a]];
        for (int j = 0; j < f->w; j++)
            w->r[a] -= f->A[w->active[a] + (size_t)j * f->r] * w->y[j];
        top = fmax(top, fabs(w->r[a]));
    }
    return top;
}

/* impulse -= A'd, and u+ with it. */
static void push(const refinement *w, const double *d, double *impulse)
{
    const carom_implicit *f = w->f;
    const carom_geometry *g = f->quasi->geometry;
    int n = g->impact->n;
    for (int j = 0; j < f->w; j++) {
        double more = 0;
        for (int a = 0; a < w->count; a++)
            more -= f->A[w->active[a] + (size_t)j * f->r] * d[a];
        impulse[j] += more;
        if (g->norm[j] > 0)
            carom_dense_axpy(n, more / g->norm[j], g->Y + (size_t)j * (size_t)n, w->u);
    }
}

static carom_status make_room(const carom_implicit *f, carom_arena *arena, refinement *w,
                              carom_error *error)
{
    size_t n = (size_t)f->quasi->geometry->impact->n, r = (size_t)f->r;
    w->f = f;
    w->active = carom_arena_array(arena, r, sizeof *w->active);
    w->u = carom_arena_doubles(arena, n + (size_t)f->k + (size_t)f->w + 2 * r);
    if (!w->active || !w->u)
        return carom_error_memory(error);
    w->v = w->u + n;
    w->y = w->v + f->k;
    w->r = w->y + f->w;
    w->work = w->r + r;
    return CAROM_OK;
}

carom_status carom_implicit_refine(const carom_implicit *problem, const double *M, double *eta,
                                   carom_arena *arena, double *impulse, carom_error *error)
{
    const carom_implicit *f = problem;
    const carom_geometry *g = f->quasi->geometry;
    if (f->full || !f->symmetric || f->r > LARGEST || f->w != g->impact->p)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    refinement w = {.count = 0};
    carom_status status = make_room(f, arena, &w, error);
    if (status)
        return status;
    carom_dense_copy(g->impact->n, g->u, w.u);
    for (int j = 0; j < f->w; j++)
        if (g->norm[j] > 0)
            carom_dense_axpy(g->impact->n, impulse[j] / g->norm[j],
                             g->Y + (size_t)j * (size_t)g->impact->n, w.u);
    for (int i = 0; i < f->r; i++)
        if (eta[i] > 0)
            w.active[w.count++] = i;
    size_t count = (size_t)w.count;
    double *Q = carom_arena_doubles(arena, count * count), now = residual(&w);
    int *pivot = carom_arena_array(arena, count, sizeof *pivot);
    if (!Q || !pivot)
        return carom_error_memory(error);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < count; i++)
            Q[i + j * count] = M[w.active[i] + (size_t)w.active[j] * (size_t)f->r];
    int rank = carom_pivoted_cholesky_factor(w.count, Q, w.count,
                                             CAROM_TOLERANCE_SUM * (4 + w.count), pivot, w.work);
    for (int pass = 0; pass < PASSES && now > 16 * DBL_EPSILON * g->speed; pass++) {
        bool positive = true;
        for (int a = 0; a < w.count; a++)
            w.r[a] = -w.r[a];
        carom_pivoted_cholesky_solve(w.count, rank, Q, w.count, pivot, w.r, w.work);
        for (int a = 0; a < w.count; a++)
            positive = positive && eta[w.active[a]] + w.r[a] >= 0;
        if (!positive)
            break;
        for (int a = 0; a < w.count; a++)
            eta[w.active[a]] += w.r[a];
        push(&w, w.r, impulse);
        now = residual(&w);
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
