/* Diagrams of a sweep: points over a parameter, one colour a series (a law, a direction). */
#ifndef CAROM_DIAGRAM_H
#define CAROM_DIAGRAM_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pointers are borrowed. */
typedef struct carom_diagram {
    const char *title, *x, *y; /* of the whole, of the axes; as the user wrote them */
    int series_count;
    const char *const *series; /* names; drawn when there are two or more */
    long count;
    const double *xy; /* pairs; those that are not finite are left out */
    const int *of;    /* count: the series of each point */
    double width;     /* of the whole, in `unit`; 0: 760 pixels */
    const char *unit; /* "mm", "cm", "in", "pt"; NULL or "": pixels */
    bool bare;        /* without the title, cut at what is drawn */
} carom_diagram;

/* Draw as a zero-terminated SVG document of *size bytes, the same bytes every time; *text belongs
 * to the caller. Points that cannot be told apart are drawn once: a diagram of millions stays
 * small. */
carom_status carom_diagram_draw(const carom_diagram *diagram, const carom_allocator *allocator,
                                char **text, size_t *size, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
