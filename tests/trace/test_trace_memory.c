/* A trace in memory holds what the file holds, and gives all memory back. */
#include "carom/io.h"
#include "check.h"
#include "check_memory.h"

#include <stdlib.h>
#include <unistd.h>

static const char scene_text[] =
    "carom: 1\n"
    "title: a ball\n"
    "parameters: {g: 9.81, e: 0.5}\n"
    "system:\n"
    "  coordinates: [x, y]\n"
    "  kinetic: x'^2/2 + y'^2/2\n"
    "  potential: g*y\n"
    "  contacts:\n"
    "    floor: {gap: y, slip: x', restitution: e, friction: 0.1, at: [x, 0], "
    "toward: [0, 1]}\n"
    "    wall: {gap: 3 - x, restitution: e}\n"
    "  events:\n"
    "    never: {at: x + 9}\n"
    "    kick: {at: y - 0.2, direction: down, set: {x': 1.1*x'}}\n"
    "initial: {y: 1, x': 1}\n"
    "run: {until: 2, output: 0.01}\n"
    "period: 0.5\n"
    "draw: [{circle: [x, y], radius: 0.05, label: ball}]\n";

/* Rows go to both. */
typedef struct both {
    carom_trace_writer *file, *memory;
} both;

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    both *b = self;
    carom_status status = b->file ? carom_trace_row(b->file, row, error) : CAROM_OK;
    return status ? status : carom_trace_row(b->memory, row, error);
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    both *b = self;
    carom_status status = b->file ? carom_trace_impact(b->file, impact, error) : CAROM_OK;
    return status ? status : carom_trace_impact(b->memory, impact, error);
}

static carom_status on_accumulation(void *self, const carom_flow_accumulation *a,
                                    carom_error *error)
{
    both *b = self;
    carom_status status = b->file ? carom_trace_accumulation(b->file, a, error) : CAROM_OK;
    return status ? status : carom_trace_accumulation(b->memory, a, error);
}

static carom_status on_change(void *self, const carom_flow_change *change, carom_error *error)
{
    both *b = self;
    carom_status status = b->file ? carom_trace_change(b->file, change, error) : CAROM_OK;
    return status ? status : carom_trace_change(b->memory, change, error);
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    both *b = self;
    carom_status status = b->file ? carom_trace_instant(b->file, instant, error) : CAROM_OK;
    return status ? status : carom_trace_instant(b->memory, instant, error);
}

/* The same numbers; a CSV file does not tell -0 from 0. */
static void check_table(const carom_trace_table *a, const carom_trace_table *b, long rows)
{
    assert_int_equal(a->columns, b->columns);
    for (long k = 0; k < rows * a->columns; k++)
        assert_true(a->values[k] == b->values[k] || (isnan(a->values[k]) && isnan(b->values[k])));
    for (int k = 0; b->names && k < b->columns; k++)
        assert_string_equal(a->names[k], b->names[k]);
}

/* A trace saved after the motion reads back as the file written during it. */
static void check_saved(const char *path, const carom_trace_header *header,
                        const carom_trace *trace)
{
    char saved[96];
    carom_trace during, after;
    carom_error error = {0};
    snprintf(saved, sizeof saved, "%s.saved%s", path, strrchr(path, '.'));
    check_ok(carom_trace_save(trace, saved, false, header, NULL, &error), &error);
    assert_int_not_equal(carom_trace_save(trace, saved, false, header, NULL, &error), CAROM_OK);
    check_ok(carom_trace_save(trace, saved, true, header, NULL, &error), &error);
    check_ok(carom_trace_read(path, NULL, &during, &error), &error);
    check_ok(carom_trace_read(saved, NULL, &after, &error), &error);
    assert_int_equal(during.rows, after.rows);
    assert_int_equal(during.impacts, after.impacts);
    assert_int_equal(during.instants, after.instants);
    assert_int_equal(during.accumulations, after.accumulations);
    assert_int_equal(during.changes, after.changes);
    assert_string_equal(during.end, after.end);
    check_table(&during.position, &after.position, during.rows);
    check_table(&during.energy, &after.energy, during.rows);
    check_table(&during.impulse, &after.impulse, during.impacts);
    check_table(&during.instant_after, &after.instant_after, during.instants);
    check_table(&during.accumulation, &after.accumulation, during.accumulations);
    check_table(&during.change, &after.change, during.changes);
    carom_trace_destroy(&during);
    carom_trace_destroy(&after);
    unlink(saved);
}

