/* The contact problem of planar contacts. */
#ifndef CAROM_SRC_FLOW_CONTACT_PLANAR_H
#define CAROM_SRC_FLOW_CONTACT_PLANAR_H

#include "flow/contact_parts.h"

/* Fill x and w of the parts, or the class of the answer when there is no solution. All candidates
 * at rest are planar. */
carom_status carom_contact_planar_solve(carom_contact_parts *parts, carom_arena *scratch,
                                        carom_contact_problem_answer *answer, carom_error *error);

#endif
