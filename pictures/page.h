/* Pages: one HTML document in memory, self-contained, the same bytes every time.
 *
 * Text goes through carom_page_text, which escapes it; only markup written in this library goes
 * through carom_page_raw. Pictures are drawn with carom_svg and put into the page as they are. */
#ifndef CAROM_SRC_FIGURE_PAGE_H
#define CAROM_SRC_FIGURE_PAGE_H

#include "pictures/svg.h"

typedef struct carom_page {
    carom_text out;
    int pictures;
} carom_page;

/* Head with style sheet, and the title as first heading. allocator: NULL means the C library's. */
void carom_page_begin(carom_page *page, const carom_allocator *allocator, const char *title);

/* Foot. On success *text (zero-terminated) belongs to the caller's allocator. */
carom_status carom_page_finish(carom_page *page, char **text, size_t *size, carom_error *error);

/* For a caller that must leave before the end. */
void carom_page_destroy(carom_page *page);

/* Markup, up to 2000 characters. */
void carom_page_raw(carom_page *page, const char *format, ...) CAROM_PRINTF(2, 3);

/* Text, escaped; NULL is empty. What is not UTF-8 or a control character is shown as U+FFFD. */
void carom_page_text(carom_page *page, const char *text);

/* A name, which may break after ':', '=', ',', '_' and '.', not within a word. */
void carom_page_name(carom_page *page, const char *name);

/* Sentences of the library: `words` in such quotes are set as code, mathematics typed in ASCII
 * (0 <= e_i, G^-1, v_n-) is set as such. */
void carom_page_prose(carom_page *page, const char *text);

/* A number as people write it: 1.5x10^-7 with a raised exponent, a true minus, a dash for NaN. */
void carom_page_number(carom_page *page, double value, int digits);

/* A cell of a table with a number; rounding around zero (1e-13 of the scale) is shown as zero. */
void carom_page_cell(carom_page *page, double value, double scale, int digits);

/* A section with a heading. */
void carom_page_section(carom_page *page, const char *id, const char *heading);
void carom_page_section_end(carom_page *page);

/* A table that scrolls by itself when it is wider than the window. label: what it shows. */
void carom_page_table(carom_page *page, const char *label);
void carom_page_table_end(carom_page *page);

/* Finish a picture and put it into a figure; `style` is a class of the figure ("", "wide",
 * "strobe"). The figure stays open for a caption until carom_page_figure_end. */
void carom_page_figure(carom_page *page, carom_svg *svg, const char *style);
void carom_page_figure_end(carom_page *page);

#endif
