/* On which side of a plane or line a point lies: signs without rounding. */
#ifndef CAROM_SRC_BODIES_ORIENT_H
#define CAROM_SRC_BODIES_ORIENT_H

#include "bodies/vector.h"

/* The sign of (b - a) x (c - a) . (d - a): 1 when d is on the side from which a, b, c run
 * counter-clockwise, 0 in one plane. Exact when the coordinates are zero or of a size between 1e-90
 * and 1e90. */
int carom_orient(v3 a, v3 b, v3 c, v3 d);

/* The sign of (b - a) x (c - a) in the plane (z is not read). */
int carom_orient_plane(v3 a, v3 b, v3 c);

#endif
