/* The nearest allowed velocity and its impulses, by the Delassus matrix or by rows. */
#include "law/impulses.h"

#include "carom/tolerance.h"
#include "cone/cone_multipliers.h"
#include "impact/joints.h"
#include "impact/predicate.h"
#include "law/laws.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <math.h>
#include <string.h>

#include "base/short_loops.h"

/* Above so many contacts rows would cost more than they are worth: O(n p^2) against O(p) for
 * chains.
 */
enum { MOST_ROWS = 256 };

static size_t frame_rows_bytes(const carom_geometry *g)
{
    return carom_arena_bytes((size_t)g->impact->n * (size_t)g->impact->p, sizeof(double)) +
           carom_joints_bytes(g, 0);
}

/* Rows of the contacts in the frame where the metric is Euclidean, within the joints; zeros for
 * those that joints block. So many bytes are reserved. */
static double *frame_rows(const carom_geometry *g, carom_arena *arena)
{
    int n = g->impact->n, p = g->impact->p;
    carom_response none;
    double *A = carom_arena_reserved(arena, (size_t)n * (size_t)p, sizeof *A);
    carom_joints_response(g, 0, arena, &none);
    memset(A, 0, (size_t)n * (size_t)p * sizeof *A);
    for (int i = 0; i < p; i++) {
        double *a = A + (size_t)i * n;
        if (!(g->norm[i] > 0))
            continue;
        carom_dense_copy(n, g->impact->W + (size_t)i * n, a);
        carom_response_row(&none, a);
        carom_basis_subtract(&none.basis, a);
    }
    return A;
}

/* The impulses of least norm within >= 0 among those with the same sum W impulse at the contacts
 * marked; *unique: there was no choice. */
static carom_status least_norm(const carom_geometry *g, const bool *marked, carom_arena *arena,
                               double *impulse, bool *unique, carom_error *error)
{
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = carom_arena_reserve(arena, frame_rows_bytes(g), error);
    if (!status)
        status = carom_cone_multipliers_least(g->impact->n, g->impact->p, frame_rows(g, arena),
                                              marked, arena, impulse, unique, error);
    carom_arena_rewind(arena, mark);
    return status;
}

/* The shortest impulses, in units of the norms, whatever their signs. */
static carom_status shortest(const carom_geometry *g, const doubled *given, carom_arena *arena,
                             double *impulse, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p;
    carom_status status = carom_arena_reserve(
        arena, carom_arena_bytes((size_t)n, sizeof(double)) + frame_rows_bytes(g), error);
    if (status)
        return status;
    double *sum = carom_arena_reserved(arena, (size_t)n, sizeof *sum), *A = frame_rows(g, arena);
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int i = 0; i < p; i++) {
        carom_dense_axpy(n, given[i].hi, A + (size_t)i * n, sum);
        carom_dense_scale(n, g->norm[i] > 0 ? 1 / g->norm[i] : 0, A + (size_t)i * n);
    }
    carom_min_norm info;
    status = carom_min_norm_solve(n, p, A, sum, CAROM_TOLERANCE_RANK, arena, impulse, &info, error);
    for (int i = 0; i < p && !status; i++)
        impulse[i] = g->norm[i] > 0 ? impulse[i] / g->norm[i] : 0;
    return status;
}

/* Of the impulses with the effect of nearest->impulse those of least norm, which push if any do. */
static carom_status push(const carom_geometry *g, const carom_nearest_start *start,
                         const carom_nearest *nearest, carom_arena *arena, doubled *exact,
                         carom_error *error)
{
    int p = g->impact->p, count = 0;
    bool pushes = true, unique;
    double *impulse = carom_arena_doubles(arena, (size_t)p);
    if (!impulse)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++)
        pushes = pushes && nearest->impulse[i].hi >= 0;
    doubled *vertices = nearest->impulse;
    carom_status status = CAROM_OK;
    if (!pushes)
        status = carom_nearest_vertices(g, start, nearest, arena, &vertices, &count, error);
    for (int i = 0; i < p && !status; i++)
        impulse[i] = pushes || count > 0 ? vertices[i].hi : 0;
    if (!status && (pushes || count > 0))
        status = least_norm(g, nearest->touches, arena, impulse, &unique, error);
    else if (!status)
        status = shortest(g, nearest->impulse, arena, impulse, error);
    return status ? status : carom_nearest_explain(g, start, nearest, impulse, arena, exact, error);
}

