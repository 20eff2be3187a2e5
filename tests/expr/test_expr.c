/* Formulas: values and derivatives against references in high precision. */
#include "carom/expr.h"
#include "check.h"
#include "check_memory.h"

#include <stdlib.h>

static carom_scope *scope_of(const carom_allocator *allocator, int count, const char **names)
{
    carom_scope *scope;
    if (carom_scope_create(allocator, &scope, NULL))
        return NULL;
    for (int k = 0; k < count; k++)
        if (carom_scope_add_coordinate(scope, &(carom_source){.text = names[k]}, NULL)) {
            carom_scope_destroy(scope);
            return NULL;
        }
    return scope;
}

static const char *xyz[] = {"x", "y", "z"};

/* Against 50 digits: tests/expr/references.txt, written by make_references.py. Position in the
 * gradient: x y z x' y' z' t, as in the file. */
typedef struct reference {
    carom_scope *scope;
    carom_expr *expr;
    double q[3], u[3], t, value, gradient[7], hessian[49];
    bool known_gradient[7], known_hessian[49]; /* entries the file has; the others are zero */
    double worst;
    int entries, definition_count;
    char formula[1024], names[3][8], definitions[3][512];
} reference;

static void compare(reference *r, const char *what, double value, const char *numbers)
{
    double expected, scale;
    assert_int_equal(sscanf(numbers, "%lf %lf", &expected, &scale), 2);
    double error = fabs(value - expected) / (scale > 0 ? scale : 1);
    if (!(error <= 1e-13))
        print_error("%s: %s", r->formula, what);
    check_close(error, 0, 1e-13);
    r->worst = fmax(r->worst, error);
    r->entries++;
}

static void start(reference *r, const char *text)
{
    carom_error error = {0};
    carom_named_formula definitions[3];
    snprintf(r->formula, sizeof r->formula, "%s", text);
    r->formula[strcspn(r->formula, "\n")] = '\0';
    carom_expr_destroy(r->expr);
    carom_scope_destroy(r->scope);
    r->scope = scope_of(NULL, 3, xyz);
    assert_non_null(r->scope);
    for (int k = 0; k < r->definition_count; k++)
        definitions[k] = (carom_named_formula){{.text = r->names[k]}, {.text = r->definitions[k]}};
    check_ok(carom_scope_add_definitions(r->scope, definitions, r->definition_count, &error),
             &error);
    r->definition_count = 0;
    check_ok(carom_expr_create(r->scope, &(carom_source){.text = r->formula}, 2, &r->expr, &error),
             &error);
    memset(r->known_gradient, 0, sizeof r->known_gradient);
    memset(r->known_hessian, 0, sizeof r->known_hessian);
}

static void define(reference *r, const char *text)
{
    int k = r->definition_count++;
    assert_true(k < 3);
    assert_int_equal(sscanf(text, "%7s %511[^\n]", r->names[k], r->definitions[k]), 2);
}

static void evaluate(reference *r, const char *point)
{
    double *where[7] = {&r->q[0], &r->q[1], &r->q[2], &r->u[0], &r->u[1], &r->u[2], &r->t};
    char *end = (char *)(uintptr_t)point;
    for (int k = 0; k < 7; k++)
        *where[k] = strtod(end, &end);
    r->value = carom_expr_evaluate(r->expr, r->t, r->q, r->u, r->gradient, r->hessian);
}

/* What sympy found to be zero must vanish here as well, up to the size of its neighbours. */
static void check_rest(reference *r)
{
    if (!r->expr)
        return;
    for (int i = 0; i < 7; i++) {
        if (!r->known_gradient[i])
            check_close(r->gradient[i], 0, 1e-13);
        for (int j = 0; j < 7; j++) {
            assert_true(r->hessian[i + 7 * j] == r->hessian[j + 7 * i]);
            if (!r->known_hessian[i + 7 * j])
                check_close(r->hessian[i + 7 * j], 0, 1e-12);
        }
    }
}

