/* Contacts that are second-order cones, at and near the apex. */
#ifndef CAROM_SRC_FLOW_EVENT_APEX_H
#define CAROM_SRC_FLOW_EVENT_APEX_H

#include "flow/event_driven.h"

/* Is contact i a cone, and in its apex? */
bool carom_event_apex_at(const carom_event_driven *e, int i);

/* How fast contact i leaves its set: gamma, in an apex w'u + w_hat - |A'u + ...|. */
double carom_event_apex_rate_of(const carom_event_driven *e, int i);

/* The same, without a call where there are no cones: it is asked at every event. */
static inline double carom_event_apex_rate(const carom_event_driven *e, int i)
{
    return e->shape->spread > 0 ? carom_event_apex_rate_of(e, i)
                                : carom_motion_gamma(&e->motion, i);
}

/* After impacts: a contact that moves across its apex slides up the flank; put it there. */
carom_status carom_event_apex_leave(carom_event_driven *e, carom_error *error);

/* Once modes are chosen: closed contacts that rest in their apex are held there, with rows for all
 * directions of the cone, where the reaction is inside the dual cone. */
carom_status carom_event_apex_hold(carom_event_driven *e, carom_error *error);

/* Begin to watch whether a closed contact slides into its apex; s along its direction then. */
void carom_event_apex_watch(carom_event_driven *e, int i);
double carom_event_apex_ahead(const carom_event_driven *e, int i);

/* At an event: a contact that slid into its apex is open, its velocity is for the law to decide. */
void carom_event_apex_release(carom_event_driven *e);

/* force - |spread force| of a contact held in its apex, at the point evaluated last. */
double carom_event_apex_margin(const carom_event_driven *e, int i);

#endif
