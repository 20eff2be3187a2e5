/* Time-stepping with a fixed step: Moreau-Jean (theta) and Schatzman-Paoli
 * (docs/theory/time-stepping.md). */
#ifndef CAROM_SRC_FLOW_TIME_STEPPING_H
#define CAROM_SRC_FLOW_TIME_STEPPING_H

#include "flow/record.h"

carom_status carom_time_stepping_run(carom_record *record, const carom_law *law,
                                     const carom_flow_start *start, carom_arena *work,
                                     carom_arena *scratch, carom_error *error);

#endif
