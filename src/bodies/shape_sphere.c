/* A ball, and the circle of the plane: a point and its radius. */
#include "bodies/shape.h"

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    static const v3 origin = {0, 0, 0};
    carom_status status = carom_shape_check_length(def, "radius", def->size[0], error);
    shape->radius += def->size[0];
    shape->polytope = (carom_polytope){.vertex_count = 1, .vertex = &origin};
    return status;
}

static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    *line = (carom_shape_line){.count = 1, .radius = def->size[0] + def->radius};
    return k == 0;
}

const carom_shape_ops carom_shape_sphere_ops = {
    .is = {.space = {"sphere", "number > 0", "radius", 1},
           .plane = {"circle", "number > 0", "radius; in the plane", 1},
           .drawn = true},
    .make = make,
    .outline = outline,
};
