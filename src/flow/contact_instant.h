/* The contact problem of the parts as contacts at one instant (solver/instant.h): contact after
 * contact, in kinetic units. */
#ifndef CAROM_SRC_FLOW_CONTACT_INSTANT_H
#define CAROM_SRC_FLOW_CONTACT_INSTANT_H

#include "flow/contact_parts.h"
#include "solver/instant.h"

typedef struct carom_contact_instant {
    carom_instant problem;
    int *order;    /* N, the parts' row of each of its rows */
    double *scale; /* N: force = r/scale, acceleration = u scale */
} carom_contact_instant;

/* Arrays from scratch. */
carom_status carom_contact_instant_state(const carom_contact_parts *parts, carom_arena *scratch,
                                         carom_contact_instant *instant, carom_error *error);

#endif
