/* The law `breakable`: examples of the source, invariance, limits. */
#include "impacts.h"

CHECK_ARENA(arena);

static carom_outcome apply(const carom_impact *impact, const char *kind, carom_geometry *g)
{
    carom_arena_reset(arena);
    carom_value value = {.name = "kind", .kind = CAROM_PARAMETER_CHOICE, .text = kind};
    return impacts_apply(impact, "breakable", &value, kind ? 1 : 0, arena, g);
}

static void set_contact(carom_contact *c, check_random *r)
{
    c->restitution = check_random_in(r, 0, 1);
    c->friction_dynamic = check_random_in(r, 0, 0.8);
    c->friction_static = c->friction_dynamic * check_random_in(r, 1, 1.5);
    c->slip_count = 1;
}

/* Point, disc and rod of the paper: x, y, theta with mass m and inertia A. */
typedef struct body {
    double m, A, L, th; /* L: radius or half length */
    double x, y, w;     /* velocities before */
    carom_contact c;
} body;

static void state_body(impacts_case *k, const body *b, double wy, double wt, double hx, double ht)
{
    impacts_init(k, 3, 1);
    k->impact.mass_is_diagonal = true;
    k->M[0] = k->M[1] = b->m, k->M[2] = b->A;
    k->u[0] = b->x, k->u[1] = b->y, k->u[2] = b->w;
    k->W[1] = wy, k->W[2] = wt;
    k->H[0] = hx, k->H[2] = ht;
    k->contacts[0] = b->c;
}

static body random_body(check_random *r)
{
    body b = {.m = check_random_in(r, 0.2, 3),
              .A = check_random_in(r, 0.05, 2),
              .L = check_random_in(r, 0.2, 2),
              .th = check_random_in(r, 0.1, 3),
              .x = check_random_in(r, -1, 1),
              .y = -check_random_in(r, 0.1, 1),
              .w = check_random_in(r, -1, 1)};
    b.c = (carom_contact){.stiffness = 1, .exponent = 1.5};
    set_contact(&b.c, r);
    return b;
}

static void test_point(void **state)
{
    (void)state;
    check_random r = {1};
    int sticks = 0;
    for (int trial = 0; trial < 1000; trial++) {
        body b = random_body(&r);
        impacts_case k;
        state_body(&k, &b, 1, 0, 1, 0);
        carom_geometry g;
        carom_outcome o = apply(&k.impact, NULL, &g);
        bool stick = fabs(b.x) <= b.c.friction_static * fabs(b.y);
        double x = stick ? 0 : b.x - b.c.friction_dynamic * fabs(b.y) * copysign(1, b.x);
        check_close(o.u[0], x, 1e-13);
        check_close(o.u[1], -b.c.restitution * b.y, 1e-13);
        check_close(o.u[2], b.w, 0);
        assert_int_equal(o.mode[0] == CAROM_MODE_STICK, stick);
        check_close(impacts_detail(&o, "energy_change_in_frame"), o.energy_change, 1e-13);
        sticks += stick;
    }
    assert_true(sticks > 100 && sticks < 900);
}

static void test_disc(void **state)
{
    (void)state;
    check_random r = {2};
    int sticks = 0;
    for (int trial = 0; trial < 1000; trial++) {
        body b = random_body(&r);
        double R = b.L, d = b.m * R * R + b.A, s = b.x - R * b.w;
        impacts_case k;
        state_body(&k, &b, 1, 0, 1, -R);
        carom_geometry g;
        carom_outcome o = apply(&k.impact, NULL, &g);
        double V_B = fabs(s) * sqrt(b.A / d) * sqrt(b.m), V_S = fabs(b.y) * sqrt(b.m);
        bool stick = V_B <= b.c.friction_static * V_S;
        double factor = stick ? 1 : b.c.friction_dynamic * V_S / V_B;
        check_close(o.u[0], b.x - factor * b.A / d * s, 1e-12);
        check_close(o.u[2], b.w + factor * b.m * R / d * s, 1e-12);
        check_close(o.u[1], -b.c.restitution * b.y, 1e-13);
        if (stick) {
            double w = (b.m * R * b.x + b.A * b.w) / d;
            check_close(o.u[2], w, 1e-12);
            check_close(o.u[0], R * w, 1e-12);
            check_close(o.slip[0], 0, 1e-12);
        }
        check_close(impacts_detail(&o, "V_B"), V_B, 1e-12);
        check_close(impacts_detail(&o, "V_S"), V_S, 1e-12);
        check_close(impacts_detail(&o, "energy_change_in_frame"), o.energy_change, 1e-12);
        sticks += stick;
    }
    assert_true(sticks > 100 && sticks < 900);
}

