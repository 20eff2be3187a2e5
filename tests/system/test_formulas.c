/* Statements whose equations of motion are known by other means. */
#include "formula_case.h"
#include "linalg/cholesky.h"

/* Double pendulum: point masses, angles from the vertical. Equations from a textbook's Newtonian
 * derivation, not from a Lagrangian program. */
static void test_double_pendulum(void **state)
{
    (void)state;
    const carom_source coordinates[] = {F("a"), F("b")};
    const carom_named_formula parameters[] = {{F("m1"), F("1.3")},
                                              {F("m2"), F("0.7")},
                                              {F("l1"), F("1.1")},
                                              {F("l2"), F("0.6")},
                                              {F("g"), F("9.81")}};
    const carom_source kinetic[] = {
        F("m1/2*l1^2*a'^2 + m2/2*((l1*cos(a)*a' + l2*cos(b)*b')^2 + (l1*sin(a)*a' + "
          "l2*sin(b)*b')^2)")};
    const carom_source potential[] = {F("-m1*g*l1*cos(a) - m2*g*(l1*cos(a) + l2*cos(b))")};
    const carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(parameter, parameters),
                                      GIVEN(kinetic, kinetic), GIVEN(potential, potential)};
    made m = make(&statement);
    const carom_system_shape *shape = carom_system_get_shape(m.system);
    assert_false(shape->mass_is_diagonal);
    assert_false(shape->mass_is_constant);
    assert_int_equal(shape->mass_pattern.start[2], 4); /* full */
    assert_string_equal(shape->velocities[1], "b'");
    check_random r = {1};
    const double m1 = 1.3, m2 = 0.7, l1 = 1.1, l2 = 0.6, g = 9.81;
    for (int k = 0; k < 200; k++) {
        double a = m.state.q[0] = check_random_in(&r, -4, 4);
        double b = m.state.q[1] = check_random_in(&r, -4, 4);
        double da = m.state.u[0] = check_random_in(&r, -3, 3);
        double db = m.state.u[1] = check_random_in(&r, -3, 3);
        evaluate(&m, CAROM_WANT_ALL);
        const double *M = m.state.M, *h = m.state.h;
        check_close(M[0], (m1 + m2) * l1 * l1, 1e-12);
        check_close(M[3], m2 * l2 * l2, 1e-12);
        check_close(M[1], m2 * l1 * l2 * cos(a - b), 1e-12);
        assert_true(M[1] == M[2]);
        check_close(h[0], -m2 * l1 * l2 * sin(a - b) * db * db - (m1 + m2) * g * l1 * sin(a),
                    1e-12 * 40);
        check_close(h[1], m2 * l1 * l2 * sin(a - b) * da * da - m2 * g * l2 * sin(b), 1e-12 * 40);
        check_close(m.state.power, 0, 0);
        check_close(m.state.kinetic, 0.5 * (M[0] * da * da + 2 * M[1] * da * db + M[3] * db * db),
                    1e-12);
    }
    drop(&m);
}

/* A ring of radius R about its vertical diameter, turned by the prescribed angle w t + c t^2/2: the
 * energy is written in Cartesian velocities, with terms linear in and free of th'. */
static void test_hoop(void **state)
{
    (void)state;
    const carom_source coordinates[] = {F("th")};
    const carom_named_formula parameters[] = {{F("m"), F("0.4")},
                                              {F("R"), F("1.5")},
                                              {F("w"), F("2.2")},
                                              {F("c"), F("0.7")},
                                              {F("g"), F("9.81")}};
    const carom_source kinetic[] = {
        F("m/2*(R*cos(th)*th'*cos(w*t + c*t^2/2) - R*sin(th)*sin(w*t + c*t^2/2)*(w + c*t))^2"),
        F("m/2*(R*cos(th)*th'*sin(w*t + c*t^2/2) + R*sin(th)*cos(w*t + c*t^2/2)*(w + c*t))^2"),
        F("m/2*(R*sin(th)*th')^2")};
    const carom_source potential[] = {F("-m*g*R*cos(th)")};
    const carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(parameter, parameters),
                                      GIVEN(kinetic, kinetic), GIVEN(potential, potential)};
    made m = make(&statement);
    check_random r = {2};
    for (int k = 0; k < 200; k++) {
        double th = m.state.q[0] = check_random_in(&r, -4, 4);
        double v = m.state.u[0] = check_random_in(&r, -3, 3);
        double t = m.state.t = check_random_in(&r, -2, 2), spin = 2.2 + 0.7 * t;
        evaluate(&m, CAROM_WANT_ALL);
        double I = 0.4 * 1.5 * 1.5;
        check_close(m.state.M[0], I, 1e-12);
        check_close(m.state.h[0], I * spin * spin * sin(th) * cos(th) - 0.4 * 9.81 * 1.5 * sin(th),
                    1e-11);
        check_close(m.state.kinetic, I / 2 * (v * v + sin(th) * sin(th) * spin * spin), 1e-11);
        /* 1/2 M u^2 + V changes by the work of the turning ring. */
        check_close(m.state.power, I * spin * spin * sin(th) * cos(th) * v, 1e-11);
    }
    drop(&m);
}