/* D L = target - gamma-, corrected on velocities recomputed from u. */
static carom_status meet_by_delassus(const carom_geometry *g, const doubled *target,
                                     carom_arena *arena, carom_impulses *f, carom_error *error)
{
    enum { PASSES = 4 };
    int n = g->impact->n, p = g->impact->p, ld = g->bandwidth + 1;
    double *B = carom_arena_doubles(arena, (size_t)p * (size_t)(ld + 1)), *r = B + (size_t)p * ld;
    if (!B)
        return carom_error_memory(error);
    for (int j = 0; j < p; j++)
        for (int d = 0; d < ld && j + d < p; d++)
            B[d + (size_t)j * ld] = g->D[j + d + (size_t)j * p];
    if (carom_cholesky_band_factor(p, ld - 1, B))
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "the Delassus matrix has a pivot of %g but no factor", g->pivot);
    carom_dense_copy(n, g->u, f->u);
    memset(f->impulse, 0, sizeof *f->impulse * (size_t)p);
    for (int pass = 0; pass < PASSES; pass++) {
        bool large = false;
        carom_geometry_normal_velocity(g, f->u, r);
        for (int i = 0; i < p; i++) {
            double size = g->gamma_size[i] + carom_predicate_normal_size(g, i, f->u);
            r[i] = (target[i].hi - r[i]) + target[i].lo;
            large = large || fabs(r[i]) > 4 * DBL_EPSILON * size;
        }
        if (!large)
            break;
        carom_cholesky_band_solve(p, ld - 1, B, r);
        for (int i = 0; i < p; i++) {
            f->impulse[i] += r[i];
            carom_dense_axpy(n, r[i], g->Y + (size_t)i * n, f->u);
        }
    }
    return CAROM_OK;
}

carom_status carom_impulses_meet(const carom_geometry *g, const doubled *target, carom_arena *arena,
                                 carom_impulses *f, double *off, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p;
    double *memory = carom_arena_doubles(arena, (size_t)n + (size_t)p);
    if (!memory)
        return carom_error_memory(error);
    *f = (carom_impulses){.u = memory, .impulse = memory + n, .converged = true};
    f->exists = f->unique = true;
    *off = 0;
    if (!(g->pivot < CAROM_TOLERANCE_REGULAR))
        return meet_by_delassus(g, target, arena, f, error);
    doubled *exact = carom_arena_array(arena, (size_t)p + (size_t)n, sizeof *exact);
    if (!exact)
        return carom_error_memory(error);
    carom_nearest_start start = {.x = exact + p};
    carom_nearest_velocity(g, exact + p);
    carom_status status =
        carom_nearest_meet(g, &start, target, NULL, arena, &f->nearest, off, error);
    f->exists = *off <= CAROM_VERDICT_TOLERANCE;
    f->unique = f->nearest.rank == p;
    if (status || !f->exists)
        return status;
    memcpy(exact, f->nearest.impulse, sizeof *exact * (size_t)p);
    if (!f->unique)
        status = push(g, &start, &f->nearest, arena, exact, error);
    f->exact_u = f->nearest.u;
    f->exact_impulse = exact;
    for (int i = 0; i < p; i++)
        f->impulse[i] = exact[i].hi;
    for (int k = 0; k < n; k++)
        f->u[k] = f->exact_u[k].hi;
    return status;
}

