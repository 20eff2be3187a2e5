/* From a node of the tree to a checked value, with every failure at its place. */
#include "scene/reader.h"

#include "carom/text.h"
#include "scene/expand.h"
#include "scene/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

carom_status carom_reader_fail(carom_reader *r, const carom_yaml_node *node, const char *format,
                               ...)
{
    if (r->error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
        va_end(arguments);
        r->error->status = CAROM_ERROR_INPUT;
        r->error->line = node->line;
        r->error->column = node->column;
        carom_reader_name_round(r, r->round);
    }
    return CAROM_ERROR_INPUT;
}

void carom_reader_name_round(carom_reader *r, const carom_reader_round *round)
{
    if (!r->error || !round)
        return;
    char where[256];
    size_t used = sizeof where; /* filled from its end: the innermost round is named last */
    where[--used] = '\0';
    for (const char *between = ")"; round; round = round->outer, between = ", ") {
        char one[96];
        int length =
            snprintf(one, sizeof one, "%.40s = %ld%s", round->index, round->value, between);
        if ((size_t)length > used)
            break;
        used -= (size_t)length;
        memcpy(where + used, one, (size_t)length);
    }
    size_t before = strlen(r->error->text);
    snprintf(r->error->text + before, sizeof r->error->text - before, " (repeated, %s",
             where + used);
}

const carom_reader_round *carom_reader_find_index(const carom_reader_round *round, const char *name,
                                                  size_t length)
{
    while (round && (strlen(round->index) != length || memcmp(round->index, name, length) != 0))
        round = round->outer;
    return round;
}

void *carom_reader_grow(carom_reader *r, void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return array;
    int more = *room ? 2 * *room : 16;
    void *grown = carom_arena_array(r->scratch, (size_t)more, size);
    if (!grown)
        return NULL;
    if (count)
        memcpy(grown, array, (size_t)count * size);
    *room = more;
    return grown;
}

carom_status carom_reader_warn(carom_reader *r, const carom_yaml_node *node, const char *format,
                               ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    carom_reader_note *note = carom_arena_zeros(r->scratch, 1, sizeof *note);
    if (note)
        note->note.text = carom_arena_text(r->arena, text, strlen(text));
    if (!note || !note->note.text)
        return carom_error_memory(r->error);
    note->note.line = node->line;
    note->note.column = node->column;
    if (r->last_note)
        r->last_note->next = note;
    else
        r->first_note = note;
    r->last_note = note;
    r->note_count++;
    return CAROM_OK;
}

static const char *kind_text(const carom_yaml_node *node)
{
    if (node->kind == CAROM_YAML_SCALAR)
        return node->length ? "a text" : "nothing";
    return node->kind == CAROM_YAML_LIST ? "a list" : "a map";
}

static bool is_empty(const carom_yaml_node *node)
{
    return node->kind == CAROM_YAML_SCALAR && node->length == 0 && !node->style;
}

/* Opening minus closing parentheses. */
static int open_parentheses(const char *s)
{
    int open = 0;
    for (; *s; s++)
        open += (*s == '(') - (*s == ')');
    return open;
}

/* A plain scalar in [ ] or { } that a comma may have cut. */
static bool is_cut(const carom_yaml_node *node)
{
    return node->kind == CAROM_YAML_SCALAR && !node->style && node->flow &&
           open_parentheses(node->text) > 0;
}

/* The formula as it was meant: the value of `key` and the keys that follow, up to the closing
 * parenthesis. */
static void rejoin(const carom_yaml_node *key, char *out, size_t room)
{
    int open = open_parentheses(key->value->text);
    size_t used = (size_t)snprintf(out, room, "%s", key->value->text);
    for (key = key->next; key && open > 0 && used < room && is_empty(key->value); key = key->next) {
        used += (size_t)snprintf(out + used, room - used, ", %s", key->text);
        open += open_parentheses(key->text);
    }
}

/* The two slips of the flow style that make a key out of something else. before: the key before
 * this one, or NULL. */
static carom_status check_flow_trap(carom_reader *r, const carom_yaml_node *before,
                                    const carom_yaml_node *key)
{
    if (!key->flow || key->style || !is_empty(key->value))
        return CAROM_OK;
    if (before && is_cut(before->value)) {
        char formula[300];
        rejoin(before, formula, sizeof formula);
        return carom_reader_fail(r, key,
                                 "unknown key `%.80s`: in { } a comma ends a value, so quote the "
                                 "formula: %.80s: \"%s\"",
                                 key->text, before->text, formula);
    }
    const char *colon = strchr(key->text, ':');
    if (colon)
        return carom_reader_fail(
            r, key, "`%.80s` is one word: leave a blank after the colon, `%.*s: %.80s`", key->text,
            (int)(colon - key->text < 80 ? colon - key->text : 80), key->text, colon + 1);
    return CAROM_OK;
}

