/* Motions that will not arrive: forces that jump to and fro, and gaps near zero that move many
 * times faster than the rest, hold the step down for ever. */
#include "flow/event_corner.h"

/* Where a force jumps against the motion on both sides, as -c sign(x') does where it could hold,
 * the steps that pass their test are of the tolerance's size, step after step. */
enum { STEPS_LOOKED_AT = 10000 };

/* Steps that nobody waits for: the shortest costs a microsecond. */
static const double too_many_steps = 1e9;

carom_status carom_event_pace(carom_event_driven *e)
{
    const long steps = e->record->result->steps;
    if (e->pace_event != e->event_time || e->pace_steps == 0) { /* events may come thick and fast */
        e->pace_event = e->event_time;
        e->pace_steps = steps;
        e->pace_time = e->t;
        e->restless = false;
        return CAROM_OK;
    }
    if (steps - e->pace_steps < STEPS_LOOKED_AT)
        return CAROM_OK;
    const double advance = (e->t - e->pace_time) / (double)(steps - e->pace_steps);
    e->pace_steps = steps;
    e->pace_time = e->t;
    if (e->options->until - e->t <= too_many_steps * advance)
        return CAROM_OK;
    const carom_status status = carom_event_corner_stop(e, advance);
    if (status != CAROM_OK)
        return status;
    if (e->restless)
        return carom_record_stop(e->record, CAROM_FLOW_UNDERFLOW,
                                 "%d steps of %.3g, and the end is more than %.0e of them away: a "
                                 "gap near zero goes to and fro within longer ones",
                                 STEPS_LOOKED_AT, advance, too_many_steps);
    return carom_record_stop(e->record, CAROM_FLOW_UNDERFLOW,
                             "%d steps of %.3g, and the end is more than %.0e of them away: the "
                             "forces jump to and fro (sign, abs or if in a formula?); friction "
                             "that can hold is a contact's or a joint's",
                             STEPS_LOOKED_AT, advance, too_many_steps);
}