/* Is the way by rows the one taken? */
static bool goes_by_rows(const carom_geometry *g, carom_lcp_algorithm algorithm)
{
    return g->pivot < CAROM_TOLERANCE_REGULAR && g->impact->p <= MOST_ROWS &&
           algorithm == CAROM_LCP_AUTO;
}

/* By rows from a start; `given` (p, may be NULL) is added to the impulses found, which are those of
 * least norm. */
static carom_status by_rows(const carom_geometry *g, const carom_nearest_start *start,
                            const doubled *target, const doubled *given, carom_arena *arena,
                            carom_impulses *f, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p;
    *f = (carom_impulses){.unique = true, .residual = NAN};
    carom_status status = carom_nearest_find(g, start, target, arena, &f->nearest, error);
    double *memory = carom_arena_doubles(arena, (size_t)n + (size_t)p);
    doubled *exact = carom_arena_array(arena, (size_t)p, sizeof *exact);
    if (status || !memory || !exact)
        return status ? status : carom_error_memory(error);
    f->exists = f->nearest.end != CAROM_NEAREST_EMPTY;
    f->converged = f->nearest.end != CAROM_NEAREST_LIMIT;
    f->u = memory;
    f->impulse = memory + n;
    f->exact_u = f->nearest.u;
    f->exact_impulse = exact;
    for (int i = 0; i < p; i++)
        f->impulse[i] = f->nearest.impulse[i].hi;
    if (f->exists && f->converged)
        status = least_norm(g, f->nearest.touches, arena, f->impulse, &f->unique, error);
    if (!status && f->unique)
        memcpy(exact, f->nearest.impulse, sizeof *exact * (size_t)p);
    else if (!status)
        status = carom_nearest_explain(g, start, &f->nearest, f->impulse, arena, exact, error);
    for (int i = 0; i < p && !status; i++) {
        if (given)
            exact[i] = doubled_add(exact[i], given[i]);
        f->impulse[i] = exact[i].hi > 0 ? exact[i].hi : 0;
    }
    for (int k = 0; k < n && !status; k++)
        f->u[k] = f->exact_u[k].hi;
    return status;
}

/* D L + q with q = gamma(x) + epsilon gamma-; x and the impulses that led to it are in *f, those
 * found are added. gamma: p, of x; q: 3 p of work space. */
static carom_status by_delassus(const carom_geometry *g, const double *gamma, const double *epsilon,
                                carom_lcp_algorithm algorithm, double *q, carom_arena *arena,
                                carom_impulses *f, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p;
    double *z = q + p, *target = z + p;
    for (int i = 0; i < p; i++) {
        target[i] = epsilon ? -epsilon[i] * g->gamma[i] : 0;
        q[i] = gamma[i] - target[i];
    }
    carom_lcp lcp = {.n = p,
                     .M = g->D,
                     .q = q,
                     .symmetric = true,
                     .bandwidth = g->bandwidth,
                     .q_size = g->dependent ? g->gamma_size : NULL};
    carom_lcp_info info;
    carom_lcp_options options = {.algorithm = algorithm};
    carom_status status = carom_lcp_solve(&lcp, &options, arena, z, NULL, &info, error);
    if (status)
        return status;
    f->exists = info.outcome != CAROM_LCP_INFEASIBLE && info.outcome != CAROM_LCP_RAY;
    f->converged = info.outcome != CAROM_LCP_LIMIT;
    f->residual = info.residual;
    f->unique = !g->dependent || info.unique_z;
    bool local = g->impact->mass_is_diagonal && g->c == 0; /* y_i is zero where w_i is */
    for (int i = 0; i < p && f->exists; i++) {
        const double *y = g->Y + (size_t)i * n, impulse = z[i];
        int first = local ? g->first[i] : 0, last = local ? g->last[i] : n;
        if (impulse != 0)
            for (int k = first; k < last; k++)
                f->u[k] += y[k] * impulse;
    }
    if (f->exists)
        status = carom_law_refine(g, target, arena, f->u, z, error);
    for (int i = 0; i < p && f->exists; i++)
        f->impulse[i] += z[i];
    return status;
}

