/* All solutions of the contact problem at one instant (docs/theory/painleve.md):
 *   u' = u'_free + M_c^-1 (W l + H l_T),   0 <= l  _|_  a = W'u' + g_bias >= 0,
 * sliding: l_T = -mu xi l; at rest: stick (slip acceleration 0, |l_T| <= mu l) or slide either way.
 * Every choice of modes is an LCP in l, whose solutions are all enumerated. */
#include "base/arena.h"
#include "carom/certify.h"
#include "impact/joints.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <math.h>
#include <string.h>

enum { MOST_SOLUTIONS = 64, MOST_RESTING = 6 };

const char *carom_painleve_text(carom_painleve_class kind)
{
    static const char *const texts[] = {"unique", "unique-motion", "none", "several", "unknown"};
    return texts[kind];
}

typedef struct work {
    const carom_geometry *g;
    const carom_state *state;
    carom_arena *arena;
    carom_error *error;
    int n, p, s;
    int k;               /* contacts that take part */
    int *part;           /* k, their numbers */
    carom_mode *mode;    /* p */
    double *direction;   /* s, unit sliding direction xi */
    double *free, *bias; /* n, u'_free; p, gap accelerations without contact forces */
    double *slip_bias;   /* s */
    double *column;      /* n x k, M_c^-1 (w_i - mu H xi) */
    int q;               /* sticking slip columns */
    int *stick;          /* q */
    double *S, *scale;   /* q x q factor of H_Q'M^-1 H_Q; q */
    int *pivot, rank;
    carom_painleve_solution *solutions;
    int count;
    bool continuum;
    bool shared; /* tangential forces of sticking contacts are not determined */
} work;

static const carom_contact *contact(const work *w, int i)
{
    return &w->g->impact->contacts[i];
}

/* The tangential forces of sticking contacts for an acceleration without them: t solves
 * H_Q'(du + Z_Q t) + slip_bias = 0; du is completed. */
static void hold(const work *w, bool with_bias, double *du, double *t, double *space)
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
static void form(work *w)
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

static carom_status solution_create(const work *w, carom_painleve_solution *x)
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

static double largest(int count, const double *a)
{
    double top = 0;
    for (int i = 0; i < count; i++)
        top = fmax(top, fabs(a[i]));
    return top;
}

/* Dependent sticking contacts share r = S t in many ways: take the one that uses the least part of
 * the friction cones, minimise sum (t_a/(mu l)_a)^2: t = V S (S V S)^+ r, V = diag (mu l)^2. */
static carom_status share(const work *w, const double *z, double *t)
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

/* Fill a solution from the normal forces z (k). */
static carom_status complete(work *w, const double *z, carom_painleve_solution *x, double *t,
                             double *space)
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
        bool forced = largest(w->q, t) > 0;
        w->shared |= forced;
        carom_status status = forced ? share(w, z, t) : CAROM_OK;
        if (status)
            return status;
    }
    for (int a = 0; a < w->q; a++)
        x->tangential_force[w->stick[a]] = t[a];
    for (int i = 0; i < w->p; i++) {
        const double *normal = w->g->impact->W + (size_t)i * n;
        double size = fabs(w->bias[i]) + w->g->D[i + (size_t)i * w->p] * x->force[i];
        for (int k = 0; k < n; k++)
            size += fabs(normal[k] * x->du[k]);
        x->acceleration[i] = carom_dense_dot(n, normal, x->du) + w->bias[i];
        if (x->force[i] > 0 && fabs(x->acceleration[i]) < 1e-11 * size)
            x->acceleration[i] = 0; /* rounding of a complementary zero */
    }
    return CAROM_OK;
}

/* Do the modes of the contacts at rest agree with the solution? */
static bool agrees(const work *w, const bool *resting, const carom_painleve_solution *x)
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

static bool same(int count, const double *a, const double *b, double scale)
{
    for (int i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > 1e-8 * scale)
            return false;
    return true;
}

/* Keep a solution unless it is there already. */
static void keep(work *w, const carom_painleve_solution *x)
{
    for (int k = 0; k < w->count; k++) {
        const carom_painleve_solution *y = &w->solutions[k];
        double f = fmax(largest(w->p, x->force), largest(w->p, y->force));
        double t =
            fmax(f, fmax(largest(w->s, x->tangential_force), largest(w->s, y->tangential_force)));
        if (same(w->p, x->force, y->force, f) &&
            same(w->s, x->tangential_force, y->tangential_force, t))
            return;
    }
    if (w->count < MOST_SOLUTIONS)
        w->solutions[w->count++] = *x;
}

/* The LCP of the current modes, M and q in the arena, with room for complete(): t, space (q). */
static carom_status pose(work *w, carom_lcp *lcp, double **t)
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
static carom_status solve_modes(work *w, const bool *resting)
{
    int k = w->k;
    carom_lcp lcp;
    carom_lcp_solutions all;
    double *t;
    carom_status status = pose(w, &lcp, &t);
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
            if ((status = solution_create(w, &x)))
                return status;
            if ((status = complete(w, found->vertices + (size_t)v * k, &x, t, space)))
                return status;
            if (!agrees(w, resting, &x))
                continue;
            keep(w, &x);
            valid++;
        }
        w->continuum |= valid > 1 || (valid == 1 && found->ray_count > 0);
    }
    return CAROM_OK;
}

