/* Pairwise collisions one after the other (docs/theory/sequential.md). Each is the single-contact
 * law u <- u - (1 + eps_i) gamma_i / D_ii  Y_i     where gamma_i < 0, until no contact approaches.
 * Velocities are kept, not normal velocities alone: light bodies lose no digits to heavy ones.
 * Which contact comes first is a choice: `order` fixes a round in which contacts are visited;
 * without it the fastest approach (kinetic norm) goes first, and other choices are tried to see
 * whether they matter. */
#include "impact/predicate.h"
#include "law/laws.h"
#include "law/promise.h"
#include "law/turn.h"

#include <math.h>
#include <string.h>

enum { MOST_COLLISIONS = 200000 }; /* in all, before the sequence is called endless */

/* How the next contact is chosen: position in a round, or the fastest. */
typedef struct schedule {
    const int *order; /* NULL: fastest first */
    int count;
} schedule;

static int next_contact(const carom_geometry *g, const schedule *plan, const double *u,
                        int *position, double *gamma)
{
    if (plan->order) {
        for (int k = 0; k < plan->count; k++) {
            int i = plan->order[(*position + k) % plan->count];
            if ((*gamma = carom_turn_approach(g, u, i)) < 0) {
                *position = (*position + k + 1) % plan->count;
                return i;
            }
        }
        return -1;
    }
    int fastest = -1;
    double least = 0;
    for (int i = 0; i < g->impact->p; i++) {
        double now = carom_turn_approach(g, u, i);
        if (now < 0 && now / g->norm[i] < least) {
            least = now / g->norm[i];
            *gamma = now;
            fastest = i;
        }
    }
    return fastest;
}

/* Collide until nothing approaches. Returns the number of collisions, -1 when there is no end. */
static int collide(const carom_geometry *g, const schedule *plan, double *u, double *impulse)
{
    int n = g->impact->n, p = g->impact->p, position = 0;
    bool local = g->impact->mass_is_diagonal && g->c == 0; /* y_i is zero where w_i is */
    memcpy(u, g->u, (size_t)n * sizeof(double));
    memset(impulse, 0, (size_t)p * sizeof(double));
    for (int count = 0; count < MOST_COLLISIONS; count++) {
        double gamma = 0;
        int i = next_contact(g, plan, u, &position, &gamma);
        if (i < 0)
            return count;
        const double *y = g->Y + (size_t)i * (size_t)n;
        double jump = -(1 + carom_law_restitution(g, i)) * gamma / g->D[i + (size_t)i * (size_t)p];
        impulse[i] += jump;
        for (int k = local ? g->first[i] : 0, end = local ? g->last[i] : n; k < end; k++)
            u[k] += y[k] * jump;
    }
    return -1;
}

/* The order given by the user: contact numbers from 1, or names. Of a system's contacts only the
 * closed ones are here, and the others are left out. */
static carom_status read_order(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                               schedule *plan, carom_outcome *outcome, carom_error *error)
{
    const carom_value *value = carom_law_value(law, "order");
    *plan = (schedule){NULL, 0};
    if (!value)
        return CAROM_OK;
    int *order = carom_arena_array(arena, (size_t)value->rows, sizeof(int));
    if (!order)
        return carom_error_memory(error);
    int count = 0;
    for (int k = 0; k < value->rows; k++) {
        const char *word = value->words ? value->words[k] : NULL;
        int found = -1;
        for (int i = 0; i < g->impact->p && word && g->impact->contacts; i++)
            if (g->impact->contacts[i].name && strcmp(g->impact->contacts[i].name, word) == 0)
                found = i;
        if (found < 0 && value->numbers && value->numbers[k] == floor(value->numbers[k]) &&
            value->numbers[k] >= 1 && value->numbers[k] <= g->impact->p)
            found = (int)value->numbers[k] - 1;
        if (found < 0 && word) {
            carom_outcome_say(outcome, "order: no closed contact is called %.40s", word);
            continue;
        }
        if (found < 0)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "sequential: order has %g; contacts are numbered 1 to %d",
                                   value->numbers ? value->numbers[k] : NAN, g->impact->p);
        order[count++] = found;
    }
    if (count > 0)
        *plan = (schedule){order, count};
    return CAROM_OK;
}

