/* Cones of impacts with friction on which the energy taken away is a quadratic form. */
#include "certify/sliding_cone.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef carom_sliding_form form;
typedef carom_sliding_cone cone;

/* Entries of equations and conditions below this part of the largest are rounding. */
static const double clean = CAROM_TOLERANCE_REFINED;

static carom_status take(const form *f, int most, cone *c)
{
    const size_t m = (size_t)most, p = (size_t)f->p, s = (size_t)f->s, N = (size_t)f->N;
    *c = (cone){.form = f};
    c->x = carom_arena_zeros(f->w->arena, m * (p + N + s + 2 * m + 2 * p + s), sizeof(double));
    if (!c->x)
        return carom_error_memory(f->w->error);
    c->r = c->x + m * p;
    c->sigma = c->r + m * N;
    c->B = c->sigma + m * s;
    c->doubt = c->B + m * m;
    c->Q = c->doubt + m * m;
    return CAROM_OK;
}

/* The edge p_T = slope pbar/|w| of contact i. */
static void add_edge(cone *c, int i, double slope)
{
    const form *f = c->form;
    double *r = c->r + (size_t)c->m++ * f->N;
    r[i] = 1;
    if (slope != 0)
        r[f->p + f->w->g->slip_start[i]] = slope / f->w->g->norm[i];
}

/* B[a, b] += value, and symmetric. */
static void add_entry(cone *c, int a, int b, double value, double size)
{
    c->B[a + (size_t)b * c->m] += value;
    c->doubt[a + (size_t)b * c->m] += size;
    if (a != b) {
        c->B[b + (size_t)a * c->m] += value;
        c->doubt[b + (size_t)a * c->m] += size;
    }
}

/* Row of Q: coefficients that are rounding are zero. */
static void clean_row(const cone *c, double *row)
{
    const double size = carom_dense_max(c->m, row);
    for (int a = 0; a < c->m; a++)
        row[a] = fabs(row[a]) > clean * size ? row[a] : 0;
}

/* x'Ay over vectors of n, and the same of magnitudes with the doubts of A. */
static double product(int n, const double *A, const double *doubt, const double *x, const double *y,
                      double *size)
{
    double sum = 0;
    *size = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && y[j] != 0; i++) {
            if (x[i] == 0)
                continue;
            const double a = A[i + (size_t)j * n], t = fabs(x[i] * y[j]);
            sum += x[i] * a * y[j];
            *size += t * ((doubt ? doubt[i + (size_t)j * n] : 0) + 8 * DBL_EPSILON * fabs(a));
        }
    return sum;
}

carom_status carom_sliding_cone_plain(const form *f, cone *made)
{
    cone c;
    const int p = f->p;
    carom_status status = take(f, 2 * p, &c);
    if (status)
        return status;
    for (int i = 0; i < p; i++) {
        const double mu = f->w->f.mu_static[i];
        add_edge(&c, i, mu);
        if (mu > 0)
            add_edge(&c, i, -mu);
    }
    for (int b = 0; b < c.m; b++)
        for (int i = 0; i < p; i++)
            for (int k = 0; k < f->N; k++)
                c.x[i + (size_t)b * p] += f->X[i + (size_t)k * p] * c.r[k + (size_t)b * f->N];
    for (int b = 0; b < c.m; b++)
        for (int a = 0; a <= b; a++) {
            double size;
            const double value = product(f->N, f->A, f->doubt, c.r + (size_t)a * f->N,
                                         c.r + (size_t)b * f->N, &size);
            add_entry(&c, a, b, value, size);
        }
    for (int i = 0; i < p; i++) {
        double *row = c.Q + (size_t)c.inequalities++ * c.m;
        for (int a = 0; a < c.m; a++)
            row[a] = c.x[i + (size_t)a * p];
        clean_row(&c, row);
    }
    *made = c;
    return CAROM_OK;
}