static void join(char *out, size_t room, const char *const *words)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; words[k] && used < room; k++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", k ? ", " : "", words[k]);
}

static carom_status unknown_key(carom_reader *r, const carom_yaml_node *key, const char *what,
                                const carom_scene_key *keys)
{
    enum { MOST = 40 };
    char allowed[512];
    const char *names[MOST + 1] = {NULL};
    for (int k = 0; k < MOST && keys[k].name; k++)
        names[k] = keys[k].name;
    join(allowed, sizeof allowed, names);
    const char *near = carom_word_nearest(key->text, names);
    if (near)
        return carom_reader_fail(r, key,
                                 "unknown key `%.80s` in %s: did you mean `%s`? Allowed: %s",
                                 key->text, what, near, allowed);
    return carom_reader_fail(r, key, "unknown key `%.80s` in %s; allowed: %s", key->text, what,
                             allowed);
}

/* A name stands in lines of tables and messages. */
static carom_status check_line(carom_reader *r, const carom_yaml_node *node, const char *what)
{
    return strpbrk(node->text, "\n\t")
               ? carom_reader_fail(r, node, "%s holds a line break or a tab: it must fit on a line",
                                   what)
               : CAROM_OK;
}

carom_status carom_reader_map(carom_reader *r, const carom_yaml_node *node, const char *what,
                              const carom_scene_key *keys)
{
    if (node->kind != CAROM_YAML_MAP) {
        bool plain = node->kind == CAROM_YAML_SCALAR && !node->style;
        const char *colon = plain ? strchr(node->text, ':') : NULL;
        return carom_reader_fail(r, node, "%s must be a map (key: value), found %s%s", what,
                                 kind_text(node), colon ? "; leave a blank after the colon" : "");
    }
    const carom_yaml_node *before = NULL;
    for (const carom_yaml_node *key = node->first; key; before = key, key = key->next) {
        char name[80];
        snprintf(name, sizeof name, "a name in %.60s", what);
        carom_status status = check_flow_trap(r, before, key);
        if (status == CAROM_OK)
            status = check_line(r, key, name);
        if (status != CAROM_OK)
            return status;
        bool known = !keys;
        for (int k = 0; keys && keys[k].name; k++)
            known = known || strcmp(keys[k].name, key->text) == 0;
        if (!known)
            return unknown_key(r, key, what, keys);
    }
    for (const carom_yaml_node *key = node->first; key; key = key->next)
        if (is_empty(key->value))
            return carom_reader_fail(r, key->value, "`%.80s` in %s has no value", key->text, what);
    return CAROM_OK;
}

carom_status carom_reader_list(carom_reader *r, const carom_yaml_node *node, const char *what)
{
    if (node->kind != CAROM_YAML_LIST)
        return carom_reader_fail(r, node, "%s must be a list, found %s", what, kind_text(node));
    return CAROM_OK;
}

const carom_yaml_node *carom_reader_find(const carom_yaml_node *map, const char *key)
{
    const carom_yaml_node *k = map->kind == CAROM_YAML_MAP ? map->first : NULL;
    for (; k; k = k->next)
        if (strcmp(k->text, key) == 0)
            return k->value;
    return NULL;
}

carom_status carom_reader_need(carom_reader *r, const carom_yaml_node *map, const char *what,
                               const char *key, const carom_yaml_node **value)
{
    *value = carom_reader_find(map, key);
    return *value ? CAROM_OK : carom_reader_fail(r, map, "%s lacks `%s`", what, key);
}

carom_status carom_reader_scalar(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 const char *expected)
{
    if (node->kind != CAROM_YAML_SCALAR || node->length == 0)
        return carom_reader_fail(r, node, "%s must be %s, found %s", what, expected,
                                 kind_text(node));
    return CAROM_OK;
}

carom_status carom_reader_text(carom_reader *r, const carom_yaml_node *node, const char *what,
                               const char **text)
{
    carom_status status = carom_reader_scalar(r, node, what, "a text");
    if (status == CAROM_OK)
        status = check_line(r, node, what);
    if (status != CAROM_OK)
        return status;
    char *copy = carom_arena_text(r->arena, node->text, node->length);
    if (!copy)
        return carom_error_memory(r->error);
    *text = copy;
    return CAROM_OK;
}

