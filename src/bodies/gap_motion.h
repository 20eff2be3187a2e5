/* How the gap and the slip of a contact change: second derivatives (docs/theory/bodies.md). */
#ifndef CAROM_SRC_BODIES_GAP_MOTION_H
#define CAROM_SRC_BODIES_GAP_MOTION_H

#include "bodies/bodies.h"

/* Fill c->bias and c->smooth from the velocities and bias accelerations of the links as they are.
 */
void carom_gap_motion(const carom_bodies *bodies, carom_bodies_contact *c);

#endif
