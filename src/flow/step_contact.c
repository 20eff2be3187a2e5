#include "flow/step_contact.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "carom/lcp.h"
#include "linalg/cholesky.h"

/* Planar friction up to this many contacts goes to Lemke's method (exact, several outcomes
 * possible), more of them and spatial friction to the iteration. */
enum { DIRECT_LIMIT = 24 };

carom_status carom_step_contact_create(carom_arena *arena, const carom_system_shape *shape,
                                       carom_step_contact *c, carom_error *error)
{
    const size_t n = (size_t)shape->n, p = (size_t)shape->p, r = p + (size_t)shape->s;
    memset(c, 0, sizeof *c);
    c->n = shape->n;
    c->capacity = (int)r;
    int *ints = carom_arena_zeros(arena, 3 * p + n * r + r + 1, sizeof(int));
    double *d = carom_arena_zeros(arena, p + n * r + 2 * r * r + 6 * r, sizeof(double));
    c->row = carom_arena_array(arena, r, sizeof *c->row);
    c->guess = carom_arena_zeros(arena, p, 1);
    if (!ints || !d || !c->row || !c->guess)
        return carom_error_memory(error);
    c->contact = ints;
    c->tangent = ints += p;
    c->width = ints += p;
    c->nonzero_start = ints += p;
    c->nonzero = ints + r + 1;
    c->mu = d;
    c->Y = d += p;
    c->D = d += n * r;
    c->b = d += r * r;
    c->P = d += r;
    c->memory = d += r;
    c->work = d + r;
    return CAROM_OK;
}

void carom_step_contact_delassus(carom_step_contact *c)
{
    const int n = c->n, r = c->count + c->tangents;
    int filled = 0;
    for (int i = 0; i < r; i++) {
        c->nonzero_start[i] = filled;
        for (int k = 0; k < n; k++)
            if (c->row[i][k] != 0)
                c->nonzero[filled++] = k;
    }
    c->nonzero_start[r] = filled;
    for (int j = 0; j < r; j++) {
        const double *y = c->Y + (size_t)j * n;
        for (int i = 0; i < r; i++) {
            double sum = 0;
            for (int k = c->nonzero_start[i]; k < c->nonzero_start[i + 1]; k++)
                sum += c->row[i][c->nonzero[k]] * y[c->nonzero[k]];
            c->D[i + (size_t)j * r] = sum;
        }
    }
}

/* Without friction: the contacts that pushed last time are tried first, by one factorisation; their
 * set is then corrected a few times (add what approaches, drop what pulls). */
static bool guess_set(carom_step_contact *c)
{
    const int r = c->count;
    double *L = c->work, *x = L + (size_t)r * r;
    int *set = c->nonzero; /* free after the Delassus matrix is made */
    unsigned char in[256];
    if (r > 256)
        return false;
    for (int i = 0; i < r; i++)
        in[i] = c->guess[c->contact[i]] != 0 || c->b[i] < 0;
    for (int round = 0; round < 6; round++) {
        int k = 0;
        for (int i = 0; i < r; i++)
            if (in[i])
                set[k++] = i;
        for (int j = 0; j < k; j++) {
            x[j] = -c->b[set[j]];
            for (int i = j; i < k; i++)
                L[i + (size_t)j * r] = c->D[set[i] + (size_t)set[j] * r];
        }
        for (int j = 0; j < k; j++) /* near dependence goes to the careful solver */
            if (!(L[j + (size_t)j * r] > 0))
                return false;
        double least = INFINITY;
        if (carom_cholesky_factor(k, L, r) != 0)
            return false;
        for (int j = 0; j < k; j++)
            least = fmin(least, L[j + (size_t)j * r] * L[j + (size_t)j * r] /
                                    c->D[set[j] + (size_t)set[j] * r]);
        if (k > 0 && least < 1e-8)
            return false;
        carom_cholesky_solve(k, L, r, x);
        bool good = true;
        memset(c->P, 0, sizeof(double) * (size_t)r);
        for (int j = 0; j < k; j++) {
            c->P[set[j]] = x[j];
            if (x[j] < 0) {
                in[set[j]] = 0;
                good = false;
            }
        }
        if (!good)
            continue;
        for (int i = 0; i < r; i++) {
            if (in[i])
                continue;
            double w = c->b[i], size = fabs(c->b[i]);
            for (int j = 0; j < k; j++) {
                w += c->D[i + (size_t)set[j] * r] * x[j];
                size += fabs(c->D[i + (size_t)set[j] * r] * x[j]);
            }
            if (w < -1e-15 * size) {
                in[i] = 1;
                good = false;
            }
        }
        if (good)
            return true;
    }
    return false;
}

static carom_status frictionless(carom_step_contact *c, double tolerance, carom_arena *scratch,
                                 double *residual, carom_error *error)
{
    if (c->count == 1) {
        c->P[0] = c->b[0] < 0 ? -c->b[0] / c->D[0] : 0;
        return CAROM_OK;
    }
    if (guess_set(c))
        return CAROM_OK;
    carom_lcp lcp = {.n = c->count, .M = c->D, .q = c->b, .symmetric = true};
    carom_lcp_info info;
    carom_mark mark = carom_arena_mark(scratch);
    carom_status status = carom_lcp_solve(&lcp, NULL, scratch, c->P, NULL, &info, error);
    carom_arena_rewind(scratch, mark);
    *residual = info.outcome == CAROM_LCP_SOLVED ? 0 : fmax(info.residual, 2 * tolerance);
    return status;
}

