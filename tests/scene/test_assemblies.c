/* Linkages that start far from where they are drawn: of the assemblies that close the loop it is
 * the one that the linkage can be moved to. */
#include "family.h"
#include "scene_check.h"

#include <math.h>

/* Ground, crank, coupler, rocker: the hinges A and D of the ground, B of the crank, C of the
 * rocker.
 */
typedef struct linkage {
    double ax, ay, bx, by, cx, cy, dx, dy;
} linkage;

static void write_scene(const linkage *l, const char *kind, double angle, char *text, size_t room)
{
    snprintf(text, room,
             "carom: 1\nworld: {space: 2}\nbodies:\n"
             "  crank: {mass: 1, inertia: 1}\n"
             "  coupler: {mass: 1, inertia: 1}\n"
             "  rocker: {mass: 1, inertia: 1}\n"
             "joints:\n"
             "  a: {revolute: [world, crank], at: [%.17g, %.17g]%s}\n"
             "  b: {revolute: [crank, coupler], at: [%.17g, %.17g]}\n"
             "  c: {revolute: [coupler, rocker], at: [%.17g, %.17g]}\n"
             "  d: {revolute: [rocker, world], at: [%.17g, %.17g]}\n"
             "run: {until: 1}\n",
             l->ax, l->ay, kind, l->bx, l->by, l->cx, l->cy, l->dx, l->dy);
    if (*kind == 0)
        snprintf(text + strlen(text), room - strlen(text), "initial: {a: %.17g}\n", angle);
}

/* Which side of the line from the crank to D the coupler is bent to, with joints at these angles.
 */
static double bend(const linkage *l, const double *q)
{
    const double c = cos(q[0]), s = sin(q[0]), x = l->bx - l->ax, y = l->by - l->ay,
                 bx = l->ax + c * x - s * y, by = l->ay + s * x + c * y, turn = q[0] + q[1],
                 ux = l->cx - l->bx, uy = l->cy - l->by, cx = bx + cos(turn) * ux - sin(turn) * uy,
                 cy = by + sin(turn) * ux + cos(turn) * uy;
    return (cx - bx) * (l->dy - cy) - (cy - by) * (l->dx - cx);
}

/* Cranks that are short enough to go round: coupler and rocker never stretch out, so that the side
 * they are bent to stays, and no joint turns more than the crank and half a turn. */
static void test_cranks(void **state)
{
    (void)state;
    family f = family_start("cranks that start anywhere", 4, 400);
    while (family_next(&f)) {
        check_random *r = &f.random;
        const double at = check_random_in(r, -3, 3), first = check_random_in(r, -3, 3),
                     up = check_random_int(r, 2) ? 1 : -1;
        const linkage l = {0,
                           0,
                           0.25 * cos(at),
                           0.25 * sin(at),
                           check_random_in(r, 0.7, 0.9),
                           up * check_random_in(r, 0.5, 0.8),
                           check_random_in(r, 0.9, 1.1),
                           up * check_random_in(r, -0.1, 0.1)};
        const double coupler = hypot(l.cx - l.bx, l.cy - l.by),
                     rocker = hypot(l.cx - l.dx, l.cy - l.dy), ground = hypot(l.dx, l.dy);
        if (0.3 + fmax(coupler, fmax(rocker, ground)) >
            coupler + rocker + ground - fmax(coupler, fmax(rocker, ground)))
            continue;
        char text[1024], kind[64] = "";
        if (f.member % 2)
            snprintf(kind, sizeof kind, ", initial: %.17g", first);
        write_scene(&l, kind, first, text, sizeof text);
        carom_scene *scene = check_scene(text);
        const double *q = carom_scene_get(scene)->initial.q, reference[3] = {0, 0, 0};
        family_check(&f, bend(&l, q) * bend(&l, reference) > 0, "another assembly in\n%s", text);
        family_check(&f, fabs(q[1]) < 7 && fabs(q[2]) < 7, "turned by %g and %g in\n%s", q[1], q[2],
                     text);
        carom_scene_destroy(scene);
    }
    family_end(&f);
}

/* A parallelogram stays one, also past the places where all bars lie in a line. */
static void test_parallelogram(void **state)
{
    (void)state;
    const linkage l = {0, 0, 0, 0.3, 0.8, 0.3, 0.8, 0};
    for (int k = -12; k <= 12; k++) {
        const double angle = 0.25 * k;
        char text[1024], kind[64];
        snprintf(kind, sizeof kind, ", initial: %.17g", angle);
        write_scene(&l, kind, angle, text, sizeof text);
        carom_scene *scene = check_scene(text);
        const double *q = carom_scene_get(scene)->initial.q;
        check_close(q[0], angle, 0);
        check_close(q[1], -angle, 1e-10);
        check_close(q[2], angle, 1e-10);
        carom_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cranks),
        cmocka_unit_test(test_parallelogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
