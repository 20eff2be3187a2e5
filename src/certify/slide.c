#include "certify/slide.h"

#include "impact/joints.h"
#include "linalg/lu.h"
#include "linalg/pivoted_cholesky.h"

#include <math.h>
#include <string.h>

/* A (m x n) += B (m x k) C (k x n) */
static void multiply(int m, int k, int n, const double *B, const double *C, double *A)
{
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++)
            for (int i = 0; i < m; i++)
                A[i + (size_t)j * m] += B[i + (size_t)l * m] * C[l + (size_t)j * k];
}

carom_status carom_slide_make(const carom_friction *f, const double *E, carom_arena *arena,
                              carom_slide *slide, carom_error *error)
{
    int p = f->normal.p, s = f->g->s, n = f->g->impact->n;
    size_t pp = (size_t)p * p, sp = (size_t)s * p;
    carom_slide x = {.f = f, .E = E};
    double *memory = carom_arena_zeros(arena, (size_t)s * s + 2 * sp + 4 * pp, sizeof(double));
    if (!memory)
        return carom_error_memory(error);
    x.R = memory;
    x.P = x.R + (size_t)s * s;
    x.B = x.P + sp;
    x.inverse = x.B + sp;
    x.Q = x.inverse + pp;
    x.K = x.Q + pp;
    x.C = x.K + pp;
    const double *K = f->normal.K;
    for (int i = 0; i < p; i++)
        for (int j = 0; j < s; j++)
            for (int k = 0; k < p; k++)
                x.P[j + (size_t)i * s] += f->NH[k + (size_t)j * p] * K[k + (size_t)i * p];
    for (int j = 0; j < s; j++)
        for (int i = 0; i < s; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += f->g->impact->H[k + (size_t)i * n] * f->g->Z[k + (size_t)j * n];
            for (int k = 0; k < p; k++)
                sum -= x.P[i + (size_t)k * s] * f->NH[k + (size_t)j * p];
            x.R[i + (size_t)j * s] = sum;
        }
    /* C = sym (I - E)'K(I + E); Q holds K(I + E) for the moment */
    memcpy(x.Q, K, pp * sizeof(double));
    multiply(p, p, p, K, E, x.Q);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double sum = x.Q[i + (size_t)j * p] + x.Q[j + (size_t)i * p];
            for (int k = 0; k < p; k++)
                sum -= E[k + (size_t)i * p] * x.Q[k + (size_t)j * p] +
                       E[k + (size_t)j * p] * x.Q[k + (size_t)i * p];
            x.C[i + (size_t)j * p] = 0.5 * sum;
        }
    *slide = x;
    return CAROM_OK;
}

