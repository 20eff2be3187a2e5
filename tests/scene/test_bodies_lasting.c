/* Ropes that stay taut and loops in steps of bodies: errors fall with the square of the step, and
 * no energy is lost; the event-driven method, which holds them as equations, is the reference. */
#include "body_motion.h"
#include "family.h"

static double in(family *f, double low, double high)
{
    return check_random_in(&f->random, low, high);
}

/* A ball, or a box held at one of its points, on a rope that stays taut: below its hook, and slow.
 */
static void write_pendulum(family *f, char *text, size_t room)
{
    const double l = in(f, 0.5, 1.5), a = in(f, -0.7, 0.7), b = in(f, -0.7, 0.7),
                 x = l * sin(a) * cos(b), y = l * sin(b), z = -l * cos(a) * cos(b);
    const bool box = f->member % 2;
    const double off = box ? in(f, 0, 0.05) : 0;
    snprintf(text, room,
             "carom: 1\nworld: {gravity: [0, 0, -9.81]}\nbodies:\n"
             "  body: {shape: {%s}, mass: 2, at: [%.17g, %.17g, %.17g]}\n"
             "joints:\n"
             "  rope: {rope: [world, body], at: [[0, 0, 0], [%.17g, %.17g, %.17g]], length: "
             "%.17g}\nlaw: newton\n",
             box ? "box: [0.2, 0.3, 0.1]" : "sphere: 0.1", x, y, z - off, x, y, z, l);
}

/* Three bars and the ground, of any lengths that close, far from stretching out in the time of the
 * test, where a linkage has no one way to go on. */
static void write_linkage(family *f, char *text, size_t room)
{
    const double x = in(f, 0.2, 0.4), y = in(f, 0.3, 0.5), far = in(f, 0.9, 1.2),
                 high = in(f, 0.3, 0.5), base = in(f, 0.9, 1.2);
    snprintf(text, room,
             "carom: 1\nworld: {space: 2, gravity: [0, -9.81]}\nbodies:\n"
             "  crank: {mass: 1, inertia: 0.03, at: [%.17g, %.17g]}\n"
             "  coupler: {mass: 2, inertia: 0.1, at: [%.17g, %.17g]}\n"
             "  rocker: {mass: 1, inertia: 0.03, at: [%.17g, %.17g]}\n"
             "joints:\n"
             "  a: {revolute: [world, crank], velocity: %.17g}\n"
             "  b: {revolute: [crank, coupler], at: [%.17g, %.17g]}\n"
             "  c: {revolute: [coupler, rocker], at: [%.17g, %.17g]}\n"
             "  d: {revolute: [rocker, world], at: [%.17g, 0]}\nlaw: newton\n",
             x / 2, y / 2, (x + far) / 2, (y + high) / 2, (far + base) / 2, high / 2, in(f, -1, 1),
             x, y, far, high, base);
}

/* The end of the motion by steps of h, or event-driven (h = 0): all coordinates; energy lost. */
static double ends(const char *text, double h, double q[8], double *scale)
{
    char whole[2000], how[80] = "";
    if (h > 0)
        snprintf(how, sizeof how, ", method: time-stepping, step: %g", h);
    snprintf(whole, sizeof whole, "%srun: {until: 0.2, tolerance: 1e-12%s}\n", text, how);
    motion m = run(whole);
    const carom_scene_content *c = carom_scene_get(m.scene);
    const int nq = carom_system_get_shape(c->system)->nq;
    assert_true(nq <= 8);
    for (int i = 0; i < nq; i++)
        q[i] = m.result.q[i];
    for (int i = nq; i < 8; i++)
        q[i] = 0;
    const double change = m.result.ledger.final - m.result.ledger.initial;
    *scale = fmax(m.result.ledger.kinetic, 1);
    end(&m);
    return change;
}

