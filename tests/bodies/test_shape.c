/* Shapes: mass properties against closed forms and compositions, and what is refused. */
#include "bodies/hull.h"
#include "bodies/shape.h"
#include "check.h"
#include "check_memory.h"

static carom_shape *make(const carom_shape_def *def)
{
    carom_shape *shape = NULL;
    carom_error error = {0};
    check_ok(carom_shape_create(def, NULL, &shape, &error), &error);
    return shape;
}

static carom_mass mass_of(const carom_shape_def *def, double density)
{
    carom_shape *shape = make(def);
    carom_mass mass = {0};
    carom_error error = {0};
    check_ok(carom_shape_mass(shape, density, &mass, &error), &error);
    carom_shape_destroy(shape);
    return mass;
}

static carom_shape_def sized(carom_shape_kind kind, double a, double b, double c, double radius)
{
    carom_shape_def def = carom_shape_def_default(kind);
    def.size[0] = a;
    def.size[1] = b;
    def.size[2] = c;
    def.radius = radius;
    return def;
}

static void check_diagonal(const carom_mass *m, double mass, double x, double y, double z)
{
    const double expected[9] = {x, 0, 0, 0, y, 0, 0, 0, z};
    check_close(m->mass, mass, 1e-14 * mass);
    check_vector(m->centre, ((double[3]){0, 0, 0}), 3, 1e-14);
    check_vector(m->inertia, expected, 9, 2e-14 * (x + y + z));
}

static void test_closed_forms(void **state)
{
    (void)state;
    carom_shape_def def = sized(CAROM_SHAPE_SPHERE, 0.3, 0, 0, 0.1);
    carom_mass m = mass_of(&def, 2);
    double ball = 2 * 4 * CAROM_PI / 3 * 0.064;
    check_diagonal(&m, ball, 0.4 * ball * 0.16, 0.4 * ball * 0.16, 0.4 * ball * 0.16);

    def = sized(CAROM_SHAPE_BOX, 1, 2, 3, 0);
    m = mass_of(&def, 2);
    check_diagonal(&m, 12, 13, 10, 5);

    def = sized(CAROM_SHAPE_CYLINDER, 2, 0.5, 0, 0);
    m = mass_of(&def, 3);
    double rod = 3 * CAROM_PI * 0.25 * 2, side = rod * (3 * 0.25 + 4) / 12;
    check_diagonal(&m, rod, side, side, rod * 0.125);

    /* A capsule: a cylinder and two half balls whose centres are 3/8 r outside its ends. */
    def = sized(CAROM_SHAPE_CAPSULE, 2, 0.5, 0, 0);
    m = mass_of(&def, 3);
    ball = 3 * 4 * CAROM_PI / 3 * 0.125;
    double caps = ball * (0.4 * 0.25 + 1 + 2 * 1 * 3. / 8 * 0.5);
    check_diagonal(&m, rod + ball, side + caps, side + caps, rod * 0.125 + 0.4 * ball * 0.25);

    /* A rounded cylinder about a point is a capsule, and a point a ball. */
    carom_shape_def thin = sized(CAROM_SHAPE_CYLINDER, 2, 1e-14, 0, 0.5);
    carom_mass t = mass_of(&thin, 3);
    check_vector(t.inertia, m.inertia, 9, 1e-12);
}

/* A rounded box put together from boxes, cylinders and balls: slabs on the faces, quarters of
 * cylinders on the edges (each of the four a quarter moved to its edge), eighths of a ball. */
