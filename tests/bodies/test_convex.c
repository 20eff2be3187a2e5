/* Ellipsoids, and with them all shapes that are known by a support function: a ball written as an
 * ellipsoid against the ball itself; points and normals that prove the distance; a search over all
 * directions for overlaps. */
#include "bodies/shape.h"
#include "family.h"
#include "sized_shape.h"
#include "support_search.h"

enum { PAIRS = 2000, OTHERS = 6 };

typedef struct side {
    carom_shape *shape;
    carom_pose pose;
} side;

/* A box as a closed surface of triangles. */
static carom_shape *box_of_triangles(double a, double b, double c)
{
    static const int triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    double points[8][3];
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_MESH);
    carom_shape *shape = NULL;
    for (int k = 0; k < 8; k++) {
        points[k][0] = k & 1 ? a / 2 : -a / 2;
        points[k][1] = k & 2 ? b / 2 : -b / 2;
        points[k][2] = k & 4 ? c / 2 : -c / 2;
    }
    def.point_count = 8;
    def.points = points[0];
    def.triangle_count = 12;
    def.triangles = triangles;
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

static carom_shape *other(check_random *r, int which)
{
    const double a = check_random_in(r, 0.3, 1), b = check_random_in(r, 0.3, 1),
                 c = check_random_in(r, 0.3, 1);
    switch (which) {
    case 0:
        return sized(CAROM_SHAPE_SPHERE, a, 0, 0);
    case 1:
        return sized(CAROM_SHAPE_BOX, a, b, c);
    case 2:
        return sized(CAROM_SHAPE_CAPSULE, a, b, 0);
    case 3:
        return sized(CAROM_SHAPE_CYLINDER, a, b, 0);
    case 4:
        return sized(CAROM_SHAPE_PLANE, 1, 1, 1);
    default:
        return box_of_triangles(a, b, c);
    }
}

static void random_pose(check_random *r, double apart, carom_pose *pose)
{
    double x[3], e[4];
    for (int k = 0; k < 3; k++)
        x[k] = check_random_in(r, -apart, apart);
    for (int k = 0; k < 4; k++)
        e[k] = check_random_in(r, -1, 1);
    assert_true(carom_pose_set(pose, x, e));
}

/* A ball has the same contacts by its support function as in closed form, apart and in overlaps
 * that leave the cores apart. */
static void test_balls(void **unused)
{
    (void)unused;
    check_random r = {3};
    int compared = 0;
    for (int k = 0; k < PAIRS; k++) {
        const int which = k % OTHERS;
        const double radius = check_random_in(&r, 0.2, 1);
        side o = {other(&r, which), {{0}, {0}}};
        carom_shape *ball = sized(CAROM_SHAPE_SPHERE, radius, 0, 0),
                    *round = sized(CAROM_SHAPE_ELLIPSOID, radius, radius, radius);
        carom_pose at;
        carom_touch expected, found;
        random_pose(&r, 1, &o.pose);
        random_pose(&r, 1.5, &at);
        carom_shape_distance(ball, &at, o.shape, &o.pose, &expected);
        carom_shape_distance(round, &at, o.shape, &o.pose, &found);
        if (isfinite(expected.gap) && expected.gap > -radius / 4) {
            const double far = 1e-11;
            check_close(found.gap, expected.gap, 1e-13);
            for (int i = 0; i < 3; i++) {
                check_close(found.normal[i], expected.normal[i], far);
                check_close(found.a[i], expected.a[i], far);
                check_close(found.b[i] - found.a[i], found.gap * found.normal[i], 1e-14);
            }
            compared++;
        }
        carom_shape_destroy(ball);
        carom_shape_destroy(round);
        carom_shape_destroy(o.shape);
    }
    assert_true(compared > PAIRS / 2);
}

/* The farthest point of a shape along n, from its definition. */
static v3 farthest(const void *body, v3 n)
{
    const side *s = body;
    const frame f = frame_of(&s->pose);
    const v3 d = m3_back(f.R, n);
    const double *h = s->shape->half, across = hypot(d.x, d.y);
    v3 x = {0, 0, 0};
    if (s->shape->kind == CAROM_SHAPE_ELLIPSOID) {
        const double size =
            sqrt(h[0] * h[0] * d.x * d.x + h[1] * h[1] * d.y * d.y + h[2] * h[2] * d.z * d.z);
        return frame_point(
            &f, (v3){h[0] * h[0] * d.x / size, h[1] * h[1] * d.y / size, h[2] * h[2] * d.z / size});
    }
    if (s->shape->kind == CAROM_SHAPE_CYLINDER)
        x = (v3){across > 0 ? h[0] * d.x / across : 0, across > 0 ? h[0] * d.y / across : 0,
                 d.z > 0 ? h[2] : -h[2]};
    else if (s->shape->kind == CAROM_SHAPE_BOX)
        x = (v3){copysign(h[0], d.x), copysign(h[1], d.y), copysign(h[2], d.z)};
    else if (s->shape->kind == CAROM_SHAPE_CAPSULE)
        x = v3_scale(d.z > 0 ? 1 : -1, s->shape->polytope.vertex[1]);
    return frame_point(&f, v3_along(x, s->shape->radius, d));
}

