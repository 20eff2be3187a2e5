/* Events by halving: event functions of laws have kinks and may only tell whether something has
 * happened, so that faster methods gain nothing. */
#include "solver/ode_events.h"

#include <float.h>

double carom_ode_events_isolate(const carom_ode_dop853 *ode, int size, double low, double high,
                                carom_ode_event *happened, void *self, double *y)
{
    while (high - low > 0.5 * DBL_EPSILON) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low) || !(middle < high))
            break;
        carom_ode_dop853_at(ode, middle, size, y);
        if (happened(self, y))
            high = middle;
        else
            low = middle;
    }
    carom_ode_dop853_at(ode, high, size, y);
    return high;
}

double carom_ode_events_first(const carom_ode_dop853 *ode, int size, int pieces,
                              carom_ode_event *happened, void *self, double *y)
{
    double low = 0;
    for (int i = 1; i <= pieces; i++) {
        const double high = (double)i / pieces;
        carom_ode_dop853_at(ode, high, size, y);
        if (happened(self, y))
            return carom_ode_events_isolate(ode, size, low, high, happened, self, y);
        low = high;
    }
    return 2;
}
