/* Refinement of impulses (docs/theory/newton.md, "Accuracy").
 *
 * A complementarity solver works with D L + q, whose rounding grows with the product of the largest
 * impulses and entries of D; a light body between heavy ones then loses digits. Here the normal
 * velocities are recomputed from u+ itself, which is accurate in the kinetic norm, and the active
 * impulses are corrected once or twice:  D_AA delta = target_A - gamma_A(u+). */
#include "base/arena.h"
#include "law/laws.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* Beyond LARGEST contacts the dense factor would cost more than the impact itself. */
enum { PASSES = 2, LARGEST = 512 };

/* r_k = target - gamma of the active contacts (all with a positive impulse when active is NULL: the
 * r are then not kept). Tells whether one is larger than rounding, relative to the speed. */
static bool residual(const carom_geometry *g, const double *target, const carom_outcome *o,
                     int count, const int *active, double *r)
{
    int n = g->impact->n;
    bool large = false;
    for (int k = 0; k < count; k++) {
        int i = active ? active[k] : k, lo = g->first[i];
        const double *w = g->impact->W + (size_t)i * (size_t)n;
        double motion = g->impact->w_hat ? g->impact->w_hat[i] : 0;
        double off = target[i] - (carom_dense_dot(g->last[i] - lo, w + lo, o->u + lo) + motion);
        large =
            large || (o->impulse[i] > 0 && fabs(off) > 16 * DBL_EPSILON * g->speed * g->norm[i]);
        if (active)
            r[k] = off;
    }
    return large;
}

static void correct(const carom_geometry *g, int count, const int *active, const double *delta,
                    carom_outcome *outcome)
{
    int n = g->impact->n;
    for (int k = 0; k < count; k++) {
        outcome->impulse[active[k]] += delta[k];
        carom_dense_axpy(n, delta[k], g->Y + (size_t)active[k] * (size_t)n, outcome->u);
    }
}

/* Solve for the active impulses, once or twice. */
static carom_status improve(const carom_geometry *g, const double *target, carom_arena *arena,
                            carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p, count = 0;
    int *active = carom_arena_array(arena, 2 * (size_t)p, sizeof(int)), *pivot = active + p;
    double *r = carom_arena_doubles(arena, 2 * (size_t)p), *work = r + p;
    if (!active || !r)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++)
        if (outcome->impulse[i] > 0)
            active[count++] = i;
    double *A = carom_arena_doubles(arena, (size_t)count * (size_t)count);
    if (!A)
        return carom_error_memory(error);
    for (int k = 0; k < count; k++)
        for (int j = 0; j < count; j++)
            A[j + k * count] = g->D[active[j] + (size_t)active[k] * (size_t)p];
    int rank =
        carom_pivoted_cholesky_factor(count, A, count, 64 * DBL_EPSILON * (4 + p), pivot, work);
    for (int pass = 0; pass < PASSES; pass++) {
        if (!residual(g, target, outcome, count, active, r))
            break;
        carom_pivoted_cholesky_solve(count, rank, A, count, pivot, r, work);
        bool positive = true;
        for (int k = 0; k < count; k++)
            positive = positive && outcome->impulse[active[k]] + r[k] >= 0;
        if (!positive)
            break;
        correct(g, count, active, r, outcome);
    }
    return CAROM_OK;
}

carom_status carom_law_refine(const carom_geometry *g, const double *target, carom_arena *arena,
                              carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    if (p > LARGEST || !(g->speed > 0) || !residual(g, target, outcome, p, NULL, NULL))
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = improve(g, target, arena, outcome, error);
    carom_arena_rewind(arena, mark);
    return status;
}
