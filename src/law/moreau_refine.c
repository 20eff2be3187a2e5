/* Refinement of a projected velocity (docs/theory/cones.md, "Light bodies"): the projection is
 * right in the kinetic norm, in which a light body's velocity drowns. What should hold with
 * equality is recomputed from the velocity itself, and the shortest correction is added to it. */
#include "carom/tolerance.h"
#include "cone/cone_frame.h"
#include "impact/predicate.h"
#include "law/law_moreau.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Beyond LARGEST degrees of freedom the decomposition would cost more than the projection. */
enum { PASSES = 40, LARGEST = 200 };

/* of a step */
static const double LEAST_PART = 0.001;

/* Equations row'd = rest for the correction d, unit rows in the frame of the kinetic metric. */
typedef struct equations {
    carom_cone_frame frame;
    int n, most, count;
    double *A;      /* most x n, by columns */
    double *rest;   /* most */
    double *row;    /* n */
    double *norm;   /* most, of the rows before they became unit rows */
    double *across; /* most: room for a direction in a spread */
    int *contact;   /* most, whose row it is; -1: of a joint */
    int *column;    /* most, the column of spread that it is; -1: the normal, or of the surface */
    bool *bent;     /* of each contact: its reaction at the apex would leave the polar cone */
    double dust;    /* what rounding leaves of zero */
    double worst;   /* largest rest beyond rounding, in units of the terms it is made of */
} equations;

static carom_status create(const carom_geometry *g, carom_arena *arena, equations *e,
                           carom_error *error)
{
    const carom_impact *impact = g->impact;
    const carom_metric metric = {impact->mass_is_diagonal, impact->M, g->L};
    const size_t n = (size_t)impact->n;
    *e = (equations){.n = impact->n, .dust = carom_predicate_dust(g, impact->n)};
    e->most = impact->p + g->spread_start[impact->p] + g->c;
    e->A = carom_arena_doubles(arena, (size_t)e->most * (n + 3) + n);
    e->contact = carom_arena_array(arena, 2 * (size_t)e->most, sizeof(int));
    e->bent = carom_arena_zeros(arena, (size_t)impact->p + 1, sizeof(bool));
    if (!e->A || !e->contact || !e->bent)
        return carom_error_memory(error);
    e->rest = e->A + (size_t)e->most * n;
    e->norm = e->rest + e->most;
    e->row = e->norm + e->most;
    e->across = e->row + n;
    e->column = e->contact + e->most;
    return carom_cone_frame_create(impact->n, &metric, arena, &e->frame, error);
}

/* The row in e->row, which should be `value` further; size: of the terms of value. */
static void add(equations *e, int contact, int column, double value, double size)
{
    carom_cone_frame_row(&e->frame, e->row);
    const double norm = carom_dense_norm(e->n, e->row);
    if (!(norm > 0))
        return;
    for (int k = 0; k < e->n; k++)
        e->A[e->count + (size_t)k * (size_t)e->most] = e->row[k] / norm;
    e->norm[e->count] = norm;
    e->contact[e->count] = contact;
    e->column[e->count] = column;
    e->rest[e->count++] = value / norm;
    if (fabs(value) > 8 * DBL_EPSILON * size + e->dust)
        e->worst = fmax(e->worst, fabs(value) / size);
}

/* w'v with the sizes of its terms. */
static double product(int n, const double *w, const double *v, double *size)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum += w[k] * v[k];
        *size += fabs(w[k] * v[k]);
    }
    return sum;
}

/* Where v is on the cone w'v + motion >= |A'v| of contact i: at its apex, or on its surface, where
 * |A'v| = d'A'v, d to be had in t. A velocity A'v of a few digits does not tell; the reaction does:
 * it is -d times the impulse on the surface, and inside the polar cone at the apex alone. */
static bool is_apex(const carom_geometry *g, const equations *e, int i, const double *v,
                    const double *L, const double *eta, double *t, double *sizes)
{
    const int n = g->impact->n, first = g->spread_start[i], count = g->spread_start[i + 1] - first;
    *sizes = 0;
    for (int j = 0; j < count; j++)
        t[j] = product(n, g->impact->spread + (size_t)(first + j) * (size_t)n, v, sizes);
    const double norm = carom_dense_norm(count, t);
    const double pull = carom_dense_norm(count, eta + first);
    if (norm > CAROM_TOLERANCE_REGULAR * *sizes + e->dust) {
        carom_dense_scale(count, 1 / norm, t);
        return false;
    }
    if (!(L[i] > 0) || !(pull > (e->bent[i] ? 0 : (1 - CAROM_TOLERANCE_REGULAR) * L[i])))
        return true;
    for (int j = 0; j < count; j++)
        t[j] = -eta[first + j] / pull;
    return false;
}

