/* The accelerations of a solution of the contact problem, refined (docs/theory/painleve.md). */
#ifndef CAROM_SRC_CERTIFY_PAINLEVE_REFINE_H
#define CAROM_SRC_CERTIFY_PAINLEVE_REFINE_H

#include "certify/painleve_state.h"

/* du (n) = u'_free + columns r, with what the rows that the modes keep at zero are missed by taken
 * out in doubled precision: a light body beside heavy ones lives on the difference of their forces.
 */
carom_status carom_painleve_refine(const carom_painleve_state *state, const double *r,
                                   const unsigned char *mode, double *du);

#endif
