/* Rows on the velocities in compressed form: gap gradients, slips, joints, nonholonomic
 * constraints.
 *
 * The pattern is the one the system states. Where it states none, the pattern is what has been seen
 * different from zero so far; it grows when something new turns up. */
#ifndef CAROM_SRC_FLOW_STEP_ROWS_H
#define CAROM_SRC_FLOW_STEP_ROWS_H

#include "carom/system.h"

/* Columns of one array of the state. */
typedef struct carom_step_source {
    const carom_pattern *pattern;
    const double *dense; /* n x count */
    int count;
} carom_step_source;

typedef struct carom_step_rows {
    int n, count;
    carom_step_source source[2]; /* normals and slips, or joints and nonholonomic constraints */
    int *start;                  /* count + 1 */
    int *index;                  /* velocities of the entries, ascending in each row */
    double *value;               /* of the entries, at the state gathered last */
    bool direct;                 /* small: `value` is the array of the state itself */
    bool full;                   /* every row has all velocities: `index` need not be read */
    unsigned char *seen;         /* n x count: differed from zero once; NULL: pattern stated */
    int growths;
} carom_step_rows;

/* Rows of two arrays of the state, without values. */
carom_status carom_step_rows_create(carom_arena *arena, int n, carom_step_source first,
                                    carom_step_source second, carom_step_rows *rows,
                                    carom_error *error);

/* Take the values from the arrays. true: the pattern has grown. */
bool carom_step_rows_gather(carom_step_rows *rows);

/* The same from arrays of another state of the system. */
bool carom_step_rows_gather_from(carom_step_rows *rows, const double *first, const double *second);

/* Row k times x. */
static inline double carom_step_rows_dot(const carom_step_rows *rows, int k, const double *x)
{
    double sum = 0;
    if (rows->full) {
        const double *value = rows->value + (size_t)k * (size_t)rows->n;
        for (int i = 0; i < rows->n; i++)
            sum += value[i] * x[i];
        return sum;
    }
    for (int i = rows->start[k]; i < rows->start[k + 1]; i++)
        sum += rows->value[i] * x[rows->index[i]];
    return sum;
}

#endif
