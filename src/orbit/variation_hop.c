/* Hops (docs/theory/sensitivities.md, "Hops"): a closed contact whose rate a direction moves leaves
 * its wall, or strikes it, in neighbouring motions; one that flies too low for positions to tell is
 * taken as rest by the motion itself. Both come back after a time that is proportional to that rate
 * and end on the rows of the mode by impulses that bring the friction of what slides: if the law
 * gives impacts as much as sliding has, and no restitution of one, by which they would never end.
 */
#include <math.h>

#include "carom/tolerance.h"
#include "orbit/variation.h"

/* The friction of the flights that were left out is that of sliding. */
static bool rubs_alike(const carom_variation *v, const carom_event_driven *e, int i)
{
    const double mu = v->point.mu[i];
    double off = 0;
    for (int j = v->shape->slip_start[i]; j < v->shape->slip_start[i + 1]; j++)
        off = hypot(off, e->ratio[j] + mu * v->point.direction[j]);
    return off <= CAROM_TOLERANCE_CARRIED * mu;
}

/* Does contact i, closed now, hop in neighbouring motions? */
static bool hops(const carom_variation *v, const carom_event_driven *e, int i)
{
    return v->mode[i] != CAROM_MODE_OPEN &&
           (v->hops[i] || (e->low[i] && e->struck[i] != e->t && !e->rested[i]));
}

void carom_variation_hop_check(carom_variation *v, const carom_event_driven *e)
{
    const bool limit = e->left > 0 && v->told->limit;
    bool any = false;
    char number[16];
    for (int i = 0; i < v->shape->p; i++) {
        v->hops[i] = hops(v, e, i);
        any = any || v->hops[i];
        if (v->hops[i] && carom_event_flights_law(e, i).restitution >= 1)
            carom_variation_refuse(v, e->t,
                                   "contact %s is closed at t = %.12g, where neighbouring motions "
                                   "hop: with a restitution of 1 they do so for ever",
                                   carom_contact_name(v->shape->contacts, i, number), e->t);
    }
    for (int i = 0; i < v->shape->p; i++) {
        const bool slides = v->point.sliding[i] && v->point.mu[i] > 0;
        const bool left_out = e->rested[i] || e->low[i];
        if (slides && ((any && !carom_event_flights_law(e, i).rough) ||
                       (left_out && !limit && !rubs_alike(v, e, i))))
            carom_variation_refuse(v, e->t,
                                   "contact %s slides at t = %.12g, where neighbouring motions "
                                   "hop: their impacts have another friction by its law",
                                   carom_contact_name(v->shape->contacts, i, number), e->t);
    }
}
