/* Manifolds are the same whichever shape is named first, to the last bit: ties included, which
 * whole-number places and turns are full of. */
#include "family.h"
#include "sized_shape.h"

#include <math.h>

enum { ROOM = 256 };

static const carom_shape_kind kinds[5] = {CAROM_SHAPE_BOX, CAROM_SHAPE_SPHERE, CAROM_SHAPE_CAPSULE,
                                          CAROM_SHAPE_CYLINDER, CAROM_SHAPE_ELLIPSOID};

/* Halves, or anything. */
static double number(family *f, bool whole, double low, double high)
{
    if (!whole)
        return check_random_in(&f->random, low, high);
    const int first = (int)ceil(2 * low), count = (int)floor(2 * high) - first + 1;
    return (first + check_random_int(&f->random, count)) / 2.0;
}

static carom_pose place(family *f, bool whole)
{
    carom_pose pose;
    double x[3], turn[4];
    for (int k = 0; k < 3; k++)
        x[k] = number(f, whole, -1.5, 1.5);
    do
        for (int k = 0; k < 4; k++)
            turn[k] = number(f, whole, -1, 1);
    while (!carom_pose_set(&pose, x, turn));
    return pose;
}

static carom_shape *draw(family *f, bool whole)
{
    const carom_shape_kind kind = kinds[check_random_int(&f->random, 5)];
    const double a = number(f, whole, 0.5, 2), b = number(f, whole, 0.5, 2);
    return sized(kind, a, b, number(f, whole, 0.5, 2));
}

static bool same(const carom_touch *t, const carom_touch *back)
{
    bool equal = t->gap == back->gap && t->name == (back->name << 32 | back->name >> 32);
    for (int k = 0; k < 3 && equal; k++)
        equal = t->a[k] == back->b[k] && t->b[k] == back->a[k] && t->normal[k] == -back->normal[k];
    return equal;
}

static void test_both_orders(void **state)
{
    (void)state;
    family f = family_start("manifolds in both orders", 11, 6000);
    while (family_next(&f)) {
        const bool whole = f.member % 2;
        carom_touch there[ROOM], back[ROOM];
        carom_shape *a = draw(&f, whole), *b = draw(&f, whole);
        const carom_pose at_a = place(&f, whole), at_b = place(&f, whole);
        const int count = carom_shape_manifold(a, &at_a, b, &at_b, 0.3, ROOM, there),
                  other = carom_shape_manifold(b, &at_b, a, &at_a, 0.3, ROOM, back);
        bool equal = count == other && count <= ROOM;
        for (int k = 0; k < count && equal; k++)
            equal = same(&there[k], &back[k]);
        family_check(&f, equal, "%d contacts of %s and %s, %d the other way round", count,
                     carom_shape_kind_text(carom_shape_get_kind(a), 3),
                     carom_shape_kind_text(carom_shape_get_kind(b), 3), other);
        carom_shape_destroy(a);
        carom_shape_destroy(b);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