static void test_rounded_box(void **state)
{
    (void)state;
    const double l[3] = {1, 0.7, 0.4}, r = 0.2;
    carom_mass sum = {0};
    carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    carom_shape_def def = sized(CAROM_SHAPE_BOX, l[0], l[1], l[2], 0);
    carom_mass part = mass_of(&def, 1);
    carom_mass_add(&sum, &part, &here);
    for (int k = 0; k < 3; k++) {
        def = sized(CAROM_SHAPE_BOX, l[0], l[1], l[2], 0);
        def.size[k] = r;
        part = mass_of(&def, 1);
        for (int side = -1; side <= 1; side += 2) {
            carom_pose at = here;
            at.position[k] = side * (l[k] + r) / 2;
            carom_mass_add(&sum, &part, &at);
        }
    }
    /* A quarter of a cylinder about z in the corner x, y > 0 (length h): moments about its edge. */
    for (int k = 0; k < 3; k++)
        for (int quarter = 0; quarter < 4; quarter++) {
            double h = l[k], m = CAROM_PI * r * r / 4 * h, c = 4 * r / (3 * CAROM_PI);
            int i = (k + 1) % 3, j = (k + 2) % 3;
            double si = quarter & 1 ? 1 : -1, sj = quarter & 2 ? 1 : -1;
            /* second moments about the centre: r^2/4 - c^2 each, product r^2/(2 pi) - c^2 */
            double second = r * r / 4 - c * c, product = r * r / (2 * CAROM_PI) - c * c;
            carom_mass q = {.mass = m};
            q.centre[i] = si * (l[i] / 2 + c);
            q.centre[j] = sj * (l[j] / 2 + c);
            q.inertia[4 * k] = 2 * m * second;
            q.inertia[4 * i] = m * (second + h * h / 12);
            q.inertia[4 * j] = m * (second + h * h / 12);
            q.inertia[i + 3 * j] = q.inertia[j + 3 * i] = -si * sj * m * product;
            carom_mass_add(&sum, &q, &here);
        }
    for (int corner = 0; corner < 8; corner++) {
        double m = CAROM_PI * r * r * r / 6, c = 3 * r / 8;
        double second = r * r / 5 - c * c, product = 2 * r * r / (5 * CAROM_PI) - c * c;
        carom_mass q = {.mass = m};
        for (int k = 0; k < 3; k++) {
            double s = corner >> k & 1 ? 1 : -1;
            q.centre[k] = s * (l[k] / 2 + c);
            q.inertia[4 * k] = 2 * m * second;
            for (int j = 0; j < k; j++) {
                double sj = corner >> j & 1 ? 1 : -1;
                q.inertia[k + 3 * j] = q.inertia[j + 3 * k] = -s * sj * m * product;
            }
        }
        carom_mass_add(&sum, &q, &here);
    }
    def = sized(CAROM_SHAPE_BOX, l[0], l[1], l[2], r);
    carom_mass whole = mass_of(&def, 1);
    check_close(whole.mass, sum.mass, 1e-14);
    check_vector(whole.inertia, sum.inertia, 9, 1e-14);
}

/* Random points; the same hull turned and moved has its inertia turned. A rounded hull of a large
 * radius is nearly a ball, and its volume follows Steiner's polynomial. */
static void test_hull_turned(void **state)
{
    (void)state;
    check_random r = {11};
    for (int round = 0; round < 200; round++) {
        int count = 4 + check_random_int(&r, 20);
        double points[3 * 24], moved[3 * 24], turn[4], at[3];
        carom_pose pose;
        for (int k = 0; k < 3 * count; k++)
            points[k] = check_random_in(&r, -1, 1);
        for (int k = 0; k < 4; k++)
            turn[k] = check_random_in(&r, -1, 1);
        for (int k = 0; k < 3; k++)
            at[k] = check_random_in(&r, -10, 10);
        assert_true(carom_pose_set(&pose, at, turn));
        frame f = frame_of(&pose);
        for (int k = 0; k < count; k++)
            v3_to(frame_point(&f, v3_of(points + 3 * k)), moved + 3 * k);
        carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
        def.radius = round % 2 ? check_random_in(&r, 0, 2) : 0;
        def.point_count = count;
        def.points = points;
        carom_mass one = mass_of(&def, 1), turned = {0};
        def.points = moved;
        carom_mass other = mass_of(&def, 1);
        carom_mass_add(&turned, &one, &pose);
        check_close(other.mass, turned.mass, 1e-13 * turned.mass);
        check_vector(other.centre, turned.centre, 3, 2e-13 * (1 + 10 / one.mass));
        check_vector(other.inertia, turned.inertia, 9, 1e-11 * (1 + turned.inertia[0]));
    }
}

/* The share of rounding is right for any hull: the integral of |x|^2 over the rounded hull equals
 * that over a mesh of it made by pushing a fine sphere out of the support points. */
