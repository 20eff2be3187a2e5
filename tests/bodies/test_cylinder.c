/* Cylinders: distance and depth against a search over all directions that knows support functions
 * only; contacts where they lie, stand and roll. */
#include "bodies/shape.h"
#include "family.h"
#include "sized_shape.h"
#include "support_search.h"

/* The search takes a millisecond: one pair in REFUTE is searched. */
enum { ROOM = 400, POINTS = 12, PAIRS = 10000, REFUTE = 50 };

typedef struct side {
    carom_shape *shape;
    carom_pose pose;
} side;

/* The point of a core farthest along n, from the definition of the shapes. */
static v3 core_point(const void *body, v3 n)
{
    const side *s = body;
    frame f = frame_of(&s->pose);
    v3 d = m3_back(f.R, n), x = {0, 0, 0};
    if (s->shape->kind == CAROM_SHAPE_CYLINDER) {
        double across = hypot(d.x, d.y), R = s->shape->half[0];
        x = (v3){across > 0 ? R * d.x / across : 0, across > 0 ? R * d.y / across : 0,
                 d.z > 0 ? s->shape->half[2] : -s->shape->half[2]};
    } else {
        double top = -INFINITY;
        for (int k = 0; k < s->shape->polytope.vertex_count; k++)
            if (v3_dot(d, s->shape->polytope.vertex[k]) > top) {
                top = v3_dot(d, s->shape->polytope.vertex[k]);
                x = s->shape->polytope.vertex[k];
            }
    }
    return frame_point(&f, x);
}

/* How far x is outside of a core. */
static double outside(const side *s, v3 x)
{
    const carom_polytope *p = &s->shape->polytope;
    frame f = frame_of(&s->pose);
    double most = -INFINITY;
    x = frame_back(&f, x);
    if (s->shape->kind == CAROM_SHAPE_CYLINDER)
        return fmax(hypot(x.x, x.y) - s->shape->half[0], fabs(x.z) - s->shape->half[2]);
    for (int k = 0; k < p->face_count; k++)
        most = fmax(most, v3_dot(p->normal[k], x) - p->offset[k]);
    if (p->face_count == 0) {
        v3 a = p->vertex[0], d = v3_sub(p->vertex[p->vertex_count - 1], a);
        double t = p->vertex_count == 1 ? 0 : v3_dot(v3_sub(x, a), d) / v3_norm2(d);
        most = v3_norm(v3_sub(x, v3_along(a, fmin(1, fmax(0, t)), d)));
    }
    return most;
}

static carom_shape *random_cylinder(check_random *r)
{
    return sized(CAROM_SHAPE_CYLINDER, check_random_in(r, 0.1, 2), check_random_in(r, 0.1, 1), 0);
}

static carom_shape *random_box(check_random *r)
{
    return sized(CAROM_SHAPE_BOX, check_random_in(r, 0.1, 2), check_random_in(r, 0.1, 2),
                 check_random_in(r, 0.1, 2));
}

static carom_shape *random_capsule(check_random *r)
{
    return sized(CAROM_SHAPE_CAPSULE, check_random_in(r, 0.1, 2), check_random_in(r, 0.1, 0.3), 0);
}

static carom_shape *random_ball(check_random *r)
{
    return sized(CAROM_SHAPE_SPHERE, check_random_in(r, 0.1, 0.5), 0, 0);
}

static carom_shape *random_hull(check_random *r)
{
    double points[3 * POINTS];
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
    carom_shape *shape = NULL;
    def.points = points;
    def.point_count = 4 + check_random_int(r, POINTS - 4);
    for (int k = 0; k < 3 * def.point_count; k++)
        points[k] = check_random_in(r, -0.8, 0.8);
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

/* Poses: anywhere, or turned by quarters and half quarters, so that axes are parallel or straight
 * across. */
static carom_pose random_pose(check_random *r, bool regular, double far)
{
    static const double turns[8][4] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 1},
                                       {1, 1, 1, 1}, {0, 1, 1, 0}, {2, 1, 0, 0}, {0, 0, 1, 1}};
    carom_pose pose;
    double at[3], turn[4];
    for (int k = 0; k < 3; k++)
        at[k] = regular ? 0.25 * (check_random_int(r, 9) - 4) : check_random_in(r, -far, far);
    for (int k = 0; k < 4; k++)
        turn[k] = check_random_in(r, -1, 1);
    assert_true(carom_pose_set(&pose, at, regular ? turns[check_random_int(r, 8)] : turn));
    return pose;
}

static void check_touch(family *f, const side *a, const side *b, const carom_touch *t)
{
    double ra = a->shape->radius, rb = b->shape->radius, gap = t->gap + ra + rb;
    v3 n = v3_of(t->normal), xa = v3_along(v3_of(t->a), -ra, n), xb = v3_along(v3_of(t->b), rb, n);
    double off = v3_norm(v3_sub(v3_sub(xb, xa), v3_scale(gap, n)));
    family_check(f, off <= 1e-14 && fabs(v3_norm(n) - 1) <= 1e-14, "b - a is off by %g", off);
    family_check(f, outside(a, xa) <= 1e-9 && outside(b, xb) <= 1e-9, "points off by %g, %g",
                 outside(a, xa), outside(b, xb));
}

