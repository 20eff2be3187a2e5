/* Closed forms of the frictionless laws: Newton's cradle, columns, corners, bends, orders. */
#include "impacts.h"

CHECK_ARENA(arena);

static carom_outcome apply(const impacts_case *c, const char *law)
{
    static carom_geometry g;
    carom_arena_reset(arena);
    return impacts_apply(&c->impact, law, NULL, 0, arena, &g);
}

/* n equal balls, the first one moving: u_1 = 1 - (1+e)(n-1)/n, the others (1+e)/n. */
static void test_cradle(void **state)
{
    (void)state;
    for (int n = 2; n <= 10; n++)
        for (double e = 0; e <= 1; e += 0.25)
            for (int k = 0; k < 2; k++) {
                impacts_case c;
                double u[IMPACTS_N] = {1};
                impacts_chain(&c, n, NULL, u, e);
                carom_outcome o = apply(&c, k ? "poisson" : "newton");
                assert_int_equal(o.answer, CAROM_ANSWER_OK);
                check_close(o.u[0], 1 - (1 + e) * (n - 1) / n, 1e-13);
                for (int i = 1; i < n; i++)
                    check_close(o.u[i], (1 + e) / n, 1e-13);
                assert_true(o.verdict.kinematic && o.verdict.kinetic && o.verdict.energetic);
                assert_true(o.verdict.momentum_error < 1e-14);
                check_close(o.energy_change, o.energy - 0.5, 1e-15);
            }
}

static void test_symmetric_impact(void **state)
{
    (void)state;
    impacts_case c;
    for (int k = 0; k < 2; k++) {
        double e = k ? 0.5 : 1;
        impacts_chain(&c, 3, NULL, (double[]){1, 0, -1}, e);
        carom_outcome o = apply(&c, "newton");
        check_vector(o.u, ((double[]){-e, 0, e}), 3, 1e-15);
    }
}

/* Touching balls of any masses on a wall, all at -1: all leave at e. */
static void test_column_on_a_wall(void **state)
{
    (void)state;
    check_random r = {5};
    for (int round = 0; round < 100; round++) {
        int n = 1 + check_random_int(&r, 8);
        double e = check_random_in(&r, 0, 1);
        impacts_case c;
        impacts_init(&c, n, n);
        c.impact.mass_is_diagonal = true;
        for (int i = 0; i < n; i++) {
            c.M[i] = pow(10, check_random_in(&r, -3, 3));
            c.u[i] = -1;
            c.W[i + i * n] = 1;
            if (i)
                c.W[i - 1 + i * n] = -1;
            c.contacts[i].restitution = e;
        }
        carom_geometry g;
        carom_arena_reset(arena);
        carom_outcome o = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        double expected[IMPACTS_N] = {0};
        for (int i = 0; i < n; i++)
            expected[i] = e;
        check_close(impacts_kinetic_distance(&g, o.u, expected) / g.speed, 0, 1e-12);
    }
}

static void test_sequential_cradle(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    carom_outcome o = apply(&c, "sequential");
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_vector(o.u, ((double[]){0, 0, 1}), 3, 1e-15);
    impacts_chain(&c, 5, NULL, (double[]){1, 1, 0, 0, 0}, 1);
    o = apply(&c, "sequential");
    check_vector(o.u, ((double[]){0, 0, 0, 1, 1}), 5, 1e-15);
}

/* A ball struck from both sides at once: who comes first decides, and the answer says so. */
static void test_sequential_order_matters(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 3, (double[]){1, 3, 1}, (double[]){1, 0, -2}, 0.5);
    carom_outcome o = apply(&c, "sequential");
    assert_int_equal(o.answer, CAROM_ANSWER_SEVERAL);
    assert_true(o.alternative_count >= 1);
    double p = 0, q = 0;
    for (int i = 0; i < 3; i++) {
        p += c.M[i] * o.u[i];
        q += c.M[i] * o.alternatives[0].u[i];
    }
    check_close(p, -1, 1e-14);
    check_close(q, -1, 1e-14);
    double order[] = {1, 2};
    carom_value value = {.name = "order",
                         .kind = CAROM_PARAMETER_CONTACTS,
                         .rows = 2,
                         .columns = 1,
                         .numbers = order};
    carom_geometry g;
    carom_outcome first = impacts_apply(&c.impact, "sequential", &value, 1, arena, &g);
    assert_int_equal(first.answer, CAROM_ANSWER_OK);
    order[0] = 2, order[1] = 1;
    carom_outcome second = impacts_apply(&c.impact, "sequential", &value, 1, arena, &g);
    assert_true(fabs(first.u[0] - second.u[0]) > 1e-3);
    order[0] = 3;
    carom_error error;
    carom_law law = {carom_law_find("sequential"), &value, 1};
    assert_int_equal(carom_law_apply(&law, &g, arena, &first, &error), CAROM_ERROR_ARGUMENT);
}

