/* The quadratic form of the energy that an impact with friction takes away, in impulses. */
#include "certify/sliding_form.h"

#include "carom/tolerance.h"
#include "linalg/basis.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef carom_sliding_form form;

/* Has slip j friction? */
static bool is_rough(const form *f, int j)
{
    return f->w->f.mu_static[f->owner[j]] > 0;
}

double carom_sliding_form_tangential(const form *f, int i)
{
    return f->w->g->impact->contacts[i].tangential_restitution;
}

/* X = (I + E)^-1 (G N), unless I + E is singular. */
static carom_status find_X(form *f)
{
    const size_t p = (size_t)f->p;
    f->regular = isfinite(f->w->conditioning);
    memcpy(f->X, f->w->f.normal.G, sizeof(double) * p * p);
    memcpy(f->X + p * p, f->w->f.NH, sizeof(double) * p * (size_t)f->s);
    return f->regular ? carom_sliding_divide(f->w, f->N, f->X) : CAROM_OK;
}

/* The size of the terms of entry (i, j) of (G N), 0 where it is exactly zero. */
static double reach(const form *f, int i, int j)
{
    const int p = f->p;
    return j < p ? f->w->f.normal.G[i + (size_t)j * p] != 0
                 : f->w->f.NH_size[i + (size_t)(j - p) * p];
}

/* Entry (i, j) of the matrix before it is made symmetric, and the size of its terms. */
static double entry(const form *f, int i, int j, double *size)
{
    const int p = f->p, s = f->s;
    if (i < p && f->w->diagonal) {
        const double e = f->w->E[i * (size_t)(p + 1)];
        *size = fabs((1 - e) / (1 + e)) * reach(f, i, j);
        return (1 - e) * f->X[i + (size_t)j * p];
    }
    if (i < p) {
        double sum = f->X[i + (size_t)j * p];
        *size = reach(f, i, j) + fabs(sum);
        for (int k = 0; k < p; k++) {
            const double t = f->w->E[i + (size_t)k * p] * f->X[k + (size_t)j * p];
            sum -= t;
            *size += fabs(t) + fabs(f->w->E[i + (size_t)k * p]) * reach(f, k, j);
        }
        return sum;
    }
    const int k = i - p;
    const double et = carom_sliding_form_tangential(f, f->owner[k]), factor = (1 - et) / (1 + et);
    if (j < p) {
        *size = factor * f->w->f.NH_size[j + (size_t)k * p];
        return factor * f->w->f.NH[j + (size_t)k * p];
    }
    const double value = f->S[k + (size_t)(j - p) * s];
    *size =
        value == 0 ? 0 : factor * sqrt(f->S[k * (size_t)(s + 1)] * f->S[(j - p) * (size_t)(s + 1)]);
    return factor * value;
}

static carom_status find_form(form *f)
{
    carom_sliding *w = f->w;
    const carom_geometry *g = w->g;
    const int n = g->impact->n;
    const size_t p = (size_t)f->p, s = (size_t)f->s, N = p + s;
    double *memory = carom_arena_zeros(w->arena, p * N + 2 * N * N + 3 * s * s, sizeof(double));
    f->concerned = carom_arena_zeros(w->arena, p + 1, sizeof(bool));
    if (!memory || !f->concerned)
        return carom_error_memory(w->error);
    f->X = memory;
    f->A = f->X + p * N;
    f->doubt = f->A + N * N;
    f->S = f->doubt + N * N;
    f->kernel = f->S + s * s;
    f->Pi = f->kernel + s * s;
    for (int j = 0; j < f->s; j++)
        for (int i = 0; i < f->s; i++)
            f->S[i + (size_t)j * s] =
                carom_dense_dot(n, g->impact->H + (size_t)i * n, g->Z + (size_t)j * n);
    for (int j = 0; j < f->s; j++) /* right angles within rounding are taken for such */
        for (int i = 0; i < f->s; i++)
            if (fabs(f->S[i + (size_t)j * s]) <=
                2.0 * (n + 2) * DBL_EPSILON * sqrt(f->S[i * (s + 1)] * f->S[j * (s + 1)]))
                f->S[i + (size_t)j * s] = 0;
    carom_status status = find_X(f);
    if (status || !f->regular)
        return status;
    const double unit = 8.0 * (n + f->p + 4) * DBL_EPSILON * w->conditioning;
    for (int j = 0; j < f->N; j++)
        for (int i = 0; i <= j; i++) {
            double one, two;
            const double value = 0.5 * (entry(f, i, j, &one) + entry(f, j, i, &two));
            f->A[i + (size_t)j * N] = f->A[j + (size_t)i * N] = value;
            f->doubt[i + (size_t)j * N] = f->doubt[j + (size_t)i * N] = 0.5 * unit * (one + two);
        }
    return CAROM_OK;
}

