/* Scenes that were answered wrongly once: verdicts that light bodies drowned in, digits lost to
 * heavy ones, promises beside outcomes that broke them. Each with the answer in closed form. */
#include "impacts.h"

CHECK_ARENA(arena);

/* A statement in one line: n masses, n velocities, p normals. */
static void state_impact(impacts_case *c, int n, int p, const double *mass, const double *u,
                         const double *W)
{
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    memcpy(c->M, mass, sizeof *mass * (size_t)n);
    memcpy(c->u, u, sizeof *u * (size_t)n);
    memcpy(c->W, W, sizeof *W * (size_t)(n * p));
}

static carom_outcome answer(const impacts_case *c, const char *law, const carom_value *value)
{
    static carom_geometry g;
    carom_outcome o = impacts_apply(&c->impact, law, value, value != NULL, arena, &g);
    carom_law spec = {carom_law_find(law), value, value != NULL};
    carom_promise promise;
    check_ok(carom_law_promise(&spec, &g, arena, &promise, NULL), NULL);
    assert_true(carom_law_keeps(&promise, &o, NULL));
    return o;
}

/* The heavy body takes no part in the contact, or hardly any. */
static void test_light_bodies_are_seen(void **state)
{
    (void)state;
    impacts_case c;
    state_impact(&c, 2, 1, (double[]){1e12, 1}, (double[]){3e4, 1}, (double[]){0, 1});
    c.contacts[0].restitution = 0.5;
    carom_outcome o = answer(&c, "matrix", NULL);
    check_close(o.gamma[0], -0.5, 1e-12);
    assert_false(o.verdict.kinematic);
    assert_false(o.verdict.kinetic);
    state_impact(&c, 2, 1, (double[]){1e9, 1}, (double[]){1, 0}, (double[]){-1, 1});
    const double E = -1e-5;
    carom_value value = {
        .name = "E", .kind = CAROM_PARAMETER_SQUARE, .rows = 1, .columns = 1, .numbers = &E};
    o = answer(&c, "matrix", &value);
    check_close(o.gamma[0], -1e-5, 1e-14);
    assert_false(o.verdict.kinematic);
    state_impact(&c, 2, 2, (double[]){1e-9, 1e8}, (double[]){-1, -2}, (double[]){-1, 2, 2, -2});
    c.contacts[0].restitution = c.contacts[1].restitution = 0.5;
    o = answer(&c, "moreau", NULL);
    check_vector(o.gamma, ((double[]){1.5, -1}), 2, 1e-12);
    assert_false(o.verdict.kinematic);
}

static void test_motions_that_contradict(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_error error = {0};
    state_impact(&c, 2, 3, (double[]){1e9, 1}, (double[]){1, 0}, (double[]){0, 1, 0, 2, 1, 0});
    c.w_hat[0] = 1e-5;
    c.w_hat[2] = -1;
    assert_int_equal(carom_impact_derive(&c.impact, arena, &g, &error), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "inconsistent"));
    state_impact(&c, 2, 2, (double[]){1, 1e9}, (double[]){0, 0}, (double[]){1, 1, 1, 2});
    c.w_hat[0] = -2;
    c.w_hat[1] = -3;
    check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
    check_vector(g.b, ((double[]){1, 1}), 2, 1e-15);
}

static void test_digits_between_heavy_bodies(void **state)
{
    (void)state;
    impacts_case c;
    state_impact(&c, 3, 2, (double[]){1e9, 1, 1e9}, (double[]){1, 0, -1},
                 (double[]){-1, 1, 0, 0, -1, 1});
    c.contacts[0].restitution = c.contacts[1].restitution = 0.5;
    carom_outcome o = answer(&c, "poisson", NULL);
    check_vector(o.u, ((double[]){-0.5, 0, 0.5}), 3, 1e-15);
    state_impact(&c, 2, 3, (double[]){1e9, 1}, (double[]){0.75, 1}, (double[]){-1, 1, 0, -3, 0, 2});
    c.contacts[0].restitution = 0.5;
    c.contacts[1].restitution = 0.125;
    assert_int_equal(answer(&c, "poisson", NULL).answer, CAROM_ANSWER_OK);
    state_impact(&c, 3, 4, (double[]){0x1p29, 1, 0x1p29}, (double[]){0.75, 0.25, -1.25},
                 (double[]){-1, 1, -2, 2, -3, 0, -3, 0, 0, -1, 0, 2});
    c.contacts[2].restitution = 0.75;
    c.contacts[3].restitution = 0.125;
    o = answer(&c, "poisson", NULL);
    assert_int_equal(o.answer, CAROM_ANSWER_SEVERAL);
    bool found = false;
    for (int k = 0; k < o.alternative_count; k++)
        found = found || fabs(o.alternatives[k].u[0] + 0.1165540539979298) < 1e-12;
    assert_true(found);
    state_impact(&c, 3, 2, (double[]){1, 1e-9, 1}, (double[]){1, 0, 0},
                 (double[]){-1, 1, 0, 0, -1, 1});
    c.contacts[0].restitution = c.contacts[1].restitution = 1;
    o = answer(&c, "matrix", NULL);
    check_vector(o.gamma, ((double[]){1, 0}), 2, 1e-15);
    assert_true(o.verdict.kinematic && o.verdict.kinetic && o.verdict.energetic);
    state_impact(&c, 2, 2, (double[]){1e9, 1}, (double[]){-1.5, -1}, (double[]){-1, 1.5, 2, 1});
    o = answer(&c, "bend", NULL);
    assert_true(fabs(o.energy_change) < 1e-14 * o.energy && o.verdict.energetic);
}

