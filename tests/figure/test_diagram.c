/* Diagrams of sweeps: where points lie, how small the document stays, no memory. */
#include "check.h"
#include "check_memory.h"
#include "pictures/diagram.h"
#include "svg_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 200000 };

static void draw(const carom_diagram *d, char **text, size_t *size)
{
    carom_error error = {0};
    check_ok(carom_diagram_draw(d, NULL, text, size, &error), &error);
}

/* Dots of a series: the numbers after "M" in its path. */
static int count_dots(const char *text, const char *series)
{
    char start[64];
    snprintf(start, sizeof start, "<path class=\"%s\"", series);
    const char *path = strstr(text, start);
    int count = 0;
    assert_non_null(path);
    for (size_t k = 0; path[k] != '>'; k++)
        count += path[k] == 'M';
    return count;
}

static void test_points(void **state)
{
    (void)state;
    const double xy[] = {0, 0, 1, 1, 1, 1, 2, NAN, 2, 4, INFINITY, 1};
    const int of[] = {0, 0, 0, 0, 1, 1};
    const char *const names[] = {"up", "down"};
    const carom_diagram d = {.title = "a <title>",
                             .x = "e",
                             .y = "x'",
                             .series_count = 2,
                             .series = names,
                             .count = 6,
                             .xy = xy,
                             .of = of};
    size_t size;
    char *text, *again;
    draw(&d, &text, &size);
    draw(&d, &again, &size);
    assert_string_equal(text, again);
    assert_int_equal(strlen(text), size);
    assert_int_equal(count_dots(text, "c0"), 2); /* two in one place, one nowhere */
    assert_int_equal(count_dots(text, "c1"), 1);
    assert_non_null(strstr(text, "a &lt;title&gt;"));
    assert_non_null(strstr(text, ">down<"));
    free(text);
    free(again);
}

/* However many there are, a place has one dot. */
static void test_many(void **state)
{
    (void)state;
    double *xy = malloc(2 * MANY * sizeof *xy);
    int *of = calloc(MANY, sizeof *of);
    for (int k = 0; k < MANY; k++) {
        xy[2 * k] = k % 100;
        xy[2 * k + 1] = k % 1000 < 990 ? sin(k % 10) : 3;
    }
    const carom_diagram d = {
        .title = "", .x = "", .y = "", .series_count = 1, .count = MANY, .xy = xy, .of = of};
    size_t size;
    char *text;
    draw(&d, &text, &size);
    assert_true(size < 40000);
    assert_in_range(count_dots(text, "c0"), 100, 1100);
    free(text);
    free(xy);
    free(of);
}

static void test_nothing(void **state)
{
    (void)state;
    const double xy[] = {NAN, 1};
    const int of[] = {0};
    const carom_diagram d = {
        .title = "", .x = "", .y = "", .series_count = 1, .count = 1, .xy = xy, .of = of};
    carom_error error = {0};
    char *text;
    size_t size;
    assert_int_equal(carom_diagram_draw(&d, NULL, &text, &size, &error), CAROM_ERROR_ARGUMENT);
    const double one[] = {2, 3};
    const carom_diagram single = {
        .title = "", .x = "", .y = "", .series_count = 1, .count = 1, .xy = one, .of = of};
    carom_status status = CAROM_ERROR_MEMORY;
    for (int fail_at = 0; status != CAROM_OK; fail_at++) {
        check_memory m = {.fail_at = fail_at, .onwards = true};
        const carom_allocator allocator = {check_memory_resize, &m};
        status = carom_diagram_draw(&single, &allocator, &text, &size, &error);
        if (status == CAROM_OK)
            check_memory_resize(&m, text, 0);
        else
            assert_int_equal(status, CAROM_ERROR_MEMORY);
        assert_int_equal(m.live, 0);
        assert_true(fail_at < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
