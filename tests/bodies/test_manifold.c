/* Manifolds of boxes: every contact a pair of points of the surfaces, none missing when faces lie
 * flat on each other, names unique and kept under swapping and rigid motion. */
#include "bodies/shape.h"
#include "family.h"

enum { ROOM = 64 };

static carom_shape *box_of(double x, double y, double z, double radius)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_BOX);
    carom_shape *shape = NULL;
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    def.radius = radius;
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

/* A stack: b over a, turned about z by an angle, moved by (x, y), a gap between. Then both are
 * carried along by a random motion. */
typedef struct stack {
    carom_shape *a, *b;
    carom_pose pose_a, pose_b;
    double angle, x, y, gap, size;
} stack;

static carom_pose random_motion(check_random *r, double far)
{
    carom_pose pose;
    double at[3], turn[4];
    for (int k = 0; k < 3; k++)
        at[k] = check_random_in(r, -far, far);
    for (int k = 0; k < 4; k++)
        turn[k] = check_random_in(r, -1, 1);
    assert_true(carom_pose_set(&pose, at, turn));
    return pose;
}

/* The pose `inner` carried by `outer`. */
static carom_pose carried(const carom_pose *outer, const carom_pose *inner)
{
    frame f = frame_of(outer), g = frame_of(inner);
    m3 R = m3_times(f.R, g.R);
    v3 p = frame_point(&f, g.p);
    return (carom_pose){{p.x, p.y, p.z},
                        {R.x.x, R.x.y, R.x.z, R.y.x, R.y.y, R.y.z, R.z.x, R.z.y, R.z.z}};
}

static stack random_stack(check_random *r)
{
    static const double angles[] = {0, 0.78539816339744828, 1.5707963267948966, 1e-3, 0.3, 1e-6};
    stack s = {.gap = check_random_int(r, 3) == 0 ? 0 : check_random_in(r, -0.05, 0.05)};
    bool equal = check_random_int(r, 3) == 0;
    double lx = check_random_in(r, 0.5, 2), ly = check_random_in(r, 0.5, 2);
    s.a = box_of(lx, ly, check_random_in(r, 0.5, 2), 0);
    s.b = equal ? box_of(lx, ly, 1, 0)
                : box_of(check_random_in(r, 0.5, 2), check_random_in(r, 0.5, 2), 1, 0);
    s.angle = check_random_int(r, 2) ? angles[check_random_int(r, 6)] : check_random_in(r, 0, 7);
    if (check_random_int(r, 3)) {
        s.x = check_random_in(r, -0.4, 0.4);
        s.y = check_random_in(r, -0.4, 0.4);
    }
    carom_pose motion = random_motion(r, 1), inner;
    double c = cos(s.angle), sn = sin(s.angle);
    inner = (carom_pose){{s.x, s.y, s.a->half[2] + 0.5 + s.gap}, {c, sn, 0, -sn, c, 0, 0, 0, 1}};
    s.pose_a = motion;
    s.pose_b = carried(&motion, &inner);
    s.size = s.a->size + s.b->size + 2;
    return s;
}

/* The corners of the common part of the two rectangles, from scratch: corners of each inside the
 * other, crossings of sides; merged where they coincide. */
typedef struct point {
    double x, y;
} point;

static bool inside(const double half[3], point p)
{
    return fabs(p.x) <= half[0] + 1e-12 && fabs(p.y) <= half[1] + 1e-12;
}

static int merge(int count, point *list, point p)
{
    for (int k = 0; k < count; k++)
        if (hypot(list[k].x - p.x, list[k].y - p.y) < 1e-9)
            return count;
    list[count] = p;
    return count + 1;
}

