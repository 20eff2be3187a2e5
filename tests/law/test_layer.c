/* The law `layer`: closed forms, limits, energy. */
#include "impacts.h"
#include "law/layer_motion.h"

CHECK_ARENA(arena);

static carom_layer_result follow(const carom_layer *layer)
{
    carom_layer_result r;
    carom_error error = {0};
    check_ok(carom_layer_motion_follow(layer, arena, 0, NULL, NULL, NULL, &r, &error), &error);
    assert_true(r.ended);
    return r;
}

/* d = 1 + W_0(-r e^-r) against its own equation in long double, and its series at q = 0. */
static void test_lambert(void **state)
{
    (void)state;
    for (double q = 1e-3; q < 600; q *= 1.07) {
        long double d = carom_layer_motion_lambert(q), r = 1 + (long double)q;
        assert_true(d > 0 && d <= 1);
        if (d < 1) {
            /* relative step of one more Newton iteration of (d-1) e^(d-1) = -r e^-r */
            long double f = -d - logl(1 - d) - ((long double)q - logl(r));
            check_close((double)(f * (1 - d) / d / d), 0, 1e-15);
        }
    }
    for (double q = 1e-12; q < 1e-3; q *= 3) {
        double series = q * (1 + q * (-2.0 / 3 + q * (4.0 / 9 + q * (-44.0 / 135))));
        check_close(carom_layer_motion_lambert(q) / series, 1, 1e-15 + q * q * q * q);
    }
    check_close(carom_layer_motion_lambert(0), 0, 0);
    check_close(carom_layer_motion_restitution(0), 1, 0);
    check_close(carom_layer_motion_restitution(1e300) * 1e300, 1, 1e-15);
}

/* The unit case, and c = 0. */
static void test_sharp(void **state)
{
    (void)state;
    carom_layer layer = {1, 1, 1, 1, 1, 1};
    carom_layer_result r = follow(&layer);
    check_close(r.duration, 1.593624260, 1e-9);
    check_close(r.restitution, 0.593624260, 1e-9);
    check_close(r.least, 0.735758882, 1e-9);
    check_close(r.turn, log(2), 1e-15);
    check_random rnd = {1};
    for (int trial = 0; trial < 1000; trial++) {
        double a = pow(10, check_random_in(&rnd, -3, 3)), k = pow(10, check_random_in(&rnd, -3, 3));
        double g = pow(10, check_random_in(&rnd, -9, 9)), v = pow(10, check_random_in(&rnd, -6, 6));
        layer = (carom_layer){k, 0, a, a, g, v};
        r = follow(&layer);
        double turn = g * v / (a * k);
        check_close(r.turn / turn, 1, 1e-13);
        check_close(r.duration / turn, 2, 1e-13);
        check_close(r.restitution, 1, 1e-14);
        double depth = g * v * v / (2 * a * a * k);
        check_close(r.log_least / depth, -1, 1e-12);
        /* damped: the formulas of the page, with the Lambert function as it stands */
        double c = pow(10, check_random_in(&rnd, -3, 3));
        layer.c = c;
        r = follow(&layer);
        check_close(r.restitution, a * k * r.duration / (g * v) - 1, 1e-11 * (1 + a * k / c));
        double kappa = a * k / c;
        check_close(r.restitution, carom_layer_motion_restitution(1 / kappa), 1e-14);
        if (kappa > 1e-2 && kappa < 1e2)
            check_close(r.log_least / (g * v * v / (c * a) * (kappa * log1p(1 / kappa) - 1)), 1,
                        1e-10);
        check_close(r.turn * c / (v * g), log1p(1 / kappa), 1e-12 * (1 + 1 / kappa));
        check_close(r.impulse_ratio, r.restitution, 0);
    }
}

