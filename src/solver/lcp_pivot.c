/* Principal pivoting for symmetric positive semidefinite M (docs/theory/lcp-pivot.md).
 *
 * In the scaled variables y_i = sqrt(M_ii) z_i the problem is  w = A y + b  with A_ii = 1: the
 * conditions of optimality of  min y'Ay/2 + b'y, y >= 0. A guess of the set F of positive y by one
 * Gauss-Seidel sweep, corrected a few times, is right for most impacts. Otherwise an active set
 * with a Cholesky factor of A_FF that is extended and shortened: a step raises one y_j with w_j < 0
 * while w_F stays zero, and so lowers the objective: no set comes twice. */
#include "solver/lcp_pivot.h"

#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "solver/lcp_algorithms.h"

#include <float.h>
#include <math.h>

typedef carom_lcp_pivot_work work;

enum { SMALL = 6 }; /* up to this size the work space is on the stack */

static void work_lay_out(work *p, int n, double *block, int *F, bool *flags)
{
    size_t m = (size_t)n;
    p->n = n;
    p->k = 0;
    p->indefinite = false;
    p->A = block;
    p->L = block + m * m;
    p->b = p->L + m * m;
    p->d = p->b + m;
    p->y = p->d + m;
    p->w = p->y + m;
    p->s = p->w + m;
    p->x = p->s + m;
    p->l = p->x + m;
    p->e = p->l + m;
    p->F = F;
    p->in = flags;
    p->idle = flags + m;
}

bool carom_lcp_pivot_take(work *p, int n, carom_arena *arena)
{
    size_t m = (size_t)n;
    double *block = carom_arena_doubles(arena, 2 * m * m + 8 * m);
    int *F = carom_arena_array(arena, m, sizeof *F);
    bool *flags = carom_arena_zeros(arena, 2 * m, sizeof *flags);
    if (!block || !F || !flags)
        return false;
    work_lay_out(p, n, block, F, flags);
    return true;
}

bool carom_lcp_pivot_scale(work *p, const double *M, const double *q, const double *q_size)
{
    int n = p->n;
    double *restrict d = p->d, *restrict b = p->b, *restrict e = p->e;
    for (int i = 0; i < n; i++) {
        double m = M[i + (size_t)i * n];
        if (m < 0)
            return false;
        d[i] = m > 0 ? 1 / sqrt(m) : 0;
        b[i] = (m > 0 ? d[i] : 1) * q[i];
        e[i] = fabs(b[i]);
    }
    for (int i = 0; q_size && i < n; i++)
        e[i] = fmax(e[i], (d[i] > 0 ? d[i] : 1) * q_size[i]);
    for (int j = 0; j < n; j++) {
        double *restrict Aj = p->A + (size_t)j * n, dj = d[j];
        const double *restrict Mj = M + (size_t)j * n;
        for (int i = 0; i < n; i++)
            Aj[i] = d[i] * Mj[i] * dj;
        Aj[j] = 1;
    }
    return true;
}

void carom_lcp_pivot_evaluate(work *p)
{
    int n = p->n;
    double *restrict w = p->w, *restrict s = p->s;
    const double *restrict b = p->b, *restrict e = p->e;
    for (int i = 0; i < n; i++) {
        w[i] = b[i];
        s[i] = e[i];
    }
    for (int j = 0; j < n; j++) {
        double yj = p->y[j];
        const double *restrict Aj = p->A + (size_t)j * n;
        for (int i = 0; yj != 0 && i < n; i++) {
            double term = Aj[i] * yj;
            w[i] += term;
            s[i] += fabs(term);
        }
    }
}

/* Is w_i negative by more than its rounding? */
static bool violated(const work *p, int i)
{
    return p->w[i] < -8 * DBL_EPSILON * p->s[i];
}

/* The most negative w_j outside F that is not rounding, or -1. */
static int entering(const work *p)
{
    double worst = 0;
    int j = -1;
    for (int i = 0; i < p->n; i++)
        if (!p->in[i] && !p->idle[i] && p->d[i] > 0 && p->w[i] < worst && violated(p, i)) {
            worst = p->w[i];
            j = i;
        }
    return j;
}

double carom_lcp_pivot_curvature(work *p, int j)
{
    int k = p->k;
    for (int a = 0; a < k; a++)
        p->l[a] = p->A[p->F[a] + (size_t)j * p->n];
    carom_cholesky_forward(k, p->L, p->n, p->l);
    carom_dense_copy(k, p->l, p->x);
    carom_cholesky_backward(k, p->L, p->n, p->x);
    double s = 1 - carom_dense_dot(k, p->l, p->l), size = 1;
    for (int a = 0; a < k; a++)
        size += fabs(p->x[a]);
    if (s < -CAROM_TOLERANCE_HALF * size * size)
        p->indefinite = true;
    return s > CAROM_TOLERANCE_SUM * size * size ? s : 0;
}