static int common_corners(const stack *s, point *list)
{
    double c = cos(s->angle), sn = sin(s->angle);
    point ca[4], cb[4];
    int count = 0;
    for (int k = 0; k < 4; k++) {
        double sx = k == 1 || k == 2 ? 1 : -1, sy = k >= 2 ? 1 : -1;
        ca[k] = (point){sx * s->a->half[0], sy * s->a->half[1]};
        cb[k] = (point){s->x + c * sx * s->b->half[0] - sn * sy * s->b->half[1],
                        s->y + sn * sx * s->b->half[0] + c * sy * s->b->half[1]};
    }
    for (int k = 0; k < 4; k++) {
        point back = {c * (ca[k].x - s->x) + sn * (ca[k].y - s->y),
                      -sn * (ca[k].x - s->x) + c * (ca[k].y - s->y)};
        if (inside(s->b->half, back))
            count = merge(count, list, ca[k]);
        if (inside(s->a->half, cb[k]))
            count = merge(count, list, cb[k]);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            point p = ca[i], q = ca[(i + 1) % 4], u = cb[j], v = cb[(j + 1) % 4];
            double dx = q.x - p.x, dy = q.y - p.y, ex = v.x - u.x, ey = v.y - u.y;
            double det = dx * ey - dy * ex;
            if (fabs(det) < 1e-9)
                continue;
            double t = ((u.x - p.x) * ey - (u.y - p.y) * ex) / det;
            double w = ((u.x - p.x) * dy - (u.y - p.y) * dx) / det;
            if (t >= 0 && t <= 1 && w >= 0 && w <= 1)
                count = merge(count, list, (point){p.x + t * dx, p.y + t * dy});
        }
    return count;
}

static int manifold(const stack *s, double reach, bool swapped, carom_touch *touches)
{
    int count =
        swapped ? carom_shape_manifold(s->b, &s->pose_b, s->a, &s->pose_a, reach, ROOM, touches)
                : carom_shape_manifold(s->a, &s->pose_a, s->b, &s->pose_b, reach, ROOM, touches);
    assert_true(count <= ROOM);
    return count;
}

static void test_stacks(void **state)
{
    (void)state;
    family f = family_start("boxes flat on each other", 7, 10000);
    while (family_next(&f)) {
        stack s = random_stack(&f.random);
        carom_touch t[ROOM], other[ROOM];
        point corner[40];
        int count = manifold(&s, 0.06, false, t), corners = common_corners(&s, corner);
        frame at = frame_of(&s.pose_a);
        v3 up = at.R.z;
        for (int k = 0; k < count; k++) {
            v3 n = v3_of(t[k].normal), a = v3_of(t[k].a), b = v3_of(t[k].b);
            v3 local = frame_back(&at, a);
            int matched = 0;
            family_check(&f, fabs(t[k].gap - s.gap) <= 1e-13 && v3_norm(v3_sub(n, up)) <= 1e-13,
                         "contact %d: gap %g instead of %g, normal off by %g", k, t[k].gap, s.gap,
                         v3_norm(v3_sub(n, up)));
            family_check(&f, v3_norm(v3_sub(v3_sub(b, a), v3_scale(t[k].gap, n))) <= 1e-14,
                         "contact %d: b - a is not gap n", k);
            for (int j = 0; j < corners; j++)
                matched += hypot(local.x - corner[j].x, local.y - corner[j].y) < 1e-8;
            family_check(&f, matched == 1, "contact %d is %d corners", k, matched);
            for (int j = 0; j < k; j++)
                family_check(&f, t[j].name != t[k].name, "contacts %d and %d: one name", j, k);
        }
        family_check(&f, count >= corners, "%d contacts, %d corners", count, corners);
        for (int j = 0; j < corners; j++) {
            double near = INFINITY;
            for (int k = 0; k < count; k++) {
                v3 local = frame_back(&at, v3_of(t[k].a));
                near = fmin(near, hypot(local.x - corner[j].x, local.y - corner[j].y));
            }
            family_check(&f, near < 1e-8, "corner %d has no contact within %g", j, near);
        }
        /* Swapped: the same contacts, seen from the other side. */
        int back = manifold(&s, 0.06, true, other);
        family_check(&f, back == count, "%d contacts, swapped %d", count, back);
        for (int k = 0; k < count; k++) {
            double near = INFINITY;
            for (int j = 0; j < back; j++)
                near = fmin(near, v3_norm(v3_sub(v3_of(t[k].a), v3_of(other[j].b))));
            family_check(&f, near < 1e-8, "contact %d is %g from the nearest swapped one", k, near);
        }
        carom_shape_destroy(s.a);
        carom_shape_destroy(s.b);
    }
    family_end(&f);
}