/* Position and velocity of the sharp layer against the printed (corrected) solution. */
static void test_sharp_motion(void **state)
{
    (void)state;
    double a = 0.7, k = 1.3, c = 0.9, g = 2.1, v = 0.8, t[50], x[50], u[50];
    carom_layer layer = {k, c, a, a, g, v};
    carom_layer_result r = follow(&layer);
    for (int i = 0; i < 50; i++)
        t[i] = r.duration * (i - 5) / 40.0;
    check_ok(carom_layer_motion_follow(&layer, arena, 50, t, x, u, &r, NULL), NULL);
    for (int i = 0; i < 50; i++) {
        double tau = c * t[i] / (v * g), e = exp(-tau);
        double expected = log(a) + k * v / c * t[i] - (v / a + k * v / c) * (v * g / c) * (1 - e);
        double rate = v * ((1 - e) * k / c - e / a);
        if (t[i] < 0) {
            check_close(x[i], a - v * t[i], 1e-13);
            check_close(u[i], -v, 1e-13);
        } else if (t[i] > r.duration) {
            check_close(x[i], a + r.restitution * v * (t[i] - r.duration), 1e-12);
        } else {
            check_close(x[i], exp(expected), 1e-12);
            check_close(u[i], exp(expected) * rate, 1e-12);
        }
    }
}

/* The table of the digest, and energy without damping. */
static void test_smooth(void **state)
{
    (void)state;
    double ratio[] = {.5, .8, .9, .95, .99}, e[] = {.5756, .5909, .5930, .5935, .5936};
    for (int i = 0; i < 5; i++) {
        carom_layer layer = {1, 1, ratio[i], 1, 1, 1};
        check_close(follow(&layer).restitution, e[i], 5.1e-5);
        layer.c = 0;
        check_close(follow(&layer).restitution, 1, 1e-12);
        /* scaling: x by 3, v by 1e6, mass by 1e-9, with k and c to match */
        carom_layer_result one = follow(&(carom_layer){1, 1, ratio[i], 1, 1, 1});
        double L = 3, V = 1e6, G = 1e-9;
        layer = (carom_layer){G * V * V / L / L, G * V * V / L, L * ratio[i], L, G, V};
        carom_layer_result r = follow(&layer);
        check_close(r.restitution, one.restitution, 1e-11);
        check_close(r.duration * V / L, one.duration, 1e-10);
        check_close(r.least / L, one.least, 1e-11);
    }
    /* a weak push turns the motion inside the transition already */
    carom_layer strong = {100, 3, 0.2, 1, 1, 1};
    carom_layer_result r = follow(&strong);
    assert_true(r.least > 0.2 && r.restitution > 0 && r.restitution < 1);
}

/* The equation as the page prints it, x'' = (f/g - mu' x'^2/2)/mu, by small RK4 steps. */
static double mu_of(const carom_layer *l, double x)
{
    return 1 + carom_layer_motion_cutoff(l->a, l->b, x) * (l->b * l->b / (x * x) - 1);
}

static double acceleration(const carom_layer *l, double x, double v)
{
    double h = 1e-5, s = carom_layer_motion_cutoff(l->a, l->b, x), b2 = l->b * l->b;
    double slope = (mu_of(l, x + h) - mu_of(l, x - h)) / (2 * h);
    double f = (l->k * b2 / x - l->c * b2 / l->speed * v / (x * x)) * s;
    return (f / l->inertia - 0.5 * slope * v * v) / mu_of(l, x);
}

