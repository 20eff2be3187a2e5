#include "impact/joints.h"

#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <float.h>
#include <math.h>
#include <string.h>

double carom_joints_rank_tolerance(int rows)
{
    return 64 * DBL_EPSILON * (rows > 4 ? rows : 4);
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

/* Solve C'M^-1 C x = r in place (r in the range); c numbers of scratch lie behind S. */
static void solve(const carom_geometry *g, double *r)
{
    carom_pivoted_cholesky_solve(g->c, g->S_rank, g->S, g->c, g->S_pivot, r,
                                 g->S + (size_t)g->c * g->c);
}

void carom_joints_project(const carom_geometry *g, const double *shift, double *x)
{
    int n = g->impact->n, c = g->c;
    if (c == 0)
        return;
    double *r = g->S + (size_t)c * (c + 1); /* scratch behind S, see carom_joints_make */
    /* Twice: the second pass removes what rounding left of the first when joints are nearly
     * parallel. */
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < c; j++)
            r[j] = carom_dense_dot(n, g->C + (size_t)j * n, x) + (shift ? shift[j] : 0);
        solve(g, r);
        for (int j = 0; j < c; j++)
            for (int i = 0; i < n; i++)
                x[i] -= g->MC[i + (size_t)j * n] * r[j];
    }
}

void carom_geometry_joint_impulses(const carom_geometry *g, const double *momentum, double *beta)
{
    int n = g->impact->n;
    for (int j = 0; j < g->c; j++)
        beta[j] = carom_dense_dot(n, g->MC + (size_t)j * n, momentum);
    if (g->c)
        solve(g, beta);
}

/* With dependent rows: does b_c = -M^-1 C S^+ c_hat satisfy every row? */
static carom_status check_consistent(const carom_geometry *g, carom_arena *arena,
                                     carom_error *error)
{
    int n = g->impact->n, m = g->impact->m;
    double *trial = carom_arena_zeros(arena, (size_t)n, sizeof(double));
    if (!trial)
        return carom_error_memory(error);
    carom_joints_project(g, g->c_hat, trial);
    double scale = sqrt(carom_geometry_dot(g, trial, trial));
    for (int j = 0; j < g->c; j++) {
        const double *Cj = g->C + (size_t)j * n;
        double norm = sqrt(carom_dense_dot(n, Cj, g->MC + (size_t)j * n));
        double off = carom_dense_dot(n, Cj, trial) + g->c_hat[j];
        if (fabs(off) > 1e-9 * (norm * scale + fabs(g->c_hat[j])))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "%s constraint %d depends on the others but prescribes another "
                                   "motion (off by %g): no velocity satisfies all of them",
                                   j < m ? "bilateral" : "permanent", j < m ? j + 1 : j - m + 1,
                                   off);
    }
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
    g->C = g->c_hat = g->MC = g->S = NULL;
    g->S_pivot = NULL;
    g->S_rank = 0;
    if (c == 0)
        return CAROM_OK;
    g->C = carom_arena_doubles(arena, (size_t)n * c);
    g->MC = carom_arena_doubles(arena, (size_t)n * c);
    g->c_hat = carom_arena_zeros(arena, (size_t)c, sizeof(double));
    g->S = carom_arena_doubles(arena, (size_t)c * (c + 2)); /* the factor and 2c of scratch */
    g->S_pivot = carom_arena_array(arena, (size_t)c, sizeof(int));
    if (!g->C || !g->MC || !g->c_hat || !g->S || !g->S_pivot)
        return carom_error_memory(error);
    join_rows(impact, g);
    memcpy(g->MC, g->C, (size_t)n * c * sizeof(double));
    for (int j = 0; j < c; j++)
        carom_joints_inverse_mass(g, g->MC + (size_t)j * n);
    for (int j = 0; j < c; j++)
        for (int i = 0; i < c; i++)
            g->S[i + (size_t)j * c] =
                carom_dense_dot(n, g->C + (size_t)i * n, g->MC + (size_t)j * n);
    g->S_rank = carom_pivoted_cholesky_factor(c, g->S, c, carom_joints_rank_tolerance(c),
                                              g->S_pivot, g->S + (size_t)c * c);
    return g->S_rank == c ? CAROM_OK : check_consistent(g, arena, error);
}
