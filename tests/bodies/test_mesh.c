/* Meshes and fields of heights: a mesh of a box is that box, a flat field is a plane, edges inside
 * a flat part do not exist, valleys have two contacts, ridges one between their faces. */
#include "bodies/shape.h"
#include "family.h"

enum { ROOM = 200 };

static carom_shape *make(const carom_shape_def *def)
{
    carom_shape *shape = NULL;
    carom_error error = {0};
    check_ok(carom_shape_create(def, NULL, &shape, &error), &error);
    return shape;
}

static carom_shape *sized(carom_shape_kind kind, double a, double b, double c)
{
    carom_shape_def def = carom_shape_def_default(kind);
    def.size[0] = a;
    def.size[1] = b;
    def.size[2] = c;
    return make(&def);
}

/* A box as a mesh, every face cut into m x m squares of two triangles. */
static carom_shape *box_mesh(double lx, double ly, double lz, int m)
{
    enum { MOST = 6 * 9 * 9 };
    static double points[3 * MOST];
    static int triangles[3 * 12 * 64];
    int points_made = 0, made = 0;
    const double half[3] = {lx / 2, ly / 2, lz / 2};
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double sign = face % 2 ? 1 : -1;
        int index[9][9];
        for (int i = 0; i <= m; i++)
            for (int j = 0; j <= m; j++) {
                double p[3];
                p[axis] = sign * half[axis];
                p[u] = half[u] * (2. * i / m - 1);
                p[v] = half[v] * (2. * j / m - 1);
                index[i][j] = -1;
                for (int k = 0; k < points_made; k++)
                    if (memcmp(points + 3 * k, p, sizeof p) == 0)
                        index[i][j] = k;
                if (index[i][j] < 0) {
                    memcpy(points + 3 * points_made, p, sizeof p);
                    index[i][j] = points_made++;
                }
            }
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                int a = index[i][j], b = index[i + 1][j], c = index[i + 1][j + 1],
                    d = index[i][j + 1];
                const int two[6] = {a, sign > 0 ? b : c, sign > 0 ? c : b,
                                    a, sign > 0 ? c : d, sign > 0 ? d : c};
                memcpy(triangles + 3 * made, two, sizeof two);
                made += 2;
            }
    }
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_MESH);
    def.point_count = points_made;
    def.points = points;
    def.triangle_count = made;
    def.triangles = triangles;
    return make(&def);
}

static carom_pose random_pose(check_random *r, double far)
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

/* Move b until its gap to a is the one wanted. */
static void bring(const carom_shape *a, const carom_pose *pa, const carom_shape *b, carom_pose *pb,
                  double gap)
{
    for (int k = 0; k < 30; k++) {
        carom_touch t;
        carom_shape_distance(a, pa, b, pb, &t);
        for (int i = 0; i < 3; i++)
            pb->position[i] += (gap - t.gap) * t.normal[i];
    }
}

static void check_touch(family *f, const carom_touch *t)
{
    v3 n = v3_of(t->normal), d = v3_sub(v3_of(t->b), v3_of(t->a));
    family_check(f,
                 v3_norm(v3_sub(d, v3_scale(t->gap, n))) <= 1e-14 && fabs(v3_norm(n) - 1) < 1e-14,
                 "b - a is not gap n");
}

/* The mesh of a box against a box and a ball: apart, the distance of the boxes; touching or a
 * little deep, the same least gap; every contact of the box's manifold is one of the mesh's. */
