#include "flow/step_friction.h"

#include <math.h>
#include <string.h>

#include "carom/lcp.h"
#include "flow/step_interior.h"
#include "flow/step_newton.h"

enum {
    DIRECT_LIMIT = 40, /* planar contacts for Lemke's method; more of them and spatial friction are
                        * iterated */
    SWEEPS = 3000,
};

/* Planar, by Lemke's method: z = (P_N, s+ = mu P_N + P_T, slip-), w = (u_N, slip+,
 * s- = mu P_N - P_T), normals first. */
static carom_status lemke(carom_step_contact *c, carom_arena *scratch, bool *solved,
                          carom_error *error)
{
    const int a = c->count, r = c->total, t = r - a, size = a + 2 * t;
    carom_mark mark = carom_arena_mark(scratch);
    const size_t big = (size_t)size * (size_t)size, small = (size_t)r * (size_t)r;
    double *M = carom_arena_zeros(scratch, big + small + 2 * (size_t)size, sizeof(double));
    int *to = carom_arena_array(scratch, (size_t)r, sizeof(int));
    if (!M || !to)
        return carom_error_memory(error);
    double *D = M + big, *q = D + small, *z = q + size;
    carom_step_contact_dense(c, D);
    for (int k = 0, f = 0; k < a; k++) {
        to[c->base[k]] = k;
        if (carom_step_contact_width(c, k) == 1)
            to[c->base[k] + 1] = a + f++;
    }
    for (int j = 0; j < r; j++) {
        for (int i = 0; i < r; i++)
            M[to[i] + (size_t)to[j] * (size_t)size] = D[i + (size_t)j * (size_t)r];
        q[to[j]] = c->b[j];
    }
    for (int k = 0; k < a; k++) {
        if (carom_step_contact_width(c, k) == 0)
            continue;
        const int f = to[c->base[k] + 1];
        const double *column = M + (size_t)f * (size_t)size;
        for (int i = 0; i < r; i++)
            M[i + (size_t)k * (size_t)size] -= c->mu[k] * column[i];
        M[f + (size_t)(f + t) * (size_t)size] = 1;
        M[f + t + (size_t)f * (size_t)size] = -1;
        M[f + t + (size_t)k * (size_t)size] = 2 * c->mu[k];
    }
    carom_lcp lcp = {.n = size, .M = M, .q = q};
    carom_lcp_options options = {.algorithm = CAROM_LCP_LEMKE};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, &options, scratch, z, NULL, &info, error);
    *solved = status == CAROM_OK && info.outcome == CAROM_LCP_SOLVED;
    for (int k = 0; *solved && k < a; k++) {
        c->P[c->base[k]] = z[k];
        if (carom_step_contact_width(c, k) == 1)
            c->P[c->base[k] + 1] = z[to[c->base[k] + 1]] - c->mu[k] * z[k];
    }
    carom_arena_rewind(scratch, mark);
    return status;
}

/* One contact with planar friction: at most four cases, tried in the order open, stick, slip. */
static bool planar_single(carom_step_contact *c)
{
    const double *b = c->b, mu = c->mu[0];
    double D[4];
    if (b[0] >= 0) {
        c->P[0] = c->P[1] = 0;
        return true;
    }
    carom_step_contact_dense(c, D);
    double det = D[0] * D[3] - D[1] * D[2];
    if (det > 1e-12 * D[0] * D[3]) {
        double pn = (-b[0] * D[3] + b[1] * D[2]) / det, pt = (-b[1] * D[0] + b[0] * D[1]) / det;
        if (pn > 0 && fabs(pt) <= mu * pn) {
            c->P[0] = pn;
            c->P[1] = pt;
            return true;
        }
    }
    for (int sign = 1; sign >= -1; sign -= 2) { /* slip > 0, then slip < 0 */
        double A = D[0] - sign * mu * D[2];
        if (!(A > 0))
            continue;
        double pn = -b[0] / A, slip = b[1] + (D[1] - sign * mu * D[3]) * pn;
        if (sign * slip >= 0) {
            c->P[0] = pn;
            c->P[1] = -sign * mu * pn;
            return true;
        }
    }
    return false;
}

/* New impulses of active contact k: normal by projection, friction by projection on its interval or
 * disc; v = Y P. Returns the largest change; *size the largest impulse. */
