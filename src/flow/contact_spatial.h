/* The contact problem with spatial contacts at rest: the exact cone. */
#ifndef CAROM_SRC_FLOW_CONTACT_SPATIAL_H
#define CAROM_SRC_FLOW_CONTACT_SPATIAL_H

#include "flow/contact_parts.h"

/* Fill x and w of the parts, or the class of the answer when no solution was found. Sticking of all
 * that is at rest comes first; where it is not possible, the law's solver for impulses finds who
 * slides and where to: the problem is the same with accelerations for velocities. */
carom_status carom_contact_spatial_solve(carom_contact_parts *parts, carom_arena *scratch,
                                         carom_contact_problem_answer *answer, carom_error *error);

#endif
