/* Shapes that touch, or overlap by a hair, however they are turned: the manifold has the normal of
 * the nearest pair, and a surface of triangles has no contact deeper than the body that it bounds.
 */
#include "bodies/shape.h"
#include "family.h"
#include "sized_shape.h"

enum { ROOM = 256, CORNERS = 9 };

static carom_shape *random_hull(family *f)
{
    double points[3 * CORNERS];
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
    carom_shape *shape = NULL;
    for (int k = 0; k < 3 * CORNERS; k++)
        points[k] = check_random_in(&f->random, -0.7, 0.7);
    def.point_count = CORNERS;
    def.points = points;
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

static carom_shape *draw(family *f)
{
    const int which = check_random_int(&f->random, 3);
    const double a = check_random_in(&f->random, 0.3, 1), b = check_random_in(&f->random, 0.3, 1);
    if (which == 0)
        return random_hull(f);
    return sized(which == 1 ? CAROM_SHAPE_BOX : CAROM_SHAPE_CYLINDER, a, b,
                 check_random_in(&f->random, 0.3, 1));
}

static carom_pose turned(family *f, double far)
{
    carom_pose pose;
    double x[3], turn[4];
    for (int k = 0; k < 3; k++)
        x[k] = check_random_in(&f->random, -far, far);
    for (int k = 0; k < 4; k++)
        turn[k] = check_random_in(&f->random, -1, 1);
    assert_true(carom_pose_set(&pose, x, turn));
    return pose;
}

/* The largest n.x of a shape. */
static double farthest(const carom_shape *shape, const carom_pose *at, v3 n)
{
    const double *R = at->rotation;
    const v3 d = {v3_dot(n, v3_of(R)), v3_dot(n, v3_of(R + 3)), v3_dot(n, v3_of(R + 6))};
    double most = -INFINITY;
    if (carom_shape_get_kind(shape) == CAROM_SHAPE_CYLINDER)
        most = shape->half[0] * sqrt(d.x * d.x + d.y * d.y) + shape->half[2] * fabs(d.z);
    for (int k = 0; k < shape->polytope.vertex_count; k++)
        most = fmax(most, v3_dot(d, shape->polytope.vertex[k]));
    return v3_dot(n, v3_of(at->position)) + most;
}

/* Along the normal of the nearest pair this is the gap, along any other it is less. */
static double separation(const carom_shape *a, const carom_pose *at_a, const carom_shape *b,
                         const carom_pose *at_b, v3 n)
{
    return -farthest(a, at_a, n) - farthest(b, at_b, v3_neg(n));
}

/* Move b towards a until the gap is the one given: along the normal the nearest pair stays what it
 * is. False: they overlap where they are. */
static bool approach(const carom_shape *a, const carom_pose *at_a, const carom_shape *b,
                     carom_pose *at_b, double gap, carom_touch *apart)
{
    carom_shape_distance(a, at_a, b, at_b, apart);
    for (int k = 0; k < 3; k++)
        at_b->position[k] -= (apart->gap - gap) * apart->normal[k];
    return apart->gap > 0.01;
}

/* Whole powers of ten from 1e-15 to 1e-5 on either side, and zero. */
static double small_gap(family *f)
{
    const int k = check_random_int(&f->random, 23) - 11;
    return k == 0 ? 0 : (k < 0 ? -1 : 1) * pow(10, -4. - abs(k));
}

static void test_normals(void **state)
{
    (void)state;
    family f = family_start("normals of what touches", 3, 6000);
    while (family_next(&f)) {
        carom_shape *a = draw(&f), *b = draw(&f);
        const carom_pose at_a = turned(&f, 0);
        carom_pose at_b = turned(&f, 2);
        carom_touch apart, t[ROOM];
        const double gap = small_gap(&f);
        if (approach(a, &at_a, b, &at_b, gap, &apart)) {
            const int count = carom_shape_manifold(a, &at_a, b, &at_b, 1e-3, ROOM, t);
            double most = -INFINITY;
            for (int k = 0; k < count; k++)
                most = fmax(most, separation(a, &at_a, b, &at_b, v3_of(t[k].normal)));
            carom_shape_distance(a, &at_a, b, &at_b, &apart);
            family_check(&f, most >= apart.gap - 1e-7, "%s and %s, gap %g: at most %g apart",
                         carom_shape_kind_text(carom_shape_get_kind(a), 3),
                         carom_shape_kind_text(carom_shape_get_kind(b), 3), apart.gap, most);
        }
        carom_shape_destroy(a);
        carom_shape_destroy(b);
    }
    family_end(&f);
}

/* The surface of a convex body as a mesh. */
static carom_shape *mesh_of(const carom_shape *body)
{
    carom_arena *arena = NULL;
    carom_shape_surface surface;
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_MESH);
    carom_shape *mesh = NULL;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_shape_get_surface(body, arena, &surface, NULL), NULL);
    def.point_count = surface.point_count;
    def.points = &surface.points[0][0];
    def.triangle_count = surface.triangle_count;
    def.triangles = &surface.triangles[0][0];
    check_ok(carom_shape_create(&def, NULL, &mesh, NULL), NULL);
    carom_arena_destroy(arena);
    return mesh;
}

static void test_surfaces(void **state)
{
    (void)state;
    family f = family_start("surfaces that touch", 5, 3000);
    while (family_next(&f)) {
        carom_shape *hull = random_hull(&f), *mesh = mesh_of(hull), *b = draw(&f);
        const carom_pose at_a = turned(&f, 0);
        carom_pose at_b = turned(&f, 2);
        carom_touch apart, t[ROOM];
        /* Two times out of three turned like the hull, so that edges and faces are parallel. */
        if (check_random_int(&f.random, 3))
            memcpy(at_b.rotation, at_a.rotation, sizeof at_b.rotation);
        const bool near = approach(hull, &at_a, b, &at_b, small_gap(&f), &apart);
        for (int kind = 0; near && kind < 2; kind++) {
            const bool both = kind && carom_shape_get_kind(b) != CAROM_SHAPE_CYLINDER;
            carom_shape *other = both ? mesh_of(b) : NULL;
            carom_shape_distance(hull, &at_a, b, &at_b, &apart);
            const int count =
                carom_shape_manifold(mesh, &at_a, other ? other : b, &at_b, 1e-3, ROOM, t);
            double least = INFINITY;
            for (int k = 0; k < count; k++)
                least = fmin(least, t[k].gap);
            /* Along a face that leans over the nearest pair a contact may be up to twice as deep.
             */
            const double allowed = 1e-7 + 3 * fabs(apart.gap);
            family_check(&f, fabs(least - apart.gap) <= allowed,
                         "%s: %d contacts, deepest %g of %g", both ? "two meshes" : "mesh", count,
                         least, apart.gap);
            carom_shape_destroy(other);
        }
        carom_shape_destroy(hull);
        carom_shape_destroy(mesh);
        carom_shape_destroy(b);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normals),
        cmocka_unit_test(test_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
