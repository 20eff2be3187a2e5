/* The contact problem with spatial contacts at rest: a search for solutions with the exact cone,
 * and what can be proved about their number (docs/theory/painleve.md, "Spatial contacts at rest").
 */
#ifndef CAROM_SRC_CERTIFY_PAINLEVE_SPATIAL_H
#define CAROM_SRC_CERTIFY_PAINLEVE_SPATIAL_H

#include "certify/painleve_state.h"

/* Fill kind, solutions and message of the problem. */
carom_status carom_painleve_spatial_solve(const carom_painleve_state *state,
                                          carom_painleve *problem);

#endif
