/* A single frictional contact followed in impulse (docs/theory/path.md). */
#include "law/laws.h"
#include "law/path_motion.h"
#include "law/promise.h"
#include "law/single.h"
#include "linalg/dense.h"

#include <math.h>

/* The contact's own 3 x 3 problem. Without friction the slip rows take no part. */
static carom_path_problem reduce(const carom_law *law, const carom_geometry *g, int i)
{
    const carom_impact *impact = g->impact;
    const carom_contact *c = impact->contacts ? &impact->contacts[i] : NULL;
    size_t n = (size_t)impact->n;
    carom_path_problem q = {.e = carom_law_restitution(g, i), .u = {g->gamma[i]}};
    const double *row[3] = {impact->W + (size_t)i * n}, *gradient[3] = {g->Y + (size_t)i * n};
    q.stop = carom_law_is_choice(law, "stop", "poisson")   ? CAROM_PATH_POISSON
             : carom_law_is_choice(law, "stop", "stronge") ? CAROM_PATH_STRONGE
                                                           : CAROM_PATH_NEWTON;
    if (c && c->friction_static > 0) {
        q.s = c->slip_count;
        q.mu_static = c->friction_static;
        q.mu_dynamic = c->friction_dynamic;
    }
    for (int k = 0; k < q.s; k++) {
        size_t column = (size_t)(g->slip_start[i] + k);
        row[k + 1] = impact->H + column * n;
        gradient[k + 1] = g->Z + column * n;
        q.u[k + 1] = g->slip[column];
    }
    for (int b = 0; b <= q.s; b++)
        for (int a = b; a <= q.s; a++)
            q.D[a + 3 * b] = q.D[b + 3 * a] = carom_dense_dot(impact->n, row[a], gradient[b]);
    return q;
}

static carom_mode mode_of(const carom_path_problem *q, const carom_path_result *r)
{
    if (q->s == 0)
        return CAROM_MODE_CLOSED;
    if (r->sticks)
        return CAROM_MODE_STICK;
    if (q->s == 2)
        return CAROM_MODE_SLIP;
    return r->u[1] >= 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
}

static void describe(const carom_path_problem *q, const carom_path_result *r,
                     carom_outcome *outcome)
{
    if (r->sticks && r->stop_impulse > 0)
        carom_outcome_say(outcome, "slides, then sticks");
    if (r->reversed)
        carom_outcome_say(outcome, q->s == 1 && q->u[1] * r->u[1] < 0
                                       ? "slip reverses during the impact"
                                       : "slides away from rest during the impact");
    carom_outcome_detail(outcome, "compression_impulse", r->compression[0]);
    carom_outcome_detail(outcome, "slip_stop_impulse", r->stop_impulse);
    carom_outcome_detail(outcome, "work_compression", -r->work_stored);
    carom_outcome_detail(outcome, "work_restitution", r->work_returned);
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    int i = carom_single_find(g, "path", outcome);
    if (i < 0)
        return CAROM_OK;
    carom_path_problem q = reduce(law, g, i);
    carom_path_result r;
    carom_status status = carom_path_motion_follow(&q, arena, &r, error);
    if (status)
        return status;
    if (!r.ended) {
        outcome->answer = CAROM_ANSWER_NONE;
        carom_outcome_say(outcome, "wedged: friction holds the contact and no normal impulse ends "
                                   "the impact by this rule");
        return CAROM_OK;
    }
    outcome->impulse[i] = r.p[0];
    for (int k = 0; k < q.s; k++)
        outcome->tangential_impulse[g->slip_start[i] + k] = r.p[k + 1];
    outcome->mode[i] = mode_of(&q, &r);
    carom_outcome_from_impulses(g, outcome);
    describe(&q, &r, outcome);
    carom_single_say_pressed(g, outcome);
    return CAROM_OK;
}

/* The contact ends separating and was pushed within its cone all the way; energy is given back at
 * most where the rule is one of work. */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)arena;
    (void)error;
    bool alone = g->impact->p == 1 && carom_promise_within(g, 0, 1);
    made->kinematic = made->kinetic = alone;
    const bool fed = g->s > 0 && !g->slip_frame; /* by the motion of the surface */
    made->energetic = alone && !fed && carom_law_is_choice(law, "stop", "stronge");
    carom_promise_write(made, "never gains energy",
                        g->impact->p != 1 ? "a law of one contact"
                        : !alone          ? "a coefficient is outside [0, 1]"
                        : carom_law_is_choice(law, "stop", "newton")
                            ? "energy may grow (Kane's double pendulum)"
                        : fed ? "no frame rests with the moving surface: it may give energy"
                              : "no general proof for energy");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "stop",
     .doc = "when the impact ends: Newton's velocity, Poisson's impulse or Stronge's work",
     .kind = CAROM_PARAMETER_CHOICE,
     .choices = "newton|poisson|stronge",
     .varies = true},
    {0}};

const carom_law_ops carom_law_path = {
    .name = "path",
    .summary = "one frictional contact followed in impulse: slip, stick, slip reversal",
    .reference = "Darboux; Keller 1986; Stronge, Impact Mechanics; Routh's diagram",
    .frictional = true,
    .parameters = parameters,
    .cost = 3,
    .apply = apply,
    .promise = promise,
};
