/* Coulomb's law at impulse level: closed forms of single bodies and the answers' bookkeeping. */
#include "law/impact_case.h"

CHECK_ARENA(arena);

static const char *const forms[] = {"complementarity", "equality"};

/* A body of revolution (coordinates x, y, r*w) with inertia kappa m r^2 on a rough plane. */
static void ball(impact_case *c, double m, double kappa, double vx, double vn, double rw)
{
    case_start(c, 3, 1);
    case_diagonal(c, (double[]){m, m, kappa * m});
    c->u[0] = vx;
    c->u[1] = vn;
    c->u[2] = rw;
    c->W[1] = 1;
    c->H[0] = c->H[2] = 1;
    c->contacts[0].slip_count = 1;
}

/* Solid sphere on a rough plane: stick iff |s| <= (7/2) mu (1+e) |vn|. */
static void test_sphere(void **state)
{
    (void)state;
    check_random r = {7};
    for (int trial = 0; trial < 2000; trial++) {
        impact_case c;
        carom_outcome o;
        double vx = check_random_in(&r, -2, 2), rw = check_random_in(&r, -2, 2);
        double vn = -check_random_in(&r, 0.1, 2), e = check_random_in(&r, 0, 1);
        double mu = check_random_in(&r, 0, 1);
        ball(&c, pow(10, check_random_in(&r, -9, 9)), 0.4, vx, vn, rw);
        case_friction(&c, 0, mu);
        c.contacts[0].restitution = e;
        carom_value form = case_choice("form", forms[trial % 2]);
        case_apply(&c, "coulomb", &form, 1, arena, &o);
        double s = vx + rw, limit = mu * (1 + e) * fabs(vn);
        bool stick = fabs(s) <= 3.5 * limit;
        double after[3] = {stick ? vx - 2 * s / 7 : vx - copysign(limit, s), -e * vn,
                           stick ? rw - 5 * s / 7 : rw - 2.5 * copysign(limit, s)};
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        check_vector(o.u, after, 3, 1e-13);
        carom_mode slip = s > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
        assert_int_equal(o.mode[0], stick ? CAROM_MODE_STICK : slip);
        assert_true(o.verdict.kinematic && o.verdict.kinetic && o.verdict.energetic);
        carom_arena_reset(arena);
    }
}

/* The numbers of the known answers. */
static void test_sphere_numbers(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    ball(&c, 3, 0.4, 1, -1, 0);
    c.contacts[0].restitution = 0.5;
    case_friction(&c, 0, 0.1);
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    check_vector(o.u, ((double[]){0.85, 0.5, -0.375}), 3, 1e-15);
    check_close(o.slip[0], 0.475, 1e-15);
    case_friction(&c, 0, 0.2);
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    check_vector(o.u, ((double[]){5 / 7., 0.5, -5 / 7.}), 3, 1e-15);
    /* the threshold itself: stick and slip are the same outcome, called stick */
    case_friction(&c, 0, (2. / 7) / 1.5);
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    assert_int_equal(o.mode[0], CAROM_MODE_STICK);
    check_vector(o.u, ((double[]){5 / 7., 0.5, -5 / 7.}), 3, 1e-14);
}

static void test_superball(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    ball(&c, 1, 0.4, 1, -1, 0);
    c.contacts[0].restitution = c.contacts[0].tangential_restitution = 1;
    case_friction(&c, 0, INFINITY);
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    check_vector(o.u, ((double[]){3 / 7., 1, -10 / 7.}), 3, 1e-15);
    check_close(o.energy_change, 0, 1e-15);
    assert_true(o.verdict.energetic && o.verdict.kinetic);
    assert_int_equal(o.mode[0], CAROM_MODE_STICK);
}

/* Point mass on a rough floor, known answer F7 and the energy formula of the rough particle. */
static void test_particle(void **state)
{
    (void)state;
    check_random r = {11};
    int gains = 0;
    for (int trial = 0; trial < 1000; trial++) {
        impact_case c;
        carom_outcome o;
        double vx = check_random_in(&r, -2, 2), vy = -check_random_in(&r, 0.1, 2);
        double e = check_random_in(&r, 0, 1), mu = check_random_in(&r, 0, 1.5);
        double m = check_random_in(&r, 0.1, 10);
        case_start(&c, 2, 1);
        case_diagonal(&c, (double[]){m, m});
        c.u[0] = vx;
        c.u[1] = vy;
        c.W[1] = c.H[0] = 1;
        c.contacts[0].slip_count = 1;
        c.contacts[0].restitution = e;
        case_friction(&c, 0, mu);
        case_apply(&c, "coulomb", NULL, 0, arena, &o);
        double drop = mu * (1 + e) * -vy;
        bool stick = drop >= fabs(vx);
        check_close(o.u[0], stick ? 0 : vx - copysign(drop, vx), 1e-14);
        check_close(o.u[1], -e * vy, 1e-14);
        if (!stick) {
            double xi = copysign(1, vx);
            double loss =
                0.5 * m * (1 + e) * vy * (((e - 1) + mu * mu * (1 + e)) * vy + 2 * mu * xi * vx);
            check_close(o.energy_change, loss, 1e-12 * m);
        }
        gains += o.energy_change > 0;
        carom_arena_reset(arena);
    }
    assert_int_equal(gains, 0);
}

/* Housner: a block rotating about one bottom corner lands on the other, infinite friction, e = 0:
 * omega+/omega- = 1 - (3/2) sin^2 alpha, tan alpha = b/h. */