/* A bead on a horizontal ring that turns about a point of its rim: th'' = -w^2 sin th. */
static void test_velocity_linear(void **state)
{
    (void)state;
    const carom_source coordinates[] = {F("th")};
    const carom_named_formula parameters[] = {{F("w"), F("1.7")}};
    const carom_source kinetic[] = {F("(th'^2 + 2*th'*(1 + cos(th))*w + 2*(1 + cos(th))*w^2)/2")};
    const carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(parameter, parameters),
                                      GIVEN(kinetic, kinetic)};
    made m = make(&statement);
    assert_true(carom_system_get_shape(m.system)->mass_is_constant);
    assert_true(carom_system_get_shape(m.system)->mass_is_diagonal);
    for (double th = -3; th < 3; th += 0.1) {
        m.state.q[0] = th;
        m.state.u[0] = 1 - th;
        evaluate(&m, CAROM_WANT_ALL);
        check_close(m.state.M[0], 1, 0);
        check_close(m.state.h[0], -1.7 * 1.7 * sin(th), 1e-14 * 10);
    }
    drop(&m);
}

/* Body axes angular velocity from Euler angles (z x z), Omega = E(q) q', and E' q'. */
static void angular_velocity(const double q[3], const double u[3], double E[3][3], double dEu[3])
{
    double st = sin(q[1]), ct = cos(q[1]), sp = sin(q[2]), cp = cos(q[2]);
    const double rows[3][3] = {{st * sp, cp, 0}, {st * cp, -sp, 0}, {ct, 0, 1}};
    memcpy(E, rows, sizeof rows);
    double dst = ct * u[1], dct = -st * u[1], dsp = cp * u[2], dcp = -sp * u[2];
    dEu[0] = (dst * sp + st * dsp) * u[0] + dcp * u[1];
    dEu[1] = (dst * cp + st * dcp) * u[0] - dsp * u[1];
    dEu[2] = dct * u[0];
}

/* A heavy top in Euler angles: its accelerations must satisfy Euler's equations
 * J Omega' + Omega x J Omega = torque in body axes. */
