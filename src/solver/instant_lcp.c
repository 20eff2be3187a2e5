/* Planar contacts at one instant as a linear complementarity problem (docs/theory/instant.md, "As
 * an LCP"). Per rough contact, with the friction saturations s+ = mu r_N + r_T, s- = mu r_N - r_T
 * and the parts u+ - u- of the slip: r_N >= 0  perp  u_N >= 0,    s+ >= 0  perp  u+ >= 0,    u- >=
 * 0  perp  s- >= 0. Unknowns (r_N, s+, u-); r_T = s+ - mu r_N, u_T = u+ - u-. */
#include "carom/lcp.h"
#include "carom/tolerance.h"
#include "solver/instant.h"

#include <math.h>

/* The LCP's number of the normal of contact i is i; its s+ and u- are at slip[i], slip[i] + 1. */
static int number(const carom_instant *f, int *slip)
{
    int size = f->p;
    for (int i = 0; i < f->p; i++) {
        slip[i] = size;
        size += f->row[i + 1] - f->row[i] > 1 ? 2 : 0;
    }
    return size;
}

/* Write c to the LCP's column for u_N of all contacts and u_T = (row s+) of the rough ones. */
static void put_column(const carom_instant *f, const int *slip, const double *c, double factor,
                       double *column)
{
    for (int i = 0; i < f->p; i++) {
        column[i] += factor * c[f->row[i]];
        if (f->row[i + 1] - f->row[i] > 1)
            column[slip[i]] += factor * c[f->row[i] + 1];
    }
}

static void fill(const carom_instant *f, int size, const int *slip, double *M, double *q)
{
    put_column(f, slip, f->q, 1, q);
    for (int i = 0; i < f->p; i++) {
        const double *normal = f->W + (size_t)f->row[i] * f->N, *tangent = normal + f->N;
        double *Mi = M + (size_t)i * size;
        put_column(f, slip, normal, 1, Mi);
        if (f->row[i + 1] - f->row[i] < 2)
            continue;
        double *plus = M + (size_t)slip[i] * size, *minus = plus + size;
        put_column(f, slip, tangent, 1, plus); /* r_T = s+ - mu r_N */
        put_column(f, slip, tangent, -f->mu_s[i], Mi);
        minus[slip[i]] = 1; /* u+ = u_T + u- */
        plus[slip[i] + 1] = -1;
        Mi[slip[i] + 1] = 2 * f->mu_s[i]; /* s- = 2 mu r_N - s+ */
    }
}

carom_status carom_instant_lcp(const carom_instant *problem, carom_arena *arena, double *r,
                               bool *found, carom_error *error)
{
    const carom_instant *f = problem;
    *found = false;
    for (int i = 0; i < f->p; i++)
        if (f->row[i + 1] - f->row[i] > 2 || (f->equality && f->equality[i]) ||
            !isfinite(f->mu_s[i]))
            return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    int *slip = carom_arena_array(arena, (size_t)f->p, sizeof *slip);
    if (!slip)
        return carom_error_memory(error);
    const int size = number(f, slip);
    double *M = carom_arena_zeros(arena, (size_t)size * ((size_t)size + 2), sizeof *M);
    if (!M)
        return carom_error_memory(error);
    double *q = M + (size_t)size * size, *z = q + size;
    fill(f, size, slip, M, q);
    carom_lcp lcp = {.n = size, .M = M, .q = q};
    carom_lcp_options options = {.algorithm = CAROM_LCP_LEMKE};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, &options, arena, z, NULL, &info, error);
    for (int i = 0; i < f->p && status >= 0; i++) {
        double *own = r + f->row[i];
        own[0] = z[i];
        if (f->row[i + 1] - f->row[i] > 1)
            own[1] = z[slip[i]] - f->mu_s[i] * z[i];
    }
    carom_instant alike = *f; /* with one coefficient: mu_s */
    alike.mu_d = f->mu_s;
    *found = status >= 0 && carom_instant_residual(&alike, r) < CAROM_TOLERANCE_SAME;
    carom_arena_rewind(arena, mark);
    return status < 0 ? status : CAROM_OK;
}
