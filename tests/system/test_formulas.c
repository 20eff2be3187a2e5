#include "carom/formulas.h"
#include "check.h"

#include <stdlib.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define F(s)                                                                                       \
    {                                                                                              \
        .text = (s)                                                                                \
    }

/* A system with the state to evaluate it in. */
typedef struct made {
    carom_system *system;
    carom_arena *arena;
    carom_state state;
} made;

static made make(const carom_formulas *statement)
{
    made m;
    carom_error error = {0};
    check_ok(carom_system_formulas(statement, NULL, &m.system, &error), &error);
    check_ok(carom_arena_create(NULL, &m.arena, &error), &error);
    check_ok(carom_state_create(m.system, m.arena, &m.state, &error), &error);
    return m;
}

static void evaluate(made *m, unsigned want)
{
    carom_error error = {0};
    check_ok(carom_system_evaluate(m->system, want, &m->state, &error), &error);
}

static void drop(made *m)
{
    carom_system_destroy(m->system);
    carom_arena_destroy(m->arena);
}

/* Double pendulum: point masses, angles from the vertical. Equations from a textbook's Newtonian
 * derivation, not from a Lagrangian program. */
static void test_double_pendulum(void **state)
{
    (void)state;
    const carom_source coordinates[] = {F("a"), F("b")};
    const carom_named_formula parameters[] = {{F("m1"), F("1.3")},
                                              {F("m2"), F("0.7")},
                                              {F("l1"), F("1.1")},
                                              {F("l2"), F("0.6")},
                                              {F("g"), F("9.81")}};
    const carom_source kinetic[] = {
        F("m1/2*l1^2*a'^2 + m2/2*((l1*cos(a)*a' + l2*cos(b)*b')^2 + (l1*sin(a)*a' + "
          "l2*sin(b)*b')^2)")};
    const carom_source potential[] = {F("-m1*g*l1*cos(a) - m2*g*(l1*cos(a) + l2*cos(b))")};
    const carom_formulas statement = {.coordinate_count = 2,
                                      .coordinates = coordinates,
                                      .parameter_count = COUNT(parameters),
                                      .parameters = parameters,
                                      .kinetic_count = 1,
                                      .kinetic = kinetic,
                                      .potential_count = 1,
                                      .potential = potential};
    made m = make(&statement);
    const carom_system_shape *shape = carom_system_get_shape(m.system);
    assert_false(shape->mass_is_diagonal);
    assert_false(shape->mass_is_constant);
    assert_string_equal(shape->velocities[1], "b'");
    check_random r = {1};
    const double m1 = 1.3, m2 = 0.7, l1 = 1.1, l2 = 0.6, g = 9.81;
    for (int k = 0; k < 200; k++) {
        double a = m.state.q[0] = check_random_in(&r, -4, 4);
        double b = m.state.q[1] = check_random_in(&r, -4, 4);
        double da = m.state.u[0] = check_random_in(&r, -3, 3);
        double db = m.state.u[1] = check_random_in(&r, -3, 3);
        evaluate(&m, CAROM_WANT_ALL);
        const double *M = m.state.M, *h = m.state.h;
        check_close(M[0], (m1 + m2) * l1 * l1, 1e-12);
        check_close(M[3], m2 * l2 * l2, 1e-12);
        check_close(M[1], m2 * l1 * l2 * cos(a - b), 1e-12);
        assert_true(M[1] == M[2]);
        check_close(h[0], -m2 * l1 * l2 * sin(a - b) * db * db - (m1 + m2) * g * l1 * sin(a),
                    1e-12 * 40);
        check_close(h[1], m2 * l1 * l2 * sin(a - b) * da * da - m2 * g * l2 * sin(b), 1e-12 * 40);
        check_close(m.state.power, 0, 0);
        check_close(m.state.kinetic, 0.5 * (M[0] * da * da + 2 * M[1] * da * db + M[3] * db * db),
                    1e-12);
    }
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
