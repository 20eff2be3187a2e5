/* Scenes of bodies by time-stepping: cases and thresholds with known answers. */
#include "body_motion.h"
#include "carom/bodies.h"
#include "family.h"

#include <math.h>
#include <stdlib.h>

#define FLOOR "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
#define WORLD "carom: 1\nworld: {gravity: [0, 0, -9.81], contact: {friction: 0.5}}\nbodies:\n" FLOOR

/* A flat cube pushed at 6 m/s does not lift and stops after v^2/(2 mu g). */
static void test_pushed_cube(void **state)
{
    (void)state;
    motion m =
        run(WORLD "  cube: {shape: {box: [0.1, 0.1, 0.1]}, at: [0, 0, 0.05], velocity: [6, 0, 0]}\n"
                  "run: {method: time-stepping, step: 0.001, until: 1.5, output: 0.01}\n");
    assert_true(fabs(at(&m, "cube.x") - 36 / 9.81) < 0.006);
    assert_true(fabs(at(&m, "cube.z") - 0.05) <= 1e-12);
    assert_true(at(&m, "cube.vx") == 0 && m.result.max_penetration <= 1e-12);
    assert_true(fabs(m.result.ledger.balance_error) < 1e-10 && m.highest <= 1e-12);
    end(&m);
}

/* A ball that bounces beside a cube at rest: in all steps together the floor gives both what
 * gravity takes and what the ball has won. Nothing pushes a ball that flies, and the cube that
 * sleeps is carried in every step. */
static void test_forces_add_up(void **state)
{
    (void)state;
    const double h = 0.001, until = 1.2, ball = 2, cube = 3;
    motion m = run("carom: 1\nworld: {gravity: [0, 0, -9.81], contact: {restitution: 0.8}}\n"
                   "bodies:\n" FLOOR "  ball: {shape: {sphere: 0.1}, mass: 2, at: [1, 0, 0.6]}\n"
                   "  cube: {shape: {box: [0.1, 0.1, 0.1]}, mass: 3, at: [0, 0, 0.05]}\n"
                   "run: {method: time-stepping, step: 0.001, until: 1.2, output: 0.001}\n");
    const double given = (ball + cube) * 9.81 * until + ball * at(&m, "ball.vz");
    assert_int_equal(m.rows, 1201);
    assert_true(fabs(h * m.pushed - given) <= 1e-9 * given);
    end(&m);
}

/* A capsule between two fingers does not creep, with four redundant contacts, nor does a box with
 * eight. */
static void test_gripper(void **state)
{
    (void)state;
    motion m =
        run("carom: 1\n"
            "world: {gravity: [0, 0, -9.81], contact: {friction: 0.5}, ignore: [[left, right]]}\n"
            "bodies:\n"
            "  left: {shape: {box: [0.02, 0.1, 0.1]}, at: [-0.03, 0, 0]}\n"
            "  right: {shape: {box: [0.02, 0.1, 0.1]}, at: [0.03, 0, 0]}\n"
            "  rod: {shape: {capsule: [0.06, 0.02]}, mass: 0.1}\n"
            "joints:\n"
            "  close: {prismatic: [world, left], axis: [1, 0, 0], motor: 20}\n"
            "  grip: {prismatic: [world, right], axis: [-1, 0, 0], motor: 20}\n"
            "run: {method: time-stepping, step: 0.002, until: 2}\n");
    assert_true(drift(&m) <= 1e-14);
    end(&m);
    /* A box has eight contacts there, of which two would do. */
    m = run("carom: 1\n"
            "world: {gravity: [0, 0, -9.81], contact: {friction: 0.5}, ignore: [[left, right]]}\n"
            "bodies:\n"
            "  left: {shape: {box: [0.02, 0.1, 0.1]}, at: [-0.03, 0, 0]}\n"
            "  right: {shape: {box: [0.02, 0.1, 0.1]}, at: [0.03, 0, 0]}\n"
            "  block: {shape: {box: [0.04, 0.05, 0.06]}, mass: 0.1}\n"
            "joints:\n"
            "  close: {prismatic: [world, left], axis: [1, 0, 0], motor: 20}\n"
            "  grip: {prismatic: [world, right], axis: [-1, 0, 0], motor: 20}\n"
            "run: {method: time-stepping, step: 0.002, until: 2}\n");
    assert_true(drift(&m) <= 1e-14);
    end(&m);
}

