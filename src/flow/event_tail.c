/* Flights of several contacts that are too low for positions, in the limit in which accelerations
 * and responses to impulses do not change: a motion without a scale, whose gaps are numbers of
 * their own and lose no digits. */
#include "flow/event_tail.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

enum { MOST = CAROM_EVENT_TAIL_MOST, IMPACTS = 10000 };

/* Contacts as high as this many resolutions go with one that is below it: patterns of several
 * contacts have flights of different heights. In so short a time coefficients change by 1e-6. */
static const double reach = 1e3;

/* The tail has ended when its speeds are this part of what they were; so is what is left of it. */
static const double ended = 1e-10;

void carom_event_tail_response(const carom_event_driven *e, int j, double *y)
{
    const carom_state *s = &e->motion.state;
    const size_t n = (size_t)e->n;
    memcpy(y, s->W + (size_t)j * n, n * sizeof(double));
    for (int l = e->shape->slip_start[j]; l < e->shape->slip_start[j + 1]; l++)
        carom_dense_axpy(e->n, e->ratio[l], s->H + (size_t)l * n, y);
    carom_motion_inverse_mass(&e->motion, y);
}

/* Is the friction of contact i the same in all flights: none, or that of a slide that goes on? */
static bool steady(const carom_event_driven *e, int i)
{
    double slip = 0, ratio = 0;
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++) {
        slip = hypot(slip, carom_motion_slip(&e->motion, j));
        ratio = hypot(ratio, e->ratio[j]);
    }
    return ratio == 0 || (slip > e->slow[i] && slip > fabs(carom_motion_gamma(&e->motion, i)));
}

/* Add contact i, if it is open and low. */
static bool add(const carom_event_driven *e, int i, carom_event_tail *tail)
{
    const carom_motion *m = &e->motion;
    const double gamma = carom_motion_gamma(m, i), g = fmax(m->state.g[i], 0);
    const double a = m->state.g_bias[i] +
                     carom_dense_dot(e->n, m->state.W + (size_t)i * (size_t)e->n, m->a_free);
    const double top = gamma * gamma - 2 * a * g;
    if (!(a < 0) || !(top <= -2 * a * reach * carom_event_rounding_resolution(e, i)))
        return false;
    if (e->bounce[i] < 0 || e->bounce[i] >= 1 || !steady(e, i) || tail->count == MOST)
        return false;
    const int k = tail->count++;
    tail->contact[k] = i;
    tail->g[k] = e->touching[i] ? 0 : g;
    tail->gamma[k] = gamma;
    tail->a[k] = a;
    tail->e[k] = e->bounce[i];
    return true;
}

/* A tail of this contact, if nothing else is held. */
static bool begin(const carom_event_driven *e, int contact, carom_event_tail *tail)
{
    const carom_system_shape *z = e->shape;
    *tail = (carom_event_tail){0};
    if (z->m + z->a + z->spread > 0 || z->region || !add(e, contact, tail))
        return false;
    for (int i = 0; i < z->p; i++)
        if (i != contact && e->motion.mode[i] != CAROM_MODE_OPEN)
            return false;
    return true;
}

bool carom_event_tail_alone(const carom_event_driven *e, int contact, carom_event_tail *tail)
{
    if (e->struck[contact] != e->t || !begin(e, contact, tail))
        return false;
    tail->D[0] = 1; /* of no effect: there is no other rate */
    return true;
}

bool carom_event_tail_find(carom_event_driven *e, int contact, carom_event_tail *tail)
{
    const carom_system_shape *z = e->shape;
    if (!begin(e, contact, tail))
        return false;
    for (int i = 0; i < z->p; i++)
        if (i != contact)
            add(e, i, tail);
    double *y = e->point; /* free between steps */
    bool coupled = tail->count > 1;
    for (int j = 0; j < tail->count; j++) {
        double other = 0;
        carom_event_tail_response(e, tail->contact[j], y);
        for (int i = 0; i < tail->count; i++) {
            const double *w = e->motion.state.W + (size_t)tail->contact[i] * (size_t)e->n;
            tail->D[i + MOST * j] = carom_dense_dot(e->n, w, y);
            other = i == j ? other : fmax(other, fabs(tail->D[i + MOST * j]));
        }
        coupled = coupled && tail->D[j + MOST * j] > 0 && other > 0;
    }
    return coupled;
}