carom_status carom_slide_pattern(carom_slide *x, carom_arena *arena, carom_error *error)
{
    const carom_friction *f = x->f;
    int p = f->normal.p, s = f->g->s;
    carom_mark mark = carom_arena_mark(arena);
    double *D = carom_arena_doubles(arena, (size_t)p * p + (size_t)s * p);
    int *pivot = carom_arena_array(arena, p, sizeof(int));
    if (!D || !pivot)
        return carom_error_memory(error);
    double *RB = D + (size_t)p * p;
    memcpy(D, f->D, sizeof(double) * p * p);
    memset(x->inverse, 0, sizeof(double) * p * p);
    for (int i = 0; i < p; i++)
        x->inverse[i * (size_t)(p + 1)] = 1;
    x->regular = carom_lu_factor(p, D, p, pivot, 0) == 0;
    for (int j = 0; x->regular && j < p; j++)
        carom_lu_solve(p, D, p, pivot, x->inverse + (size_t)j * p);
    double size = carom_normal_frobenius(p, p, x->inverse);
    x->regular = x->regular && isfinite(size) && size * carom_normal_frobenius(p, p, f->D) < 1e12;
    if (x->regular) {
        memcpy(x->Q, x->inverse, sizeof(double) * p * p);
        multiply(p, p, p, x->inverse, x->E, x->Q);
        memset(x->B, 0, sizeof(double) * s * p);
        for (int i = 0; i < p; i++)
            for (int j = f->g->slip_start[i]; j < f->g->slip_start[i + 1]; j++)
                for (int c = 0; c < p; c++)
                    x->B[j + (size_t)c * s] =
                        f->mu[i] * f->xi[j] / f->g->norm[i] * x->Q[i + (size_t)c * p];
        memset(RB, 0, sizeof(double) * s * p);
        multiply(s, s, p, x->R, x->B, RB);
        for (int j = 0; j < p; j++)
            for (int i = 0; i < p; i++) {
                double sum = 0;
                for (int k = 0; k < s; k++)
                    sum += x->B[k + (size_t)i * s] * RB[k + (size_t)j * s];
                x->K[i + (size_t)j * p] = sum;
            }
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* x += the velocity without normal part whose slips are tau: sum_j ztilde_j a_j, R a = tau, where
 * ztilde_j = M^-1 h_j less its normal part. False when tau is not in the range of R. */
static bool add_tangential(const carom_slide *slide, const double *tau, double *x, double *a,
                           double *factor, int *pivot, double *space)
{
    const carom_friction *f = slide->f;
    int p = f->normal.p, s = f->g->s, n = f->g->impact->n;
    memcpy(factor, slide->R, sizeof(double) * s * s);
    memcpy(a, tau, sizeof(double) * s);
    int rank = carom_pivoted_cholesky_factor(s, factor, s, 1e-11, pivot, space);
    carom_pivoted_cholesky_solve(s, rank, factor, s, pivot, a, space);
    double size = 0, miss = 0;
    for (int i = 0; i < s; i++) {
        double sum = -tau[i];
        for (int j = 0; j < s; j++)
            sum += slide->R[i + (size_t)j * s] * a[j];
        size = fmax(size, fabs(tau[i]));
        miss = fmax(miss, fabs(sum));
    }
    if (miss > 1e-8 * size)
        return false;
    for (int j = 0; j < s; j++)
        for (int k = 0; k < n; k++) {
            double z = f->g->Z[k + (size_t)j * n];
            for (int i = 0; i < p; i++)
                z -= f->g->Y[k + (size_t)i * n] / f->g->norm[i] * slide->P[j + (size_t)i * s];
            x[k] += z * a[j];
        }
    return true;
}

carom_status carom_slide_run(const carom_slide *slide, const double *v, const double *tau,
                             double speed, carom_arena *arena, double **u, carom_outcome *outcome,
                             bool *done, carom_error *error)
{
    const carom_friction *f = slide->f;
    const carom_geometry *g = f->g;
    int p = f->normal.p, s = g->s, n = g->impact->n;
    carom_impact *impact = carom_arena_array(arena, 1, sizeof *impact);
    carom_geometry *other = carom_arena_array(arena, 1, sizeof *other);
    double *x = carom_arena_zeros(arena, (size_t)n + 3 * (size_t)s + (size_t)s * s, sizeof(double));
    int *pivot = carom_arena_array(arena, s, sizeof(int));
    if (!impact || !other || !x || !pivot)
        return carom_error_memory(error);
    double *a = x + n, *space = a + s, *factor = space + 2 * s;
    for (int i = 0; i < p; i++) {
        double c = 0;
        for (int j = 0; j < p; j++)
            c += f->normal.K[i + (size_t)j * p] * v[j];
        for (int k = 0; k < n; k++)
            x[k] += g->Y[k + (size_t)i * n] * (c / g->norm[i]);
    }
    *done = add_tangential(slide, tau, x, a, factor, pivot, space);
    if (!*done)
        return CAROM_OK;
    double size = sqrt(carom_geometry_dot(g, x, x));
    double factor_u = size > 0 ? (speed > 0 ? speed : 1) / size : 1;
    for (int k = 0; k < n; k++)
        x[k] = g->b_slip[k] + factor_u * x[k];
    *impact = *g->impact;
    impact->u = x;
    carom_status status = carom_impact_derive(impact, arena, other, error);
    if (!status)
        status = carom_outcome_create(other, arena, outcome, error);
    if (status)
        return status;
    for (int i = 0; i < p; i++) {
        double sum = 0;
        for (int j = 0; j < p; j++)
            sum -= slide->Q[i + (size_t)j * p] * v[j] * factor_u;
        outcome->impulse[i] = sum / g->norm[i];
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
            outcome->tangential_impulse[j] = -f->mu[i] * f->xi[j] * outcome->impulse[i];
    }
    carom_outcome_from_impulses(other, outcome);
    *u = x;
    return carom_outcome_complete(other, arena, outcome, error);
}
