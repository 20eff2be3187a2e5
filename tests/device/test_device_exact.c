/* Impacts on a device against exact fractions: bodies whose masses are up to 1e9 apart, whole
 * normals, ties, contacts that move, contacts that depend on each other; and statements that are
 * none. */
#include "carom/device.h"

#include "exact_impact.h"

#include <math.h>

enum { MEMBERS = 60, N = 3, P = 3 };

static carom_device *device;

static double mass[MEMBERS * N], velocity[MEMBERS * N], normals[MEMBERS * N * P];
static double motion[MEMBERS * P], restitution[MEMBERS * P], after[MEMBERS * N];

static void store(const impacts_case *c, int k)
{
    memcpy(mass + k * N, c->M, sizeof(double) * N);
    memcpy(velocity + k * N, c->u, sizeof(double) * N);
    memcpy(normals + k * N * P, c->W, sizeof(double) * N * P);
    memcpy(motion + k * P, c->w_hat, sizeof(double) * P);
    for (int i = 0; i < P; i++)
        restitution[k * P + i] = c->contacts[i].restitution;
}

static carom_status apply(const impacts_case *c, int count, unsigned char *answer,
                          carom_error *error)
{
    const carom_law law = {.ops = carom_law_find("newton")};
    const carom_impact shared = {.n = N, .p = P, .mass_is_diagonal = true, .contacts = c->contacts};
    const carom_batch b = {.impact = &shared,
                           .law = &law,
                           .axes = 1,
                           .size = {count},
                           .mass = {mass, {N}, 1, N},
                           .velocity = {velocity, {N}, 1, 0},
                           .normals = {normals, {N * P}, 1, N},
                           .motion = {motion, {P}, 1, 0},
                           .restitution = {restitution, {P}, 1, 0}};
    const carom_batch_output out = {.velocity = after, .answer = answer};
    return carom_device_apply(device, &b, &out, NULL, error);
}

/* Are the normals of a case independent? */
static bool is_independent(const impacts_case *c)
{
    fraction x[IMPACTS_N], u[IMPACTS_N], lambda[IMPACTS_P], zero[IMPACTS_P];
    for (int i = 0; i < P; i++)
        zero[i] = fraction_int(0);
    exact_velocity(c, x);
    return exact_meet(c, x, (1u << P) - 1, zero, u, lambda);
}

static void test_ratios(void **state)
{
    (void)state;
    static impacts_case cases[MEMBERS];
    static unsigned char answer[MEMBERS];
    check_random r = {1912};
    carom_error error = {0};
    int decided = 0;
    if (!device)
        return;
    for (int k = 0; k < MEMBERS; k++) {
        exact_scene(&cases[k], &r, N, P, true);
        if (k % 3 == 0)
            exact_move(&cases[k], &r);
        store(&cases[k], k);
    }
    check_ok(apply(&cases[0], MEMBERS, answer, &error), &error);
    for (int k = 0; k < MEMBERS; k++) {
        const impacts_case *c = &cases[k];
        fraction x[IMPACTS_N], u[IMPACTS_N], lambda[IMPACTS_P], target[IMPACTS_P];
        if (answer[k] == CAROM_ANSWER_FAILED) {
            assert_false(is_independent(c));
            continue;
        }
        exact_velocity(c, x);
        for (int i = 0; i < P; i++)
            target[i] =
                fraction_multiply(fraction_of(-c->contacts[i].restitution), exact_gamma(c, i, x));
        const bool exists = exact_nearest(c, x, target, u, lambda);
        assert_int_equal(answer[k], exists ? CAROM_ANSWER_OK : CAROM_ANSWER_NONE);
        if (!exists)
            continue;
        assert_true(exact_distance(c, after + k * N, u) <= 1e-13);
        decided++;
    }
    assert_true(decided > MEMBERS / 2);
}

/* Motions of dependent contacts that no velocity follows are refused as the processor refuses them.
 */
