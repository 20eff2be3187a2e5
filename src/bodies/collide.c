/* Distances and manifolds of shapes: the table of pairs, radii, and back to space coordinates. */
#include "bodies/clip.h"
#include "bodies/pair.h"

/* Pairs in the frame of a. */
typedef struct carom_pair {
    const carom_shape *a, *b;
    frame at; /* of b */
} pair;

static carom_convex convex_of(const carom_shape *shape, const frame *at)
{
    return (carom_convex){&shape->polytope, *at};
}

static void distance(const carom_shape *a, const carom_shape *b, const frame *at, carom_witness *w)
{
    const frame here = {{0, 0, 0}, m3_identity()};
    carom_convex one = convex_of(a, &here), two = convex_of(b, at);
    carom_pair_polytopes_distance(&one, &two, w);
}

static void manifold(const carom_shape *a, const carom_shape *b, const frame *at, double reach,
                     carom_manifold *out)
{
    const frame here = {{0, 0, 0}, m3_identity()};
    if (a->kind == CAROM_SHAPE_BOX && b->kind == CAROM_SHAPE_BOX &&
        carom_pair_boxes_manifold(a->half, b->half, at, a->size, b->size, reach, out))
        return;
    carom_convex one = convex_of(a, &here), two = convex_of(b, at);
    carom_pair_polytopes_manifold(&one, &two, reach, out);
}

/* From the frame of a to space, from cores to surfaces. The point of b follows from that of a, so
 * that b - a = gap n holds to the last bits in space too. */
static void write_touch(const carom_witness *w, const frame *f, double ra, double rb,
                        carom_touch *t)
{
    v3 n = m3_apply(f->R, w->n), a = frame_point(f, v3_along(w->a, ra, w->n));
    t->gap = w->gap - ra - rb;
    v3_to(a, t->a);
    v3_to(v3_along(a, t->gap, n), t->b);
    v3_to(n, t->normal);
    t->name = (uint64_t)w->fa << 32 | w->fb;
}

void carom_shape_distance(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                          const carom_pose *pose_b, carom_touch *touch)
{
    frame fa = frame_of(pose_a), fb = frame_of(pose_b), at = frame_relative(&fa, &fb);
    carom_witness w;
    distance(a, b, &at, &w);
    write_touch(&w, &fa, a->radius, b->radius, touch);
}

int carom_shape_manifold(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                         const carom_pose *pose_b, double reach, int room, carom_touch *touches)
{
    frame fa = frame_of(pose_a), fb = frame_of(pose_b), at = frame_relative(&fa, &fb);
    carom_witness witness[2 * CAROM_CLIP_FACE];
    carom_manifold m = {witness, 0, 2 * CAROM_CLIP_FACE};
    manifold(a, b, &at, reach + a->radius + b->radius, &m);
    for (int k = 0; k < m.count && k < room && k < m.room; k++)
        write_touch(&m.witness[k], &fa, a->radius, b->radius, &touches[k]);
    return m.count;
}
