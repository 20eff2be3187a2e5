/* Scenes in formulas, expressed by bodies: the motions agree to 1e-10. */
#include "carom/bodies.h"
#include "scene_check.h"

#include <math.h>

/* Formulas of the one and of the other that must have the same value at the end. */
typedef struct pair {
    const char *title, *formulas, *bodies;
    const char *same[8][2];
} pair;

static const pair pairs[] = {
    {"nut that falls on a screw",
     "carom: 1\n"
     "parameters: {m: 2, J: 0.03, k: 0.4/(2*pi), g: 9.81}\n"
     "system:\n"
     "  coordinates: [a]\n"
     "  kinetic: (m*k^2 + J)/2*a'^2\n"
     "  potential: m*g*k*a\n"
     "  contacts: {low: {gap: a + 9, restitution: 0.5}}\n"
     "initial: {a: 0, a': 3}\n"
     "law: newton\n"
     "run: {until: 2}\n",
     "carom: 1\n"
     "world: {gravity: [0, 0, -9.81]}\n"
     "bodies:\n"
     "  nut: {mass: 2, inertia: [0.05, 0.05, 0.03], at: [0.2, 0, 0]}\n"
     "joints:\n"
     "  a: {screw: [world, nut], at: [0.2, 0, 0], axis: [0, 0, 1], pitch: 0.4, velocity: 3,\n"
     "      limits: [-9, inf], stop: {restitution: 0.5}}\n"
     "law: newton\n"
     "run: {until: 2}\n",
     {{"a", "a"}, {"a'", "a'"}}},
    {"screw that closes a loop: a spindle that turns, a nut that slides",
     "carom: 1\n"
     "parameters: {m: 2, J: 0.03, k: 0.4/(2*pi), g: 9.81}\n"
     "system:\n"
     "  coordinates: [a]\n"
     "  kinetic: (m*k^2 + J)/2*a'^2\n"
     "  potential: m*g*k*a\n"
     "  contacts: {low: {gap: a + 9, restitution: 0.5}}\n"
     "initial: {a: 0, a': 3}\n"
     "law: newton\n"
     "run: {until: 2}\n",
     "carom: 1\n"
     "world: {gravity: [0, 0, -9.81]}\n"
     "bodies:\n"
     "  spindle: {mass: 1, inertia: [0.1, 0.1, 0.03]}\n"
     "  nut: {mass: 2, inertia: [0.5, 0.5, 0.7]}\n"
     "joints:\n"
     "  a: {revolute: [world, spindle], axis: [0, 0, 1], velocity: 3, limits: [-9, inf],\n"
     "      stop: {restitution: 0.5}}\n"
     "  s: {prismatic: [world, nut], axis: [0, 0, 1], velocity: 0.4*3/(2*pi)}\n"
     "  thread: {screw: [nut, spindle], axis: [0, 0, 1], pitch: -0.4}\n"
     "law: newton\n"
     "run: {until: 2}\n",
     {{"a", "a"}, {"a'", "a'"}, {"k*a", "s"}}},
    {"double pendulum with a stop",
     "carom: 1\n"
     "parameters: {g: 9.81, m: 1, n: 0.5, l: 1, k: 0.7, J: 0.02}\n"
     "system:\n"
     "  coordinates: [a, b]\n"
     "  kinetic: >-\n"
     "    m/2*l^2*a'^2 + J/2*a'^2 + J/2*(a' + b')^2 + n/2*(l^2*a'^2 + k^2*(a' + b')^2 +\n"
     "    2*l*k*a'*(a' + b')*cos(b))\n"
     "  potential: -m*g*l*cos(a) - n*g*(l*cos(a) + k*cos(a + b))\n"
     "  contacts: {upper: {gap: 1 - b, restitution: 0.6}, lower: {gap: b + 1, restitution: 0.6}}\n"
     "initial: {a: 1, b: -0.5, b': 0.3}\n"
     "law: newton\n"
     "run: {until: 2}\n",
     "carom: 1\n"
     "world: {space: 2, gravity: [0, -9.81]}\n"
     "bodies:\n"
     "  one: {mass: 1, inertia: 0.02, at: [0, -1]}\n"
     "  two: {mass: 0.5, inertia: 0.02, at: [0, -1.7]}\n"
     "joints:\n"
     "  a: {revolute: [world, one], initial: 1}\n"
     "  b: {revolute: [one, two], at: [0, -1], initial: -0.5, velocity: 0.3, limits: [-1, 1],\n"
     "      stop: {restitution: 0.6}}\n"
     "law: newton\n"
     "run: {until: 2}\n",
     {{"a", "a"}, {"b", "b"}, {"a'", "a'"}, {"b'", "b'"}}},
    {"rocking block",
     "carom: 1\n"
     "parameters: {m: 1, g: 9.81, H: 2, L: 1, J: m*(H^2 + L^2)/12, e: 0.5, mu: 0.3}\n"
     "system:\n"
     "  coordinates: [x, y, th]\n"
     "  kinetic: m/2*(x'^2 + y'^2) + J/2*th'^2\n"
     "  potential: m*g*y\n"
     "  contacts:\n"
     "    right: {gap: y - H/2*cos(th) + L/2*sin(th), slip: x' + (H/2*cos(th) - L/2*sin(th))*th',\n"
     "            restitution: e, friction: mu}\n"
     "    left: {gap: y - H/2*cos(th) - L/2*sin(th), slip: x' + (H/2*cos(th) + L/2*sin(th))*th',\n"
     "           restitution: e, friction: mu}\n"
     "initial: {y: 1.3, y': -1, th: 0.1, th': 0.2}\n"
     "law: coulomb\n"
     "run: {until: 1.2}\n",
     "carom: 1\n"
     "world: {space: 2, gravity: [0, -9.81], contact: {friction: 0.3, restitution: 0.5}}\n"
     "bodies:\n"
     "  floor: {fixed: true, shape: {half-plane: [0, 1]}}\n"
     "  block: {shape: {box: [1, 2]}, mass: 1, at: [0, 1.3], turn: 0.1, velocity: [0, -1],\n"
     "          spin: 0.2}\n"
     "law: coulomb\n"
     "run: {until: 1.2}\n",
     {{"x", "block.x"},
      {"y", "block.y"},
      {"th", "block.th"},
      {"x'", "block.vx"},
      {"th'", "block.w"}}},
    {"falling rod",
     "carom: 1\n"
     "parameters: {m: 1, l: 0.5, g: 9.81, mu: 0.3, e: 0.4, J: m*l^2/3}\n"
     "system:\n"
     "  coordinates: [x, y, th]\n"
     "  kinetic: m/2*(x'^2 + y'^2) + J/2*th'^2\n"
     "  potential: m*g*y\n"
     "  contacts:\n"
     "    left:  {gap: y - l*sin(th), slip: x' + l*sin(th)*th', restitution: e, friction: mu}\n"
     "    right: {gap: y + l*sin(th), slip: x' - l*sin(th)*th', restitution: e, friction: mu}\n"
     "initial: {y: 1, th: 0.7, x': 1, th': 1}\n"
     "law: coulomb\n"
     "run: {until: 1}\n",
     "carom: 1\n"
     "world: {space: 2, gravity: [0, -9.81], contact: {friction: 0.3, restitution: 0.4}}\n"
     "bodies:\n"
     "  floor: {fixed: true, shape: {half-plane: [0, 1]}}\n"
     "  rod: {shape: {line: [[-0.5, 0], [0.5, 0]]}, mass: 1, inertia: 1/12, at: [0, 1], turn: "
     "0.7,\n"
     "        velocity: [1, 0], spin: 1}\n"
     "law: coulomb\n"
     "run: {until: 1}\n",
     {{"x", "rod.x"}, {"y", "rod.y"}, {"th", "rod.th"}, {"x'", "rod.vx"}, {"th'", "rod.w"}}},
    {"Painleve's rod",
     "carom: 1\n"
     "parameters: {m: 1, l: 0.5, g: 9.81, mu: 1.6, J: m*l^2/3}\n"
     "system:\n"
     "  coordinates: [x, y, th]\n"
     "  kinetic: m/2*(x'^2 + y'^2) + J/2*th'^2\n"
     "  potential: m*g*y\n"
     "  contacts:\n"
     "    tip: {gap: y - l*sin(th), slip: x' + l*sin(th)*th', friction: mu}\n"
     "    head: {gap: y + l*sin(th), slip: x' - l*sin(th)*th', friction: mu}\n"
     "initial: {y: l*sin(1.1), th: 1.1, x': -6}\n"
     "law: coulomb\n"
     "run: {until: 0.5, paradox: impact}\n",
     "carom: 1\n"
     "world: {space: 2, gravity: [0, -9.81], contact: {friction: 1.6}}\n"
     "bodies:\n"
     "  floor: {fixed: true, shape: {half-plane: [0, 1]}}\n"
     "  rod: {shape: {line: [[-0.5, 0], [0.5, 0]]}, mass: 1, inertia: 1/12, at: [0, "
     "0.5*sin(1.1)],\n"
     "        turn: 1.1, velocity: [-6, 0]}\n"
     "law: coulomb\n"
     "run: {until: 0.5, paradox: impact}\n",
     {{"x", "rod.x"}, {"y", "rod.y"}, {"th", "rod.th"}, {"x'", "rod.vx"}, {"th'", "rod.w"}}},
    {"cradle of balls on rods",
     "carom: 1\n"
     "parameters: {N: 5, m: 1, l: 1, R: 0.1, g: 9.81}\n"
     "system:\n"
     "  repeat:\n"
     "    - index: i\n"
     "      from: 1\n"
     "      to: N\n"
     "      coordinates: [a$i]\n"
     "      kinetic: (m*l^2 + 2/5*m*R^2)/2*a$i'^2\n"
     "      potential: -m*g*l*cos(a$i)\n"
     "    - index: i\n"
     "      from: 1\n"
     "      to: N-1\n"
     "      contacts:\n"
     "        \"$i-$(i+1)\": {gap: \"sqrt((2*R + l*(sin(a$(i+1)) - sin(a$i)))^2 + "
     "(l*(cos(a$(i+1)) - cos(a$i)))^2) - 2*R\", restitution: 1}\n"
     "initial: {a1: -0.6}\n"
     "law: sequential\n"
     "run: {until: 1.3}\n",
     "carom: 1\n"
     "parameters: {l: 1, R: 0.1}\n"
     "world: {space: 3, gravity: [0, 0, -9.81], contact: {restitution: 1}}\n"
     "bodies: {}\n"
     "repeat:\n"
     "  - index: i\n"
     "    from: 1\n"
     "    to: 5\n"
     "    bodies: {ball$i: {shape: {sphere: R}, mass: 1, at: [2*R*$i, 0, -l]}}\n"
     "    joints: {a$i: {revolute: [world, ball$i], at: [2*R*$i, 0, 0], axis: [0, -1, 0]}}\n"
     "initial: {a1: -0.6}\n"
     "law: sequential\n"
     "run: {until: 1.3}\n",
     {{"a1", "a1"}, {"a2", "a2"}, {"a5", "a5"}, {"a1'", "a1'"}, {"a5'", "a5'"}}},
    {"slider-crank with a stop",
     "carom: 1\n"
     "parameters: {r: 0.1, l: 0.3, Jc: 0.01, mr: 0.2, ms: 0.5, e: 0.4, a0: 1,\n"
     "             b0: asin(r*sin(a0)/l), w: -5, stop: r*cos(0.5) + sqrt(l^2 - (r*sin(0.5))^2)}\n"
     "system:\n"
     "  coordinates: [a, b, s]\n"
     "  kinetic: >-\n"
     "    Jc/2*a'^2 + ms/2*s'^2 + mr*l^2/24*b'^2 +\n"
     "    mr/2*(r^2*a'^2 + l^2/4*b'^2 + r*l*a'*b'*(sin(a)*sin(b) - cos(a)*cos(b)))\n"
     "  contacts: {stop: {gap: stop - s, restitution: e}}\n"
     "  bilateral: {along: s - r*cos(a) - l*cos(b), across: r*sin(a) - l*sin(b)}\n"
     "initial: {a: a0, b: b0, s: r*cos(a0) + l*cos(b0), a': w, b': w*r*cos(a0)/(l*cos(b0)),\n"
     "          s': -r*sin(a0)*w - l*sin(b0)*w*r*cos(a0)/(l*cos(b0))}\n"
     "law: newton\n"
     "run: {until: 0.5}\n",
     "carom: 1\n"
     "parameters: {r: 0.1, l: 0.3, stop: r*cos(0.5) + sqrt(l^2 - (r*sin(0.5))^2)}\n"
     "world: {space: 2}\n"
     "bodies:\n"
     "  crank: {mass: 1, inertia: 0.01}\n"
     "  rod: {mass: 0.2, inertia: 0.2*l^2/12, at: [r + l/2, 0]}\n"
     "  slider: {mass: 0.5, inertia: 1, at: [r + l, 0]}\n"
     "joints:\n"
     "  a: {revolute: [world, crank], initial: 1, velocity: -5}\n"
     "  pin: {revolute: [crank, rod], at: [r, 0]}\n"
     "  s: {prismatic: [world, slider], at: [r + l, 0], axis: [1, 0],\n"
     "      limits: [-inf, stop - r - l], stop: {restitution: 0.4}}\n"
     "  end: {revolute: [rod, slider], at: [r + l, 0]}\n"
     "law: newton\n"
     "run: {until: 0.5}\n",
     {{"a", "a"}, {"s", "s + r + l"}, {"a'", "a'"}, {"s'", "s'"}}},
    {"spatial body against a plane",
     "carom: 1\n"
     "parameters: {m: 1, a: 0.3, b: 0.2, c: 0.1, g: 9.81}\n"
     "system:\n"
     "  rigid_body:\n"
     "    mass: m\n"
     "    inertia: [m*(b^2 + c^2)/3, m*(a^2 + c^2)/3, m*(a^2 + b^2)/3]\n"
     "    point: [a, b, -c]\n"
     "    normal: [0, 0, 1]\n"
     "    gravity: [0, 0, -g]\n"
     "  contacts: {corner: {restitution: 0.5, friction: 0.3}}\n"
     "initial: {z: 0.35, x': 1, z': -1, wx: 0.5, wy: -0.2, wz: 1, qw: 0.95, qx: -0.2, qy: 0.2}\n"
     "law: coulomb\n"
     "run: {until: 0.15}\n",
     "carom: 1\n"
     "world: {gravity: [0, 0, -9.81], contact: {restitution: 0.5, friction: 0.3}}\n"
     "bodies:\n"
     "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
     "  box: {shape: {box: [0.6, 0.4, 0.2]}, mass: 1, at: [0, 0, 0.35], turn: [0.95, -0.2, 0.2, "
     "0],\n"
     "        velocity: [1, 0, -1], spin: [0.5, -0.2, 1]}\n"
     "law: coulomb\n"
     "run: {until: 0.15}\n",
     {{"x", "box.x"}, {"y", "box.y"}, {"z", "box.z"}, {"qx", "box.qx"}, {"qz", "box.qz"}}},
};

