/* Motion in unions of sets (`region`) and in cones (`spread`). */
#include "carom/io.h"
#include "family.h"

#include <math.h>

typedef struct run {
    carom_scene *scene;
    const carom_scene_content *content;
    carom_arena *arena;
    carom_flow_result result;
    carom_status status;
    carom_error error;
} run;

static run start_run(const char *text, const char *const *sets, int set_count)
{
    run r = {0};
    const carom_scene_options options = {.sets = sets, .set_count = set_count};
    carom_status status = carom_scene_read_text(text, strlen(text), &options, &r.scene, &r.error);
    if (status != CAROM_OK)
        print_error("%s\n%d:%d: %s\n", text, r.error.line, r.error.column, r.error.text);
    check_ok(status, &r.error);
    r.content = carom_scene_get(r.scene);
    check_ok(carom_arena_create(NULL, &r.arena, &r.error), &r.error);
    r.status = carom_flow_run(r.content->system, r.content->law, &r.content->initial,
                              r.content->run, NULL, r.arena, &r.result, &r.error);
    return r;
}

static void end_run(run *r)
{
    carom_scene_destroy(r->scene);
    carom_arena_destroy(r->arena);
}

#define PARTICLE(contacts, region, initial)                                                        \
    "carom: 1\nparameters: {e: 0.5, vx: 0, x0: 0.3, vy: 0, F: 0, T: 3}\nsystem:\n"                 \
    "  coordinates: [x, y, z]\n  kinetic: (x'^2 + y'^2 + z'^2)/2\n  potential: 9.81*z\n"           \
    "  forces: {x: F*t}\n  contacts:\n" contacts region "initial: " initial                        \
    "\nlaw: {name: moreau, restitution: e}\nrun: {until: T}\n"

#define STEP                                                                                       \
    PARTICLE("    top: {gap: z, restitution: e}\n    side: {gap: x, restitution: e}\n",            \
             "  region: any\n", "{x: -1, z: 0.5, x': 1}")

/* Over a step: it bounces on the top, comes to rest, slides to the edge at t = 1 and falls. */
static void test_step(void **unused)
{
    (void)unused;
    run r = start_run(STEP, NULL, 0);
    assert_int_equal(r.status, CAROM_OK);
    check_close(r.result.impacts[0].t, sqrt(1 / 9.81), 1e-10);
    check_close(r.result.accumulations[0].t_limit, 3 * sqrt(1 / 9.81), 1e-6);
    check_close(r.result.q[0], 2, 1e-10);
    check_close(r.result.q[2], -0.5 * 9.81 * 4, 1e-8);
    check_close(r.result.ledger.balance_error, 0, 1e-10);
    check_close(r.result.max_penetration, 0, 1e-9);
    end_run(&r);
    /* and back: below the top it meets the side, and above it goes over */
    static const char *const low[] = {"initial.x=1", "initial.z=-2", "initial.x'=-1", "T=1.5"},
                             *const high[] = {"initial.x=1", "initial.z=20", "initial.x'=-1",
                                              "T=1.5"};
    r = start_run(STEP, low, 4);
    assert_int_equal(r.result.impact_count, 1);
    check_close(r.result.impacts[0].t, 1, 1e-10);
    check_close(r.result.u[0], 0.5, 1e-10);
    end_run(&r);
    r = start_run(STEP, high, 4);
    assert_int_equal(r.result.impact_count, 0);
    check_close(r.result.q[0], -0.5, 1e-10);
    end_run(&r);
}

#define RIDGE                                                                                      \
    PARTICLE("    left: {gap: z + x, restitution: e}\n    right: {gap: z - x, restitution: e}\n",  \
             "  region: any\n", "{z: 1, x': vx}")

