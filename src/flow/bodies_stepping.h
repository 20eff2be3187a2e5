/* Time-stepping of systems of bodies. */
#ifndef CAROM_SRC_FLOW_BODIES_STEPPING_H
#define CAROM_SRC_FLOW_BODIES_STEPPING_H

#include "flow/record.h"

carom_status carom_bodies_stepping_run(carom_record *record, const carom_law *law,
                                       const carom_flow_start *start, carom_arena *work,
                                       carom_arena *scratch, carom_error *error);

#endif
