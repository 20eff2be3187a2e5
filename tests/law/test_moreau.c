/* `moreau` and `inelastic`: closed forms, second-order cones, re-entrant corners, optimality. */
#include "impacts.h"

CHECK_ARENA(arena);
static carom_geometry g;

static carom_outcome apply(const impacts_case *c, const char *law)
{
    carom_arena_reset(arena);
    return impacts_apply(&c->impact, law, NULL, 0, arena, &g);
}

static const carom_detail *detail(const carom_outcome *o, const char *name)
{
    for (int i = 0; i < o->detail_count; i++)
        if (strcmp(o->details[i].name, name) == 0)
            return o->details + i;
    return NULL;
}

static void check_verdicts(const carom_outcome *o)
{
    assert_true(o->verdict.kinematic && o->verdict.kinetic && o->verdict.energetic);
    check_close(o->verdict.momentum_error, 0, 1e-12);
}

static void test_cradle(void **state)
{
    (void)state;
    for (int n = 2; n <= 10; n++)
        for (double e = 0; e <= 1; e += 0.25) {
            impacts_case c;
            double u[IMPACTS_N] = {1};
            impacts_chain(&c, n, NULL, u, e);
            carom_outcome o = apply(&c, "moreau");
            assert_int_equal(o.answer, CAROM_ANSWER_OK);
            check_close(o.u[0], 1 - (1 + e) * (n - 1) / n, 1e-13);
            for (int i = 1; i < n; i++)
                check_close(o.u[i], (1 + e) / n, 1e-13);
            check_verdicts(&o);
            o = apply(&c, "inelastic");
            for (int i = 0; i < n; i++)
                check_close(o.u[i], 1.0 / n, 1e-13);
        }
}

static void test_head_on_and_column(void **state)
{
    (void)state;
    impacts_case c;
    for (double e = 0; e <= 1; e += 0.5) {
        impacts_chain(&c, 3, NULL, (double[]){1, 0, -1}, e);
        carom_outcome o = apply(&c, "moreau");
        check_vector(o.u, ((double[]){-e, 0, e}), 3, 1e-15);
        /* ten balls of any masses on a wall, all at -1: all leave at e */
        impacts_init(&c, 10, 10);
        c.impact.mass_is_diagonal = true;
        for (int i = 0; i < 10; i++) {
            c.M[i] = pow(10, i % 4);
            c.u[i] = -1;
            c.W[i + i * 10] = 1;
            if (i > 0)
                c.W[i - 1 + i * 10] = -1;
            c.contacts[i].restitution = e;
        }
        o = apply(&c, "moreau");
        for (int i = 0; i < 10; i++)
            check_close(o.u[i], e, 1e-13);
        check_verdicts(&o);
    }
}

static void test_parameters(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    c.contacts[1].restitution = 0.5;
    carom_outcome o = apply(&c, "moreau");
    assert_int_equal(o.answer, CAROM_ANSWER_INAPPLICABLE);
    assert_non_null(strstr(o.message, "restitution"));
    carom_value e = {.name = "restitution", .number = 0.5};
    carom_arena_reset(arena);
    o = impacts_apply(&c.impact, "moreau", &e, 1, arena, &g);
    check_vector(o.u, ((double[]){0, 0.5, 0.5}), 3, 1e-15);
    check_close(detail(&o, "restitution")->value, 0.5, 0);
    e.number = 1.5;
    carom_law law = {carom_law_find("moreau"), &e, 1};
    carom_error error = {0};
    assert_int_equal(carom_law_apply(&law, &g, arena, &o, &error), CAROM_ERROR_ARGUMENT);
    assert_int_equal(apply(&c, "inelastic").answer, CAROM_ANSWER_OK);
}

/* A block on four corners falls flat: dependent contacts, impulses shared evenly. */
static void test_dependent_contacts(void **state)
{
    (void)state;
    impacts_case c;
    impacts_init(&c, 3, 4);
    c.impact.mass_is_diagonal = true;
    for (int i = 0; i < 4; i++) {
        c.W[0 + 3 * i] = 1;
        c.W[1 + 3 * i] = i % 2 ? 1 : -1;
        c.W[2 + 3 * i] = i / 2 ? 2 : -2;
        c.contacts[i].restitution = 0.5;
    }
    c.M[0] = 3, c.M[1] = 1, c.M[2] = 2, c.u[0] = -2;
    carom_outcome o = apply(&c, "moreau");
    check_vector(o.u, ((double[]){1, 0, 0}), 3, 1e-14);
    check_vector(o.impulse, ((double[]){2.25, 2.25, 2.25, 2.25}), 4, 1e-13);
    assert_false(o.impulse_unique);
    assert_non_null(strstr(o.message, "not unique"));
    check_verdicts(&o);
}

/* Circular tangent cone of half-opening atan(1/t) about e_3, one particle of mass m: the outcome
 * against the closed form in the plane of axis and velocity. The cone moves with speed s. */
