/* How near a periodic motion is to touching. */
#ifndef CAROM_SRC_ORBIT_ORBIT_CLEARANCE_H
#define CAROM_SRC_ORBIT_ORBIT_CLEARANCE_H

#include "orbit/orbit_newton.h"

typedef struct carom_orbit_clearance {
    double gap;  /* least gap between impacts; INFINITY: none has a minimum */
    int contact; /* whose */
    double size; /* largest gap seen, for comparison */
} carom_orbit_clearance;

/* Along the motion from the start of w->map to its end. */
carom_status carom_orbit_clearance_find(carom_orbit_newton *w, carom_orbit_clearance *clearance,
                                        carom_error *error);

#endif
