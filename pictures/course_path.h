/* A motion between the rows of its trace: cubic from moment to moment, with the velocities of both
 * sides. Free flight is a parabola and comes out exactly; impacts and events are moments. */
#ifndef CAROM_SRC_FIGURE_COURSE_PATH_H
#define CAROM_SRC_FIGURE_COURSE_PATH_H

#include "pictures/course_series.h"

/* Moments of a motion, and any time between them. */
typedef struct carom_course_path {
    const carom_course *course;
    carom_course_moments moments;
    int nq, n;
    int *rate; /* nq: the velocity that is the rate of a coordinate, -1: none is */
    double *q; /* nq, at the time asked for last */
    double *u; /* n, likewise */
} carom_course_path;

/* About `most` moments of the trace, with more between those that are far apart. */
carom_status carom_course_path_make(const carom_course *course, int most, carom_arena *arena,
                                    carom_course_path *path, carom_error *error);

/* q and u at a time, after what jumps there. */
void carom_course_path_at(const carom_course_path *path, double t);

#endif
