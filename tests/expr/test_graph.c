/* The graph behind formulas: sharing, folding, structure of derivatives, groups of a tape. */
#include "check.h"
#include "expr/derivative.h"
#include "expr/scope.h"
#include "expr/tape_code.h"

static carom_scope *scope_of(void)
{
    static const char *const names[] = {"x", "y", "z"};
    carom_scope *scope;
    check_ok(carom_scope_create(NULL, &scope, NULL), NULL);
    for (int k = 0; k < 3; k++)
        check_ok(carom_scope_add_coordinate(scope, &(carom_source){.text = names[k]}, NULL), NULL);
    return scope;
}

static carom_node node_of(carom_scope *scope, const char *text)
{
    carom_formula f;
    carom_error error = {0};
    check_ok(carom_parse_formula(scope, &(carom_source){.text = text}, &f, &error), &error);
    return f.root;
}

/* Formulas that are one node, however written. */
static void test_sharing(void **state)
{
    (void)state;
    const char *same[][2] = {
        {"x + y", "y + x"},
        {"x*y", "y*x"},
        {"x*x", "x^2"},
        {"2*(3*x)", "6*x"},
        {"x + x", "2*x"},
        {"3*x - 2*x", "x"},
        {"x - y", "-(y - x)"},
        {"x/2", "0.5*x"},
        {"x^1", "x"},
        {"x^0", "1"},
        {"x*0", "0"},
        {"x - x", "0"},
        {"(2*x)*y", "2*(x*y)"},
        {"cos(-x)", "cos(x)"},
        {"sin(x - y)", "-sin(y - x)"},
        {"if(1 < 2, x, y)", "x"},
        {"--x", "x"},
        {"x + -y", "x - y"},
        {"x^0.5", "sqrt(x)"},
        {"(-x)^2", "x^2"},
        {"x^4", "(x^2)^2"},
        {"if(x < y, z, z)", "z"},
        {"min(x, x)", "x"},
        {"-2*x + 5*y", "5*y - 2*x"},
    };
    carom_scope *scope = scope_of();
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if (node_of(scope, same[k][0]) != node_of(scope, same[k][1])) {
            print_error("%s and %s are two nodes\n", same[k][0], same[k][1]);
            fail();
        }
    assert_int_not_equal(node_of(scope, "x - y"), node_of(scope, "y - x"));
    assert_int_not_equal(node_of(scope, "x/y"), node_of(scope, "y/x"));
    /* Seen again, nothing is added. */
    uint32_t before = scope->graph.count;
    node_of(scope, "min(x, x) + sin(x - y)*(2*x)*y");
    uint32_t once = scope->graph.count;
    node_of(scope, "min(x, x) + sin(x - y)*(2*x)*y");
    assert_true(once > before);
    assert_int_equal(scope->graph.count, once);
    carom_scope_destroy(scope);
}

/* Derivatives have the structure one expects. */
static void test_structure(void **state)
{
    (void)state;
    carom_scope *scope = scope_of();
    carom_derivative *d;
    int count;
    check_ok(carom_derivative_create(&scope->graph, &d, NULL), NULL);
    const carom_partial *p =
        carom_derivative_gradient(d, node_of(scope, "3/2*x'^2 + y*z + t^2"), CAROM_ON_U, &count);
    assert_int_equal(count, 1);
    assert_int_equal(p[0].variable, CAROM_VARIABLE_U(0));
    assert_int_equal(p[0].node, node_of(scope, "3*x'"));
    p = carom_derivative_gradient(d, node_of(scope, "y*z + t^2*y + x - x"), CAROM_ON_ALL, &count);
    assert_int_equal(count, 3);
    assert_int_equal(p[0].variable, CAROM_VARIABLE_T);
    assert_int_equal(p[0].node, node_of(scope, "2*t*y"));
    assert_int_equal(p[1].variable, CAROM_VARIABLE_Q(1));
    assert_int_equal(p[1].node, node_of(scope, "z + t^2"));
    assert_int_equal(p[2].variable, CAROM_VARIABLE_Q(2));
    carom_derivative_gradient(d, node_of(scope, "sign(x) + if(y < z, 1, 2)"), CAROM_ON_ALL, &count);
    assert_int_equal(count, 0);
    assert_int_equal(carom_derivative_in_time(d, node_of(scope, "x*t + y'")),
                     node_of(scope, "x'*t + x"));
    assert_int_equal(carom_derivative_at_rest(d, node_of(scope, "x*y' + cos(x + z') + t")),
                     node_of(scope, "cos(x) + t"));
    check_ok(carom_derivative_check(d, NULL), NULL);
    carom_derivative_destroy(d);
    /* Degrees in the velocities. */
    const struct {
        const char *formula;
        int degree;
    } degrees[] = {{"x", 0},
                   {"x'", 1},
                   {"x'*y'*x", 2},
                   {"(x' + y)^3", 3},
                   {"x'^2/(1 + x)", 2},
                   {"1/x'", 255},
                   {"sin(x')", 255},
                   {"if(x < 0, x', x'^2)", 2},
                   {"if(x' < 0, 1, 2)", 255},
                   {"x'^-1", 255},
                   {"x'^5", 5},
                   {"sin(x)*x'", 1}};
    for (size_t k = 0; k < sizeof degrees / sizeof *degrees; k++)
        assert_int_equal(scope->graph.nodes[node_of(scope, degrees[k].formula)].degree,
                         degrees[k].degree);
    carom_scope_destroy(scope);
}

/* Instructions of a run of these groups. */
static size_t length_of(carom_tape *tape, unsigned groups)
{
    return carom_tape_find_program(tape, groups)->count;
}

/* A run computes what its groups need and no more, in any order of asking. */
static void test_groups(void **state)
{
    (void)state;
    carom_scope *scope = scope_of();
    carom_arena *arena;
    carom_tape *tape;
    uint32_t slot[3];
    const carom_tape_output outputs[3] = {{node_of(scope, "sin(x)*y"), 1},
                                          {node_of(scope, "sin(x)*z + exp(y)"), 2},
                                          {node_of(scope, "7"), 4}};
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_tape_create(&scope->graph, outputs, 3, arena, slot, &tape, NULL), NULL);
    carom_scope_destroy(scope);
    assert_int_equal(length_of(tape, 1), 2); /* sin, * */
    assert_int_equal(length_of(tape, 2), 4); /* sin, *, exp, + */
    assert_int_equal(length_of(tape, 3), 5); /* one sine for both */
    assert_int_equal(length_of(tape, 4), 0);
    for (unsigned round = 0; round < 40; round++) {
        double q[3] = {0.1 * round, 2, 3}, u[3] = {0};
        unsigned groups = round % 8;
        const double *slots = carom_tape_run(tape, groups, 0, q, u);
        if (groups & 1)
            check_close(slots[slot[0]], sin(q[0]) * 2, 0);
        if (groups & 2)
            check_close(slots[slot[1]], sin(q[0]) * 3 + exp(2), 0);
        check_close(slots[slot[2]], 7, 0);
    }
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
