#include "flow/event_driven.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* fmax without its care for NaN, which costs a call. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* y = (q, u, work of forces, work of moving constraints, friction by contact) */
static carom_status slope(void *self, double t, const double *y, double *dy, carom_error *error)
{
    carom_event_driven *e = self;
    carom_motion *m = &e->motion;
    const carom_system_shape *shape = e->shape;
    carom_status status = carom_motion_evaluate(m, t, y, y + e->nq, CAROM_WANT_ENERGY, error);
    if (status != CAROM_OK)
        return status;
    double *work = dy + e->nq + e->n, moving = 0;
    carom_motion_kinematics(m, y + e->nq, dy);
    memcpy(dy + e->nq, m->a, sizeof(double) * (size_t)e->n);
    memset(work, 0, sizeof(double) * (size_t)e->extra);
    work[0] = m->state.power;
    if (m->row_count == 0)
        return CAROM_OK;
    for (int i = 0; i < shape->p; i++) {
        moving -= m->force[i] * m->state.w_hat[i];
        for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++) {
            if (m->friction[j] == 0)
                continue;
            moving -= m->friction[j] * m->state.slip_motion[j];
            if (m->pushed[i])
                work[2 + i] += m->friction[j] * carom_motion_slip(m, j);
        }
    }
    for (int j = 0; j < shape->m; j++)
        moving -= m->joint[j] * m->state.b_hat[j];
    for (int j = 0; j < shape->a; j++)
        moving -= m->joint[shape->m + j] * m->state.a_hat[j];
    work[1] = moving;
    return CAROM_OK;
}

static carom_status create(carom_event_driven *e, carom_record *record, const carom_law *law,
                           const carom_flow_start *start, carom_arena *work, carom_arena *scratch,
                           carom_error *error)
{
    const carom_system_shape *shape = record->shape;
    memset(e, 0, sizeof *e);
    e->record = record;
    e->shape = shape;
    e->options = record->options;
    e->scratch = scratch;
    e->nq = shape->nq;
    e->n = shape->n;
    e->extra = 2 + (shape->s > 0 ? shape->p : 0);
    carom_status status = carom_motion_create(record->system, work, &e->motion, error);
    if (status == CAROM_OK)
        status = carom_ode_dop853_create(work, e->nq + e->n + e->extra, e->nq + e->n, slope, e,
                                         &e->ode, error);
    if (status == CAROM_OK)
        status = carom_collide_create(law, shape, work, scratch, &e->collide, error);
    if (status != CAROM_OK)
        return status;
    const size_t p = (size_t)shape->p, y = (size_t)(e->nq + e->n + e->extra), most = 5 * p + 1;
    double *d = carom_arena_zeros(work, 3 * y + 3 * p + 17 * most, sizeof(double));
    e->touching = carom_arena_zeros(work, 3 * p, 1);
    e->events = carom_arena_array(work, most, sizeof *e->events);
    if (!d || !e->touching || !e->events)
        return carom_error_memory(error);
    e->candidate = e->touching + p;
    e->triggered = e->candidate + p;
    e->scale = d;
    e->peak = d += y;
    e->point = d += y;
    e->speed = d += y;
    e->slow = d += p;
    e->weak = d += p;
    e->sample = d += p;
    e->check = d += 8 * most;
    e->bernstein = d + most;
    e->t = e->event_time = start->t;
    memcpy(e->ode.y, start->q, sizeof(double) * (size_t)e->nq);
    memcpy(e->ode.y + e->nq, start->u, sizeof(double) * (size_t)e->n);
    return CAROM_OK;
}

/* Everything at the present state, without contact forces. */
static carom_status look(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    int rows = m->row_count;
    m->row_count = 0;
    carom_status status =
        carom_motion_evaluate(m, e->t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
    m->row_count = rows;
    return status;
}

/* A point where the motion cannot be evaluated. */
static carom_status bad_point(carom_event_driven *e, const carom_error *error)
{
    return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE, "%s", error->text);
}