/* Any two boxes: each contact is a pair of points of the surfaces, none deeper than the depth of
 * the pair allows, the nearest or deepest one among them; the same under a rigid motion. */
static double outside(const carom_shape *box, const carom_pose *pose, v3 x)
{
    frame f = frame_of(pose);
    v3 p = frame_back(&f, x);
    return fmax(fabs(p.x) - box->half[0], fmax(fabs(p.y) - box->half[1], fabs(p.z) - box->half[2]));
}

static void test_random(void **state)
{
    (void)state;
    family f = family_start("manifolds of boxes anywhere", 8, 10000);
    while (family_next(&f)) {
        double radius = check_random_int(&f.random, 2) ? 0 : check_random_in(&f.random, 0, 0.2);
        carom_shape *a =
            box_of(check_random_in(&f.random, 0.2, 2), check_random_in(&f.random, 0.2, 2),
                   check_random_in(&f.random, 0.2, 2), 0);
        carom_shape *b =
            box_of(check_random_in(&f.random, 0.2, 2), check_random_in(&f.random, 0.2, 2),
                   check_random_in(&f.random, 0.2, 2), radius);
        carom_pose pa = random_motion(&f.random, 1), pb = random_motion(&f.random, 1);
        carom_pose motion = random_motion(&f.random, 2);
        carom_pose ma = carried(&motion, &pa), mb = carried(&motion, &pb);
        carom_touch t[ROOM], moved[ROOM], nearest;
        double reach = check_random_in(&f.random, 0, 0.3), least = INFINITY;
        int count = carom_shape_manifold(a, &pa, b, &pb, reach, ROOM, t);
        carom_shape_distance(a, &pa, b, &pb, &nearest);
        family_check(&f, (count > 0) == (nearest.gap <= reach), "%d contacts, distance %g of %g",
                     count, nearest.gap, reach);
        for (int k = 0; k < count; k++) {
            v3 n = v3_of(t[k].normal), xa = v3_of(t[k].a), xb = v3_of(t[k].b);
            least = fmin(least, t[k].gap);
            family_check(&f, t[k].gap <= reach, "gap %g beyond %g", t[k].gap, reach);
            family_check(&f, v3_norm(v3_sub(v3_sub(xb, xa), v3_scale(t[k].gap, n))) <= 1e-14,
                         "contact %d: b - a is not gap n", k);
            family_check(&f,
                         outside(a, &pa, xa) <= 1e-14 &&
                             outside(b, &pb, v3_along(xb, radius, n)) <= 1e-14,
                         "contact %d is off the surface", k);
        }
        family_check(&f,
                     !count || fabs(least - nearest.gap) <= 1e-7 ||
                         (least < nearest.gap && nearest.gap < 0 && least > 2 * nearest.gap),
                     "least gap %g of contacts, distance %g", least, nearest.gap);
        int again = carom_shape_manifold(a, &ma, b, &mb, reach, ROOM, moved);
        family_check(&f, again == count, "%d contacts, moved %d", count, again);
        frame g = frame_of(&motion);
        for (int k = 0; k < count && again == count; k++) {
            v3 x = frame_point(&g, v3_of(t[k].a));
            family_check(
                &f, t[k].name == moved[k].name && v3_norm(v3_sub(x, v3_of(moved[k].a))) <= 1e-12,
                "contact %d moves by %g", k, v3_norm(v3_sub(x, v3_of(moved[k].a))));
        }
        carom_shape_destroy(a);
        carom_shape_destroy(b);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stacks),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
