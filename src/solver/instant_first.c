/* One motion of contacts at one instant, for whoever goes on with it (docs/theory/instant.md). */
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "solver/instant_parts.h"

#include <math.h>
#include <string.h>

/* Up to this many combinations of modes all of them cost little more than Lemke's method, and the
 * first of all is known to be the first. */
static const double few = 256;

/* The first of all. */
static carom_status take_first(const carom_instant *f, carom_arena *arena, double *r, double *u,
                               unsigned char *mode, carom_instant_outcome *outcome,
                               carom_error *error)
{
    carom_instant_list all;
    carom_status status = carom_instant_enumerate(f, arena, &all, error);
    if (status)
        return status;
    *outcome = all.count == 0                           ? CAROM_INSTANT_NONE
               : all.count > 1 || all.list[0].continuum ? CAROM_INSTANT_SEVERAL
                                                        : CAROM_INSTANT_SOLVED;
    if (all.count == 0)
        return CAROM_OK;
    carom_dense_copy(f->N, all.list[0].r, r);
    carom_dense_copy(f->N + f->extra, all.list[0].u, u);
    memcpy(mode, all.list[0].mode, (size_t)f->p);
    return CAROM_OK;
}

/* The modes of a solution, from its forces and velocities alone. */
static void read_modes(const carom_instant *f, const double *r, const double *u, double tolerance,
                       unsigned char *mode)
{
    carom_instant_widest(f, u, tolerance, mode);
    for (int i = 0; i < f->p; i++)
        if (carom_dense_max(f->row[i + 1] - f->row[i], r + f->row[i]) <= tolerance)
            mode[i] = CAROM_MODE_OPEN;
}

/* Lemke's method with the static coefficients; those that slip take the dynamic one, and again. */
static carom_status pursue_lcp(const carom_instant *f, carom_arena *arena, double *r, double *u,
                               unsigned char *mode, bool *found, carom_error *error)
{
    double *mu = carom_arena_doubles(arena, (size_t)f->p);
    if (!mu)
        return carom_error_memory(error);
    carom_instant now = *f;
    now.mu_s = now.mu_d = mu;
    carom_dense_copy(f->p, f->mu_s, mu);
    bool again = true;
    *found = true;
    for (int round = 0; again && *found && round <= f->p; round++) {
        carom_status status = carom_instant_lcp(&now, arena, r, found, error);
        if (status)
            return status;
        again = false;
        carom_instant_velocity(&now, r, u);
        read_modes(&now, r, u, CAROM_TOLERANCE_SIGN * carom_instant_size(&now, r), mode);
        for (int i = 0; i < f->p && *found; i++)
            if (mode[i] >= CAROM_MODE_SLIP_PLUS && f->mu_d[i] < mu[i]) {
                mu[i] = f->mu_d[i];
                again = true;
            }
    }
    *found = *found && carom_instant_residual(f, r) <= CAROM_TOLERANCE_SIGN;
    return CAROM_OK;
}

/* One part. */
static carom_status solve_part(const carom_instant *f, carom_arena *arena, double *r, double *u,
                               unsigned char *mode, carom_instant_outcome *outcome,
                               carom_error *error)
{
    const double combinations = carom_instant_combinations(f);
    bool found = false;
    *outcome = CAROM_INSTANT_UNSOLVED;
    if (combinations > few) {
        carom_status status = pursue_lcp(f, arena, r, u, mode, &found, error);
        *outcome = found ? CAROM_INSTANT_SOLVED : CAROM_INSTANT_UNSOLVED;
        if (status || found)
            return status;
    }
    if (combinations <= CAROM_INSTANT_COMBINATIONS)
        return take_first(f, arena, r, u, mode, outcome, error);
    return CAROM_OK;
}

carom_status carom_instant_first(const carom_instant *problem, carom_arena *arena, double *r,
                                 double *u, unsigned char *mode, carom_instant_outcome *outcome,
                                 carom_error *error)
{
    int count;
    carom_instant_part *parts;
    carom_status status = carom_instant_parts_split(problem, arena, &count, &parts, error);
    double *part_r =
        carom_arena_zeros(arena, 2 * (size_t)problem->N + (size_t)problem->extra, sizeof *part_r);
    unsigned char *part_mode = carom_arena_zeros(arena, (size_t)problem->p, 1);
    if (!status && (!part_r || !part_mode))
        status = carom_error_memory(error);
    *outcome = CAROM_INSTANT_SOLVED;
    for (int k = 0; k < count && !status; k++) {
        const carom_instant_part *part = &parts[k];
        carom_instant_outcome own;
        status =
            solve_part(&part->problem, arena, part_r, part_r + problem->N, part_mode, &own, error);
        carom_instant_parts_place(problem, part, part_r, r);
        for (int i = 0; i < part->problem.p; i++)
            mode[part->contact[i]] = part_mode[i];
        *outcome = own > *outcome ? own : *outcome;
    }
    if (!status)
        carom_instant_velocity(problem, r, u);
    return status;
}