static void test_box_mesh(void **state)
{
    (void)state;
    family f = family_start("a box as a mesh", 3, 1500);
    while (family_next(&f)) {
        int m = 1 + check_random_int(&f.random, 4);
        carom_shape *mesh = box_mesh(1, 0.8, 0.6, m), *box = sized(CAROM_SHAPE_BOX, 1, 0.8, 0.6);
        carom_shape *other = check_random_int(&f.random, 2) ? sized(CAROM_SHAPE_BOX, 0.7, 0.5, 0.4)
                                                            : sized(CAROM_SHAPE_SPHERE, 0.3, 0, 0);
        carom_pose pa = random_pose(&f.random, 1), pb = random_pose(&f.random, 1);
        double gap = check_random_int(&f.random, 2) ? check_random_in(&f.random, 0, 0.5)
                                                    : check_random_in(&f.random, -0.01, 0.01);
        bring(box, &pa, other, &pb, gap);
        carom_touch t, s, many[ROOM], few[ROOM];
        carom_shape_distance(box, &pa, other, &pb, &t);
        carom_shape_distance(mesh, &pa, other, &pb, &s);
        check_touch(&f, &s);
        if (t.gap > 1e-14)
            family_check(&f, fabs(s.gap - t.gap) <= 1e-14, "gap %.15g, box %.15g", s.gap, t.gap);
        int count = carom_shape_manifold(mesh, &pa, other, &pb, 0.02, ROOM, many);
        int expected = carom_shape_manifold(box, &pa, other, &pb, 0.02, ROOM, few);
        family_check(&f, (count > 0) == (expected > 0), "%d contacts, box %d", count, expected);
        for (int k = 0; k < count; k++)
            check_touch(&f, &many[k]);
        /* What is about to touch is the same; what is farther away each may see along other
         * normals. */
        for (int k = 0; k < expected && t.gap > 0; k++) {
            double near = INFINITY;
            if (few[k].gap > t.gap + 1e-9)
                continue;
            for (int j = 0; j < count; j++)
                near = fmin(near, fabs(few[k].gap - many[j].gap) +
                                      v3_norm(v3_sub(v3_of(few[k].a), v3_of(many[j].a))));
            family_check(&f, near <= 1e-7, "contact %d of the box (gap %g) is missing: %g", k,
                         few[k].gap, near);
        }
        carom_shape_destroy(mesh);
        carom_shape_destroy(box);
        carom_shape_destroy(other);
    }
    family_end(&f);
}

static carom_shape *field(int rows, int columns, const double *heights)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HEIGHTS);
    def.rows = rows;
    def.columns = columns;
    def.heights = heights;
    def.size[0] = def.size[1] = 0.25;
    return make(&def);
}

/* Cylinders and a box as a mesh at whole-number places and turns, where triangles are seen edge-on
 * and their edges along the axis: apart the gap is that of the box, overlapping nothing is read
 * that is not there. */
static void test_cylinder_on_box_mesh(void **state)
{
    (void)state;
    family f = family_start("cylinders and a box as a mesh", 8, 3000);
    while (family_next(&f)) {
        double size[5], turn[4], x[3];
        carom_pose at[2];
        for (int k = 0; k < 5; k++)
            size[k] = 0.5 * (1 + check_random_int(&f.random, 4));
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < 3; k++)
                x[k] = 0.25 * (check_random_int(&f.random, 17) - 8);
            do
                for (int k = 0; k < 4; k++)
                    turn[k] = check_random_int(&f.random, 5) - 2;
            while (!carom_pose_set(&at[side], x, turn));
        }
        carom_shape *mesh = box_mesh(size[0], size[1], size[2], 1),
                    *box = sized(CAROM_SHAPE_BOX, size[0], size[1], size[2]),
                    *other = sized(CAROM_SHAPE_CYLINDER, size[3], size[4], 0);
        carom_touch t, s, many[ROOM];
        carom_shape_distance(box, &at[0], other, &at[1], &t);
        carom_shape_distance(mesh, &at[0], other, &at[1], &s);
        const int count = carom_shape_manifold(mesh, &at[0], other, &at[1], 0.3, ROOM, many);
        if (t.gap > 1e-9)
            family_check(&f, fabs(s.gap - t.gap) <= 1e-11, "gap %.15g, box %.15g", s.gap, t.gap);
        for (int k = 0; k < count && k < ROOM; k++) {
            check_touch(&f, &many[k]);
            if (t.gap > 1e-9)
                family_check(&f, many[k].gap >= t.gap - 1e-11, "a contact at %.15g, box %.15g",
                             many[k].gap, t.gap);
        }
        carom_shape_destroy(mesh);
        carom_shape_destroy(box);
        carom_shape_destroy(other);
    }
    family_end(&f);
}

/* A flat field is a plane: a box has its four corners as contacts and no others, a ball one, a
 * capsule two, all straight up, wherever they lie over the edges of the grid. */
