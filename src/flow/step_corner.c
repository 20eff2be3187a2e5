/* Warns of bodies that rest in a corner of one gap: y - |x| is the least of y - x and y + x, two
 * contacts of which a step sees the one that its beginning is on. The body goes back and forth
 * between them and sinks by a part of the square of the step each time. */
#include "flow/step_corner.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/record.h"
#include "linalg/dense.h"

/* The part of its way by which a gap is missed at a corner, and how many times it is told after. */
static const double missed = 0.1;
enum { TIMES = 3 };

void carom_step_corner_expect(carom_time_stepping *s, const double *v)
{
    const carom_step_rows *rows = &s->contact.rows;
    memset(s->way, 0, sizeof *s->way * (size_t)s->p);
    if (s->shape->rows_are_constant || s->moves)
        return;
    for (int i = 0; i < s->p; i++) {
        if (!(s->impulse[i] > 0))
            continue;
        s->expected[i] = s->state.g[i] + s->h * carom_step_rows_dot(rows, i, v);
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
            s->way[i] +=
                s->h * fabs(rows->value[k] * v[rows->full ? k - rows->start[i] : rows->index[k]]);
    }
}

carom_status carom_step_corner_look(carom_time_stepping *s, carom_error *error)
{
    carom_status status = CAROM_OK;
    const double grain = CAROM_TOLERANCE_CARRIED * carom_dense_max(s->nq, s->state.q);
    for (int i = 0; i < s->p && status == CAROM_OK; i++) {
        const double below = s->expected[i] - s->state.g[i];
        char name[32];
        if (!(s->way[i] > grain) || !(below > missed * s->way[i]) || s->corners[i] == TIMES ||
            ++s->corners[i] < TIMES)
            continue;
        status = carom_record_warn(
            s->record, s->t, error,
            "contact %s has a corner of its gap at t = %.12g (abs, min, max or if in its formula), "
            "or turns much within a step: steps know one side of it, and what rests there sinks; "
            "make each side a contact",
            carom_record_contact(s->record, i, name), s->t);
    }
    return status;
}
