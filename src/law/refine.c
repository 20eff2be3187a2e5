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

/* Beyond LARGEST contacts the dense factor would cost more than the impact itself. */
enum { PASSES = 2, LARGEST = 512 };

/* r_k = target - gamma of the active contacts; returns the largest relative to the speed. */
static double residual(const carom_geometry *g, const double *target, const double *u, int count,
                       const int *active, double *r)
{
    int n = g->impact->n;
    double largest = 0;
    for (int k = 0; k < count; k++) {
        int i = active[k];
        double motion = g->impact->w_hat ? g->impact->w_hat[i] : 0;
        r[k] = target[i] - (carom_dense_dot(n, g->impact->W + (size_t)i * (size_t)n, u) + motion);
        largest = fmax(largest, fabs(r[k]) / g->norm[i]);
    }
    return largest / g->speed;
}

static void correct(const carom_geometry *g, int count, const int *active, const double *delta,
                    carom_outcome *outcome)
{
    int n = g->impact->n;
    for (int k = 0; k < count; k++) {
        const double *y = g->Y + (size_t)active[k] * (size_t)n;
        outcome->impulse[active[k]] += delta[k];
        for (int i = 0; i < n; i++)
            outcome->u[i] += y[i] * delta[k];
    }
}

carom_status carom_law_refine(const carom_geometry *g, const double *target, carom_arena *arena,
                              carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p, count = 0;
    if (p > LARGEST || !(g->speed > 0))
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    int *active = carom_arena_array(arena, 2 * (size_t)p, sizeof(int)), *pivot = active + p;
    double *r = carom_arena_doubles(arena, 2 * (size_t)p), *work = r + p;
    if (!active || !r)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++)
        if (outcome->impulse[i] > 0)
            active[count++] = i;
    if (residual(g, target, outcome->u, count, active, r) > 16 * DBL_EPSILON) {
        double *A = carom_arena_doubles(arena, (size_t)count * (size_t)count);
        if (!A)
            return carom_error_memory(error);
        for (int k = 0; k < count; k++)
            for (int j = 0; j < count; j++)
                A[j + k * count] = g->D[active[j] + (size_t)active[k] * (size_t)p];
        int rank =
            carom_pivoted_cholesky_factor(count, A, count, 64 * DBL_EPSILON * (4 + p), pivot, work);
        for (int pass = 0; pass < PASSES; pass++) {
            carom_pivoted_cholesky_solve(count, rank, A, count, pivot, r, work);
            bool positive = true;
            for (int k = 0; k < count; k++)
                positive = positive && outcome->impulse[active[k]] + r[k] >= 0;
            if (!positive)
                break;
            correct(g, count, active, r, outcome);
            if (residual(g, target, outcome->u, count, active, r) <= 16 * DBL_EPSILON)
                break;
        }
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
