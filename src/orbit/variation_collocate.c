/* Variations on a step by collocation. D' = f_x D + f_t dt + f_theta is linear: its matrix at the
 * nodes of Gauss's formula, along the continuous solution of the motion's step, is all that is
 * needed of the equations, for any number of directions (docs/theory/sensitivities.md, "Between
 * events"). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "orbit/variation.h"

enum { S = CAROM_ODE_GAUSS_NODES };

/* What an evaluation of the equations costs, in derivatives of them in one direction; and how often
 * the explicit method evaluates them in a step. */
static const int evaluation = 7, explicit_stages = 12;

typedef carom_variation_nodes nodes;

carom_status carom_variation_collocate_create(carom_variation *v, carom_arena *arena,
                                              carom_error *error)
{
    const size_t n = (size_t)v->n, k = (size_t)v->k, C = 2 * n + 1 + k, m = S * n;
    const size_t P = (size_t)v->shape->parameter_count, p = (size_t)v->shape->p;
    nodes *c = &v->nodes;
    carom_ode_gauss_create(&c->gauss);
    double *d = carom_arena_zeros(arena, S * n * C + C * (2 + 2 * n + P + p) + m * m + 2 * m,
                                  sizeof(double));
    c->active = carom_arena_array(arena, 4 * n + k + m, sizeof(int));
    c->depends = carom_arena_zeros(arena, 2 * (2 * n + 1), 1);
    if (!d || !c->active || !c->depends)
        return carom_error_memory(error);
    c->by_q = c->active + n;
    c->by_u = c->by_q + n;
    c->unknown = c->by_u + n;
    c->driven = c->unknown + n;
    c->pivot = c->driven + k;
    c->A = d;
    c->t = d += S * n * C;
    c->q = d += C;
    c->u = d += n * C;
    c->parameters = d += n * C;
    c->dmu = d += P * C;
    c->value = d += p * C;
    c->matrix = d += C;
    c->F = d += m * m;
    c->G = d + m;
    return CAROM_OK;
}

/* What the equations of the present mode depend on: q (n), u (n), t. */
static const unsigned char *find_dependence(carom_variation *v)
{
    const size_t n = (size_t)v->n;
    const int kind = v->point.r > 0;
    unsigned char *found = v->nodes.depends + (size_t)kind * (2 * n + 1);
    if (!v->nodes.known[kind])
        carom_system_depends(v->system, carom_variation_point_want(&v->point), found, found + n,
                             found + 2 * n);
    v->nodes.known[kind] = true;
    return found;
}

bool carom_variation_collocate_uniform(carom_variation *v)
{
    const unsigned char *found = find_dependence(v);
    for (int i = 0; i < 2 * v->n + 1; i++)
        if (found[i])
            return false;
    return true;
}

/* Whether column j has a direction of its own: parameters, or a friction that changes. */
static bool is_driven(const carom_variation *v, int j)
{
    const size_t P = (size_t)v->shape->parameter_count, p = (size_t)v->shape->p;
    const double *parameters = v->along->parameters, *dmu = v->dmu + (size_t)j * p;
    for (size_t i = 0; parameters && i < P; i++)
        if (parameters[i + (size_t)j * P] != 0)
            return true;
    for (size_t i = 0; i < p; i++)
        if (dmu[i] != 0)
            return true;
    return false;
}

/* A slide in space turns with the slip, which depends on all velocities. */
static bool turns(const carom_variation_point *p)
{
    for (int i = 0; i < p->shape->p; i++)
        if (p->sliding[i] && p->spatial[i])
            return true;
    return false;
}

/* A unit direction of coordinate (or velocity) i; returns its column. */
static int add_unit(nodes *c, double *x, int n, int i)
{
    x[(size_t)i + (size_t)c->count * (size_t)n] = 1;
    return c->count++;
}

/* The columns of the matrix: unit directions of what the equations depend on, of time, and the
 * directions of parameters. */
static void choose_columns(carom_variation *v)
{
    nodes *c = &v->nodes;
    const size_t n = (size_t)v->n, C = 2 * n + 1 + (size_t)v->k;
    const size_t P = (size_t)v->shape->parameter_count, p = (size_t)v->shape->p;
    const unsigned char *found = find_dependence(v);
    const bool all = turns(&v->point);
    memset(c->t, 0, C * (1 + 2 * n + P + p) * sizeof(double));
    c->count = c->active_count = c->driven_count = 0;
    for (int i = 0; i < v->n; i++) {
        const bool q = found[i] || all, u = found[n + (size_t)i] || all;
        c->by_q[c->active_count] = q ? add_unit(c, c->q, v->n, i) : -1;
        c->by_u[c->active_count] = u ? add_unit(c, c->u, v->n, i) : -1;
        c->active[c->active_count] = i;
        c->active_count += q || u;
    }
    c->by_t = found[2 * n] || all ? c->count++ : -1;
    if (c->by_t >= 0)
        c->t[c->by_t] = 1;
    for (int j = 0; j < v->k; j++)
        if (is_driven(v, j)) {
            const size_t to = (size_t)c->count++;
            if (v->along->parameters)
                memcpy(c->parameters + to * P, v->along->parameters + (size_t)j * P,
                       P * sizeof(double));
            memcpy(c->dmu + to * p, v->dmu + (size_t)j * p, p * sizeof(double));
            c->driven[c->driven_count++] = j;
        }
}

