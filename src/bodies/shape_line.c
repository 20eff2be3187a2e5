/* A segment of the plane between two points. */
#include "bodies/shape.h"

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    v3 *points = NULL;
    if (def->point_count != 2)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the line has %d points; it needs two: its ends", def->point_count);
    carom_status status = carom_shape_copy_points(def, shape, &points, error);
    if (!status)
        status =
            carom_shape_check_length(def, "length", v3_norm(v3_sub(points[1], points[0])), error);
    return status ? status : carom_shape_make_segment(shape, points[0], points[1], error);
}

static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    *line = (carom_shape_line){0};
    carom_shape_line_add(line, def, 0);
    carom_shape_line_add(line, def, 1);
    return k == 0;
}

const carom_shape_ops carom_shape_line_ops = {
    .is = {.plane = {"line", "two points", "a segment; in the plane", 0},
           .form = CAROM_SHAPE_OF_POINTS},
    .make = make,
    .outline = outline,
};
