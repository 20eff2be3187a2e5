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

/* So it does when what all that is hit could give back is less than this part of what the impacts
 * of the step have taken: a heap that falls together does not wait for its last tremble. */
static const double worth_an_impact = 0.001;

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

/* The rate of a gap at velocities v; *sides, if not NULL: what each tree adds, without signs. */
static double rate_at(const carom_bodies_stepping *s, const int tree[2],
                      const double *const rows[2], const double *v, double *sides)
{
    const carom_forest *f = &s->b->forest;
    double sum = 0, all = 0;
    for (int side = 0; side < 2; side++) {
        if (tree[side] < 0)
            continue;
        const int *u = f->tree_u + f->tree_start[tree[side]];
        double own = 0;
        for (int i = 0; i < s->dof[tree[side]]; i++)
            own += rows[side][i] * v[u[i]];
        sum += own;
        all += fabs(own);
    }
    if (sides)
        *sides = all;
    return sum;
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

/* The energy that a rebound from the rate gamma would leave: e^2 gamma^2 / (2 w'M^-1 w). */
static double energy_back(const carom_bodies_stepping *s, const carom_contact *c, const int tree[2],
                          const double *const rows[2], double rate)
{
    const carom_law_step say = say_of(s, c);
    double yields = 0;
    for (int side = 0; side < 2; side++)
        if (tree[side] >= 0)
            yields += carom_bodies_step_yield(s, tree[side], rows[side]);
    const double e = fmax(fabs(say.restitution), fabs(say.tangential));
    return yields > 0 ? e * e * rate * rate / (2 * yields) : 0;
}

static void strike_trees(carom_bodies_stepping *s, const int tree[2])
{
    for (int side = 0; side < 2; side++)
        if (tree[side] >= 0)
            s->struck[tree[side]] = true;
}

static double find_hits_found(carom_bodies_stepping *s)
{
    double back = 0;
    for (int k = 0; k < s->found.count; k++) {
        const carom_bodies_contact *c = &s->found.contact[k];
        double sides;
        const double push = rate_at(s, c->tree, c->rows, s->pushed, &sides) +
                            rate_at(s, c->tree, c->rows, s->lasting, NULL),
                     rate = rate_at(s, c->tree, c->rows, s->v, NULL) + c->rate[0];
        s->hit[k] = is_hit(s, &c->properties, c->touch.gap, rate, push, sides, s->count[k]);
        if (!s->hit[k])
            continue;
        back += energy_back(s, &c->properties, c->tree, c->rows, rate);
        s->count[k] += s->count[k] < MOST_IMPACTS;
        strike_trees(s, c->tree);
    }
    return back;
}

/* The row of a stop by tree: `rows` point into `room`, which has n numbers for each side; `dense`
 * is zero before and after. */
static void take_stop(const carom_bodies_stepping *s, int i, double *dense, double *room,
                      int tree[2], const double *rows[2])
{
    const carom_forest *f = &s->b->forest;
    carom_stop_trees(s->b, i, tree);
    carom_stop_row(s->b, i, dense);
    for (int side = 0; side < 2; side++) {
        rows[side] = room + side * s->n;
        for (int k = 0; tree[side] >= 0 && k < s->dof[tree[side]]; k++) {
            const int u = f->tree_u[f->tree_start[tree[side]] + k];
            room[side * s->n + k] = dense[u];
            dense[u] = 0;
        }
    }
}

static double find_hits_stops(carom_bodies_stepping *s)
{
    double back = 0, *dense = s->room, *own = s->room + s->n;
    if (s->b->drives && s->stops > 0)
        carom_forest_velocity(&s->b->forest, s->b->zeros, &s->b->work);
    for (int i = 0; i < s->stops; i++) {
        const carom_contact *c = &s->record->shape->contacts[i];
        int tree[2];
        const double *rows[2];
        double sides;
        take_stop(s, i, dense, own, tree, rows);
        const double push = rate_at(s, tree, rows, s->pushed, &sides) +
                            rate_at(s, tree, rows, s->lasting, NULL),
                     rate = rate_at(s, tree, rows, s->v, NULL) +
                            (s->b->drives ? carom_stop_motion(s->b, i) : 0);
        s->stop_hit[i] =
            is_hit(s, c, carom_stop_gap(s->b, i, s->q), rate, push, sides, s->stop_count[i]);
        if (!s->stop_hit[i])
            continue;
        back += energy_back(s, c, tree, rows, rate);
        s->stop_count[i] += s->stop_count[i] < MOST_IMPACTS;
        strike_trees(s, tree);
    }
    return back;
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
    const double taken = s->record->result->ledger.impacts;
    for (int i = 0; i < s->n; i++)
        s->pushed[i] = s->free[i] - s->v[i];
    memset(s->stop_count, 0, (size_t)s->stops);
    s->impact = true;
    for (int round = 0; round < MOST_IMPACTS && status == CAROM_OK; round++) {
        memset(s->struck, 0, (size_t)s->trees * sizeof *s->struck);
        const double back = find_hits_found(s) + find_hits_stops(s);
        if (!(back > worth_an_impact * fmax(taken - s->record->result->ledger.impacts, 0)))
            break;
        if (!*any)
            masses_here(s);
        *any = true;
        status = impact(s, error);
    }
    s->impact = false;
    return status;
}
