/* Makes the statement of one impact from an evaluated state and puts it to the law. */
#include "flow/collide.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parts.h"
#include "linalg/dense.h"

carom_status carom_collide_create(const carom_law *law, const carom_system_shape *shape,
                                  carom_arena *arena, carom_arena *scratch, carom_collide *collide,
                                  carom_error *error)
{
    const size_t n = (size_t)shape->n, p = (size_t)shape->p, s = (size_t)shape->s;
    memset(collide, 0, sizeof *collide);
    collide->law = law;
    collide->scratch = scratch;
    const size_t number = sizeof(double);
    const carom_arena_part parts[] = {
        {&collide->contacts, p, sizeof *collide->contacts},
        {&collide->group, n, sizeof *collide->group},
        {&collide->properties, p, sizeof *collide->properties},
        {&collide->struck, n, sizeof *collide->struck},
        {&collide->before, n, number},
        {&collide->impulse, p, number},
        {&collide->loss, p, number},
        {&collide->w_hat, p, number},
        {&collide->tangent, s, number},
        {&collide->slip_motion, s, number},
        {&collide->W, n * p, number},
        {&collide->H, n * s, number},
        {&collide->spread, n * (size_t)shape->spread, number},
    };
    return carom_arena_parts(arena, parts, sizeof parts / sizeof *parts, error);
}

/* One contact without joints, with a law for which that is the closed form of a single contact:
 * u+ = u- - (1 + e) gamma M^-1 w / (w'M^-1 w). Saves the general route in long sequences. */
static bool single(carom_collide *c, carom_motion *motion, const carom_law *law)
{
    const carom_system_shape *shape = motion->shape;
    if (c->count != 1 || shape->m + shape->a > 0 || !law->ops->single)
        return false;
    const int n = shape->n, i = c->contacts[0];
    const double *w = motion->state.W + (size_t)i * n;
    const double e = law->ops->single(law, &shape->contacts[i]);
    if (isnan(e) || shape->contacts[i].spread_count > 0) /* in its apex a cone has many normals */
        return false;
    double *y = motion->Y, *u = motion->state.u;
    memcpy(y, w, sizeof(double) * (size_t)n);
    carom_motion_inverse_mass(motion, y);
    double rate = carom_dense_dot(n, w, u), gamma = rate + motion->state.w_hat[i];
    double impulse = -(1 + e) * gamma / carom_dense_dot(n, w, y);
    if (!(impulse > 0) || !isfinite(impulse))
        return false;
    for (int k = 0; k < n; k++)
        u[k] += impulse * y[k];
    c->impulse[0] = impulse;
    memset(c->tangent, 0,
           sizeof(double) * (size_t)(shape->slip_start[i + 1] - shape->slip_start[i]));
    c->loss[0] = 0.5 * impulse * (rate + carom_dense_dot(n, w, u));
    c->change = c->loss[0];
    c->gain = 0.5 * impulse * (1 - e) * gamma;
    c->name = law->ops->name;
    return true;
}

