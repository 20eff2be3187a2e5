/* What theory promises of an outcome, computed from the data, and whether the outcome keeps it. */
#include "law/promise.h"
#include "carom/need.h"

#include "impact/predicate.h"
#include "law/laws.h"
#include "law/mixed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool carom_promise_within(const carom_geometry *g, double low, double high)
{
    for (int i = 0; i < g->impact->p; i++) {
        double e = carom_law_restitution(g, i);
        if (!(e >= low && e <= high))
            return false;
    }
    return true;
}

bool carom_promise_uniform(const carom_geometry *g)
{
    int p = g->impact->p;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < j; i++)
            if (g->D[i + (size_t)j * (size_t)p] != 0 &&
                carom_law_restitution(g, i) != carom_law_restitution(g, j))
                return false;
    return true;
}

/* With one coefficient in [-1, 1] for all that is coupled u+ - b = z - e z_perp, which is not
 * longer than z + z_perp, whatever the velocities are. */
void carom_promise_newton(const carom_geometry *g, const double *epsilon, carom_promise *promise)
{
    int p = g->impact->p;
    bool separates = true, loses = true, uniform = true;
    for (int i = 0; i < p; i++) {
        double e = epsilon[i];
        bool leaves = carom_predicate_separates(g, i), comes = carom_predicate_approaches(g, i);
        separates = separates && (e == 0 || (e > 0 ? !leaves : !comes));
        loses = loses && (e == 1 || (e < 1 ? !leaves : !comes));
        uniform = uniform && e >= -1 && e <= 1;
        for (int j = 0; j < i; j++)
            uniform = uniform && (epsilon[j] == e || g->D[i + (size_t)j * (size_t)p] == 0);
    }
    promise->kinematic = separates;
    promise->kinetic = true;
    promise->energetic = loses || uniform;
}

const char *carom_promise_reason(const carom_geometry *g)
{
    if (!carom_promise_within(g, 0, 1))
        return "a coefficient is outside [0, 1]";
    return g->approaching ? NULL : "a contact separates before, it may not afterwards";
}

void carom_promise_write(carom_promise *promise, const char *energy, const char *reason)
{
    const char *parts[3];
    int count = 0;
    if (promise->kinematic)
        parts[count++] = "separates";
    if (promise->kinetic)
        parts[count++] = "pushes only";
    if (promise->energetic)
        parts[count++] = energy;
    size_t size = sizeof promise->text, used = 0;
    if (count == 0) {
        snprintf(promise->text, size, "%s%snothing is promised", reason ? reason : "",
                 reason ? ": " : "");
        return;
    }
    for (int k = 0; k < count; k++)
        used += (size_t)snprintf(promise->text + used, size - used, "%s%s",
                                 k ? ", " : "proved: ", parts[k]);
    if (count < 3 && reason)
        snprintf(promise->text + used, size - used, "; %s", reason);
}

carom_status carom_law_promise(const carom_law *law, const carom_geometry *geometry,
                               carom_arena *arena, carom_promise *promise, carom_error *error)
{
    carom_promise made = {.text = "no general promise; the verdicts judge this outcome only"};
    CAROM_NEED(error, law, geometry, geometry->impact, arena, promise);
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = carom_law_check(
        "the law", law, geometry->impact->flags & CAROM_IMPACT_ANY_RESTITUTION, error);
    if (status)
        return status;
    if (carom_mixed_needed(law, geometry))
        snprintf(made.text, sizeof made.text,
                 "contacts have laws of their own: no general promise for the whole");
    else if (law->ops->promise)
        status = law->ops->promise(law, geometry, arena, &made, error);
    carom_arena_rewind(arena, mark);
    if (!status)
        *promise = made;
    return status;
}

static const char *broken_by(const carom_promise *promise, const carom_outcome *o)
{
    const carom_verdict *v = &o->verdict;
    return promise->kinematic && !v->kinematic   ? "kinematic"
           : promise->kinetic && !v->kinetic     ? "kinetic"
           : promise->energetic && !v->energetic ? "energetic"
                                                 : NULL;
}

bool carom_law_keeps(const carom_promise *promise, const carom_outcome *outcome,
                     const char **broken)
{
    CAROM_NEED_OR(false, promise, outcome);
    const char *which = NULL;
    if (outcome->answer == CAROM_ANSWER_OK || outcome->answer == CAROM_ANSWER_SEVERAL) {
        which = broken_by(promise, outcome);
        for (int k = 0; k < outcome->alternative_count && !which; k++)
            which = broken_by(promise, &outcome->alternatives[k]);
    }
    if (broken)
        *broken = which;
    return !which;
}
