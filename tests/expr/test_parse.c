/* The parser of formulas: what is accepted, and where an error is. */
#include "carom/expr.h"
#include "check.h"

#include <stdlib.h>

static carom_scope *scope_of(void)
{
    carom_scope *scope;
    carom_error error = {0};
    check_ok(carom_scope_create(NULL, &scope, &error), &error);
    const struct {
        const char *name, *formula;
    } parameters[] = {
        {"m", "1"},   {"g", "9.81"}, {"H", "2"}, {"L", "1"}, {"J", "m*(H^2 + L^2)/12"},
        {"e", "0.5"}, {"E", "3"},    {"i", "7"}};
    for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++)
        check_ok(carom_scope_add_parameter(scope, &(carom_source){.text = parameters[k].name},
                                           &(carom_source){.text = parameters[k].formula}, &error),
                 &error);
    const char *coordinates[] = {"x", "y", "theta"};
    for (int k = 0; k < 3; k++)
        check_ok(carom_scope_add_coordinate(scope, &(carom_source){.text = coordinates[k]}, &error),
                 &error);
    return scope;
}

/* Values of constant formulas: precedence, associativity, numbers, functions. */
static void test_numbers(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {".5", .5},
        {"5.", 5},
        {"2e-05", 2e-05},
        {"1E+3", 1000},
        {"1e3", 1000},
        {"010", 10},
        {"0", 0},
        {"-0", 0},
        {"0.1", 0.1},
        {"123456789012345678901234567890", 123456789012345678901234567890.},
        {"4.9e-324", 4.9e-324},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"0.1e-999", 0},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"-2^2", -4},
        {"2^-1", 0.5},
        {"2^3^2", 512},
        {"(2^3)^2", 64},
        {"2/3*3", 2. / 3 * 3},
        {"12/2/3", 2},
        {"2-3-4", -5},
        {"2*-3", -6},
        {"--3", 3},
        {"+3", 3},
        {"2^-2^2", 0.0625},
        {"-2^-2", -0.25},
        {"(-2)^3", -8},
        {"(-2)^-3", -0.125},
        {"(-3)^9", -19683},
        {"0^0", 1},
        {"J", 5. / 12},
        {"e*E*i", 10.5},
        {"2*e", 1},
        {"pi", 3.14159265358979323846},
        {"sin(pi/6)*2", 2 * sin(3.14159265358979323846 / 6)},
        {"atan2(1, -1)", atan2(1, -1)},
        {"if(1 < 2, 3, 4)", 3},
        {"if(1 > 2, 3, 4)", 4},
        {"if(2 >= 2, 3, 4)", 3},
        {"if(2 <= 1, 3, 4)", 4},
        {"if(2 == 2, 3, 4)", 3},
        {"if(2 != 2, 3, 4)", 4},
        {"if (1>2,1/0,4)", 4},
        {"min(3, 1, 2)", 1},
        {"max(1,5,2,4)", 5},
        {"sign(-3)", -1},
        {"sign(0)", 0},
        {"abs(-3)", 3},
        {" 1\t+\n2 ", 3},
        {"sqrt(2)^2", sqrt(2) * sqrt(2)},
        {"4^0.5", 2},
        {"exp(log(3))", exp(log(3))},
        {"tanh(1)+sinh(1)+cosh(1)+asin(.5)+acos(.5)+atan(.5)+tan(.5)",
         tanh(1) + sinh(1) + cosh(1) + asin(.5) + acos(.5) + atan(.5) + tan(.5)},
    };
    carom_scope *scope = scope_of();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value = -99;
        carom_error error = {0};
        carom_status status =
            carom_scope_number(scope, &(carom_source){.text = cases[k].text}, &value, &error);
        if (status)
            print_error("%s: ", cases[k].text);
        check_ok(status, &error);
        if (value != cases[k].value)
            print_error("%s\n", cases[k].text);
        check_close(value, cases[k].value, 0);
    }
    carom_scope_destroy(scope);
}