static double apart(const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < 8; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static void test_second_order(void **state)
{
    (void)state;
    family f = family_start("ropes that stay taut and loops, by steps", 1, 80);
    while (family_next(&f)) {
        static const double h = 0.001;
        char text[1500];
        double exact[8], one[8], two[8], scale;
        if (f.member % 4 < 2)
            write_pendulum(&f, text, sizeof text);
        else
            write_linkage(&f, text, sizeof text);
        ends(text, 0, exact, &scale);
        const double lost = fabs(ends(text, h, one, &scale)),
                     less = fabs(ends(text, h / 2, two, &scale));
        const double coarse = apart(one, exact), fine = apart(two, exact);
        family_check(&f, fine <= coarse / 3 + 1e-7,
                     "off by %.3g, with half the step by %.3g in\n%s", coarse, fine, text);
        family_check(&f, lost <= 1e-3 * scale && less <= lost / 3 + 1e-5 * scale,
                     "energy off by %.3g, with half the step by %.3g in\n%s", lost, less, text);
    }
    family_end(&f);
}

/* A ball falls on a rope from level with its hook, for ten swings of 20 s: at the end it has the
 * energy that it started with. */
static void test_long_swing(void **state)
{
    (void)state;
    motion m = run("carom: 1\nworld: {gravity: [0, 0, -9.81]}\nbodies:\n"
                   "  ball: {shape: {sphere: 0.1}, mass: 1, at: [1, 0, 0]}\n"
                   "joints:\n"
                   "  rope: {rope: [world, ball], at: [[0, 0, 0], [1, 0, 0]], length: 1}\n"
                   "law: newton\nrun: {method: time-stepping, step: 0.001, until: 20}\n");
    const carom_flow_ledger *l = &m.result.ledger;
    assert_true(fabs(l->final - l->initial) <= 1e-4); /* of 9.81 */
    assert_true(m.result.max_penetration <= 1e-6);
    end(&m);
}

/* The angle from level of a pendulum that is let go there, by the method of Runge and Kutta. */
static double angle_after(double t, double gravity, double length)
{
    enum { STEPS = 40000 };
    const double h = t / STEPS, k = gravity / length;
    double a = 0, w = 0;
    for (int i = 0; i < STEPS; i++) {
        const double a1 = w, w1 = k * cos(a), a2 = w + h / 2 * w1, w2 = k * cos(a + h / 2 * a1),
                     a3 = w + h / 2 * w2, w3 = k * cos(a + h / 2 * a2), a4 = w + h * w3,
                     w4 = k * cos(a + h * a3);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    return a;
}

/* Let go level with its hook a ball comes to rest there again, on the other side, just where the
 * rope holds nothing: velocity and force vanish together, and what rounding opens there flies too
 * low to be seen. */
static void test_level(void **state)
{
    (void)state;
    family f = family_start("pendulums let go level with their hooks", 1, 200);
    while (family_next(&f)) {
        const double l = f.member % 3 ? in(&f, 0.3, 3) : 1, g = in(&f, 1, 30),
                     b = f.member % 3 ? in(&f, -3, 3) : 0, x = l * cos(b), y = l * sin(b),
                     half = 3.708149354602744 * sqrt(l / g), t = half * in(&f, 1.1, 5);
        const double slack = f.member % 2 ? l * in(&f, 0, 4e-16) : 0;
        char text[1000];
        snprintf(
            text, sizeof text,
            "carom: 1\nworld: {gravity: [0, 0, %.17g]}\nbodies:\n"
            "  ball: {shape: {sphere: 0.05}, mass: 1, at: [%.17g, %.17g, 0]}\n"
            "joints:\n"
            "  rope: {rope: [world, ball], at: [[0, 0, 0], [%.17g, %.17g, 0]], length: %.17g}\n"
            "law: newton\nrun: {until: %.17g}\n",
            -g, x, y, x, y, l + slack, t);
        motion m = run(text);
        const double a = angle_after(t, g, l), low = at(&m, "ball.z") + l * sin(a),
                     far = at(&m, "ball.x") * cos(b) + at(&m, "ball.y") * sin(b) - l * cos(a);
        family_check(&f, m.result.end == CAROM_FLOW_REACHED && hypot(low, far) <= 1e-8 * l,
                     "off by %.3g, ended at %.17g of %.17g in\n%s", hypot(low, far), m.result.t, t,
                     text);
        end(&m);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_long_swing),
        cmocka_unit_test(test_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
