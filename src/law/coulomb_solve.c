/* The solution of a frictional impact: components apart, each by the method that fits it, the
 * solutions combined. */
#include "carom/lcp.h"
#include "carom/tolerance.h"
#include "law/coulomb_newton.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMBINATIONS = 256 }; /* most solutions that are kept */

/* Without friction it is Newton's law: a symmetric LCP, velocities unique. */
static carom_status solve_smooth(const carom_coulomb *f, carom_arena *arena,
                                 carom_coulomb_solutions *solutions, carom_error *error)
{
    double *x = carom_arena_doubles(arena, (size_t)f->N);
    if (!x)
        return carom_error_memory(error);
    carom_lcp lcp = {.n = f->N, .M = f->A, .q = f->b, .symmetric = true};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, arena, x, NULL, &info, error);
    if (status < 0)
        return status;
    solutions->complete = info.outcome != CAROM_LCP_LIMIT;
    solutions->residual = info.residual;
    if (info.outcome == CAROM_LCP_INFEASIBLE || info.outcome == CAROM_LCP_RAY)
        return CAROM_OK;
    return carom_coulomb_solutions_add(f, x, NULL, info.unique_z, false, arena, solutions, error);
}

/* Whether other impulses could give the same velocities: the columns that may carry them, for every
 * contact with xi_N = 0 its normal and slips, in slip only their fixed combination, are dependent.
 */
static carom_status impulses_unique(const carom_coulomb *f, const double *x, carom_arena *arena,
                                    bool *unique, carom_error *error)
{
    int N = f->N, m = 0;
    carom_mark mark = carom_arena_mark(arena);
    double *P = carom_arena_zeros(arena, 2 * (size_t)N * N, sizeof *P), *AP = P + (size_t)N * N;
    double *Q = carom_arena_doubles(arena, (size_t)N * N), *xi = carom_arena_doubles(arena, 2 * N);
    carom_mode *mode = carom_arena_array(arena, (size_t)f->p, sizeof *mode);
    int *pivot = carom_arena_array(arena, (size_t)N, sizeof *pivot);
    if (!P || !Q || !xi || !mode || !pivot)
        return carom_error_memory(error);
    carom_coulomb_velocity(f, x, xi);
    carom_coulomb_modes(f, x, mode);
    double tol = 1e-9 * carom_coulomb_size(f, x);
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        bool slips = mode[i] >= CAROM_MODE_SLIP_PLUS;
        if (xi[r] > tol)
            continue;
        P[r + (size_t)m * N] = 1;
        for (int k = r + 1; k < f->row[i + 1] && slips; k++)
            P[k + (size_t)m * N] = x[k] / x[r];
        m++;
        for (int k = r + 1; k < f->row[i + 1] && !slips; k++)
            P[k + (size_t)m++ * N] = 1;
    }
    for (int j = 0; j < m; j++)
        carom_dense_gemv(N, N, 1, f->A, N, P + (size_t)j * N, AP + (size_t)j * N);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            Q[i + (size_t)j * m] = carom_dense_dot(N, P + (size_t)i * N, AP + (size_t)j * N);
    *unique = carom_pivoted_cholesky_factor(m, Q, m, 1e-11, pivot, xi + N) == m;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* The search stops where its residual is small beside the impulses: Newton's method on the modes
 * that it found brings the digits of the velocities. */
static carom_status sharpen(const carom_coulomb *f, carom_arena *arena, double *x,
                            carom_error *error)
{
    carom_mark mark = carom_arena_mark(arena);
    carom_coulomb_newton newton;
    double best = carom_coulomb_miss(f, x);
    carom_status status = carom_coulomb_newton_room(f, arena, &newton, error);
    if (status)
        return status;
    carom_coulomb_modes(f, x, newton.mode);
    carom_coulomb_newton_start(&newton, x, x, -1);
    status = carom_coulomb_newton_pursue(&newton, arena, x, &best, error);
    carom_arena_rewind(arena, mark);
    return status;
}

/* Keep a solution that was found. */
static carom_status keep_found(const carom_coulomb *f, const double *x, carom_arena *arena,
                               carom_coulomb_solutions *solutions, carom_error *error)
{
    bool unique = false;
    solutions->residual = carom_coulomb_residual(f, x);
    carom_status status = carom_coulomb_unique(f, arena, &solutions->complete, error);
    if (!status)
        status = impulses_unique(f, x, arena, &unique, error);
    if (status)
        return status;
    return carom_coulomb_solutions_add(f, x, NULL, unique, false, arena, solutions, error);
}

