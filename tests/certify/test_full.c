/* Restitution matrices with all four blocks: Prop. 9, the range condition, and what the normal
 * block alone would claim wrongly. */
#include "carom/certify.h"
#include "check_memory.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

static carom_law matrix_law(carom_value *value, int k, const double *E)
{
    *value = (carom_value){.name = "E", .rows = k, .columns = k, .numbers = E};
    return (carom_law){carom_law_find("matrix"), value, 1};
}

static carom_certificates certify(const carom_impact *impact, const carom_law *law)
{
    carom_error error = {0};
    carom_geometry *g = carom_arena_take(arena, sizeof *g);
    carom_certificates all = {0};
    const double *E;
    check_ok(carom_impact_derive(impact, arena, g, &error), &error);
    check_ok(carom_certify_matrix(law, g, arena, &E, NULL, &error), &error);
    check_ok(carom_certify_restitution(g, E, NULL, arena, &all, &error), &error);
    check_ok(carom_certify_friction(g, E, NULL, arena, &all, &error), &error);
    check_ok(carom_certify_full(law, g, arena, &all, &error), &error);
    return all;
}

static const carom_certificate *find(const carom_certificates *all, const char *name)
{
    const carom_certificate *c = carom_certificates_find(all, name);
    assert_non_null(c);
    return c;
}

/* Energy gained by the law at the velocity u, NaN without an outcome. */
static double gain(const carom_impact *statement, const carom_law *law, const double *u)
{
    carom_impact impact = *statement;
    carom_geometry g;
    carom_outcome o;
    carom_error error = {0};
    impact.u = u;
    check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
    check_ok(carom_outcome_create(&g, arena, &o, &error), &error);
    check_ok(carom_law_apply(law, &g, arena, &o, &error), &error);
    return o.answer == CAROM_ANSWER_OK ? o.verdict.energy_gain : NAN;
}

/* A disc on a plane: v_n = y', v_t = (x', th'/sqrt 2) up to sign and order, slip x' + th'. */
static void disc(impacts_case *c)
{
    impacts_init(c, 3, 1);
    c->impact.mass_is_diagonal = true;
    c->M[0] = c->M[1] = 1;
    c->M[2] = 0.5;
    c->W[1] = 1;
    c->H[0] = c->H[2] = 1;
    c->u[0] = 1;
    c->u[1] = -1;
    c->contacts[0].slip_count = 1;
    c->contacts[0].friction_static = c->contacts[0].friction_dynamic = 0.3;
}

/* v_t kept or reversed keeps the energy exactly; a larger factor gains it, though the normal block
 * alone loses. */
static void test_tangential_factor(void **state)
{
    (void)state;
    static const struct {
        double tangential;
        carom_truth holds;
    } cases[] = {{-1, CAROM_TRUE}, {-0.5, CAROM_TRUE}, {-1.5, CAROM_FALSE}, {-3, CAROM_FALSE}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        impacts_case c;
        carom_value value;
        const double t = cases[k].tangential, E[9] = {0.5, 0, 0, 0, t, 0, 0, 0, t};
        disc(&c);
        carom_law law = matrix_law(&value, 3, E);
        carom_certificates all = certify(&c.impact, &law);
        const carom_certificate *full = find(&all, "energy-full");
        const carom_certificate *range = find(&all, "friction-range");
        /* what the normal block alone would say is withdrawn when the tangential one has a say */
        assert_int_equal(find(&all, "energy-semidefinite")->applies, t == -1);
        assert_int_equal(find(&all, "energy-semidefinite")->holds,
                         t == -1 ? CAROM_TRUE : CAROM_UNDECIDED);
        assert_int_equal(full->holds, cases[k].holds);
        /* v_t can only change along t'H_T: two of three dimensions unless nothing is asked of it */
        check_close(range->value, t == -1 ? 3 : 2, 0);
        assert_int_equal(range->holds, t == -1 ? CAROM_TRUE : CAROM_FALSE);
        if (range->holds == CAROM_FALSE)
            assert_true(range->verified && isnan(gain(&c.impact, &law, range->counterexample)));
        if (full->holds == CAROM_FALSE)
            assert_true(full->verified && gain(&c.impact, &law, full->counterexample) > 0);
        const carom_certificate *bound = find(&all, "energy-full-frobenius");
        check_close(bound->value, sqrt(0.25 + 2 * t * t), 1e-15);
        check_close(bound->bound, 1 / sqrt(3), 1e-15); /* G = 1: |D|_F = |D^-1|_F = sqrt 3 */
        assert_int_equal(bound->holds, CAROM_FALSE);
    }
}

