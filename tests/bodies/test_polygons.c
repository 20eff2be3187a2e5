/* Distances and manifolds in the plane against exact arithmetic: whole-number vertices turned by
 * Pythagorean angles, integers of 128 bits, all edges, all vertices. */
#include "bodies/shape.h"
#include "family.h"

__extension__ typedef __int128 wide;

enum { PAIRS = 10000, VERTICES = 12, ROOM = 8 };

typedef struct place {
    wide x, y;
} place;

typedef struct side {
    carom_shape *shape;
    carom_pose pose;
    int count;
    place vertex[VERTICES];
} side;

typedef struct kind {
    const char *name;
    int turn, size, away;
    double unit;
} kind;

static const kind kinds[] = {{"touching often", 1, 3, 4, 1},
                             {"turned, touching often", 2, 5, 6, 1},
                             {"random", 9, 2000, 2500, 1e-3},
                             {"large", 3, 100, 150, 1e6},
                             {"small", 3, 100, 150, 1e-6}};

/* (c, s)/n with c^2 + s^2 = n^2. */
typedef struct angle {
    wide c, s, n;
} angle;

static angle random_angle(check_random *r, int turn)
{
    wide p = check_random_int(r, 2 * turn + 1) - turn, q = check_random_int(r, turn + 1);
    p += !p && !q;
    return (angle){p * p - q * q, 2 * p * q, p * p + q * q};
}

static carom_shape *random_shape(check_random *r, int corners, int size, double unit)
{
    for (;;) {
        carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
        carom_shape *shape = NULL;
        double points[2 * VERTICES];
        def.space = 2;
        if (corners == 1) {
            def.kind = CAROM_SHAPE_SPHERE;
            def.size[0] = unit;
        } else if (corners == 2) {
            def.kind = CAROM_SHAPE_CAPSULE;
            def.size[0] = unit * (1 + check_random_int(r, size));
            def.size[1] = unit;
        } else if (corners == 4) {
            def.kind = CAROM_SHAPE_BOX;
            def.size[0] = unit * (1 + check_random_int(r, size));
            def.size[1] = unit * (1 + check_random_int(r, size));
        } else {
            /* Points in the order of their angle: convex only by luck, which is waited for. */
            def.point_count = 3 + check_random_int(r, 3);
            def.points = points;
            for (int k = 0; k < 2 * def.point_count; k++)
                points[k] = unit * (check_random_int(r, size + 1) - size / 2);
        }
        if (carom_shape_create(&def, NULL, &shape, NULL) == CAROM_OK)
            return shape;
    }
}

static void set_side(side *s, check_random *r, const kind *k, int corners, angle turn, wide other)
{
    int at[2];
    s->shape = random_shape(r, corners, k->size, k->unit);
    s->count = s->shape->polytope.vertex_count;
    for (int i = 0; i < 2; i++)
        at[i] = check_random_int(r, 2 * k->away + 1) - k->away;
    double c = (double)turn.c / (double)turn.n, n = (double)turn.s / (double)turn.n;
    s->pose = (carom_pose){{k->unit * at[0], k->unit * at[1], 0}, {c, n, 0, -n, c, 0, 0, 0, 1}};
    for (int v = 0; v < s->count; v++) {
        v3 p = s->shape->polytope.vertex[v];
        wide x = (wide)llround(2 * p.x / k->unit), y = (wide)llround(2 * p.y / k->unit);
        s->vertex[v].x = other * (2 * at[0] * turn.n + turn.c * x - turn.s * y);
        s->vertex[v].y = other * (2 * at[1] * turn.n + turn.s * x + turn.c * y);
    }
}

static wide dot(place n, place p)
{
    return n.x * p.x + n.y * p.y;
}

/* The separation along a direction, a below. */
static double separation(const side *a, const side *b, place n)
{
    wide top = dot(n, a->vertex[0]), low = dot(n, b->vertex[0]);
    for (int k = 1; k < a->count; k++)
        top = dot(n, a->vertex[k]) > top ? dot(n, a->vertex[k]) : top;
    for (int k = 1; k < b->count; k++)
        low = dot(n, b->vertex[k]) < low ? dot(n, b->vertex[k]) : low;
    return (double)((long double)(low - top) / sqrtl((long double)dot(n, n)));
}

