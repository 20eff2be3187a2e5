/* Jumps of the forces: a road that begins, sign(x') that changes. No step across one passes its
 * test, however short, where the motion before it was rest. */
#include "flow/event_driven.h"

#include <math.h>
#include <string.h>

/* What is left of a jump behind it, as a part of it: its other side is a plateau. A pole has none.
 */
static const double plateau = 0.01;

/* The slope after an Euler step of length h from y, which moves there. */
static carom_status follow(carom_event_driven *e, double t, double h, double *y, double *slope,
                           carom_error *error)
{
    for (int i = 0; i < e->ode.n; i++)
        y[i] += h * slope[i];
    return e->ode.f(e->ode.self, t + h, y, slope, error);
}

/* The largest difference of the accelerations of two slopes. */
static double apart(const carom_event_driven *e, const double *a, const double *b)
{
    double most = 0;
    for (int i = e->nq; i < e->nq + e->n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Is there a jump between here and h later, with a limit on its other side? The slopes at h, 2 h
 * and 4 h agree with each other but not with the one here. */
bool carom_event_jump_ahead(carom_event_driven *e, double h, carom_error *error)
{
    const size_t size = sizeof(double) * (size_t)e->ode.n;
    double *y = e->ode.next, *first = e->ode.k[1],
           *slope = e->ode.k[2]; /* as a step would use them */
    memcpy(y, e->ode.y, size);
    memcpy(slope, e->ode.k[0], size);
    if (e->kind != CAROM_EVENT_CURVED || follow(e, e->t, h, y, slope, error) != CAROM_OK)
        return false;
    memcpy(first, slope, size);
    const double jump = apart(e, first, e->ode.k[0]);
    double rest = 0;
    for (int k = 1; k <= 2; k++) {
        if (follow(e, e->t + k * h, k * h, y, slope, error) != CAROM_OK)
            return false;
        rest = fmax(rest, apart(e, slope, first));
    }
    return isfinite(jump) && jump > 0 && rest <= plateau * jump;
}
