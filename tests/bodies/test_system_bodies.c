/* Systems of bodies: the same mechanisms stated in formulas, names, what is refused. */
#include "bodies/system_case.h"
#include "check_memory.h"

static void same_dynamics(made *a, made *b, int n, double tolerance)
{
    evaluate(a, CAROM_WANT_ALL);
    evaluate(b, CAROM_WANT_ALL);
    check_vector(a->state.M, b->state.M, n * n, tolerance);
    check_vector(a->state.h, b->state.h, n, tolerance);
    check_close(a->state.kinetic, b->state.kinetic, tolerance);
}

/* A double pendulum with springs, dampers and a motor; angles from straight down, the second one
 * relative to the first. */
static double motor(void *self, double t, const double *q, const double *u)
{
    (void)self;
    return 0.3 * sin(t) + 0.1 * q[0] * u[1];
}

static void test_double_pendulum(void **state)
{
    (void)state;
    carom_body_def bodies[2] = {body("upper", 1.3, 0.2, 0, -0.4), body("lower", 0.7, 0.1, 0, -1.5)};
    carom_joint_def joints[2] = {carom_joint_def_default("a", CAROM_JOINT_REVOLUTE),
                                 carom_joint_def_default("b", CAROM_JOINT_REVOLUTE)};
    joints[1].parent = 0;
    joints[1].child = 1;
    joints[1].at[1] = -1;
    joints[0].spring = 2;
    joints[0].rest = 0.1;
    joints[1].damping = 0.3;
    joints[1].motor = motor;
    carom_world_def world = carom_world_def_default(2);
    world.gravity[1] = -9.81;
    world.body_count = world.joint_count = 2;
    world.bodies = bodies;
    world.joints = joints;
    const carom_source coordinates[] = {F("a"), F("b")};
    const carom_named_formula definitions[] = {{F("x1"), F("0.4*sin(a)")},
                                               {F("y1"), F("-0.4*cos(a)")},
                                               {F("x2"), F("sin(a) + 0.5*sin(a + b)")},
                                               {F("y2"), F("-cos(a) - 0.5*cos(a + b)")}};
    const carom_source kinetic[] = {F("1.3/2*(d(x1)^2 + d(y1)^2) + 0.2/2*a'^2"),
                                    F("0.7/2*(d(x2)^2 + d(y2)^2) + 0.1/2*(a' + b')^2")};
    const carom_source potential[] = {F("9.81*(1.3*y1 + 0.7*y2) + (a - 0.1)^2")};
    const carom_named_formula forces[] = {{F("b"), F("-0.3*b' + 0.3*sin(t) + 0.1*a*b'")}};
    carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(definition, definitions),
                                GIVEN(kinetic, kinetic), GIVEN(potential, potential),
                                GIVEN(force, forces)};
    made one = make_bodies(&world), two = make(&statement);
    check_random r = {3};
    for (int round = 0; round < 100; round++) {
        one.state.t = two.state.t = check_random_in(&r, 0, 9);
        for (int k = 0; k < 2; k++) {
            one.state.q[k] = two.state.q[k] = check_random_in(&r, -3, 3);
            one.state.u[k] = two.state.u[k] = check_random_in(&r, -3, 3);
        }
        same_dynamics(&one, &two, 2, 1e-13);
        check_close(one.state.power, two.state.power, 1e-13);
        check_close(one.state.potential, two.state.potential, 1e-13);
    }
    const carom_system_shape *z = carom_system_get_shape(one.system);
    assert_string_equal(z->coordinates[1], "b");
    assert_string_equal(z->velocities[1], "b'");
    drop(&one);
    drop(&two);
}