/* w = (1), (-1), eps = (1, 0), gamma- = (-1, 1): Newton has no solution. */
static void test_between_two_walls(void **state)
{
    (void)state;
    impacts_case c;
    impacts_init(&c, 1, 2);
    c.M[0] = 2;
    c.u[0] = -1;
    c.W[0] = 1;
    c.W[1] = -1;
    c.contacts[0].restitution = 1;
    assert_int_equal(apply(&c, "newton").answer, CAROM_ANSWER_NONE);
    c.contacts[1].restitution = 1; /* equal coefficients: solvable, the mass turns round */
    carom_outcome o = apply(&c, "newton");
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_close(o.u[0], 1, 1e-14);
}

/* A wedge of every narrow angle, one coefficient: a solution exists (u+ = -e u- satisfies all
 * inequalities). It may be out of reach of rounding, but must not be denied. */
static void test_narrow_wedge(void **state)
{
    (void)state;
    int found = 0;
    for (int k = 0; k <= 160; k++) {
        double angle = pow(10, -k / 10.0), e = (k % 3) * 0.5;
        impacts_case c;
        impacts_init(&c, 2, 3);
        c.M[0] = c.M[3] = 1;
        c.u[0] = 0.3;
        c.u[1] = k % 2 ? 0.7 : -0.7;
        for (int i = 0; i < 3; i++) {
            c.W[2 * i] = (i == 1 ? -1 : 1) * cos((1 + i / 2) * angle);
            c.W[2 * i + 1] = sin((1 + i / 2) * angle);
            c.contacts[i].restitution = e;
        }
        carom_outcome o = apply(&c, "newton");
        assert_true(o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_FAILED);
        found += o.answer == CAROM_ANSWER_OK;
    }
    print_message("%d of 161 wedges solved\n", found);
    assert_true(found >= 100);
}

/* A flat block on four corners: velocities are unique, impulses are not. */
static void test_block_on_four_corners(void **state)
{
    (void)state;
    impacts_case c;
    impacts_init(&c, 3, 4); /* vertical velocity, two rotations */
    c.impact.mass_is_diagonal = true;
    const double mass[] = {1, 0.3, 0.2}, x[] = {1, 1, -1, -1}, y[] = {2, -2, 2, -2};
    memcpy(c.M, mass, sizeof mass);
    c.u[0] = -1;
    for (int i = 0; i < 4; i++) {
        c.W[0 + 3 * i] = 1;
        c.W[1 + 3 * i] = x[i];
        c.W[2 + 3 * i] = y[i];
        c.contacts[i].restitution = 0.5;
    }
    for (int k = 0; k < 2; k++) {
        carom_outcome o = apply(&c, k ? "poisson" : "newton");
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        assert_false(o.impulse_unique);
        check_vector(o.u, ((double[]){0.5, 0, 0}), 3, 1e-13);
        for (int i = 0; i < 4; i++) /* least norm: shared equally */
            check_close(o.impulse[i], 1.5 / 4, 1e-12);
    }
    c.contacts[3].restitution = 0.9; /* Poisson: now even the velocity is not unique */
    carom_outcome o = apply(&c, "poisson");
    assert_int_equal(o.answer, CAROM_ANSWER_SEVERAL);
    for (int k = 0; k < o.alternative_count; k++) {
        assert_true(o.alternatives[k].verdict.kinematic && o.alternatives[k].verdict.kinetic);
        assert_true(o.alternatives[k].verdict.energetic);
    }
}

