/* Events on a step of the integrator: where on its continuous solution something first has
 * happened. */
#ifndef CAROM_SRC_SOLVER_ODE_EVENTS_H
#define CAROM_SRC_SOLVER_ODE_EVENTS_H

#include "solver/ode_dop853.h"

/* Has it happened at the point y of the step? It may look back, not forward. */
typedef bool carom_ode_event(void *self, const double *y);

/* The part of the step just tried, in (0, 1], after which the event has happened, to rounding; 2:
 * it does not. Looked for at `pieces` points equally far apart, then by halving. y (size): the
 * point found. */
double carom_ode_events_first(const carom_ode_dop853 *ode, int size, int pieces,
                              carom_ode_event *happened, void *self, double *y);

/* The same between `low`, where it has not happened, and `high`, where it has. */
double carom_ode_events_isolate(const carom_ode_dop853 *ode, int size, double low, double high,
                                carom_ode_event *happened, void *self, double *y);

#endif