/* Ten hours on a bigger cube: it does not wander. */
static void test_rest(void **state)
{
    (void)state;
    motion m = run(WORLD "  big: {shape: {box: [2, 2, 1]}, at: [0, 0, 0.5]}\n"
                         "  small: {shape: {box: [0.5, 0.5, 0.5]}, at: [0.3, 0.2, 1.25],\n"
                         "          turn: {axis: [0, 0, 1], angle: 0.3}}\n"
                         "run: {method: time-stepping, step: 0.01, until: 36000, output: 360}\n");
    assert_true(drift(&m) <= 1e-10 && m.highest <= 1e-9);
    end(&m);
    /* Dropped, it comes to rest, and then stays. */
    m = run(WORLD "  cube: {shape: {box: [0.2, 0.3, 0.1]}, at: [0, 0, 0.5], spin: [1, 2, 3]}\n"
                  "run: {method: time-stepping, step: 0.002, until: 3600, output: 36}\n");
    for (int k = 0; k < 6; k++)
        assert_true(m.result.u[k] == 0);
    assert_true(m.result.max_penetration < 1e-4); /* (step times spin)^2 times size */
    end(&m);
}

/* Stack of a hundred boxes: nothing moves, no energy appears. */
static void test_stack(void **state)
{
    (void)state;
    motion m = run(WORLD "repeat:\n"
                         "  - {index: i, from: 1, to: 100, bodies: {b$i: {shape: {box: [0.1, 0.1, "
                         "0.1]}, at: [0, 0, 0.1*$i - 0.05]}}}\n"
                         "run: {method: time-stepping, step: 0.005, until: 10, output: 0.1}\n");
    assert_true(drift(&m) <= 1e-10 && m.highest <= 1e-8);
    end(&m);
}

/* So does a crooked one: boxes of all sizes, turned about the vertical and shifted. */
static void test_crooked_stack(void **state)
{
    (void)state;
    family f = family_start("crooked stacks of boxes", 7, 5);
    while (family_next(&f)) {
        static char text[32768];
        double z = 0;
        int used = snprintf(text, sizeof text, "%s", WORLD);
        for (int k = 0; k < 100; k++) {
            const double height = check_random_in(&f.random, 0.05, 0.15);
            used += snprintf(
                text + used, sizeof text - (size_t)used,
                "  b%d: {shape: {box: [%.17g, %.17g, %.17g]}, at: [%.17g, %.17g, %.17g], turn: "
                "{axis: [0, 0, 1], angle: %.17g}}\n",
                k, check_random_in(&f.random, 0.2, 0.25), check_random_in(&f.random, 0.2, 0.25),
                height, check_random_in(&f.random, -0.005, 0.005),
                check_random_in(&f.random, -0.005, 0.005), z + height / 2,
                check_random_in(&f.random, -3, 3));
            z += height;
        }
        snprintf(text + used, sizeof text - (size_t)used,
                 "run: {method: time-stepping, step: 0.002, until: 2}\n");
        motion m = run(text);
        family_check(&f, drift(&m) <= 1e-10, "drift %g", drift(&m));
        end(&m);
    }
    family_end(&f);
}

/* Boxes that touch face to face, and a box that stands on three balls. */
static void test_touching(void **state)
{
    (void)state;
    motion m = run("carom: 1\nworld: {contact: {friction: 0.5, restitution: 0.5}}\nbodies:\n"
                   "  a: {shape: {box: [1, 1, 1]}}\n"
                   "  b: {shape: {box: [1, 1, 1]}, at: [1, 0.3, 0.2]}\n"
                   "  c: {shape: {box: [1, 2, 1]}, at: [-0.2, -0.2, 1]}\n"
                   "run: {method: time-stepping, step: 0.01, until: 10}\n");
    assert_true(drift(&m) == 0);
    end(&m);
    m = run(WORLD "  stool: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.3], shape: [\n"
                  "    {sphere: 0.1, at: [0.3, 0, -0.2]}, {sphere: 0.1, at: [-0.2, 0.2, -0.2]},\n"
                  "    {sphere: 0.1, at: [-0.2, -0.2, -0.2]}]}\n"
                  "run: {method: time-stepping, step: 0.001, until: 1000}\n");
    assert_true(drift(&m) <= 1e-12);
    end(&m);
}

