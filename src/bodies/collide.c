/* Distances and manifolds of shapes: the table of pairs, radii, and back to space coordinates. */
#include "bodies/clip.h"
#include "bodies/pair.h"
#include "carom/need.h"

enum { ROOM = 2 * CAROM_CLIP_FACE };

/* Which pairs there are; NULL: the other way round, or none. */
static const carom_pair_ops *const in_space[CAROM_CORE_COUNT][CAROM_CORE_COUNT] = {
    [CAROM_CORE_POLYTOPE][CAROM_CORE_POLYTOPE] = &carom_pair_polytopes_ops,
    [CAROM_CORE_PLANE][CAROM_CORE_POLYTOPE] = &carom_pair_plane_polytope_ops,
    [CAROM_CORE_MESH][CAROM_CORE_POLYTOPE] = &carom_pair_mesh_polytope_ops,
    [CAROM_CORE_PLANE][CAROM_CORE_MESH] = &carom_pair_mesh_plane_ops,
    [CAROM_CORE_MESH][CAROM_CORE_MESH] = &carom_pair_meshes_ops,
    [CAROM_CORE_CYLINDER][CAROM_CORE_POLYTOPE] = &carom_pair_cylinder_polytope_ops,
    [CAROM_CORE_CYLINDER][CAROM_CORE_PLANE] = &carom_pair_cylinder_plane_ops,
    [CAROM_CORE_CYLINDER][CAROM_CORE_MESH] = &carom_pair_cylinder_mesh_ops,
    [CAROM_CORE_CYLINDER][CAROM_CORE_CYLINDER] = &carom_pair_cylinders_ops,
    [CAROM_CORE_CONVEX][CAROM_CORE_POLYTOPE] = &carom_pair_convex_ops,
    [CAROM_CORE_CONVEX][CAROM_CORE_CYLINDER] = &carom_pair_convex_ops,
    [CAROM_CORE_CONVEX][CAROM_CORE_CONVEX] = &carom_pair_convex_ops,
    [CAROM_CORE_CONVEX][CAROM_CORE_PLANE] = &carom_pair_convex_plane_ops,
    [CAROM_CORE_CONVEX][CAROM_CORE_MESH] = &carom_pair_convex_mesh_ops,
};
static const carom_pair_ops *const in_plane[CAROM_CORE_COUNT][CAROM_CORE_COUNT] = {
    [CAROM_CORE_POLYTOPE][CAROM_CORE_POLYTOPE] = &carom_pair_polygons_ops,
    [CAROM_CORE_PLANE][CAROM_CORE_POLYTOPE] = &carom_pair_plane_polygon_ops,
};

/* A pair in the order in which it is treated. */
typedef struct ordered {
    carom_pair pair;
    frame first; /* where the first is in space */
    const carom_pair_ops *ops;
    bool swapped;
} ordered;

static int compare(const double *x, const double *y, int count)
{
    for (int k = 0; k < count; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Two cores of one kind, too, are treated in an order of their own, by what they are and where, so
 * that ties fall the same way whichever the caller names first. */
static bool comes_first(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                        const carom_pose *pose_b)
{
    int c = (a->kind > b->kind) - (a->kind < b->kind);
    c = c ? c : compare(&a->radius, &b->radius, 1);
    c = c ? c : compare(&a->size, &b->size, 1);
    c = c ? c : compare(a->half, b->half, 3);
    c = c ? c : compare(pose_a->position, pose_b->position, 3);
    c = c ? c : compare(pose_a->rotation, pose_b->rotation, 9);
    return c <= 0;
}

static ordered order(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                     const carom_pose *pose_b)
{
    const carom_pair_ops *const(*table)[CAROM_CORE_COUNT] = a->space == 2 ? in_plane : in_space;
    frame fa = frame_of(pose_a), fb = frame_of(pose_b);
    if (a->space != b->space || (!table[a->core][b->core] && !table[b->core][a->core]))
        return (ordered){.ops = NULL};
    if (a->core == b->core ? comes_first(a, pose_a, b, pose_b) : table[a->core][b->core] != NULL)
        return (ordered){{a, b, frame_relative(&fa, &fb)}, fa, table[a->core][b->core], false};
    return (ordered){{b, a, frame_relative(&fb, &fa)}, fb, table[b->core][a->core], true};
}

/* From the frame of the first to space, from cores to surfaces. The point of b follows from that of
 * a, so that b - a = gap n holds to the last bits in space too. */
static void write_touch(const ordered *o, const carom_witness *w, carom_touch *t)
{
    double s = o->swapped ? -1 : 1;
    v3 n = m3_apply(o->first.R, w->n);
    v3 first = frame_point(&o->first, v3_along(w->a, o->pair.a->radius, w->n));
    t->gap = w->gap - o->pair.a->radius - o->pair.b->radius;
    v3 second = v3_along(first, t->gap, n);
    v3_to(o->swapped ? second : first, t->a);
    v3_to(o->swapped ? first : second, t->b);
    v3_to(v3_scale(s, n), t->normal);
    t->name = o->swapped ? (uint64_t)w->fb << 32 | w->fa : (uint64_t)w->fa << 32 | w->fb;
}

void carom_shape_distance(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                          const carom_pose *pose_b, carom_touch *touch)
{
    CAROM_NEED_OR(, a, pose_a, b, pose_b, touch);
    ordered o = order(a, pose_a, b, pose_b);
    carom_witness w;
    *touch = (carom_touch){.gap = INFINITY, .normal = {0, 0, 1}};
    if (!o.ops)
        return;
    o.ops->distance(&o.pair, &w);
    write_touch(&o, &w, touch);
}

int carom_shape_manifold(const carom_shape *a, const carom_pose *pose_a, const carom_shape *b,
                         const carom_pose *pose_b, double reach, int room, carom_touch *touches)
{
    CAROM_NEED_OR(0, a, pose_a, b, pose_b);
    room = touches ? room : 0;
    ordered o = order(a, pose_a, b, pose_b);
    carom_witness witness[ROOM];
    carom_manifold m = {witness, 0, ROOM, 0};
    if (!o.ops)
        return 0;
    do { /* surfaces of many triangles have more contacts than fit at once */
        m.count = 0;
        o.ops->manifold(&o.pair, reach + a->radius + b->radius, &m);
        for (int k = m.skip; k < m.count && k < room && k < m.skip + ROOM; k++)
            write_touch(&o, &m.witness[k - m.skip], &touches[k]);
        m.skip += ROOM;
    } while (m.skip < m.count && m.skip < room);
    return m.count;
}
