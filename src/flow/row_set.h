/* Constraint rows that are independent in the kinetic metric, chosen one after the other. */
#ifndef CAROM_SRC_FLOW_ROW_SET_H
#define CAROM_SRC_FLOW_ROW_SET_H

#include "flow/motion.h"

/* Arrays are the caller's, with room for `capacity` rows. */
typedef struct carom_row_set {
    carom_motion *motion;
    int capacity;
    int *count;             /* rows chosen */
    carom_motion_row *rows; /* capacity */
    double *Y;              /* n x capacity, M^-1 of the rows */
    double *S;              /* capacity x capacity, Cholesky factor of the rows' matrix, lower */
} carom_row_set;

/* Add a row unless it depends on those chosen: its pivot of the factor is at most `tolerance` of
 * its own square. Returns whether it was added. */
bool carom_row_set_add(carom_row_set *set, carom_motion_row row, double tolerance);

#endif
