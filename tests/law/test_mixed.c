/* Contacts with laws of their own. */
#include "law/impact_case.h"

CHECK_ARENA(arena);

static carom_law named(const char *name)
{
    carom_law law = {.ops = carom_law_find(name)};
    assert_non_null(law.ops);
    return law;
}

/* A sphere on a rough floor (contact 0) and, far away, three balls (contacts 1, 2). */
static void two_worlds(impact_case *c)
{
    case_start(c, 6, 3);
    case_diagonal(c, (double[]){1, 1, 0.4, 1, 1, 1});
    memcpy(c->u, (double[]){1, -1, 0, 1, 0, 0}, 6 * sizeof(double));
    c->W[1] = 1;
    c->W[6 + 3] = -1;
    c->W[6 + 4] = 1;
    c->W[12 + 4] = -1;
    c->W[12 + 5] = 1;
    c->H[0] = c->H[2] = 1;
    c->contacts[0].slip_count = 1;
    c->contacts[0].restitution = 0.5;
    case_friction(c, 0, 0.1);
    c->contacts[1].restitution = c->contacts[2].restitution = 1;
}

static void test_components_add(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    carom_law coulomb = named("coulomb"), sequential = named("sequential");
    two_worlds(&c);
    c.contacts[0].law = &coulomb;
    case_apply(&c, "moreau", NULL, 0, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_vector(o.u, ((double[]){0.85, 0.5, -0.375, -1 / 3., 2 / 3., 2 / 3.}), 6, 1e-14);
    assert_int_equal(o.mode[0], CAROM_MODE_SLIP_PLUS);
    assert_true(o.verdict.kinetic && o.verdict.kinematic && o.verdict.energetic);
    c.contacts[1].law = c.contacts[2].law = &sequential;
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    check_vector(o.u + 3, ((double[]){0, 0, 1}), 3, 1e-14);
    check_close(o.u[0], 0.85, 1e-14);
}

static void test_coupled_refused(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    carom_law poisson = named("poisson");
    two_worlds(&c);
    c.contacts[1].name = "left";
    c.contacts[2].name = "right";
    c.contacts[2].law = &poisson;
    case_apply(&c, "newton", NULL, 0, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_INAPPLICABLE);
    assert_non_null(strstr(o.message, "right (poisson)"));
    assert_non_null(strstr(o.message, "left (newton)"));
}

/* newton + inelastic + coulomb, coupled: the same as coulomb with the data set accordingly. */
static void test_common_problem(void **state)
{
    (void)state;
    check_random r = {3};
    carom_law newton = named("newton"), inelastic = named("inelastic");
    for (int trial = 0; trial < 300; trial++) {
        impact_case c, d;
        carom_outcome mixed, plain;
        int n = 6, p = 3;
        case_random_directions(&c, &r, n, p);
        for (int i = 0; i < p; i++) {
            c.contacts[i].slip_count = 1;
            c.contacts[i].restitution = check_random_in(&r, 0, 1);
            case_friction(&c, i, 0.5);
        }
        d = c;
        c.contacts[0].law = &newton;
        c.contacts[1].law = &inelastic;
        case_friction(&d, 0, 0);
        case_friction(&d, 1, 0);
        d.contacts[1].restitution = 0;
        case_apply(&c, "coulomb", NULL, 0, arena, &mixed);
        case_apply(&d, "coulomb", NULL, 0, arena, &plain);
        assert_int_equal(mixed.answer, plain.answer);
        check_vector(mixed.u, plain.u, n, 1e-11);
        check_vector(mixed.impulse, plain.impulse, p, 1e-10);
        carom_arena_reset(arena);
    }
}

/* The same law in every contact is that law. */
static void test_same_law(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome a, b;
    carom_law poisson = named("poisson");
    two_worlds(&c);
    case_apply(&c, "poisson", NULL, 0, arena, &a);
    for (int i = 0; i < 3; i++)
        c.contacts[i].law = &poisson;
    case_apply(&c, "newton", NULL, 0, arena, &b);
    check_vector(a.u, b.u, 6, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components_add),
        cmocka_unit_test(test_coupled_refused),
        cmocka_unit_test(test_common_problem),
        cmocka_unit_test(test_same_law),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
