/* Certificates of admissible outcomes: regions of two coefficients, margins, micro-gaps. */
#include "carom/certify.h"
#include "impacts.h"

CHECK_ARENA(arena);

/* The curves are where the formula changes its mind. */
static void test_pair_region(void **state)
{
    (void)state;
    for (double a = -0.95; a < 1; a += 0.19) {
        carom_pair_region r;
        check_ok(carom_pair_region_make(a, 101, arena, &r, NULL), NULL);
        for (int i = 1; i < 100; i++) {
            double e = r.e1[i], d = 1e-9;
            assert_true(carom_pair_region_holds(a, e, r.upper[i] - d, false));
            assert_false(carom_pair_region_holds(a, e, r.upper[i] + d, false));
            assert_true(carom_pair_region_holds(a, e, r.lower[i] + d, false));
            assert_false(carom_pair_region_holds(a, e, r.lower[i] - d, false));
            assert_int_equal(carom_pair_region_holds(a, e, 0.999, true),
                             a <= 0 || carom_pair_region_holds(a, e, 0.999, false));
        }
        /* the inner bounds are inside and touch nothing outside */
        for (int k = 0; k < 100; k++) {
            double angle = 0.0628 * k, c = cos(angle), s = sin(angle);
            double w = r.half_width / fmax(fabs(c), fabs(s));
            assert_true(
                carom_pair_region_holds(a, w * c * (1 - 1e-12), w * s * (1 - 1e-12), false));
            assert_true(carom_pair_region_holds(a, r.radius * c, r.radius * s, false));
        }
        /* Prop. 6 is sharp at e1 = -e2 */
        assert_false(
            carom_pair_region_holds(a, r.half_width * 1.0001, -r.half_width * 1.0001, false));
    }
    assert_int_equal(carom_pair_region_make(1, 5, arena, NULL, NULL), CAROM_ERROR_ARGUMENT);
}

static carom_truth copositive_at(const carom_geometry *g, const double *E, const char *name)
{
    carom_certificates all = {0};
    check_ok(carom_certify_restitution(g, E, NULL, arena, &all, NULL), NULL);
    return carom_certificates_find(&all, name)->holds;
}

/* s E is certified just below the scale and refuted just above; the box likewise at its worst
 * corner. */
static void test_margins(void **state)
{
    (void)state;
    check_random r = {51};
    for (int round = 0; round < 60; round++) {
        carom_arena_reset(arena);
        int p = 1 + check_random_int(&r, 4);
        impacts_case c;
        carom_geometry g;
        carom_margins m;
        impacts_random(&c, &r, p + 1, p, false, 10);
        double E[16], F[16];
        for (int k = 0; k < p * p; k++)
            E[k] = check_random_in(&r, -0.3, 1);
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        check_ok(carom_margins_find(&g, E, NULL, arena, &m, NULL), NULL);
        assert_true(m.scale_approaching >= m.scale_all * (1 - 1e-9));
        assert_true(m.box_approaching >= m.box_all * (1 - 1e-9) && m.box_all <= 1);
        for (int side = -1; side <= 1; side += 2)
            for (int kind = 0; kind < 2; kind++) {
                double s = (kind ? m.scale_all : m.scale_approaching) * (1 + side * 1e-6);
                for (int k = 0; k < p * p; k++)
                    F[k] = s * E[k];
                assert_int_equal(
                    copositive_at(&g, F, kind ? "energy-semidefinite" : "energy-copositive"),
                    side < 0 ? CAROM_TRUE : CAROM_FALSE);
            }
        /* corners of the box */
        for (int kind = 0; kind < 2; kind++) {
            double e = kind ? m.box_all : m.box_approaching;
            const char *name = kind ? "energy-semidefinite" : "energy-copositive";
            bool refuted = false;
            for (int mask = 1; mask < 1 << p; mask++) {
                memset(F, 0, sizeof F);
                for (int i = 0; i < p; i++)
                    F[i * (p + 1)] = mask >> i & 1 ? e * (1 - 1e-6) : 0;
                assert_int_equal(copositive_at(&g, F, name), CAROM_TRUE);
                for (int i = 0; i < p; i++)
                    F[i * (p + 1)] = mask >> i & 1 ? e * (1 + 1e-6) : 0;
                refuted = refuted || copositive_at(&g, F, name) == CAROM_FALSE;
            }
            assert_true(refuted);
            /* and a point inside */
            memset(F, 0, sizeof F);
            for (int i = 0; i < p; i++)
                F[i * (p + 1)] = check_random_in(&r, 0, e * 0.999);
            assert_int_equal(copositive_at(&g, F, name), CAROM_TRUE);
        }
    }
}