/* The rod in general position, and falling without spin (rebound condition). */
static void test_rod(void **state)
{
    (void)state;
    check_random r = {3};
    int sticks = 0, rebounds = 0;
    for (int trial = 0; trial < 2000; trial++) {
        body b = random_body(&r);
        bool falls = trial % 2;
        if (falls)
            b.x = b.w = 0;
        double c = cos(b.th), s = sin(b.th), L = b.L, m = b.m, A = b.A;
        double d = m * L * L * c * c + A, D = m * L * L + A, gamma = b.y - L * b.w * c;
        if (gamma > -1e-3)
            continue;
        impacts_case k;
        state_body(&k, &b, 1, -L * c, 1, -L * s);
        carom_geometry g;
        carom_outcome o = apply(&k.impact, NULL, &g);
        double V_S[3] = {0, A * gamma / d, -m * L * c * gamma / d};
        double P = (m * L * b.x * s + m * L * b.y * c + A * b.w) / D;
        double P_B[3] = {L * s * P, L * c * P, P}, V_B[3], u[3] = {b.x, b.y, b.w};
        for (int i = 0; i < 3; i++)
            V_B[i] = u[i] - V_S[i] - P_B[i];
        double norm_S = sqrt(m * V_S[1] * V_S[1] + A * V_S[2] * V_S[2]);
        double norm_B = sqrt(m * (V_B[0] * V_B[0] + V_B[1] * V_B[1]) + A * V_B[2] * V_B[2]);
        bool stick = norm_B <= b.c.friction_static * norm_S;
        double factor = stick ? 1 : b.c.friction_dynamic * norm_S / norm_B;
        double scale = 1e-12 * (1 + 1 / A);
        for (int i = 0; i < 3; i++)
            check_close(o.u[i], u[i] - (1 + b.c.restitution) * V_S[i] - factor * V_B[i], scale);
        check_close(impacts_detail(&o, "energy_change_in_frame"), o.energy_change,
                    1e-12 * (1 + 1 / A));
        assert_true(o.verdict.energetic);
        sticks += stick;
        if (!falls)
            continue;
        double bound = m * L * L * fabs(s * c) / sqrt(A * D);
        if (fabs(bound - b.c.friction_static) > 1e-9)
            assert_int_equal(stick, bound <= b.c.friction_static);
        if (stick) {
            double limit = A / (2 * m * L * L) * (sqrt(1 + 4 * b.c.restitution * D / A) - 1);
            if (fabs(c * c - limit) > 1e-9)
                assert_int_equal(o.u[1] > 0, c * c < limit);
            rebounds += o.u[1] > 0;
            /* true slip after is -eps_S b'V_S */
            double slip = -b.c.restitution * (V_S[0] - L * s * V_S[2]);
            check_close(o.slip[0], slip, scale);
        }
        /* erratum: the centre moves against cos, the contact point slips with it */
        assert_true(o.u[0] * c <= 1e-15 && o.u[2] * c <= 1e-15);
        if (!stick)
            assert_true(o.slip[0] * c >= -1e-15);
    }
    assert_true(sticks > 100 && rebounds > 20);
}

/* The ball rolls on the floor (A) and meets a wall (S), with B: rolling on the wall. Euler angles
 * (psi, theta, phi); checked in plain velocities (x, y, omega). */