/* Balls that fall onto each other: what is pushed pushes on through all layers in one step, and
 * every step is solved as it is stated, which the run would say if it were not. */
static void test_falling_heap(void **state)
{
    (void)state;
    motion m = run("carom: 1\n"
                   "world: {gravity: [0, 0, -9.81], contact: {friction: 0.4, restitution: 0.2}}\n"
                   "bodies:\n"
                   "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
                   "  west: {fixed: true, shape: {plane: [1, 0, 0]}, at: [-0.18, 0, 0]}\n"
                   "  east: {fixed: true, shape: {plane: [-1, 0, 0]}, at: [0.18, 0, 0]}\n"
                   "  south: {fixed: true, shape: {plane: [0, 1, 0]}, at: [0, -0.18, 0]}\n"
                   "  north: {fixed: true, shape: {plane: [0, -1, 0]}, at: [0, 0.18, 0]}\n"
                   "repeat:\n"
                   "  - {index: i, from: 1, to: 9, repeat: [{index: j, from: 1, to: 3, repeat: [\n"
                   "      {index: k, from: 1, to: 3, bodies: {\"b$(i)_$(j)_$(k)\":\n"
                   "        {shape: {sphere: 0.05}, at: [\"0.11*($j - 2) + 0.004*sin(7*$i + 3*$j + "
                   "$k)\", \"0.11*($k - 2) + 0.004*cos(5*$i + 2*$j + $k)\", 0.12*$i]}}}]}]}\n"
                   "run: {method: time-stepping, step: 0.005, until: 0.5}\n");
    assert_int_equal(m.result.warning_count, 0);
    assert_true(m.highest <= 0);
    assert_true(m.result.max_penetration <= 1e-9);
    end(&m);
}

/* A block on a slope slides from tan a = mu on, and tips from tan a = width/height on. */
static void test_slope(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2)
        for (int tips = 0; tips < 2; tips++) {
            char text[600];
            /* mu = 0.5 and a wide block; mu = 2 and one of width/height 0.5 */
            double tangent = 0.5 * (1 + 0.01 * side), a = atan(tangent);
            double width = tips ? 0.1 : 0.4, height = 0.2;
            snprintf(text, sizeof text,
                     "carom: 1\nworld: {space: 2, gravity: [0, -9.81], contact: {friction: %g}}\n"
                     "bodies:\n"
                     "  slope: {fixed: true, shape: {half-plane: [0, 1]}, turn: %.17g}\n"
                     "  block: {shape: {box: [%g, %g]}, at: [%.17g, %.17g], turn: %.17g}\n"
                     "run: {method: time-stepping, step: 0.001, until: 1}\n",
                     tips ? 2.0 : 0.5, -a, width, height, height / 2 * sin(a), height / 2 * cos(a),
                     -a);
            motion m = run(text);
            double moved = hypot(at(&m, "block.x") - height / 2 * sin(a),
                                 at(&m, "block.y") - height / 2 * cos(a));
            if (side < 0)
                assert_true(moved <= 1e-12);
            else
                assert_true(moved > 1e-3);
            if (!tips)
                assert_true(fabs(at(&m, "block.th") + a) <= 1e-12);
            end(&m);
        }
}

/* A ball that slides ends up rolling with 5/7 of its speed. */
static void test_rolling(void **state)
{
    (void)state;
    motion m = run(WORLD "  ball: {shape: {sphere: 0.1}, at: [0, 0, 0.1], velocity: [7, 0, 0]}\n"
                         "run: {method: time-stepping, step: 0.0005, until: 1}\n");
    assert_true(fabs(at(&m, "ball.vx") - 5) < 1e-9);
    assert_true(fabs(at(&m, "ball.wy") - 50) < 1e-7);
    end(&m);
}

