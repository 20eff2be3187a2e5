/* Which contacts of a system with a region are closed, and what is left of the region there. */
#ifndef CAROM_SRC_IMPACT_REGION_H
#define CAROM_SRC_IMPACT_REGION_H

#include "carom/impact.h"

/* A group holds at gaps g when none of its contacts is below -tolerance. Closed are the contacts
 * with gap <= tolerance of groups that hold, none if a group holds with all its contacts open;
 * without a region, or where no group holds, all with gap <= tolerance. closed: room for p numbers,
 * ascending. *region: the groups that hold, in the numbers of `closed`; NULL when all closed
 * contacts must hold. */
carom_status carom_impact_region(const carom_system_shape *shape, const double *g, double tolerance,
                                 carom_arena *arena, int *closed, int *count,
                                 const carom_region **region, carom_error *error);

#endif
