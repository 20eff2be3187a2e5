/* What happens at an event: impacts until nothing approaches, then the modes of the contacts. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/larger.h"
#include "carom/tolerance.h"
#include "flow/event_apex.h"
#include "flow/event_follow.h"
#include "flow/event_own.h"
#include "flow/event_region.h"

#include "base/short_loops.h"

/* Everything at the present state, without contact forces. */
carom_status carom_event_settle_look(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    int rows = m->row_count;
    m->row_count = 0;
    carom_status status =
        carom_motion_evaluate(m, e->t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
    m->row_count = rows;
    return status;
}

/* One impact of the touching contacts. */
static carom_status impact(carom_event_driven *e, int contact, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_collide *c = &e->collide;
    carom_flow_ledger *ledger = &e->record->result->ledger;
    const double before = carom_record_kinetic(e->shape, &m->state);
    c->holds = e->shape->region ? e->region.holds : NULL;
    for (int i = 0; i < e->shape->p && e->shape->spread > 0; i++)
        e->own.apex[i] = carom_event_apex_at(e, i);
    c->apex = e->own.apex;
    const carom_event_follow *follow = e->record->follow;
    carom_status status = carom_collide_apply(c, m, e->touching, e->slow, e->record, error);
    if (status == CAROM_OK && follow && follow->impact)
        status = follow->impact(follow->self, e, error);
    if (status != CAROM_OK)
        return status;
    carom_event_flights_remember(e);
    carom_event_rounding_rest(e);
    const double by_law = carom_record_kinetic(e->shape, &m->state) - before;
    carom_event_rounding_speeds(e, true); /* what was at rest may move now */
    status = carom_event_accumulate(e, contact, error);
    if (status != CAROM_OK)
        return status;
    const double change = carom_record_kinetic(e->shape, &m->state) - before;
    status = carom_event_guard_impact(e, before, by_law, error);
    if (status != CAROM_OK)
        return status;
    ledger->impacts += change;
    for (int k = 0; k < c->count; k++)
        ledger->impact_loss[c->contacts[k]] += c->loss[k];
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    carom_flow_impact record = {.kind = CAROM_FLOW_COLLISION,
                                .t = e->t,
                                .t_before = e->t,
                                .t_after = e->t,
                                .contact_count = c->count,
                                .contacts = c->contacts,
                                .law = c->name,
                                .q = m->state.q,
                                .before = c->before,
                                .after = m->state.u,
                                .impulse = c->impulse,
                                .energy_change = change};
    return carom_record_impact(e->record, &record, error);
}

/* A touching contact that approaches, or -1. */
static int find_approaching(const carom_event_driven *e)
{
    if (e->shape->region &&
        carom_event_region_holds(e)) /* another part of the region is open to it */
        return -1;
    for (int i = 0; i < e->shape->p; i++)
        if (e->touching[i] && carom_event_apex_rate(e, i) < -e->slow[i])
            return i;
    return -1;
}

/* Impacts at one instant that do not end (a light body hammering between heavy ones, which shrinks
 * by a part e < 1 each time): their limit without further rebounds. */
static carom_status end_hammering(carom_event_driven *e, int rounds, carom_error *error)
{
    const int contact = find_approaching(e);
    char buffer[32];
    if (contact < 0)
        return CAROM_OK;
    const char *name = carom_record_contact(e->record, contact, buffer);
    carom_status status = carom_record_warn(
        e->record, e->t, error,
        "contact %s still approaches after %d impacts at t = %.12g, the next is without rebound",
        name, rounds, e->t);
    e->collide.calm = true;
    if (status == CAROM_OK)
        status = impact(e, contact, error);
    if (status == CAROM_OK && find_approaching(e) >= 0)
        status = carom_record_stop(e->record, CAROM_FLOW_NO_OUTCOME,
                                   "after %d impacts at t = %.12g contact %s still approaches",
                                   rounds, e->t, name);
    return status;
}

/* Impacts until no touching contact approaches. The state must be current. */
static carom_status collide_all(carom_event_driven *e, carom_error *error)
{
    const int limit = 1000 + 4 * e->shape->p;
    for (int round = 0; round < limit; round++) {
        const int contact = find_approaching(e);
        if (contact < 0)
            return CAROM_OK;
        carom_status status = impact(e, contact, error);
        if (status != CAROM_OK)
            return status;
        for (int i = 0; i < e->shape->p; i++) /* what has struck and leaves is open again */
            if (e->touching[i] && e->motion.mode[i] == CAROM_MODE_OPEN &&
                carom_event_apex_rate(e, i) > e->slow[i])
                e->touching[i] = CAROM_COLLIDE_PARTS;
        e->record->result->events++;
    }
    return end_hammering(e, limit, error);
}

/* Painleve: no force keeps the sliding contact closed. Stop, or let it jam: the velocity nearest in
 * the kinetic norm with gamma+ = 0 and v_T+ = 0, if its impulse is in the friction cone. */
static carom_status paradox(carom_event_driven *e, const carom_contact_problem_answer *answer,
                            carom_error *error)
{
    carom_motion *m = &e->motion;
    char name[32];
    const int i = answer->contact;
    if (e->options->paradox == CAROM_FLOW_PARADOX_STOP || i < 0 ||
        e->shape->slip_start[i + 1] == e->shape->slip_start[i])
        return carom_record_stop(e->record, CAROM_FLOW_INCONSISTENT,
                                 "contact %s: no contact force exists (Painleve); %s",
                                 i < 0 ? "-" : carom_record_contact(e->record, i, name),
                                 answer->text);
    double before = carom_record_kinetic(e->shape, &m->state), impulse = 0, tangent = 0;
    bool moved;
    memcpy(e->collide.before, m->state.u, sizeof(double) * (size_t)e->n);
    memset(m->sliding, 0, (size_t)e->shape->p);
    m->row_count = 0;
    m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_NORMAL, i};
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_SLIP, j};
    for (int j = 0; j < e->shape->m; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_JOINT, j};
    for (int j = 0; j < e->shape->a; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_ROLLING, j};
    carom_status status = carom_motion_project(m, 0, true, &moved, error);
    const carom_event_follow *follow = e->record->follow;
    if (status == CAROM_OK && moved && follow && follow->project)
        status = follow->project(follow->self, e, e->collide.before, error);
    if (status != CAROM_OK)
        return status;
    impulse = m->x[0];
    for (int k = 1; k <= e->shape->slip_start[i + 1] - e->shape->slip_start[i]; k++)
        tangent = hypot(tangent, m->x[k]);
    if (!moved || !(impulse > 0) || tangent > m->mu[i] * impulse * (1 + CAROM_TOLERANCE_SAME))
        return carom_record_stop(e->record, CAROM_FLOW_INCONSISTENT,
                                 "contact %s: no contact force exists (Painleve), and no "
                                 "tangential impact in the friction cone ends it; %s",
                                 carom_record_contact(e->record, i, name), answer->text);
    double change = carom_record_kinetic(e->shape, &m->state) - before;
    e->record->result->ledger.impacts += change;
    e->record->result->ledger.impact_loss[i] += change;
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    carom_flow_impact record = {.kind = CAROM_FLOW_TANGENTIAL,
                                .t = e->t,
                                .t_before = e->t,
                                .t_after = e->t,
                                .contact_count = 1,
                                .contacts = &i,
                                .law = "tangential",
                                .q = m->state.q,
                                .before = e->collide.before,
                                .after = m->state.u,
                                .impulse = &impulse,
                                .energy_change = change};
    return carom_record_impact(e->record, &record, error);
}