/* Blocks that overhang by the harmonic series stand, at 1 % more they fall. */
static void test_overhang(void **state)
{
    (void)state;
    enum { N = 8 };
    for (int side = -1; side <= 1; side += 2) {
        char text[4000];
        size_t used = (size_t)snprintf(
            text, sizeof text,
            "carom: 1\nworld: {space: 2, gravity: [0, -9.81], contact: {friction: 0.6}}\nbodies:\n"
            "  table: {fixed: true, shape: {box: [10, 1]}, at: [-5, -0.5]}\n");
        double x = 0; /* the edge of the one below, from the bottom: 1/(2N), ..., 1/2 */
        for (int k = 1; k <= N; k++) {
            x += 0.5 / (N + 1 - k) * (1 + 0.01 * side);
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "  b%d: {shape: {box: [1, 0.1]}, at: [%.17g, %.17g]}\n", k,
                                     x - 0.5, 0.1 * k - 0.05);
        }
        snprintf(text + used, sizeof text - used,
                 "run: {method: time-stepping, step: 0.002, until: 2}\n");
        motion m = run(text);
        if (side < 0)
            assert_true(drift(&m) <= 1e-10);
        else
            assert_true(drift(&m) > 1e-3);
        end(&m);
    }
}

/* A semicircular arch of 31 stones stands from t/R = 0.1072 on. */
static void test_arch(void **state)
{
    (void)state;
    enum { N = 31 };
    for (int side = -1; side <= 1; side += 2) {
        const double t = 0.1072 * (1 + 0.01 * side), in = 1 - t / 2, out = 1 + t / 2;
        static char text[20000];
        size_t used = (size_t)snprintf(
            text, sizeof text,
            "carom: 1\nworld: {space: 2, gravity: [0, -9.81], contact: {friction: 2}}\nbodies:\n"
            "  floor: {fixed: true, shape: {half-plane: [0, 1]}}\n");
        for (int k = 0; k < N; k++) {
            double a = CAROM_PI * k / N, b = CAROM_PI * (k + 1) / N;
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "  s%d: {shape: {polygon: [[%.17g, %.17g], [%.17g, %.17g], "
                                     "[%.17g, %.17g], [%.17g, %.17g]]}}\n",
                                     k, in * cos(a), in * sin(a), out * cos(a), out * sin(a),
                                     out * cos(b), out * sin(b), in * cos(b), in * sin(b));
        }
        snprintf(text + used, sizeof text - used,
                 "run: {method: time-stepping, step: 0.002, until: 1.5}\n");
        motion m = run(text);
        double fallen = 1 - at(&m, "s15.y");
        if (side > 0)
            assert_true(drift(&m) <= 1e-9);
        else
            assert_true(fallen > 1e-4);
        end(&m);
    }
}

/* Overlapping at the start: they part smoothly, and rest. */
static void test_overlap(void **state)
{
    (void)state;
    motion m = run(WORLD "  cube: {shape: {box: [0.2, 0.2, 0.2]}, at: [0, 0, 0.08]}\n"
                         "run: {method: time-stepping, step: 0.002, until: 1, output: 0.002}\n");
    assert_int_equal(m.result.warning_count, 1);
    assert_true(fabs(at(&m, "cube.z") - 0.1) < 1e-6);
    assert_true(fabs(at(&m, "cube.vz")) < 1e-9);
    end(&m);
}

/* Dry friction of a joint holds up to its limit, and brakes beyond it. */
static void test_dry_joint(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        char text[500];
        snprintf(text, sizeof text,
                 "carom: 1\nworld: {space: 2, gravity: [0, -10]}\nbodies:\n"
                 "  arm: {mass: 1, inertia: 0.1, at: [1, 0]}\n"
                 "joints: {hinge: {revolute: [world, arm], friction: %g}}\n"
                 "run: {method: time-stepping, step: 0.001, until: 1}\n",
                 10 * (1 - 0.01 * side));
        motion m = run(text);
        if (side < 0)
            assert_true(at(&m, "hinge") == 0);
        else
            assert_true(at(&m, "hinge") < -1e-3);
        end(&m);
    }
}

