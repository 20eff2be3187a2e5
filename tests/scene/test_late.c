/* Impacts at late times, without a force: a ball comes from as far as 1e17 to a table that moves.
 * What it leaves with is right as far as the tolerance of events, a part of the time, tells where
 * the table is, or the motion ends with the reason. Reference: the root of y - v t = A sin(w t) in
 * extended precision. */
#include "carom/io.h"
#include "family.h"

CHECK_ARENA(arena);

/* When the ball meets its table; v > A w, so that there is one root. */
static long double meet(long double y, long double v, long double A, long double w)
{
    long double low = (y - A) / v, high = (y + A) / v;
    for (int k = 0; k < 80; k++) {
        const long double t = (low + high) / 2;
        *(y - v * t > A * sinl(w * t) ? &low : &high) = t;
    }
    return low;
}

static void test_late(void **state)
{
    (void)state;
    family f = family_start("impacts at late times", 81, 500);
    while (family_next(&f)) {
        check_random *x = &f.random;
        const double A = check_random_in(x, 0.01, 0.5), w = check_random_in(x, 0.3, 3);
        const double v = A * w * check_random_in(x, 1.2, 8);
        const double y = pow(10, check_random_in(x, 0.1, 17)) * v;
        char text[500];
        snprintf(
            text, sizeof text,
            "carom: 1\nsystem: {coordinates: [y], kinetic: \"y'^2/2\", contacts: {table: {gap: "
            "\"y - %.17g*sin(%.17g*t)\", restitution: 1}}}\n"
            "initial: {y: %.17g, y': -%.17g}\nlaw: newton\nrun: {until: %.17g}\n",
            A, w, y, v, 1.5 * y / v);
        carom_scene *scene;
        carom_error error = {0};
        carom_flow_result r;
        check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
        const carom_scene_content *c = carom_scene_get(scene);
        const carom_status status =
            carom_flow_run(c->system, c->law, &c->initial, c->run, NULL, arena, &r, &error);
        const double t = (double)meet(y, v, A, w), late = 16 * DBL_EPSILON * t * A * w * w;
        const double located = 4e-12 * t * A * w * w; /* event_tolerance, of the time */
        const double u = v + 2 * A * w * (double)cosl(w * meet(y, v, A, w));
        if (status == CAROM_OK && u > 1.05 * A * w) /* else the table strikes it again */
            family_check(&f, fabs(r.u[0] - u) <= 1e-9 * v + located,
                         "t = %g: leaves with %g, not %g", t, r.u[0], u);
        if (status != CAROM_OK)
            family_check(&f, status > 0 && t > 1e10 && r.message[0], "t = %g: %s", t,
                         status < 0 ? error.text : r.message);
        family_check(&f, status != CAROM_OK || late <= 0.05 * v, "t = %g is not told to be late",
                     t);
        carom_scene_destroy(scene);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_late)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
