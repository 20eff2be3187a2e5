/* Derived geometry of an impact (docs/theory/impact.md).
 *
 * Everything is computed once here and read by the laws: gradients Y = M_c^-1 W, Delassus matrix
 * D = W'Y, normal velocities, the frame velocity b. Contacts usually touch few coordinates, so each
 * normal is used on its own range of non-zero entries only; a chain of a thousand balls then costs
 * what its thousand non-zeros cost. */
#include "base/arena.h"
#include "impact/check.h"
#include "impact/frame.h"
#include "impact/joints.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static carom_status factor_mass(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n, count = impact->mass_is_diagonal ? n : n * n;
    g->L = carom_arena_doubles(arena, count);
    if (!g->L)
        return carom_error_memory(error);
    int failed = 0;
    if (impact->mass_is_diagonal) {
        for (size_t i = 0; i < n; i++) {
            if (!(impact->M[i] > 0) && !failed)
                failed = (int)i + 1;
            g->L[i] = sqrt(impact->M[i]);
        }
    } else {
        memcpy(g->L, impact->M, count * sizeof(double));
        failed = carom_cholesky_factor((int)n, g->L, (int)n);
    }
    if (!failed)
        return CAROM_OK;
    size_t entry = (size_t)(failed - 1) * (impact->mass_is_diagonal ? 1 : n + 1);
    return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                           "the mass matrix is not positive definite: pivot %d is not positive "
                           "(its diagonal entry is %g)",
                           failed, impact->M[entry]);
}

/* Non-zero entries of x are in [first, last). */
static void find_range(int n, const double *x, int *first, int *last)
{
    int lo = 0, hi = n;
    while (lo < n && x[lo] == 0)
        lo++;
    while (hi > lo && x[hi - 1] == 0)
        hi--;
    *first = lo;
    *last = hi;
}

/* Y = M_c^-1 W; where M is diagonal and there are no joints a column keeps the range of its normal.
 * A normal that the joints block leaves only rounding: make it exactly zero. */
static void make_gradients(carom_geometry *g, const int *first, const int *last)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    for (int i = 0; i < impact->p; i++) {
        const double *w = impact->W + (size_t)i * n;
        double *y = g->Y + (size_t)i * n;
        if (impact->mass_is_diagonal && g->c == 0) {
            memset(y, 0, (size_t)n * sizeof(double));
            for (int k = first[i]; k < last[i]; k++)
                y[k] = w[k] / impact->M[k];
            continue;
        }
        memcpy(y, w, (size_t)n * sizeof(double));
        carom_joints_inverse_mass(g, y);
        if (g->c == 0)
            continue;
        double unconstrained = carom_dense_dot(n, w, y);
        carom_joints_project(g, NULL, y);
        if (carom_dense_dot(n, w, y) <= carom_joints_rank_tolerance(g->c + 1) * unconstrained)
            memset(y, 0, (size_t)n * sizeof(double));
    }
}