/* How far a point is from the surface of a ball, a box, a capsule, a cylinder. */
static double off_surface(const side *s, v3 point)
{
    const frame f = frame_of(&s->pose);
    const v3 x = frame_back(&f, point);
    const double *h = s->shape->half, across = hypot(x.x, x.y);
    v3 out = {fabs(x.x) - h[0], fabs(x.y) - h[1], fabs(x.z) - h[2]};
    if (s->shape->kind == CAROM_SHAPE_CYLINDER)
        out = (v3){across - h[0], across - h[0], fabs(x.z) - h[2]};
    else if (s->shape->kind != CAROM_SHAPE_BOX) {
        const double end =
            s->shape->kind == CAROM_SHAPE_CAPSULE ? fabs(s->shape->polytope.vertex[1].z) : 0;
        return fabs(hypot(across, fmax(0, fabs(x.z) - end)) - s->shape->radius);
    }
    return fabs(fmax(out.x, fmax(out.y, out.z)));
}

/* Apart, the points prove that the distance is no larger and the normal that it is no smaller. */
static void test_proofs(void **unused)
{
    (void)unused;
    check_random r = {4};
    int apart = 0, deep = 0;
    for (int k = 0; k < PAIRS; k++) {
        const int which = k % 5;
        side e = {sized(CAROM_SHAPE_ELLIPSOID, check_random_in(&r, 0.2, 1),
                        check_random_in(&r, 0.2, 1), check_random_in(&r, 0.2, 1)),
                  {{0}, {0}}};
        side o = {which < 4 ? other(&r, which)
                            : sized(CAROM_SHAPE_ELLIPSOID, check_random_in(&r, 0.2, 1),
                                    check_random_in(&r, 0.2, 1), check_random_in(&r, 0.2, 1)),
                  {{0}, {0}}};
        carom_touch touch;
        random_pose(&r, 1, &e.pose);
        random_pose(&r, 1, &o.pose);
        carom_shape_distance(e.shape, &e.pose, o.shape, &o.pose, &touch);
        const v3 n = v3_of(touch.normal);
        const support_pair pair = {&e, &o, farthest, farthest};
        const double proved = v3_dot(n, support_least(&pair, n));
        check_close(v3_norm(n), 1, 1e-14);
        check_close(proved, touch.gap, 2e-13);
        if (touch.gap > 0) {
            const frame f = frame_of(&e.pose);
            const v3 x = frame_back(&f, v3_of(touch.a));
            const double *h = e.shape->half;
            check_close(hypot(hypot(x.x / h[0], x.y / h[1]), x.z / h[2]), 1, 1e-11);
            apart++;
        } else if (k % 20 < 5) {
            const double best = support_refute(&pair, touch.gap, 1e-6);
            if (!isnan(best))
                check_close(best, touch.gap, 1e-6);
            deep++;
        }
        if (which < 4)
            check_close(off_surface(&o, v3_of(touch.b)), 0, 1e-8);
        carom_shape_destroy(e.shape);
        carom_shape_destroy(o.shape);
    }
    assert_true(apart > PAIRS / 5 && deep > PAIRS / 10);
}

static void test_mass(void **unused)
{
    (void)unused;
    carom_shape *ball = sized(CAROM_SHAPE_SPHERE, 0.3, 0, 0),
                *round = sized(CAROM_SHAPE_ELLIPSOID, 0.3, 0.3, 0.3),
                *flat = sized(CAROM_SHAPE_ELLIPSOID, 0.3, 0.2, 0.1);
    carom_mass one, two, three;
    check_ok(carom_shape_mass(ball, 1000, &one, NULL), NULL);
    check_ok(carom_shape_mass(round, 1000, &two, NULL), NULL);
    check_ok(carom_shape_mass(flat, 1000, &three, NULL), NULL);
    check_close(two.mass, one.mass, 1e-12);
    for (int k = 0; k < 9; k++)
        check_close(two.inertia[k], one.inertia[k], 1e-13);
    check_close(three.inertia[0], three.mass * (0.2 * 0.2 + 0.1 * 0.1) / 5, 1e-14);
    check_close(three.inertia[8], three.mass * (0.3 * 0.3 + 0.2 * 0.2) / 5, 1e-14);
    double lower[3], upper[3];
    carom_pose at;
    assert_true(carom_pose_set(&at, (double[3]){1, 2, 3}, (double[4]){1, 0, 0, 0}));
    carom_shape_bounds(flat, &at, lower, upper);
    check_close(lower[0], 0.7, 1e-15);
    check_close(upper[2], 3.1, 1e-15);
    carom_shape_destroy(ball);
    carom_shape_destroy(round);
    carom_shape_destroy(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balls), cmocka_unit_test(test_proofs),
                                       cmocka_unit_test(test_mass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
