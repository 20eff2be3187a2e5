/* Refinement of impulses (docs/theory/newton.md, "Accuracy").
 *
 * A complementarity solver works with D L + q, whose rounding grows with the product of the largest
 * impulses and entries of D; a light body between heavy ones then loses digits. Here the normal
 * velocities are recomputed from u+ itself, which is accurate in the kinetic norm, and the active
 * impulses are corrected once or twice:  D_AA delta = target_A - gamma_A(u+). */
#include "impact/predicate.h"
#include "impact/velocity.h"
#include "law/laws.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <math.h>
#include <string.h>

#include "base/short_loops.h"

/* Beyond LARGEST contacts the dense factor would cost more than the impact itself. */
enum { PASSES = 2, LARGEST = 512 };

/* What contact i is off its target at the velocity u. */
static double residual(const carom_geometry *g, const double *target, const double *u, int i)
{
    return (target ? target[i] : 0) - carom_velocity_normal(g, i, u);
}

/* Is a contact that pushes further off than by the rounding of the terms of gamma? */
static bool is_off(const carom_geometry *g, const double *target, const double *u,
                   const double *impulse)
{
    const double rounding = 8 * DBL_EPSILON;
    for (int i = 0, p = g->impact->p; i < p; i++) {
        if (!(impulse[i] > 0))
            continue;
        const double off = fabs(residual(g, target, u, i));
        if (off > rounding * g->gamma_size[i] &&
            off > rounding * (g->gamma_size[i] + carom_predicate_normal_size(g, i, u)))
            return true;
    }
    return false;
}

static void correct(const carom_geometry *g, int count, const int *active, const double *delta,
                    double *u, double *impulse)
{
    int n = g->impact->n;
    for (int k = 0; k < count; k++) {
        impulse[active[k]] += delta[k];
        carom_dense_axpy(n, delta[k], g->Y + (size_t)active[k] * (size_t)n, u);
    }
}

/* Solve for the active impulses, once or twice. r: 2 p + count^2 numbers of work space; active: 2
 * p, the first `count` filled. */
static void improve(const carom_geometry *g, const double *target, double *r, int count,
                    int *active, double *u, double *impulse)
{
    int p = g->impact->p, *pivot = active + p;
    double *work = r + p, *A = work + p;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < count; j++)
            A[j + k * count] = g->D[active[j] + (size_t)active[k] * (size_t)p];
    int rank =
        carom_pivoted_cholesky_factor(count, A, count, CAROM_TOLERANCE_SUM * (4 + p), pivot, work);
    for (int pass = 0; pass < PASSES; pass++) {
        if (pass && !is_off(g, target, u, impulse))
            break;
        for (int k = 0; k < count; k++)
            r[k] = residual(g, target, u, active[k]);
        carom_pivoted_cholesky_solve(count, rank, A, count, pivot, r, work);
        bool positive = true;
        for (int k = 0; k < count; k++)
            positive = positive && impulse[active[k]] + r[k] >= 0;
        if (!positive)
            break;
        correct(g, count, active, r, u, impulse);
    }
}

carom_status carom_law_refine(const carom_geometry *g, const double *target, carom_arena *arena,
                              double *u, double *impulse, carom_error *error)
{
    int p = g->impact->p, count = 0;
    if (p > LARGEST || !(g->speed > 0) || !is_off(g, target, u, impulse))
        return CAROM_OK;
    for (int i = 0; i < p; i++)
        count += impulse[i] > 0;
    carom_mark mark = carom_arena_mark(arena);
    const size_t all = (size_t)p, numbers = 2 * all + (size_t)count * (size_t)count;
    double *r = carom_arena_doubles(arena, numbers + all); /* 2 p whole numbers behind */
    if (!r)
        return carom_error_memory(error);
    int *active = (int *)(r + numbers);
    for (int i = 0, k = 0; i < p; i++)
        if (impulse[i] > 0)
            active[k++] = i;
    improve(g, target, r, count, active, u, impulse);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