/* Scales below which a normal velocity or slip of contact i is rounding. */
static void measure_speeds(carom_event_driven *e)
{
    const carom_state *s = &e->motion.state;
    for (int i = 0; i < e->shape->p; i++) {
        double rate = fabs(s->w_hat[i]), gain = fabs(s->g_bias[i]);
        for (int k = 0; k < e->n; k++) {
            rate += fabs(s->W[k + (size_t)i * e->n] * s->u[k]);
            gain += fabs(s->W[k + (size_t)i * e->n] * e->motion.a_free[k]);
        }
        for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++) {
            double slip = fabs(s->slip_motion[j]);
            for (int k = 0; k < e->n; k++)
                slip += fabs(s->H[k + (size_t)j * e->n] * s->u[k]);
            rate = larger(rate, slip);
        }
        e->speed[i] = larger(e->speed[i], larger(rate, gain * e->h));
        e->slow[i] = e->options->rest * e->speed[i];
    }
    e->motion.slow = 0;
    for (int i = 0; i < e->shape->p; i++)
        e->motion.slow = larger(e->motion.slow, e->slow[i]);
}

/* Rounding of positions on a step's continuous solution: gaps below it cannot be told from zero. */
static double resolution(const carom_event_driven *e)
{
    double size = 0;
    for (int i = 0; i < e->nq; i++)
        size = larger(size, fabs(e->ode.y[i]));
    return 512 * DBL_EPSILON * size;
}

/* Would contact i, leaving at its present velocity and with accelerations a, come back without
 * rising above `height`? */
static bool flies_low(const carom_event_driven *e, int i, const double *a, double height)
{
    const carom_motion *m = &e->motion;
    double gamma = carom_motion_gamma(m, i), gain = m->state.g_bias[i];
    for (int j = 0; j < e->n; j++)
        gain += m->state.W[j + (size_t)i * e->n] * a[j];
    return gain < 0 && gamma * gamma <= -2 * gain * height;
}

/* The present velocity with gamma = 0 for the contacts flagged (and the joints kept). */
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
    return carom_motion_project(m, 0, true, &moved, error);
}

/* Contacts of this impact that rebound, but lower than positions can tell or slower than counts. */
static bool flights_too_low(const carom_event_driven *e, unsigned char *low)
{
    const carom_motion *m = &e->motion;
    const double height = resolution(e);
    bool any = false;
    memset(low, 0, (size_t)e->shape->p);
    for (int k = 0; k < e->collide.count; k++) {
        const int i = e->collide.contacts[k];
        const double gamma = carom_motion_gamma(m, i);
        const bool bounces =
            e->shape->contacts[i].restitution > 0 && e->collide.impulse[k] > 0 && gamma > 0;
        if (bounces && (gamma <= e->slow[i] || flies_low(e, i, m->a_free, height)) &&
            gamma > 1e-4 * e->slow[i]) {
            low[i] = 1;
            any = true;
        }
    }
    return any;
}

/* Say that contacts come to rest before their accumulation point: because that is near enough, or
 * because positions or speeds no longer resolve the flights. Those of the pattern are flagged. */
static carom_status declare(carom_event_driven *e, int contact, unsigned char *flag,
                            carom_error *error)
{
    carom_flow_accumulation a;
    bool near;
    char name[32];
    carom_status status = CAROM_OK;
    int pattern = carom_zeno_progress(&e->zeno, contact, e->options, &a, &near);
    if (near) /* else the others of the pattern may still be away from zero */
        for (int k = 0; k < pattern; k++)
            flag[e->zeno.contact[k]] = e->touching[e->zeno.contact[k]] = 1;
    flag[contact] = 1;
    carom_zeno_reset(&e->zeno);
    if (pattern == 0)
        return carom_record_warn(
            e->record, e->t, error,
            "contact %s at t = %.12g: rebound below the resolution of positions or speeds (rest "
            "%.3g), taken as rest",
            carom_record_contact(e->record, contact, name), e->t, e->options->rest);
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++)
        if (flag[i]) {
            a.contact = i;
            status = carom_record_accumulation(e->record, &a, error);
        }
    return status;
}

/* After an impact: is it the last of an accumulation that is taken into account? Then its contacts
 * come to rest. */
