/* Contacts with laws of their own (docs/theory/mixed-laws.md). */
#ifndef CAROM_SRC_LAW_MIXED_H
#define CAROM_SRC_LAW_MIXED_H

#include "carom/law.h"

/* Whether some contact has a law of its own that is not `law` itself. */
bool carom_mixed_needed(const carom_law *law, const carom_geometry *geometry);

/* Apply each contact's law (its own, else `law`) to the outcome made by carom_outcome_create. */
carom_status carom_mixed_apply(const carom_law *law, const carom_geometry *geometry,
                               carom_arena *arena, carom_outcome *outcome, carom_error *error);

#endif
