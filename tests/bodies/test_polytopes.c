/* Distances of convex polytopes against exact arithmetic, on random and on degenerate pairs: faces
 * flush, edges parallel, vertices on edges, touching, sizes a million apart. */
#include "family.h"
#include "whole_pair.h"

enum { PAIRS = 10000, VERTICES = 16 };

typedef struct kind {
    const char *name;
    int turn;       /* largest component of quaternions */
    int big, small; /* largest sizes of the two sides */
    int away;       /* largest coordinate of a position */
    double unit;
} kind;

static const kind kinds[] = {
    {"touching often", 1, 3, 3, 4, 1},
    {"turned, touching often", 2, 4, 4, 5, 1},
    {"random", 3, 1000, 1000, 1500, 1e-3},
    {"near", 3, 300, 300, 400, 1e-6},
    {"a million apart", 1, 2000000, 4, 1000002, 1e-3},
    {"thin", 2, 1, 900, 300, 1e6},
};

static carom_shape *random_box(check_random *r, int size, double unit)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_BOX);
    carom_shape *shape = NULL;
    for (int k = 0; k < 3; k++)
        def.size[k] = unit * (1 + check_random_int(r, size));
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

/* Points of a grid, until they span the space. */
static carom_shape *random_hull(check_random *r, int size, double unit)
{
    carom_shape *shape = NULL;
    for (;;) {
        double points[3 * VERTICES];
        carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
        def.points = points;
        def.point_count = 4 + check_random_int(r, VERTICES - 4);
        for (int k = 0; k < 3 * def.point_count; k++)
            points[k] = unit * (check_random_int(r, size + 1) - size / 2);
        if (carom_shape_create(&def, NULL, &shape, NULL) == CAROM_OK)
            return shape;
    }
}

static carom_shape *random_segment(check_random *r, int size, double unit)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_CAPSULE);
    carom_shape *shape = NULL;
    def.size[0] = unit * (1 + check_random_int(r, size));
    def.size[1] = unit;
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

static carom_shape *random_point(check_random *r, int size, double unit)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_SPHERE);
    carom_shape *shape = NULL;
    def.size[0] = unit * (1 + check_random_int(r, size));
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

typedef carom_shape *(*maker)(check_random *, int, double);

/* How far a point is outside of the core of a side, by its faces, or from its only edge. */
static double outside(const whole_side *s, v3 x)
{
    const carom_polytope *p = &s->shape->polytope;
    frame f = frame_of(&s->pose);
    double most = -INFINITY;
    x = frame_back(&f, x);
    for (int k = 0; k < p->face_count; k++)
        most = fmax(most, v3_dot(p->normal[k], x) - p->offset[k]);
    if (p->face_count == 0) {
        v3 a = p->vertex[0], b = p->vertex[p->vertex_count - 1], d = v3_sub(b, a);
        double t = p->vertex_count == 1 ? 0 : v3_dot(v3_sub(x, a), d) / v3_norm2(d);
        most = v3_norm(v3_sub(x, v3_along(a, fmin(1, fmax(0, t)), d)));
    }
    return most;
}

/* The separation of the two cores along a direction, from the vertices in doubles. */
static double separation(const whole_side *a, const whole_side *b, v3 n)
{
    frame fa = frame_of(&a->pose), fb = frame_of(&b->pose);
    double top = -INFINITY, bottom = INFINITY;
    for (int k = 0; k < a->shape->polytope.vertex_count; k++)
        top = fmax(top, v3_dot(n, frame_point(&fa, a->shape->polytope.vertex[k])));
    for (int k = 0; k < b->shape->polytope.vertex_count; k++)
        bottom = fmin(bottom, v3_dot(n, frame_point(&fb, b->shape->polytope.vertex[k])));
    return bottom - top;
}

static double worst_gap, worst_normal, worst_point;

