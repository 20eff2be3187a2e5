/* Pictures of motions: what is drawn, read back from the document, is what the closed form has. */
#include "check.h"
#include "check_memory.h"
#include "pictures/course.h"
#include "svg_read.h"

#include <ctype.h>
#include <stdlib.h>

/* A ball thrown sideways, y = 1 - t^2/2 up to the floor, e = 1: energy 1 + 1/2 for ever. */
static const char ball[] = "carom: 1\n"
                           "title: a <ball> & \"more\"\n"
                           "system:\n"
                           "  coordinates: [x, y]\n"
                           "  kinetic: x'^2/2 + y'^2/2\n"
                           "  potential: y\n"
                           "  contacts: {floor: {gap: y, restitution: 1}}\n"
                           "initial: {y: 1, x': 1}\n"
                           "law: newton\n"
                           "run: {until: 4, output: 0.01}\n"
                           "section: {at: floor, keep: [x, y']}\n"
                           "draw: [{circle: [x, y + 0.1], radius: 0.1, color: \"red;x:y\"},\n"
                           "       {line: [0, 0, 4, 0]}, {point: [2, 2], label: \"<p>\"}]\n";

static void run_text(const char *text, carom_scene **scene, carom_trace *trace)
{
    carom_error error = {0};
    carom_arena *arena;
    carom_flow_result result;
    carom_trace_writer *writer;
    check_ok(carom_scene_read_text(text, strlen(text), NULL, scene, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    const carom_scene_content *content = carom_scene_get(*scene);
    const carom_trace_header header = {
        .title = content->title, .system = content->system, .scene = *scene};
    check_ok(carom_trace_keep(&header, 0, NULL, trace, &writer, &error), &error);
    const carom_flow_observer observer = {
        .self = writer, .row = carom_trace_row, .impact = carom_trace_impact};
    check_ok(carom_flow_run(content->system, content->law, &content->initial, content->run,
                            &observer, arena, &result, &error),
             &error);
    check_ok(carom_trace_finish(writer, &result, NULL, &error), &error);
    carom_arena_destroy(arena);
}

static void run(carom_scene **scene, carom_trace *trace)
{
    run_text(ball, scene, trace);
}

static char *draw(const carom_course *course, carom_course_options options)
{
    carom_error error = {0};
    char *text, *again;
    size_t size, other;
    check_ok(carom_course_draw(course, &options, NULL, &text, &size, &error), &error);
    check_ok(carom_course_draw(course, &options, NULL, &again, &other, &error), &error);
    assert_int_equal(size, other);
    assert_memory_equal(text, again, size);
    assert_null(svg_well_formed(text));
    assert_null(strstr(text, "nan"));
    free(again);
    return text;
}

/* The height at time t: parabolas of duration 2 sqrt(2) after the first half of one. */
static double height(double t)
{
    double whole = 2 * sqrt(2.0), s = fmod(t + sqrt(2.0), whole) - sqrt(2.0);
    return 1 - s * s / 2;
}

static void test_curves(void **state)
{
    (void)state;
    carom_scene *scene;
    carom_trace trace;
    run(&scene, &trace);
    const carom_course course = {&trace, scene};
    double xy[2 * SVG_POINTS] = {0};
    svg_plot plot;
    const char *at;
    /* x = t: the trajectory is the height over time */
    char *text = draw(&course, (carom_course_options){.kind = CAROM_COURSE_TRAJECTORY});
    assert_true(svg_plot_find(text, &plot));
    at = plot.after;
    int count = svg_next_curve(&plot, &at, xy);
    check_close(xy[0], 0, 6e-3);
    check_close(xy[2 * count - 2], 4, 6e-3);
    for (int k = 0; k + 1 < count; k++) /* points and the lines between them; pixels of 0.01 */
        for (double s = 0; s <= 1; s += 0.125) {
            double x = xy[2 * k] + s * (xy[2 * k + 2] - xy[2 * k]);
            double y = xy[2 * k + 1] + s * (xy[2 * k + 3] - xy[2 * k + 1]);
            check_close(y, height(x) + 0.1, 6e-3);
        }
    free(text);
    /* y'^2/2 + y = 1 in the phase plane, a jump at y = 0 */
    text = draw(&course, (carom_course_options){.kind = CAROM_COURSE_PHASE, .x = "y", .y = "y'"});
    assert_true(svg_plot_find(text, &plot));
    at = plot.after;
    count = svg_next_curve(&plot, &at, xy);
    int jumps = 0;
    for (int k = 0; k + 1 < count; k++) {
        check_close(xy[2 * k] + pow(xy[2 * k + 1], 2) / 2, 1, 8e-3);
        if (fabs(xy[2 * k]) + fabs(xy[2 * k + 2]) < 8e-3 && xy[2 * k + 3] > 1)
            jumps++; /* along y = 0 */
        else
            for (double s = 0; s <= 1; s += 0.125)
                check_close(xy[2 * k] + s * (xy[2 * k + 2] - xy[2 * k]) +
                                pow(xy[2 * k + 1] + s * (xy[2 * k + 3] - xy[2 * k + 1]), 2) / 2,
                            1, 8e-3);
    }
    assert_int_equal(jumps, 1);
    free(text);
    /* the total stays */
    text = draw(&course, (carom_course_options){.kind = CAROM_COURSE_ENERGY});
    assert_true(svg_plot_find(text, &plot));
    at = plot.after;
    count = svg_next(&plot, "<polyline class=\"ink thick", &at, xy);
    check_close(xy[0], 0, 5e-3);
    check_close(xy[2 * count - 2], 4, 5e-3);
    for (int k = 0; k < count; k++)
        check_close(xy[2 * k + 1], 1.5, 5e-3);
    free(text);
    /* every impulse is 2 sqrt(2), at sqrt(2) and 3 sqrt(2) > 4 */
    text = draw(&course, (carom_course_options){.kind = CAROM_COURSE_FORCES});
    assert_non_null(strstr(text, "<circle class=\"f0 solid\""));
    free(text);
    carom_trace_destroy(&trace);
    carom_scene_destroy(scene);
}

static void test_strobe(void **state)
{
    (void)state;
    carom_scene *scene;
    carom_trace trace;
    run(&scene, &trace);
    const carom_course course = {&trace, scene}, bare = {&trace, NULL};
    char *text = draw(&course, (carom_course_options){.kind = CAROM_COURSE_STROBE, .instants = 9});
    int instants = 0;
    for (const char *at = text; (at = strstr(at, "<g opacity=\"")); at++)
        instants++;
    assert_int_equal(instants, 9);
    svg_plot plot;
    double xy[2 * SVG_POINTS];
    assert_true(svg_plot_find(text, &plot));
    const char *at = plot.after;
    for (int i = 0; i < 9; i++) { /* the centre of each circle is where the ball is */
        int count = svg_next(&plot, "<polygon class=\"f0 c0", &at, xy);
        double x = 0, y = 0;
        assert_true(count >= 24); /* round to an eye */
        for (int k = 0; k < count; k++) {
            x += xy[2 * k] / count;
            y += xy[2 * k + 1] / count;
        }
        check_close(x, 0.5 * i, 5e-3);
        check_close(y, height(0.5 * i) + 0.1, 5e-3);
    }
    assert_null(strstr(text, "red;x:y")); /* no plain colour */
    assert_non_null(strstr(text, "a &lt;ball&gt; &amp; \"more\""));
    assert_non_null(strstr(text, ">&lt;p&gt;</text>"));
    free(text);
    assert_true(carom_course_strobe_possible(&course));
    assert_false(carom_course_strobe_possible(&bare));
    const carom_course_options strobe = {.kind = CAROM_COURSE_STROBE};
    carom_error error = {0};
    size_t size;
    assert_int_equal(carom_course_draw(&bare, &strobe, NULL, &text, &size, &error),
                     CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "draw"));
    carom_trace_destroy(&trace);
    carom_scene_destroy(scene);
}

/* An oscillator through 60 turns, of which few rows are kept: its phase plane is a circle. */
static void test_long(void **state)
{
    (void)state;
    carom_scene *scene;
    carom_trace trace;
    run_text("carom: 1\n"
             "system: {coordinates: [x], kinetic: x'^2/2, potential: x^2/2}\n"
             "initial: {x: 1}\n"
             "run: {until: 377, output: 0.5}\n",
             &scene, &trace);
    const carom_course course = {&trace, scene};
    static double xy[2 * SVG_POINTS];
    svg_plot plot;
    char *text = draw(&course, (carom_course_options){.kind = CAROM_COURSE_PHASE});
    assert_true(svg_plot_find(text, &plot));
    const char *at = plot.after;
    int count = svg_next_curve(&plot, &at, xy);
    assert_true(count > 0);
    for (int k = 0; k + 1 < count; k++) /* the cubic's velocity misses by h^3 sqrt(3)/216 */
        for (double s = 0; s <= 1; s += 0.25)
            check_close(hypot(xy[2 * k] + s * (xy[2 * k + 2] - xy[2 * k]),
                              xy[2 * k + 1] + s * (xy[2 * k + 3] - xy[2 * k + 1])),
                        1, 3e-3);
    free(text);
    carom_trace_destroy(&trace);
    carom_scene_destroy(scene);
}

/* More ways and contacts than a legend has room for: all are drawn, and a note says so. */
static void test_many(void **state)
{
    (void)state;
    carom_scene *scene;
    carom_trace trace;
    run_text("carom: 1\n"
             "system:\n"
             "  repeat:\n"
             "    - index: i\n"
             "      from: 1\n"
             "      to: 50\n"
             "      coordinates: [y$i]\n"
             "      kinetic: y$i'^2/2\n"
             "      potential: y$i\n"
             "      contacts: {c$i: {gap: y$i, at: [$i, y$i]}}\n"
             "      initial: {y$i: 0.01*$i}\n"
             "run: {until: 1, output: 0.01}\n",
             &scene, &trace);
    const carom_course course = {&trace, scene};
    static const carom_course_kind kinds[] = {CAROM_COURSE_TRAJECTORY, CAROM_COURSE_FORCES};
    for (int i = 0; i < 2; i++) {
        char note[CAROM_COURSE_NOTE];
        char *text = draw(&course, (carom_course_options){.kind = kinds[i], .note = note});
        int curves = 0, named = 0, left = 0;
        for (const char *at = text; (at = strstr(at, "<polyline class=\"c")); at++)
            curves++;
        for (const char *at = text; (at = strstr(at, ">c")); at++)
            named += isdigit((unsigned char)at[2]) != 0;
        assert_int_equal(curves, i == 0 ? 50 : 100); /* a force and an impulse each */
        assert_true(named >= 7 && named < 50);
        assert_int_equal(sscanf(strstr(text, ">and "), ">and %d more<", &left), 1);
        assert_int_equal(named + left, 50);
        assert_non_null(strstr(note, " of 50 "));
        free(text);
    }
    carom_trace_destroy(&trace);
    carom_scene_destroy(scene);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    carom_scene *scene;
    carom_trace trace;
    run(&scene, &trace);
    const carom_course course = {&trace, scene};
    for (int kind = 0; kind < CAROM_COURSE_KINDS; kind++) {
        carom_status status = CAROM_ERROR_MEMORY;
        for (int fail_at = 0; status != CAROM_OK; fail_at++) {
            check_memory m = {.fail_at = fail_at, .onwards = true};
            const carom_allocator allocator = {check_memory_resize, &m};
            const carom_course_options options = {.kind = (carom_course_kind)kind};
            carom_error error = {0};
            char *text;
            size_t size;
            status = carom_course_draw(&course, &options, &allocator, &text, &size, &error);
            if (status == CAROM_OK)
                check_memory_resize(&m, text, 0);
            else
                assert_int_equal(status, CAROM_ERROR_MEMORY);
            assert_int_equal(m.live, 0);
            assert_true(fail_at < 1000);
        }
    }
    carom_trace_destroy(&trace);
    carom_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),        cmocka_unit_test(test_strobe),
        cmocka_unit_test(test_long),          cmocka_unit_test(test_many),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
