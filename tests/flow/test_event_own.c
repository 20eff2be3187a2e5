/* Events of one's own and contacts under a condition, in motion. */
#include "carom/io.h"
#include "check.h"

#include <float.h>

/* A scene that ran. */
typedef struct run {
    carom_scene *scene;
    const carom_scene_content *content;
    carom_arena *arena;
    carom_flow_result result;
    carom_status status;
} run;

static run start_run(const char *text, const char *set)
{
    run r = {0};
    carom_error error = {0};
    const carom_scene_options options = {.sets = &set, .set_count = set != NULL};
    carom_status status = carom_scene_read_text(text, strlen(text), &options, &r.scene, &error);
    if (status != CAROM_OK)
        print_error("%s\n%d:%d: %s\n", text, error.line, error.column, error.text);
    check_ok(status, &error);
    r.content = carom_scene_get(r.scene);
    check_ok(carom_arena_create(NULL, &r.arena, &error), &error);
    r.status = carom_flow_run(r.content->system, r.content->law, &r.content->initial,
                              r.content->run, NULL, r.arena, &r.result, &error);
    if (r.status < 0)
        print_error("%s\n", error.text);
    assert_true(r.status >= 0);
    return r;
}

static void end_run(run *r)
{
    carom_scene_destroy(r->scene);
    carom_arena_destroy(r->arena);
}

