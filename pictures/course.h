/* Pictures of one's own motions: strobe, trajectory, phase plane, energy, forces
 * (docs/guide/plots.md).
 *
 *     char *text;
 *     size_t size;
 *     carom_course course = {.trace = &trace, .scene = scene};
 *     carom_course_options options = {.kind = CAROM_COURSE_STROBE};
 *     if (carom_course_draw(&course, &options, NULL, &text, &size, &error) == CAROM_OK) ... */
#ifndef CAROM_COURSE_H
#define CAROM_COURSE_H

#include "pictures/course_series.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_course_kind {
    CAROM_COURSE_STROBE,     /* the bodies at several instants */
    CAROM_COURSE_TRAJECTORY, /* a quantity against another, or the ways of contacts and bodies */
    CAROM_COURSE_PHASE,      /* a velocity against its coordinate */
    CAROM_COURSE_ENERGY,     /* kinetic, potential, total, and what was added */
    CAROM_COURSE_FORCES,     /* contact forces and impulses over time */
    CAROM_COURSE_SECTION,    /* the points of the scene's section, or one a period */
    CAROM_COURSE_KINDS
} carom_course_kind;

/* "strobe", "trajectory", "phase", "energy", "forces", "section" */
const char *carom_course_kind_text(carom_course_kind kind);

enum { CAROM_COURSE_NOTE = 240 }; /* bytes of a note */

typedef struct carom_course_options {
    carom_course_kind kind;
    const char *x, *y; /* quantities (carom_course_quantity); NULL: those of the kind */
    int instants;      /* of a strobe picture; 0: twelve */
    long skip;         /* points of a section to leave out at the beginning */
    bool bare;         /* without the title, cut at what is drawn */
    double width;      /* of the whole, in `unit`; 0: 640 pixels */
    const char *unit;  /* "mm", "cm", "in", "pt"; NULL or "": pixels */
    char *note;        /* CAROM_COURSE_NOTE bytes for what the picture does not name or show, and
                          how to see it, empty when there is nothing; NULL: not wanted */
} carom_course_options;

/* Is there something to draw in a strobe picture? */
bool carom_course_strobe_possible(const carom_course *course);

/* Draw as a zero-terminated SVG document of *size bytes, the same bytes every time; *text belongs
 * to the caller. What cannot be drawn is CAROM_ERROR_ARGUMENT with the reason. */
carom_status carom_course_draw(const carom_course *course, const carom_course_options *options,
                               const carom_allocator *allocator, char **text, size_t *size,
                               carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