bool carom_variation_collocate_pays(carom_variation *v)
{
    choose_columns(v);
    return S * (evaluation + v->nodes.count) <= explicit_stages * (evaluation + v->k);
}

/* The matrix at the nodes of the step from t to t + h. */
static carom_status evaluate(carom_variation *v, double t, double h, carom_error *error)
{
    nodes *c = &v->nodes;
    const size_t n = (size_t)v->n;
    const carom_directions along = {.k = c->count,
                                    .t = c->t,
                                    .q = c->q,
                                    .u = c->u,
                                    .parameters = v->along->parameters ? c->parameters : NULL};
    carom_status status = CAROM_OK;
    for (int i = 0; i < S && status == CAROM_OK; i++) {
        const double at = t + c->gauss.c[i] * h;
        carom_variation_at(v, at, v->x);
        status = carom_variation_point_evaluate(&v->point, at, v->x, v->x + n, error);
        if (status == CAROM_OK && c->count > 0)
            status = carom_variation_point_tangent(&v->point, &along, c->dmu,
                                                   c->A + (size_t)i * n * (size_t)c->count, error);
    }
    return status;
}

/* The factors of the columns for a column j of D, at D_q, D_u. */
static void set_values(carom_variation *v, int j, double ahead, const double *D)
{
    nodes *c = &v->nodes;
    const double *q = D, *u = D + v->n;
    for (int a = 0; a < c->active_count; a++) {
        const int i = c->active[a];
        if (c->by_q[a] >= 0)
            c->value[c->by_q[a]] = q[i] + ahead * u[i];
        if (c->by_u[a] >= 0)
            c->value[c->by_u[a]] = u[i];
    }
    if (c->by_t >= 0)
        c->value[c->by_t] = v->dt[j];
    for (int d = 0; d < c->driven_count; d++)
        c->value[c->count - c->driven_count + d] = c->driven[d] == j;
}

/* The largest entry of a column of the matrix, at all nodes. */
static double find_largest(const carom_variation *v, int column)
{
    const nodes *c = &v->nodes;
    const size_t n = (size_t)v->n;
    double top = 0;
    for (size_t i = 0; column >= 0 && i < S; i++)
        top = fmax(top, carom_dense_max(v->n, c->A + (i * (size_t)c->count + (size_t)column) * n));
    return top;
}

/* Coordinates on which the slopes depend so that their own slopes have to be found with them: what
 * the others give back in a step is below rounding. */
static void choose_unknowns(carom_variation *v, double h)
{
    nodes *c = &v->nodes;
    c->unknown_count = 0;
    for (int a = 0; a < c->active_count; a++)
        if (h * (find_largest(v, c->by_u[a]) + h * find_largest(v, c->by_q[a])) > DBL_EPSILON)
            c->unknown[c->unknown_count++] = a;
}

/* I - h a_il f_u - h^2 aa_il f_q on the unknowns. */
static bool factor(carom_variation *v, double h)
{
    nodes *c = &v->nodes;
    const int m = c->unknown_count, N = S * m, n = v->n;
    memset(c->matrix, 0, (size_t)N * (size_t)N * sizeof(double));
    for (int b = 0; b < m; b++)
        for (int i = 0; i < S; i++) {
            const double *A = c->A + (size_t)i * (size_t)n * (size_t)c->count;
            const int by_u = c->by_u[c->unknown[b]], by_q = c->by_q[c->unknown[b]];
            for (int a = 0; a < m; a++) {
                const int row = c->active[c->unknown[a]];
                const double u = by_u >= 0 ? -h * A[row + (size_t)by_u * (size_t)n] : 0;
                const double q = by_q >= 0 ? -h * h * A[row + (size_t)by_q * (size_t)n] : 0;
                double *to = c->matrix + i * m + a + (size_t)b * (size_t)N;
                for (int l = 0; l < S; l++)
                    to[(size_t)(l * m) * (size_t)N] = u * c->gauss.a[i][l] + q * c->gauss.aa[i][l];
            }
        }
    for (int i = 0; i < N; i++)
        c->matrix[i + (size_t)i * (size_t)N] += 1;
    return N == 0 || carom_lu_factor(N, c->matrix, N, c->pivot, 0) == 0;
}

