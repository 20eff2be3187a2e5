/* The bytes of a scene file: read with a limit, checked character by character. */
#ifndef CAROM_SRC_SCENE_YAML_SOURCE_H
#define CAROM_SRC_SCENE_YAML_SOURCE_H

#include "carom/base.h"

#include <stdio.h>

/* Files beyond this are refused, without being read to the end. */
#define CAROM_YAML_SOURCE_LIMIT ((size_t)64 << 20)

/* A file in memory from the allocator (NULL: the C library's). */
typedef struct carom_yaml_source {
    carom_allocator allocator;
    char *text; /* size bytes, and a zero */
    size_t size, room;
} carom_yaml_source;

carom_status carom_yaml_source_read(FILE *file, const carom_allocator *allocator,
                                    carom_yaml_source *source, carom_error *error);
void carom_yaml_source_destroy(carom_yaml_source *source);

/* UTF-8 without control characters and not over the limit, or an error at its line and column.
 * *skip: bytes of the byte order mark at the beginning. */
carom_status carom_yaml_source_check(const char *text, size_t size, size_t *skip,
                                     carom_error *error);

/* The length of the character at s, which has `left` > 0 bytes; 0 when it is not UTF-8. Its code
 * goes to *code. */
int carom_yaml_source_character(const char *s, size_t left, unsigned *code);

#endif