static void test_smooth_equation(void **state)
{
    (void)state;
    check_random r = {4};
    for (int trial = 0; trial < 6; trial++) {
        carom_layer l = {check_random_in(&r, 0.5, 3),   check_random_in(&r, 0, 2),
                         check_random_in(&r, 0.4, 0.8), 1.2,
                         check_random_in(&r, 0.5, 2),   check_random_in(&r, 0.5, 1.5)};
        carom_layer_result result = follow(&l);
        double x = l.b, v = -l.speed, h = result.duration / 20000, t[3], xs[3], vs[3];
        for (int i = 0; i < 3; i++)
            t[i] = result.duration * (i + 1) / 4.0;
        check_ok(carom_layer_motion_follow(&l, arena, 3, t, xs, vs, &result, NULL), NULL);
        for (int n = 1; n <= 20000; n++) {
            double k1 = acceleration(&l, x, v),
                   k2 = acceleration(&l, x + h / 2 * v, v + h / 2 * k1);
            double v2 = v + h / 2 * k1, v3 = v + h / 2 * k2;
            double k3 = acceleration(&l, x + h / 2 * v2, v3);
            double v4 = v + h * k3, k4 = acceleration(&l, x + h * v3, v4);
            x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
            v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            if (n % 5000 == 0 && n < 20000) {
                check_close(xs[n / 5000 - 1], x, 1e-6);
                check_close(vs[n / 5000 - 1], v, 1e-6);
            }
        }
        check_close(x, l.b, 1e-6);
        check_close(v, result.restitution * l.speed, 1e-6);
    }
}

/* n degrees of freedom: the projection, a moving wall, what it refuses. */
static void test_law(void **state)
{
    (void)state;
    check_random r = {6};
    for (int trial = 0; trial < 200; trial++) {
        impacts_case k;
        impacts_random(&k, &r, 5, 1, false, 100);
        k.w_hat[0] = check_random_in(&r, -1, 1);
        impacts_approach(&k);
        carom_geometry g;
        carom_arena_reset(arena);
        carom_outcome o = impacts_apply(&k.impact, "layer", NULL, 0, arena, &g);
        double e = 0.59362426004;
        check_close(impacts_detail(&o, "e_N"), e, 1e-10);
        check_close(impacts_detail(&o, "e_P"), e, 1e-10);
        for (int i = 0; i < 5; i++) {
            double jump = -(1 + impacts_detail(&o, "e_N")) * g.gamma[0] / g.D[0] * g.Y[i];
            check_close(o.u[i], k.u[i] + jump, 1e-12 * (1 + fabs(jump)));
        }
        check_close(o.gamma[0], -e * g.gamma[0], 1e-9);
        assert_true(o.verdict.kinematic && o.verdict.kinetic && o.verdict.energetic);
    }
    impacts_case k;
    carom_geometry g;
    carom_value wrong = {.name = "a", .kind = CAROM_PARAMETER_NUMBER, .number = 2};
    impacts_chain(&k, 2, NULL, (double[]){1, 0}, 0);
    carom_outcome o = impacts_apply(&k.impact, "layer", &wrong, 1, arena, &g);
    assert_int_equal(o.answer, CAROM_ANSWER_INAPPLICABLE);
    impacts_chain(&k, 3, NULL, (double[]){1, 0, -1}, 0);
    o = impacts_apply(&k.impact, "layer", NULL, 0, arena, &g);
    assert_int_equal(o.answer, CAROM_ANSWER_INAPPLICABLE);
    impacts_chain(&k, 2, NULL, (double[]){0, 0}, 0);
    o = impacts_apply(&k.impact, "layer", NULL, 0, arena, &g);
    assert_non_null(strstr(o.message, "no contact approaches"));
}

static void test_bad_input(void **state)
{
    (void)state;
    carom_layer_result r;
    carom_error error = {0};
    carom_layer bad[] = {{0, 1, 1, 1, 1, 1}, {1, -1, 1, 1, 1, 1}, {1, 1, 2, 1, 1, 1},
                         {1, 1, 0, 1, 1, 1}, {1, 1, 1, 1, 1, 0},  {1, 1, 1, 1, -1, 1}};
    for (int i = 0; i < 6; i++)
        assert_int_equal(carom_layer_motion_follow(&bad[i], arena, 0, NULL, NULL, NULL, &r, &error),
                         CAROM_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lambert),         cmocka_unit_test(test_sharp),
        cmocka_unit_test(test_sharp_motion),    cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_smooth_equation), cmocka_unit_test(test_law),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