static void test_rounded_hull_by_mesh(void **state)
{
    (void)state;
    static const double points[12] = {0, 0, 0, 1, 0.1, 0, 0.2, 0.9, 0.1, 0.3, 0.2, 0.8};
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
    def.point_count = 4;
    def.points = points;
    def.radius = 0.5;
    carom_mass exact = mass_of(&def, 1);
    /* Support points of many directions are a polytope inside, within d^2 r of the surface. */
    enum { RINGS = 120, AROUND = 240 };
    static double cloud[3 * (RINGS * AROUND + 2)];
    int count = 0;
    for (int i = 0; i <= RINGS; i++)
        for (int j = 0; j < (i % RINGS ? AROUND : 1); j++) {
            double a = CAROM_PI * i / RINGS, b = 2 * CAROM_PI * j / AROUND;
            v3 n = {sin(a) * cos(b), sin(a) * sin(b), cos(a)}, best = v3_of(points);
            for (int k = 1; k < 4; k++)
                if (v3_dot(n, v3_of(points + 3 * k)) > v3_dot(n, best))
                    best = v3_of(points + 3 * k);
            v3_to(v3_along(best, 0.5, n), cloud + 3 * count++);
        }
    def.radius = 0;
    def.points = cloud;
    def.point_count = count;
    carom_mass near = mass_of(&def, 1);
    check_close(near.mass, exact.mass, 1e-3 * exact.mass);
    check_vector(near.centre, exact.centre, 3, 1e-4);
    check_vector(near.inertia, exact.inertia, 9, 1e-3 * exact.inertia[0]);
    assert_true(near.mass < exact.mass);
}

static void test_plane(void **state)
{
    (void)state;
    carom_shape_def def = sized(CAROM_SHAPE_SPHERE, 0.5, 0, 0, 0);
    def.space = 2;
    carom_mass m = mass_of(&def, 2);
    check_close(m.mass, CAROM_PI / 2, 1e-15);
    check_close(m.inertia[8], CAROM_PI / 2 * 0.125, 1e-15);

    def = sized(CAROM_SHAPE_CAPSULE, 2, 0.5, 0, 0);
    def.space = 2;
    m = mass_of(&def, 1);
    double disc = CAROM_PI / 4, out = 4 * 0.5 / (3 * CAROM_PI);
    check_close(m.mass, 2 + disc, 1e-14);
    check_close(m.inertia[8], 2 * (4 + 1) / 12. + disc * (0.125 + 1 + 2 * out), 1e-14);

    /* A rounded square is a square, four rectangles, four quarters of a disc. */
    const double l = 1, r = 0.3;
    def = sized(CAROM_SHAPE_BOX, l, l, 0, r);
    def.space = 2;
    m = mass_of(&def, 1);
    double q = CAROM_PI * r * r / 4, c = 4 * r / (3 * CAROM_PI), arm = l / 2 + c;
    check_close(m.mass, l * l + 4 * l * r + 4 * q, 1e-14);
    check_close(m.inertia[8],
                l * l * l * l / 6 + 4 * l * r * ((l * l + r * r) / 12 + (l + r) * (l + r) / 4) +
                    4 * (q * r * r / 2 - 2 * q * c * c + 2 * q * arm * arm),
                1e-14);

    /* A triangle far from its origin, in clockwise order, with a point in the middle of a side. */
    static const double corner[8] = {1e6, 1e6, 1e6, 1e6 + 3, 1e6 + 1, 1e6 + 1.5, 1e6 + 2, 1e6};
    def = sized(CAROM_SHAPE_HULL, 0, 0, 0, 0);
    def.space = 2;
    def.point_count = 4;
    def.points = corner;
    carom_shape *triangle = make(&def);
    assert_int_equal(triangle->polytope.vertex_count, 3);
    carom_shape_destroy(triangle);
    m = mass_of(&def, 2);
    check_close(m.mass, 6, 1e-12);
    check_close(m.centre[0], 1e6 + 2. / 3, 1e-9);
    check_close(m.centre[1], 1e6 + 1, 1e-9);
    check_close(m.inertia[8], 6 * (4 + 9) / 18., 1e-8);
}