/* Furuta's pendulum: an arm turning about the vertical, a pendulum at its end about the arm. */
static void test_furuta(void **state)
{
    (void)state;
    carom_body_def bodies[2] = {carom_body_def_default("arm"), carom_body_def_default("rod")};
    const double arm[9] = {0.01, 0, 0, 0, 0.05, 0, 0, 0, 0.06},
                 rod[9] = {0.03, 0, 0, 0, 0.025, 0, 0, 0, 0.008};
    bodies[0].mass = (carom_mass){.mass = 0.5, .centre = {0.2, 0, 0}};
    bodies[1].mass = (carom_mass){.mass = 0.2, .centre = {0, 0, -0.25}};
    memcpy(bodies[0].mass.inertia, arm, sizeof arm);
    memcpy(bodies[1].mass.inertia, rod, sizeof rod);
    bodies[1].position[0] = 0.4;
    carom_joint_def joints[2] = {carom_joint_def_default("a", CAROM_JOINT_REVOLUTE),
                                 carom_joint_def_default("b", CAROM_JOINT_REVOLUTE)};
    joints[1].parent = 0;
    joints[1].child = 1;
    joints[1].at[0] = 0.4;
    joints[1].axis[0] = 1;
    joints[1].axis[2] = 0;
    carom_world_def world = carom_world_def_default(3);
    world.gravity[2] = -9.81;
    world.body_count = world.joint_count = 2;
    world.bodies = bodies;
    world.joints = joints;
    /* Turning by b about x carries (0, 0, -l) to (0, l sin b, -l cos b). */
    const carom_source coordinates[] = {F("a"), F("b")};
    const carom_named_formula definitions[] = {{F("px"), F("0.4*cos(a) - 0.25*sin(b)*sin(a)")},
                                               {F("py"), F("0.4*sin(a) + 0.25*sin(b)*cos(a)")},
                                               {F("pz"), F("-0.25*cos(b)")}};
    const carom_source kinetic[] = {
        F("0.5*(0.06 + 0.5*0.2^2)*a'^2"), F("0.2/2*(d(px)^2 + d(py)^2 + d(pz)^2)"),
        F("0.5*(0.03*b'^2 + 0.025*(a'*sin(b))^2 + 0.008*(a'*cos(b))^2)")};
    const carom_source potential[] = {F("0.2*9.81*pz")};
    carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(definition, definitions),
                                GIVEN(kinetic, kinetic), GIVEN(potential, potential)};
    made one = make_bodies(&world), two = make(&statement);
    check_random r = {4};
    for (int round = 0; round < 100; round++) {
        for (int k = 0; k < 2; k++) {
            one.state.q[k] = two.state.q[k] = check_random_in(&r, -3, 3);
            one.state.u[k] = two.state.u[k] = check_random_in(&r, -3, 3);
        }
        same_dynamics(&one, &two, 2, 1e-13);
    }
    drop(&one);
    drop(&two);
}

/* A slider-crank: crank of length 1, rod of length 2, slider along x. The slider's slide closes the
 * loop. */
static carom_world_def slider_crank(carom_body_def bodies[3], carom_joint_def joints[4])
{
    bodies[0] = body("crank", 1, 0.1, 0.5, 0);
    bodies[1] = body("rod", 2, 0.7, 2, 0);
    bodies[2] = body("slider", 3, 0.2, 3, 0);
    joints[0] = carom_joint_def_default("crank", CAROM_JOINT_REVOLUTE);
    for (int k = 1; k < 3; k++) {
        joints[k] = carom_joint_def_default(k == 1 ? "rod" : "pin", CAROM_JOINT_REVOLUTE);
        joints[k].parent = k - 1;
        joints[k].child = k;
        joints[k].at[0] = k == 1 ? 1 : 3;
    }
    joints[3] = carom_joint_def_default("slide", CAROM_JOINT_PRISMATIC);
    joints[3].child = 2;
    joints[3].axis[0] = 1;
    joints[3].axis[2] = 0;
    joints[3].at[0] = 3;
    carom_world_def world = carom_world_def_default(2);
    world.gravity[1] = -9.81;
    world.body_count = 3;
    world.joint_count = 4;
    world.bodies = bodies;
    world.joints = joints;
    return world;
}

