/* Newton's law in inequality form, a coefficient per contact (docs/theory/newton.md):
 *   xi = D L + (I + diag eps) gamma-,   0 <= xi, 0 <= L, xi'L = 0. */
#include "law/impulses.h"
#include "law/laws.h"
#include "law/promise.h"

#include "base/short_loops.h"

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
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    carom_mark mark = carom_arena_mark(arena);
    double *epsilon = carom_law_coefficients(g, arena);
    if (!epsilon)
        return carom_error_memory(error);
    carom_impulses f;
    carom_status status =
        carom_impulses_nearest(g, epsilon, carom_law_solver(law), arena, &f, error);
    if (status)
        return status;
    if (!f.exists) {
        refuse(g, outcome);
    } else {
        carom_impulses_store(g, &f, outcome);
        carom_law_set_modes(g, outcome);
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

static bool step(const carom_law *law, const carom_contact *contact, carom_law_step *say)
{
    (void)law;
    *say = (carom_law_step){.restitution = contact->restitution,
                            .whose = CAROM_COEFFICIENTS_OF_CONTACT};
    return true;
}

static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law;
    double *epsilon = carom_law_coefficients(g, arena);
    if (!epsilon)
        return carom_error_memory(error);
    carom_promise_newton(g, epsilon, made);
    carom_promise_write(made, "never gains energy", carom_promise_reason(g));
    return CAROM_OK;
}

static const carom_parameter parameters[] = {CAROM_LAW_SOLVER, {0}};

const carom_law_ops carom_law_newton = {
    .name = "newton",
    .summary = "Newton's restitution in inequality form, a coefficient per contact",
    .reference = "Glocker, concepts for modelling impacts without friction; Moreau",
    .parameters = parameters,
    .apply = apply,
    .step = step,
    .single = carom_law_single,
    .mixes = carom_law_mixes,
    .promise = promise,
};
