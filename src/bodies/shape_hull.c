/* The convex hull of points, and the convex polygon of the plane. */
#include "bodies/hull.h"
#include "bodies/shape.h"

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 *points = NULL;
    if (def->space == 2)
        return carom_shape_make_polygon(def, shape, error);
    carom_status status = carom_shape_copy_points(def, shape, &points, error);
    if (!status)
        status = carom_hull_build(def->point_count, points, shape->arena, &shape->polytope, error);
    return status;
}

/* The polygon, or all lines between the points of a small hull. */
static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    const int n = def->point_count;
    *line = (carom_shape_line){0};
    if (def->space == 2) {
        for (int j = 0; j <= n && n < CAROM_SHAPE_LINE_MOST; j++)
            carom_shape_line_add(line, def, j % n);
        return k == 0 && n < CAROM_SHAPE_LINE_MOST;
    }
    for (int i = 0; i < n && n <= CAROM_SHAPE_LINE_MOST; i++)
        if (k < n - 1 - i) {
            carom_shape_line_add(line, def, i);
            carom_shape_line_add(line, def, i + 1 + k);
            return true;
        } else {
            k -= n - 1 - i;
        }
    return false;
}

const carom_shape_ops carom_shape_hull_ops = {
    .is = {.space = {"hull", "list of points", "convex hull; in space", 0},
           .plane = {"polygon", "list of points", "convex hull; in the plane", 0},
           .form = CAROM_SHAPE_OF_POINTS,
           .drawn = true},
    .make = make,
    .outline = outline,
};
