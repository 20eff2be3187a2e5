/* Contacts that come so near in a step that positions cannot tell whether they touch: a grazing to
 * rounding, on one side of which motions have an impact more (docs/theory/sensitivities.md). */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/variation.h"

/* Points of a flight, which is one step however long, and of an integrated step. */
enum { FLIGHT_POINTS = 8, STEP_POINTS = 1, ROUNDS = 40 };

/* Minima that a parabola puts above this part of the gaps at both ends are not looked at closer: a
 * step may be a large part of a swing, where a parabola errs by some hundredths. */
static const double close_by = 0.25;

/* Gap and rate of all contacts at t, into v->near: p, p. */
static carom_status look(carom_variation *v, double t, double *g, double *rate, carom_error *error)
{
    carom_state *s = &v->probe;
    const size_t n = (size_t)v->n;
    carom_variation_at(v, t, v->x);
    s->t = t;
    memcpy(s->q, v->x, n * sizeof(double));
    memcpy(s->u, v->x + n, n * sizeof(double));
    const unsigned guards = v->shape->guard_count > 0 ? CAROM_WANT_GUARDS : 0u;
    const carom_status status =
        carom_system_evaluate(v->system, CAROM_WANT_GAPS | CAROM_WANT_NORMALS | guards, s, error);
    for (int i = 0; i < v->shape->p && status == CAROM_OK; i++) {
        g[i] = s->g[i];
        rate[i] = carom_dense_dot(v->n, s->W + (size_t)i * n, s->u) + s->w_hat[i];
    }
    return status;
}

static bool may_touch(const carom_variation *v, int i)
{
    const int guard = v->shape->guard ? v->shape->guard[i] : -1;
    return guard < 0 || v->probe.guard[guard] > 0;
}

/* A contact that has just lifted off, by rounding still on its way down. */
static bool leaves(const carom_variation *v, const carom_event_driven *e, int i, double g,
                   double rate)
{
    return v->lifted[i] && g <= carom_event_rounding_of(e, i) && fabs(rate) <= e->slow[i];
}

/* The minimum of gap i between a and b, where its rate changes sign: halving and false position in
 * turn. now: work, 2p. */
static carom_status find_minimum(carom_variation *v, int i, double a, double da, double b,
                                 double db, double *now, double *least, carom_error *error)
{
    const int p = v->shape->p;
    for (int round = 0; round < ROUNDS; round++) {
        double t = round % 3 == 2 ? 0.5 * (a + b) : a - da * (b - a) / (db - da);
        t = t > a && t < b ? t : 0.5 * (a + b);
        if (!(t > a && t < b))
            break;
        const carom_status status = look(v, t, now, now + p, error);
        if (status != CAROM_OK)
            return status;
        *least = fmin(*least, now[i]);
        const double rate = now[p + i];
        if (rate == 0)
            break;
        *(rate < 0 ? &a : &b) = t;
        *(rate < 0 ? &da : &db) = rate;
    }
    return CAROM_OK;
}

/* Between two points: gaps that fall and rise again. A parabola tells which may be near. */
static carom_status check_between(carom_variation *v, const carom_event_driven *e, double a,
                                  const double *from, double b, const double *to, double *now,
                                  carom_error *error)
{
    const int p = v->shape->p;
    carom_status status = CAROM_OK;
    for (int i = 0; i < p && status == CAROM_OK && v->told->exists; i++) {
        const double da = from[p + i], db = to[p + i], top = fmin(from[i], to[i]);
        const double zero = carom_variation_touch_noise(v, e, i);
        if (v->mode[i] != CAROM_MODE_OPEN || !(da < 0 && db >= 0 && top >= -zero) ||
            leaves(v, e, i, from[i], da))
            continue;
        double least = top;
        if (from[i] - 0.5 * da * da * (b - a) / (db - da) > close_by * fmax(from[i], to[i]) &&
            v->motion->kind != CAROM_EVENT_PARABOLA)
            continue;
        status = find_minimum(v, i, a, da, b, db, now, &least, error);
        char number[16];
        if (status == CAROM_OK && least <= zero && may_touch(v, i))
            carom_variation_refuse(v, e->t,
                                   "contact %s is grazed between t = %.12g and %.12g: whether it "
                                   "touches is below the rounding of positions, and the derivative "
                                   "grows without bound on one side",
                                   carom_contact_name(v->shape->contacts, i, number), a, b);
    }
    return status;
}

carom_status carom_variation_graze_check(carom_variation *v, const carom_event_driven *e,
                                         double end, carom_error *error)
{
    const size_t p = (size_t)v->shape->p;
    const int points = e->kind == CAROM_EVENT_CURVED ? STEP_POINTS : FLIGHT_POINTS;
    bool open = false;
    for (size_t i = 0; i < p; i++)
        open = open || v->mode[i] == CAROM_MODE_OPEN;
    if (!open)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *from = carom_arena_doubles(v->scratch, 6 * p), *to = from + 2 * p;
    if (!from)
        return carom_error_memory(error);
    double a = v->from;
    carom_status status = look(v, a, from, from + p, error);
    for (int k = 1; k <= points && status == CAROM_OK; k++) {
        const double b = k < points ? v->from + (end - v->from) * k / points : end;
        status = look(v, b, to, to + p, error);
        if (status == CAROM_OK)
            status = check_between(v, e, a, from, b, to, to + 2 * p, error);
        memcpy(from, to, 2 * p * sizeof(double));
        a = b;
    }
    carom_arena_rewind(v->scratch, mark);
    return carom_variation_pass(v, v->from, status, error);
}
