/* Scenes of bodies: what is refused, where and why; names; materials; files of triangles. */
#include "carom/bodies.h"
#include "scene_check.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD  "carom: 1\nworld: {gravity: [0, 0, -1]}\nbodies:\n"
#define PLANE "carom: 1\nworld: {space: 2}\nbodies:\n"
#define BALL  "  ball: {shape: {sphere: 1}}\n"

static void test_refusals(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"carom: 1\nbodies: {}\nsystem: {}\n", 2, 9, "do not mix"},
        {"carom: 1\nbodies: {}\n", 2, 9, "nothing can move"},
        {"carom: 1\nimport: robot.urdf\nbodies: {}\n", 2, 9, "not read yet"},
        {"carom: 1\nworld: {space: 4}\nbodies: {}\n", 2, 16, "allowed: 2, 3"},
        {"carom: 1\nworld: {gravity: [0, 1]}\nbodies: {}\n", 2, 18, "gravity"},
        {"carom: 1\nworld: {contact: {restitution: 2}}\nbodies: {}\n", 2, 32, "restitution is 2"},
        {HEAD "  a: {shape: {sphere: -1}}\n", 4, 23, "sphere is -1"},
        {HEAD "  a: {shape: {sphere: 0}}\n", 4, 23, "greater than 0"},
        {HEAD "  a: {shape: {box: [1, 0, 1]}}\n", 4, 20, "must be positive"},
        {HEAD "  a: {shape: {box: [1, 1]}}\n", 4, 20, "box"},
        {HEAD "  a: {shape: {circle: 1}}\n", 4, 23, "a shape of the plane"},
        {PLANE "  a: {shape: {sphere: 1}}\n", 4, 23, "a shape of space"},
        {HEAD "  a: {shape: {sphere: 1, box: [1, 1, 1]}}\n", 4, 31, "is the second"},
        {HEAD "  a: {shape: {radius: 1}}\n", 4, 14, "lacks what it is: sphere"},
        {HEAD "  a: {shape: {spere: 1}}\n", 4, 15, "did you mean `sphere`"},
        {HEAD "  a: {shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}\n", 4, 14, "point"},
        {HEAD "  a: {shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}\n", 4, 14,
         "span"},
        {HEAD "  a: {shape: {plane: [0, 0, 0]}, fixed: true}\n" BALL, 4, 14, "normal"},
        {HEAD "  a: {mass: 1}\n", 4, 3, "inertia"},
        {HEAD "  a: {mass: -1, inertia: [1, 1, 1]}\n", 4, 13, "mass is -1"},
        {HEAD "  a: {mass: 0, inertia: [1, 1, 1]}\n", 4, 13, "greater than 0"},
        {HEAD "  a: {mass: 1, inertia: [1, 1, 3]}\n", 4, 3, "body `a`"},
        {HEAD "  a: {inertia: [1, 1, 1]}\n", 4, 16, "needs `mass` beside it"},
        {HEAD "  a: {shape: {plane: [0, 0, 1]}}\n", 4, 3, "body `a`"},
        {HEAD "  a: {shape: {sphere: 1}, turn: [0, 0, 0, 0]}\n", 4, 33, "quaternion is zero"},
        {HEAD "  a: {shape: {sphere: 1}, at: [0, sin(t), 0]}\n", 4, 39, "t"},
        {HEAD "  a: {shape: {sphere: 1}, surface: [1, 0, 0]}\n", 4, 36, "for fixed bodies"},
        {HEAD "  a: {fixed: true, velocity: [1, 0, 0]}\n" BALL, 4, 30, "has no `velocity`"},
        {HEAD "  a: {fixed: maybe}\n", 4, 14, "allowed: false, true"},
        {HEAD "  world: {shape: {sphere: 1}}\n", 4, 3, "the ground itself"},
        {HEAD "  1a: {shape: {sphere: 1}}\n", 4, 3, "is not a name"},
        {HEAD BALL "joints: {j: {revolute: [world, bal]}}\n", 5, 32, "did you mean `ball`"},
        {HEAD BALL "joints: {j: {revolute: [world]}}\n", 5, 24, "two bodies"},
        {HEAD BALL "joints: {j: {revolute: [ball, ball]}}\n", 5, 24, "same body twice"},
        {HEAD BALL "joints: {j: {at: [0, 0, 0]}}\n", 5, 13, "lacks its kind"},
        {HEAD BALL "joints: {j: {revolute: [world, ball], limits: [1, -1]}}\n", 5, 47,
         "must be the smaller"},
        {HEAD BALL "joints: {j: {ball: [world, ball], spring: 1}}\n", 5, 10, "joint `j`"},
        {HEAD BALL "joints: {j: {universal: [world, ball], axis: [0.1, 0.2, 0.3],\n"
                   "             second: [-0.3, -0.6, -0.9]}}\n",
         5, 10, "parallel"},
        {HEAD BALL "joints: {j: {revolute: [world, ball], motor: 2*k}}\n", 5, 48, "k"},
        {HEAD BALL "joints: {j: {rope: [world, ball]}}\n", 5, 13, "needs its ends"},
        {HEAD BALL "  wall: {fixed: true, shape: {plane: [1, 0, 0]}, at: [-9, 0, 0]}\n"
                   "section: {at: ball/wal:1}\n",
         6, 15, "did you mean `ball/wall:1`?"},
        {HEAD BALL "joints: {j: {rope: [world, ball], axis: [1, 0, 0]}}\n", 5, 35,
         "a rope has no `axis`"},
        {PLANE "  a: {shape: {circle: 1}}\njoints: {j: {ball: [world, a]}}\n", 5, 20,
         "joint of space"},
        {"carom: 1\nworld:\n  pairs: [{between: [a, c], friction: 1}]\nbodies:\n"
         "  a: {shape: {sphere: 1}}\n",
         3, 25, "there is no body `c`"},
        {"carom: 1\nworld: {ignore: [[a, a]]}\nbodies:\n  a: {shape: {sphere: 1}}\n", 2, 18,
         "same body twice"},
        {HEAD "  a: {shape: {mesh: nowhere.stl}}\n", 4, 21, "cannot open the file"},
        {HEAD "  a: {shape: {mesh: box.step}}\n", 4, 21, ".stl or .obj"},
        {HEAD "  a: {shape: {heights: {spacing: [1, 1], z: [[0]]}}, fixed: true}\n" BALL, 4, 45,
         "two rows"},
        {"carom: 1\nbodies: {}\nrepeat:\n  - {index: i, from: 1, to: 3, bodies: {b$i: {shape: "
         "{sphere: 2 - $i}}}}\n",
         4, 63, "i = 2"},
    };
    check_refusals(cases);
}