/* The statement of the impact: columns of the touching contacts side by side. */
static carom_impact state_impact(carom_collide *c, const carom_motion *motion, unsigned flags)
{
    const carom_system_shape *shape = motion->shape;
    const carom_state *state = &motion->state;
    const size_t n = (size_t)shape->n;
    int s = 0, spread = 0;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contacts[k];
        memcpy(c->W + (size_t)k * n, state->W + (size_t)i * n, sizeof(double) * n);
        c->w_hat[k] = state->w_hat[i];
        c->properties[k] = shape->contacts[i];
        if (c->calm) {
            c->properties[k].restitution = c->properties[k].tangential_restitution = 0;
            c->properties[k].law = NULL;
        }
        if (shape->spread > 0 && !(c->apex && c->apex[i])) /* a flank is an ordinary contact */
            c->properties[k].spread_count = 0;
        for (int j = 0; j < c->properties[k].spread_count && state->apex[i] > 0; j++) {
            const int column = shape->spread_start[i] + j; /* of the axis, not of the flank */
            const double part = state->spread_value[column] / state->apex[i];
            for (size_t l = 0; l < n; l++)
                c->W[l + (size_t)k * n] += part * state->spread[l + (size_t)column * n];
        }
        memcpy(c->spread + (size_t)spread * n, state->spread + (size_t)shape->spread_start[i] * n,
               sizeof(double) * n * (size_t)c->properties[k].spread_count);
        spread += c->properties[k].spread_count;
        for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++, s++) {
            memcpy(c->H + (size_t)s * n, state->H + (size_t)j * n, sizeof(double) * n);
            c->slip_motion[s] = state->slip_motion[j];
        }
    }
    return (carom_impact){.flags = flags,
                          .n = shape->n,
                          .p = c->count,
                          .m = shape->m,
                          .a = shape->a,
                          .mass_is_diagonal = shape->mass_is_diagonal,
                          .M = state->M,
                          .u = state->u,
                          .W = c->W,
                          .w_hat = c->w_hat,
                          .contacts = c->properties,
                          .H = c->H,
                          .slip_motion = c->slip_motion,
                          .spread = c->spread,
                          .B = state->B,
                          .b_hat = state->b_hat,
                          .A = state->A,
                          .a_hat = state->a_hat,
                          .coordinates = shape->coordinates};
}

static bool in_group(const carom_region *r, int k, int contact)
{
    for (int j = r->group_start[k]; j < r->group_start[k + 1]; j++)
        if (r->group_contact[j] == contact)
            return true;
    return false;
}

/* Contacts taking part that are in group k and, `only`, not in group l. */
static int count_in(const carom_collide *c, const carom_region *r, int k, int l, bool only)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += in_group(r, k, c->contacts[i]) && !(only && in_group(r, l, c->contacts[i]));
    return count;
}

/* Does group k bind? Not where nothing of it takes part, and not where another one asks for less,
 * or for the same: a wall that is in all groups is one wall. */
static bool binds(const carom_collide *c, const carom_region *r, int k)
{
    if (!c->holds[k] || count_in(c, r, k, k, false) == 0)
        return false;
    for (int l = 0; l < r->group_count; l++)
        if (l != k && c->holds[l] && count_in(c, r, l, l, false) > 0 &&
            count_in(c, r, l, k, true) == 0 && (l < k || count_in(c, r, k, l, true) > 0))
            return false;
    return true;
}

/* Only contacts of groups that bind take part. */
static void keep_binding(carom_collide *c, const carom_region *r, unsigned char *bound)
{
    int kept = 0;
    for (int k = 0; k < r->group_count; k++)
        bound[k] = binds(c, r, k);
    for (int i = 0; i < c->count; i++) {
        bool binding = false;
        for (int k = 0; k < r->group_count; k++)
            binding = binding || (bound[k] && in_group(r, k, c->contacts[i]));
        if (binding)
            c->contacts[kept++] = c->contacts[i];
    }
    c->count = kept > 0 ? kept : c->count;
}

/* Which of the contacts taking part must hold together: the groups that bind, where they are
 * several. */
static carom_status state_region(carom_collide *c, const carom_motion *motion,
                                 const unsigned char *bound, const carom_region **made,
                                 carom_error *error)
{
    const carom_region *r = bound ? motion->shape->region : NULL;
    if (!r)
        return CAROM_OK;
    carom_region *region = carom_arena_array(c->scratch, 1, sizeof *region);
    int *start = carom_arena_array(c->scratch, (size_t)r->group_count + 1, sizeof *start);
    int *contact =
        carom_arena_array(c->scratch, (size_t)r->group_start[r->group_count], sizeof *contact);
    if (!region || !start || !contact)
        return carom_error_memory(error);
    int groups = 0, used = 0;
    start[0] = 0;
    for (int k = 0; k < r->group_count; k++) {
        for (int i = 0; bound[k] && i < c->count; i++)
            if (in_group(r, k, c->contacts[i]))
                contact[used++] = i;
        if (used > start[groups])
            start[++groups] = used;
    }
    *region = (carom_region){groups, start, contact};
    *made = groups > 1 ? region : NULL;
    return CAROM_OK;
}

