/* What is pushed in a step may push on: which other contacts will take part, found by a few sweeps
 * over all within reach, island by island (docs/theory/bodies.md, "Steps"). */
#include "flow/bodies_step.h"

#include <math.h>
#include <string.h>

/* Take all contacts of islands where some take part and others do not: elsewhere there is nothing
 * to find, and what takes part must not depend on what happens there. False: there are none. */
static bool take_islands(carom_bodies_stepping *s)
{
    enum { SOME = 1, OTHERS = 2 };
    const size_t count = (size_t)s->found.count;
    bool any = false;
    memcpy(s->kept, s->active, count);
    memset(s->active, 1, count);
    carom_bodies_step_islands(s);
    memset(s->pushes, 0, (size_t)s->trees);
    for (int k = 0; k < s->found.count; k++)
        s->pushes[s->island[s->found.contact[k].tree[0]]] |= s->kept[k] ? SOME : OTHERS;
    for (int t = 0; t < s->trees; t++)
        s->pushes[t] = s->pushes[s->island[t]] == (SOME | OTHERS);
    for (int k = 0; k < s->found.count; k++) {
        s->active[k] = s->pushes[s->found.contact[k].tree[0]];
        any = any || s->active[k];
    }
    return any;
}

/* What carries an impulse after the sweeps takes part. Their velocities are rough, so that what
 * comes near at a tenth more does too: a contact that stays open costs little, one that is missed
 * another solution. */
static void take_pushed(carom_bodies_stepping *s)
{
    static const double rough = 0.1; /* of the speeds of both sides */
    memcpy(s->active, s->kept, (size_t)s->found.count);
    for (int k = 0; k < s->row_count; k++)
        if (s->row[k].source == CAROM_BODIES_FOUND && s->P[s->row[k].at] > 0)
            s->active[s->row[k].index] = 1;
    carom_bodies_step_way(s);
    for (int k = 0; k < s->found.count; k++) {
        const int *tree = s->found.contact[k].tree;
        const double speed = fmax(s->fastest[tree[0]], tree[1] < 0 ? 0 : s->fastest[tree[1]]);
        if (s->pushes[tree[0]] && carom_bodies_step_closes(s, k, rough * speed))
            s->active[k] = 1;
    }
}

carom_status carom_bodies_step_push(carom_bodies_stepping *s, carom_error *error)
{
    enum { SWEEPS = 20 };
    bool any = false;
    if (!take_islands(s)) {
        memcpy(s->active, s->kept, (size_t)s->found.count);
        return CAROM_OK;
    }
    memcpy(s->next, s->free, (size_t)s->n * sizeof *s->next);
    carom_status status = carom_bodies_step_state(s, &any, error);
    if (status == CAROM_OK && any)
        status = carom_bodies_step_solve_roughly(s, SWEEPS, error);
    if (status == CAROM_OK && any)
        take_pushed(s);
    else
        memcpy(s->active, s->kept, (size_t)s->found.count);
    return status;
}
