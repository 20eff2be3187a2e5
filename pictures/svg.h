/* SVG pictures: shapes in pixel coordinates with a few named styles, the same bytes every time.
 *
 * Colours are classes of one style sheet that follows the reader's light or dark screen and prints
 * on white. Text may hold subscripts, superscripts and italics: "e_{12}", "u^{-}", "`x`_1",
 * "`w`_{`j`}". */
#ifndef CAROM_SRC_FIGURE_SVG_H
#define CAROM_SRC_FIGURE_SVG_H

#include "carom/base.h"
#include "pictures/text.h"

/* Lengths below this part of what is drawn are not seen: a thousandth of a pixel. */
#define CAROM_PICTURE_UNSEEN 1e-6

/* How a finished picture is shown. */
typedef struct carom_svg_show {
    bool cropped;     /* cut at what is drawn, with a small margin */
    double width;     /* of the whole picture in `unit`; 0: one pixel a unit of the drawing */
    const char *unit; /* "mm", "cm", "in", "pt"; NULL or "": pixels */
} carom_svg_show;

/* Classes: ink (lines and text), faint (grid, helpers), c0 ... c7 (series), f0 ... f7 (light fills
 * of the same colours; "solid" makes them full), body (grey fill with outline), dot (full ink),
 * paper (the background). Lines: "thick", "thin", and four patterns beside the full line, "dashed",
 * "dotted", "dashdot", "long", which stay apart where colours do not. Text: "bold". */
typedef struct carom_svg {
    carom_text out;       /* what is drawn */
    carom_text head;      /* title, description */
    carom_arena *scratch; /* work space of plots, NULL before the first use */
    double width, height;
    double least[2], most[2]; /* the box around what is drawn */
    char colour[40];          /* of the next shapes instead of their classes'; "": none */
} carom_svg;

/* allocator: NULL means the C library's. */
void carom_svg_begin(carom_svg *svg, const carom_allocator *allocator, double width, double height,
                     const char *title, const char *description);

/* Close the document. show: NULL means the whole picture, a pixel a unit. On success *text
 * (zero-terminated) belongs to the caller's allocator. */
carom_status carom_svg_finish(carom_svg *svg, const carom_svg_show *show, char **text, size_t *size,
                              carom_error *error);

/* For a caller that must leave before the end. */
void carom_svg_destroy(carom_svg *svg);

void carom_svg_line(carom_svg *svg, const char *style, double x1, double y1, double x2, double y2);
void carom_svg_polyline(carom_svg *svg, const char *style, int count, const double *xy);
void carom_svg_polygon(carom_svg *svg, const char *style, int count, const double *xy);
void carom_svg_circle(carom_svg *svg, const char *style, double x, double y, double r);
void carom_svg_rect(carom_svg *svg, const char *style, double x, double y, double w, double h);

/* A circular arc from angle a to b (radians, counter-clockwise as seen, y up). */
void carom_svg_arc(carom_svg *svg, const char *style, double x, double y, double r, double a,
                   double b);

/* A line with an arrow head at its end. */
void carom_svg_arrow(carom_svg *svg, const char *style, double x1, double y1, double x2, double y2);

/* Text at (x, y); anchor 's', 'm', 'e' = start, middle, end; size in pixels; angle in degrees. */
void carom_svg_text(carom_svg *svg, const char *style, double x, double y, char anchor, double size,
                    double angle, const char *text);

/* The width of such a text in pixels, in the first font of the style sheet. */
double carom_svg_text_width(double size, const char *text);

/* The same text for readers of words only: scripts as typed, without braces and italics; escaped.
 */
void carom_svg_text_plain(carom_text *out, const char *text);

/* Text of the user: every character as it is, cut to `most` characters. */
void carom_svg_text_label(carom_svg *svg, const char *style, double x, double y, char anchor,
                          double size, double angle, int most, const char *text);

double carom_svg_text_label_width(double size, const char *text);

/* A CSS colour for the next shapes, NULL: those of their classes again. What is no plain colour is
 * ignored. */
void carom_svg_colour(carom_svg *svg, const char *css);

/* The style sheet. */
void carom_svg_style(carom_text *out);

/* Raw markup, for groups and the like: the conversions of carom_text_format. */
void carom_svg_raw(carom_svg *svg, const char *format, ...) CAROM_PRINTF(2, 3);

/* A coordinate: two decimals at most; and such an attribute with a blank before it. */
void carom_svg_number(carom_text *out, double value);
void carom_svg_attribute(carom_svg *svg, const char *name, double value);

/* The box around what is drawn takes in a point with a margin. */
void carom_svg_extend(carom_svg *svg, double x, double y, double margin);

/* count doubles of work space until the document is finished; NULL (and failed) when there is no
 * memory. */
double *carom_svg_doubles(carom_svg *svg, size_t count);

#endif
