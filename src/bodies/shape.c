/* Making a shape from its definition: what is refused, and the core of each kind. */
#include "bodies/shape.h"
#include "bodies/hull.h"
#include "bodies/orient.h"

#include <float.h>
#include <string.h>

/* Lengths whose products of three are still far from overflow and underflow. */
static const double least_length = 1e-60, largest_length = 1e60;
/* A polygon narrower than this part of its size is refused: its ends would have no direction. */
static const double least_thickness = 1024 * DBL_EPSILON;
/* Heights below this part of the size are rounding, as for the faces of a hull. */
static const double plane_rounding = 64 * DBL_EPSILON;

carom_shape_def carom_shape_def_default(carom_shape_kind kind)
{
    return (carom_shape_def){.kind = kind, .space = 3, .size = {1, 1, 1}, .normal = {0, 0, 1}};
}

const char *carom_shape_kind_text(carom_shape_kind kind, int space)
{
    static const char *const words[][2] = {
#define WORDS(name, in_space, in_plane) {in_space, in_plane},
        CAROM_SHAPE_KINDS(WORDS)
#undef WORDS
    };
    const char *word = NULL;
    if ((unsigned)kind < CAROM_SHAPE_KIND_COUNT && (space == 2 || space == 3))
        word = words[kind][space == 2];
    return word ? word : "shape";
}

carom_shape_kind carom_shape_get_kind(const carom_shape *shape)
{
    return shape->kind;
}

int carom_shape_get_space(const carom_shape *shape)
{
    return shape->space;
}

/* A number that has to be a length. */
static carom_status check_length(const carom_shape_def *def, const char *what, double value,
                                 carom_error *error)
{
    const char *kind = carom_shape_kind_text(def->kind, def->space);
    if (!(value > 0))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the %s of the %s is %g; it must be positive", what, kind, value);
    if (!(value >= least_length && value <= largest_length))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the %s of the %s is %g; lengths from %g to %g are allowed", what,
                               kind, value, least_length, largest_length);
    return CAROM_OK;
}

static carom_status check_points(const carom_shape_def *def, carom_error *error)
{
    for (int k = 0; k < def->point_count * def->space; k++)
        if (!(fabs(def->points[k]) <= largest_length))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "point %d of the %s has the coordinate %g; it must be between "
                                   "%g and %g",
                                   k / def->space + 1, carom_shape_kind_text(def->kind, def->space),
                                   def->points[k], -largest_length, largest_length);
    return CAROM_OK;
}

/* The points of the definition as vectors in the shape's arena; in the plane z = 0. */
static carom_status copy_points(const carom_shape_def *def, carom_shape *shape, v3 **points,
                                carom_error *error)
{
    carom_status status = check_points(def, error);
    if (status)
        return status;
    v3 *made = carom_arena_array(shape->arena, (size_t)def->point_count, sizeof *made);
    if (!made)
        return carom_error_memory(error);
    for (int k = 0; k < def->point_count; k++) {
        const double *p = def->points + (size_t)k * (size_t)def->space;
        made[k] = (v3){p[0], p[1], def->space == 3 ? p[2] : 0};
    }
    *points = made;
    return CAROM_OK;
}

static carom_status make_sphere(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    static const v3 origin = {0, 0, 0};
    carom_status status = check_length(def, "radius", def->size[0], error);
    shape->radius += def->size[0];
    shape->polytope = (carom_polytope){.vertex_count = 1, .vertex = &origin};
    return status;
}

/* A segment between two points: one edge without faces. */
static carom_status make_segment(carom_shape *shape, v3 a, v3 b, carom_error *error)
{
    static const carom_edge edge = {{0, 1}, {-1, -1}};
    v3 *ends = carom_arena_array(shape->arena, 2, sizeof *ends);
    if (!ends)
        return carom_error_memory(error);
    ends[0] = a;
    ends[1] = b;
    shape->polytope =
        (carom_polytope){.vertex_count = 2, .edge_count = 1, .vertex = ends, .edge = &edge};
    return carom_polytope_complete(&shape->polytope, shape->arena, error);
}

static carom_status make_capsule(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    double half = def->size[0] / 2;
    v3 end = def->space == 3 ? (v3){0, 0, half} : (v3){half, 0, 0};
    carom_status status = check_length(def, "length", def->size[0], error);
    if (!status)
        status = check_length(def, "radius", def->size[1], error);
    shape->radius += def->size[1];
    return status ? status : make_segment(shape, v3_neg(end), end, error);
}

