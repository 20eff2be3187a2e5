/* What the plots of a motion share: a document with a title, frames, curves with legends. */
#ifndef CAROM_SRC_FIGURE_COURSE_PLOT_H
#define CAROM_SRC_FIGURE_COURSE_PLOT_H

#include "pictures/course.h"
#include "pictures/plot.h"

/* Left of a frame there is room for numbers of seven letters and, beside them, a name. */
enum { CAROM_COURSE_WIDTH = 640, CAROM_COURSE_LEFT = 84, CAROM_COURSE_STYLES = 32 };

/* A picture in the making. */
typedef struct carom_course_sheet {
    const carom_course *course;
    const carom_course_options *options;
    carom_svg svg;
    double top; /* below the title */
    carom_arena *arena;
    const carom_allocator *allocator;
    carom_error *error;
} carom_course_sheet;

/* Begin the document with its title. height: of what comes below it. */
void carom_course_plot_begin(carom_course_sheet *sheet, double height, const char *description);

/* The style of the k-th curve: colours and patterns that stay apart; grey and thin after the last
 * of them. */
const char *carom_course_plot_style(int k);

/* How many of `count` curves get a name in a legend of some height; the others share one line. */
int carom_course_plot_named(int count, double height);

/* That line, "and 7 more", and a note of `what` there is too much of and `how` to choose. */
void carom_course_plot_more(const carom_course_sheet *sheet, carom_plot *plot, int named, int count,
                            const char *what, const char *how);

/* course_curves.c, course_ledger.c, course_section.c: the pictures. */
carom_status carom_course_curves_trajectory(carom_course_sheet *sheet);
carom_status carom_course_curves_phase(carom_course_sheet *sheet);
carom_status carom_course_ledger_energy(carom_course_sheet *sheet);
carom_status carom_course_ledger_forces(carom_course_sheet *sheet);
carom_status carom_course_section_draw(carom_course_sheet *sheet);

#endif
