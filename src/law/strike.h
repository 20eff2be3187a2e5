/* An impulse at one contact while all others are silent: Routh's path in the plane of its normal
 * and slip velocity. */
#ifndef CAROM_SRC_LAW_STRIKE_H
#define CAROM_SRC_LAW_STRIKE_H

#include <stdbool.h>

/* gamma' = D_nn + D_nt k, slip' = D_nt + D_tt k along the normal impulse, where friction is k times
 * it: k = -mu_d sign(slip) while it slips; k = -D_nt/D_tt where it sticks, |k| <= mu_s. */
typedef struct carom_strike {
    double D_nn, D_nt, D_tt;
    double mu_s, mu_d; /* both 0: no friction */
    double gamma, slip;
    double normal, tangential; /* impulses so far */
} carom_strike;

/* Up to the normal impulse `most` more, or until gamma is zero where `stops`. False: there is no
 * end, the contact presses the more the longer it is pushed. */
bool carom_strike_go(carom_strike *strike, double most, bool stops);

#endif