carom_status carom_reader_choice(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 const char *const *words, int *index)
{
    carom_status status = carom_reader_scalar(r, node, what, "a word");
    if (status != CAROM_OK)
        return status;
    for (int k = 0; words[k]; k++)
        if (strcmp(words[k], node->text) == 0) {
            *index = k;
            return CAROM_OK;
        }
    char allowed[256];
    join(allowed, sizeof allowed, words);
    const char *near = carom_word_nearest(node->text, words);
    if (near)
        return carom_reader_fail(r, node, "%s is `%.80s`: did you mean `%s`? Allowed: %s", what,
                                 node->text, near, allowed);
    return carom_reader_fail(r, node, "%s is `%.80s`; allowed: %s", what, node->text, allowed);
}

carom_status carom_reader_hint(carom_reader *r, const carom_yaml_node *node, carom_status status)
{
    if (status == CAROM_ERROR_INPUT && r->error && is_cut(node)) {
        size_t used = strlen(r->error->text);
        snprintf(r->error->text + used, sizeof r->error->text - used,
                 "; in [ ] and { } a comma ends a value, so quote a formula that contains one");
    }
    return status;
}

carom_status carom_reader_remember(carom_reader *r, const char *what, const char *text)
{
    if (!r->derivatives || r->owner == CAROM_READER_NOBODY)
        return CAROM_OK;
    carom_reader_record *records =
        carom_reader_grow(r, r->records, r->record_count, &r->record_room, sizeof *records);
    const char *name = carom_arena_text(r->scratch, what, strlen(what));
    if (!records || !name)
        return carom_error_memory(r->error);
    r->records = records;
    records[r->record_count++] = (carom_reader_record){r->owner, r->owner_index, name, text};
    return CAROM_OK;
}

carom_status carom_reader_number(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 double *value)
{
    if (node->kind == CAROM_YAML_SCALAR && carom_number_parse(node->text, value)) {
        if (isfinite(*value))
            return carom_reader_remember(r, what, NULL);
        return carom_reader_fail(r, node, "%s is %.40s, which is too large for a number", what,
                                 node->text);
    }
    const char *why = node->kind == CAROM_YAML_SCALAR ? carom_number_why_not(node->text) : NULL;
    if (why && carom_scope_find(r->scope, node->text, NULL, NULL) == CAROM_NAME_UNKNOWN)
        return carom_reader_fail(r, node, "%s is `%.40s`: %s", what, node->text, why);
    carom_source formula;
    carom_status status = carom_reader_scalar(r, node, what, "a number or a formula");
    if (status == CAROM_OK)
        status = carom_expand_source(r, node, what, &formula);
    if (status != CAROM_OK)
        return status;
    status = carom_expand_status(r, carom_scope_number(r->scope, &formula, value, r->error));
    return status == CAROM_OK ? carom_reader_remember(r, what, formula.text) : status;
}

carom_status carom_reader_number_in(carom_reader *r, const carom_yaml_node *node, const char *what,
                                    double low, double high, double *value)
{
    double x;
    carom_status status = carom_reader_number(r, node, what, &x);
    if (status != CAROM_OK)
        return status;
    if (x < low && high == INFINITY)
        return carom_reader_fail(r, node, "%s is %g, allowed is %g and above", what, x, low);
    if (x < low || x > high)
        return carom_reader_fail(r, node, "%s is %g, allowed is %g to %g", what, x, low, high);
    *value = x;
    return CAROM_OK;
}

carom_status carom_reader_positive(carom_reader *r, const carom_yaml_node *node, const char *what,
                                   double *value)
{
    double x;
    carom_status status = carom_reader_number(r, node, what, &x);
    if (status != CAROM_OK)
        return status;
    if (!(x > 0))
        return carom_reader_fail(r, node, "%s is %g, it must be greater than 0", what, x);
    *value = x;
    return CAROM_OK;
}

carom_status carom_reader_numbers(carom_reader *r, const carom_yaml_node *node, const char *what,
                                  int count, double *values)
{
    carom_status status = carom_reader_list(r, node, what);
    if (status != CAROM_OK)
        return status;
    /* A formula cut by a comma makes the list too long: report the formula, not the length. */
    for (const carom_yaml_node *item = node->first; item && node->count != count; item = item->next)
        if (is_cut(item))
            return carom_reader_hint(
                r, item,
                carom_reader_fail(r, item, "%s: unfinished formula `%.80s`", what, item->text));
    if (node->count != count)
        return carom_reader_fail(r, node, "%s has %d %s, it must have %d", what, node->count,
                                 node->count == 1 ? "number" : "numbers", count);
    int k = 0;
    for (const carom_yaml_node *item = node->first; item; item = item->next)
        if ((status = carom_reader_number(r, item, what, &values[k++])) != CAROM_OK)
            return status;
    return CAROM_OK;
}
