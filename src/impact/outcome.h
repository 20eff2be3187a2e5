/* Outcomes from inside the library. */
#ifndef CAROM_SRC_IMPACT_OUTCOME_H
#define CAROM_SRC_IMPACT_OUTCOME_H

#include "carom/impact.h"

/* *to = *from, of message and details only what is set: an outcome is a kilobyte, nearly all of it
 * unused room. */
void carom_outcome_copy(const carom_outcome *from, carom_outcome *to);

/* carom_outcome_say for a text as it is. */
void carom_outcome_add(carom_outcome *outcome, const char *text);

#endif
