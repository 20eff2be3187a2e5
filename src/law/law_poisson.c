/* Poisson's law in two phases (docs/theory/poisson.md):
 *   compression  0 <= L_C  _|_  gamma_C = gamma- + D L_C >= 0,
 *   expansion    0 <= L_E - diag(eps) L_C  _|_  gamma+ = gamma_C + D L_E >= 0.
 * With dependent contacts L_C is not unique; with unequal coefficients the outcome then is not
 * either, and every vertex of the set of compression impulses is followed. */
#include "carom/lcp.h"
#include "law/laws.h"

#include <math.h>
#include <string.h>

/* q = gamma- + D x, and the sums of the magnitudes of its terms (p each). */
static void advance(const carom_geometry *g, const double *x, double *q, double *size)
{
    size_t p = (size_t)g->impact->p;
    memcpy(q, g->gamma, p * sizeof(double));
    for (size_t i = 0; i < p; i++)
        size[i] = g->gamma_size[i];
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < p && x[j] != 0; i++) {
            q[i] += g->D[i + j * p] * x[j];
            size[i] += fabs(g->D[i + j * p] * x[j]);
        }
}

/* From the compression impulses to the outcome. Expansion is always solvable: its right-hand side
 * is D times something non-negative plus gamma_C >= 0. */
static carom_status expand(const carom_geometry *g, const carom_lcp_options *options,
                           const double *compression, carom_arena *arena, carom_outcome *outcome,
                           carom_error *error)
{
    size_t p = (size_t)g->impact->p;
    double *q = carom_arena_doubles(arena, 3 * p), *returned = q + p, *size = returned + p;
    if (!q)
        return carom_error_memory(error);
    for (size_t i = 0; i < p; i++)
        returned[i] = (1 + carom_law_restitution(g, (int)i)) * compression[i];
    advance(g, returned, q, size);
    carom_lcp lcp = {.n = (int)p,
                     .M = g->D,
                     .q = q,
                     .symmetric = true,
                     .bandwidth = g->bandwidth,
                     .q_size = g->dependent ? size : NULL};
    carom_lcp_info info;
    carom_status status =
        carom_lcp_solve(&lcp, options, arena, outcome->impulse, NULL, &info, error);
    if (status)
        return status;
    if (info.outcome != CAROM_LCP_SOLVED) {
        outcome->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(outcome, "expansion was solved to %.3g only", info.residual);
    }
    for (size_t i = 0; i < p; i++)
        outcome->impulse[i] += returned[i];
    carom_outcome_from_impulses(g, outcome);
    carom_law_set_modes(g, outcome);
    return CAROM_OK;
}

static bool already_known(const carom_geometry *g, const carom_outcome *outcome,
                          const carom_outcome *candidate)
{
    if (carom_law_same_velocity(g, outcome->u, candidate->u))
        return true;
    for (int k = 0; k < outcome->alternative_count; k++)
        if (carom_law_same_velocity(g, outcome->alternatives[k].u, candidate->u))
            return true;
    return false;
}

/* Outcomes from the vertices of the set of all compression impulses. */
static carom_status find_alternatives(const carom_geometry *g, const carom_lcp *compression,
                                      carom_arena *arena, carom_outcome *outcome,
                                      carom_error *error)
{
    carom_lcp_solutions all;
    carom_status status = carom_lcp_enumerate(compression, arena, &all, error);
    if (status)
        return status;
    int count = 0;
    for (int k = 0; k < all.count; k++)
        count += all.pieces[k].vertex_count;
    outcome->alternatives = carom_arena_array(arena, (size_t)count, sizeof(carom_outcome));
    if (!outcome->alternatives)
        return carom_error_memory(error);
    for (int k = 0; k < all.count; k++)
        for (int v = 0; v < all.pieces[k].vertex_count; v++) {
            carom_outcome *next = &outcome->alternatives[outcome->alternative_count];
            status = carom_outcome_create(g, arena, next, error);
            if (!status)
                status = expand(g, NULL, all.pieces[k].vertices + (size_t)v * (size_t)g->impact->p,
                                arena, next, error);
            if (status)
                return status;
            next->impulse_unique = false;
            if (!already_known(g, outcome, next))
                outcome->alternative_count++;
        }
    return CAROM_OK;
}

static bool restitution_differs(const carom_geometry *g)
{
    for (int i = 1; i < g->impact->p; i++)
        if (carom_law_restitution(g, i) != carom_law_restitution(g, 0))
            return true;
    return false;
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    size_t p = (size_t)g->impact->p;
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    carom_lcp lcp = {.n = (int)p,
                     .M = g->D,
                     .q = g->gamma,
                     .symmetric = true,
                     .bandwidth = g->bandwidth,
                     .q_size = g->dependent ? g->gamma_size : NULL};
    carom_lcp_info info;
    carom_lcp_options options = {.algorithm = carom_law_solver(law)};
    double *compression = carom_arena_doubles(arena, p);
    if (!compression)
        return carom_error_memory(error);
    carom_status status = carom_lcp_solve(&lcp, &options, arena, compression, NULL, &info, error);
    if (!status)
        status = expand(g, &options, compression, arena, outcome, error);
    if (status)
        return status;
    if (info.outcome != CAROM_LCP_SOLVED) {
        outcome->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(outcome, "compression was solved to %.3g only", info.residual);
        return CAROM_OK;
    }
    outcome->impulse_unique = !g->dependent || info.unique_z;
    if (outcome->impulse_unique || !restitution_differs(g))
        return CAROM_OK;
    if (p > CAROM_LCP_ENUMERATE_LIMIT) {
        carom_outcome_say(outcome, "contacts are dependent and their coefficients differ: the "
                                   "velocities may not be unique (too many contacts to list)");
        return CAROM_OK;
    }
    status = find_alternatives(g, &lcp, arena, outcome, error);
    if (!status && outcome->alternative_count > 0) {
        outcome->answer = CAROM_ANSWER_SEVERAL;
        carom_outcome_say(outcome,
                          "even the velocities are not unique: the contacts are dependent, so the "
                          "compression impulses are not unique, and unequal coefficients turn them "
                          "into different outcomes; every mixture of those shown is one too");
    }
    return status;
}

static const carom_parameter parameters[] = {CAROM_LAW_SOLVER, {0}};

const carom_law_ops carom_law_poisson = {
    .name = "poisson",
    .summary = "compression, then expansion with a part of the compression impulse given back",
    .reference = "Glocker, Concepts for modeling impacts without friction, section 7",
    .parameters = parameters,
    .apply = apply,
};