typedef carom_shape *(*maker)(check_random *);

static int given_up; /* searches without an answer */

/* Half of the pairs are brought near, so that shallow contacts are not rare. */
static void random_pair(family *f, maker one, maker two, side *a, side *b)
{
    bool regular = f->member % 3 == 0;
    carom_touch t;
    *a = (side){one(&f->random), random_pose(&f->random, regular, 1)};
    *b = (side){two(&f->random), random_pose(&f->random, regular, 1)};
    carom_shape_distance(a->shape, &a->pose, b->shape, &b->pose, &t);
    if (check_random_int(&f->random, 2) == 0)
        for (int k = 0; k < 3; k++)
            b->pose.position[k] -=
                t.gap * t.normal[k] * (1 + check_random_in(&f->random, -0.1, 0.1));
}

static void check_pair(family *f, maker one, maker two)
{
    side a, b;
    carom_touch t, swapped, many[ROOM];
    random_pair(f, one, two, &a, &b);
    double radii = a.shape->radius + b.shape->radius, least = INFINITY;
    carom_shape_distance(a.shape, &a.pose, b.shape, &b.pose, &t);
    check_touch(f, &a, &b, &t);
    support_pair p = {&a, &b, core_point, core_point};
    double gap = t.gap + radii, s = v3_dot(v3_of(t.normal), support_least(&p, v3_of(t.normal)));
    bool flat = a.shape->kind != CAROM_SHAPE_CYLINDER && b.shape->kind != CAROM_SHAPE_CYLINDER;
    family_check(f, flat || fabs(s - gap) <= 1e-13, "s(n) is %.15g, the gap %.15g, name %llx", s,
                 gap, (unsigned long long)t.name);
    double nearby = support_nearby(&p, v3_of(t.normal), gap), better = gap;
    if (f->member % REFUTE == 0)
        better = support_refute(&p, gap, 1e-7);
    given_up += isnan(better);
    family_check(f, nearby <= 1e-13, "a direction nearby gives %g more", nearby);
    family_check(f, isnan(better) || better == gap,
                 "gap %.15g, but a direction gives %.15g (name %llx)", gap, better,
                 (unsigned long long)t.name);
    carom_shape_distance(b.shape, &b.pose, a.shape, &a.pose, &swapped);
    family_check(f, fabs(swapped.gap - t.gap) <= 1e-13, "gap %.15g, swapped %.15g", t.gap,
                 swapped.gap);
    int count = carom_shape_manifold(a.shape, &a.pose, b.shape, &b.pose, 0.05, ROOM, many);
    family_check(f, (count > 0) == (t.gap <= 0.05) && count <= ROOM, "%d contacts, gap %g", count,
                 t.gap);
    for (int k = 0; k < count; k++) {
        check_touch(f, &a, &b, &many[k]);
        least = fmin(least, many[k].gap);
        for (int j = 0; j < k; j++)
            family_check(f, many[j].name != many[k].name, "contacts %d and %d: one name %llx", j, k,
                         (unsigned long long)many[k].name);
    }
    family_check(f, !count || fabs(least - t.gap) <= 1e-7 || (t.gap < 0 && least < t.gap),
                 "least gap %g of contacts, distance %g", least, t.gap);
    carom_shape_destroy(a.shape);
    carom_shape_destroy(b.shape);
}

static void run(const char *name, maker one, maker two, int members)
{
    family f = family_start(name, 41, members);
    while (family_next(&f))
        check_pair(&f, one, two);
    family_check(&f, given_up <= f.members / (3 * REFUTE), "%d searches gave up", given_up);
    given_up = 0;
    family_end(&f);
}

static void test_box(void **state)
{
    (void)state;
    run("cylinder and box", random_cylinder, random_box, PAIRS);
}

static void test_hull(void **state)
{
    (void)state;
    run("cylinder and hull", random_cylinder, random_hull, PAIRS);
}

/* A capsule whose line meets the axis but for rounding, from the other side of which the way out is
 * the shortest: the direction across both is the same however small the offset is. */
