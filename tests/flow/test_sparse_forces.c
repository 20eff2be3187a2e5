/* Time-stepping of many bodies: redundant supports, changing masses, joints, forces of velocity,
 * projection, memory. */
#include "sparse_case.h"

/* The last row of a run. */
static carom_status keep_forces(void *self, const carom_flow_row *row, carom_error *error)
{
    (void)error;
    memcpy(self, row->force, 6 * sizeof(double));
    return CAROM_OK;
}

/* A plank on six supports: of all forces that hold it, those of least norm in units of D_ii, that
 * is P_i proportional to 1/D_ii for a symmetric plank. */
static void test_plank(void **state)
{
    (void)state;
    const double at[6] = {-3, -2, -0.5, 0.5, 2, 3}, m = 2, J = 3, g = 9.81;
    begin();
    add_coordinate(say("y"), 0, 0);
    add_coordinate(say("p"), 0, 0);
    made.kinetic[0] = say("%g/2*y'^2 + %g/2*p'^2", m, J);
    made.potential[0] = say("%g*y", m * g);
    for (int i = 0; i < 6; i++)
        add_contact(say("y + %g*p", at[i]), (carom_source){0}, 0, 0);
    made.statement.kinetic_count = made.statement.potential_count = 1;
    carom_system *system;
    carom_arena *arena;
    carom_error error = {0};
    check_ok(carom_system_formulas(&made.statement, NULL, &system, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = 1e-3;
    options.until = 0.1;
    carom_flow_start start = {0, made.q, made.u};
    carom_flow_result result;
    double force[6], sum = 0;
    carom_flow_observer observer = {.self = force, .row = keep_forces};
    check_ok(carom_flow_run(system, NULL, &start, &options, &observer, arena, &result, &error),
             &error);
    for (int i = 0; i < 6; i++)
        sum += 1 / (1 / m + at[i] * at[i] / J);
    for (int i = 0; i < 6; i++)
        check_close(force[i], m * g / (1 / m + at[i] * at[i] / J) / sum, 1e-6);
    check_close(result.u[0], 0, 1e-13);
    check_close(result.u[1], 0, 1e-13);
    carom_system_destroy(system);
    carom_arena_destroy(arena);
}

/* A row of double pendulums, the lower weights of which knock against each other: the mass depends
 * on the position, in blocks of two. */
static void test_pendulums(void **state)
{
    (void)state;
    for (int n = 2; n <= 20; n += 6) {
        begin();
        for (int i = 0; i < n; i++) {
            add_coordinate(say("a%d", i), 0.03 * sin(5 * i), i % 2 ? -1.5 : 1.5);
            add_coordinate(say("b%d", i), 0.02 * cos(3 * i), 0);
            made.kinetic[i] =
                say("a%d'^2/2 + ((cos(a%d)*a%d' + cos(b%d)*b%d')^2 + (sin(a%d)*a%d' + "
                    "sin(b%d)*b%d')^2)/2",
                    i, i, i, i, i, i, i, i, i);
            made.potential[i] = say("-9.81*(2*cos(a%d) + cos(b%d))", i, i);
            if (i > 0)
                add_contact(
                    say("0.15 + sin(a%d) + sin(b%d) - sin(a%d) - sin(b%d)", i, i, i - 1, i - 1),
                    (carom_source){0}, 0.5, 0);
        }
        made.statement.kinetic_count = made.statement.potential_count = n;
        assert_true(run("newton", 1e-3, 400) > 0);
    }
}

/* Beads joined in pairs by rods on two axes, above each other, with springs and drag: joints in
 * groups of two, forces that depend on the motion. */
static void test_joints_and_springs(void **state)
{
    (void)state;
    for (int pairs = 1; pairs <= 9; pairs += 4) {
        begin();
        for (int i = 0; i < pairs; i++) {
            double x = 0.3 + 0.5 * i;
            add_coordinate(say("x%d", i), x, 0);
            add_coordinate(say("y%d", i), sqrt(4 - x * x < 0 ? 0 : 4 - x * x), 0);
            made.kinetic[2 * i] = say("(1 + 0.1*%d)/2*x%d'^2", i, i);
            made.kinetic[2 * i + 1] = say("1/2*y%d'^2", i);
            made.potential[i] = say("9.81*x%d", i);
            made.forces[i] = (carom_named_formula){
                say("x%d", i), i ? say("-0.5*x%d'*abs(x%d') - 20*(x%d - x%d - 0.4)", i, i, i, i - 1)
                                 : say("-x%d'", i)};
            made.joints[i] = (carom_named_formula){
                say("rod%d", i),
                say("x%d^2 + y%d^2 - %.17g", i, i,
                    made.q[2 * i] * made.q[2 * i] + made.q[2 * i + 1] * made.q[2 * i + 1])};
            add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0},
                        0.4, 0);
        }
        made.statement.kinetic_count = 2 * pairs;
        made.statement.potential_count = pairs;
        made.statement.force_count = made.statement.bilateral_count = pairs;
        assert_true(run("newton", 1e-3, 400) > 0);
    }
}