/* A linkage whose sides cannot meet. */
static void test_open_loop(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"carom: 1\nworld: {space: 2}\nbodies:\n  a: {mass: 1, inertia: 1}\n"
         "  b: {mass: 1, inertia: 1}\njoints:\n  j: {revolute: [world, a], initial: 1}\n"
         "  k: {revolute: [a, b], at: [1, 0], initial: 1}\n"
         "  l: {revolute: [b, world], at: [2, 0]}\n",
         9, 3, "l"},
    };
    check_refusals(cases);
}

static void test_names(void **state)
{
    (void)state;
    carom_scene *scene = check_scene(
        "carom: 1\n"
        "world: {gravity: [0, 0, -9.81], contact: {friction: 0.5, restitution: 0.1},\n"
        "        pairs: [{between: [ball, floor], friction: 0.7}], ignore: [[ball, arm]]}\n"
        "bodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 0, 1]}, contact: {friction: 0.2}}\n"
        "  ball: {shape: {sphere: 0.1}, at: [0, 0, 0.1], velocity: [1, 2, 3], spin: [4, 5, 6]}\n"
        "  arm: {shape: [{box: [1, 0.1, 0.1]}, {sphere: 0.1, at: [0.5, 0, 0]}], at: [3, 0, 2]}\n"
        "joints:\n"
        "  hinge: {revolute: [world, arm], at: [2.5, 0, 2], axis: [0, 1, 0], limits: [-1, inf],\n"
        "          motor: -2*hinge' + sin(t) + ball.vx, initial: 0.1, velocity: 0.2}\n"
        "run: {until: 1}\n");
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(scene)->system);
    const carom_flow_start *start = &carom_scene_get(scene)->initial;
    static const char *const q[] = {"ball.x",  "ball.y",  "ball.z",  "ball.qw",
                                    "ball.qx", "ball.qy", "ball.qz", "hinge"};
    static const char *const u[] = {"ball.vx", "ball.vy", "ball.vz", "ball.wx",
                                    "ball.wy", "ball.wz", "hinge'"};
    assert_int_equal(shape->nq, 8);
    assert_int_equal(shape->n, 7);
    for (int k = 0; k < 8; k++)
        assert_string_equal(shape->coordinates[k], q[k]);
    for (int k = 0; k < 7; k++)
        assert_string_equal(shape->velocities[k], u[k]);
    assert_string_equal(shape->contacts[0].name, "hinge.lower");
    assert_string_equal(shape->contacts[1].name, "ball/floor:1");
    assert_true(shape->contacts[1].friction_static == 0.7);
    assert_true(shape->contacts[1].restitution == 0.1);
    assert_string_equal(shape->contacts[2].name, "arm/floor:1");
    assert_true(fabs(shape->contacts[2].friction_static - sqrt(0.1)) < 1e-15);
    assert_string_equal(shape->contacts[10].name, "arm/floor:9");
    assert_int_equal(shape->p, 11);
    double place[3], toward[3];
    assert_int_equal(carom_scene_contact_place(scene, 0, 0, start->q, start->u, place, toward), 0);
    assert_int_equal(carom_scene_contact_place(scene, 1, 0, start->q, start->u, place, toward), 3);
    assert_true(fabs(place[2]) < 1e-15 && toward[2] == 1 && toward[0] == 0);
    assert_true(start->q[7] == 0.1 && start->u[6] == 0.2 && start->u[0] == 1 && start->u[5] == 6);
    carom_scene_destroy(scene);
}

