/* The boundary-layer method: a smooth motion in which every wall has a layer that turns bodies back
 * before they touch it (docs/theory/boundary-layer.md). */
#ifndef CAROM_SRC_FLOW_BOUNDARY_LAYER_H
#define CAROM_SRC_FLOW_BOUNDARY_LAYER_H

#include "flow/layer_engine.h"

carom_status carom_boundary_layer_run(carom_record *record,
                                      const carom_layer_integrator *integrator,
                                      const carom_flow_start *start, carom_arena *work,
                                      carom_error *error);

#endif
