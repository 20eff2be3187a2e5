/* Planar friction as a linear complementarity problem (docs/theory/coulomb.md).
 *
 * Per frictional contact x_T = y1 - y2, and the auxiliary speed l:
 *     x_N >= 0  perp  xi_N >= 0
 *     y1  >= 0  perp  xi_T + l >= 0
 *     y2  >= 0  perp -xi_T + l >= 0
 *     l   >= 0  perp  mu x_N - y1 - y2 >= 0.
 * The matrix is copositive (z'Mz = x'Ax + sum mu x_N l), so Lemke's method ends on a ray only if
 * the problem may have no solution. */
#include "carom/lcp.h"
#include "law/friction.h"

#include <math.h>

typedef struct build {
    const carom_friction *f;
    int n;
    double *M, *q;
} build;

/* Column of x_r in variable terms: row `out` of the LCP gets sign * A[row, r]. */
static void fill_rows(build *b, int r, double sign, double *column)
{
    const carom_friction *f = b->f;
    for (int i = 0, v = 0; i < f->p; i++) {
        int n = f->row[i];
        column[v++] = sign * f->A[n + (size_t)r * f->N];
        if (f->row[i + 1] - n < 2)
            continue;
        double a = sign * f->A[n + 1 + (size_t)r * f->N];
        column[v++] = a;
        column[v++] = -a;
        column[v++] = 0;
    }
}

static void fill(build *b)
{
    const carom_friction *f = b->f;
    for (int i = 0, v = 0; i < f->p; i++) {
        int r = f->row[i];
        bool rough = f->row[i + 1] - r > 1;
        fill_rows(b, r, 1, b->M + (size_t)v * b->n);
        b->q[v] = f->b[r];
        if (!rough) {
            v++;
            continue;
        }
        fill_rows(b, r + 1, 1, b->M + (size_t)(v + 1) * b->n);
        fill_rows(b, r + 1, -1, b->M + (size_t)(v + 2) * b->n);
        double *l = b->M + (size_t)(v + 3) * b->n;
        for (int k = 0; k < b->n; k++)
            l[k] = 0;
        l[v + 1] = l[v + 2] = 1;
        b->M[v + 3 + (size_t)v * b->n] = f->mu_d[i];
        b->M[v + 3 + (size_t)(v + 1) * b->n] = b->M[v + 3 + (size_t)(v + 2) * b->n] = -1;
        b->q[v + 1] = f->b[r + 1];
        b->q[v + 2] = -f->b[r + 1];
        b->q[v + 3] = 0;
        v += 4;
    }
}

carom_status carom_friction_lcp(const carom_friction *problem, carom_arena *arena, double *x,
                                bool *found, carom_error *error)
{
    const carom_friction *f = problem;
    build b = {.f = f};
    *found = false;
    for (int i = 0; i < f->p; i++) {
        int s = f->row[i + 1] - f->row[i] - 1;
        if (s > 1 || f->equality[i] || (s && !isfinite(f->mu_d[i])))
            return CAROM_OK;
        b.n += s ? 4 : 1;
    }
    carom_mark mark = carom_arena_mark(arena);
    b.M = carom_arena_doubles(arena, (size_t)b.n * b.n);
    b.q = carom_arena_doubles(arena, (size_t)b.n);
    double *z = carom_arena_doubles(arena, (size_t)b.n);
    if (!b.M || !b.q || !z)
        return carom_error_memory(error);
    fill(&b);
    carom_lcp lcp = {.n = b.n, .M = b.M, .q = b.q};
    carom_lcp_options options = {.algorithm = CAROM_LCP_LEMKE};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, &options, arena, z, NULL, &info, error);
    if (status < 0)
        return status;
    /* judged by our own measure, whatever Lemke says of its end */
    for (int i = 0, v = 0; i < f->p; i++) {
        bool rough = f->row[i + 1] - f->row[i] > 1;
        x[f->row[i]] = z[v];
        if (rough)
            x[f->row[i] + 1] = z[v + 1] - z[v + 2];
        v += rough ? 4 : 1;
    }
    *found = carom_friction_residual(f, x) < 1e-9;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
