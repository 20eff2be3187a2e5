/* The texts of repeat blocks with numbers in the place of their indices. */
#include "scene/expand.h"

#include "carom/text.h"
#include "scene/expand_integer.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The `$...` at s: its value, and where it ends. NULL: all is well, else the problem. */
static const char *parse_dollar(const carom_reader *r, const carom_reader_round *round,
                                const char *s, const char **end, long *value)
{
    size_t length = carom_name_length(s + 1);
    if (length) {
        const carom_reader_round *found = carom_reader_find_index(round, s + 1, length);
        *end = s + 1 + length;
        *value = found ? found->value : 0;
        return found ? NULL
                     : "there is no such index here; write $(i) before a letter, a digit or _";
    }
    if (s[1] != '(')
        return "`$` is followed by an index, or by ( )";
    *end = s + 1;
    return carom_expand_integer(round, r->scope, end, value);
}

/* A negative number is put in parentheses, except where it would end a name. */
static int print_number(char *out, size_t room, long value, bool in_name, const char **why)
{
    if (value < 0 && in_name)
        *why = "it is negative here, and ends a name";
    return snprintf(out, room, value < 0 ? "(%ld)" : "%ld", value);
}

/* Where the expansion goes; both arrays may be NULL. */
typedef struct output {
    char *text;
    size_t *from; /* which byte of the original text made each byte */
    size_t used, stop;
    bool bare; /* indices are replaced without `$` too */
} output;

/* Write a piece that came from byte `from` on (copied: byte for byte) of the original text. */
static void put(output *out, const char *piece, size_t size, size_t from, bool copied)
{
    if (out->text)
        memcpy(out->text + out->used, piece, size);
    for (size_t k = 0; out->from && k < size; k++)
        out->from[out->used + k] = from + (copied ? k : 0);
    out->used += size;
}

/* May a name go on with this character? */
static bool is_name_character(char c)
{
    const char both[] = {'_', c, '\0'};
    return c && carom_name_length(both) == 2;
}

/* How much of a text can be copied as it is: up to a `$`, and to an index where bare ones count.
 * Names and numbers are passed as a whole, for `i` in `sin` or `1e-2` is no index. */
static size_t plain_length(const carom_reader_round *round, const char *s, bool bare)
{
    if (!bare)
        return strcspn(s, "$");
    size_t used = 0, length;
    while (s[used] && s[used] != '$') {
        if ((length = carom_name_length(s + used)) &&
            carom_reader_find_index(round, s + used, length))
            break;
        if (!length)
            carom_number_prefix(s + used, &length);
        used += length ? length : 1;
    }
    return used;
}

/* The index at s: its value, and where it ends. */
static const char *parse_index(const carom_reader *r, const carom_reader_round *round,
                               const char *s, const char **end, long *value)
{
    if (*s == '$')
        return parse_dollar(r, round, s, end, value);
    size_t length = carom_name_length(s);
    *end = s + length;
    *value = carom_reader_find_index(round, s, length)->value;
    return NULL;
}

/* Expand text up to the output's byte `stop`. *at: the place in the text that made that byte, or
 * where the problem is. Returns the problem, NULL if there is none. */
static const char *expand(const carom_reader *r, const char *text, const carom_reader_round *round,
                          output *out, const char **at)
{
    for (const char *s = text; *s;) {
        size_t plain = plain_length(round, s, out->bare);
        *at = s;
        if (out->used + plain > out->stop) {
            *at = s + (out->stop - out->used);
            return NULL;
        }
        put(out, s, plain, (size_t)(s - text), true);
        s += plain;
        if (!*s)
            break;
        long value = 0;
        char number[32];
        const char *end = s, *why = parse_index(r, round, s, &end, &value);
        bool in_name = s > text && *s == '$' && is_name_character(s[-1]);
        int length = why ? 0 : print_number(number, sizeof number, value, in_name, &why);
        *at = s;
        if (why)
            return why;
        put(out, number, (size_t)length, (size_t)(s - text), false);
        if (out->used > out->stop)
            return NULL;
        s = end;
    }
    *at = text + strlen(text);
    return NULL;
}

/* The place in the file of a byte of a node's text. */
static void locate(carom_reader *r, const carom_yaml_node *node, size_t offset)
{
    carom_mark mark = carom_arena_mark(r->scratch);
    carom_place *places = carom_arena_array(r->scratch, node->length + 1, sizeof *places);
    r->error->line = node->line;
    r->error->column = node->column;
    if (places && offset <= node->length) {
        carom_yaml_locate(node, places);
        r->error->line = places[offset].line;
        r->error->column = places[offset].column;
    }
    carom_arena_rewind(r->scratch, mark);
}