static void test_through_axis(void **state)
{
    (void)state;
    const double offsets[] = {0, 1e-17, 1e-30, -1e-35, 1e-200}, R = 0.67, h = 0.38, length = 1.3;
    side a = {sized(CAROM_SHAPE_CYLINDER, 2 * h, R, 0), {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    side b = {sized(CAROM_SHAPE_CAPSULE, length, 0.1, 0),
              {{0}, {0.6, 0, 0.8, 0, 1, 0, -0.8, 0, 0.6}}};
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        carom_touch t;
        b.pose.position[0] = -0.5;
        b.pose.position[1] = offsets[k];
        carom_shape_distance(a.shape, &a.pose, b.shape, &b.pose, &t);
        assert_true(fabs(t.gap - (0.3 - 0.6 * R - 0.8 * h - 0.1)) <= 1e-14);
        assert_true(fabs(t.normal[0] + 0.6) <= 1e-14 && fabs(t.normal[2] + 0.8) <= 1e-14);
    }
    carom_shape_destroy(a.shape);
    carom_shape_destroy(b.shape);
}

static void test_capsule(void **state)
{
    (void)state;
    run("cylinder and capsule", random_cylinder, random_capsule, PAIRS);
}

static void test_ball(void **state)
{
    (void)state;
    run("cylinder and ball", random_cylinder, random_ball, PAIRS);
}

static void test_cylinders(void **state)
{
    (void)state;
    run("cylinders", random_cylinder, random_cylinder, PAIRS);
}

/* Pairs whose normal was once known to the root of rounding only, so that a point was off by up to
 * 4e-8: two normals are as good there, as their gaps tell. */
static void test_flat_tops(void **state)
{
    (void)state;
    static const int members[] = {40372,  97615,  135661, 154336, 217118,
                                  149493, 307122, 285940, 454764, 480409};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        family f = family_start("cylinders", 41, 1);
        side a, b;
        carom_touch t;
        f.only = members[k];
        assert_true(family_next(&f));
        random_pair(&f, random_cylinder, random_cylinder, &a, &b);
        carom_shape_distance(a.shape, &a.pose, b.shape, &b.pose, &t);
        family_check(&f, fmax(outside(&a, v3_of(t.a)), outside(&b, v3_of(t.b))) <= 1e-12,
                     "points off by %g, %g", outside(&a, v3_of(t.a)), outside(&b, v3_of(t.b)));
        carom_shape_destroy(a.shape);
        carom_shape_destroy(b.shape);
        family_end(&f);
    }
}

/* One member: the cylinder (0.6 high, radius 0.4) on one of the grounds. */
static void stand(family *f, carom_shape *const ground[3], const carom_pose at[3],
                  const carom_shape *cylinder)
{
    int which = check_random_int(&f->random, 3), mode = check_random_int(&f->random, 3);
    double gap = check_random_in(&f->random, -1e-3, 1e-3),
           about = check_random_in(&f->random, 0, 7);
    double tilt = mode == 0   ? 0
                  : mode == 1 ? 1.5707963267948966
                              : check_random_in(&f->random, 0.2, 1.3);
    /* Turned by `tilt` about a horizontal axis: the lowest point is on the rim. */
    double lowest = 0.4 * fabs(sin(tilt)) + 0.3 * fabs(cos(tilt));
    const double turn[4] = {cos(tilt / 2), sin(tilt / 2) * cos(about), sin(tilt / 2) * sin(about),
                            0};
    const double place[3] = {check_random_in(&f->random, -0.3, 0.3),
                             check_random_in(&f->random, -0.3, 0.3), lowest + gap};
    carom_pose pose;
    carom_touch t[ROOM];
    assert_true(carom_pose_set(&pose, place, turn));
    int count = carom_shape_manifold(ground[which], &at[which], cylinder, &pose, 2e-3, ROOM, t);
    int expected = mode == 0 ? 24 : mode == 1 ? 2 : 1;
    family_check(f, count == expected, "ground %d, mode %d: %d contacts, expected %d", which, mode,
                 count, expected);
    for (int k = 0; k < count; k++)
        family_check(f,
                     fabs(t[k].gap - gap) <= 1e-14 && fabs(t[k].normal[2] - 1) <= 1e-14 &&
                         fabs(t[k].b[2] - gap) <= 1e-14,
                     "ground %d, mode %d: gap %g instead of %g, normal %g", which, mode, t[k].gap,
                     gap, t[k].normal[2]);
}

/* The same cylinder on a plane, on a box and on a flat field: standing, lying, tilted. */
static void test_flat(void **state)
{
    (void)state;
    static const double zeros[25];
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HEIGHTS);
    carom_shape *ground[3], *cylinder = sized(CAROM_SHAPE_CYLINDER, 0.6, 0.4, 0);
    const carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    carom_pose at[3] = {here, here, here};
    def.rows = def.columns = 5;
    def.size[0] = def.size[1] = 0.5;
    def.heights = zeros;
    check_ok(carom_shape_create(&def, NULL, &ground[0], NULL), NULL);
    ground[1] = sized(CAROM_SHAPE_BOX, 2, 2, 1);
    ground[2] = sized(CAROM_SHAPE_PLANE, 0, 0, 0);
    at[1].position[2] = -0.5;
    /* Once its cap saw a second contact across an edge inside the field. */
    family beside = family_start("a cylinder on the flat", 9, 1);
    beside.only = 29417;
    while (family_next(&beside))
        stand(&beside, ground, at, cylinder);
    family_end(&beside);
    family f = family_start("a cylinder on the flat", 9, 3000);
    while (family_next(&f))
        stand(&f, ground, at, cylinder);
    family_end(&f);
    for (int k = 0; k < 3; k++)
        carom_shape_destroy(ground[k]);
    carom_shape_destroy(cylinder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),         cmocka_unit_test(test_cylinders),
        cmocka_unit_test(test_flat_tops),    cmocka_unit_test(test_box),
        cmocka_unit_test(test_hull),         cmocka_unit_test(test_capsule),
        cmocka_unit_test(test_through_axis), cmocka_unit_test(test_ball)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
