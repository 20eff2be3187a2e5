/* Certificates of restitution matrices against the propositions of their theory. */
#include "carom/certify.h"
#include "impacts.h"

CHECK_ARENA(arena);

static carom_certificates certify(const carom_impact *impact, const double *E)
{
    carom_error error = {0};
    carom_geometry *g = carom_arena_take(arena, sizeof *g);
    carom_certificates all = {0};
    check_ok(carom_impact_derive(impact, arena, g, &error), &error);
    check_ok(carom_certify_restitution(g, E, NULL, arena, &all, &error), &error);
    return all;
}

static carom_truth holds(const carom_certificates *all, const char *name)
{
    const carom_certificate *c = carom_certificates_find(all, name);
    assert_non_null(c);
    return c->holds;
}

/* Two contacts of a unit point mass in the plane with G_12 = a. */
static void corner(impacts_case *c, double a, double e1, double e2)
{
    impacts_init(c, 2, 2);
    c->impact.mass_is_diagonal = true;
    c->M[0] = c->M[1] = 1;
    c->W[0] = 1;
    c->W[2] = a;
    c->W[3] = sqrt(1 - a * a);
    c->u[0] = c->u[1] = -1;
    c->contacts[0].restitution = e1;
    c->contacts[1].restitution = e2;
}

/* Run the law v+ = -Ev- on a counter-example, from the statement alone: u+ solves N'u+ = -E N'u-,
 * square case. Returns T+ - T- relative to T-. */
static double gain_of(const impacts_case *c, const double *E, const double *u)
{
    double w[2], v[2], target[2];
    for (int i = 0; i < 2; i++) {
        w[i] = hypot(c->W[2 * i], c->W[2 * i + 1]);
        v[i] = (c->W[2 * i] * u[0] + c->W[2 * i + 1] * u[1]) / w[i];
    }
    for (int i = 0; i < 2; i++)
        target[i] = -(E[i] * v[0] + E[i + 2] * v[1]) * w[i];
    double det = c->W[0] * c->W[3] - c->W[1] * c->W[2];
    double x = (target[0] * c->W[3] - target[1] * c->W[1]) / det;
    double y = (c->W[0] * target[1] - c->W[2] * target[0]) / det;
    return (x * x + y * y) / (u[0] * u[0] + u[1] * u[1]) - 1;
}

/* The p = 2 remark: C copositive iff |e_i| <= 1 and (a <= 0 or the inequality); semidefinite iff
 * |e_i| <= 1 and the inequality. */
static void test_region_of_two_contacts(void **state)
{
    (void)state;
    const double angles[] = {-0.99, -0.6, -0.1, 0.05, 0.4, 0.8, 0.97};
    int checked = 0;
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < 200; i++)
            for (int j = 0; j < 200; j++) {
                if (k % 3 && (i + j) % 4) /* thin out four of the seven grids */
                    continue;
                carom_arena_reset(arena);
                double a = angles[k], e1 = 1.2 * i / 199, e2 = 1.2 * j / 199;
                impacts_case c;
                corner(&c, a, e1, e2);
                c.impact.flags = CAROM_IMPACT_ANY_RESTITUTION;
                carom_certificates all = certify(&c.impact, NULL);
                double inside =
                    (1 - e1 * e1) * (1 - e2 * e2) - a * a * (1 - e1 * e2) * (1 - e1 * e2);
                double slack = fmin(inside, fmin(1 - e1, 1 - e2));
                if (fabs(slack) < 1e-9 || fabs(1 - e1) < 1e-9 || fabs(1 - e2) < 1e-9)
                    continue;
                bool square = e1 <= 1 && e2 <= 1;
                double E[4] = {e1, 0, 0, e2};
                assert_int_equal(holds(&all, "energy-semidefinite"),
                                 square && inside > 0 ? CAROM_TRUE : CAROM_FALSE);
                assert_int_equal(holds(&all, "energy-copositive"),
                                 square && (a <= 0 || inside > 0) ? CAROM_TRUE : CAROM_FALSE);
                for (int q = 0; q < all.count; q++) {
                    const carom_certificate *f = &all.list[q];
                    if (strncmp(f->name, "energy-", 7) == 0 && f->counterexample) {
                        assert_true(f->verified);
                        assert_true(gain_of(&c, E, f->counterexample) > 0);
                        checked++;
                    }
                }
                /* inner bounds */
                bool six = fmax(e1, e2) <= sqrt((1 - fabs(a)) / (1 + fabs(a)));
                bool seven = e1 * e1 + e2 * e2 < (1 - a * a) / (2 * (1 + a * a));
                assert_int_equal(holds(&all, "energy-singular-value"), six);
                assert_int_equal(holds(&all, "energy-frobenius"), seven);
            }
    assert_true(checked > 10000);
}

