/* One contact between bodies from two points that touch: its frame, material, rows over the
 * velocities of its trees, rates and biases (docs/theory/bodies.md). */
#include "bodies/gather.h"
#include "bodies/gap_motion.h"

#include <string.h>

carom_gather carom_gather_begin(carom_bodies *b, carom_arena *arena)
{
    memset(b->scratch, 0, (size_t)b->forest.n * sizeof *b->scratch);
    return (carom_gather){.bodies = b, .arena = arena, .row = b->scratch};
}

void carom_gather_place(const carom_bodies *b, carom_part *p)
{
    const frame *f = &b->work.place[p->link];
    frame at = {frame_point(f, p->in_body.p), m3_times(f->R, p->in_body.R)};
    const v3 column[3] = {at.R.x, at.R.y, at.R.z};
    v3_to(at.p, p->at.position);
    for (int i = 0; i < 3; i++)
        v3_to(column[i], p->at.rotation + 3 * i);
}

/* Two tangents: the first nearest to the axis that the normal has least of; in the plane one. */
static void set_tangents(const carom_bodies *b, carom_bodies_contact *c)
{
    v3 n = v3_of(c->touch.normal);
    v3 t = b->space == 2 ? (v3){-n.y, n.x, 0} : v3_perpendicular(n);
    v3_to(t, c->tangent[0]);
    v3_to(v3_cross(n, t), c->tangent[1]);
}

/* The row of direction d over the velocities of a tree, from both sides where they are on it, each
 * at the point x: an impulse and its opposite at one point leave angular momentum as it is, also
 * along tangents and across a gap. */
static void tree_row(const carom_gather *g, v3 x, const int link[2], int tree, v3 d, double *row)
{
    const carom_forest *f = &g->bodies->forest;
    const carom_forest_work *w = &g->bodies->work;
    int size = f->tree_start[tree + 1] - f->tree_start[tree];
    for (int side = 0; side < 2; side++)
        if (f->link[link[side]].tree == tree)
            carom_forest_row_point(f, w, link[side], x, d, side ? 1 : -1, g->row);
    for (int k = 0; k < size; k++) {
        int u = f->tree_u[f->tree_start[tree] + k];
        row[k] = g->row[u];
        g->row[u] = 0;
    }
}

static bool set_rows(const carom_gather *g, carom_bodies_contact *c, const int link[2])
{
    const carom_forest *f = &g->bodies->forest;
    const v3 direction[3] = {v3_of(c->touch.normal), v3_of(c->tangent[0]), v3_of(c->tangent[1])};
    const v3 x = carom_gap_motion_point(g->bodies, c);
    carom_forest_trees(f, link, c->tree);
    for (int k = 0; k < 2; k++) {
        c->rows[k] = NULL;
        if (c->tree[k] < 0)
            continue;
        int size = f->tree_start[c->tree[k] + 1] - f->tree_start[c->tree[k]],
            count = 1 + c->properties.slip_count;
        double *rows = carom_arena_doubles(g->arena, (size_t)(count * size));
        if (!rows)
            return false;
        for (int i = 0; i < count; i++)
            tree_row(g, x, link, c->tree[k], direction[i], rows + i * size);
        c->rows[k] = rows;
    }
    return true;
}

/* Velocities of a belt's surface in space: those of both sides, b minus a. */
static v3 belt_speed(const carom_bodies *b, const carom_bodies_contact *c)
{
    v3 sum = {0, 0, 0};
    for (int side = 0; side < 2; side++) {
        const carom_body_def *d = &b->body[c->body[side]];
        v3 own = m3_apply(b->work.place[b->link_of[c->body[side]]].R, v3_of(d->surface));
        sum = v3_along(sum, side ? 1 : -1, own);
    }
    return sum;
}

/* The rates that are there at u = 0: driven bodies, belts. */
static void set_rates(const carom_bodies *b, carom_bodies_contact *c, const int link[2])
{
    const v3 direction[3] = {v3_of(c->touch.normal), v3_of(c->tangent[0]), v3_of(c->tangent[1])};
    const v3 x = carom_gap_motion_point(b, c);
    v3 v = {0, 0, 0}, belt = belt_speed(b, c);
    if (b->drives)
        v = v3_sub(carom_forest_velocity_at(&b->forest, &b->work, link[1], x),
                   carom_forest_velocity_at(&b->forest, &b->work, link[0], x));
    for (int i = 0; i < 3; i++)
        c->rate[i] = v3_dot(direction[i], v) + (i ? v3_dot(direction[i], belt) : 0);
}

bool carom_gather_add(carom_gather *g, int one, int two, const carom_touch *t)
{
    const carom_bodies *b = g->bodies;
    if (g->count == g->room) {
        int room = g->room ? 2 * g->room : 64;
        carom_bodies_contact *grown = carom_arena_array(g->arena, (size_t)room, sizeof *grown);
        if (!grown)
            return false;
        if (g->count)
            memcpy(grown, g->contact, (size_t)g->count * sizeof *grown);
        g->contact = grown;
        g->room = room;
    }
    carom_bodies_contact *c = &g->contact[g->count++];
    const carom_part *p = &b->part[one], *q = &b->part[two];
    const int link[2] = {p->link, q->link};
    *c = (carom_bodies_contact){.body = {p->body, q->body}, .shape = {one, two}, .touch = *t};
    c->properties = carom_bodies_material(b, p->body, q->body);
    c->properties.slip_count = c->properties.friction_static > 0 ? b->space - 1 : 0;
    c->properties.name = NULL;
    set_tangents(b, c);
    return set_rows(g, c, link);
}

/* Rates at u = 0 and biases need two passes over the links' velocities. */
void carom_gather_motion(carom_gather *g, const double *u)
{
    carom_bodies *b = g->bodies;
    if (b->drives)
        carom_forest_velocity(&b->forest, b->zeros, &b->work);
    for (int k = 0; k < g->count; k++) {
        carom_bodies_contact *c = &g->contact[k];
        const int link[2] = {b->part[c->shape[0]].link, b->part[c->shape[1]].link};
        set_rates(b, c, link);
    }
    carom_forest_velocity(&b->forest, u, &b->work);
    for (int k = 0; k < g->count; k++)
        carom_gap_motion(b, &g->contact[k]);
}