static void test_rolling_ball(void **state)
{
    (void)state;
    check_random r = {4};
    for (int trial = 0; trial < 200; trial++) {
        double m = check_random_in(&r, 0.5, 2), R = check_random_in(&r, 0.3, 2);
        double A = 0.4 * m * R * R, psi = check_random_in(&r, -3, 3);
        double th = check_random_in(&r, 0.3, 2.8), e = check_random_in(&r, 0, 1);
        double mu = check_random_in(&r, 0, 1.5);
        double omega[3][3] = {{0, cos(psi), sin(th) * sin(psi)},
                              {0, sin(psi), -sin(th) * cos(psi)},
                              {1, 0, cos(th)}}; /* rows x y z, columns psi theta phi */
        impacts_case k;
        impacts_init(&k, 5, 1);
        k.M[0] = k.M[6] = m;
        for (int i = 2; i < 5; i++)
            k.M[6 * i] = A;
        k.M[2 + 5 * 4] = k.M[4 + 5 * 2] = A * cos(th);
        double rows[10] = {0};
        rows[0] = 1, rows[5 + 1] = 1;
        k.W[1] = -1; /* wall at y = 0 seen from y < 0: y' > 0 approaches */
        k.H[0] = 1;
        for (int j = 0; j < 3; j++) {
            rows[2 + j] = -R * omega[1][j];
            rows[7 + j] = R * omega[0][j];
            k.H[2 + j] = R * omega[2][j];
            k.H[5 + 2 + j] = omega[0][j];
        }
        double rest[2] = {0, 0};
        k.impact.a = 2;
        k.impact.A = rows;
        k.impact.a_hat = rest;
        k.contacts[0].slip_count = 2;
        k.contacts[0].restitution = e;
        k.contacts[0].friction_static = k.contacts[0].friction_dynamic = mu;
        /* x' = R omega_y, y' = -R omega_x, any omega_z */
        double x = check_random_in(&r, -1, 1), y = check_random_in(&r, 0.2, 1);
        double w[3] = {-y / R, x / R, check_random_in(&r, -2, 2)};
        double det = sin(th);
        k.u[0] = x, k.u[1] = y;
        k.u[3] = cos(psi) * w[0] + sin(psi) * w[1];
        k.u[4] = (sin(psi) * w[0] - cos(psi) * w[1]) / det;
        k.u[2] = w[2] - cos(th) * k.u[4];
        carom_geometry g;
        carom_outcome o = apply(&k.impact, NULL, &g);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        /* inside A: mass of y' is m + A/R^2, of x' too; B: x' + R omega_z = 0 */
        double mass = m + A / (R * R), s = x + R * w[2];
        double V_S = sqrt(mass) * y;
        double inverse = 1 / mass + R * R / A, V_B = fabs(s) / sqrt(inverse);
        double factor = V_B <= mu * V_S ? 1 : mu * V_S / V_B;
        check_close(o.u[1], -e * y, 1e-11);
        check_close(o.u[0], x - factor * s / inverse / mass, 1e-11);
        double after = o.u[2] + cos(th) * o.u[4];
        check_close(after, w[2] - factor * s / inverse * R / A, 1e-11);
        check_close(impacts_detail(&o, "V_B"), V_B, 1e-11);
        /* still rolling on the floor */
        for (int j = 0; j < 2; j++) {
            double sum = 0;
            for (int i = 0; i < 5; i++)
                sum += rows[i + 5 * j] * o.u[i];
            check_close(sum, 0, 1e-12);
        }
        assert_true(o.verdict.momentum_error < 1e-12 && o.verdict.energetic);
    }
}

/* Change of frame u -> u + h, with constraints moving along: the jump of velocity is the same. And
 * the energy formula holds in every frame that rests in B. */
