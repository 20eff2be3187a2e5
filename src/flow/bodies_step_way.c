/* The way that positions go in a step of bodies: with the mean of the velocities before and after
 * it, or with the new ones where a contact stops them (docs/theory/bodies.md, "Steps"). */
#include "flow/bodies_step.h"

#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

/* Mark the trees of a row; true: one was not marked yet. */
static bool mark_closing(carom_bodies_stepping *s, const carom_bodies_row *r)
{
    bool more = false;
    for (int side = 0; side < 2; side++)
        if (r->tree[side] >= 0 && !s->closing[r->tree[side]]) {
            s->closing[r->tree[side]] = 1;
            more = true;
        }
    return more;
}

/* The velocities that positions move with. */
static void find_mean(carom_bodies_stepping *s)
{
    const carom_forest *f = &s->b->forest;
    for (int t = 0; t < s->trees; t++) {
        const int *u = f->tree_u + f->tree_start[t];
        for (int i = 0; i < s->dof[t]; i++)
            s->mean[u[i]] =
                s->closing[t] ? s->next[u[i]] : s->v[u[i]] + (s->next[u[i]] - s->v[u[i]]) / 2;
    }
}

static bool is_marked(const carom_bodies_stepping *s, const carom_bodies_row *r)
{
    return (r->tree[0] >= 0 && s->closing[r->tree[0]]) ||
           (r->tree[1] >= 0 && s->closing[r->tree[1]]);
}

/* What pushes on a tree that is stopped, or would meet it on its way, moves as that does. */
static bool spread_closing(carom_bodies_stepping *s)
{
    bool more = false;
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        if (r->source == CAROM_BODIES_DRY_JOINT)
            continue;
        const bool loop = r->source == CAROM_BODIES_LOOP;
        const double gap =
            r->gap + s->h * (carom_bodies_step_rate(s, r, 0, s->mean) + r->motion[0]);
        if (((loop || s->P[r->at] > 0) && is_marked(s, r)) ||
            (!loop &&
             gap < fmin(r->gap, 0) - s->h * fabs(r->turn[0]) - CAROM_TOLERANCE_SAME * s->size))
            more = mark_closing(s, r) || more;
    }
    return more;
}

/* Does the row end a motion towards it, at once? What lasts does not. */
static bool is_stopped(const carom_bodies_stepping *s, const carom_bodies_row *r)
{
    switch (r->source) {
    case CAROM_BODIES_FOUND:
        return s->P[r->at] > 0 && r->before[0] < -s->options->rest * s->speed;
    case CAROM_BODIES_STOP:
        return s->P[r->at] > 0 && r->stopped;
    case CAROM_BODIES_LOOP:
        return r->stopped;
    case CAROM_BODIES_DRY_JOINT:
        break;
    }
    return false;
}

/* The way of the step: trees that a contact stops, and what goes with them, move with the new
 * velocity, for which gaps were asked, the others with the mean. */
void carom_bodies_step_way(carom_bodies_stepping *s)
{
    memset(s->closing, 0, (size_t)s->trees);
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        if (is_stopped(s, r))
            mark_closing(s, r);
    }
    do
        find_mean(s);
    while (spread_closing(s));
}