/* Wrong formulas: the column and a piece of the message. */
static void test_errors(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int column;
        const char *piece;
    } cases[] = {
        {"", 1, "empty"},
        {"   ", 1, "empty"},
        {"1 +", 4, "end of the formula"},
        {"2x", 2, "*"},
        {"2 m", 3, "*"},
        {"(1+2", 1, "never closed"},
        {"1+2)", 4, "no ("},
        {"sin 3", 5, "("},
        {"sin()", 5, "expected"},
        {"sin(1,2)", 7, "too many"},
        {"atan2(1)", 8, "too few"},
        {"min(1)", 6, "too few"},
        {"if(1,2,3)", 5, "comparison"},
        {"if(1<2,3)", 9, "too few"},
        {"1 < 2", 3, "if"},
        {"1 = 2", 3, "if"},
        {"if(1 = 2,1,2)", 6, "=="},
        {"2**3", 2, "^"},
        {"thetta", 1, "theta"},
        {"3*Theta", 3, "theta"},
        {"sqr(2)", 1, "sqrt"},
        {"foo(2)", 1, "function"},
        {"zzz", 1, "neither"},
        {"x*2", 1, "parameters"},
        {"m + t", 5, "parameters"},
        {"3 + y'", 5, "parameters"},
        {"m'", 2, "parameter"},
        {"sin'", 4, "velocity"},
        {"x''", 3, "acceleration"},
        {"3'", 2, "prime"},
        {"1,2", 2, "comma"},
        {"0x10", 2, "decimal"},
        {"10x", 3, "*"},
        {"1_000", 2, "*"},
        {"1e999", 1, "too large"},
        {"1/0", 2, "infinite"},
        {"m + sqrt(-1)", 5, "undefined"},
        {"1..2", 3, "*"},
        {".", 1, "expected"},
        {"2 \xE2\x88\x92 1", 3, "write -"},
        {"m\xC2\xB7g", 2, "write *"},
        {"\xCE\xB8 + 1", 1, "letters"},
        {"$i", 1, "repeat"},
        {"1 + [2]", 5, "write ("},
        {"1 # 2", 3, "'#'"},
        {"1 + * 2", 5, "'*'"},
        {"2^", 3, "end"},
        {"log(0)", 1, "infinite"},
        {"0/0 + 1", 2, "undefined"},
        {"pi(3)", 3, "*"},
        {"2 3", 3, "*"},
    };
    carom_scope *scope = scope_of();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value = -99;
        carom_error error = {0};
        carom_source source = {cases[k].text, {12, 31}, NULL};
        carom_status status = carom_scope_number(scope, &source, &value, &error);
        if (status != CAROM_ERROR_INPUT || error.line != 12 ||
            error.column != 30 + cases[k].column || !strstr(error.text, cases[k].piece)) {
            print_error("%s -> %d %d:%d %s\n", cases[k].text, status, error.line, error.column - 30,
                        error.text);
            fail();
        }
        assert_true(value == -99); /* untouched */
    }
    carom_scope_destroy(scope);
}

static void test_places(void **state)
{
    (void)state;
    /* As libyaml gives 'x''^2' : the reader maps bytes to places. */
    const carom_place places[] = {{3, 10}, {3, 11}, {3, 13}, {3, 14}, {3, 15}};
    carom_source source = {"x'^q", {3, 10}, places};
    carom_scope *scope = scope_of();
    double value;
    carom_error error = {0};
    assert_int_equal(carom_scope_number(scope, &source, &value, &error), CAROM_ERROR_INPUT);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 14);
    /* Lines of a block scalar; columns are characters, not bytes. */
    carom_source block = {"1 +\n  q", {5, 1}, NULL};
    assert_int_equal(carom_scope_number(scope, &block, &value, &error), CAROM_ERROR_INPUT);
    assert_int_equal(error.line, 6);
    assert_int_equal(error.column, 3);
    carom_scope_destroy(scope);
}

