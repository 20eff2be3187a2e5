/* A rigid body on a plane against the equations of Newton and Euler. */
#include "carom/formulas.h"
#include "check.h"

/* A body over an oblique plane. */
static carom_rigid_body body_of(void)
{
    carom_rigid_body b = {.mass = 1.7,
                          .inertia = {0.3, 0.5, 0.7},
                          .point = {0.2, -0.4, 0.6},
                          .normal = {0.3, -1, 2},
                          .offset = 0.25,
                          .gravity = {0, 0.1, -9.81},
                          .contact = carom_contact_default()};
    b.contact.slip_count = 2;
    b.contact.name = "P";
    return b;
}

static void random_state(check_random *r, carom_state *s)
{
    double length = 0;
    for (int i = 0; i < 7; i++)
        s->q[i] = check_random_in(r, -1, 1);
    for (int i = 3; i < 7; i++)
        length += s->q[i] * s->q[i];
    for (int i = 3; i < 7; i++)
        s->q[i] /= sqrt(length);
    for (int i = 0; i < 6; i++)
        s->u[i] = check_random_in(r, -2, 2);
}

/* One step of a fourth-order method along q' = N u, M u' = h: a test of all derivatives in time. */
static void move(const carom_system *system, carom_state *s, const carom_state *from, double dt)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, w[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double kq[7] = {0}, ku[6] = {0}, q[7], u[6];
    memcpy(q, from->q, sizeof q);
    memcpy(u, from->u, sizeof u);
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 7; i++)
            s->q[i] = from->q[i] + c[stage] * dt * kq[i];
        for (int i = 0; i < 6; i++)
            s->u[i] = from->u[i] + c[stage] * dt * ku[i];
        check_ok(carom_system_evaluate(
                     system, CAROM_WANT_KINEMATICS | CAROM_WANT_FORCES | CAROM_WANT_MASS, s, NULL),
                 NULL);
        for (int i = 0; i < 7; i++) {
            kq[i] = 0;
            for (int j = 0; j < 6; j++)
                kq[i] += s->N[i + 7 * j] * s->u[j];
            q[i] += w[stage] * dt * kq[i];
        }
        for (int i = 0; i < 6; i++) {
            ku[i] = s->h[i] / s->M[i];
            u[i] += w[stage] * dt * ku[i];
        }
    }
    memcpy(s->q, q, sizeof q);
    memcpy(s->u, u, sizeof u);
}

/* gamma = W'u and v_T = H'u are the rates of gap and tangential displacement; the biases complete
 * their accelerations; energy is kept. Checked by small steps both ways (error dt^2). */
static void test_rates(void **state)
{
    (void)state;
    carom_rigid_body b = body_of();
    carom_system *system;
    carom_arena *arena;
    carom_state s, ahead, behind;
    carom_error error = {0};
    check_ok(carom_system_rigid_body(&b, NULL, &system, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_state_create(system, arena, &s, NULL), NULL);
    check_ok(carom_state_create(system, arena, &ahead, NULL), NULL);
    check_ok(carom_state_create(system, arena, &behind, NULL), NULL);
    check_random r = {3};
    for (int round = 0; round < 50; round++) {
        const double dt = 1e-4;
        random_state(&r, &s);
        check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &s, &error), &error);
        move(system, &ahead, &s, dt);
        move(system, &behind, &s, -dt);
        check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &ahead, &error), &error);
        check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &behind, &error), &error);
        double gamma = 0, rate = s.g_bias[0], gamma_ahead = 0, gamma_behind = 0;
        for (int i = 0; i < 6; i++) {
            gamma += s.W[i] * s.u[i];
            rate += s.W[i] * s.h[i] / s.M[i];
            gamma_ahead += ahead.W[i] * ahead.u[i];
            gamma_behind += behind.W[i] * behind.u[i];
        }
        check_close((ahead.g[0] - behind.g[0]) / (2 * dt), gamma, 1e-6);
        check_close((gamma_ahead - gamma_behind) / (2 * dt), rate, 1e-5);
        for (int k = 0; k < 2; k++) {
            double v_ahead = 0, v_behind = 0, slip_rate = s.slip_bias[k];
            for (int i = 0; i < 6; i++) {
                v_ahead += ahead.H[i + 6 * k] * ahead.u[i];
                v_behind += behind.H[i + 6 * k] * behind.u[i];
                slip_rate += s.H[i + 6 * k] * s.h[i] / s.M[i];
            }
            check_close((v_ahead - v_behind) / (2 * dt), slip_rate, 1e-5);
            /* Tangents are unit vectors in the plane. */
            double along = 0, length = 0;
            for (int i = 0; i < 3; i++) {
                along += s.H[i + 6 * k] * b.normal[i];
                length += s.H[i + 6 * k] * s.H[i + 6 * k];
            }
            check_close(along, 0, 1e-14);
            check_close(length, 1, 1e-14);
        }
        check_close(ahead.kinetic + ahead.potential, s.kinetic + s.potential, 1e-12);
    }
    carom_arena_destroy(arena);
    carom_system_destroy(system);
}

/* g_11 of the theory: 1/(|s|^2/m + s_4^2/J_1 + s_5^2/J_2 + s_6^2/J_3), at the identity rotation
 * with s_4.. = r x s by hand. */
static void test_normal_inertia(void **state)
{
    (void)state;
    carom_rigid_body b = body_of();
    carom_system *system;
    carom_arena *arena;
    carom_state s;
    check_ok(carom_system_rigid_body(&b, NULL, &system, NULL), NULL);
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_state_create(system, arena, &s, NULL), NULL);
    s.q[3] = 1;
    check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &s, NULL), NULL);
    const double row[6] = {
        0.3, -1, 2, -0.4 * 2 - 0.6 * -1, 0.6 * 0.3 - 0.2 * 2, 0.2 * -1 - -0.4 * 0.3};
    check_vector(s.W, row, 6, 1e-15);
    check_close(s.g[0], 0.3 * 0.2 + 0.4 + 1.2 - 0.25, 1e-15);
    s.q[3] = 0; /* no rotation at all */
    carom_error error = {0};
    assert_int_equal(carom_system_evaluate(system, CAROM_WANT_ALL, &s, &error), CAROM_ERROR_INPUT);
    carom_arena_destroy(arena);
    carom_system_destroy(system);
}

static void test_refuses(void **state)
{
    (void)state;
    carom_system *system = NULL;
    carom_error error = {0};
    carom_rigid_body b = body_of();
    b.mass = 0;
    assert_int_equal(carom_system_rigid_body(&b, NULL, &system, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "mass"));
    b = body_of();
    b.inertia[1] = -1;
    assert_int_equal(carom_system_rigid_body(&b, NULL, &system, &error), CAROM_ERROR_INPUT);
    b = body_of();
    memset(b.normal, 0, sizeof b.normal);
    assert_int_equal(carom_system_rigid_body(&b, NULL, &system, &error), CAROM_ERROR_INPUT);
    b = body_of();
    b.contact.slip_count = 3;
    assert_int_equal(carom_system_rigid_body(&b, NULL, &system, &error), CAROM_ERROR_INPUT);
    assert_null(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_normal_inertia),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
