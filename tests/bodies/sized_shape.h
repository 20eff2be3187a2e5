/* A shape by its lengths alone. */
#ifndef CAROM_TESTS_BODIES_SIZED_SHAPE_H
#define CAROM_TESTS_BODIES_SIZED_SHAPE_H

#include "carom/collision.h"
#include "check.h"

static inline carom_shape *sized(carom_shape_kind kind, double a, double b, double c)
{
    carom_shape_def def = carom_shape_def_default(kind);
    carom_shape *shape = NULL;
    def.size[0] = a;
    def.size[1] = b;
    def.size[2] = c;
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

#endif