/* Joints far stiffer than the step: the midpoint rule as it is, v+ = v (1 - hc/2m)/(1 + hc/2m), for
 * a damper and for a motor that is one. */
static void test_stiff_joint(void **state)
{
    (void)state;
    static const char *const stiff[] = {"damping: 1e4", "motor: \"-1e4*slide'\""};
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "carom: 1\nworld: {space: 2, gravity: [0, 0]}\nbodies:\n"
                 "  car: {mass: 1, inertia: 0.1}\n"
                 "joints: {slide: {prismatic: [world, car], axis: [1, 0], velocity: 1, %s}}\n"
                 "run: {method: time-stepping, step: 0.01, until: 0.01}\n",
                 stiff[k]);
        motion m = run(text);
        check_close(at(&m, "slide'"), -49.0 / 51, 1e-12);
        end(&m);
    }
}

/* A start beyond a limit is told, and put right. */
static void test_beyond_limit(void **state)
{
    (void)state;
    motion m = run("carom: 1\nworld: {space: 2, gravity: [0, 0]}\nbodies:\n"
                   "  arm: {mass: 1, inertia: 0.1, at: [1, 0]}\n"
                   "joints: {hinge: {revolute: [world, arm], limits: [-1, 1], initial: 2}}\n"
                   "run: {method: time-stepping, step: 0.01, until: 1}\n");
    assert_int_equal(m.result.warning_count, 1);
    assert_non_null(strstr(m.result.warnings[0], "hinge"));
    assert_true(fabs(at(&m, "hinge") - 1) < 1e-6);
    end(&m);
}

/* What was asked of memory, and what had been at the rows. */
enum { ROWS = 21 };
typedef struct memory_use {
    long calls, rows, at[ROWS];
} memory_use;

static void *count_calls(void *self, void *memory, size_t size)
{
    ((memory_use *)self)->calls += size > 0;
    if (size > 0)
        return realloc(memory, size);
    free(memory);
    return NULL;
}

static carom_status note_calls(void *self, const carom_flow_row *row, carom_error *error)
{
    memory_use *use = self;
    (void)row;
    (void)error;
    if (use->rows < ROWS)
        use->at[use->rows++] = use->calls;
    return CAROM_OK;
}

/* ---- times of impacts ---- */

typedef struct stepped {
    double h, last;
    long count, off;
} stepped;

static carom_status see_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    stepped *c = self;
    (void)error;
    c->off += impact->t != nearbyint(impact->t / c->h) * c->h || impact->t < c->last;
    c->last = impact->t;
    c->count++;
    return CAROM_OK;
}

/* Impacts of time steps happen at k h, a product, and never go back: many h are no sums of
 * themselves. */
static void test_times(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        "carom: 1\nworld: {gravity: [0, 0, -9.81], contact: {restitution: 0.7}}\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  a: {shape: {sphere: 0.1}, at: [0, 0, 0.2]}\n"
        "  b: {shape: {sphere: 0.1}, at: [0.01, 0, 0.45]}\n"
        "  c: {shape: {sphere: 0.1}, at: [0, 0.01, 0.7]}\n"
        "run: {method: time-stepping, step: 0.005, until: 2}\n",
        "carom: 1\nsystem:\n  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n"
        "  potential: 9.81*(x + y)\n  contacts:\n    f: {gap: x, restitution: 0.9}\n"
        "    m: {gap: y - x - 1, restitution: 0.9}\ninitial: {x: 1, y: 2.3}\n"
        "run: {method: time-stepping, step: 0.005, until: 2}\n"};
    for (int k = 0; k < 2; k++) {
        motion m = {.scene = check_scene(scenes[k])};
        const carom_scene_content *c = carom_scene_get(m.scene);
        stepped seen = {.h = 0.005};
        carom_flow_observer observer = {.self = &seen, .impact = see_impact};
        carom_law law;
        check_ok(carom_arena_create(NULL, &m.arena, NULL), NULL);
        check_ok(carom_scene_choose_law(m.scene, NULL, &law, NULL, NULL), NULL);
        check_ok(carom_flow_run(c->system, &law, &c->initial, c->run, &observer, m.arena, &m.result,
                                NULL),
                 NULL);
        assert_true(seen.count > 5);
        assert_int_equal(seen.off, 0);
        end(&m);
    }
}

