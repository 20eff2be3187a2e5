/* Derived geometry: Delassus matrix, joints, frames, refusals; scale invariance; verification. */
#include "check_memory.h"
#include "impacts.h"

#include <float.h>

CHECK_ARENA(arena);

static carom_geometry derive(const impacts_case *c)
{
    carom_geometry g;
    carom_error error = {0};
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(&c->impact, arena, &g, &error), &error);
    return g;
}

static void check_refused(const impacts_case *c, const char *part)
{
    carom_geometry g = {0};
    carom_error error = {0};
    carom_arena_reset(arena);
    assert_int_equal(carom_impact_derive(&c->impact, arena, &g, &error), CAROM_ERROR_ARGUMENT);
    if (!strstr(error.text, part))
        print_error("'%s' does not mention '%s'\n", error.text, part);
    assert_non_null(strstr(error.text, part));
    assert_null(g.impact); /* outputs untouched */
}

/* Block of width l, height h on two corners: D_11 = 1/m (1 + 3 l^2/(l^2+h^2)), D_12 likewise with
 * a minus sign. */
static void test_block(void **state)
{
    (void)state;
    impacts_case c;
    double l = 2, h = 1, J = (l * l + h * h) / 12;
    impacts_init(&c, 3, 2);
    c.impact.mass_is_diagonal = true;
    c.M[0] = c.M[1] = 1;
    c.M[2] = J;
    c.W[1] = c.W[4] = 1;
    c.W[2] = l / 2;
    c.W[5] = -l / 2;
    c.u[1] = -1;
    carom_geometry g = derive(&c);
    check_vector(g.D, ((double[]){3.4, -1.4, -1.4, 3.4}), 4, 1e-14);
    double theta[4];
    carom_geometry_angles(&g, theta);
    check_close(theta[1], acos(1.4 / 3.4), 1e-14);
    check_close(theta[0], CAROM_PI, 0);
    assert_true(g.approaching);
    assert_false(g.dependent);
}

/* M_c^-1 by its definition, against random joints; a joint given twice changes nothing. */
static void test_joints(void **state)
{
    (void)state;
    check_random r = {3};
    for (int round = 0; round < 300; round++) {
        impacts_case c;
        int n = 3 + check_random_int(&r, 6), p = 1 + check_random_int(&r, 3);
        impacts_random(&c, &r, n, p, false, 100);
        c.impact.m = 1 + round % 3;
        for (int k = 0; k < n * c.impact.m; k++)
            c.B[k] = check_random_in(&r, -1, 1);
        if (c.impact.m == 3)
            for (int k = 0; k < n; k++)
                c.B[k + 2 * n] = c.B[k] - 2 * c.B[k + n];
        carom_geometry g = derive(&c);
        assert_int_equal(g.joint_rank, c.impact.m == 3 ? 2 : c.impact.m);
        for (int i = 0; i < p; i++) {
            double *y = g.Y + i * n, My[IMPACTS_N];
            for (int j = 0; j < c.impact.m; j++) { /* Y is compatible with the joints */
                double dot = 0;
                for (int k = 0; k < n; k++)
                    dot += c.B[k + j * n] * y[k];
                check_close(dot, 0, 1e-10);
            }
            /* M y - w is a combination of joint rows: orthogonal to every compatible velocity */
            carom_geometry_mass(&g, y, My);
            double x[IMPACTS_N], z[IMPACTS_N], work[2 * IMPACTS_N], dot = 0;
            for (int k = 0; k < n; k++)
                x[k] = check_random_in(&r, -1, 1);
            carom_geometry_inverse_mass(&g, x, z, work);
            for (int k = 0; k < n; k++)
                dot += (My[k] - c.W[k + i * n]) * z[k];
            check_close(dot, 0, 1e-9);
        }
        assert_true(g.joint_error > 0); /* a random u- violates them */
        for (int j = 0; j < c.impact.m; j++) {
            double dot = 0;
            for (int k = 0; k < n; k++)
                dot += c.B[k + j * n] * g.u[k];
            check_close(dot, 0, 1e-10);
        }
    }
}

