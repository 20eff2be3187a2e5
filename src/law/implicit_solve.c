/* The implicit law's solution: an LCP for polyhedra, a projection in the metric P for cones, both
 * in turn for a product of the two. */
#include "carom/cone.h"
#include "carom/lcp.h"
#include "carom/tolerance.h"
#include "law/implicit.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* x (k) = (I + Lambda) v- */
static void aim(const carom_implicit *f, double *x)
{
    carom_dense_copy(f->k, f->v, x);
    carom_dense_gemv(f->k, f->k, 1, f->Lambda, f->k, f->v, x);
}

/* Polyhedron: y = y0 - S A'eta, 0 <= eta perp c - A y >= 0. impulse = -A'eta. alone: there are no
 * cones, so that u+ is known and eta can be refined. */
static carom_status solve_polyhedron(const carom_implicit *f, const double *x, bool alone,
                                     carom_arena *arena, double *impulse, carom_lcp_info *info,
                                     carom_error *error)
{
    int r = f->r, w = f->w;
    carom_mark mark = carom_arena_mark(arena);
    double *AS = carom_arena_zeros(arena, (size_t)r * w, sizeof *AS);
    double *M = carom_arena_zeros(arena, (size_t)r * r, sizeof *M);
    double *q = carom_arena_doubles(arena, 2 * (size_t)r), *y = carom_arena_zeros(arena, w, 8);
    if (!AS || !M || !q || !y)
        return carom_error_memory(error);
    double *eta = q + r;
    for (int j = 0; j < w; j++)
        carom_dense_gemv(r, w, 1, f->A, r, f->S + (size_t)j * w, AS + (size_t)j * r);
    for (int j = 0; j < r; j++)
        for (int i = 0; i < r; i++)
            for (int a = 0; a < w; a++)
                M[i + (size_t)j * r] += AS[i + (size_t)a * r] * f->A[j + (size_t)a * r];
    for (int j = 0; j < r && f->symmetric; j++)
        for (int i = 0; i < j; i++)
            M[i + (size_t)j * r] = M[j + (size_t)i * r];
    carom_dense_gemv(w, f->k, 1, f->Gamma, w, x, y);
    carom_dense_copy(r, f->c, q);
    carom_dense_gemv(r, w, -1, f->A, r, y, q);
    carom_lcp lcp = {.n = r, .M = M, .q = q, .symmetric = f->symmetric};
    carom_status status = carom_lcp_solve(&lcp, NULL, arena, eta, NULL, info, error);
    if (status >= 0)
        for (int a = 0; a < w; a++)
            impulse[a] = -carom_dense_dot(r, f->A + (size_t)a * r, eta);
    if (status >= 0 && alone && info->outcome == CAROM_LCP_SOLVED)
        status = carom_implicit_refine(f, M, eta, arena, impulse, error);
    carom_arena_rewind(arena, mark);
    return status < 0 ? status : CAROM_OK;
}

/* Cones (and the polyhedron's rows when `rows`, with c = 0): projection of x in the metric P. */
static carom_status solve_cones(const carom_implicit *f, const double *x, bool rows,
                                carom_arena *arena, double *impulse, carom_projection *projection,
                                carom_error *error)
{
    int k = f->k, w = f->w, r = rows ? f->r : 0, q = f->cones;
    double *W = carom_arena_zeros(arena, (size_t)k * (size_t)(r + w + 1), sizeof *W);
    int *start = carom_arena_zeros(arena, (size_t)q + 1, sizeof *start);
    if (!W || !start)
        return carom_error_memory(error);
    double *axis = W + (size_t)k * r, *spread = axis + (size_t)k * q;
    for (int i = 0; i < r; i++) /* -A_i Gamma z >= 0 */
        for (int j = 0; j < k; j++)
            for (int a = 0; a < w; a++)
                W[j + (size_t)i * k] -= f->A[i + (size_t)a * f->r] * f->Gamma[a + (size_t)j * w];
    for (int i = 0, column = 0; i < q; i++) {
        for (int a = f->cone_start[i]; a < f->cone_start[i + 1]; a++) {
            double *to =
                a == f->cone_start[i] ? axis + (size_t)i * k : spread + (size_t)column++ * k;
            for (int j = 0; j < k; j++)
                to[j] = f->Gamma[a + (size_t)j * w];
        }
        start[i + 1] = column;
    }
    carom_cone cone = {.n = k,
                       .metric = {.M = f->P},
                       .p = r,
                       .W = W,
                       .q = q,
                       .axis = axis,
                       .spread_start = start,
                       .spread = spread};
    carom_status status = carom_cone_project(&cone, x, arena, projection, error);
    if (status)
        return status;
    memset(impulse, 0, sizeof *impulse * (size_t)w);
    for (int i = 0; i < r; i++)
        for (int a = 0; a < w; a++)
            impulse[a] -= f->A[i + (size_t)a * f->r] * projection->lambda[i];
    for (int i = 0; i < q; i++) {
        impulse[f->cone_start[i]] += projection->nu[i];
        for (int a = f->cone_start[i] + 1; a < f->cone_start[i + 1]; a++)
            impulse[a] += projection->eta[start[i] + a - f->cone_start[i] - 1];
    }
    return CAROM_OK;
}