/* The mesh of a box is that box. */
static const double cube_points[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                                       0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int cube_triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static carom_shape_def cube_mesh(void)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_MESH);
    def.point_count = 8;
    def.points = cube_points;
    def.triangle_count = 12;
    def.triangles = cube_triangles;
    return def;
}

static void test_mesh(void **state)
{
    (void)state;
    carom_shape_def def = cube_mesh();
    carom_mass m = mass_of(&def, 3);
    const double sixth[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
    check_close(m.mass, 3, 1e-15);
    check_vector(m.centre, ((double[3]){0.5, 0.5, 0.5}), 3, 1e-15);
    check_vector(m.inertia, sixth, 9, 1e-15);
}

/* The hull of a rotated box with points inside, on faces and on edges has its eight vertices, six
 * faces and twelve edges; V - E + F = 2 for random ones, and every point is inside. */
static void test_hull(void **state)
{
    (void)state;
    check_random r = {5};
    for (int round = 0; round < 300; round++) {
        double turn[4], points[3 * 60], zero[3] = {0};
        carom_pose pose;
        for (int k = 0; k < 4; k++)
            turn[k] = check_random_in(&r, -1, 1);
        assert_true(carom_pose_set(&pose, zero, turn));
        frame f = frame_of(&pose);
        for (int k = 0; k < 60; k++) {
            v3 p = {(k & 1) - 0.5, (k >> 1 & 1) - 0.5, (k >> 2 & 1) - 0.5};
            if (k >= 8)
                p = (v3){check_random_int(&r, 9) / 8. - 0.5, check_random_int(&r, 9) / 8. - 0.5,
                         check_random_int(&r, 9) / 8. - 0.5};
            v3_to(frame_point(&f, p), points + 3 * k);
        }
        carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
        def.point_count = 60;
        def.points = points;
        carom_shape *shape = make(&def);
        assert_int_equal(shape->polytope.vertex_count, 8);
        assert_int_equal(shape->polytope.face_count, 6);
        assert_int_equal(shape->polytope.edge_count, 12);
        carom_shape_destroy(shape);
    }
    for (int round = 0; round < 300; round++) {
        int count = 4 + check_random_int(&r, 100);
        double points[3 * 104];
        bool grid = round % 3 == 0;
        for (int k = 0; k < 3 * count; k++)
            points[k] = grid ? check_random_int(&r, 5) : check_random_in(&r, -1, 1);
        carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
        def.point_count = count;
        def.points = points;
        carom_shape *shape = NULL;
        if (carom_shape_create(&def, NULL, &shape, NULL) == CAROM_ERROR_INPUT && grid)
            continue; /* the few points of the grid may lie in a plane */
        const carom_polytope *p = &shape->polytope;
        assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
        for (int k = 0; k < count; k++)
            for (int face = 0; face < p->face_count; face++)
                assert_true(v3_dot(p->normal[face], v3_of(points + 3 * k)) <=
                            p->offset[face] + 1e-14);
        for (int e = 0; e < p->edge_count; e++)
            assert_true(v3_norm(v3_cross(p->normal[p->edge[e].f[0]], p->normal[p->edge[e].f[1]])) >
                        1e-13);
        carom_shape_destroy(shape);
    }
}

static void refused(const carom_shape_def *def, const char *word)
{
    carom_shape *shape = NULL;
    carom_error error = {0};
    carom_status status = carom_shape_create(def, NULL, &shape, &error);
    if (status >= 0 || !strstr(error.text, word))
        print_error("status %d, \"%s\", expected \"%s\"\n", status, error.text, word);
    assert_true(status < 0);
    assert_non_null(strstr(error.text, word));
}

static void test_refused(void **state)
{
    (void)state;
    carom_shape_def def = sized(CAROM_SHAPE_BOX, 1, -2, 1, 0);
    refused(&def, "second length of the box is -2");
    def = sized(CAROM_SHAPE_SPHERE, 0, 1, 1, 0);
    refused(&def, "radius of the sphere is 0");
    def = sized(CAROM_SHAPE_SPHERE, NAN, 1, 1, 0);
    refused(&def, "must be positive");
    def = sized(CAROM_SHAPE_SPHERE, 1, 1, 1, -1);
    refused(&def, "rounding radius of the sphere is -1");
    def = sized(CAROM_SHAPE_CYLINDER, 1, 1, 1, 0);
    def.space = 2;
    refused(&def, "there is no cylinder in the plane");
    def = sized(CAROM_SHAPE_PLANE, 1, 1, 1, 0);
    def.normal[2] = 0;
    refused(&def, "must be finite and not zero");

    static const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const double thin[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-15};
    def = carom_shape_def_default(CAROM_SHAPE_HULL);
    def.points = flat;
    def.point_count = 3;
    refused(&def, "3 points; a body in space needs at least four");
    def.point_count = 4;
    refused(&def, "lie in one plane");
    def.points = thin;
    refused(&def, "lie in one plane");

    static const double bent[8] = {0, 0, 2, 0, 1, 0.5, 0, 2};
    static const double star[10] = {0, 1, 0.6, -0.8, -0.95, 0.3, 0.95, 0.3, -0.6, -0.8};
    def = carom_shape_def_default(CAROM_SHAPE_HULL);
    def.space = 2;
    def.points = bent;
    def.point_count = 4;
    refused(&def, "not convex at point 3");
    static const double spike[8] = {0, 0, 2, 0, 1, 0, 1, 1};
    def.points = spike;
    refused(&def, "turns back on itself at point 2");
    def.points = star;
    def.point_count = 5;
    refused(&def, "winds around more than once");

    int triangles[36];
    memcpy(triangles, cube_triangles, sizeof triangles);
    def = cube_mesh();
    def.triangle_count = 11;
    refused(&def, "is open");
    def = cube_mesh();
    for (int k = 0; k < 12; k++) {
        triangles[3 * k] = cube_triangles[3 * k + 1];
        triangles[3 * k + 1] = cube_triangles[3 * k];
    }
    def.triangles = triangles;
    refused(&def, "inverted: its volume is -1");
    memcpy(triangles, cube_triangles, sizeof triangles);
    triangles[0] = 4;
    triangles[1] = 0;
    refused(&def, "run the same way round");
    triangles[0] = 8;
    refused(&def, "names point 8");
    triangles[0] = 4;
    triangles[1] = 4;
    refused(&def, "has no area");
}

static void test_mass_refused(void **state)
{
    (void)state;
    carom_error error = {0};
    carom_mass m = {.mass = -1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    assert_int_equal(carom_mass_check(&m, 3, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "the mass is -1"));
    m.mass = 1;
    assert_int_equal(carom_mass_check(&m, 3, &error), CAROM_OK);
    m.inertia[8] = 2.1;
    assert_int_equal(carom_mass_check(&m, 3, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "1, 1, 2.1; no body"));
    m.inertia[8] = 2;
    assert_int_equal(carom_mass_check(&m, 3, &error), CAROM_OK);
    m.inertia[1] = 0.1;
    assert_int_equal(carom_mass_check(&m, 3, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "not symmetric"));
    m.inertia[3] = 0.1;
    m.inertia[8] = 0;
    assert_int_equal(carom_mass_check(&m, 3, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "must be positive"));
    assert_int_equal(carom_mass_check(&m, 2, &error), CAROM_ERROR_INPUT);
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_PLANE);
    carom_shape *plane = make(&def);
    assert_int_equal(carom_shape_mass(plane, 1, &m, &error), CAROM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "a plane has no volume"));
    carom_shape_destroy(plane);
}