/* (Theta'v_t-)_j for variable a:  (sigma - P(E - e_t)x - R p_T)_j/(1 + e_t). */
static double before(const cone *c, int a, int j)
{
    const form *f = c->form;
    const int p = f->p, s = f->s;
    const double *x = c->x + (size_t)a * p, *p_T = c->r + (size_t)a * f->N + p;
    const double et = carom_sliding_form_tangential(f, f->owner[j]);
    double sum = c->sigma[j + (size_t)a * s];
    for (int i = 0; i < p; i++) {
        double y = -et * x[i];
        for (int k = 0; k < p; k++)
            y += f->w->E[i + (size_t)k * p] * x[k];
        sum -= f->w->slide.P[j + (size_t)i * s] * y;
    }
    for (int l = 0; l < s; l++)
        sum -= f->w->slide.R[j + (size_t)l * s] * p_T[l];
    return sum / (1 + et);
}

/* beta = 2 Theta'v_t- + R p_T of every variable (s x m). */
static void find_beta(const cone *c, double *beta)
{
    const form *f = c->form;
    for (int a = 0; a < c->m; a++)
        for (int j = 0; j < f->s; j++) {
            double sum = 2 * before(c, a, j);
            for (int l = 0; l < f->s; l++)
                sum += f->w->slide.R[j + (size_t)l * f->s] * c->r[f->p + l + (size_t)a * f->N];
            beta[j + (size_t)a * f->s] = sum;
        }
}

/* What variable a pushes, q = pbar + P'p_T (p), and loses, y = (I - E)x (p); sizes of their terms
 * behind them. */
static void find_work(const cone *c, int a, double *q, double *y)
{
    const form *f = c->form;
    const int p = f->p, s = f->s;
    const double *x = c->x + (size_t)a * p, *r = c->r + (size_t)a * f->N;
    for (int i = 0; i < p; i++) {
        q[i] = r[i];
        q[p + i] = 0;
        for (int j = 0; j < s; j++) {
            const double t = f->w->slide.P[j + (size_t)i * s] * r[p + j];
            q[i] += t;
            q[p + i] += fabs(t);
        }
        y[i] = x[i];
        y[p + i] = 0;
        for (int k = 0; k < p; k++)
            y[i] -= f->w->E[i + (size_t)k * p] * x[k];
        for (int k = 0; k < p && !f->w->diagonal; k++)
            y[p + i] += fabs(f->w->E[i + (size_t)k * p] * x[k]);
    }
}

/* The form of a pattern: -2 (T+ - T-) = (pbar + P'p_T)'(I - E)x - p_T'Pi beta, where (I - E)x and
 * products of what is not negative keep their zeros and signs. */
static carom_status fill_pattern(cone *c)
{
    const form *f = c->form;
    const int p = f->p, s = f->s;
    const size_t m = (size_t)c->m;
    double *beta = carom_arena_doubles(f->w->arena, m * (size_t)(s + 4 * p) + 1);
    if (!beta)
        return carom_error_memory(f->w->error);
    double *q = beta + m * (size_t)s, *y = q + 2 * m * (size_t)p;
    find_beta(c, beta);
    for (size_t a = 0; a < m; a++)
        find_work(c, (int)a, q + 2 * a * (size_t)p, y + 2 * a * (size_t)p);
    for (int b = 0; b < c->m; b++)
        for (int a = 0; a <= b; a++) {
            const double *qa = q + 2 * (size_t)a * p, *qb = q + 2 * (size_t)b * p;
            const double *ya = y + 2 * (size_t)a * p, *yb = y + 2 * (size_t)b * p;
            double value = 0, size = 0;
            for (int i = 0; i < p; i++) {
                value += 0.5 * (qa[i] * yb[i] + qb[i] * ya[i]);
                size += f->w->doubt * 0.5 *
                        (qa[p + i] * fabs(yb[i]) + qb[p + i] * fabs(ya[i]) +
                         fabs(qa[i]) * yb[p + i] + fabs(qb[i]) * ya[p + i]);
            }
            for (int i = 0; i < s; i++)
                for (int j = 0; j < s; j++) {
                    const double Pi = f->Pi[i + (size_t)j * s];
                    const double t = c->r[p + i + (size_t)a * f->N] * beta[j + (size_t)b * s] +
                                     c->r[p + i + (size_t)b * f->N] * beta[j + (size_t)a * s];
                    value -= 0.5 * Pi * t;
                    size += f->w->doubt * fabs(Pi * t);
                }
            add_entry(c, a, b, value, size);
        }
    return CAROM_OK;
}

