/* The law `layer`: closed forms, limits, energy. */
#include "carom/layer.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

static carom_layer_result follow(const carom_layer *layer)
{
    carom_layer_result r;
    carom_error error = {0};
    check_ok(carom_layer_follow(layer, arena, 0, NULL, NULL, NULL, &r, &error), &error);
    assert_true(r.ended);
    return r;
}

/* d = 1 + W_0(-r e^-r) against its own equation in long double, and its series at q = 0. */
static void test_lambert(void **state)
{
    (void)state;
    for (double q = 1e-3; q < 600; q *= 1.07) {
        long double d = carom_layer_lambert(q), r = 1 + (long double)q;
        assert_true(d > 0 && d <= 1);
        if (d < 1) {
            /* relative step of one more Newton iteration of (d-1) e^(d-1) = -r e^-r */
            long double f = -d - logl(1 - d) - ((long double)q - logl(r));
            check_close((double)(f * (1 - d) / d / d), 0, 1e-15);
        }
    }
    for (double q = 1e-12; q < 1e-3; q *= 3) {
        double series = q * (1 + q * (-2.0 / 3 + q * (4.0 / 9 + q * (-44.0 / 135))));
        check_close(carom_layer_lambert(q) / series, 1, 1e-15 + q * q * q * q);
    }
    check_close(carom_layer_lambert(0), 0, 0);
    check_close(carom_layer_restitution(0), 1, 0);
    check_close(carom_layer_restitution(1e300) * 1e300, 1, 1e-15);
}

