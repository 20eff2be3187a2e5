/* What all laws share: parameters, the frame around apply, small helpers. */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "impact/outcome.h"
#include "impact/predicate.h"
#include "law/laws.h"
#include "law/mixed.h"
#include "linalg/finite.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* How far from the law an outcome may be, in units of the quantities compared: digits that nearly
 * dependent contacts cost are not a reason to leave an outcome out. */
static const double RESIDUAL = 1e-7;

/* Of the fastest terms beside a joint whose own terms vanish: 1e-12 of them is forgiven. */
static const double DULL = 1e-5;

static const carom_parameter *find_parameter(const carom_law_ops *ops, const char *name)
{
    for (const carom_parameter *q = ops ? ops->parameters : NULL; name && q && q->name; q++)
        if (strcmp(q->name, name) == 0)
            return q;
    return NULL;
}

const carom_value *carom_law_value(const carom_law *law, const char *name)
{
    for (int i = 0; name && law && law->values && i < law->value_count; i++)
        if (law->values[i].name && strcmp(law->values[i].name, name) == 0)
            return &law->values[i];
    return NULL;
}

double carom_law_number(const carom_law *law, const char *name)
{
    const carom_value *value = carom_law_value(law, name);
    const carom_parameter *parameter = find_parameter(law ? law->ops : NULL, name);
    return value ? value->number : parameter ? parameter->number : NAN;
}

/* The words of a choice are separated by '|'. */
bool carom_law_is_choice(const carom_law *law, const char *name, const char *word)
{
    const carom_value *value = carom_law_value(law, name);
    if (!word)
        return false;
    size_t length = strlen(word);
    if (value)
        return value->text && strcmp(value->text, word) == 0;
    const carom_parameter *parameter = find_parameter(law ? law->ops : NULL, name);
    return parameter && parameter->choices && strncmp(parameter->choices, word, length) == 0 &&
           (parameter->choices[length] == '|' || parameter->choices[length] == '\0');
}

carom_lcp_algorithm carom_law_solver(const carom_law *law)
{
    const carom_value *value = law->value_count ? carom_law_value(law, "solver") : NULL;
    for (int k = 0; value && k < carom_lcp_solver_count(); k++)
        if (strcmp(carom_lcp_solver_at(k)->name, value->text) == 0)
            return carom_lcp_solver_at(k)->algorithm;
    return CAROM_LCP_AUTO;
}

double *carom_law_coefficients(const carom_geometry *g, carom_arena *arena)
{
    double *epsilon = carom_arena_doubles(arena, (size_t)g->impact->p);
    for (int i = 0; epsilon && i < g->impact->p; i++)
        epsilon[i] = carom_law_restitution(g, i);
    return epsilon;
}

double carom_law_single(const carom_law *law, const carom_contact *contact)
{
    (void)law;
    return contact->restitution;
}

