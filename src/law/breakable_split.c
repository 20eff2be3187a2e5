/* V_S by the nearest allowed velocity, V_B by the nearest one that does not slide. */
#include "law/breakable_split.h"

#include "carom/tolerance.h"
#include "impact/joints.h"
#include "impact/predicate.h"
#include "law/impulses.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <math.h>
#include <string.h>

static carom_status take_room(const carom_geometry *g, carom_arena *arena, carom_breakable_split *s,
                              carom_error *error)
{
    size_t n = (size_t)g->impact->n, p = (size_t)g->impact->p, slips = (size_t)g->s;
    doubled *memory = carom_arena_zeros(arena, 2 * n + 3 * p + 2 * slips, sizeof *memory);
    if (!memory)
        return carom_error_memory(error);
    *s = (carom_breakable_split){.exists = true, .solvable = true, .unique = true};
    s->after = memory;
    s->V_B = s->after + n;
    s->shock = s->V_B + n;
    s->normal = s->shock + p;
    s->zeta = s->normal + p;
    s->beta = s->zeta + p;
    s->slip = s->beta + slips;
    return CAROM_OK;
}

/* The rows that hold B: contacts that S presses upon, then the slips. Numbers: c + i and
 * c + p + j. */
typedef struct rows {
    carom_response r;
    int count;
    const double **row; /* count */
    int *number;        /* count */
    doubled *motion;    /* c + p + s */
    doubled *impulse;   /* c + p + s */
    double *work;       /* 2 (n + c + p + s) */
    doubled *u;         /* n, the velocity that they hold */
} rows;

static carom_status collect(const carom_geometry *g, const carom_breakable_split *s,
                            const bool *held, const doubled *P_S, carom_arena *arena, rows *w,
                            carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, p = impact->p, c = g->c;
    size_t all = (size_t)(c + p + g->s);
    const carom_arena_part parts[] = {
        {&w->row, all, sizeof *w->row},
        {&w->number, all, sizeof *w->number},
        {&w->motion, 2 * all, sizeof *w->motion},
        {&w->work, 2 * ((size_t)n + all), sizeof *w->work},
        {&w->u, (size_t)n, sizeof *w->u},
    };
    carom_status status = carom_arena_parts(arena, parts, sizeof parts / sizeof *parts, error);
    if (!status)
        status = carom_arena_reserve(
            arena, carom_joints_bytes(g, p + g->s) + carom_response_take_all_bytes(n, p + g->s),
            error);
    if (status)
        return status;
    carom_joints_response(g, p + g->s, arena, &w->r);
    w->impulse = w->motion + all;
    w->count = 0;
    for (int j = 0; j < c; j++)
        w->motion[j] = (doubled){g->c_hat[j], 0};
    for (int i = 0; i < p; i++) { /* V_B is tangent to S: the normal velocity of P_S stays */
        const double *row = impact->W + (size_t)i * (size_t)n;
        if (s->shock[i].hi == 0 && s->normal[i].hi == 0)
            continue;
        w->motion[c + i] = doubled_negate(doubled_dot(n, row, P_S, (doubled){0, 0}));
        w->row[w->count] = row;
        w->number[w->count++] = c + i;
    }
    for (int j = 0; j < g->s; j++) {
        if (!held[j])
            continue;
        w->motion[c + p + j] = (doubled){impact->slip_motion ? impact->slip_motion[j] : 0, 0};
        w->row[w->count] = impact->H + (size_t)j * (size_t)n;
        w->number[w->count++] = c + p + j;
    }
    return CAROM_OK;
}

/* Does u satisfy the rows that were left out as dependent? */
static bool agrees(const carom_geometry *g, const rows *w, const doubled *P_S, const doubled *u)
{
    int n = g->impact->n;
    for (int k = 0; k < w->count; k++) {
        doubled motion = w->motion[w->number[k]];
        double size = fabs(motion.hi), off = fabs(doubled_dot(n, w->row[k], u, motion).hi);
        for (int i = 0; i < n; i++)
            size += fabs(w->row[k][i]) * (fabs(u[i].hi) + fabs(P_S[i].hi) + fabs(g->u[i]));
        if (off > CAROM_VERDICT_TOLERANCE * size + carom_predicate_dust(g, n))
            return false;
    }
    return true;
}

/* Of dependent rows the shortest multipliers, in units of the rows' norms: found in double
 * precision, and what that leaves by the independent rows. */
