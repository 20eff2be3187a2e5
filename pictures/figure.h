/* Figures of the source papers, redrawn from what the library computes (docs/gallery.md).
 *
 *     char *text;
 *     size_t size;
 *     if (carom_figure_draw("np-1a", NULL, NULL, &text, &size, &error) == CAROM_OK) {
 *         fwrite(text, 1, size, file);
 *         free(text);
 *     }
 */
#ifndef CAROM_FIGURE_H
#define CAROM_FIGURE_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_figure {
    const char *name;   /* "np-1a": paper, number, letter of the panel */
    const char *title;  /* one line */
    const char *source; /* paper, figure, equations */
} carom_figure;

/* The figures, paper by paper. */
int carom_figure_count(void);
const carom_figure *carom_figure_at(int index);
const carom_figure *carom_figure_find(const char *name); /* NULL when there is none */

/* How a figure is to be shown; all zero: with title and caption, 640 pixels wide. */
typedef struct carom_figure_options {
    bool bare;        /* without title and caption, cut at what is drawn */
    double width;     /* of the whole, in `unit`; the height follows */
    const char *unit; /* "mm", "cm", "in", "pt"; NULL or "": pixels */
} carom_figure_options;

/* Draw a figure as a zero-terminated SVG document of *size bytes, the same bytes every time.
 * options: NULL means the defaults. *text belongs to the caller: free it with the allocator (NULL:
 * the C library's, with free). An unknown name is CAROM_ERROR_ARGUMENT. */
carom_status carom_figure_draw(const char *name, const carom_figure_options *options,
                               const carom_allocator *allocator, char **text, size_t *size,
                               carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