double carom_lcp_pivot_magnitude(const work *p, int j)
{
    double size = p->s[j];
    for (int a = 0; a < p->k; a++)
        size += fabs(p->x[a]) * p->s[p->F[a]];
    return size;
}

void carom_lcp_pivot_append(work *p, int j, double s)
{
    int k = p->k;
    for (int a = 0; a < k; a++)
        p->L[k + (size_t)a * p->n] = p->l[a];
    p->L[k + (size_t)k * p->n] = sqrt(s);
    p->F[p->k++] = j;
    p->in[j] = true;
}

static void drop(work *p, int a)
{
    int i = p->F[a];
    carom_cholesky_delete(p->k, p->L, p->n, a);
    for (int c = a; c + 1 < p->k; c++)
        p->F[c] = p->F[c + 1];
    p->k--;
    p->in[i] = false;
    p->y[i] = 0;
}

/* x = -A_FF^{-1} b_F, with one step of refinement where the factor is ill conditioned. */
static void solve_set(work *p, bool refine)
{
    int k = p->k, n = p->n;
    for (int a = 0; a < k; a++)
        p->x[a] = -p->b[p->F[a]];
    carom_cholesky_solve(k, p->L, n, p->x);
    if (!refine)
        return;
    for (int a = 0; a < k; a++)
        p->l[a] = -p->b[p->F[a]];
    for (int c = 0; c < k; c++) {
        const double *Ac = p->A + (size_t)p->F[c] * n;
        for (int a = 0; a < k; a++)
            p->l[a] -= Ac[p->F[a]] * p->x[c];
    }
    carom_cholesky_solve(k, p->L, n, p->l);
    for (int a = 0; a < k; a++)
        p->x[a] += p->l[a];
}

typedef enum step { STEP_DONE, STEP_INFEASIBLE, STEP_IDLE } step;

/* Raise y_j until w_j = 0; members of F that reach zero leave on the way. Without curvature and
 * without a member that leaves, e_j - x >= 0 is a direction g with A g = 0 and b'g = w_j < 0: there
 * is no solution. */
static step raise_one(work *p, int j, double tolerance, int *pivots)
{
    for (;;) {
        double s = carom_lcp_pivot_curvature(p, j), t = s > 0 ? -p->w[j] / s : HUGE_VAL;
        int leave = -1;
        for (int a = 0; a < p->k; a++)
            if (p->x[a] > 0 && p->y[p->F[a]] < t * p->x[a]) {
                t = p->y[p->F[a]] / p->x[a];
                leave = a;
            }
        ++*pivots;
        if (leave < 0 && s == 0)
            return p->w[j] < -tolerance * carom_lcp_pivot_magnitude(p, j) ? STEP_INFEASIBLE
                                                                          : STEP_IDLE;
        for (int a = 0; a < p->k; a++)
            p->y[p->F[a]] = fmax(0, p->y[p->F[a]] - t * p->x[a]);
        p->y[j] += t;
        if (leave < 0) {
            carom_lcp_pivot_append(p, j, s);
            solve_set(p, true);
            for (int a = 0; a < p->k; a++)
                p->y[p->F[a]] = fmax(0, p->x[a]);
            return STEP_DONE;
        }
        p->w[j] += t * s;
        drop(p, leave);
    }
}

/* Are all signs right but for less than the tolerance? */
static bool settled(const work *p, double tolerance)
{
    for (int i = 0; i < p->n; i++)
        if (!p->in[i] && p->d[i] > 0 && p->w[i] < -tolerance / 16 * p->s[i])
            return false;
    return true;
}

carom_lcp_outcome carom_lcp_pivot_iterate(work *p, double tolerance, int limit, int *pivots)
{
    p->k = 0;
    for (int i = 0; i < p->n; i++) {
        p->y[i] = 0;
        p->in[i] = p->idle[i] = false;
    }
    while (*pivots <= limit && !p->indefinite) {
        carom_lcp_pivot_evaluate(p);
        int j = entering(p);
        /* with many dependent contacts rounding may keep the last pivots going round for ever */
        if (j < 0 || (*pivots > 4 * p->n + 40 && settled(p, tolerance)))
            return CAROM_LCP_SOLVED;
        step done = raise_one(p, j, tolerance, pivots);
        if (done == STEP_INFEASIBLE)
            return CAROM_LCP_INFEASIBLE;
        if (done == STEP_IDLE) {
            p->idle[j] = true;
            p->y[j] = 0;
        }
    }
    return CAROM_LCP_LIMIT;
}