/* Run the scene into a trace in memory and, when path is given, into a file. */
static carom_status run(const char *path, long most, const carom_allocator *allocator,
                        carom_trace *trace, carom_error *error)
{
    static const char *const sets[] = {"e=0.6"};
    const carom_scene_options set = {.sets = sets, .set_count = 1};
    carom_scene *scene;
    carom_arena *arena;
    check_ok(carom_scene_read_text(scene_text, sizeof scene_text - 1, &set, &scene, error), error);
    check_ok(carom_arena_create(NULL, &arena, error), error);
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_trace_header header = {.title = content->title,
                                       .law = "coulomb",
                                       .method = "event-driven",
                                       .system = content->system,
                                       .scene = scene};
    const carom_law law = {.ops = carom_law_find("coulomb")};
    both b = {0};
    carom_flow_result result;
    if (path)
        check_ok(carom_trace_create(path, true, &header, NULL, &b.file, error), error);
    carom_status status = carom_trace_keep(&header, most, allocator, trace, &b.memory, error);
    if (!status) {
        const carom_flow_observer observer = {.self = &b,
                                              .row = on_row,
                                              .impact = on_impact,
                                              .accumulation = on_accumulation,
                                              .change = on_change,
                                              .instant = on_instant};
        status = carom_flow_run(content->system, &law, &content->initial, content->run, &observer,
                                arena, &result, error);
        carom_status finished = carom_trace_finish(b.memory, status ? NULL : &result, NULL, error);
        if (status == CAROM_ERROR_MEMORY && !finished)
            carom_trace_destroy(trace); /* cut off, but kept */
        status = status ? status : finished;
    }
    if (path)
        check_ok(carom_trace_finish(b.file, &result, NULL, error), error);
    if (path && !status && most == 0)
        check_saved(path, &header, trace);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
    return status;
}

static void check_file(const char *folder, const char *name)
{
    char path[64];
    carom_trace kept, read;
    carom_error error = {0};
    bool csv = strstr(name, ".csv") != NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_ok(run(path, 0, NULL, &kept, &error), &error);
    check_ok(carom_trace_read(path, NULL, &read, &error), &error);
    assert_int_equal(kept.rows, read.rows);
    assert_int_equal(kept.impacts, read.impacts);
    assert_int_equal(kept.accumulations, read.accumulations);
    assert_int_equal(kept.changes, read.changes);
    assert_true(kept.rows > 150 && kept.impacts > 5 && kept.accumulations > 0 && kept.changes > 0);
    assert_memory_equal(kept.t, read.t, (size_t)kept.rows * sizeof *kept.t);
    assert_memory_equal(kept.impact_t, read.impact_t, (size_t)kept.impacts * sizeof *kept.t);
    assert_memory_equal(kept.impact_energy, read.impact_energy,
                        (size_t)kept.impacts * sizeof *kept.t);
    const size_t rows[] = {offsetof(carom_trace, position), offsetof(carom_trace, velocity),
                           offsetof(carom_trace, gap),      offsetof(carom_trace, force),
                           offsetof(carom_trace, friction), offsetof(carom_trace, mode),
                           offsetof(carom_trace, energy),   offsetof(carom_trace, draw)};
    for (size_t k = 0; k < sizeof rows / sizeof *rows - csv; k++) /* a CSV file has no drawing */
        check_table((carom_trace_table *)((char *)&kept + rows[k]),
                    (carom_trace_table *)((char *)&read + rows[k]), kept.rows);
    check_table(&kept.impact_before, &read.impact_before, kept.impacts);
    check_table(&kept.impact_after, &read.impact_after, kept.impacts);
    if (!csv)
        check_table(&kept.impact_draw, &read.impact_draw, kept.impacts);
    if (!csv) {
        check_table(&kept.at, &read.at, kept.rows);
        check_table(&kept.impact_at, &read.impact_at, kept.impacts);
        assert_string_equal(kept.contacts, read.contacts);
        assert_true(kept.period == 0.5 && read.period == 0.5);
    }
    assert_int_equal(kept.at.columns, 4);
    for (long k = 0; k < kept.rows; k++) { /* below the ball, pushing up */
        const double *at = kept.at.values + 4 * k;
        assert_true(at[0] == kept.position.values[2 * k] && at[1] == 0 && at[2] == 0 && at[3] == 1);
    }
    assert_int_equal(kept.instants, read.instants);
    assert_true(kept.instants > 0);
    check_table(&kept.instant_position_before, &read.instant_position_before, kept.instants);
    check_table(&kept.instant_before, &read.instant_before, kept.instants);
    check_table(&kept.instant_position, &read.instant_position, kept.instants);
    check_table(&kept.instant_after, &read.instant_after, kept.instants);
    for (long k = 0; k < kept.instants; k++) {
        assert_true(kept.instant_t[k] == read.instant_t[k]);
        assert_string_equal(kept.event_names[(int)kept.instant_event[k]], "kick");
        assert_string_equal(read.event_names[(int)read.instant_event[k]], "kick");
        check_close(kept.instant_after.values[2 * k], 1.1 * kept.instant_before.values[2 * k],
                    1e-14);
    }
    if (!csv)
        check_table(&kept.instant_draw, &read.instant_draw, kept.instants);
    check_table(&kept.change, &read.change, kept.changes);
    check_table(&kept.accumulation, &read.accumulation, kept.accumulations);
    assert_string_equal(kept.title, read.title);
    assert_string_equal(kept.law, read.law);
    assert_string_equal(kept.end, read.end);
    assert_string_equal(kept.scene, read.scene);
    if (!csv)
        assert_string_equal(kept.shapes, read.shapes);
    assert_int_equal(kept.set_count, read.set_count);
    assert_string_equal(kept.sets[0], "e=0.6");
    assert_int_equal(kept.parameter_count, read.parameter_count);
    for (int k = 0; k < kept.parameter_count; k++) {
        assert_string_equal(kept.parameter_names[k], read.parameter_names[k]);
        assert_true(kept.parameters[k] == read.parameters[k]);
    }
    carom_trace_destroy(&kept);
    carom_trace_destroy(&read);
    unlink(path);
}