/* The unit case, and c = 0. */
static void test_sharp(void **state)
{
    (void)state;
    carom_layer layer = {1, 1, 1, 1, 1, 1, CAROM_LAYER_SOURCE};
    carom_layer_result r = follow(&layer);
    check_close(r.duration, 1.593624260, 1e-9);
    check_close(r.restitution, 0.593624260, 1e-9);
    check_close(r.least, 0.735758882, 1e-9);
    check_close(r.turn, log(2), 1e-15);
    check_random rnd = {1};
    for (int trial = 0; trial < 1000; trial++) {
        double a = pow(10, check_random_in(&rnd, -3, 3)), k = pow(10, check_random_in(&rnd, -3, 3));
        double g = pow(10, check_random_in(&rnd, -9, 9)), v = pow(10, check_random_in(&rnd, -6, 6));
        layer = (carom_layer){k, 0, a, a, g, v, trial % 2};
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
        check_close(r.restitution, carom_layer_restitution(1 / kappa), 1e-14);
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
    carom_layer layer = {k, c, a, a, g, v, CAROM_LAYER_SOURCE};
    carom_layer_result r = follow(&layer);
    for (int i = 0; i < 50; i++)
        t[i] = r.duration * (i - 5) / 40.0;
    check_ok(carom_layer_follow(&layer, arena, 50, t, x, u, &r, NULL), NULL);
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

/* The speed at which a passage is really left, as integrated, which no closed form has touched. */
static double leaving_speed(const carom_layer *layer, carom_layer_result *r)
{
    *r = follow(layer);
    double t = 2 * r->duration, x, u;
    check_ok(carom_layer_follow(layer, arena, 1, &t, &x, &u, r, NULL), NULL);
    return u;
}

/* e_N does not depend on a/b, speed or metric: it is that of the sharp layer, with b. */
static void test_transition(void **state)
{
    (void)state;
    family f = family_start("restitution of layers with a transition", 71, 200);
    while (family_next(&f)) {
        check_random *rnd = &f.random;
        const double b = pow(10, check_random_in(rnd, -2, 2)),
                     g = pow(10, check_random_in(rnd, -2, 2)),
                     v = pow(10, check_random_in(rnd, -2, 2)),
                     K = pow(10, check_random_in(rnd, -1, 1)),
                     q = f.member % 7 ? pow(10, check_random_in(rnd, -2, 1)) : 0;
        const double k = K * g * v * v / (b * b);
        const carom_layer layer = {k,
                                   q * b * k,
                                   check_random_in(rnd, 0.1, 0.99) * b,
                                   b,
                                   g,
                                   v,
                                   f.member % 2 ? CAROM_LAYER_SMOOTH : CAROM_LAYER_SOURCE};
        carom_layer_result r;
        const double e = leaving_speed(&layer, &r) / v;
        family_check(&f, fabs(e - carom_layer_restitution(q)) <= 1e-11, "e_N %.15g, closed %.15g",
                     e, carom_layer_restitution(q));
        family_check(&f, r.restitution == carom_layer_restitution(layer.c / b / k), "told %.15g",
                     r.restitution);
    }
    family_end(&f);
    /* the numbers of the page */
    carom_layer_result r;
    for (int metric = 0; metric < 2; metric++)
        for (double part = 0.3; part < 0.95; part += 0.3) {
            check_close(leaving_speed(&(carom_layer){1, 1, part, 1, 1, 1, metric}, &r),
                        0.59362426004, 1e-10);
            const double fast = 4.43;
            check_close(leaving_speed(&(carom_layer){2, 1, part, 1, 1, fast, metric}, &r) / fast,
                        0.74843493160, 1e-10);
        }
    /* a strong push turns the motion inside the transition already */
    carom_layer strong = {100, 3, 0.2, 1, 1, 1, CAROM_LAYER_SOURCE};
    r = follow(&strong);
    assert_true(r.least > 0.2 && r.least < 1);
    check_close(log(r.least), r.log_least, 1e-15);
    /* hardly any damping, or hardly any distance: the logarithm tells */
    r = follow(&(carom_layer){1, 1e-200, 1, 1, 1, 1, CAROM_LAYER_SOURCE});
    check_close(r.log_least, -0.5, 1e-14);
    check_close(r.least, exp(-0.5), 1e-14);
    r = follow(&(carom_layer){1, 0, 1, 1, 1, 100, CAROM_LAYER_SOURCE});
    check_close(r.log_least, -5000, 1e-9);
    check_close(r.least, 0, 0);
}

/* The equation in its own variables, x'' = (f/g - mu' x'^2/2)/mu with mu and f of either metric, by
 * small steps of Runge and Kutta: another method, another form. */
static double mu_of(const carom_layer *l, double x)
{
    const double whole = l->b * l->b / (x * x);
    if (l->metric == CAROM_LAYER_SOURCE)
        return x <= l->b ? whole : 1;
    return 1 + carom_layer_cutoff(l->a, l->b, x) * (whole - 1);
}

static double acceleration(const carom_layer *l, double x, double v)
{
    const double h = 1e-5 * l->b, mu = mu_of(l, x), s = carom_layer_cutoff(l->a, l->b, x);
    const double slope = l->metric == CAROM_LAYER_SOURCE
                             ? (x <= l->b ? -2 * mu / x : 0)
                             : (mu_of(l, x + h) - mu_of(l, x - h)) / (2 * h);
    /* the damping sees x'/x in the metric of the source, sqrt(mu) x'/b in the smooth one */
    const double rate = l->metric == CAROM_LAYER_SOURCE ? v / x : sqrt(mu) * v / l->b;
    const double f = s * l->b * l->b / x * (l->k - l->c / l->speed * rate);
    return (f / l->inertia - 0.5 * slope * v * v) / mu;
}

static void test_equation(void **state)
{
    (void)state;
    check_random r = {4};
    for (int trial = 0; trial < 12; trial++) {
        carom_layer l = {check_random_in(&r, 0.5, 3),
                         check_random_in(&r, 0, 2),
                         check_random_in(&r, 0.4, 0.8),
                         1.2,
                         check_random_in(&r, 0.5, 2),
                         check_random_in(&r, 0.5, 1.5),
                         trial % 2 ? CAROM_LAYER_SMOOTH : CAROM_LAYER_SOURCE};
        carom_layer_result result = follow(&l);
        double x = l.b, v = -l.speed, h = result.duration / 20000, t[3], xs[3], vs[3];
        for (int i = 0; i < 3; i++)
            t[i] = result.duration * (i + 1) / 4.0;
        check_ok(carom_layer_follow(&l, arena, 3, t, xs, vs, &result, NULL), NULL);
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
        check_close(x, l.b, 2e-4); /* the metric of the source has a bend at b */
        check_close(v, result.restitution * l.speed, 2e-4);
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
    const carom_layer_metric m = CAROM_LAYER_SOURCE;
    carom_layer bad[] = {{0, 1, 1, 1, 1, 1, m}, {1, -1, 1, 1, 1, 1, m}, {1, 1, 2, 1, 1, 1, m},
                         {1, 1, 0, 1, 1, 1, m}, {1, 1, 1, 1, 1, 0, m},  {1, 1, 1, 1, -1, 1, m}};
    for (int i = 0; i < 6; i++)
        assert_int_equal(carom_layer_follow(&bad[i], arena, 0, NULL, NULL, NULL, &r, &error),
                         CAROM_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lambert),      cmocka_unit_test(test_sharp),
        cmocka_unit_test(test_sharp_motion), cmocka_unit_test(test_transition),
        cmocka_unit_test(test_equation),     cmocka_unit_test(test_law),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
