/* Joints and nonholonomic constraints of an impact, joined to the rows C that every velocity meets.
 */
#include "impact/joints.h"
#include "carom/need.h"

#include "impact/predicate.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

double carom_joints_rank_tolerance(int rows)
{
    return CAROM_TOLERANCE_SUM * (rows > 4 ? rows : 4);
}

void carom_joints_inverse_mass(const carom_geometry *g, double *x)
{
    int n = g->impact->n;
    if (g->impact->mass_is_diagonal)
        for (int i = 0; i < n; i++)
            x[i] /= g->impact->M[i];
    else
        carom_cholesky_solve(n, g->L, n, x);
}

void carom_joints_project(const carom_geometry *g, const double *shift, double *x, double *work)
{
    if (g->c)
        carom_response_project(g->joints, g->c, shift, x, work);
}

/* In these units the entries of rows are comparable, whatever the coordinates are measured in: the
 * largest entry of all rows of the impact, 1 where there is none. */
static double *make_units(const carom_geometry *g, carom_arena *arena)
{
    const carom_impact *impact = g->impact;
    double *unit = carom_arena_zeros(arena, (size_t)impact->n, sizeof *unit);
    if (!unit)
        return NULL;
    carom_response_units(impact->n, impact->p, impact->W, unit);
    carom_response_units(impact->n, g->s, impact->H, unit);
    carom_response_units(impact->n, impact->m, impact->B, unit);
    carom_response_units(impact->n, impact->a, impact->A, unit);
    for (int k = 0; k < impact->n; k++)
        unit[k] = unit[k] > 0 ? unit[k] : 1;
    return unit;
}

static carom_status make_response(const carom_geometry *g, int rows, carom_arena *arena,
                                  carom_response *response, carom_error *error)
{
    const carom_impact *impact = g->impact;
    const double *unit = make_units(g, arena);
    return unit ? carom_response_create(impact->n, impact->mass_is_diagonal, impact->M, g->L, unit,
                                        rows, arena, response, error)
                : carom_error_memory(error);
}

carom_status carom_joints_response(const carom_geometry *g, int more, carom_arena *arena,
                                   carom_response *response, carom_error *error)
{
    return g->joints ? carom_response_extend(g->joints, more, arena, response, error)
                     : make_response(g, more, arena, response, error);
}

/* C beta = momentum where it is in the range: R beta = Q'L^-1 momentum; rows left out carry none.
 */
void carom_geometry_joint_impulses(const carom_geometry *g, const double *momentum, double *beta,
                                   double *work)
{
    CAROM_NEED_OR(, g, g->impact, momentum, beta);
    const carom_response *r = g->joints;
    for (int j = 0; j < g->c; j++)
        beta[j] = 0;
    if (!r)
        return;
    double *x = work + g->impact->n;
    memcpy(work, momentum, sizeof *work * (size_t)g->impact->n);
    carom_response_row(r, work);
    carom_basis_coordinates(&r->basis, work, x);
    carom_basis_solve(&r->basis, x);
    for (int k = 0; k < r->basis.k; k++)
        beta[r->number[k]] = x[k];
}

/* With dependent rows: does the velocity that meets the independent ones satisfy every row? */
static carom_status check_consistent(const carom_geometry *g, carom_arena *arena,
                                     carom_error *error)
{
    int m = g->impact->m, worst;
    double *b = carom_arena_doubles(arena, (size_t)g->impact->n);
    const double **rows = carom_arena_array(arena, (size_t)g->c, sizeof *rows);
    if (!b || !rows)
        return carom_error_memory(error);
    for (int j = 0; j < g->c; j++)
        rows[j] = g->C + (size_t)j * (size_t)g->impact->n;
    carom_status status =
        carom_joints_frame(g->joints, g->c, rows, g->c_hat, arena, b, &worst, error);
    if (status || worst < 0)
        return status;
    return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                           "%s constraint %d depends on the others but prescribes another motion: "
                           "no velocity satisfies all of them",
                           worst < m ? "bilateral" : "permanent",
                           worst < m ? worst + 1 : worst - m + 1);
}

/* How large velocities of each coordinate are by the rows it takes part in: the size of the terms
 * of a row in units of its entry. Rounding of a row reaches its coordinates so far. */
static void find_reach(int n, int count, const double *const *rows, const double *motion,
                       const doubled *u, double *reach)
{
    memset(reach, 0, sizeof *reach * (size_t)n);
    for (int j = 0; j < count; j++) {
        double size = motion ? fabs(motion[j]) : 0;
        for (int k = 0; k < n; k++)
            size += fabs(rows[j][k] * u[k].hi);
        for (int k = 0; k < n; k++)
            if (rows[j][k] != 0 && size > reach[k] * fabs(rows[j][k]))
                reach[k] = size / fabs(rows[j][k]);
    }
}

