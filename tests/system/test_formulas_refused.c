/* What is no system, told by its place; what only a state shows. */
#include "formula_case.h"

/* Errors: position and a piece of the message. Every formula stands in line 7, column 11. */
static void test_errors(void **state)
{
    (void)state;
    const struct {
        const char *kinetic, *potential, *force_name, *force, *gap, *slip, *bilateral, *permanent;
        int column;
        const char *piece;
    } cases[] = {
        {.kinetic = "x'^2 + y'^3", .column = 20, .piece = "quadratic"},
        {.kinetic = "x'^2 + sqrt(y'^2)", .column = 18, .piece = "quadratic"},
        {.kinetic = "x'^2*y' + y'^2", .column = 15, .piece = "quadratic"},
        {.kinetic = "x'^2 + y'^2/(1 + x'^2)", .column = 22, .piece = "quadratic"},
        {.kinetic = "x'^2", .column = 11, .piece = "y'"},
        {.kinetic = "x'*y'", .column = 11, .piece = "x'"},
        {.kinetic = "x'^2 + yy'^2", .column = 18, .piece = "did you mean 'y'"},
        {.potential = "x + 3*y'", .column = 17, .piece = "velocit"},
        {.gap = "y - x'", .column = 15, .piece = "slip"},
        {.gap = "3*t", .column = 11, .piece = "gradient"},
        {.gap = "x - x + t", .column = 11, .piece = "gradient"},
        {.gap = "sign(x)", .column = 11, .piece = "gradient"},
        {.gap = "y + 1/0", .column = 16, .piece = "infinite"},
        {.gap = "y", .slip = "x'^2", .column = 13, .piece = "linear"},
        {.gap = "y", .slip = "y' + abs(x')", .column = 16, .piece = "linear"},
        {.gap = "y", .slip = "x + t", .column = 11, .piece = "linear"},
        {.gap = "y", .slip = "x'*sin(y')", .column = 14, .piece = "linear"},
        {.bilateral = "x'", .column = 11, .piece = "permanent"},
        {.bilateral = "t", .column = 11, .piece = "coordinate"},
        {.permanent = "x'*y'", .column = 13, .piece = "linear"},
        {.permanent = "x*y", .column = 11, .piece = "linear"},
        {.force_name = "w", .force = "1", .column = 11, .piece = "coordinate"},
        {.force_name = "Y", .force = "1", .column = 11, .piece = "did you mean 'y'"},
        {.force_name = "x", .force = "2 +", .column = 14, .piece = "end"},
    };
    for (int k = 0; k < COUNT(cases); k++) {
#define AT(s)                                                                                      \
    {                                                                                              \
        .text = (s), .start = { 7, 11 }                                                            \
    }
        const carom_source coordinates[] = {F("x"), F("y")};
        const carom_source kinetic[] = {AT(cases[k].kinetic ? cases[k].kinetic : "x'^2 + y'^2")};
        const carom_source potential[] = {AT(cases[k].potential)};
        const carom_named_formula force[] = {{AT(cases[k].force_name), AT(cases[k].force)}};
        const carom_contact_formulas contact[] = {{.gap = AT(cases[k].gap),
                                                   .slip = {AT(cases[k].slip), {0}},
                                                   .properties = carom_contact_default()}};
        const carom_named_formula bilateral[] = {{F("b"), AT(cases[k].bilateral)}};
        const carom_named_formula permanent[] = {{F("p"), AT(cases[k].permanent)}};
        const carom_formulas statement = {GIVEN(coordinate, coordinates),
                                          GIVEN(kinetic, kinetic),
                                          .potential_count = cases[k].potential != NULL,
                                          .potential = potential,
                                          .force_count = cases[k].force != NULL,
                                          .forces = force,
                                          .contact_count = cases[k].gap != NULL,
                                          .contacts = contact,
                                          .bilateral_count = cases[k].bilateral != NULL,
                                          .bilateral = bilateral,
                                          .permanent_count = cases[k].permanent != NULL,
                                          .permanent = permanent};
        carom_system *system = NULL;
        carom_error error = {0};
        carom_status status = carom_system_formulas(&statement, NULL, &system, &error);
        if (status != CAROM_ERROR_INPUT || error.line != 7 || error.column != cases[k].column ||
            !strstr(error.text, cases[k].piece)) {
            print_error("case %d: %d, %d:%d %s\n", k, status, error.line, error.column, error.text);
            fail();
        }
        assert_null(system);
    }
}

/* What only a state shows: definiteness, vanishing gradients, values that do not exist. */
static void test_check(void **state)
{
    (void)state;
    const struct {
        const char *kinetic, *gap;
        double x, y;
        const char *pieces[3]; /* none: accepted */
    } cases[] = {
        {"x'^2 + y'^2", "x", 0, 0, {NULL}},
        {"(x' + y')^2", "x", 0, 0, {"x' = -1, y' = 1", "zero", "definite"}},
        {"1e-9*(x' + y')^2", "x", 0, 0, {"x' = -1, y' = 1", "zero", NULL}},
        {"x'^2 + 1e-9*y'^2", "x", 0, 0, {NULL}},
        {"1e9*x'^2 + 1e-9*y'^2", "x", 0, 0, {NULL}},
        {"x'^2 - y'^2", "x", 0, 0, {"y' = 1", "negative", NULL}},
        {"x'^2 + 4*x'*y' + y'^2", "x", 0, 0, {"x' = -1, y' = 0.5", "negative", NULL}},
        {"x'^2 + sin(x)^2*y'^2", "x", 0, 0, {"y' = 1", "zero", NULL}},
        {"x'^2 + sin(x)^2*y'^2", "x", 1, 0, {NULL}},
        {"x'^2 + y'^2", "x^2 + y^2", 0, 0, {"contact '1'", "gradient", "vanishes"}},
        {"x'^2 + y'^2", "x^2 + y^2 + 1", 0, 0, {NULL}},
        {"x'^2 + y'^2", "sqrt(x)", 0, 0, {"gradient", "contact '1'", "infinite"}},
        {"x'^2 + y'^2", "log(x)", -1, 0, {"gap", "not a number", NULL}},
        {"x'^2 + y'^2", "x", NAN, 0, {"coordinate x", NULL}},
    };
    for (int k = 0; k < COUNT(cases); k++) {
        const carom_source coordinates[] = {F("x"), F("y")}, kinetic[] = {F(cases[k].kinetic)};
        const carom_contact_formulas contact[] = {
            {.gap = F(cases[k].gap), .properties = carom_contact_default()}};
        const carom_formulas statement = {GIVEN(coordinate, coordinates), GIVEN(kinetic, kinetic),
                                          .contact_count = 1, .contacts = contact};
        made m = make(&statement);
        carom_error error = {0};
        m.state.q[0] = cases[k].x;
        m.state.q[1] = cases[k].y;
        carom_status status = carom_system_check(m.system, 1e-9, m.arena, &m.state, &error);
        if ((status != CAROM_OK) != (cases[k].pieces[0] != NULL))
            print_error("case %d: %d %s\n", k, status, error.text);
        assert_int_equal(status != CAROM_OK, cases[k].pieces[0] != NULL);
        for (int j = 0; j < 3 && cases[k].pieces[j]; j++) {
            if (!strstr(error.text, cases[k].pieces[j]))
                print_error("case %d: %s\n", k, error.text);
            assert_non_null(strstr(error.text, cases[k].pieces[j]));
        }
        drop(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
