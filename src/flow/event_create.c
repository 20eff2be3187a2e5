/* The work space of the event-driven method. */
#include "flow/event_own.h"
#include "flow/event_region.h"

#include <math.h>
#include <string.h>

carom_status carom_event_create(carom_event_driven *e, carom_record *record, const carom_law *law,
                                const carom_flow_start *start, carom_ode_rhs *slope,
                                carom_arena *work, carom_arena *scratch, carom_error *error)
{
    const carom_system_shape *shape = record->shape;
    memset(e, 0, sizeof *e);
    e->record = record;
    e->shape = shape;
    e->options = record->options;
    e->scratch = scratch;
    e->nq = shape->nq;
    e->n = shape->n;
    e->extra = 2 + (shape->s > 0 ? shape->p : 0);
    carom_status status = carom_motion_create(record->system, work, &e->motion, error);
    if (status == CAROM_OK)
        status = carom_state_create(record->system, work, &e->probe, error);
    if (status == CAROM_OK)
        status = carom_ode_dop853_create(work, e->nq + e->n + e->extra, e->nq + e->n, slope, e,
                                         &e->ode, error);
    if (status == CAROM_OK)
        status = carom_collide_create(law, shape, work, scratch, &e->collide, error);
    if (status == CAROM_OK)
        status = carom_event_own_create(e, work, error);
    if (status == CAROM_OK)
        status = carom_event_region_create(e, work, error);
    if (status != CAROM_OK)
        return status;
    const size_t p = (size_t)shape->p, y = (size_t)(e->nq + e->n + e->extra);
    const size_t most = 5 * p + 1 + (size_t)shape->event_count;
    double *d = carom_arena_zeros(
        work, 6 * y + 18 * p + 17 * most + 3 * (size_t)e->motion.capacity + (size_t)shape->s,
        sizeof(double));
    e->touching = carom_arena_zeros(work, 7 * p, 1);
    e->events = carom_arena_array(work, most, sizeof *e->events);
    if (!d || !e->touching || !e->events)
        return carom_error_memory(error);
    e->candidate = e->touching + p;
    e->triggered = e->candidate + p;
    e->told = e->triggered + p;
    e->was = e->told + p;
    e->rested = e->was + p;
    e->low = e->rested + p;
    e->ratio = d;
    e->bounce = d += shape->s;
    e->struck = d += p;
    for (size_t i = 0; i < p; i++) {
        e->bounce[i] = -1;
        e->struck[i] = -INFINITY;
    }
    e->scale = d += p;
    e->peak = d += y;
    e->point = d += y;
    e->cancelled = d += y;
    e->speed = d += y;
    e->slow = d += p;
    e->weak = d += p;
    e->noise = d += p;
    e->doubt = d += p;
    e->tremor = d += p;
    e->shake = d += p;
    e->clock = d += p;
    e->sample = d += 6 * p;
    e->check = d += 8 * most;
    e->bernstein = d += most;
    e->errors = d += 8 * most;
    e->flight = d + 3 * (size_t)e->motion.capacity;
    e->t = e->begin = e->event_time = start->t;
    memcpy(e->ode.y, start->q, sizeof(double) * (size_t)e->nq);
    memcpy(e->ode.y + e->nq, start->u, sizeof(double) * (size_t)e->n);
    return CAROM_OK;
}
