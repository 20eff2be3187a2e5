/* An impulse at one contact: straight pieces between the instants at which its slip ends. */
#include "law/strike.h"

#include <math.h>

/* Friction over normal impulse from here on; *sticks: the slip stays zero. */
static double find_ratio(const carom_strike *s, bool *sticks)
{
    *sticks = false;
    if (s->mu_s == 0 || s->D_tt <= 0)
        return 0;
    if (s->slip != 0)
        return -copysign(s->mu_d, s->slip);
    const double hold = -s->D_nt / s->D_tt;
    *sticks = fabs(hold) <= s->mu_s;
    return *sticks ? hold : copysign(s->mu_d, hold);
}

bool carom_strike_go(carom_strike *s, double most, bool stops)
{
    /* it slips one way, and then sticks or slips the other way for good */
    for (int piece = 0; piece < 2 && most > 0; piece++) {
        bool sticks, slip_ends = false, approach_ends = false;
        const double k = find_ratio(s, &sticks), rate = s->D_nn + s->D_nt * k;
        const double turn = sticks ? 0 : s->D_nt + s->D_tt * k;
        double length = most;
        if (k != 0 && s->slip * turn < 0 && -s->slip / turn < length) {
            length = -s->slip / turn;
            slip_ends = true;
        }
        if (stops && rate > 0 && -s->gamma / rate <= length) {
            length = -s->gamma / rate;
            approach_ends = true;
            slip_ends = false;
        }
        if (isinf(length))
            return false;
        s->normal += length;
        s->tangential += k * length;
        s->gamma = approach_ends ? 0 : s->gamma + rate * length;
        s->slip = slip_ends ? 0 : s->slip + turn * length;
        most -= length;
        if (!slip_ends)
            return true;
    }
    return true;
}