/* One pair, in order or swapped: gap, points, normal against the exact answer. */
static void check_distance(family *f, const whole_side *a, const whole_side *b, double exact,
                           double size)
{
    carom_touch t;
    double ra = a->shape->radius, rb = b->shape->radius;
    carom_shape_distance(a->shape, &a->pose, b->shape, &b->pose, &t);
    v3 n = v3_of(t.normal), xa = v3_along(v3_of(t.a), -ra, n), xb = v3_along(v3_of(t.b), rb, n);
    double gap = t.gap + ra + rb, off = v3_norm(v3_sub(v3_sub(xb, xa), v3_scale(gap, n)));
    double loss = exact - separation(a, b, n), tiny = 1e-14 * size;
    worst_gap = fmax(worst_gap, fabs(gap - exact) / size);
    worst_point = fmax(worst_point, off / size);
    worst_normal = fmax(worst_normal, loss / size);
    family_check(f, fabs(gap - exact) <= tiny, "gap %.17g, exact %.17g, size %g, features %llx",
                 gap, exact, size, (unsigned long long)t.name);
    family_check(f, off <= tiny && fabs(v3_norm(n) - 1) <= 1e-14, "b - a is not gap n: %g", off);
    family_check(f, outside(a, xa) <= tiny && outside(b, xb) <= tiny,
                 "a point is off its shape by %g, %g", outside(a, xa), outside(b, xb));
    /* The normal is that of planes between the two: it loses nothing of the distance. Where both
     * are points or segments that touch there is none. Corners so near that their direction is
     * rounding lose that times the size. */
    double slack = tiny + (gap > 0 ? 1e-15 * size * size / gap : 0);
    bool flat = a->shape->polytope.face_count + b->shape->polytope.face_count == 0;
    family_check(f, loss <= fmin(slack, 1e-7 * size) || (flat && gap <= tiny),
                 "the normal loses %g of the distance %g, features %llx", loss, exact,
                 (unsigned long long)t.name);
}

static void random_pose(check_random *r, const kind *k, int q[4], int at[3])
{
    for (int i = 0; i < 4; i++)
        q[i] = check_random_int(r, 2 * k->turn + 1) - k->turn;
    for (int i = 0; i < 3; i++)
        at[i] = check_random_int(r, 2 * k->away + 1) - k->away;
    q[0] += !(q[0] || q[1] || q[2] || q[3]);
}

static void check_pair(family *f, const kind *k, maker one, maker two)
{
    whole_vector va[2 * VERTICES], vb[2 * VERTICES];
    whole_side a, b;
    int qa[4], qb[4], pa[3], pb[3];
    wide la, lb, ignored[3][3];
    carom_shape *sa = one(&f->random, k->big, k->unit), *sb = two(&f->random, k->small, k->unit);
    random_pose(&f->random, k, qa, pa);
    random_pose(&f->random, k, qb, pb);
    if (check_random_int(&f->random, 3) == 0) /* parallel */
        memcpy(qb, qa, sizeof qb);
    whole_rotation(qa, ignored, &la);
    whole_rotation(qb, ignored, &lb);
    whole_place(&a, sa, qa, pa, lb, k->unit, va);
    whole_place(&b, sb, qb, pb, la, k->unit, vb);
    double exact = k->unit * whole_distance(&a, &b, 2. * (double)la * (double)lb).gap;
    v3 away = v3_sub(v3_of(a.pose.position), v3_of(b.pose.position));
    double size = sa->size + sb->size + v3_norm(v3_of(a.pose.position)) + v3_norm(away);
    check_distance(f, &a, &b, exact, size);
    check_distance(f, &b, &a, exact, size);
    carom_shape_destroy(sa);
    carom_shape_destroy(sb);
}

static void run(const char *name, maker one, maker two)
{
    int count = (int)(sizeof kinds / sizeof *kinds);
    worst_gap = worst_normal = worst_point = 0;
    for (int k = 0; k < count; k++) {
        char title[100];
        snprintf(title, sizeof title, "%s, %s", name, kinds[k].name);
        family f = family_start(title, 101 + (uint64_t)k, PAIRS / count + 1);
        while (family_next(&f))
            check_pair(&f, &kinds[k], f.member % 2 ? two : one, f.member % 2 ? one : two);
        family_end(&f);
    }
    printf("%s: worst gap %.2g, points %.2g, normal %.2g of the size\n", name, worst_gap,
           worst_point, worst_normal);
}

static void test_boxes(void **state)
{
    (void)state;
    run("boxes", random_box, random_box);
}

static void test_hulls(void **state)
{
    (void)state;
    run("hulls", random_hull, random_hull);
}

static void test_box_hull(void **state)
{
    (void)state;
    run("box and hull", random_box, random_hull);
}

static void test_box_segment(void **state)
{
    (void)state;
    run("box and segment", random_box, random_segment);
}

static void test_hull_segment(void **state)
{
    (void)state;
    run("hull and segment", random_hull, random_segment);
}

static void test_box_point(void **state)
{
    (void)state;
    run("box and point", random_box, random_point);
}

static void test_segments(void **state)
{
    (void)state;
    run("segments", random_segment, random_segment);
}

static void test_segment_point(void **state)
{
    (void)state;
    run("segment and point", random_segment, random_point);
}

static void test_points(void **state)
{
    (void)state;
    run("points", random_point, random_point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),        cmocka_unit_test(test_hulls),
        cmocka_unit_test(test_box_hull),     cmocka_unit_test(test_box_segment),
        cmocka_unit_test(test_hull_segment), cmocka_unit_test(test_box_point),
        cmocka_unit_test(test_segments),     cmocka_unit_test(test_segment_point),
        cmocka_unit_test(test_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
