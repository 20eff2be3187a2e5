/* A row that a closed contact, a joint or a nonholonomic constraint asks of the velocities,
 * gamma = r'u + hat, gamma' = r'u' + bias: where a state keeps it. */
#ifndef CAROM_SRC_FLOW_MOTION_ROW_H
#define CAROM_SRC_FLOW_MOTION_ROW_H

#include "carom/system.h"

typedef enum carom_motion_kind {
    CAROM_MOTION_NORMAL,
    CAROM_MOTION_SLIP,
    CAROM_MOTION_JOINT,
    CAROM_MOTION_ROLLING,
    CAROM_MOTION_SPREAD /* of a contact held in the apex of its cone */
} carom_motion_kind;

typedef struct carom_motion_row {
    carom_motion_kind kind;
    int index; /* contact, slip column, joint, nonholonomic constraint or spread column */
} carom_motion_row;

/* r (n), hat and bias. */
const double *carom_motion_row_vector(const carom_state *state, int n, carom_motion_row row);
double carom_motion_row_hat(const carom_state *state, carom_motion_row row);
double carom_motion_row_bias(const carom_state *state, carom_motion_row row);

#endif