/* Every outcome of another order that is new. Returns how many orders were tried. */
static carom_status try_orders(const carom_geometry *g, carom_arena *arena, carom_outcome *outcome,
                               int *tried, carom_error *error)
{
    int p = g->impact->p;
    int *order = carom_arena_array(arena, (size_t)p, sizeof(int));
    carom_outcome *found = carom_arena_array(arena, CAROM_TURN_ORDERS, sizeof(carom_outcome));
    if (!order || !found)
        return carom_error_memory(error);
    outcome->alternatives = found;
    *tried = 0;
    for (int trial = 0; trial < CAROM_TURN_ORDERS && carom_turn_order(p, trial, order); trial++) {
        carom_outcome *next = &found[outcome->alternative_count];
        carom_status status = carom_outcome_create(g, arena, next, error);
        if (status)
            return status;
        schedule plan = {order, p};
        int count = collide(g, &plan, next->u, next->impulse);
        (*tried)++;
        if (count < 0)
            continue;
        carom_law_set_modes(g, next);
        bool known = carom_predicate_same(g, outcome->u, next->u);
        for (int k = 0; k < outcome->alternative_count && !known; k++)
            known = carom_predicate_same(g, found[k].u, next->u);
        if (!known) {
            carom_outcome_detail(next, "collisions", count);
            carom_outcome_detail(next, "first_contact", order[0] + 1);
            outcome->alternative_count++;
        }
    }
    return CAROM_OK;
}

/* Contacts that the order leaves out and that approach when it is done. */
static void say_left_out(const carom_geometry *g, carom_outcome *outcome)
{
    char text[16];
    for (int i = 0; i < g->impact->p; i++)
        if (carom_turn_approach(g, outcome->u, i) < 0)
            carom_outcome_say(outcome, "the order leaves contact %s out, which approaches now",
                              carom_contact_name(g->impact->contacts, i, text));
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    schedule plan;
    carom_status status = read_order(law, g, arena, &plan, outcome, error);
    if (status)
        return status;
    int count = collide(g, &plan, outcome->u, outcome->impulse), tried = 0;
    carom_law_set_modes(g, outcome);
    carom_outcome_detail(outcome, "collisions", count);
    if (count < 0) {
        outcome->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(outcome, "no end after %d collisions", MOST_COLLISIONS);
        return CAROM_OK;
    }
    if (plan.order) {
        say_left_out(g, outcome);
        return CAROM_OK;
    }
    status = try_orders(g, arena, outcome, &tried, error);
    if (!status && outcome->alternative_count) {
        outcome->answer = CAROM_ANSWER_SEVERAL;
        carom_outcome_say(
            outcome,
            "the order of the collisions changes the outcome: %d found by %d orders%s; "
            "shown: the fastest approach first",
            outcome->alternative_count + 1, tried,
            g->impact->p > CAROM_TURN_ALL ? ", of very many" : "");
    }
    return status;
}

/* Every collision pushes and loses energy; it ends when nothing that is visited approaches. */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)arena;
    (void)error;
    bool all = !carom_law_value(law, "order");
    for (int i = 0; i < g->impact->p; i++) /* joints may block a contact */
        all = all && (g->norm[i] > 0 || !carom_predicate_approaches(g, i));
    made->kinematic = all && carom_promise_within(g, 0, INFINITY);
    made->kinetic = carom_promise_within(g, -1, INFINITY);
    made->energetic = carom_promise_within(g, -1, 1);
    carom_promise_write(made, "no collision gains energy",
                        all ? "a coefficient is outside [0, 1]"
                            : "contacts that are left out may approach afterwards");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "order",
     .kind = CAROM_PARAMETER_CONTACTS,
     .doc = "contacts (names or numbers) in the order they are visited, round after round; absent: "
            "the fastest approach first"},
    {0},
};

const carom_law_ops carom_law_sequential = {
    .name = "sequential",
    .summary = "pairwise collisions one after the other, in a given or found order",
    .reference = "classical; Newton's law applied to one contact at a time",
    .parameters = parameters,
    .cost = 1,
    .apply = apply,
    .single = carom_law_single,
    .promise = promise,
};
