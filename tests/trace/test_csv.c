/* Comma-separated values: what is written reads back, whatever the text. */
#include "carom/text.h"
#include "check.h"
#include "check_memory.h"
#include "trace/csv.h"

#include <stdlib.h>

/* The records of a text, counted; cells are compared with `expected`, record after record. */
static void check_records(const char *text, const char *const *const *expected, int count)
{
    carom_csv csv = {.in = fmemopen((void *)text, strlen(text), "rb")};
    assert_non_null(csv.in);
    for (int k = 0; k < count; k++) {
        assert_true(carom_csv_next(&csv));
        int cells = 0;
        while (expected[k][cells])
            cells++;
        assert_int_equal(csv.count, cells);
        for (int i = 0; i < cells; i++)
            assert_string_equal(carom_csv_cell(&csv, i), expected[k][i]);
    }
    assert_false(carom_csv_next(&csv));
    assert_false(csv.memory);
    fclose(csv.in);
    carom_csv_end(&csv);
}

static void test_records(void **state)
{
    (void)state;
    check_records("a,b\r\n\n\"x, \"\"y\"\"\n\",,\nlast,\"cut",
                  (const char *const *const[]){(const char *const[]){"a", "b", NULL},
                                               (const char *const[]){"x, \"y\"\n", "", "", NULL},
                                               (const char *const[]){"last", "cut", NULL}},
                  3);
    check_records("\"0,x\",row,1\n",
                  (const char *const *const[]){(const char *const[]){"0,x", "row", "1", NULL}}, 1);
    check_records("'=1,'a,''b\n",
                  (const char *const *const[]){(const char *const[]){"=1", "'a", "'b", NULL}}, 1);
}

/* A line that a killed process left is not whole, and the place of a record is that of its start.
 */
static void test_whole(void **state)
{
    (void)state;
    static const char text[] = "a\n\"b\nc\",d\n1234.5";
    carom_csv csv = {.in = fmemopen((void *)text, sizeof text - 1, "rb")};
    assert_true(carom_csv_next(&csv) && csv.whole && csv.line == 1);
    assert_true(carom_csv_next(&csv) && csv.whole && csv.line == 2);
    assert_true(carom_csv_next(&csv) && !csv.whole && csv.line == 4);
    fclose(csv.in);
    carom_csv_end(&csv);
}

/* Any text and any number come back; no cell begins like a formula. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char letters[] = "ab,\"\n\r'=+-@ \t\xC3\xA9";
    check_random random = {7};
    for (int round = 0; round < 2000; round++) {
        char text[16], *written = NULL;
        size_t size, length = (size_t)check_random_int(&random, 12);
        for (size_t k = 0; k < length; k++)
            text[k] = letters[check_random_int(&random, (int)sizeof letters - 1)];
        text[length] = '\0';
        double number =
            ldexp(check_random_in(&random, -1, 1), check_random_int(&random, 2000) - 1000);
        FILE *out = open_memstream(&written, &size);
        carom_csv_text(out, text);
        fputc(',', out);
        carom_csv_number(out, number);
        fputc(',', out);
        carom_csv_number(out, NAN);
        fputs("\n", out);
        fclose(out);
        assert_null(strchr("=+-@", written[written[0] == '"']) ? written : NULL);
        carom_csv csv = {.in = fmemopen(written, size, "rb")};
        assert_true(carom_csv_next(&csv) && csv.whole && csv.count == 3);
        assert_string_equal(carom_csv_cell(&csv, 0), text);
        double back;
        assert_true(carom_number_parse(carom_csv_cell(&csv, 1), &back) && back == number);
        assert_string_equal(carom_csv_cell(&csv, 2), "");
        fclose(csv.in);
        carom_csv_end(&csv);
        free(written);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        check_memory memory = {.fail_at = k, .onwards = true};
        carom_csv csv = {.in = fmemopen("a,b\n", 4, "rb"),
                         .allocator = {check_memory_resize, &memory}};
        assert_false(carom_csv_next(&csv));
        assert_true(csv.memory);
        fclose(csv.in);
        carom_csv_end(&csv);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
