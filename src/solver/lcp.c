/* The statement: checks, the error measure, the choice of algorithm (docs/theory/lcp.md). */
#include "carom/need.h"
#include "linalg/dense.h"
#include "linalg/finite.h"
#include "solver/lcp_algorithms.h"
#include "solver/lcp_band.h"
#include "solver/lcp_product.h"
#include "solver/lcp_small.h"

#include <math.h>

/* Sizes at which the automatic choice changes its mind (bench/bench_lcp.c). */
enum { PIVOT_LARGEST = 32, BAND_SMALLEST = 16, ENUMERATE_LARGEST = 10 };

/* Rows j with |i - j| <= bandwidth. */
static int first_row(const carom_lcp *lcp, int i)
{
    return lcp->bandwidth > 0 && i > lcp->bandwidth ? i - lcp->bandwidth : 0;
}

static int last_row(const carom_lcp *lcp, int i)
{
    return lcp->bandwidth > 0 && i < lcp->n - 1 - lcp->bandwidth ? i + lcp->bandwidth : lcp->n - 1;
}

/* w = M z + q and s, the sums of the magnitudes of its terms. */
static void evaluate(const carom_lcp *lcp, const double *restrict z, double *restrict w,
                     double *restrict s)
{
    for (int i = 0; i < lcp->n; i++) {
        w[i] = lcp->q[i];
        s[i] = fabs(w[i]);
    }
    for (int i = 0; lcp->q_size && i < lcp->n; i++)
        s[i] = fmax(s[i], lcp->q_size[i]);
    if (lcp->bandwidth == 0 || lcp->bandwidth >= lcp->n - 1) {
        carom_lcp_product_add(lcp->n, lcp->M, z, w, s);
        return;
    }
    for (int j = 0; j < lcp->n; j++) {
        const double *restrict Mj = lcp->M + (size_t)j * lcp->n, zj = z[j];
        int first = first_row(lcp, j), last = last_row(lcp, j);
        for (int i = first; zj != 0 && i <= last; i++) {
            double term = Mj[i] * zj;
            w[i] += term;
            s[i] += fabs(term);
        }
    }
}

/* The share of z_i in the rows it enters: max_j |M_ji z_i| / s_j. */
static double column_share(const carom_lcp *lcp, const double *z, const double *s, int i)
{
    double share = 0;
    for (int j = first_row(lcp, i), last = last_row(lcp, i); j <= last; j++) {
        double term = fabs(lcp->M[j + (size_t)i * lcp->n] * z[i]);
        if (term > 0)
            share = fmax(share, term / s[j]);
    }
    return share > 0 || z[i] == 0 ? share : 1; /* in no row: it must be zero */
}

/* The residual of z with its w and s. */
static double measure(const carom_lcp *lcp, const double *z, const double *w, const double *s)
{
    double worst = 0;
    for (int i = 0; i < lcp->n; i++) {
        if (!isfinite(z[i]))
            return HUGE_VAL;
        double omega = s[i] > 0 ? w[i] / s[i] : 0;
        worst = omega < -worst ? -omega : worst;
        if (z[i] < 0 || (z[i] > 0 && omega > worst)) {
            double zeta = column_share(lcp, z, s, i);
            worst = fmax(worst, z[i] < 0 ? zeta : fmin(zeta, omega));
        }
    }
    return worst;
}

/* All numbers in one go. */
static bool is_finite(const carom_lcp *lcp)
{
    double sum = 0;
    for (int j = 0; j < lcp->n; j++) {
        const double *Mj = lcp->M + (size_t)j * lcp->n;
        int first = first_row(lcp, j), last = last_row(lcp, j);
        sum += lcp->q[j] - lcp->q[j] + carom_finite_sum((size_t)(last - first + 1), Mj + first);
        if (lcp->q_size)
            sum += lcp->q_size[j] >= 0 ? lcp->q_size[j] - lcp->q_size[j] : 1;
    }
    return sum == 0;
}

carom_status carom_lcp_check(const carom_lcp *lcp, carom_error *error)
{
    if (!lcp || lcp->n < 0 || (lcp->n > 0 && (!lcp->M || !lcp->q)))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "lcp: n must be >= 0, M and q given");
    if (lcp->bandwidth < 0)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "lcp: bandwidth is %d, it must be >= 0 (0: not known)",
                               lcp->bandwidth);
    if (is_finite(lcp))
        return CAROM_OK;
    for (int j = 0; j < lcp->n; j++) {
        if (!isfinite(lcp->q[j]))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT, "lcp: q[%d] is %g, not finite", j,
                                   lcp->q[j]);
        if (lcp->q_size && !(lcp->q_size[j] >= 0 && isfinite(lcp->q_size[j])))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "lcp: q_size[%d] is %g, it must be finite and >= 0", j,
                                   lcp->q_size[j]);
        for (int i = first_row(lcp, j), last = last_row(lcp, j); i <= last; i++)
            if (!isfinite(lcp->M[i + (size_t)j * lcp->n]))
                return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                       "lcp: M[%d,%d] is %g, not finite", i, j,
                                       lcp->M[i + (size_t)j * lcp->n]);
    }
    return CAROM_OK;
}

/* Rows first ... first + count - 1 of w and s. */
static void evaluate_rows(const carom_lcp *lcp, const double *z, int first, int count, double *w,
                          double *s)
{
    for (int i = 0; i < count; i++) {
        w[i] = lcp->q[first + i];
        s[i] = lcp->q_size ? fmax(fabs(w[i]), lcp->q_size[first + i]) : fabs(w[i]);
    }
    for (int j = first_row(lcp, first), end = last_row(lcp, first + count - 1); j <= end; j++) {
        const double *Mj = lcp->M + (size_t)j * lcp->n + first;
        int low = first_row(lcp, j) - first, high = last_row(lcp, j) - first;
        for (int i = low > 0 ? low : 0; z[j] != 0 && i <= high && i < count; i++) {
            w[i] += Mj[i] * z[j];
            s[i] += fabs(Mj[i] * z[j]);
        }
    }
}