static carom_status bad_dollar(carom_reader *r, const carom_yaml_node *node, const char *at,
                               const char *why)
{
    carom_status status = carom_reader_fail(r, node, "`%.20s`: %s", at, why);
    if (r->error)
        locate(r, node, (size_t)(at - node->text));
    return status;
}

/* The text in the reader's round, with bare indices or without. */
static carom_status expand_text(carom_reader *r, const carom_yaml_node *node, const char *what,
                                bool bare, const char **text)
{
    carom_status status = carom_reader_scalar(r, node, what, "a text or a formula");
    if (status != CAROM_OK)
        return status;
    if (!r->round || (!bare && !strchr(node->text, '$'))) {
        *text = node->text;
        return CAROM_OK;
    }
    const char *at = node->text;
    output out = {.stop = SIZE_MAX, .bare = bare};
    const char *why = expand(r, node->text, r->round, &out, &at);
    if (why)
        return bad_dollar(r, node, at, why);
    out.text = carom_arena_array(r->scratch, out.used + 1, 1);
    if (!out.text)
        return carom_error_memory(r->error);
    out.used = 0;
    expand(r, node->text, r->round, &out, &at);
    out.text[out.used] = '\0';
    *text = out.text;
    return CAROM_OK;
}

carom_status carom_expand_text(carom_reader *r, const carom_yaml_node *node, const char *what,
                               const char **text)
{
    return expand_text(r, node, what, false, text);
}

static carom_status expand_source(carom_reader *r, const carom_yaml_node *node, const char *what,
                                  bool bare, carom_source *source)
{
    const char *text = NULL;
    carom_status status = expand_text(r, node, what, bare, &text);
    if (status != CAROM_OK)
        return status;
    carom_reader_origin *origins =
        carom_reader_grow(r, r->origins, r->origin_count, &r->origin_room, sizeof *origins);
    if (!origins)
        return carom_error_memory(r->error);
    r->origins = origins;
    r->origins[r->origin_count++] = (carom_reader_origin){node, r->round, text, bare};
    /* A line below zero names the origin; the column then counts the characters of the text. */
    *source = (carom_source){text, {-r->origin_count, 1}, NULL};
    return CAROM_OK;
}

carom_status carom_expand_source(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 carom_source *source)
{
    return expand_source(r, node, what, false, source);
}

carom_status carom_expand_bound(carom_reader *r, const carom_yaml_node *node, const char *what,
                                carom_source *source)
{
    return expand_source(r, node, what, true, source);
}

carom_status carom_expand_places(carom_reader *r, carom_source *source)
{
    const carom_reader_origin *origin = &r->origins[-source->start.line - 1];
    const carom_yaml_node *node = origin->node;
    size_t length = strlen(origin->text);
    bool same = origin->text == node->text;
    carom_place *places = carom_arena_array(r->scratch, length + 1, sizeof *places);
    carom_mark mark = carom_arena_mark(r->scratch);
    carom_place *original =
        same ? places : carom_arena_array(r->scratch, node->length + 1, sizeof *original);
    size_t *from = carom_arena_array(r->scratch, length + 1, sizeof *from);
    if (!places || !original || !from)
        return carom_error_memory(r->error);
    carom_yaml_locate(node, original);
    if (!same) {
        const char *at = node->text;
        expand(r, node->text, origin->round,
               &(output){.from = from, .stop = SIZE_MAX, .bare = origin->bare}, &at);
        for (size_t k = 0; k < length; k++)
            places[k] = original[from[k]];
        places[length] = original[node->length];
    }
    carom_arena_rewind(r->scratch, mark);
    source->places = places;
    return CAROM_OK;
}

static size_t byte_of_character(const char *text, int character)
{
    size_t k = 0;
    for (; text[k] && character > 0; character--)
        do
            k++;
        while (((unsigned char)text[k] & 0xC0) == 0x80);
    return k;
}

carom_status carom_expand_status(carom_reader *r, carom_status status)
{
    carom_error *error = r->error;
    if (status == CAROM_OK || !error || error->line >= 0 || -error->line > r->origin_count)
        return status;
    const carom_reader_origin *origin = &r->origins[-error->line - 1];
    size_t offset = byte_of_character(origin->text, error->column - 1);
    if (origin->text != origin->node->text) {
        const char *at = origin->node->text;
        expand(r, origin->node->text, origin->round,
               &(output){.stop = offset, .bare = origin->bare}, &at);
        offset = (size_t)(at - origin->node->text);
    }
    locate(r, origin->node, offset);
    status = carom_reader_hint(r, origin->node, status);
    carom_reader_name_round(r, origin->round);
    return status;
}
