/* Parts of sketches, in the coordinates of a plot: ground, angles, dimensions, centres of mass. */
#ifndef CAROM_SRC_FIGURE_SKETCH_H
#define CAROM_SRC_FIGURE_SKETCH_H

#include "pictures/plot.h"

/* Ground: a line from (x1, y1) to (x2, y2) hatched on its right-hand side. */
void carom_sketch_ground(carom_plot *plot, double x1, double y1, double x2, double y2);

/* The angle at (x, y) from direction a to b (radians) with a radius in pixels, an arrow head at b
 * and a label beside its middle. */
void carom_sketch_angle(carom_plot *plot, const char *style, double x, double y, double radius,
                        double a, double b, const char *text);

/* A dimension line with arrow heads at both ends, shifted sideways (to its left) by `shift` pixels,
 * and a label on it. */
void carom_sketch_dimension(carom_plot *plot, double x1, double y1, double x2, double y2,
                            double shift, const char *text);

/* The part of radius r of the cone between two directions at the origin, counter-clockwise. */
void carom_sketch_cone(carom_plot *plot, const char *style, const double *a, const double *b,
                       double r);

/* A slender bar with its axis from (x1, y1), where it is pointed, to (x2, y2); w: half its width.
 */
void carom_sketch_bar(carom_plot *plot, double x1, double y1, double x2, double y2, double w);

/* A symbol of a centre of mass. */
void carom_sketch_centre(carom_plot *plot, double x, double y);

#endif