/* A start off its joints has been put on them: its velocity has jumped, without friction. */
static carom_status tell_start(carom_event_driven *e, carom_error *error)
{
    const carom_event_follow *follow = e->record->follow;
    const size_t p = (size_t)e->shape->p;
    if (e->row > 0 || !follow || !follow->project)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(e->scratch);
    unsigned char *sliding = carom_arena_zeros(e->scratch, p + 1, 1);
    if (!sliding)
        return carom_error_memory(error);
    memcpy(sliding, e->motion.sliding, p);
    memset(e->motion.sliding, 0, p);
    const carom_status status = follow->project(follow->self, e, e->ode.y + e->nq, error);
    memcpy(e->motion.sliding, sliding, p);
    carom_arena_rewind(e->scratch, mark);
    return status;
}

/* Positions and velocities put back on the constraints in force; its energy is booked apart. */
carom_status carom_event_settle_put_back(carom_event_driven *e, double tolerance, bool after_step,
                                         carom_error *error)
{
    carom_motion *m = &e->motion;
    bool moved;
    if (m->row_count == 0)
        return CAROM_OK;
    double before = carom_record_energy(e->shape, &m->state);
    carom_status status = carom_motion_project(m, tolerance, false, &moved, error);
    if (status == CAROM_OK && moved && after_step)
        status = carom_event_guard_corner(e);
    if (status == CAROM_OK && moved && !after_step)
        status = tell_start(e, error);
    if (status != CAROM_OK || !moved)
        return status;
    memcpy(e->ode.y, m->state.q, sizeof(double) * (size_t)e->nq);
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    status = carom_event_settle_look(e, error);
    e->record->result->ledger.projection += carom_record_energy(e->shape, &m->state) - before;
    return status;
}

