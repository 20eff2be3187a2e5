/* Definitions and d( ): what they mean, and what is refused at which place. Their derivatives
 * against 50 digits are in test_expr.c. */
#include "carom/expr.h"
#include "check.h"
#include "check_memory.h"

#include <float.h>

#define F(text_) ((carom_source){.text = (text_)})

static carom_scope *scope_of(void)
{
    carom_scope *scope = NULL;
    carom_error error = {0};
    check_ok(carom_scope_create(NULL, &scope, &error), &error);
    check_ok(carom_scope_add_value(scope, &F("l"), 2, &error), &error);
    check_ok(carom_scope_add_value(scope, &F("d"), 3, &error), &error);
    check_ok(carom_scope_add_coordinate(scope, &F("a"), &error), &error);
    check_ok(carom_scope_add_coordinate(scope, &F("b"), &error), &error);
    return scope;
}

static double value_of(carom_scope *scope, const char *text, double *gradient)
{
    const double q[] = {0.3, -0.7}, u[] = {1.5, 0.25};
    carom_error error = {0};
    carom_expr *expr = NULL;
    check_ok(carom_expr_create(scope, &F(text), 1, &expr, &error), &error);
    double value = carom_expr_evaluate(expr, 0.6, q, u, gradient, NULL);
    carom_expr_destroy(expr);
    return value;
}

/* A name means its formula, d( ) its derivative in time. */
static void test_meaning(void **state)
{
    (void)state;
    carom_scope *scope = scope_of();
    carom_error error = {0};
    const carom_named_formula definitions[] = {
        {F("px"), F("l*sin(a)")},           {F("py"), F("-l*cos(a) + t*b")},
        {F("v2"), F("d(px)^2+d(py)^2")},    {F("half"), F("l/4")},
        {F("far"), F("sqrt(px^2 + py^2)")},
    };
    check_ok(carom_scope_add_definitions(scope, definitions, 5, &error), &error);
    const struct {
        const char *with, *without;
    } cases[] = {
        {"px*py", "l*sin(a)*(-l*cos(a) + t*b)"},
        {"v2", "(a'*(l*cos(a)))^2 + (b + (a'*(l*sin(a)) + t*b'))^2"},
        {"d (a)", "a'"},
        {"d(t) + d(l) + d", "4"},
        {"d(a*b)", "a'*b + a*b'"},
        {"d(b)*d", "b'*3"},
        {"half", "0.5"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double with[5], without[5];
        double a = value_of(scope, cases[k].with, with);
        double b = value_of(scope, cases[k].without, without);
        check_close(a, b, 4 * DBL_EPSILON * fabs(b));
        for (int i = 0; i < 5; i++)
            check_close(with[i], without[i], 4 * DBL_EPSILON * (1 + fabs(without[i])));
    }
    double value = 0;
    check_ok(carom_scope_number(scope, &F("half + 1"), &value, &error), &error);
    check_close(value, 1.5, 0);
    assert_int_equal(carom_scope_find(scope, "far", NULL, NULL), CAROM_NAME_DEFINITION);
    assert_int_equal(carom_scope_number(scope, &F("1 + px"), &value, &error), CAROM_ERROR_INPUT);
    assert_int_equal(error.column, 5);
    carom_scope_destroy(scope);
}

/* What is wrong with formulas that use them: the column and a piece of the message. */
static void test_refused(void **state)
{
    (void)state;
    const carom_named_formula definitions[] = {{F("px"), F("l*sin(a)")}, {F("v"), F("d(px)")}};
    const struct {
        const char *text;
        int column;
        const char *piece;
    } cases[] = {
        {"d(d(a))", 3, "there is no d(d( ))"},
        {"1 + d(a + d(px))", 11, "there is no d(d( ))"},
        {"d(a')", 3, "accelerations"},
        {"d(2*v)", 5, "accelerations"},
        {"px'", 3, "d(px)"},
        {"d(a, b)", 4, "takes 1"},
        {"d()", 3, "expected"},
        {"d(a", 4, "expected"},
        {"dd(a)", 1, "function"},
        {"d*d(z)", 5, "unknown name"},
        {"px(3)", 3, "*"},
    };
    carom_scope *scope = scope_of();
    carom_error error = {0};
    check_ok(carom_scope_add_definitions(scope, definitions, 2, &error), &error);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        carom_expr *expr = NULL;
        carom_source source = {cases[k].text, {7, 1}, NULL};
        carom_status status = carom_expr_create(scope, &source, 1, &expr, &error);
        if (status != CAROM_ERROR_INPUT || error.line != 7 || error.column != cases[k].column ||
            !strstr(error.text, cases[k].piece)) {
            print_error("%s -> %d %d:%d %s\n", cases[k].text, status, error.line, error.column,
                        error.text);
            fail();
        }
    }
    carom_scope_destroy(scope);
}