/* Pi = I - Q Q', Q an orthonormal basis of the kernel; entries that are rounding are zero. */
static void find_projector(form *f)
{
    const int s = f->s;
    carom_basis basis;
    carom_basis_create(s, f->kernels, f->w->arena, &basis);
    for (int c = 0; c < f->kernels; c++)
        carom_basis_add(&basis, f->kernel + (size_t)c * s, CAROM_TOLERANCE_SAME);
    for (int c = 0; c < basis.k; c++)
        for (int j = 0; j < s; j++)
            for (int i = 0; i < s; i++)
                f->Pi[i + (size_t)j * s] -= basis.Q[i + (size_t)c * s] * basis.Q[j + (size_t)c * s];
    for (int k = 0; k < s * s; k++)
        f->Pi[k] = f->kernels < s && fabs(f->Pi[k]) > CAROM_TOLERANCE_CARRIED ? f->Pi[k] : 0;
}

/* The slips that depend on each other and on the normals: the kernel of S - N'G^-1 N. */
static carom_status find_kernel(form *f)
{
    carom_sliding *w = f->w;
    const carom_geometry *g = w->g;
    const int n = g->impact->n, s = f->s;
    carom_basis basis;
    const size_t numbers = (size_t)n + (size_t)s * s + s;
    carom_status status = carom_arena_reserve(
        w->arena, carom_arena_bytes(numbers, sizeof(double)) + carom_basis_bytes(n, f->N),
        w->error);
    if (status)
        return status;
    double *column = carom_arena_reserved(w->arena, numbers, sizeof *column);
    carom_basis_create(n, f->N, w->arena, &basis);
    const double rounding = CAROM_TOLERANCE_REFINED * (n + f->N);
    double *R = column + n, *values = R + (size_t)s * s;
    for (int j = 0; j < f->N; j++) {
        if (j >= f->p && !is_rough(f, j - f->p))
            continue; /* a slip without friction may be anything */
        carom_sliding_column(g, j, column);
        if (!carom_basis_add(&basis, column, rounding) && j >= f->p)
            f->kernels++;
    }
    memcpy(R, w->slide.R, sizeof(double) * (size_t)s * s);
    for (int j = 0; j < s; j++) /* slips in units of their own */
        for (int i = 0; i < s; i++) {
            const double units = sqrt(f->S[i * (size_t)(s + 1)] * f->S[j * (size_t)(s + 1)]);
            R[i + (size_t)j * s] = !is_rough(f, i) || !is_rough(f, j) ? i == j
                                   : units > 0                        ? R[i + (size_t)j * s] / units
                                                                      : 0;
        }
    status = carom_spectrum_symmetric(s, R, true, w->arena, values, w->error);
    for (int j = 0; j < s; j++)
        f->Pi[j * (size_t)(s + 1)] = 1;
    for (int c = 0; c < f->kernels && !status; c++) {
        const double *own = R + (size_t)c * s;
        for (int j = 0; j < s; j++) {
            const double size = sqrt(f->S[j * (size_t)(s + 1)]);
            f->kernel[j + (size_t)c * s] = size > 0 ? own[j] / size : own[j];
            f->concerned[f->owner[j]] |= fabs(own[j]) > CAROM_TOLERANCE_SAME && is_rough(f, j);
        }
    }
    if (!status)
        status = carom_arena_reserve(w->arena, carom_basis_bytes(s, f->kernels), w->error);
    if (!status)
        find_projector(f);
    return status;
}

carom_status carom_sliding_form_make(carom_sliding *w, form *made)
{
    form f = {.w = w, .p = w->f.normal.p, .s = w->g->s};
    f.N = f.p + f.s;
    f.owner = carom_arena_array(w->arena, (size_t)f.s + 1, sizeof *f.owner);
    if (!f.owner)
        return carom_error_memory(w->error);
    for (int i = 0; i < f.p; i++)
        for (int j = w->g->slip_start[i]; j < w->g->slip_start[i + 1]; j++)
            f.owner[j] = i;
    carom_status status = find_form(&f);
    if (!status && f.regular)
        status = find_kernel(&f);
    *made = f;
    return status;
}

/* One factor (1 - e)/(1 + e) = (1 - e_t)/(1 + e_t) >= 0 for all: the form is that times the kinetic
 * norm of the jump. */
