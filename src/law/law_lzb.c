/* Compliant multiple impact with energetic restitution per contact (docs/theory/lzb.md). */
#include "impact/predicate.h"
#include "law/laws.h"
#include "law/lzb_motion.h"
#include "law/promise.h"

#include <math.h>
#include <string.h>

/* Contact data as arrays; NULL contacts are default ones. */
static carom_status gather(const carom_geometry *g, carom_arena *arena, carom_lzb_problem *q,
                           carom_error *error)
{
    int p = g->impact->p;
    double *block = carom_arena_doubles(arena, 4 * (size_t)p);
    if (!block)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++) {
        carom_contact c = g->impact->contacts ? g->impact->contacts[i] : carom_contact_default();
        block[i] = c.stiffness;
        block[p + i] = c.exponent;
        block[2 * p + i] = c.restitution;
        bool rests = !carom_predicate_approaches(g, i) && !carom_predicate_separates(g, i);
        block[3 * p + i] = rests ? 0 : g->gamma[i];
    }
    *q = (carom_lzb_problem){.p = p,
                             .bandwidth = g->bandwidth,
                             .D = g->D,
                             .stiffness = block,
                             .exponent = block + p,
                             .epsilon = block + 2 * p,
                             .gamma = block + 3 * p};
    return CAROM_OK;
}

/* The energy of an outcome is that of its springs: scale impulses and jumps of velocity so that
 * their work, half the sum of L (gamma- + gamma+), is the work that the springs did. The
 * integration has errors of its tolerance in every step, and an elastic impact of many must not
 * gain by them. The work changes by s L'gamma+. */
static void keep_energy(const carom_geometry *g, double work, double *L, double *after)
{
    const int p = g->impact->p;
    double done = 0, gain = 0;
    for (int i = 0; i < p; i++) {
        done += 0.5 * L[i] * (g->gamma[i] + after[i]);
        gain += L[i] * after[i];
    }
    const double s = (work - done) / gain;
    for (int i = 0; i < p && gain > 0 && fabs(s) < 1e-6; i++) {
        L[i] *= 1 + s;
        after[i] += s * (after[i] - g->gamma[i]);
    }
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    for (int i = 0; i < g->impact->p; i++)
        if (carom_law_restitution(g, i) < 0)
            return carom_law_refuse(outcome, "restitution %g is negative: unloading needs eps >= 0",
                                    carom_law_restitution(g, i));
    bool approaching = false;
    for (int i = 0; i < g->impact->p; i++)
        approaching = approaching || carom_predicate_approaches(g, i);
    if (!approaching) {
        carom_outcome_say(outcome, "no contact approaches: no impact, the velocity is kept");
        return CAROM_OK;
    }
    carom_lzb_problem q;
    carom_lzb_result r;
    carom_status status = gather(g, arena, &q, error);
    double *gamma = status ? NULL : carom_arena_doubles(arena, (size_t)g->impact->p);
    if (!status && !gamma)
        status = carom_error_memory(error);
    if (!status) {
        q.tolerance = carom_law_number(law, "tolerance");
        status = carom_lzb_motion_follow(&q, arena, outcome->impulse, gamma, &r, error);
    }
    if (status)
        return status;
    if (!r.ended && g->dependent) {
        /* contacts that no velocity separates vibrate for ever, or hold each other compressed */
        memset(outcome->impulse, 0, (size_t)q.p * sizeof(double));
        outcome->answer = CAROM_ANSWER_NONE;
        carom_outcome_say(outcome,
                          "the contacts work against each other: the impact had not ended "
                          "after %ld steps",
                          r.steps);
        return CAROM_OK;
    }
    if (!r.ended) {
        outcome->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(outcome,
                          "after %ld steps the contacts still clatter, at up to %.2g of the speed "
                          "of the impact; the velocities then are shown",
                          r.steps, r.unrest / g->speed);
    }
    if (r.ended)
        keep_energy(g, r.work, outcome->impulse, gamma);
    carom_outcome_from_impulses(g, outcome);
    status = carom_law_refine(g, gamma, arena, outcome->u, outcome->impulse, error);
    if (r.ended && !status) { /* the impulses have changed by what light bodies lack in digits */
        keep_energy(g, r.work, outcome->impulse, gamma);
        status = carom_law_refine(g, gamma, arena, outcome->u, outcome->impulse, error);
    }
    carom_law_set_modes(g, outcome);
    carom_outcome_detail(outcome, "duration", r.duration);
    carom_outcome_detail(outcome, "peak_force", r.peak_force);
    carom_outcome_detail(outcome, "steps", (double)r.steps);
    return status;
}

/* Forces push; loading takes what unloading gives back times epsilon^2. */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law;
    (void)arena;
    (void)error;
    made->kinetic = true;
    made->energetic = carom_promise_within(g, 0, 1);
    carom_promise_write(made, "never gains energy",
                        carom_promise_within(g, 0, 1) ? NULL : "a coefficient is outside [0, 1]");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "tolerance",
     .doc = "error per step of the integration, relative to the scale of the impact",
     .kind = CAROM_PARAMETER_NUMBER,
     .number = 1e-11,
     .lower = 1e-14,
     .upper = 1e-2},
    {0}};

const carom_law_ops carom_law_lzb = {
    .name = "lzb",
    .summary = "compliant contacts F = k delta^eta with energetic restitution, all at once",
    .reference = "Liu, Zhao, Brogliato 2008: frictionless multiple impacts in multibody systems",
    .parameters = parameters,
    .cost = 3,
    .apply = apply,
    .promise = promise,
};