/* b satisfies the moving constraints; dependent normals must move consistently. */
static void test_frames(void **state)
{
    (void)state;
    check_random r = {4};
    for (int round = 0; round < 300; round++) {
        impacts_case c;
        int n = 2 + check_random_int(&r, 6), p = 1 + check_random_int(&r, n);
        bool dependent = round % 2 && p >= 3;
        impacts_random(&c, &r, n, p, dependent, 100);
        double v[IMPACTS_N]; /* the velocity of the frame everything moves with */
        for (int k = 0; k < n; k++)
            v[k] = check_random_in(&r, -1, 1);
        for (int i = 0; i < p; i++)
            for (int k = 0; k < n; k++)
                c.w_hat[i] -= c.W[k + i * n] * v[k];
        carom_geometry g = derive(&c);
        for (int i = 0; i < p; i++) {
            double gamma = c.w_hat[i];
            for (int k = 0; k < n; k++)
                gamma += c.W[k + i * n] * g.b[k];
            check_close(gamma / g.norm[i] / g.speed, 0, 1e-11);
        }
        /* least norm: not longer than the frame velocity that made it */
        assert_true(carom_geometry_dot(&g, g.b, g.b) <= carom_geometry_dot(&g, v, v) * (1 + 1e-12));
        if (dependent) {
            c.w_hat[p - 1] += 0.5;
            check_refused(&c, "inconsistent");
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    impacts_case c;
    const double u[] = {1, 0, 0};
    impacts_chain(&c, 3, NULL, u, 0.5);
    c.M[1] = -2;
    check_refused(&c, "pivot 2");
    impacts_chain(&c, 3, NULL, u, 0.5);
    c.M[1] = NAN;
    check_refused(&c, "mass: entry (2, 1)");
    impacts_chain(&c, 3, NULL, u, 0.5);
    c.u[2] = INFINITY;
    check_refused(&c, "velocity: entry (3, 1)");
    impacts_chain(&c, 3, NULL, u, 1.5);
    check_refused(&c, "restitution 1.5 is outside [0, 1]");
    c.impact.flags = CAROM_IMPACT_ANY_RESTITUTION;
    derive(&c);
    impacts_chain(&c, 3, NULL, u, 0.5);
    c.W[0] = c.W[1] = 0;
    check_refused(&c, "contact 1: the normal is zero");
    impacts_chain(&c, 3, NULL, u, 0.5);
    c.contacts[1].friction_dynamic = 0.3;
    check_refused(&c, "contact 2: dynamic friction");
    impacts_chain(&c, 3, NULL, u, 0.5);
    c.impact.n = 0;
    check_refused(&c, "at least one degree of freedom");
    check_random r = {9};
    impacts_random(&c, &r, 3, 2, false, 1);
    c.M[1] += 1e-3;
    check_refused(&c, "not symmetric");
    impacts_random(&c, &r, 3, 2, false, 1);
    c.M[8] = -1;
    check_refused(&c, "pivot 3");
}

/* Masses times 1e+-9 and velocities times 1e+-6 change the scale of the answer and nothing else. */
static void test_scale_invariance(void **state)
{
    (void)state;
    check_random r = {21};
    for (int round = 0; round < 500; round++) {
        impacts_case c;
        int n = 2 + check_random_int(&r, 6), p = 2 + check_random_int(&r, 5);
        impacts_random(&c, &r, n, p, round % 2, 1e3);
        for (int i = 0; i < p; i++)
            c.contacts[i].restitution = 0.7;
        double mass = round % 3 == 0 ? 1e9 : 1e-9, speed = round % 5 < 2 ? 1e6 : 1e-6;
        carom_geometry g;
        carom_arena_reset(arena);
        carom_outcome a = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        impacts_case d = c;
        d.impact.M = d.M, d.impact.u = d.u, d.impact.W = d.W, d.impact.contacts = d.contacts;
        for (int k = 0; k < n * n; k++)
            d.M[k] *= mass;
        for (int k = 0; k < n; k++)
            d.u[k] *= speed;
        carom_geometry h;
        carom_outcome b = impacts_apply(&d.impact, "newton", NULL, 0, arena, &h);
        assert_int_equal(a.answer, b.answer);
        assert_int_equal(g.dependent, h.dependent);
        for (int i = 0; i < n; i++)
            check_close(b.u[i] / speed, a.u[i], 1e-9 * g.speed);
        assert_int_equal(a.verdict.kinematic, b.verdict.kinematic);
        assert_int_equal(a.verdict.kinetic, b.verdict.kinetic);
        assert_int_equal(a.verdict.energetic, b.verdict.energetic);
    }
}

/* The verifier does not trust: a wrong velocity or impulse shows. */
static void test_verification_catches(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    carom_geometry g;
    carom_arena_reset(arena);
    carom_outcome o = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
    o.u[1] += 1e-6;
    check_ok(carom_outcome_complete(&g, arena, &o, NULL), NULL);
    assert_true(o.verdict.momentum_error > 5e-7);
    assert_false(o.verdict.energetic);
    o.u[1] += 1e-3;
    o.impulse[0] = -0.1;
    check_ok(carom_outcome_complete(&g, arena, &o, NULL), NULL);
    assert_false(o.verdict.kinematic);
    assert_false(o.verdict.kinetic);
}

/* Every allocation fails once: a clean error and no leak, for every law. */
static void test_out_of_memory(void **state)
{
    (void)state;
    enum { BALLS = 200 };
    static double M[BALLS], u[BALLS], W[BALLS * (BALLS - 1)];
    static carom_contact contacts[BALLS];
    for (int i = 0; i < BALLS; i++)
        M[i] = 1;
    u[0] = 1;
    for (int i = 0; i + 1 < BALLS; i++) {
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 1;
        W[i + i * BALLS] = -1;
        W[i + 1 + i * BALLS] = 1;
    }
    carom_impact impact = {.n = BALLS,
                           .p = BALLS - 1,
                           .mass_is_diagonal = true,
                           .M = M,
                           .u = u,
                           .W = W,
                           .contacts = contacts};
    for (int k = 0; k < carom_law_count(); k++)
        for (int fail_at = 0, done = 0; !done; fail_at++) {
            check_memory f = {.fail_at = fail_at};
            carom_allocator allocator = {check_memory_resize, &f};
            carom_arena *a = NULL;
            carom_geometry g;
            carom_outcome o;
            carom_error error = {0};
            carom_law law = {carom_law_at(k), NULL, 0};
            carom_status status = carom_arena_create(&allocator, &a, &error);
            if (!status)
                status = carom_impact_derive(&impact, a, &g, &error);
            if (!status)
                status = carom_law_apply(&law, &g, a, &o, &error);
            carom_arena_destroy(a);
            assert_int_equal(f.live, 0);
            if (status)
                assert_int_equal(error.status, CAROM_ERROR_MEMORY);
            done = f.calls <= fail_at;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_scale_invariance),
        cmocka_unit_test(test_verification_catches),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
