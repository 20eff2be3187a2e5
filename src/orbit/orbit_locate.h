/* Events of a branch between two of its points. */
#ifndef CAROM_SRC_ORBIT_ORBIT_LOCATE_H
#define CAROM_SRC_ORBIT_ORBIT_LOCATE_H

#include "orbit/orbit_place.h"

/* Tell the branch's owner. */
carom_status carom_orbit_locate_tell(carom_orbit_follower *f, carom_orbit_event_kind kind,
                                     const carom_orbit_place *x, const char *message,
                                     carom_error *error);

/* Is p between the ends of the branch? */
bool carom_orbit_locate_within(const carom_orbit_follower *f, double p);

/* Bifurcations between `base` and `next`, `length` along its tangent: located and told. */
carom_status carom_orbit_locate_bifurcations(carom_orbit_follower *f, const carom_orbit_place *base,
                                             double length, const carom_orbit_place *next,
                                             carom_orbit_place *spare, carom_error *error);

/* The last point from `base` on, up to `length` along its tangent, that has its path: halved until
 * it is found. */
carom_status carom_orbit_locate_last(carom_orbit_follower *f, const carom_orbit_place *base,
                                     double length, carom_orbit_place *spare, carom_error *error);

/* The paths of the two differ: where they begin to. */
carom_status carom_orbit_locate_change(carom_orbit_follower *f, const carom_orbit_place *base,
                                       double length, const carom_orbit_place *next,
                                       carom_orbit_place *spare, carom_error *error);

#endif
