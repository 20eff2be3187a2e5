/* The contact problem with spatial contacts at rest: a search for solutions with the exact cone,
 * and what can be proved about their number (docs/theory/painleve.md, "Spatial contacts at rest").
 */
#ifndef CAROM_SRC_CERTIFY_PAINLEVE_SPATIAL_H
#define CAROM_SRC_CERTIFY_PAINLEVE_SPATIAL_H

#include "certify/painleve_modes.h"

typedef struct carom_painleve_spatial {
    bool complete;   /* every solution was found: a single contact */
    bool infeasible; /* proved: no forces in the cones keep the contacts from penetrating */
    bool unique;     /* proved: at most one acceleration; forces too */
} carom_painleve_spatial;

/* Keep the solutions found; resting: p. Directions of contacts that slide are those of the work. */
carom_status carom_painleve_spatial_solve(carom_painleve_modes *work, const bool *resting,
                                          carom_painleve_spatial *answer);

#endif
