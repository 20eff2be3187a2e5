/* The contact problem of a time step with friction by Newton's method on its modes
 * (docs/theory/time-stepping.md, "Friction"). */
#ifndef CAROM_SRC_FLOW_STEP_NEWTON_H
#define CAROM_SRC_FLOW_STEP_NEWTON_H

#include "flow/step_contact.h"

/* From the impulses in P to a solution in P, to `tolerance`. Otherwise not *solved, and P is what
 * came nearest: *merit, the square of its distance from the projection on the cones. */
carom_status carom_step_newton_solve(carom_step_contact *c, double tolerance, carom_arena *scratch,
                                     bool *solved, double *merit, carom_error *error);

#endif
