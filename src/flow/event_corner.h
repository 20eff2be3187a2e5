/* Corners of closed contacts (docs/theory/event-driven.md, "Corners"): a support whose velocity
 * jumps, a floor that bends. */
#ifndef CAROM_SRC_FLOW_EVENT_CORNER_H
#define CAROM_SRC_FLOW_EVENT_CORNER_H

#include "flow/event_driven.h"

/* At the point evaluated last: have velocities to jump for a closed contact to be held? */
bool carom_event_corner_passed(carom_event_driven *e);

/* Do the rates that jump do so otherwise than by the velocities of contacts, which were `before`?
 */
bool carom_event_corner_of_positions(carom_event_driven *e, const double *before);

/* The time in which the motion gets clear of a corner: what is put back on its contact does not
 * fall back across it. */
double carom_event_corner_room(const carom_event_driven *e);

/* Ends a motion that does not get on because a closed contact has a corner of its gap where it
 * stands: its normal jumps within what positions are resolved to, or steps h move. Else CAROM_OK.
 */
carom_status carom_event_corner_stop(carom_event_driven *e, double h);

/* Contacts for which they have, at the state just looked at, are touched, no longer held. */
void carom_event_corner_release(carom_event_driven *e);

#endif
