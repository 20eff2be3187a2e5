/* Contacts with laws of their own: components of the Delassus matrix are impacts by themselves and
 * add up; within a component newton, inelastic and coulomb are one complementarity problem. */
#include "law/mixed.h"

#include "carom/tolerance.h"
#include "law/law_coulomb.h"
#include "law/laws.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COMBINATIONS = 256 }; /* most outcomes that are kept */

static const carom_law *law_of(const carom_law *law, const carom_geometry *g, int i)
{
    const carom_law *own = g->impact->contacts ? g->impact->contacts[i].law : NULL;
    return own ? own : law;
}

static bool same_value(const carom_value *a, const carom_value *b)
{
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind)
        return false;
    if (a->kind == CAROM_PARAMETER_NUMBER)
        return a->number == b->number;
    if (a->kind == CAROM_PARAMETER_CHOICE)
        return strcmp(a->text, b->text) == 0;
    if (a->rows != b->rows || a->columns != b->columns || !a->numbers || !b->numbers)
        return a->numbers == b->numbers && a->words == b->words;
    return memcmp(a->numbers, b->numbers,
                  sizeof *a->numbers * (size_t)a->rows * (size_t)a->columns) == 0;
}

static bool same_law(const carom_law *a, const carom_law *b)
{
    if (a == b)
        return true;
    if (a->ops != b->ops || a->value_count != b->value_count)
        return false;
    for (int k = 0; k < a->value_count; k++)
        if (!same_value(&a->values[k], &b->values[k]))
            return false;
    return true;
}

bool carom_mixed_needed(const carom_law *law, const carom_geometry *geometry)
{
    const carom_contact *contacts = geometry->impact->contacts;
    for (int i = 0; i < geometry->impact->p && contacts; i++)
        if (contacts[i].law && !same_law(law, contacts[i].law))
            return true;
    return false;
}

/* The part of the impact that concerns some contacts, with its geometry. */
typedef struct part {
    int count;
    const int *which; /* contacts of the whole */
    carom_impact impact;
    carom_geometry geometry;
    carom_outcome outcome;
} part;

static const double *pick(carom_arena *arena, const double *x, int rows, int count,
                          const int *columns)
{
    if (!x)
        return NULL;
    double *copy = carom_arena_doubles(arena, (size_t)rows * (size_t)count);
    for (int k = 0; copy && k < count; k++)
        carom_dense_copy(rows, x + (size_t)columns[k] * rows, copy + (size_t)k * rows);
    return copy;
}

/* Columns that the contacts own in H or spread. */
static int own_columns(const part *s, const int *start, int *columns)
{
    int count = 0;
    for (int k = 0; k < s->count; k++)
        for (int c = start[s->which[k]]; c < start[s->which[k] + 1]; c++)
            columns[count++] = c;
    return count;
}

static carom_status part_make(const carom_geometry *g, carom_arena *arena, part *s,
                              carom_error *error)
{
    const carom_impact *im = g->impact;
    int n = im->n;
    s->impact = *im;
    s->impact.p = s->count;
    s->impact.u = g->u; /* joints already closed */
    carom_contact *contacts = carom_arena_array(arena, (size_t)s->count, sizeof *contacts);
    int *columns =
        carom_arena_array(arena, (size_t)g->s + (size_t)g->spread_start[im->p], sizeof *columns);
    if (!contacts || !columns)
        return carom_error_memory(error);
    for (int k = 0; k < s->count; k++) {
        contacts[k] = im->contacts[s->which[k]];
        contacts[k].law = NULL;
    }
    s->impact.contacts = contacts;
    s->impact.W = pick(arena, im->W, n, s->count, s->which);
    s->impact.w_hat = pick(arena, im->w_hat, 1, s->count, s->which);
    int slips = own_columns(s, g->slip_start, columns);
    s->impact.H = slips ? pick(arena, im->H, n, slips, columns) : NULL;
    s->impact.slip_motion = slips ? pick(arena, im->slip_motion, 1, slips, columns) : NULL;
    bool failed = !s->impact.W || (im->w_hat && !s->impact.w_hat) || (slips && !s->impact.H) ||
                  (slips && im->slip_motion && !s->impact.slip_motion);
    int spreads = own_columns(s, g->spread_start, columns);
    s->impact.spread = spreads ? pick(arena, im->spread, n, spreads, columns) : NULL;
    if (failed || (spreads && !s->impact.spread))
        return carom_error_memory(error);
    carom_status status = carom_impact_derive(&s->impact, arena, &s->geometry, error);
    return status ? status : carom_outcome_create(&s->geometry, arena, &s->outcome, error);
}

