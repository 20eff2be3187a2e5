/* Shapes and the distances between them, in space and in the plane, in double precision
 * (docs/theory/shapes.md, docs/theory/collision.md).
 *
 * A shape is the set of points within `radius` of a core: a point, a segment, a convex polytope, a
 * cylinder, a half-space, a surface of triangles. Shapes are constant once made and may be shared
 * by bodies and threads; where they are is said by a pose at each call.
 *
 *     carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_BOX);
 *     def.size[0] = def.size[1] = def.size[2] = 0.1;
 *     carom_shape *box;
 *     carom_shape_create(&def, NULL, &box, &error);
 *     carom_touch touch;
 *     carom_shape_distance(box, &pose_a, box, &pose_b, &touch);
 */
#ifndef CAROM_COLLISION_H
#define CAROM_COLLISION_H

#include "carom/base.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The registry of shapes: enumerator, and the name of the file and the table of each kind,
 * src/bodies/shape_<name>.c. A new kind is its file and its line here. */
#define CAROM_SHAPE_KINDS(X)                                                                       \
    X(SPHERE, sphere)                                                                              \
    X(BOX, box)                                                                                    \
    X(CAPSULE, capsule)                                                                            \
    X(CYLINDER, cylinder)                                                                          \
    X(ELLIPSOID, ellipsoid)                                                                        \
    X(HULL, hull)                                                                                  \
    X(LINE, line)                                                                                  \
    X(PLANE, plane)                                                                                \
    X(MESH, mesh)                                                                                  \
    X(HEIGHTS, heights)

typedef enum carom_shape_kind {
#define CAROM_SHAPE_ENUMERATOR(NAME, name) CAROM_SHAPE_##NAME,
    CAROM_SHAPE_KINDS(CAROM_SHAPE_ENUMERATOR)
#undef CAROM_SHAPE_ENUMERATOR
        CAROM_SHAPE_KIND_COUNT
} carom_shape_kind;

/* What the value of a shape is in a scene file, and the part of the definition that takes it. */
typedef enum carom_shape_form {
    CAROM_SHAPE_OF_SIZES, /* lengths > 0: size */
    CAROM_SHAPE_OF_POINTS,
    CAROM_SHAPE_OF_NORMAL,
    CAROM_SHAPE_OF_TRIANGLES, /* a file of them */
    CAROM_SHAPE_OF_HEIGHTS
} carom_shape_form;

/* How a shape is called in scene files: its word (NULL: it is not there), what stands beside it,
 * what that means, and how many lengths there are. */
typedef struct carom_shape_words {
    const char *word, *value, *doc;
    int sizes;
} carom_shape_words;

/* What a kind of shape says about itself. */
typedef struct carom_shape_info {
    carom_shape_words space, plane; /* in space, in the plane */
    carom_shape_form form;
    bool endless; /* it has no end or no inside, and is for fixed bodies only */
    bool drawn;   /* the page of `carom view` draws it from its definition; others travel with
                     their surface */
} carom_shape_info;

/* NULL: there is no such kind. */
CAROM_API const carom_shape_info *carom_shape_describe(carom_shape_kind kind);

/* What a shape is made from. Arrays are borrowed while the shape is made. In the plane points have
 * two numbers, and size[2], normal[2] are not read. */
typedef struct carom_shape_def {
    carom_shape_kind kind;
    int space;        /* 3, or 2: the plane */
    double size[3];   /* sphere: radius. capsule, cylinder: length, radius; along z (the plane: x),
                         about the origin; a capsule's length is that of its straight part. box:
                         full lengths, about the origin. heights: distance of columns, of rows */
    double radius;    /* rounding, >= 0: all points within this distance belong to the shape too */
    double normal[3]; /* plane: towards the free side, any length; it goes through the origin */
    int point_count;  /* hull, polygon, line, mesh */
    const double *points;
    int triangle_count; /* mesh: three points each, counter-clockwise seen from outside */
    const int *triangles;
    int rows, columns;     /* heights, at least 2 each; the middle of the grid is the origin */
    const double *heights; /* rows x columns, row by row: z at x = column, y = row */
} carom_shape_def;

/* Space 3, sizes 1, no rounding, normal z. */
CAROM_API carom_shape_def carom_shape_def_default(carom_shape_kind kind);

/* The word for a kind in scene files and messages; "shape" where there is none. */
CAROM_API const char *carom_shape_kind_text(carom_shape_kind kind, int space);

typedef struct carom_shape carom_shape;

/* Make a shape. Refused with the reason: sizes that are not positive, points that do not span the
 * space, meshes that are open, inverted or not one surface, numbers that are not finite. */