/* z = (P_N, s+ = mu P_N + P_T, slip-), w = (u_N, slip+, s- = mu P_N - P_T). */
static carom_status planar(carom_step_contact *c, carom_arena *scratch, bool *solved,
                           carom_error *error)
{
    const int a = c->count, t = c->tangents, r = a + t, size = a + 2 * t;
    carom_mark mark = carom_arena_mark(scratch);
    double *M = carom_arena_zeros(scratch, (size_t)size * size + 2 * (size_t)size, sizeof(double));
    if (!M)
        return carom_error_memory(error);
    double *q = M + (size_t)size * size, *z = q + size;
    for (int j = 0; j < r; j++) {
        memcpy(M + (size_t)j * size, c->D + (size_t)j * r, sizeof(double) * (size_t)r);
        q[j] = c->b[j];
    }
    for (int k = 0; k < a; k++) {
        if (c->width[k] == 0)
            continue;
        const int f = c->tangent[k];
        for (int i = 0; i < r; i++)
            M[i + (size_t)k * size] -= c->mu[k] * c->D[i + (size_t)(a + f) * r];
        M[a + f + (size_t)(r + f) * size] = 1;
        M[r + f + (size_t)(a + f) * size] = -1;
        M[r + f + (size_t)k * size] = 2 * c->mu[k];
    }
    carom_lcp lcp = {.n = size, .M = M, .q = q};
    carom_lcp_options options = {.algorithm = CAROM_LCP_LEMKE};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, &options, scratch, z, NULL, &info, error);
    *solved = status == CAROM_OK && info.outcome == CAROM_LCP_SOLVED;
    if (*solved) {
        memcpy(c->P, z, sizeof(double) * (size_t)r);
        for (int k = 0; k < a; k++)
            if (c->width[k] > 0)
                c->P[a + c->tangent[k]] -= c->mu[k] * z[k];
    }
    carom_arena_rewind(scratch, mark);
    return status;
}

/* One contact with planar friction: at most four cases, tried in the order stick, slip, open. */
static bool planar_single(carom_step_contact *c)
{
    const double *D = c->D, *b = c->b, mu = c->mu[0];
    if (b[0] >= 0) {
        c->P[0] = c->P[1] = 0;
        return true;
    }
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

/* Gauss-Seidel over contacts: normal by projection, friction by projection on its interval or disc,
 * from the impulses of the step before. */
static double iterate(carom_step_contact *c, double tolerance)
{
    const int a = c->count, r = a + c->tangents;
    double left = INFINITY, *w = c->work; /* w = D P + b, kept current */
    for (int i = 0; i < r; i++) {
        w[i] = c->b[i];
        for (int j = 0; j < r; j++)
            w[i] += c->D[i + (size_t)j * r] * c->P[j];
    }
    for (int round = 0; round < 20000 && left > tolerance; round++) {
        double change = 0, size = 0;
        for (int k = 0; k < a; k++) {
            double old[3] = {c->P[k], 0, 0}, new[3] = {0, 0, 0};
            int at[3] = {k, 0, 0};
            new[0] = fmax(0, old[0] - w[k] / c->D[k + (size_t)k * r]);
            double slope = 0, norm = 0;
            for (int f = 1; f <= c->width[k]; f++) {
                at[f] = a + c->tangent[k] + f - 1;
                slope = fmax(slope, c->D[at[f] + (size_t)at[f] * r]);
            }
            if (c->width[k] == 2)
                slope += fabs(c->D[at[1] + (size_t)at[2] * r]);
            double drift = new[0] - old[0];
            for (int f = 1; f <= c->width[k]; f++) {
                old[f] = c->P[at[f]];
                double v = w[at[f]] + c->D[at[f] + (size_t)k * r] * drift;
                new[f] = slope > 0 ? old[f] - v / slope : 0;
                norm = hypot(norm, new[f]);
            }
            if (norm > c->mu[k] * new[0])
                for (int f = 1; f <= c->width[k]; f++)
                    new[f] *= c->mu[k] * new[0] / norm;
            for (int f = 0; f <= c->width[k]; f++) {
                double d = new[f] - old[f];
                size = fmax(size, fabs(new[f]));
                if (d == 0)
                    continue;
                change = fmax(change, fabs(d));
                c->P[at[f]] = new[f];
                const double *column = c->D + (size_t)at[f] * r;
                for (int i = 0; i < r; i++)
                    w[i] += column[i] * d;
            }
        }
        left = size > 0 ? change / size : 0;
    }
    return left;
}

carom_status carom_step_contact_solve(carom_step_contact *c, double tolerance, carom_arena *scratch,
                                      double *residual, carom_error *error)
{
    *residual = 0;
    if (c->count == 0)
        return CAROM_OK;
    if (c->tangents == 0)
        return frictionless(c, tolerance, scratch, residual, error);
    bool flat = true, solved = false;
    for (int k = 0; k < c->count; k++)
        flat = flat && c->width[k] < 2;
    if (c->count == 1 && flat && planar_single(c))
        return CAROM_OK;
    if (flat && c->count <= DIRECT_LIMIT) {
        carom_status status = planar(c, scratch, &solved, error);
        if (status != CAROM_OK || solved)
            return status;
    }
    *residual = iterate(c, tolerance);
    return CAROM_OK;
}
