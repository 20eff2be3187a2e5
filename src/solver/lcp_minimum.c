/* The solution of least norm among all solutions of a symmetric semidefinite LCP
 * (docs/theory/lcp-pivot.md).
 *
 * All solutions have the same w. With Z = { i : w_i = 0 } they are the y >= 0 on Z that differ from
 * the given one by N t, the columns of N a basis of the null space of A_ZZ. Let P = N (N'N)^{-1} N'
 * project on it and y0 = y - P y. The point of least norm is y = y0 + P m with
 *     0 <= m, 0 <= y0 + P m, complementary:
 * again a semidefinite LCP, whose "w" is the answer. Mostly y0 >= 0 already. */
#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "solver/lcp_pivot.h"

#include <float.h>
#include <math.h>

typedef carom_lcp_pivot_work work;

/* Above this part of its terms, w_i is not zero. */
static const double NEARLY_TIGHT = CAROM_TOLERANCE_HALF;

typedef struct null_space {
    int m, r;  /* |Z|, dimension of the null space */
    int *Z;    /* m: indices; those of F first, then the dependent ones */
    double *N; /* m x r */
    double *y; /* m, y0 */
} null_space;

/* Adds the independent members of Z to F and lists the others behind. Returns their number. Where
 * column j depends on F, w_j carries the rounding of F magnified, and that decides what is zero. */
static int complete(work *p, double tolerance, int *dependent)
{
    int count = 0;
    for (int j = 0; j < p->n; j++) {
        if (p->in[j] || p->d[j] == 0 || p->w[j] > NEARLY_TIGHT * p->s[j])
            continue;
        double s = carom_lcp_pivot_curvature(p, j);
        if (s > 0 && p->w[j] <= tolerance * p->s[j])
            carom_lcp_pivot_append(p, j, s);
        else if (s == 0 && p->w[j] <= tolerance * carom_lcp_pivot_magnitude(p, j))
            dependent[count++] = j;
    }
    return count;
}

/* Column c of N: e_j - A_FF^{-1} A_Fj for the c-th dependent j. */
static void fill_null_space(work *p, null_space *u)
{
    for (int c = 0; c < u->r; c++) {
        double *Nc = u->N + (size_t)c * (size_t)u->m;
        carom_lcp_pivot_curvature(p, u->Z[p->k + c]);
        for (int a = 0; a < u->m; a++)
            Nc[a] = a < p->k ? -p->x[a] : 0;
        Nc[p->k + c] = 1;
    }
}

/* N becomes an orthonormal basis: N L^{-T} with N'N = L L'. Twice, for full accuracy. */
static bool orthonormalise(null_space *u, double *gram, double *row)
{
    for (int pass = 0; pass < 2; pass++) {
        carom_dense_gram(u->m, u->r, u->N, u->m, gram);
        if (carom_cholesky_factor(u->r, gram, u->r) != 0)
            return false;
        for (int a = 0; a < u->m; a++) {
            for (int c = 0; c < u->r; c++)
                row[c] = u->N[a + (size_t)c * (size_t)u->m];
            carom_cholesky_forward(u->r, gram, u->r, row);
            for (int c = 0; c < u->r; c++)
                u->N[a + (size_t)c * (size_t)u->m] = row[c];
        }
    }
    return true;
}

/* The nonnegative point: u->y = y0 + P m. */
static carom_status make_nonnegative(null_space *u, double tolerance, carom_arena *arena,
                                     carom_error *error)
{
    int m = u->m, pivots = 0;
    work sub;
    double *P = carom_arena_zeros(arena, (size_t)m * (size_t)m, sizeof *P);
    if (!P || !carom_lcp_pivot_take(&sub, m, arena))
        return carom_error_memory(error);
    for (int c = 0; c < u->r; c++)
        for (int j = 0; j < m; j++)
            carom_dense_axpy(m, u->N[j + (size_t)c * (size_t)m], u->N + (size_t)c * (size_t)m,
                             P + (size_t)j * (size_t)m);
    for (int j = 0; j < m; j++) /* a row of rounding is a row of zeros */
        if (P[j + (size_t)j * (size_t)m] < 1e-20)
            P[j + (size_t)j * (size_t)m] = 0;
    if (!carom_lcp_pivot_scale(&sub, P, u->y, NULL) ||
        carom_lcp_pivot_iterate(&sub, tolerance, 50 * m + 100, &pivots) != CAROM_LCP_SOLVED)
        return CAROM_OK;
    for (int a = 0; a < m; a++)
        if (sub.d[a] > 0)
            u->y[a] = sub.in[a] ? 0 : sub.w[a] / sub.d[a];
    return CAROM_OK;
}

/* The largest violation of w_i = 0 where y_i > 0 and of w_i >= 0, relative to rounding. */
static double violation(work *p)
{
    double worst = 0;
    carom_lcp_pivot_evaluate(p);
    for (int i = 0; i < p->n; i++)
        if (p->s[i] > 0 && p->d[i] > 0)
            worst = fmax(worst, (p->y[i] > 0 ? fabs(p->w[i]) : -p->w[i]) / p->s[i]);
    return worst;
}

