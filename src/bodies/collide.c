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
    carom_convex one = convex_of(a, &here), two = convex_of(b, at);
    carom_pair_polytopes_manifold(&one, &two, reach, out);
}

/* From the frame of a to space, from cores to surfaces. */
static carom_touch touch_of(const carom_witness *w, const frame *f, double ra, double rb)
{
    carom_touch t = {.gap = w->gap - ra - rb, .name = (uint64_t)w->fa << 32 | w->fb};
    v3_to(frame_point(f, v3_along(w->a, ra, w->n)), t.a);
    v3_to(frame_point(f, v3_along(w->b, -rb, w->n)), t.b);
    v3_to(m3_apply(f->R, w->n), t.normal);
    return t;
}

void carom_shape_distance(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                          const carom_pose *pose_b, carom_touch *touch)
{
    frame fa = frame_of(pose_a), fb = frame_of(pose_b), at = frame_relative(&fa, &fb);
    carom_witness w;
    distance(a, b, &at, &w);
    *touch = touch_of(&w, &fa, a->radius, b->radius);
}

int carom_shape_manifold(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                         const carom_pose *pose_b, double reach, int room, carom_touch *touches)
{
    frame fa = frame_of(pose_a), fb = frame_of(pose_b), at = frame_relative(&fa, &fb);
    carom_witness witness[2 * CAROM_CLIP_FACE];
    carom_manifold m = {witness, 0, 2 * CAROM_CLIP_FACE};
    manifold(a, b, &at, reach + a->radius + b->radius, &m);
    for (int k = 0; k < m.count && k < room && k < m.room; k++)
        touches[k] = touch_of(&m.witness[k], &fa, a->radius, b->radius);
    return m.count;
}