static void test_frames(void **state)
{
    (void)state;
    check_random r = {5};
    const char *kinds[] = {"frictional", "double", "restitution", "ideal"};
    for (int trial = 0; trial < 2000; trial++) {
        int n = 3 + check_random_int(&r, 3);
        impacts_case k;
        impacts_random(&k, &r, n, 1, false, 100);
        set_contact(&k.contacts[0], &r);
        k.contacts[0].tangential_restitution = check_random_in(&r, 0, 0.99);
        int s = k.contacts[0].slip_count = 1 + trial % 2;
        for (int i = 0; i < n * s; i++)
            k.H[i] = check_random_in(&r, -1, 1);
        impacts_approach(&k);
        const char *kind = kinds[check_random_int(&r, 4)];
        carom_geometry g;
        carom_outcome o = apply(&k.impact, kind, &g);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        double jump[IMPACTS_N], h[IMPACTS_N];
        double energy = impacts_detail(&o, "energy_change_in_frame");
        check_close(o.energy_change, energy, 1e-11 * (1 + g.energy));
        for (int i = 0; i < n; i++) {
            jump[i] = o.u[i] - k.u[i];
            h[i] = check_random_in(&r, -3, 3);
            k.u[i] += h[i];
        }
        for (int i = 0; i < n; i++) {
            k.w_hat[0] -= k.W[i] * h[i];
            for (int j = 0; j < s; j++)
                k.slip_motion[j] -= k.H[i + j * n] * h[i];
        }
        o = apply(&k.impact, kind, &g);
        for (int i = 0; i < n; i++)
            check_close(o.u[i] - k.u[i], jump[i], 1e-10);
        check_close(impacts_detail(&o, "energy_change_in_frame"), energy,
                    1e-10 * (1 + fabs(energy)));
        if (o.tangential_impulse[0] != 0)
            check_close(o.verdict.energy_gain, energy, 1e-9 * (1 + g.energy));
        assert_true(o.verdict.energetic);
    }
}

/* Kinds without friction agree with Newton's law for one contact; double with eps_B = 0 is stick.
 */
static void test_kinds(void **state)
{
    (void)state;
    check_random r = {6};
    for (int trial = 0; trial < 500; trial++) {
        impacts_case k;
        impacts_random(&k, &r, 4, 1, false, 10);
        set_contact(&k.contacts[0], &r);
        for (int i = 0; i < 4; i++)
            k.H[i] = check_random_in(&r, -1, 1);
        impacts_approach(&k);
        carom_geometry g;
        double a[4], b[4];
        carom_outcome o = apply(&k.impact, "restitution", &g);
        memcpy(a, o.u, sizeof a);
        o = impacts_apply(&k.impact, "newton", NULL, 0, arena, &g);
        check_vector(o.u, a, 4, 1e-12);
        o = apply(&k.impact, "double", &g);
        memcpy(b, o.u, sizeof b);
        k.contacts[0].friction_static = k.contacts[0].friction_dynamic = INFINITY;
        o = apply(&k.impact, "frictional", &g);
        check_vector(o.u, b, 4, 1e-12);
        assert_int_equal(o.mode[0], CAROM_MODE_STICK);
        k.contacts[0].restitution = 1;
        o = apply(&k.impact, "restitution", &g);
        memcpy(a, o.u, sizeof a);
        k.contacts[0].restitution = 0.3;
        o = apply(&k.impact, "ideal", &g);
        check_vector(o.u, a, 4, 1e-12);
    }
}