static void test_circular_cone(void **state)
{
    (void)state;
    check_random r = {21};
    for (int k = 0; k < 500; k++) {
        impacts_case c;
        double t = pow(10, check_random_in(&r, -1, 1)), m = pow(10, check_random_in(&r, -6, 6));
        double e = check_random_in(&r, 0, 1), spread[] = {t, 0, 0, 0, t, 0};
        double s = k % 2 ? check_random_in(&r, -1, 1) : 0, z[3];
        impacts_init(&c, 3, 1);
        c.impact.mass_is_diagonal = true;
        c.impact.spread = spread;
        c.contacts[0].spread_count = 2;
        c.contacts[0].restitution = e;
        c.W[2] = 1;
        c.w_hat[0] = -s;
        for (int i = 0; i < 3; i++) {
            c.M[i] = m;
            c.u[i] = check_random_in(&r, -1, 1);
        }
        double h = hypot(c.u[0], c.u[1]), v = c.u[2] - s, along = (h + t * v) / (1 + t * t);
        if (v >= t * h)
            along = h;
        double into = fmax(0, along);
        z[0] = c.u[0] / h * into;
        z[1] = c.u[1] / h * into;
        z[2] = (v >= t * h ? v : t * into) + s;
        carom_outcome o = apply(&c, "moreau");
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        for (int i = 0; i < 3; i++)
            check_close(o.u[i], (1 + e) * z[i] - e * c.u[i], 1e-13);
        check_close(o.verdict.momentum_error, 0, 1e-12);
        assert_true(o.verdict.kinetic && o.verdict.energetic);
        o = apply(&c, "inelastic");
        check_vector(o.u, z, 3, 1e-13);
        check_verdicts(&o);
    }
}

/* Re-entrant corner g_1 >= 0 or g_2 >= 0, unit mass in the plane, u- into the corner along the
 * diagonal: two faces tie, the edge is a saddle. */
static void test_reentrant_corner(void **state)
{
    (void)state;
    impacts_case c;
    int start[] = {0, 1, 2}, contact[] = {0, 1};
    carom_region any = {2, start, contact};
    impacts_init(&c, 2, 2);
    c.impact.mass_is_diagonal = true;
    c.impact.region = &any;
    c.M[0] = c.M[1] = 1;
    c.W[0] = c.W[3] = 1;
    c.u[0] = c.u[1] = -1;
    c.contacts[0].restitution = c.contacts[1].restitution = 0.5;
    carom_outcome o = apply(&c, "moreau");
    assert_int_equal(o.answer, CAROM_ANSWER_SEVERAL);
    assert_non_null(strstr(o.message, "tie"));
    assert_int_equal(o.alternative_count, 2);
    check_vector(o.u, ((double[]){0.5, -1}), 2, 1e-15);
    check_vector(o.alternatives[0].u, ((double[]){-1, 0.5}), 2, 1e-15);
    check_vector(o.alternatives[1].u, ((double[]){0.5, 0.5}), 2, 1e-15);
    assert_string_equal(detail(&o, "type")->text, "minimum");
    assert_string_equal(detail(&o.alternatives[1], "type")->text, "saddle");
    check_close(detail(&o.alternatives[1], "distance")->value, sqrt(2), 1e-15);
    check_verdicts(&o);
    for (int k = 0; k < 2; k++)
        check_verdicts(&o.alternatives[k]);
    /* steeper: one face is nearer, still three */
    c.u[1] = -2;
    o = apply(&c, "inelastic");
    check_vector(o.u, ((double[]){0, -2}), 2, 1e-15);
    assert_int_equal(o.alternative_count, 2);
    /* leaving through face 1: no impact, but face 2 is stationary no more (z_2 is inside) */
    c.u[0] = 1;
    o = apply(&c, "moreau");
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_vector(o.u, c.u, 2, 0);
    assert_string_equal(detail(&o, "type")->text, "inside");
    /* both must hold: a region of one group is the convex corner */
    int one[] = {0, 2};
    any = (carom_region){1, one, contact};
    c.u[0] = -1;
    o = apply(&c, "moreau");
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_vector(o.u, ((double[]){0.5, 1}), 2, 1e-15);
}

/* Inelastic: no velocity u- + M^-1 W L, L >= 0, with less energy, over random competitors; and the
 * energy identity |u+ - b|^2 = |z|^2 + eps^2 |z_perp|^2 of `moreau`. */
static void test_maximum_dissipation(void **state)
{
    (void)state;
    check_random r = {22};
    for (int k = 0; k < 1000; k++) {
        impacts_case c;
        int n = 1 + check_random_int(&r, 8), p = 1 + check_random_int(&r, 6);
        impacts_random(&c, &r, n, p, k % 2, 1e4);
        double e = check_random_in(&r, 0, 1);
        for (int i = 0; i < p; i++)
            c.contacts[i].restitution = e;
        carom_outcome z = apply(&c, "inelastic");
        double least = z.energy, scale = g.energy;
        for (int m = 0; m < 50; m++) {
            double y[IMPACTS_N], small = m % 2 ? 1e-4 : 1;
            memcpy(y, z.u, sizeof(double) * (size_t)n);
            for (int i = 0; i < p; i++) { /* L moved at random and kept >= 0 */
                double l = fmax(-z.impulse[i], small * check_random_in(&r, -1, 1));
                for (int j = 0; j < n; j++)
                    y[j] += l * g.Y[j + i * n] / g.norm[i];
            }
            assert_true(0.5 * carom_geometry_dot(&g, y, y) >= least - 1e-12 * scale);
        }
        double away = impacts_kinetic_distance(&g, z.u, c.u), e0 = 2 * z.energy;
        carom_outcome o = impacts_apply(&c.impact, "moreau", NULL, 0, arena, &g);
        check_close(2 * o.energy, e0 + e * e * away * away, 1e-12 * 2 * scale);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_head_on_and_column),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_dependent_contacts),
        cmocka_unit_test(test_circular_cone),
        cmocka_unit_test(test_reentrant_corner),
        cmocka_unit_test(test_maximum_dissipation),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
