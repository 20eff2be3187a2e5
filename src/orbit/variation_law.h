/* The derivative of an impact law, where its equations are not known: by differences of the law
 * alone, at one instant. */
#ifndef CAROM_SRC_ORBIT_VARIATION_LAW_H
#define CAROM_SRC_ORBIT_VARIATION_LAW_H

#include "orbit/variation.h"

/* v->du (before the impact) becomes that after it. */
carom_status carom_variation_law_difference(carom_variation *v, const carom_event_driven *e,
                                            const carom_law *law, carom_error *error);

#endif
