/* A text that grows: what pictures and pages are written to. */
#ifndef CAROM_SRC_FIGURE_TEXT_H
#define CAROM_SRC_FIGURE_TEXT_H

#include "carom/base.h"

typedef struct carom_text {
    carom_allocator allocator; /* resize NULL: the C library's */
    char *text;                /* zero-terminated, NULL while empty */
    size_t size, room;
    bool failed; /* no memory: everything after is ignored */
} carom_text;

void carom_text_append(carom_text *t, const char *piece, size_t size);

/* Give the memory back; what failed stays failed. */
void carom_text_destroy(carom_text *t);

#endif