/* (I + E)x = G pbar + N p_T, and k'Theta'v_t- = 0 for slips that depend. */
static void fill_equations(cone *c)
{
    const form *f = c->form;
    const int p = f->p, s = f->s;
    for (int i = 0; i < p; i++) {
        double *row = c->Q + (size_t)c->equalities++ * c->m;
        for (int a = 0; a < c->m; a++) {
            const double *x = c->x + (size_t)a * p, *r = c->r + (size_t)a * f->N;
            row[a] = x[i];
            for (int k = 0; k < p; k++)
                row[a] +=
                    f->w->E[i + (size_t)k * p] * x[k] - f->w->f.normal.G[i + (size_t)k * p] * r[k];
            for (int j = 0; j < s; j++)
                row[a] -= f->w->f.NH[i + (size_t)j * p] * r[p + j];
        }
        clean_row(c, row);
    }
    for (int k = 0; k < f->kernels; k++) {
        double *row = c->Q + (size_t)c->equalities++ * c->m;
        for (int a = 0; a < c->m; a++) {
            row[a] = 0;
            for (int j = 0; j < s; j++)
                row[a] += f->kernel[j + (size_t)k * s] * before(c, a, j);
        }
        clean_row(c, row);
    }
}

carom_status carom_sliding_cone_pattern(const form *f, const unsigned char *pattern, cone *made)
{
    cone c;
    const int p = f->p;
    carom_status status = take(f, 3 * p, &c);
    if (status)
        return status;
    for (int i = 0; i < p; i++)
        c.x[i + (size_t)c.m++ * p] = 1;
    for (int i = 0; i < p; i++) {
        const double mu_s = f->w->f.mu_static[i], mu_d = f->w->f.mu[i];
        const int sign = pattern[i] == CAROM_MODE_SLIP_PLUS ? 1 : -1;
        if (!(mu_s > 0)) {
            add_edge(&c, i, 0);
        } else if (pattern[i] == CAROM_MODE_STICK) {
            add_edge(&c, i, mu_s);
            add_edge(&c, i, -mu_s);
        } else {
            add_edge(&c, i, -sign * mu_d);
            c.sigma[f->w->g->slip_start[i] + (size_t)c.m++ * f->s] = sign;
        }
    }
    status = fill_pattern(&c);
    if (!status)
        fill_equations(&c);
    *made = c;
    return status;
}

carom_status carom_sliding_cone_rays(const cone *c, int most, carom_rays *rays, bool *cut)
{
    carom_arena *arena = c->form->w->arena;
    carom_error *error = c->form->w->error;
    carom_status status = carom_rays_start(rays, c->m, arena, error);
    *cut = false;
    for (int k = 0; k < c->equalities + c->inequalities && !status && !*cut; k++) {
        const double *row = c->Q + (size_t)k * c->m;
        bool cuts = k < c->equalities;
        for (int a = 0; a < c->m; a++)
            cuts = cuts || row[a] < 0;
        if (cuts)
            status =
                carom_rays_cut(rays, row, k < c->equalities, CAROM_TOLERANCE_SOLVED, arena, error);
        *cut = rays->count > 4 * most;
    }
    *cut = *cut || rays->count > most;
    return status;
}

carom_status carom_sliding_cone_velocity(const cone *c, const double *t, double *v_n, double *v_T)
{
    const form *f = c->form;
    const int p = f->p, s = f->s;
    double *r = carom_arena_zeros(f->w->arena, (size_t)f->N + (size_t)s, sizeof *r);
    if (!r)
        return carom_error_memory(f->w->error);
    double *sigma = r + f->N;
    memset(v_n, 0, sizeof *v_n * (size_t)p);
    for (int a = 0; a < c->m; a++) {
        carom_dense_axpy(p, -t[a], c->x + (size_t)a * p, v_n);
        carom_dense_axpy(f->N, t[a], c->r + (size_t)a * f->N, r);
        carom_dense_axpy(s, t[a], c->sigma + (size_t)a * s, sigma);
    }
    for (int j = 0; j < s; j++) { /* the jump of slip is N'pbar + S p_T */
        double jump = 0;
        for (int i = 0; i < p; i++)
            jump += f->w->f.NH[i + (size_t)j * p] * r[i];
        for (int l = 0; l < s; l++)
            jump += f->S[j + (size_t)l * s] * r[p + l];
        v_T[j] = (sigma[j] - jump) / (1 + carom_sliding_form_tangential(f, f->owner[j]));
    }
    return CAROM_OK;
}
