/* Beyond one motion: derivatives through impacts, periodic motions, branches of them.
 *
 * Everything here goes along event-driven motions (carom/flow.h) of systems that have derivatives
 * (carom/formulas.h with keep_parameters). docs/theory/sensitivities.md, docs/theory/orbits.md.
 */
#ifndef CAROM_ORBIT_H
#define CAROM_ORBIT_H

#include "carom/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the data of a motion change in k directions. NULL: not at all. */
typedef struct carom_orbit_directions {
    int k;
    const double *t, *q, *u;              /* of the start: k, nq x k, n x k */
    const double *parameters;             /* parameter_count x k */
    const carom_contact *const *contacts; /* k lists of p contacts whose restitution and friction
                                             are derivatives */
    const double *until;                  /* k, of the end */
} carom_orbit_directions;

/* How the motion changes: derivatives of the state at an instant that moves with the data (an
 * impact, an event, an accumulation), or at the end. Kept up to date while the motion runs: the
 * functions of an observer may look at it. */
typedef struct carom_orbit_tangents {
    const double *q, *u; /* nq x k, n x k */
    const double *t;     /* k: how the instant itself moves */
    const double *limit; /* k: how the limit of the last accumulation moves; NULL: none so far */
    bool exists;         /* so far */
    double refused_at;   /* when it ceased to exist */
    char reason[400];    /* why */
    long events;         /* impacts, events and changes of mode passed */
} carom_orbit_tangents;

/* carom_flow_run with derivatives, for event-driven motions; the motion is the same to the last
 * bit. Where no derivative exists (docs/theory/sensitivities.md) the motion goes on and the
 * tangents say why. A system without derivatives is CAROM_ERROR_UNSUPPORTED. */
CAROM_API carom_status carom_orbit_run(const carom_system *system, const carom_law *law,
                                       const carom_flow_start *start,
                                       const carom_flow_options *options,
                                       const carom_orbit_directions *directions,
                                       const carom_flow_observer *observer, carom_arena *arena,
                                       carom_flow_result *result, carom_orbit_tangents *tangents,
                                       carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
