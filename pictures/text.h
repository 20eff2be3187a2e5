/* A text that grows: what pictures and pages are written to; and printing with a decimal point in
 * every locale of the host. */
#ifndef CAROM_SRC_FIGURE_TEXT_H
#define CAROM_SRC_FIGURE_TEXT_H

#include "carom/base.h"

#include <stdarg.h>

typedef struct carom_text {
    carom_allocator allocator; /* resize NULL: the C library's */
    char *text;                /* zero-terminated, NULL while empty */
    size_t size, room;
    bool failed; /* no memory: everything after is ignored */
} carom_text;

void carom_text_append(carom_text *t, const char *piece, size_t size);

/* Give the memory back; what failed stays failed. */
void carom_text_destroy(carom_text *t);

/* snprintf for the conversions %s %.*s %c %d %ld %% and, through carom/text.h, %g %.Ng %.Nf %.*f:
 * numbers have a decimal point whatever the locale. Returns the length written; cut at the size. */
int carom_text_format(char *text, size_t size, const char *format, ...) CAROM_PRINTF(3, 4);
int carom_text_format_list(char *text, size_t size, const char *format, va_list arguments);

#endif
