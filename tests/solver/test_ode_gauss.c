/* Collocation: what the formula integrates exactly, and what it says of its error. */
#include "solver/ode_gauss.h"

#include "check.h"

#include <float.h>

enum { S = CAROM_ODE_GAUSS_NODES };

/* Powers up to 2S - 1 over the interval, up to S - 1 to the nodes, and twice. */
static void test_powers(void **unused)
{
    (void)unused;
    carom_ode_gauss g;
    carom_ode_gauss_create(&g);
    for (int k = 0; k < 2 * S; k++) {
        double once = 0, twice = 0;
        for (int i = 0; i < S; i++) {
            once += g.b[i] * pow(g.c[i], k);
            twice += g.bb[i] * pow(g.c[i], k);
        }
        check_close(once, 1.0 / (k + 1), 8 * DBL_EPSILON);
        if (k < 2 * S - 1)
            check_close(twice, 1.0 / (k + 1) / (k + 2), 8 * DBL_EPSILON);
    }
    for (int k = 0; k < S; k++)
        for (int i = 0; i < S; i++) {
            double once = 0, twice = 0;
            for (int j = 0; j < S; j++) {
                once += g.a[i][j] * pow(g.c[j], k);
                twice += g.aa[i][j] * pow(g.c[j], k);
            }
            check_close(once, pow(g.c[i], k + 1) / (k + 1), 16 * DBL_EPSILON);
            if (k < S - 1)
                check_close(twice, pow(g.c[i], k + 2) / (k + 1) / (k + 2), 16 * DBL_EPSILON);
        }
}

/* Legendre's coefficients of 1/(x + r), x in [-1, 1], and an error that is no less than the true
 * one, and not much more. */
static void test_error(void **unused)
{
    (void)unused;
    carom_ode_gauss g;
    carom_ode_gauss_create(&g);
    for (double r = 1.2; r < 20; r *= 1.3) {
        double size[S] = {0}, value = 0;
        for (int i = 0; i < S; i++)
            value += g.b[i] / (2 * g.c[i] - 1 + r);
        for (int l = 0; l < S; l++) {
            double sum = 0;
            for (int i = 0; i < S; i++)
                sum += g.p[l][i] / (2 * g.c[i] - 1 + r);
            size[l] = fabs(sum);
        }
        check_close(size[0], value, 4 * DBL_EPSILON);
        const double off = fabs(value - log((r + 1) / (r - 1)) / 2);
        const double told = carom_ode_gauss_error(size);
        assert_true(told >= off - 8 * DBL_EPSILON);
        assert_true(off < 1e-12 || told < 1000 * off);
    }
    const double nothing[S] = {0};
    assert_true(carom_ode_gauss_error(nothing) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers), cmocka_unit_test(test_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