static void test_names(void **state)
{
    (void)state;
    carom_scope *scope = scope_of();
    carom_error error = {0};
    const char *wrong[] = {"m", "x", "t", "pi", "sin", "if", "2a", "", "a b", "a'", "a-b"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        carom_source name = {wrong[k], {4, 2}, NULL};
        assert_int_equal(carom_scope_add_value(scope, &name, 1, &error), CAROM_ERROR_INPUT);
        assert_int_equal(error.line, 4);
        assert_int_equal(carom_scope_add_coordinate(scope, &name, &error), CAROM_ERROR_INPUT);
    }
    assert_int_equal(carom_scope_add_value(scope, &(carom_source){.text = "k"}, NAN, &error),
                     CAROM_ERROR_INPUT);
    assert_int_equal(carom_scope_coordinate_count(scope), 3);
    int index = -1;
    double value = 0;
    assert_int_equal(carom_scope_find(scope, "theta", &index, NULL), CAROM_NAME_COORDINATE);
    assert_int_equal(index, 2);
    assert_int_equal(carom_scope_find(scope, "y'", &index, NULL), CAROM_NAME_VELOCITY);
    assert_int_equal(index, 1);
    assert_int_equal(carom_scope_find(scope, "g", NULL, &value), CAROM_NAME_PARAMETER);
    check_close(value, 9.81, 0);
    assert_int_equal(carom_scope_find(scope, "g'", NULL, NULL), CAROM_NAME_UNKNOWN);
    assert_int_equal(carom_scope_find(scope, "pi", NULL, NULL), CAROM_NAME_RESERVED);
    assert_int_equal(carom_scope_find(scope, "nope", NULL, NULL), CAROM_NAME_UNKNOWN);
    assert_string_equal(carom_scope_suggest(scope, "tehta'"), "theta");
    assert_string_equal(carom_scope_suggest(scope, "l"), "L");
    assert_null(carom_scope_suggest(scope, "completely"));
    carom_scope_destroy(scope);
}

/* A text of `count` repetitions between a head and a tail. */
static char *repeated(const char *head, const char *piece, const char *tail, int count)
{
    size_t size = strlen(head) + strlen(piece) * (size_t)count + strlen(tail) + 1;
    char *text = malloc(size), *end = text;
    end = strcpy(text, head) + strlen(head);
    for (int k = 0; k < count; k++)
        end = strcpy(end, piece) + strlen(piece);
    strcpy(end, tail);
    return text;
}

static void test_long_and_deep(void **state)
{
    (void)state;
    const struct {
        const char *head, *piece, *tail;
        int count;
        double value; /* NaN: must be refused */
    } cases[] = {
        {"1", "+1", "", 100000, 100001}, {"1", "*1", "", 100000, 1},
        {"", "-", "1", 100000, 1},       {"", "(", "1", 100000, NAN},
        {"", "1^", "1", 100000, NAN},    {"", "sin(", "1", 10000, NAN},
        {"", "a", "", 100000, NAN},      {"", "1", "", 100000, NAN},
        {"0.", "1", "", 100000, 1. / 9}, {"", "-(", "1", 300, NAN},
        {"1", " ", "", 100000, 1},
    };
    carom_scope *scope = scope_of();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = repeated(cases[k].head, cases[k].piece, cases[k].tail, cases[k].count);
        double value = NAN;
        carom_error error = {0};
        carom_status status =
            carom_scope_number(scope, &(carom_source){.text = text}, &value, &error);
        if (isnan(cases[k].value)) {
            assert_int_equal(status, CAROM_ERROR_INPUT);
            assert_true(strlen(error.text) > 10);
        } else {
            check_ok(status, &error);
            check_close(value, cases[k].value, 1e-16);
        }
        free(text);
    }
    char *deep = repeated("(((((((((((((((((((((((((((((((((((((((((((((((((", "",
                          "7"
                          ")))))))))))))))))))))))))))))))))))))))))))))))))",
                          0);
    double value;
    check_ok(carom_scope_number(scope, &(carom_source){.text = deep}, &value, NULL), NULL);
    check_close(value, 7, 0);
    free(deep);
    carom_scope_destroy(scope);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_errors),
        cmocka_unit_test(test_places),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_and_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
