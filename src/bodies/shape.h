/* The inside of a shape: a core and a radius. Each kind is a table in a file of its own,
 * shape_<name>.c, and a line in CAROM_SHAPE_KINDS of carom/collision.h. Nobody else asks which kind
 * a shape is. */
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
    CAROM_CORE_MESH,
    CAROM_CORE_CONVEX, /* strictly convex, known by its support function */
    CAROM_CORE_COUNT
} carom_core;

/* Lengths whose products of three are still far from overflow and underflow. */
#define CAROM_SHAPE_LEAST   1e-60
#define CAROM_SHAPE_LARGEST 1e60

struct carom_moments;

typedef struct carom_shape_ops {
    carom_shape_info is; /* for users */
    /* Fill the core; arena, kind, space and radius (the rounding) are set. */
    carom_status (*make)(const carom_shape_def *def, carom_shape *shape, carom_error *error);
    /* A box along the axes around the core at f. NULL: that of the core. */
    void (*bounds)(const carom_shape *shape, const frame *f, v3 *lower, v3 *upper);
    /* Of CAROM_CORE_CONVEX: the point of the core farthest along d, of any length > 0; and the
     * integrals over the whole shape, about the origin of its frame. */
    v3 (*support)(const carom_shape *shape, v3 d);
    void (*moments)(const carom_shape *shape, struct carom_moments *m);
    /* Line k of a picture. False: there are no more. NULL: none. */
    bool (*outline)(const carom_shape_def *def, int k, carom_shape_line *line);
} carom_shape_ops;

#define CAROM_SHAPE_TABLE(NAME, name) extern const carom_shape_ops carom_shape_##name##_ops;
CAROM_SHAPE_KINDS(CAROM_SHAPE_TABLE)
#undef CAROM_SHAPE_TABLE

struct carom_shape {
    carom_arena *arena;
    const carom_shape_ops *ops;
    carom_shape_kind kind;
    int space;
    carom_core core;
    double radius;           /* about the core: that of a sphere or capsule and the rounding */
    bool is_box;             /* the polytope is a box about the origin */
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

/* ---- for makers ---- */

/* A number that has to be a length. */
carom_status carom_shape_check_length(const carom_shape_def *def, const char *what, double value,
                                      carom_error *error);

/* The points of the definition as vectors in the shape's arena; in the plane z = 0. */
carom_status carom_shape_copy_points(const carom_shape_def *def, carom_shape *shape, v3 **points,
                                     carom_error *error);

/* A segment between two points: one edge without faces. */
carom_status carom_shape_make_segment(carom_shape *shape, v3 a, v3 b, carom_error *error);

/* A polygon of the plane: from corners that run counter-clockwise; from the points of a definition.
 */
carom_status carom_shape_make_loop(carom_shape *shape, int count, const v3 *vertices,
                                   carom_error *error);
carom_status carom_shape_make_polygon(const carom_shape_def *def, carom_shape *shape,
                                      carom_error *error);

/* The largest distance of a point of a mesh from the origin. */
double carom_shape_size_of(const carom_mesh *mesh);

/* Half the extent of a rotated box along the axes: |R| h. */
v3 carom_shape_extent_of_box(const m3 *R, const double h[3]);

/* Add point k of the definition to a line while there is room. */
static inline void carom_shape_line_add(carom_shape_line *line, const carom_shape_def *def, int k)
{
    if (line->count == CAROM_SHAPE_LINE_MOST)
        return;
    for (int i = 0; i < def->space; i++)
        line->points[line->count][i] = def->points[def->space * k + i];
    line->count++;
}

#endif