/* What each contact took: impulse times mean velocity (Thomson and Tait). */
static void book(carom_collide *c, const carom_motion *motion, const carom_outcome *outcome)
{
    const int n = motion->shape->n;
    int s = 0;
    for (int k = 0; k < c->count; k++) {
        const double *w = c->W + (size_t)k * n;
        c->impulse[k] = outcome->impulse[k];
        c->loss[k] = 0.5 * c->impulse[k] *
                     (carom_dense_dot(n, w, c->before) + carom_dense_dot(n, w, outcome->u));
        for (int j = 0; j < c->properties[k].slip_count; j++, s++) {
            const double *h = c->H + (size_t)s * n;
            c->tangent[s] = outcome->tangential_impulse ? outcome->tangential_impulse[s] : 0;
            c->loss[k] += 0.5 * c->tangent[s] *
                          (carom_dense_dot(n, h, c->before) + carom_dense_dot(n, h, outcome->u));
        }
    }
}

/* The representative of the group of velocity k. */
static int find(int *group, int k)
{
    while (group[k] != k)
        k = group[k] = group[group[k]];
    return k;
}

/* The velocities in which row r differs from zero are one group; returns one of them, or -1. */
static int unite(int n, const double *r, int *group)
{
    int first = -1;
    for (int k = 0; k < n; k++) {
        if (r[k] == 0)
            continue;
        if (first < 0)
            first = find(group, k);
        else
            group[find(group, k)] = first;
    }
    return first;
}

/* Velocities coupled by the mass, by joints, and by the touching contacts with their slips. */
static void couple(carom_collide *c, const carom_motion *motion, const unsigned char *touching)
{
    const carom_system_shape *shape = motion->shape;
    const carom_state *x = &motion->state;
    const size_t n = (size_t)shape->n;
    for (int k = 0; k < shape->n; k++)
        c->group[k] = k;
    for (int k = 0; !shape->mass_is_diagonal && k < shape->n; k++)
        unite(shape->n, x->M + (size_t)k * n, c->group);
    for (int j = 0; j < shape->m; j++)
        unite(shape->n, x->B + (size_t)j * n, c->group);
    for (int j = 0; j < shape->a; j++)
        unite(shape->n, x->A + (size_t)j * n, c->group);
    for (int i = 0; i < shape->p; i++) {
        if (!touching[i])
            continue;
        const int root = unite(shape->n, x->W + (size_t)i * n, c->group);
        for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++) {
            const int other = unite(shape->n, x->H + (size_t)j * n, c->group);
            if (root >= 0 && other >= 0)
                c->group[find(c->group, other)] = find(c->group, root);
        }
    }
}

/* The group of contact i. */
static int group_of(carom_collide *c, const carom_motion *motion, int i)
{
    const int n = motion->shape->n;
    const double *w = motion->state.W + (size_t)i * n;
    for (int k = 0; k < n; k++)
        if (w[k] != 0)
            return find(c->group, k);
    return -1;
}

/* Who takes part: the touching contacts of every group in which one approaches. */
static void gather(carom_collide *c, const carom_motion *motion, const unsigned char *touching,
                   const double *slow)
{
    const int n = motion->shape->n, p = motion->shape->p;
    int all = 0;
    for (int i = 0; i < p; i++)
        if (touching[i] == CAROM_COLLIDE_TOUCHES || (touching[i] && c->calm) ||
            (touching[i] && carom_motion_gamma(motion, i) <= slow[i]))
            c->contacts[all++] = i;
    c->count = all;
    if (all < 2)
        return;
    couple(c, motion, touching);
    memset(c->struck, 0, (size_t)n);
    for (int k = 0; k < all; k++) {
        const int i = c->contacts[k], group = group_of(c, motion, i);
        if (group >= 0 && carom_motion_gamma(motion, i) < -slow[i])
            c->struck[group] = 1;
    }
    c->count = 0;
    for (int k = 0; k < all; k++) {
        const int group = group_of(c, motion, c->contacts[k]);
        if (group < 0 || c->struck[group])
            c->contacts[c->count++] = c->contacts[k];
    }
}

