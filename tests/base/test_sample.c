/* Samples: quantiles against their distribution functions, Sobol's points against what makes them
 * even. */
#include "carom/sample.h"
#include "check.h"

#include <math.h>
#include <string.h>

static double quantile(const char *text, double p)
{
    carom_distribution d;
    carom_error error = {0};
    check_ok(carom_distribution_parse(text, &d, &error), &error);
    return carom_distribution_quantile(&d, p);
}

static void test_quantiles(void **unused)
{
    (void)unused;
    for (int k = 1; k < 1000; k++) {
        const double p = k < 500 ? pow(10, -k / 50.0) : k / 1000.0;
        const double z = quantile("normal(0, 1)", p);
        check_close(0.5 * erfc(-z / sqrt(2)) / p, 1, 1e-13);
        check_close(quantile("normal(2,0.5)", p), 2 + 0.5 * z, 1e-14);
        check_close(quantile("lognormal( 2 , 0.5 )", p), exp(2 + 0.5 * z), 1e-12);
        check_close(1 - exp(-quantile("exponential(3)", p) / 3), p, 1e-15);
        const double x = quantile("triangular(0, 1, 3)", p);
        check_close(x < 1 ? x * x / 3 : 1 - (3 - x) * (3 - x) / 6, p, 1e-14);
        check_close(quantile("uniform(-1, 3)", p), 4 * p - 1, 1e-15);
    }
    assert_true(quantile("normal(7, 0)", 0.1) == 7);
}

static void test_refused(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"gauss(0,1)",        "normal",
                                        "normal()",          "normal(1)",
                                        "normal(1,2,3)",     "normal(1,-2)",
                                        "uniform(2,1)",      "uniform(1,x)",
                                        "uniform(1,2",       "uniform(1,2)3",
                                        "triangular(0,3,2)", "exponential(-1)",
                                        "normal(0,1,2,3)",   "",
                                        "normal(nan,1)",     "uniform(0,inf)"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        carom_distribution d;
        carom_error error = {0};
        assert_int_equal(carom_distribution_parse(wrong[k], &d, &error), CAROM_ERROR_INPUT);
        assert_non_null(strchr(error.text, '('));
    }
}

/* Each of 2^k intervals holds one of the first 2^k points, of any 2^k that follow, for every seed.
 */
static void test_intervals(void **unused)
{
    (void)unused;
    for (int d = 0; d < CAROM_SOBOL_DIMENSIONS; d++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            unsigned char seen[1024] = {0};
            for (uint32_t k = 0; k < 1024; k++) {
                const double x = carom_sobol_point(d, 2048 + k, seed);
                assert_true(x > 0 && x < 1);
                assert_int_equal(seen[(int)(x * 1024)]++, 0);
            }
        }
}

/* Every pair of dimensions fills the plane: boxes hold about as many points as they should,
 * and the mean of a product errs far less than chance would (1/32). */
static void test_pairs(void **unused)
{
    (void)unused;
    for (int a = 0; a < CAROM_SOBOL_DIMENSIONS; a++)
        for (int b = 0; b < a; b++) {
            unsigned char boxes[8][8] = {{0}};
            double sum = 0;
            for (uint32_t k = 0; k < 1024; k++) {
                const double x = carom_sobol_point(a, k, 7), y = carom_sobol_point(b, k, 7);
                boxes[(int)(8 * x)][(int)(8 * y)]++;
                sum += (x - 0.5) * (y - 0.5);
            }
            for (int k = 0; k < 64; k++) /* 16 on average */
                assert_true(boxes[k / 8][k % 8] <= 32);
            check_close(sum / 1024, 0, 1e-3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_intervals), cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
