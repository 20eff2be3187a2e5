/* The shapes of all bodies in one list, and what pairs of bodies have in common. */
#include "bodies/bodies.h"
#include "bodies/shape.h"
#include "carom/need.h"

#include <stdlib.h>
#include <string.h>

static frame frame_in_body(const carom_body_shape *s, int space)
{
    carom_pose pose;
    if (space == 2)
        carom_pose_set_plane(&pose, s->position, s->turn[0]);
    else if (!carom_pose_set(&pose, s->position, s->turn))
        carom_pose_set(&pose, s->position, (double[4]){1, 0, 0, 0});
    return frame_of(&pose);
}

static void list_parts(const carom_world_def *world, carom_bodies *b)
{
    int made = 0;
    for (int k = 0; k < world->body_count; k++)
        for (int s = 0; s < world->bodies[k].shape_count; s++) {
            const carom_body_shape *shape = &world->bodies[k].shapes[s];
            int link = b->link_of[k];
            b->part[made++] = (carom_part){.shape = shape->shape,
                                           .body = k,
                                           .link = link,
                                           .in_body = frame_in_body(shape, world->space),
                                           .moves = b->forest.link[link].tree >= 0,
                                           .endless = shape->shape->core == CAROM_CORE_PLANE};
        }
}

static int by_bodies(const void *x, const void *y)
{
    const carom_special *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->pair < q->pair ? -1 : p->pair > q->pair;
}

static void add_special(carom_bodies *b, int one, int two, int pair)
{
    if (one >= 0 && two >= 0)
        b->special[b->special_count++] =
            (carom_special){one < two ? one : two, one < two ? two : one, pair};
}

static const carom_special *special_of(const carom_bodies *b, int one, int two)
{
    int a = one < two ? one : two, c = one < two ? two : one, low = 0, high = b->special_count;
    while (low < high) {
        int middle = (low + high) / 2;
        const carom_special *s = &b->special[middle];
        if (s->a < a || (s->a == a && s->b < c))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < b->special_count && b->special[low].a == a && b->special[low].b == c;
    return found ? &b->special[low] : NULL;
}

bool carom_bodies_touch(const carom_bodies *b, int one, int two)
{
    const carom_special *s = special_of(b, one, two);
    return one != two && !(s && s->pair < 0);
}

carom_contact carom_contact_combine(const carom_contact *x, const carom_contact *y)
{
    CAROM_NEED_OR(carom_contact_default(), x, y);
    carom_contact made = *x;
    made.friction_static = sqrt(x->friction_static) * sqrt(y->friction_static);
    made.friction_dynamic = sqrt(x->friction_dynamic) * sqrt(y->friction_dynamic);
    made.restitution = fmax(x->restitution, y->restitution);
    made.tangential_restitution = fmax(x->tangential_restitution, y->tangential_restitution);
    return made;
}

carom_contact carom_bodies_material(const carom_bodies *b, int one, int two)
{
    const carom_special *s = special_of(b, one, two);
    return s && s->pair >= 0 ? b->pair[s->pair]
                             : carom_contact_combine(&b->material[one], &b->material[two]);
}

static void copy_materials(const carom_world_def *world, carom_bodies *b)
{
    for (int k = 0; k < world->body_count; k++)
        b->material[k] = world->bodies[k].contact ? *world->bodies[k].contact : world->contact;
    for (int k = 0; k < world->pair_count; k++) {
        b->pair[k] = world->pairs[k].contact;
        add_special(b, world->pairs[k].a, world->pairs[k].b, world->pairs[k].ignore ? -1 : k);
    }
    for (int k = 0; k < world->joint_count; k++)
        add_special(b, world->joints[k].parent, world->joints[k].child, -1);
    qsort(b->special, (size_t)b->special_count, sizeof *b->special, by_bodies);
}

carom_status carom_bodies_parts(const carom_world_def *world, carom_bodies *b, carom_error *error)
{
    size_t parts = 0, bodies = (size_t)world->body_count, pairs = (size_t)world->pair_count;
    for (int k = 0; k < world->body_count; k++)
        parts += (size_t)world->bodies[k].shape_count;
    b->part_count = (int)parts;
    b->part = carom_arena_zeros(b->arena, parts, sizeof *b->part);
    b->material = carom_arena_zeros(b->arena, bodies, sizeof *b->material);
    b->pair = carom_arena_zeros(b->arena, pairs, sizeof *b->pair);
    b->special =
        carom_arena_zeros(b->arena, pairs + (size_t)world->joint_count, sizeof *b->special);
    b->finder.near = carom_arena_zeros(b->arena, parts, sizeof *b->finder.near);
    b->finder.endless = carom_arena_zeros(b->arena, parts, sizeof *b->finder.endless);
    b->finder.allocator = carom_arena_allocator(b->arena);
    if (!b->part || !b->material || !b->pair || !b->special || !b->finder.near ||
        !b->finder.endless)
        return carom_error_memory(error);
    list_parts(world, b);
    for (int k = 0; k < b->part_count; k++)
        if (b->part[k].endless)
            b->finder.endless[b->finder.endless_count++] = k;
    copy_materials(world, b);
    return carom_boxes_create(b->part_count, b->arena, &b->finder.boxes, error);
}

void carom_bodies_parts_drop(carom_bodies *b)
{
    carom_allocator_resize(b->finder.allocator, b->finder.pair, 0);
    carom_allocator_resize(b->finder.allocator, b->finder.touch, 0);
    b->finder.pair = NULL;
    b->finder.touch = NULL;
}

bool carom_bodies_are_rough(const carom_bodies *b)
{
    CAROM_NEED_OR(false, b);
    int rough = 0; /* the geometric mean of two */
    for (int k = 0; k < b->body_count; k++)
        rough += b->part_count > 0 && b->material[k].friction_static > 0;
    for (int k = 0; k < b->special_count; k++)
        if (b->special[k].pair >= 0 && b->pair[b->special[k].pair].friction_static > 0)
            return true;
    return rough > 1;
}
