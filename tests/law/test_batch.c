/* Batches against impacts decided one by one: the same bits, any layout, any number of threads. */
#include "carom/batch.h"

#include "check.h"

#include <stdlib.h>

CHECK_ARENA(arena);

enum { N = 4, P = 3, MEMBERS = 3000 };

static double mass[MEMBERS * N], velocity[MEMBERS * N], normals[MEMBERS * N * P];
static double restitution[MEMBERS * P], friction[MEMBERS * P];

static void fill(double *x, int count, double low, double high)
{
    check_random r = {(unsigned)count + 7};
    for (int i = 0; i < count; i++)
        x[i] = check_random_in(&r, low, high);
}

/* Row-major arrays, as other languages keep them. */
static carom_batch make(const carom_impact *impact, const carom_law *law, int threads)
{
    return (carom_batch){.impact = impact,
                         .law = law,
                         .axes = 1,
                         .size = {MEMBERS},
                         .mass = {mass, {N}, 1, 0},
                         .velocity = {velocity, {N}, 1, 0},
                         .normals = {normals, {N * P}, P, 1},
                         .restitution = {restitution, {P}, 1, 0},
                         .friction = {friction, {P}, 1, 0},
                         .threads = threads};
}

static void test_same_bits(void **state)
{
    (void)state;
    fill(mass, MEMBERS * N, 0.5, 3);
    fill(velocity, MEMBERS * N, -2, 2);
    fill(normals, MEMBERS * N * P, -1, 1);
    fill(restitution, MEMBERS * P, 0, 1);
    fill(friction, MEMBERS * P, 0, 1);
    static const char *const names[] = {"newton", "moreau", "poisson", "coulomb", "matrix"};
    double H[N * P];
    fill(H, N * P, -1, 1);
    carom_contact contacts[P];
    for (int i = 0; i < P; i++) {
        contacts[i] = carom_contact_default();
        contacts[i].slip_count = 1;
    }
    carom_impact shared = {.n = N, .p = P, .mass_is_diagonal = true, .contacts = contacts, .H = H};
    double *u = malloc(sizeof *u * MEMBERS * N), *other = malloc(sizeof *u * MEMBERS * N);
    double *impulse = malloc(sizeof *u * MEMBERS * P), *slip = malloc(sizeof *u * MEMBERS * P);
    double *gain = malloc(sizeof *u * MEMBERS);
    unsigned char *answer = malloc(MEMBERS), *verdict = malloc(MEMBERS);
    for (size_t l = 0; l < sizeof names / sizeof *names; l++) {
        carom_law law = {.ops = carom_law_find(names[l])};
        carom_error error = {0};
        for (int threads = 1; threads <= 5; threads += 4) {
            carom_batch batch = make(&shared, &law, threads);
            double *to = threads == 1 ? u : other;
            check_ok(carom_batch_apply(&batch,
                                       &(carom_batch_output){.velocity = to,
                                                             .impulse = impulse,
                                                             .slip = slip,
                                                             .energy_change = gain,
                                                             .answer = answer,
                                                             .verdict = verdict},
                                       &error),
                     &error);
        }
        assert_memory_equal(u, other, sizeof *u * MEMBERS * N);
        for (int k = 0; k < MEMBERS; k += 7) {
            double W[N * P];
            carom_impact one = shared;
            for (int i = 0; i < P; i++) {
                contacts[i].restitution = restitution[k * P + i];
                contacts[i].friction_static = contacts[i].friction_dynamic = friction[k * P + i];
                for (int a = 0; a < N; a++)
                    W[a + i * N] = normals[k * N * P + a * P + i];
            }
            one.M = mass + k * N;
            one.u = velocity + k * N;
            one.W = W;
            carom_geometry geometry;
            carom_outcome outcome;
            carom_arena_reset(arena);
            check_ok(carom_impact_derive(&one, arena, &geometry, &error), &error);
            check_ok(carom_law_apply(&law, &geometry, arena, &outcome, &error), &error);
            assert_int_equal(answer[k], outcome.answer);
            if (outcome.answer != CAROM_ANSWER_OK && outcome.answer != CAROM_ANSWER_SEVERAL) {
                assert_true(isnan(u[k * N]) && isnan(gain[k]));
                continue;
            }
            assert_memory_equal(u + k * N, outcome.u, sizeof *u * N);
            assert_memory_equal(impulse + k * P, outcome.impulse, sizeof *u * P);
            assert_memory_equal(slip + k * P, outcome.slip, sizeof *u * P);
            assert_true(gain[k] == outcome.energy_change);
            assert_int_equal(verdict[k] & CAROM_BATCH_KINEMATIC, outcome.verdict.kinematic);
            assert_int_equal((verdict[k] & CAROM_BATCH_ENERGETIC) != 0, outcome.verdict.energetic);
        }
    }
    free(u);
    free(other);
    free(impulse);
    free(slip);
    free(gain);
    free(answer);
    free(verdict);
}

