#include "certify/painleve_modes.h"

#include "impact/joints.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <math.h>
#include <string.h>

static const carom_contact *contact(const carom_painleve_modes *w, int i)
{
    return &w->g->impact->contacts[i];
}

/* The tangential forces of sticking contacts for an acceleration without them: t solves
 * H_Q'(du + Z_Q t) + slip_bias = 0; du is completed. */
static void hold(const carom_painleve_modes *w, bool with_bias, double *du, double *t,
                 double *space)
{
    int n = w->n;
    for (int a = 0; a < w->q; a++) {
        int j = w->stick[a];
        t[a] = -carom_dense_dot(n, w->g->impact->H + (size_t)j * n, du) -
               (with_bias ? w->slip_bias[j] : 0);
    }
    carom_pivoted_cholesky_solve(w->q, w->rank, w->S, w->q, w->pivot, t, space);
    for (int a = 0; a < w->q; a++)
        for (int k = 0; k < n; k++)
            du[k] += w->g->Z[k + (size_t)w->stick[a] * n] * t[a];
}

/* Columns and sticking block for the current modes. */
static void form(carom_painleve_modes *w)
{
    int n = w->n;
    w->q = 0;
    for (int c = 0; c < w->k; c++) {
        int i = w->part[c];
        double *y = w->column + (size_t)c * n;
        memcpy(y, w->g->Y + (size_t)i * n, sizeof(double) * n);
        for (int j = w->g->slip_start[i]; j < w->g->slip_start[i + 1]; j++) {
            if (w->mode[i] == CAROM_MODE_STICK) {
                w->stick[w->q++] = j;
                continue;
            }
            double f = contact(w, i)->friction_dynamic * w->direction[j];
            for (int k = 0; k < n && f != 0; k++)
                y[k] -= f * w->g->Z[k + (size_t)j * n];
        }
    }
    for (int b = 0; b < w->q; b++)
        for (int a = 0; a < w->q; a++)
            w->S[a + (size_t)b * w->q] = carom_dense_dot(
                n, w->g->impact->H + (size_t)w->stick[a] * n, w->g->Z + (size_t)w->stick[b] * n);
    w->rank = carom_pivoted_cholesky_factor(w->q, w->S, w->q, carom_joints_rank_tolerance(w->q + 1),
                                            w->pivot, w->scale);
}

carom_status carom_painleve_modes_solution(const carom_painleve_modes *w,
                                           carom_painleve_solution *x)
{
    double *memory = carom_arena_zeros(w->arena, 2 * (size_t)w->p + w->s + w->n, sizeof(double));
    x->mode = carom_arena_zeros(w->arena, w->p, sizeof(carom_mode));
    if (!memory || !x->mode)
        return carom_error_memory(w->error);
    x->force = memory;
    x->acceleration = x->force + w->p;
    x->tangential_force = x->acceleration + w->p;
    x->du = x->tangential_force + w->s;
    return CAROM_OK;
}

double carom_painleve_modes_largest(int count, const double *a)
{
    double top = 0;
    for (int i = 0; i < count; i++)
        top = fmax(top, fabs(a[i]));
    return top;
}

/* Dependent sticking contacts share r = S t in many ways: take the one that uses the least part of
 * the friction cones, minimise sum (t_a/(mu l)_a)^2: t = V S (S V S)^+ r, V = diag (mu l)^2. */
