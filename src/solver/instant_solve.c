/* All motions of contacts at one instant, part by part (docs/theory/instant.md). */
#include "carom/lcp.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"
#include "solver/instant_list.h"
#include "solver/instant_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What is known of one part. */
typedef struct found {
    carom_instant_list list;
    bool complete;
} found;

static carom_status add_one(const carom_instant *f, double *r, unsigned char *mode, bool unique,
                            carom_arena *arena, carom_instant_list *list, carom_error *error)
{
    int at;
    const carom_instant_solution one = {.r = r, .mode = mode, .unique = unique};
    return carom_instant_list_add(f, &one, arena, list, &at, error);
}

/* Only smooth contacts and symmetric: the motion is unique, if there is one. */
static carom_status solve_smooth(const carom_instant *f, carom_arena *arena, found *part,
                                 carom_error *error)
{
    double *r = carom_arena_doubles(arena, (size_t)f->N);
    unsigned char *mode = carom_arena_array(arena, (size_t)f->p, 1);
    if (!r || !mode)
        return carom_error_memory(error);
    memset(mode, CAROM_MODE_CLOSED, (size_t)f->p);
    const carom_lcp lcp = {.n = f->N, .M = f->W, .q = f->q, .symmetric = true};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, arena, r, NULL, &info, error);
    if (status)
        return status;
    part->complete = info.outcome == CAROM_LCP_SOLVED || info.outcome == CAROM_LCP_INFEASIBLE;
    return info.outcome == CAROM_LCP_SOLVED
               ? add_one(f, r, mode, info.unique_z, arena, &part->list, error)
               : CAROM_OK;
}

/* Is the symmetric part of W positive definite beyond rounding? Without slip rows the LCP then has
 * one solution, whatever q is. */
static carom_status is_definite(const carom_instant *f, carom_arena *arena, bool *proved,
                                carom_error *error)
{
    const size_t N = (size_t)f->N;
    *proved = false;
    if (f->N != f->p)
        return CAROM_OK;
    double *S = carom_arena_doubles(arena, N * N + N);
    int *pivot = carom_arena_array(arena, N, sizeof *pivot);
    if (!S || !pivot)
        return carom_error_memory(error);
    for (size_t b = 0; b < N; b++)
        for (size_t a = 0; a < N; a++)
            S[a + b * N] = (f->W[a + b * N] + f->W[b + a * N]) / 2;
    const double rounding = 64 * (double)N * DBL_EPSILON;
    *proved = carom_pivoted_cholesky_factor(f->N, S, f->N, rounding, pivot, S + N * N) == f->N;
    return CAROM_OK;
}

/* One motion, and whether it is the only one. */
static carom_status solve_large(const carom_instant *f, carom_arena *arena, found *part,
                                carom_error *error)
{
    double *r = carom_arena_doubles(arena, (size_t)f->N);
    unsigned char *mode = carom_arena_array(arena, (size_t)f->p, 1);
    bool solved, definite, unique;
    if (!r || !mode)
        return carom_error_memory(error);
    carom_status status = carom_instant_lcp(f, arena, r, &solved, error);
    if (!status)
        status = is_definite(f, arena, &definite, error);
    if (!status)
        status = carom_instant_unique(f, arena, &unique, error);
    if (status || !solved)
        return status;
    double *u = carom_arena_doubles(arena, (size_t)f->N + (size_t)f->extra);
    if (!u)
        return carom_error_memory(error);
    carom_instant_velocity(f, r, u);
    carom_instant_widest(f, u, CAROM_INSTANT_SAME * carom_instant_size(f, r), mode);
    part->complete = definite || unique;
    return add_one(f, r, mode, definite, arena, &part->list, error);
}

static carom_status solve_part(const carom_instant *f, double combinations, carom_arena *arena,
                               found *part, carom_error *error)
{
    *part = (found){0};
    if (f->N == f->p && f->symmetric && !f->equality[0])
        return solve_smooth(f, arena, part, error);
    if (carom_instant_combinations(f) > combinations)
        return solve_large(f, arena, part, error);
    part->complete = true;
    return carom_instant_enumerate(f, arena, &part->list, error);
}

/* Every motion so far with every one of the part. */
static carom_status combine(const carom_instant *whole, const carom_instant_part *part,
                            const found *of_part, carom_arena *arena, carom_instant_list *all,
                            carom_error *error)
{
    carom_instant_list next = {.near_contact = -1};
    double *r = carom_arena_doubles(arena, (size_t)whole->N);
    unsigned char *mode = carom_arena_array(arena, (size_t)whole->p, 1);
    if (!r || !mode)
        return carom_error_memory(error);
    for (int k = 0; k < all->count; k++)
        for (int j = 0; j < of_part->list.count && next.count < CAROM_INSTANT_MOTIONS; j++) {
            const carom_instant_solution *a = &all->list[k], *b = &of_part->list.list[j];
            carom_dense_copy(whole->N, a->r, r);
            memcpy(mode, a->mode, (size_t)whole->p);
            carom_instant_parts_place(whole, part, b->r, r);
            for (int i = 0; i < part->problem.p; i++)
                mode[part->contact[i]] = b->mode[i];
            int at;
            const carom_instant_solution made = {.r = r,
                                                 .mode = mode,
                                                 .unique = a->unique && b->unique,
                                                 .continuum = a->continuum || b->continuum};
            carom_status status = carom_instant_list_add(whole, &made, arena, &next, &at, error);
            if (status)
                return status;
        }
    *all = next;
    return CAROM_OK;
}

carom_status carom_instant_solve(const carom_instant *problem, double combinations,
                                 carom_arena *arena, carom_instant_answer *answer,
                                 carom_error *error)
{
    const carom_instant *f = problem;
    carom_instant_answer made = {.motions = 1, .complete = true};
    int count;
    carom_instant_part *parts;
    carom_status status = carom_instant_parts_split(f, arena, &count, &parts, error);
    double *nothing = carom_arena_zeros(arena, (size_t)f->N + 1, sizeof *nothing);
    unsigned char *open = carom_arena_zeros(arena, (size_t)f->p + 1, 1);
    if (!status && (!nothing || !open))
        status = carom_error_memory(error);
    if (!status) /* all open, to be filled in part by part */
        status = add_one(f, nothing, open, true, arena, &made.list, error);
    bool none = false;
    for (int k = 0; k < count && !status && !none; k++) {
        found part;
        status = solve_part(&parts[k].problem, combinations, arena, &part, error);
        if (status)
            break;
        none = part.complete && part.list.count == 0; /* settles the whole */
        made.motions *= part.list.count;
        made.complete = none || (made.complete && part.complete);
        status = combine(f, &parts[k], &part, arena, &made.list, error);
    }
    if (!status) {
        bool keep[CAROM_INSTANT_MOTIONS + 1];
        for (int k = 0; k < made.list.count; k++)
            keep[k] = true;
        carom_instant_list_sort(&made.list, keep);
        *answer = made;
    }
    return status;
}