/* h of unit length normal to d, the k-th of count - 1 (k from 1): Householder's reflection of d. */
static void across(int count, const double *d, int k, double *h)
{
    const double side = d[0] < 0 ? -1 : 1;
    for (int j = 0; j < count; j++)
        h[j] = (j == k) - d[k] * (d[j] + (j == 0 ? side : 0)) / (1 + fabs(d[0]));
}

/* The equations of a second-order cone: of its surface, or of its apex. Where the reaction alone
 * told the surface, A'v is so short that it has no part across d: turning d by a small angle would
 * make one of second order. */
static void add_cone(const carom_geometry *g, int i, const double *v, const double *L,
                     const double *eta, double gamma, double size, double *t, equations *e)
{
    const carom_impact *impact = g->impact;
    const int n = impact->n, first = g->spread_start[i], count = g->spread_start[i + 1] - first;
    const double *A = impact->spread + (size_t)first * (size_t)n;
    double sizes, along = 0, unused = 0;
    const bool apex = is_apex(g, e, i, v, L, eta, t, &sizes);
    carom_dense_copy(n, impact->W + (size_t)i * (size_t)n, e->row);
    for (int j = 0; j < count && !apex; j++) {
        along += t[j] * product(n, A + (size_t)j * (size_t)n, v, &unused);
        carom_dense_axpy(n, -t[j], A + (size_t)j * (size_t)n, e->row);
    }
    add(e, i, -1, along - gamma, size + sizes);
    for (int j = 0; j < count && apex; j++) {
        carom_dense_copy(n, A + (size_t)j * (size_t)n, e->row);
        add(e, i, first + j, -t[j], sizes);
    }
    for (int k = 1; k < count && e->bent[i] && !apex; k++) {
        across(count, t, k, e->across);
        memset(e->row, 0, (size_t)n * sizeof *e->row);
        for (int j = 0; j < count; j++)
            carom_dense_axpy(n, e->across[j], A + (size_t)j * (size_t)n, e->row);
        add(e, i, first + k, -product(n, e->row, v, &unused), sizes);
    }
}

/* All that holds v: contacts that push, those it violates, and the joints. */
static void pose(const carom_geometry *g, const double *L, const double *eta, bool all,
                 const double *v, double *t, equations *e)
{
    const carom_impact *impact = g->impact;
    const int n = impact->n;
    e->count = 0;
    e->worst = 0;
    for (int i = 0; i < impact->p; i++) {
        double size = fabs(impact->w_hat ? impact->w_hat[i] : 0);
        double gamma = (impact->w_hat ? impact->w_hat[i] : 0);
        gamma += product(n, impact->W + (size_t)i * (size_t)n, v, &size);
        const bool cone = g->spread_start[i + 1] > g->spread_start[i];
        if (!(L[i] > 0) && !(all && gamma < 0))
            continue;
        if (cone) {
            add_cone(g, i, v, L, eta, gamma, size, t, e);
        } else {
            carom_dense_copy(n, impact->W + (size_t)i * (size_t)n, e->row);
            add(e, i, -1, -gamma, size);
        }
    }
    for (int j = 0; j < g->c; j++) {
        carom_dense_copy(n, g->C + (size_t)j * (size_t)n, e->row);
        add(e, -1, -1, 0, 1);
    }
}

/* The shortest d (a velocity) with row'd = rest, or nearest to it. */
static carom_status shortest(const equations *e, carom_arena *arena, double *d, carom_error *error)
{
    const int n = e->n;
    carom_mark mark = carom_arena_mark(arena);
    carom_min_norm info;
    double *A = carom_arena_doubles(arena, (size_t)e->count * (size_t)n);
    if (!A)
        return carom_error_memory(error);
    for (int k = 0; k < n; k++)
        carom_dense_copy(e->count, e->A + (size_t)k * (size_t)e->most, A + (size_t)k * e->count);
    carom_status status =
        carom_min_norm_solve(e->count, n, A, e->rest, CAROM_TOLERANCE_RANK, arena, d, &info, error);
    carom_arena_rewind(arena, mark);
    if (!status)
        carom_cone_frame_vector_back(&e->frame, d);
    return status;
}

/* The least y for which the columns of the equations, reactions, make up the momentum r in the
 * frame (n), or nearest to it. */
