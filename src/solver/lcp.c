/* The statement: checks, the error measure, the choice of algorithm (docs/theory/lcp.md). */
#include "base/arena.h"
#include "linalg/dense.h"
#include "solver/lcp_algorithms.h"

#include <math.h>

/* Sizes at which the automatic choice changes its mind (bench/bench_lcp.c). */
enum { PIVOT_LARGEST = 48, BAND_SMALLEST = 16, ENUMERATE_LARGEST = 10 };

/* Rows j with |i - j| <= bandwidth. */
static int first_row(const carom_lcp *lcp, int i)
{
    return lcp->bandwidth > 0 && i > lcp->bandwidth ? i - lcp->bandwidth : 0;
}

static int last_row(const carom_lcp *lcp, int i)
{
    return lcp->bandwidth > 0 && i < lcp->n - 1 - lcp->bandwidth ? i + lcp->bandwidth : lcp->n - 1;
}

/* w_i = (M z + q)_i and s_i, the sum of the magnitudes of its terms. */
static double row_value(const carom_lcp *lcp, const double *z, int i, double *s)
{
    double w = lcp->q[i], size = fabs(w);
    if (lcp->q_size)
        size = fmax(size, lcp->q_size[i]);
    for (int j = first_row(lcp, i), last = last_row(lcp, i); j <= last; j++) {
        double term = lcp->M[i + (size_t)j * lcp->n] * z[j];
        w += term;
        size += fabs(term);
    }
    *s = size;
    return w;
}

/* The share of z_i in the rows it enters: max_j |M_ji z_i| / s_j, with the s_j of those rows. */
static double column_share(const carom_lcp *lcp, const double *z, int i)
{
    if (z[i] == 0)
        return 0;
    double share = 0;
    bool empty = true;
    for (int j = first_row(lcp, i), last = last_row(lcp, i); j <= last; j++) {
        double term = fabs(lcp->M[j + (size_t)i * lcp->n] * z[i]), s;
        if (term == 0)
            continue;
        empty = false;
        row_value(lcp, z, j, &s);
        share = fmax(share, term / s);
    }
    return empty ? 1 : share;
}

double carom_lcp_residual(const carom_lcp *lcp, const double *z)
{
    double worst = 0;
    for (int i = 0; i < lcp->n; i++) {
        if (!isfinite(z[i]))
            return HUGE_VAL;
        double s, w = row_value(lcp, z, i, &s);
        double omega = s > 0 ? w / s : 0;
        worst = fmax(worst, -omega);
        if (z[i] < 0 || omega > worst) {
            double zeta = column_share(lcp, z, i);
            worst = fmax(worst, z[i] < 0 ? zeta : fmin(zeta, omega));
        }
    }
    return worst;
}

carom_status carom_lcp_check(const carom_lcp *lcp, carom_error *error)
{
    if (!lcp || lcp->n < 0 || (lcp->n > 0 && (!lcp->M || !lcp->q)))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "lcp: n must be >= 0, M and q given");
    if (lcp->bandwidth < 0)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "lcp: bandwidth is %d, it must be >= 0 (0: not known)",
                               lcp->bandwidth);
    for (int j = 0; j < lcp->n; j++) {
        if (lcp->q_size && !(lcp->q_size[j] >= 0 && isfinite(lcp->q_size[j])))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "lcp: q_size[%d] is %g, it must be finite and >= 0", j,
                                   lcp->q_size[j]);
        if (!isfinite(lcp->q[j]))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT, "lcp: q[%d] is %g, not finite", j,
                                   lcp->q[j]);
        for (int i = first_row(lcp, j), last = last_row(lcp, j); i <= last; i++)
            if (!isfinite(lcp->M[i + (size_t)j * lcp->n]))
                return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                       "lcp: M[%d,%d] is %g, not finite", i, j,
                                       lcp->M[i + (size_t)j * lcp->n]);
    }
    return CAROM_OK;
}

static const carom_lcp_solver *const solvers[] = {
    &carom_lcp_pivot_table,        &carom_lcp_block_table,     &carom_lcp_lemke_table,
    &carom_lcp_gauss_seidel_table, &carom_lcp_enumerate_table,
};

enum { SOLVERS = sizeof solvers / sizeof *solvers };

int carom_lcp_solver_count(void)
{
    return SOLVERS;
}

const carom_lcp_solver_info *carom_lcp_solver_at(int index)
{
    return index >= 0 && index < SOLVERS ? &solvers[index]->info : NULL;
}

