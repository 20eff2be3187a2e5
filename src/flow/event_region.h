/* Regions in motion: unions of groups of contacts, of which one is in force at a time. */
#ifndef CAROM_SRC_FLOW_EVENT_REGION_H
#define CAROM_SRC_FLOW_EVENT_REGION_H

#include "flow/event_driven.h"

carom_status carom_event_region_create(carom_event_driven *e, carom_arena *work,
                                       carom_error *error);

/* At the start: the first group all of whose gaps are >= -closed is in force; false: none is. */
bool carom_event_region_begin(carom_event_driven *e);

/* At an event, with e->touching the contacts that are near: which groups hold, and does one go on
 * to hold? Then it is in force and the contacts outside it do not touch; else all contacts of the
 * groups that hold touch, and their impact is one of the whole region. */
carom_status carom_event_region_touch(carom_event_driven *e, carom_error *error);

/* After impacts: does a group hold from here on? */
bool carom_event_region_holds(const carom_event_driven *e);

/* When no impact is left: the group whose accelerations are nearest to those without contacts is in
 * force; another as near is told. */
carom_status carom_event_region_choose(carom_event_driven *e, carom_error *error);

#endif
