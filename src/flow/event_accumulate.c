/* Accumulation of impacts (docs/theory/event-driven.md): when it is taken as complete, and how it
 * is told. */
#include <math.h>
#include <string.h>

#include "base/larger.h"
#include "flow/event_follow.h"

#include "base/short_loops.h"

/* Would contact i, leaving at its present velocity and with accelerations a, come back without
 * rising above the resolution of its gap? */
bool carom_event_accumulate_low(const carom_event_driven *e, int i, const double *a)
{
    const carom_motion *m = &e->motion;
    const double gamma = carom_motion_gamma(m, i), gain = carom_motion_gain(m, i, a);
    return gain < 0 && gamma * gamma <= -2 * gain * carom_event_rounding_resolution(e, i);
}

/* The present velocity with gamma = 0 for the contacts flagged (and the joints kept). Its energy,
 * as seen from the contacts, is what the flights would have lost: 1/2 P gamma. */
static carom_status bring_to_rest(carom_event_driven *e, const unsigned char *flag,
                                  carom_error *error)
{
    carom_motion *m = &e->motion;
    bool moved;
    m->row_count = 0;
    for (int j = 0; j < e->shape->m; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_JOINT, j};
    for (int j = 0; j < e->shape->a; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_ROLLING, j};
    for (int i = 0; i < e->shape->p; i++)
        if (flag[i])
            m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_NORMAL, i};
    const double before = carom_record_kinetic(e->shape, &m->state);
    double *fast = e->scale; /* free between steps */
    memcpy(fast, m->state.u, sizeof(double) * (size_t)e->n);
    carom_status status = carom_event_flights_rest(e, flag, &moved, error);
    const carom_event_follow *follow = e->record->follow;
    if (status == CAROM_OK && moved && follow && follow->project)
        status = follow->project(follow->self, e, fast, error);
    e->rest_loss = before - carom_record_kinetic(e->shape, &m->state);
    for (int k = 0; moved && k < m->row_count; k++)
        e->rest_loss -= m->x[k] * carom_motion_hat(m, m->rows[k]);
    return status;
}

/* Contacts of this impact that rebound, but lower than positions can tell. A rate that is zero but
 * for rounding is no rebound: the contact stays a candidate for rest, and so do its neighbours. */
static bool flights_too_low(const carom_event_driven *e, unsigned char *low)
{
    const carom_motion *m = &e->motion;
    bool any = false;
    memset(low, 0, (size_t)e->shape->p);
    for (int k = 0; k < e->collide.count; k++) {
        const int i = e->collide.contacts[k];
        if (e->collide.impulse[k] > 0 && carom_motion_gamma(m, i) > e->slow[i] &&
            carom_event_accumulate_low(e, i, m->a_free)) {
            low[i] = 1;
            any = true;
        }
    }
    return any;
}

/* The speed at which a contact closed in the impact just computed, in the kinetic norm. */
static double closing_speed(carom_event_driven *e, int contact)
{
    const double *w = e->motion.state.W + (size_t)contact * e->n;
    double closing = e->motion.state.w_hat[contact];
    for (int j = 0; j < e->n; j++)
        closing += w[j] * e->collide.before[j];
    return fabs(closing) / carom_event_rounding_norm(e, contact);
}

/* Add to the contacts that come to rest those that go with them. Touching contacts that separate no
 * more than by rounding: a column of balls comes to rest on its floor as a whole. And, where a
 * progression ends, those of its last impact that have become as slow as it has. What leaves faster
 * is no part of it, whatever impulse it took. */
static void rest_together(carom_event_driven *e, bool near, unsigned char *flag)
{
    for (int i = 0; i < e->shape->p; i++)
        if (e->touching[i] && fabs(carom_motion_gamma(&e->motion, i)) <= e->slow[i])
            flag[i] = 1;
    for (int k = 0; near && k < e->collide.count; k++) {
        const int i = e->collide.contacts[k];
        const double rate = carom_motion_gamma(&e->motion, i), largest = e->speed[i];
        if (e->collide.impulse[k] > 0 &&
            rate * rate <= e->options->accumulation * largest * largest)
            flag[i] = 1;
    }
}

