/* Newton's law in inequality form, a coefficient per contact (docs/theory/newton.md):
 *   xi = D L + (I + diag eps) gamma-,   0 <= xi, 0 <= L, xi'L = 0. */
#include "carom/lcp.h"
#include "law/laws.h"

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* With one coefficient e, u+ = b - e (u- - b) satisfies all inequalities: a solution exists. */
static bool has_one_coefficient(const carom_geometry *g)
{
    for (int i = 1; i < g->impact->p; i++)
        if (carom_law_restitution(g, i) != carom_law_restitution(g, 0))
            return false;
    return true;
}

static void refuse(const carom_geometry *g, carom_outcome *outcome)
{
    bool exists = has_one_coefficient(g);
    outcome->answer = exists ? CAROM_ANSWER_FAILED : CAROM_ANSWER_NONE;
    carom_outcome_say(outcome, exists
                                   ? "a solution exists, since all coefficients are equal, but the "
                                     "contacts are too nearly dependent for it to be found"
                                   : "no impulses satisfy the law: the contacts work against each "
                                     "other and their coefficients differ");
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    carom_mark mark = carom_arena_mark(arena);
    double *q = carom_arena_doubles(arena, (size_t)p);
    if (!q)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++)
        q[i] = (1 + carom_law_restitution(g, i)) * g->gamma[i];
    carom_lcp lcp = {.n = p,
                     .M = g->D,
                     .q = q,
                     .symmetric = true,
                     .bandwidth = g->bandwidth,
                     .q_size = g->gamma_size};
    carom_lcp_info info;
    carom_lcp_options options = {.algorithm = carom_law_solver(law)};
    carom_status status =
        carom_lcp_solve(&lcp, &options, arena, outcome->impulse, NULL, &info, error);
    if (status)
        return status;
    if (info.outcome == CAROM_LCP_INFEASIBLE || info.outcome == CAROM_LCP_RAY) {
        refuse(g, outcome);
        return CAROM_OK;
    }
    if (info.outcome == CAROM_LCP_LIMIT) {
        outcome->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(outcome, "the complementarity problem was solved to %.3g only",
                          info.residual);
    }
    outcome->impulse_unique = !g->dependent || info.unique_z;
    carom_outcome_from_impulses(g, outcome);
    carom_law_set_modes(g, outcome);
    for (int i = 0; i < p; i++)
        q[i] = -carom_law_restitution(g, i) * g->gamma[i];
    status = carom_law_refine(g, q, arena, outcome, error);
    carom_arena_rewind(arena, mark);
    return status;
}

static const carom_parameter parameters[] = {CAROM_LAW_SOLVER, {0}};

const carom_law_ops carom_law_newton = {
    .name = "newton",
    .summary = "Newton's restitution in inequality form, a coefficient per contact",
    .reference = "Glocker, concepts for modelling impacts without friction; Moreau",
    .parameters = parameters,
    .apply = apply,
};