/* A heap on a table that is shaken never rests; after a while its steps need no new memory. */
static void test_no_allocation(void **state)
{
    (void)state;
    memory_use use = {0};
    const carom_allocator allocator = {.resize = count_calls, .self = &use};
    const carom_scene_options how = {.allocator = &allocator};
    const char *text =
        "carom: 1\n"
        "world: {gravity: [0, 0, -9.81], contact: {friction: 0.5}}\n"
        "bodies:\n"
        "  table: {fixed: true, shape: {plane: [0, 0, 1]}, at: [0.002*sin(30*t), 0, 0]}\n"
        "repeat: [{index: i, from: 0, to: 5, bodies: {b$i: {shape: {box: [0.2, 0.2, "
        "0.1]}, at: [0.01*$i, 0, 0.1*$i + 0.05]}}}]\n"
        "run: {method: time-stepping, step: 0.002, until: 0.4, output: 0.02}\n";
    carom_scene *scene;
    carom_arena *arena;
    carom_flow_result result;
    carom_error error = {0};
    carom_law law;
    check_ok(carom_scene_read_text(text, strlen(text), &how, &scene, &error), &error);
    check_ok(carom_arena_create(&allocator, &arena, NULL), NULL);
    const carom_scene_content *c = carom_scene_get(scene);
    const carom_flow_observer observer = {.self = &use, .row = note_calls};
    check_ok(carom_scene_choose_law(scene, NULL, &law, NULL, &error), &error);
    check_ok(
        carom_flow_run(c->system, &law, &c->initial, c->run, &observer, arena, &result, &error),
        &error);
    assert_int_equal(use.rows, ROWS);
    assert_int_equal(use.at[ROWS - 1], use.at[ROWS / 2]);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

/* A loop holds, a rope holds, a stop bounces. */
static void test_joints(void **state)
{
    (void)state;
    motion m = run("carom: 1\nworld: {space: 2, gravity: [0, -9.81]}\nbodies:\n"
                   "  a: {mass: 1, inertia: 0.1, at: [0, 0.5]}\n"
                   "  b: {mass: 1, inertia: 0.1, at: [1, 1]}\n"
                   "  c: {mass: 1, inertia: 0.1, at: [2, 0.5]}\n"
                   "  w: {mass: 1, inertia: 0.1, at: [1, 0.5]}\n"
                   "joints:\n"
                   "  p: {revolute: [world, a], velocity: -1, limits: [-0.5, 0.5], stop: "
                   "{restitution: 0.5}}\n"
                   "  q: {revolute: [a, b], at: [0, 1]}\n"
                   "  r: {revolute: [b, c], at: [2, 1]}\n"
                   "  s: {revolute: [c, world], at: [2, 0]}\n"
                   "  t: {rope: [b, w], length: 0.6}\n"
                   "run: {method: time-stepping, step: 0.0005, until: 1}\n");
    assert_true(at(&m, "p") >= -0.5 - 1e-9 && at(&m, "p") <= 0.5 + 1e-9);
    double a = at(&m, "p"), b = a + at(&m, "q");
    double x = -sin(a) + cos(b), y = cos(a) + sin(b); /* the middle of b */
    double cx = -sin(a) + 2 * cos(b), cy = cos(a) + 2 * sin(b);
    assert_true(fabs(hypot(cx - 2, cy) - 1) < 1e-4);
    assert_true(hypot(at(&m, "w.x") - x, at(&m, "w.y") - y) <= 0.6 + 1e-4);
    assert_true(m.result.impact_count >= 2);
    end(&m);
}

/* A rope whose ends coincide at the start, or on the way: the bob falls as far as the rope is long,
 * by both methods. */
static void test_coincident_ends(void **state)
{
    (void)state;
    static const char *const method[2] = {"event-driven, until: 2",
                                          "time-stepping, step: 0.001, until: 2"};
    for (int k = 0; k < 4; k++) {
        char text[512];
        const double z = k / 2 ? 0.5 : 0;
        snprintf(text, sizeof text,
                 "carom: 1\nworld: {gravity: [0, 0, -9.81]}\nbodies:\n"
                 "  bob: {shape: {sphere: 0.1}, at: [0, 0, %g]}\n"
                 "joints: {string: {rope: [world, bob], length: 1, at: [[0, 0, 0], [0, 0, %g]]}}\n"
                 "law: inelastic\nrun: {method: %s}\n",
                 z, z, method[k % 2]);
        motion m = run(text);
        assert_int_equal(m.result.end, CAROM_FLOW_REACHED);
        assert_true(fabs(at(&m, "bob.z") + 1) <= 1e-9 && fabs(at(&m, "bob.vz")) <= 1e-9);
        end(&m);
    }
}

/* Crank and rod of lengths 1 and 2 whose end slides along x, started at any angle with any velocity
 * of the crank, of the joint or by `initial`: what is given stays, and the loop is closed. */
static void test_given_start_of_loop(void **state)
{
    (void)state;
    family f = family_start("slider-crank, given starts", 9, 500);
    while (family_next(&f)) {
        const double angle = check_random_in(&f.random, -1.4, 1.4),
                     rate = check_random_in(&f.random, -3, 3);
        const bool later = f.member % 2;
        char text[1024];
        snprintf(text, sizeof text,
                 "carom: 1\nworld: {space: 2}\nbodies:\n"
                 "  crank: {mass: 1, inertia: 1, at: [0.5, 0]}\n"
                 "  rod: {mass: 1, inertia: 1, at: [2, 0]}\n"
                 "  slider: {mass: 1, inertia: 1, at: [3, 0]}\n"
                 "joints:\n"
                 "  pin: {revolute: [world, crank]%s}\n"
                 "  elbow: {revolute: [crank, rod], at: [1, 0]}\n"
                 "  wrist: {revolute: [rod, slider], at: [3, 0]}\n"
                 "  rail: {prismatic: [world, slider], axis: [1, 0], at: [3, 0]}\n"
                 "run: {until: 1}\n",
                 later ? "" : ", initial: 0.3, velocity: 1");
        char start[128], given[96];
        snprintf(start, sizeof start, "initial: {pin: %.17g, pin': %.17g}\n", angle, rate);
        snprintf(given, sizeof given, ", initial: %.17g, velocity: %.17g", angle, rate);
        if (later) {
            strcat(text, start);
        } else {
            char *place = strstr(text, ", initial: 0.3, velocity: 1"), rest[1024];
            strcpy(rest, place + strlen(", initial: 0.3, velocity: 1"));
            strcpy(place, given);
            strcat(text, rest);
        }
        carom_scene *scene = check_scene(text);
        const carom_flow_start *s = &carom_scene_get(scene)->initial;
        /* The end of the rod is on the axis, the slider is not turned, and both stay so. */
        const double rod = s->q[0] + s->q[1],
                     off[4] = {sin(s->q[0]) + 2 * sin(rod), sin(rod + s->q[2]),
                               cos(s->q[0]) * s->u[0] + 2 * cos(rod) * (s->u[0] + s->u[1]),
                               s->u[0] + s->u[1] + s->u[2]};
        for (int k = 0; k < 4; k++)
            family_check(&f, fabs(off[k]) <= 1e-11, "equation %d off by %g in\n%s", k, off[k],
                         text);
        family_check(&f, s->q[0] == angle && s->u[0] == rate, "what is given does not stay");
        carom_scene_destroy(scene);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushed_cube),
        cmocka_unit_test(test_forces_add_up),
        cmocka_unit_test(test_gripper),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_crooked_stack),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_overhang),
        cmocka_unit_test(test_arch),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_falling_heap),
        cmocka_unit_test(test_dry_joint),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_stiff_joint),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_beyond_limit),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_coincident_ends),
        cmocka_unit_test(test_given_start_of_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
