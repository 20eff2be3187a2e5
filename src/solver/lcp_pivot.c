/* Principal pivoting for symmetric positive semidefinite M (docs/theory/lcp-pivot.md).
 *
 * In the scaled variables y_i = sqrt(M_ii) z_i the problem is  w = A y + b  with A_ii = 1: the
 * conditions of optimality of  min y'Ay/2 + b'y, y >= 0. The set F of positive y keeps A_FF
 * nonsingular with a Cholesky factor that is extended and shortened; a step raises one y_j with
 * w_j < 0 while w_F stays zero, and so lowers the objective: no set comes twice. */
#include "base/arena.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "solver/lcp_algorithms.h"

#include <float.h>
#include <math.h>

typedef struct work {
    int n, k;        /* size of the problem, of F */
    double *A, *b;   /* scaled statement, n x n and n */
    double *d;       /* n, z_i = d_i y_i; 0 where M_ii = 0 */
    double *y, *w;   /* n */
    double *s;       /* n, |b_i| + sum_j |A_ij| y_j: the magnitude that w_i is rounded at */
    double *L;       /* factor of A_FF, leading dimension n, in the order of F */
    double *x, *l;   /* n, work */
    int *F;          /* n, the set, in order of entry */
    bool *in, *idle; /* n; idle: w_i < 0 only by rounding, do not try again */
} work;

static bool work_take(work *p, int n, carom_arena *arena)
{
    size_t m = (size_t)n;
    double *block = carom_arena_doubles(arena, 2 * m * m + 7 * m);
    p->n = n;
    p->F = carom_arena_array(arena, m, sizeof *p->F);
    p->in = carom_arena_zeros(arena, 2 * m, sizeof *p->in);
    if (!block || !p->F || !p->in)
        return false;
    p->A = block;
    p->L = block + m * m;
    p->b = p->L + m * m;
    p->d = p->b + m;
    p->y = p->d + m;
    p->w = p->y + m;
    p->s = p->w + m;
    p->x = p->s + m;
    p->l = p->x + m;
    p->idle = p->in + m;
    return true;
}

/* A = D M D, b = D q. False when a diagonal entry is negative: M is not semidefinite. */
static bool scale(work *p, const carom_lcp *lcp)
{
    int n = p->n;
    for (int i = 0; i < n; i++) {
        double m = lcp->M[i + (size_t)i * n];
        if (m < 0)
            return false;
        p->d[i] = m > 0 ? 1 / sqrt(m) : 0;
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            p->A[i + (size_t)j * n] = p->d[i] * lcp->M[i + (size_t)j * n] * p->d[j];
        p->A[j + (size_t)j * n] = 1;
        p->b[j] = p->d[j] > 0 ? p->d[j] * lcp->q[j] : lcp->q[j];
    }
    return true;
}

/* w = A y + b and the magnitudes s, from y_F. */
static void evaluate(work *p)
{
    int n = p->n;
    for (int i = 0; i < n; i++) {
        p->w[i] = p->b[i];
        p->s[i] = fabs(p->b[i]);
    }
    for (int a = 0; a < p->k; a++) {
        double yj = p->y[p->F[a]];
        const double *Aj = p->A + (size_t)p->F[a] * n;
        for (int i = 0; i < n; i++) {
            p->w[i] += Aj[i] * yj;
            p->s[i] += fabs(Aj[i] * yj);
        }
    }
}

/* The most negative w_j outside F that is not rounding, or -1. */
static int entering(const work *p)
{
    double worst = 0;
    int j = -1;
    for (int i = 0; i < p->n; i++)
        if (!p->in[i] && !p->idle[i] && p->d[i] > 0 && p->w[i] < worst &&
            p->w[i] < -8 * DBL_EPSILON * p->s[i]) {
            worst = p->w[i];
            j = i;
        }
    return j;
}

/* l = L^{-1} A_Fj, x = A_FF^{-1} A_Fj; returns the curvature 1 - l'l along d = e_j - x, or 0 when
 * it cannot be told from the rounding of d'Ad: column j depends on those of F. */
static double curvature(work *p, int j)
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
    return s > 64 * DBL_EPSILON * size * size ? s : 0;
}

static void append(work *p, int j, double s)
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

/* y_F = -A_FF^{-1} b_F with one step of refinement. */
static void resolve(work *p)
{
    int k = p->k, n = p->n;
    for (int a = 0; a < k; a++)
        p->x[a] = -p->b[p->F[a]];
    carom_cholesky_solve(k, p->L, n, p->x);
    for (int a = 0; a < k; a++) {
        double r = -p->b[p->F[a]];
        for (int c = 0; c < k; c++)
            r -= p->A[p->F[a] + (size_t)p->F[c] * n] * p->x[c];
        p->l[a] = r;
    }
    carom_cholesky_solve(k, p->L, n, p->l);
    for (int a = 0; a < k; a++)
        p->y[p->F[a]] = fmax(0, p->x[a] + p->l[a]);
}

typedef enum step { STEP_DONE, STEP_INFEASIBLE, STEP_IDLE } step;

/* Raise y_j until w_j = 0; members of F that reach zero leave on the way. */
static step raise_one(work *p, int j, double tolerance, int *pivots)
{
    for (;;) {
        double s = curvature(p, j), t = s > 0 ? -p->w[j] / s : HUGE_VAL;
        int leave = -1;
        for (int a = 0; a < p->k; a++)
            if (p->x[a] > 0 && p->y[p->F[a]] < t * p->x[a]) {
                t = p->y[p->F[a]] / p->x[a];
                leave = a;
            }
        ++*pivots;
        if (leave < 0 && s == 0)
            return p->w[j] < -tolerance * p->s[j] ? STEP_INFEASIBLE : STEP_IDLE;
        for (int a = 0; a < p->k; a++)
            p->y[p->F[a]] = fmax(0, p->y[p->F[a]] - t * p->x[a]);
        p->y[j] += t;
        if (leave < 0) {
            append(p, j, s);
            resolve(p);
            return STEP_DONE;
        }
        p->w[j] += t * s;
        drop(p, leave);
    }
}

static carom_lcp_outcome iterate(work *p, double tolerance, int limit, int *pivots)
{
    p->k = 0;
    for (int i = 0; i < p->n; i++) {
        p->y[i] = 0;
        p->in[i] = p->idle[i] = false;
    }
    for (int i = 0; i < p->n; i++) /* a zero row: w_i = q_i whatever z is */
        if (p->d[i] == 0 && p->b[i] < 0)
            return CAROM_LCP_INFEASIBLE;
    while (*pivots <= limit) {
        evaluate(p);
        int j = entering(p);
        if (j < 0)
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

carom_status carom_lcp_pivot_solve(const carom_lcp *lcp, const carom_lcp_options *options,
                                   carom_arena *arena, double *z, carom_lcp_info *info,
                                   carom_error *error)
{
    int n = lcp->n;
    work p;
    if (!work_take(&p, n, arena))
        return carom_error_memory(error);
    if (!scale(&p, lcp))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "lcp: M has a negative diagonal entry, so it is not positive "
                               "semidefinite; use the algorithm lemke");
    int limit = options->max_iterations > 0 ? options->max_iterations : 50 * n + 100;
    info->iterations = 0;
    info->outcome = iterate(&p, options->tolerance, limit, &info->iterations);
    for (int i = 0; i < n; i++)
        z[i] = p.d[i] * p.y[i];
    info->unique_w = info->outcome == CAROM_LCP_SOLVED;
    info->unique_z = false;
    return CAROM_OK;
}
