/* The frictional contact problem itself: what a statement must be, velocities from reactions, and
 * the one residual (docs/theory/friction-problem.md). Nothing here knows a method. */
#include "carom/friction.h"
#include "carom/need.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/finite.h"
#include "linalg/lu.h"
#include "solver/friction_dofs.h"
#include "solver/friction_exact.h"
#include "solver/friction_given.h"
#include "solver/friction_natural.h"

#include <float.h>
#include <limits.h>
#include <math.h>

int carom_friction_problem_rows_at(const carom_friction_problem *problem, int i)
{
    CAROM_NEED_OR(0, problem);
    return problem->rows ? problem->rows[i] : problem->dimension;
}

int carom_friction_problem_rows(const carom_friction_problem *problem)
{
    CAROM_NEED_OR(0, problem);
    if (!problem->rows)
        return problem->contacts * problem->dimension;
    int n = 0;
    for (int i = 0; i < problem->contacts; i++)
        n += problem->rows[i];
    return n;
}

/* ---- is it a statement? ------------------------------------------------------------------- */

static carom_status wrong(carom_error *error, const char *what, long long k)
{
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "friction problem: %s (number %lld)", what,
                           k);
}

/* The first of `count` numbers that is not finite; -1: none. */
static long long not_finite(const double *x, size_t count)
{
    if (carom_finite_sum(count, x) == 0)
        return -1;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(x[k]))
            return (long long)k;
    return -1;
}

static carom_status check_contacts(const carom_friction_problem *p, carom_error *error)
{
    if (p->contacts < 0 || p->contacts > INT_MAX / 3)
        return wrong(error, "the number of contacts is out of range", p->contacts);
    if (!p->rows && p->contacts > 0 && (p->dimension < 1 || p->dimension > 3))
        return wrong(error, "the dimension is 1, 2 or 3", p->dimension);
    for (int i = 0; p->rows && i < p->contacts; i++)
        if (p->rows[i] < 1 || p->rows[i] > 3)
            return wrong(error, "a contact has 1, 2 or 3 rows", i);
    for (int i = 0; p->mu && i < p->contacts; i++)
        if (!(p->mu[i] >= 0 && p->mu[i] <= DBL_MAX))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "friction problem: the coefficient of friction of contact %d is "
                                   "%g; it should be finite and not negative",
                                   i, p->mu[i]);
    long long k = p->contacts > 0 ? not_finite(p->q, (size_t)carom_friction_problem_rows(p)) : -1;
    return k >= 0 ? wrong(error, "an entry of q is not finite", k) : CAROM_OK;
}

static carom_status check_blocks(const carom_friction_problem *p, carom_error *error)
{
    const carom_friction_blocks *b = &p->blocks;
    size_t count = 0;
    if (b->start[0] != 0)
        return wrong(error, "the first block's number is not 0", b->start[0]);
    for (int i = 0; i < p->contacts; i++) {
        if (b->start[i + 1] < b->start[i])
            return wrong(error, "the starts of the blocks do not ascend", i);
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            if (b->column[k] < 0 || b->column[k] >= p->contacts)
                return wrong(error, "the contact of a block is out of range", k);
            count += (size_t)(carom_friction_problem_rows_at(p, i) *
                              carom_friction_problem_rows_at(p, b->column[k]));
        }
    }
    long long k = not_finite(b->value, count);
    return k >= 0 ? wrong(error, "an entry of W is not finite", k) : CAROM_OK;
}

static carom_status check_bodies(const carom_friction_problem *p, carom_error *error)
{
    const carom_friction_bodies *b = &p->bodies;
    size_t masses = 0, dof = 0, entries = 0;
    for (int i = 0; i < b->count; i++) {
        int d = carom_friction_dofs(b, i);
        if (d < 1 || d > 1 << 14)
            return wrong(error, "the degrees of freedom of a body are out of range", i);
        masses += (size_t)d * (size_t)d;
        dof += (size_t)d;
    }
    if (b->start[0] != 0)
        return wrong(error, "the first body's number is not 0", b->start[0]);
    for (int i = 0; i < p->contacts; i++) {
        if (b->start[i + 1] < b->start[i])
            return wrong(error, "the starts of the contacts' bodies do not ascend", i);
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            if (b->body[k] < 0 || b->body[k] >= b->count)
                return wrong(error, "the body of a contact is out of range", k);
            for (int l = b->start[i]; l < k; l++)
                if (b->body[l] == b->body[k])
                    return wrong(error, "a contact names a body twice", i);
            entries +=
                (size_t)(carom_friction_problem_rows_at(p, i) * carom_friction_dofs(b, b->body[k]));
        }
    }
    long long k = not_finite(b->M, masses);
    if (k >= 0)
        return wrong(error, "an entry of M is not finite", k);
    if ((k = not_finite(b->H, entries)) >= 0)
        return wrong(error, "an entry of H is not finite", k);
    if (b->f && (k = not_finite(b->f, dof)) >= 0)
        return wrong(error, "an entry of f is not finite", k);
    return CAROM_OK;
}

