/* Contacts between bodies at a state: shapes whose boxes meet and their manifolds
 * (docs/theory/bodies.md). */
#include "bodies/gather.h"
#include "bodies/shape.h"
#include "carom/need.h"

#include <stdlib.h>

/* ---- pairs of parts that may touch ---- */

static void place_parts(carom_bodies *b, double reach)
{
    for (int k = 0; k < b->part_count; k++) {
        carom_part *p = &b->part[k];
        double lower[3], upper[3];
        carom_gather_place(b, p);
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
    if (f->pair_count > 0) /* before the first pair there is no list */
        qsort(f->pair, (size_t)f->pair_count, 2 * sizeof *f->pair, by_parts);
    return true;
}

static bool add_manifold(carom_gather *g, int one, int two, double reach)
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
        if (!carom_gather_add(g, one, two, &f->touch[k]))
            return false;
    return true;
}

carom_status carom_bodies_find(const carom_bodies *bodies, double t, const double *q,
                               const double *u, double reach, carom_arena *arena,
                               carom_bodies_contacts *contacts, carom_error *error)
{
    CAROM_NEED(error, bodies, q, arena, contacts);
    carom_bodies *b = (carom_bodies *)bodies; /* its work space: one thread at a time */
    carom_status status = carom_bodies_move(b, t, q, NULL, error);
    if (status)
        return status;
    carom_gather g = carom_gather_begin(b, arena);
    place_parts(b, reach);
    bool good = list_pairs(b, reach);
    for (int k = 0; k < b->finder.pair_count && good; k++)
        good = add_manifold(&g, b->finder.pair[2 * k], b->finder.pair[2 * k + 1], reach);
    if (!good)
        return carom_error_memory(error);
    carom_gather_motion(&g, u);
    *contacts = (carom_bodies_contacts){g.count, g.contact};
    return CAROM_OK;
}

int carom_bodies_tree_count(const carom_bodies *bodies)
{
    CAROM_NEED_OR(0, bodies);
    return bodies->forest.tree_count;
}

int carom_bodies_tree(const carom_bodies *bodies, int tree, const int **velocities)
{
    CAROM_NEED_OR(0, bodies, velocities);
    const carom_forest *f = &bodies->forest;
    *velocities = f->tree_u + f->tree_start[tree];
    return f->tree_start[tree + 1] - f->tree_start[tree];
}
