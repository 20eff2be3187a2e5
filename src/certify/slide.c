/* One slide pattern of an impact with friction: the quantities of Prop. 10/11 and of theorem 2. */
#include "certify/slide.h"

#include "linalg/lu.h"

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

carom_status carom_slide_make(const carom_rough *f, const double *E, carom_arena *arena,
                              carom_slide *slide, carom_error *error)
{
    int p = f->normal.p, s = f->g->s, n = f->g->impact->n;
    size_t pp = (size_t)p * p, sp = (size_t)s * p;
    carom_slide x = {.f = f, .E = E};
    double *memory = carom_arena_zeros(arena, (size_t)s * s + 2 * sp + 3 * pp, sizeof(double));
    carom_status status = CAROM_OK;
    if (!memory)
        return carom_error_memory(error);
    x.R = memory;
    x.P = x.R + (size_t)s * s;
    x.B = x.P + sp;
    x.inverse = x.B + sp;
    x.Q = x.inverse + pp;
    x.K = x.Q + pp;
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
    status = carom_loss_make(&f->normal, E, arena, &x.loss, error);
    *slide = x;
    return status;
}

carom_status carom_slide_pattern(carom_slide *x, carom_arena *arena, carom_error *error)
{
    const carom_rough *f = x->f;
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
