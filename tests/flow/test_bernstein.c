/* Bernstein polynomials: first roots against brute force, none missed. */
#include "check.h"
#include "flow/bernstein.h"

static double polynomial(const double *roots, int count, double sign, double x)
{
    double v = sign;
    for (int k = 0; k < count; k++)
        v *= x - roots[k];
    return v;
}

static void interpolate(const double *roots, int count, double sign, double *b)
{
    double v[CAROM_BERNSTEIN_NODES];
    for (int k = 0; k < CAROM_BERNSTEIN_NODES; k++)
        v[k] = polynomial(roots, count, sign, carom_bernstein_node[k]);
    carom_bernstein_interpolate(v, b);
}

static void test_values(void **state)
{
    (void)state;
    check_random r = {7};
    for (int round = 0; round < 1000; round++) {
        double roots[7], b[8];
        for (int k = 0; k < 7; k++)
            roots[k] = check_random_in(&r, -1, 2);
        interpolate(roots, 7, 1, b);
        double x = check_random_in(&r, 0, 1);
        check_close(carom_bernstein_value(b, 7, x), polynomial(roots, 7, 1, x), 1e-12);
    }
}

/* Random roots in and out of the interval, pairs as near as 1e-6: the first change to negative. */
static void test_first_negative(void **state)
{
    (void)state;
    check_random r = {11};
    for (int round = 0; round < 20000; round++) {
        double roots[7], b[8], expected = -1;
        int count = 1 + check_random_int(&r, 7);
        for (int k = 0; k < count; k++) {
            roots[k] = check_random_in(&r, -0.5, 1.5);
            if (k % 2 == 1 && check_random_int(&r, 3) == 0)
                roots[k] = roots[k - 1] + check_random_in(&r, 1e-6, 1e-3);
        }
        double sign = polynomial(roots, count, 1, 0) > 0 ? 1 : -1;
        for (int k = 0; k < count; k++)
            if (roots[k] > 0 && roots[k] < 1 && (expected < 0 || roots[k] < expected))
                expected = roots[k];
        interpolate(roots, count, sign, b);
        double x = carom_bernstein_first_negative(b, 7);
        if (expected < 0) {
            assert_true(x < 0);
        } else if (fabs(x - expected) > 1e-9) {
            /* rounding of a near-double root may move it or remove it, by its own size only */
            double slack = fabs(polynomial(roots, count, 1, expected + 5e-4));
            assert_true(slack < 1e-3);
            if (x >= 0)
                assert_true(x >= expected - 1e-5);
        }
    }
}

/* A dip below zero as small as 1e-14 between the nodes is found. */
static void test_small_dip(void **state)
{
    (void)state;
    for (double d = 1e-2; d > 5e-15; d *= 0.1) {
        double v[8], b[8];
        for (int k = 0; k < 8; k++) {
            double x = carom_bernstein_node[k] - 0.3001;
            v[k] = x * x - d;
        }
        carom_bernstein_interpolate(v, b);
        double x = carom_bernstein_first_negative(b, 7);
        check_close(x, 0.3001 - sqrt(d), 1e-15 / sqrt(d) + 1e-14);
    }
}

/* A function that starts at zero: the start is divided out, once or twice. */
static void test_deflation(void **state)
{
    (void)state;
    for (int fresh = 1; fresh <= 2; fresh++) {
        double v[8], b[8];
        for (int k = 0; k < 8; k++) {
            double x = carom_bernstein_node[k];
            v[k] = pow(x, fresh) * (0.75 - x);
        }
        carom_bernstein_interpolate(v, b);
        for (int k = 0; k < fresh; k++)
            carom_bernstein_deflate(7 - k, b, b);
        check_close(carom_bernstein_first_negative(b, 7 - fresh), 0.75, 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_first_negative),
        cmocka_unit_test(test_small_dip), cmocka_unit_test(test_deflation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