/* Y, D, norms and the bandwidth of D. */
static carom_status make_delassus(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, p = impact->p;
    g->Y = carom_arena_doubles(arena, (size_t)n * p);
    g->D = carom_arena_doubles(arena, (size_t)p * p);
    g->norm = carom_arena_doubles(arena, (size_t)p);
    carom_mark mark = carom_arena_mark(arena);
    int *first = carom_arena_array(arena, 2 * (size_t)p, sizeof(int)), *last = first + p;
    if (!g->Y || !g->D || !g->norm || !first)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++)
        find_range(n, impact->W + (size_t)i * n, &first[i], &last[i]);
    make_gradients(g, first, last);
    bool local = impact->mass_is_diagonal && g->c == 0;
    g->bandwidth = 0;
    for (int j = 0; j < p; j++) {
        const double *y = g->Y + (size_t)j * n;
        for (int i = j; i < p; i++) {
            int lo = local && first[j] > first[i] ? first[j] : first[i];
            int hi = local && last[j] < last[i] ? last[j] : last[i];
            double d =
                hi > lo ? carom_dense_dot(hi - lo, impact->W + (size_t)i * n + lo, y + lo) : 0;
            g->D[i + (size_t)j * p] = g->D[j + (size_t)i * p] = d;
            if (d != 0 && i - j > g->bandwidth)
                g->bandwidth = i - j;
        }
        g->norm[j] = sqrt(g->D[j + (size_t)j * p]);
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Z = M_c^-1 H */
static carom_status make_slip_gradients(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    g->Z = carom_arena_doubles(arena, (size_t)g->impact->n * (size_t)g->s);
    if (!g->Z)
        return carom_error_memory(error);
    for (int j = 0; j < g->s; j++) {
        size_t start = (size_t)j * (size_t)g->impact->n;
        carom_geometry_inverse_mass(g, g->impact->H + start, g->Z + start);
    }
    return CAROM_OK;
}

/* Banded Cholesky without pivoting, only to see whether a pivot vanishes. */
static carom_status find_dependence(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    int p = g->impact->p, ld = g->bandwidth + 1;
    double tolerance = carom_joints_rank_tolerance(p);
    carom_mark mark = carom_arena_mark(arena);
    double *L = carom_arena_doubles(arena, (size_t)p * ld); /* L[d + j*ld] = L_(j+d, j) */
    if (!L)
        return carom_error_memory(error);
    for (int j = 0; j < p; j++)
        for (int d = 0; d < ld && j + d < p; d++)
            L[d + (size_t)j * ld] = g->D[j + d + (size_t)j * p];
    g->dependent = false;
    for (int j = 0; j < p && !g->dependent; j++) {
        double *Lj = L + (size_t)j * ld;
        g->dependent = !(Lj[0] > tolerance * g->D[j + (size_t)j * p]);
        for (int d = 1; d < ld && j + d < p && !g->dependent; d++) {
            double a = Lj[d] / Lj[0];
            if (a != 0)
                for (int e = d; e < ld && j + e < p; e++)
                    L[e - d + (size_t)(j + d) * ld] -= a * Lj[e];
        }
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

static carom_status make_offsets(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int p = impact->p;
    int *slip = carom_arena_array(arena, 2 * (size_t)(p + 1), sizeof(int)), *spread = slip + p + 1;
    if (!slip)
        return carom_error_memory(error);
    slip[0] = spread[0] = 0;
    for (int i = 0; i < p; i++) {
        slip[i + 1] = slip[i] + (impact->contacts ? impact->contacts[i].slip_count : 0);
        spread[i + 1] = spread[i] + (impact->contacts ? impact->contacts[i].spread_count : 0);
    }
    g->slip_start = slip;
    g->spread_start = spread;
    g->s = slip[p];
    return CAROM_OK;
}

/* Velocities: the compatible u-, normal velocities, slips, scale of speeds. */
static carom_status make_velocities(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n, p = (size_t)impact->p;
    g->u = carom_arena_doubles(arena, n + 2 * p + (size_t)g->s);
    if (!g->u)
        return carom_error_memory(error);
    g->gamma = g->u + n;
    g->slip = g->gamma + p;
    g->gamma_size = g->dependent ? g->slip + g->s : NULL;
    double squared = carom_geometry_dot(g, impact->u, impact->u);
    double frame = carom_geometry_dot(g, g->b_slip, g->b_slip);
    g->energy = 0.5 * squared;
    g->speed = sqrt(squared > frame ? squared : frame);
    memcpy(g->u, impact->u, n * sizeof(double));
    g->joint_error = 0;
    if (g->c) {
        carom_joints_project(g, g->c_hat, g->u);
        for (size_t i = 0; i < n; i++)
            g->u[i] -= impact->u[i];
        g->joint_error = sqrt(carom_geometry_dot(g, g->u, g->u));
        for (size_t i = 0; i < n; i++)
            g->u[i] = impact->u[i] + (g->joint_error > 1e-12 * g->speed ? g->u[i] : 0);
    }
    carom_geometry_normal_velocity(g, g->u, g->gamma);
    carom_geometry_slip_velocity(g, g->u, g->slip);
    for (size_t i = 0; g->gamma_size && i < p; i++) {
        g->gamma_size[i] = impact->w_hat ? fabs(impact->w_hat[i]) : 0;
        for (size_t k = 0; k < n; k++)
            g->gamma_size[i] += fabs(impact->W[k + i * n] * g->u[k]);
        if (g->norm[i] == 0 && fabs(g->gamma[i]) <= 1e-13 * g->gamma_size[i])
            g->gamma[i] = 0; /* blocked by joints: no impulse could undo the rounding */
    }
    g->approaching = true;
    for (size_t i = 0; i < p; i++)
        if (g->gamma[i] > 1e-12 * g->norm[i] * g->speed)
            g->approaching = false;
    return CAROM_OK;
}

carom_status carom_impact_derive(const carom_impact *impact, carom_arena *arena,
                                 carom_geometry *geometry, carom_error *error)
{
    carom_geometry g = {.impact = impact};
    carom_status status = carom_impact_check(impact, error);
    if (!status)
        status = make_offsets(&g, arena, error);
    if (!status)
        status = factor_mass(&g, arena, error);
    if (!status)
        status = carom_joints_make(&g, arena, error);
    if (!status)
        status = make_delassus(&g, arena, error);
    if (!status)
        status = make_slip_gradients(&g, arena, error);
    if (!status)
        status = find_dependence(&g, arena, error);
    if (!status)
        status = carom_frame_make(&g, arena, error);
    if (!status)
        status = make_velocities(&g, arena, error);
    if (!status)
        *geometry = g;
    return status;
}

void carom_geometry_normal_velocity(const carom_geometry *g, const double *u, double *gamma)
{
    int n = g->impact->n;
    for (int i = 0; i < g->impact->p; i++)
        gamma[i] = carom_dense_dot(n, g->impact->W + (size_t)i * n, u) +
                   (g->impact->w_hat ? g->impact->w_hat[i] : 0);
}

void carom_geometry_slip_velocity(const carom_geometry *g, const double *u, double *slip)
{
    int n = g->impact->n;
    for (int j = 0; j < g->s; j++)
        slip[j] = carom_dense_dot(n, g->impact->H + (size_t)j * n, u) +
                  (g->impact->slip_motion ? g->impact->slip_motion[j] : 0);
}

void carom_geometry_inverse_mass(const carom_geometry *g, const double *x, double *y)
{
    memcpy(y, x, (size_t)g->impact->n * sizeof(double));
    carom_joints_inverse_mass(g, y);
    carom_joints_project(g, NULL, y);
}

void carom_geometry_mass(const carom_geometry *g, const double *x, double *y)
{
    int n = g->impact->n;
    const double *M = g->impact->M;
    for (int j = 0; j < n; j++) /* symmetric: column j is row j */
        y[j] = g->impact->mass_is_diagonal ? M[j] * x[j] : carom_dense_dot(n, M + (size_t)j * n, x);
}

double carom_geometry_dot(const carom_geometry *g, const double *x, const double *y)
{
    int n = g->impact->n;
    const double *M = g->impact->M;
    double sum = 0;
    if (g->impact->mass_is_diagonal)
        for (int i = 0; i < n; i++)
            sum += M[i] * x[i] * y[i];
    else
        for (int j = 0; j < n; j++)
            if (y[j] != 0)
                sum += carom_dense_dot(n, M + (size_t)j * n, x) * y[j];
    return sum;
}

void carom_geometry_angles(const carom_geometry *g, double *theta)
{
    int p = g->impact->p;
    const double pi = acos(-1);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double norms = g->norm[i] * g->norm[j];
            double cosine = i == j ? 1 : g->D[i + (size_t)j * p] / norms;
            cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
            theta[i + (size_t)j * p] = norms > 0 ? pi - acos(cosine) : NAN;
        }
}
