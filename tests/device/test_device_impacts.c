/* Impacts on a device of OpenCL against those of the processor: random structures, full and
 * diagonal masses, what varies and what does not; and what it refuses. */
#include "carom/device.h"
#include "carom/tolerance.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

CHECK_ARENA(arena);

enum { MEMBERS = 1500, MOST = 5 };

static carom_device *device;

typedef struct family {
    int n, p;
    bool diagonal, moving, inelastic, one_mass, one_normals;
    double ratio; /* of masses, in powers of ten */
} family;

static double mass[MEMBERS * MOST * MOST], velocity[MEMBERS * MOST], normals[MEMBERS * MOST * MOST];
static double motion[MEMBERS * MOST], restitution[MEMBERS * MOST];

static void draw(const family *f, check_random *r)
{
    const int n = f->n, p = f->p;
    for (int k = 0; k < MEMBERS; k++) {
        double B[MOST * MOST], *M = mass + k * n * (f->diagonal ? 1 : n);
        for (int i = 0; i < n * n; i++)
            B[i] = check_random_in(r, -1, 1);
        for (int i = 0; i < n && f->diagonal; i++)
            M[i] = pow(10, f->ratio * check_random_in(r, -1, 1));
        for (int i = 0; i < n * n && !f->diagonal; i++) { /* B'B + 1/2 */
            M[i] = i % (n + 1) == 0 ? 0.5 : 0;
            for (int j = 0; j < n; j++)
                M[i] += B[j + i % n * n] * B[j + i / n * n];
        }
        for (int i = 0; i < n; i++)
            velocity[k * n + i] = check_random_in(r, -2, 2);
        for (int i = 0; i < n * p; i++)
            normals[k * n * p + i] = check_random_in(r, -1, 1);
        for (int i = 0; i < p; i++) {
            motion[k * p + i] = check_random_in(r, -1, 1);
            restitution[k * p + i] = check_random_in(r, 0, 1);
        }
    }
}

static carom_batch make(const family *f, const carom_impact *shared, const carom_law *law)
{
    const int n = f->n, p = f->p;
    const ptrdiff_t wide = f->diagonal ? n : n * n;
    carom_batch b = {.impact = shared, .law = law, .axes = 1, .size = {MEMBERS}};
    b.mass = (carom_batch_input){mass, {f->one_mass ? 0 : wide}, 1, n};
    b.velocity = (carom_batch_input){velocity, {n}, 1, 0};
    b.normals = (carom_batch_input){normals, {f->one_normals ? 0 : n * p}, p, 1};
    b.restitution = (carom_batch_input){restitution, {p}, 1, 0};
    if (f->moving)
        b.motion = (carom_batch_input){motion, {p}, 1, 0};
    return b;
}

/* How far rounding may go: the smallest pivot of D, in units of its diagonal, says how many digits
 * the impulses have. */
static double digits(const carom_batch *b, long k, double *speed)
{
    const carom_impact *shared = b->impact;
    const int n = shared->n, p = shared->p;
    double W[MOST * MOST];
    carom_contact contacts[MOST];
    carom_impact one = *shared;
    carom_geometry g;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++)
            W[i + j * n] = b->normals.data[k * b->normals.step[0] + i * p + j];
    for (int j = 0; j < p; j++)
        contacts[j] = carom_contact_default();
    one.M = b->mass.data + k * b->mass.step[0];
    one.u = velocity + k * n;
    one.W = W;
    one.contacts = contacts;
    one.w_hat = b->motion.data ? motion + k * p : NULL;
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(&one, arena, &g, NULL), NULL);
    *speed = g.speed;
    return CAROM_TOLERANCE_REFINED / g.pivot;
}

static void compare(const family *f, check_random *r)
{
    static double u[2][MEMBERS * MOST], impulse[2][MEMBERS * MOST], gain[2][MEMBERS];
    static unsigned char answer[2][MEMBERS], verdict[2][MEMBERS];
    const carom_law law = {.ops = carom_law_find(f->inelastic ? "inelastic" : "newton")};
    const carom_impact shared = {.n = f->n, .p = f->p, .mass_is_diagonal = f->diagonal};
    carom_error error = {0};
    draw(f, r);
    const carom_batch batch = make(f, &shared, &law);
    for (int k = 0; k < 2; k++) {
        const carom_batch_output out = {.velocity = u[k],
                                        .impulse = impulse[k],
                                        .energy_change = gain[k],
                                        .answer = answer[k],
                                        .verdict = verdict[k]};
        check_ok(k ? carom_device_apply(device, &batch, &out, NULL, &error)
                   : carom_batch_apply(&batch, &out, &error),
                 &error);
    }
    for (long k = 0; k < MEMBERS; k++) {
        double speed, far = digits(&batch, k, &speed), heaviest = 0;
        if (answer[1][k] == CAROM_ANSWER_FAILED) { /* only where contacts depend on each other */
            assert_true(far > 1e-6);
            continue;
        }
        assert_int_equal(answer[1][k], answer[0][k]);
        assert_int_equal(verdict[1][k], verdict[0][k]);
        for (int i = 0; i < f->n; i++)
            heaviest = fmax(
                heaviest,
                1 / batch.mass.data[k * batch.mass.step[0] + i * (f->diagonal ? 1 : f->n + 1)]);
        for (int i = 0; i < f->n; i++) /* a kinetic norm bounds a velocity by 1/sqrt(mass) */
            check_close(u[1][k * f->n + i], u[0][k * f->n + i],
                        far * speed * fmax(1, sqrt(heaviest)) * 4);
        check_close(gain[1][k], gain[0][k], 4 * far * speed * speed);
    }
}