/* Example 1: three equal balls, (1, 0, 0): e1^2 + e21^2 + e1 e21 = 1 from (1, 0) to (0, 1). */
static void test_ellipse_of_three_balls(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_same_energy curve;
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
    check_ok(carom_same_energy_find(&g, 1, 50, arena, &curve, NULL), NULL);
    assert_int_equal(curve.count, 50);
    assert_int_equal(curve.matrix_freedoms, 2);
    double v = g.gamma[0] / g.norm[0], first = INFINITY, second = INFINITY;
    check_close(v, -sqrt(0.5), 1e-15);
    for (int k = 0; k < 50; k++) {
        double e1 = curve.v[2 * k] / -v, e21 = curve.v[2 * k + 1] / -v;
        check_close(e1 * e1 + e21 * e21 + e1 * e21, 1, 1e-12);
        assert_true(e1 >= -1e-9 && e21 >= -1e-9);
        first = fmin(first, hypot(e1 - 1, e21));
        second = fmin(second, hypot(e1, e21 - 1));
    }
    check_close(first, 0, 1e-9);
    check_close(second, 0, 1e-9);
}

static void test_micro_gaps(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_micro_gaps gaps;
    carom_error error = {0};
    carom_law newton = {carom_law_find("newton"), NULL, 0};
    /* three equal balls, elastic: together (-1/3, 2/3, 2/3), one after the other (0, 0, 1) */
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
    check_ok(carom_micro_gaps_find(&newton, &g, NULL, arena, &gaps, &error), &error);
    assert_int_equal(gaps.orders, 3);
    assert_int_equal(gaps.count, 2);
    assert_true(gaps.list[0].simultaneous);
    check_vector(gaps.list[0].u, ((double[]){-1.0 / 3, 2.0 / 3, 2.0 / 3}), 3, 1e-12);
    check_vector(gaps.list[1].u, ((double[]){0, 0, 1}), 3, 1e-12);
    assert_int_equal(gaps.list[0].orders + gaps.list[1].orders, 3);
    assert_true(gaps.first_matters[1]);
    check_close(gaps.list[1].energy_change, 0, 1e-14);
    /* contact 2 closing first (at rest) changes nothing */
    assert_false(gaps.first_matters[2]);
    /* contacts at right angles: the order does not matter */
    impacts_init(&c, 3, 3);
    c.impact.mass_is_diagonal = true;
    for (int i = 0; i < 3; i++) {
        c.M[i] = 1 + i;
        c.W[i + 3 * i] = 1;
        c.u[i] = -1 - i;
        c.contacts[i].restitution = 0.3 * i;
    }
    check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
    check_ok(carom_micro_gaps_find(&newton, &g, NULL, arena, &gaps, &error), &error);
    assert_int_equal(gaps.orders, 13);
    assert_int_equal(gaps.count, 1);
    assert_int_equal(gaps.list[0].orders, 13);
    for (int set = 1; set < 7; set++)
        assert_false(gaps.first_matters[set]);
    /* five balls: the cradle; energy is kept on every path */
    impacts_chain(&c, 5, NULL, (double[]){1, 0, 0, 0, 0}, 1);
    check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
    check_ok(carom_micro_gaps_find(&newton, &g, NULL, arena, &gaps, &error), &error);
    assert_int_equal(gaps.orders, 75);
    bool cradle = false;
    int orders = 0;
    for (int k = 0; k < gaps.count; k++) {
        check_close(gaps.list[k].energy_change, 0, 1e-12);
        cradle = cradle || fabs(gaps.list[k].u[4] - 1) < 1e-12;
        orders += gaps.list[k].orders;
    }
    assert_true(cradle && gaps.count > 3);
    assert_int_equal(orders + gaps.failed, 75);
}

static void test_summaries(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    impacts_chain(&c, 4, NULL, (double[]){1, 0, 0, -1}, 0.5);
    check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
    for (int k = 0; k < carom_law_count(); k++) {
        carom_law law = {carom_law_at(k), NULL, 0};
        carom_promise promise;
        check_ok(carom_law_promise(&law, &g, arena, &promise, NULL), NULL);
        assert_true(strlen(promise.text) > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_region),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_ellipse_of_three_balls),
        cmocka_unit_test(test_micro_gaps),
        cmocka_unit_test(test_summaries),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
