/* Sliding friction in normalised normal directions: mu_bar, n'H_T, D(q, mu, xi). */
#include "certify/rough.h"
#include "carom/tolerance.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

void carom_rough_directions(carom_rough *f)
{
    const carom_geometry *g = f->g;
    for (int i = 0; i < f->normal.p; i++) {
        int first = g->slip_start[i], last = g->slip_start[i + 1];
        double squared = 0;
        for (int j = first; j < last; j++)
            squared += g->slip[j] * g->slip[j];
        for (int j = first; j < last; j++)
            f->xi[j] = f->resting[i] ? (j == first) : g->slip[j] / sqrt(squared);
    }
}

carom_status carom_rough_make(const carom_geometry *g, carom_arena *arena, carom_rough *rough,
                              carom_error *error)
{
    int p = g->impact->p, n = g->impact->n, s = g->s;
    carom_rough f = {.g = g};
    carom_status status = carom_normal_make(g, arena, &f.normal, error);
    if (status)
        return status;
    double *memory = carom_arena_zeros(
        arena, 2 * (size_t)p + s + 2 * (size_t)p * s + 2 * (size_t)p * p, sizeof(double));
    f.resting = carom_arena_zeros(arena, (size_t)p + 1, sizeof(bool));
    if (!memory || !f.resting)
        return carom_error_memory(error);
    f.mu = memory;
    f.xi = f.mu + p;
    f.mu_static = f.xi + s;
    f.NH = f.mu_static + p;
    f.NH_size = f.NH + (size_t)p * s;
    f.D = f.NH_size + (size_t)p * s;
    f.D_doubt = f.D + (size_t)p * p;
    for (int i = 0; i < p; i++) {
        int first = g->slip_start[i], last = g->slip_start[i + 1];
        double squared = 0, reach = 0;
        for (int j = first; j < last; j++) {
            squared += g->slip[j] * g->slip[j];
            for (int k = 0; k < n; k++)
                reach += g->impact->H[k + (size_t)j * n] * g->Z[k + (size_t)j * n];
        }
        f.mu[i] = first < last ? g->impact->contacts[i].friction_dynamic : 0;
        f.mu_static[i] = first < last ? g->impact->contacts[i].friction_static : 0;
        f.rough = f.rough || f.mu_static[i] > 0;
        f.infinite = f.infinite || isinf(f.mu_static[i]);
        f.resting[i] = !(sqrt(squared) > CAROM_TOLERANCE_SAME * g->speed * sqrt(reach));
        double scaled = g->norm[i] > 0 ? f.mu[i] / g->norm[i] : 0;
        f.mu_norm += scaled * scaled;
        f.mu_largest = fmax(f.mu_largest, scaled);
        for (int j = first; j < last; j++)
            for (int r = 0; r < p; r++) {
                double sum = 0, size = 0;
                for (int k = 0; k < n; k++) {
                    const double t = g->Y[k + (size_t)r * n] * g->impact->H[k + (size_t)j * n];
                    sum += t;
                    size += fabs(t);
                }
                if (fabs(sum) <= 2.0 * (n + 2) * DBL_EPSILON * size || !(g->norm[r] > 0))
                    sum = size = 0;
                f.NH[r + (size_t)j * p] = size > 0 ? sum / g->norm[r] : 0;
                f.NH_size[r + (size_t)j * p] = size > 0 ? size / g->norm[r] : 0;
                if (f.mu[i] > 0)
                    f.NH_norm += f.NH[r + (size_t)j * p] * f.NH[r + (size_t)j * p];
            }
    }
    f.mu_norm = sqrt(f.mu_norm);
    f.NH_norm = sqrt(f.NH_norm);
    carom_rough_directions(&f);
    *rough = f;
    return CAROM_OK;
}

void carom_rough_matrix(carom_rough *f)
{
    int p = f->normal.p;
    const carom_geometry *g = f->g;
    double unit = 8.0 * (g->impact->n + p + 4) * DBL_EPSILON;
    memcpy(f->D, f->normal.G, sizeof(double) * p * p);
    for (int k = 0; k < p * p; k++)
        f->D_doubt[k] = f->D[k] != 0 && f->D[k] != 1 ? unit : 0;
    for (int i = 0; i < p; i++)
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++) {
            double m = g->norm[i] > 0 ? f->mu[i] * f->xi[j] / g->norm[i] : 0;
            for (int r = 0; r < p && m != 0; r++) {
                double t = f->NH[r + (size_t)j * p] * m;
                f->D[r + (size_t)i * p] -= t;
                /* the products may cancel: count their size */
                f->D_doubt[r + (size_t)i * p] += unit * fabs(m) * f->NH_size[r + (size_t)j * p];
            }
        }
}

carom_status carom_rough_norms(const carom_rough *f, carom_arena *arena, double *spectral,
                               carom_error *error)
{
    int p = f->normal.p, s = f->g->s;
    carom_mark mark = carom_arena_mark(arena);
    double *A = carom_arena_zeros(arena, (size_t)p * p + p, sizeof(double));
    if (!A)
        return carom_error_memory(error);
    for (int j = 0; j < s; j++)
        for (int b = 0; b < p; b++)
            for (int a = 0; a < p; a++)
                A[a + (size_t)b * p] += f->NH[a + (size_t)j * p] * f->NH[b + (size_t)j * p];
    carom_status status = carom_spectrum_symmetric(p, A, false, arena, A + (size_t)p * p, error);
    if (!status)
        *spectral = p ? sqrt(fmax(0, A[(size_t)p * p + p - 1])) : 0;
    carom_arena_rewind(arena, mark);
    return status;
}