/* A point that misses the law by more than rounding may still lead to a solution. */
static carom_status settle_found(const carom_coulomb *f, const double *x, carom_arena *arena,
                                 carom_coulomb_solutions *solutions, bool *settled,
                                 carom_error *error)
{
    *settled = false;
    carom_status status = keep_found(f, x, arena, solutions, error);
    if (!status)
        status = carom_coulomb_settle(f, arena, &solutions->list[0], error);
    if (status)
        return status;
    *settled = solutions->list[0].settled;
    solutions->count = *settled;
    return CAROM_OK;
}

static carom_status solve_iterated(const carom_coulomb *f, carom_arena *arena,
                                   carom_coulomb_solutions *solutions, carom_error *error)
{
    double *x = carom_arena_zeros(arena, (size_t)f->N, sizeof *x);
    if (!x)
        return carom_error_memory(error);
    double residual;
    bool none, found, settled = false;
    carom_status status = carom_coulomb_find(f, arena, x, &residual, &none, error);
    if (!status && !none && !carom_coulomb_satisfied(f, x))
        status = sharpen(f, arena, x, error);
    if (!status && !none && !carom_coulomb_satisfied(f, x))
        status = settle_found(f, x, arena, solutions, &settled, error);
    if (!status && !none && !settled && !carom_coulomb_satisfied(f, x))
        status = carom_coulomb_exclude(f, arena, x, &found, &none, error);
    if (status || settled)
        return status;
    solutions->complete = none;
    solutions->residual = carom_coulomb_miss(f, x);
    return none || !carom_coulomb_satisfied(f, x) ? CAROM_OK
                                                  : keep_found(f, x, arena, solutions, error);
}

/* Static friction goes before: no slip with mu_d where the contact can stick within mu_s. */
static void drop_slip(const carom_coulomb *f, carom_coulomb_solutions *solutions)
{
    bool sticks = false;
    for (int k = 0; k < solutions->count; k++)
        sticks = sticks || solutions->list[k].code[0] == CAROM_MODE_STICK;
    int kept = 0;
    for (int k = 0; k < solutions->count; k++)
        if (!sticks || solutions->list[k].code[0] < CAROM_MODE_SLIP_PLUS ||
            f->mu_d[0] == f->mu_s[0])
            solutions->list[kept++] = solutions->list[k];
    solutions->count = kept;
}

/* Add a candidate of the closed form, settled; unless it is none, or there already. */
static carom_status add_candidate(const carom_coulomb *f, const double *x, carom_mode mode,
                                  bool regular, carom_arena *arena,
                                  carom_coulomb_solutions *solutions, carom_error *error)
{
    const int before = solutions->count;
    const carom_coulomb_solution one = {.x = (double *)x, .unique = true};
    carom_status status = carom_coulomb_solutions_append(f, &one, arena, solutions, error);
    if (status)
        return status;
    carom_coulomb_solution *new = &solutions->list[before];
    new->code[0] = (unsigned char)mode;
    status = carom_coulomb_settle(f, arena, new, error);
    if (!new->settled && !carom_coulomb_satisfied(f, new->x) && !(regular && !f->n))
        solutions->count = before;
    else
        carom_coulomb_solutions_merge(f, solutions);
    return status;
}

/* One spatial contact. Where its rows are dependent, or nearly, the closed form knows the
 * directions of slip only: whether it can stick is searched for, or excluded, as for several
 * contacts. */