/* Several contacts: independent bodies do not see each other, coupled ones never gain energy. */
static void test_several(void **state)
{
    (void)state;
    check_random r = {7};
    for (int trial = 0; trial < 500; trial++) {
        /* two bodies side by side = each alone */
        impacts_case k, one[2];
        impacts_init(&k, 6, 2);
        for (int c = 0; c < 2; c++) {
            impacts_random(&one[c], &r, 3, 1, false, 10);
            set_contact(&one[c].contacts[0], &r);
            for (int i = 0; i < 3; i++)
                one[c].H[i] = check_random_in(&r, -1, 1);
            impacts_approach(&one[c]);
            k.contacts[c] = one[c].contacts[0];
            for (int i = 0; i < 3; i++) {
                k.u[3 * c + i] = one[c].u[i];
                k.W[3 * c + i + 6 * c] = one[c].W[i];
                k.H[3 * c + i + 6 * c] = one[c].H[i];
                for (int j = 0; j < 3; j++)
                    k.M[3 * c + i + 6 * (3 * c + j)] = one[c].M[i + 3 * j];
            }
        }
        carom_geometry g;
        double u[6];
        carom_outcome o = apply(&k.impact, NULL, &g);
        memcpy(u, o.u, sizeof u);
        for (int c = 0; c < 2; c++) {
            o = apply(&one[c].impact, NULL, &g);
            check_vector(u + 3 * c, o.u, 3, 1e-12);
        }
        /* coupled, dependent normals too */
        impacts_random(&k, &r, 5, 3 + trial % 2, trial % 3 == 0, 10);
        double e = check_random_in(&r, 0, 1);
        for (int c = 0; c < k.impact.p; c++) {
            set_contact(&k.contacts[c], &r);
            k.contacts[c].restitution = e;
            for (int i = 0; i < 5; i++)
                k.H[i + 5 * c] = check_random_in(&r, -1, 1);
        }
        impacts_approach(&k);
        o = apply(&k.impact, NULL, &g);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        assert_true(o.verdict.energetic && o.verdict.momentum_error < 1e-10);
        check_close(o.energy_change, impacts_detail(&o, "energy_change_in_frame"),
                    1e-9 * (1 + g.energy));
        /* without friction it is Newton's law of the approaching contacts */
        o = apply(&k.impact, "restitution", &g);
        memcpy(u, o.u, 5 * sizeof *u);
        o = impacts_apply(&k.impact, "newton", NULL, 0, arena, &g);
        check_close(impacts_kinetic_distance(&g, u, o.u), 0, 1e-9 * g.speed);
    }
}

static void test_nothing_and_warnings(void **state)
{
    (void)state;
    impacts_case k;
    carom_geometry g;
    impacts_chain(&k, 2, NULL, (double[]){0, 1}, 0.5);
    carom_outcome o = apply(&k.impact, NULL, &g);
    assert_non_null(strstr(o.message, "no contact approaches"));
    check_vector(o.u, k.u, 2, 0);
    /* negative normal impulse is said */
    impacts_init(&k, 2, 1);
    k.impact.mass_is_diagonal = true;
    k.M[0] = k.M[1] = 1;
    k.u[0] = 1, k.u[1] = -0.01;
    k.W[1] = 1;
    k.H[0] = 1, k.H[1] = -1;
    k.contacts[0].slip_count = 1;
    k.contacts[0].friction_static = k.contacts[0].friction_dynamic = INFINITY;
    o = apply(&k.impact, NULL, &g);
    assert_non_null(strstr(o.message, "negative"));
    assert_false(o.verdict.kinetic);
}

/* Two normals that take all of the velocity: what is left to slip is rounding, whatever the units,
 * and u = 0 satisfies every slip constraint. */
static void test_nothing_left_to_slip(void **state)
{
    (void)state;
    check_random r = {5};
    for (int trial = 0; trial < 500; trial++) {
        impacts_case k;
        carom_geometry g;
        impacts_random(&k, &r, 2, 2, false, 10);
        impacts_approach(&k);
        for (int i = 0; i < 2; i++)
            k.H[i] = check_random_in(&r, -1, 1);
        k.contacts[1].slip_count = 1;
        k.contacts[1].friction_static = k.contacts[1].friction_dynamic = 0.7;
        assert_int_equal(apply(&k.impact, NULL, &g).answer, CAROM_ANSWER_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_point),
        cmocka_unit_test(test_disc),
        cmocka_unit_test(test_rod),
        cmocka_unit_test(test_rolling_ball),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_nothing_and_warnings),
        cmocka_unit_test(test_nothing_left_to_slip),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
