/* Pictures of space: parallel projection along a direction of view, third axis up. */
#ifndef CAROM_SRC_FIGURE_SPACE_H
#define CAROM_SRC_FIGURE_SPACE_H

#include "pictures/plot.h"

/* Axonometric view onto the plane of a plot. */
typedef struct carom_space {
    carom_plot *plot;
    double right[3], up[3]; /* unit vectors of the picture's plane */
} carom_space;

/* Seen from the direction with this azimuth and height (degrees). */
carom_space carom_space_make(carom_plot *plot, double azimuth, double height);

void carom_space_project(const carom_space *space, const double p[3], double xy[2]);

void carom_space_line(const carom_space *space, const char *style, const double a[3],
                      const double b[3]);
void carom_space_arrow(const carom_space *space, const char *style, const double a[3],
                       const double b[3]);
void carom_space_label(const carom_space *space, const char *style, const double p[3], double dx,
                       double dy, char anchor, const char *text);

/* A flat polygon, corners x y z after each other; at most 8. */
void carom_space_polygon(const carom_space *space, const char *style, int count,
                         const double *corners);

/* The outline of the ellipsoid { centre + R diag(axes) s : |s| = 1 }, R 3 x 3 by columns. */
void carom_space_ellipsoid(const carom_space *space, const char *style, const double centre[3],
                           const double *R, const double axes[3]);

#endif