static carom_status accumulate(carom_event_driven *e, int contact, carom_error *error)
{
    carom_flow_accumulation a;
    unsigned char *flag = e->candidate;
    bool near;
    carom_zeno_add(&e->zeno, e->t, contact, e->options, &a, &near);
    const bool low = flights_too_low(e, flag);
    if (!near && !low)
        return CAROM_OK;
    /* contacts that took part in the impact accumulate together */
    for (int k = 0; k < e->collide.count; k++)
        if (e->collide.impulse[k] > 0)
            flag[e->collide.contacts[k]] = 1;
    carom_status status = declare(e, contact, flag, error);
    return status == CAROM_OK ? bring_to_rest(e, flag, error) : status;
}

/* One impact of the touching contacts. */
static carom_status impact(carom_event_driven *e, int contact, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_collide *c = &e->collide;
    carom_flow_ledger *ledger = &e->record->result->ledger;
    double before = carom_record_kinetic(e->shape, &m->state);
    carom_status status = carom_collide_apply(c, m, e->touching, e->record, error);
    if (status == CAROM_OK)
        status = accumulate(e, contact, error);
    if (status != CAROM_OK)
        return status;
    double change = carom_record_kinetic(e->shape, &m->state) - before;
    ledger->impacts += change;
    for (int k = 0; k < c->count; k++)
        ledger->impact_loss[c->contacts[k]] += c->loss[k];
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    carom_flow_impact record = {.kind = CAROM_FLOW_COLLISION,
                                .t = e->t,
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

/* Impacts until no touching contact approaches. The state must be current. */
static carom_status collide_all(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    const int limit = 20 + 4 * e->shape->p;
    for (int round = 0; round < limit; round++) {
        int worst = -1;
        for (int i = 0; i < e->shape->p && worst < 0; i++)
            if (e->touching[i] && carom_motion_gamma(m, i) < -e->slow[i])
                worst = i;
        if (worst < 0)
            return CAROM_OK;
        carom_status status = impact(e, worst, error);
        if (status != CAROM_OK)
            return status;
        e->record->result->events++;
    }
    char name[32];
    for (int i = 0; i < e->shape->p; i++)
        if (e->touching[i] && carom_motion_gamma(m, i) < -e->slow[i])
            return carom_record_stop(e->record, CAROM_FLOW_NO_OUTCOME,
                                     "after %d impacts at t = %.12g contact %s still approaches",
                                     limit, e->t, carom_record_contact(e->record, i, name));
    return CAROM_OK;
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
                                 "t = %.12g, contact %s: no contact force exists (Painleve); %s",
                                 e->t, i < 0 ? "-" : carom_record_contact(e->record, i, name),
                                 answer->text);
    double before = carom_record_kinetic(e->shape, &m->state), impulse = 0, tangent = 0;
    bool moved;
    memcpy(e->collide.before, m->state.u, sizeof(double) * (size_t)e->n);
    m->row_count = 0;
    m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_NORMAL, i};
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_SLIP, j};
    for (int j = 0; j < e->shape->m; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_JOINT, j};
    for (int j = 0; j < e->shape->a; j++)
        m->rows[m->row_count++] = (carom_motion_row){CAROM_MOTION_ROLLING, j};
    carom_status status = carom_motion_project(m, 0, true, &moved, error);
    if (status != CAROM_OK)
        return status;
    impulse = m->x[0];
    for (int k = 1; k <= e->shape->slip_start[i + 1] - e->shape->slip_start[i]; k++)
        tangent = hypot(tangent, m->x[k]);
    if (!moved || !(impulse > 0) || tangent > m->mu[i] * impulse * (1 + 1e-9))
        return carom_record_stop(
            e->record, CAROM_FLOW_INCONSISTENT,
            "t = %.12g, contact %s: no contact force exists (Painleve), and no "
            "tangential impact in the friction cone ends it; %s",
            e->t, carom_record_contact(e->record, i, name), answer->text);
    double change = carom_record_kinetic(e->shape, &m->state) - before;
    e->record->result->ledger.impacts += change;
    e->record->result->ledger.impact_loss[i] += change;
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    carom_flow_impact record = {.kind = CAROM_FLOW_TANGENTIAL,
                                .t = e->t,
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

/* Positions and velocities put back on the constraints in force; its energy is booked apart. */
static carom_status put_back(carom_event_driven *e, double tolerance, carom_error *error)
{
    carom_motion *m = &e->motion;
    bool moved;
    if (m->row_count == 0)
        return CAROM_OK;
    double before = carom_record_energy(e->shape, &m->state);
    carom_status status = carom_motion_project(m, tolerance, false, &moved, error);
    if (status != CAROM_OK || !moved)
        return status;
    memcpy(e->ode.y, m->state.q, sizeof(double) * (size_t)e->nq);
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    status = look(e, error);
    e->record->result->ledger.projection += carom_record_energy(e->shape, &m->state) - before;
    return status;
}

/* Forces below weak[i] are zero: a part of the largest force that could act along the contact. */
static void measure_forces(carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    for (int i = 0; i < e->shape->p; i++) {
        const double *w = m->state.W + (size_t)i * e->n;
        double size = fabs(m->state.g_bias[i]), inverse = 0;
        memcpy(e->point, w, sizeof(double) * (size_t)e->n);
        carom_motion_inverse_mass(m, e->point);
        for (int k = 0; k < e->n; k++) {
            size += fabs(w[k] * m->a_free[k]);
            inverse += w[k] * e->point[k];
        }
        e->weak[i] = inverse > 0 ? e->options->force_rest * size / inverse : 0;
    }
}

/* Touching contacts that do not leave. */
static bool find_candidates(carom_event_driven *e)
{
    bool any = false;
    for (int i = 0; i < e->shape->p; i++) {
        e->candidate[i] = e->touching[i] && (carom_motion_gamma(&e->motion, i) <= e->slow[i] ||
                                             flies_low(e, i, e->motion.a_free, resolution(e)));
        any = any || e->candidate[i];
    }
    return any;
}

/* Slips too slow to count are taken out before the contact problem looks at them. */
static carom_status stop_creeping(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    bool moving, moved;
    carom_mark mark = carom_arena_mark(e->scratch);
    carom_status status =
        carom_contact_problem_rest(m, e->candidate, e->slow, e->scratch, &moving, error);
    carom_arena_rewind(e->scratch, mark);
    if (status != CAROM_OK || !moving)
        return status;
    double before = carom_record_kinetic(e->shape, &m->state);
    status = carom_motion_project(m, 0, true, &moved, error);
    if (status != CAROM_OK)
        return status;
    e->record->result->ledger.projection += carom_record_kinetic(e->shape, &m->state) - before;
    memcpy(e->ode.y + e->nq, m->state.u, sizeof(double) * (size_t)e->n);
    return look(e, error);
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
        if (e->touching[i] && !e->candidate[i] && flies_low(e, i, m->a, resolution(e))) {
            memset(e->triggered, 0, (size_t)e->shape->p); /* free to use until the next event */
            *again = true;
            status = declare(e, i, e->triggered, error);
            for (int j = 0; j < e->shape->p; j++)
                e->candidate[j] = e->candidate[j] || (e->triggered[j] && e->touching[j]);
        }
    return status;
}

/* Decide how the motion goes on from here: impacts, then modes, then what to watch. */
static carom_status settle(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    const int p = e->shape->p;
    carom_contact_problem_answer answer;
    carom_status status;
    for (int round = 0;; round++) {
        const long before = e->record->result->impact_count;
        measure_speeds(e);
        status = collide_all(e, error);
        if (status != CAROM_OK)
            return status;
        bool any = find_candidates(e) || e->shape->m + e->shape->a > 0;
        if (!any) { /* all fly free */
            memset(m->mode, CAROM_FLOW_OPEN, (size_t)p);
            memset(m->pushed, 0, (size_t)p);
            memset(m->implied, 0, (size_t)p);
            m->row_count = 0;
            m->want = 0;
            answer.class = CAROM_CONTACT_PROBLEM_SOLVED;
            break;
        }
        if (e->record->result->impact_count > before) { /* forces at the new velocity */
            status = look(e, error);
            if (status != CAROM_OK)
                return status;
            find_candidates(e);
        }
        if (e->shape->s > 0) {
            status = stop_creeping(e, error);
            if (status != CAROM_OK)
                return status;
        }
        bool again = true;
        while (again && status == CAROM_OK) {
            carom_mark mark = carom_arena_mark(e->scratch);
            /* sharper than what the events allow, so that a force that has become negative there
             * is seen to be so here */
            status = carom_contact_problem_solve(
                m, e->candidate, e->slow, 0.1 * e->options->force_rest, e->scratch, &answer, error);
            carom_arena_rewind(e->scratch, mark);
            again = false;
            if (status == CAROM_OK && (answer.class == CAROM_CONTACT_PROBLEM_SOLVED ||
                                       answer.class == CAROM_CONTACT_PROBLEM_SEVERAL))
                status = keep_low(e, &again, error);
        }
        if (status != CAROM_OK || answer.class != CAROM_CONTACT_PROBLEM_NONE || round > 4)
            break;
        status = paradox(e, &answer, error);
        if (status == CAROM_OK)
            status = look(e, error);
        if (status != CAROM_OK)
            return status;
    }
    if (status != CAROM_OK)
        return status;
    if (answer.class == CAROM_CONTACT_PROBLEM_UNSOLVED ||
        answer.class == CAROM_CONTACT_PROBLEM_NONE)
        return carom_record_stop(e->record, CAROM_FLOW_UNSOLVED, "t = %.12g: %s", e->t,
                                 answer.text);
    if (answer.class == CAROM_CONTACT_PROBLEM_SEVERAL) {
        char name[32];
        status = carom_record_warn(
            e->record, e->t, error, "t = %.12g, contact %s: %s; the least force was taken", e->t,
            carom_record_contact(e->record, answer.contact, name), answer.text);
        if (status != CAROM_OK)
            return status;
    }
    if (m->row_count > 0)
        measure_forces(e);
    unsigned char *fresh = e->triggered;
    for (int i = 0; i < p; i++)
        fresh[i] = !e->touching[i] ? 0 : e->candidate[i] ? 2 : 1;
    carom_event_watch_list(e, fresh);
    status = put_back(e, 0.01 * e->options->drift, error);
    if (status != CAROM_OK)
        return status;
    return slope(e, e->t, e->ode.y, e->ode.k[0], error);
}

/* Where the ledger's integrals stand at y. */
static void book(carom_event_driven *e, const double *y)
{
    carom_flow_ledger *l = &e->record->result->ledger;
    const double *work = y + e->nq + e->n;
    l->constraints = work[1];
    l->forces = work[0] + work[1];
    l->friction = 0;
    for (int i = 0; i < e->extra - 2; i++) {
        l->friction_loss[i] = work[2 + i];
        l->friction += work[2 + i];
    }
}

static carom_status emit(carom_event_driven *e, double t, const double *y, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_status status = carom_motion_evaluate(m, t, y, y + e->nq, CAROM_WANT_ALL, error);
    if (status != CAROM_OK)
        return status;
    if (m->row_count == 0) {
        memset(m->force, 0, sizeof(double) * (size_t)e->shape->p);
        memset(m->friction, 0, sizeof(double) * (size_t)e->shape->s);
    }
    book(e, y);
    carom_record_balance(e->record, &m->state);
    carom_flow_row row = {.t = t,
                          .q = m->state.q,
                          .u = m->state.u,
                          .gap = m->state.g,
                          .force = m->force,
                          .friction = m->friction,
                          .mode = m->mode,
                          .mass = m->state.M,
                          .ledger = &e->record->result->ledger};
    return carom_record_row(e->record, &row, error);
}

/* Rows due before `end` on the continuous solution of the present step. */
static carom_status emit_until(carom_event_driven *e, double begin, double end, carom_error *error)
{
    const double every = e->options->output;
    if (!(every > 0) || !e->record->observer->row)
        return CAROM_OK;
    for (;;) {
        double t = begin + (double)e->row * every;
        if (!(t < end) || t >= e->options->until - 1e-9 * every)
            return CAROM_OK;
        double theta = (t - e->ode.t) / e->ode.h;
        carom_ode_dop853_at(&e->ode, larger(theta, 0), e->ode.n, e->point);
        carom_status status = emit(e, t, e->point, error);
        if (status != CAROM_OK)
            return status;
        e->row++;
    }
}

/* A step may err by this part of the tolerance, so that the motion over many steps keeps to it
 * (docs/decisions.md). */
static const double step_share = 0.01;

/* Scale of the error: a part of the largest value of each component so far, and of a thousandth of
 * the largest of its kind. */
static void measure_scale(carom_event_driven *e)
{
    const double *y = e->ode.y, *next = e->ode.next;
    const double tol = larger(step_share * e->options->tolerance, 4 * DBL_EPSILON);
    double kind[2] = {0, 0}, h = fabs(e->ode.h);
    for (int i = 0; i < e->nq + e->n; i++) {
        const int k = i >= e->nq;
        double size = larger(e->peak[i], larger(fabs(y[i]), fabs(next[i])));
        size = larger(size, h * larger(fabs(e->ode.k[0][i]),
                                       larger(fabs(e->ode.k[6][i]), fabs(e->ode.k[11][i]))));
        e->scale[i] = size;
        kind[k] = larger(kind[k], size);
    }
    /* where contact forces hold the system still, what is left is the rounding of what they cancel
     */
    double held = 0;
    if (e->motion.row_count > 0)
        for (int i = 0; i < e->n; i++)
            held = larger(held, h * fabs(e->motion.a_free[i]));
    for (int i = 0; i < e->nq + e->n; i++) {
        const int k = i >= e->nq;
        e->scale[i] = tol * larger(larger(e->scale[i], 1e-3 * kind[k]), k ? held : h * held);
    }
}

static carom_status underflow(carom_event_driven *e, bool bad, const carom_error *error)
{
    const carom_motion *m = &e->motion;
    char name[32];
    if (bad)
        return bad_point(e, error);
    for (int i = 0; i < e->shape->p; i++)
        if (m->pushed[i])
            return carom_record_stop(
                e->record, CAROM_FLOW_INCONSISTENT,
                "t = %.12g: step size below %.3g while contact %s slides with force %.6g growing "
                "without bound (Painleve)",
                e->t, e->options->min_step, carom_record_contact(e->record, i, name), m->force[i]);
    return carom_record_stop(e->record, CAROM_FLOW_UNDERFLOW,
                             "t = %.12g: step size below %.3g; the forces change too fast", e->t,
                             e->options->min_step);
}

/* An accepted step with its continuous solution in e->ode and its first event in *theta. */
static carom_status advance(carom_event_driven *e, double *theta, double *err, carom_error *error)
{
    const carom_flow_options *o = e->options;
    const double smallest = o->min_step * larger(1, fabs(e->t));
    int redone = 0;
    e->grain = resolution(e) / 8;
    e->extent = 0;
    for (int i = 0; i < e->nq; i++)
        e->extent = larger(e->extent, e->peak[i]);
    for (;;) {
        double left = o->until - e->t, h = e->h;
        if (o->max_step > 0)
            h = fmin(h, o->max_step);
        if (h >= left * (1 - 1e-12))
            h = left;
        else if (h > 0.5 * left)
            h = 0.5 * left;
        if (h < smallest && h < left)
            return underflow(e, false, error);
        carom_status status = carom_ode_dop853_try(&e->ode, e->t, h, error);
        if (status == CAROM_OK) {
            measure_scale(e);
            *err = carom_ode_dop853_error(&e->ode, e->scale);
            if (!(*err <= 1)) {
                e->h = h * (*err < INFINITY ? carom_ode_dop853_factor(*err) : 0.1);
                e->record->result->rejected++;
                continue;
            }
            status = carom_ode_dop853_dense(&e->ode, error);
        }
        if (status == CAROM_OK)
            status = carom_event_watch_find(e, theta, error);
        if (status > 0) { /* a point on the way that cannot be evaluated: come nearer first */
            if (0.25 * h < smallest)
                return underflow(e, true, error);
            e->h = 0.25 * h;
            e->record->result->rejected++;
            continue;
        }
        if (status != CAROM_OK)
            return status;
        /* An early event is located again on a shorter step, whose polynomial is sharper there. */
        if (*theta > 0 && redone < 3 && (*theta < 0.2 || (*theta < 0.5 && *err > 1e-3)) &&
            *theta * h > 16 * smallest) {
            e->h = *theta * h * 1.05;
            redone++;
            continue;
        }
        return CAROM_OK;
    }
}

/* Which contacts touch at an event: those closed until now, those of the event, those whose gap
 * closes within the tolerance of it. */
static void find_touching(carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    const double tau = e->options->event_tolerance * larger(1, fabs(e->t)), zero = resolution(e);
    for (int i = 0; i < e->shape->p; i++) {
        double gamma = carom_motion_gamma(m, i);
        e->touching[i] = m->mode[i] != CAROM_FLOW_OPEN || e->triggered[i] ||
                         m->state.g[i] <= zero || m->state.g[i] <= -gamma * tau;
    }
}

/* Drift off the constraints, and penetration, at the end of a step. */
static carom_status check_end(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    carom_flow_result *r = e->record->result;
    if (m->row_count > 0) {
        carom_status status = look(e, error);
        if (status == CAROM_OK)
            status = put_back(e, e->options->drift, error);
        if (status != CAROM_OK)
            return status;
        measure_speeds(e);
        measure_forces(e);
    } else if (e->event_count > 0) {
        return CAROM_OK; /* gaps were watched through the step */
    }
    for (int i = 0; i < e->shape->p; i++)
        r->max_penetration = larger(r->max_penetration, -m->state.g[i]);
    return CAROM_OK;
}

/* At an event: decide how to go on, and refuse to do so for ever at one instant. */
static carom_status event(carom_event_driven *e, carom_error *error)
{
    carom_flow_result *r = e->record->result;
    const double since = e->t - e->event_time;
    const double tau = e->options->event_tolerance * larger(1, fabs(e->t));
    carom_status status = look(e, error);
    if (status > 0)
        return bad_point(e, error);
    if (status != CAROM_OK)
        return status;
    status = put_back(e, 4 * DBL_EPSILON, error); /* so that what leaves starts from zero */
    if (status != CAROM_OK)
        return status > 0 ? bad_point(e, error) : status;
    find_touching(e);
    for (int i = 0; i < e->shape->p; i++)
        r->max_penetration = larger(r->max_penetration, -e->motion.state.g[i]);
    /* modes that change again and again without time or impacts between them */
    e->stuck = since <= 1e3 * tau && r->impact_count == e->impacts_then ? e->stuck + 1 : 0;
    e->impacts_then = r->impact_count;
    if (e->stuck > 300)
        return carom_record_stop(e->record, CAROM_FLOW_UNSOLVED,
                                 "t = %.12g: %d changes of mode within %.3g, they do not settle",
                                 e->t, e->stuck, 1e3 * tau);
    r->events++;
    if (e->options->max_events > 0 && r->events > e->options->max_events)
        return carom_record_stop(e->record, CAROM_FLOW_EVENT_LIMIT, "t = %.12g: %ld events", e->t,
                                 e->options->max_events);
    e->event_time = e->t;
    if (since > tau)
        e->h = fmin(e->h, 1.5 * since);
    status = settle(e, error);
    return status > 0 && r->end == CAROM_FLOW_REACHED ? bad_point(e, error) : status;
}

static carom_status step(carom_event_driven *e, double begin, carom_error *error)
{
    carom_flow_result *r = e->record->result;
    double theta, err = 0;
    carom_status status = advance(e, &theta, &err, error);
    if (status != CAROM_OK)
        return status;
    const bool hit = theta >= 0;
    double h = e->ode.h, now = e->t + (hit ? theta * h : h);
    if (!hit && h == e->options->until - e->t)
        now = e->options->until;
    status = emit_until(e, begin, now, error);
    if (status != CAROM_OK)
        return status;
    if (hit && theta < 1)
        carom_ode_dop853_at(&e->ode, theta, e->ode.n, e->ode.y);
    else
        memcpy(e->ode.y, e->ode.next, sizeof(double) * (size_t)e->ode.n);
    e->t = now;
    r->steps++;
    for (int i = 0; i < e->nq + e->n; i++)
        e->peak[i] = larger(e->peak[i], fabs(e->ode.y[i]));
    e->h = h * carom_ode_dop853_factor(err);
    if (hit)
        return event(e, error);
    for (int k = 0; k < e->event_count; k++)
        e->events[k].fresh = e->sample[(size_t)k * CAROM_BERNSTEIN_NODES + 7] <= 0;
    if (e->motion.row_count > 0) {
        status = check_end(e, error);
        if (status == CAROM_OK)
            status = slope(e, e->t, e->ode.y, e->ode.k[0], error);
        return status > 0 && r->end == CAROM_FLOW_REACHED ? bad_point(e, error) : status;
    }
    memcpy(e->ode.k[0], e->ode.k[12], sizeof(double) * (size_t)e->ode.n);
    return CAROM_OK;
}

/* The start: refuse penetration and broken joints, close what is closed. */
static carom_status begin(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    const carom_flow_options *o = e->options;
    char name[32];
    carom_status status = look(e, error);
    if (status > 0)
        return bad_point(e, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < e->shape->p; i++) {
        e->touching[i] = m->state.g[i] <= o->closed;
        if (m->state.g[i] < -o->closed)
            return carom_error_set(
                error, CAROM_ERROR_INPUT,
                "the motion starts in penetration: contact %s has gap %.6g, allowed is >= -%.3g",
                carom_record_contact(e->record, i, name), m->state.g[i], o->closed);
    }
    for (int j = 0; j < e->shape->m; j++)
        if (!(fabs(m->state.f[j]) <= o->closed))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the motion starts off a joint: %s = %.6g, allowed is %.3g",
                                   e->shape->joints && e->shape->joints[j] ? e->shape->joints[j]
                                                                           : "bilateral",
                                   m->state.f[j], o->closed);
    e->record->result->ledger.initial = carom_record_energy(e->shape, &m->state);
    for (int i = 0; i < e->nq + e->n; i++)
        e->peak[i] = fabs(e->ode.y[i]);
    e->h = (o->until - e->t) * 1e-2;
    memset(e->triggered, 0, (size_t)e->shape->p);
    status = settle(e, error);
    if (status > 0 && e->record->result->end == CAROM_FLOW_REACHED)
        return bad_point(e, error);
    if (status == CAROM_OK)
        status = emit(e, e->t, e->ode.y, error);
    e->row = 1;
    return status;
}

