/* A segment about the origin with a radius, along z (the plane: x). */
#include "bodies/shape.h"

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    double half = def->size[0] / 2;
    v3 end = def->space == 3 ? (v3){0, 0, half} : (v3){half, 0, 0};
    carom_status status = carom_shape_check_length(def, "length", def->size[0], error);
    if (!status)
        status = carom_shape_check_length(def, "radius", def->size[1], error);
    shape->radius += def->size[1];
    return status ? status : carom_shape_make_segment(shape, v3_neg(end), end, error);
}

static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    const int axis = def->space == 2 ? 0 : 2;
    *line = (carom_shape_line){.count = 2, .radius = def->size[1] + def->radius};
    line->points[0][axis] = def->size[0] / 2;
    line->points[1][axis] = -def->size[0] / 2;
    return k == 0;
}

#define MEANING "along z (the plane: x); length of the straight part"

const carom_shape_ops carom_shape_capsule_ops = {
    .is = {.space = {"capsule", "[length, r]", MEANING, 2},
           .plane = {"capsule", "[length, r]", MEANING, 2},
           .drawn = true},
    .make = make,
    .outline = outline,
};