static carom_status shorten(const carom_geometry *g, rows *w, const doubled *P_S, doubled *u,
                            carom_arena *arena, carom_error *error)
{
    int n = g->impact->n, count = w->count, c = g->c;
    carom_response joints;
    carom_min_norm info;
    double *A, *sum;
    doubled *push;
    const carom_arena_part parts[] = {
        {&A, ((size_t)n + 2) * (size_t)count, sizeof *A},
        {&sum, (size_t)n, sizeof *sum},
        {&push, (size_t)n, sizeof *push},
    };
    carom_status status = carom_arena_parts(arena, parts, sizeof parts / sizeof *parts, error);
    if (!status)
        status = carom_arena_reserve(arena, carom_joints_bytes(g, 0), error);
    if (status)
        return status;
    carom_joints_response(g, 0, arena, &joints);
    double *x = A + (size_t)n * (size_t)count, *norm = x + count;
    for (int k = 0; k < count; k++) {
        double *a = A + (size_t)k * (size_t)n;
        carom_dense_copy(n, w->row[k], a);
        carom_response_row(&joints, a);
        carom_basis_subtract(&joints.basis, a);
        if (joints.basis.k && carom_response_depends(&joints, w->row[k], w->work))
            memset(a, 0, sizeof *a * (size_t)n);
        norm[k] = carom_dense_norm(n, a);
        carom_dense_axpy(n, w->impulse[w->number[k]].hi, a, sum);
        carom_dense_scale(n, norm[k] > 0 ? 1 / norm[k] : 0, a);
    }
    status = carom_min_norm_solve(n, count, A, sum, CAROM_TOLERANCE_RANK, arena, x, &info, error);
    for (int k = 0; k < count && !status; k++) {
        x[k] = norm[k] > 0 ? x[k] / norm[k] : 0;
        for (int i = 0; i < n; i++)
            push[i] = doubled_add(push[i], doubled_product(w->row[k][i], x[k]));
    }
    if (status)
        return status;
    for (int k = 0; k < count; k++) /* rows that are not held get what was found alone */
        w->impulse[w->number[k]] = (doubled){0, 0};
    carom_response_meet(&w->r, w->motion, P_S, push, u, w->impulse, w->work);
    for (int k = 0; k < count; k++)
        w->impulse[w->number[k]] = doubled_add_double(w->impulse[w->number[k]], x[k]);
    for (int j = 0; j < c; j++)
        w->impulse[j] = (doubled){0, 0};
    return CAROM_OK;
}

/* P_B is the velocity nearest to P_S that the rows hold, V_B = P_S - P_B. */
static carom_status split_tangent(const carom_geometry *g, const bool *held, const doubled *P_S,
                                  carom_arena *arena, carom_breakable_split *s, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p, c = g->c;
    rows w;
    carom_status status = collect(g, s, held, P_S, arena, &w, error);
    if (status)
        return status;
    doubled *u = w.u;
    int joints = w.r.basis.k;
    carom_response_take_all(&w.r, w.count, w.row, 0, arena);
    for (int j = joints; j < w.r.basis.k; j++)
        w.r.number[j] = w.number[w.r.number[j]];
    carom_response_meet(&w.r, w.motion, P_S, NULL, u, w.impulse, w.work);
    s->exists = agrees(g, &w, P_S, u);
    if (!s->exists)
        return CAROM_OK;
    s->unique = s->unique && w.r.basis.k - joints == w.count;
    if (w.r.basis.k - joints < w.count)
        status = shorten(g, &w, P_S, u, arena, error);
    for (int k = 0; k < n; k++)
        s->V_B[k] = doubled_add(P_S[k], doubled_negate(u[k]));
    for (int i = 0; i < p; i++)
        s->zeta[i] = doubled_negate(w.impulse[c + i]);
    for (int j = 0; j < g->s; j++) {
        const double *h = g->impact->H + (size_t)j * (size_t)n;
        if (!held[j])
            continue;
        s->beta[j] = doubled_negate(w.impulse[c + p + j]);
        s->slip[j] = doubled_dot(n, h, P_S, w.motion[c + p + j]);
    }
    return status;
}

carom_status carom_breakable_split_make(const carom_geometry *g, const bool *only,
                                        const double *epsilon, const bool *held, carom_arena *arena,
                                        carom_breakable_split *split, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p;
    carom_breakable_split s;
    carom_impulses shock, normal;
    carom_status status = take_room(g, arena, &s, error);
    if (!status)
        status = carom_impulses_among(g, only, NULL, arena, &shock, error);
    if (!status)
        status = carom_impulses_among(g, only, epsilon, arena, &normal, error);
    if (status)
        return status;
    s.solvable = shock.exists && shock.converged && normal.exists && normal.converged;
    s.unique = shock.unique && normal.unique;
    memcpy(s.shock, shock.exact_impulse, sizeof *s.shock * (size_t)p);
    memcpy(s.normal, normal.exact_impulse, sizeof *s.normal * (size_t)p);
    memcpy(s.after, normal.exact_u, sizeof *s.after * (size_t)n);
    if (s.solvable)
        status = split_tangent(g, held, shock.exact_u, arena, &s, error);
    *split = s;
    return status;
}