static void test_three_balls(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    carom_certificates all = certify(&c.impact, NULL);
    assert_int_equal(holds(&all, "kinematic"), CAROM_TRUE);
    assert_int_equal(holds(&all, "kinetic"), CAROM_TRUE);
    assert_int_equal(holds(&all, "energy-copositive"), CAROM_TRUE); /* C = 0 exactly */
    assert_int_equal(holds(&all, "energy-semidefinite"), CAROM_TRUE);
    assert_int_equal(holds(&all, "energy-spectral"), CAROM_TRUE);
    assert_int_equal(holds(&all, "energy-orthogonal"), CAROM_UNDECIDED);
    assert_int_equal(holds(&all, "energy-singular-value"), CAROM_FALSE);
    /* Newton's cradle: the other conservative matrix */
    double swap[4] = {0, 1, 1, 0};
    all = certify(&c.impact, swap);
    assert_int_equal(holds(&all, "kinetic"), CAROM_TRUE);
    assert_int_not_equal(holds(&all, "energy-copositive"), CAROM_FALSE);
    assert_int_not_equal(holds(&all, "energy-semidefinite"), CAROM_FALSE);
    /* slightly more rebound than energy allows */
    double more[4] = {1.0001, 0, 0, 1};
    all = certify(&c.impact, more);
    const carom_certificate *f = carom_certificates_find(&all, "energy-copositive");
    assert_int_equal(f->holds, CAROM_FALSE);
    assert_true(f->verified);
    /* the least share lost, at v = (-1, 0) and beyond, is negative */
    assert_true(f->value < 0);
    double negative[4] = {0.5, -0.1, 0, 0.5};
    all = certify(&c.impact, negative);
    f = carom_certificates_find(&all, "kinematic");
    assert_int_equal(f->holds, CAROM_FALSE);
    check_close(f->value, -0.1, 0);
    assert_true(f->verified);
}

static void test_dependent_contacts(void **state)
{
    (void)state;
    impacts_case c;
    impacts_init(&c, 1, 2);
    c.impact.mass_is_diagonal = true;
    c.M[0] = 1;
    c.u[0] = -1;
    c.W[0] = 1;
    c.W[1] = 2;
    carom_certificates all = certify(&c.impact, NULL);
    assert_int_equal(holds(&all, "energy-copositive"), CAROM_UNDECIDED);
    assert_false(carom_certificates_find(&all, "energy-copositive")->applies);
    assert_int_equal(holds(&all, "energy-newton"), CAROM_TRUE);
    assert_non_null(carom_certificates_find(&all, "energy-orthogonal"));
}

/* On random systems and random E: sufficient conditions imply the exact one, all imply each other
 * as the propositions say, and random approaching velocities never contradict a yes. */
