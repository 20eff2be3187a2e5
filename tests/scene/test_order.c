/* The order of accuracy of time-stepping in smooth motion, measured: errors at h and h/4 against
 * the event-driven method at its finest. Theta = 1/2 is of second order whatever the mass depends
 * on, with joints, with joints and contacts that move by themselves, in space; theta = 1 of first.
 */
#include "carom/io.h"
#include "family.h"

CHECK_ARENA(arena);

/* Where a scene's text leads: position and velocity at the end, one after the other. */
static bool follow(family *f, const char *text, double *end, int *count)
{
    carom_scene *scene;
    carom_error error = {0};
    carom_flow_result r;
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(c->system);
    const carom_status status =
        carom_flow_run(c->system, c->law, &c->initial, c->run, NULL, arena, &r, &error);
    if (status == CAROM_OK) {
        *count = shape->nq + shape->n;
        memcpy(end, r.q, sizeof(double) * (size_t)shape->nq);
        memcpy(end + shape->nq, r.u, sizeof(double) * (size_t)shape->n);
    }
    family_check(f, status == CAROM_OK, "%s", status < 0 ? error.text : r.message);
    carom_scene_destroy(scene);
    carom_arena_reset(arena);
    return status == CAROM_OK;
}

enum { MOST = 32 };

/* The distance of two ends, each component by the size it has or 1. */
static double distance(int count, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]) / fmax(1, fabs(b[i])));
    return most;
}

/* The order seen from step h to h/4 of a system over `until`. */
static double order(family *f, const char *system, double until, const char *how, double h,
                    double *coarse)
{
    char text[6000];
    double exact[MOST], end[2][MOST], off[2];
    int count;
    snprintf(text, sizeof text, "%srun: {until: %.17g, tolerance: 1e-13}\n", system, until);
    if (!follow(f, text, exact, &count))
        return NAN;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%srun: {until: %.17g, method: time-stepping, step: %.17g%s}\n",
                 system, until, k ? h / 4 : h, how);
        if (!follow(f, text, end[k], &count))
            return NAN;
        off[k] = distance(count, end[k], exact);
    }
    *coarse = off[0];
    return log2(off[0] / off[1]) / 2;
}

/* Judge: at least `least`, unless the error is down at what the reference resolves. */
static void judge(family *f, const char *system, const char *how, double h, double least,
                  double most)
{
    double off = 0;
    const double seen = order(f, system, 0.5, how, h, &off);
    if (!f->disagrees && off > 1e-9)
        family_check(f, seen >= least && seen <= most, "order %.3f with error %.3g%s in\n%s", seen,
                     off, how, system);
}

/* A Lagrangian of n coordinates: T = 1/2 sum (d_i q_i'^2) + sum_ij c_ij cos(q_i - q_j + p_ij)
 * q_i'q_j', diagonally dominant, V a sum of waves and springs, and a force that depends on
 * velocities. */
static void draw_lagrangian(check_random *r, char *text, size_t room)
{
    const int n = 2 + (int)check_random_in(r, 0, 2.99);
    size_t used = (size_t)snprintf(text, room, "carom: 1\nsystem:\n  coordinates: [q1, q2%s%s]\n",
                                   n > 2 ? ", q3" : "", n > 3 ? ", q4" : "");
    used += (size_t)snprintf(text + used, room - used, "  kinetic: \"0");
    for (int i = 1; i <= n; i++)
        used += (size_t)snprintf(text + used, room - used, " + %.4f*q%d'^2",
                                 check_random_in(r, 1, 2), i);
    for (int i = 1; i <= n; i++)
        for (int j = 1; j < i; j++)
            used += (size_t)snprintf(
                text + used, room - used, " + %.4f*cos(q%d - q%d + %.3f)*q%d'*q%d'",
                check_random_in(r, -0.6, 0.6), i, j, check_random_in(r, 0, 6), i, j);
    used += (size_t)snprintf(text + used, room - used, "\"\n  potential: \"0");
    for (int i = 1; i <= n; i++)
        used += (size_t)snprintf(text + used, room - used, " + %.3f*cos(q%d) + %.3f*q%d^2",
                                 check_random_in(r, -3, 3), i, check_random_in(r, 0, 3), i);
    used += (size_t)snprintf(text + used, room - used,
                             "\"\n  forces: {q1: \"-%.3f*q1' + sin(3*t)\"}\ninitial: {",
                             check_random_in(r, 0, 1));
    for (int i = 1; i <= n; i++)
        used += (size_t)snprintf(text + used, room - used, "q%d: %.3f, q%d': %.3f%s", i,
                                 check_random_in(r, -1, 1), i, check_random_in(r, -1, 1),
                                 i < n ? ", " : "}\n");
}

static void test_lagrangians(void **state)
{
    (void)state;
    family f = family_start("order of time-stepping, random Lagrangians", 51, 60);
    while (family_next(&f)) {
        char text[5000];
        draw_lagrangian(&f.random, text, sizeof text);
        judge(&f, text, "", 0.01, 1.85, 2.6);
        judge(&f, text, ", theta: 1", 0.0025, 0.8, 1.2);
    }
    family_end(&f);
}

/* A pendulum on a string whose support moves, in Cartesian coordinates: the joint moves and turns.
 */
