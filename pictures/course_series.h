/* The course of a motion: quantities from its trace: at the rows and on both sides of impacts. */
#ifndef CAROM_SRC_FIGURE_COURSE_SERIES_H
#define CAROM_SRC_FIGURE_COURSE_SERIES_H

#include "carom/trace.h"

/* A motion to draw. Pointers are borrowed. */
typedef struct carom_course {
    const carom_trace *trace;
    carom_scene *scene; /* that it came from: shapes, places of contacts, formulas; NULL: unknown */
} carom_course;

/* Is the scene known, and one that has the coordinates and contacts of the trace? */
bool carom_course_is_of_scene(const carom_course *course);

/* Moments in the order of time. What jumps, at impacts and events, is there twice. */
typedef struct carom_course_moments {
    int count;
    double *t;
    const double **q, **u; /* coordinates and velocities of each */
    long *row;             /* the latest row of the trace that is not after it */
    bool thinned;          /* not all rows, or jumps left out */
    bool jumps_left_out;   /* because of their number */
} carom_course_moments;

/* most: about how many. */
carom_status carom_course_moments_make(const carom_trace *trace, int most, carom_arena *arena,
                                       carom_course_moments *moments, carom_error *error);

/* Room for so many moments, none yet. */
carom_status carom_course_moments_room(size_t room, carom_arena *arena,
                                       carom_course_moments *moments, carom_error *error);

/* A list of pairs: a quantity over another. */
typedef struct carom_course_curve {
    int count;
    double *xy;
} carom_course_curve;

/* A quantity by its name: `t`, a coordinate or velocity, `gap:NAME`, `force:NAME`, `friction:NAME`,
 * `energy:NAME`, or a formula of the scene. values: count of the moments, from the arena. A name
 * that is not known is CAROM_ERROR_ARGUMENT. */
carom_status carom_course_quantity(const carom_course *course, const carom_course_moments *moments,
                                   const char *name, carom_arena *arena, double **values,
                                   carom_error *error);

/* Column j of a table of rows over time, about `most` points of it. */
carom_status carom_course_column(const carom_trace *trace, const carom_trace_table *table, int j,
                                 int most, carom_arena *arena, carom_course_curve *curve,
                                 carom_error *error);

/* Two quantities as a curve. */
carom_status carom_course_pair(const carom_course_moments *moments, const double *x,
                               const double *y, carom_arena *arena, carom_course_curve *curve,
                               carom_error *error);

/* The name of column j of a table, "" when the file does not say. */
const char *carom_course_name(const carom_trace_table *table, int j);

/* The column of a name, -1: there is none. */
int carom_course_find(const carom_trace_table *table, const char *name);

/* Least and most of the finite values; false when there is none. column: 0 x, 1 y. */
bool carom_course_range(int count, const double *xy, int column, double *least, double *most);

#endif
