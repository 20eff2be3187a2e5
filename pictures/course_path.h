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
    bool stepped;              /* by time-stepping */
    int numbers;               /* that a moment takes */
    int most_steps;            /* from a moment to the next, where the way bends */
    double *q_range, *u_range; /* nq, n: how far the values go */
    int *rate;                 /* nq: the velocity that is the rate of a coordinate, -1: none is */
    double *q;                 /* nq, at the time asked for last */
    double *u;                 /* n, likewise */
} carom_course_path;

/* The moments of the trace, with more between those that are far apart: so many that a curve of
 * them is smooth to the eye, fewer where there are very many coordinates. beside: numbers that the
 * caller keeps for each moment. */
carom_status carom_course_path_make(const carom_course *course, int beside, carom_arena *arena,
                                    carom_course_path *path, carom_error *error);

/* q and u at a time, after what jumps there. */
void carom_course_path_at(const carom_course_path *path, double t);

#endif