carom_status carom_friction_problem_check(const carom_friction_problem *problem, carom_error *error)
{
    CAROM_NEED(error, problem);
    carom_status status = carom_friction_given(problem, error);
    if (status == CAROM_OK)
        status = check_contacts(problem, error);
    if (status != CAROM_OK || problem->contacts == 0)
        return status;
    if (problem->form == CAROM_FRICTION_BLOCKS)
        return check_blocks(problem, error);
    if (problem->form == CAROM_FRICTION_BODIES)
        return check_bodies(problem, error);
    if (problem->form != CAROM_FRICTION_DENSE)
        return wrong(error, "unknown form of W", problem->form);
    size_t n = (size_t)carom_friction_problem_rows(problem);
    long long k = not_finite(problem->W, n * n);
    return k >= 0 ? wrong(error, "an entry of W is not finite", k) : CAROM_OK;
}

/* ---- velocities --------------------------------------------------------------------------- */

static void add_blocks(const carom_friction_problem *p, const int *row, const double *r, double *u)
{
    const double *B = p->blocks.value;
    for (int i = 0; i < p->contacts; i++)
        for (int k = p->blocks.start[i]; k < p->blocks.start[i + 1]; k++) {
            int j = p->blocks.column[k], m = row[i + 1] - row[i], n = row[j + 1] - row[j];
            carom_dense_gemv(m, n, 1, B, m, r + row[j], u + row[i]);
            B += m * n;
        }
}

/* v = M^-1 (f + H r), body by body. LU, pivot: room for the largest body. */
static carom_status body_velocities(const carom_friction_problem *p, const int *row,
                                    const int *first, const double *r, double *LU, int *pivot,
                                    double *v, carom_error *error)
{
    const carom_friction_bodies *b = &p->bodies;
    for (int j = 0; j < first[b->count]; j++)
        v[j] = b->f ? b->f[j] : 0;
    const double *H = b->H, *M = b->M;
    for (int i = 0; i < p->contacts; i++)
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->body[k], dof = first[j + 1] - first[j], m = row[i + 1] - row[i];
            carom_dense_gemv(dof, m, 1, H, dof, r + row[i], v + first[j]);
            H += dof * m;
        }
    for (int j = 0; j < b->count; j++) {
        int dof = first[j + 1] - first[j];
        carom_dense_copy(dof * dof, M, LU);
        if (carom_lu_factor(dof, LU, dof, pivot, 0) != 0)
            return wrong(error, "the mass matrix of a body is singular", j);
        carom_lu_solve(dof, LU, dof, pivot, v + first[j]);
        M += (size_t)dof * (size_t)dof;
    }
    return CAROM_OK;
}

static carom_status add_bodies(const carom_friction_problem *p, const int *row, const double *r,
                               carom_arena *arena, double *u, double *v, carom_error *error)
{
    const carom_friction_bodies *b = &p->bodies;
    int *first = carom_arena_array(arena, (size_t)b->count + 1, sizeof *first);
    if (!first)
        return carom_error_memory(error);
    const size_t most = (size_t)carom_friction_dofs_start(b, first);
    double *LU = carom_arena_doubles(arena, most * most);
    int *pivot = carom_arena_array(arena, most, sizeof *pivot);
    v = v ? v : carom_arena_doubles(arena, (size_t)first[b->count]);
    if (!LU || !pivot || !v)
        return carom_error_memory(error);
    carom_status status = body_velocities(p, row, first, r, LU, pivot, v, error);
    const double *H = b->H;
    for (int i = 0; i < p->contacts && status == CAROM_OK; i++)
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->body[k], dof = first[j + 1] - first[j], m = row[i + 1] - row[i];
            carom_dense_gemv_t(dof, m, 1, H, dof, v + first[j], u + row[i]);
            H += dof * m;
        }
    return status;
}

/* First row of every contact. */
static int *list_rows(const carom_friction_problem *p, carom_arena *arena)
{
    int *row = carom_arena_array(arena, (size_t)p->contacts + 1, sizeof *row);
    if (row)
        row[0] = 0;
    for (int i = 0; row && i < p->contacts; i++)
        row[i + 1] = row[i] + carom_friction_problem_rows_at(p, i);
    return row;
}

carom_status carom_friction_problem_velocity(const carom_friction_problem *problem, const double *r,
                                             carom_arena *arena, double *u, double *v,
                                             carom_error *error)
{
    CAROM_NEED(error, problem, r, arena, u);
    carom_mark mark = carom_arena_mark(arena);
    int *row = list_rows(problem, arena);
    carom_status status = row ? CAROM_OK : carom_error_memory(error);
    if (row) {
        int n = row[problem->contacts];
        if (n > 0)
            carom_dense_copy(n, problem->q, u);
        if (problem->form == CAROM_FRICTION_BODIES)
            status = add_bodies(problem, row, r, arena, u, v, error);
        else if (problem->form == CAROM_FRICTION_BLOCKS)
            add_blocks(problem, row, r, u);
        else
            carom_dense_gemv(n, n, 1, problem->W, n, r, u);
    }
    carom_arena_rewind(arena, mark);
    return status;
}

