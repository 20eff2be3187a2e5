/* The ways out of a surface that its triangles know (docs/theory/collision.md). */
#include "bodies/exits.h"
#include "carom/tolerance.h"

#include <math.h>

void carom_exits_start(carom_exits *exits, double margin)
{
    exits->count = 0;
    exits->deepest = INFINITY;
    exits->margin = margin;
}

/* The same normal, and depths that differ by less than the half. */
static bool alike(const carom_exits *exits, const carom_exit *e, v3 n, double gap)
{
    return v3_norm(v3_sub(e->n, n)) <= CAROM_TOLERANCE_HALF &&
           fabs(e->gap - gap) <= exits->margin + 0.5 * fabs(fmin(e->gap, gap));
}

void carom_exits_show(carom_exits *exits, v3 n, double gap)
{
    int far = 0;
    if (gap > exits->margin)
        return;
    exits->deepest = fmin(exits->deepest, gap);
    for (int k = 0; k < exits->count; k++) {
        carom_exit *e = &exits->at[k];
        if (alike(exits, e, n, gap)) {
            e->gap = fmin(e->gap, gap);
            return;
        }
        if (e->gap < exits->at[far].gap)
            far = k;
    }
    if (exits->count < CAROM_EXITS)
        far = exits->count++;
    else if (gap < exits->at[far].gap)
        return;
    exits->at[far] = (carom_exit){n, gap};
}

bool carom_exits_spare(const carom_exits *exits, double gap, carom_exits_along *along,
                       const void *self)
{
    for (int k = 0; k < exits->count; k++) {
        const carom_exit *e = &exits->at[k];
        if (e->gap > gap + exits->margin && along(self, e->n) >= e->gap - exits->margin)
            return true;
    }
    return false;
}