/* Poisson = Newton for equal coefficients and approaching data. */
static void test_poisson_is_newton(void **state)
{
    (void)state;
    check_random r = {77};
    for (int round = 0; round < 3000; round++) {
        impacts_case c;
        int n = 1 + check_random_int(&r, 10), p = 1 + check_random_int(&r, 6);
        impacts_random(&c, &r, n, p, round % 3 == 0, 1e4);
        impacts_approach(&c);
        double e = check_random_in(&r, 0, 1);
        for (int i = 0; i < p; i++)
            c.contacts[i].restitution = e;
        carom_geometry g;
        carom_arena_reset(arena);
        carom_outcome a = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        carom_outcome b = impacts_apply(&c.impact, "poisson", NULL, 0, arena, &g);
        if (g.dependent && a.answer == CAROM_ANSWER_NONE)
            continue;
        assert_int_equal(a.answer, CAROM_ANSWER_OK);
        assert_int_equal(b.answer, CAROM_ANSWER_OK);
        check_close(impacts_kinetic_distance(&g, a.u, b.u) / g.speed, 0, 1e-10);
        assert_true(b.verdict.kinematic && b.verdict.kinetic && b.verdict.energetic);
    }
}

/* Sharp bend in the plane: speed kept, direction into the second sheet; flat is the identity. */
static void test_bend(void **state)
{
    (void)state;
    for (double angle = 0.1; angle < 3.1; angle += 0.25) {
        impacts_case c;
        impacts_init(&c, 3, 2);
        c.impact.mass_is_diagonal = true;
        c.M[0] = c.M[1] = c.M[2] = 4;
        /* sheets at directions (1,0) and (cos, sin) in the plane, third axis along the edge */
        c.W[1] = 1; /* w1.u = 0 on sheet 1, w1 positive on the side of sheet 2 */
        c.W[3] = sin(angle);
        c.W[4] = -cos(angle);
        c.u[0] = -2;
        c.u[2] = 0.7;
        carom_outcome o = apply(&c, "bend");
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        check_vector(o.u, ((double[]){2 * cos(angle), 2 * sin(angle), 0.7}), 3, 1e-13);
        check_close(o.energy_change, 0, 1e-12);
        c.u[0] = 2;
        o = apply(&c, "bend");
        check_vector(o.u, c.u, 3, 0);
        c.u[1] = 0.1;
        assert_int_equal(apply(&c, "bend").answer, CAROM_ANSWER_INAPPLICABLE);
    }
}

/* A joint between the struck ball and the next one: they move as one body of double mass. */
static void test_joint(void **state)
{
    (void)state;
    impacts_case c;
    impacts_init(&c, 3, 1);
    c.impact.mass_is_diagonal = true;
    c.impact.m = 1;
    c.M[0] = c.M[1] = c.M[2] = 1;
    c.u[0] = 3;
    c.W[0] = -1;
    c.W[1] = 1;
    c.B[1] = -1;
    c.B[2] = 1;
    c.contacts[0].restitution = 0.5;
    const char *laws[] = {"newton", "poisson", "sequential"};
    for (int k = 0; k < 3; k++) {
        carom_outcome o = apply(&c, laws[k]);
        check_vector(o.u, ((double[]){0, 1.5, 1.5}), 3, 1e-14);
        check_close(o.impulse[0], 3, 1e-14);
        check_close(o.joint_impulse[0], 1.5, 1e-14);
        assert_true(o.verdict.momentum_error < 1e-14);
    }
}

/* Chains of hundreds of balls with mass ratios of 1e9, in any motion: with equal e the outcome is
 * (1+e) z - e u-, z the nearest increasing sequence, which pooling neighbours gives exactly. */
static void test_long_uneven_chain(void **state)
{
    (void)state;
    enum { N = 300 };
    static double M[N], u[N], W[N * (N - 1)], z[N], mass[N];
    static carom_contact contacts[N - 1];
    static int count[N];
    check_random r = {3};
    int blocks = 0;
    for (int i = 0; i < N; i++) {
        M[i] = pow(10, check_random_in(&r, -4.5, 4.5));
        u[i] = check_random_in(&r, -1, 1);
        mass[blocks] = M[i];
        z[blocks] = u[i];
        count[blocks++] = 1;
        for (; blocks > 1 && z[blocks - 2] > z[blocks - 1]; blocks--) {
            double *m = &mass[blocks - 2], *v = &z[blocks - 2];
            v[0] += (v[1] - v[0]) * (m[1] / (m[0] + m[1]));
            m[0] += m[1];
            count[blocks - 2] += count[blocks - 1];
        }
        if (i + 1 < N) {
            W[i + i * N] = -1;
            W[i + 1 + i * N] = 1;
            contacts[i] = carom_contact_default();
            contacts[i].restitution = 0.5;
        }
    }
    carom_impact impact = {
        .n = N, .p = N - 1, .M = M, .mass_is_diagonal = true, .u = u, .W = W, .contacts = contacts};
    static carom_geometry g;
    const char *laws[] = {"newton", "coulomb", "implicit"};
    for (int l = 0; l < 3; l++) {
        carom_arena_reset(arena);
        carom_outcome o = impacts_apply(&impact, laws[l], NULL, 0, arena, &g);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        for (int k = 0, i = 0; k < blocks; k++)
            for (int j = 0; j < count[k]; j++, i++)
                check_close(o.u[i], 1.5 * z[k] - 0.5 * u[i], 1e-11);
    }
}