static void edges(const side *a, const side *b, const side *of, double *best)
{
    for (int k = 0; k < of->count && of->count > 1; k++) {
        place p = of->vertex[k], q = of->vertex[(k + 1) % of->count];
        for (int sign = -1; sign <= 1; sign += 2) {
            place n = {sign * (q.y - p.y), -sign * (q.x - p.x)};
            *best = fmax(*best, separation(a, b, n));
        }
    }
}

static void vertices(const side *a, const side *b, double *least)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            place x = a->vertex[i], p = b->vertex[j], q = b->vertex[(j + 1) % b->count];
            place d = {x.x - p.x, x.y - p.y}, e = {q.x - p.x, q.y - p.y};
            wide t = dot(d, e), length2 = dot(e, e), cross = d.x * e.y - d.y * e.x;
            double away = sqrt((double)dot(d, d));
            if (t > 0 && t < length2)
                away = (double)(fabsl((long double)cross) / sqrtl((long double)length2));
            *least = fmin(*least, away);
        }
}

static double exact_gap(const side *a, const side *b)
{
    double best = -INFINITY, least = INFINITY;
    edges(a, b, a, &best);
    edges(a, b, b, &best);
    vertices(a, b, &least);
    vertices(b, a, &least);
    bool points = a->count == 1 && b->count == 1;
    return points || best >= 0 ? least : best;
}

/* How far a point in space is outside of a core. */
static double outside(const side *s, v3 x)
{
    const carom_polytope *p = &s->shape->polytope;
    frame f = frame_of(&s->pose);
    double most = -INFINITY;
    x = frame_back(&f, x);
    if (s->count <= 2) {
        v3 a = p->vertex[0], d = v3_sub(p->vertex[s->count - 1], a);
        double t = s->count == 1 ? 0 : v3_dot(v3_sub(x, a), d) / v3_norm2(d);
        return v3_norm(v3_sub(x, v3_along(a, fmin(1, fmax(0, t)), d)));
    }
    for (int k = 0; k < s->count; k++)
        most = fmax(most, v3_dot(p->normal[k], x) - p->offset[k]);
    return most;
}

static void check_touch(family *f, const side *a, const side *b, const carom_touch *t, double size)
{
    double ra = a->shape->radius, rb = b->shape->radius, gap = t->gap + ra + rb;
    v3 n = v3_of(t->normal), xa = v3_along(v3_of(t->a), -ra, n), xb = v3_along(v3_of(t->b), rb, n);
    double off = v3_norm(v3_sub(v3_sub(xb, xa), v3_scale(gap, n)));
    family_check(f, off <= 1e-14 * size && fabs(v3_norm(n) - 1) <= 1e-14 && n.z == 0,
                 "b - a is off by %g", off);
    family_check(f, outside(a, xa) <= 1e-14 * size && outside(b, xb) <= 1e-14 * size,
                 "points off by %g, %g", outside(a, xa), outside(b, xb));
}

static void check_order(family *f, const side *a, const side *b, double exact, double size)
{
    carom_touch t, many[ROOM];
    double radii = a->shape->radius + b->shape->radius, least = INFINITY;
    carom_shape_distance(a->shape, &a->pose, b->shape, &b->pose, &t);
    family_check(f, fabs(t.gap + radii - exact) <= 1e-14 * size,
                 "gap %.17g, exact %.17g, name %llx", t.gap + radii, exact,
                 (unsigned long long)t.name);
    check_touch(f, a, b, &t, size);
    double reach = 0.30179 * size;
    int count = carom_shape_manifold(a->shape, &a->pose, b->shape, &b->pose, reach, ROOM, many);
    family_check(f, (count > 0) == (t.gap <= reach) && count <= 2, "%d contacts, gap %g of %g",
                 count, t.gap, reach);
    for (int k = 0; k < count; k++) {
        check_touch(f, a, b, &many[k], size);
        least = fmin(least, many[k].gap);
        family_check(f, many[k].gap <= reach && (k == 0 || many[k].name != many[0].name),
                     "contact %d: gap %g", k, many[k].gap);
    }
    family_check(f, !count || fabs(least - t.gap) <= 1e-14 * size, "least %g, gap %g", least,
                 t.gap);
}

