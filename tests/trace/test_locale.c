/* A host whose decimal point is a comma (Qt, GTK and R set the user's locale): every file comes out
 * the same, byte for byte, and is read back. The locale is made here, for a bare machine has none.
 */
#include "carom/io.h"
#include "check.h"
#include "pictures/figure.h"
#include "json/json.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "carom-locale-XXXXXX", path[64];
static bool there; /* the locale with the comma */

static const char definition[] = "comment_char %\nescape_char /\n"
                                 "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\n"
                                 "grouping -1\nEND LC_NUMERIC\n"
                                 "LC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\n"
                                 "LC_COLLATE\ncopy \"POSIX\"\nEND LC_COLLATE\n"
                                 "LC_TIME\ncopy \"POSIX\"\nEND LC_TIME\n"
                                 "LC_MONETARY\ncopy \"POSIX\"\nEND LC_MONETARY\n"
                                 "LC_MESSAGES\ncopy \"POSIX\"\nEND LC_MESSAGES\n";

static int make_locale(void **state)
{
    (void)state;
    char text[320];
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/comma.src", folder);
    FILE *file = fopen(path, "w");
    fputs(definition, file);
    fclose(file);
    snprintf(text, sizeof text,
             "localedef --no-archive -c -i %s -f ANSI_X3.4-1968 %s/comma >%s/log 2>&1", path,
             folder, folder);
    (void)!system(text);
    setenv("LOCPATH", folder, 1);
    there = setlocale(LC_ALL, "comma") != NULL;
    if (there) {
        snprintf(text, sizeof text, "%g", 1.5);
        there = strcmp(text, "1,5") == 0;
    }
    setlocale(LC_ALL, "C");
    snprintf(path, sizeof path, "%s/a.csv", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "rm -rf %s", folder);
    return system(text);
}

/* What is made in the locale of C and in the other one is the same. make: a text to be freed. */
static void check_same(char *(*make)(int which), int which)
{
    if (!there)
        skip();
    char *plain = make(which);
    assert_non_null(setlocale(LC_ALL, "comma"));
    char *comma = make(which);
    setlocale(LC_ALL, "C");
    assert_non_null(plain);
    assert_string_equal(plain, comma);
    free(plain);
    free(comma);
}

static carom_scene *read_scene(const char *name)
{
    char file[512];
    carom_scene *scene;
    carom_error error = {0};
    snprintf(file, sizeof file, "%s/scenes/%s.yaml", CAROM_SOURCE_DIR, name);
    check_ok(carom_scene_read_file(file, NULL, &scene, &error), &error);
    return scene;
}

/* A motion into a trace; the bytes of the file. */
static char *make_trace(int which)
{
    (void)which;
    carom_scene *scene = read_scene("bouncing_ball");
    const carom_scene_content *content = carom_scene_get(scene);
    carom_error error = {0};
    carom_arena *arena;
    carom_trace_writer *writer;
    carom_flow_result result;
    carom_trace_header header = {.title = content->title,
                                 .law = "newton",
                                 .method = "event-driven",
                                 .system = content->system,
                                 .scene = scene};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_trace_create(path, true, &header, NULL, &writer, &error), &error);
    carom_flow_observer observer = {
        .self = writer, .row = carom_trace_row, .impact = carom_trace_impact};
    check_ok(carom_flow_run(content->system, content->law, &content->initial, content->run,
                            &observer, arena, &result, &error),
             &error);
    check_ok(carom_trace_finish(writer, &result, NULL, &error), &error);
    carom_trace trace;
    check_ok(carom_trace_read(path, NULL, &trace, &error), &error);
    assert_int_equal(trace.rows, 1001);
    assert_true(trace.position.values[10] < 1 && trace.position.values[10] > 0.9);
    assert_true(trace.parameters[1] == 9.81);
    carom_trace_destroy(&trace);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(size > 50000);
    return text;
}

static void test_trace(void **state)
{
    (void)state;
    check_same(make_trace, 0);
}

/* Formulas, numbers and the JSON of an outcome. */
static char *make_json(int which)
{
    (void)which;
    carom_scene *scene = read_scene("rocking_block_impact");
    carom_arena *arena;
    carom_geometry g;
    carom_outcome outcome;
    carom_error error = {0};
    carom_law law;
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_scene_parse_law(scene, "moreau:restitution=0.25", &law, &error), &error);
    check_ok(carom_impact_derive(carom_scene_get(scene)->impact, arena, &g, &error), &error);
    check_ok(carom_law_apply(&law, &g, arena, &outcome, &error), &error);
    carom_json_text text = {0};
    carom_json json;
    carom_json_begin(&json, carom_json_to_text, &text);
    carom_json_array(&json);
    carom_json_numbers(&json, g.impact->n, outcome.u);
    carom_json_number(&json, 1e-310);
    carom_json_number(&json, outcome.energy_change);
    carom_json_end(&json);
    check_ok(carom_json_finish(&json, &error), &error);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
    return text.text;
}

static void test_json(void **state)
{
    (void)state;
    check_same(make_json, 0);
}

/* Every third figure of the papers. */
static char *make_figure(int which)
{
    char *text;
    size_t size;
    carom_error error = {0};
    check_ok(carom_figure_draw(carom_figure_at(which)->name, NULL, NULL, &text, &size, &error),
             &error);
    return text;
}

static void test_figures(void **state)
{
    (void)state;
    for (int k = 0; k < carom_figure_count(); k += 3)
        check_same(make_figure, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_figures),
    };
    return cmocka_run_group_tests(tests, make_locale, remove_folder);
}
