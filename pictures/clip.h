/* Cutting lines and polygons at a rectangle. */
#ifndef CAROM_SRC_FIGURE_CLIP_H
#define CAROM_SRC_FIGURE_CLIP_H

#include <stdbool.h>

typedef struct carom_clip {
    double x_least, x_most, y_least, y_most;
} carom_clip;

/* The part of the segment ends[0..3] = x1, y1, x2, y2 inside; ends that are inside stay as they
 * are, to the bit. False: nothing is. */
bool carom_clip_segment(const carom_clip *frame, const double *ends, double *cut);

/* Cut a polygon of count corners in place; returns the corners left. Both arrays need room for the
 * corners that the cuts add: at most one per crossing of each side. */
int carom_clip_polygon(const carom_clip *frame, int count, double *xy, double *work);

#endif