/* E_nt != 0: a tangential velocity penetrates. */
static void test_normal_from_tangential(void **state)
{
    (void)state;
    impacts_case c;
    carom_value value;
    disc(&c);
    c.impact.n = 2; /* a particle: x', y' */
    c.W[0] = 0;
    c.W[1] = 1;
    c.H[0] = 1;
    c.H[1] = 0;
    const double E[4] = {0.5, 0, 0.2, -0.1};
    carom_law law = matrix_law(&value, 2, E);
    carom_certificates all = certify(&c.impact, &law);
    const carom_certificate *signs = find(&all, "kinematic");
    assert_int_equal(signs->holds, CAROM_FALSE);
    assert_true(signs->verified);
    const carom_certificate *push = find(&all, "kinetic"); /* friction 0.3 is not enough */
    assert_int_equal(push->holds, CAROM_FALSE);
    assert_true(push->verified);
    assert_int_equal(find(&all, "friction-range")->holds, CAROM_TRUE);
    assert_int_equal(find(&all, "energy-full")->holds, CAROM_TRUE);
    assert_int_equal(find(&all, "energy-full-frobenius")->holds, CAROM_TRUE);
}

/* Random systems: a yes is never contradicted by a velocity, a no comes with one that gains; Prop.
 * 9 implies the exact answer. */
static void test_random(void **state)
{
    (void)state;
    check_random r = {12};
    int yes = 0, no = 0, tried = 0, implied = 0;
    for (int k = 0; k < 400; k++) {
        carom_arena_reset(arena);
        impacts_case c;
        carom_value value;
        const int n = 2 + k % 3, p = 1 + k % 2 * (n > 3);
        const double size = k % 4 == 0 ? 0.05 : k % 4 == 1 ? 0.3 : 0.6;
        impacts_random(&c, &r, n, p, false, 100);
        for (int i = 0; i < p; i++) {
            for (int j = 0; j < n; j++)
                c.H[j + i * n] = check_random_in(&r, -1, 1);
            c.contacts[i].slip_count = 1;
            c.contacts[i].friction_static = c.contacts[i].friction_dynamic = 0.2;
        }
        double E[16];
        for (int j = 0; j < n * n; j++)
            E[j] = check_random_in(&r, -size, size);
        carom_law law = matrix_law(&value, n, E);
        carom_certificates all = certify(&c.impact, &law);
        const carom_certificate *full = find(&all, "energy-full");
        if (!full->applies)
            continue;
        if (find(&all, "energy-full-frobenius")->holds == CAROM_TRUE) {
            assert_int_equal(full->holds, CAROM_TRUE);
            implied++;
        }
        yes += full->holds == CAROM_TRUE;
        no += full->holds == CAROM_FALSE;
        if (full->holds == CAROM_FALSE)
            assert_true(full->verified && gain(&c.impact, &law, full->counterexample) > 0);
        for (int trial = 0; trial < 20 && full->holds == CAROM_TRUE; trial++) {
            double u[4];
            for (int j = 0; j < n; j++)
                u[j] = check_random_in(&r, -1, 1);
            const double g = gain(&c.impact, &law, u);
            tried += !isnan(g);
            assert_true(isnan(g) || g <= 1e-12);
        }
    }
    assert_true(yes > 50 && no > 20 && tried > 500 && implied > 20);
}

/* Signs, ranges and energy of matrices of simple numbers (zeros, -1, blocks that vanish) against
 * the law at many velocities. */
