/* The event functions of the motion, and the first of them to reach zero on a step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/event_apex.h"
#include "flow/event_corner.h"
#include "flow/event_own.h"

static void add(carom_event_driven *e, carom_event_kind kind, int contact, int fresh)
{
    e->events[e->event_count++] = (carom_event){kind, contact, fresh, 0};
}

void carom_event_watch_list(carom_event_driven *e, const unsigned char *fresh)
{
    const carom_motion *motion = &e->motion;
    const int *start = e->shape->slip_start;
    e->event_count = 0;
    e->forces_watched = false;
    e->kind = carom_event_uniform_classify(e);
    for (int i = 0; i < e->shape->p; i++) {
        const int slips = start[i + 1] - start[i];
        if (motion->mode[i] == CAROM_MODE_OPEN) {
            add(e, e->own.passed[i] ? CAROM_EVENT_RETURN : CAROM_EVENT_GAP, i,
                fresh ? fresh[i] : 0);
            continue;
        }
        add(e, CAROM_EVENT_FORCE, i, 0);
        e->forces_watched = true;
        if (e->own.held[i]) {
            add(e, CAROM_EVENT_APEX_FORCE, i, 0);
        } else if (e->shape->contacts[i].spread_count > 0) {
            carom_event_apex_watch(e, i);
            add(e, CAROM_EVENT_APEX, i, 0);
        }
        if (motion->implied[i])
            add(e, CAROM_EVENT_IMPLIED, i, 0);
        if (motion->sliding[i])
            add(e, slips == 1 ? CAROM_EVENT_SLIP : CAROM_EVENT_SLIP_SPATIAL, i, 0);
        if (motion->mode[i] == CAROM_MODE_STICK && slips == 1) {
            add(e, CAROM_EVENT_CONE_PLUS, i, 0);
            add(e, CAROM_EVENT_CONE_MINUS, i, 0);
        } else if (motion->mode[i] == CAROM_MODE_STICK) {
            add(e, CAROM_EVENT_CONE, i, 0);
        }
    }
    for (int k = 0; k < e->shape->event_count; k++)
        add(e, CAROM_EVENT_OWN, k, e->own.side[k] == 0);
}

/* Value of an event function at the point evaluated last. Tolerances are on the safe side of zero,
 * so that rounding of a function that is zero throughout is no event. */
static double value(carom_event_driven *e, const carom_event *event)
{
    const carom_motion *m = &e->motion;
    const int i = event->contact, j = event->kind == CAROM_EVENT_OWN ? 0 : e->shape->slip_start[i];
    double f;
    switch (event->kind) {
    case CAROM_EVENT_CORNER:
        break;
    case CAROM_EVENT_APEX:
        return carom_event_apex_ahead(e, i);
    case CAROM_EVENT_APEX_FORCE:
        return carom_event_apex_margin(e, i) + e->weak[i];
    case CAROM_EVENT_OWN:
        return carom_event_own_value(e, i);
    case CAROM_EVENT_RETURN:
        return -m->state.g[i];
    case CAROM_EVENT_GAP:
        return m->state.g[i];
    case CAROM_EVENT_IMPLIED:
        return m->state.g[i] + e->options->closed;
    case CAROM_EVENT_FORCE:
        return m->force[i] + e->weak[i];
    case CAROM_EVENT_CONE_PLUS:
        return m->mu[i] * m->force[i] + m->friction[j] + e->weak[i];
    case CAROM_EVENT_CONE_MINUS:
        return m->mu[i] * m->force[i] - m->friction[j] + e->weak[i];
    case CAROM_EVENT_CONE:
        f = m->mu[i] * m->force[i] + e->weak[i];
        return f * f - m->friction[j] * m->friction[j] - m->friction[j + 1] * m->friction[j + 1];
    case CAROM_EVENT_SLIP:
        return m->direction[j] * carom_motion_slip(m, j) + e->slow[i];
    case CAROM_EVENT_SLIP_SPATIAL:
        return m->heading[j] * carom_motion_slip(m, j) +
               m->heading[j + 1] * carom_motion_slip(m, j + 1) - e->slow[i];
    }
    return 0;
}

