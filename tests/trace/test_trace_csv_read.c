/* Traces in CSV that were not written by carom, cut off, or made to do harm. */
#include "carom/trace.h"
#include "check.h"
#include "check_memory.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "carom-crafted-XXXXXX", path[64];

static int make_path(void **state)
{
    (void)state;
    bool made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/a.csv", folder);
    return !made;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void put(const char *text)
{
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static carom_status read_back(carom_trace *trace, carom_error *error)
{
    *error = (carom_error){0};
    return carom_trace_read(path, NULL, trace, error);
}

static void check_refused(const char *text, const char *why)
{
    carom_trace trace;
    carom_error error;
    put(text);
    assert_int_equal(read_back(&trace, &error), CAROM_ERROR_FILE);
    if (!strstr(error.text, why))
        print_error("%s lacks %s\n", error.text, why);
    assert_non_null(strstr(error.text, why));
}

#define HEAD "t,event,x,x',gap:c,mode:c,impulse:c,energy_change,text\n"

static void test_refused(void **state)
{
    (void)state;
    check_refused("", "not a trace");
    check_refused("x,y\n1,2\n", "not a trace");
    check_refused("t,event,energy_change\n", "not a trace");
    check_refused("t,event,gap:c,energy_change\n", "not a trace");
    check_refused(HEAD "0,row,1\n", ":2: not a line of a trace: its number of cells");
    check_refused(HEAD "0,row,1,0,1,0,,,\nx,row,1,0,1,0,,,\n", ":3: not a line of a trace: not a "
                                                               "number 'x'");
    check_refused(HEAD "0,row,1;5,0,1,0,,,\n", "not a number '1;5'");
    check_refused(HEAD "0,road,1,0,1,0,,,\n", "unknown event 'road'");
    check_refused(HEAD "0,after,1,0,,,1,-1,\n", "`after` without");
    check_refused(HEAD "0,before,1,0,,,,,\n0,row,1,0,1,0,,,\n", "`before` without");
    check_refused(HEAD ",about,,,,,,,coordinates: 3\n", "count of coordinates");
    check_refused(HEAD ",about,,,,,,,parameter: e\n", "not a parameter");
    check_refused(HEAD "1,accumulation,,,,,,,t_first x\n", "not an accumulation");
}

/* Commas inside quotes in the first cell, with more columns than fit a small chunk: one row was
 * once written past the tables. */
static void test_quoted_comma(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("t,event", out);
    for (int k = 0; k < 761; k++)
        fprintf(out, ",x%d", k);
    for (int k = 0; k < 761; k++)
        fprintf(out, ",x%d'", k);
    fputs(",energy_change\n\"0,x\",row", out);
    for (int k = 0; k < 1522; k++)
        fputs(",1", out);
    fputs(",\n", out);
    fclose(out);
    check_refused(text, "not a number '0,x'");
    memcpy(strstr(text, "\"0,x\""), "\"0.1\"", 5);
    put(text);
    carom_trace trace;
    carom_error error;
    check_ok(read_back(&trace, &error), &error);
    assert_int_equal(trace.rows, 1);
    assert_int_equal(trace.velocity.columns, 761);
    assert_string_equal(trace.velocity.names[760], "x760'");
    carom_trace_destroy(&trace);
    free(text);
}

/* What a killed run leaves: the line that was cut is not data, nor is half of an impact. */
static void test_cut(void **state)
{
    (void)state;
    carom_trace trace;
    carom_error error;
    put(HEAD "0,row,1,0,1,0,,,\n1,row,2,0,1,0,,,\n2,before,1,2,,,,,\n2,after,1,123456.7");
    check_ok(read_back(&trace, &error), &error);
    assert_int_equal(trace.rows, 2);
    assert_int_equal(trace.impacts, 0);
    assert_null(trace.end);
    carom_trace_destroy(&trace);
}

/* Names with lines' ends and quotes, all events, everything that is said about the run. */
static void test_whole(void **state)
{
    (void)state;
    carom_trace trace;
    carom_error error;
    put("t,event,a,b,c,a',b',\"gap:x\n\"\"y\"\"\",force:x,energy_change,text\n"
        ",about,,,,,,,,,program: carom 9\n,about,,,,,,,,,coordinates: 3\n"
        ",about,,,,,,,,,\"title: a, b: c\"\n,about,,,,,,,,,parameter: e=-0.5\n"
        ",about,,,,,,,,,set: e=1\n,about,,,,,,,,,later: unknown\n"
        ",scene,,,,,,,,,'- one\n,scene,,,,,,,,,\n,scene,,,,,,,,,three\n"
        "0,row,1,2,3,4,5,6,7,,\n1,before,1,2,3,4,5,,,,\n1,after,1,2,3,6,7,,,-2,\n"
        "3,accumulation,,,,,,,,,\"t_first 1 t_last 2.5 ratio 0.5 impacts 9 contact x\n\"\"y\"\"\"\n"
        "4,end,,,,,,,,,inconsistent: no force: none\n");
    check_ok(read_back(&trace, &error), &error);
    assert_string_equal(trace.program, "carom 9");
    assert_string_equal(trace.title, "a, b: c");
    assert_string_equal(trace.scene, "- one\n\nthree\n");
    assert_int_equal(trace.parameter_count, 1);
    assert_true(trace.parameters[0] == -0.5);
    assert_string_equal(trace.parameter_names[0], "e");
    assert_string_equal(trace.sets[0], "e=1");
    assert_int_equal(trace.position.columns, 3);
    assert_int_equal(trace.velocity.columns, 2);
    assert_true(trace.velocity.values[1] == 5 && trace.force.values[0] == 7);
    assert_string_equal(trace.gap.names[0], "x\n\"y\"");
    assert_int_equal(trace.impacts, 1);
    assert_true(trace.impact_after.values[1] == 7 && trace.impact_energy[0] == -2);
    assert_int_equal(trace.accumulations, 1);
    const double expected[] = {0, 1, 2.5, 3, 0.5, 9};
    check_vector(trace.accumulation.values, expected, 6, 0);
    assert_string_equal(trace.end, "inconsistent");
    assert_string_equal(trace.message, "no force: none");
    carom_trace_destroy(&trace);
}

/* A trace of the first version: no text, as many velocities as coordinates or one less. */
static void test_first_version(void **state)
{
    (void)state;
    carom_trace trace;
    carom_error error;
    put("t,event,x,y,x',y',energy_change\n0,row,1,2,3,4,\n1,before,1,2,3,4,\n1,after,1,2,5,6,-1\n");
    check_ok(read_back(&trace, &error), &error);
    assert_int_equal(trace.position.columns, 2);
    assert_true(trace.impact_after.values[1] == 6);
    carom_trace_destroy(&trace);
}

/* Many lines of every kind, so that all tables grow, and every request for memory that may fail. */
static void test_growth_and_memory(void **state)
{
    (void)state;
    FILE *file = fopen(path, "wb");
    fputs(HEAD, file);
    for (int k = 0; k < 700; k++)
        fprintf(file,
                ",about,,,,,,,set: p%d=1\n,scene,,,,,,,line %d\n%d,row,%d,0,1,0,,,\n"
                "%d,before,%d,1,,,,,\n%d,after,%d,2,,,1,-1,\n"
                "%d,accumulation,,,,,,,t_first 1 t_last 2 ratio 3 impacts 4 contact c\n",
                k, k, k, k, k, k, k, k, k);
    fclose(file);
    carom_status status = CAROM_ERROR_MEMORY;
    for (int k = 0; status; k++) {
        check_memory memory = {.fail_at = k};
        carom_allocator allocator = {check_memory_resize, &memory};
        carom_trace trace;
        carom_error error = {0};
        status = carom_trace_read(path, &allocator, &trace, &error);
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
        if (!status) {
            assert_int_equal(trace.rows, 700);
            assert_int_equal(trace.impacts, 700);
            assert_int_equal(trace.accumulations, 700);
            assert_int_equal(trace.set_count, 700);
            for (int i = 0; i < 700; i++)
                assert_true(trace.t[i] == i && trace.position.values[i] == i &&
                            trace.impact_t[i] == i && trace.impact_after.values[i] == 2 &&
                            trace.accumulation.values[6 * i + 3] == i);
            carom_trace_destroy(&trace);
        }
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_quoted_comma),
        cmocka_unit_test(test_cut),           cmocka_unit_test(test_whole),
        cmocka_unit_test(test_first_version), cmocka_unit_test(test_growth_and_memory),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
