/* Slips whose row vanishes on the way: s = S f(x) x' with |f| = |sin|, of a bead on a straight
 * floor and of a double pendulum whose end is held on a line, a = -b = x. Friction has no hold
 * where f is zero, and x goes on with x'^2/2 + mu G S I(x) as it was, I the integral of |f|, until
 * it is at rest. Starts, and events of one's own, lie on the zero and next to it, too. */
#include "carom/io.h"
#include "family.h"

#include <math.h>
#include <stdio.h>

/* The integral of |sin| from 0. */
static double integral(double x)
{
    const double turns = floor(x / CAROM_PI), rest = x - CAROM_PI * turns;
    return 2 * turns + 1 - cos(rest);
}

/* Zero, or next to it. */
static double draw_near(check_random *r)
{
    const double size = pow(10, -check_random_in(r, 5, 17));
    const int kind = (int)check_random_in(r, 0, 2.999);
    return kind == 0 ? 0 : kind == 1 ? size : -size;
}

static void write_scene(char *text, size_t room, bool pendulum, const double *p)
{
    snprintf(text, room,
             pendulum
                 ? "carom: 1\nparameters: {mu: %.17g, G: %.17g, S: %.17g, x0: %.17g, v: %.17g, "
                   "k: %.17g}\nsystem:\n  coordinates: [a, b]\n  kinetic: (a'^2 + b'^2)/2\n"
                   "  potential: -G*(sin(a) + sin(b))\n  contacts:\n    w: {gap: -sin(a) - "
                   "sin(b), slip: \"-S/2*(sin(a)*a' + sin(b)*b')\", friction: 2*mu}\n"
                   "  events: {k: {at: a - k, direction: up}}\n"
                   "initial: {a: x0, b: -x0, a': v, b': -v}\nrun: {until: %.17g}\n"
                 : "carom: 1\nparameters: {mu: %.17g, G: %.17g, S: %.17g, x0: %.17g, v: %.17g, "
                   "k: %.17g}\nsystem:\n  coordinates: [x, y]\n  kinetic: (x'^2 + y'^2)/2\n"
                   "  potential: G*y\n  contacts: {w: {gap: y, slip: S*sin(x)*x', "
                   "friction: mu}}\n  events: {k: {at: x - k, direction: up}}\n"
                   "initial: {x: x0, x': v}\nrun: {until: %.17g}\n",
             p[0], p[1], p[2], p[3], p[4], p[5], pendulum ? 1.3 / p[4] : 1.5);
}

static void test_passes(void **unused)
{
    (void)unused;
    family f = family_start("slips whose row vanishes", 41, 400);
    while (family_next(&f)) {
        check_random *r = &f.random;
        char text[700];
        const bool pendulum = check_random_in(r, 0, 1) < 0.5;
        const double start =
            check_random_in(r, 0, 1) < 0.3 ? draw_near(r) : -check_random_in(r, 0, 1);
        const double p[] = {check_random_in(r, 0.05, 0.7), check_random_in(r, 0.5, 8),
                            check_random_in(r, 0.2, 2),    start,
                            check_random_in(r, 0.5, 4),    draw_near(r)};
        write_scene(text, sizeof text, pendulum, p);
        carom_error error = {0};
        carom_scene *scene = NULL;
        carom_arena *arena = NULL;
        carom_flow_result result;
        const carom_scene_options options = {0};
        check_ok(carom_scene_read_text(text, strlen(text), &options, &scene, &error), &error);
        check_ok(carom_arena_create(NULL, &arena, &error), &error);
        const carom_scene_content *c = carom_scene_get(scene);
        const carom_status status =
            carom_flow_run(c->system, c->law, &c->initial, c->run, NULL, arena, &result, &error);
        family_check(&f, status == CAROM_OK, "start %g: %s", start, result.message);
        if (status == CAROM_OK) {
            const double hold = p[0] * p[1] * p[2], before = p[4] * p[4] / 2;
            const double x = result.q[0], v = result.u[0];
            const double off = v * v / 2 + hold * (integral(x) - integral(start)) - before;
            family_check(&f, fabs(off) <= 1e-9 * before, "start %g, x = %g, x' = %g: off by %g",
                         start, x, v, off / before);
            family_check(&f, fabs(result.ledger.projection) <= 1e-12 * before, "projection %g",
                         result.ledger.projection);
        }
        carom_scene_destroy(scene);
        carom_arena_destroy(arena);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
