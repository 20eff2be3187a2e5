/* Steps of stiff equations and steps to events, alone, on fixed hard sets with known solutions;
 * what is solved is counted. */
#include "solver/ode_events.h"
#include "solver/ode_stiff.h"

#include "check.h"

CHECK_ARENA(arena);

/* y' = L (y - cos t) - sin t with y(0) = 1 + away: cos t + away exp(L t). */
typedef struct relaxation {
    double L;
} relaxation;

static carom_status relax(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)error;
    dy[0] = ((const relaxation *)self)->L * (y[0] - cos(t)) - sin(t);
    return CAROM_OK;
}

/* Kaps: y1' = -(m + 2) y1 + m y2^2, y2' = y1 - y2 - y2^2, which is solved by exp(-2t), exp(-t). */
static carom_status kaps(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)t, (void)error;
    const double m = ((const relaxation *)self)->L;
    dy[0] = -(m + 2) * y[0] + m * y[1] * y[1];
    dy[1] = y[0] - y[1] - y[1] * y[1];
    return CAROM_OK;
}

/* From 0 to 1 with errors of `tolerance` a step; how many steps. */
static int follow(carom_ode_stiff *o, double tolerance)
{
    const double size[2] = {1, 1}, scale[2] = {tolerance, tolerance};
    double t = 0, h = 1e-3;
    int tries = 0;
    while (t < 1 && tries++ < 20000) {
        check_ok(carom_ode_stiff_linearise(o, t, size, NULL), NULL);
        double err = INFINITY;
        for (int k = 0; k < 60 && !(err <= 1); k++) {
            h = fmin(h, 1 - t);
            check_ok(carom_ode_stiff_try(o, t, h, NULL), NULL);
            err = carom_ode_stiff_error(o, scale);
            if (!(err <= 1))
                h *= fmin(carom_ode_stiff_factor(err), 0.9);
        }
        memcpy(o->y, o->next, sizeof *o->y * (size_t)o->n);
        t = t + h >= 1 ? 1 : t + h;
        h *= carom_ode_stiff_factor(err);
    }
    return tries;
}

/* Rates from none to 1e9, tolerances from 1e-4 to 1e-9: right to a hundred tolerances, in steps
 * whose number does not know the rate. */
static void test_stiff(void **state)
{
    (void)state;
    enum { RATES = 10, TOLERANCES = 3 };
    int solved = 0, worst = 0;
    for (int r = 0; r < RATES; r++)
        for (int k = 0; k < TOLERANCES; k++)
            for (int which = 0; which < 3;
                 which++) { /* from the slow solution, from beside it, Kaps */
                relaxation x = {which == 2 ? pow(10, r) : -pow(10, r)};
                const int n = which == 2 ? 2 : 1;
                const double tolerance = pow(10, -4 - 2.5 * k);
                carom_ode_stiff o;
                carom_arena_reset(arena);
                check_ok(carom_ode_stiff_create(arena, n, which == 2 ? kaps : relax, &x, &o, NULL),
                         NULL);
                o.y[0] = which == 1 ? 2 : 1;
                if (n == 2)
                    o.y[1] = 1;
                const int steps = follow(&o, tolerance);
                const double right = which == 2 ? exp(-2) : cos(1) + (which == 1 ? exp(x.L) : 0);
                double off = fabs(o.y[0] - right);
                if (n == 2)
                    off = fmax(off, fabs(o.y[1] - exp(-1)));
                solved += off <= 100 * tolerance;
                worst = steps > worst ? steps : worst;
            }
    assert_int_equal(solved, 3 * RATES * TOLERANCES);

    assert_true(worst <= 100);
}

/* An oscillator, y = sin t, whose events are levels: y >= level. */
typedef struct oscillator {
    const double *level;
    long asked;
} oscillator;

static carom_status swing(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)self, (void)t, (void)error;
    dy[0] = y[1];
    dy[1] = -y[0];
    return CAROM_OK;
}

static double level(void *self, int k, double t, const double *y)
{
    (void)t;
    oscillator *o = self;
    o->asked++;
    return y[0] - o->level[k];
}

/* The first event from t = -1: which, and when. */
static int first(const double *levels, int count, double *t)
{
    oscillator o = {levels, 0};
    carom_ode_events e;
    carom_error error = {0};
    const double scale[2] = {1e-12, 1e-12};
    int event = -1;
    carom_arena_reset(arena);
    check_ok(carom_ode_events_create(arena, 2, 2, swing, level, count, 16, &o, &e, &error), &error);
    e.t = -1;
    e.h = 0.1;
    e.ode.y[0] = sin(-1);
    e.ode.y[1] = cos(-1);
    check_ok(carom_ode_events_start(&e, &error), &error);
    while (event < 0 && e.t < 4 && e.h > 0)
        check_ok(carom_ode_events_step(&e, 0.5, scale, &event, &error), &error);
    *t = e.t;
    if (event >= 0 &&
        e.t > -1) /* it lands where the function is no longer negative, and not before */
        check_close(e.ode.y[0], levels[event], 1e-11);
    return event;
}

/* Levels across the swing, down to 1e-9 below its top, where the crossing lasts 9e-5: two of three
 * there are between samples. Above the top there is none. */
static void test_events(void **state)
{
    (void)state;
    int located = 0;
    enum { CROSSED = 60 };
    for (int k = 0; k < CROSSED; k++) {
        const double y = -0.8 + 1.79 * k / (CROSSED - 1);
        double t;
        located += first(&y, 1, &t) == 0 && fabs(t - asin(y)) <= 1e-10 / cos(asin(y));
    }
    assert_int_equal(located, CROSSED);
    const double above[] = {1 + 1e-9, 2};
    double t;
    assert_int_equal(first(above, 2, &t), -1);
}

/* Of several the first in time, whatever their order; of two at one instant the one with the
 * smaller number; one that holds at the start has its event there, unless it is settled. */
static void test_order(void **state)
{
    (void)state;
    check_random r = {7};
    for (int k = 0; k < 100; k++) {
        double levels[6], t;
        int least = 0;
        for (int i = 0; i < 6; i++) {
            levels[i] = check_random_in(&r, -0.8, 0.9);
            least = levels[i] < levels[least] ? i : least;
        }
        assert_int_equal(first(levels, 6, &t), least);
        check_close(t, asin(levels[least]), 1e-9);
    }
    const double same[] = {0.5, 0.25, 0.25}, start[] = {0.5, -0.9};
    double t;
    assert_int_equal(first(same, 3, &t), 1);
    assert_int_equal(first(start, 2, &t), 1);
    check_close(t, -1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
