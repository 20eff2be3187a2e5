/* Names of laws that stand side by side: what tells each from the others. */
#include "carom/law.h"
#include "carom/need.h"
#include "carom/text.h"

#include <stdio.h>
#include <string.h>

enum { VALUE = 64 }; /* characters of a value */

/* A number or word of a law's parameter, as in a scene; "" for lists and matrices. */
static void write_value(const carom_law *law, const carom_parameter *q, char text[VALUE])
{
    const carom_value *value = carom_law_value(law, q->name);
    text[0] = '\0';
    if (q->kind == CAROM_PARAMETER_CHOICE && value)
        snprintf(text, VALUE, "%s", value->text);
    else if (q->kind == CAROM_PARAMETER_CHOICE)
        snprintf(text, VALUE, "%.*s", (int)strcspn(q->choices, "|"), q->choices);
    else if (q->kind == CAROM_PARAMETER_NUMBER)
        carom_number_print(carom_law_number(law, q->name), text);
}

/* Must a parameter be told: has it another value in another law of the list, or is it a variant
 * that is not the usual one? */
static bool is_told(int count, const carom_law *const *laws, int which, const carom_parameter *q)
{
    char own[VALUE], other[VALUE];
    write_value(laws[which], q, own);
    size_t first = q->varies ? strcspn(q->choices, "|") : 0;
    if (q->varies && (strlen(own) != first || strncmp(own, q->choices, first) != 0))
        return true;
    for (int i = 0; i < count; i++) {
        if (laws[i]->ops != laws[which]->ops)
            continue;
        write_value(laws[i], q, other);
        if (strcmp(own, other) != 0)
            return true;
    }
    return false;
}

void carom_law_label(int count, const carom_law *const *laws, int which, char *text, size_t size)
{
    CAROM_NEED_OR(, laws, laws[which], laws[which]->ops, text);
    const carom_law *law = laws[which];
    char mark = ':';
    snprintf(text, size, "%s", law->ops->name);
    for (const carom_parameter *q = law->ops->parameters; q && q->name; q++) {
        char value[VALUE];
        size_t used = strlen(text);
        if (!is_told(count, laws, which, q))
            continue;
        write_value(law, q, value);
        snprintf(text + used, size - used, "%c%s=%s", mark, q->name, value);
        mark = ',';
    }
}