/* Dependent contacts: impulses that push are shown where some do, and noise is no answer. */
static void test_dependent_contacts(void **state)
{
    (void)state;
    impacts_case c;
    state_impact(&c, 2, 3, (double[]){1, 1}, (double[]){-1, -0.2},
                 (double[]){1, 0, 1, 0.1, 1, 0.2});
    carom_outcome o = answer(&c, "matrix", NULL);
    check_vector(o.u, ((double[]){0, 0}), 2, 1e-15);
    assert_true(o.verdict.kinetic);
    state_impact(&c, 3, 4, (double[]){2, 1, 1.3}, (double[]){-0.2, -0.4, 0},
                 (double[]){.9, -.5, .1, .1, -.7, -.8, -.7, .3, -.2, -1, .6, .7});
    c.contacts[0].restitution = 1;
    c.contacts[1].restitution = c.contacts[2].restitution = 0.5;
    assert_int_equal(answer(&c, "matrix", NULL).answer, CAROM_ANSWER_NONE);
    state_impact(&c, 1, 3, (double[]){1.25}, (double[]){-2}, (double[]){2, -3, -1});
    carom_value value = {.name = "solver", .kind = CAROM_PARAMETER_CHOICE, .text = "enumerate"};
    o = answer(&c, "poisson", &value);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_close(o.u[0], 0, 1e-15);
}

/* What theory promises depends on the data: contacts that leave, cones, own coefficients. */
static void test_promises_of_the_data(void **state)
{
    (void)state;
    impacts_case c;
    state_impact(&c, 2, 1, (double[]){5, 1}, (double[]){0.25, 0}, (double[]){0, -3});
    c.w_hat[0] = 2.25;
    c.contacts[0].restitution = 1;
    carom_outcome o = answer(&c, "matrix", NULL);
    assert_false(o.verdict.kinematic);
    state_impact(&c, 2, 2, (double[]){1, 1}, (double[]){-1, 1}, (double[]){1, 0, 0, 1});
    c.contacts[0].restitution = c.contacts[1].restitution = 0.5;
    o = answer(&c, "matrix", NULL);
    assert_false(o.verdict.kinematic || o.verdict.kinetic);
    c.impact.flags = CAROM_IMPACT_ANY_RESTITUTION;
    carom_value own = {.name = "restitution", .kind = CAROM_PARAMETER_NUMBER, .number = 1.5};
    o = answer(&c, "moreau", &own);
    assert_false(o.verdict.energetic);
    /* a steep cone: w.u- < 0 but u- is not in -T */
    state_impact(&c, 2, 1, (double[]){1, 1}, (double[]){1, -0.1}, (double[]){0, 1});
    const double spread[] = {10, 0};
    c.impact.spread = spread;
    c.contacts[0].spread_count = 1;
    c.contacts[0].restitution = 1;
    carom_geometry g;
    check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
    assert_false(g.approaching);
    answer(&c, "moreau", NULL);
}

/* Numbers that no double can hold are refused by name. */
static void test_out_of_range(void **state)
{
    (void)state;
    static const double scenes[][5] = {
        {1, 1, 1, 1, 1e200}, {1e-310, 1, 1, 1, 1}, {1e308, 1, 1e200, 1, 1}, {1, 1, 1, 1, 1e-200}};
    for (int k = 0; k < 4; k++) {
        impacts_case c;
        carom_geometry g;
        carom_error error = {0};
        const double *s = scenes[k];
        state_impact(&c, 2, 1, s, s + 2, (double[]){s[4], 0});
        assert_int_equal(carom_impact_derive(&c.impact, arena, &g, &error), CAROM_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "range of numbers"));
    }
}

