/* Diagrams of dynamics: branches with stable and unstable parts and marks, clouds of points, maps
 * of basins (docs/guide/orbits.md). */
#ifndef CAROM_DYNAMICS_H
#define CAROM_DYNAMICS_H

#include "carom/base.h"

/* A line, full or dashed. */
typedef struct carom_dynamics_curve {
    int count;
    const double *xy; /* pairs */
    bool dashed;
} carom_dynamics_curve;

/* A mark of one of several kinds, which the legend names. */
typedef struct carom_dynamics_mark {
    double x, y;
    int kind;
} carom_dynamics_mark;

enum { CAROM_DYNAMICS_KINDS = 8 };

typedef struct carom_dynamics {
    const char *title, *x, *y; /* names of the axes as the user wrote them */
    int curve_count;
    const carom_dynamics_curve *curves;
    const char *full, *broken; /* legend of full and dashed curves; NULL: none */
    int point_count;
    const double *points; /* pairs, small */
    int mark_count;
    const carom_dynamics_mark *marks;
    const char *kinds[CAROM_DYNAMICS_KINDS]; /* names of marks, or of cells; NULL: none */
    int columns, rows;                       /* a map: cells in the ranges below */
    const int *cells;                        /* rows x columns, row by row from below; < 0: none */
    double x_least, x_most, y_least, y_most;
    double width;     /* of the whole, in `unit`; 0: 640 pixels */
    const char *unit; /* "mm", "cm", "in", "pt"; NULL or "": pixels */
} carom_dynamics;

/* A zero-terminated SVG document, the same bytes every time; *text belongs to the caller. */
carom_status carom_dynamics_draw(const carom_dynamics *diagram, const carom_allocator *allocator,
                                 char **text, size_t *size, carom_error *error);

#endif