/* D_u' at the nodes, column j: with the slopes G of the unknowns still to come (NULL), or given. F:
 * S x n. */
static void find_slopes(carom_variation *v, int j, double h, const double *G, double *F)
{
    nodes *c = &v->nodes;
    const carom_ode_gauss *g = &c->gauss;
    const int n = v->n, m = c->unknown_count;
    const double *D = v->ode.y + 2 * (size_t)j * (size_t)n;
    for (int i = 0; i < S; i++) {
        set_values(v, j, g->c[i] * h, D);
        for (int b = 0; G && b < m; b++) {
            const int by_u = c->by_u[c->unknown[b]], by_q = c->by_q[c->unknown[b]];
            double u = 0, q = 0;
            for (int l = 0; l < S; l++) {
                u += g->a[i][l] * G[l * m + b];
                q += g->aa[i][l] * G[l * m + b];
            }
            if (by_u >= 0)
                c->value[by_u] += h * u;
            if (by_q >= 0)
                c->value[by_q] += h * h * q;
        }
        memset(F + i * n, 0, (size_t)n * sizeof(double));
        carom_dense_gemv(n, c->count, 1, c->A + (size_t)i * (size_t)n * (size_t)c->count, n,
                         c->value, F + i * n);
    }
}

/* The end of the step, column j, from the slopes at the nodes. */
static void advance(carom_variation *v, int j, double h, const double *F)
{
    const carom_ode_gauss *g = &v->nodes.gauss;
    const int n = v->n;
    const double *D = v->ode.y + 2 * (size_t)j * (size_t)n;
    double *end = v->ode.next + 2 * (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) {
        double u = 0, q = 0;
        for (int l = 0; l < S; l++) {
            u += g->b[l] * F[l * n + i];
            q += g->bb[l] * F[l * n + i];
        }
        end[i] = D[i] + h * (D[n + i] + h * q);
        end[n + i] = D[n + i] + h * u;
    }
}

/* What the forces of contacts and joints cancel in the slope of column j leaves its rounding. */
static double find_cancelled(carom_variation *v, int j)
{
    nodes *c = &v->nodes;
    double *sum = v->x;
    set_values(v, j, 0, v->ode.next + 2 * (size_t)j * (size_t)v->n);
    memset(sum, 0, (size_t)v->n * sizeof(double));
    carom_dense_gemv(v->n, c->count, 1, v->point.unheld, v->n, c->value, sum);
    return carom_dense_max(v->n, sum);
}

/* The error of column j as a part of what is allowed. */
static double judge(carom_variation *v, int j, double h, const double *F, double tolerance)
{
    const int n = v->n;
    const double *from = v->ode.y + 2 * (size_t)j * (size_t)n;
    const double *to = v->ode.next + 2 * (size_t)j * (size_t)n;
    double size[S] = {0}, fast = carom_dense_max(S * n, F), held = find_cancelled(v, j);
    for (int l = 0; l < S; l++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int a = 0; a < S; a++)
                sum += v->nodes.gauss.p[l][a] * F[a * n + i];
            size[l] = fmax(size[l], fabs(sum));
        }
    const double u = fmax(carom_dense_max(n, from + n), carom_dense_max(n, to + n));
    const double q = fmax(carom_dense_max(n, from), carom_dense_max(n, to));
    const double top_u = fmax(u, h * fmax(fast, held));
    const double top_q = fmax(q, h * fmax(u, h * held));
    const double missed = h * carom_ode_gauss_error(size);
    v->tried[j] = fmax(top_u, top_q);
    if (!isfinite(missed))
        return INFINITY;
    return missed == 0 ? 0 : fmax(missed / top_u, h * missed / top_q) / tolerance;
}

carom_status carom_variation_collocate_try(carom_variation *v, double t, double h, double tolerance,
                                           double *err, carom_error *error)
{
    nodes *c = &v->nodes;
    carom_status status = evaluate(v, t, h, error);
    *err = INFINITY;
    if (status != CAROM_OK)
        return status;
    choose_unknowns(v, h);
    if (!factor(v, h))
        return CAROM_OK; /* the step is too long */
    *err = 0;
    for (int j = 0; j < v->k; j++) {
        const int m = c->unknown_count;
        find_slopes(v, j, h, NULL, c->F);
        for (int i = 0; i < S; i++)
            for (int a = 0; a < m; a++)
                c->G[i * m + a] = c->F[i * v->n + c->active[c->unknown[a]]];
        if (m > 0) {
            carom_lu_solve(S * m, c->matrix, S * m, c->pivot, c->G);
            find_slopes(v, j, h, c->G, c->F);
        }
        advance(v, j, h, c->F);
        *err = fmax(*err, judge(v, j, h, c->F, tolerance));
    }
    return CAROM_OK;
}
