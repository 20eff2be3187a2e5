/* Two cylinders as a kind of pair. */
#include "bodies/cylinders.h"
#include "bodies/pair.h"

#include <float.h>

static carom_cylinders cylinders_of(const carom_pair *pair)
{
    return (carom_cylinders){{pair->a->half[0], pair->a->half[2]},
                             {pair->b->half[0], pair->b->half[2]},
                             pair->at,
                             pair->at.p,
                             pair->at.R.z};
}

static void manifold(const carom_pair *pair, double reach, carom_manifold *out)
{
    carom_cylinders x = cylinders_of(pair);
    carom_cylinders_axis best;
    carom_cylinders_best(&x, carom_pair_margin(pair), &best);
    if (best.gap <= reach)
        carom_cylinders_contacts(&x, &best, reach, carom_pair_margin(pair),
                                 carom_pair_flat(pair->a->size, pair->b->size), out);
}

static void distance(const carom_pair *pair, carom_witness *w)
{
    enum { ROOM = 128 };
    carom_witness room[ROOM];
    carom_manifold m = {room, 0, ROOM, 0};
    carom_cylinders x = cylinders_of(pair);
    carom_cylinders_axis best;
    double margin = carom_pair_margin(pair);
    carom_cylinders_best(&x, margin, &best);
    carom_cylinders_contacts(&x, &best, INFINITY, margin, margin, &m);
    *w = room[0];
    for (int k = 1; k < m.count && k < ROOM; k++)
        if (fabs(room[k].gap - best.gap) < fabs(w->gap - best.gap))
            *w = room[k];
}

const carom_pair_ops carom_pair_cylinders_ops = {distance, manifold};