static bool mixes(const carom_law *law)
{
    return law->ops->step && law->ops->mixes && law->ops->mixes(law);
}

/* newton, inelastic and coulomb in one complementarity problem. */
static carom_status apply_common(const carom_law *law, const carom_geometry *g, part *s,
                                 carom_arena *arena, carom_error *error)
{
    int p = s->count;
    double *data = carom_arena_zeros(arena, 4 * (size_t)p, sizeof *data);
    if (!data)
        return carom_error_memory(error);
    double *target = data, *mu_s = data + p, *mu_d = data + 2 * p, *e_t = data + 3 * p;
    for (int k = 0; k < p; k++) {
        const carom_contact *c = &s->impact.contacts[k];
        const carom_law *own = law_of(law, g, s->which[k]);
        carom_law_step say = {0};
        own->ops->step(own, c, &say);
        bool rough = say.rough && c->slip_count;
        target[k] = say.restitution * s->geometry.gamma[k];
        mu_s[k] = rough ? c->friction_static : 0;
        mu_d[k] = rough ? c->friction_dynamic : 0;
        e_t[k] = say.tangential;
    }
    const char *reason = carom_law_needs_plain_contacts(&s->geometry);
    if (reason)
        return carom_law_refuse(&s->outcome, "%s", reason);
    carom_coulomb_data statement = {target, mu_s, mu_d, e_t, false};
    return carom_law_coulomb_solve(&s->geometry, &statement, arena, &s->outcome, error);
}

/* Names of two coupled contacts whose laws do not go together. */
static carom_status refuse_pair(const carom_law *law, const carom_geometry *g,
                                const carom_coulomb *f, const part *s, carom_outcome *outcome)
{
    for (int k = 0; k < s->count; k++)
        for (int l = 0; l < s->count; l++) {
            int i = s->which[k], j = s->which[l];
            const carom_law *a = law_of(law, g, i), *b = law_of(law, g, j);
            double coupling = 0;
            for (int r = f->row[i]; r < f->row[i + 1]; r++)
                for (int c = f->row[j]; c < f->row[j + 1]; c++)
                    coupling = fmax(coupling, fabs(f->A[r + (size_t)c * f->N]));
            if (same_law(a, b) || mixes(a) || coupling <= CAROM_TOLERANCE_SUM)
                continue;
            char first[16], second[16];
            return carom_law_refuse(
                outcome,
                "contacts %s (%s) and %s (%s) are coupled through the Delassus matrix (relative "
                "coupling %.3g): only newton, inelastic and coulomb (complementarity) mix there",
                carom_contact_name(g->impact->contacts, i, first), a->ops->name,
                carom_contact_name(g->impact->contacts, j, second), b->ops->name, coupling);
        }
    return carom_law_refuse(outcome, "laws of coupled contacts do not mix");
}

static carom_status apply_part(const carom_law *law, const carom_geometry *g,
                               const carom_coulomb *f, part *s, carom_arena *arena,
                               carom_error *error)
{
    const carom_law *first = law_of(law, g, s->which[0]);
    bool same = true, common = mixes(first);
    for (int k = 1; k < s->count; k++) {
        const carom_law *own = law_of(law, g, s->which[k]);
        same = same && same_law(first, own);
        common = common && mixes(own);
    }
    if (same)
        return first->ops->apply(first, &s->geometry, arena, &s->outcome, error);
    if (common)
        return apply_common(law, g, s, arena, error);
    return refuse_pair(law, g, f, s, &s->outcome);
}

/* Which contacts act on each other, slips included where their law uses them. */
static carom_status coupling(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                             carom_coulomb *f, carom_error *error)
{
    int p = g->impact->p;
    double *data = carom_arena_zeros(arena, 2 * (size_t)p, sizeof *data);
    if (!data)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++)
        data[p + i] = law_of(law, g, i)->ops->frictional;
    carom_coulomb_data all = {data, data + p, data + p, data, false};
    return carom_coulomb_state(g, &all, arena, f, error);
}