static void test_same_as_file(void **state)
{
    (void)state;
    char folder[] = "carom-trace-XXXXXX";
    assert_non_null(mkdtemp(folder));
    check_file(folder, "a.h5");
    check_file(folder, "a.csv");
    rmdir(folder);
}

/* However many rows come, no more than asked are kept: even steps of true rows, and both ends. */
static void test_thinned(void **state)
{
    (void)state;
    carom_trace all;
    carom_error error = {0};
    check_ok(run(NULL, 0, NULL, &all, &error), &error);
    for (long most = 2; most < 300; most = 2 * most + 1) {
        carom_trace few;
        check_ok(run(NULL, most, NULL, &few, &error), &error);
        assert_int_equal(few.all_rows, all.rows);
        assert_int_equal(few.all_impacts, all.impacts);
        assert_true(few.rows <= most + 1 && few.impacts <= most + 1);
        assert_true(few.rows >= (most < all.rows ? most / 2 : all.rows));
        long from = 0, step = 0;
        for (long k = 0; k < few.rows; k++) {
            while (from < all.rows && all.t[from] != few.t[k])
                from++;
            assert_true(from < all.rows);
            assert_memory_equal(all.position.values + 2 * from, few.position.values + 2 * k,
                                2 * sizeof(double));
            if (k == 1)
                step = from;
            if (k + 1 < few.rows)
                assert_int_equal(from, k * step);
        }
        assert_int_equal(from, all.rows - 1);
        assert_true(few.impact_t[few.impacts - 1] == all.impact_t[all.impacts - 1]);
        carom_trace_destroy(&few);
    }
    carom_trace_destroy(&all);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    carom_status status = CAROM_ERROR_MEMORY;
    for (int fail_at = 0; status != CAROM_OK; fail_at++) {
        check_memory m = {.fail_at = fail_at, .onwards = true};
        const carom_allocator allocator = {check_memory_resize, &m};
        carom_trace trace;
        carom_error error = {0};
        status = run(NULL, 0, &allocator, &trace, &error);
        if (status == CAROM_OK)
            carom_trace_destroy(&trace);
        else
            assert_int_equal(status, CAROM_ERROR_MEMORY);
        assert_int_equal(m.live, 0);
        assert_true(fail_at < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_file),
        cmocka_unit_test(test_thinned),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