static carom_status solve_single(const carom_coulomb *f, carom_arena *arena,
                                 carom_coulomb_solutions *solutions, carom_error *error)
{
    double xs[3 * CAROM_COULOMB_LOCAL];
    carom_mode modes[CAROM_COULOMB_LOCAL];
    const double pivot = carom_coulomb_local_pivot(f, 0);
    const bool regular = pivot > CAROM_TOLERANCE_HALF;
    carom_status status = regular ? CAROM_OK : solve_iterated(f, arena, solutions, error);
    const bool excluded = !regular && solutions->complete;
    const int searched = solutions->count;
    int count = carom_coulomb_local(f, 0, f->b, f->floor, xs, modes);
    for (int k = 0; k < searched && !status; k++) {
        carom_mode mode;
        if (!solutions->list[k].settled) /* it is compared with others that are */
            status = carom_coulomb_settle(f, arena, &solutions->list[k], error);
        if (solutions->list[k].settled)
            continue;
        carom_coulomb_modes(f, solutions->list[k].x, &mode);
        solutions->list[k].code[0] = (unsigned char)mode;
    }
    for (int k = 0; k < count && !status; k++)
        status = add_candidate(f, xs + 3 * k, modes[k], regular, arena, solutions, error);
    if (regular && count > 0 && solutions->count == 0 && !status) /* refuted, by rounding too? */
        return solve_iterated(f, arena, solutions, error);
    bool sticks = false; /* if it does, with one motion: all rows are held */
    for (int k = 0; k < solutions->count; k++)
        sticks = sticks ||
                 (solutions->list[k].code[0] == CAROM_MODE_STICK && !solutions->list[k].creeps);
    drop_slip(f, solutions);
    solutions->complete = regular || sticks || (excluded && solutions->count == searched) ||
                          (pivot > CAROM_TOLERANCE_SOLVED && solutions->count > 0);
    return status;
}

/* Where no combination of modes seems to hold: that is said of all of them only with a proof. */
static carom_status prove_none(const carom_coulomb *f, carom_arena *arena,
                               carom_coulomb_solutions *solutions, carom_error *error)
{
    bool found;
    double *none = carom_arena_zeros(arena, (size_t)f->N, sizeof *none);
    if (!none)
        return carom_error_memory(error);
    solutions->residual = carom_coulomb_miss(f, none);
    return carom_coulomb_exclude(f, arena, NULL, &found, &solutions->complete, error);
}

static carom_status solve_component(const carom_coulomb *f, carom_arena *arena,
                                    carom_coulomb_solutions *solutions, carom_error *error)
{
    bool smooth = f->N == f->p;
    for (int i = 0; i < f->p; i++)
        smooth = smooth && !f->equality[i];
    if (smooth)
        return solve_smooth(f, arena, solutions, error);
    if (carom_coulomb_planar_regular(f)) {
        carom_status status = carom_coulomb_planar(f, arena, solutions, error);
        drop_slip(f, solutions);
        return status;
    }
    if (f->p == 1 && f->N == 3)
        return solve_single(f, arena, solutions, error);
    if (!carom_coulomb_enumerable(f))
        return solve_iterated(f, arena, solutions, error);
    carom_status status = carom_coulomb_enumerate(f, arena, solutions, error);
    return status || solutions->count ? status : prove_none(f, arena, solutions, error);
}

static int shorter(const void *a, const void *b)
{
    const carom_coulomb_solution *s = a, *t = b;
    if (s->norm != t->norm)
        return s->norm > t->norm ? 1 : -1;
    return (s->x[0] > t->x[0]) - (s->x[0] < t->x[0]);
}

/* Fill in a component's solution on its rows; which: its contacts. Bodies of components are apart:
 * their changes of velocity add up. */
static void fill_in(const carom_coulomb *f, const carom_coulomb *part,
                    const carom_coulomb_solution *other, const int *which,
                    carom_coulomb_solution *one)
{
    for (int i = 0; i < part->p; i++) {
        carom_dense_copy(part->row[i + 1] - part->row[i], other->x + part->row[i],
                         one->x + f->row[which[i]]);
        carom_dense_copy(part->row[i + 1] - part->row[i], other->xi + part->row[i],
                         one->xi + f->row[which[i]]);
        one->code[which[i]] = other->code[i];
    }
    one->settled = one->settled && other->settled;
    one->creeps = one->creeps || other->creeps;
    if (one->settled)
        carom_dense_axpy(f->n, 1, other->change, one->change);
    one->unique = one->unique && other->unique;
    one->continuum = one->continuum || other->continuum;
}

