/* The contact problem of a time step with planar friction from the inside of its cones. */
#ifndef CAROM_SRC_FLOW_STEP_INTERIOR_H
#define CAROM_SRC_FLOW_STEP_INTERIOR_H

#include "flow/step_contact.h"

/* P near a solution, where Newton's method on the modes takes over; nothing is promised. All
 * contacts have at most one slip. coupled: the step knows how the slips shift the cones, quicker
 * but more often stuck. size: of the impulses at the start. */
carom_status carom_step_interior_approach(carom_step_contact *c, bool coupled, double size,
                                          carom_arena *scratch, carom_error *error);

#endif
