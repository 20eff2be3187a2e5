/* Plots: axes with round ticks, curves in data coordinates, a legend, a caption. */
#ifndef CAROM_SRC_FIGURE_PLOT_H
#define CAROM_SRC_FIGURE_PLOT_H

#include "pictures/svg.h"

#define CAROM_PLOT_UNSEEN 0.05 /* pixels that a line may miss a curve by */

/* A rectangle of the picture with data coordinates. */
typedef struct carom_plot {
    carom_svg *svg;
    double left, top, width, height;         /* the frame, pixels */
    double x_least, x_most, y_least, y_most; /* data */
    double x_step, y_step;                   /* between ticks; 0: chosen */
    double legend_x, legend_y;               /* pixels, where the next entry goes */
    double legend_width, legend_height;      /* of the entries so far */
    size_t legend_box;                       /* where their background is in the document */
} carom_plot;

/* Make a plot in a frame; equal: the same scale on both axes (the ranges grow to fit). */
carom_plot carom_plot_make(carom_svg *svg, double left, double top, double width, double height,
                           double x_least, double x_most, double y_least, double y_most,
                           bool equal);

/* Room around a range; a constant gets a range of its own size. */
void carom_plot_widen(double part, double *least, double *most);

/* Data to pixels. */
double carom_plot_x(const carom_plot *plot, double x);
double carom_plot_y(const carom_plot *plot, double y);

/* Frame, grid, ticks with numbers, labels. The group that holds them says in data-frame (left, top,
 * width, height in pixels) and data-range (x, y ranges) how to read numbers off the picture. */
void carom_plot_axes(carom_plot *plot, const char *x_label, const char *y_label);

/* Curves and areas, cut at the frame. xy: count pairs of data coordinates. */
void carom_plot_curve(carom_plot *plot, const char *style, int count, const double *xy);
void carom_plot_area(carom_plot *plot, const char *style, int count, const double *xy);

/* The same for a curve of very many points: those that an eye would miss are left out. */
void carom_plot_way(carom_plot *plot, const char *style, int count, const double *xy);

/* A straight line, an arc of a circle (radians; it looks like one when the scales are equal), and a
 * full disc, all cut at the frame. */
void carom_plot_line(carom_plot *plot, const char *style, double x1, double y1, double x2,
                     double y2);
void carom_plot_arc(carom_plot *plot, const char *style, double x, double y, double r, double a,
                    double b);
void carom_plot_disc(carom_plot *plot, const char *style, double x, double y, double r);

/* A mark: a small disc with a radius in pixels; an arrow. */
void carom_plot_point(carom_plot *plot, const char *style, double x, double y, double radius);
void carom_plot_arrow(carom_plot *plot, const char *style, double x1, double y1, double x2,
                      double y2);

/* Text at data coordinates with an offset in pixels. */
void carom_plot_label(carom_plot *plot, const char *style, double x, double y, double dx, double dy,
                      char anchor, const char *text);

/* A legend entry with a sample of the line, of the fill or of the point; entries go down from
 * (x, y) in parts of the frame. Long texts continue on the next line after '\n'. */
void carom_plot_legend_at(carom_plot *plot, double x, double y);
void carom_plot_legend(carom_plot *plot, const char *style, const char *text);
void carom_plot_legend_fill(carom_plot *plot, const char *style, const char *text);
void carom_plot_legend_point(carom_plot *plot, const char *style, const char *text);

enum { CAROM_PLOT_LEGEND_LINE = 20 }; /* pixels from entry to entry */

/* The same with a name of the user's, cut to `most` characters. */
void carom_plot_legend_name(carom_plot *plot, const char *style, int most, const char *name);

/* A caption below everything, wrapped to the width of the picture, from y (pixels) on. */
void carom_plot_caption(carom_svg *svg, double y, const char *text);
int carom_plot_caption_lines(double width, const char *text);
enum { CAROM_PLOT_CAPTION_LINE = 17 }; /* pixels from line to line */

#endif
