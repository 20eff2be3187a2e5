/* How the gap and the slip of a contact change: second derivatives (docs/theory/bodies.md). */
#ifndef CAROM_SRC_BODIES_GAP_MOTION_H
#define CAROM_SRC_BODIES_GAP_MOTION_H

#include "bodies/bodies.h"

/* Fill c->bias and c->smooth from the velocities and bias accelerations of the links as they are.
 */
void carom_gap_motion(const carom_bodies *bodies, carom_bodies_contact *c);

/* Where the rows of a contact are: at the point of the body that moves, between those of two that
 * do. */
v3 carom_gap_motion_point(const carom_bodies *bodies, const carom_bodies_contact *contact);

#endif
