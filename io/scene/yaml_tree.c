/* Builds the tree of a YAML document from libyaml's events and refuses what scenes do not need. */
#include "scene/yaml_tree.h"

#include "scene/yaml_source.h"

#include <stdint.h>
#include <string.h>
#include <yaml.h>

/* The collections that are open while events arrive. */
typedef struct open_node {
    carom_yaml_node *node, *last; /* last entry or key */
    bool key_waits;               /* a map: the last key has no value yet */
} open_node;

typedef struct builder {
    carom_arena *arena;
    carom_error *error;
    const char *text, *end;
    const char *cursor; /* the byte of character number `index` */
    size_t index;
    carom_yaml_node *root;
    int depth, nodes;
    open_node open[CAROM_YAML_TREE_DEPTH];
} builder;

static carom_status fail(const builder *b, const yaml_mark_t *mark, const char *what)
{
    return carom_error_at(b->error, CAROM_ERROR_INPUT, (int)mark->line + 1, (int)mark->column + 1,
                          "%s", what);
}

/* libyaml's marks count characters; events come in the order of the text, so that all conversions
 * to bytes together walk over it once. */
static const char *source_of(builder *b, const yaml_mark_t *mark)
{
    if (mark->index < b->index) {
        b->cursor = b->text;
        b->index = 0;
    }
    for (; b->index < mark->index && b->cursor < b->end; b->index++)
        do
            b->cursor++;
        while (b->cursor < b->end && ((unsigned char)*b->cursor & 0xC0) == 0x80);
    return b->cursor;
}

/* A long map's keys are compared through a table of hashes, so that a million keys stay cheap. */
static size_t hash(const carom_yaml_node *key)
{
    uint64_t h = 1469598103934665603u;
    for (size_t k = 0; k < key->length; k++)
        h = (h ^ (unsigned char)key->text[k]) * 1099511628211u;
    return (size_t)(h ^ h >> 29);
}

static carom_status duplicate(const builder *b, const carom_yaml_node *key,
                              const carom_yaml_node *before)
{
    return carom_error_at(b->error, CAROM_ERROR_INPUT, key->line, key->column,
                          "duplicate key `%.80s`: it stands at line %d, column %d already",
                          key->text, before->line, before->column);
}

/* In { } a formula cut by its commas makes keys without values, perhaps twice the same: they are
 * errors for another reason, which the reader explains. */
static bool is_leftover(const carom_yaml_node *key)
{
    const carom_yaml_node *value = key->value;
    return key->flow && value->kind == CAROM_YAML_SCALAR && !value->length && !value->style;
}

static bool same_text(const carom_yaml_node *a, const carom_yaml_node *b)
{
    return !is_leftover(a) && !is_leftover(b) && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

static carom_status check_duplicates(builder *b, const carom_yaml_node *map)
{
    if (map->count <= 8) {
        for (const carom_yaml_node *key = map->first; key; key = key->next)
            for (const carom_yaml_node *before = map->first; before != key; before = before->next)
                if (same_text(key, before))
                    return duplicate(b, key, before);
        return CAROM_OK;
    }
    size_t room = 16;
    while (room < 2 * (size_t)map->count)
        room *= 2;
    carom_mark mark = carom_arena_mark(b->arena);
    const carom_yaml_node **table = carom_arena_zeros(b->arena, room, sizeof *table);
    if (!table)
        return carom_error_memory(b->error);
    carom_status status = CAROM_OK;
    for (const carom_yaml_node *key = map->first; key && status == CAROM_OK; key = key->next) {
        if (is_leftover(key))
            continue;
        size_t slot = hash(key) & (room - 1);
        while (table[slot] && !same_text(table[slot], key))
            slot = (slot + 1) & (room - 1);
        if (table[slot])
            status = duplicate(b, key, table[slot]);
        else
            table[slot] = key;
    }
    carom_arena_rewind(b->arena, mark);
    return status;
}

/* Hang a new node into the innermost open collection. */
static carom_status attach(builder *b, carom_yaml_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return CAROM_OK;
    }
    open_node *top = &b->open[b->depth - 1];
    bool is_map = top->node->kind == CAROM_YAML_MAP;
    if (is_map && top->key_waits) {
        top->last->value = node;
        top->key_waits = false;
        return CAROM_OK;
    }
    if (is_map && node->kind != CAROM_YAML_SCALAR)
        return carom_error_at(b->error, CAROM_ERROR_INPUT, node->line, node->column,
                              "a key must be a text, not a %s",
                              node->kind == CAROM_YAML_LIST ? "list" : "map");
    if (is_map && node->style == 0 && strcmp(node->text, "<<") == 0)
        return carom_error_at(b->error, CAROM_ERROR_INPUT, node->line, node->column,
                              "merge keys (`<<`) are not used in scenes; write the entries out");
    if (top->last)
        top->last->next = node;
    else
        top->node->first = node;
    top->last = node;
    top->node->count++;
    top->key_waits = is_map;
    return CAROM_OK;
}

/* A new node for an event that begins a value: properties (anchor, tag) are refused here. */
static carom_status begin_node(builder *b, const yaml_event_t *event, carom_yaml_kind kind,
                               bool property, carom_yaml_node **made)
{
    const char *source = source_of(b, &event->start_mark);
    if (source < b->end && *source == '&')
        return fail(b, &event->start_mark,
                    "anchors (`&name`) are not used in scenes; quote a text that begins with `&`");
    if (property || (source < b->end && *source == '!'))
        return fail(b, &event->start_mark,
                    "tags (`!name`) are not used in scenes; quote a text that begins with `!`");
    if (++b->nodes > CAROM_YAML_TREE_NODES)
        return fail(b, &event->start_mark, "too many values in one scene");
    carom_yaml_node *node = carom_arena_zeros(b->arena, 1, sizeof *node);
    if (!node)
        return carom_error_memory(b->error);
    node->kind = (unsigned char)kind;
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    node->source = source;
    *made = node;
    return CAROM_OK;
}