static run start_file(const char *name)
{
    static char text[20000], path[500];
    snprintf(path, sizeof path, "%s/scenes/%s", CAROM_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return start_run(text, NULL);
}

#define OSCILLATOR(events)                                                                         \
    "carom: 1\nparameters: {u: 10}\nsystem:\n  coordinates: [x]\n  kinetic: x'^2/2\n"              \
    "  potential: x^2/2\n  events:\n" events "initial: {x: 1}\nrun: {until: u}\n"

/* Marks of x = cos t: all crossings, those upwards, those downwards, those under a condition. */
static void test_marks(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int count;
        double times[6];
    } cases[] = {
        {OSCILLATOR("    e: {at: x}\n"), 3, {0.5, 1.5, 2.5}},
        {OSCILLATOR("    e: {at: x, direction: up}\n"), 1, {1.5}},
        {OSCILLATOR("    e: {at: x, direction: down}\n"), 2, {0.5, 2.5}},
        {OSCILLATOR("    e: {at: x, if: t - 2}\n"), 2, {1.5, 2.5}},
        {OSCILLATOR("    e: {at: x, direction: down, if: -1}\n"), 0, {0}},
        {OSCILLATOR("    e: {at: x'}\n"), 3, {1, 2, 3}}, /* starts at zero: not crossed */
        {OSCILLATOR("    e: {at: x', direction: up}\n"), 2, {1, 3}},
        {OSCILLATOR("    e: {at: sin(t)}\n"), 3, {1, 2, 3}},
        {OSCILLATOR("    e: {at: 1e-9*x}\n    f: {at: x}\n"), 6, {0.5, 0.5, 1.5, 1.5, 2.5, 2.5}},
        {OSCILLATOR("    e: {at: 1e12*x}\n"), 3, {0.5, 1.5, 2.5}},
        {OSCILLATOR("    e: {at: x^2}\n"), 0, {0}}, /* touches zero */
        {OSCILLATOR("    e: {at: x^3}\n"), 3, {0.5, 1.5, 2.5}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run r = start_run(cases[k].text, NULL);
        if (r.result.instant_count != cases[k].count)
            print_error("%s: %ld\n", cases[k].text, r.result.instant_count);
        assert_int_equal(r.status, CAROM_OK);
        assert_int_equal(r.result.instant_count, cases[k].count);
        const double off = strstr(cases[k].text, "x^3") ? 1e-4 : 1e-10; /* a triple root */
        for (int i = 0; i < cases[k].count; i++)
            check_close(r.result.instants[i].t, cases[k].times[i] * CAROM_PI, off);
        check_close(r.result.q[0], cos(10), 1e-9);
        check_close(r.result.ledger.events, 0, 0);
        end_run(&r);
    }
}

/* An event that reflects is an elastic wall: the same motion as with a contact. */
static void test_wall(void **unused)
{
    (void)unused;
#define BALL(more)                                                                                 \
    "carom: 1\nsystem:\n  coordinates: [y]\n  kinetic: y'^2/2\n  potential: 9.81*y\n" more         \
    "initial: {y: 1}\nrun: {until: 20}\n"
    run by_event =
        start_run(BALL("  events: {floor: {at: y, direction: down, set: {y': -y'}}}\n"), NULL);
    run by_contact = start_run(BALL("  contacts: {floor: {gap: y, restitution: 1}}\n"), NULL);
    assert_int_equal(by_event.result.instant_count, by_contact.result.impact_count);
    assert_true(by_event.result.instant_count > 20);
    for (long k = 0; k < by_contact.result.impact_count; k++)
        check_close(by_event.result.instants[k].t, by_contact.result.impacts[k].t, 1e-9);
    check_close(by_event.result.q[0], by_contact.result.q[0], 1e-8);
    check_close(by_event.result.u[0], by_contact.result.u[0], 1e-8);
    end_run(&by_event);
    end_run(&by_contact);
    /* and one that takes energy has it in the ledger */
    run r = start_run(
        BALL("  events: {floor: {at: y, direction: down, if: 1, set: {y': -0.5*y'}}}\n") "", NULL);
    double loss = 0, energy = 9.81;
    for (long k = 0; k < r.result.instant_count && k < 20; k++) {
        loss -= 0.75 * energy;
        energy *= 0.25;
    }
    check_close(r.result.ledger.events, loss, 1e-8);
    check_close(r.result.ledger.balance_error, 0, 1e-8);
    end_run(&r);
}

/* What an event sets may bring contacts together: they are checked after it. */
static void test_contacts_after(void **unused)
{
    (void)unused;
    run r = start_run(BALL("  contacts: {floor: {gap: y, restitution: 0.5}}\n"
                           "  events: {drop: {at: t - 0.25, set: {y: 0, y': -2}}}\n"),
                      NULL);
    assert_int_equal(r.result.instant_count, 1);
    assert_true(r.result.impacts[0].t == r.result.instants[0].t);
    check_close(r.result.impacts[0].before[0], -2, 0);
    check_close(r.result.impacts[0].after[0], 1, 0);
    check_close(r.result.ledger.balance_error, 0, 1e-8);
    end_run(&r);
    /* closed contacts that the event opens are open, those it leaves closed stay so */
    r = start_run(
        BALL("  contacts: {floor: {gap: y}}\n"
             "  events: {jump: {at: t - 5, set: {y: 0.1}}, kick: {at: t - 8, set: {y': 1}}, "
             "stay: {at: t - 9, set: {y': 0}}}\n"),
        NULL);
    assert_int_equal(r.status, CAROM_OK);
    assert_int_equal(r.result.impact_count, 3);
    check_close(r.result.impacts[1].t, 5 + sqrt(0.2 / 9.81), 1e-10);
    check_close(r.result.impacts[2].t, 8 + 2 / 9.81, 1e-10);
    check_close(r.result.q[0], 0, 1e-12);
    end_run(&r);
    r = start_run(BALL("  contacts: {floor: {gap: y, restitution: 0.5}}\n"
                       "  events: {sink: {at: t - 0.25, set: {y: -1}}}\n"),
                  NULL);
    assert_int_equal(r.status, CAROM_STOPPED);
    assert_int_equal(r.result.end, CAROM_FLOW_NO_OUTCOME);
    assert_non_null(strstr(r.result.message, "event sink puts contact floor into penetration"));
    end_run(&r);
    /* an event and an impact at the very same instant */
    r = start_run(BALL("  contacts: {floor: {gap: y, restitution: 0.5}}\n"
                       "  events: {tick: {at: t - sqrt(2/9.81)}, tock: {at: y' + sqrt(2*9.81), "
                       "direction: down}}\n"),
                  NULL);
    int ticks = 0;
    for (long k = 0; k < r.result.instant_count; k++)
        ticks += r.result.instants[k].event == 0;
    assert_int_equal(ticks, 1);
    end_run(&r);
}

#define SWING(more)                                                                                \
    "carom: 1\nsystem:\n  coordinates: [y]\n  kinetic: y'^2/2\n  potential: y^2/2\n" more          \
    "run: {until: 12}\n"

/* y = cos t passes the floor where it must not close, comes out again, and closes later. */
static void test_passing(void **unused)
{
    (void)unused;
    run r = start_run(SWING("  contacts: {floor: {gap: y, when: t - 5, restitution: 0.5}}\n"
                            "initial: {y: 1}\n"),
                      NULL);
    assert_int_equal(r.status, CAROM_OK);
    assert_int_equal(r.result.impact_count, 2);
    check_close(r.result.impacts[0].t, 2.5 * CAROM_PI, 1e-10);
    check_close(r.result.impacts[1].t, 3.5 * CAROM_PI, 1e-10);
    check_close(r.result.impacts[1].after[0], 0.25, 1e-9);
    check_close(r.result.max_penetration, 0, 1e-9);
    end_run(&r);
    /* it begins below the floor */
    r = start_run(SWING("  contacts: {floor: {gap: y, when: t - 2, restitution: 1}}\n"
                        "initial: {y: -1}\n"),
                  NULL);
    assert_int_equal(r.status, CAROM_OK);
    check_close(r.result.impacts[0].t, 1.5 * CAROM_PI, 1e-10);
    end_run(&r);
    /* the condition that comes true below the floor does not close it there */
    r = start_run(SWING("  contacts: {floor: {gap: y, when: t - 3, restitution: 1}}\n"
                        "initial: {y: 1}\n"),
                  NULL);
    check_close(r.result.impacts[0].t, 2.5 * CAROM_PI, 1e-10);
    end_run(&r);
    /* a closed one stays closed when its condition ends; one that touches it goes on */
    r = start_run("carom: 1\nsystem:\n  coordinates: [x, y]\n  kinetic: (x'^2 + y'^2)/2\n"
                  "  potential: 9.81*y\n  contacts: {floor: {gap: y, when: 1 - t}}\n"
                  "initial: {y: 1, x': 1}\nrun: {until: 3}\n",
                  NULL);
    assert_int_equal(r.result.impact_count, 1);
    check_close(r.result.q[1], 0, 1e-12);
    check_close(r.result.q[0], 3, 1e-12);
    end_run(&r);
}

/* Goswami's compass walker on its periodic gait: the swing foot passes the ground. */
static void test_compass(void **unused)
{
    (void)unused;
    run r = start_file("compass_walker.yaml");
    assert_int_equal(r.status, CAROM_OK);
    assert_true(r.result.impact_count >= 4);
    for (long k = 0; k < 4; k++) {
        const carom_flow_impact *i = &r.result.impacts[k];
        const int swing = k % 2 ? 3 : 2, stance = k % 2 ? 2 : 3;
        check_close(i->t, 0.734346391159 * (double)(k + 1), 1e-9);
        check_close(i->q[swing], 0.323388558059, 1e-9);
        check_close(i->q[stance], -0.218668802939, 1e-9);
        check_close(i->after[swing], 0.377373948907, 1e-9);
        check_close(i->after[stance], 1.092383589884, 1e-9);
    }
    end_run(&r);
}

/* The simplest walker on a slope of 0.009, its heel strike an event. */
static void test_simplest(void **unused)
{
    (void)unused;
    run r = start_file("simplest_walker.yaml");
    assert_int_equal(r.status, CAROM_OK);
    assert_true(r.result.instant_count >= 5);
    for (long k = 0; k < 5; k++) {
        const carom_flow_instant *i = &r.result.instants[k];
        check_close(i->t, 3.882463752851 * (double)(k + 1), 1e-9);
        check_close(i->q[0], 0.200310900544, 1e-10);
        check_close(i->u[0], -0.199832473005, 1e-10);
    }
    end_run(&r);
}

/* Stick-slip on a belt, sampled by a mark: it sticks for 2 (mu_s - mu_d) m g/(k v), and slips for
 * (pi + 2 atan2(v/w, (mu_s - mu_d) g/w^2))/w. */
static void test_belt(void **unused)
{
    (void)unused;
    run r = start_file("belt.yaml");
    const double w = sqrt(20), d = 0.3 * 9.81 / 20, v = 0.3;
    const double period = 2 * d / v + (CAROM_PI + 2 * atan2(v / w, d)) / w;
    assert_int_equal(r.status, CAROM_OK);
    assert_int_equal(r.result.instant_count, 6);
    for (int k = 1; k + 1 < 6; k++)
        check_close(r.result.instants[k + 1].t - r.result.instants[k].t, period, 1e-8);
    end_run(&r);
}

/* The rimless wheel tends to its known speed by its known factor. */
static void test_wheel(void **unused)
{
    (void)unused;
    run r = start_file("rimless_wheel.yaml");
    const carom_flow_impact *last = &r.result.impacts[r.result.impact_count - 1];
    const double before = last->before[2] * last->before[2],
                 after = last->after[2] * last->after[2];
    assert_true(r.result.impact_count > 10);
    check_close(after / before, 0.500413885378, 1e-10);
    check_close(before, 5.965612656995, 2e-4);
    end_run(&r);
}

/* What the other methods cannot follow is refused. */
static void test_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {BALL("  events: {e: {at: y, set: {y': -y'}}}\n"), "events that set values"},
        {BALL("  contacts: {c: {gap: y, when: y'}}\n"), "contacts with `when`"},
    };
    for (int k = 0; k < 4; k++) {
        carom_scene *scene;
        carom_arena *arena;
        carom_flow_result result;
        carom_error error = {0};
        const char *text = cases[k / 2].text;
        check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
        check_ok(carom_arena_create(NULL, &arena, &error), &error);
        const carom_scene_content *c = carom_scene_get(scene);
        carom_flow_options options = *c->run;
        options.method = k % 2 ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_BOUNDARY_LAYER;
        options.step = options.width = 0.01;
        assert_int_equal(
            carom_flow_run(c->system, NULL, &c->initial, &options, NULL, arena, &result, &error),
            CAROM_ERROR_INPUT);
        assert_non_null(strstr(error.text, cases[k / 2].message));
        carom_scene_destroy(scene);
        carom_arena_destroy(arena);
    }
}

/* Two events at one instant but for rounding, by place and by time: x = v t comes to 2 v at t = 2.
 * What one of them sets does not move the function of the other, and both happen: with x' = v + 1
 * from 2 on and y moved by 1. */
static void test_two(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {v: 1}\nsystem:\n  coordinates: [x, y]\n"
        "  kinetic: (x'^2 + y'^2)/2\n  forces: {y: 2*t}\n"
        "  events: {e: {at: x - 2*v, set: {y: y + 1}}, h: {at: t - 2, set: {x': x' + 1}}}\n"
        "initial: {x': v}\nrun: {until: 3}\n";
    for (int i = 1; i <= 500; i++) {
        char set[40];
        const double v = i / 300.0;
        snprintf(set, sizeof set, "v=%.17g", v);
        run r = start_run(text, set);
        check_close(r.result.q[0], 3 * v + 1, 1e-9);
        check_close(r.result.q[1], 10, 1e-9);
        end_run(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),          cmocka_unit_test(test_wall),
        cmocka_unit_test(test_contacts_after), cmocka_unit_test(test_passing),
        cmocka_unit_test(test_compass),        cmocka_unit_test(test_simplest),
        cmocka_unit_test(test_belt),           cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
