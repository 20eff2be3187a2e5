/* What events do to a state, and derivatives of a system in given directions. */
#include "carom/need.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

carom_status carom_system_reset(const carom_system *system, int event, const carom_state *state,
                                double *q, double *u, carom_error *error)
{
    CAROM_NEED(error, system, state, state->q, state->u, q, u);
    const carom_system_shape *s = &system->shape;
    if (event < 0 || event >= s->event_count)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "there is no event %d; there are %d",
                               event, s->event_count);
    memmove(q, state->q, (size_t)s->nq * sizeof *q);
    memmove(u, state->u, (size_t)s->n * sizeof *u);
    if (!s->events[event].resets)
        return CAROM_OK;
    return system->ops->reset(system->self, event, state, q, u, error);
}

carom_status carom_system_differentiate(const carom_system *system, unsigned want,
                                        const carom_state *state,
                                        const carom_directions *directions, carom_error *error)
{
    CAROM_NEED(error, system, state, state->q, state->u, directions);
    if (directions->k < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%d directions; at least 1",
                               directions->k);
    if (!system->ops->differentiate)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "a system of the kind '%s' has no derivatives of its equations",
                               system->ops->name ? system->ops->name : "?");
    return system->ops->differentiate(system->self, want, state, directions, error);
}

void carom_system_depends(const carom_system *system, unsigned want, unsigned char *q,
                          unsigned char *u, unsigned char *t)
{
    CAROM_NEED_OR(, system, q, u, t);
    const int known = system->ops->depends ? 0 : 1;
    memset(q, known, (size_t)system->shape.nq);
    memset(u, known, (size_t)system->shape.n);
    *t = (unsigned char)known;
    if (system->ops->depends)
        system->ops->depends(system->self, want, q, u, t);
}

carom_status carom_system_switching(const carom_system *system, const carom_state *state,
                                    const carom_directions *directions, double *value,
                                    double *change, carom_error *error)
{
    CAROM_NEED(error, system, state, value);
    if (system->shape.switch_count == 0 || !system->ops->switching)
        return CAROM_OK;
    return system->ops->switching(system->self, state, directions, value, change, error);
}

void carom_system_tangents(const carom_system *system, carom_tangents *tangents)
{
    CAROM_NEED_OR(, system, system->ops->tangents, tangents);
    system->ops->tangents(system->self, tangents);
}

void carom_system_reset_tangents(const carom_system *system, int event, double *q, double *u)
{
    CAROM_NEED_OR(, system, q, u);
    if (system->shape.events[event].resets)
        system->ops->reset_tangents(system->self, event, q, u);
}
