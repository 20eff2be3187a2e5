/* Smooth motion by ode_dop853.h that stops at events: zeros of functions of the state, found on the
 * continuous solution of a step and landed on by a step of their own (docs/theory/ode.md,
 * "Events").
 */
#ifndef CAROM_SRC_SOLVER_ODE_EVENTS_H
#define CAROM_SRC_SOLVER_ODE_EVENTS_H

#include "solver/ode_dop853.h"

/* Function k at (t, y): negative until its event, which is where it is no longer. */
typedef double carom_ode_event(void *self, int k, double t, const double *y);

typedef struct carom_ode_events {
    carom_ode_dop853 ode; /* y at t, k[0] its slope */
    double t, h;          /* now, and the step to try next */
    carom_ode_event *value;
    int count;              /* functions */
    int samples;            /* a step is looked at at so many equal parts */
    double noise;           /* values up to this are zero (0: none is) */
    unsigned char *settled; /* count: no event of this one at the very start of a step */
    unsigned char *stayed;  /* count: was negative in the step; work */
    unsigned char *above;   /* count: is above the noise at the sample looked at; work */
    double *point;          /* n, y at a sample; work */
    double from, length;    /* the step accepted last, for rows: from `from`, of this length */
    long steps, rejected;
} carom_ode_events;

carom_status carom_ode_events_create(carom_arena *arena, int n, int controlled, carom_ode_rhs *f,
                                     carom_ode_event *value, int count, int samples, void *self,
                                     carom_ode_events *events, carom_error *error);

/* The slope at (t, y): after y was set or the right-hand side changed. */
carom_status carom_ode_events_start(carom_ode_events *events, carom_error *error);

/* One step, of at most `longest`, that errs by no more than `scale` (as carom_ode_dop853_error has
 * it), or its part up to the first event. *event: which one, -1: none. After an event the slope is
 * the caller's to renew. h = 0 on return, and *event = -1: steps have become too small. A function
 * that is not negative at the start and stays so has its event there, unless it is `settled`. */
carom_status carom_ode_events_step(carom_ode_events *events, double longest, const double *scale,
                                   int *event, carom_error *error);

/* The continuous solution at a time within the step accepted last; before an event it is that of
 * the whole step, of which the motion followed a part. */
void carom_ode_events_at(const carom_ode_events *events, double t, int count, double *y);

#endif