/* A fixed joint has no coordinate of its own: the stop of a joint behind it keeps its name and its
 * restitution. Formulas read every coordinate of every joint. */
static void test_names_of_joints(void **state)
{
    (void)state;
    carom_scene *scene = check_scene(
        "carom: 1\nbodies:\n"
        "  a: {shape: {sphere: 1}}\n  b: {shape: {sphere: 1}, at: [5, 0, 0]}\n"
        "  c: {shape: {sphere: 1}, at: [9, 0, 0]}\n"
        "  d: {shape: {sphere: 1}, at: [15, 0, 0]}\n"
        "joints:\n"
        "  weld: {fixed: [world, a], stop: {restitution: 0.9}}\n"
        "  slide: {prismatic: [a, b], axis: [1, 0, 0], limits: [0, 1], stop: {restitution: 0.3},\n"
        "          motor: \"cross.first + cross.second' + tube.s + tube.th'\"}\n"
        "  cross: {universal: [b, c], axis: [1, 0, 0], initial: [0.25, 0.5], velocity: [1, 2]}\n"
        "  tube: {cylindrical: [c, d], axis: [1, 0, 0], initial: [4, 0], velocity: [0, 8]}\n");
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(scene)->system);
    static const char *const q[] = {"slide", "cross.first", "cross.second", "tube.s", "tube.th"};
    assert_int_equal(shape->nq, 5);
    for (int k = 0; k < 5; k++)
        assert_string_equal(shape->coordinates[k], q[k]);
    assert_string_equal(shape->contacts[0].name, "slide.lower");
    assert_string_equal(shape->contacts[1].name, "slide.upper");
    assert_true(shape->contacts[0].restitution == 0.3 && shape->contacts[1].restitution == 0.3);
    carom_scene_destroy(scene);
}

