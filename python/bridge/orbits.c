/* Derivatives of motions, stopped at an impact or an accumulation. */
#include "bridge.h"

#include <stddef.h>

/* Where the motion is asked about, and who is asked whether to go on. */
typedef struct place {
    bridge_place *at;
    long impacts;
    void *python;
} place;

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    place *p = self;
    (void)error;
    if (++p->impacts != p->at->impact)
        return CAROM_OK;
    p->at->t = impact->t;
    p->at->reached = true;
    return CAROM_STOPPED;
}

static carom_status on_accumulation(void *self, const carom_flow_accumulation *a,
                                    carom_error *error)
{
    place *p = self;
    (void)error;
    if (!p->at->accumulation)
        return CAROM_OK;
    p->at->t = a->t_limit;
    p->at->reached = true;
    return CAROM_STOPPED;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    place *p = self;
    (void)error;
    return bridge_progress(p->python, t, steps) ? CAROM_STOPPED : CAROM_OK;
}

carom_status bridge_gradient(const carom_system *system, const carom_law *law,
                             const carom_flow_start *start, const carom_flow_options *options,
                             const carom_orbit_directions *directions, bridge_place *at,
                             void *python, carom_arena *arena, carom_flow_result *result,
                             carom_orbit_tangents *tangents, carom_error *error)
{
    place p = {.at = at, .python = python};
    const carom_flow_observer observer = {
        .self = &p, .impact = on_impact, .accumulation = on_accumulation, .progress = on_progress};
    at->reached = false;
    return carom_orbit_run(system, law, start, options, directions, &observer, arena, result,
                           tangents, error);
}

carom_status bridge_searches(void *python, carom_error *error)
{
    (void)error;
    return bridge_progress(python, 0, 0) ? CAROM_STOPPED : CAROM_OK;
}
