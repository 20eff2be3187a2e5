/* Definitions: names for formulas, read in order, each from those before it. A name that is used
 * before its turn is told apart: defined further down, or going round in a circle. */
#include "expr/definition.h"

#include "carom/need.h"
#include "carom/text.h"

#include <stdio.h>
#include <string.h>

/* `d` names parameters and coordinates of scenes older than the derivative; of formulas it is the
 * derivative alone. */
static carom_status check_derivative(const carom_source *name, carom_error *error)
{
    const carom_place at = carom_source_place(name, 0);
    if (strcmp(name->text, "d") != 0)
        return CAROM_OK;
    return carom_error_at(error, CAROM_ERROR_INPUT, at.line, at.column,
                          "the name 'd' is the time derivative d( ) of formulas; choose another");
}

/* The names are taken first, so that one used too early is known for what it is. */
static carom_status announce(carom_scope *s, const carom_named_formula *definitions, int count,
                             carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < count && !status; k++) {
        const carom_source *name = &definitions[k].name;
        status = carom_scope_check_name(s, name, error);
        if (!status)
            status = check_derivative(name, error);
        if (!status)
            status =
                carom_scope_insert(s,
                                   (carom_symbol){name->text, strlen(name->text),
                                                  CAROM_SYMBOL_DEFINITION, k, 0, CAROM_NODE_NONE},
                                   error);
    }
    return status;
}

static carom_status read_definition(carom_scope *s, const carom_named_formula *definition,
                                    carom_error *error)
{
    carom_formula formula;
    carom_mark mark = carom_arena_mark(s->arena);
    carom_status status = carom_parse_formula(s, &definition->formula, &formula, error);
    carom_arena_rewind(s->arena, mark);
    if (!status)
        carom_scope_symbol(s, definition->name.text, strlen(definition->name.text))->node =
            formula.root;
    return status;
}

carom_status carom_scope_add_definitions(carom_scope *scope, const carom_named_formula *definitions,
                                         int count, carom_error *error)
{
    CAROM_NEED(error, scope);
    if (count > 0)
        CAROM_NEED(error, definitions);
    carom_definition_list list = {definitions, count, 0};
    carom_status status = announce(scope, definitions, count, error);
    scope->definitions = &list;
    for (; list.present < count && !status; list.present++)
        status = read_definition(scope, &definitions[list.present], error);
    scope->definitions = NULL;
    return status;
}

/* The next definition that is named in a formula, from byte *at on: its number, or -1. */
static int next_name(const carom_scope *s, const char *text, size_t *at)
{
    while (text[*at]) {
        size_t length = carom_name_length(text + *at);
        if (!length) {
            carom_number_prefix(text + *at, &length);
            *at += length ? length : 1;
            continue;
        }
        const carom_symbol *symbol = carom_scope_symbol(s, text + *at, length);
        *at += length;
        if (symbol && symbol->kind == CAROM_SYMBOL_DEFINITION && symbol->node == CAROM_NODE_NONE)
            return symbol->index;
    }
    return -1;
}

/* Who leads from `from` to `to`: via[k] is the definition that uses k, found by a search in breadth
 * from `from`. False when nothing does. */
static bool search(const carom_scope *s, int from, int to, int *via, int *queue)
{
    const carom_definition_list *list = s->definitions;
    int head = 0, tail = 0;
    for (int k = 0; k < list->count; k++)
        via[k] = -1;
    queue[tail++] = from;
    via[from] = from;
    while (head < tail) {
        int k = queue[head++], next;
        size_t at = 0;
        const char *text = list->items[k].formula.text;
        while (text && (next = next_name(s, text, &at)) >= 0) {
            if (via[next] >= 0)
                continue;
            via[next] = k;
            if (next == to)
                return true;
            queue[tail++] = next;
        }
    }
    return false;
}

enum { NAMES_SHOWN = 6 };

/* "a uses b, b uses c, c uses a": from `first` to `second`, then along the path that was found. */
static void describe_circle(const carom_definition_list *list, int first, int second,
                            const int *via, int *path, char *text, size_t size)
{
    int length = 0;
    for (int k = first; k != second; k = via[k])
        path[length++] = k;
    const char *from = list->items[first].name.text, *to = list->items[second].name.text;
    size_t used =
        (size_t)snprintf(text, size, "the definitions go round: '%.40s' uses '%.40s'", from, to);
    for (int shown = 1; length-- > 0 && used < size; shown++) {
        from = to;
        to = list->items[path[length]].name.text;
        if (shown < NAMES_SHOWN || length == 0)
            used += (size_t)snprintf(text + used, size - used, ", '%.40s' uses '%.40s'", from, to);
        else if (shown == NAMES_SHOWN)
            used += (size_t)snprintf(text + used, size - used, ", ...");
    }
}

void carom_definition_describe(const carom_scope *scope, const carom_symbol *symbol, char *text,
                               size_t size)
{
    const carom_definition_list *list = scope->definitions;
    carom_allocator a = scope->graph.allocator;
    snprintf(text, size, "'%.60s' is defined further down; a definition may use earlier ones only",
             symbol->text);
    if (!list)
        return;
    if (symbol->index == list->present) {
        snprintf(text, size, "'%.60s' is defined by itself", symbol->text);
        return;
    }
    int *work = a.resize(a.self, NULL, 2 * (size_t)list->count * sizeof *work);
    if (work && search(scope, symbol->index, list->present, work, work + list->count))
        describe_circle(list, list->present, symbol->index, work, work + list->count, text, size);
    if (work)
        a.resize(a.self, work, 0);
}