static void test_contradiction(void **state)
{
    (void)state;
    impacts_case c;
    unsigned char answer;
    carom_error error = {0};
    impacts_init(&c, N, P);
    for (int i = 0; i < N; i++)
        c.M[i] = 1, c.u[i] = -1;
    c.W[0] = c.W[1 + N] = c.W[0 + 2 * N] = c.W[1 + 2 * N] = 1;
    c.w_hat[0] = c.w_hat[1] = 0.25, c.w_hat[2] = 0.5;
    if (!device)
        return;
    store(&c, 0);
    check_ok(apply(&c, 1, &answer, &error), &error);
    c.w_hat[2] = 1;
    store(&c, 0);
    assert_true(apply(&c, 1, &answer, &error) < 0);
    assert_non_null(
        strstr(error.text, "impact 0: the motions of contacts 1, 2, 3 are inconsistent"));
}

/* Dependent contacts: velocities and answers are those of the processor, and impulses, which are
 * one choice of many, explain them. */
static void test_dependent(void **state)
{
    (void)state;
    enum { COUNT = 1024, CONTACTS = 5 };
    static double m[COUNT * N], u[COUNT * N], W[COUNT * N * CONTACTS], e[COUNT * CONTACTS];
    static double moved[2][COUNT * N], pushed[2][COUNT * CONTACTS];
    static unsigned char answer[2][COUNT];
    const carom_law law = {.ops = carom_law_find("newton")};
    const carom_impact shared = {.n = N, .p = CONTACTS, .mass_is_diagonal = true};
    const carom_batch b = {.impact = &shared,
                           .law = &law,
                           .axes = 1,
                           .size = {COUNT},
                           .mass = {m, {N}, 1, N},
                           .velocity = {u, {N}, 1, 0},
                           .normals = {W, {N * CONTACTS}, 1, N},
                           .restitution = {e, {CONTACTS}, 1, 0}};
    check_random r = {2611};
    carom_error error = {0};
    if (!device)
        return;
    for (int k = 0; k < COUNT; k++) {
        const double one = floor(check_random_in(&r, 0, 4)) / 4;
        for (int a = 0; a < N; a++) {
            m[k * N + a] = ldexp(1, (int)check_random_in(&r, -4, 4));
            u[k * N + a] = floor(check_random_in(&r, -4, 4));
        }
        for (int i = 0; i < CONTACTS; i++) {
            double *w = W + (k * CONTACTS + i) * N;
            e[k * CONTACTS + i] = k % 2 ? one : floor(check_random_in(&r, 0, 4)) / 4;
            do
                for (int a = 0; a < N; a++)
                    w[a] = floor(check_random_in(&r, -2, 3));
            while (w[0] == 0 && w[1] == 0 && w[2] == 0);
        }
    }
    for (int side = 0; side < 2; side++) {
        const carom_batch_output out = {
            .velocity = moved[side], .impulse = pushed[side], .answer = answer[side]};
        check_ok(side ? carom_device_apply(device, &b, &out, NULL, &error)
                      : carom_batch_apply(&b, &out, &error),
                 &error);
    }
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(answer[1][k], answer[0][k]);
        for (int a = 0; a < N && answer[0][k] == CAROM_ANSWER_OK; a++)
            assert_true(fabs(moved[1][k * N + a] - moved[0][k * N + a]) <= 1e-13 * 8);
        for (int a = 0; a < N && answer[0][k] == CAROM_ANSWER_OK; a++) {
            double after_all = u[k * N + a];
            for (int i = 0; i < CONTACTS; i++)
                after_all +=
                    W[(k * CONTACTS + i) * N + a] * pushed[1][k * CONTACTS + i] / m[k * N + a];
            assert_true(fabs(after_all - moved[1][k * N + a]) <= 1e-10);
        }
    }
}

int main(void)
{
    carom_error error = {0};
    if (carom_device_open("any", &device, &error))
        printf("no device: %s\n", error.text);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_dependent),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    carom_device_close(device);
    return failed;
}
