/* The JSON writer: commas and nesting are kept here, a failure is remembered until the end. */
#include "json/json.h"

#include "carom/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What a level of nesting is. */
enum { OBJECT, ARRAY, ROW };

void carom_json_begin(carom_json *json, carom_json_sink sink, void *self)
{
    memset(json, 0, sizeof *json);
    json->sink = sink;
    json->self = self;
}

static void flush(carom_json *json)
{
    if (json->status == CAROM_OK && json->used)
        json->status = json->sink(json->self, json->buffer, json->used);
    json->used = 0;
}

static void put(carom_json *json, const char *text, size_t size)
{
    while (size) {
        size_t room = sizeof json->buffer - json->used;
        size_t part = size < room ? size : room;
        memcpy(json->buffer + json->used, text, part);
        json->used += part;
        text += part;
        size -= part;
        if (json->used == sizeof json->buffer)
            flush(json);
    }
}

static void misuse(carom_json *json)
{
    if (json->status == CAROM_OK)
        json->status = CAROM_ERROR_ARGUMENT;
}

static void new_line(carom_json *json)
{
    put(json, "\n", 1);
    for (int k = 0; k < json->depth; k++)
        put(json, "  ", 2);
}

/* The comma and the white space before a value or a key of the innermost level. */
static void separate(carom_json *json)
{
    int top = json->depth - 1;
    bool row = json->level[top] == ROW;
    if (json->written[top])
        put(json, row ? ", " : ",", row ? 2 : 1);
    if (!row)
        new_line(json);
    json->written[top] = 1;
}

/* What must precede any value here. False: a value is out of place. */
static bool before_value(carom_json *json)
{
    if (json->depth == 0) {
        if (json->root_written)
            misuse(json);
        json->root_written = true;
    } else if (json->level[json->depth - 1] == OBJECT) {
        if (!json->key_pending)
            misuse(json);
        json->key_pending = false;
    } else {
        separate(json);
    }
    return json->status == CAROM_OK;
}

static void open_level(carom_json *json, int kind)
{
    if (!before_value(json))
        return;
    if (json->depth == CAROM_JSON_DEPTH) {
        misuse(json);
        return;
    }
    json->level[json->depth] = (unsigned char)kind;
    json->written[json->depth] = 0;
    json->depth++;
    put(json, kind == OBJECT ? "{" : "[", 1);
}

void carom_json_object(carom_json *json)
{
    open_level(json, OBJECT);
}

void carom_json_array(carom_json *json)
{
    open_level(json, ARRAY);
}

void carom_json_row(carom_json *json)
{
    open_level(json, ROW);
}

void carom_json_end(carom_json *json)
{
    if (json->depth == 0 || json->key_pending)
        misuse(json);
    if (json->status != CAROM_OK)
        return;
    int kind = json->level[--json->depth];
    if (kind != ROW && json->written[json->depth])
        new_line(json);
    put(json, kind == OBJECT ? "}" : "]", 1);
}

/* Length of the well-formed UTF-8 sequence at s, 0 if there is none. */
static int sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    int length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    for (int k = 1; k < length; k++)
        if ((s[k] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

static void put_string(carom_json *json, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    put(json, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const char *found = strchr(escaped, *s);
        int length = sequence_length(s);
        if (found) {
            char pair[2] = {'\\', letter[found - escaped]};
            put(json, pair, 2);
        } else if (length == 0) {
            put(json, "\xEF\xBF\xBD", 3);
        } else if (*s < 0x20 || *s == 0x7F) {
            char code[8];
            put(json, code, (size_t)snprintf(code, sizeof code, "\\u%04x", *s));
        } else {
            put(json, (const char *)s, (size_t)length);
        }
        s += length ? length : 1;
    }
    put(json, "\"", 1);
}

void carom_json_key(carom_json *json, const char *key)
{
    if (json->depth == 0 || json->level[json->depth - 1] != OBJECT || json->key_pending)
        misuse(json);
    if (json->status != CAROM_OK)
        return;
    separate(json);
    put_string(json, key);
    put(json, ": ", 2);
    json->key_pending = true;
}

void carom_json_number(carom_json *json, double value)
{
    if (!isfinite(value)) {
        carom_json_null(json);
        return;
    }
    if (!before_value(json))
        return;
    char digits[CAROM_NUMBER_SIZE];
    int size = carom_number_print(value, digits);
    put(json, digits, (size_t)size);
}

void carom_json_integer(carom_json *json, long long value)
{
    char digits[32];
    if (before_value(json))
        put(json, digits, (size_t)snprintf(digits, sizeof digits, "%lld", value));
}

void carom_json_boolean(carom_json *json, bool value)
{
    if (before_value(json))
        put(json, value ? "true" : "false", value ? 4 : 5);
}

void carom_json_null(carom_json *json)
{
    if (before_value(json))
        put(json, "null", 4);
}

void carom_json_string(carom_json *json, const char *text)
{
    if (!text)
        carom_json_null(json);
    else if (before_value(json))
        put_string(json, text);
}

void carom_json_numbers(carom_json *json, int count, const double *values)
{
    if (!values) {
        carom_json_null(json);
        return;
    }
    carom_json_row(json);
    for (int k = 0; k < count; k++)
        carom_json_number(json, values[k]);
    carom_json_end(json);
}

void carom_json_matrix(carom_json *json, int rows, int columns, const double *values)
{
    if (!values) {
        carom_json_null(json);
        return;
    }
    carom_json_array(json);
    for (int i = 0; i < rows; i++) {
        carom_json_row(json);
        for (int j = 0; j < columns; j++)
            carom_json_number(json, values[i + (size_t)j * (size_t)rows]);
        carom_json_end(json);
    }
    carom_json_end(json);
}

void carom_json_strings(carom_json *json, int count, const char *const *texts)
{
    if (!texts) {
        carom_json_null(json);
        return;
    }
    carom_json_row(json);
    for (int k = 0; k < count; k++)
        carom_json_string(json, texts[k]);
    carom_json_end(json);
}

carom_status carom_json_finish(carom_json *json, carom_error *error)
{
    if (json->depth || !json->root_written)
        misuse(json);
    put(json, "\n", 1);
    flush(json);
    switch (json->status) {
    case CAROM_OK:
        return CAROM_OK;
    case CAROM_ERROR_ARGUMENT:
        return carom_error_set(error, json->status, "JSON value, key or end out of place");
    case CAROM_ERROR_MEMORY:
        return carom_error_memory(error);
    default:
        return carom_error_set(error, json->status, "cannot write the JSON answer");
    }
}

carom_status carom_json_to_file(void *file, const char *text, size_t size)
{
    return fwrite(text, 1, size, file) == size ? CAROM_OK : CAROM_ERROR_OUTPUT;
}

carom_status carom_json_to_text(void *text, const char *piece, size_t size)
{
    carom_json_text *t = text;
    if (size >= SIZE_MAX / 2 - t->size)
        return CAROM_ERROR_MEMORY;
    if (t->size + size + 1 > t->room) {
        size_t room = 2 * (t->size + size + 1);
        char *grown = carom_allocator_resize(&t->allocator, t->text, room);
        if (!grown)
            return CAROM_ERROR_MEMORY;
        t->text = grown;
        t->room = room;
    }
    memcpy(t->text + t->size, piece, size);
    t->size += size;
    t->text[t->size] = '\0';
    return CAROM_OK;
}

void carom_json_text_destroy(carom_json_text *text)
{
    if (text->text)
        carom_allocator_resize(&text->allocator, text->text, 0);
    text->text = NULL;
    text->size = text->room = 0;
}