static void test_euler_angles(void **state)
{
    (void)state;
    const carom_source coordinates[] = {F("psi"), F("th"), F("phi")};
    const carom_named_formula parameters[] = {
        {F("J1"), F("0.3")}, {F("J2"), F("0.5")}, {F("J3"), F("0.7")}, {F("mgl"), F("2.5")}};
    const carom_source kinetic[] = {F("J1/2*(psi'*sin(th)*sin(phi) + th'*cos(phi))^2 + "
                                      "J2/2*(psi'*sin(th)*cos(phi) - th'*sin(phi))^2 + "
                                      "J3/2*(psi'*cos(th) + phi')^2")};
    const carom_source potential[] = {F("mgl*cos(th)")};
    const carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(parameter, parameters),
                                      GIVEN(kinetic, kinetic), GIVEN(potential, potential)};
    made m = make(&statement);
    const double J[3] = {0.3, 0.5, 0.7};
    check_random r = {5};
    for (int k = 0; k < 300; k++) {
        carom_state *s = &m.state;
        double E[3][3], rate[3], omega[3], L[9], a[3];
        for (int i = 0; i < 3; i++) {
            s->q[i] = check_random_in(&r, 0.4, 2.7);
            s->u[i] = check_random_in(&r, -2, 2);
        }
        evaluate(&m, CAROM_WANT_ALL);
        angular_velocity(s->q, s->u, E, rate);
        memcpy(L, s->M, sizeof L);
        memcpy(a, s->h, sizeof a);
        assert_int_equal(carom_cholesky_factor(3, L, 3), 0);
        carom_cholesky_solve(3, L, 3, a);
        for (int i = 0; i < 3; i++) {
            omega[i] = 0;
            for (int j = 0; j < 3; j++) {
                double M = 0;
                for (int l = 0; l < 3; l++)
                    M += E[l][i] * J[l] * E[l][j];
                check_close(s->M[i + 3 * j], M, 1e-12);
                assert_true(s->M[i + 3 * j] == s->M[j + 3 * i]);
                omega[i] += E[i][j] * s->u[j];
                rate[i] += E[i][j] * a[j];
            }
        }
        const double torque[3] = {2.5 * E[1][0], -2.5 * E[0][0], 0};
        check_close(J[0] * rate[0] - (J[1] - J[2]) * omega[1] * omega[2], torque[0], 1e-12 * 20);
        check_close(J[1] * rate[1] - (J[2] - J[0]) * omega[2] * omega[0], torque[1], 1e-12 * 20);
        check_close(J[2] * rate[2] - (J[0] - J[1]) * omega[0] * omega[1], torque[2], 1e-12 * 20);
    }
    drop(&m);
}

/* One fourth-order step of M u' = h. */
static void move(made *m, const carom_state *from, double dt)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, w[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    carom_state *s = &m->state;
    int n = carom_system_get_shape(m->system)->n;
    double kq[8] = {0}, ku[8] = {0}, q[8], u[8], L[64];
    memcpy(q, from->q, (size_t)n * sizeof *q);
    memcpy(u, from->u, (size_t)n * sizeof *u);
    for (int stage = 0; stage < 4; stage++) {
        s->t = from->t + c[stage] * dt;
        for (int i = 0; i < n; i++) {
            s->q[i] = from->q[i] + c[stage] * dt * kq[i];
            s->u[i] = from->u[i] + c[stage] * dt * ku[i];
        }
        evaluate(m, CAROM_WANT_MASS | CAROM_WANT_FORCES);
        memcpy(L, s->M, (size_t)(n * n) * sizeof *L);
        memcpy(ku, s->h, (size_t)n * sizeof *ku);
        assert_int_equal(carom_cholesky_factor(n, L, n), 0);
        carom_cholesky_solve(n, L, n, ku);
        for (int i = 0; i < n; i++) {
            kq[i] = s->u[i];
            q[i] += w[stage] * dt * kq[i];
            u[i] += w[stage] * dt * ku[i];
        }
    }
    s->t = from->t + dt;
    memcpy(s->q, q, (size_t)n * sizeof *q);
    memcpy(s->u, u, (size_t)n * sizeof *u);
    evaluate(m, CAROM_WANT_ALL);
}

/* W_k'u + motion_k */
static double rate_of(const double *rows, const double *motion, int k, int n, const double *u)
{
    double sum = motion[k];
    for (int i = 0; i < n; i++)
        sum += rows[i + k * n] * u[i];
    return sum;
}

static double energy_of(const carom_state *s, int n)
{
    double sum = s->potential;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += 0.5 * s->u[i] * s->M[i + j * n] * s->u[j];
    return sum;
}

/* Everything that moves with time, in one system without any symmetry: along the motion the gap's
 * rate is gamma, gamma's rate is W'u' + g_bias, and so on; energy changes by the power. */