static void test_slider_crank(void **state)
{
    (void)state;
    carom_body_def bodies[3];
    carom_joint_def joints[4];
    carom_world_def world = slider_crank(bodies, joints);
    joints[0].initial[0] = 1;
    joints[0].velocity[0] = 0.5;
    joints[0].hold = true;
    const carom_source coordinates[] = {F("a"), F("b"), F("c")};
    const carom_named_formula definitions[] = {{F("x1"), F("cos(a)/2")},
                                               {F("y1"), F("sin(a)/2")},
                                               {F("x2"), F("cos(a) + cos(a + b)")},
                                               {F("y2"), F("sin(a) + sin(a + b)")},
                                               {F("x3"), F("cos(a) + 2*cos(a + b)")},
                                               {F("y3"), F("sin(a) + 2*sin(a + b)")}};
    const carom_source kinetic[] = {F("1/2*(d(x1)^2 + d(y1)^2) + 0.1/2*a'^2"),
                                    F("d(x2)^2 + d(y2)^2 + 0.7/2*(a' + b')^2"),
                                    F("3/2*(d(x3)^2 + d(y3)^2) + 0.2/2*(a' + b' + c')^2")};
    const carom_source potential[] = {F("9.81*(y1 + 2*y2 + 3*y3)")};
    const carom_named_formula bilateral[] = {{F("line"), F("y3")},
                                             {F("turn"), F("-sin(a + b + c)")}};
    carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(definition, definitions),
                                GIVEN(kinetic, kinetic), GIVEN(potential, potential),
                                GIVEN(bilateral, bilateral)};
    made one = make_bodies(&world), two = make(&statement);
    assert_true(carom_bodies_closes_loop(carom_bodies_of(one.system), 3));
    /* The start is closed: the crank where it was told, the others follow. */
    double a = one.state.q[0], b = one.state.q[1], c = one.state.q[2];
    check_close(a, 1, 0);
    check_close(sin(a) + 2 * sin(a + b), 0, 1e-14);
    check_close(a + b + c, 0, 1e-14);
    check_close(one.state.u[0], 0.5, 0);
    check_close(cos(a) * 0.5 + 2 * cos(a + b) * (0.5 + one.state.u[1]), 0, 1e-13);
    check_random r = {5};
    for (int round = 0; round < 100; round++) {
        for (int k = 0; k < 3; k++) {
            one.state.q[k] = two.state.q[k] = check_random_in(&r, -3, 3);
            one.state.u[k] = two.state.u[k] = check_random_in(&r, -3, 3);
        }
        same_dynamics(&one, &two, 3, 1e-12);
        check_vector(one.state.f, two.state.f, 2, 1e-14);
        check_vector(one.state.B, two.state.B, 6, 1e-14);
        check_vector(one.state.b_bias, two.state.b_bias, 2, 1e-12);
    }
    drop(&one);
    drop(&two);
}

/* ---- names, order, refusals ---- */

static void test_names(void **state)
{
    (void)state;
    carom_body_def bodies[3] = {spatial("cube", 0, 0, 0), spatial("arm", 1, 0, 0),
                                carom_body_def_default("floor")};
    bodies[2].fixed = true;
    bodies[0].velocity[0] = 6;
    bodies[0].spin[2] = 2;
    carom_joint_def joint = carom_joint_def_default("hinge", CAROM_JOINT_REVOLUTE);
    joint.parent = 1; /* the arm hangs on the floor though it is told as the parent */
    joint.child = 2;
    joint.initial[0] = 0.3;
    joint.upper = 1;
    carom_world_def world = carom_world_def_default(3);
    world.body_count = 3;
    world.joint_count = 1;
    world.bodies = bodies;
    world.joints = &joint;
    made m = make_bodies(&world);
    const carom_system_shape *z = carom_system_get_shape(m.system);
    static const char *const q[] = {"cube.x",  "cube.y",  "cube.z",  "cube.qw",
                                    "cube.qx", "cube.qy", "cube.qz", "hinge"};
    static const char *const u[] = {"cube.vx", "cube.vy", "cube.vz", "cube.wx",
                                    "cube.wy", "cube.wz", "hinge'"};
    assert_int_equal(z->nq, 8);
    assert_int_equal(z->n, 7);
    for (int k = 0; k < 8; k++)
        assert_string_equal(z->coordinates[k], q[k]);
    for (int k = 0; k < 7; k++)
        assert_string_equal(z->velocities[k], u[k]);
    assert_string_equal(z->contacts[0].name, "hinge.upper");
    check_close(m.state.q[0], 0.1, 1e-16); /* the centre of mass */
    check_close(m.state.u[0], 6, 0);
    check_close(m.state.u[5], 2, 0);
    /* The floor has turned by 0.3 against the arm, so the arm has turned back. */
    carom_pose pose;
    check_ok(carom_bodies_pose(carom_bodies_of(m.system), 1, 0, m.state.q, &pose, NULL), NULL);
    check_close(pose.rotation[1], -sin(0.3), 1e-15);
    check_close(pose.position[0], cos(0.3), 1e-15);
    /* The cube and the arm are trees of their own, and the limit is all that can touch. */
    const carom_bodies *made_of = carom_bodies_of(m.system);
    const int *velocity;
    assert_int_equal(carom_bodies_tree_count(made_of), 2);
    assert_int_equal(carom_bodies_tree(made_of, 0, &velocity), 6);
    assert_int_equal(velocity[5], 5);
    assert_int_equal(carom_bodies_tree(made_of, 1, &velocity), 1);
    assert_int_equal(velocity[0], 6);
    assert_true(carom_bodies_are_listed(made_of));
    drop(&m);
}

