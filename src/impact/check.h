/* Is the statement of an impact one that mathematics can work with? */
#ifndef CAROM_SRC_IMPACT_CHECK_H
#define CAROM_SRC_IMPACT_CHECK_H

#include "carom/impact.h"

/* Everything but the directions of the normals. Tells how many columns of H and spread there are.
 */
carom_status carom_impact_check(const carom_impact *impact, int *slips, int *spreads,
                                carom_error *error);

/* The coefficients of contacts alone; any: restitution may be any finite number. */
carom_status carom_impact_check_contacts(int count, const carom_contact *contacts, bool any,
                                         carom_error *error);

#endif
