/* Contacts of a step of bodies: looked for as far as a step can go, those that close within it, and
 * their impulses in the step before (docs/theory/bodies.md, "Steps"). */
#include "flow/bodies_step.h"

#include "bodies/shape.h"
#include "bodies/stops.h"
#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

/* Contacts at rest are within this part of the sizes: rounding of places, many times over. */
static const double touching = CAROM_TOLERANCE_SAME;

double carom_bodies_step_fastest(carom_bodies_stepping *s, const double *u)
{
    carom_bodies *b = s->b;
    double most = 0;
    carom_forest_velocity(&b->forest, u, &b->work);
    for (int k = 0; k < b->part_count; k++) {
        const carom_part *p = &b->part[k];
        if (p->endless)
            continue;
        v3 x = frame_point(&b->work.place[p->link], p->in_body.p);
        double around = v3_norm(b->work.V[p->link].w) * (p->shape->size + p->shape->radius);
        double speed = v3_norm(carom_forest_velocity_at(&b->forest, &b->work, p->link, x)) + around;
        const int tree = b->forest.link[p->link].tree;
        if (tree >= 0)
            s->fastest[tree] = fmax(s->fastest[tree], speed);
        most = fmax(most, speed);
    }
    return most;
}

/* Two shapes can come nearer by twice that in a step. What is at rest is looked for beyond
 * rounding. */
static carom_status reach_of(carom_bodies_stepping *s, double *reach, carom_error *error)
{
    carom_status status = carom_bodies_move(s->b, s->t, s->q, NULL, error);
    if (status != CAROM_OK)
        return status;
    memset(s->fastest, 0, (size_t)s->trees * sizeof *s->fastest);
    s->speed = fmax(carom_bodies_step_fastest(s, s->v), carom_bodies_step_fastest(s, s->free));
    s->found_speed = s->speed;
    *reach = 2 * s->h * s->speed + touching * s->size;
    return CAROM_OK;
}

/* The impulses of the same contact in the step before; NULL: it had none. *from: where its pair's
 * begin; both lists are in the order of shapes. */
static const carom_bodies_memory *remember(const carom_bodies_stepping *s,
                                           const carom_bodies_contact *c, int *from)
{
    const carom_bodies_memory *m = s->memory;
    while (*from < s->memory_count &&
           (m[*from].shape[0] < c->shape[0] ||
            (m[*from].shape[0] == c->shape[0] && m[*from].shape[1] < c->shape[1])))
        (*from)++;
    for (int k = *from;
         k < s->memory_count && m[k].shape[0] == c->shape[0] && m[k].shape[1] == c->shape[1]; k++)
        if (m[k].name == c->touch.name)
            return &m[k];
    return NULL;
}

/* The rate of a found contact's gap at velocities v. */
static double gap_rate(const carom_bodies_stepping *s, const carom_bodies_contact *c,
                       const double *v)
{
    carom_bodies_row r = {.rows = 1};
    for (int side = 0; side < 2; side++) {
        r.tree[side] = c->tree[side];
        r.row[side] = c->rows[side];
    }
    return carom_bodies_step_rate(s, &r, 0, v) + c->rate[0];
}

/* Does the gap close within the step at velocities v, or at `more` than those? */
static bool closes(const carom_bodies_stepping *s, const carom_bodies_contact *c, const double *v,
                   double more)
{
    return c->touch.gap + s->h * (gap_rate(s, c, v) - more) < 0;
}

/* Impulses to start from: those of the same contacts in the step before. */
static void recall(carom_bodies_stepping *s)
{
    int from = 0;
    for (int k = 0; k < s->found.count; k++) {
        const carom_bodies_memory *old = remember(s, &s->found.contact[k], &from);
        s->carried[k] = old != NULL;
        if (old)
            memcpy(s->guess + 3 * k, old->P, sizeof old->P);
    }
}

carom_status carom_bodies_step_find(carom_bodies_stepping *s, carom_error *error)
{
    double reach;
    carom_arena_reset(s->scratch);
    carom_status status = reach_of(s, &reach, error);
    if (status == CAROM_OK)
        status = carom_bodies_find(s->b, s->t, s->q, s->v, reach, s->scratch, &s->found, error);
    if (status != CAROM_OK)
        return status;
    const size_t count = (size_t)s->found.count;
    s->active = carom_arena_zeros(s->scratch, count, 1);
    s->carried = carom_arena_zeros(s->scratch, count, 1);
    s->guess = carom_arena_zeros(s->scratch, 3 * count, sizeof *s->guess);
    s->kept = carom_arena_zeros(s->scratch, count, 1);
    s->hit = carom_arena_zeros(s->scratch, count, 1);
    s->count = carom_arena_zeros(s->scratch, count, 1);
    if (!s->active || !s->carried || !s->guess || !s->kept || !s->hit || !s->count)
        return carom_error_memory(error);
    s->mark = carom_arena_mark(s->scratch);
    recall(s);
    return CAROM_OK;
}

/* Does a limit or a rope that is not taut close within the step, along the rows of its middle? */
static bool stop_closes(const carom_bodies_stepping *s, int i, const double *v)
{
    carom_bodies_row r = {.source = CAROM_BODIES_STOP, .index = i, .rows = 1};
    const double gap = carom_stop_gap(s->b, i, s->q);
    carom_bodies_step_middle_take(s, i, 0, i, &r);
    return gap + s->h * (carom_bodies_step_rate(s, &r, 0, v) + r.motion[0]) < 0;
}

/* What moves freely moves with the mean of its velocities before and after the forces. */
void carom_bodies_step_activate(carom_bodies_stepping *s)
{
    for (int i = 0; i < s->n; i++)
        s->mean[i] = (s->v[i] + s->free[i] + s->lasting[i]) / 2;
    for (int k = 0; k < s->found.count; k++) {
        const carom_bodies_contact *c = &s->found.contact[k];
        s->active[k] = c->touch.gap <= touching * s->size ||
                       (s->impact ? s->hit[k] || closes(s, c, s->v, 0) : closes(s, c, s->mean, 0));
    }
    for (int i = 0; i < s->stops && !s->impact; i++)
        s->stop_active[i] =
            carom_stop_gap(s->b, i, s->q) <= s->options->closed || stop_closes(s, i, s->mean);
}

bool carom_bodies_step_closes(const carom_bodies_stepping *s, int k, double more)
{
    return closes(s, &s->found.contact[k], s->mean, more);
}

bool carom_bodies_step_find_more(carom_bodies_stepping *s)
{
    bool added = false;
    for (int k = 0; k < s->found.count; k++)
        if (!s->active[k] && carom_bodies_step_closes(s, k, 0)) {
            s->active[k] = 1;
            added = true;
        }
    for (int i = 0; i < s->stops; i++)
        if (!s->stop_active[i] && stop_closes(s, i, s->mean)) {
            s->stop_active[i] = 1;
            added = true;
        }
    return added;
}