static void refused(carom_world_def *world, carom_bodies_part part, int index, const char *word)
{
    carom_system *system = NULL;
    carom_bodies_blame blame;
    carom_error error = {0};
    carom_status status = carom_system_bodies(world, NULL, &system, &blame, &error);
    if (status >= 0 || !strstr(error.text, word) || blame.part != part || blame.index != index)
        print_error("status %d, part %d %d: %s (expected: %s)\n", status, blame.part, blame.index,
                    error.text, word);
    assert_true(status < 0);
    assert_non_null(strstr(error.text, word));
    assert_int_equal(blame.part, part);
    assert_int_equal(blame.index, index);
}

static void test_refused(void **state)
{
    (void)state;
    carom_body_def bodies[3];
    carom_joint_def joints[4];
    carom_world_def world = slider_crank(bodies, joints);
    joints[1].child = 7;
    refused(&world, CAROM_BODIES_JOINT, 1, "does not exist");
    world = slider_crank(bodies, joints);
    joints[2].parent = 2;
    refused(&world, CAROM_BODIES_JOINT, 2, "to itself");
    world = slider_crank(bodies, joints);
    bodies[1].mass.mass = -2;
    refused(&world, CAROM_BODIES_BODY, 1, "the mass is -2");
    world = slider_crank(bodies, joints);
    bodies[1].mass = (carom_mass){0};
    refused(&world, CAROM_BODIES_BODY, 1, "needs mass and inertia");
    world = slider_crank(bodies, joints);
    joints[0].kind = CAROM_JOINT_BALL;
    refused(&world, CAROM_BODIES_JOINT, 0, "the plane has revolute, prismatic, fixed, not ball");
    world = slider_crank(bodies, joints);
    joints[3].axis[0] = 0;
    refused(&world, CAROM_BODIES_JOINT, 3, "axis is zero");
    world = slider_crank(bodies, joints);
    joints[0].lower = 2;
    joints[0].upper = 1;
    refused(&world, CAROM_BODIES_JOINT, 0, "lower limit is above");
    world = slider_crank(bodies, joints);
    joints[3].spring = 1;
    refused(&world, CAROM_BODIES_JOINT, 3, "closes a loop and has no coordinate");
    /* A crank longer than the rod cannot go all the way. */
    world = slider_crank(bodies, joints);
    joints[3].at[1] = bodies[2].position[1] = 0;
    bodies[1].position[0] = 1.2;
    bodies[2].position[0] = joints[2].at[0] = joints[3].at[0] = 1.4;
    joints[0].initial[0] = 1.5;
    joints[0].hold = true;
    refused(&world, CAROM_BODIES_JOINT, 3, "cannot close");
    world = carom_world_def_default(3);
    refused(&world, CAROM_BODIES_WORLD, 0, "nothing can move");
    world = slider_crank(bodies, joints);
    world.body_count = 1000001;
    refused(&world, CAROM_BODIES_WORLD, 0, "at most 1000000");
    /* Inertia that no body has: the triangle inequality. */
    carom_body_def plate = spatial("plate", 0, 0, 0);
    plate.mass.inertia[8] = 3;
    world = carom_world_def_default(3);
    world.body_count = 1;
    world.bodies = &plate;
    refused(&world, CAROM_BODIES_BODY, 0, "no body has one larger than the sum");
}

/* Memory that runs out anywhere is reported, and nothing is left behind. */
static void test_memory(void **state)
{
    (void)state;
    carom_body_def bodies[3];
    carom_joint_def joints[4];
    carom_world_def world = slider_crank(bodies, joints);
    joints[0].initial[0] = 0.5;
    for (int fail = 0;; fail++) {
        check_memory memory = {.fail_at = fail};
        carom_allocator allocator = {check_memory_resize, &memory};
        carom_system *system = NULL;
        carom_status status = carom_system_bodies(&world, &allocator, &system, NULL, NULL);
        if (status == CAROM_OK)
            carom_system_destroy(system);
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
        cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_furuta),
        cmocka_unit_test(test_slider_crank),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
