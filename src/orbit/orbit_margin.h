/* How near a periodic motion is to another kind of motion: quantities that go to zero along a
 * branch where it ends (docs/theory/orbits.md, "Margins"). */
#ifndef CAROM_SRC_ORBIT_ORBIT_MARGIN_H
#define CAROM_SRC_ORBIT_ORBIT_MARGIN_H

#include "orbit/orbit_clearance.h"

enum {
    CAROM_ORBIT_MARGIN_GAP,    /* least gap between impacts */
    CAROM_ORBIT_MARGIN_SPEED,  /* least speed of an impact */
    CAROM_ORBIT_MARGIN_AFTER,  /* time from the section to the next impact or event */
    CAROM_ORBIT_MARGIN_BEFORE, /* time from the last impact or event to the section */
    CAROM_ORBIT_MARGINS
};

typedef struct carom_orbit_margin {
    double value; /* as a part of its size on the motion; INFINITY: none */
    double zero;  /* as good as zero */
    carom_orbit_path_step of;
} carom_orbit_margin;

/* The margins of the motion that the map has just computed. */
carom_status carom_orbit_margin_find(carom_orbit_newton *w, carom_orbit_margin *margins,
                                     carom_error *error);

/* From the margins at two points, `length` apart: how far from the second the first of them will be
 * zero, INFINITY: none ahead. *which: its number. */
double carom_orbit_margin_ahead(const carom_orbit_margin *before, const carom_orbit_margin *now,
                                double length, int *which);

/* What happens where it is zero. */
carom_orbit_event_kind carom_orbit_margin_explain(const carom_orbit_margin *margins, int which,
                                                  const carom_system_shape *shape, char *text,
                                                  size_t size);

#endif