/* Run one algorithm by its table. */
static carom_status run(const carom_lcp_solver *solver, const carom_lcp *lcp,
                        const carom_lcp_options *options, carom_arena *arena, double *z,
                        carom_lcp_info *info, carom_error *error)
{
    *info = (carom_lcp_info){.algorithm = solver->info.algorithm};
    carom_status status = solver->solve(lcp, options, arena, z, info, error);
    if (status != CAROM_OK)
        return status;
    info->residual = carom_lcp_residual(lcp, z);
    if (info->outcome == CAROM_LCP_SOLVED && !(info->residual <= options->tolerance))
        info->outcome = CAROM_LCP_LIMIT;
    if (info->outcome == CAROM_LCP_LIMIT && info->residual <= options->tolerance)
        info->outcome = CAROM_LCP_SOLVED; /* the iteration went round in rounding */
    return CAROM_OK;
}

static carom_status run_named(const carom_lcp *lcp, const carom_lcp_options *options,
                              carom_arena *arena, double *z, carom_lcp_info *info,
                              carom_error *error)
{
    for (int k = 0; k < SOLVERS; k++) {
        if (solvers[k]->info.algorithm != options->algorithm)
            continue;
        if (solvers[k]->symmetric_only && !lcp->symmetric)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "lcp: the algorithm %s needs a symmetric positive semidefinite "
                                   "M; say so in the statement or use lemke",
                                   solvers[k]->info.name);
        return run(solvers[k], lcp, options, arena, z, info, error);
    }
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "lcp: algorithm %d is not known",
                           (int)options->algorithm);
}

static const carom_lcp_solver polish_table = {
    {CAROM_LCP_BLOCK, "block", NULL, NULL}, carom_lcp_block_polish, true, 0};

static bool decided(const carom_lcp_info *info)
{
    return info->outcome == CAROM_LCP_SOLVED || info->outcome == CAROM_LCP_INFEASIBLE;
}

/* z becomes more exact, or stays. */
static carom_status polish(const carom_lcp *lcp, const carom_lcp_options *options,
                           carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    carom_lcp_info found;
    double *better = carom_arena_doubles(arena, (size_t)lcp->n);
    if (!better)
        return carom_error_memory(error);
    carom_dense_copy(lcp->n, z, better);
    carom_status status = run(&polish_table, lcp, options, arena, better, &found, error);
    if (status == CAROM_OK && (decided(&found) || found.residual < info->residual)) {
        carom_dense_copy(lcp->n, better, z);
        *info = found;
    }
    return status;
}

/* Symmetric: pivoting, in blocks when it is large or banded. If the caller's word was wrong, or in
 * doubt, the next more general algorithm decides. */
static carom_status run_best(const carom_lcp *lcp, const carom_lcp_options *options,
                             carom_arena *arena, double *z, carom_lcp_info *info,
                             carom_error *error)
{
    carom_status status = CAROM_ERROR_ARGUMENT;
    if (lcp->symmetric) {
        bool band = lcp->bandwidth > 0 && lcp->bandwidth < lcp->n / 8;
        if (lcp->n > PIVOT_LARGEST || (band && lcp->n > BAND_SMALLEST))
            status = run(&carom_lcp_block_table, lcp, options, arena, z, info, error);
        if (status != CAROM_OK || !decided(info))
            status = run(&carom_lcp_pivot_table, lcp, options, arena, z, info, error);
        if (status == CAROM_OK && decided(info))
            return status;
        if (status == CAROM_OK) /* not to the last digit */
            return polish(lcp, options, arena, z, info, error);
        if (status != CAROM_ERROR_ARGUMENT)
            return status;
    }
    status = run(&carom_lcp_lemke_table, lcp, options, arena, z, info, error);
    if (status == CAROM_OK && !decided(info) && lcp->n <= ENUMERATE_LARGEST)
        status = run(&carom_lcp_enumerate_table, lcp, options, arena, z, info, error);
    return status;
}

carom_status carom_lcp_solve(const carom_lcp *lcp, const carom_lcp_options *options,
                             carom_arena *arena, double *z, double *w, carom_lcp_info *info,
                             carom_error *error)
{
    carom_status status = carom_lcp_check(lcp, error);
    if (status != CAROM_OK)
        return status;
    carom_lcp_options o = options ? *options : (carom_lcp_options){0};
    if (!(o.tolerance > 0))
        o.tolerance = 1e-12;
    carom_lcp_info found;
    carom_mark mark = carom_arena_mark(arena);
    double *point = carom_arena_doubles(arena, (size_t)lcp->n);
    if (!point)
        return carom_error_memory(error);
    if (o.algorithm == CAROM_LCP_AUTO)
        status = run_best(lcp, &o, arena, point, &found, error);
    else
        status = run_named(lcp, &o, arena, point, &found, error);
    if (status == CAROM_OK) {
        carom_dense_copy(lcp->n, point, z);
        double s;
        for (int i = 0; w && i < lcp->n; i++)
            w[i] = z[i] > 0 ? 0 : fmax(0, row_value(lcp, z, i, &s));
        if (info)
            *info = found;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