static void test_references(void **state)
{
    (void)state;
    FILE *file = fopen(CAROM_SOURCE_DIR "/tests/expr/references.txt", "r");
    assert_non_null(file);
    static reference r;
    char line[1024];
    int formulas = 0, i, j, at;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == 'D') {
            define(&r, line + 2);
        } else if (line[0] == 'F') {
            check_rest(&r);
            start(&r, line + 2);
            formulas++;
        } else if (line[0] == 'P') {
            evaluate(&r, line + 2);
        } else if (line[0] == 'V') {
            compare(&r, "value", r.value, line + 2);
        } else if (line[0] == 'G') {
            assert_int_equal(sscanf(line + 2, "%d%n", &i, &at), 1);
            compare(&r, "gradient", r.gradient[i], line + 2 + at);
            r.known_gradient[i] = true;
        } else {
            assert_int_equal(sscanf(line + 2, "%d %d%n", &i, &j, &at), 2);
            compare(&r, "second derivative", r.hessian[i + 7 * j], line + 2 + at);
            r.known_hessian[i + 7 * j] = r.known_hessian[j + 7 * i] = true;
        }
    }
    check_rest(&r);
    fclose(file);
    print_message("%d formulas, %d numbers, worst error %.2g\n", formulas, r.entries, r.worst);
    assert_true(formulas >= 460);
    carom_expr_destroy(r.expr);
    carom_scope_destroy(r.scope);
}

/* Kinks, ends of domains and powers: value, first and second derivative in x. */
static void test_kinks(void **state)
{
    (void)state;
    const struct {
        const char *formula;
        double x, value, first, second;
    } cases[] = {
        {"abs(x)", 0, 0, 1, 0},
        {"abs(x)", -2, 2, -1, 0},
        {"abs(x)^2", 0, 0, 0, 2},
        {"sign(x)", 0, 0, 0, 0},
        {"sign(x)*x", -3, 3, -1, 0},
        {"min(x, 2*x)", 0, 0, 1, 0},
        {"min(2*x, x)", 0, 0, 2, 0},
        {"max(x, 2*x)", 0, 0, 1, 0},
        {"max(x, 2*x)", 1, 2, 2, 0},
        {"min(x, 2*x, 3*x)", -1, -3, 3, 0},
        {"if(x < 0, -x, x^2)", 0, 0, 0, 2},
        {"if(x <= 0, -x, x^2)", 0, 0, -1, 0},
        {"if(x >= 0, x^3, 7)", 2, 8, 12, 12},
        {"if(x != 0, sin(x)/x, 1)", 0, 1, 0, 0},
        {"if(x == 1, x^2, 0)", 1, 1, 2, 2},
        {"if(x > 0, sqrt(x), 0)", -1, 0, 0, 0},
        {"if(x > 0, log(x), x)", -1, -1, 1, 0},
        {"x^2", -3, 9, -6, 2},
        {"x^3", -2, -8, 12, -12},
        {"x^11", -1, -1, 11, -110},
        {"x^-3", -2, -0.125, -0.1875, -0.375},
        {"x^-1", -2, -0.5, -0.25, -0.25},
        {"x^0", 0, 1, 0, 0},
        {"0^x", 2, 0, NAN, NAN},
        {"x^1", -5, -5, 1, 0},
        {"x^2", 0, 0, 0, 2},
        {"x^3", 0, 0, 0, 0},
        {"x^1.5", 0, 0, 0, INFINITY},
        {"sqrt(x)", 0, 0, INFINITY, -INFINITY},
        {"sqrt(x^2)", 0, 0, NAN, NAN},
        {"x^0.5", 4, 2, 0.25, -0.03125},
        {"2^x", 3, 8, 8 * log(2), 8 * log(2) * log(2)},
        {"x^12", -1, 1, -12, 132},
        {"(-2)^3*x", 1, -8, -8, 0},
        {"x^(1+1)", -4, 16, -8, 2},
        {"asin(x)", 1, asin(1), INFINITY, NAN},
        {"tanh(x)", 30, tanh(30), 4 * exp(-60), -8 * exp(-60)},
    };
    carom_scope *scope = scope_of(NULL, 3, xyz);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        carom_expr *e;
        carom_error error = {0};
        double q[3] = {cases[k].x, 0, 0}, u[3] = {0}, gradient[7], hessian[49];
        check_ok(carom_expr_create(scope, &(carom_source){.text = cases[k].formula}, 2, &e, &error),
                 &error);
        double got[3] = {carom_expr_evaluate(e, 0, q, u, gradient, hessian)};
        double want[3] = {cases[k].value, cases[k].first, cases[k].second};
        got[1] = gradient[0];
        got[2] = hessian[0];
        for (int j = 0; j < 3; j++) {
            bool same = isnan(want[j])   ? isnan(got[j]) || isinf(got[j])
                        : isinf(want[j]) ? got[j] == want[j]
                                         : fabs(got[j] - want[j]) <= 1e-14 * fabs(want[j]);
            if (!same) {
                print_error("%s at %g, derivative %d: %.17g, expected %.17g\n", cases[k].formula,
                            cases[k].x, j, got[j], want[j]);
                fail();
            }
        }
        carom_expr_destroy(e);
    }
    carom_scope_destroy(scope);
}

