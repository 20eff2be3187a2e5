/* Roots in a bracket: by falling back on halves, and by Newton's method kept inside. */
#include "solver/root.h"

#include <float.h>
#include <math.h>

/* Regula falsi whose idle end is weakened (Illinois), and a half whenever two of its steps have not
 * halved the bracket. */
double carom_root_rise(carom_root_function *f, void *self, double low, double high, double width)
{
    double at_low = f(self, low), at_high = f(self, high), before = 2 * (high - low);
    int side = 0;
    while (high - low > width) {
        double x = 0.5 * (low + high);
        const bool falsi = at_low < 0 && at_high > 0 && isfinite(at_low) && isfinite(at_high) &&
                           high - low <= 0.5 * before;
        before = high - low;
        if (falsi) {
            const double secant = high - at_high * ((high - low) / (at_high - at_low));
            if (secant > low && secant < high)
                x = secant;
        }
        if (!(x > low && x < high))
            break;
        const double value = f(self, x);
        if (value >= 0) {
            high = x;
            at_high = value;
            at_low *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            low = x;
            at_low = value;
            at_high *= side < 0 ? 0.5 : 1;
            side = -1;
        }
    }
    return high;
}

/* Steps that do not halve the one before the last are replaced by halves of the bracket: towards
 * multiple roots, and down steep curves, Newton's method alone goes on and on. */
double carom_root_newton(carom_root_curve *f, void *self, double low, double high, double sign,
                         double x)
{
    double before = INFINITY, last = INFINITY;
    for (;;) {
        double slope;
        const double v = sign * f(self, x, &slope);
        if (v >= 0)
            low = x;
        else
            high = x;
        double next = slope * sign < 0 ? x - v / (slope * sign) : -INFINITY;
        if (!(next > low && next < high) || !(fabs(next - x) <= 0.5 * before)) {
            if (v == 0 || fabs(high - low) <= 2 * DBL_EPSILON * fabs(high))
                return x;
            next = 0.5 * (low + high);
        }
        if (fabs(next - x) <= 4 * DBL_EPSILON * fabs(next))
            return next;
        before = last;
        last = fabs(next - x);
        x = next;
    }
}