/* Motors know velocities of bodies: the angular velocity is that of the body's axes. */
static void test_velocities_in_formulas(void **state)
{
    (void)state;
    carom_scene *scene = check_scene("carom: 1\nbodies:\n"
                                     "  a: {shape: {sphere: 1}, turn: [0.5, 0.1, -0.7, 0.3]}\n");
    const carom_bodies *bodies = carom_bodies_of(carom_scene_get(scene)->system);
    static const char *const names[] = {"a.vx", "a.vy", "a.vz", "a.wx", "a.wy", "a.wz"};
    const double u[] = {1, 2, 3, -0.4, 0.5, 0.6};
    double rates[7];
    carom_bodies_rates(bodies, carom_scene_get(scene)->initial.q, u, rates);
    for (int k = 0; k < 6; k++) {
        carom_expr *expr = NULL;
        carom_error error = {0};
        check_ok(carom_scene_formula_create(scene, names[k], 0, &expr, &error), &error);
        assert_true(fabs(carom_expr_evaluate(expr, 0, carom_scene_get(scene)->initial.q, rates,
                                             NULL, NULL) -
                         u[k]) < 1e-15);
        carom_expr_destroy(expr);
    }
    carom_scene_destroy(scene);
}

/* Sections at a contact and at a formula; what is exchanged and ignored. */
static void test_sections(void **state)
{
    (void)state;
    static const char text[] = "carom: 1\nworld: {space: 2}\nbodies:\n"
                               "  floor: {fixed: true, shape: {half-plane: [0, 1]}}\n"
                               "  a: {shape: {circle: 1}, at: [0, 1.5], velocity: [0, 3]}\n"
                               "symmetry: {a.x: a.y, a.y: a.x}\nignore: [a.th]\nperiod: 2\n"
                               "section: {at: %s, keep: [a.y]}\n";
    char scene_text[600];
    snprintf(scene_text, sizeof scene_text, text, "a/floor:1");
    carom_scene *scene = check_scene(scene_text);
    const carom_scene_content *c = carom_scene_get(scene);
    assert_true(c->section->kind == CAROM_SCENE_SECTION_CONTACT && c->section->index == 0);
    assert_true(c->symmetry[0] == 1 && c->symmetry[1] == 0 && c->symmetry[2] == 2);
    assert_true(c->ignore[2] && !c->ignore[0] && c->period == 2 && c->note_count == 0);
    carom_scene_destroy(scene);

    snprintf(scene_text, sizeof scene_text, text, "a.vy - 2*a.y, direction: down");
    scene = check_scene(scene_text);
    c = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(c->system);
    assert_true(c->section->kind == CAROM_SCENE_SECTION_EVENT && shape->event_count == 1);
    assert_true(shape->events[0].direction == CAROM_CROSSING_DOWN && !shape->events[0].resets);
    carom_arena *arena;
    carom_state values;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_state_create(c->system, arena, &values, NULL), NULL);
    memcpy(values.q, c->initial.q, 3 * sizeof *values.q);
    memcpy(values.u, c->initial.u, 3 * sizeof *values.u);
    values.q[1] = 1.25;
    check_ok(carom_system_evaluate(c->system, CAROM_WANT_EVENTS, &values, NULL), NULL);
    assert_true(values.event[0] == 0.5);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

/* ---- files of triangles ---- */

static char folder[] = "/tmp/carom-mesh-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* The status and the message of a scene with this mesh. */
static carom_status read_mesh(const char *name, carom_scene **scene, carom_error *error)
{
    char text[200], here[80];
    snprintf(here, sizeof here, "%s/", folder);
    snprintf(text, sizeof text, "carom: 1\nbodies:\n  a: {shape: {mesh: %s}}\n", name);
    carom_scene_options options = {.folder = here};
    return carom_scene_read_text(text, strlen(text), &options, scene, error);
}

static void check_bad_mesh(const char *name, const void *bytes, size_t size, const char *message)
{
    carom_scene *scene = NULL;
    carom_error error = {0};
    write_file(name, bytes, size);
    carom_status status = read_mesh(name, &scene, &error);
    if (status != CAROM_ERROR_INPUT || !strstr(error.text, message))
        print_error("%s: %d %s\nexpected ...%s...\n", name, (int)status, error.text, message);
    assert_int_equal(status, CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, message));
    assert_int_equal(error.line, 3);
}

static double mass_of(const char *name)
{
    carom_scene *scene = NULL;
    carom_error error = {0};
    carom_arena *arena;
    carom_state x;
    check_ok(read_mesh(name, &scene, &error), &error);
    const carom_system *system = carom_scene_get(scene)->system;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_state_create(system, arena, &x, NULL), NULL);
    x.q[3] = 1;
    check_ok(carom_system_evaluate(system, CAROM_WANT_MASS, &x, NULL), NULL);
    double mass = x.M[0];
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
    return mass;
}

