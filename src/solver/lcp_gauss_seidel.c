/* Projected Gauss-Seidel, accelerated by conjugate gradients on the face of positive y
 * (docs/theory/lcp-gauss-seidel.md). No factorisation: memory beyond the matrix is O(n).
 *
 * Sweeps lower f(y) = y'Ay/2 + b'y and find the face; on a face f is a quadratic without bounds,
 * which conjugate gradients minimise in few steps where sweeps need thousands. */
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "solver/lcp_algorithms.h"
#include "solver/lcp_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct work {
    carom_lcp_matrix m;
    double *y, *w, *s, *p, *Ap, *x, *last; /* n each */
    bool infeasible;
} work;

static carom_status work_take(work *g, const carom_lcp *lcp, carom_arena *arena, carom_error *error)
{
    size_t n = (size_t)lcp->n;
    *g = (work){0};
    double *block = carom_arena_zeros(arena, 7 * n, sizeof *block);
    if (!block)
        return carom_error_memory(error);
    double **vectors[] = {&g->y, &g->w, &g->s, &g->p, &g->Ap, &g->x, &g->last};
    for (int i = 0; i < 7; i++)
        *vectors[i] = block + (size_t)i * n;
    return carom_lcp_matrix_make(&g->m, lcp, arena, error);
}

/* Longest step along p that keeps y >= 0. */
static double longest_step(const work *g)
{
    double t = HUGE_VAL;
    for (int i = 0; i < g->m.n; i++)
        if (g->p[i] < 0 && g->y[i] + t * g->p[i] < 0)
            t = g->y[i] / -g->p[i];
    return t;
}

/* Walk along p by t; where that leaves the orthant, go to its boundary. True when it was left. */
static bool walk(work *g, double t)
{
    double longest = longest_step(g);
    bool left = t >= longest;
    if (left)
        t = longest;
    for (int i = 0; i < g->m.n; i++) {
        double next = g->y[i] + t * g->p[i];
        g->y[i] = next > 4 * DBL_EPSILON * g->y[i] ? next : 0;
    }
    return left;
}

/* g = the part of -w that pushes y up proves that there is no solution, or not. Where there is
 * none, the gradient tends to such a direction. */
static bool drifts(work *g)
{
    for (int i = 0; i < g->m.n; i++)
        g->x[i] = g->m.d[i] > 0 ? fmax(0, -g->w[i]) : 0;
    return carom_lcp_matrix_proves_infeasible(&g->m, g->x, g->Ap, g->s);
}

/* Conjugate gradients on the face y > 0, until the boundary, the minimum of the face, or so many
 * steps. s holds the magnitudes of the terms of w: below their rounding there is nothing to do. */
static int minimise_on_face(work *g, int steps)
{
    int n = g->m.n, count = 0;
    double old = 0, floor = 0;
    for (int i = 0; i < n; i++)
        floor += g->y[i] > 0 ? g->s[i] * g->s[i] : 0;
    floor *= 4 * DBL_EPSILON * DBL_EPSILON;
    for (; count < steps; count++) {
        carom_lcp_matrix_evaluate(&g->m, g->y, g->w, NULL);
        double rr = 0;
        for (int i = 0; i < n; i++)
            rr += g->y[i] > 0 ? g->w[i] * g->w[i] : 0;
        if (rr <= floor)
            break;
        for (int i = 0; i < n; i++)
            g->p[i] = g->y[i] > 0 ? -g->w[i] + (count > 0 ? rr / old * g->p[i] : 0) : 0;
        old = rr;
        carom_lcp_matrix_apply(&g->m, g->p, g->Ap, NULL);
        double pAp = carom_dense_dot(n, g->p, g->Ap), slope = -carom_dense_dot(n, g->w, g->p),
               pp = carom_dense_dot(n, g->p, g->p);
        if (!(slope > 0))
            break;
        if (pAp <= CAROM_TOLERANCE_SAME * pp && drifts(g)) {
            g->infeasible = true;
            break;
        }
        /* no curvature: as far as the boundary, or far enough for y to become the proof */
        double far = 1e13 * (carom_dense_norm(n, g->y) + carom_dense_norm(n, g->m.b)) / sqrt(pp);
        if (walk(g, pAp > 4 * DBL_EPSILON * pp ? fmin(far, slope / pAp) : far))
            break;
    }
    return count;
}

/* Where there is no solution y runs away along a proof: y itself or its last change is one. */
static bool runs_away(work *g)
{
    int n = g->m.n;
    carom_dense_copy(n, g->y, g->x);
    if (carom_lcp_matrix_proves_infeasible(&g->m, g->x, g->Ap, g->s))
        return true;
    for (int i = 0; i < n; i++)
        g->x[i] = g->y[i] - g->last[i];
    carom_dense_copy(n, g->y, g->last);
    return carom_lcp_matrix_proves_infeasible(&g->m, g->x, g->Ap, g->s);
}

static carom_lcp_outcome iterate(work *g, double tolerance, int limit, int *iterations)
{
    int n = g->m.n, quiet = 0;
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++)
        if (g->m.d[i] == 0 && g->m.b[i] < -tolerance * g->m.e[i])
            return CAROM_LCP_INFEASIBLE;
    while (*iterations < limit) {
        for (int sweep = 0; sweep < 4; sweep++, ++*iterations)
            carom_lcp_matrix_sweep(&g->m, g->y, sweep % 2 == 0, 1);
        double now = carom_lcp_matrix_violation(&g->m, g->y, g->w, g->s);
        quiet = now < 0.7 * least ? 0 : quiet + 1;
        least = fmin(least, now);
        if (now <= tolerance / 64 || (now <= tolerance && quiet > 8))
            return runs_away(g) ? CAROM_LCP_INFEASIBLE : CAROM_LCP_SOLVED;
        *iterations += minimise_on_face(g, n + 10);
        if (g->infeasible || runs_away(g))
            return CAROM_LCP_INFEASIBLE;
    }
    return CAROM_LCP_LIMIT;
}

static carom_status solve(const carom_lcp *lcp, const carom_lcp_options *options,
                          carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    work g;
    carom_status status = work_take(&g, lcp, arena, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; options->start && i < lcp->n; i++)
        g.y[i] = g.m.d[i] > 0 ? fmax(0, options->start[i]) / g.m.d[i] : 0;
    int limit = options->max_iterations > 0 ? options->max_iterations : 20000 + 40 * lcp->n;
    info->outcome = iterate(&g, options->tolerance, limit, &info->iterations);
    info->unique_w = info->outcome == CAROM_LCP_SOLVED;
    for (int i = 0; i < lcp->n; i++)
        z[i] = g.m.d[i] * g.y[i];
    return CAROM_OK;
}

const carom_lcp_solver carom_lcp_gauss_seidel_table = {
    {CAROM_LCP_GAUSS_SEIDEL, "gauss-seidel",
     "projected Gauss-Seidel with conjugate gradients on faces; symmetric semidefinite M, no "
     "factorisation",
     "Cryer, The solution of a quadratic programming problem using systematic overrelaxation, "
     "1971; "
     "More, Toraldo, On the solution of large quadratic programming problems, 1991"},
    solve,
    true,
    0};
