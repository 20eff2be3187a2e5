/* Poisson's law in two phases (docs/theory/poisson.md):
 *   compression  0 <= L_C  _|_  gamma_C = gamma- + D L_C >= 0,
 *   expansion    0 <= L_E - diag(eps) L_C  _|_  gamma+ = gamma_C + D L_E >= 0.
 * With dependent contacts L_C is not unique; with unequal coefficients the outcome then is not
 * either, and every vertex of the set of compression impulses is followed. */
#include "impact/predicate.h"
#include "law/impulses.h"
#include "law/laws.h"
#include "law/promise.h"

#include <math.h>

/* From the compression impulses to the outcome. Expansion is always solvable: gamma_C >= 0 and what
 * comes back pushes. */
static carom_status expand(const carom_geometry *g, const double *epsilon,
                           carom_lcp_algorithm algorithm, const carom_impulses *compression,
                           carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    carom_impulses f;
    carom_status status =
        carom_impulses_return(g, compression, epsilon, algorithm, arena, &f, error);
    if (status)
        return status;
    f.converged = f.converged && f.exists;
    carom_impulses_store(g, &f, outcome);
    carom_law_set_modes(g, outcome);
    return CAROM_OK;
}

static bool already_known(const carom_geometry *g, const carom_outcome *outcome,
                          const carom_outcome *candidate)
{
    if (carom_predicate_same(g, outcome->u, candidate->u))
        return true;
    for (int k = 0; k < outcome->alternative_count; k++)
        if (carom_predicate_same(g, outcome->alternatives[k].u, candidate->u))
            return true;
    return false;
}

/* Outcomes from the extreme points of the set of all compression impulses. */
static carom_status find_alternatives(const carom_geometry *g, const double *epsilon,
                                      const carom_impulses *compression, carom_arena *arena,
                                      carom_outcome *outcome, carom_error *error)
{
    doubled *vertices, *x = carom_arena_array(arena, (size_t)g->impact->n, sizeof *x);
    int count = 0;
    if (!x)
        return carom_error_memory(error);
    carom_nearest_velocity(g, x);
    carom_status status = carom_nearest_vertices(
        g, &(carom_nearest_start){.x = x}, &compression->nearest, arena, &vertices, &count, error);
    if (status)
        return status;
    if (count < 0) {
        carom_outcome_say(outcome, "contacts are dependent and their coefficients differ: the "
                                   "velocities may not be unique (too many contacts to list)");
        return CAROM_OK;
    }
    outcome->alternatives = carom_arena_array(arena, (size_t)count, sizeof(carom_outcome));
    if (!outcome->alternatives)
        return carom_error_memory(error);
    for (int k = 0; k < count; k++) {
        carom_outcome *next = &outcome->alternatives[outcome->alternative_count];
        carom_impulses from = *compression;
        from.exact_impulse = vertices + (size_t)k * (size_t)g->impact->p;
        status = carom_outcome_create(g, arena, next, error);
        if (!status)
            status = expand(g, epsilon, CAROM_LCP_AUTO, &from, arena, next, error);
        if (status)
            return status;
        next->impulse_unique = false;
        if (!already_known(g, outcome, next))
            outcome->alternative_count++;
    }
    return CAROM_OK;
}

static bool differs(int p, const double *epsilon)
{
    for (int i = 1; i < p; i++)
        if (epsilon[i] != epsilon[0])
            return true;
    return false;
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    carom_lcp_algorithm algorithm = carom_law_solver(law);
    double *epsilon = carom_law_coefficients(g, arena);
    if (!epsilon)
        return carom_error_memory(error);
    carom_impulses f;
    carom_status status = carom_impulses_nearest(g, NULL, algorithm, arena, &f, error);
    if (status)
        return status;
    if (!f.exists || !f.converged) {
        f.converged = false;
        carom_impulses_store(g, &f, outcome);
        return CAROM_OK;
    }
    status = expand(g, epsilon, algorithm, &f, arena, outcome, error);
    if (status || outcome->answer != CAROM_ANSWER_OK)
        return status;
    outcome->impulse_unique = f.unique;
    if (f.unique || !differs(p, epsilon))
        return CAROM_OK;
    if (!f.exact_u) { /* another solver was asked for; the list needs rows */
        status = carom_impulses_nearest(g, NULL, CAROM_LCP_AUTO, arena, &f, error);
        if (status)
            return status;
    }
    if (!f.exact_u) {
        carom_outcome_say(outcome, "contacts are dependent and their coefficients differ: the "
                                   "velocities may not be unique (too many contacts to list)");
        return CAROM_OK;
    }
    status = find_alternatives(g, epsilon, &f, arena, outcome, error);
    if (!status && outcome->alternative_count > 0) {
        outcome->answer = CAROM_ANSWER_SEVERAL;
        carom_outcome_say(outcome,
                          "even the velocities are not unique: the contacts are dependent, so the "
                          "compression impulses are not unique, and unequal coefficients turn them "
                          "into different outcomes; a continuum of others joins those shown");
    }
    return status;
}

/* gamma+ >= 0 and L >= (1 + epsilon) L_C by construction. With one coefficient for all that is
 * coupled u_C - b + epsilon (u_C - u-) is not longer than u- - b, and the expansion projects it. */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law;
    (void)arena;
    (void)error;
    made->kinematic = true;
    made->kinetic = carom_promise_within(g, -1, INFINITY);
    made->energetic = carom_promise_within(g, -1, 1) && carom_promise_uniform(g);
    carom_promise_write(made, "never gains energy",
                        carom_promise_within(g, 0, 1)
                            ? "energy may grow where coupled coefficients differ"
                            : "a coefficient is outside [0, 1]");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {CAROM_LAW_SOLVER, {0}};

const carom_law_ops carom_law_poisson = {
    .name = "poisson",
    .summary = "compression, then expansion with a part of the compression impulse given back",
    .reference = "Glocker, Concepts for modeling impacts without friction, section 7",
    .parameters = parameters,
    .cost = 1,
    .apply = apply,
    .single = carom_law_single,
    .promise = promise,
};