/* A step with A_SS + sigma I on S = { y > 0 or w < 0 }: it removes what the projection has left in
 * w and, being in the range of A_SS, keeps the norm least. w and s belong to y. Overwrites F and L.
 */
static void step(work *p, double sigma, double tolerance)
{
    int n = p->n, k = 0;
    for (int i = 0; i < n; i++)
        if (p->d[i] > 0 && (p->y[i] > 0 || p->w[i] < -tolerance * p->s[i]))
            p->F[k++] = i;
    for (int c = 0; c < k; c++) {
        p->x[c] = p->w[p->F[c]];
        for (int a = c; a < k; a++)
            p->L[a + (size_t)c * (size_t)n] = p->A[p->F[a] + (size_t)p->F[c] * (size_t)n];
        p->L[c + (size_t)c * (size_t)n] += sigma;
    }
    if (carom_cholesky_factor(k, p->L, n) != 0)
        return;
    carom_cholesky_solve(k, p->L, n, p->x);
    for (int a = 0; a < k; a++)
        p->y[p->F[a]] = fmax(0, p->y[p->F[a]] - p->x[a]);
}

/* Steps until w is good enough, or the best of them. Rounding along the null space comes back
 * divided by sigma: small ones only where they must be. */
static void polish(work *p, double tolerance)
{
    static const double sigma[] = {1e-6, 1e-6, 1e-6, 1e-8, 1e-8, 1e-8, 1e-10, 1e-10};
    double least = violation(p), *best = p->l;
    carom_dense_copy(p->n, p->y, best);
    for (int pass = 0; pass < 8 && least > tolerance; pass++) {
        step(p, sigma[pass], tolerance);
        double now = violation(p);
        if (now < least) {
            least = now;
            carom_dense_copy(p->n, p->y, best);
        }
    }
    carom_dense_copy(p->n, best, p->y);
}

/* Take the new point if it solves the problem as well as the tolerance asks, or the old one does.
 */
static void accept(work *p, const null_space *u, double tolerance, double *old)
{
    double before = violation(p);
    carom_dense_copy(p->n, p->y, old);
    for (int a = 0; a < u->m; a++)
        p->y[u->Z[a]] = fmax(0, u->y[a]);
    polish(p, tolerance / 16);
    if (violation(p) <= fmax(tolerance, before))
        return;
    carom_dense_copy(p->n, old, p->y);
    carom_lcp_pivot_evaluate(p);
}

static carom_status shorten(work *p, double tolerance, int r, const int *dependent,
                            carom_arena *arena, carom_error *error)
{
    null_space u = {.m = p->k + r, .r = r};
    size_t m = (size_t)u.m;
    u.Z = carom_arena_array(arena, m, sizeof *u.Z);
    u.N = carom_arena_doubles(arena, m * (size_t)r);
    u.y = carom_arena_doubles(arena, m);
    double *gram = carom_arena_doubles(arena, (size_t)r * (size_t)r + (size_t)p->n);
    if (!u.Z || !u.N || !u.y || !gram)
        return carom_error_memory(error);
    for (int a = 0; a < u.m; a++)
        u.Z[a] = a < p->k ? p->F[a] : dependent[a - p->k];
    fill_null_space(p, &u);
    if (!orthonormalise(&u, gram, gram + (size_t)r * (size_t)r))
        return CAROM_OK;
    for (int a = 0; a < u.m; a++)
        u.y[a] = p->y[u.Z[a]];
    double top = carom_dense_max(u.m, u.y), least = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < r; c++) {
            const double *Nc = u.N + (size_t)c * m;
            carom_dense_axpy(u.m, -carom_dense_dot(u.m, Nc, u.y), Nc, u.y);
        }
    for (int a = 0; a < u.m; a++)
        least = fmin(least, u.y[a]);
    carom_status status = CAROM_OK;
    if (least < -16 * DBL_EPSILON * top)
        status = make_nonnegative(&u, tolerance, arena, error);
    if (status == CAROM_OK)
        accept(p, &u, tolerance, gram + (size_t)r * (size_t)r);
    return status;
}

carom_status carom_lcp_minimum_choose(work *p, const carom_lcp_options *options, carom_arena *arena,
                                      bool *unique, carom_error *error)
{
    double tolerance = options->tolerance;
    int tight = 0, free = 0;
    for (int i = 0; i < p->n; i++) {
        tight += !p->in[i] && p->d[i] > 0 && p->w[i] <= NEARLY_TIGHT * p->s[i];
        free += p->d[i] == 0 &&
                p->b[i] <= tolerance * p->e[i]; /* z_i is in no equation: any value, 0 is taken */
    }
    *unique = free == 0;
    if (tight == 0)
        return CAROM_OK;
    int *dependent = carom_arena_array(arena, (size_t)tight, sizeof *dependent);
    if (!dependent)
        return carom_error_memory(error);
    int r = complete(p, tolerance, dependent);
    if (r == 0)
        return CAROM_OK;
    *unique = false;
    return options->any_solution ? CAROM_OK : shorten(p, tolerance, r, dependent, arena, error);
}