static void test_families(void **state)
{
    (void)state;
    check_random r = {19};
    static const family families[] = {
        {1, 1, true, false, false, false, false, 2}, {5, 4, true, false, false, true, true, 0.3},
        {5, 4, true, true, true, false, true, 1},    {4, 3, false, true, false, false, false, 0},
        {5, 5, false, false, false, true, false, 0},
    };
    for (size_t k = 0; k < sizeof families / sizeof *families && device; k++)
        compare(&families[k], &r);
}

/* More contacts than velocities depend on each other: each such impact says so, none hangs. */
static void test_dependent(void **state)
{
    (void)state;
    const double m[] = {1, 2}, W[] = {1, 0, 1, 1, -1, 0}; /* rows */
    double u[] = {-1, -1, 2, 1, 0, 0}, after[6];
    unsigned char answer[3];
    const carom_impact shared = {.n = 2, .p = 3, .mass_is_diagonal = true, .M = m};
    const carom_law law = {.ops = carom_law_find("newton")};
    const carom_batch b = {.impact = &shared,
                           .law = &law,
                           .axes = 1,
                           .size = {3},
                           .velocity = {u, {2}, 1, 0},
                           .normals = {W, {0}, 3, 1}};
    const carom_batch_output out = {.velocity = after, .answer = answer};
    carom_error error = {0};
    if (!device)
        return;
    check_ok(carom_device_apply(device, &b, &out, NULL, &error), &error);
    for (int k = 0; k < 3; k++)
        assert_true(answer[k] == CAROM_ANSWER_FAILED ? isnan(after[2 * k])
                                                     : isfinite(after[2 * k]));
    assert_int_equal(answer[2], CAROM_ANSWER_OK);
}

static void refuses(const carom_impact *shared, const char *name, const double *u, const char *why)
{
    static const double W[20 * 9] = {1, [9] = 1};
    static double after[20];
    const carom_law law = {.ops = carom_law_find(name)};
    const carom_batch b = {.impact = shared,
                           .law = &law,
                           .axes = 0,
                           .velocity = {u, {0}, 1, 0},
                           .normals = {W, {0}, 1, shared->n}};
    const carom_batch_output out = {.velocity = after};
    carom_error error = {0};
    assert_true(carom_device_apply(device, &b, &out, NULL, &error) < 0);
    if (!strstr(error.text, why))
        fail_msg("'%s' lacks '%s'", error.text, why);
}

static void test_refused(void **state)
{
    (void)state;
    static const double m[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double u[20] = {-1}, broken[] = {-1, NAN}, none[] = {0, 1};
    carom_contact rough = carom_contact_default();
    carom_error error = {0};
    carom_device *missing;
    rough.slip_count = 1;
    assert_true(carom_device_open("no such device", &missing, &error) < 0);
    assert_null(missing);
    if (!device)
        return;
    assert_non_null(strstr(error.text, "there is no device 'no such device'"));
    carom_impact shared = {.n = 2, .p = 1, .mass_is_diagonal = true, .M = m};
    refuses(&shared, "poisson", u, "laws newton, inelastic and coulomb");
    refuses(&shared, "newton", broken, "impact 0: ");
    shared.M = none;
    refuses(&shared, "newton", u, "impact 0: ");
    shared.M = m, shared.contacts = &rough;
    refuses(&shared, "newton", u, "friction");
    shared.contacts = NULL, shared.n = 20;
    refuses(&shared, "newton", u, "16 velocities");
}

/* e = eps^2: as elastic as Newton's law where eps is 0 or 1, and no other value. */
static bool squared(const carom_law *law, const carom_contact *contact, carom_law_step *say)
{
    (void)law;
    *say = (carom_law_step){.restitution = contact->restitution * contact->restitution};
    return true;
}

/* The same with friction. */
static bool rough_squared(const carom_law *law, const carom_contact *contact, carom_law_step *say)
{
    squared(law, contact, say);
    say->rough = true;
    return true;
}

/* A device takes the laws that say whose their coefficients are, and no other. */
static void test_laws(void **state)
{
    (void)state;
    carom_law_ops own = *carom_law_find("newton");
    bool inelastic = true;
    const carom_law newton = {.ops = carom_law_find("newton")};
    const carom_law loses = {.ops = carom_law_find("inelastic")};
    const carom_law coulomb = {.ops = carom_law_find("coulomb")}, law = {.ops = &own};
    assert_true(carom_device_takes_law(&newton, &inelastic) && !inelastic);
    assert_true(carom_device_takes_law(&loses, &inelastic) && inelastic);
    assert_true(carom_device_takes_friction(&coulomb));
    assert_false(carom_device_takes_law(&coulomb, &inelastic));
    assert_false(carom_device_takes_friction(&newton));
    assert_true(carom_device_takes_law(&law, &inelastic) && !inelastic);
    own.step = squared;
    assert_false(carom_device_takes_law(&law, &inelastic));
    own.step = rough_squared;
    assert_false(carom_device_takes_friction(&law));
}

int main(void)
{
    carom_error error = {0};
    if (carom_device_open("any", &device, &error))
        printf("no device, only refusals are tested: %s\n", error.text);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_dependent),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_laws),
    };
    const int failed = cmocka_run_group_tests(tests, arena_open, arena_close);
    carom_device_close(device);
    return failed;
}
