/* What every figure draws with: a document, an arena, scenes stated in their own format, and the
 * laws applied to them. */
#ifndef CAROM_SRC_FIGURE_DRAWING_H
#define CAROM_SRC_FIGURE_DRAWING_H

#include "carom/scene.h"
#include "pictures/figure.h"
#include "pictures/plot.h"

enum { CAROM_DRAWING_SCENES = 8, CAROM_DRAWING_WIDTH = 640, CAROM_DRAWING_TOP = 40 };

typedef struct carom_drawing {
    carom_svg svg;
    carom_arena *arena;
    int scene_count;
    carom_scene *scenes[CAROM_DRAWING_SCENES]; /* read for this figure, closed with it */
} carom_drawing;

/* A figure and how to draw it. Tables of these end with a NULL name. */
typedef struct carom_drawing_entry {
    carom_figure figure;
    const char *caption; /* what it shows; the source is added */
    double height;       /* pixels between heading and caption */
    carom_status (*draw)(carom_drawing *drawing, carom_error *error);
} carom_drawing_entry;

extern const carom_drawing_entry carom_figures_g2[], carom_figures_g4[], carom_figures_g4_outcome[],
    carom_figures_g4_geodesic[], carom_figures_np[], carom_figures_b[], carom_figures_b_map[],
    carom_figures_b_gain[], carom_figures_p[];

/* The usual frames: the whole width, or a square-ish one with room for a legend at its right. */
carom_plot carom_drawing_wide(carom_drawing *drawing, double height, double x_least, double x_most,
                              double y_least, double y_most);
carom_plot carom_drawing_square(carom_drawing *drawing, double size, double x_least, double x_most,
                                double y_least, double y_most);

/* A sketch without axes over the whole width, centred in the ranges, equal scales. */
carom_plot carom_drawing_sketch(carom_drawing *drawing, double height, double x_least,
                                double x_most, double y_least, double y_most);

/* An impact stated as a scene: read, evaluated at `initial` if it is a system, derived. sets: a
 * list "name=value" of parameters that ends with NULL, or NULL. */
typedef struct carom_drawing_case {
    carom_scene *scene;
    carom_state state; /* of a system */
    carom_impact impact;
    carom_geometry geometry;
} carom_drawing_case;

carom_status carom_drawing_read(carom_drawing *drawing, const char *scene, const char *const *sets,
                                carom_drawing_case *made, carom_error *error);

/* Evaluate the system of a case again at its state (changed by the caller) and derive. */
carom_status carom_drawing_evaluate(carom_drawing *drawing, carom_drawing_case *made,
                                    carom_error *error);

/* Apply a law given as `name` or `name:param=value`. A law that has no outcome here is an error. */
carom_status carom_drawing_law(carom_drawing *drawing, carom_drawing_case *made, const char *law,
                               carom_outcome *outcome, carom_error *error);

/* count pairs from the arena; NULL (and the document failed) when there is no memory. */
double *carom_drawing_pairs(carom_drawing *drawing, int count);

#endif
