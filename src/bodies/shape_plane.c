/* A half-space, and the half-plane of the plane: its normal towards the free side. */
#include "bodies/shape.h"

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
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

const carom_shape_ops carom_shape_plane_ops = {
    .is = {.space = {"plane", "three numbers", "half-space, normal to the free side; in space", 0},
           .plane = {"half-plane", "two numbers", "normal to the free side; in the plane", 0},
           .form = CAROM_SHAPE_OF_NORMAL,
           .endless = true,
           .drawn = true},
    .make = make,
};