static carom_status make_cylinder(const carom_shape_def *def, carom_shape *shape,
                                  carom_error *error)
{
    carom_status status = check_length(def, "length", def->size[0], error);
    if (!status)
        status = check_length(def, "radius", def->size[1], error);
    shape->core = CAROM_CORE_CYLINDER;
    shape->half[0] = shape->half[1] = def->size[1];
    shape->half[2] = def->size[0] / 2;
    shape->size = hypot(shape->half[0], shape->half[2]);
    return status;
}

/* A polygon from vertices that run counter-clockwise: normals and offsets of its edges. */
static carom_status make_loop(carom_shape *shape, int count, const v3 *vertices, carom_error *error)
{
    v3 *normal = carom_arena_array(shape->arena, (size_t)count, sizeof *normal);
    double *offset = carom_arena_doubles(shape->arena, (size_t)count);
    if (!normal || !offset)
        return carom_error_memory(error);
    carom_polytope *p = &shape->polytope;
    *p = (carom_polytope){.vertex_count = count,
                          .edge_count = count,
                          .vertex = vertices,
                          .normal = normal,
                          .offset = offset};
    for (int k = 0; k < count; k++) {
        v3 a = vertices[k], b = vertices[(k + 1) % count], d = v3_sub(b, a);
        normal[k] = v3_unit((v3){d.y, -d.x, 0});
        offset[k] = (v3_dot(normal[k], a) + v3_dot(normal[k], b)) / 2;
        p->size = fmax(p->size, v3_norm(a));
    }
    return CAROM_OK;
}

/* Vertex k has the signs of the bits of k: x is bit 0. */
static carom_status make_box_in_space(const double h[3], carom_shape *shape, carom_error *error)
{
    static const int start[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int loop[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    v3 *vertices = carom_arena_array(shape->arena, 8, sizeof *vertices);
    if (!vertices)
        return carom_error_memory(error);
    for (int k = 0; k < 8; k++)
        vertices[k] = (v3){k & 1 ? h[0] : -h[0], k & 2 ? h[1] : -h[1], k & 4 ? h[2] : -h[2]};
    shape->polytope = (carom_polytope){.vertex_count = 8,
                                       .face_count = 6,
                                       .vertex = vertices,
                                       .loop_start = start,
                                       .loop_vertex = loop};
    return carom_polytope_complete(&shape->polytope, shape->arena, error);
}

static carom_status make_box(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    static const char *const names[3] = {"first length", "second length", "third length"};
    for (int k = 0; k < def->space; k++) {
        carom_status status = check_length(def, names[k], def->size[k], error);
        if (status)
            return status;
        shape->half[k] = def->size[k] / 2;
    }
    const double *h = shape->half;
    if (def->space == 3)
        return make_box_in_space(h, shape, error);
    v3 *vertices = carom_arena_array(shape->arena, 4, sizeof *vertices);
    if (!vertices)
        return carom_error_memory(error);
    vertices[0] = (v3){-h[0], -h[1], 0};
    vertices[1] = (v3){h[0], -h[1], 0};
    vertices[2] = (v3){h[0], h[1], 0};
    vertices[3] = (v3){-h[0], h[1], 0};
    return make_loop(shape, 4, vertices, error);
}

/* How often the direction of x changes along a closed loop of points: twice for a convex one, more
 * often for one that winds twice. */
static int turns_of_x(int count, const v3 *p)
{
    int changes = 0, last = 0, first = 0;
    for (int k = 0; k < count; k++) {
        double dx = p[(k + 1) % count].x - p[k].x;
        int sign = (dx > 0) - (dx < 0);
        changes += sign && last && sign != last;
        first = first ? first : sign;
        last = sign ? sign : last;
    }
    return changes + (first != last);
}

/* Leave out corners that lie on the line of their neighbours up to rounding. */
static int drop_straight(int count, v3 *corners)
{
    double size = 0;
    int kept = 0;
    for (int k = 0; k < count; k++)
        size = fmax(size, v3_max(v3_sub(corners[k], corners[0])));
    for (int k = 0; k < count; k++) {
        v3 a = kept ? corners[kept - 1] : corners[count - 1], b = corners[k],
           c = k + 1 < count ? corners[k + 1] : corners[0];
        v3 along = v3_sub(c, a);
        double height = v3_norm(v3_cross(along, v3_sub(b, a)));
        bool between = v3_dot(v3_sub(b, a), v3_sub(c, b)) > 0;
        if (!between || height > plane_rounding * size * v3_norm(along))
            corners[kept++] = b;
    }
    return kept;
}

/* The corners of a convex polygon given in either order, counter-clockwise, without points in the
 * middle of an edge. Signs are exact. */
static carom_status sort_corners(int count, const v3 *given, v3 *corners, int *corner_count,
                                 carom_error *error)
{
    int sign = 0, made = 0;
    for (int k = 0; k < count; k++) {
        v3 a = given[(k + count - 1) % count], b = given[k], c = given[(k + 1) % count];
        int here = carom_orient_plane(a, b, c);
        if (b.x == c.x && b.y == c.y)
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "points %d and %d of the polygon are the same: (%g, %g)", k + 1,
                                   (k + 1) % count + 1, b.x, b.y);
        if (here == 0 && v3_dot(v3_sub(b, a), v3_sub(c, b)) < 0)
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the polygon turns back on itself at point %d (%g, %g)", k + 1,
                                   b.x, b.y);
        if (here && sign && here != sign)
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the polygon is not convex at point %d (%g, %g); make the body "
                                   "of several convex shapes",
                                   k + 1, b.x, b.y);
        sign = sign ? sign : here;
        if (here)
            corners[made++] = b;
    }
    made = made < 3 ? made : drop_straight(made, corners);
    if (made < 3)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the %d points of the polygon lie on one line", count);
    if (turns_of_x(made, corners) > 2)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the polygon winds around more than once; list its corners in the "
                               "order of its boundary");
    for (int k = 0; sign < 0 && k < made / 2; k++) {
        v3 keep = corners[k];
        corners[k] = corners[made - 1 - k];
        corners[made - 1 - k] = keep;
    }
    *corner_count = made;
    return CAROM_OK;
}

