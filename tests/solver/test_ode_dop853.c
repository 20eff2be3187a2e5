/* The integrator: order, error estimate, continuous solution. */
#include "solver/ode_dop853.h"

#include "check.h"

enum { S = CAROM_ODE_DOP853_STAGES };

static carom_status kepler(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)self;
    (void)t;
    (void)error;
    double r = hypot(y[0], y[1]), r3 = r * r * r;
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = -y[0] / r3, dy[3] = -y[1] / r3;
    return CAROM_OK;
}

/* The circular orbit in `steps` equal steps over one radian; returns the error at the end, *dense
 * the largest one of the continuous solution. */
static double orbit(int steps, double *dense)
{
    carom_arena *arena;
    carom_ode_dop853 ode;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_ode_dop853_create(arena, 4, 4, kepler, NULL, &ode, NULL), NULL);
    double h = 1.0 / steps, y[4];
    ode.y[0] = 1, ode.y[3] = 1;
    *dense = 0;
    for (int n = 0; n < steps; n++) {
        kepler(NULL, 0, ode.y, ode.k[0], NULL);
        check_ok(carom_ode_dop853_try(&ode, n * h, h, NULL), NULL);
        check_ok(carom_ode_dop853_dense(&ode, NULL), NULL);
        for (int i = 1; i < 8; i++) {
            carom_ode_dop853_at(&ode, i / 8.0, 4, y);
            *dense =
                fmax(*dense, hypot(y[0] - cos((n + i / 8.0) * h), y[1] - sin((n + i / 8.0) * h)));
        }
        memcpy(ode.y, ode.next, 4 * sizeof(double));
    }
    double error = hypot(ode.y[0] - cos(1), ode.y[1] - sin(1));
    carom_arena_destroy(arena);
    return error;
}

static void test_order_conditions(void **state)
{
    (void)state;
    double a[S * S], c[S], b[S], e5[S], e3[S];
    carom_ode_dop853_tableau(a, c, b, e5, e3);
    for (int i = 0; i < S; i++) {
        double sum = 0;
        for (int j = 0; j < S; j++)
            sum += a[i * S + j];
        check_close(sum, c[i], 1e-14);
    }
    for (int q = 0; q < 8; q++) { /* quadrature, and b'A c^q */
        double sum = 0, nested = 0, five = 0, three = 0;
        for (int i = 0; i < S; i++) {
            sum += b[i] * pow(c[i], q);
            five += e5[i] * pow(c[i], q);
            three += e3[i] * pow(c[i], q);
            for (int j = 0; j < S; j++)
                nested += b[i] * a[i * S + j] * pow(c[j], q);
        }
        check_close(sum, 1.0 / (q + 1), 1e-14);
        if (q < 7)
            check_close(nested, 1.0 / ((q + 1) * (q + 2)), 1e-14);
        if (q < 5)
            check_close(five, 0, 1e-13);
        if (q < 3)
            check_close(three, 0, 1e-13);
    }
}

static void test_observed_order(void **state)
{
    (void)state;
    double dense[2];
    double coarse = orbit(2, &dense[0]), fine = orbit(4, &dense[1]);
    assert_true(log2(coarse / fine) > 7.5);
    assert_true(log2(dense[0] / dense[1]) > 7);
    assert_true(fine < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_conditions),
        cmocka_unit_test(test_observed_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
