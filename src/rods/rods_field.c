/* Force, velocity and energy inside a rod, read from the histories of its ends. */
#include "carom/need.h"
#include "carom/rods.h"

#include <math.h>

/* The value a history had at time t (its last step not after t). */
static double at(const carom_rods_history *history, double t)
{
    int low = 0, high = history->count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (history->steps[middle].t <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return history->steps[low].value;
}

void carom_rods_field_at(const carom_rods_motion *motion, int rod, double x, double t,
                         double *force, double *velocity)
{
    CAROM_NEED_OR(, motion, motion->travel, force, velocity);
    double y = motion->travel[rod] * (x / motion->length[rod]);
    double r = at(&motion->right[rod], t - y);
    double s = at(&motion->left[rod], t - (motion->travel[rod] - y));
    *force = 0.5 * (r + s);
    *velocity = 0.5 * (r - s) / motion->impedance[rod];
}

/* Kinetic energy is the integral of (r - s)^2/(8 Z), strain energy of (r + s)^2/(8 Z), over the
 * travel-time coordinate y = x/c; both are constant between the merged steps of r and s. */
void carom_rods_field_energy(const carom_rods_motion *motion, int rod, double t, double *kinetic,
                             double *strain)
{
    CAROM_NEED_OR(, motion, motion->travel, kinetic, strain);
    const carom_rods_history *right = &motion->right[rod], *left = &motion->left[rod];
    double travel = motion->travel[rod], y = 0;
    double difference = 0, sum = 0;
    /* r at y left at t - y: later steps first; s at y left at t - travel + y: earlier first */
    int n = right->count - 1, k = 0;
    while (n > 0 && right->steps[n].t > t)
        n--;
    while (k + 1 < left->count && left->steps[k + 1].t <= t - travel)
        k++;
    while (y < travel) {
        double r_end = n > 0 ? t - right->steps[n].t : INFINITY;
        double s_end = k + 1 < left->count ? left->steps[k + 1].t - (t - travel) : INFINITY;
        double end = fmin(travel, fmin(r_end, s_end));
        double r = right->steps[n].value, s = left->steps[k].value;
        if (end > y) {
            difference += (r - s) * (r - s) * (end - y);
            sum += (r + s) * (r + s) * (end - y);
            y = end;
        }
        if (r_end <= end)
            n--;
        if (s_end <= end)
            k++;
    }
    *kinetic = difference / (8 * motion->impedance[rod]);
    *strain = sum / (8 * motion->impedance[rod]);
}