/* A caller's NULL and a misspelt law are errors with a name. */
static void test_what_a_caller_leaves_out(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_outcome o;
    carom_promise promise;
    carom_error error = {0};
    state_impact(&c, 1, 1, (double[]){1}, (double[]){-1}, (double[]){1});
    check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
    assert_null(carom_law_find(NULL));
    carom_law law = {.ops = carom_law_find("nwton")};
    assert_int_equal(carom_law_apply(&law, &g, arena, &o, &error), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "newton"));
    assert_int_equal(carom_law_promise(&law, &g, arena, &promise, &error), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_law_apply(NULL, &g, arena, &o, &error), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_law_choose("nwton", &law, &error), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "did you mean newton"));
    assert_int_equal(carom_law_choose(NULL, &law, &error), CAROM_ERROR_ARGUMENT);
    check_ok(carom_law_choose("newton", &law, &error), &error);
    assert_int_equal(carom_law_apply(&law, NULL, arena, &o, &error), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_law_apply(&law, &g, NULL, &o, &error), CAROM_ERROR_ARGUMENT);
    check_ok(carom_law_apply(&law, &g, arena, &o, &error), &error);
    carom_law none = {0};
    c.contacts[0].law = &none;
    c.contacts[0].name = "wall";
    assert_int_equal(carom_law_apply(&law, &g, arena, &o, &error), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "wall"));
    c.contacts[0].law = NULL;
    carom_region region = {.group_count = 1};
    c.impact.region = &region;
    assert_int_equal(carom_impact_derive(&c.impact, arena, &g, &error), CAROM_ERROR_ARGUMENT);
    const int start[] = {0, -1}, contact[] = {0};
    region = (carom_region){1, start, contact};
    assert_int_equal(carom_impact_derive(&c.impact, arena, &g, &error), CAROM_ERROR_ARGUMENT);
    c.impact.region = NULL;
    const double spread[] = {1};
    c.impact.spread = spread;
    c.contacts[0].spread_count = 2147483647;
    assert_int_equal(carom_impact_derive(&c.impact, arena, &g, &error), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_impact_derive(NULL, arena, &g, &error), CAROM_ERROR_ARGUMENT);
}

/* An order that leaves out a contact says so; all outcomes are listed. */
static void test_orders(void **state)
{
    (void)state;
    impacts_case c;
    state_impact(&c, 2, 2, (double[]){1, 1}, (double[]){-1, -1}, (double[]){1, 0, 0, 1});
    const double first[] = {1};
    carom_value order = {.name = "order",
                         .kind = CAROM_PARAMETER_CONTACTS,
                         .rows = 1,
                         .columns = 1,
                         .numbers = first};
    carom_outcome o = answer(&c, "sequential", &order);
    assert_false(o.verdict.kinematic);
    assert_non_null(strstr(o.message, "leaves contact 2 out"));
    check_random r = {5};
    impacts_random(&c, &r, 3, 5, false, 10);
    impacts_approach(&c);
    for (int i = 0; i < 5; i++)
        c.contacts[i].restitution = 0.9;
    o = answer(&c, "sequential", NULL);
    assert_int_equal(o.answer, CAROM_ANSWER_SEVERAL);
    assert_true(o.alternative_count > 16);
}

/* A surface that moves towards a plane body while both slips are held: no frame rests with it, so
 * that it gives energy. */
static void test_surface_without_frame(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_promise promise;
    state_impact(&c, 2, 1, (double[]){400, 0.5}, (double[]){0, -0.4}, (double[]){7.5, 0.5});
    c.w_hat[0] = -11;
    memcpy(c.H, (double[]){-1, -1, -0.5, 0.4}, 4 * sizeof(double));
    c.contacts[0].slip_count = 2;
    c.contacts[0].restitution = 1;
    c.contacts[0].friction_static = c.contacts[0].friction_dynamic = 0.5;
    carom_value stop = {.name = "stop", .kind = CAROM_PARAMETER_CHOICE, .text = "stronge"};
    carom_outcome o = impacts_apply(&c.impact, "path", &stop, 1, arena, &g);
    carom_law law = {carom_law_find("path"), &stop, 1};
    check_ok(carom_law_promise(&law, &g, arena, &promise, NULL), NULL);
    assert_false(g.slip_frame);
    assert_false(promise.energetic);
    assert_true(carom_law_keeps(&promise, &o, NULL));
    c.w_hat[0] = 0;
    o = impacts_apply(&c.impact, "path", &stop, 1, arena, &g);
    check_ok(carom_law_promise(&law, &g, arena, &promise, NULL), NULL);
    assert_true(promise.energetic);
    assert_true(carom_law_keeps(&promise, &o, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_bodies_are_seen),
        cmocka_unit_test(test_motions_that_contradict),
        cmocka_unit_test(test_digits_between_heavy_bodies),
        cmocka_unit_test(test_dependent_contacts),
        cmocka_unit_test(test_promises_of_the_data),
        cmocka_unit_test(test_out_of_range),
        cmocka_unit_test(test_what_a_caller_leaves_out),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_surface_without_frame),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
