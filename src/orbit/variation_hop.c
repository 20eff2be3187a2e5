/* Hops (docs/theory/sensitivities.md, "Hops"): a closed contact whose rate a direction moves leaves
 * its wall, or strikes it, in neighbouring motions; one that flies too low for positions to tell is
 * taken as rest by the motion itself. Both come back after a time that is proportional to that rate
 * and end on the rows of the mode by impulses that bring the friction of what slides: if the law
 * gives impacts as much as sliding has, and no restitution of one, by which they would never end.
 */
#include <math.h>

#include "carom/tolerance.h"
#include "orbit/variation.h"

/* What may be lost of D, as a part of it. */
static const double counts = 1e-6;

bool carom_variation_hop(const carom_variation *v, int i)
{
    return v->mode[i] != CAROM_MODE_OPEN && v->lost[i] > counts;
}

/* By how much the friction of a hop of contact i, which slides, differs from that of sliding: that
 * of the flights which are left out now, or of impacts that neighbours have. */
static double rubs_otherwise(const carom_variation *v, const carom_event_driven *e, int i)
{
    const double mu = v->point.mu[i];
    double off = 0;
    if (!e->rested[i] && !e->low[i])
        return carom_event_flights_law(e, i).rough ? 0 : mu;
    for (int j = v->shape->slip_start[i]; j < v->shape->slip_start[i + 1]; j++)
        off = hypot(off, e->ratio[j] + mu * v->point.direction[j]);
    return off <= CAROM_TOLERANCE_CARRIED * mu ? 0 : off;
}

/* How long hops last, 2/(1 - e) of the time in which a contact that has lost its rate would lose it
 * by what holds it: the longest, as a part of D. */
static double longest(carom_variation *v, const carom_event_driven *e)
{
    double most = 0;
    char number[16];
    for (int i = 0; i < v->shape->p; i++) {
        const double left = 1 - carom_event_flights_law(e, i).restitution;
        if (v->mode[i] != CAROM_MODE_OPEN)
            most = fmax(most, left > 0 ? 2 * v->lost[i] / left : 0);
        if (carom_variation_hop(v, i) && !(left > 0))
            carom_variation_refuse(v, e->t,
                                   "contact %s is closed at t = %.12g, where neighbouring motions "
                                   "hop: with a restitution of 1 they do so for ever",
                                   carom_contact_name(v->shape->contacts, i, number), e->t);
    }
    return most;
}

void carom_variation_hop_check(carom_variation *v, const carom_event_driven *e)
{
    const bool limit = e->left > 0 && v->told->limit; /* what is left of flights moves with it */
    const double lasts = longest(v, e);
    char number[16];
    for (int i = 0; i < v->shape->p && !limit; i++)
        if (v->point.sliding[i] && lasts * rubs_otherwise(v, e, i) > counts)
            carom_variation_refuse(v, e->t,
                                   "contact %s slides at t = %.12g, where neighbouring motions "
                                   "hop: their impacts have another friction by its law",
                                   carom_contact_name(v->shape->contacts, i, number), e->t);
}