static void test_propositions(void **state)
{
    (void)state;
    check_random r = {21};
    int yes = 0, no = 0;
    for (int round = 0; round < 1500; round++) {
        carom_arena_reset(arena);
        int n = 2 + check_random_int(&r, 5), p = 1 + check_random_int(&r, n);
        impacts_case c;
        impacts_random(&c, &r, n, p, false, 1e3);
        double E[36], size = check_random_in(&r, 0, 1.5);
        for (int k = 0; k < p * p; k++)
            E[k] = (k % (p + 1) == 0 || round % 2) ? size * check_random_in(&r, -0.2, 1) : 0;
        carom_certificates all = certify(&c.impact, E);
        carom_truth cop = holds(&all, "energy-copositive"),
                    psd = holds(&all, "energy-semidefinite");
        assert_int_not_equal(cop, CAROM_UNDECIDED);
        yes += cop == CAROM_TRUE;
        no += cop == CAROM_FALSE;
        if (psd == CAROM_TRUE)
            assert_int_equal(cop, CAROM_TRUE);
        if (holds(&all, "energy-singular-value") == CAROM_TRUE ||
            holds(&all, "energy-frobenius") == CAROM_TRUE ||
            holds(&all, "energy-product") == CAROM_TRUE)
            assert_int_equal(psd, CAROM_TRUE);
        for (int q = 0; q < all.count; q++)
            if (all.list[q].counterexample)
                assert_true(all.list[q].verified);
        const carom_certificate *f = carom_certificates_find(&all, "energy-copositive");
        /* random approaching velocities, normal part only: relative loss >= value */
        carom_geometry g;
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        for (int sample = 0; sample < 20; sample++) {
            double v[6], after[6], D[36], x[6], y[6], t0 = 0, t1 = 0;
            for (int i = 0; i < p; i++)
                v[i] = -check_random_in(&r, 0, 1) * check_random_int(&r, 2) * g.norm[i];
            for (int i = 0; i < p; i++) {
                after[i] = 0;
                for (int j = 0; j < p; j++)
                    after[i] -= E[i + j * p] * g.norm[i] / g.norm[j] * v[j];
            }
            /* gamma'D^-1 gamma by elimination */
            for (int pass = 0; pass < 2; pass++) {
                memcpy(D, g.D, sizeof(double) * p * p);
                memcpy(x, pass ? after : v, sizeof(double) * p);
                for (int a = 0; a < p; a++)
                    for (int i = a + 1; i < p; i++) {
                        double q = D[i + a * p] / D[a + a * p];
                        for (int j = a; j < p; j++)
                            D[i + j * p] -= q * D[a + j * p];
                        x[i] -= q * x[a];
                    }
                for (int i = p - 1; i >= 0; i--) {
                    y[i] = x[i];
                    for (int j = i + 1; j < p; j++)
                        y[i] -= D[i + j * p] * y[j];
                    y[i] /= D[i + i * p];
                }
                double *t = pass ? &t1 : &t0;
                for (int i = 0; i < p; i++)
                    *t += y[i] * (pass ? after : v)[i];
            }
            if (t0 > 0)
                assert_true(1 - t1 / t0 >= f->value - 1e-7 * (1 + t1 / t0));
        }
    }
    assert_true(yes > 200 && no > 200);
}

/* Prop. 5: E = G S with S symmetric meets its premise; the verdicts agree. */
static void test_spectral_premise(void **state)
{
    (void)state;
    check_random r = {22};
    for (int round = 0; round < 300; round++) {
        carom_arena_reset(arena);
        int p = 2 + check_random_int(&r, 3);
        impacts_case c;
        impacts_random(&c, &r, p + 1, p, false, 10);
        carom_geometry g;
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        double S[16], E[16];
        for (int i = 0; i < p; i++)
            for (int j = 0; j <= i; j++)
                S[i + j * p] = S[j + i * p] = check_random_in(&r, -1, 1);
        for (int i = 0; i < p; i++)
            for (int j = 0; j < p; j++) {
                E[i + j * p] = 0;
                for (int k = 0; k < p; k++)
                    E[i + j * p] += g.D[i + k * p] / (g.norm[i] * g.norm[k]) * S[k + j * p];
            }
        carom_certificates all = certify(&c.impact, E);
        const carom_certificate *f = carom_certificates_find(&all, "energy-spectral");
        assert_true(f->applies);
        if (fabs(f->value - 1) > 1e-9)
            assert_int_equal(f->holds, holds(&all, "energy-semidefinite"));
    }
}

/* Masses times 1e9 or 1e-9 and velocities times 1e6 change no verdict and no value. */
static void test_scale(void **state)
{
    (void)state;
    check_random r = {23};
    for (int round = 0; round < 100; round++) {
        carom_arena_reset(arena);
        impacts_case c, d;
        impacts_random(&c, &r, 4, 3, false, 1e4);
        double E[9];
        for (int k = 0; k < 9; k++)
            E[k] = check_random_in(&r, -0.1, 0.9);
        d = c;
        impacts_init(&d, 4, 3);
        memcpy(d.W, c.W, sizeof c.W);
        for (int k = 0; k < 16; k++)
            d.M[k] = c.M[k] * (round % 2 ? 1e9 : 1e-9);
        for (int k = 0; k < 4; k++)
            d.u[k] = c.u[k] * 1e6;
        carom_certificates one = certify(&c.impact, E), two = certify(&d.impact, E);
        assert_int_equal(one.count, two.count);
        for (int q = 0; q < one.count; q++) {
            assert_int_equal(one.list[q].holds, two.list[q].holds);
            if (!isnan(one.list[q].value))
                check_close(one.list[q].value, two.list[q].value,
                            1e-7 * (1 + fabs(one.list[q].value)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_region_of_two_contacts), cmocka_unit_test(test_three_balls),
        cmocka_unit_test(test_dependent_contacts),     cmocka_unit_test(test_propositions),
        cmocka_unit_test(test_spectral_premise),       cmocka_unit_test(test_scale),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
