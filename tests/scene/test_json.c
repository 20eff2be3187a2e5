/* The JSON writer: numbers, nesting, failures. */
#include "json/json.h"

#include "check.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>

static carom_json_text out;

static void start(carom_json *json)
{
    carom_json_text_destroy(&out);
    carom_json_begin(json, carom_json_to_text, &out);
}

static void expect(carom_json *json, const char *text)
{
    carom_error error = {0};
    check_ok(carom_json_finish(json, &error), &error);
    assert_string_equal(out.text, text);
    carom_json_text_destroy(&out);
}

static void test_layout(void **state)
{
    (void)state;
    carom_json json;
    start(&json);
    carom_json_object(&json);
    carom_json_key(&json, "title");
    carom_json_string(&json, "three balls");
    carom_json_key(&json, "u");
    carom_json_numbers(&json, 3, (double[]){1, 0, -0.5});
    carom_json_key(&json, "D");
    carom_json_matrix(&json, 2, 2, (double[]){2, -1, 3, 4});
    carom_json_key(&json, "none");
    carom_json_numbers(&json, 3, NULL);
    carom_json_key(&json, "empty");
    carom_json_object(&json);
    carom_json_end(&json);
    carom_json_key(&json, "names");
    carom_json_strings(&json, 2, (const char *[]){"a", "b"});
    carom_json_end(&json);
    expect(&json, "{\n  \"title\": \"three balls\",\n  \"u\": [1, 0, -0.5],\n"
                  "  \"D\": [\n    [2, 3],\n    [-1, 4]\n  ],\n  \"none\": null,\n"
                  "  \"empty\": {},\n  \"names\": [\"a\", \"b\"]\n}\n");
}

static void test_numbers(void **state)
{
    (void)state;
    carom_json json;
    start(&json);
    carom_json_numbers(&json, 5, (double[]){0.1, NAN, INFINITY, -INFINITY, -0.0});
    expect(&json, "[0.1, null, null, null, -0]\n");
    check_random random = {7};
    for (int k = 0; k < 10000; k++) { /* every number comes back bit by bit */
        uint64_t bits = check_random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        start(&json);
        carom_json_number(&json, value);
        check_ok(carom_json_finish(&json, NULL), NULL);
        assert_true(strtod(out.text, NULL) == value);
    }
    start(&json);
    carom_json_row(&json);
    carom_json_integer(&json, LLONG_MIN);
    carom_json_boolean(&json, true);
    carom_json_boolean(&json, false);
    carom_json_end(&json);
    expect(&json, "[-9223372036854775808, true, false]\n");
}

static void test_decimal_point_in_any_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) /* not installed everywhere */
        skip();
    carom_json json;
    start(&json);
    carom_json_number(&json, 0.5);
    setlocale(LC_NUMERIC, "C");
    expect(&json, "0.5\n");
}

static void test_strings(void **state)
{
    (void)state;
    carom_json json;
    start(&json);
    carom_json_string(&json, "a\"b\\c\n\t\r\b\f\x01\x7F/ \xC3\xA9 \xE2\x82\xAC \xF0\x9D\x84\x9E");
    expect(&json, "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001\\u007f/ \xC3\xA9 \xE2\x82\xAC "
                  "\xF0\x9D\x84\x9E\"\n");
    /* Not UTF-8: a stray continuation, overlong, surrogate, too large, cut off. */
    const char *bad[] = {"\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"};
    for (int k = 0; k < 5; k++) {
        start(&json);
        carom_json_string(&json, bad[k]);
        check_ok(carom_json_finish(&json, NULL), NULL);
        assert_memory_equal(out.text, "\"\xEF\xBF\xBD", 4);
    }
    start(&json);
    carom_json_string(&json, NULL);
    expect(&json, "null\n");
}

static void test_long_output(void **state)
{
    (void)state;
    carom_json json;
    start(&json);
    carom_json_row(&json);
    for (int k = 0; k < 5000; k++)
        carom_json_integer(&json, k);
    carom_json_end(&json);
    check_ok(carom_json_finish(&json, NULL), NULL);
    const char *s = out.text + 1;
    for (int k = 0; k < 5000; k++) {
        char *end;
        assert_int_equal(strtol(s, &end, 10), k);
        s = end + 2;
    }
}

static carom_status full(void *self, const char *text, size_t size)
{
    (void)self, (void)text, (void)size;
    return CAROM_ERROR_OUTPUT;
}

static void test_failures(void **state)
{
    (void)state;
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, full, NULL);
    carom_json_null(&json);
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_OUTPUT);
    assert_non_null(strstr(error.text, "cannot write"));

    start(&json); /* not closed */
    carom_json_object(&json);
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_ARGUMENT);
    start(&json); /* a value without key */
    carom_json_object(&json);
    carom_json_null(&json);
    carom_json_end(&json);
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_ARGUMENT);
    start(&json); /* a key without value */
    carom_json_object(&json);
    carom_json_key(&json, "a");
    carom_json_end(&json);
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_ARGUMENT);
    start(&json); /* two documents */
    carom_json_null(&json);
    carom_json_null(&json);
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_ARGUMENT);
    start(&json); /* too deep */
    for (int k = 0; k < 200; k++)
        carom_json_array(&json);
    for (int k = 0; k < 200; k++)
        carom_json_end(&json);
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_ARGUMENT);
    start(&json); /* nothing */
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_ARGUMENT);
    carom_json_text_destroy(&out);
}

static void *no_memory(void *self, void *memory, size_t size)
{
    (void)self, (void)memory, (void)size;
    return NULL;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    carom_json_text text = {.allocator = {no_memory, NULL}};
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_text, &text);
    carom_json_null(&json);
    assert_int_equal(carom_json_finish(&json, &error), CAROM_ERROR_MEMORY);
    carom_json_text_destroy(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_strings),       cmocka_unit_test(test_decimal_point_in_any_locale),
        cmocka_unit_test(test_long_output),   cmocka_unit_test(test_failures),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
