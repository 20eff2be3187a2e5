/* Strobe pictures: the shapes of a scene at several instants of its motion, on one drawing. */
#ifndef CAROM_SRC_FIGURE_COURSE_STROBE_H
#define CAROM_SRC_FIGURE_COURSE_STROBE_H

#include "pictures/course.h"
#include "pictures/svg.h"

/* Draw into a document that is begun here: `instants` positions of what moves (0: as usual), the
 * last one full, with the paths of the bodies. top: pixels left free above. left_out: how many
 * bodies are too many for paths, 0: all have theirs. */
carom_status carom_course_strobe_draw(const carom_course *course, int instants, double top,
                                      const char *title, carom_arena *arena,
                                      const carom_allocator *allocator, carom_svg *svg,
                                      int *left_out, carom_error *error);

#endif
