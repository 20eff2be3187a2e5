/* Thinned curves: nothing that was left out is farther away than allowed, by brute force. */
#include "check.h"
#include "pictures/thin.h"

enum { MOST = 400 };

/* Distance of a point from a segment. */
static double distance(const double *p, const double *a, const double *b)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy;
    double s = length > 0 ? ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length : 0;
    s = fmin(fmax(s, 0), 1);
    return hypot(p[0] - a[0] - s * dx, p[1] - a[1] - s * dy);
}

/* Every point between two that stayed is beside the line from one to the other. */
static int check_thin(int count, const double *xy, double tolerance)
{
    double thin[2 * MOST];
    memcpy(thin, xy, 2 * (size_t)count * sizeof *xy);
    const int left = carom_thin_curve(count, thin, tolerance);
    assert_true(left <= count && left >= 1);
    int at = 0; /* among those that stayed */
    for (int k = 0; k < count; k++) {
        if (memcmp(xy + 2 * k, thin + 2 * (at < left ? at : left - 1), 2 * sizeof *xy) == 0)
            at++;
        else
            assert_true(at > 0 && at < left &&
                        distance(xy + 2 * k, thin + 2 * at - 2, thin + 2 * at) <= 1.5 * tolerance);
    }
    assert_int_equal(at, left);
    return left;
}

static void test_random(void **state)
{
    (void)state;
    check_random r = {20261116};
    for (int n = 0; n < 2000; n++) {
        double xy[2 * MOST], x = 0, y = 0, direction = 0;
        const int count = 1 + check_random_int(&r, MOST);
        const double turn = n % 4 ? 0.2 : 3; /* smooth ways, and such as turn back */
        for (int k = 0; k < count; k++) {
            direction += turn * check_random_in(&r, -1, 1);
            x += cos(direction) * check_random_in(&r, 0, 1);
            y += sin(direction) * check_random_in(&r, 0, 1);
            xy[2 * k] = x;
            xy[2 * k + 1] = y;
        }
        check_thin(count, xy, 0.05);
        check_thin(count, xy, 3);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    double xy[2 * MOST];
    for (int k = 0; k < MOST; k++)
        xy[2 * k] = 0.25 * k, xy[2 * k + 1] = 1 - 0.5 * k;
    assert_int_equal(check_thin(MOST, xy, 0.05), 2); /* a line has two ends */
    for (int k = 0; k < MOST; k++)
        xy[2 * k] = k < 100 ? k : 200 - k, xy[2 * k + 1] = 0;
    assert_int_equal(check_thin(200, xy, 0.05), 3); /* there and back */
    for (int k = 0; k < MOST; k++)
        xy[2 * k] = xy[2 * k + 1] = 7;
    assert_int_equal(carom_thin_curve(MOST, xy, 0.05), 2);
    /* a hole stays, and so do the points beside it */
    for (int k = 0; k < 9; k++)
        xy[2 * k] = k, xy[2 * k + 1] = k == 4 ? NAN : 0;
    assert_int_equal(carom_thin_curve(9, xy, 0.05), 5);
    assert_true(isnan(xy[5]));
    check_vector(xy, ((double[]){0, 0, 3, 0}), 4, 0);
    check_vector(xy + 6, ((double[]){5, 0, 8, 0}), 4, 0);
    assert_int_equal(carom_thin_curve(0, xy, 0.05), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