static void test_joints(void **state)
{
    (void)state;
    family f = family_start("order of time-stepping, joints that move", 52, 60);
    while (family_next(&f)) {
        check_random *r = &f.random;
        char text[5000];
        const double A = check_random_in(r, 0, 0.5), w = check_random_in(r, 1, 6),
                     l = check_random_in(r, 0.5, 2), th = check_random_in(r, -1.5, 1.5),
                     s = check_random_in(r, -1, 1);
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {A: %.17g, w: %.17g, l: %.17g, k: %.3f}\nsystem:\n"
                 "  coordinates: [x, y, z]\n  kinetic: \"(1 + k*z^2)*(x'^2 + y'^2)/2 + z'^2\"\n"
                 "  potential: 9.81*y + z^2\n"
                 "  bilateral: {rod: \"(x - A*sin(w*t))^2 + y^2 - l^2\"}\n"
                 "  permanent: {roll: \"z' - 0.3*cos(z)*x' - 0.1*t\"}\n"
                 "initial: {x: %.17g, y: %.17g, x': %.17g, y': %.17g, z': %.17g}\n",
                 A, w, l, check_random_in(r, 0, 0.5), l * sin(th), -l * cos(th),
                 A * w + s * cos(th), s * sin(th), 0.3 * (A * w + s * cos(th)));
        judge(&f, text, "", 0.002, 1.7, 2.6);
    }
    family_end(&f);
}

/* A mass that rests on what lifts it, and one that is carried by a belt whose speed changes. */
static void test_moving_contacts(void **state)
{
    (void)state;
    family f = family_start("order of time-stepping, contacts that move", 53, 60);
    while (family_next(&f)) {
        check_random *r = &f.random;
        char text[5000];
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {a: %.17g, w: %.17g, b: %.17g}\nsystem:\n"
                 "  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n  potential: 20*y\n"
                 "  contacts: {lift: {gap: \"y - a*sin(w*t)\", slip: \"x' - b*t\", friction: 1}}\n"
                 "initial: {y': a*w}\nlaw: coulomb\n",
                 check_random_in(r, 0, 0.5), check_random_in(r, 0.5, 4), check_random_in(r, -2, 2));
        judge(&f, text, "", 0.01, 1.8, 2.6);
    }
    family_end(&f);
}

/* A free body that tumbles: the kinematics of quaternions. */
static void test_rotation(void **state)
{
    (void)state;
    family f = family_start("order of time-stepping, rotation", 54, 30);
    while (family_next(&f)) {
        check_random *r = &f.random;
        double q[7] = {0, 0, 10, 1}, u[6], off[2], exact[13] = {0};
        for (int k = 0; k < 6; k++)
            u[k] = check_random_in(r, -1, 1) * (k < 3 ? 1 : 4);
        carom_rigid_body body = {.mass = 1,
                                 .inertia = {check_random_in(r, 1, 2), check_random_in(r, 1, 2),
                                             check_random_in(r, 1, 2)},
                                 .normal = {0, 0, 1},
                                 .contact = carom_contact_default()};
        carom_system *system;
        carom_error error = {0};
        carom_flow_result result;
        carom_flow_options options = carom_flow_options_default();
        const carom_flow_start start = {0, q, u};
        check_ok(carom_system_rigid_body(&body, NULL, &system, &error), &error);
        options.until = 0.5;
        options.tolerance = 1e-13;
        for (int k = 0; k < 3; k++) {
            check_ok(carom_flow_run(system, NULL, &start, &options, NULL, arena, &result, &error),
                     &error);
            double now[13];
            memcpy(now, result.q, 7 * sizeof(double));
            memcpy(now + 7, result.u, 6 * sizeof(double));
            if (k == 0)
                memcpy(exact, now, sizeof exact);
            else
                off[k - 1] = distance(13, now, exact);
            options.method = CAROM_FLOW_TIME_STEPPING;
            options.step = k == 0 ? 0.01 : 0.005;
            carom_arena_reset(arena);
        }
        const double seen = log2(off[0] / off[1]);
        family_check(&f, seen > 1.9 && seen < 2.2, "order %.3f, error %.3g", seen, off[0]);
        carom_system_destroy(system);
    }
    family_end(&f);
}

/* What the recorded schemes give for a drive and a lift, and Schatzman-Paoli's drive. */
static void test_late(void **state)
{
    (void)state;
    static const char drive[] = "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2/2, "
                                "bilateral: {drive: x - sin(t)}}\ninitial: {x': 1}\n";
    static const char lift[] = "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2/2, potential: "
                               "9.81*x, contacts: {w: {gap: x - t^2/2}}}\n";
    family f = family_start("nothing is one step late", 55, 1);
    while (family_next(&f)) {
        double end[MOST];
        int count;
        char text[1000];
        snprintf(text, sizeof text, "%srun: {method: time-stepping, step: 0.01, until: 3}\n",
                 drive);
        follow(&f, text, end, &count);
        check_close(end[0], sin(3), 2e-6);
        check_close(end[1], cos(3), 1e-14);
        snprintf(text, sizeof text, "%srun: {method: time-stepping, step: 0.01, until: 1}\n", lift);
        follow(&f, text, end, &count);
        check_close(end[0], 0.5, 1e-14);
        snprintf(text, sizeof text,
                 "%srun: {method: time-stepping, scheme: schatzman-paoli, step: 0.01, until: 3}\n",
                 drive);
        follow(&f, text, end, &count);
        check_close(end[0], sin(3), 2e-6);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lagrangians),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_moving_contacts),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_late),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