/* Definitions that cannot be: the line is the number of the definition. */
static void test_order(void **state)
{
    (void)state;
    const struct {
        const char *names[4], *formulas[4];
        int line, column;
        const char *piece;
    } cases[] = {
        {{"p"}, {"1 + p"}, 1, 5, "by itself"},
        {{"p", "q"}, {"a + q", "2*p"}, 1, 5, "go round: 'p' uses 'q', 'q' uses 'p'"},
        {{"p", "q", "r"}, {"q", "2*r", "p"}, 1, 1, "'p' uses 'q', 'q' uses 'r', 'r' uses 'p'"},
        {{"p", "q"}, {"q*2", "a"}, 1, 1, "further down"},
        {{"p", "q", "r"}, {"a", "r", "p + 2e5*s"}, 2, 1, "further down"},
        {{"p", "p"}, {"a", "b"}, 2, 1, "taken already (a definition)"},
        {{"l"}, {"a"}, 1, 1, "taken already (a parameter)"},
        {{"b"}, {"a"}, 1, 1, "taken already (a coordinate)"},
        {{"sin"}, {"a"}, 1, 1, "reserved"},
        {{"p$i"}, {"a"}, 1, 1, "not a name"},
        {{"p"}, {"1/0"}, 1, 2, "infinite"},
        {{"p", "q"}, {"d(a)", "d(p)"}, 2, 3, "accelerations"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        carom_scope *scope = scope_of();
        carom_named_formula list[4];
        carom_error error = {0};
        int count = 0;
        for (; count < 4 && cases[k].names[count]; count++)
            list[count] = (carom_named_formula){{cases[k].names[count], {count + 1, 1}, NULL},
                                                {cases[k].formulas[count], {count + 1, 1}, NULL}};
        carom_status status = carom_scope_add_definitions(scope, list, count, &error);
        if (status != CAROM_ERROR_INPUT || error.line != cases[k].line ||
            error.column != cases[k].column || !strstr(error.text, cases[k].piece)) {
            print_error("%zu -> %d %d:%d %s\n", k, status, error.line, error.column, error.text);
            fail();
        }
        carom_scope_destroy(scope);
    }
}

/* A circle of many: the message stays short. */
static void test_long_circle(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static char names[COUNT][16], formulas[COUNT][16];
    static carom_named_formula list[COUNT];
    for (int k = 0; k < COUNT; k++) {
        snprintf(names[k], sizeof names[k], "n%d", k);
        snprintf(formulas[k], sizeof formulas[k], "1 + n%d", (k + 1) % COUNT);
        list[k] = (carom_named_formula){F(names[k]), F(formulas[k])};
    }
    carom_scope *scope = scope_of();
    carom_error error = {0};
    assert_int_equal(carom_scope_add_definitions(scope, list, COUNT, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "'n0' uses 'n1'"));
    assert_non_null(strstr(error.text, "..., 'n1999' uses 'n0'"));
    carom_scope_destroy(scope);
}

/* Every allocation may fail, without a leak; where a circle cannot be searched it is told as a
 * wrong order. */
static void test_memory(void **state)
{
    (void)state;
    const carom_named_formula list[] = {
        {F("p"), F("sin(a)")}, {F("q"), F("d(p)*r")}, {F("r"), F("q")}};
    for (int fail_at = 0, calls = 1; fail_at < calls; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_scope *scope = NULL;
        carom_error error = {0};
        carom_status status = carom_scope_create(&allocator, &scope, &error);
        if (!status)
            status = carom_scope_add_coordinate(scope, &F("a"), &error);
        if (!status)
            status = carom_scope_add_definitions(scope, list, 3, &error);
        assert_true(status == CAROM_ERROR_MEMORY || status == CAROM_ERROR_INPUT);
        carom_scope_destroy(scope);
        assert_int_equal(c.live, 0);
        calls = c.calls;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_order),   cmocka_unit_test(test_long_circle),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