static const char tetrahedron[] = "# four points\nv 0 0 0\nv 1 0 0\nv 0 1 0 1.0\nv 0 0 +1\n"
                                  "vn 0 0 1\nf 1//1 3//1 2//1\nf 1 2 4\nf 2/1/1 3 4\nf -4 -1 -2\n";

static void put_triangle(unsigned char *at, const float x[9])
{
    memset(at, 0, 50);
    memcpy(at + 12, x, 36);
}

static const float faces[4][9] = {{0, 0, 0, 0, 1, 0, 1, 0, 0},
                                  {0, 0, 0, 1, 0, 0, 0, 0, 1},
                                  {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  {0, 0, 0, 0, 0, 1, 0, 1, 0}};

static void test_meshes(void **state)
{
    (void)state;
    unsigned char stl[84 + 4 * 50] = {0};
    char text[2000] = "solid t\n";
    write_file("t.obj", tetrahedron, sizeof tetrahedron - 1);
    assert_true(fabs(mass_of("t.obj") - 1000.0 / 6) < 1e-10);
    stl[80] = 4;
    for (int k = 0; k < 4; k++) {
        put_triangle(stl + 84 + 50 * k, faces[k]);
        size_t used = strlen(text);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "facet normal 0 0 0\n outer loop\n");
        for (int i = 0; i < 3; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "  vertex %g %g %g\n",
                                     faces[k][3 * i], faces[k][3 * i + 1], faces[k][3 * i + 2]);
        snprintf(text + used, sizeof text - used, " endloop\nendfacet\n");
    }
    write_file("b.stl", stl, sizeof stl);
    assert_true(fabs(mass_of("b.stl") - 1000.0 / 6) < 1e-10);
    write_file("a.STL", text, strlen(text));
    assert_true(fabs(mass_of("a.STL") - 1000.0 / 6) < 1e-10);

    check_bad_mesh("short.stl", stl, sizeof stl - 1, "no STL file");
    check_bad_mesh("open.stl", text, strlen(text) - 80, "");
    unsigned char bad[sizeof stl];
    memcpy(bad, stl, sizeof stl);
    const float nan = NAN;
    memcpy(bad + 84 + 50 + 12, &nan, 4);
    check_bad_mesh("nan.stl", bad, sizeof bad, "triangle 2: a coordinate is not a finite");
    memcpy(bad, stl, sizeof stl);
    bad[83] = 0xFF; /* four thousand million triangles */
    check_bad_mesh("many.stl", bad, sizeof bad, "no STL file");
    check_bad_mesh("empty.stl", "", 0, "no STL file");
    check_bad_mesh("none.stl", "solid\nendsolid\n", 15, "no triangles");
    check_bad_mesh("two.stl", "solid\nvertex 1 2 3\nvertex 1 2 4\nendloop\n", 40,
                   "line 4: a facet must have three vertices");
    check_bad_mesh("word.stl", "solid\nvertex 1 x 3\n", 19, "line 2: a vertex must have three");
    check_bad_mesh("index.obj", "v 0 0 0\nf 1 2 3\n", 16, "line 2: there is no point 2");
    check_bad_mesh("zero.obj", "v 0 0 0\nf 0 1 1\n", 16, "there is no point 0");
    check_bad_mesh("far.obj", "v 0 0 0\nf -2 1 1\n", 17, "there is no point 0");
    check_bad_mesh("half.obj", "v 0 0 0\nf 1.5 1 1\n", 18, "there is no point 1.5");
    check_bad_mesh("edge.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", 22, "at least three points");
    check_bad_mesh("text.obj", "v 0 0 0\nf a b c\n", 16, "numbers of points");
    check_bad_mesh("big.obj", "v 1e999 0 0\n", 12, "not a finite number");
    check_bad_mesh("open.obj", tetrahedron, sizeof tetrahedron - 13, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_open_loop),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_of_joints),
        cmocka_unit_test(test_velocities_in_formulas),
        cmocka_unit_test(test_sections),
        cmocka_unit_test_setup_teardown(test_meshes, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
