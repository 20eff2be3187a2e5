/* A disc that a rough wall throws back comes to rest on a floor without friction: the floor has
 * no part in x, whatever the impact before it had. Reference: x' = e |u| from t = d/|u| on. */
#include "carom/io.h"
#include "family.h"

CHECK_ARENA(arena);

static void test_smooth_floor(void **state)
{
    (void)state;
    family f = family_start("discs on a smooth floor", 17, 300);
    while (family_next(&f)) {
        check_random *x = &f.random;
        const double R = 0.3, d = check_random_in(x, 0.05, 1), u = check_random_in(x, 1, 4);
        const double e = check_random_in(x, 0.1, 0.7), h = check_random_in(x, 0.05, 0.5);
        char text[800];
        snprintf(text, sizeof text,
                 "carom: 1\nsystem:\n  coordinates: [x, y, th]\n"
                 "  kinetic: \"(x'^2 + y'^2)/2 + 0.0225*th'^2\"\n  potential: 9.81*y\n"
                 "  contacts:\n"
                 "    floor: {gap: y - 0.3, slip: \"x' + 0.3*th'\", restitution: %.17g}\n"
                 "    wall: {gap: x - 0.3, slip: \"y' - 0.3*th'\", friction: %.17g, "
                 "restitution: %.17g}\n"
                 "initial: {x: %.17g, y: %.17g, x': -%.17g, th': %.17g}\nlaw: coulomb\n"
                 "run: {until: 4}\n",
                 e, check_random_in(x, 0.01, 0.5), e, R + d, R + h, u, check_random_in(x, -3, 3));
        carom_scene *scene;
        carom_error error = {0};
        carom_flow_result r;
        check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
        const carom_scene_content *c = carom_scene_get(scene);
        const carom_status status =
            carom_flow_run(c->system, c->law, &c->initial, c->run, NULL, arena, &r, &error);
        const double end = R + e * u * (4 - d / u);
        family_check(&f, status == CAROM_OK && fabs(r.q[0] - end) <= 1e-9 * end,
                     "status %d, x = %.12g, not %.12g: %s", (int)status, r.q[0], end, r.message);
        carom_scene_destroy(scene);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth_floor)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