static void test_rates(void **state)
{
    (void)state;
    const carom_source coordinates[] = {F("x"), F("y"), F("z")};
    const carom_source kinetic[] = {
        F("(2 + sin(x + t))*x'^2 + (1 + z^2)*y'^2 + z'^2 + 0.3*cos(y)*x'*z'"),
        F("x*y'*cos(t) + t*z*x' + y*z*t^2 + sin(x)*cos(z)")};
    const carom_source potential[] = {F("x^2*cos(t) + y*z + exp(-t)*sin(z)")};
    const carom_named_formula forces[] = {
        {F("x"), F("-0.5*x' + t")}, {F("z"), F("y'*x")}, {F("x"), F("z'*sin(y)")}};
    const carom_contact_formulas contacts[] = {
        {.gap = F("sqrt(4 + x^2 + y*z) - sin(2*t)*x"),
         .slip = {F("x'*cos(y) - z*y' + x*t"), F("sin(x*t)*z' + y'")},
         .properties = carom_contact_default()},
        {.gap = F("y - 0.1*sin(t)"), .properties = carom_contact_default()}};
    const carom_named_formula bilateral[] = {{F("rod"), F("(x - t)^2 + y^2*z - 4")}};
    const carom_named_formula permanent[] = {{F("roll"), F("x'*z + y'*t - cos(t + y)")}};
    const carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(kinetic, kinetic),
                                      GIVEN(potential, potential),    GIVEN(force, forces),
                                      GIVEN(contact, contacts),       GIVEN(bilateral, bilateral),
                                      GIVEN(permanent, permanent)};
    made here = make(&statement), ahead = make(&statement), behind = make(&statement);
    const carom_system_shape *shape = carom_system_get_shape(here.system);
    assert_int_equal(shape->s, 2);
    assert_int_equal(shape->contacts[0].slip_count, 2);
    assert_string_equal(shape->contacts[1].name, "2");
    assert_string_equal(shape->joints[0], "rod");
    assert_string_equal(shape->rollings[0], "roll");
    check_random r = {7};
    for (int k = 0; k < 100; k++) {
        const double dt = 1e-4, tolerance = 2e-6;
        carom_state *s = &here.state, *a = &ahead.state, *b = &behind.state;
        s->t = check_random_in(&r, -1, 1);
        for (int i = 0; i < 3; i++) {
            s->q[i] = check_random_in(&r, -1, 1);
            s->u[i] = check_random_in(&r, -1, 1);
        }
        evaluate(&here, CAROM_WANT_ALL);
        move(&ahead, s, dt);
        move(&behind, s, -dt);
        double L[9], du[3];
        memcpy(L, s->M, sizeof L);
        memcpy(du, s->h, sizeof du);
        assert_int_equal(carom_cholesky_factor(3, L, 3), 0);
        carom_cholesky_solve(3, L, 3, du);
        const struct {
            const double *value_a, *value_b, *rows, *motion, *bias, *rows_a, *motion_a, *rows_b,
                *motion_b;
            int count;
        } parts[] = {
            {a->g, b->g, s->W, s->w_hat, s->g_bias, a->W, a->w_hat, b->W, b->w_hat, 2},
            {NULL, NULL, s->H, s->slip_motion, s->slip_bias, a->H, a->slip_motion, b->H,
             b->slip_motion, 2},
            {a->f, b->f, s->B, s->b_hat, s->b_bias, a->B, a->b_hat, b->B, b->b_hat, 1},
            {NULL, NULL, s->A, s->a_hat, s->a_bias, a->A, a->a_hat, b->A, b->a_hat, 1},
        };
        for (int p = 0; p < COUNT(parts); p++)
            for (int i = 0; i < parts[p].count; i++) {
                double rate_a = rate_of(parts[p].rows_a, parts[p].motion_a, i, 3, a->u);
                double rate_b = rate_of(parts[p].rows_b, parts[p].motion_b, i, 3, b->u);
                if (parts[p].value_a)
                    check_close((parts[p].value_a[i] - parts[p].value_b[i]) / (2 * dt),
                                rate_of(parts[p].rows, parts[p].motion, i, 3, s->u), tolerance);
                check_close((rate_a - rate_b) / (2 * dt),
                            rate_of(parts[p].rows, parts[p].bias, i, 3, du), tolerance * 10);
            }
        check_close((energy_of(a, 3) - energy_of(b, 3)) / (2 * dt), s->power, tolerance * 10);
    }
    drop(&here);
    drop(&ahead);
    drop(&behind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_hoop),
        cmocka_unit_test(test_velocity_linear), cmocka_unit_test(test_euler_angles),
        cmocka_unit_test(test_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