/* Every solution so far with every one of a component. */
static carom_status combine(const carom_coulomb *f, const carom_coulomb *part,
                            const carom_coulomb_solutions *of_part, const int *which,
                            carom_arena *arena, carom_coulomb_solutions *all, carom_error *error)
{
    carom_coulomb_solutions next = *all;
    next.complete =
        all->complete && of_part->complete && (double)all->count * of_part->count <= COMBINATIONS;
    next.residual = fmax(all->residual, of_part->residual);
    if (all->count == 1 && of_part->count == 1) { /* the usual case: in place */
        fill_in(f, part, &of_part->list[0], which, &all->list[0]);
        all->list[0].norm = hypot(all->list[0].norm, of_part->list[0].norm);
        *all = next;
        return CAROM_OK;
    }
    next.count = next.room = 0;
    next.list = NULL;
    for (int k = 0; k < all->count; k++)
        for (int j = 0; j < of_part->count && next.count < COMBINATIONS; j++) {
            carom_status status =
                carom_coulomb_solutions_append(f, &all->list[k], arena, &next, error);
            if (status)
                return status;
            carom_coulomb_solution *made = &next.list[next.count - 1];
            fill_in(f, part, &of_part->list[j], which, made);
            made->norm = carom_dense_norm(f->N, made->x);
        }
    if (of_part->near_contact >= 0 && of_part->count == 0) {
        next.near_contact = of_part->near_contact;
        next.near_miss = of_part->near_miss;
    }
    *all = next;
    return CAROM_OK;
}

/* The components of a problem one after the other, their solutions combined. */
static carom_status solve_components(const carom_coulomb *f, carom_arena *arena,
                                     carom_coulomb_solutions *all, carom_error *error)
{
    int *group = carom_arena_array(arena, 2 * (size_t)f->p, sizeof *group), *which = group + f->p;
    double *x = carom_arena_zeros(arena, (size_t)f->N, sizeof *x);
    if (!group || !x)
        return carom_error_memory(error);
    int components = carom_coulomb_components(f, group);
    if (components == 1)
        return solve_component(f, arena, all, error);
    carom_status status = carom_coulomb_solutions_add(f, x, NULL, true, false, arena, all, error);
    if (!status && f->n) { /* nothing moves yet, to be filled in */
        memset(all->list[0].change, 0, sizeof *x * (size_t)f->n);
        all->list[0].settled = true;
    }
    for (int c = 0; c < components && !status && all->count; c++) {
        int count = 0;
        carom_coulomb part;
        carom_coulomb_solutions of_part = {.near_contact = -1};
        for (int i = 0; i < f->p; i++)
            if (group[i] == c)
                which[count++] = i;
        status = carom_coulomb_state_part(f, count, which, arena, &part, error);
        if (!status)
            status = solve_component(&part, arena, &of_part, error);
        if (!status)
            status = combine(f, &part, &of_part, which, arena, all, error);
    }
    return status;
}

/* Settle what is not; two that settle on one motion are one. */
static carom_status settle_all(const carom_coulomb *f, carom_arena *arena,
                               carom_coulomb_solutions *all, carom_error *error)
{
    const int found = all->count;
    carom_status status = CAROM_OK;
    all->count = 0;
    for (int k = 0; k < found && !status; k++) {
        const carom_coulomb_solution one = all->list[k];
        const bool open = !one.settled;
        all->list[k] = all->list[all->count];
        all->list[all->count] = one;
        if (open)
            status = carom_coulomb_settle(f, arena, &all->list[all->count], error);
        all->count++;
        if (open && all->count > 1)
            carom_coulomb_solutions_merge(f, all);
    }
    return status;
}

carom_status carom_coulomb_solve(const carom_coulomb *problem, carom_arena *arena,
                                 carom_coulomb_solutions *solutions, carom_error *error)
{
    carom_coulomb_solutions all = {.complete = true, .near_contact = -1};
    carom_status status = problem->p == 1 ? solve_component(problem, arena, &all, error)
                                          : solve_components(problem, arena, &all, error);
    if (status)
        return status;
    for (int k = 0; k < all.count; k++) {
        double residual = carom_coulomb_residual(problem, all.list[k].x);
        all.residual = residual > all.residual ? residual : all.residual;
    }
    if (problem->N > problem->p)
        status = settle_all(problem, arena, &all, error);
    if (status)
        return status;
    if (all.count > 1)
        qsort(all.list, (size_t)all.count, sizeof *all.list, shorter);
    *solutions = all;
    return CAROM_OK;
}
