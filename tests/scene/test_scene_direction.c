/* How the numbers of a scene follow a parameter or an initial value: against differences of scenes
 * read with that number changed, on all bundled scenes and on formulas of formulas. */
#include "scene_check.h"

#include <dirent.h>

static carom_scene *read_changed(const char *text, const char *name, double value, bool derivatives)
{
    char set[200];
    const char *sets = set;
    carom_scene *scene = NULL;
    carom_error error = {0};
    snprintf(set, sizeof set, "%s=%.17g", name, value);
    carom_scene_options options = {.sets = &sets, .set_count = 1, .derivatives = derivatives};
    if (carom_scene_read_text(text, strlen(text), &options, &scene, &error)) {
        if (derivatives)
            print_error("%s: %d:%d: %s\n", set, error.line, error.column, error.text);
        return NULL;
    }
    return scene;
}

static void compare(const char *what, double rate, double high, double low, double step)
{
    if (high == low && rate == 0) /* infinite friction too */
        return;
    double difference = (high - low) / (2 * step);
    double size = 1 + fabs(difference) + fabs(high);
    if (!(fabs(rate - difference) <= 1e-6 * size))
        print_error("%s: %.12g, difference %.12g\n", what, rate, difference);
    check_close(rate, difference, 1e-6 * size);
}

/* One name of one scene; returns whether it could be compared. */
static bool check_direction(const char *text, const char *name, double value)
{
    const double step = 1e-6 * (1 + fabs(value));
    carom_scene *at = read_changed(text, name, value, true);
    carom_scene *high = read_changed(text, name, value + step, false);
    carom_scene *low = read_changed(text, name, value - step, false);
    carom_arena *arena;
    carom_scene_direction d;
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    bool possible = at && high && low;
    if (possible) {
        const carom_scene_content *c[] = {carom_scene_get(high), carom_scene_get(low)};
        const carom_system_shape *z[] = {carom_system_get_shape(c[0]->system),
                                         carom_system_get_shape(c[1]->system)};
        carom_status status = carom_scene_direction_create(at, name, arena, &d, &error);
        possible = status == CAROM_OK && z[0]->nq == z[1]->nq && z[0]->p == z[1]->p;
        if (status != CAROM_OK)
            assert_int_equal(status, CAROM_ERROR_UNSUPPORTED);
        for (int i = 0; possible && i < z[0]->nq; i++)
            compare(z[0]->coordinates[i], d.q[i], c[0]->initial.q[i], c[1]->initial.q[i], step);
        for (int i = 0; possible && i < z[0]->n; i++)
            compare(z[0]->velocities[i], d.u[i], c[0]->initial.u[i], c[1]->initial.u[i], step);
        for (int k = 0; possible && k < c[0]->parameter_count; k++)
            compare(c[0]->parameters[k].name, d.parameters[k], c[0]->parameters[k].value,
                    c[1]->parameters[k].value, step);
        for (int i = 0; possible && i < z[0]->p; i++) {
            const carom_contact *a = &z[0]->contacts[i], *b = &z[1]->contacts[i];
            compare(a->name, d.contacts[i].restitution, a->restitution, b->restitution, step);
            compare(a->name, d.contacts[i].friction_static, a->friction_static, b->friction_static,
                    step);
            compare(a->name, d.contacts[i].friction_dynamic, a->friction_dynamic,
                    b->friction_dynamic, step);
            compare(a->name, d.contacts[i].tangential_restitution, a->tangential_restitution,
                    b->tangential_restitution, step);
            compare(a->name, d.contacts[i].stiffness, a->stiffness, b->stiffness, step);
            compare(a->name, d.contacts[i].exponent, a->exponent, b->exponent, step);
        }
        if (possible) {
            compare("t", d.t, c[0]->initial.t, c[1]->initial.t, step);
            compare("period", d.period, c[0]->period, c[1]->period, step);
            if (c[0]->run)
                compare("until", d.until, c[0]->run->until, c[1]->run->until, step);
        }
    }
    carom_scene_destroy(at);
    carom_scene_destroy(high);
    carom_scene_destroy(low);
    carom_arena_destroy(arena);
    return possible;
}

static const char formulas[] =
    "carom: 1\n"
    "parameters: {m: 1.5, L: 2*m, J: m*L^2/12, e: 0.3, mu: 0.2 + e/10, w: 3, z: 0}\n"
    "define: {tip: L*sin(a), lift: tip + z*a, half: J/2}\n"
    "system:\n"
    "  coordinates: [a, y]\n"
    "  kinetic: J/2*a'^2 + m/2*y'^2\n"
    "  contacts:\n"
    "    one: {gap: y, slip: a', restitution: e^2, friction: mu + e, stiffness: half, exponent: 1 "
    "+ m}\n"
    "    two: {gap: y + 1, slip: a', friction_static: 2*mu, friction_dynamic: mu*e, "
    "tangential_restitution: e}\n"
    "initial: {t: 1/w, a: t*e + 0.1, y: lift + J, y': a^2*tip, a': y'/m}\n"
    "period: 2*pi/w\n"
    "run: {until: 3 + w}\n";

static void test_formulas(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double value;
    } names[] = {{"m", 1.5},         {"L", 2.5},          {"J", 0.7},
                 {"e", 0.3},         {"mu", 0.25},        {"w", 3},
                 {"z", 0},           {"initial.a", 0.4},  {"initial.y", 1},
                 {"initial.y'", -2}, {"initial.a'", 0.3}, {"initial.t", 0.2}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        assert_true(check_direction(formulas, names[k].name, names[k].value));
}

/* All parameters and initial values of all bundled scenes. */
static void test_scenes(void **unused)
{
    (void)unused;
    static char text[100000], path[600], name[200];
    DIR *folder = opendir(CAROM_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    int compared = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, CAROM_SOURCE_DIR "/scenes/%s", entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        carom_scene *scene = check_scene(text);
        const carom_scene_content *c = carom_scene_get(scene);
        for (int k = 0; c->system && k < c->parameter_count; k++)
            compared += check_direction(text, c->parameters[k].name, c->parameters[k].value);
        const carom_system_shape *z = c->system ? carom_system_get_shape(c->system) : NULL;
        for (int i = 0; z && z->kinematics_is_identity && i < z->nq && i < 4; i++) {
            snprintf(name, sizeof name, "initial.%s", z->coordinates[i]);
            compared += check_direction(text, name, c->initial.q[i]);
        }
        carom_scene_destroy(scene);
    }
    closedir(folder);
    print_message("%d directions compared\n", compared);
    assert_true(compared > 100);
}

static void test_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"zz", "no parameter"},
        {"initial.zz", "no coordinate"},
        {"initial.a''", "no coordinate"},
        {"a", "initial values are written initial.x"},
    };
    carom_arena *arena;
    carom_scene_direction d;
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    carom_scene *with = read_changed(formulas, "z", 0, true), *without = check_scene(formulas);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(carom_scene_direction_create(with, cases[k].name, arena, &d, &error),
                         CAROM_ERROR_INPUT);
        assert_non_null(strstr(error.text, cases[k].message));
    }
    assert_int_equal(carom_scene_direction_create(without, "m", arena, &d, &error),
                     CAROM_ERROR_ARGUMENT);
    carom_scene_destroy(with);
    carom_scene_destroy(without);
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