static void test_flat(void **state)
{
    (void)state;
    static const double zeros[21 * 21];
    carom_shape *ground = field(21, 21, zeros), *box = sized(CAROM_SHAPE_BOX, 0.6, 0.5, 0.4);
    carom_shape *ball = sized(CAROM_SHAPE_SPHERE, 0.3, 0, 0),
                *capsule = sized(CAROM_SHAPE_CAPSULE, 0.8, 0.2, 0);
    carom_shape *shapes[3] = {box, ball, capsule};
    const int expected[3] = {4, 1, 2};
    const double height[3] = {0.2, 0.3, 0.2};
    family f = family_start("a flat field", 4, 3000);
    while (family_next(&f)) {
        int which = check_random_int(&f.random, 3);
        carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, there;
        double angle = check_random_int(&f.random, 3) ? check_random_in(&f.random, 0, 7) : 0;
        double lies = which == 2 ? 1.5707963267948966 : 0, c = cos(angle / 2), s = sin(angle / 2);
        const double turn[4] = {c * cos(lies / 2), s * sin(lies / 2) * -1, c * sin(lies / 2),
                                s * cos(lies / 2)};
        double grid = check_random_int(&f.random, 3) ? check_random_in(&f.random, -1, 1)
                                                     : 0.25 * check_random_int(&f.random, 5);
        double gap = check_random_in(&f.random, -1e-3, 1e-3);
        const double at[3] = {grid, check_random_in(&f.random, -1, 1), height[which] + gap};
        assert_true(carom_pose_set(&there, at, turn));
        carom_touch t[ROOM];
        int count = carom_shape_manifold(ground, &here, shapes[which], &there, 0.01, ROOM, t);
        family_check(&f, count == expected[which], "shape %d: %d contacts", which, count);
        for (int k = 0; k < count; k++) {
            check_touch(&f, &t[k]);
            family_check(&f, t[k].normal[2] > 1 - 1e-14 && fabs(t[k].gap - gap) <= 1e-14,
                         "normal %g, gap %g instead of %g", t[k].normal[2], t[k].gap, gap);
        }
    }
    family_end(&f);
    for (int k = 0; k < 3; k++)
        carom_shape_destroy(shapes[k]);
    carom_shape_destroy(ground);
}

/* A valley along y: a ball in it has two contacts, one on each side. A ridge: one, with a normal
 * between those of its sides. */
static void test_valley_and_ridge(void **state)
{
    (void)state;
    static const double valley[9] = {0.25, 0, 0.25, 0.25, 0, 0.25, 0.25, 0, 0.25},
                        ridge[9] = {-0.25, 0, -0.25, -0.25, 0, -0.25, -0.25, 0, -0.25};
    carom_shape *down = field(3, 3, valley), *up = field(3, 3, ridge),
                *ball = sized(CAROM_SHAPE_SPHERE, 0.1, 0, 0);
    carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, there = here;
    carom_touch t[ROOM];
    there.position[1] = 0.03;
    there.position[2] = 0.1 * sqrt(2);
    assert_int_equal(carom_shape_manifold(down, &here, ball, &there, 0.01, ROOM, t), 2);
    for (int k = 0; k < 2; k++) {
        check_close(t[k].gap, 0, 1e-15);
        check_close(t[k].normal[2], sqrt(0.5), 1e-14);
    }
    check_close(t[0].normal[0] + t[1].normal[0], 0, 1e-14);
    for (int k = -4; k <= 4; k++) {
        double a = 0.19 * k; /* less than 45 degrees on both sides */
        there.position[0] = 0.1 * sin(a);
        there.position[2] = 0.1 * cos(a);
        assert_int_equal(carom_shape_manifold(up, &here, ball, &there, 0.01, ROOM, t), 1);
        check_close(t[0].gap, 0, 1e-15);
        check_close(t[0].normal[0], sin(a), 1e-14);
        check_close(t[0].a[0], 0, 1e-15);
    }
    carom_shape_destroy(down);
    carom_shape_destroy(up);
    carom_shape_destroy(ball);
}