/* Is the impact of this contact, the last one, part of a progression (carom_zeno_progress), and is
 * its limit near? Then the other contacts of the pattern must be within reach of zero in what is
 * left: discs that rattle in a slot accumulate before the slot has closed on them. */
static int progress(const carom_event_driven *e, int contact, carom_flow_accumulation *a,
                    bool *near)
{
    const carom_motion *m = &e->motion;
    const int pattern = carom_zeno_progress(&e->zeno, contact, e->options, a, near);
    double rate = fabs(carom_motion_gamma(m, contact));
    if (!*near)
        return pattern;
    for (int k = 0; k < e->n; k++)
        rate += fabs(m->state.W[k + (size_t)contact * e->n] * e->collide.before[k]);
    for (int k = 0; k < pattern; k++) {
        const int i = e->zeno.contact[k];
        const double reach = 8 * (a->t_limit - e->t) * larger(rate, fabs(carom_motion_gamma(m, i)));
        if (m->state.g[i] > reach + carom_event_rounding_resolution(e, i))
            *near = false;
    }
    return pattern;
}

/* The same by what is left of the flights of a contact by itself, which has not bounced often. */
static carom_status find_own_limit(carom_event_driven *e, int contact, carom_error *error)
{
    const carom_event_follow *follow = e->record->follow;
    carom_event_tail tail;
    if (!carom_event_tail_alone(e, contact, &tail) || !carom_event_tail_follow(&tail, NULL))
        return CAROM_OK;
    e->left = tail.left;
    return follow && follow->tail ? follow->tail(follow->self, e, &tail, error) : CAROM_OK;
}

/* The limit of the impacts before rest, told to who follows the motion; without a progression
 * (pattern 0) that of the last three, if they fall. */
static carom_status find_limit(carom_event_driven *e, int contact, int pattern, double *limit,
                               carom_error *error)
{
    const carom_event_follow *follow = e->record->follow;
    int from = 0;
    e->left = 0;
    if (e->zeno.count > 0 && e->zeno.t[0] != e->t) /* nobody has bounced now */
        return CAROM_OK;
    if (pattern > 0)
        *limit = carom_zeno_limit(&e->zeno, pattern, *limit, &from);
    else if (!carom_zeno_falls(&e->zeno, limit))
        return find_own_limit(e, contact, error);
    e->left = fmax(*limit - e->t, 0);
    return follow && follow->limit
               ? follow->limit(follow->self, e, pattern > 0 ? pattern : 1, from, error)
               : CAROM_OK;
}

/* Say that contacts come to rest before their accumulation point: because that is near enough, or
 * because positions or speeds no longer resolve the flights. Those of the pattern are flagged. */
carom_status carom_event_accumulate_declare(carom_event_driven *e, int contact, unsigned char *flag,
                                            carom_error *error)
{
    carom_flow_accumulation a = {0};
    bool near;
    char name[32];
    const int pattern = progress(e, contact, &a, &near);
    carom_status status = find_limit(e, contact, pattern, &a.t_limit, error);
    if (status != CAROM_OK)
        return status;
    if (near) /* else the others of the pattern may still be away from zero */
        for (int k = 0; k < pattern; k++)
            flag[e->zeno.contact[k]] = e->touching[e->zeno.contact[k]] = 1;
    flag[contact] = 1;
    if (pattern > 0 || e->zeno.contact[0] == contact)
        carom_zeno_reset(&e->zeno);
    if (pattern == 0 && e->told[contact])
        return CAROM_OK;
    e->told[contact] = e->told[contact] || pattern == 0;
    if (pattern == 0)
        return carom_record_warn(
            e->record, e->t, error,
            "contact %s at t = %.12g: rebound below the resolution of positions or speeds (rest "
            "%.3g), taken as rest (told once for each contact)",
            carom_record_contact(e->record, contact, name), e->t, e->options->rest);
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++)
        if (flag[i]) {
            a.contact = i;
            status = carom_record_accumulation(e->record, &a, error);
        }
    return status;
}