/* Touching contacts that do not leave. */
static bool find_candidates(carom_event_driven *e)
{
    bool any = false;
    for (int i = 0; i < e->shape->p; i++) {
        const bool leaves = e->touching[i] && carom_event_apex_rate(e, i) > e->slow[i];
        e->low[i] = leaves && carom_event_accumulate_low(e, i, e->motion.a_free);
        e->candidate[i] = (e->touching[i] && !leaves) || e->low[i];
        any = any || e->candidate[i];
    }
    return any;
}

/* Slips of candidates that creep, up to `slow`, are taken out; were there any? */
static carom_status stop_creeping(carom_event_driven *e, const double *slow, bool *moving,
                                  carom_error *error)
{
    carom_motion *m = &e->motion;
    bool moved;
    carom_mark mark = carom_arena_mark(e->scratch);
    double *creeping = carom_event_guard_creeping(e, slow, 0);
    if (!creeping)
        return carom_error_memory(error);
    carom_status status =
        carom_contact_problem_rest(m, e->candidate, creeping, e->scratch, moving, error);
    carom_arena_rewind(e->scratch, mark);
    if (status != CAROM_OK || !*moving)
        return status;
    double before = carom_record_kinetic(e->shape, &m->state);
    status = carom_motion_project(m, 0, true, &moved, error);
    if (status != CAROM_OK)
        return status;
    e->record->result->ledger.projection += carom_record_kinetic(e->shape, &m->state) - before;
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    return carom_event_settle_look(e, error);
}

/* Where no force fits the slips as they are: slips that friction ends before positions can tell
 * (v^2 <= 2 mu a * resolution, as flies_low has it for flights) are at rest. */
static carom_status stop_short_slips(carom_event_driven *e, bool *stopped, carom_error *error)
{
    const carom_motion *m = &e->motion;
    carom_mark mark = carom_arena_mark(e->scratch);
    double *slow = carom_arena_doubles(e->scratch, (size_t)e->shape->p);
    bool longer = false;
    *stopped = false;
    if (!slow)
        return carom_error_memory(error);
    for (int i = 0; i < e->shape->p; i++) {
        const double gain = carom_motion_gain(m, i, m->a_free);
        double mu = e->shape->s > 0 ? e->shape->contacts[i].friction_dynamic : 0;
        slow[i] = larger(e->slow[i],
                         sqrt(2 * mu * larger(0, -gain) * carom_event_rounding_resolution(e, i)));
        longer = longer || (e->candidate[i] && slow[i] > e->slow[i]);
    }
    carom_status status = longer ? stop_creeping(e, slow, stopped, error) : CAROM_OK;
    carom_arena_rewind(e->scratch, mark);
    return status;
}

