/* Every order of impulses: closed forms, and ranges of the admissible set as outer bounds. */
#include "carom/admissible.h"
#include "carom/law.h"
#include "carom/orders.h"
#include "check.h"
#include "impacts.h"

#include <math.h>

CHECK_ARENA(arena);
static carom_geometry g;

static carom_orders explore(const carom_impact *impact, bool friction, long samples)
{
    carom_error error = {0};
    carom_orders orders;
    const carom_orders_options options = {.friction = friction, .samples = samples, .seed = 3};
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(impact, arena, &g, &error), &error);
    check_ok(carom_orders_explore(&g, &options, arena, &orders, &error), &error);
    return orders;
}

/* A block of width 1, height 2, mass 1 falls flat at speed 1: x', y', th'; corners left and right.
 */
static const double mass[] = {1, 1, 5.0 / 12}, down[] = {0, -1, 0};
static const double corners[] = {0, 1, -0.5, 0, 1, 0.5}, slips[] = {1, 0, 1, 1, 0, 1};

static carom_impact block(double mu, double e, carom_contact contacts[2])
{
    for (int k = 0; k < 2; k++) {
        contacts[k] = carom_contact_default();
        contacts[k].restitution = e;
        contacts[k].friction_static = contacts[k].friction_dynamic = mu;
        contacts[k].slip_count = 1;
    }
    return (carom_impact){.n = 3,
                          .p = 2,
                          .mass_is_diagonal = true,
                          .M = mass,
                          .u = down,
                          .W = corners,
                          .H = slips,
                          .contacts = contacts};
}

static void test_block(void **state)
{
    (void)state;
    carom_contact contacts[2];
    const carom_impact impact = block(0, 0, contacts);
    carom_orders o = explore(&impact, false, 0);
    check_close(o.low[2], -0.1875, 1e-14);
    check_close(o.high[2], 0.1875, 1e-14);
    assert_int_equal(o.samples, 2);
    o = explore(&impact, false, 500);
    check_close(o.low[2], -0.1875, 1e-12);
    check_close(o.high[2], 0.1875, 1e-12);
    assert_int_equal(o.endless, 0);
    /* the same with friction that is zero */
    o = explore(&impact, true, 500);
    check_close(o.high[2], 0.1875, 1e-12);
}

/* Right corner first, mu = 1: it slips to the right (D_nt = 1.2), friction pushes to the left with
 * the normal impulse until it sticks ... followed here by a fine integration of Routh's equations.
 */
static void follow(double mu, int i, double u[3])
{
    const double *w = corners + 3 * i, *h = slips + 3 * i, step = 1e-6;
    for (;;) {
        double gamma = 0, v = 0;
        for (int k = 0; k < 3; k++)
            gamma += w[k] * u[k], v += h[k] * u[k];
        if (gamma >= 0)
            return;
        /* implicit in the slip: stick where one step would carry it across zero */
        double D_nt = 0, D_tt = 0;
        for (int k = 0; k < 3; k++)
            D_nt += w[k] * h[k] / mass[k], D_tt += h[k] * h[k] / mass[k];
        double kappa = -(v / step + D_nt) / D_tt;
        kappa = fmin(fmax(kappa, -mu), mu);
        for (int k = 0; k < 3; k++)
            u[k] += step * (w[k] + kappa * h[k]) / mass[k];
    }
}

static void test_friction(void **state)
{
    (void)state;
    static const double coefficients[] = {0.05, 0.2, 0.5, 2};
    for (int c = 0; c < 4; c++) {
        carom_contact contacts[2];
        const carom_impact impact = block(coefficients[c], 0, contacts);
        carom_orders o = explore(&impact, true, 0);
        double u[3] = {0, -1, 0};
        for (int turn = 0; turn < 40; turn++) /* right, left, right, ... until none approaches */
            follow(coefficients[c], 1 - turn % 2, u);
        check_close(fmax(o.high[2], -o.low[2]), fabs(u[2]), 2e-5);
        check_close(o.low[2], -o.high[2], 1e-12); /* the mirror image */
    }
}

/* Elastic balls in a row: in turn or not, orders keep the energy and stay in S; the toy's answer is
 * among them, and ranges of S hold them all. */
static void test_balls(void **state)
{
    (void)state;
    for (int n = 3; n <= 6; n++) {
        double ones[6] = {1, 1, 1, 1, 1, 1}, first[6] = {1, 0, 0, 0, 0, 0};
        for (int half = 0; half < 2; half++) {
            impacts_case c;
            impacts_chain(&c, n, ones, first, half ? 0.5 : 1);
            carom_orders o = explore(&c.impact, false, 200);
            carom_error error = {0};
            carom_admissible S;
            check_ok(carom_admissible_make(&g, arena, &S, &error), &error);
            if (!half)
                check_close(o.high[n - 1], 1, 1e-12);
            for (int j = 0; j < n; j++) {
                double weights[6] = {0};
                carom_admissible_range range;
                weights[j] = 1;
                check_ok(carom_admissible_find_range(&S, weights, S.speed, arena, &range, &error),
                         &error);
                assert_true(o.low[j] >= range.low_proved - 1e-9);
                assert_true(o.high[j] <= range.high_proved + 1e-9);
                check_close(range.high, range.high_proved, 1e-9);
                check_close(range.low, range.low_proved, 1e-9);
            }
            for (int k = 0; k < o.extreme_count; k++) {
                carom_membership m;
                check_ok(carom_admissible_contains(&S, o.extremes + k * n, 1e-8, arena, &m, NULL),
                         NULL);
                assert_true(m.inside);
            }
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    carom_contact contacts[2];
    carom_impact impact = block(INFINITY, 0, contacts);
    carom_error error = {0};
    carom_orders orders;
    const carom_orders_options options = {.friction = true};
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
    assert_int_equal(carom_orders_explore(&g, &options, arena, &orders, &error),
                     CAROM_ERROR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
