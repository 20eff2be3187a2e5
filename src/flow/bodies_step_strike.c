/* Impacts of a step of bodies, at its beginning, before its forces act (docs/theory/bodies.md,
 * "Impacts in a step").
 *
 * A contact that rebounds is hit when it closes within the step faster than the forces of the step
 * close it. All that are hit at once, and what touches around them, are one impact; what that
 * throws at others are the next ones. */
#include "flow/bodies_step.h"

#include "bodies/stops.h"

#include <math.h>
#include <string.h>

/* An impact that was followed by this many in its step is followed by none: what is still closing
 * comes to rest against what it meets. */
enum { MOST_IMPACTS = 100 };

/* How a law lets a contact rebound: the normal and the tangential coefficient. */
static carom_law_step say_of(const carom_bodies_stepping *s, const carom_contact *c)
{
    const carom_law *law = c->law ? c->law : s->law;
    carom_law_step say = {0};
    if (law->ops->step)
        law->ops->step(law, c, &say);
    if (!say.rough || c->slip_count == 0)
        say.tangential = 0;
    return say;
}

/* Is a contact hit? `sides`: what the forces of the step give the two sides along its normal,
 * `push` what they add to its rate. A contact that has been hit `count` times in this step rebounds
 * again if half of its speed would still be there after as many rebounds. */
static bool is_hit(const carom_bodies_stepping *s, const carom_contact *c, double gap, double rate,
                   double push, double sides, int count)
{
    if (!(rate < 0) || gap + s->h * (rate + push / 2) > 0)
        return false;
    const carom_law_step say = say_of(s, c);
    if (!(say.restitution > 0) && say.tangential == 0)
        return false;
    if (count > 0 && !(pow(say.restitution, count) >= 0.5))
        return false;
    return -rate > fmax(sides, s->options->rest * s->speed);
}

static void strike_trees(carom_bodies_stepping *s, const int tree[2])
{
    for (int side = 0; side < 2; side++)
        if (tree[side] >= 0)
            s->struck[tree[side]] = true;
}

static bool find_hits_found(carom_bodies_stepping *s)
{
    bool any = false;
    for (int k = 0; k < s->found.count; k++) {
        const carom_bodies_contact *c = &s->found.contact[k];
        double sides;
        const double push = carom_bodies_step_gap_rate(s, c, s->pushed, &sides),
                     rate = carom_bodies_step_gap_rate(s, c, s->v, NULL) + c->rate[0];
        s->hit[k] = is_hit(s, &c->properties, c->touch.gap, rate, push, sides, s->count[k]);
        if (!s->hit[k])
            continue;
        any = true;
        s->count[k] += s->count[k] < MOST_IMPACTS;
        strike_trees(s, c->tree);
    }
    return any;
}

/* Row times u over all velocities, and the row is zero again. */
static double take_rate(const carom_bodies_stepping *s, double *row, const double *u, double *sides)
{
    double sum = 0;
    *sides = 0;
    for (int i = 0; i < s->n; i++) {
        sum += row[i] * u[i];
        *sides += fabs(row[i] * u[i]);
    }
    return sum;
}

static bool find_hits_stops(carom_bodies_stepping *s, double *row)
{
    bool any = false;
    if (s->b->drives && s->stops > 0)
        carom_forest_velocity(&s->b->forest, s->b->zeros, &s->b->work);
    for (int i = 0; i < s->stops; i++) {
        int tree[2];
        double sides, all;
        carom_stop_row(s->b, i, row);
        const double push = take_rate(s, row, s->pushed, &sides),
                     rate = take_rate(s, row, s->v, &all) +
                            (s->b->drives ? carom_stop_motion(s->b, i) : 0);
        memset(row, 0, (size_t)s->n * sizeof *row);
        s->stop_hit[i] = is_hit(s, &s->record->shape->contacts[i], carom_stop_gap(s->b, i, s->q),
                                rate, push, sides, s->stop_count[i]);
        if (!s->stop_hit[i])
            continue;
        any = true;
        s->stop_count[i] += s->stop_count[i] < MOST_IMPACTS;
        carom_stop_trees(s->b, i, tree);
        strike_trees(s, tree);
    }
    return any;
}

/* Masses where the impacts are: at the places of the beginning. */
static void masses_here(carom_bodies_stepping *s)
{
    for (int t = 0; t < s->trees && !s->constant; t++)
        carom_forest_mass(&s->b->forest, t, &s->b->work, s->M + s->M_start[t]);
}

/* One impact: velocities v before and `next` after, which then are v. */
static carom_status impact(carom_bodies_stepping *s, carom_error *error)
{
    bool any;
    carom_bodies_step_activate(s);
    memcpy(s->next, s->v, (size_t)s->n * sizeof *s->next);
    carom_status status = carom_bodies_step_state(s, &any, error);
    if (status == CAROM_OK)
        status = carom_bodies_step_solve(s, error);
    if (status == CAROM_OK)
        status = carom_bodies_step_book_impact(s, error);
    for (int t = 0; t < s->trees; t++) /* what was hit is awake */
        s->still[t] = s->still[t] && !s->awake[s->island[t]];
    double *v = s->v;
    s->v = s->next;
    s->next = v;
    return status;
}

carom_status carom_bodies_step_strike(carom_bodies_stepping *s, bool *any, carom_error *error)
{
    carom_status status = CAROM_OK;
    double *row = carom_arena_zeros(s->scratch, (size_t)s->n, sizeof *row);
    if (!row)
        return carom_error_memory(error);
    for (int i = 0; i < s->n; i++)
        s->pushed[i] = s->free[i] - s->v[i];
    memset(s->stop_count, 0, (size_t)s->stops);
    s->impact = true;
    for (int round = 0; round < MOST_IMPACTS && status == CAROM_OK; round++) {
        memset(s->struck, 0, (size_t)s->trees * sizeof *s->struck);
        const bool found = find_hits_found(s), stops = find_hits_stops(s, row);
        if (!found && !stops)
            break;
        if (!*any)
            masses_here(s);
        *any = true;
        status = impact(s, error);
    }
    s->impact = false;
    return status;
}
