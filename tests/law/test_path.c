/* The law `path`: closed forms of sliding, sticking, reversal. */
#include "carom/tolerance.h"
#include "impacts.h"
#include "law/path_motion.h"

CHECK_ARENA(arena);

static const char *const stops[] = {"newton", "poisson", "stronge"};

static carom_outcome apply(const carom_impact *impact, const char *stop, carom_geometry *g)
{
    carom_value value = {.name = "stop", .kind = CAROM_PARAMETER_CHOICE, .text = stop};
    return impacts_apply(impact, "path", &value, 1, arena, g);
}

/* Kane and Levinson's double pendulum (validation F1): Newton's rule gains energy. */
static void test_kane(void **state)
{
    (void)state;
    double degree = CAROM_PI / 180, c = cos(10 * degree);
    impacts_case k;
    impacts_init(&k, 2, 1);
    double M[] = {4.0 / 3, c / 2, c / 2, 1.0 / 3};
    memcpy(k.M, M, sizeof M);
    k.u[0] = -0.1, k.u[1] = -0.2;
    k.W[0] = sin(20 * degree), k.W[1] = sin(30 * degree);
    k.H[0] = cos(20 * degree), k.H[1] = cos(30 * degree);
    k.contacts[0].restitution = 0.5;
    k.contacts[0].friction_static = k.contacts[0].friction_dynamic = 0.7;
    k.contacts[0].slip_count = 1;
    double expected[3][5] = {{.5679798805, -.2445965910, -.33464893, .36311536, .0136189557},
                             {.0970379929, .0489889523, -.19096650, .20721079, -.0111978014},
                             {.1023983699, .0456472890, -.19260193, .20898534, -.0109916683}};
    for (int i = 0; i < 3; i++) {
        carom_geometry g;
        carom_outcome o = apply(&k.impact, stops[i], &g);
        check_close(o.impulse[0], expected[i][0], 1e-9);
        check_close(o.tangential_impulse[0], expected[i][1], 1e-9);
        check_close(o.u[0], expected[i][2], 1e-8);
        check_close(o.u[1], expected[i][3], 1e-8);
        check_close(o.energy_change, expected[i][4], 1e-9);
        assert_int_equal(o.verdict.energetic, i > 0);
        assert_true(o.verdict.kinematic && o.verdict.kinetic);
    }
}

/* A ball (2/5 m r^2) on a rough plane, validation F3: no coupling, all three rules agree. */
static void test_ball(void **state)
{
    (void)state;
    check_random r = {3};
    for (int trial = 0; trial < 300; trial++) {
        double m = check_random_in(&r, 0.1, 5), radius = check_random_in(&r, 0.1, 2);
        double mu = check_random_in(&r, 0, 0.6), e = check_random_in(&r, 0, 1);
        double vx = check_random_in(&r, -2, 2), vn = -check_random_in(&r, 0.1, 2);
        double spin = check_random_in(&r, -2, 2);
        impacts_case k;
        impacts_init(&k, 3, 1);
        k.impact.mass_is_diagonal = true;
        k.M[0] = k.M[1] = m, k.M[2] = 0.4 * m * radius * radius;
        k.u[0] = vx, k.u[1] = vn, k.u[2] = spin;
        k.W[1] = 1;
        k.H[0] = 1, k.H[2] = radius;
        k.contacts[0] = (carom_contact){.restitution = e,
                                        .friction_static = mu,
                                        .friction_dynamic = mu,
                                        .stiffness = 1,
                                        .exponent = 1,
                                        .slip_count = 1};
        double s = vx + radius * spin, push = mu * (1 + e) * fabs(vn);
        bool stick = fabs(s) <= 3.5 * push;
        double sign = s > 0 ? 1 : -1;
        double dx = stick ? -2.0 / 7 * s : -push * sign;
        for (int i = 0; i < 3; i++) {
            carom_geometry g;
            carom_outcome o = apply(&k.impact, stops[i], &g);
            check_close(o.u[0], vx + dx, 1e-13);
            check_close(o.u[1], -e * vn, 1e-13);
            check_close(o.u[2], spin + 2.5 * dx / radius, 1e-12);
            assert_int_equal(o.mode[0] == CAROM_MODE_STICK, stick && mu > 0);
            assert_true(o.verdict.energetic && o.verdict.kinetic && o.verdict.kinematic);
        }
    }
}