static carom_status least(const equations *e, const double *r, carom_arena *arena, double *y,
                          carom_error *error)
{
    const int n = e->n;
    carom_min_norm info;
    carom_mark mark = carom_arena_mark(arena);
    double *A = carom_arena_doubles(arena, (size_t)e->count * (size_t)n);
    if (!A)
        return carom_error_memory(error);
    for (int j = 0; j < e->count; j++)
        for (int k = 0; k < n; k++)
            A[k + (size_t)j * (size_t)n] = e->A[j + (size_t)k * (size_t)e->most];
    carom_status status =
        carom_min_norm_solve(n, e->count, A, r, CAROM_TOLERANCE_RANK, arena, y, &info, error);
    carom_arena_rewind(arena, mark);
    return status;
}

static carom_status refine_velocity(const carom_geometry *g, const carom_outcome *o, bool all,
                                    carom_arena *arena, equations *e, double *work, double *v,
                                    carom_error *error)
{
    const int n = g->impact->n;
    const double *L = o->impulse, *eta = o->spread_impulse;
    double *d = work, *next = d + n, *t = next + n;
    carom_status status = CAROM_OK;
    pose(g, L, eta, all, v, t, e);
    for (int pass = 0; pass < PASSES && e->worst > 0 && !status; pass++) {
        const double before = e->worst;
        status = shortest(e, arena, d, error);
        /* near the apex of a cone its surface bends within the step: a part of it may do more */
        double part = 1;
        for (bool better = false; !better && part > LEAST_PART && !status; part /= 2) {
            carom_dense_copy(n, v, next);
            carom_dense_axpy(n, part, d, next);
            pose(g, L, eta, all, next, t, e);
            better = e->worst <= (1 - part / 4) * before;
        }
        if (status || !(e->worst < before))
            break;
        carom_dense_copy(n, next, v);
    }
    return status;
}

/* r = M (1 + epsilon)(v - u-) - W L - A eta in the frame, less what joints take; its norm. */
static double momentum_left(const carom_geometry *g, const equations *e, double epsilon,
                            const double *v, const double *L, const double *eta, double *work,
                            double *r)
{
    const carom_impact *impact = g->impact;
    const int n = impact->n;
    for (int k = 0; k < n; k++)
        work[k] = (1 + epsilon) * (v[k] - g->u[k]);
    carom_geometry_mass(g, work, r);
    for (int i = 0; i < impact->p; i++)
        carom_dense_axpy(n, -L[i], impact->W + (size_t)i * (size_t)n, r);
    for (int j = 0; j < g->spread_start[impact->p]; j++)
        carom_dense_axpy(n, -eta[j], impact->spread + (size_t)j * (size_t)n, r);
    carom_cone_frame_row(&e->frame, r);
    return carom_dense_norm(n, r);
}

/* Add the reactions y of the equations to the impulses, `before` without them; t: room for the
 * spread of a contact. False: a contact would pull. */
static bool take(const carom_geometry *g, const equations *e, const double *y, const double *v,
                 const double *before, double *t, double *L, double *eta)
{
    for (int j = 0; j < e->count; j++) {
        const int i = e->contact[j];
        if (i < 0)
            continue;
        const double change = y[j] / e->norm[j];
        const int first = g->spread_start[i], count = g->spread_start[i + 1] - first;
        if (e->column[j] >= 0 && e->bent[i]) {
            across(count, t, e->column[j] - first, e->across);
            carom_dense_axpy(count, change, e->across, eta + first);
            continue;
        }
        if (e->column[j] >= 0) {
            eta[e->column[j]] += change;
            continue;
        }
        L[i] += change;
        if (!(L[i] >= 0))
            return false;
        const bool surface =
            e->bent[i] || j + 1 == e->count || e->contact[j + 1] != i || e->column[j + 1] < 0;
        double sizes;
        if (!surface || count == 0 || is_apex(g, e, i, v, before, eta, t, &sizes))
            continue;
        for (int k = 0; k < count; k++)
            eta[first + k] = -L[i] * t[k];
    }
    return true;
}

/* The impulses of v: on the surfaces of cones along their normals, and what is left of the momentum
 * by least squares, once or twice. Kept as they are where a contact would pull. */
static carom_status refine_impulses(const carom_geometry *g, double epsilon, carom_arena *arena,
                                    equations *e, double *work, const double *v, carom_outcome *o,
                                    carom_error *error)
{
    const int n = g->impact->n, p = g->impact->p, spreads = g->spread_start[p];
    double *L = carom_arena_doubles(arena, (size_t)(p + spreads + n + e->most + 1));
    if (!L)
        return carom_error_memory(error);
    double *eta = L + p, *r = eta + spreads, *y = r + n;
    pose(g, o->impulse, o->spread_impulse, false, v, work + 2 * n, e);
    double before = momentum_left(g, e, epsilon, v, o->impulse, o->spread_impulse, work, r);
    for (int pass = 0; pass < 3 && e->count > 0; pass++) {
        carom_dense_copy(p, o->impulse, L);
        carom_dense_copy(spreads, o->spread_impulse, eta);
        carom_status status = least(e, r, arena, y, error);
        if (status)
            return status;
        if (!take(g, e, y, v, o->impulse, work + 2 * n, L, eta))
            break;
        const double after = momentum_left(g, e, epsilon, v, L, eta, work, r);
        if (!(after < 0.5 * before))
            break;
        carom_dense_copy(p, L, o->impulse);
        carom_dense_copy(spreads, eta, o->spread_impulse);
        before = after;
    }
    return CAROM_OK;
}

