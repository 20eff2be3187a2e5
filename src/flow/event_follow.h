/* Somebody who goes along with an event-driven motion and sees it from inside: the variations of
 * the room `orbit`. He only looks; with and without him the motion has the same bits. */
#ifndef CAROM_SRC_FLOW_EVENT_FOLLOW_H
#define CAROM_SRC_FLOW_EVENT_FOLLOW_H

#include "flow/event_driven.h"
#include "flow/event_tail.h"

/* Every function may be NULL; a status other than CAROM_OK ends the run as an observer's does. */
struct carom_event_follow {
    void *self;
    /* A smooth step in e->ode, from its t to `end`, which may be before t + h. */
    carom_status (*step)(void *self, const carom_event_driven *e, double end, carom_error *error);
    /* An event, or the start (begins): the state of e is that before it, looked at; modes are those
     * of the motion so far. e->cause tells what was found. */
    carom_status (*open)(void *self, const carom_event_driven *e, bool begins, carom_error *error);
    /* Event `event` of the system is about to set its values. */
    carom_status (*reset)(void *self, const carom_event_driven *e, int event, carom_error *error);
    /* An impact: e->collide tells what the law did, from e->collide.before to the present state. */
    carom_status (*impact)(void *self, const carom_event_driven *e, carom_error *error);
    /* Velocities were projected on the rows of e->motion, by columns that carry friction where it
     * says `sliding`; before: what they were. */
    carom_status (*project)(void *self, const carom_event_driven *e, const double *before,
                            carom_error *error);
    /* Impacts accumulate: their limit is t_j + a^2/(b - a), a = t_j - t_(j-P), b = t_(j-P) -
     * t_(j-2P), P the pattern and j the impact `from` before the last. */
    carom_status (*limit)(void *self, const carom_event_driven *e, int pattern, int from,
                          carom_error *error);
    /* Or several contacts fly too low together: their limit is that of the tail. */
    carom_status (*tail)(void *self, const carom_event_driven *e, const carom_event_tail *tail,
                         carom_error *error);
    /* Velocities change by sign times e->left, what is left to that limit, times the accelerations
     * that e->motion has at the moment: the friction of flights that are left out. */
    carom_status (*flights)(void *self, const carom_event_driven *e, double sign,
                            carom_error *error);
    /* The event is settled: modes are the new ones, e->ode.k[0] is the new slope. */
    carom_status (*close)(void *self, const carom_event_driven *e, carom_error *error);
};

/* carom_flow_run, event-driven, with somebody who follows it. */
carom_status carom_flow_follow(const carom_system *system, const carom_law *law,
                               const carom_flow_start *start, const carom_flow_options *options,
                               const carom_flow_observer *observer,
                               const carom_event_follow *follow, carom_arena *arena,
                               carom_flow_result *result, carom_error *error);

#endif