/* With the contact forces found, does a contact that leaves fall back at once? Then it stays. */
static carom_status keep_low(carom_event_driven *e, bool *again, carom_error *error)
{
    carom_motion *m = &e->motion;
    *again = false;
    if (m->row_count == 0)
        return CAROM_OK;
    carom_status status =
        carom_motion_evaluate(m, e->t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++)
        if (e->touching[i] && !e->candidate[i] && carom_event_accumulate_low(e, i, m->a)) {
            memset(e->triggered, 0, (size_t)e->shape->p); /* free to use until the next event */
            *again = true;
            e->low[i] = 1;
            status = carom_event_accumulate_declare(e, i, e->triggered, error);
            for (int j = 0; j < e->shape->p; j++)
                e->candidate[j] = e->candidate[j] || (e->triggered[j] && e->touching[j]);
        }
    return status;
}

/* Contacts at rest that open now leave with no velocity, not with one into the wall that is zero
 * but for rounding: it would bring them back at once. */
static carom_status release(carom_event_driven *e)
{
    carom_motion *m = &e->motion;
    const int rows = m->row_count;
    bool moved;
    for (int i = 0; i < e->shape->p; i++)
        if (e->candidate[i] && m->mode[i] == CAROM_MODE_OPEN && carom_motion_gamma(m, i) < 0)
            m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_NORMAL, i};
    if (m->row_count == rows)
        return CAROM_OK;
    double before = carom_record_kinetic(e->shape, &m->state);
    carom_status status = carom_motion_project(m, 0, true, &moved, NULL);
    double change = carom_record_kinetic(e->shape, &m->state) - before;
    m->row_count = rows;
    /* Contacts that nearly hold each other: leave it. */
    if (fabs(change) > CAROM_TOLERANCE_SAME * before) {
        memcpy(m->state.u, e->ode.y + e->nq, sizeof(double) * (size_t)e->n);
        return status;
    }
    e->record->result->ledger.projection += change;
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    return status;
}

/* Impacts, then who may stay closed with the velocities after them. The forces are those at the
 * new velocity. */
static carom_status strike(carom_event_driven *e, bool *any, carom_error *error)
{
    const long before = e->record->result->impact_count;
    carom_event_rounding_speeds(e, true);
    carom_status status = collide_all(e, error);
    const bool struck = e->record->result->impact_count > before;
    if (status == CAROM_OK && e->shape->region && struck)
        status = carom_event_settle_look(e, error);
    if (status == CAROM_OK && e->shape->spread > 0)
        status = carom_event_apex_leave(e, error);
    if (status == CAROM_OK && e->shape->region)
        status = carom_event_region_choose(e, error);
    if (status != CAROM_OK)
        return status;
    *any = find_candidates(e) || e->shape->m + e->shape->a > 0;
    if (!*any || !struck)
        return CAROM_OK;
    status = carom_event_settle_look(e, error);
    if (status == CAROM_OK)
        find_candidates(e);
    return status;
}

static void fly_free(carom_event_driven *e)
{
    carom_motion *m = &e->motion;
    const size_t p = (size_t)e->shape->p;
    memset(m->mode, CAROM_MODE_OPEN, p);
    memset(m->sliding, 0, p);
    memset(m->implied, 0, p);
    m->row_count = 0;
    m->want = 0;
}