/* A character that a terminal would obey instead of showing it: controls, and those that turn the
 * direction of writing. They come in by escapes; raw ones are refused with the file. */
static bool is_control(unsigned code)
{
    return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0) ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static carom_status check_characters(builder *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    for (size_t k = 0; k < size;) {
        unsigned code = 0;
        int length = carom_yaml_source_character(text + k, size - k, &code);
        if (length == 0 || is_control(code))
            return carom_error_at(b->error, CAROM_ERROR_INPUT, (int)event->start_mark.line + 1,
                                  (int)event->start_mark.column + 1,
                                  "the text holds the control character U+%04X, which is not "
                                  "allowed in a scene",
                                  code);
        k += (size_t)length;
    }
    return CAROM_OK;
}

static carom_status on_scalar(builder *b, const yaml_event_t *event)
{
    carom_yaml_node *node;
    carom_status status = begin_node(b, event, CAROM_YAML_SCALAR,
                                     event->data.scalar.tag || event->data.scalar.anchor, &node);
    if (status == CAROM_OK)
        status = check_characters(b, event);
    if (status != CAROM_OK)
        return status;
    const char *value = (const char *)event->data.scalar.value;
    node->length = event->data.scalar.length;
    node->text = carom_arena_text(b->arena, value, node->length);
    if (!node->text)
        return carom_error_memory(b->error);
    switch (event->data.scalar.style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
        node->style = '\'';
        break;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        node->style = '"';
        break;
    case YAML_LITERAL_SCALAR_STYLE:
        node->style = '|';
        break;
    case YAML_FOLDED_SCALAR_STYLE:
        node->style = '>';
        break;
    default:
        node->style = 0;
    }
    node->flow = b->depth > 0 && b->open[b->depth - 1].node->flow;
    return attach(b, node);
}

static carom_status on_start(builder *b, const yaml_event_t *event, carom_yaml_kind kind)
{
    bool is_map = kind == CAROM_YAML_MAP;
    bool property = is_map ? event->data.mapping_start.tag || event->data.mapping_start.anchor
                           : event->data.sequence_start.tag || event->data.sequence_start.anchor;
    carom_yaml_node *node;
    carom_status status = begin_node(b, event, kind, property, &node);
    if (status == CAROM_OK)
        status = attach(b, node);
    if (status != CAROM_OK)
        return status;
    if (b->depth == CAROM_YAML_TREE_DEPTH)
        return carom_error_at(b->error, CAROM_ERROR_INPUT, node->line, node->column,
                              "lists and maps are nested deeper than %d", CAROM_YAML_TREE_DEPTH);
    node->flow = is_map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                        : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    b->open[b->depth++] = (open_node){node, NULL, false};
    return CAROM_OK;
}

static carom_status on_event(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(b, event, CAROM_YAML_LIST);
    case YAML_MAPPING_START_EVENT:
        return on_start(b, event, CAROM_YAML_MAP);
    case YAML_MAPPING_END_EVENT:
        return check_duplicates(b, b->open[--b->depth].node);
    case YAML_SEQUENCE_END_EVENT:
        b->depth--;
        return CAROM_OK;
    case YAML_ALIAS_EVENT:
        return fail(
            b, &event->start_mark,
            "aliases (`*name`) are not used in scenes; quote a formula that begins with `*`");
    case YAML_DOCUMENT_START_EVENT:
        if (b->root)
            return fail(b, &event->start_mark, "a second document: a scene file holds one");
        if (event->data.document_start.tag_directives.start !=
            event->data.document_start.tag_directives.end)
            return fail(b, &event->start_mark, "tags (`%TAG`) are not used in scenes");
        return CAROM_OK;
    default:
        return CAROM_OK;
    }
}

/* What libyaml found wrong, in its words, with the remedy for the common slips. */
static carom_status syntax_error(const builder *b, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return carom_error_memory(b->error);
    const char *problem = parser->problem ? parser->problem : "unreadable";
    const char *hint = "";
    if (strstr(problem, "mapping values are not allowed"))
        hint = "; quote a text that contains `: `";
    else if (strstr(problem, "cannot start any token"))
        hint = "; quote a text that begins with % @ or `, and indent with blanks, not tabs";
    char where[80] = "";
    if (parser->context && parser->context_mark.line != parser->problem_mark.line)
        snprintf(where, sizeof where, " that begins at line %d",
                 (int)parser->context_mark.line + 1);
    return carom_error_at(b->error, CAROM_ERROR_INPUT, (int)parser->problem_mark.line + 1,
                          (int)parser->problem_mark.column + 1, "not valid YAML: %s%s%s%s%s",
                          parser->context ? parser->context : "", where,
                          parser->context ? ", " : "", problem, hint);
}

carom_status carom_yaml_tree_parse(const char *text, size_t size, carom_arena *arena,
                                   carom_yaml_node **root, carom_error *error)
{
    builder b = {.arena = arena, .error = error, .text = text, .end = text + size, .cursor = text};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return carom_error_memory(error);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    carom_status status = CAROM_OK;
    for (bool done = false; status == CAROM_OK && !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = syntax_error(&b, &parser);
            break;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        status = on_event(&b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (status == CAROM_OK && !b.root)
        return carom_error_at(error, CAROM_ERROR_INPUT, 1, 1,
                              "the file is empty: a scene begins with `carom: 1`");
    if (status == CAROM_OK)
        *root = b.root;
    return status;
}
