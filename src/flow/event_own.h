/* Events of the system and guards of contacts, between the other events. */
#ifndef CAROM_SRC_FLOW_EVENT_OWN_H
#define CAROM_SRC_FLOW_EVENT_OWN_H

#include "flow/event_driven.h"

carom_status carom_event_own_create(carom_event_driven *e, carom_arena *work, carom_error *error);

/* What samples must evaluate for it. */
unsigned carom_event_own_want(const carom_event_driven *e);

/* The function of event k at the point evaluated last, positive on the side where it was; its
 * rounding. */
double carom_event_own_value(carom_event_driven *e, int k);
double carom_event_own_grain(const carom_event_driven *e, int k);

/* What an interpolant may err by: a function that goes below zero by less only touches it. */
double carom_event_own_shallow(const carom_event_driven *e, const double *b);

/* On the first piece of a step, with its Bernstein coefficients and samples: a function that starts
 * at zero gets its side. */
void carom_event_own_choose(carom_event_driven *e, int k, double *b, double *samples);

/* May contact i close at the state looked at? */
bool carom_event_own_may_close(const carom_event_driven *e, int i);

/* At the start: the sides of all functions; contacts that must not be closed pass. */
carom_status carom_event_own_begin(carom_event_driven *e, carom_error *error);

/* At an event, once the state is looked at: which contacts pass, or come out again. */
carom_status carom_event_own_look(carom_event_driven *e, carom_error *error);

/* Then: the event of one's own that was found, if any, happens. The state is looked at again. */
carom_status carom_event_own_happen(carom_event_driven *e, carom_error *error);

/* When all is settled: velocities may have jumped. */
carom_status carom_event_own_settled(carom_event_driven *e, carom_error *error);

#endif