/* Several outcomes: the default was taken, the others are told. */
static carom_status tell_others(const carom_collide *c, const carom_motion *motion,
                                const carom_outcome *outcome, carom_record *record,
                                carom_error *error)
{
    const carom_system_shape *shape = motion->shape;
    char text[240] = "";
    size_t used = 0;
    for (int k = 0; k < outcome->alternative_count && k < 3; k++)
        for (int j = 0; j < shape->n && j < 4 && used + 48 < sizeof text; j++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.16s = %.6g",
                                     j   ? ", "
                                     : k ? "; or "
                                         : "",
                                     shape->velocities[j], outcome->alternatives[k].u[j]);
    return carom_record_warn(record, motion->state.t, error,
                             "impact at t = %.12g: law %s has several outcomes, its default was "
                             "taken; %s%s",
                             motion->state.t, c->name, *text ? "another is " : "", text);
}

/* What a law is when nothing rebounds: the projection on what the contacts allow, with friction
 * where the law knows it. */
static carom_law without_rebound(const carom_law *law)
{
    return (carom_law){.ops = carom_law_find(law->ops->frictional ? "coulomb" : "inelastic")};
}

carom_status carom_collide_apply(carom_collide *c, carom_motion *motion,
                                 const unsigned char *touching, const double *slow,
                                 carom_record *record, carom_error *error)
{
    const carom_system_shape *shape = motion->shape;
    const carom_region *region = c->holds ? shape->region : NULL;
    carom_mark mark = carom_arena_mark(c->scratch);
    unsigned char *bound =
        region ? carom_arena_array(c->scratch, (size_t)region->group_count, 1) : NULL;
    if (region && !bound)
        return carom_error_memory(error);
    gather(c, motion, touching, slow);
    if (region)
        keep_binding(c, region, bound);
    memcpy(c->before, motion->state.u, sizeof(double) * (size_t)shape->n);
    const carom_law *own = c->count == 1 ? shape->contacts[c->contacts[0]].law : NULL;
    const carom_law calm = without_rebound(c->law);
    const carom_law *law = c->calm ? &calm : own ? own : c->law;
    if (!c->calm && single(c, motion, law)) {
        carom_arena_rewind(c->scratch, mark);
        return CAROM_OK;
    }
    const bool any = record->options->any_restitution;
    carom_impact impact = state_impact(c, motion, any ? CAROM_IMPACT_ANY_RESTITUTION : 0);
    carom_geometry geometry;
    carom_outcome outcome;
    carom_status status = state_region(c, motion, bound, &impact.region, error);
    if (status == CAROM_OK)
        status = carom_impact_derive(&impact, c->scratch, &geometry, error);
    if (status == CAROM_OK)
        status = carom_law_apply(law, &geometry, c->scratch, &outcome, error);
    if (status == CAROM_OK) {
        c->name = law->ops->name;
        if (outcome.answer == CAROM_ANSWER_OK || outcome.answer == CAROM_ANSWER_SEVERAL) {
            book(c, motion, &outcome);
            c->change = outcome.energy_change;
            c->gain = outcome.verdict.energy_gain;
            memcpy(motion->state.u, outcome.u, sizeof(double) * (size_t)shape->n);
            if (outcome.answer == CAROM_ANSWER_SEVERAL)
                status = tell_others(c, motion, &outcome, record, error);
        } else {
            status = carom_record_stop(record, CAROM_FLOW_NO_OUTCOME,
                                       "impact at t = %.12g: law %s: %s: %s", motion->state.t,
                                       c->name, carom_answer_text(outcome.answer), outcome.message);
        }
    } else if (status == CAROM_ERROR_INPUT || status == CAROM_ERROR_ARGUMENT ||
               status == CAROM_ERROR_NUMERIC) {
        status = carom_record_stop(record, CAROM_FLOW_NO_OUTCOME, "impact at t = %.12g: %s",
                                   motion->state.t, error ? error->text : "refused");
    }
    carom_arena_rewind(c->scratch, mark);
    return status;
}
