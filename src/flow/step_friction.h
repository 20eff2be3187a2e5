/* The contact problem of a time step with friction. */
#ifndef CAROM_SRC_FLOW_STEP_FRICTION_H
#define CAROM_SRC_FLOW_STEP_FRICTION_H

#include "flow/step_contact.h"

/* As carom_step_solve, for a problem with slip rows. */
carom_status carom_step_friction_solve(carom_step_contact *c, double tolerance,
                                       carom_arena *scratch, double *residual, carom_error *error);

#endif
