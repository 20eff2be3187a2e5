/* Ranges over boxes: random formulas, and values at random points that must lie inside; boxes where
 * a corner or a pole may be are refused, others are not. */
#include "family.h"

#include "expr/scope.h"
#include "expr/tape_range.h"

CHECK_ARENA(arena);

enum { ROOM = 1000, POINTS = 60, DEPTH = 3 };

static const char *const leaves[] = {"x", "y", "x'", "t", "0.7", "2"};
/* What stands before, between and after the parts of a formula. */
static const char *const functions[][3] = {
    {"sin(", ")"},  {"cos(", ")"},  {"tan(", ")"},  {"asin(", ")"}, {"acos(", ")"},
    {"atan(", ")"}, {"sinh(", ")"}, {"cosh(", ")"}, {"tanh(", ")"}, {"exp(", ")"},
    {"log(", ")"},  {"sqrt(", ")"}, {"abs(", ")"},  {"sign(", ")"}};
static const char *const powers[][3] = {
    {"(", ")^(-3)"}, {"(", ")^(-2)"}, {"(", ")^2"}, {"(", ")^3"}, {"(", ")^5"}};
static const char *const pairs[][3] = {
    {"(", " + ", ")"},   {"(", " - ", ")"},         {"(", ")*(", ")"},
    {"(", ")/(", ")"},   {"atan2(", ", ", ")"},     {"min(", ", ", ")"},
    {"max(", ", ", ")"}, {"if(", " < ", ", x, y)"}, {"abs(", ")^(", ")"}};

/* Write a random formula of some depth at the end of the text. */
static void draw(check_random *r, int depth, char *text)
{
    const double kind = check_random_in(r, 0, 1);
    if (depth == 0 || kind < 0.1) {
        strcat(text, leaves[(int)check_random_in(r, 0, 5.999)]);
        return;
    }
    const char *const *form = kind < 0.45   ? functions[(int)check_random_in(r, 0, 13.999)]
                              : kind < 0.55 ? powers[(int)check_random_in(r, 0, 4.999)]
                                            : pairs[(int)check_random_in(r, 0, 8.999)];
    for (int k = 0; k < 3; k++) {
        strcat(text, form[k]);
        if (k < 2 && form[k + 1])
            draw(r, depth - 1, text);
        else
            break;
    }
}

/* The tape of one formula of x and y. */
static carom_tape *compile(const char *text, uint32_t *slot)
{
    carom_scope *scope;
    carom_formula formula;
    carom_tape *tape = NULL;
    carom_error error = {0};
    check_ok(carom_scope_create(NULL, &scope, &error), &error);
    check_ok(carom_scope_add_coordinate(scope, &(carom_source){.text = "x"}, &error), &error);
    check_ok(carom_scope_add_coordinate(scope, &(carom_source){.text = "y"}, &error), &error);
    if (carom_parse_formula(scope, &(carom_source){.text = text}, &formula, &error) == CAROM_OK)
        check_ok(carom_tape_create(&scope->graph, &(carom_tape_output){formula.root, 1}, 1, arena,
                                   slot, &tape, &error),
                 &error);
    carom_scope_destroy(scope);
    return tape;
}

static carom_range draw_range(check_random *r)
{
    const double low = check_random_in(r, -3, 3), width = pow(10, check_random_in(r, -9, 0.5));
    return (carom_range){low, low + width};
}

static double inside(check_random *r, carom_range a)
{
    const double x = check_random_in(r, -0.2, 1.2);
    return x <= 0 ? a.low : x >= 1 ? a.high : a.low + x * (a.high - a.low);
}

static void test_values(void **state)
{
    (void)state;
    family f = family_start("ranges of formulas over boxes", 71, 4000);
    int known = 0;
    while (family_next(&f)) {
        check_random *r = &f.random;
        char text[ROOM];
        uint32_t slot;
        text[0] = 0;
        draw(r, DEPTH, text);
        carom_tape *tape = compile(text, &slot);
        if (tape) { /* a constant that is not finite is refused by the parser */
            const carom_range t = draw_range(r), q[2] = {draw_range(r), draw_range(r)},
                              u[2] = {draw_range(r), draw_range(r)};
            carom_range *ranges =
                carom_arena_array(arena, carom_tape_ranges_room(tape), sizeof *ranges);
            assert_non_null(ranges);
            const bool is_known = carom_tape_ranges(tape, 1, &(carom_tape_box){t, q, u}, ranges);
            known += is_known;
            for (int k = 0; k < POINTS && is_known; k++) {
                const double at[2] = {inside(r, q[0]), inside(r, q[1])},
                             rate[2] = {inside(r, u[0]), inside(r, u[1])};
                const double value = carom_tape_run(tape, 1, inside(r, t), at, rate)[slot];
                family_check(&f, value >= ranges[slot].low && value <= ranges[slot].high,
                             "%s is %.17g outside [%.17g, %.17g]", text, value, ranges[slot].low,
                             ranges[slot].high);
            }
        }
        carom_arena_reset(arena);
    }
    assert_true(known > f.member / 4);
    family_end(&f);
}

/* What is refused, and what is not. */
static void test_corners(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double low, high;
        bool known;
    } cases[] = {
        {"abs(x)", -1, 1, false},        {"abs(x)", 0.1, 1, true},
        {"1/x", -1, 1, false},           {"1/x", -2, -1, true},
        {"tan(x)", 1, 2, false},         {"tan(x)", 2, 4, true},
        {"log(x)", -1, 1, false},        {"sqrt(x)", -1, 1, false},
        {"sqrt(x)", 1, 4, true},         {"sign(x)", -1, 1, false},
        {"if(x < 2, x, 1)", 0, 1, true}, {"min(x, 1)", 0, 2, false},
        {"min(x, 1)", 2, 3, true},       {"x^3", -1, 1, true},
        {"sin(1e9*x)", 0, 1, true},      {"atan2(x, -1)", -1, 1, false},
        {"atan2(1, x)", -1, 1, true},    {"acos(x)", 0, 1.1, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint32_t slot;
        carom_tape *tape = compile(cases[k].text, &slot);
        assert_non_null(tape);
        carom_range ranges[64];
        assert_true(carom_tape_ranges_room(tape) <= 64);
        const carom_range q[2] = {{cases[k].low, cases[k].high}, {0, 0}}, u[2] = {{0, 0}, {0, 0}};
        const bool known = carom_tape_ranges(tape, 1, &(carom_tape_box){{0, 0}, q, u}, ranges);
        if (known != cases[k].known)
            fail_msg("%s on [%g, %g]: %s", cases[k].text, cases[k].low, cases[k].high,
                     known ? "known" : "refused");
    }
    carom_arena_reset(arena);
}

/* Narrow boxes have narrow ranges: to a unit or two of a box of width 0. */
static void test_width(void **state)
{
    (void)state;
    uint32_t slot;
    carom_tape *tape = compile("0.01*sin(60*t) + cos(x)*y^2", &slot);
    carom_range ranges[64], q[2] = {{0.3, 0.3}, {1.7, 1.7}};
    const double at[2] = {0.3, 1.7};
    assert_true(carom_tape_ranges(tape, 1, &(carom_tape_box){{5, 5}, q, q}, ranges));
    const double value = carom_tape_run(tape, 1, 5, at, at)[slot];
    assert_true(ranges[slot].high - ranges[slot].low <= 1e-14);
    assert_true(ranges[slot].low <= value && value <= ranges[slot].high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_width),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