bool carom_law_mixes(const carom_law *law)
{
    (void)law;
    return true;
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

/* A number among the details of an outcome. */
static double detail_of(const carom_outcome *outcome, const char *name, double otherwise)
{
    for (int k = 0; k < outcome->detail_count; k++)
        if (strcmp(outcome->details[k].name, name) == 0)
            return outcome->details[k].value;
    return otherwise;
}

/* Which impulses are shown where others do the same, and whether the velocity is the only one: said
 * of every impact of dependent contacts, so in whole sentences, which need no formatting. */
static void remark_impulses(carom_outcome *outcome)
{
    carom_outcome_add(outcome, outcome->answer == CAROM_ANSWER_SEVERAL
                                   ? "impulses are not unique (dependent contacts), even for one "
                                     "velocity; those of least norm are shown"
                               : detail_of(outcome, "complete", 1) != 0
                                   ? "impulses are not unique (dependent contacts), the velocities "
                                     "are; those of least norm are shown"
                                   : "impulses are not unique (dependent contacts); those of least "
                                     "norm are shown");
}

/* What a reader of the outcome must know that no law says by itself. */
static void remark(const carom_law *law, const carom_geometry *g, bool mixed,
                   carom_outcome *outcome)
{
    if (g->joint_error > CAROM_TOLERANCE_SAME * g->speed)
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
        remark_impulses(outcome);
}

/* Laws of contacts must be laws, too. *own: some contact has one. */
static carom_status check_laws(const carom_law *law, const carom_impact *impact, bool *own,
                               carom_error *error)
{
    const bool any = impact->flags & CAROM_IMPACT_ANY_RESTITUTION;
    carom_status status = carom_law_check("the law", law, any, error);
    *own = false;
    return status ? status : carom_law_check_own(impact->p, impact->contacts, any, own, error);
}

/* How far from its law an outcome may be: where contacts penetrate and the law promises that they
 * do not, no more than the verdict forgives. */
static carom_status find_tolerance(const carom_law *law, const carom_geometry *g,
                                   carom_arena *arena, double *most, carom_error *error)
{
    carom_promise made = {0};
    *most = RESIDUAL;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = law->ops->promise(law, g, arena, &made, error);
    carom_arena_rewind(arena, mark);
    if (!status && made.kinematic)
        *most = CAROM_VERDICT_TOLERANCE;
    return status;
}

/* The joint row that u+ violates most, in units of its terms and those before; sums in which these
 * vanish carry dust of the fastest terms. */
static double joint_off(const carom_geometry *g, const carom_outcome *o)
{
    const int n = g->impact->n;
    double worst = 0;
    for (int j = 0; j < g->c; j++) {
        const double *row = g->C + (size_t)j * (size_t)n;
        double off = g->c_hat[j], size = fabs(off);
        for (int k = 0; k < n; k++) {
            off += row[k] * o->u[k];
            size += fabs(row[k]) * (fabs(o->u[k]) + fabs(g->u[k]));
        }
        if (fabs(off) > RESIDUAL * size)
            size += DULL * carom_predicate_reach(g, row, carom_predicate_fastest(g, o->u));
        if (fabs(off) > worst * size)
            worst = fabs(off) / size;
    }
    return worst;
}

/* Numbers, momentum, joints and the law itself, from the outcome alone. The reason why it cannot
 * stand, or NULL. */
static carom_status find_fault(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                               const carom_outcome *o, char text[120], const char **fault,
                               carom_error *error)
{
    const carom_impact *impact = g->impact;
    carom_status status = CAROM_OK;
    double residual = 0, most = RESIDUAL;
    *fault = NULL;
    if (!isfinite(o->energy) || /* of u, so that it is finite, too */
        !carom_finite_all((size_t)impact->p, o->impulse) ||
        (g->s && !carom_finite_all((size_t)g->s, o->tangential_impulse)) ||
        !carom_finite_all((size_t)g->spread_start[impact->p], o->spread_impulse)) {
        *fault = "numbers overflow";
        return CAROM_OK;
    }
    if (o->impulse_exists && o->verdict.misfit > 1) {
        snprintf(text, 120, "the impulses explain the velocity to %.2g of the speed only",
                 o->verdict.momentum_error);
        *fault = text;
        return CAROM_OK;
    }
    const double broken = joint_off(g, o);
    if (broken > RESIDUAL) {
        snprintf(text, 120, "the joints are violated by %.2g of the speeds that they compare",
                 broken);
        *fault = text;
        return CAROM_OK;
    }
    if (law && law->ops->residual)
        status = law->ops->residual(law, g, o, arena, &residual, error);
    if (!status && !o->verdict.kinematic && residual > CAROM_VERDICT_TOLERANCE && law->ops->promise)
        status = find_tolerance(law, g, arena, &most, error);
    if (!status && !(residual <= most)) {
        snprintf(text, 120, "the law is satisfied to %.2g only", residual);
        *fault = text;
    }
    return status;
}

/* The first alternative in place of the outcome shown; what was said of all of them stays. */
static void promote(carom_outcome *made)
{
    const carom_outcome *next = made->alternatives;
    const carom_answer answer = made->answer;
    const int others = made->alternative_count - 1, details = made->detail_count;
    memcpy(made, next, offsetof(carom_outcome, details));
    made->answer = answer;
    made->alternatives = (carom_outcome *)next + 1;
    made->alternative_count = others;
    made->detail_count = details;
}

/* No law says "ok" against its own impulses. Of several outcomes those that cannot stand are left
 * out; `law` is NULL where contacts have laws of their own. */
static carom_status verify(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                           carom_outcome *made, carom_error *error)
{
    char text[120];
    const char *fault;
    int kept = 0, count = made->alternative_count;
    if (made->answer != CAROM_ANSWER_OK && made->answer != CAROM_ANSWER_SEVERAL)
        return CAROM_OK;
    carom_status status = find_fault(law, g, arena, made, text, &fault, error);
    while (!status && fault && made->alternative_count > 0) {
        promote(made);
        status = find_fault(law, g, arena, made, text, &fault, error);
    }
    const int shown = made->alternative_count;
    if (!status && fault) {
        made->answer = CAROM_ANSWER_FAILED;
        carom_outcome_add(made, fault);
    }
    for (int k = 0; k < shown && !status; k++) {
        status = find_fault(law, g, arena, &made->alternatives[k], text, &fault, error);
        if (!fault && kept++ != k)
            carom_outcome_copy(&made->alternatives[k], &made->alternatives[kept - 1]);
    }
    made->alternative_count = kept;
    if (kept < count)
        carom_outcome_say(made, "%d further candidate%s did not satisfy the law", count - kept,
                          count - kept == 1 ? "" : "s");
    if (kept == 0 && count > 0 && made->answer == CAROM_ANSWER_SEVERAL &&
        detail_of(made, "continuum", 0) == 0)
        made->answer = CAROM_ANSWER_OK;
    return status;
}

/* A computation that broke down is an answer, not an error of the caller. */
static carom_status forgive(const carom_geometry *g, carom_arena *arena, carom_status status,
                            carom_outcome *made, carom_error *error)
{
    char text[200];
    if (status != CAROM_ERROR_NUMERIC)
        return status;
    snprintf(text, sizeof text, "%.190s", error ? error->text : "numerical failure");
    status = carom_outcome_create(g, arena, made, error);
    if (!status) {
        made->answer = CAROM_ANSWER_FAILED;
        carom_outcome_add(made, text);
    }
    return status;
}

carom_status carom_law_apply(const carom_law *law, const carom_geometry *geometry,
                             carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    CAROM_NEED(error, law, geometry, geometry->impact, arena, outcome);
    const carom_geometry *g = geometry;
    carom_outcome made;
    bool own;
    carom_status status = check_laws(law, g->impact, &own, error);
    bool mixed = !status && own && carom_mixed_needed(law, g);
    if (!status)
        status = carom_outcome_create(g, arena, &made, error);
    if (!status) {
        status = mixed ? carom_mixed_apply(law, g, arena, &made, error)
                       : law->ops->apply(law, g, arena, &made, error);
        if (status)
            status = forgive(g, arena, status, &made, error);
    }
    if (status)
        return status;
    status = carom_outcome_complete(g, arena, &made, error);
    for (int k = 0; k < made.alternative_count && !status; k++)
        status = carom_outcome_complete(g, arena, &made.alternatives[k], error);
    if (!status)
        status = verify(mixed ? NULL : law, g, arena, &made, error);
    if (status)
        return status;
    if (made.answer != CAROM_ANSWER_INAPPLICABLE)
        remark(law, g, mixed, &made);
    carom_outcome_copy(&made, outcome);
    return CAROM_OK;
}