/* A contact that a joint blocks: its normal velocity is rounding, and no law may stumble on it. */
static void test_blocked_contact(void **state)
{
    (void)state;
    impacts_case c;
    impacts_init(&c, 3, 1);
    c.impact.mass_is_diagonal = true;
    c.impact.m = 1;
    c.M[0] = 4;
    c.M[1] = 3;
    c.M[2] = 2;
    c.u[0] = -0.3; /* 0.1 + 0.2 - 0.3 is not zero in floating point */
    c.u[1] = 0.1;
    c.u[2] = 0.2;
    c.contacts[0].restitution = 0.7;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < 3; i++) {
            c.W[i] = sign;
            c.B[i] = -1;
        }
        const char *laws[] = {"newton", "moreau", "poisson", "inelastic", "coulomb", "matrix"};
        for (int k = 0; k < 6; k++) {
            carom_outcome o = apply(&c, laws[k]);
            assert_int_equal(o.answer, CAROM_ANSWER_OK);
            check_vector(o.u, c.u, 3, 1e-15);
            assert_true(o.verdict.kinematic && o.verdict.kinetic && o.verdict.energetic);
        }
    }
}

/* Three contacts that leave no way out, so that the velocity after compression is rounding: the
 * expansion has nothing to do. */
static void test_no_way_out(void **state)
{
    (void)state;
    check_random r = {7};
    for (int trial = 0; trial < 300; trial++) {
        impacts_case c;
        impacts_init(&c, 2, 3);
        double a = check_random_in(&r, 1, 2), b = check_random_in(&r, 1, 2);
        c.M[0] = a * a + 1;
        c.M[1] = c.M[2] = a * b;
        c.M[3] = b * b + 1;
        double W[6] = {-2, 1, 2, 0, 0, -1}; /* 1, 1 and 1 times these give nothing */
        memcpy(c.W, W, sizeof W);
        c.u[0] = check_random_in(&r, -1, 1);
        c.u[1] = check_random_in(&r, -1, 1);
        carom_outcome o = apply(&c, "poisson");
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        check_vector(o.u, ((double[]){0, 0}), 2, 1e-13);
    }
}

/* A system that moves with its moving contacts: u- - b is rounding, and none of it is energy. */
static void test_energy_of_rounding(void **state)
{
    (void)state;
    check_random r = {11};
    for (int trial = 0; trial < 300; trial++) {
        impacts_case c;
        impacts_random(&c, &r, 4, 3, false, 100);
        for (int i = 0; i < 3; i++) {
            c.w_hat[i] = 0;
            for (int k = 0; k < 4; k++)
                c.w_hat[i] -= c.W[k + 4 * i] * c.u[k];
        }
        static carom_geometry g;
        carom_arena_reset(arena);
        impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        memcpy(c.u, g.b, sizeof(double[4]));
        assert_true(apply(&c, "newton").verdict.energetic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_symmetric_impact),
        cmocka_unit_test(test_column_on_a_wall),
        cmocka_unit_test(test_sequential_cradle),
        cmocka_unit_test(test_sequential_order_matters),
        cmocka_unit_test(test_between_two_walls),
        cmocka_unit_test(test_narrow_wedge),
        cmocka_unit_test(test_block_on_four_corners),
        cmocka_unit_test(test_poisson_is_newton),
        cmocka_unit_test(test_bend),
        cmocka_unit_test(test_joint),
        cmocka_unit_test(test_long_uneven_chain),
        cmocka_unit_test(test_blocked_contact),
        cmocka_unit_test(test_no_way_out),
        cmocka_unit_test(test_energy_of_rounding),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
