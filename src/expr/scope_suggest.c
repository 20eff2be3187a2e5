/* Suggestions for misspelt names: the nearest known one by edit distance. */
#include "carom/need.h"
#include "carom/text.h"
#include "expr/scope.h"

#include <string.h>

const char *carom_scope_suggest_near(const carom_scope *scope, const char *text, size_t length,
                                     bool functions_only)
{
    const char *nearest = NULL;
    int bound = length < 4 ? 1 : length < 7 ? 2 : 3; /* more changes than this are another word */
    for (uint32_t k = 0; k < scope->count; k++) {
        const carom_symbol *s = &scope->symbols[k];
        if (functions_only && s->kind != CAROM_SYMBOL_FUNCTION)
            continue;
        int d = carom_word_distance(text, length, s->text, s->length);
        if (d >= (int)length && d > 0)
            continue; /* nothing in common */
        /* Of equals the later one: the user's names come after the reserved ones. */
        if (d <= bound) {
            nearest = s->text;
            bound = d;
        }
    }
    return nearest;
}

const char *carom_scope_suggest(const carom_scope *scope, const char *text)
{
    CAROM_NEED_OR(NULL, scope, text);
    size_t length = strlen(text);
    if (length > 1 && text[length - 1] == '\'')
        length--;
    return carom_scope_suggest_near(scope, text, length, false);
}