/* Onto the tip of a ridge: both faces are as near; one is taken and the other told. */
static void test_tip(void **unused)
{
    (void)unused;
    const char *inelastic = "e=0";
    run r = start_run(RIDGE, &inelastic, 1);
    assert_int_equal(r.status, CAROM_OK);
    assert_int_equal(r.result.impact_count, 1);
    const double fall = sqrt(2 / 9.81), v = sqrt(2 * 9.81) / 2, left = 3 - fall;
    const double along = v * left + 0.25 * 9.81 * left * left;
    check_close(fabs(r.result.q[0]), along, 1e-8);
    check_close(r.result.q[2], -along, 1e-8);
    assert_true(r.result.warning_count > 0);
    assert_non_null(strstr(r.result.warnings[0], "several outcomes"));
    assert_non_null(strstr(r.result.warnings[0], "another is"));
    end_run(&r);
    static const char *const beside[] = {"e=0", "vx=0.3"};
    r = start_run(RIDGE, beside, 2); /* a little to the right: no choice */
    assert_int_equal(r.result.warning_count, 0);
    assert_true(r.result.q[0] > 0);
    end_run(&r);
}

/* Groups of several contacts: a box with a floor, open where it has a gate. */
static void test_groups(void **unused)
{
    (void)unused;
    static const char text[] =
        PARTICLE("    floor: {gap: z, restitution: 1}\n    wall: {gap: 1 - x, restitution: 1}\n"
                 "    gate: {gap: z - 2, restitution: 1}\n",
                 "  region: [[floor, wall], [gate]]\n", "{z: 1, x': vx}");
    static const char *const low[] = {"vx=2", "e=1"};
    run r = start_run(text, low, 2);
    assert_int_equal(r.status, CAROM_OK);
    assert_true(r.result.q[0] < 1 && r.result.q[2] >= 0);
    check_close(r.result.ledger.final, r.result.ledger.initial, 1e-8);
    assert_int_equal(r.result.impact_count, 4); /* three times the floor, the wall */
    end_run(&r);
    static const char *const over[] = {"vx=2", "e=1", "initial.z=4", "T=0.6"};
    r = start_run(text, over, 4);
    assert_int_equal(r.result.impact_count, 0); /* above the gate the wall is not there */
    check_close(r.result.q[0], 1.2, 1e-10);
    end_run(&r);
    static const char *const outside[] = {"initial.x=2", "initial.z=1"};
    r = start_run(text, outside, 2);
    assert_int_equal(r.status, CAROM_ERROR_INPUT);
    assert_non_null(strstr(r.error.text, "starts outside its region"));
    end_run(&r);
}

#define FUNNEL                                                                                     \
    PARTICLE("    funnel: {gap: z, spread: [x, y], restitution: e}\n", "", "{x: x0, z: 1, y': vy}")

/* On the axis a funnel is a floor; the accumulation has its closed form, and the apex holds. */
static void test_axis(void **unused)
{
    (void)unused;
    const char *axis = "x0=0";
    run r = start_run(FUNNEL, &axis, 1);
    assert_int_equal(r.status, CAROM_OK);
    check_close(r.result.accumulations[0].t_limit, 3 * sqrt(2 / 9.81), 1e-6);
    for (int k = 0; k < 3; k++) {
        check_close(r.result.q[k], 0, 1e-12);
        check_close(r.result.u[k], 0, 1e-12);
    }
    check_close(r.result.ledger.balance_error, 0, 1e-8);
    end_run(&r);
}

/* Off the axis: from flank to flank, elastic ones keep the energy, others end in the apex. */
static void test_flanks(void **unused)
{
    (void)unused;
    static const char *const elastic[] = {"e=1", "vy=0.4"}, *const dead[] = {"e=0"},
                             *const half[] = {"e=0.5"};
    run r = start_run(FUNNEL, elastic, 2);
    assert_int_equal(r.status, CAROM_OK);
    assert_true(r.result.impact_count >= 3);
    check_close(r.result.ledger.final, r.result.ledger.initial, 1e-9);
    check_close(r.result.q[0] * r.result.u[1] - r.result.q[1] * r.result.u[0], 0.3 * 0.4, 1e-9);
    end_run(&r);
    /* down the flank without rebound: sqrt(2) 0.3 along at g/sqrt(2) from v = sqrt(2 g
     * 0.7)/sqrt(2), then one impact in the apex */
    r = start_run(FUNNEL, dead, 1);
    assert_int_equal(r.status, CAROM_OK);
    assert_int_equal(r.result.impact_count, 2);
    const double g = 9.81, v = sqrt(g * 0.7), a = g / sqrt(2), s = 0.3 * sqrt(2);
    check_close(r.result.impacts[1].t, sqrt(1.4 / g) + (sqrt(v * v + 2 * a * s) - v) / a, 1e-8);
    check_close(r.result.ledger.final, 0, 1e-12);
    end_run(&r);
    r = start_run(FUNNEL, half, 1);
    assert_int_equal(r.status, CAROM_OK);
    check_close(r.result.ledger.final, 0, 1e-9);
    check_close(r.result.ledger.balance_error, 0, 1e-6);
    end_run(&r);
}

