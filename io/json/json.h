/* A JSON writer: numbers as the shortest that read back the same, null for what does not exist,
 * strings escaped.
 *
 * The writer keeps the commas and the nesting; a failure (of the sink, or a call out of place) is
 * remembered and reported once, by carom_json_finish:
 *
 *     carom_json json;
 *     carom_json_begin(&json, carom_json_to_file, stdout);
 *     carom_json_object(&json);
 *     carom_json_key(&json, "energy");
 *     carom_json_number(&json, 0.5);
 *     carom_json_end(&json);
 *     carom_status status = carom_json_finish(&json, &error);
 */
#ifndef CAROM_JSON_H
#define CAROM_JSON_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the next size bytes; anything but CAROM_OK stops the writer. */
typedef carom_status (*carom_json_sink)(void *self, const char *text, size_t size);

enum { CAROM_JSON_DEPTH = 64 };

/* The writer. Plain memory of the caller's; the fields are private. */
typedef struct carom_json {
    carom_json_sink sink;
    void *self;
    carom_status status;                     /* the first failure */
    int depth;                               /* open objects and arrays */
    unsigned char level[CAROM_JSON_DEPTH];   /* what is open, see json.c */
    unsigned char written[CAROM_JSON_DEPTH]; /* something was written at this level */
    bool key_pending, root_written;
    size_t used;
    char buffer[4096];
} carom_json;

/* Start a document that goes to sink(self, ...). */
void carom_json_begin(carom_json *json, carom_json_sink sink, void *self);

/* Open an object, an array, an array written on one line; close the innermost. */
void carom_json_object(carom_json *json);
void carom_json_array(carom_json *json);
void carom_json_row(carom_json *json);
void carom_json_end(carom_json *json);

/* The key of the next value, in an object. */
void carom_json_key(carom_json *json, const char *key);

/* One value: in an array, after a key, or the whole document. */
void carom_json_number(carom_json *json, double value); /* NaN, infinity: null */
void carom_json_integer(carom_json *json, long long value);
void carom_json_boolean(carom_json *json, bool value);
void carom_json_null(carom_json *json);
/* UTF-8; a byte that is not is replaced by U+FFFD. NULL: null. */
void carom_json_string(carom_json *json, const char *text);

/* Whole arrays, and matrices (column-major) as an array of rows; NULL: null. */
void carom_json_numbers(carom_json *json, int count, const double *values);
void carom_json_matrix(carom_json *json, int rows, int columns, const double *values);
void carom_json_strings(carom_json *json, int count, const char *const *texts);

/* Hand the rest to the sink, with a line's end. Everything must have been closed. */
carom_status carom_json_finish(carom_json *json, carom_error *error);

/* A sink that writes to a FILE (self). */
carom_status carom_json_to_file(void *file, const char *text, size_t size);

/* A sink that grows a text (self), kept zero-terminated. */
typedef struct carom_json_text {
    carom_allocator allocator; /* resize NULL: the C library's */
    char *text;                /* NULL while empty */
    size_t size, room;
} carom_json_text;

/* The sink itself, and what gives the text's memory back. */
carom_status carom_json_to_text(void *text, const char *piece, size_t size);
void carom_json_text_destroy(carom_json_text *text);

#ifdef __cplusplus
}
#endif
#endif
