/* The checks of the tests themselves: the scale of rounding, and the list of true errors. */
#include "check.h"

/* Rounding of a few operations is near, and a digit more is not. */
static void scale_of_rounding(void **state)
{
    (void)state;
    check_near(0.1 + 0.2, 0.3, 1);
    check_near(1e300 * (0.1 + 0.2), 3e299, 1);
    check_near(cos(acos(1 - 1e-8)), 1 - 1e-8, 1);
    assert_true(fabs(1 - (1 + 1e-12)) > CHECK_ROUNDING(1));
    check_near(1, 1 + 1e-12, 1000); /* a condition of a thousand costs three digits */
}

/* A line is kept once, with the error that came nearest to its tolerance. */
static void errors_of_a_line(void **state)
{
    (void)state;
    const int before = check_site_count;
    for (int k = 0; k < 3; k++)
        check_keep("a.c", 7, "x", k == 1 ? 3e-10 : 1e-10, 1e-9);
    check_keep("a.c", 8, "y", 0, 1e-12);
    check_keep("b.c", 7, "z", 2e-13, 1e-12);
    check_keep("a.c", 7, "x", 4e-13, 1e-12);
    assert_int_equal(check_site_count - before, 3);
    const check_site *s = check_sites + before;
    assert_true(s[0].error == 4e-13 && s[0].tolerance == 1e-12);
    assert_true(s[1].error == 0 && s[2].error == 2e-13);
}

/* Lines for which there is no room are left out; those before stay. */
static void many_lines(void **state)
{
    (void)state;
    for (int line = 1; line <= 2 * CHECK_SITES; line++)
        check_keep("many.c", line, "x", 1, 2);
    assert_int_equal(check_site_count, CHECK_SITES);
    assert_string_equal(check_sites[CHECK_SITES - 1].file, "many.c");
    assert_true(check_sites[CHECK_SITES - 1].line < CHECK_SITES);
    check_site_count = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scale_of_rounding),
                                       cmocka_unit_test(errors_of_a_line),
                                       cmocka_unit_test(many_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
