/* Contacts between bodies at a state: shapes whose boxes meet, their manifolds, and the rows of
 * each contact over the velocities of its trees (docs/theory/bodies.md). */
#include "bodies/bodies.h"
#include "bodies/gap_motion.h"
#include "bodies/shape.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs of parts that may touch ---- */

static void place_parts(carom_bodies *b, double reach)
{
    for (int k = 0; k < b->part_count; k++) {
        carom_part *p = &b->part[k];
        const frame *f = &b->work.place[p->link];
        frame at = {frame_point(f, p->in_body.p), m3_times(f->R, p->in_body.R)};
        const v3 column[3] = {at.R.x, at.R.y, at.R.z};
        double lower[3], upper[3];
        v3_to(at.p, p->at.position);
        for (int i = 0; i < 3; i++)
            v3_to(column[i], p->at.rotation + 3 * i);
        if (p->endless)
            continue;
        carom_shape_bounds(p->shape, &p->at, lower, upper);
        carom_box box = {v3_of(lower), v3_of(upper)};
        carom_boxes_move(&b->finder.boxes, k, &box, reach);
    }
}

static void note_near(void *self, int k)
{
    carom_finder *f = self;
    f->near[f->near_count++] = k;
}

static bool add_pair(carom_finder *f, int one, int two)
{
    if (f->pair_count == f->pair_room) {
        int room = f->pair_room ? 2 * f->pair_room : 256;
        int *grown =
            carom_allocator_resize(f->allocator, f->pair, 2 * (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        f->pair = grown;
        f->pair_room = room;
    }
    f->pair[2 * f->pair_count] = one < two ? one : two;
    f->pair[2 * f->pair_count++ + 1] = one < two ? two : one;
    return true;
}

static int by_parts(const void *x, const void *y)
{
    const int *p = x, *q = y;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

/* Parts of moving links with what is near them; each pair once, in the order of parts. */
static bool list_pairs(carom_bodies *b, double reach)
{
    carom_finder *f = &b->finder;
    v3 by = {reach, reach, reach};
    f->pair_count = 0;
    for (int k = 0; k < b->part_count; k++) {
        const carom_part *p = &b->part[k];
        if (!p->moves || p->endless)
            continue;
        double lower[3], upper[3];
        carom_shape_bounds(p->shape, &p->at, lower, upper);
        carom_box box = {v3_sub(v3_of(lower), by), v3_add(v3_of(upper), by)};
        f->near_count = 0;
        carom_boxes_query(&f->boxes, &box, note_near, f);
        for (int j = 0; j < f->endless_count; j++)
            f->near[f->near_count++] = f->endless[j];
        for (int i = 0; i < f->near_count; i++) {
            const carom_part *other = &b->part[f->near[i]];
            if ((other->moves && f->near[i] <= k) || !carom_bodies_touch(b, p->body, other->body))
                continue;
            if (!add_pair(f, k, f->near[i]))
                return false;
        }
    }
    qsort(f->pair, (size_t)f->pair_count, 2 * sizeof *f->pair, by_parts);
    return true;
}

/* ---- one contact ---- */

typedef struct gathering {
    carom_bodies *bodies;
    carom_arena *arena;
    carom_bodies_contact *contact;
    int count, room;
    double *row; /* n, zero between uses */
} gathering;

/* Two tangents: the first nearest to the axis that the normal has least of; in the plane one. */
static void set_tangents(const carom_bodies *b, carom_bodies_contact *c)
{
    v3 n = v3_of(c->touch.normal);
    v3 t = b->space == 2 ? (v3){-n.y, n.x, 0} : v3_perpendicular(n);
    v3_to(t, c->tangent[0]);
    v3_to(v3_cross(n, t), c->tangent[1]);
}

/* The row of direction d over the velocities of a tree, from both points where they are on it. */
static void tree_row(const gathering *g, const carom_bodies_contact *c, const int link[2], int tree,
                     v3 d, double *row)
{
    const carom_forest *f = &g->bodies->forest;
    const carom_forest_work *w = &g->bodies->work;
    const v3 x[2] = {v3_of(c->touch.a), v3_of(c->touch.b)};
    int size = f->tree_start[tree + 1] - f->tree_start[tree];
    for (int side = 0; side < 2; side++)
        if (f->link[link[side]].tree == tree)
            carom_forest_row_point(f, w, link[side], x[side], d, side ? 1 : -1, g->row);
    for (int k = 0; k < size; k++) {
        int u = f->tree_u[f->tree_start[tree] + k];
        row[k] = g->row[u];
        g->row[u] = 0;
    }
}

static bool set_rows(const gathering *g, carom_bodies_contact *c, const int link[2])
{
    const carom_forest *f = &g->bodies->forest;
    const v3 direction[3] = {v3_of(c->touch.normal), v3_of(c->tangent[0]), v3_of(c->tangent[1])};
    int one = f->link[link[0]].tree, two = f->link[link[1]].tree;
    c->tree[0] = one >= 0 ? one : two;
    c->tree[1] = one >= 0 && two != one ? two : -1;
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
            tree_row(g, c, link, c->tree[k], direction[i], rows + i * size);
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
    v3 v = {0, 0, 0}, belt = belt_speed(b, c);
    if (b->drives)
        v = v3_sub(carom_forest_velocity_at(&b->forest, &b->work, link[1], v3_of(c->touch.b)),
                   carom_forest_velocity_at(&b->forest, &b->work, link[0], v3_of(c->touch.a)));
    for (int i = 0; i < 3; i++)
        c->rate[i] = v3_dot(direction[i], v) + (i ? v3_dot(direction[i], belt) : 0);
}

static bool add_contact(gathering *g, int one, int two, const carom_touch *t)
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

static bool add_manifold(gathering *g, int one, int two, double reach)
{
    carom_finder *f = &g->bodies->finder;
    const carom_part *p = &g->bodies->part[one], *q = &g->bodies->part[two];
    int count;
    while ((count = carom_shape_manifold(p->shape, &p->at, q->shape, &q->at, reach, f->touch_room,
                                         f->touch)) > f->touch_room) {
        carom_touch *grown =
            carom_allocator_resize(f->allocator, f->touch, 2 * (size_t)count * sizeof *grown);
        if (!grown)
            return false;
        f->touch = grown;
        f->touch_room = 2 * count;
    }
    for (int k = 0; k < count; k++)
        if (!add_contact(g, one, two, &f->touch[k]))
            return false;
    return true;
}

/* Rates at u = 0 and biases need two passes over the links' velocities. */
static void set_motion(gathering *g, const double *u)
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

carom_status carom_bodies_find(const carom_bodies *bodies, double t, const double *q,
                               const double *u, double reach, carom_arena *arena,
                               carom_bodies_contacts *contacts, carom_error *error)
{
    carom_bodies *b = (carom_bodies *)bodies; /* its work space: one thread at a time */
    carom_status status = carom_bodies_move(b, t, q, NULL, error);
    if (status)
        return status;
    gathering g = {.bodies = b, .arena = arena};
    g.row = b->scratch;
    memset(g.row, 0, (size_t)b->forest.n * sizeof *g.row);
    place_parts(b, reach);
    bool good = list_pairs(b, reach);
    for (int k = 0; k < b->finder.pair_count && good; k++)
        good = add_manifold(&g, b->finder.pair[2 * k], b->finder.pair[2 * k + 1], reach);
    if (!good)
        return carom_error_memory(error);
    set_motion(&g, u);
    *contacts = (carom_bodies_contacts){g.count, g.contact};
    return CAROM_OK;
}

int carom_bodies_tree_count(const carom_bodies *bodies)
{
    return bodies->forest.tree_count;
}

int carom_bodies_tree(const carom_bodies *bodies, int tree, const int **velocities)
{
    const carom_forest *f = &bodies->forest;
    *velocities = f->tree_u + f->tree_start[tree];
    return f->tree_start[tree + 1] - f->tree_start[tree];
}