/* All event functions at theta, into out (stride apart). */
static carom_status sample(carom_event_driven *e, double theta, double *out, int stride,
                           carom_error *error)
{
    carom_motion *m = &e->motion;
    const double t = e->ode.t + theta * e->ode.h;
    const unsigned want = CAROM_WANT_GAPS | carom_event_own_want(e);
    carom_status status;
    carom_ode_dop853_at(&e->ode, theta, e->nq + e->n, e->point);
    if (e->forces_watched) {
        status = carom_motion_evaluate(m, t, e->point, e->point + e->nq, want, error);
    } else {
        m->state.t = t;
        memcpy(m->state.q, e->point, sizeof(double) * (size_t)e->nq);
        memcpy(m->state.u, e->point + e->nq, sizeof(double) * (size_t)e->n);
        status = carom_system_evaluate(m->system, want, &m->state, error);
        if (status == CAROM_ERROR_NUMERIC)
            status = CAROM_STOPPED;
    }
    if (status != CAROM_OK)
        return status;
    for (int k = 0; k < e->event_count; k++)
        out[(size_t)k * stride] = value(e, &e->events[k]);
    return CAROM_OK;
}

/* Rounding of an event function: wiggles below it are not worth a finer look. */
static double grain(const carom_event_driven *e, const carom_event *event)
{
    switch (event->kind) {
    case CAROM_EVENT_GAP:
    case CAROM_EVENT_IMPLIED:
    case CAROM_EVENT_RETURN:
    case CAROM_EVENT_APEX:
        return carom_event_rounding_of(e, event->contact);
    case CAROM_EVENT_APEX_FORCE:
    case CAROM_EVENT_CORNER:
        break;
    case CAROM_EVENT_OWN:
        return carom_event_own_grain(e, event->contact);
    case CAROM_EVENT_SLIP:
    case CAROM_EVENT_SLIP_SPATIAL:
        return e->slow[event->contact];
    case CAROM_EVENT_CONE:
        return e->weak[event->contact] * e->weak[event->contact];
    case CAROM_EVENT_FORCE:
    case CAROM_EVENT_CONE_PLUS:
    case CAROM_EVENT_CONE_MINUS:
        break;
    }
    return e->weak[event->contact];
}

/* The accelerations with which contacts at rest have just opened: what is left of a gap g''s^2/2 in
 * its first samples may be rounding, but its sign was decided. */