carom_status carom_joints_frame(const carom_response *r, int count, const double *const *rows,
                                const double *motion, carom_arena *arena, double *b, int *worst,
                                carom_error *error)
{
    int n = r->n;
    size_t ns = (size_t)n, all = (size_t)count;
    carom_mark mark = carom_arena_mark(arena);
    doubled *x = carom_arena_zeros(arena, 2 * ns + 2 * all, sizeof *x);
    double *reach = carom_arena_doubles(arena, 3 * ns + 2 * all);
    if (!x || !reach)
        return carom_error_memory(error);
    doubled *u = x + n, *shift = u + n, *impulse = shift + count;
    double most = 1, scale = 0;
    for (int j = 0; j < count; j++)
        shift[j] = (doubled){motion ? motion[j] : 0, 0};
    carom_response_meet(r, shift, x, NULL, u, impulse, reach + n);
    find_reach(n, count, rows, motion, u, reach);
    for (int i = 0; i < n; i++)
        scale = fmax(scale, fabs(u[i].hi) * (r->unit ? r->unit[i] : 1));
    for (int i = 0; i < n; i++) /* what is dust for every row */
        reach[i] += DBL_EPSILON * scale / (r->unit ? r->unit[i] : 1);
    *worst = -1;
    for (int j = 0; j < count; j++) {
        double allowed = CAROM_VERDICT_TOLERANCE * fabs(shift[j].hi);
        for (int i = 0; i < n; i++)
            allowed += fabs(rows[j][i]) *
                       (CAROM_VERDICT_TOLERANCE * fabs(u[i].hi) + CAROM_PREDICATE_REST * reach[i]);
        double off = fabs(doubled_dot(n, rows[j], u, shift[j]).hi);
        if (off > most * allowed) {
            most = allowed > 0 ? off / allowed : INFINITY;
            *worst = j;
        }
    }
    for (int i = 0; i < n; i++)
        b[i] = fabs(u[i].hi) > DBL_EPSILON * DBL_EPSILON * reach[i] ? u[i].hi : 0;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

static void join_rows(const carom_impact *impact, carom_geometry *g)
{
    size_t n = (size_t)impact->n, m = (size_t)impact->m, a = (size_t)impact->a;
    if (m)
        memcpy(g->C, impact->B, n * m * sizeof(double));
    if (a)
        memcpy(g->C + n * m, impact->A, n * a * sizeof(double));
    if (m && impact->b_hat)
        memcpy(g->c_hat, impact->b_hat, m * sizeof(double));
    if (a && impact->a_hat)
        memcpy(g->c_hat + m, impact->a_hat, a * sizeof(double));
}

carom_status carom_joints_make(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, c = g->c = impact->m + impact->a;
    g->C = g->c_hat = NULL;
    g->joints = NULL;
    g->joint_rank = 0;
    if (c == 0)
        return CAROM_OK;
    carom_response *joints = carom_arena_take(arena, sizeof *joints);
    const double **rows = carom_arena_array(arena, (size_t)c, sizeof *rows);
    g->C = carom_arena_doubles(arena, (size_t)n * c);
    g->c_hat = carom_arena_zeros(arena, (size_t)c, sizeof(double));
    if (!joints || !rows || !g->C || !g->c_hat)
        return carom_error_memory(error);
    join_rows(impact, g);
    for (int j = 0; j < c; j++)
        rows[j] = g->C + (size_t)j * n;
    carom_status status = make_response(g, c, arena, joints, error);
    if (!status)
        status = carom_response_take_all(joints, c, rows, 0, arena, error);
    if (status)
        return status;
    g->joints = joints;
    g->joint_rank = joints->basis.k;
    return g->joint_rank == c ? CAROM_OK : check_consistent(g, arena, error);
}

carom_status carom_joints_free(const carom_geometry *geometry, const carom_state *state,
                               carom_arena *arena, double *a, carom_error *error)
{
    const carom_impact *impact = geometry->impact;
    const size_t n = (size_t)impact->n, c = (size_t)geometry->c;
    carom_mark mark = carom_arena_mark(arena);
    double *shift = carom_arena_doubles(arena, 6 * n + 7 * c);
    if (!shift)
        return carom_error_memory(error);
    for (int j = 0; j < impact->m; j++)
        shift[j] = state->b_bias[j];
    for (int j = 0; j < impact->a; j++)
        shift[impact->m + j] = state->a_bias[j];
    carom_dense_copy(impact->n, state->h, a);
    carom_joints_inverse_mass(geometry, a);
    carom_joints_project(geometry, shift, a, shift + c);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
