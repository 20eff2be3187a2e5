/* What is left of the flights of several contacts, when these are too low for positions to tell
 * (docs/theory/event-driven.md, "Several contacts together"). */
#ifndef CAROM_SRC_FLOW_EVENT_TAIL_H
#define CAROM_SRC_FLOW_EVENT_TAIL_H

#include "flow/event_driven.h"

enum { CAROM_EVENT_TAIL_MOST = 8 };

/* Gaps fly with constant accelerations, g'' = a < 0, and an impact of contact j changes the rates
 * by D_j Lambda, so that its own becomes -e of what it was. */
typedef struct carom_event_tail {
    int count;
    int contact[CAROM_EVENT_TAIL_MOST];
    double g[CAROM_EVENT_TAIL_MOST], gamma[CAROM_EVENT_TAIL_MOST]; /* now */
    double a[CAROM_EVENT_TAIL_MOST], e[CAROM_EVENT_TAIL_MOST];
    double D[CAROM_EVENT_TAIL_MOST * CAROM_EVENT_TAIL_MOST]; /* D[i + MOST j]: of rate i by j */
    double left;                                             /* time until all rest */
    double ratio;                                            /* of the last two flights of one */
} carom_event_tail;

/* How its numbers change in one direction. */
typedef struct carom_event_tail_change {
    double g[CAROM_EVENT_TAIL_MOST], gamma[CAROM_EVENT_TAIL_MOST];
    double a[CAROM_EVENT_TAIL_MOST], e[CAROM_EVENT_TAIL_MOST];
    double D[CAROM_EVENT_TAIL_MOST * CAROM_EVENT_TAIL_MOST];
    double left;
} carom_event_tail_change;

/* The tail after an impact of this contact, whose rebound is low: two contacts or more that are
 * coupled and low, while nothing else is held. False: there is none. */
bool carom_event_tail_find(carom_event_driven *e, int contact, carom_event_tail *tail);

/* The tail of this contact by itself, that was struck now: left = 2 gamma/(-a (1 - e)). */
bool carom_event_tail_alone(const carom_event_driven *e, int contact, carom_event_tail *tail);

/* Follow it to rest: left and ratio, and change->left (NULL: not wanted; g and gamma of the change
 * are used up). False: it does not end there. */
bool carom_event_tail_follow(carom_event_tail *tail, carom_event_tail_change *change);

/* M^-1(w_j + H_j rho_j), the response to an impulse of contact j, into y (n): rho by its last
 * impact. */
void carom_event_tail_response(const carom_event_driven *e, int j, double *y);

#endif
