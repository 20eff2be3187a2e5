/* A cylinder along z about the origin. */
#include "bodies/shape.h"

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    carom_status status = carom_shape_check_length(def, "length", def->size[0], error);
    if (!status)
        status = carom_shape_check_length(def, "radius", def->size[1], error);
    shape->core = CAROM_CORE_CYLINDER;
    shape->half[0] = shape->half[1] = def->size[1];
    shape->half[2] = def->size[0] / 2;
    shape->size = hypot(shape->half[0], shape->half[2]);
    return status;
}

/* The two rims. */
static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    enum { ROUND = 24 };
    *line = (carom_shape_line){.count = ROUND + 1};
    for (int i = 0; i <= ROUND; i++) {
        line->points[i][0] = def->size[1] * cos(2 * CAROM_PI * i / ROUND);
        line->points[i][1] = def->size[1] * sin(2 * CAROM_PI * i / ROUND);
        line->points[i][2] = (k ? 1 : -1) * def->size[0] / 2;
    }
    return k < 2;
}

const carom_shape_ops carom_shape_cylinder_ops = {
    .is = {.space = {"cylinder", "[length, r]", "along z; in space", 2}, .drawn = true},
    .make = make,
    .outline = outline,
};
