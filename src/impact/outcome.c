/* The outcome of a law: its making, from impulses to velocities, what it has to say. */
#include <math.h>

#include "carom/impact.h"
#include "carom/need.h"
#include "impact/outcome.h"
#include "linalg/dense.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/short_loops.h"

const char *carom_answer_text(carom_answer answer)
{
    static const char *const texts[] = {"ok", "none", "several", "inapplicable", "failed"};
    return texts[answer];
}

/* Message and details are empty by their first byte and their count; what lies behind is not
 * touched, here and in carom_outcome_copy. */
carom_status carom_outcome_create(const carom_geometry *geometry, carom_arena *arena,
                                  carom_outcome *outcome, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, outcome);
    size_t n = (size_t)geometry->impact->n, p = (size_t)geometry->impact->p,
           s = (size_t)geometry->s, c = (size_t)geometry->c;
    size_t k = (size_t)geometry->spread_start[p], count = n + 2 * p + 2 * s + c + k;
    double *memory = carom_arena_take(arena, count * sizeof(double) + p * sizeof(carom_mode));
    if (!memory)
        return carom_error_memory(error);
    outcome->answer = CAROM_ANSWER_OK;
    outcome->u = memory;
    outcome->impulse = outcome->u + n;
    outcome->gamma = outcome->impulse + p;
    outcome->tangential_impulse = outcome->gamma + p;
    outcome->slip = outcome->tangential_impulse + s;
    outcome->joint_impulse = outcome->slip + s;
    outcome->spread_impulse = outcome->joint_impulse + c;
    outcome->mode = (carom_mode *)(memory + count);
    outcome->impulse_unique = outcome->impulse_exists = true;
    outcome->energy = outcome->energy_change = 0;
    outcome->verdict = (carom_verdict){0};
    outcome->alternative_count = outcome->detail_count = 0;
    outcome->alternatives = NULL;
    outcome->message[0] = '\0';
    for (size_t i = 0; i < n; i++)
        memory[i] = geometry->u[i];
    memset(memory + n, 0, (count - n) * sizeof *memory + p * sizeof *outcome->mode); /* open: 0 */
    return CAROM_OK;
}

void carom_outcome_copy(const carom_outcome *from, carom_outcome *to)
{
    memcpy(to, from, offsetof(carom_outcome, details));
    for (int k = 0; k < from->detail_count; k++)
        to->details[k] = from->details[k];
    to->message[0] = '\0';
    if (from->message[0])
        strcpy(to->message, from->message);
}

void carom_outcome_from_impulses(const carom_geometry *g, carom_outcome *outcome)
{
    CAROM_NEED_OR(, g, g->impact, outcome, outcome->u);
    int n = g->impact->n;
    double *u = outcome->u;
    bool local = g->impact->mass_is_diagonal && g->c == 0; /* y_i is zero where w_i is */
    for (int k = 0; k < n; k++)
        u[k] = g->u[k];
    for (int i = 0; i < g->impact->p; i++) {
        const double *y = g->Y + (size_t)i * n;
        double impulse = outcome->impulse[i];
        int first = local ? g->first[i] : 0, last = local ? g->last[i] : n;
        if (impulse != 0)
            for (int k = first; k < last; k++)
                u[k] += y[k] * impulse;
    }
    for (int j = 0; j < g->s; j++)
        if (outcome->tangential_impulse[j] != 0)
            carom_dense_axpy(n, outcome->tangential_impulse[j], g->Z + (size_t)j * n, u);
}

/* Where the next remark begins, behind "; " if it is not the first. */
static size_t separate(carom_outcome *outcome)
{
    size_t used = strlen(outcome->message);
    if (used && used + 2 < sizeof outcome->message) {
        memcpy(outcome->message + used, "; ", 3);
        used += 2;
    }
    return used;
}

void carom_outcome_add(carom_outcome *outcome, const char *text)
{
    size_t used = separate(outcome), length = strlen(text), room = sizeof outcome->message - used;
    if (length >= room)
        length = room - 1;
    memcpy(outcome->message + used, text, length);
    outcome->message[used + length] = '\0';
}

void carom_outcome_say(carom_outcome *outcome, const char *format, ...)
{
    CAROM_NEED_OR(, outcome, format);
    size_t used = separate(outcome);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->message + used, sizeof outcome->message - used, format, arguments);
    va_end(arguments);
}

void carom_outcome_detail(carom_outcome *outcome, const char *name, double value)
{
    CAROM_NEED_OR(, outcome, name);
    if (outcome->detail_count < CAROM_DETAILS)
        outcome->details[outcome->detail_count++] = (carom_detail){.name = name, .value = value};
}

void carom_outcome_detail_vector(carom_outcome *outcome, const char *name,
                                 const carom_geometry *geometry, const double *vector)
{
    CAROM_NEED_OR(, outcome, name, geometry, geometry->impact, vector);
    if (outcome->detail_count < CAROM_DETAILS)
        outcome->details[outcome->detail_count++] =
            (carom_detail){.name = name,
                           .value = sqrt(carom_geometry_dot(geometry, vector, vector)),
                           .vector = vector};
}
