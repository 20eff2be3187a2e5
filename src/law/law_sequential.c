/* Pairwise collisions one after the other (docs/theory/sequential.md). Each is the single-contact
 * law u <- u - (1 + eps_i) gamma_i / D_ii  Y_i     where gamma_i < 0, until no contact approaches.
 * Which contact comes first is a choice: `order` fixes a round in which contacts are visited;
 * without it the fastest approach (kinetic norm) goes first, and other choices are tried to see
 * whether they matter. */
#include "impact/predicate.h"
#include "law/laws.h"

#include <math.h>
#include <string.h>

enum {
    MOST_COLLISIONS = 200000, /* in all, before the sequence is called endless */
    MOST_TRIALS = 64,         /* of other orders */
    MOST_OUTCOMES = 16
};

/* How the next contact is chosen: position in a round, or the fastest. */
typedef struct schedule {
    const int *order; /* NULL: fastest first */
    int count;
} schedule;

static bool approaches(const carom_geometry *g, const double *gamma, int i)
{
    return g->norm[i] > 0 && gamma[i] < -1e-13 * g->norm[i] * g->speed;
}

static int next_contact(const carom_geometry *g, const schedule *plan, const double *gamma,
                        int *position)
{
    if (plan->order) {
        for (int k = 0; k < plan->count; k++) {
            int i = plan->order[(*position + k) % plan->count];
            if (approaches(g, gamma, i)) {
                *position = (*position + k + 1) % plan->count;
                return i;
            }
        }
        return -1;
    }
    int fastest = -1;
    double least = 0;
    for (int i = 0; i < g->impact->p; i++)
        if (approaches(g, gamma, i) && gamma[i] / g->norm[i] < least) {
            least = gamma[i] / g->norm[i];
            fastest = i;
        }
    return fastest;
}

/* Collide until nothing approaches. Returns the number of collisions, -1 when there is no end. */
static int collide(const carom_geometry *g, const schedule *plan, double *gamma, double *impulse)
{
    int p = g->impact->p, position = 0;
    memcpy(gamma, g->gamma, (size_t)p * sizeof(double));
    memset(impulse, 0, (size_t)p * sizeof(double));
    for (int count = 0; count < MOST_COLLISIONS; count++) {
        int i = next_contact(g, plan, gamma, &position);
        if (i < 0)
            return count;
        const double *Di = g->D + (size_t)i * (size_t)p;
        double jump = -(1 + carom_law_restitution(g, i)) * gamma[i] / Di[i];
        double after = -carom_law_restitution(g, i) * gamma[i];
        impulse[i] += jump;
        for (int k = 0; k < p; k++)
            gamma[k] += Di[k] * jump;
        gamma[i] = after; /* free of rounding: an inelastic contact is exactly at rest */
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

/* Other orders: all permutations of up to 4 contacts, else rotations and their reversals. */
static int make_order(int p, int trial, int *order)
{
    for (int i = 0; i < p; i++)
        order[i] = i;
    if (p <= 4) { /* the trial-th permutation in factorial digits */
        int code = trial;
        for (int i = p; i > 1; i--) {
            int k = code % i, swap = order[i - 1];
            code /= i;
            order[i - 1] = order[k];
            order[k] = swap;
        }
        return code == 0;
    }
    bool reversed = trial % 2;
    int start = trial / 2;
    for (int i = 0; i < p; i++)
        order[i] = (start + (reversed ? p - i : i)) % p;
    return start < p;
}

static carom_status try_orders(const carom_geometry *g, double *gamma, carom_arena *arena,
                               carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    int *order = carom_arena_array(arena, (size_t)p, sizeof(int));
    carom_outcome *found = carom_arena_array(arena, MOST_OUTCOMES, sizeof(carom_outcome));
    if (!order || !found)
        return carom_error_memory(error);
    outcome->alternatives = found;
    for (int trial = 0; trial < MOST_TRIALS && make_order(p, trial, order); trial++) {
        carom_outcome *next = &found[outcome->alternative_count];
        carom_status status = carom_outcome_create(g, arena, next, error);
        if (status)
            return status;
        schedule plan = {order, p};
        int count = collide(g, &plan, gamma, next->impulse);
        if (count < 0)
            continue;
        carom_outcome_from_impulses(g, next);
        carom_law_set_modes(g, next);
        bool known = carom_predicate_same(g, outcome->u, next->u);
        for (int k = 0; k < outcome->alternative_count && !known; k++)
            known = carom_predicate_same(g, found[k].u, next->u);
        if (!known) {
            carom_outcome_detail(next, "collisions", count);
            carom_outcome_detail(next, "first_contact", order[0] + 1);
            if (++outcome->alternative_count == MOST_OUTCOMES)
                break;
        }
    }
    return CAROM_OK;
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    schedule plan;
    double *gamma = carom_arena_doubles(arena, (size_t)g->impact->p);
    if (!gamma)
        return carom_error_memory(error);
    carom_status status = read_order(law, g, arena, &plan, outcome, error);
    if (status)
        return status;
    int count = collide(g, &plan, gamma, outcome->impulse);
    carom_outcome_from_impulses(g, outcome);
    carom_law_set_modes(g, outcome);
    carom_outcome_detail(outcome, "collisions", count);
    if (count < 0) {
        outcome->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(outcome, "no end after %d collisions", MOST_COLLISIONS);
        return CAROM_OK;
    }
    if (plan.order)
        return CAROM_OK;
    status = try_orders(g, gamma, arena, outcome, error);
    if (!status && outcome->alternative_count) {
        outcome->answer = CAROM_ANSWER_SEVERAL;
        carom_outcome_say(outcome,
                          "the order of the collisions changes the outcome: %d found; shown: the "
                          "fastest approach first",
                          outcome->alternative_count + 1);
    }
    return status;
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
};
