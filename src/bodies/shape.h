/* The inside of a shape: a core and a radius. */
#ifndef CAROM_SRC_BODIES_SHAPE_H
#define CAROM_SRC_BODIES_SHAPE_H

#include "bodies/mesh.h"
#include "bodies/polytope.h"
#include "carom/collision.h"

/* Cores that are treated alike. In the plane a polygon is a polytope whose vertices run
 * counter-clockwise, with one edge k from vertex k to the next and its normal[k], offset[k]. */
typedef enum carom_core {
    CAROM_CORE_POLYTOPE, /* point, segment, box, hull, polygon */
    CAROM_CORE_CYLINDER,
    CAROM_CORE_PLANE,
    CAROM_CORE_MESH
} carom_core;

struct carom_shape {
    carom_arena *arena;
    carom_shape_kind kind;
    int space;
    carom_core core;
    double radius;           /* about the core: that of a sphere or capsule and the rounding */
    double half[3];          /* box: half lengths. cylinder: radius, radius, half length */
    v3 normal;               /* plane: unit */
    carom_polytope polytope; /* of CAROM_CORE_POLYTOPE */
    carom_mesh mesh;         /* of CAROM_CORE_MESH */
    double size;             /* largest distance of a point of the core from the origin */
};

static inline frame frame_of(const carom_pose *pose)
{
    const double *R = pose->rotation;
    return (frame){v3_of(pose->position), {v3_of(R), v3_of(R + 3), v3_of(R + 6)}};
}

#endif