/* NaN in, NaN out: comparisons and kinks do not swallow it. */
static void test_nan(void **state)
{
    (void)state;
    const char *formulas[] = {
        "abs(x)",          "min(x, 1)",        "min(1, x)", "max(x, 1)", "max(1, x)",
        "if(x < 1, 2, 3)", "if(x != 1, 2, 3)", "sign(x)",   "x^3",       "x*y"};
    carom_scope *scope = scope_of(NULL, 3, xyz);
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        carom_expr *e;
        double q[3] = {NAN, 1, 1}, u[3] = {0};
        check_ok(carom_expr_create(scope, &(carom_source){.text = formulas[k]}, 0, &e, NULL), NULL);
        assert_true(isnan(carom_expr_evaluate(e, 0, q, u, NULL, NULL)));
        carom_expr_destroy(e);
    }
    carom_scope_destroy(scope);
}

/* Sums run as one instruction round like one addition after the other, whatever shares their parts.
 */
static void test_sums(void **state)
{
    (void)state;
    carom_scope *scope = scope_of(NULL, 3, xyz);
    const char *formulas[] = {"x - y + z*x - y^2 + t", "t - (x + y*z + z) + x",
                              "(x + y + z*t)*(x + y + z*t) + sin(x + y + z*t + x*y)",
                              "x + (y + (z + (t + x*y)))"};
    carom_expr *e[4];
    for (int k = 0; k < 4; k++)
        check_ok(carom_expr_create(scope, &(carom_source){.text = formulas[k]}, 1, &e[k], NULL),
                 NULL);
    check_random r = {11};
    for (int round = 0; round < 1000; round++) {
        double x = check_random_in(&r, -1, 1), y = check_random_in(&r, -9, 9),
               z = check_random_in(&r, -1e3, 1e3), t = check_random_in(&r, 0, 1);
        double q[3] = {x, y, z}, u[3] = {0}, gradient[7], part = x + y + z * t;
        const double expected[4] = {x - y + z * x - y * y + t, t - (x + y * z + z) + x,
                                    part * part + sin(part + x * y), x + (y + (z + (t + x * y)))};
        for (int k = 0; k < 4; k++) {
            double value = carom_expr_evaluate(e[k], t, q, u, round % 2 ? gradient : NULL, NULL);
            check_close(value, expected[k], 0);
        }
        if (round % 2)
            check_close(gradient[0], 1 + y, 1e-14);
    }
    for (int k = 0; k < 4; k++)
        carom_expr_destroy(e[k]);
    carom_scope_destroy(scope);
}

/* A sum of terms each with few variables costs what the terms cost: 2000 coordinates, one formula.
 */
static void test_long_sum(void **state)
{
    (void)state;
    enum { N = 2000 };
    carom_scope *scope;
    carom_error error = {0};
    check_ok(carom_scope_create(NULL, &scope, &error), &error);
    char *text = malloc(64 * N), *end = text;
    end += sprintf(end, "0.5*(0");
    for (int i = 0; i < N; i++) {
        char name[16];
        sprintf(name, "x%d", i);
        check_ok(carom_scope_add_coordinate(scope, &(carom_source){.text = name}, &error), &error);
        end += i ? sprintf(end, " + (x%d - x%d)^2", i, i - 1) : sprintf(end, " + x0'^2");
    }
    strcpy(end, ")");
    carom_expr *e;
    check_ok(carom_expr_create(scope, &(carom_source){.text = text}, 1, &e, &error), &error);
    double *q = calloc(N, sizeof *q), *u = calloc(N, sizeof *u), *g = calloc(2 * N + 1, sizeof *g);
    for (int i = 0; i < N; i++)
        q[i] = i * i;
    u[0] = 3;
    double value = carom_expr_evaluate(e, 0, q, u, g, NULL), expected = 4.5;
    for (int i = 1; i < N; i++)
        expected += 0.5 * (2. * i - 1) * (2. * i - 1);
    check_close(value, expected, 1e-6);
    check_close(g[N], 3, 0);
    for (int i = 1; i < N - 1; i++)
        check_close(g[i], -2, 0);
    assert_true(carom_expr_uses_velocity(e));
    assert_true(carom_expr_uses_position(e));
    free(q);
    free(u);
    free(g);
    free(text);
    carom_expr_destroy(e);
    carom_scope_destroy(scope);
}