static bool is_alike(const form *f)
{
    double factor = NAN;
    bool alike = f->w->diagonal;
    for (int i = 0; i < f->p; i++) {
        const double e = f->w->E[i * (size_t)(f->p + 1)], own = (1 - e) / (1 + e);
        const double et = carom_sliding_form_tangential(f, i);
        factor = i == 0 ? own : factor;
        alike = alike && own == factor && own >= 0;
        alike = alike && (!(f->w->f.mu_static[i] > 0) || (1 - et) / (1 + et) == factor);
    }
    return alike;
}

/* Does slip j change nothing, since the normal velocities determine it? Only where slips that
 * depend do so one by one. */
static bool is_bound(const form *f, int j)
{
    const int s = f->s;
    for (int k = 0; k < s * s; k++)
        if (f->Pi[k] != 0 && k % (s + 1) != 0)
            return false;
    return f->Pi[j * (size_t)(s + 1)] == 0;
}

/* The same form in (x, p_T): x'C x + p_T'D(2 P(E - e_t)x + (1 - e_t)R p_T), D = diag 1/(1 + e_t).
 * Rows that are exactly zero (E = I) show here, and slips that are bound drop out. row: N numbers.
 * Returns the count of rows. */
static int fill_velocity_form(const form *f, double *F, double *doubt, int *row)
{
    const carom_slide *slide = &f->w->slide;
    const int p = f->p, s = f->s, N = f->N;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            F[i + (size_t)j * N] = slide->loss.C[i + (size_t)j * p];
            doubt[i + (size_t)j * N] = slide->loss.C_doubt[i + (size_t)j * p];
        }
    for (int j = 0; j < s; j++) {
        const double et = carom_sliding_form_tangential(f, f->owner[j]);
        for (int i = 0; i < p; i++) {
            double sum = -et * slide->P[j + (size_t)i * s], size = fabs(sum);
            for (int k = 0; k < p; k++) {
                const double t = slide->P[j + (size_t)k * s] * f->w->E[k + (size_t)i * p];
                sum += t;
                size += fabs(t);
            }
            const size_t at = (size_t)i + (size_t)(p + j) * N,
                         other = (size_t)(p + j) + (size_t)i * N;
            F[at] = F[other] = sum / (1 + et);
            doubt[at] = doubt[other] = f->w->doubt * size;
        }
        for (int l = 0; l < s; l++) {
            const double other = carom_sliding_form_tangential(f, f->owner[l]);
            const double R = slide->R[j + (size_t)l * s];
            const size_t at = (size_t)(p + j) + (size_t)(p + l) * N;
            F[at] = 0.5 * R * ((1 - et) / (1 + et) + (1 - other) / (1 + other));
            doubt[at] = f->w->doubt * sqrt(f->S[j * (size_t)(s + 1)] * f->S[l * (size_t)(s + 1)]);
        }
    }
    int count = 0;
    for (int i = N - 1; i >= 0; i--) { /* slips first, then the normals that they leave */
        bool drops = i >= p ? !is_rough(f, i - p) || is_bound(f, i - p)
                            : F[i * (size_t)(N + 1)] == 0 && doubt[i * (size_t)(N + 1)] == 0;
        for (int k = 0; k < p && i < p && drops; k++)
            drops = F[k + (size_t)i * N] == 0 && doubt[k + (size_t)i * N] == 0;
        for (int k = 0; k < count && i < p && drops; k++)
            drops = F[row[k] + (size_t)i * N] == 0 && doubt[row[k] + (size_t)i * N] == 0;
        if (!drops)
            row[count++] = i;
    }
    return count;
}

carom_status carom_sliding_form_semidefinite(const form *f, bool *proved, bool *free)
{
    const size_t N = (size_t)f->N;
    carom_mark mark = carom_arena_mark(f->w->arena);
    double *F = carom_arena_zeros(f->w->arena, 3 * N * N, sizeof *F);
    int *row = carom_arena_array(f->w->arena, N, sizeof *row);
    if (!F || !row)
        return carom_error_memory(f->w->error);
    double *doubt = F + N * N, *S = doubt + N * N;
    const int count = fill_velocity_form(f, F, doubt, row);
    for (int b = 0; b < count; b++) {
        double size = 0, off = 0;
        for (int a = 0; a < count; a++) {
            const size_t at = (size_t)row[a] + (size_t)row[b] * N;
            S[a + (size_t)b * count] = F[at];
            size += fabs(F[at]);
            off += doubt[at];
        }
        S[b * (size_t)(count + 1)] -= off + 4.0 * f->N * DBL_EPSILON * size;
    }
    const bool alike = is_alike(f);
    *proved = alike || carom_cholesky_factor(count, S, count) == 0;
    *free = alike || f->kernels == 0;
    carom_arena_rewind(f->w->arena, mark);
    return CAROM_OK;
}