/* The least width of a polygon across one of its edges, as a part of its size. */
static double width_of(const carom_polytope *p)
{
    double width = INFINITY, size = 0;
    for (int k = 0; k < p->vertex_count; k++) {
        double across = 0;
        size = fmax(size, v3_max(v3_sub(p->vertex[k], p->vertex[0])));
        for (int v = 0; v < p->vertex_count; v++)
            across = fmax(across, p->offset[k] - v3_dot(p->normal[k], p->vertex[v]));
        width = fmin(width, across);
    }
    return width / size;
}

static carom_status make_polygon(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 *points = NULL, *corners;
    int count = 0;
    if (def->point_count < 3)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the polygon has %d points; it needs at least three",
                               def->point_count);
    carom_status status = copy_points(def, shape, &points, error);
    if (status)
        return status;
    corners = carom_arena_array(shape->arena, (size_t)def->point_count, sizeof *corners);
    if (!corners)
        return carom_error_memory(error);
    status = sort_corners(def->point_count, points, corners, &count, error);
    if (!status)
        status = make_loop(shape, count, corners, error);
    if (!status && !(width_of(&shape->polytope) > least_thickness))
        status = carom_error_set(error, CAROM_ERROR_INPUT,
                                 "the %d points of the polygon lie on one line up to rounding",
                                 def->point_count);
    return status;
}

static carom_status make_hull(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 *points = NULL;
    if (def->space == 2)
        return make_polygon(def, shape, error);
    carom_status status = copy_points(def, shape, &points, error);
    if (!status)
        status = carom_hull_build(def->point_count, points, shape->arena, &shape->polytope, error);
    return status;
}

static carom_status make_line(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 *points = NULL;
    if (def->point_count != 2)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the line has %d points; it needs two: its ends", def->point_count);
    carom_status status = copy_points(def, shape, &points, error);
    if (!status)
        status = check_length(def, "length", v3_norm(v3_sub(points[1], points[0])), error);
    return status ? status : make_segment(shape, points[0], points[1], error);
}

static carom_status make_plane(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 n = v3_of(def->normal);
    n.z = def->space == 3 ? n.z : 0;
    if (!(v3_max(n) > 0) || !isfinite(v3_max(n)))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the normal of the %s is (%g, %g, %g); it must be finite and not "
                               "zero",
                               carom_shape_kind_text(def->kind, def->space), n.x, n.y, n.z);
    shape->core = CAROM_CORE_PLANE;
    shape->normal = v3_unit(n);
    return CAROM_OK;
}

static double size_of(const carom_mesh *mesh)
{
    double size = 0;
    for (int k = 0; k < mesh->vertex_count; k++)
        size = fmax(size, v3_norm(mesh->vertex[k]));
    return size;
}

static carom_status make_mesh(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 *points = NULL;
    if (def->triangle_count < 4)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the mesh has %d triangles; a closed one has at least four",
                               def->triangle_count);
    carom_status status = copy_points(def, shape, &points, error);
    if (!status)
        status = carom_mesh_build(def->point_count, points, def->triangle_count, def->triangles,
                                  false, shape->arena, &shape->mesh, error);
    shape->core = CAROM_CORE_MESH;
    shape->size = status ? 0 : size_of(&shape->mesh);
    return status;
}

/* Points and triangles of a field of heights: two triangles a cell, cut from corner (i, j) to
 * (i + 1, j + 1). */