/* Formulas as long and as deep as the limits allow. */
static void test_deep(void **state)
{
    (void)state;
    carom_scope *scope = scope_of(NULL, 3, xyz);
    enum { DEEP = CAROM_EXPR_DEPTH_MAX - 2, LONG = 20000 };
    char *text = malloc(16 * LONG), *end = text;
    for (int k = 0; k < DEEP; k++)
        end += sprintf(end, "sin(");
    end += sprintf(end, "x");
    for (int k = 0; k < DEEP; k++)
        end += sprintf(end, ")");
    carom_expr *e;
    carom_error error = {0};
    double q[3] = {0.5, 0, 0}, u[3] = {0}, gradient[7], hessian[49], value = 0.5, slope = 1;
    check_ok(carom_expr_create(scope, &(carom_source){.text = text}, 2, &e, &error), &error);
    for (int k = 0; k < DEEP; k++) {
        slope *= cos(value);
        value = sin(value);
    }
    check_close(carom_expr_evaluate(e, 0, q, u, gradient, hessian), value, 0);
    check_close(gradient[0], slope, 1e-13 * slope);
    carom_expr_destroy(e);
    /* x*x*...: 100,000 characters of one product. */
    end = text;
    for (int k = 0; k < LONG; k++)
        end += sprintf(end, "x*y*z");
    *--end = '\0';
    assert_int_not_equal(carom_expr_create(scope, &(carom_source){.text = text}, 1, &e, &error),
                         CAROM_OK); /* ...zx...: an unknown name */
    end = text;
    for (int k = 0; k < LONG; k++)
        end += sprintf(end, "%s%s", k ? "*" : "", k % 2 ? "x" : "y");
    check_ok(carom_expr_create(scope, &(carom_source){.text = text}, 2, &e, &error), &error);
    q[0] = q[1] = 1;
    check_close(carom_expr_evaluate(e, 0, q, u, gradient, hessian), 1, 0);
    check_close(gradient[0], LONG / 2, 0);
    check_close(hessian[1], LONG / 2. * (LONG / 2.), 0);
    carom_expr_destroy(e);
    free(text);
    carom_scope_destroy(scope);
}

/* Memory: failure at every allocation, and none while evaluating. */
static void test_memory(void **state)
{
    (void)state;
    /* Long enough to grow every array once. */
    char text[40000], *end = text;
    for (int k = 0; k < 300; k++)
        end += sprintf(end, "%ssin(%d*x + y)*z'^2*exp(t*%d)", k ? " + " : "", k, k);
    bool done = false;
    for (int fail_at = 0; !done; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_scope *scope = scope_of(&allocator, 3, xyz);
        carom_expr *e = NULL;
        carom_error error = {0};
        if (scope) {
            carom_status status =
                carom_expr_create(scope, &(carom_source){.text = text}, 2, &e, &error);
            assert_int_equal(status, status ? CAROM_ERROR_MEMORY : CAROM_OK);
            done = !status;
        }
        if (done) {
            int before = c.calls;
            double q[3] = {1, 2, 3}, u[3] = {0}, gradient[7], hessian[49];
            for (int k = 0; k < 20; k++)
                carom_expr_evaluate(e, k, q, u, k % 2 ? gradient : NULL, k % 3 ? hessian : NULL);
            assert_int_equal(c.calls, before);
        }
        carom_expr_destroy(e);
        carom_scope_destroy(scope);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references), cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_nan),        cmocka_unit_test(test_long_sum),
        cmocka_unit_test(test_deep),       cmocka_unit_test(test_sums),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
