/* Suggestions for misspelt names: the nearest known one by edit distance. */
#include "expr/scope.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 32 }; /* longer names get no suggestion */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours; a change of case costs nothing but
 * counts when names differ in nothing else. */
static int distance(const char *a, int la, const char *b, int lb)
{
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= lb; j++)
        last[j] = j;
    for (int i = 1; i <= la; i++) {
        now[0] = i;
        for (int j = 1; j <= lb; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[lb];
}

const char *carom_scope_suggest_near(const carom_scope *scope, const char *text, size_t length,
                                     bool functions_only)
{
    const char *nearest = NULL;
    int bound = length < 4 ? 1 : length < 7 ? 2 : 3; /* more changes than this are another word */
    if (length > LONGEST)
        return NULL;
    for (uint32_t k = 0; k < scope->count; k++) {
        const carom_symbol *s = &scope->symbols[k];
        if ((functions_only && s->kind != CAROM_SYMBOL_FUNCTION) || s->length > LONGEST)
            continue;
        int d = distance(text, (int)length, s->text, (int)s->length);
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
    size_t length = strlen(text);
    if (length > 1 && text[length - 1] == '\'')
        length--;
    return carom_scope_suggest_near(scope, text, length, false);
}
