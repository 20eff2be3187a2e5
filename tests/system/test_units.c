/* What formulas prove about units: cases where the answer is known by hand, and what they must not
 * claim. */
#include "carom/scene.h"
#include "check.h"

#include <string.h>

typedef struct units_case {
    const char *text; /* after `system:` */
    const char *coordinates, *gaps;
} units_case;

/* "1 1 0": as many numbers. */
static void expect_units(const char *what, const char *expected, int count, const int *units)
{
    char found[200] = "";
    for (int i = 0; i < count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d", i ? " " : "",
                 units[i]);
    if (strcmp(found, expected) != 0)
        print_error("%s: %s instead of %s\n", what, found, expected);
    assert_string_equal(found, expected);
}

static void test_cases(void **state)
{
    (void)state;
    static const units_case cases[] = {
        /* a cart with a pendulum: the angle stands in sin, the cart beside a length */
        {"{coordinates: [s, a], kinetic: m/2*(d(s + l*sin(a))^2 + d(l*cos(a))^2), potential: "
         "-m*g*l*cos(a), contacts: {stop: {gap: s + l}, low: {gap: a + 1}}}",
         "-1 0", "-1 0"},
        /* a disc: gap and slip tie x and y to R; an angle by the slip R th' */
        {"{coordinates: [x, y, p], kinetic: m/2*(x'^2 + y'^2) + J/2*p'^2, potential: m*g*y, "
         "contacts: {floor: {gap: y - R, slip: \"x' + R*p'\", friction: 0.3}}}",
         "1 1 0", "-1"},
        /* masses written as numbers tell nothing: 0.5 may be kg and 0.02 kg m^2 */
        {"{coordinates: [x, p], kinetic: 0.5*x'^2 + 0.02*p'^2, contacts: {a: {gap: x - 1}}}",
         "-1 -1", "-1"},
        /* one factor before both: alike */
        {"{coordinates: [x, y], kinetic: 0.5*(x'^2 + y'^2), contacts: {a: {gap: x}, b: {gap: y}}}",
         "1 1", "1 1"},
        /* two oscillators on springs of their own; only the spring between them ties them */
        {"{coordinates: [x, y], kinetic: m/2*x'^2 + M/2*y'^2, potential: k*x^2/2 + R*y^2/2, "
         "contacts: {a: {gap: x}}}",
         "-1 -1", "-1"},
        {"{coordinates: [x, y], kinetic: m/2*x'^2 + M/2*y'^2, potential: k*(x - y)^2/2, contacts: "
         "{a: {gap: x}}}",
         "1 1", "-1"},
        /* two angles of the same kind without any function of them: alike, if not proved angles */
        {"{coordinates: [y, a, b], kinetic: m/2*y'^2 + J/2*(a'^2 + b'^2), potential: k/2*(a - "
         "b)^2, "
         "contacts: {c: {gap: y + R*a}, d: {gap: l*b - R*a}}}",
         "-1 1 1", "1 1"},
        /* a radius of 1 that is not written: th is a turn by its sine, or nothing is said of it */
        {"{coordinates: [x, y, p], kinetic: m/2*(x'^2 + y'^2) + J/2*p'^2, potential: m*g*y, "
         "contacts: {floor: {gap: y - 1, slip: \"x' + p'\", friction: 0.3}}}",
         "1 1 -1", "-1"},
        {"{coordinates: [x, y, p], kinetic: m/2*(x'^2 + y'^2) + J/2*p'^2, potential: m*g*y, "
         "contacts: {a: {gap: y - cos(p) - 1, slip: \"x' + p'\", friction: 0.3}, b: {gap: y}}}",
         "1 1 0", "1 1"},
        /* areas and roots */
        {"{coordinates: [r, A], kinetic: m/2*r'^2 + M/2*A'^2, contacts: {c: {gap: A - r^2}, d: "
         "{gap: sqrt(A) - R}}}",
         "-1 -1", "-1 -1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        carom_scene *scene;
        carom_error error = {0};
        const carom_scene_options options = {.units = true};
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {m: 1, M: 1, J: 1, l: 1, R: 1, k: 1, g: 1}\nsystem: %s\n"
                 "initial: {}\nrun: {until: 1}\n",
                 cases[k].text);
        check_ok(carom_scene_read_text(text, strlen(text), &options, &scene, &error), &error);
        const carom_scene_content *c = carom_scene_get(scene);
        const carom_system_shape *shape = carom_system_get_shape(c->system);
        expect_units(cases[k].text, cases[k].coordinates, shape->nq, c->units.coordinates);
        expect_units(cases[k].text, cases[k].gaps, shape->p, c->units.gaps);
        carom_scene_destroy(scene);
    }
}

/* Bodies have fixed names; a joint's coordinate is a turn or a length, which is not told. */
static void test_bodies(void **state)
{
    (void)state;
    static const char text[] =
        "carom: 1\nworld: {space: 3}\nbodies: {b: {shape: {sphere: 1}}, c: {shape: {sphere: 1}}}\n"
        "joints: {slide: {prismatic: [world, c], axis: [1, 0, 0]}}\n"
        "run: {until: 1, method: time-stepping, step: 0.1}\n";
    carom_scene *scene;
    carom_error error = {0};
    const carom_scene_options options = {.units = true};
    check_ok(carom_scene_read_text(text, sizeof text - 1, &options, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    expect_units("coordinates", "1 1 1 2 2 2 2 -1", 8, c->units.coordinates);
    expect_units("velocities", "1 1 1 0 0 0 -1", 7, c->units.velocities);
    carom_scene_destroy(scene);
}

/* What is drawn as an angle is one, though a slip with a radius of 1 in it says nothing. */
static void test_drawn(void **state)
{
    (void)state;
    static const char text[] =
        "carom: 1\nsystem: {coordinates: [x, y, p], kinetic: (x'^2 + y'^2 + p'^2)/2,\n"
        "  contacts: {floor: {gap: y - 1, slip: x' + p', friction: 0.3}}}\n"
        "initial: {}\nrun: {until: 1}\ndraw: [{circle: [x, y], radius: 1, angle: p}]\n";
    carom_scene *scene;
    carom_error error = {0};
    const carom_scene_options options = {.units = true};
    check_ok(carom_scene_read_text(text, sizeof text - 1, &options, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    expect_units("coordinates", "1 1 0", 3, c->units.coordinates);
    expect_units("velocities", "1 1 0", 3, c->units.velocities);
    carom_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_bodies),
                                       cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