/* Several contacts fly too low together: they come to rest at the limit of what is left of their
 * flights, all of them. */
static carom_status end_together(carom_event_driven *e, const carom_event_tail *tail,
                                 unsigned char *flag, carom_error *error)
{
    const carom_event_follow *follow = e->record->follow;
    const int last = e->zeno.count > 0 ? e->zeno.count - 1 : 0;
    carom_flow_accumulation a = {.t_first = e->zeno.t[last],
                                 .t_last = e->t,
                                 .t_limit = e->t + tail->left,
                                 .ratio = tail->ratio,
                                 .impacts = e->zeno.count};
    carom_status status = CAROM_OK;
    e->left = tail->left;
    if (follow && follow->tail)
        status = follow->tail(follow->self, e, tail, error);
    for (int k = 0; k < tail->count && status == CAROM_OK; k++) {
        a.contact = tail->contact[k];
        flag[a.contact] = e->touching[a.contact] = 1;
        status = carom_record_accumulation(e->record, &a, error);
    }
    carom_zeno_reset(&e->zeno);
    return status;
}

/* After an impact: is it the last of an accumulation that is taken into account? Then its contacts
 * come to rest; or, where a room closes at finite speed, they all touch now, and what all impacts
 * still to come do together is one without rebound. */
carom_status carom_event_accumulate(carom_event_driven *e, int contact, carom_error *error)
{
    carom_flow_accumulation a;
    unsigned char *flag = e->candidate;
    bool near;
    const double fast = closing_speed(e, contact);
    e->rest_loss = 0;
    carom_zeno_add(&e->zeno, e->t, contact, fast, e->options, &a, &near);
    const int pattern = near ? progress(e, contact, &a, &near) : 0;
    const bool low = flights_too_low(e, flag);
    const bool closes = near && !carom_zeno_rests(&e->zeno, pattern, e->options);
    if (!near && !low)
        return CAROM_OK;
    if (closes) { /* declaring it makes the contacts of the pattern touch */
        e->collide.calm = true;
        return carom_event_accumulate_declare(e, contact, flag, error);
    }
    for (int i = 0; !near && !flag[contact]; i++) /* the rebound of another is the low one */
        contact = flag[i] ? i : contact;
    carom_event_tail tail;
    if (!near && carom_event_tail_find(e, contact, &tail) && carom_event_tail_follow(&tail, NULL)) {
        const carom_status status = end_together(e, &tail, flag, error);
        return status == CAROM_OK ? bring_to_rest(e, flag, error) : status;
    }
    rest_together(e, near, flag);
    carom_status status = carom_event_accumulate_declare(e, contact, flag, error);
    return status == CAROM_OK ? bring_to_rest(e, flag, error) : status;
}

/* A progression of impacts may also end because all its contacts stay closed now: the corner of a
 * rocking block that lifts flies too low, or both touch within the resolution. Say so. */
carom_status carom_event_accumulate_kept(carom_event_driven *e, carom_error *error)
{
    const carom_motion *m = &e->motion;
    const carom_zeno *zeno = &e->zeno;
    carom_flow_accumulation a;
    carom_status status = CAROM_OK;
    bool near;
    if (zeno->count == 0 || zeno->t[0] != e->t)
        return CAROM_OK;
    const int pattern = carom_zeno_progress(zeno, zeno->contact[0], e->options, &a, &near);
    for (int k = 0; k < pattern; k++)
        if (m->mode[zeno->contact[k]] == CAROM_MODE_OPEN)
            return CAROM_OK;
    if (pattern > 0)
        status = find_limit(e, zeno->contact[0], pattern, &a.t_limit, error);
    memset(e->triggered, 0, (size_t)e->shape->p); /* free to use until the next event */
    for (int k = 0; k < pattern; k++)
        e->triggered[zeno->contact[k]] = e->candidate[zeno->contact[k]];
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++)
        if (e->triggered[i]) {
            a.contact = i;
            status = carom_record_accumulation(e->record, &a, error);
        }
    if (pattern > 0)
        carom_zeno_reset(&e->zeno);
    return status;
}