/* Housner's block: the new corner is caught by infinite friction with e = 0, the old one lifts. */
static void test_housner(void **state)
{
    (void)state;
    double ratios[] = {0.5, 0.25, 1, 0.1};
    const char *laws[] = {"path", "breakable"};
    for (int i = 0; i < 8; i++) {
        double h = 1, b = ratios[i / 2]; /* half height, half width */
        impacts_case k;
        impacts_init(&k, 3, 2);
        k.impact.mass_is_diagonal = true;
        k.M[0] = k.M[1] = 1, k.M[2] = (b * b + h * h) / 3;
        /* turning at rate 1 (anticlockwise) about the left corner (-b, -h) */
        k.u[0] = -h, k.u[1] = b, k.u[2] = 1;
        for (int c = 0; c < 2; c++) {
            double x = c ? b : -b;
            /* v = (x' + h th', y' + x th') */
            k.W[1 + 3 * c] = 1, k.W[2 + 3 * c] = x;
            k.H[0 + 3 * c] = 1, k.H[2 + 3 * c] = h;
            k.contacts[c].friction_static = k.contacts[c].friction_dynamic = INFINITY;
            k.contacts[c].slip_count = 1;
        }
        /* turn clockwise about the left corner instead: the right corner comes down */
        for (int c = 0; c < 3; c++)
            k.u[c] = -k.u[c];
        carom_geometry g;
        carom_outcome o = impacts_apply(&k.impact, laws[i % 2], NULL, 0, arena, &g);
        double alpha = atan2(b, h);
        double expected = 1 - 1.5 * sin(alpha) * sin(alpha);
        check_close(o.u[2] / k.u[2], expected, 1e-13);
        assert_int_equal(o.mode[0], CAROM_MODE_OPEN);
        assert_int_equal(o.mode[1], CAROM_MODE_STICK);
        check_close(o.slip[1], 0, 1e-14);
        check_close(o.energy / g.energy, expected * expected, 1e-13);
        if (b < sqrt(2) * h)
            assert_true(o.verdict.kinematic);
    }
}

static void random_problem(check_random *r, carom_path_problem *q, int s)
{
    double A[9];
    memset(q, 0, sizeof *q);
    q->s = s;
    for (int i = 0; i < 9; i++)
        A[i] = check_random_in(r, -1, 1);
    for (int a = 0; a <= s; a++) {
        q->u[a] = check_random_in(r, -1, 1);
        for (int b = 0; b <= s; b++)
            for (int k = 0; k < 3; k++)
                q->D[a + 3 * b] += A[k + 3 * a] * A[k + 3 * b];
        q->D[4 * a] += 0.05;
    }
    q->u[0] = -fabs(q->u[0]) - 0.05;
    q->e = check_random_in(r, 0, 1);
    q->mu_dynamic = check_random_in(r, 0, 1.2);
    q->mu_static = q->mu_dynamic + (check_random_int(r, 2) ? check_random_in(r, 0, 0.3) : 0);
    q->stop = (carom_path_stop)check_random_int(r, 3);
}