static carom_status look_at_lifts(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    bool any = false;
    for (int k = 0; k < e->event_count; k++)
        any = any || (e->events[k].kind == CAROM_EVENT_GAP && e->events[k].fresh == 2);
    if (!any)
        return CAROM_OK;
    carom_status status =
        carom_motion_evaluate(m, e->ode.t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
    for (int k = 0; k < e->event_count && status == CAROM_OK; k++)
        if (e->events[k].kind == CAROM_EVENT_GAP && e->events[k].fresh == 2)
            e->events[k].lift = carom_motion_gain(m, e->events[k].contact, m->a);
    return status;
}

/* First root of function k on a piece of the given length of time, as part of the piece, or -1. At
 * the very start of a step coefficients that are zero in exact arithmetic (a contact that just
 * opened) are divided out. */
static double root_on_piece(const carom_event_driven *e, int k, bool first_piece, double time)
{
    const double *b = e->bernstein + (size_t)k * CAROM_BERNSTEIN_NODES;
    double r[CAROM_BERNSTEIN_NODES];
    int degree = CAROM_BERNSTEIN_DEGREE;
    const carom_event *event = &e->events[k];
    if (event->kind == CAROM_EVENT_SLIP_SPATIAL && b[0] <= 0) {
        /* starts from rest: its end is watched once it moves, until then that it goes backwards */
        for (int i = 0; i < CAROM_BERNSTEIN_NODES; i++)
            r[i] = b[i] + 2 * e->slow[event->contact];
        return r[0] > 0 ? carom_bernstein_first_negative(r, degree) : -1;
    }
    if (event->kind == CAROM_EVENT_OWN && e->own.side[event->contact] == 0)
        return -1; /* it has not left zero yet */
    if (event->kind != CAROM_EVENT_GAP && event->kind != CAROM_EVENT_RETURN &&
        event->kind != CAROM_EVENT_OWN)
        return carom_bernstein_first_negative(b, degree);
    /* gaps have no tolerance of their own: what is negative by rounding only counts as zero, and is
     * found later if it grows */
    const int zeros = first_piece ? event->fresh : 0;
    const double start = zeros > 0 ? b[0] : 0; /* zero but for rounding and drift */
    /* a contact that lifts off without velocity leaves with the third power of time or slower: its
     * first coefficients are errors of the step, relative to the extent of the motion */
    double noise = zeros < 2 ? grain(e, event) : e->options->tolerance * e->extent;
    /* a slope of zero comes out of the interpolation as rounding of its values, and what has rested
     * at zero so far has no extent but that of the step itself */
    const double part = zeros == 1 ? CAROM_TOLERANCE_SUM : zeros > 1 ? e->options->tolerance : 0;
    for (int i = 0; i < CAROM_BERNSTEIN_NODES && zeros > 0; i++)
        noise = fmax(noise, part * fabs(b[i]));
    /* an event of one's own that only touches zero is none, however the interpolant errs there */
    const double shallow = event->kind == CAROM_EVENT_OWN ? carom_event_own_shallow(e, b) : 0;
    for (int i = 0; i < CAROM_BERNSTEIN_NODES; i++)
        r[i] = b[i] - start < 0 && b[i] - start > -noise ? 0 : b[i] - start;
    for (int fresh = zeros; fresh > 0; fresh--)
        carom_bernstein_deflate(degree--, r, r);
    if (zeros == 2) /* a flight too low to be seen in its samples is one all the same */
        r[0] = fmax(r[0], event->lift * time * time / 2);
    for (int i = 0; i <= degree && shallow > 0; i++)
        r[i] += shallow;
    return carom_bernstein_first_negative(r, degree);
}

/* The first function whose interpolant is not good between its nodes, or -1. Far from zero less is
 * needed. */
static int find_misfit(const carom_event_driven *e, double where)
{
    for (int k = 0; k < e->event_count; k++) {
        const double *b = e->bernstein + (size_t)k * CAROM_BERNSTEIN_NODES;
        double size = fabs(b[0]), low = b[0];
        for (int i = 1; i < CAROM_BERNSTEIN_NODES; i++) {
            size = size > fabs(b[i]) ? size : fabs(b[i]);
            low = low < b[i] ? low : b[i];
        }
        double off = carom_bernstein_value(b, CAROM_BERNSTEIN_DEGREE, where) - e->check[k];
        if (!(fabs(off) <= e->options->tolerance * size || fabs(off) <= 0.05 * low ||
              fabs(off) <= grain(e, &e->events[k])))
            return k;
    }
    return -1;
}

/* An event function that jumps, with a force that does, has no root to be polished: its change of
 * sign between two samples is halved until numbers end. */
static carom_status halve(carom_event_driven *e, int k, double start, double length, double *x,
                          carom_error *error)
{
    const double *samples = e->sample + (size_t)k * CAROM_BERNSTEIN_NODES;
    double size = 0, low, high, middle;
    int i = 1;
    while (i < CAROM_BERNSTEIN_NODES && !(samples[i] < 0))
        i++;
    for (int j = 0; j < CAROM_BERNSTEIN_NODES; j++)
        size = fmax(size, fabs(samples[j]));
    if (i == CAROM_BERNSTEIN_NODES || !(fabs(e->check[k]) > CAROM_TOLERANCE_HALF * size))
        return CAROM_OK;
    low = start + length * carom_bernstein_node[i - 1];
    high = start + length * carom_bernstein_node[i];
    while ((middle = 0.5 * (low + high)) > low && middle < high) {
        carom_status status = sample(e, middle, e->check, 1, error);
        if (status != CAROM_OK)
            return status;
        *(e->check[k] < 0 ? &high : &low) = middle;
    }
    *x = (high - start) / length;
    return CAROM_OK;
}

/* Is function k, which no polynomial fits, a gap that is open at all samples but not by more than
 * it moves between them? There it has a corner, or goes to and fro many times. off: how much the
 * interpolant is off. */
static bool is_doubtful(const carom_event_driven *e, int k, double where, double *off)
{
    const double *samples = e->sample + (size_t)k * CAROM_BERNSTEIN_NODES;
    const double *b = e->bernstein + (size_t)k * CAROM_BERNSTEIN_NODES;
    const double noise = grain(e, &e->events[k]);
    double low = INFINITY;
    for (int j = 1; j < CAROM_BERNSTEIN_NODES; j++)
        low = fmin(low, samples[j]);
    *off = fabs(carom_bernstein_value(b, CAROM_BERNSTEIN_DEGREE, where) - e->check[k]);
    return e->events[k].kind == CAROM_EVENT_GAP && low > noise && low < 4 * *off;
}

/* Newton on the true event function, its slope taken from the interpolant. x: part of the piece. */
static carom_status polish(carom_event_driven *e, int k, double start, double length, double x,
                           double *theta, carom_error *error)
{
    const double *b = e->bernstein + (size_t)k * CAROM_BERNSTEIN_NODES, found = x;
    const double tau = 0.001 * e->options->event_tolerance * fmax(1, fabs(e->ode.t));
    const double side = x > 0.5 ? -1e-5 : 1e-5;
    double slope = (carom_bernstein_value(b, CAROM_BERNSTEIN_DEGREE, x + side) -
                    carom_bernstein_value(b, CAROM_BERNSTEIN_DEGREE, x)) /
                   side;
    for (int round = 0; round < 6 && slope < 0; round++) {
        carom_status status = sample(e, start + length * x, e->check, 1, error);
        if (status != CAROM_OK)
            return status;
        double move = -e->check[k] / slope;
        if (!(fabs(x + move - found) <= 0.01)) {
            x = found; /* not transversal: the interpolant's root stays */
            break;
        }
        x += move;
        if (fabs(move) * length * e->ode.h <= tau)
            break;
    }
    carom_status status = sample(e, start + length * x, e->check, 1, error);
    if (status == CAROM_OK)
        status = halve(e, k, start, length, &x, error);
    *theta = fmin(fmax(start + length * x, 0), 1);
    return status;
}

/* Where the rates of closed contacts jump, between two parts of the step: the first number behind
 * it. The cause says whether that is a matter of time alone (0), or of positions (1). */
static carom_status find_corner(carom_event_driven *e, double low, double high, double *theta,
                                carom_error *error)
{
    for (double middle; (middle = 0.5 * (low + high)) > low && middle < high;) {
        carom_status status = sample(e, middle, e->check, 1, error);
        if (status != CAROM_OK)
            return status;
        *(carom_event_corner_passed(e) ? &high : &low) = middle;
    }
    double *before = e->clock; /* free between events */
    carom_status status = sample(e, low, e->check, 1, error);
    memcpy(before, e->motion.state.w_hat, sizeof(double) * (size_t)e->shape->p);
    if (status == CAROM_OK)
        status = sample(e, high, e->check, 1, error);
    e->cause = (carom_event){CAROM_EVENT_CORNER, 0, carom_event_corner_of_positions(e, before), 0};
    *theta = high;
    return status;
}

carom_status carom_event_watch_find(carom_event_driven *e, double *theta, carom_error *error)
{
    static const double between[2] = {0.2777, 0.7381};
    *theta = -1;
    e->unclear = 0;
    if (e->event_count == 0)
        return CAROM_OK;
    memset(e->triggered, 0, (size_t)e->shape->p);
    e->own.event = -1;
    carom_status status = look_at_lifts(e, error);
    if (status != CAROM_OK)
        return status;
    int pieces = 1;
    for (int piece = 0; piece < pieces;) {
        const double start = (double)piece / pieces, length = 1.0 / pieces;
        for (int i = 0; i < CAROM_BERNSTEIN_NODES; i++) {
            const double *node = carom_bernstein_node + i;
            status = sample(e, start + length * *node, e->sample + i, CAROM_BERNSTEIN_NODES, error);
            if (status == CAROM_OK && i > 0 && e->forces_watched && carom_event_corner_passed(e))
                return find_corner(e, start + length * node[-1], start + length * *node, theta,
                                   error);
            if (status != CAROM_OK)
                return status;
        }
        for (int k = 0; k < e->event_count; k++) {
            double *samples = e->sample + (size_t)k * CAROM_BERNSTEIN_NODES;
            double *b = e->bernstein + (size_t)k * CAROM_BERNSTEIN_NODES;
            carom_bernstein_interpolate(samples, b);
            if (e->events[k].kind == CAROM_EVENT_OWN)
                carom_event_own_choose(e, e->events[k].contact, b, samples);
        }
        int misfit = -1;
        double where = 0, off;
        for (int i = 0; i < 2 && misfit < 0; i++) {
            where = between[i];
            status = sample(e, start + length * where, e->check, 1, error);
            if (status != CAROM_OK)
                return status;
            misfit = find_misfit(e, where);
        }
        if (misfit >= 0 && pieces < 1024) {
            pieces *= 2;
            piece *= 2;
            continue;
        }
        if (misfit >= 0 && is_doubtful(e, misfit, where, &off)) {
            /* look again, with a step that ends before this piece, or is no longer than it */
            const int contact = e->events[misfit].contact;
            e->unclear = piece > 0 ? start : length;
            e->cause = e->events[misfit];
            if (e->unclear * e->ode.h > carom_event_advance_least(e) ||
                off > carom_event_rounding_resolution(e, contact))
                return CAROM_OK;
            e->unclear = 0;
        }
        double first = 2;
        int which = -1;
        for (int k = 0; k < e->event_count; k++) {
            double x = root_on_piece(e, k, piece == 0, length * e->ode.h);
            if (x >= 0 && x < first) {
                first = x;
                which = k;
            }
        }
        if (which >= 0) {
            e->cause = e->events[which];
            if (e->events[which].kind == CAROM_EVENT_OWN)
                e->own.event = e->events[which].contact;
            else
                e->triggered[e->events[which].contact] = 1;
            return polish(e, which, start, length, first, theta, error);
        }
        piece++;
    }
    return CAROM_OK;
}