/* A ball over random country: the gap is that of the nearest point of all triangles. */
static void test_country(void **state)
{
    (void)state;
    family f = family_start("a ball over random country", 6, 2000);
    double heights[9 * 9];
    check_random r = {5};
    for (int k = 0; k < 81; k++)
        heights[k] = check_random_in(&r, -0.2, 0.2);
    carom_shape *ground = field(9, 9, heights), *ball = sized(CAROM_SHAPE_SPHERE, 0.1, 0, 0);
    const carom_mesh *mesh = &ground->mesh;
    while (family_next(&f)) {
        carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, there = here;
        there.position[0] = check_random_in(&f.random, -1, 1);
        there.position[1] = check_random_in(&f.random, -1, 1);
        there.position[2] = check_random_in(&f.random, 0.3, 0.8);
        v3 c = v3_of(there.position);
        double least = INFINITY;
        /* Descent on barycentric coordinates is exact enough: corners, sides and inside. */
        for (int k = 0; k < mesh->triangle_count; k++) {
            const carom_mesh_triangle *t = &mesh->triangle[k];
            v3 p[3];
            bool inside = true;
            for (int j = 0; j < 3; j++)
                p[j] = mesh->vertex[t->v[j]];
            for (int j = 0; j < 3; j++) {
                v3 e = v3_sub(p[(j + 1) % 3], p[j]), d = v3_sub(c, p[j]);
                double s = fmin(1, fmax(0, v3_dot(d, e) / v3_norm2(e)));
                least = fmin(least, v3_norm(v3_sub(d, v3_scale(s, e))));
                inside = inside && v3_dot(v3_cross(t->normal, e), d) >= 0;
            }
            if (inside)
                least = fmin(least, fabs(v3_dot(t->normal, v3_sub(c, p[0]))));
        }
        carom_touch t;
        carom_shape_distance(ground, &here, ball, &there, &t);
        check_touch(&f, &t);
        family_check(&f, fabs(t.gap + 0.1 - least) <= 1e-14, "gap %.15g, expected %.15g",
                     t.gap + 0.1, least);
    }
    family_end(&f);
    carom_shape_destroy(ground);
    carom_shape_destroy(ball);
}

/* Two meshes of boxes as two boxes, and a mesh over a plane. */
static void test_two_meshes(void **state)
{
    (void)state;
    family f = family_start("two meshes", 7, 500);
    carom_shape *one = box_mesh(1, 0.8, 0.6, 2), *two = box_mesh(0.7, 0.5, 0.4, 2);
    carom_shape *box_one = sized(CAROM_SHAPE_BOX, 1, 0.8, 0.6),
                *box_two = sized(CAROM_SHAPE_BOX, 0.7, 0.5, 0.4),
                *plane = sized(CAROM_SHAPE_PLANE, 0, 0, 0);
    while (family_next(&f)) {
        carom_pose pa = random_pose(&f.random, 1), pb = random_pose(&f.random, 1);
        carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        bring(box_one, &pa, box_two, &pb, check_random_in(&f.random, 1e-4, 0.3));
        carom_touch t, s, many[ROOM], few[ROOM];
        carom_shape_distance(box_one, &pa, box_two, &pb, &t);
        carom_shape_distance(one, &pa, two, &pb, &s);
        check_touch(&f, &s);
        family_check(&f, fabs(s.gap - t.gap) <= 1e-14, "gap %.15g, boxes %.15g", s.gap, t.gap);
        carom_shape_distance(plane, &here, one, &pa, &s);
        carom_shape_distance(plane, &here, box_one, &pa, &t);
        family_check(&f, fabs(s.gap - t.gap) <= 1e-14, "over a plane %g, box %g", s.gap, t.gap);
        int count = carom_shape_manifold(plane, &here, one, &pa, 0.3, ROOM, many);
        int expected = carom_shape_manifold(plane, &here, box_one, &pa, 0.3, ROOM, few);
        family_check(&f, count >= expected, "%d contacts, box %d", count, expected);
    }
    family_end(&f);
    carom_shape_destroy(one);
    carom_shape_destroy(two);
    carom_shape_destroy(box_one);
    carom_shape_destroy(box_two);
    carom_shape_destroy(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_mesh), cmocka_unit_test(test_cylinder_on_box_mesh),
        cmocka_unit_test(test_flat),     cmocka_unit_test(test_valley_and_ridge),
        cmocka_unit_test(test_country),  cmocka_unit_test(test_two_meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