/* The same by brute force: equal small steps of p_N, friction regularised by one step's stop. */
static void brute_force(const carom_path_problem *q, int steps, double p_end, double *p)
{
    double dp = p_end / steps, u[3], pc = 0, work = 0, stored = 0;
    bool compressed = false;
    memcpy(u, q->u, sizeof u);
    memset(p, 0, 3 * sizeof *p);
    for (int n = 0; n < 100 * steps; n++) {
        double f[2] = {0, 0};
        double speed = hypot(u[1], u[2]);
        /* the impulse that would leave zero slip after this step: D_TT f = -(u_T + D_TN dp) */
        double b0 = -(u[1] + q->D[1] * dp), b1 = -(u[2] + q->D[2] * dp);
        double det = q->s == 2 ? q->D[4] * q->D[8] - q->D[5] * q->D[5] : 0;
        double need[2] = {b0 / q->D[4], 0};
        if (q->s == 2) {
            need[0] = (q->D[8] * b0 - q->D[7] * b1) / det;
            need[1] = (q->D[4] * b1 - q->D[5] * b0) / det;
        }
        if (hypot(need[0], need[1]) <= q->mu_static * dp) {
            f[0] = need[0], f[1] = need[1];
        } else {
            double t[2] = {u[1] / speed, u[2] / speed};
            if (!(speed > 0)) {
                double size = hypot(q->D[1], q->D[2]);
                t[0] = q->D[1] / size, t[1] = q->D[2] / size;
            }
            f[0] = -q->mu_dynamic * t[0] * dp, f[1] = -q->mu_dynamic * t[1] * dp;
        }
        double before = u[0];
        for (int a = 0; a <= q->s; a++)
            u[a] += q->D[a] * dp + q->D[a + 3] * f[0] + q->D[a + 6] * f[1];
        p[0] += dp, p[1] += f[0], p[2] += f[1];
        work += 0.5 * (before + u[0]) * dp;
        if (!compressed && u[0] >= 0) {
            compressed = true;
            pc = p[0], stored = -work;
        }
        if (compressed &&
            ((q->stop == CAROM_PATH_NEWTON && u[0] >= -q->e * q->u[0]) ||
             (q->stop == CAROM_PATH_POISSON && p[0] >= (1 + q->e) * pc) ||
             (q->stop == CAROM_PATH_STRONGE && work + stored >= q->e * q->e * stored)))
            return;
    }
    fail();
}

static void test_brute_force(void **state)
{
    (void)state;
    check_random r = {11};
    int sticks = 0, reversals = 0;
    for (int trial = 0; trial < 300; trial++) {
        carom_path_problem q;
        carom_path_result result;
        random_problem(&r, &q, 1 + trial % 2);
        check_ok(carom_path_motion_follow(&q, arena, &result, NULL), NULL);
        assert_true(result.ended);
        double p[3];
        brute_force(&q, 4000, result.p[0], p);
        /* where slip stops, brute force with mu_s > mu_d may stop one step early: order 1 */
        double size = result.p[0] * (1 + q.mu_static);
        for (int a = 0; a <= q.s; a++)
            check_close(result.p[a], p[a], 8e-3 * size);
        sticks += result.sticks;
        reversals += result.reversed;
    }
    assert_true(sticks > 50 && reversals > 10);
}

/* A planar problem written in a turned spatial frame gives the planar answer. */
static void test_spatial_is_planar(void **state)
{
    (void)state;
    check_random r = {5};
    for (int trial = 0; trial < 500; trial++) {
        carom_path_problem q, z;
        carom_path_result flat, space;
        random_problem(&r, &q, 1);
        z = q;
        z.s = 2;
        double x = check_random_in(&r, -3, 3), c = cos(x), s = sin(x);
        double across = check_random_in(&r, 0.05, 2);
        z.u[1] = c * q.u[1], z.u[2] = s * q.u[1];
        z.D[1] = z.D[3] = c * q.D[1], z.D[2] = z.D[6] = s * q.D[1];
        z.D[4] = c * c * q.D[4] + s * s * across;
        z.D[8] = s * s * q.D[4] + c * c * across;
        z.D[5] = z.D[7] = c * s * (q.D[4] - across);
        check_ok(carom_path_motion_follow(&q, arena, &flat, NULL), NULL);
        check_ok(carom_path_motion_follow(&z, arena, &space, NULL), NULL);
        double size = flat.p[0] * (1 + q.mu_static);
        check_close(space.p[0], flat.p[0], 1e-11 * size);
        check_close(c * space.p[1] + s * space.p[2], flat.p[1], 1e-11 * size);
        assert_int_equal(space.sticks, flat.sticks);
    }
}