/* Add what the outcome (or an alternative) of a part says to the whole. */
static void add_part(const carom_geometry *g, const part *s, const carom_outcome *from,
                     carom_outcome *to)
{
    for (int i = 0; i < g->impact->n; i++)
        to->u[i] += from->u[i] - s->geometry.u[i];
    for (int k = 0; k < s->count; k++) {
        int i = s->which[k], r = g->slip_start[i], t = s->geometry.slip_start[k];
        to->impulse[i] = from->impulse[k];
        to->mode[i] = from->mode[k];
        for (int j = 0; j < g->slip_start[i + 1] - r; j++)
            to->tangential_impulse[r + j] = from->tangential_impulse[t + j];
    }
    to->impulse_unique = to->impulse_unique && from->impulse_unique;
}

static const carom_outcome *choice(const part *s, int k)
{
    return k == 0 ? &s->outcome : &s->outcome.alternatives[k - 1];
}

/* The worst answer of the parts is the answer of the whole; messages name the contacts. */
static void gather(const carom_geometry *g, part *parts, int count, carom_outcome *outcome)
{
    static const int rank[] = {0, 3, 1, 4, 2}; /* ok, none, several, inapplicable, failed */
    for (int c = 0; c < count; c++) {
        const part *s = &parts[c];
        if (rank[s->outcome.answer] > rank[outcome->answer])
            outcome->answer = s->outcome.answer;
        char text[16];
        if (s->outcome.message[0])
            carom_outcome_say(outcome, "contact %s%s: %s",
                              carom_contact_name(g->impact->contacts, s->which[0], text),
                              s->count > 1 ? " and those coupled with it" : "", s->outcome.message);
        for (int k = 0; k < s->outcome.detail_count && outcome->detail_count < CAROM_DETAILS; k++)
            outcome->details[outcome->detail_count++] = s->outcome.details[k];
    }
}

static carom_status combine(const carom_geometry *g, const part *parts, int count, int *digit,
                            carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    double total = 1;
    for (int c = 0; c < count; c++)
        total *= 1 + parts[c].outcome.alternative_count;
    int kept = total > COMBINATIONS ? COMBINATIONS : (int)total;
    if (kept > 1) {
        outcome->alternatives = carom_arena_zeros(arena, (size_t)kept - 1, sizeof *outcome);
        if (!outcome->alternatives)
            return carom_error_memory(error);
    }
    for (int k = 0; k < kept; k++) {
        carom_outcome *to = k == 0 ? outcome : &outcome->alternatives[k - 1];
        carom_status status = k == 0 ? CAROM_OK : carom_outcome_create(g, arena, to, error);
        if (status)
            return status;
        for (int c = 0; c < count; c++)
            add_part(g, &parts[c], choice(&parts[c], digit[c]), to);
        for (int c = 0; c < count && ++digit[c] > parts[c].outcome.alternative_count; c++)
            digit[c] = 0;
    }
    outcome->alternative_count = kept - 1;
    return CAROM_OK;
}

carom_status carom_mixed_apply(const carom_law *law, const carom_geometry *geometry,
                               carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    const carom_geometry *g = geometry;
    int p = g->impact->p;
    if (g->impact->region)
        return carom_law_refuse(outcome, "contacts of a region (union of cones) share one law; "
                                         "here they have laws of their own");
    carom_coulomb f;
    carom_status status = coupling(law, g, arena, &f, error);
    int *group = carom_arena_array(arena, (size_t)p, sizeof *group);
    int *which = carom_arena_array(arena, (size_t)p, sizeof *which);
    int *digit = carom_arena_zeros(arena, (size_t)p, sizeof *digit);
    if (status || !group || !which || !digit)
        return status ? status : carom_error_memory(error);
    int count = carom_coulomb_components(&f, group);
    part *parts = carom_arena_zeros(arena, (size_t)count, sizeof *parts);
    if (!parts)
        return carom_error_memory(error);
    for (int c = 0, used = 0; c < count && !status; used += parts[c].count, c++) {
        for (int i = 0; i < p; i++)
            if (group[i] == c)
                which[used + parts[c].count++] = i;
        parts[c].which = which + used;
        status = part_make(g, arena, &parts[c], error);
        if (!status)
            status = apply_part(law, g, &f, &parts[c], arena, error);
    }
    if (status)
        return status;
    gather(g, parts, count, outcome);
    if (outcome->answer != CAROM_ANSWER_OK && outcome->answer != CAROM_ANSWER_SEVERAL)
        return CAROM_OK;
    return combine(g, parts, count, digit, arena, outcome, error);
}