CAROM_API carom_status carom_shape_create(const carom_shape_def *def,
                                          const carom_allocator *allocator, carom_shape **shape,
                                          carom_error *error);
CAROM_API void carom_shape_destroy(carom_shape *shape); /* NULL is allowed */

CAROM_API carom_shape_kind carom_shape_get_kind(const carom_shape *shape);
CAROM_API int carom_shape_get_space(const carom_shape *shape);

/* A line that shows a shape in a picture, in its own frame. With a radius one point is a circle
 * (in space a ball), two are the outline of what is within the radius of the segment. */
enum { CAROM_SHAPE_LINE_MOST = 30 };
typedef struct carom_shape_line {
    int count;
    double radius;
    bool
        corners; /* a box in space: its eight corners, bit i of a number for the end along axis i */
    double points[CAROM_SHAPE_LINE_MOST][3];
} carom_shape_line;

/* Line k of the shape. False: there are no more. */
CAROM_API bool carom_shape_outline(const carom_shape_def *def, int k, carom_shape_line *line);

/* A surface of triangles that shows a shape in space, in its own frame and in the arena; triangles
 * counter-clockwise from outside. A half-space has none. The rounding of a mesh is not shown. */
typedef struct carom_shape_surface {
    int point_count, triangle_count;
    double (*points)[3];
    int (*triangles)[3];
    bool smooth; /* it stands for a round one; otherwise it has edges */
} carom_shape_surface;
CAROM_API carom_status carom_shape_get_surface(const carom_shape *shape, carom_arena *arena,
                                               carom_shape_surface *surface, carom_error *error);

/* Where a shape is: x = position + rotation x_body. The plane: position[2] = 0, rotation about z.
 */
typedef struct carom_pose {
    double position[3];
    double rotation[9]; /* column k: where axis k of the body points; orthogonal */
} carom_pose;

/* The pose of a position and a quaternion (w, x, y, z), which is normalised; false when it is zero.
 * The second: a position and an angle in the plane. */
CAROM_API bool carom_pose_set(carom_pose *pose, const double position[3], const double turn[4]);
CAROM_API void carom_pose_set_plane(carom_pose *pose, const double position[2], double angle);

/* Mass, centre of mass and inertia. The plane: mass per area; inertia[8] is the moment about the
 * centre. */
typedef struct carom_mass {
    double mass;
    double centre[3];
    double inertia[9]; /* about the centre, symmetric */
} carom_mass;

/* Mass properties of a shape of the density given, exact for every shape but for rounding errors.
 * CAROM_ERROR_UNSUPPORTED for shapes without a volume of their own (plane, heights, a line without
 * radius) and for rounded meshes. */
CAROM_API carom_status carom_shape_mass(const carom_shape *shape, double density, carom_mass *mass,
                                        carom_error *error);

/* Add the mass of a part that stands at the pose `at` of the whole. */
CAROM_API void carom_mass_add(carom_mass *whole, const carom_mass *part, const carom_pose *at);

/* Mass > 0; inertia symmetric, positive definite, with moments that some body can have (none larger
 * than the sum of the two others). The plane: the moment > 0. */
CAROM_API carom_status carom_mass_check(const carom_mass *mass, int space, carom_error *error);

/* A box along the axes that holds the shape; infinite where the shape is. */
CAROM_API void carom_shape_bounds(const carom_shape *shape, const carom_pose *pose, double lower[3],
                                  double upper[3]);

/* A contact between shapes a and b. */
typedef struct carom_touch {
    double gap;        /* signed distance; negative: the shapes overlap by that */
    double a[3], b[3]; /* points of the surfaces of a and of b: b - a = gap normal */
    double normal[3];  /* unit, from a to b */
    uint64_t name;     /* the two features, a's in the upper half; the same as long as they are */
} carom_touch;

/* The nearest points of two shapes of one space, or the deepest where they overlap: the shortest
 * way to part them (meshes: of the triangles one by one). */
CAROM_API void carom_shape_distance(const carom_shape *a, const carom_pose *pose_a,
                                    const carom_shape *b, const carom_pose *pose_b,
                                    carom_touch *touch);

/* All contacts with gap <= reach: the corners of what the surfaces have in common, none left out.
 * Returns their number; only the first `room` are written, so that a second call with more room
 * gets the rest. */
CAROM_API int carom_shape_manifold(const carom_shape *a, const carom_pose *pose_a,
                                   const carom_shape *b, const carom_pose *pose_b, double reach,
                                   int room, carom_touch *touches);

#ifdef __cplusplus
}
#endif
#endif