/* column_share without the s of all rows. */
static double row_share(const carom_lcp *lcp, const double *z, int i)
{
    double share = 0;
    for (int j = first_row(lcp, i), last = last_row(lcp, i); j <= last; j++) {
        double term = fabs(lcp->M[j + (size_t)i * lcp->n] * z[i]), w, s;
        if (term > 0) {
            evaluate_rows(lcp, z, j, 1, &w, &s);
            share = fmax(share, term / s);
        }
    }
    return share > 0 || z[i] == 0 ? share : 1;
}

/* No work space is needed: rows come in blocks, shares are rare. */
double carom_lcp_residual(const carom_lcp *lcp, const double *z)
{
    CAROM_NEED_OR(NAN, lcp, z);
    enum { BLOCK = 64 };
    double worst = 0, w[BLOCK], s[BLOCK];
    for (int first = 0; first < lcp->n; first += BLOCK) {
        int count = lcp->n - first < BLOCK ? lcp->n - first : BLOCK;
        evaluate_rows(lcp, z, first, count, w, s);
        for (int i = 0; i < count; i++) {
            double zi = z[first + i], omega = s[i] > 0 ? w[i] / s[i] : 0;
            if (!isfinite(zi))
                return HUGE_VAL;
            worst = fmax(worst, -omega);
            if (zi < 0 || (zi > 0 && omega > worst)) {
                double zeta = row_share(lcp, z, first + i);
                worst = fmax(worst, zi < 0 ? zeta : fmin(zeta, omega));
            }
        }
    }
    return worst;
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

/* Run one algorithm by its table. z has room for 3n numbers: behind z come w and its magnitudes. */
static carom_status run(const carom_lcp_solver *solver, const carom_lcp *lcp,
                        const carom_lcp_options *options, carom_arena *arena, double *z,
                        carom_lcp_info *info, carom_error *error)
{
    *info = (carom_lcp_info){.algorithm = solver->info.algorithm};
    carom_status status = solver->solve(lcp, options, arena, z, info, error);
    if (status != CAROM_OK)
        return status;
    double *w = z + lcp->n, *s = w + lcp->n;
    if (info->residual != CAROM_LCP_EVALUATED)
        evaluate(lcp, z, w, s);
    info->residual = measure(lcp, z, w, s);
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
    double *better = carom_arena_doubles(arena, 3 * (size_t)lcp->n);
    if (!better)
        return carom_error_memory(error);
    carom_dense_copy(lcp->n, z, better);
    carom_status status = run(&polish_table, lcp, options, arena, better, &found, error);
    if (status == CAROM_OK && (decided(&found) || found.residual < info->residual)) {
        carom_dense_copy(3 * lcp->n, better, z);
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
        carom_lcp banded = *lcp; /* chains are banded even where nobody said so */
        if (lcp->bandwidth == 0 && lcp->n > BAND_SMALLEST)
            banded.bandwidth = carom_lcp_band_measure(lcp->M, lcp->n, lcp->n / 4);
        bool band = banded.bandwidth > 0 && banded.bandwidth < lcp->n / 4;
        if (lcp->n > PIVOT_LARGEST || (band && lcp->n > BAND_SMALLEST))
            status = run(&carom_lcp_block_table, &banded, options, arena, z, info, error);
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

/* Small enough for the short cut, nothing special asked for, pointers and sizes in order? */
static bool is_small(const carom_lcp *lcp, const carom_lcp_options *options)
{
    return lcp && lcp->n > 0 && lcp->n <= CAROM_LCP_SMALL && lcp->M && lcp->q &&
           lcp->bandwidth >= 0 &&
           (!options || ((options->algorithm == CAROM_LCP_AUTO ||
                          (options->algorithm == CAROM_LCP_PIVOT && lcp->symmetric)) &&
                         !options->start && options->max_iterations == 0));
}

/* The residual to aim at: by contract 1e-12 where the caller does not say. */
static double aim_of(const carom_lcp_options *options)
{
    return options && options->tolerance > 0 ? options->tolerance : 1e-12;
}

carom_status carom_lcp_solve(const carom_lcp *lcp, const carom_lcp_options *options,
                             carom_arena *arena, double *z, double *w, carom_lcp_info *info,
                             carom_error *error)
{
    CAROM_NEED(error, lcp, arena, z);
    if (is_small(lcp, options) &&
        carom_lcp_small_solve(lcp, aim_of(options), options && options->any_solution, z, w, info))
        return CAROM_OK;
    carom_status status = carom_lcp_check(lcp, error);
    if (status != CAROM_OK)
        return status;
    carom_lcp_options o = options ? *options : (carom_lcp_options){0};
    o.tolerance = aim_of(options);
    carom_lcp_info found;
    carom_mark mark = carom_arena_mark(arena);
    double *point = carom_arena_doubles(arena, 3 * (size_t)lcp->n);
    if (!point)
        return carom_error_memory(error);
    if (o.algorithm == CAROM_LCP_AUTO)
        status = run_best(lcp, &o, arena, point, &found, error);
    else
        status = run_named(lcp, &o, arena, point, &found, error);
    if (status == CAROM_OK) {
        carom_dense_copy(lcp->n, point, z);
        for (int i = 0; w && i < lcp->n; i++)
            w[i] = z[i] > 0 || point[lcp->n + i] < 0 ? 0 : point[lcp->n + i];
        if (info)
            *info = found;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
