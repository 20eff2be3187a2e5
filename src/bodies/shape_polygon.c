/* Convex polygons of the plane: from corners in their order, and from points as a user gives them.
 */
#include "bodies/orient.h"
#include "bodies/shape.h"
#include "carom/tolerance.h"

#include <float.h>

/* A polygon narrower than this part of its size is refused: its ends would have no direction. */
static const double least_thickness = 1024 * DBL_EPSILON;
/* Heights below this part of the size are rounding, as for the faces of a hull. */
static const double plane_rounding = CAROM_TOLERANCE_SUM;

/* A polygon from vertices that run counter-clockwise: normals and offsets of its edges. */
carom_status carom_shape_make_loop(carom_shape *shape, int count, const v3 *vertices,
                                   carom_error *error)
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

carom_status carom_shape_make_polygon(const carom_shape_def *def, carom_shape *shape,
                                      carom_error *error)
{
    v3 *points = NULL, *corners;
    int count = 0;
    if (def->point_count < 3)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the polygon has %d points; it needs at least three",
                               def->point_count);
    carom_status status = carom_shape_copy_points(def, shape, &points, error);
    if (status)
        return status;
    corners = carom_arena_array(shape->arena, (size_t)def->point_count, sizeof *corners);
    if (!corners)
        return carom_error_memory(error);
    status = sort_corners(def->point_count, points, corners, &count, error);
    if (!status)
        status = carom_shape_make_loop(shape, count, corners, error);
    if (!status && !(width_of(&shape->polytope) > least_thickness))
        status = carom_error_set(error, CAROM_ERROR_INPUT,
                                 "the %d points of the polygon lie on one line up to rounding",
                                 def->point_count);
    return status;
}