/* Accuracy of spatial sliding: a turned frame changes nothing, energy is the work that was done. */
static void test_spatial_invariance(void **state)
{
    (void)state;
    check_random r = {6};
    for (int trial = 0; trial < 500; trial++) {
        carom_path_problem q, z;
        carom_path_result a, b;
        random_problem(&r, &q, 2);
        z = q;
        double x = check_random_in(&r, -3, 3), c = cos(x), s = sin(x);
        z.u[1] = c * q.u[1] - s * q.u[2], z.u[2] = s * q.u[1] + c * q.u[2];
        z.D[1] = z.D[3] = c * q.D[1] - s * q.D[2];
        z.D[2] = z.D[6] = s * q.D[1] + c * q.D[2];
        z.D[4] = c * c * q.D[4] - 2 * c * s * q.D[5] + s * s * q.D[8];
        z.D[8] = s * s * q.D[4] + 2 * c * s * q.D[5] + c * c * q.D[8];
        z.D[5] = z.D[7] = c * s * (q.D[4] - q.D[8]) + (c * c - s * s) * q.D[5];
        check_ok(carom_path_motion_follow(&q, arena, &a, NULL), NULL);
        check_ok(carom_path_motion_follow(&z, arena, &b, NULL), NULL);
        double size = a.p[0] * (1 + q.mu_static);
        check_close(b.p[0], a.p[0], 1e-11 * size);
        check_close(b.p[1], c * a.p[1] - s * a.p[2], 1e-11 * size);
        check_close(b.p[2], s * a.p[1] + c * a.p[2], 1e-11 * size);
        /* the stopping rule is met */
        if (q.stop == CAROM_PATH_NEWTON)
            check_close(a.u[0], -q.e * q.u[0], 1e-12);
        if (q.stop == CAROM_PATH_POISSON)
            check_close(a.p[0], (1 + q.e) * a.compression[0], 1e-11 * size);
        if (q.stop == CAROM_PATH_STRONGE) {
            check_close(a.work_returned, q.e * q.e * a.work_stored, 1e-12 * size);
            /* total energy p'(u- + u+)/2 never grows with Stronge's rule */
            double gain = 0;
            for (int k = 0; k < 3; k++)
                gain += 0.5 * a.p[k] * (q.u[k] + a.u[k]);
            assert_true(gain <= 1e-13);
        }
        if (a.sticks)
            check_close(hypot(a.u[1], a.u[2]), 0, 1e-12);
    }
}

/* Infinite friction is the limit of large friction, the stopping rules included. */
static void test_infinite_friction(void **state)
{
    (void)state;
    check_random r = {8};
    for (int trial = 0; trial < 400; trial++) {
        carom_path_problem q, large;
        carom_path_result a, b;
        random_problem(&r, &q, 1 + trial % 2);
        large = q;
        q.mu_static = q.mu_dynamic = INFINITY;
        large.mu_static = large.mu_dynamic = 1e9;
        check_ok(carom_path_motion_follow(&q, arena, &a, NULL), NULL);
        check_ok(carom_path_motion_follow(&large, arena, &b, NULL), NULL);
        double size = hypot(a.p[0], hypot(a.p[1], a.p[2]));
        for (int k = 0; k <= q.s; k++)
            check_close(a.p[k], b.p[k], 1e-6 * size);
    }
}

/* du_N = 0 while sticking: no impulse ends the impact. */
static void test_wedged(void **state)
{
    (void)state;
    impacts_case k;
    impacts_init(&k, 1, 1);
    k.impact.mass_is_diagonal = true;
    k.M[0] = 2, k.u[0] = -1, k.W[0] = 0.5, k.H[0] = 1, k.slip_motion[0] = 1;
    k.contacts[0].slip_count = 1;
    k.contacts[0].friction_static = k.contacts[0].friction_dynamic = 10;
    carom_geometry g;
    carom_outcome o = apply(&k.impact, "newton", &g);
    assert_int_equal(o.answer, CAROM_ANSWER_NONE);
    assert_non_null(strstr(o.message, "wedged"));
}