/* Is the symmetric part of M (n x n) positive definite beyond rounding? Then the LCP has exactly
 * one solution, whatever q is. */
static carom_status definite(const work *w, const carom_lcp *lcp, bool *proved)
{
    int n = lcp->n;
    carom_mark mark = carom_arena_mark(w->arena);
    double *S = carom_arena_doubles(w->arena, (size_t)n * n + n);
    int *pivot = carom_arena_array(w->arena, n, sizeof(int));
    if (!S || !pivot)
        return carom_error_memory(w->error);
    for (int b = 0; b < n; b++)
        for (int a = 0; a < n; a++)
            S[a + (size_t)b * n] = (lcp->M[a + (size_t)b * n] + lcp->M[b + (size_t)a * n]) / 2;
    *proved = carom_pivoted_cholesky_factor(n, S, n, carom_joints_rank_tolerance(n), pivot,
                                            S + (size_t)n * n) == n;
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

/* More contacts than can be enumerated, none of them rough and at rest: one LCP, which is answered
 * where theory knows how many solutions it has. Smooth contacts: the motion is unique always. */
static carom_status solve_large(work *w, carom_painleve *problem)
{
    carom_lcp lcp;
    carom_lcp_info info;
    double *t;
    bool proved = false, smooth = true;
    for (int c = 0; c < w->k; c++)
        smooth = smooth && w->mode[w->part[c]] == CAROM_MODE_CLOSED;
    carom_status status = pose(w, &lcp, &t);
    lcp.symmetric = smooth;
    double *z = status ? NULL : carom_arena_doubles(w->arena, lcp.n);
    if (!status && !z)
        status = carom_error_memory(w->error);
    if (!status)
        status = definite(w, &lcp, &proved);
    if (!status)
        status = carom_lcp_solve(&lcp, NULL, w->arena, z, NULL, &info, w->error);
    if (status)
        return status;
    if (smooth && info.outcome == CAROM_LCP_INFEASIBLE) {
        problem->kind = CAROM_PAINLEVE_NONE;
        return CAROM_OK;
    }
    if (info.outcome != CAROM_LCP_SOLVED || !(proved || smooth))
        return CAROM_OK;
    if ((status = solution_create(w, &w->solutions[0])))
        return status;
    problem->kind = proved ? CAROM_PAINLEVE_UNIQUE : CAROM_PAINLEVE_UNIQUE_MOTION;
    problem->count = 1;
    problem->solutions = w->solutions;
    return complete(w, z, &w->solutions[0], t, t + w->q);
}

/* u'_free = M_c^-1 h with the accelerations of the joints, and the biases of the closed contacts.
 */
static carom_status prepare(work *w, const carom_system *system, const int *closed)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    int n = w->n, p = w->p, s = w->s, c = w->g->c;
    double *memory = carom_arena_zeros(
        w->arena, (size_t)n + p + 3 * (size_t)s + (size_t)n * p + (size_t)s * s + c,
        sizeof(double));
    w->part = carom_arena_array(w->arena, p + 2 * (size_t)s, sizeof(int));
    w->mode = carom_arena_zeros(w->arena, p, sizeof(carom_mode));
    w->solutions = carom_arena_array(w->arena, MOST_SOLUTIONS, sizeof *w->solutions);
    if (!memory || !w->part || !w->mode || !w->solutions)
        return carom_error_memory(w->error);
    w->stick = w->part + p;
    w->pivot = w->stick + s;
    w->free = memory;
    w->bias = w->free + n;
    w->slip_bias = w->bias + p;
    w->direction = w->slip_bias + s;
    w->scale = w->direction + s;
    w->column = w->scale + s;
    w->S = w->column + (size_t)n * p;
    double *shift = w->S + (size_t)s * s;
    for (int j = 0; j < shape->m; j++)
        shift[j] = w->state->b_bias[j];
    for (int j = 0; j < shape->a; j++)
        shift[shape->m + j] = w->state->a_bias[j];
    memcpy(w->free, w->state->h, sizeof(double) * n);
    carom_joints_inverse_mass(w->g, w->free);
    carom_joints_project(w->g, shift, w->free);
    int at = 0;
    for (int i = 0; i < p; i++) {
        w->bias[i] = w->state->g_bias[closed[i]];
        for (int j = shape->slip_start[closed[i]]; j < shape->slip_start[closed[i] + 1]; j++)
            w->slip_bias[at++] = w->state->slip_bias[j];
    }
    return CAROM_OK;
}