static double relax(carom_step_contact *c, int k, double *v, double *size)
{
    const int n = c->base[k], width = carom_step_contact_width(c, k);
    const double *D = c->D.value;
    double new[3], slope = 0, norm = 0, change = 0;
    double w = c->b[n] + carom_step_contact_rate(c, n, v);
    new[0] = fmax(0, c->P[n] - w / D[c->start[n] + n]);
    const double drift = new[0] - c->P[n];
    for (int f = 1; f <= width; f++)
        slope = fmax(slope, D[c->start[n + f] + n + f]);
    if (width == 2)
        slope += fabs(D[c->start[n + 2] + n + 1]);
    for (int f = 1; f <= width; f++) {
        w = c->b[n + f] + carom_step_contact_rate(c, n + f, v) + D[c->start[n + f] + n] * drift;
        new[f] = slope > 0 ? c->P[n + f] - w / slope : 0;
        norm = hypot(norm, new[f]);
    }
    const double most = c->mu[k] * new[0];
    for (int f = 0; f <= width; f++) {
        if (f > 0 && norm > most)
            new[f] *= most / norm;
        const double d = new[f] - c->P[n + f];
        *size = fmax(*size, fabs(new[f]));
        if (d == 0)
            continue;
        change = fmax(change, fabs(d));
        c->P[n + f] = new[f];
        carom_step_contact_push(c, n + f, d, v);
    }
    return change;
}

static void start_from_impulses(const carom_step_contact *c, double *v)
{
    memset(v, 0, sizeof(double) * (size_t)c->n);
    for (int r = 0; r < c->total; r++)
        if (c->P[r] != 0)
            carom_step_contact_push(c, r, c->P[r], v);
}

/* Gauss-Seidel over contacts from the impulses in P. */
static double sweep(carom_step_contact *c, double tolerance)
{
    double left = INFINITY, *v = c->spread;
    start_from_impulses(c, v);
    for (int round = 0; round < SWEEPS && left > tolerance; round++) {
        double change = 0, size = 0;
        for (int k = 0; k < c->count; k++)
            change = fmax(change, relax(c, k, v, &size));
        left = size > 0 ? change / size : 0;
        if (round % 256 == 255) /* without the rounding of the updates */
            start_from_impulses(c, v);
    }
    memset(v, 0, sizeof(double) * (size_t)c->n);
    return left;
}

/* Newton's method from the impulses of the step before, then from inside the cones in several ways.
 * P is the solution or what came nearest to one. */
static carom_status try_newton(carom_step_contact *c, double tolerance, bool flat,
                               carom_arena *scratch, bool *solved, carom_error *error)
{
    static const struct {
        bool coupled;
        double size;
    } ways[] = {{true, 1}, {false, 1}, {true, 30}, {false, 30}};
    const size_t size = sizeof(double) * (size_t)c->total;
    double least = INFINITY, merit;
    carom_mark mark = carom_arena_mark(scratch);
    double *best = carom_arena_take(scratch, size);
    carom_status status =
        best ? carom_step_newton_solve(c, tolerance, scratch, solved, &merit, error)
             : carom_error_memory(error);
    for (int k = 0; k < 4 && flat && status == CAROM_OK && !*solved; k++) {
        if (merit < least) {
            memcpy(best, c->P, size);
            least = merit;
        }
        status = carom_step_interior_approach(c, ways[k].coupled, ways[k].size, scratch, error);
        if (status == CAROM_OK)
            status = carom_step_newton_solve(c, tolerance, scratch, solved, &merit, error);
    }
    if (status == CAROM_OK && !*solved && least <= merit)
        memcpy(c->P, best, size);
    carom_arena_rewind(scratch, mark);
    return status;
}

carom_status carom_step_friction_solve(carom_step_contact *c, double tolerance,
                                       carom_arena *scratch, double *residual, carom_error *error)
{
    bool flat = true, solved = false;
    c->L_valid = false; /* its place is used for other factors */
    for (int k = 0; k < c->count; k++)
        flat = flat && carom_step_contact_width(c, k) < 2;
    if (c->count == 1 && flat && planar_single(c))
        return CAROM_OK;
    carom_status status = try_newton(c, tolerance, flat, scratch, &solved, error);
    if (status == CAROM_OK && !solved && flat && c->count <= DIRECT_LIMIT)
        status = lemke(c, scratch, &solved, error);
    if (status != CAROM_OK || solved)
        return status;
    *residual = sweep(c, tolerance);
    return CAROM_OK;
}
