/* Steps to the next event. */
#include "solver/ode_events.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/root.h"

carom_status carom_ode_events_create(carom_arena *arena, int n, int controlled, carom_ode_rhs *f,
                                     carom_ode_event *value, int count, int samples, void *self,
                                     carom_ode_events *e, carom_error *error)
{
    *e = (carom_ode_events){.value = value, .count = count, .samples = samples};
    carom_status status = carom_ode_dop853_create(arena, n, controlled, f, self, &e->ode, error);
    if (status != CAROM_OK)
        return status;
    e->point = carom_arena_doubles(arena, (size_t)n);
    e->settled = carom_arena_zeros(arena, 3 * (size_t)count, 1);
    e->stayed = e->settled + count;
    e->above = e->stayed + count;
    return e->point && e->settled ? CAROM_OK : carom_error_memory(error);
}

carom_status carom_ode_events_start(carom_ode_events *e, carom_error *error)
{
    return e->ode.f(e->ode.self, e->t, e->ode.y, e->ode.k[0], error);
}

/* Function `which` along the step, for the search in it. */
typedef struct search {
    carom_ode_events *e;
    int which;
} search;

static double value_at(void *self, double theta)
{
    const search *s = self;
    carom_ode_events *e = s->e;
    carom_ode_dop853_at(&e->ode, theta, e->ode.n, e->point);
    return e->value(e->ode.self, s->which, e->t + theta * e->ode.h, e->point);
}

/* The first event between the samples at `low` and `high`, at the latter of which some function is
 * `above` the noise; 2 when all of those are to be passed over. */
static double first_event(carom_ode_events *e, double low, double high, int *which)
{
    double first = 2;
    for (int k = 0; k < e->count; k++) {
        search s = {e, k};
        if (!e->above[k])
            continue;
        double theta = 0;
        if (e->stayed[k] || !(e->value(e->ode.self, k, e->t, e->ode.y) > -e->noise))
            theta = carom_root_rise(value_at, &s, low, high, 0.5 * DBL_EPSILON);
        else if (e->settled[k])
            continue; /* rounding either way */
        if (theta < first) {
            first = theta;
            *which = k;
        }
    }
    return first;
}

/* The part of the step at which the first event is, 2 when there is none. */
static double find(carom_ode_events *e, int *which)
{
    memset(e->stayed, 0, (size_t)e->count);
    for (int i = 1; i <= e->samples; i++) {
        const double theta = (double)i / e->samples;
        bool any = false;
        carom_ode_dop853_at(&e->ode, theta, e->ode.n, e->point);
        for (int k = 0; k < e->count; k++) {
            const double v = e->value(e->ode.self, k, e->t + theta * e->ode.h, e->point);
            e->above[k] = v > e->noise;
            any = any || e->above[k];
            e->stayed[k] = e->stayed[k] || v < 0;
        }
        if (any) {
            const double first = first_event(e, (double)(i - 1) / e->samples, theta, which);
            if (first <= 1)
                return first;
        }
    }
    return 2;
}

/* Take the step tried last, or the part theta of it, by a step of its own: it has the full order.
 */
static carom_status take(carom_ode_events *e, double theta, carom_error *error)
{
    const size_t size = sizeof(double) * (size_t)e->ode.n;
    e->from = e->t;
    e->length = e->ode.h;
    e->steps++;
    if (theta > 1) {
        memcpy(e->ode.y, e->ode.next, size);
        memcpy(e->ode.k[0], e->ode.k[12], size);
        e->t += e->length;
        return CAROM_OK;
    }
    if (theta > 0) {
        const double part = theta * e->length;
        carom_status status = carom_ode_dop853_try(&e->ode, e->t, part, error);
        if (status != CAROM_OK)
            return status;
        memcpy(e->ode.y, e->ode.next, size);
        e->t += part;
    }
    return CAROM_OK;
}

carom_status carom_ode_events_step(carom_ode_events *e, double longest, const double *scale,
                                   int *event, carom_error *error)
{
    *event = -1;
    for (;;) {
        const double tried = e->h < longest ? e->h : longest;
        if (!(tried > 0) || e->t + tried == e->t) {
            e->h = 0;
            return CAROM_OK;
        }
        carom_status status = carom_ode_dop853_try(&e->ode, e->t, tried, error);
        double err = status == CAROM_OK ? carom_ode_dop853_error(&e->ode, scale) : INFINITY;
        if (status == CAROM_OK && err <= 1)
            status = carom_ode_dop853_dense(&e->ode, error);
        if (status < 0)
            return status;
        e->h = tried * (status > 0 ? 0.25 : carom_ode_dop853_factor(err));
        if (status > 0 || !(err <= 1)) {
            e->rejected++;
            continue;
        }
        int which = -1;
        const double theta = e->count > 0 ? find(e, &which) : 2;
        if (theta <= 1) {
            *event = which;
            e->h = fmin(e->h, tried);
        }
        return take(e, theta, error);
    }
}

void carom_ode_events_at(const carom_ode_events *e, double t, int count, double *y)
{
    carom_ode_dop853_at(&e->ode, (t - e->from) / e->length, count, y);
}
