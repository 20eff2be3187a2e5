/* When it is over: mean velocities, the energy left in waves, and a time after which no contact can
 * close again. */
#include <math.h>

#include "carom/tolerance.h"
#include "rods/rods_motion.h"

/* The integral of (value - base)^power, power 1 or 2, over the last travel time: what a track holds
 * inside its rod. */
static double in_flight(const carom_rods_track *track, double t, double travel, double base,
                        int power)
{
    double sum = 0, upper = t;
    for (int n = track->count - 1; n >= 0 && upper > t - travel; n--) {
        const double lower = fmax(track->steps[n].t, t - travel);
        const double v = track->steps[n].value - base;
        if (upper > lower)
            sum += (power == 2 ? v * v : v) * (upper - lower);
        upper = fmin(upper, track->steps[n].t);
    }
    return sum;
}

/* The mean of u = (R - S)/2. */
double carom_rods_way_velocity(const carom_rods_way *way, int i)
{
    const double T = way->travel[i];
    return (in_flight(&way->right[i], way->t, T, 0, 1) -
            in_flight(&way->left[i], way->t, T, 0, 1)) /
           (2 * T);
}

double carom_rods_way_waves(const carom_rods_way *way, int i, double V)
{
    return 0.25 * way->Z[i] *
           (in_flight(&way->right[i], way->t, way->travel[i], V, 2) +
            in_flight(&way->left[i], way->t, way->travel[i], -V, 2));
}

/* Is a rod, exactly, unstressed and of one velocity? Nothing is on its way in it, and what there is
 * has R + S = 0. */
static bool is_still(const carom_rods_way *way, int i)
{
    const carom_rods_track *r = &way->right[i], *s = &way->left[i];
    const size_t words = carom_rods_number_words(&way->format);
    if (way->at_right_end[i] + 1 != r->count || way->at_left_end[i] + 1 != s->count)
        return false;
    carom_rods_number_add(&way->format, r->number + (size_t)(r->count - 1) * words,
                          s->number + (size_t)(s->count - 1) * words, way->work);
    return carom_rods_number_sign(&way->format, way->work, way->bits) == 0;
}

/* The rods welded together from `first` on, which move and swing as one. */
typedef struct group {
    double velocity; /* mean; 0 where it is clamped */
    double reach;    /* how far an end may stray from the mean motion */
    int after;       /* the first rod behind it */
} group;

static group take_group(const carom_rods_way *way, int first)
{
    double mass = 0, momentum = 0, waves = 0, compliance = 0;
    bool clamped = first == 0 && way->joints[0].kind == CAROM_RODS_BONDED, still = true;
    int i = first;
    do {
        mass += way->mass[i];
        momentum += way->mass[i] * carom_rods_way_velocity(way, i);
        compliance += way->travel[i] / way->Z[i];
        still = still && is_still(way, i);
        i++;
    } while (i < way->count && way->joints[i].kind == CAROM_RODS_BONDED);
    clamped = clamped || (i == way->count && way->joints[i].kind == CAROM_RODS_BONDED);
    const double V = clamped ? 0 : momentum / mass;
    for (int k = first; k < i && !(still && i == first + 1); k++)
        waves += carom_rods_way_waves(way, k, V);
    return (group){V, sqrt(2 * waves * compliance), i};
}

/* The end of a group strays from its mean motion by at most sqrt(2 E_w sum l/(EA)) (Cauchy-Schwarz
 * on the strain), so a gap that grows on average cannot return after a known time. */
double carom_rods_way_settles(const carom_rods_way *way)
{
    /* means are sums of many terms: a difference below this is none */
    const double rounding = CAROM_TOLERANCE_CARRIED * way->speed;
    double horizon = way->t;
    group before = {0};
    for (int k = 0; k <= way->count;) {
        const group now = k < way->count ? take_group(way, k) : (group){.after = way->count + 1};
        const carom_rods_meeting *j = &way->joints[k];
        const double apart = now.velocity - before.velocity, sway = now.reach + before.reach;
        if (j->kind == CAROM_RODS_CONTACT) {
            if (j->force > 0 || (sway > 0 && apart <= rounding) || apart < -rounding)
                return INFINITY;
            if (sway > 0)
                horizon = fmax(horizon, way->t + 2 * sway / apart);
        }
        before = now;
        k = now.after;
    }
    return horizon;
}
