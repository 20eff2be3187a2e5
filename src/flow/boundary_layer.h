/* The boundary-layer method: a smooth motion in which every wall has a layer that turns bodies back
 * before they touch it (docs/theory/boundary-layer.md). */
#ifndef CAROM_SRC_FLOW_BOUNDARY_LAYER_H
#define CAROM_SRC_FLOW_BOUNDARY_LAYER_H

#include "flow/record.h"

#ifdef CAROM_CVODE
carom_status carom_boundary_layer_run(carom_record *record, const carom_flow_start *start,
                                      carom_arena *work, carom_error *error);
#else
/* A library without the stiff integrator says what it lacks. */
static inline carom_status carom_boundary_layer_run(carom_record *record,
                                                    const carom_flow_start *start,
                                                    carom_arena *work, carom_error *error)
{
    (void)record;
    (void)start;
    (void)work;
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           "method boundary-layer: this library was built without CVODE "
                           "(-DCAROM_CVODE=ON); event-driven and time-stepping are there");
}
#endif

#endif
