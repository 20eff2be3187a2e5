/* LaTeX of formulas: what single ones look like, and that multiplying out changes no value. */
#include "check.h"
#include "expr/tape.h"
#include "expr/tex.h"
#include "expr/tex_expand.h"

#include <float.h>

#define F(text_) ((carom_source){.text = (text_)})

static carom_scope *scope_of(void)
{
    static const char *const parameters[] = {"m", "l", "g", "mu", "mH", "omega0", "x_left"};
    static const char *const coordinates[] = {"x", "y", "z", "th1", "phi"};
    carom_scope *scope;
    carom_error error = {0};
    check_ok(carom_scope_create(NULL, &scope, &error), &error);
    for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++)
        check_ok(carom_scope_add_value(scope, &F(parameters[k]), 1.5, &error), &error);
    for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++)
        check_ok(carom_scope_add_coordinate(scope, &F(coordinates[k]), &error), &error);
    carom_scope_keep_parameters(scope);
    return scope;
}

static void test_looks(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *tex;
    } cases[] = {
        {"x + y", "x + y"},
        {"x - y - z", "x - y - z"},
        {"-(x - y)", "-x + y"},
        {"2*x*y", "2 x y"},
        {"x/2", "\\tfrac{1}{2} x"},
        {"0.1*x", "\\tfrac{1}{10} x"},
        {"9.81*x", "9.81 x"},
        {"6.02e23*x", "6.02 \\cdot 10^{23} x"},
        {"1e-9*x", "10^{-9} x"},
        {"x/y", "\\frac{x}{y}"},
        {"x/(y*z)", "\\frac{x}{y z}"},
        {"(x + y)/z", "\\frac{x + y}{z}"},
        {"(x + y)*z", "x z + y z"},
        {"(x + y)*(z + t)", "\\left(x + y\\right) \\left(z + t\\right)"},
        {"(x + y)^2", "\\left(x + y\\right)^{2}"},
        {"x^2*x'", "x^{2} \\dot{x}"},
        {"x^-2", "x^{-2}"},
        {"x^0.5 + sqrt(y)", "\\sqrt{x} + \\sqrt{y}"},
        {"sin(th1)^2", "\\sin^{2}\\left(\\theta_{1}\\right)"},
        {"sin(x)^2 + cos(x)^2", "1"},
        {"m*l^2*th1'^2/2", "\\tfrac{1}{2} m l^{2} \\dot{\\theta}_{1}^{2}"},
        {"mu*mH*omega0*x_left", "\\mu m_{H} \\omega_{0} x_{\\mathrm{left}}"},
        {"cos(phi - th1)*m", "m \\cos\\left(\\varphi - \\theta_{1}\\right)"},
        {"abs(x)*sign(y)", "\\left|x\\right| \\operatorname{sgn}\\left(y\\right)"},
        {"atan2(y, x)", "\\operatorname{atan2}\\left(y, x\\right)"},
        {"if(x < 1, y, 2*t)",
         "\\begin{cases} y & \\text{if } x < 1 \\\\ 2 t & \\text{otherwise} \\end{cases}"},
        {"x^y", "x^{y}"},
        {"(x + 1)^y", "\\left(1 + x\\right)^{y}"},
        {"pi*x", "\\pi x"},
        {"(x*y)^3", "x^{3} y^{3}"},
        {"d(l*sin(th1))", "l \\dot{\\theta}_{1} \\cos\\left(\\theta_{1}\\right)"},
        {"0*x", "0"},
        {"x - x + 3", "3"},
        {"m*(x + y) - m*x", "m y"},
    };
    carom_scope *scope = scope_of();
    carom_arena *arena;
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    int wrong = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        carom_formula f;
        carom_tex tex;
        check_ok(carom_parse_formula(scope, &F(cases[k].formula), &f, &error), &error);
        check_ok(carom_tex_begin(&tex, scope, arena, &error), &error);
        carom_tex_node(&tex, f.root);
        check_ok(carom_tex_check(&tex, &error), &error);
        if (strcmp(tex.text, cases[k].tex) != 0) {
            print_error("%s: %s, expected %s\n", cases[k].formula, tex.text, cases[k].tex);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    carom_arena_destroy(arena);
    carom_scope_destroy(scope);
}

static void test_words(void **state)
{
    (void)state;
    carom_scope *scope = scope_of();
    carom_arena *arena;
    carom_tex tex;
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_tex_begin(&tex, scope, arena, &error), &error);
    carom_tex_words(&tex, "a_b 100% {x} \\ ~ ^ # $ &");
    assert_string_equal(tex.text, "a\\_b 100\\% \\{x\\} \\textbackslash{} \\textasciitilde{} "
                                  "\\textasciicircum{} \\# \\$ \\&");
    check_ok(carom_tex_begin(&tex, scope, arena, &error), &error);
    for (int k = 0; k < 200000; k++)
        carom_tex_put(&tex, "longer ");
    assert_int_equal(carom_tex_check(&tex, &error), CAROM_ERROR_UNSUPPORTED);
    carom_arena_destroy(arena);
    carom_scope_destroy(scope);
}

/* The value of a node at a point. */
static double value_of(carom_scope *scope, carom_node node, carom_arena *arena)
{
    static const double q[] = {0.7, -0.4, 1.3, 0.9, -0.6}, u[] = {0.3, -1.1, 0.8, 0.5, 1.7};
    carom_tape *tape;
    uint32_t slot;
    carom_error error = {0};
    check_ok(carom_tape_create(&scope->graph, &(carom_tape_output){node, 1}, 1, arena, &slot, &tape,
                               &error),
             &error);
    return carom_tape_run(tape, 1, 0.35, q, u)[slot];
}

/* Multiplied out, the formulas of the 50-digit references have the same values. */
static void test_expand(void **state)
{
    (void)state;
    FILE *file = fopen(CAROM_SOURCE_DIR "/tests/expr/references.txt", "r");
    assert_non_null(file);
    char line[1024];
    int compared = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] != 'F' || strstr(line, "px") || strstr(line, "rate") || strstr(line, "py"))
            continue;
        line[strcspn(line, "\n")] = '\0';
        carom_scope *scope = scope_of();
        carom_arena *arena;
        carom_formula f;
        carom_tex_terms all;
        carom_error error = {0};
        check_ok(carom_arena_create(NULL, &arena, &error), &error);
        check_ok(carom_parse_formula(scope, &F(line + 2), &f, &error), &error);
        if (carom_tex_expand(&scope->graph, f.root, arena, &all)) {
            double sum = 0, size = 0;
            for (int k = 0; k < all.count; k++) {
                double term = all.terms[k].scale;
                for (int j = 0; j < all.terms[k].count; j++)
                    term *= pow(value_of(scope, all.terms[k].factors[j].base, arena),
                                all.terms[k].factors[j].power);
                sum += term;
                size = fmax(size, fabs(term));
            }
            double value = value_of(scope, f.root, arena);
            if (isfinite(value)) {
                if (!(fabs(sum - value) <= 1e-12 * fmax(size, fabs(value))))
                    print_error("%s: %.17g, multiplied out %.17g\n", line + 2, value, sum);
                check_close(sum, value, 1e-12 * fmax(size, fabs(value)));
                compared++;
            }
        }
        carom_arena_destroy(arena);
        carom_scope_destroy(scope);
    }
    fclose(file);
    print_message("%d formulas multiplied out\n", compared);
    assert_true(compared > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_expand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