/* When contact i comes down. */
static double flight_of(const carom_event_tail *t, int i)
{
    const double root = sqrt(fmax(t->gamma[i] * t->gamma[i] - 2 * t->a[i] * t->g[i], 0));
    return t->gamma[i] < 0 ? 2 * t->g[i] / (root - t->gamma[i]) : (root + t->gamma[i]) / -t->a[i];
}

/* All gaps fly for s, when contact c comes down. */
static void fly(carom_event_tail *t, carom_event_tail_change *d, double s, int c)
{
    const double rate = t->gamma[c] + t->a[c] * s;
    const double ds = d ? -(d->g[c] + s * (d->gamma[c] + 0.5 * s * d->a[c])) / rate : 0;
    for (int i = 0; i < t->count; i++) {
        t->g[i] = fmax(t->g[i] + s * (t->gamma[i] + 0.5 * s * t->a[i]), 0);
        t->gamma[i] += s * t->a[i];
        if (d) {
            d->g[i] += s * (d->gamma[i] + 0.5 * s * d->a[i]) + ds * t->gamma[i];
            d->gamma[i] += s * d->a[i] + ds * t->a[i];
        }
    }
    t->g[c] = 0;
    t->left += s;
    if (d) {
        d->g[c] = 0;
        d->left += ds;
    }
}

/* Contact c bounces. */
static void bounce(carom_event_tail *t, carom_event_tail_change *d, int c)
{
    const double D = t->D[c + MOST * c], rate = t->gamma[c];
    const double impulse = -(1 + t->e[c]) * rate / D;
    const double change =
        d ? -(d->e[c] * rate + (1 + t->e[c]) * d->gamma[c] + impulse * d->D[c + MOST * c]) / D : 0;
    for (int i = 0; i < t->count; i++) {
        t->gamma[i] += t->D[i + MOST * c] * impulse;
        if (d)
            d->gamma[i] += t->D[i + MOST * c] * change + d->D[i + MOST * c] * impulse;
    }
    t->gamma[c] = -t->e[c] * rate;
}

/* The largest speed at which a gap has been or will be. */
static double speed_of(const carom_event_tail *t)
{
    double top = 0;
    for (int i = 0; i < t->count; i++)
        top = fmax(top, sqrt(fmax(t->gamma[i] * t->gamma[i] - 2 * t->a[i] * t->g[i], 0)));
    return top;
}

bool carom_event_tail_follow(carom_event_tail *tail, carom_event_tail_change *d)
{
    carom_event_tail run = *tail, *t = &run;
    const double start = speed_of(t);
    double last[MOST] = {0};
    t->left = 0;
    if (d)
        d->left = 0;
    for (int k = 0; k < IMPACTS; k++) {
        int c = 0;
        for (int i = 1; i < t->count; i++)
            c = flight_of(t, i) < flight_of(t, c) ? i : c;
        const double s = flight_of(t, c), from = last[c];
        if (!(t->gamma[c] + s * t->a[c] < 0))
            return false;
        fly(t, d, s, c);
        bounce(t, d, c);
        const double speed = speed_of(t);
        if (!(speed <= start * 4))
            return false;
        last[c] = -t->gamma[c] / t->a[c];
        t->ratio = from > 0 ? last[c] / from : t->ratio;
        if (speed <= ended * start) {
            tail->left = t->left;
            tail->ratio = t->ratio;
            return t->left > 0;
        }
    }
    return false;
}
