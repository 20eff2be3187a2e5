/* Velocities of contacts from the motion of the bodies (docs/theory/instant.md, "On rows"). */
#include "linalg/wide.h"
#include "solver/instant_equations.h"
#include "solver/instant_modes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/short_loops.h"

/* y += x Y_k */
static inline void add_column(const struct carom_instant_rows *rows, int k, doubled x, doubled *y)
{
    const double *column = rows->Y[k], *low = rows->low ? rows->low[k] : NULL;
    for (int j = 0; j < rows->n; j++) {
        if (column[j] != 0)
            y[j] = doubled_add_scaled(y[j], x, column[j]);
        if (low && low[j] != 0)
            y[j] = doubled_add_scaled(y[j], x, low[j]);
    }
}

CAROM_FUSED static void find_motion(const carom_instant *problem, const doubled *f, doubled *y,
                                    double *u, double *size)
{
    const struct carom_instant_rows *rows = problem->rows;
    const int n = rows->n;
    for (int j = 0; j < n; j++)
        y[j] = (doubled){0, 0};
    for (int k = 0; k < problem->N; k++)
        if (f[k].hi != 0)
            add_column(rows, k, f[k], y);
    for (int k = 0; k < problem->N; k++) {
        const double *row = rows->J[k];
        const doubled change = doubled_dot(n, row, y, (doubled){0, 0});
        double terms = 0;
        for (int j = 0; j < n; j++)
            terms += fabs(row[j] * y[j].hi);
        size[k] = rows->size[k] + terms / rows->scale[k];
        const doubled sum = doubled_add(change, doubled_product(rows->scale[k], problem->q[k]));
        u[k] = doubled_add_double(sum, rows->rest ? rows->rest[k] : 0).hi / rows->scale[k];
    }
}

static inline doubled product(const struct carom_instant_rows *rows, int r, int c)
{
    doubled sum = {0, 0};
    for (int k = 0; k < rows->n; k++)
        sum = doubled_add(sum, doubled_product(rows->J[r][k], rows->Y[c][k]));
    for (int k = 0; k < rows->n && rows->low; k++)
        sum = doubled_add(sum, doubled_product(rows->J[r][k], rows->low[c][k]));
    return sum;
}

CAROM_FUSED static doubled one_product(const struct carom_instant_rows *rows, int r, int c)
{
    return product(rows, r, c);
}

doubled carom_instant_rows_product(const struct carom_instant_rows *rows, int r, int c)
{
    return one_product(rows, r, c);
}

CAROM_FUSED static void fill_gram(const struct carom_instant_rows *rows, int N, doubled *W)
{
    for (int c = 0; c < N; c++)
        for (int r = 0; r < N; r++)
            W[r + (size_t)c * (size_t)N] = doubled_divide_double(
                doubled_divide_double(product(rows, r, c), rows->scale[r]), rows->scale[c]);
}

void carom_instant_rows_gram(const struct carom_instant_rows *rows, int N, doubled *W)
{
    fill_gram(rows, N, W);
}

void carom_instant_rows_motion(const carom_instant *problem, const doubled *f, doubled *y,
                               double *u, double *size)
{
    find_motion(problem, f, y, u, size);
}

void carom_instant_rows_unknown(const carom_instant *problem, const double *r, double off,
                                double *unknown)
{
    const struct carom_instant_rows *rows = problem->rows;
    const int n = rows->n;
    memset(unknown, 0, sizeof *unknown * (size_t)(n + problem->N));
    for (int k = 0; k < problem->N; k++)
        for (int j = 0; j < n && r[k] != 0; j++)
            unknown[j] += fabs(rows->Y[k][j]) * off / rows->scale[k];
    for (int k = 0; k < problem->N; k++)
        for (int j = 0; j < n; j++)
            unknown[n + k] += fabs(rows->J[k][j]) * unknown[j] / rows->scale[k];
}

/* Friction is -mu_d times the normal force as given: its rounding in units of r would be a force of
 * its own on a light body. */
void carom_instant_rows_forces(const carom_instant_modes *s, const doubled *z, doubled *force)
{
    const carom_instant *f = s->f;
    const double *scale = f->rows->scale;
    for (int k = 0; k < f->N; k++)
        force[k] = (doubled){0, 0};
    for (int i = 0, c = 0; i < f->p; i++) {
        if (s->mode[i] == CAROM_MODE_OPEN)
            continue;
        const int k = f->row[i];
        force[k] = doubled_divide_double(z[c++], scale[k]);
        if (s->mode[i] == CAROM_MODE_STICK)
            force[k + 1] = doubled_divide_double(z[c++], scale[k + 1]);
        else if (s->mode[i] != CAROM_MODE_CLOSED)
            force[k + 1] =
                doubled_scale(force[k], s->mode[i] == CAROM_MODE_SLIP_PLUS ? -f->rows->mu_d[i]
                                                                           : f->rows->mu_d[i]);
    }
}

/* Motion and velocities of the unknowns; returns the largest velocity that should be zero, beside
 * its rounding.
 */
static double evaluate(carom_instant_modes *s)
{
    const carom_instant *f = s->f;
    doubled *force = s->exact + f->N, *y = force + f->N;
    double worst = 0;
    carom_instant_rows_forces(s, s->exact, force);
    carom_instant_rows_motion(f, force, y, s->u, s->size);
    for (int e = 0; e < s->m; e++) {
        const int k = s->equation[e];
        const double off = fabs(s->u[k]);
        const double rounding = DBL_EPSILON * s->size[k] + f->rows->dust[k];
        worst = off > worst * rounding ? off / rounding : worst;
    }
    return worst;
}

/* What was evaluated last, rounded. */
static void write_down(carom_instant_modes *s)
{
    const carom_instant *f = s->f;
    for (int k = 0; k < f->N; k++)
        s->r[k] = s->exact[f->N + k].hi * f->rows->scale[k];
    for (int j = 0; j < f->rows->n; j++)
        s->y[j] = s->exact[2 * f->N + j].hi;
}

void carom_instant_rows_take(carom_instant_modes *s)
{
    evaluate(s);
    write_down(s);
}

double carom_instant_rows_settle(carom_instant_modes *s, const double *z)
{
    /* Each pass gains the digits that rounding over the least pivot leaves. What is left of the
     * equations over that pivot is the error of the unknowns: no more of it than rounding, however
     * well the equations hold. */
    enum { PASSES = 6 };
    const int m = s->m;
    doubled *exact = s->exact;
    bool consistent;
    for (int c = 0; c < m; c++)
        exact[c] = (doubled){z[c], 0};
    double now = evaluate(s);
    for (int pass = 0; pass < PASSES; pass++) {
        /* shared forces are corrected once in any case: a slip that is rounding may decide which
         * foot strikes next */
        if (!(now > fmin(0.5, s->pivot)) && (s->unique || pass > 0))
            break;
        double *change = s->unique ? s->r : s->z; /* r is free until the end */
        if (s->unique)
            carom_instant_modes_shortest(s, s->u, INFINITY, change, &consistent);
        else
            carom_instant_equations_solve_shared(s, s->u);
        for (int c = 0; c < m; c++)
            exact[c] = doubled_add_double(exact[c], change[c]);
        const double after = evaluate(s);
        if (!(after < 0.5 * now))
            break;
        now = after;
    }
    write_down(s);
    return DBL_EPSILON * fmax(now, s->pivot) / s->pivot;
}