/* ---- the residual ------------------------------------------------------------------------- */

/* The residual before its division, of r and u whose largest entry is `top`. */
static double distance(const carom_friction_problem *p, const double *r, const double *u,
                       double top)
{
    bool usual = top > CAROM_FRICTION_TINY && top < CAROM_FRICTION_HUGE;
    double unit = usual || top == 0 ? 1 : top, sum = 0;
    for (int i = 0, row = 0; i < p->contacts; i++) {
        int d = carom_friction_problem_rows_at(p, i);
        double x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
        for (int k = 0; k < d; k++) {
            x[k] = r[row + k] / unit;
            y[k] = u[row + k] / unit;
        }
        sum +=
            carom_friction_natural(d, p->mu ? p->mu[i] : 0, p->bilateral && p->bilateral[i], x, y);
        row += d;
    }
    return unit * sqrt(sum);
}

/* By bodies: the largest term that q and u are sums of, from the bodies' velocities v and from w.
 */
static double largest_term(const carom_friction_problem *p, int n, int dofs, const double *v)
{
    double entry = 0;
    size_t entries = 0;
    for (int i = 0; i < p->contacts; i++)
        for (int k = p->bodies.start[i]; k < p->bodies.start[i + 1]; k++)
            entries += (size_t)carom_friction_problem_rows_at(p, i) *
                       (size_t)carom_friction_dofs(&p->bodies, p->bodies.body[k]);
    for (size_t k = 0; k < entries; k++)
        entry = fmax(entry, fabs(p->bodies.H[k]));
    return fmax(carom_dense_max(n, p->q), entry * carom_dense_max(dofs, v));
}

static int degrees_of_freedom(const carom_friction_problem *p)
{
    int dofs = 0;
    for (int j = 0; p->form == CAROM_FRICTION_BODIES && j < p->bodies.count; j++)
        dofs += carom_friction_dofs(&p->bodies, j);
    return dofs;
}

/* u, and |q|, which by bodies is that of the free velocities H'M^-1 f + w. There f and w may cancel
 * in both: what is left is computed in twice the digits, and *terms is what is no more than its
 * rounding where nothing is left; zero otherwise. */
static carom_status velocities(const carom_friction_problem *p, const double *r, int n,
                               carom_arena *arena, double *u, double *q_norm, double *terms,
                               carom_error *error)
{
    const bool bodies = p->form == CAROM_FRICTION_BODIES;
    const int dofs = degrees_of_freedom(p);
    double *v = carom_arena_doubles(arena, (size_t)dofs);
    carom_status status =
        v ? carom_friction_problem_velocity(p, r, arena, u, bodies ? v : NULL, error)
          : carom_error_memory(error);
    *terms = 0;
    if (status != CAROM_OK || !bodies) {
        *q_norm = status == CAROM_OK ? carom_dense_norm(n, p->q) : 0;
        return status;
    }
    double *q = carom_arena_doubles(arena, (size_t)n);
    double *zero = carom_arena_zeros(arena, (size_t)n, sizeof *zero);
    if (!q || !zero)
        return carom_error_memory(error);
    status = carom_friction_problem_velocity(p, zero, arena, q, NULL, error);
    if (status != CAROM_OK)
        return status;
    const double term = largest_term(p, n, dofs, v);
    if (fmax(carom_dense_max(n, q), carom_dense_max(n, u)) < CAROM_TOLERANCE_REGULAR * term) {
        status = carom_friction_exact_velocity(p, zero, arena, q, error);
        if (status == CAROM_OK)
            status = carom_friction_exact_velocity(p, r, arena, u, error);
        if (carom_dense_max(n, q) <= CAROM_TOLERANCE_SUM * term)
            *terms = term;
    }
    *q_norm = status == CAROM_OK ? carom_dense_norm(n, q) : 0;
    return status;
}

carom_status carom_friction_problem_residual(const carom_friction_problem *problem, const double *r,
                                             carom_arena *arena, double *u, double *residual,
                                             carom_error *error)
{
    CAROM_NEED(error, problem, r, arena, residual);
    carom_mark mark = carom_arena_mark(arena);
    int n = carom_friction_problem_rows(problem);
    double *own = u ? u : carom_arena_doubles(arena, (size_t)n), size = 0, terms = 0;
    carom_status status = own ? velocities(problem, r, n, arena, own, &size, &terms, error)
                              : carom_error_memory(error);
    if (status == CAROM_OK) {
        double top = fmax(carom_dense_max(n, r), carom_dense_max(n, own));
        size = fmax(fmax(size, terms), fmax(carom_dense_norm(n, r), carom_dense_norm(n, own)));
        *residual = distance(problem, r, own, top) / (size > DBL_MIN ? size : 1);
        if (!isfinite(size) || isnan(*residual))
            *residual = HUGE_VAL; /* overflow is no solution */
    }
    carom_arena_rewind(arena, mark);
    return status;
}
