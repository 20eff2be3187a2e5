/* The statement: checks, the error measure, the choice of algorithm (docs/theory/lcp.md). */
#include "base/arena.h"
#include "linalg/dense.h"
#include "solver/lcp_algorithms.h"

#include <math.h>

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

static carom_status solve(const carom_lcp *lcp, const carom_lcp_options *options,
                          carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    switch (options->algorithm) {
    case CAROM_LCP_LEMKE:
        info->algorithm = CAROM_LCP_LEMKE;
        return carom_lcp_lemke_solve(lcp, options, arena, z, info, error);
    case CAROM_LCP_ENUMERATE:
        info->algorithm = CAROM_LCP_ENUMERATE;
        return carom_lcp_enumerate_solve(lcp, options, arena, z, info, error);
    case CAROM_LCP_PIVOT:
        info->algorithm = CAROM_LCP_PIVOT;
        return carom_lcp_pivot_solve(lcp, options, arena, z, info, error);
    default:
        info->algorithm = lcp->symmetric ? CAROM_LCP_PIVOT : CAROM_LCP_LEMKE;
        return (lcp->symmetric ? carom_lcp_pivot_solve : carom_lcp_lemke_solve)(lcp, options, arena,
                                                                                z, info, error);
    }
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
    carom_lcp_info found = {0};
    carom_mark mark = carom_arena_mark(arena);
    double *point = carom_arena_doubles(arena, (size_t)lcp->n);
    if (!point)
        return carom_error_memory(error);
    status = solve(lcp, &o, arena, point, &found, error);
    if (status == CAROM_OK) {
        carom_dense_copy(lcp->n, point, z);
        double s;
        for (int i = 0; w && i < lcp->n; i++)
            w[i] = z[i] > 0 ? 0 : fmax(0, row_value(lcp, z, i, &s));
        found.residual = carom_lcp_residual(lcp, z);
        if (info)
            *info = found;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
