/* Contacts that close at one instant (docs/theory/sensitivities.md, "Where there is none"): with an
 * impact, with each other, with an event. Which of them is first must not depend on the direction.
 */
#include <math.h>

#include "linalg/dense.h"
#include "orbit/variation.h"

/* The rate of contact i before the impact. */
static double approach(const carom_variation *v, const carom_event_driven *e, int i)
{
    const carom_state *s = &e->motion.state;
    return carom_dense_dot(v->n, s->W + (size_t)i * (size_t)v->n, e->collide.before) + s->w_hat[i];
}

/* How gaps change, into strike.normal (p x k). */
static carom_status find_gaps(carom_variation *v, const carom_event_driven *e, carom_error *error)
{
    const carom_directions along = carom_variation_directions(v);
    const carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_GAPS, &e->motion.state, &along, error);
    carom_tangents t = {.g = v->strike.normal};
    if (status == CAROM_OK)
        carom_system_tangents(v->system, &t);
    return status;
}

/* At the start a contact that approaches meets its wall at once, or a moment later where its gap
 * opens: dt = -dg/gamma. */
static carom_status shift_start(carom_variation *v, const carom_event_driven *e, int contact,
                                carom_error *error)
{
    const carom_collide *c = &e->collide;
    const double gamma = approach(v, e, contact);
    const carom_status status = find_gaps(v, e, error);
    for (int j = 0; j < v->k && status == CAROM_OK; j++) {
        const double dt =
            -v->strike.normal[(size_t)contact + (size_t)j * (size_t)v->shape->p] / gamma;
        carom_dense_axpy(v->n, dt, c->before, v->dq + (size_t)j * (size_t)v->n);
        carom_dense_axpy(v->n, dt, e->motion.a_free, v->du + (size_t)j * (size_t)v->n);
        v->made[j] = fmax(v->made[j], carom_dense_max(v->n, v->dq + (size_t)j * (size_t)v->n));
        v->dt[j] += dt;
    }
    return status;
}

/* Whether the gap of contact i is closed at this instant in neighbouring motions too. */
static bool is_closed(const carom_variation *v, const carom_event_driven *e, int i)
{
    const double w = carom_dense_max(v->n, e->motion.state.W + (size_t)i * (size_t)v->n);
    for (int j = 0; j < v->k; j++)
        if (fabs(v->strike.normal[(size_t)i + (size_t)j * (size_t)v->shape->p]) >
            w * carom_variation_error(v, e, j))
            return false;
    return true;
}

carom_status carom_variation_closing_meet(carom_variation *v, const carom_event_driven *e,
                                          int event, carom_error *error)
{
    const carom_state *s = &e->motion.state;
    char a[16];
    const carom_status status = find_gaps(v, e, error);
    for (int i = 0; i < v->shape->p && status == CAROM_OK; i++) {
        const int guard = carom_variation_limit_guard(v, i);
        const bool closes = v->mode[i] == CAROM_MODE_OPEN && !e->own.passed[i] &&
                            (guard < 0 || s->guard[guard] > 0) &&
                            fabs(s->g[i]) <= e->options->closed &&
                            carom_motion_gamma(&e->motion, i) < -e->slow[i];
        if (closes && !is_closed(v, e, i))
            carom_variation_refuse(v, e->t,
                                   "contact %s closes at t = %.12g together with event %s: what "
                                   "comes first depends on the direction",
                                   carom_contact_name(v->shape->contacts, i, a), e->t,
                                   v->shape->events[event].name);
    }
    return status;
}

/* Whether contact i, closed without a force, is so in neighbouring motions too: directions move
 * neither its gap nor its rate before the impact. */
