/* Static friction above dynamic friction in a time step: a contact slides with mu_d while its slip
 * keeps its direction, sticks within mu_s where the slip is or passes zero. */
#include "flow/step_static.h"

#include <math.h>

#include "carom/tolerance.h"
#include "flow/step_solve.h"

/* What a contact does in this step. */
enum { SLIDES, MAY_STICK, STARTED };

static const carom_contact *of(const carom_step_contact *c, int k)
{
    return &c->shape->contacts[c->contact[k]];
}

static void take(carom_step_contact *c, int k, unsigned char does)
{
    c->does[k] = does;
    c->mu[k] = does == MAY_STICK ? of(c, k)->friction_static : of(c, k)->friction_dynamic;
}

void carom_step_static_add(carom_step_contact *c, int contact, int slips)
{
    carom_step_contact_add(c, contact, slips, 0);
    take(c, c->count - 1, c->stuck[contact] ? MAY_STICK : SLIDES);
}

/* The slip xi of contact k in the solution, zero where it is the rounding of what makes it, and how
 * far it points along the slip at the start of the step, which is not there at all where it is the
 * rounding of what the step adds to it. */
static void look(const carom_step_contact *c, int k, bool *slips, bool *goes_on)
{
    double xi = 0, along = 0, start = 0, size = 0;
    for (int r = c->base[k] + 1; r < c->base[k + 1]; r++) {
        xi += c->w[r] * c->w[r];
        start += c->slip[r] * c->slip[r];
        along += c->w[r] * c->slip[r];
        size = fmax(size, c->size[r]);
    }
    *slips = sqrt(xi) > CAROM_TOLERANCE_SIGN * size;
    *goes_on = *slips && along > 0 && sqrt(start) > CAROM_TOLERANCE_SIGN * size;
}

/* Is there a choice? */
static bool has_two(const carom_step_contact *c, int k)
{
    return carom_step_contact_width(c, k) > 0 &&
           of(c, k)->friction_dynamic < of(c, k)->friction_static;
}

bool carom_step_static_revise(carom_step_contact *c)
{
    int k = 0;
    bool changed = false;
    while (k < c->count && !has_two(c, k))
        k++;
    if (k == c->count)
        return false;
    carom_step_solve_rates(c);
    for (; k < c->count; k++) {
        bool slips, goes_on;
        if (!has_two(c, k))
            continue;
        look(c, k, &slips, &goes_on);
        c->sticks[k] = !slips;
        if (!slips || !(c->P[c->base[k]] > 0) || c->does[k] == STARTED ||
            (c->does[k] == SLIDES && goes_on))
            continue;
        take(c, k, c->does[k] == SLIDES ? MAY_STICK : STARTED);
        changed = true;
    }
    return changed;
}

void carom_step_static_keep(carom_step_contact *c)
{
    for (int i = 0; i < c->p; i++) {
        const int k = c->at[i];
        c->stuck[i] = k >= 0 && has_two(c, k) && c->sticks[k] && c->P[c->base[k]] > 0;
    }
}