static void test_simple_numbers(void **state)
{
    (void)state;
    static const double entries[] = {0, 0, 0, 0.5, -0.5, 0.25, -1, 1, 0.2, 3};
    family f = family_start("restitution matrices of four blocks", 91, 500);
    int undecided = 0;
    while (family_next(&f)) {
        check_random *r = &f.random;
        carom_arena_reset(arena);
        impacts_case c;
        carom_value value;
        const int n = 2 + check_random_int(r, 3), p = 1 + check_random_int(r, n > 2 ? 2 : 1);
        double E[16];
        impacts_init(&c, n, p);
        c.impact.mass_is_diagonal = true;
        for (int k = 0; k < n; k++)
            c.M[k] = 1 + check_random_int(r, 2);
        for (int i = 0; i < p; i++) {
            for (int k = 0; k < n; k++) {
                c.W[k + i * n] = check_random_int(r, 2) ? k == i : check_random_int(r, 5) - 2;
                c.H[k + i * n] = check_random_int(r, 3) - 1;
            }
            c.W[i + i * n] = 1;
            c.contacts[i].slip_count = 1;
            c.contacts[i].friction_static = c.contacts[i].friction_dynamic = 0.5;
        }
        for (int k = 0; k < n; k++)
            c.u[k] = check_random_in(r, -1, 1);
        const int style = check_random_int(r, 4);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const bool tangent = i >= p, from = j >= p;
                E[i + j * n] = entries[check_random_int(r, 10)];
                if (style == 0 && (tangent || from)) /* the normal block alone */
                    E[i + j * n] = i == j ? -1 : 0;
                if (style == 1 && tangent) /* E_tt = -I */
                    E[i + j * n] = from ? -(i == j) : E[i + j * n];
                if (style == 2 && from && !tangent)
                    E[i + j * n] = 0;
            }
        carom_law law = matrix_law(&value, n, E);
        carom_geometry g;
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        if (g.dependent)
            continue;
        carom_certificates all = certify(&c.impact, &law);
        const carom_certificate *full = find(&all, "energy-full");
        const carom_certificate *signs = find(&all, "kinematic"), *push = find(&all, "kinetic");
        const carom_certificate *range = find(&all, "friction-range");
        undecided += full->applies && full->holds == CAROM_UNDECIDED;
        for (int k = 0; k < all.count; k++)
            family_check(&f, !all.list[k].counterexample || all.list[k].verified,
                         "%s: a counter-example that the law does not confirm", all.list[k].name);
        for (int trial = 0; trial < 60; trial++) {
            double u[4];
            for (int k = 0; k < n; k++)
                u[k] = trial % 2 ? check_random_in(r, -1, 1) : check_random_int(r, 5) - 2;
            carom_impact impact = c.impact;
            carom_geometry other;
            carom_outcome o;
            impact.u = u;
            check_ok(carom_impact_derive(&impact, arena, &other, NULL), NULL);
            check_ok(carom_outcome_create(&other, arena, &o, NULL), NULL);
            check_ok(carom_law_apply(&law, &other, arena, &o, NULL), NULL);
            if (o.answer != CAROM_ANSWER_OK) {
                family_check(&f, range->holds != CAROM_TRUE, "range holds, a velocity has none");
                continue;
            }
            family_check(&f, full->holds != CAROM_TRUE || o.verdict.energy_gain <= 1e-12,
                         "energy-full holds, a velocity gains %g", o.verdict.energy_gain);
            if (!other.approaching)
                continue;
            family_check(&f, signs->holds != CAROM_TRUE || o.verdict.least_velocity >= -1e-12,
                         "kinematic holds, a velocity penetrates");
            family_check(&f, push->holds != CAROM_TRUE || o.verdict.least_impulse >= -1e-12,
                         "kinetic holds, a velocity pulls: %g", o.verdict.least_impulse);
            for (int k = 0; k < all.count; k++)
                if (all.list[k].applies && all.list[k].holds == CAROM_TRUE &&
                    strncmp(all.list[k].name, "energy-", 7) == 0 &&
                    strcmp(all.list[k].name, "energy-newton") != 0)
                    family_check(&f, o.verdict.energy_gain <= 1e-12,
                                 "%s holds, a velocity gains %g", all.list[k].name,
                                 o.verdict.energy_gain);
        }
    }
    printf("energy-full undecided: %d of %d\n", undecided, f.members);
    assert_true(undecided * 50 <= f.members);
    family_end(&f);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    impacts_case c;
    carom_value value;
    const double E[9] = {0.5, 0, 0, 0, -1.5, 0.1, 0, 0, -1.5};
    disc(&c);
    const carom_law law = matrix_law(&value, 3, E);
    bool done = false;
    for (int fail_at = 0; fail_at < 200 && !done; fail_at++) {
        check_memory m = {.fail_at = fail_at, .onwards = true};
        const carom_allocator allocator = {check_memory_resize, &m};
        carom_arena *own = NULL;
        carom_geometry g;
        carom_certificates all = {0};
        carom_error error = {0};
        carom_status status = carom_arena_create(&allocator, &own, &error);
        if (!status)
            status = carom_impact_derive(&c.impact, own, &g, &error);
        if (!status)
            status = carom_certify_full(&law, &g, own, &all, &error);
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
        done = status == CAROM_OK;
        carom_arena_destroy(own);
        assert_int_equal(m.live, 0);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangential_factor),
        cmocka_unit_test(test_normal_from_tangential),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_simple_numbers),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