static void fill_heights(const carom_shape_def *def, v3 *points, int *triangles)
{
    int rows = def->rows, columns = def->columns;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            points[i * columns + j] =
                (v3){(j - (columns - 1) / 2.0) * def->size[0],
                     (i - (rows - 1) / 2.0) * def->size[1], def->heights[i * columns + j]};
    for (int i = 0; i + 1 < rows; i++)
        for (int j = 0; j + 1 < columns; j++) {
            int a = i * columns + j, b = a + 1, c = a + columns, d = c + 1;
            const int two[6] = {a, b, d, a, d, c};
            memcpy(triangles, two, sizeof two);
            triangles += 6;
        }
}

static carom_status check_heights(const carom_shape_def *def, carom_error *error)
{
    if (def->rows < 2 || def->columns < 2)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the field of heights has %d rows and %d columns; it needs at least "
                               "2 of each",
                               def->rows, def->columns);
    if ((double)def->rows * def->columns > 1e8)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the field of heights has %d rows and %d columns; at most 1e8 "
                               "heights are allowed",
                               def->rows, def->columns);
    for (int k = 0; k < def->rows * def->columns; k++)
        if (!(fabs(def->heights[k]) <= largest_length))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the height of row %d, column %d is %g; it must be finite",
                                   k / def->columns + 1, k % def->columns + 1, def->heights[k]);
    carom_status status = check_length(def, "distance of columns", def->size[0], error);
    return status ? status : check_length(def, "distance of rows", def->size[1], error);
}

static carom_status make_heights(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    carom_status status = check_heights(def, error);
    if (status)
        return status;
    int count = def->rows * def->columns, cells = (def->rows - 1) * (def->columns - 1);
    v3 *points = carom_arena_array(shape->arena, (size_t)count, sizeof *points);
    int *triangles = carom_arena_array(shape->arena, 6 * (size_t)cells, sizeof *triangles);
    if (!points || !triangles)
        return carom_error_memory(error);
    fill_heights(def, points, triangles);
    shape->core = CAROM_CORE_MESH;
    status = carom_mesh_build(count, points, 2 * cells, triangles, true, shape->arena, &shape->mesh,
                              error);
    shape->size = status ? 0 : size_of(&shape->mesh);
    return status;
}

typedef carom_status (*maker)(const carom_shape_def *, carom_shape *, carom_error *);

static const maker makers[CAROM_SHAPE_KIND_COUNT] = {
    [CAROM_SHAPE_SPHERE] = make_sphere,  [CAROM_SHAPE_CAPSULE] = make_capsule,
    [CAROM_SHAPE_BOX] = make_box,        [CAROM_SHAPE_CYLINDER] = make_cylinder,
    [CAROM_SHAPE_HULL] = make_hull,      [CAROM_SHAPE_LINE] = make_line,
    [CAROM_SHAPE_PLANE] = make_plane,    [CAROM_SHAPE_MESH] = make_mesh,
    [CAROM_SHAPE_HEIGHTS] = make_heights};

static carom_status check_kind(const carom_shape_def *def, carom_error *error)
{
    if ((unsigned)def->kind >= CAROM_SHAPE_KIND_COUNT)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%d is no kind of shape",
                               (int)def->kind);
    if (def->space != 2 && def->space != 3)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the space of the shape is %d; 2 (the plane) and 3 are allowed",
                               def->space);
    bool known = strcmp(carom_shape_kind_text(def->kind, def->space), "shape") != 0;
    if (!known)
        return carom_error_set(error, CAROM_ERROR_INPUT, "there is no %s in %s",
                               carom_shape_kind_text(def->kind, 5 - def->space),
                               def->space == 2 ? "the plane" : "space");
    if (!(def->radius >= 0 && def->radius <= largest_length))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the rounding radius of the %s is %g; it must be 0 or positive",
                               carom_shape_kind_text(def->kind, def->space), def->radius);
    return CAROM_OK;
}

carom_status carom_shape_create(const carom_shape_def *def, const carom_allocator *allocator,
                                carom_shape **shape, carom_error *error)
{
    carom_arena *arena;
    carom_status status = check_kind(def, error);
    if (!status)
        status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    carom_shape *made = carom_arena_zeros(arena, 1, sizeof *made);
    if (made) {
        made->arena = arena;
        made->kind = def->kind;
        made->space = def->space;
        made->radius = def->radius;
        status = makers[def->kind](def, made, error);
        if (made->core == CAROM_CORE_POLYTOPE)
            made->size = made->polytope.size;
    } else {
        status = carom_error_memory(error);
    }
    if (status)
        carom_arena_destroy(arena);
    else
        *shape = made;
    return status;
}

void carom_shape_destroy(carom_shape *shape)
{
    if (shape)
        carom_arena_destroy(shape->arena);
}