/* The end of a motion and how many impacts it had. */
static long run(carom_scene *scene, carom_arena *arena, carom_flow_result *result)
{
    const carom_scene_content *c = carom_scene_get(scene);
    carom_flow_options options = *c->run;
    carom_error error = {0};
    options.tolerance = 1e-13;
    check_ok(carom_flow_run(c->system, c->law, &c->initial, &options, NULL, arena, result, &error),
             &error);
    return result->impact_count;
}

static double value(carom_scene *scene, const char *text, const carom_flow_result *at)
{
    carom_expr *expr = NULL;
    carom_error error = {0};
    check_ok(carom_scene_formula_create(scene, text, 0, &expr, &error), &error);
    double x = carom_expr_evaluate(expr, at->t, at->q, at->u, NULL, NULL);
    carom_expr_destroy(expr);
    return x;
}

static void test_twice(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const pair *p = &pairs[k];
        carom_arena *arena;
        carom_flow_result one, two;
        check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
        carom_scene *formulas = check_scene(p->formulas), *bodies = check_scene(p->bodies);
        long hits = run(formulas, arena, &one);
        assert_int_equal(run(bodies, arena, &two), hits);
        assert_true(hits > 0);
        for (int i = 0; i < 8 && p->same[i][0]; i++) {
            double x = value(formulas, p->same[i][0], &one), y = value(bodies, p->same[i][1], &two);
            if (!(fabs(x - y) <= 1e-10))
                print_error("%s: %s is %.15g, %s is %.15g\n", p->title, p->same[i][0], x,
                            p->same[i][1], y);
            assert_true(fabs(x - y) <= 1e-10);
        }
        assert_true(fabs(one.ledger.final - one.ledger.initial -
                         (two.ledger.final - two.ledger.initial)) <= 1e-10);
        carom_scene_destroy(formulas);
        carom_scene_destroy(bodies);
        carom_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