/* The mass of a shape's surface taken as a mesh, which has to be closed, with its outside out. */
static carom_mass mass_of_surface(const carom_shape_def *def, bool smooth)
{
    carom_shape *shape = make(def);
    carom_shape_def mesh = carom_shape_def_default(CAROM_SHAPE_MESH);
    carom_arena *arena = NULL;
    carom_shape_surface s;
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_shape_get_surface(shape, arena, &s, &error), &error);
    assert_int_equal(s.smooth, smooth);
    mesh.point_count = s.point_count;
    mesh.points = s.points[0];
    mesh.triangle_count = s.triangle_count;
    mesh.triangles = s.triangles[0];
    carom_mass mass = mass_of(&mesh, 1);
    carom_arena_destroy(arena);
    carom_shape_destroy(shape);
    return mass;
}

/* Surfaces for pictures. What has faces is shown exactly; of round ones an inscribed polytope. Its
 * directions are steps of pi / 12 apart, so it holds all that is within cos(pi / 12) of the way
 * out. */
static void test_surface(void **state)
{
    (void)state;
    static const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    carom_shape_def exact[3] = {sized(CAROM_SHAPE_BOX, 1, 2, 3, 0), cube_mesh(),
                                carom_shape_def_default(CAROM_SHAPE_HULL)};
    exact[2].points = points;
    exact[2].point_count = 5;
    for (int k = 0; k < 3; k++) {
        const carom_mass m = mass_of(&exact[k], 1), shown = mass_of_surface(&exact[k], false);
        check_close(shown.mass, m.mass, 1e-14 * m.mass);
        check_vector(shown.inertia, m.inertia, 9, 2e-14 * (1 + m.inertia[0]));
    }
    const double out = cos(CAROM_PI / 12);
    const carom_shape_def round[5] = {
        sized(CAROM_SHAPE_SPHERE, 0.5, 0, 0, 0), sized(CAROM_SHAPE_CAPSULE, 2, 0.5, 0, 0),
        sized(CAROM_SHAPE_ELLIPSOID, 0.3, 0.4, 0.5, 0), sized(CAROM_SHAPE_BOX, 1, 2, 3, 0.5),
        sized(CAROM_SHAPE_CYLINDER, 2, 0.5, 0, 0.1)};
    for (int k = 0; k < 5; k++) {
        const double m = mass_of(&round[k], 1).mass, shown = mass_of_surface(&round[k], true).mass;
        assert_true(shown < m);
        assert_true(shown > out * out * out * m);
    }
}