static carom_status share(const carom_painleve_modes *w, const double *z, double *t)
{
    int q = w->q, n = w->n;
    carom_mark mark = carom_arena_mark(w->arena);
    double *S = carom_arena_zeros(w->arena, 2 * (size_t)q * q + 5 * (size_t)q, sizeof(double));
    int *pivot = carom_arena_array(w->arena, q, sizeof(int));
    if (!S || !pivot)
        return carom_error_memory(w->error);
    double *A = S + (size_t)q * q, *V = A + (size_t)q * q, *r = V + q, *space = r + q;
    for (int a = 0; a < q; a++)
        for (int c = 0; c < w->k; c++) {
            int i = w->part[c], j = w->stick[a];
            double mu = fmin(contact(w, i)->friction_static, 1e6);
            if (j >= w->g->slip_start[i] && j < w->g->slip_start[i + 1])
                V[a] = mu * mu * z[c] * z[c];
        }
    for (int b = 0; b < q; b++)
        for (int a = 0; a < q; a++) {
            S[a + (size_t)b * q] = carom_dense_dot(n, w->g->impact->H + (size_t)w->stick[a] * n,
                                                   w->g->Z + (size_t)w->stick[b] * n);
            r[a] += S[a + (size_t)b * q] * t[b];
        }
    for (int b = 0; b < q; b++)
        for (int a = 0; a < q; a++)
            for (int c = 0; c < q; c++)
                A[a + (size_t)b * q] += S[a + (size_t)c * q] * V[c] * S[c + (size_t)b * q];
    int rank =
        carom_pivoted_cholesky_factor(q, A, q, carom_joints_rank_tolerance(q + 1), pivot, space);
    carom_pivoted_cholesky_solve(q, rank, A, q, pivot, r, space + q);
    for (int a = 0; a < q; a++) {
        double sum = 0;
        for (int b = 0; b < q; b++)
            sum += S[a + (size_t)b * q] * r[b];
        space[a] = V[a] * sum;
    }
    memcpy(t, space, sizeof(double) * q);
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

void carom_painleve_modes_accelerate(const carom_painleve_modes *w, carom_painleve_solution *x)
{
    const int n = w->n;
    for (int i = 0; i < w->p; i++) {
        const double *normal = w->g->impact->W + (size_t)i * n;
        double size = fabs(w->bias[i]) + w->g->D[i + (size_t)i * w->p] * x->force[i];
        for (int k = 0; k < n; k++)
            size += fabs(normal[k] * x->du[k]);
        x->acceleration[i] = carom_dense_dot(n, normal, x->du) + w->bias[i];
        if (x->force[i] > 0 && fabs(x->acceleration[i]) < 1e-11 * size)
            x->acceleration[i] = 0; /* rounding of a complementary zero */
    }
}

/* Fill a solution from the normal forces z (k). */
carom_status carom_painleve_modes_complete(carom_painleve_modes *w, const double *z,
                                           carom_painleve_solution *x, double *t, double *space)
{
    int n = w->n;
    memcpy(x->du, w->free, sizeof(double) * n);
    for (int c = 0; c < w->k; c++) {
        int i = w->part[c];
        x->force[i] = z[c];
        x->mode[i] = z[c] > 0 ? w->mode[i] : CAROM_MODE_OPEN;
        for (int k = 0; k < n; k++)
            x->du[k] += w->column[k + (size_t)c * n] * z[c];
        for (int j = w->g->slip_start[i]; j < w->g->slip_start[i + 1]; j++)
            if (w->mode[i] != CAROM_MODE_STICK)
                x->tangential_force[j] = -contact(w, i)->friction_dynamic * w->direction[j] * z[c];
    }
    hold(w, true, x->du, t, space);
    if (w->rank < w->q) {
        bool forced = carom_painleve_modes_largest(w->q, t) > 0;
        w->shared |= forced;
        carom_status status = forced ? share(w, z, t) : CAROM_OK;
        if (status)
            return status;
    }
    for (int a = 0; a < w->q; a++)
        x->tangential_force[w->stick[a]] = t[a];
    carom_painleve_modes_accelerate(w, x);
    return CAROM_OK;
}

/* Do the modes of the contacts at rest agree with the solution? */
static bool agrees(const carom_painleve_modes *w, const bool *resting,
                   const carom_painleve_solution *x)
{
    int n = w->n;
    for (int c = 0; c < w->k; c++) {
        int i = w->part[c], first = w->g->slip_start[i], last = w->g->slip_start[i + 1];
        if (first == last)
            continue;
        double squared = 0, along = 0, size = 0;
        for (int j = first; j < last; j++) {
            squared += x->tangential_force[j] * x->tangential_force[j];
            const double *h = w->g->impact->H + (size_t)j * n;
            double a = carom_dense_dot(n, h, x->du) + w->slip_bias[j];
            along += w->direction[j] * a;
            for (int k = 0; k < n; k++)
                size += fabs(h[k] * x->du[k]);
        }
        if (w->mode[i] == CAROM_MODE_STICK) {
            double mu = contact(w, i)->friction_static;
            double limit = isinf(mu) ? (x->force[i] > 0 ? INFINITY : 0) : mu * x->force[i];
            if (sqrt(squared) > limit * (1 + 1e-10) + 1e-11 * (sqrt(squared) + x->force[i]))
                return false;
        } else if (resting[i] && x->force[i] > 0 && along < -1e-10 * size)
            return false;
    }
    return true;
}

bool carom_painleve_modes_same(int count, const double *a, const double *b, double scale)
{
    for (int i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > 1e-8 * scale)
            return false;
    return true;
}

/* Keep a solution unless it is there already. */
void carom_painleve_modes_keep(carom_painleve_modes *w, const carom_painleve_solution *x)
{
    for (int k = 0; k < w->count; k++) {
        const carom_painleve_solution *y = &w->solutions[k];
        double f = fmax(carom_painleve_modes_largest(w->p, x->force),
                        carom_painleve_modes_largest(w->p, y->force));
        double t = fmax(f, fmax(carom_painleve_modes_largest(w->s, x->tangential_force),
                                carom_painleve_modes_largest(w->s, y->tangential_force)));
        if (carom_painleve_modes_same(w->p, x->force, y->force, f) &&
            carom_painleve_modes_same(w->s, x->tangential_force, y->tangential_force, t))
            return;
    }
    if (w->count < CAROM_PAINLEVE_MODES_MOST)
        w->solutions[w->count++] = *x;
}

/* The LCP of the current modes, M and q in the arena, with room for complete(): t, space (q). */
carom_status carom_painleve_modes_pose(carom_painleve_modes *w, carom_lcp *lcp, double **t)
{
    int n = w->n, k = w->k;
    form(w);
    double *A = carom_arena_doubles(w->arena, (size_t)k * k + (size_t)k + n + 2 * (size_t)w->q);
    if (!A)
        return carom_error_memory(w->error);
    double *c = A + (size_t)k * k, *du = c + k, *space = du + n + w->q;
    *t = du + n;
    for (int b = 0; b <= k; b++) {
        memcpy(du, b < k ? w->column + (size_t)b * n : w->free, sizeof(double) * n);
        hold(w, b == k, du, *t, space);
        for (int a = 0; a < k; a++) {
            double x = carom_dense_dot(n, w->g->impact->W + (size_t)w->part[a] * n, du);
            if (b < k)
                A[a + (size_t)b * k] = x;
            else
                c[a] = x + w->bias[w->part[a]];
        }
    }
    *lcp = (carom_lcp){.n = k, .M = A, .q = c};
    return CAROM_OK;
}

/* All solutions for the current modes. */
carom_status carom_painleve_modes_solve(carom_painleve_modes *w, const bool *resting)
{
    int k = w->k;
    carom_lcp lcp;
    carom_lcp_solutions all;
    double *t;
    carom_status status = carom_painleve_modes_pose(w, &lcp, &t);
    double *space = t + w->q;
    if (!status)
        status = carom_lcp_enumerate(&lcp, w->arena, &all, w->error);
    if (status)
        return status;
    for (int piece = 0; piece < all.count; piece++) {
        const carom_lcp_piece *found = &all.pieces[piece];
        int valid = 0;
        for (int v = 0; v < found->vertex_count; v++) {
            carom_painleve_solution x;
            if ((status = carom_painleve_modes_solution(w, &x)))
                return status;
            if ((status = carom_painleve_modes_complete(w, found->vertices + (size_t)v * k, &x, t,
                                                        space)))
                return status;
            if (!agrees(w, resting, &x))
                continue;
            carom_painleve_modes_keep(w, &x);
            valid++;
        }
        w->continuum |= valid > 1 || (valid == 1 && found->ray_count > 0);
    }
    return CAROM_OK;
}
