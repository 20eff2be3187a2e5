/* Arithmetic of twice the digits against integers and against its own inverse. */
#include "check.h"
#include "linalg/doubled.h"

/* |a - b| in units of b. */
static double apart(doubled a, doubled b)
{
    const doubled off = doubled_add(a, doubled_negate(b));
    return fabs(off.hi + off.lo) / fabs(b.hi);
}

static doubled random_doubled(check_random *random)
{
    const double hi = check_random_in(random, 0.5, 2) * (check_random_int(random, 2) ? 1 : -1);
    return doubled_sum(ldexp(hi, check_random_int(random, 61) - 30),
                       ldexp(check_random_in(random, -1, 1), -84));
}

/* Products of integers of 26 bits with integers of 52 are exact in 106 bits. */
static void integers(void **state)
{
    (void)state;
    const double a = 94906267, b = 4503599627370495;
    const doubled p = doubled_product(a, b);
    assert_true(p.lo != 0); /* a double does not hold it */
    const doubled q = doubled_divide_double(p, a);
    assert_true(q.hi == b && q.lo == 0);
    const doubled r = doubled_divide(p, (doubled){b, 0});
    assert_true(r.hi == a && r.lo == 0);
}

/* What is divided and multiplied again is what it was. */
static void divisions(void **state)
{
    (void)state;
    check_random random = {11};
    for (int k = 0; k < 100000; k++) {
        const doubled a = random_doubled(&random), b = random_doubled(&random);
        check_close(apart(doubled_multiply(doubled_divide(a, b), b), a), 0, DOUBLED_UNIT);
        check_close(apart(doubled_scale(doubled_divide_double(a, b.hi), b.hi), a), 0, DOUBLED_UNIT);
        check_close(apart(doubled_divide_double(a, b.hi), doubled_divide(a, (doubled){b.hi, 0})), 0,
                    DOUBLED_UNIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers), cmocka_unit_test(divisions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
