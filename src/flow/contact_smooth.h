/* The contact problem of contacts without friction (docs/theory/event-driven.md, "At an event"). */
#ifndef CAROM_SRC_FLOW_CONTACT_SMOOTH_H
#define CAROM_SRC_FLOW_CONTACT_SMOOTH_H

#include "flow/contact_parts.h"
#include "flow/contact_problem.h"

/* Fills x and w of the parts, none of which slides or has slips. */
carom_status carom_contact_smooth_solve(carom_contact_parts *parts, carom_arena *scratch,
                                        carom_contact_problem_answer *answer, carom_error *error);

#endif