/* Contact forces of the candidates, again with those that would fall back at once. */
static carom_status find_forces(carom_event_driven *e, carom_contact_problem_answer *answer,
                                carom_error *error)
{
    /* sharper still when events repeat, since slip that starts at the edge of a steep cone starts
     * as slowly as that edge was located */
    const double sharp = (e->stuck > 2 ? 0.0001 : carom_event_sharp) * e->options->force_rest;
    for (bool again = true; again;) {
        carom_mark mark = carom_arena_mark(e->scratch);
        /* a slip that passes zero is watched until it is `slow` behind it, and turns within that */
        const double *rest = carom_event_guard_creeping(e, e->slow, 0.25);
        if (!rest)
            return carom_error_memory(error);
        carom_status status = carom_contact_problem_solve(&e->motion, e->candidate, rest, sharp,
                                                          e->scratch, answer, error);
        carom_arena_rewind(e->scratch, mark);
        again = false;
        if (status == CAROM_OK && (answer->class == CAROM_CONTACT_PROBLEM_SOLVED ||
                                   answer->class == CAROM_CONTACT_PROBLEM_SEVERAL))
            status = keep_low(e, &again, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* Impacts and forces that fit together. Where no force fits, short slips are stopped; if there are
 * none, that is a paradox and an impact of its own kind; then once more. */
static carom_status find_motion(carom_event_driven *e, carom_contact_problem_answer *answer,
                                carom_error *error)
{
    enum { ROUNDS = 6 };
    for (int round = 0; round < ROUNDS; round++) {
        bool any, stopped;
        carom_status status = strike(e, &any, error);
        if (status == CAROM_OK && !any) {
            fly_free(e);
            answer->class = CAROM_CONTACT_PROBLEM_SOLVED;
            return CAROM_OK;
        }
        if (status == CAROM_OK && e->shape->s > 0)
            status = stop_creeping(e, e->slow, &stopped, error);
        if (status == CAROM_OK)
            status = find_forces(e, answer, error);
        if (status != CAROM_OK || answer->class != CAROM_CONTACT_PROBLEM_NONE ||
            round == ROUNDS - 1)
            return status;
        status = stop_short_slips(e, &stopped, error);
        if (status == CAROM_OK && !stopped)
            status = paradox(e, answer, error);
        if (status == CAROM_OK && !stopped)
            status = carom_event_settle_look(e, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* A motion that cannot go on ends; one of several is taken, with a warning. */
static carom_status judge(carom_event_driven *e, const carom_contact_problem_answer *answer,
                          carom_error *error)
{
    char name[32];
    if (answer->class == CAROM_CONTACT_PROBLEM_UNSOLVED ||
        answer->class == CAROM_CONTACT_PROBLEM_NONE)
        return carom_record_stop(e->record, CAROM_FLOW_UNSOLVED, "%s", answer->text);
    if (answer->class != CAROM_CONTACT_PROBLEM_SEVERAL)
        return CAROM_OK;
    return carom_record_warn(e->record, e->t, error,
                             "t = %.12g, contact %s: %s; the least force was taken", e->t,
                             carom_record_contact(e->record, answer->contact, name), answer->text);
}

/* The modes found are those of the motion from here on: what is watched, what is put back. */
static carom_status adopt(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_status status = carom_event_accumulate_kept(e, error);
    if (status == CAROM_OK && e->shape->spread > 0)
        status = carom_event_apex_hold(e, error);
    if (status != CAROM_OK)
        return status;
    if (m->row_count > 0)
        carom_event_rounding_forces(e, false);
    status = carom_event_flights_low(e, error);
    if (status == CAROM_OK)
        status = release(e);
    if (status == CAROM_OK)
        status = carom_event_flights_settle(e, error);
    if (status != CAROM_OK)
        return status;
    unsigned char *fresh = e->triggered;
    for (int i = 0; i < e->shape->p; i++)
        fresh[i] = e->own.turned[i] ? 1 : !e->touching[i] ? 0 : e->candidate[i] ? 2 : 1;
    status = carom_event_own_settled(e, error);
    if (status != CAROM_OK)
        return status;
    carom_event_watch_list(e, fresh);
    return carom_event_settle_put_back(e, 0.01 * e->options->drift, false, error);
}

/* Decide how the motion goes on from here: impacts, then modes, then what to watch. */
carom_status carom_event_settle(carom_event_driven *e, carom_error *error)
{
    carom_contact_problem_answer answer;
    carom_event_guard_open(e);
    e->left = 0;
    e->collide.calm = false;
    memset(e->rested, 0, (size_t)e->shape->p);
    memset(e->low, 0, (size_t)e->shape->p);
    carom_status status = find_motion(e, &answer, error);
    if (status == CAROM_OK)
        status = judge(e, &answer, error);
    if (status == CAROM_OK)
        status = adopt(e, error);
    if (status == CAROM_OK)
        status = carom_event_guard_close(e);
    if (status == CAROM_OK)
        status = carom_record_changes(e->record, e->t, e->was, e->motion.mode, error);
    return status;
}