/* Two axes: masses along one, velocities along the other, the rest shared. */
static void test_axes(void **state)
{
    (void)state;
    const double masses[] = {1, 1, 2, 1, 1, 3}, speeds[] = {1, 0, 2, -1};
    const double w[] = {-1, 1};
    carom_law law = {.ops = carom_law_find("newton")};
    carom_impact shared = {.n = 2, .p = 1, .mass_is_diagonal = true, .W = w};
    carom_batch batch = {.impact = &shared,
                         .law = &law,
                         .axes = 2,
                         .size = {3, 2},
                         .mass = {masses, {2, 0}, 1, 0},
                         .velocity = {speeds, {0, 2}, 1, 0}};
    double u[12];
    check_ok(carom_batch_apply(&batch, &(carom_batch_output){.velocity = u}, NULL), NULL);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 2; b++) {
            const double *m = masses + 2 * a, *v = speeds + 2 * b;
            double centre = (m[0] * v[0] + m[1] * v[1]) / (m[0] + m[1]);
            check_close(u[(a * 2 + b) * 2], centre, 1e-15);
            check_close(u[(a * 2 + b) * 2 + 1], centre, 1e-15);
        }
}

/* The first bad impact is named, whatever the threads do; nothing crashes. */
static void test_refused(void **state)
{
    (void)state;
    fill(mass, MEMBERS * N, 0.5, 3);
    carom_law law = {.ops = carom_law_find("newton")};
    carom_impact shared = {.n = N, .p = P, .mass_is_diagonal = true};
    mass[1234 * N + 2] = -1;
    mass[2900 * N] = NAN;
    for (int threads = 1; threads <= 8; threads++) {
        carom_error error = {0};
        carom_batch batch = make(&shared, &law, threads);
        assert_int_equal(carom_batch_apply(&batch, &(carom_batch_output){0}, &error),
                         CAROM_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "impact 1234: "));
    }
    carom_error error = {0};
    carom_batch bad = {.impact = &shared, .law = &law, .axes = 9};
    assert_int_equal(carom_batch_apply(&bad, &(carom_batch_output){0}, &error),
                     CAROM_ERROR_ARGUMENT);
    bad = (carom_batch){.impact = &shared, .law = &law, .axes = 1, .size = {-1}};
    assert_int_equal(carom_batch_apply(&bad, &(carom_batch_output){0}, &error),
                     CAROM_ERROR_ARGUMENT);
    bad.size[0] = 0;
    assert_int_equal(carom_batch_apply(&bad, &(carom_batch_output){0}, &error), CAROM_OK);
    assert_int_equal(carom_batch_apply(NULL, NULL, &error), CAROM_ERROR_ARGUMENT);
}

/* A watch that says no after so many questions. */
static bool patience(void *self, const char *what, double done)
{
    long *left = self;
    assert_non_null(what);
    assert_true(done >= 0 && done <= 1);
    return (*left)-- > 0;
}

static void test_stopped(void **state)
{
    (void)state;
    carom_law law = {.ops = carom_law_find("newton")};
    carom_impact shared = {.n = N, .p = P, .mass_is_diagonal = true};
    fill(mass, MEMBERS * N, 0.5, 3);
    for (int threads = 1; threads <= 2; threads++)
        for (long questions = 0; questions < 1000; questions += 999) {
            long left = questions;
            const carom_watch watch = {patience, &left};
            carom_error error = {0};
            carom_batch batch = make(&shared, &law, threads);
            batch.watch = &watch;
            assert_int_equal(carom_batch_apply(&batch, &(carom_batch_output){0}, &error),
                             questions ? CAROM_OK : CAROM_STOPPED);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