/* Which contacts take part, which of them slide and where to. Returns those at rest. */
static int sort_contacts(work *w, bool *resting, carom_painleve *problem)
{
    const carom_geometry *g = w->g;
    int at_rest = 0;
    for (int i = 0; i < w->p; i++) {
        double tolerance = 1e-9 * g->norm[i] * g->speed;
        resting[i] = false;
        w->mode[i] = CAROM_MODE_OPEN;
        if (g->gamma[i] > tolerance)
            continue;
        if (g->gamma[i] < -tolerance)
            strcpy(problem->message, "a contact approaches: an impact comes first; this is the "
                                     "problem with its normal velocity taken as zero");
        w->part[w->k++] = i;
        w->mode[i] = CAROM_MODE_CLOSED;
        int first = g->slip_start[i], count = g->slip_start[i + 1] - first;
        double squared = 0, reach = 0;
        for (int j = first; j < first + count; j++) {
            squared += g->slip[j] * g->slip[j];
            reach +=
                carom_dense_dot(w->n, g->impact->H + (size_t)j * w->n, g->Z + (size_t)j * w->n);
        }
        if (count == 0 || contact(w, i)->friction_static == 0)
            continue;
        double slip = sqrt(squared);
        if (slip > 1e-9 * g->speed * sqrt(reach) && !isinf(contact(w, i)->friction_dynamic)) {
            for (int j = first; j < first + count; j++)
                w->direction[j] = g->slip[j] / slip;
            w->mode[i] = count == 2           ? CAROM_MODE_SLIP
                         : g->slip[first] > 0 ? CAROM_MODE_SLIP_PLUS
                                              : CAROM_MODE_SLIP_MINUS;
        } else {
            resting[i] = true;
            at_rest++;
        }
    }
    return at_rest;
}

/* All modes of the contacts at rest from number c on. */
static carom_status try_modes(work *w, const bool *resting, int c)
{
    while (c < w->k && !resting[w->part[c]])
        c++;
    if (c == w->k)
        return solve_modes(w, resting);
    int i = w->part[c], j = w->g->slip_start[i];
    bool planar = w->g->slip_start[i + 1] - j == 1;
    bool slides = planar && !isinf(contact(w, i)->friction_dynamic);
    carom_status status = CAROM_OK;
    for (int kind = 0; kind < (slides ? 3 : 1) && !status; kind++) {
        w->mode[i] = kind == 0   ? CAROM_MODE_STICK
                     : kind == 1 ? CAROM_MODE_SLIP_PLUS
                                 : CAROM_MODE_SLIP_MINUS;
        w->direction[j] = kind == 0 ? 0 : kind == 1 ? 1 : -1;
        status = try_modes(w, resting, c + 1);
    }
    return status;
}

static void classify(const work *w, bool spatial, carom_painleve *problem)
{
    problem->count = w->count;
    problem->solutions = w->solutions;
    problem->continuum = w->continuum;
    bool same_motion = true;
    for (int k = 1; k < w->count; k++)
        same_motion =
            same_motion && same(w->n, w->solutions[0].du, w->solutions[k].du,
                                fmax(largest(w->n, w->solutions[0].du), largest(w->n, w->free)));
    problem->kind = w->count == 0                                  ? CAROM_PAINLEVE_NONE
                    : w->count == 1 && !w->continuum && !w->shared ? CAROM_PAINLEVE_UNIQUE
                    : same_motion && (w->count > 1 || w->shared)   ? CAROM_PAINLEVE_UNIQUE_MOTION
                                                                   : CAROM_PAINLEVE_SEVERAL;
    if (spatial && problem->kind != CAROM_PAINLEVE_SEVERAL) {
        problem->kind = CAROM_PAINLEVE_UNKNOWN;
        strcpy(problem->message, "a spatial contact is at rest: only sticking was tried for it");
    }
}

carom_status carom_painleve_solve(const carom_system *system, const carom_state *state,
                                  const carom_geometry *geometry, const int *closed,
                                  carom_arena *arena, carom_painleve *problem, carom_error *error)
{
    carom_painleve made = {.kind = CAROM_PAINLEVE_UNKNOWN};
    work w = {.g = geometry, .state = state, .arena = arena, .error = error};
    w.n = geometry->impact->n;
    w.p = geometry->impact->p;
    w.s = geometry->s;
    carom_status status = prepare(&w, system, closed);
    bool *resting = carom_arena_array(arena, (size_t)w.p + 1, sizeof(bool));
    if (!status && !resting)
        status = carom_error_memory(error);
    if (status)
        return status;
    int at_rest = sort_contacts(&w, resting, &made);
    bool spatial = false;
    for (int i = 0; i < w.p; i++)
        spatial =
            spatial || (resting[i] && geometry->slip_start[i + 1] - geometry->slip_start[i] == 2);
    if (w.k <= CAROM_LCP_ENUMERATE_LIMIT && at_rest <= MOST_RESTING) {
        status = try_modes(&w, resting, 0);
        classify(&w, spatial, &made);
    } else if (at_rest == 0)
        status = solve_large(&w, &made);
    if (!status && made.kind == CAROM_PAINLEVE_UNKNOWN && !spatial)
        strcpy(made.message, "too many contacts to enumerate all solutions");
    if (!status)
        *problem = made;
    return status;
}