/* A half-space has no surface of triangles, nor has anything in the plane. */
static void test_no_surface(void **state)
{
    (void)state;
    carom_shape_def none[2] = {carom_shape_def_default(CAROM_SHAPE_PLANE),
                               sized(CAROM_SHAPE_BOX, 1, 2, 0, 0)};
    none[1].space = 2;
    carom_arena *arena = NULL;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    for (int k = 0; k < 2; k++) {
        carom_shape *shape = make(&none[k]);
        carom_shape_surface s;
        check_ok(carom_shape_get_surface(shape, arena, &s, NULL), &(carom_error){0});
        assert_int_equal(s.triangle_count, 0);
        carom_shape_destroy(shape);
    }
    carom_arena_destroy(arena);
}

/* Memory that runs out anywhere while shapes are made is reported, and nothing is left behind. */
static void test_memory(void **state)
{
    (void)state;
    static const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const double heights[9] = {0, 1, 2, 0, 1, 2, 3, 2, 1};
    carom_shape_def defs[4] = {cube_mesh(), carom_shape_def_default(CAROM_SHAPE_HULL),
                               carom_shape_def_default(CAROM_SHAPE_HEIGHTS),
                               carom_shape_def_default(CAROM_SHAPE_BOX)};
    defs[1].points = points;
    defs[1].point_count = 5;
    defs[2].rows = defs[2].columns = 3;
    defs[2].heights = heights;
    for (int d = 0; d < 4; d++)
        for (int fail = 0;; fail++) {
            check_memory memory = {.fail_at = fail};
            carom_allocator allocator = {check_memory_resize, &memory};
            carom_shape *shape = NULL;
            carom_status status = carom_shape_create(&defs[d], &allocator, &shape, NULL);
            if (status == CAROM_OK)
                carom_shape_destroy(shape);
            else
                assert_int_equal(status, CAROM_ERROR_MEMORY);
            assert_int_equal(memory.live, 0);
            if (status == CAROM_OK && memory.calls <= fail)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_rounded_box),
        cmocka_unit_test(test_hull_turned),  cmocka_unit_test(test_rounded_hull_by_mesh),
        cmocka_unit_test(test_plane),        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_hull),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_mass_refused), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_surface),      cmocka_unit_test(test_no_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