static void run(const char *name, int one, int two)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char title[100];
        snprintf(title, sizeof title, "%s, %s", name, kinds[k].name);
        family f = family_start(title, 31 + (uint64_t)k, PAIRS / 5);
        while (family_next(&f)) {
            angle ta = random_angle(&f.random, kinds[k].turn),
                  tb = random_angle(&f.random, kinds[k].turn);
            if (check_random_int(&f.random, 3) == 0)
                tb = ta;
            side a, b;
            set_side(&a, &f.random, &kinds[k], one, ta, tb.n);
            set_side(&b, &f.random, &kinds[k], two, tb, ta.n);
            double scale = kinds[k].unit / (2. * (double)ta.n * (double)tb.n);
            double exact = exact_gap(&a, &b) * scale;
            double size = a.shape->size + b.shape->size + v3_norm(v3_of(a.pose.position)) +
                          v3_norm(v3_of(b.pose.position));
            check_order(&f, &a, &b, exact, size);
            check_order(&f, &b, &a, exact, size);
            carom_shape_destroy(a.shape);
            carom_shape_destroy(b.shape);
        }
        family_end(&f);
    }
}

static void test_boxes(void **state)
{
    (void)state;
    run("boxes of the plane", 4, 4);
}

static void test_polygons(void **state)
{
    (void)state;
    run("polygons", 3, 3);
}

static void test_polygon_segment(void **state)
{
    (void)state;
    run("polygon and capsule", 3, 2);
}

static void test_box_point(void **state)
{
    (void)state;
    run("box and circle", 4, 1);
}

static void test_segments(void **state)
{
    (void)state;
    run("capsules of the plane", 2, 2);
}

static void test_segment_point(void **state)
{
    (void)state;
    run("capsule and circle", 2, 1);
}

static void test_points(void **state)
{
    (void)state;
    run("circles", 1, 1);
}

/* A half-plane meets every corner that comes near. */
static void test_half_plane(void **state)
{
    (void)state;
    family f = family_start("half-plane and box", 5, 2000);
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_PLANE);
    carom_shape *plane = NULL;
    def.space = 2;
    def.normal[0] = 3;
    def.normal[1] = 4;
    check_ok(carom_shape_create(&def, NULL, &plane, NULL), NULL);
    while (family_next(&f)) {
        carom_shape *box = random_shape(&f.random, 4, 5, 0.1);
        carom_pose here, there;
        double zero[2] = {0, 0},
               at[2] = {check_random_in(&f.random, -1, 1), check_random_in(&f.random, -1, 1)};
        carom_pose_set_plane(&here, zero, check_random_in(&f.random, -3, 3));
        carom_pose_set_plane(&there, at, check_random_in(&f.random, -3, 3));
        frame p = frame_of(&here), q = frame_of(&there);
        v3 n = m3_apply(p.R, (v3){0.6, 0.8, 0});
        carom_touch t[ROOM], nearest;
        int count = carom_shape_manifold(plane, &here, box, &there, 0.1, ROOM, t), expected = 0;
        double least = INFINITY;
        for (int k = 0; k < 4; k++) {
            double gap = v3_dot(n, frame_point(&q, box->polytope.vertex[k]));
            expected += gap <= 0.1;
            least = fmin(least, gap);
        }
        carom_shape_distance(box, &there, plane, &here, &nearest);
        family_check(&f, count == expected, "%d contacts, expected %d", count, expected);
        family_check(&f, fabs(nearest.gap - least) <= 1e-15 && v3_dot(n, v3_of(nearest.normal)) < 0,
                     "gap %g, expected %g", nearest.gap, least);
        carom_shape_destroy(box);
    }
    carom_shape_destroy(plane);
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),           cmocka_unit_test(test_polygons),
        cmocka_unit_test(test_polygon_segment), cmocka_unit_test(test_box_point),
        cmocka_unit_test(test_segments),        cmocka_unit_test(test_segment_point),
        cmocka_unit_test(test_points),          cmocka_unit_test(test_half_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
