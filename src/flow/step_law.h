/* Laws in a time step: only those that say how they enter one. */
#ifndef CAROM_SRC_FLOW_STEP_LAW_H
#define CAROM_SRC_FLOW_STEP_LAW_H

#include "carom/law.h"

/* An error that names the laws of the library that would do, unless this one does. */
carom_status carom_step_law_check(const carom_law *law, carom_error *error);

#endif
