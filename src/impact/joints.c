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
        carom_response_project(g->joints, g->c, shift, x, NULL, work);
}

static void make_response(const carom_geometry *g, int rows, carom_arena *arena,
                          carom_response *response)
{
    const carom_impact *impact = g->impact;
    const carom_response_list lists[] = {
        {impact->p, impact->W}, {g->s, impact->H}, {impact->m, impact->B}, {impact->a, impact->A}};
    double *unit = carom_arena_reserved(arena, (size_t)impact->n, sizeof *unit);
    carom_response_units(impact->n, impact->mass_is_diagonal, impact->M, lists, 4, unit);
    carom_response_create(impact->n, impact->mass_is_diagonal, impact->M, g->L, unit, rows, arena,
                          response);
}

static size_t response_bytes(int n, int rows)
{
    return carom_arena_bytes((size_t)n, sizeof(double)) + carom_response_bytes(n, rows);
}

size_t carom_joints_bytes(const carom_geometry *g, int more)
{
    return g->joints ? carom_response_bytes(g->impact->n, g->joints->basis.k + more)
                     : response_bytes(g->impact->n, more);
}

void carom_joints_response(const carom_geometry *g, int more, carom_arena *arena,
                           carom_response *response)
{
    if (g->joints)
        carom_response_extend(g->joints, more, arena, response);
    else
        make_response(g, more, arena, response);
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
static carom_status check_consistent(const carom_geometry *g, const double *const *rows,
                                     carom_arena *arena, carom_error *error)
{
    const int n = g->impact->n, m = g->impact->m;
    carom_status status = carom_arena_reserve(
        arena, carom_arena_bytes((size_t)n, sizeof(double)) + carom_joints_frame_bytes(n, g->c),
        error);
    if (status)
        return status;
    double *b = carom_arena_reserved(arena, (size_t)n, sizeof *b);
    const int worst = carom_joints_frame(g->joints, g->c, rows, g->c_hat, arena, b);
    if (worst < 0)
        return CAROM_OK;
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

size_t carom_joints_frame_bytes(int n, int count)
{
    const size_t ns = (size_t)n, all = (size_t)count;
    return carom_arena_bytes(2 * ns + 2 * all, sizeof(doubled)) +
           carom_arena_bytes(3 * ns + 2 * all, sizeof(double));
}

/* The rows left out as dependent were not solved for: b satisfies them to rounding exactly when the
 * motions agree. What counts as rounding is judged row by row, by the terms of the row and by what
 * the rows of its coordinates leave uncertain (`reach`). */
int carom_joints_frame(const carom_response *r, int count, const double *const *rows,
                       const double *motion, carom_arena *arena, double *b)
{
    int n = r->n, worst = -1;
    size_t ns = (size_t)n, all = (size_t)count;
    carom_mark mark = carom_arena_mark(arena);
    doubled *x = carom_arena_reserved(arena, 2 * ns + 2 * all, sizeof *x);
    double *reach = carom_arena_reserved(arena, 3 * ns + 2 * all, sizeof *reach);
    memset(x, 0, (2 * ns + 2 * all) * sizeof *x);
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
    for (int j = 0; j < count; j++) {
        double allowed = CAROM_VERDICT_TOLERANCE * fabs(shift[j].hi);
        for (int i = 0; i < n; i++)
            allowed += fabs(rows[j][i]) *
                       (CAROM_VERDICT_TOLERANCE * fabs(u[i].hi) + CAROM_PREDICATE_REST * reach[i]);
        double off = fabs(doubled_dot(n, rows[j], u, shift[j]).hi);
        if (off > most * allowed) {
            most = allowed > 0 ? off / allowed : INFINITY;
            worst = j;
        }
    }
    for (int i = 0; i < n; i++)
        b[i] = fabs(u[i].hi) > DBL_EPSILON * DBL_EPSILON * reach[i] ? u[i].hi : 0;
    carom_arena_rewind(arena, mark);
    return worst;
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
    int n = impact->n, c = g->c;
    carom_response *joints;
    const double **rows;
    const carom_arena_part parts[] = {{&joints, 1, sizeof *joints},
                                      {&rows, (size_t)c, sizeof *rows},
                                      {&g->C, (size_t)n * (size_t)c, sizeof *g->C},
                                      {&g->c_hat, (size_t)c, sizeof *g->c_hat}};
    carom_status status = carom_arena_parts(arena, parts, 4, error);
    if (!status)
        status = carom_arena_reserve(
            arena, response_bytes(n, c) + carom_response_take_all_bytes(n, c), error);
    if (status)
        return status;
    join_rows(impact, g);
    for (int j = 0; j < c; j++)
        rows[j] = g->C + (size_t)j * n;
    make_response(g, c, arena, joints);
    carom_response_take_all(joints, c, rows, 0, arena);
    g->joints = joints;
    g->joint_rank = joints->basis.k;
    return g->joint_rank == c ? CAROM_OK : check_consistent(g, rows, arena, error);
}

size_t carom_joints_free_work(const carom_geometry *geometry)
{
    return 6 * (size_t)geometry->impact->n + 7 * (size_t)geometry->c;
}

void carom_joints_free(const carom_geometry *geometry, const carom_state *state, double *a,
                       double *terms, double *shift)
{
    const carom_impact *impact = geometry->impact;
    for (int j = 0; j < impact->m; j++)
        shift[j] = state->b_bias[j];
    for (int j = 0; j < impact->a; j++)
        shift[impact->m + j] = state->a_bias[j];
    carom_dense_copy(impact->n, state->h, a);
    carom_joints_inverse_mass(geometry, a);
    for (int k = 0; k < impact->n && terms; k++)
        terms[k] = fabs(a[k]);
    if (geometry->c)
        carom_response_project(geometry->joints, geometry->c, shift, a, terms, shift + geometry->c);
}
