/* Distances and manifolds of pairs of cores: one file a kind of pair. Everything is seen from a;
 * radii are added by the caller. */
#ifndef CAROM_SRC_BODIES_PAIR_H
#define CAROM_SRC_BODIES_PAIR_H

#include "bodies/convex.h"
#include "bodies/shape.h"
#include "carom/tolerance.h"

struct carom_axis;

typedef struct carom_pair {
    const carom_shape *a, *b;
    frame at; /* of b, seen from a */
} carom_pair;

static inline carom_convex pair_first(const carom_pair *pair)
{
    return (carom_convex){&pair->a->polytope, {{0, 0, 0}, m3_identity()}};
}

static inline carom_convex pair_second(const carom_pair *pair)
{
    return (carom_convex){&pair->b->polytope, pair->at};
}

/* How a kind of pair is treated. */
typedef struct carom_pair_ops {
    /* The nearest points, or the deepest ones. */
    void (*distance)(const carom_pair *pair, carom_witness *w);
    /* All contacts with gap <= reach. */
    void (*manifold)(const carom_pair *pair, double reach, carom_manifold *out);
} carom_pair_ops;

extern const carom_pair_ops carom_pair_polytopes_ops;         /* polytope, polytope */
extern const carom_pair_ops carom_pair_plane_polytope_ops;    /* plane, polytope */
extern const carom_pair_ops carom_pair_mesh_polytope_ops;     /* mesh, polytope */
extern const carom_pair_ops carom_pair_mesh_plane_ops;        /* plane, mesh */
extern const carom_pair_ops carom_pair_meshes_ops;            /* mesh, mesh */
extern const carom_pair_ops carom_pair_cylinder_polytope_ops; /* cylinder, polytope */
extern const carom_pair_ops carom_pair_cylinder_plane_ops;    /* cylinder, plane */
extern const carom_pair_ops carom_pair_cylinder_mesh_ops;     /* cylinder, mesh */
extern const carom_pair_ops carom_pair_cylinders_ops;         /* cylinder, cylinder */
extern const carom_pair_ops carom_pair_convex_ops;       /* convex; polytope, cylinder, convex */
extern const carom_pair_ops carom_pair_convex_plane_ops; /* convex, plane */
extern const carom_pair_ops carom_pair_convex_mesh_ops;  /* convex, mesh */
extern const carom_pair_ops carom_pair_polygons_ops;     /* the same in the plane */
extern const carom_pair_ops carom_pair_plane_polygon_ops;

/* Two convex polytopes anywhere. */
void carom_pair_polytopes_distance(const carom_convex *a, const carom_convex *b, carom_witness *w);

/* Their parts, for those that know more. The contact of an axis. False when it is only a bound: no
 * points are that far apart along it. */
bool carom_pair_polytopes_axis(const carom_convex *a, const carom_convex *b,
                               const struct carom_axis *axis, double rounding, carom_witness *w);
/* All contacts within reach, given the nearest or deepest one. */
void carom_pair_polytopes_contacts(const carom_convex *a, const carom_convex *b,
                                   const carom_witness *w, double reach, carom_manifold *out);

/* The manifold of two boxes. False: not decided here, nothing was added. */
bool carom_pair_boxes_manifold(const carom_pair *pair, double reach, carom_manifold *out);

/* Faces whose contacts differ in gap by less than this part of the size lie flat on each other: the
 * angle between them has then less effect than its square's rounding. */
#define CAROM_PAIR_FLAT CAROM_TOLERANCE_HALF

/* The length below which two cores of the sizes given lie flat. */
double carom_pair_flat(double size_a, double size_b);

/* Gaps of a pair are known to this: rounding of places and of products of them. */
static inline double carom_pair_margin(const carom_pair *pair)
{
    return 16 * DBL_EPSILON * (pair->a->size + pair->b->size + v3_norm(pair->at.p));
}

#endif
