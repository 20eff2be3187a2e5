/* The first moments of slip in space (docs/theory/event-driven.md, "Slip that starts").
 *
 * While the slip v of a contact is small its direction follows the forces at the rate mu f/|v|,
 * without bound at the onset. Up to the speed `onset` the direction d of friction is that of the
 * slip a moment later,  d | v + delay v'(d),  delay -> 0 as |v| -> onset. */
#ifndef CAROM_SRC_FLOW_MOTION_ONSET_H
#define CAROM_SRC_FLOW_MOTION_ONSET_H

#include "flow/motion.h"

/* Numbers of work space that motion->turning needs. */
size_t carom_motion_onset_room(const carom_system_shape *shape);

/* Contact i starts to slip in its `direction` with the normal force given. */
void carom_motion_onset_begin(carom_motion *motion, int contact, double force);

/* At the end of a step: the heading of the contacts that slide, from which the next step starts, is
 * the direction of their slip, or of their friction while they start. Contacts that have become
 * faster than their onset, or slower again, slide like others from now on. */
void carom_motion_onset_head(carom_motion *motion);

/* One step of Newton's method on the directions of the contacts that start, from the accelerations
 * and the factors just found. True when they do not change any more. */
bool carom_motion_onset_turn(carom_motion *motion);

#endif