carom_status carom_event_driven_run(carom_record *record, const carom_law *law,
                                    const carom_flow_start *start, carom_arena *work,
                                    carom_arena *scratch, carom_error *error)
{
    carom_event_driven engine, *e = &engine;
    carom_flow_result *r = record->result;
    carom_status status = create(e, record, law, start, work, scratch, error);
    if (status != CAROM_OK)
        return status;
    status = begin(e, error);
    while (status == CAROM_OK && e->t < e->options->until) {
        status = step(e, start->t, error);
        if (status == CAROM_OK && (r->steps & 255) == 0)
            status = carom_record_progress(record, e->t, error);
    }
    if (status < 0)
        return status;
    /* the end, reached or not, in the ledger and the last row */
    carom_status last =
        carom_motion_evaluate(&e->motion, e->t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
    if (last == CAROM_OK) {
        book(e, e->ode.y);
        carom_record_balance(record, &e->motion.state);
        if (status == CAROM_OK && e->options->until > start->t)
            status = emit(e, e->t, e->ode.y, error);
    }
    r->evaluations = e->ode.evaluations;
    e->motion.state.t = e->t;
    memcpy(e->motion.state.q, e->ode.y, sizeof(double) * (size_t)e->nq);
    memcpy(e->motion.state.u, e->ode.y + e->nq, sizeof(double) * (size_t)e->n);
    carom_status kept = carom_record_finish(record, &e->motion.state, error);
    return kept != CAROM_OK ? kept : status;
}