/* Factor A_FF of the flagged set afresh. False when a pivot is so small that the set may be
 * dependent. */
static bool factor_set(work *p)
{
    int n = p->n;
    p->k = 0;
    for (int i = 0; i < n; i++)
        if (p->in[i])
            p->F[p->k++] = i;
    for (int c = 0; c < p->k; c++)
        for (int a = c; a < p->k; a++)
            p->L[a + (size_t)c * n] = p->A[p->F[a] + (size_t)p->F[c] * n];
    if (carom_cholesky_factor(p->k, p->L, n) != 0)
        return false;
    for (int c = 0; c < p->k; c++)
        if (p->L[c + (size_t)c * n] < 0.001)
            return false;
    return true;
}

/* The set of one Gauss-Seidel sweep, or of the caller's start; then all wrong signs change sides
 * together while their number falls. True when that solves the problem. */
static bool guess(work *p, const double *start, int *pivots)
{
    int n = p->n, best = n + 1;
    for (int i = 0; i < n; i++) {
        double w = p->b[i];
        for (int j = 0; j < i; j++)
            w += p->A[j + (size_t)i * n] * p->y[j];
        p->y[i] = w < 0 ? -w : 0;
        p->in[i] = p->d[i] > 0 && (start ? start[i] > 0 : w < 0);
    }
    for (;;) {
        ++*pivots;
        if (!factor_set(p))
            return false;
        solve_set(p, false);
        for (int i = 0; i < n; i++)
            p->y[i] = 0;
        for (int a = 0; a < p->k; a++)
            p->y[p->F[a]] = p->x[a];
        carom_lcp_pivot_evaluate(p);
        int wrong = 0;
        for (int i = 0; i < n; i++)
            wrong += p->in[i] ? p->y[i] < 0 : p->d[i] > 0 && violated(p, i);
        if (wrong == 0)
            return true;
        if (wrong >= best)
            return false;
        best = wrong;
        for (int i = 0; i < n; i++)
            p->in[i] = p->in[i] ? p->y[i] >= 0 : p->d[i] > 0 && violated(p, i);
    }
}

static carom_status run(work *p, const carom_lcp *lcp, const carom_lcp_options *options,
                        carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    int n = p->n;
    if (!carom_lcp_pivot_scale(p, lcp->M, lcp->q, lcp->q_size))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "lcp: M has a negative diagonal entry, so it is not positive "
                               "semidefinite; use the algorithm lemke");
    info->outcome = CAROM_LCP_SOLVED;
    for (int i = 0; i < n; i++) /* a zero row: w_i = q_i whatever z is */
        if (p->d[i] == 0 && p->b[i] < -options->tolerance * p->e[i])
            info->outcome = CAROM_LCP_INFEASIBLE;
    if (info->outcome == CAROM_LCP_INFEASIBLE)
        for (int i = 0; i < n; i++)
            p->y[i] = 0;
    else if (!guess(p, options->start, &info->iterations)) {
        int limit = options->max_iterations > 0 ? options->max_iterations : 50 * n + 100;
        info->outcome = carom_lcp_pivot_iterate(p, options->tolerance, limit, &info->iterations);
    }
    if (p->indefinite)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "lcp: M is not positive semidefinite; use the algorithm lemke");
    if (info->outcome == CAROM_LCP_SOLVED) {
        carom_status status = carom_lcp_minimum_choose(p, options, arena, &info->unique_z, error);
        if (status != CAROM_OK)
            return status;
        info->unique_w = true;
    }
    for (int i = 0; i < n; i++)
        z[i] = p->d[i] * p->y[i];
    return CAROM_OK;
}

static carom_status solve(const carom_lcp *lcp, const carom_lcp_options *options,
                          carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    work p;
    if (lcp->n <= SMALL) {
        double block[2 * SMALL * SMALL + 8 * SMALL];
        int F[SMALL];
        bool flags[2 * SMALL];
        work_lay_out(&p, lcp->n, block, F, flags);
        return run(&p, lcp, options, arena, z, info, error);
    }
    if (!carom_lcp_pivot_take(&p, lcp->n, arena))
        return carom_error_memory(error);
    return run(&p, lcp, options, arena, z, info, error);
}

const carom_lcp_solver carom_lcp_pivot_table = {
    {CAROM_LCP_PIVOT, "pivot",
     "principal pivoting with Cholesky updates; symmetric positive semidefinite M, z of least norm",
     "Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, chapter 4; Lawson, Hanson, "
     "Solving Least Squares Problems, 1974, chapter 23"},
    solve,
    true,
    0};