/* Product of a polyhedron away from the origin with cones: each in turn, the impulses of the other
 * held (block descent of the dual problem, Dykstra's projections). */
static carom_status solve_product(const carom_implicit *f, const double *x, carom_arena *arena,
                                  double *impulse, carom_answer *answer, double *residual,
                                  carom_error *error)
{
    int k = f->k, w = f->w;
    double *one = carom_arena_zeros(arena, 2 * (size_t)w + (size_t)k, sizeof *one);
    if (!one)
        return carom_error_memory(error);
    double *two = one + w, *shifted = two + w, size = 0, last = 0;
    *answer = CAROM_ANSWER_FAILED;
    for (int round = 0; round < 5000; round++) {
        carom_mark mark = carom_arena_mark(arena);
        carom_lcp_info info;
        carom_projection projection;
        double change = 0;
        carom_dense_copy(k, x, shifted);
        carom_dense_gemv(k, w, 1, f->G_bar, k, two, shifted);
        carom_status status = solve_polyhedron(f, shifted, false, arena, one, &info, error);
        if (status)
            return status;
        if (info.outcome == CAROM_LCP_INFEASIBLE || info.outcome == CAROM_LCP_RAY) {
            *answer = CAROM_ANSWER_NONE;
            return CAROM_OK;
        }
        carom_dense_copy(k, x, shifted);
        carom_dense_gemv(k, w, 1, f->G_bar, k, one, shifted);
        status = solve_cones(f, shifted, false, arena, two, &projection, error);
        if (status)
            return status;
        for (int a = 0; a < w; a++) {
            double now = one[a] + two[a];
            change = fmax(change, fabs(now - impulse[a]));
            size = fmax(size, fabs(now));
            impulse[a] = now;
        }
        carom_arena_rewind(arena, mark);
        *residual = size > 0 ? change / size : 0;
        /* linear convergence: the error left is about change times rate/(1 - rate) */
        double rate = last > 0 ? fmin(change / last, 0.999) : 0.5;
        last = change;
        if (round > 1 && change * rate / (1 - rate) <= CAROM_TOLERANCE_SUM * size) {
            *answer = CAROM_ANSWER_OK;
            return CAROM_OK;
        }
        if (size == 0 && round > 1) {
            *answer = CAROM_ANSWER_OK;
            return CAROM_OK;
        }
    }
    return CAROM_OK;
}

carom_status carom_implicit_solve(const carom_implicit *problem, carom_arena *arena,
                                  double *impulse, carom_answer *answer, double *residual,
                                  bool *unique, carom_error *error)
{
    const carom_implicit *f = problem;
    double *x = carom_arena_doubles(arena, (size_t)f->k);
    if (!x)
        return carom_error_memory(error);
    aim(f, x);
    memset(impulse, 0, sizeof *impulse * (size_t)f->w);
    *answer = CAROM_ANSWER_OK;
    *unique = true;
    if (f->cones == 0) {
        carom_lcp_info info;
        carom_status status = solve_polyhedron(f, x, true, arena, impulse, &info, error);
        if (status)
            return status;
        *residual = info.residual;
        *unique = info.unique_z || f->exists;
        if (info.outcome == CAROM_LCP_INFEASIBLE || info.outcome == CAROM_LCP_RAY)
            *answer = CAROM_ANSWER_NONE;
        if (info.outcome == CAROM_LCP_LIMIT)
            *answer = CAROM_ANSWER_FAILED;
        return CAROM_OK;
    }
    bool homogeneous = true;
    for (int i = 0; i < f->r; i++)
        homogeneous = homogeneous && f->c[i] == 0;
    if (!homogeneous)
        return solve_product(f, x, arena, impulse, answer, residual, error);
    carom_projection projection;
    carom_status status = solve_cones(f, x, true, arena, impulse, &projection, error);
    if (status)
        return status;
    *residual = projection.residual;
    if (!projection.converged)
        *answer = CAROM_ANSWER_FAILED;
    return CAROM_OK;
}