static void test_housner(void **state)
{
    (void)state;
    for (int k = 1; k <= 13; k++) {
        impact_case c;
        carom_outcome o;
        double h = 1, b = 0.1 * k, m = 2, J = m * (4 * b * b + 4 * h * h) / 12;
        case_start(&c, 3, 2); /* half width b, half height h; right corner pivots, left lands */
        case_diagonal(&c, (double[]){m, m, J});
        double w[2][3] = {{0, 1, b}, {0, 1, -b}}, t[2][3] = {{1, 0, h}, {1, 0, h}};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++) {
                c.W[j + 3 * i] = w[i][j];
                c.H[j + 3 * i] = t[i][j];
            }
        for (int i = 0; i < 2; i++) {
            c.contacts[i].slip_count = 1;
            case_friction(&c, i, INFINITY);
        }
        double omega = 1; /* about the right corner (gap row 0): y' = -b w, x' = -h w */
        c.u[0] = -h * omega;
        c.u[1] = -b * omega;
        c.u[2] = omega;
        case_apply(&c, "coulomb", NULL, 0, arena, &o);
        double sine2 = b * b / (b * b + h * h);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        check_close(o.u[2], (1 - 1.5 * sine2) * omega, 1e-14);
        assert_int_equal(o.mode[0], CAROM_MODE_OPEN);
        assert_int_equal(o.mode[1], CAROM_MODE_STICK);
        check_close(o.gamma[1], 0, 1e-14);
        check_close(o.slip[1], 0, 1e-14);
        carom_arena_reset(arena);
    }
}

/* A squat block (b/h > sqrt 2) stops dead; the split of the impulses between two corners with the
 * same slip row is not unique. */
static void test_squat_block(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    double h = 1, b = 2, m = 2, J = m * (b * b + h * h) / 3;
    case_start(&c, 3, 2);
    case_diagonal(&c, (double[]){m, m, J});
    memcpy(c.W, (double[]){0, 1, b, 0, 1, -b}, sizeof(double) * 6);
    memcpy(c.H, (double[]){1, 0, h, 1, 0, h}, sizeof(double) * 6);
    for (int i = 0; i < 2; i++) {
        c.contacts[i].slip_count = 1;
        case_friction(&c, i, INFINITY);
    }
    memcpy(c.u, (double[]){-h, -b, 1}, sizeof(double) * 3);
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_vector(o.u, ((double[]){0, 0, 0}), 3, 1e-14);
    assert_false(o.impulse_unique);
    assert_true(o.verdict.kinetic);
}

/* A particle on two faces of a corner with friction and a moving floor; no approach: nothing. */
static void test_no_approach(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    ball(&c, 1, 0.4, 1, 0.5, 0);
    case_friction(&c, 0, 0.3);
    c.contacts[0].restitution = 0.5;
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    assert_int_equal(o.mode[0], CAROM_MODE_OPEN);
    check_vector(o.u, c.u, 3, 0);
    carom_value form = case_choice("form", "equality");
    case_apply(&c, "coulomb", &form, 1, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_NONE);
    assert_non_null(strstr(o.message, "separates"));
}

/* A moving floor is a change of frame. */
static void test_moving_floor(void **state)
{
    (void)state;
    check_random r = {5};
    for (int trial = 0; trial < 200; trial++) {
        impact_case c;
        carom_outcome rest, moving;
        double frame[2] = {check_random_in(&r, -3, 3), check_random_in(&r, -3, 3)};
        ball(&c, 1.5, 0.5, check_random_in(&r, -1, 1), -1, check_random_in(&r, -1, 1));
        case_friction(&c, 0, check_random_in(&r, 0, 0.5));
        c.contacts[0].restitution = 0.7;
        case_apply(&c, "coulomb", NULL, 0, arena, &rest);
        c.u[0] += frame[0];
        c.u[1] += frame[1];
        c.slip_motion[0] = -frame[0];
        c.w_hat[0] = -frame[1];
        case_apply(&c, "coulomb", NULL, 0, arena, &moving);
        check_close(moving.u[0] - frame[0], rest.u[0], 1e-13);
        check_close(moving.u[1] - frame[1], rest.u[1], 1e-13);
        check_close(moving.u[2], rest.u[2], 1e-13);
        assert_int_equal(moving.mode[0], rest.mode[0]);
        assert_true(moving.verdict.energetic == rest.verdict.energetic);
        carom_arena_reset(arena);
    }
}

/* Static and dynamic coefficients: stick as long as mu_s holds, else slip with mu_d. */
static void test_static_dynamic(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++)
        for (int k = 0; k <= 40; k++) {
            impact_case c;
            carom_outcome o;
            double vx = 0.05 * k + 0.01;
            case_start(&c, 2, 1);
            case_diagonal(&c, (double[]){2, 2});
            c.u[0] = vx;
            c.u[1] = -1;
            c.W[1] = c.H[0] = 1;
            c.contacts[0].slip_count = 1;
            c.contacts[0].friction_static = 0.8;
            c.contacts[0].friction_dynamic = 0.3;
            carom_value choice = case_choice("form", forms[form]);
            case_apply(&c, "coulomb", &choice, 1, arena, &o);
            assert_int_equal(o.answer, CAROM_ANSWER_OK);
            check_close(o.u[0], vx <= 0.8 ? 0 : vx - 0.3, 1e-14);
            assert_int_equal(o.mode[0], vx <= 0.8 ? CAROM_MODE_STICK : CAROM_MODE_SLIP_PLUS);
            carom_arena_reset(arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere),         cmocka_unit_test(test_sphere_numbers),
        cmocka_unit_test(test_superball),      cmocka_unit_test(test_particle),
        cmocka_unit_test(test_housner),        cmocka_unit_test(test_squat_block),
        cmocka_unit_test(test_no_approach),    cmocka_unit_test(test_moving_floor),
        cmocka_unit_test(test_static_dynamic),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