/* Is there a cone at whose apex v was put, by the impulses `before`, and whose reaction there is
 * outside the polar cone? Beside heavy bodies few digits of an impulse are right. Then v is on the
 * surface. */
static bool leaves_apex(const carom_geometry *g, const double *v, const double *before,
                        const carom_outcome *o, double *t, equations *e)
{
    bool any = false;
    double sizes;
    for (int i = 0; i < g->impact->p; i++) {
        const int first = g->spread_start[i], count = g->spread_start[i + 1] - first;
        const double L = o->impulse[i], pull = carom_dense_norm(count, o->spread_impulse + first);
        if (!(before[i] > 0) || carom_dense_norm(count, before + g->impact->p + first) == 0 ||
            e->bent[i] || !(pull > (1 + CAROM_TOLERANCE_REGULAR) * L) ||
            !is_apex(g, e, i, v, before, before + g->impact->p, t, &sizes))
            continue;
        e->bent[i] = any = true;
    }
    return any;
}

/* v - u- in the span of the equations, reactions of what holds v: the nearest allowed velocity
 * differs from u- by such, and corrections along the equations keep it so. */
static carom_status span(const carom_geometry *g, const carom_outcome *o, bool all,
                         carom_arena *arena, equations *e, double *work, double *v,
                         carom_error *error)
{
    const int n = g->impact->n, p = g->impact->p, spreads = g->spread_start[p];
    carom_mark mark = carom_arena_mark(arena);
    double *none = carom_arena_zeros(arena, (size_t)(p + spreads) + 1, sizeof *none);
    double *y = carom_arena_doubles(arena, (size_t)(e->most + n) + 1), *r = y + e->most;
    if (!none || !y)
        return carom_error_memory(error);
    pose(g, o->impulse, o->spread_impulse, all, v, work + 2 * n, e);
    momentum_left(g, e, 0, v, none, none + p, work, r);
    const carom_status status = least(e, r, arena, y, error);
    memset(r, 0, (size_t)n * sizeof *r);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < e->count; j++)
            r[k] += y[j] * e->A[j + (size_t)k * (size_t)e->most];
    carom_cone_frame_vector_back(&e->frame, r);
    for (int k = 0; k < n; k++)
        v[k] = g->u[k] + r[k];
    carom_arena_rewind(arena, mark);
    return status;
}

carom_status carom_moreau_refine(const carom_geometry *g, double epsilon, bool all,
                                 carom_arena *arena, double *v, carom_outcome *outcome,
                                 carom_error *error)
{
    const int n = g->impact->n, p = g->impact->p, spreads = g->spread_start[p];
    if (n > LARGEST)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    equations e;
    carom_status status = create(g, arena, &e, error);
    const size_t room = 3 * (size_t)n + (size_t)(e.most + p + spreads) + 1;
    double *work = status ? NULL : carom_arena_doubles(arena, room);
    if (!status && !work)
        status = carom_error_memory(error);
    double *first_v = status ? NULL : work + 2 * n + e.most + 1, *first_L = first_v + n;
    for (bool again = !status; again;) { /* at most once more for each cone */
        carom_dense_copy(n, v, first_v);
        carom_dense_copy(p, outcome->impulse, first_L);
        carom_dense_copy(spreads, outcome->spread_impulse, first_L + p);
        status = refine_velocity(g, outcome, all, arena, &e, work, v, error);
        if (!status && outcome->impulse_exists)
            status = refine_impulses(g, epsilon, arena, &e, work, v, outcome, error);
        again = !status && outcome->impulse_exists &&
                leaves_apex(g, v, first_L, outcome, work + 2 * n, &e);
        if (!again)
            break;
        carom_dense_copy(n, first_v, v);
        carom_dense_copy(spreads, first_L + p, outcome->spread_impulse);
        for (int i = 0; i < p; i++) { /* on a surface an impulse is as large as what it spreads */
            const int first = g->spread_start[i], count = g->spread_start[i + 1] - first;
            outcome->impulse[i] =
                e.bent[i] ? carom_dense_norm(count, first_L + p + first) : first_L[i];
        }
        status = span(g, outcome, all, arena, &e, work, v, error);
        again = !status;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