static carom_status stays_closed(carom_variation *v, const carom_event_driven *e, int i,
                                 bool *closed, carom_error *error)
{
    const size_t n = (size_t)v->n;
    const double *w = e->motion.state.W + (size_t)i * n;
    const carom_motion_row row = {CAROM_MOTION_NORMAL, i};
    carom_status status = find_gaps(v, e, error);
    *closed = status == CAROM_OK && is_closed(v, e, i);
    if (status == CAROM_OK)
        status = carom_variation_strike_rates(v, &e->motion.state, e->collide.before, error);
    for (int j = 0; j < v->k && status == CAROM_OK; j++)
        *closed = *closed && fabs(carom_variation_strike_rate(v, row, j) +
                                  carom_dense_dot(v->n, w, v->du + (size_t)j * n)) <=
                                 carom_dense_max(v->n, w) * carom_variation_error(v, e, j);
    return status;
}

/* The contacts that close with this impact; those that were closed must have had a force, or be so
 * in all directions. */
static carom_status list_closing(carom_variation *v, const carom_event_driven *e, int *closing,
                                 int *found, carom_error *error)
{
    carom_status status = CAROM_OK;
    const carom_collide *c = &e->collide;
    const carom_motion *m = &e->motion;
    char a[16];
    int count = 0;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contacts[k];
        const bool closed = v->mode[i] != CAROM_MODE_OPEN, fresh = v->fresh[i];
        v->fresh[i] = 1;
        if (closed && !v->begins && !v->moved && !m->implied[i] &&
            v->point.lambda[i] <= e->weak[i]) {
            bool same = false;
            status = stays_closed(v, e, i, &same, error);
            if (status != CAROM_OK)
                return status;
            if (!same)
                carom_variation_refuse(v, e->t,
                                       "impact at t = %.12g: contact %s touches without a force, "
                                       "a neighbouring motion may have it open",
                                       e->t, carom_contact_name(v->shape->contacts, i, a));
        }
        if (!closed && !fresh && (approach(v, e, i) < -e->slow[i] || fabs(c->impulse[k]) > 0))
            closing[count++] = i;
    }
    *found = count;
    return status;
}

/* Contacts that close at the instant of contact `meant` (-1: of another event) do so in
 * neighbouring motions too, or the derivative depends on who is first. */
static void check_together(carom_variation *v, const carom_event_driven *e, const int *closing,
                           int count, int meant)
{
    char a[16], b[16];
    for (int k = 0; k < count; k++) {
        const int i = closing[k], other = closing[k == 0];
        if (i == meant || is_closed(v, e, i))
            continue;
        if (count > 1)
            carom_variation_refuse(v, e->t,
                                   "contacts %s and %s close at one instant, t = %.12g: which of "
                                   "them is first depends on the direction",
                                   carom_contact_name(v->shape->contacts, other, a),
                                   carom_contact_name(v->shape->contacts, i, b), e->t);
        else if (!v->moved && approach(v, e, i) < -e->slow[i])
            carom_variation_refuse(v, e->t,
                                   "contact %s closes at t = %.12g together with another event: "
                                   "what comes first depends on the direction",
                                   carom_contact_name(v->shape->contacts, i, a), e->t);
    }
}

carom_status carom_variation_closing_check(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error)
{
    const bool starts = v->begins && !v->moved;
    carom_mark mark = carom_arena_mark(v->scratch);
    int *closing = carom_arena_array(v->scratch, (size_t)e->collide.count + 1, sizeof(int));
    if (!closing)
        return carom_error_memory(error);
    int count = 0;
    carom_status status = list_closing(v, e, closing, &count, error);
    int meant = v->cause.kind == CAROM_EVENT_GAP ? v->cause.contact : -1;
    if (status == CAROM_OK && starts && count > 0)
        status = shift_start(v, e, meant = closing[0], error);
    if (status == CAROM_OK && (count > 1 || (count == 1 && closing[0] != meant)))
        status = find_gaps(v, e, error);
    if (status == CAROM_OK)
        check_together(v, e, closing, count, meant);
    carom_arena_rewind(v->scratch, mark);
    return status;
}
