/* What all laws share: parameters, the frame around apply, small helpers. */
#include "impact/outcome.h"
#include "law/laws.h"
#include "law/mixed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const carom_parameter *find_parameter(const carom_law_ops *ops, const char *name)
{
    for (const carom_parameter *q = ops->parameters; q && q->name; q++)
        if (strcmp(q->name, name) == 0)
            return q;
    return NULL;
}

const carom_value *carom_law_value(const carom_law *law, const char *name)
{
    for (int i = 0; i < law->value_count; i++)
        if (strcmp(law->values[i].name, name) == 0)
            return &law->values[i];
    return NULL;
}

double carom_law_number(const carom_law *law, const char *name)
{
    const carom_value *value = carom_law_value(law, name);
    const carom_parameter *parameter = find_parameter(law->ops, name);
    return value ? value->number : parameter ? parameter->number : NAN;
}

/* The words of a choice are separated by '|'. */
bool carom_law_is_choice(const carom_law *law, const char *name, const char *word)
{
    const carom_value *value = carom_law_value(law, name);
    size_t length = strlen(word);
    if (value)
        return strcmp(value->text, word) == 0;
    const carom_parameter *parameter = find_parameter(law->ops, name);
    return parameter && strncmp(parameter->choices, word, length) == 0 &&
           (parameter->choices[length] == '|' || parameter->choices[length] == '\0');
}

carom_lcp_algorithm carom_law_solver(const carom_law *law)
{
    const carom_value *value = carom_law_value(law, "solver");
    for (int k = 0; value && k < carom_lcp_solver_count(); k++)
        if (strcmp(carom_lcp_solver_at(k)->name, value->text) == 0)
            return carom_lcp_solver_at(k)->algorithm;
    return CAROM_LCP_AUTO;
}

const char *carom_law_needs_plain_contacts(const carom_geometry *g)
{
    if (g->impact->region)
        return "the admissible velocities are a union of cones (region): `moreau` treats it";
    if (g->spread_start[g->impact->p] > 0)
        return "a contact is a second-order cone (spread): `moreau` treats it";
    return NULL;
}

carom_status carom_law_refuse(carom_outcome *outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->message, sizeof outcome->message, format, arguments);
    va_end(arguments);
    outcome->answer = CAROM_ANSWER_INAPPLICABLE;
    return CAROM_OK;
}

void carom_law_set_modes(const carom_geometry *g, carom_outcome *outcome)
{
    for (int i = 0; i < g->impact->p; i++)
        outcome->mode[i] = outcome->impulse[i] != 0 ? CAROM_MODE_CLOSED : CAROM_MODE_OPEN;
}

/* Contacts whose own law is not the one of the row. */
static void name_own_laws(const carom_law *law, const carom_geometry *g, carom_outcome *outcome)
{
    enum { MOST = 4 };
    char text[200] = "";
    int count = 0;
    for (int i = 0; i < g->impact->p; i++) {
        const carom_law *own = g->impact->contacts[i].law;
        const char *name = g->impact->contacts[i].name;
        size_t length = strlen(text);
        if (!own || own->ops == law->ops || count++ >= MOST)
            continue;
        if (name)
            snprintf(text + length, sizeof text - length, "%s%.20s (%s)", length ? ", " : "", name,
                     own->ops->name);
        else
            snprintf(text + length, sizeof text - length, "%s%d (%s)", length ? ", " : "", i + 1,
                     own->ops->name);
    }
    if (count > 0)
        carom_outcome_say(outcome, "with laws of their own: %s%s", text,
                          count > MOST ? ", ..." : "");
}

/* What a reader of the outcome must know that no law says by itself. */
static void remark(const carom_law *law, const carom_geometry *g, bool mixed,
                   carom_outcome *outcome)
{
    if (g->joint_error > 1e-9 * g->speed)
        carom_outcome_say(outcome,
                          "u- violates the joints by %.3g (kinetic norm); the joints close "
                          "first, ideally",
                          g->joint_error);
    bool rough = false;
    for (int i = 0; i < g->impact->p && g->s && !law->ops->frictional; i++)
        rough = rough || (g->impact->contacts[i].slip_count > 0 &&
                          g->impact->contacts[i].friction_static > 0);
    if (mixed)
        name_own_laws(law, g, outcome);
    if (rough && !mixed)
        carom_outcome_add(outcome, "frictionless law: slip and friction left aside");
    if (!outcome->impulse_unique)
        carom_outcome_add(outcome, "impulses are not unique (dependent contacts), the velocities "
                                   "are; those of least norm are shown");
}

carom_status carom_law_apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                             carom_outcome *outcome, carom_error *error)
{
    carom_outcome made;
    bool mixed = carom_mixed_needed(law, g);
    carom_status status = carom_outcome_create(g, arena, &made, error);
    if (!status)
        status = mixed ? carom_mixed_apply(law, g, arena, &made, error)
                       : law->ops->apply(law, g, arena, &made, error);
    if (status)
        return status;
    status = carom_outcome_complete(g, arena, &made, error);
    for (int k = 0; k < made.alternative_count && !status; k++)
        status = carom_outcome_complete(g, arena, &made.alternatives[k], error);
    if (status)
        return status;
    if (made.answer != CAROM_ANSWER_INAPPLICABLE)
        remark(law, g, mixed, &made);
    carom_outcome_copy(&made, outcome);
    return CAROM_OK;
}
