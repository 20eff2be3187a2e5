/* Fuzzing of the formula parser and of everything behind it. Not part of the default build:
 *
 *   clang -g -O1 -std=c17 -D_POSIX_C_SOURCE=200809L -fsanitize=fuzzer,address,undefined -Iinclude \
 *       -Isrc tests/fuzz/fuzz_expr.c src/expr/[a-z]*.c src/base/[a-z]*.c -lm -o fuzz_expr
 *   ./fuzz_expr -dict=tests/fuzz/fuzz_expr.dict -max_total_time=300 -max_len=400
 *
 * Checked besides the absence of crashes: errors have a text and a place inside the input, a second
 * parse gives the same value and gradient, the matrix of second derivatives is symmetric. */
#include "carom/expr.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void demand(int condition)
{
    if (!condition)
        abort();
}

static carom_scope *scope_of(void)
{
    static const char *const names[] = {"x", "y", "th"};
    carom_scope *scope;
    if (carom_scope_create(NULL, &scope, NULL))
        return NULL;
    carom_scope_add_value(scope, &(carom_source){.text = "m"}, 1.5, NULL);
    carom_scope_add_value(scope, &(carom_source){.text = "e"}, -0.5, NULL);
    for (int k = 0; k < 3; k++)
        carom_scope_add_coordinate(scope, &(carom_source){.text = names[k]}, NULL);
    return scope;
}

static void try_formula(carom_scope *scope, const char *text)
{
    carom_source source = {.text = text, .start = {3, 5}};
    carom_expr *e = NULL, *again = NULL;
    carom_error error = {0};
    carom_status status = carom_expr_create(scope, &source, 2, &e, &error);
    if (status) {
        demand(error.text[0] && error.line >= 3 && error.column >= 1 && !e);
        demand(error.line > 3 || (size_t)error.column <= strlen(text) + 6);
        return;
    }
    double q[3] = {0.3, -0.7, 1.1}, u[3] = {0.2, 0.9, -0.4}, g[7], h[49], g2[7];
    double value = carom_expr_evaluate(e, 0.25, q, u, g, h);
    demand(carom_expr_create(scope, &source, 1, &again, &error) == CAROM_OK);
    double second = carom_expr_evaluate(again, 0.25, q, u, g2, NULL);
    demand(value == second || (isnan(value) && isnan(second)));
    for (int i = 0; i < 7; i++) {
        demand(g[i] == g2[i] || (isnan(g[i]) && isnan(g2[i])));
        for (int j = 0; j < 7; j++)
            demand(h[i + 7 * j] == h[j + 7 * i] || isnan(h[i + 7 * j]));
    }
    carom_expr_destroy(again);
    carom_expr_destroy(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    carom_scope *scope = scope_of();
    if (text && scope) {
        memcpy(text, data, size);
        text[size] = '\0';
        double value;
        try_formula(scope, text);
        carom_scope_number(scope, &(carom_source){.text = text}, &value, NULL);
        carom_scope_add_parameter(scope, &(carom_source){.text = text},
                                  &(carom_source){.text = "1"}, NULL);
        carom_scope_suggest(scope, text);
        try_formula(scope, text); /* now with names the formula may be */
    }
    carom_scope_destroy(scope);
    free(text);
    return 0;
}