/* Forces that make the matrix of the step unsymmetric: contacts still hold to rounding. */
static void test_unsymmetric_forces(void **state)
{
    (void)state;
    const int n = 6;
    begin();
    for (int i = 0; i < n; i++) {
        add_bead(i, 0.1 + 0.2 * i + 1e-3 * i, 0);
        made.forces[i] = (carom_named_formula){
            say("x%d", i), say("5*x%d' - 5*x%d' - 50*(x%d - x%d)", (i + 1) % n, i, i, (i + 2) % n)};
    }
    made.statement.force_count = n;
    assert_true(run("newton", 1e-2, 100) > 0);
}

/* A column that falls together and comes to rest, with positions put back on g >= 0 after each
 * step: it lies where it should, and the energy of putting it back is a small part of the impacts'.
 */
static void test_projection(void **state)
{
    (void)state;
    const int n = 40;
    begin();
    for (int i = 0; i < n; i++) {
        add_bead(i, 0.1 + 0.202 * i, 0.3);
    }
    carom_system *system;
    carom_arena *arena;
    carom_error error = {0};
    check_ok(carom_system_formulas(&made.statement, NULL, &system, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = 1e-3;
    options.until = 1;
    options.project = true;
    carom_flow_start start = {0, made.q, made.u};
    carom_flow_result r;
    check_ok(carom_flow_run(system, NULL, &start, &options, NULL, arena, &r, &error), &error);
    assert_true(r.max_penetration < 1e-13);
    assert_true(r.ledger.projection > 0 && r.ledger.projection < -0.05 * r.ledger.impacts);
    for (int i = 0; i < n; i++) {
        check_close(r.q[i], 0.1 + 0.2 * i, 1e-5);
        check_close(r.u[i], 0, 9.81e-3); /* what a step of gravity gives */
    }
    carom_system_destroy(system);
    carom_arena_destroy(arena);
}

/* Memory that runs out at any request: the error, and nothing lost. */
static void test_memory(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 30; i++) {
        add_bead(i, 0.1 + 0.2 * i, 0);
        made.forces[i] = (carom_named_formula){say("x%d", i), say("-x%d'", i)};
    }
    made.statement.force_count = 30;
    carom_system *inner, *system;
    carom_error error = {0};
    check_ok(carom_system_formulas(&made.statement, NULL, &inner, &error), &error);
    system = retell(inner, SEEN);
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = 1e-3;
    options.until = 0.01;
    carom_flow_start start = {0, made.q, made.u};
    carom_status status = CAROM_ERROR_MEMORY;
    for (int fail_at = 0; status != CAROM_OK; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_arena *arena;
        carom_flow_result result;
        status = carom_arena_create(&allocator, &arena, &error);
        if (status == CAROM_OK) {
            status = carom_flow_run(system, NULL, &start, &options, NULL, arena, &result, &error);
            carom_arena_destroy(arena);
        }
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
        assert_int_equal(c.live, 0);
        assert_true(fail_at < 1000);
    }
    carom_system_destroy(system);
    carom_system_destroy(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plank),
        cmocka_unit_test(test_pendulums),
        cmocka_unit_test(test_joints_and_springs),
        cmocka_unit_test(test_unsymmetric_forces),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