/* What the law says about several contacts and about none. */
static void test_several(void **state)
{
    (void)state;
    impacts_case k;
    carom_geometry g;
    impacts_chain(&k, 3, NULL, (double[]){1, 0, -1}, 0.5);
    carom_outcome o = apply(&k.impact, "poisson", &g);
    assert_int_equal(o.answer, CAROM_ANSWER_INAPPLICABLE);
    assert_non_null(strstr(o.message, "1 and 2 approach"));
    impacts_chain(&k, 3, NULL, (double[]){1, 0, 0}, 0.5);
    o = apply(&k.impact, "stronge", &g);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_close(o.u[1], 0.75, 1e-15);
    assert_int_equal(o.mode[1], CAROM_MODE_OPEN);
    assert_false(o.verdict.kinematic);
    impacts_chain(&k, 3, NULL, (double[]){0, 0, 0}, 0.5);
    o = apply(&k.impact, "newton", &g);
    assert_non_null(strstr(o.message, "no contact approaches"));
    check_vector(o.u, k.u, 3, 0);
}

/* Masses by 1e9 and velocities by 1e-6 only rescale. */
static void test_scaling(void **state)
{
    (void)state;
    check_random r = {21};
    for (int trial = 0; trial < 200; trial++) {
        carom_path_problem q, z;
        carom_path_result a, b;
        random_problem(&r, &q, 1 + trial % 2);
        z = q;
        double mass = trial % 4 < 2 ? 1e9 : 1e-9, speed = trial % 8 < 4 ? 1e6 : 1e-6;
        for (int k = 0; k < 9; k++)
            z.D[k] /= mass;
        for (int k = 0; k < 3; k++)
            z.u[k] *= speed;
        check_ok(carom_path_motion_follow(&q, arena, &a, NULL), NULL);
        check_ok(carom_path_motion_follow(&z, arena, &b, NULL), NULL);
        /* paths that pass close to rest are sensitive, so not to the last digit */
        for (int k = 0; k <= q.s; k++)
            check_close(b.p[k] / (mass * speed), a.p[k], 1e-10 * (1 + a.p[0]));
    }
}

/* One degree of freedom w = 1 over a surface that moves across the slip (h v, sigma): friction
 * holds it at the velocity where mu h t_1 = 1, that is h v = sigma x/sqrt(1 - x^2), x = 1/(mu h).
 * Newton's velocity is never reached; Poisson's impulse and Stronge's work are, after a slide of
 * any length. */
static void test_held_by_friction(void **state)
{
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        const double h = 1 + 0.25 * (trial % 5), mu = 1.5 / h + 0.1 * (trial % 4);
        const double sigma = pow(10, -2 - trial % 7), x = 1 / (mu * h);
        const double held = sigma * x / (h * sqrt(1 - x * x));
        carom_path_problem q = {.s = 2,
                                .D = {1, h, 0, h, h * h, 0, 0, 0, 0},
                                .u = {-1, -h, sigma},
                                .e = 0.5,
                                .mu_static = mu,
                                .mu_dynamic = mu,
                                .stop = (carom_path_stop)(trial % 3)};
        carom_path_result r;
        check_ok(carom_path_motion_follow(&q, arena, &r, NULL), NULL);
        assert_true(r.evaluations < 20000);
        assert_int_equal(r.ended, q.stop != CAROM_PATH_NEWTON);
        if (r.ended) /* what impulses that cancel leave */
            check_close(r.u[0], held, CAROM_TOLERANCE_CARRIED * (1 + r.p[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kane),
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_housner),
        cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_spatial_is_planar),
        cmocka_unit_test(test_spatial_invariance),
        cmocka_unit_test(test_infinite_friction),
        cmocka_unit_test(test_wedged),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_held_by_friction),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