/* Held in the apex until the force leaves the dual cone: F t > g. */
static void test_apex_force(void **unused)
{
    (void)unused;
    static const char *const before[] = {"x0=0", "e=0", "F=4", "T=2.45"}, *const after[] = {
                                                                              "x0=0", "e=0", "F=4",
                                                                              "T=2.6"};
    run r = start_run(FUNNEL, before, 4);
    assert_int_equal(r.status, CAROM_OK);
    check_close(r.result.q[0], 0, 1e-9);
    end_run(&r);
    r = start_run(FUNNEL, after, 4);
    assert_int_equal(r.status, CAROM_OK);
    /* along the flank: (F t - g)/2 for both components */
    const double t = 2.6 - 9.81 / 4;
    check_close(r.result.q[0], 4 * t * t * t / 12, 1e-7);
    check_close(r.result.q[2], r.result.q[0], 1e-9);
    end_run(&r);
}

/* Single impacts of such systems are those of the impacts in numbers. */
static void test_impacts(void **unused)
{
    (void)unused;
    static const struct {
        const char *system, *impact;
    } cases[] = {
        {"carom: 1\nsystem:\n  coordinates: [x, y]\n  kinetic: (x'^2 + y'^2)/2\n  contacts:\n"
         "    floor: {gap: y}\n    wall: {gap: x*sin(1.7) + y*cos(1.7)}\n    far: {gap: y + 9}\n"
         "  region: [[floor], [wall]]\ninitial: {x': -0.6, y': -1}\n",
         "carom: 1\nimpact: {mass: [1, 1], velocity: [-0.6, -1], region: any, contacts: "
         "[{normal: [0, 1]}, {normal: [sin(1.7), cos(1.7)]}]}\n"},
        {"carom: 1\nsystem:\n  coordinates: [x, y, z]\n  kinetic: x'^2 + y'^2 + z'^2\n  contacts:\n"
         "    funnel: {gap: z, spread: [x, y/2]}\ninitial: {x': 1, y': 0.2, z': -0.5}\n",
         "carom: 1\nimpact: {mass: [2, 2, 2], velocity: [1, 0.2, -0.5], contacts: "
         "[{normal: [0, 0, 1], spread: [[1, 0, 0], [0, 0.5, 0]]}]}\n"},
        {"carom: 1\nsystem:\n  coordinates: [x, y, z]\n  kinetic: x'^2 + y'^2 + z'^2\n  contacts:\n"
         "    funnel: {gap: z, spread: [[1, 0, 0], [0, 1/2, 0]]}\n"
         "initial: {x': 1, y': 0.2, z': -0.5}\n",
         "carom: 1\nimpact: {mass: [2, 2, 2], velocity: [1, 0.2, -0.5], contacts: "
         "[{normal: [0, 0, 1], spread: [[1, 0, 0], [0, 0.5, 0]]}]}\n"},
        {"carom: 1\nsystem:\n  coordinates: [x, y, z]\n  kinetic: x'^2 + y'^2 + z'^2\n  contacts:\n"
         "    funnel: {gap: z, spread: [x', y'/2]}\ninitial: {x': 1, y': 0.2, z': -0.5}\n",
         "carom: 1\nimpact: {mass: [2, 2, 2], velocity: [1, 0.2, -0.5], contacts: "
         "[{normal: [0, 0, 1], spread: [[1, 0, 0], [0, 0.5, 0]]}]}\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        carom_scene *scenes[2];
        carom_arena *arena;
        carom_state state;
        carom_impact made;
        carom_error error = {0};
        int closed[8];
        double u[2][3] = {{0}};
        check_ok(carom_arena_create(NULL, &arena, &error), &error);
        check_ok(carom_scene_read_text(cases[k].system, strlen(cases[k].system), NULL, &scenes[0],
                                       &error),
                 &error);
        check_ok(carom_scene_read_text(cases[k].impact, strlen(cases[k].impact), NULL, &scenes[1],
                                       &error),
                 &error);
        const carom_scene_content *c = carom_scene_get(scenes[0]);
        check_ok(carom_state_create(c->system, arena, &state, &error), &error);
        const int n = carom_system_get_shape(c->system)->n;
        memcpy(state.u, c->initial.u, (size_t)n * sizeof(double));
        check_ok(carom_system_evaluate(c->system, CAROM_WANT_ALL, &state, &error), &error);
        check_ok(carom_impact_from_system(c->system, &state, 1e-9, arena, &made, closed, &error),
                 &error);
        const carom_impact *impacts[] = {&made, carom_scene_get(scenes[1])->impact};
        for (int j = 0; j < 2; j++) {
            const carom_value e = {.name = "restitution", .number = 0.5};
            const carom_law moreau = {carom_law_find("moreau"), &e, 1};
            carom_geometry geometry;
            carom_outcome outcome;
            check_ok(carom_impact_derive(impacts[j], arena, &geometry, &error), &error);
            check_ok(carom_law_apply(&moreau, &geometry, arena, &outcome, &error), &error);
            memcpy(u[j], outcome.u, (size_t)n * sizeof(double));
        }
        for (int i = 0; i < n; i++)
            check_close(u[0][i], u[1][i], 1e-14);
        carom_scene_destroy(scenes[0]);
        carom_scene_destroy(scenes[1]);
        carom_arena_destroy(arena);
    }
}

static void test_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } cases[] = {{STEP, "a region"}, {FUNNEL, "contacts with `spread`"}};
    for (int k = 0; k < 2; k++) {
        run r = start_run(cases[k].text, NULL, 0);
        carom_flow_options options = *r.content->run;
        options.method = CAROM_FLOW_TIME_STEPPING;
        options.step = 0.01;
        assert_int_equal(carom_flow_run(r.content->system, NULL, &r.content->initial, &options,
                                        NULL, r.arena, &r.result, &r.error),
                         CAROM_ERROR_INPUT);
        assert_non_null(strstr(r.error.text, cases[k].message));
        end_run(&r);
    }
}

