/* carom_orbit_run with somebody who may take other combinations of the variations on the way. */
#ifndef CAROM_SRC_ORBIT_ORBIT_RUN_H
#define CAROM_SRC_ORBIT_ORBIT_RUN_H

#include "orbit/variation.h"

/* NULL functions are not called. Directions of a motion that is watched span states: they may lead
 * off joints, and are put on them. */
typedef struct carom_orbit_watch {
    void *self;
    /* A step is followed, until `end`. */
    carom_status (*step)(void *self, carom_variation *v, double end, carom_error *error);
    /* An event, or the start, is settled; v->told->exists may have become false at it. */
    carom_status (*close)(void *self, carom_variation *v, const carom_event_driven *e,
                          carom_error *error);
} carom_orbit_watch;

carom_status carom_orbit_run_watched(
    const carom_system *system, const carom_law *law, const carom_flow_start *start,
    const carom_flow_options *options, const carom_orbit_directions *directions,
    const carom_flow_observer *observer, const carom_orbit_watch *watch, carom_arena *arena,
    carom_flow_result *result, carom_orbit_tangents *tangents, carom_error *error);

#endif