carom_status carom_impulses_among(const carom_geometry *g, const bool *only, const double *epsilon,
                                  carom_arena *arena, carom_impulses *f, carom_error *error)
{
    const size_t n = (size_t)g->impact->n, p = (size_t)g->impact->p;
    doubled *x = carom_arena_array(arena, n + p, sizeof *x), *target = x + n;
    if (!x)
        return carom_error_memory(error);
    carom_nearest_start start = {.x = x, .only = only};
    carom_nearest_velocity(g, x);
    if (epsilon)
        carom_nearest_target(g, epsilon, target);
    return by_rows(g, &start, epsilon ? target : NULL, NULL, arena, f, error);
}

carom_status carom_impulses_nearest(const carom_geometry *g, const double *epsilon,
                                    carom_lcp_algorithm algorithm, carom_arena *arena,
                                    carom_impulses *f, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p;
    if (goes_by_rows(g, algorithm))
        return carom_impulses_among(g, NULL, epsilon, arena, f, error);
    double *memory = carom_arena_doubles(arena, (size_t)n + 4 * (size_t)p);
    if (!memory)
        return carom_error_memory(error);
    *f = (carom_impulses){.u = memory, .impulse = memory + n};
    carom_dense_copy(n, g->u, f->u);
    for (int i = 0; i < p; i++)
        f->impulse[i] = 0;
    return by_delassus(g, g->gamma, epsilon, algorithm, f->impulse + p, arena, f, error);
}

carom_status carom_impulses_return(const carom_geometry *g, const carom_impulses *before,
                                   const double *factor, carom_lcp_algorithm algorithm,
                                   carom_arena *arena, carom_impulses *f, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p;
    if (before->exact_u) {
        doubled *push = carom_arena_zeros(arena, (size_t)n + (size_t)p, sizeof *push);
        if (!push)
            return carom_error_memory(error);
        doubled *given = push + n;
        for (int i = 0; i < p; i++) {
            const double *w = g->impact->W + (size_t)i * n;
            doubled again = doubled_scale(before->exact_impulse[i], factor[i]);
            given[i] = doubled_add(before->exact_impulse[i], again);
            for (int k = g->first[i]; k < g->last[i] && again.hi != 0; k++)
                push[k] = doubled_add(push[k], doubled_scale(again, w[k]));
        }
        carom_nearest_start start = {.x = before->exact_u, .push = push};
        return by_rows(g, &start, NULL, given, arena, f, error);
    }
    double *memory = carom_arena_doubles(arena, (size_t)n + 5 * (size_t)p), *gamma;
    if (!memory)
        return carom_error_memory(error);
    *f = (carom_impulses){.u = memory, .impulse = memory + n};
    gamma = memory + n + p;
    carom_dense_copy(n, before->u, f->u);
    for (int i = 0; i < p; i++) {
        double again = factor[i] * before->impulse[i];
        f->impulse[i] = before->impulse[i] + again;
        if (again != 0)
            carom_dense_axpy(n, again, g->Y + (size_t)i * n, f->u);
    }
    carom_geometry_normal_velocity(g, f->u, gamma);
    return by_delassus(g, gamma, NULL, algorithm, gamma + p, arena, f, error);
}

void carom_impulses_store(const carom_geometry *g, const carom_impulses *f, carom_outcome *outcome)
{
    carom_dense_copy(g->impact->n, f->u, outcome->u);
    carom_dense_copy(g->impact->p, f->impulse, outcome->impulse);
    outcome->impulse_unique = f->unique;
    if (f->converged)
        return;
    outcome->answer = CAROM_ANSWER_FAILED;
    if (f->exact_u)
        carom_outcome_say(outcome, "the nearest allowed velocity was not found: the choice of the "
                                   "contacts that push did not settle");
    else
        carom_outcome_say(outcome, "the complementarity problem was solved to %.3g only",
                          f->residual);
}