/* A rough floor that is in all groups is one wall: a particle that strikes it has the impact of a
 * single contact, whatever corner the room has elsewhere. */
static void test_common_floor(void **unused)
{
    (void)unused;
    family f = family_start("a floor that all groups share", 7, 200);
    while (family_next(&f)) {
        check_random *x = &f.random;
        const double e = check_random_in(x, 0, 0.9), mu = check_random_in(x, 0, 1);
        const double speed = check_random_in(x, 0.5, 5), slip = check_random_in(x, -5, 5);
        static const char *const regions[] = {"[[floor, left], [floor, right]]",
                                              "[[floor, left, right], [floor, right]]",
                                              "[[floor], [floor, left, right]]"};
        char text[700];
        snprintf(text, sizeof text,
                 "carom: 1\nsystem: {coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, contacts: "
                 "{floor: {gap: y, slip: x', restitution: %.17g, friction: %.17g}, "
                 "left: {gap: x + 30}, right: {gap: 30 - x}}, region: %s}\n"
                 "initial: {y: 1, x': %.17g, y': -%.17g}\nlaw: coulomb\nrun: {until: %.17g}\n",
                 e, mu, regions[check_random_int(x, 3)], slip, speed, 1.5 / speed);
        run r = start_run(text, NULL, 0);
        const double most = mu * (1 + e) * speed;
        const double after = fabs(slip) <= most ? 0 : slip - copysign(most, slip);
        family_check(&f, r.status == CAROM_OK, "%s", r.result.message);
        family_check(&f, fabs(r.result.u[0] - after) <= 1e-12 * speed, "slips with %g, not %g",
                     r.result.u[0], after);
        family_check(&f, fabs(r.result.u[1] - e * speed) <= 1e-12 * speed, "rises with %g",
                     r.result.u[1]);
        end_run(&r);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),         cmocka_unit_test(test_tip),
        cmocka_unit_test(test_groups),       cmocka_unit_test(test_axis),
        cmocka_unit_test(test_flanks),       cmocka_unit_test(test_apex_force),
        cmocka_unit_test(test_impacts),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_common_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
