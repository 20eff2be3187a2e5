/* The flights that are left out where impacts accumulate (docs/theory/event-driven.md,
 * "Accumulation of impacts"): their friction. Until the limit they would press their contacts with
 * P = N D + p, N the forces at rest, D the time that is left, p the momentum that rest takes away,
 * and the law gives them rho of that as friction, where rest gives tau N D. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/event_follow.h"
#include "linalg/dense.h"

#include "base/short_loops.h"

/* Rounds of normal and tangential impulses in turn: each is by the friction angle less. */
enum { ROUNDS = 60 };

void carom_event_flights_remember(carom_event_driven *e)
{
    const carom_collide *c = &e->collide;
    int slip = 0;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contacts[k], first = e->shape->slip_start[i];
        const int columns = e->shape->slip_start[i + 1] - first;
        for (int j = 0; j < columns && c->impulse[k] > 0; j++)
            e->ratio[first + j] = c->tangent[slip + j] / c->impulse[k];
        slip += columns;
        e->struck[i] = e->t;
        double rate = e->motion.state.w_hat[i];
        for (int l = 0; l < e->n; l++)
            rate += e->motion.state.W[l + (size_t)i * (size_t)e->n] * c->before[l];
        e->bounce[i] = c->count == 1 && rate < 0 ? -carom_motion_gamma(&e->motion, i) / rate : -1;
    }
}

/* Does contact i slide, and does its law give it friction? Then it slides in flights too. */
static void push(carom_event_driven *e, int i)
{
    carom_motion *m = &e->motion;
    double slip = 0, ratio = 0;
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++) {
        slip = hypot(slip, carom_motion_slip(m, j));
        ratio = hypot(ratio, e->ratio[j]);
    }
    m->sliding[i] = slip > e->slow[i] && ratio > 0;
    m->mu[i] = ratio;
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1] && m->sliding[i]; j++)
        m->direction[j] = -e->ratio[j] / ratio;
}

/* Tangential impulses ratio x of the rows' normal impulses x, into the velocity; the largest change
 * of it. work: n. */
static double rub(carom_event_driven *e, double *work)
{
    carom_motion *m = &e->motion;
    memset(work, 0, sizeof(double) * (size_t)e->n);
    for (int k = 0; k < m->row_count; k++) {
        const int i = m->rows[k].index;
        if (m->rows[k].kind != CAROM_MOTION_NORMAL || !m->sliding[i])
            continue;
        for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++)
            carom_dense_axpy(e->n, e->ratio[j] * m->x[k], m->state.H + (size_t)j * (size_t)e->n,
                             work);
    }
    carom_motion_inverse_mass(m, work);
    carom_dense_axpy(e->n, 1, work, m->state.u);
    return carom_dense_max(e->n, work);
}

/* The velocity onto the rows by impulses that carry the flights' friction. The sums of the normal
 * ones are left in m->x, as those of carom_motion_project are. work: n + row_count. */
static carom_status press(carom_event_driven *e, double *work, bool *moved, carom_error *error)
{
    carom_motion *m = &e->motion;
    double *sum = work + e->n, first = 0;
    carom_status status = carom_motion_project(m, 0, true, moved, error);
    for (int k = 0; k < m->row_count && *moved; k++)
        sum[k] = m->x[k];
    for (int round = 0; round < ROUNDS && status == CAROM_OK && *moved; round++) {
        bool again;
        const double size = rub(e, work);
        first = round == 0 ? size : first;
        if (!(size > CAROM_TOLERANCE_SUM * first))
            break;
        status = carom_motion_project(m, 0, true, &again, error);
        for (int k = 0; k < m->row_count && again; k++)
            sum[k] += m->x[k];
        if (!again)
            break;
    }
    for (int k = 0; k < m->row_count && *moved; k++)
        m->x[k] = sum[k];
    return status;
}

carom_status carom_event_flights_rest(carom_event_driven *e, const unsigned char *flag, bool *moved,
                                      carom_error *error)
{
    carom_motion *m = &e->motion;
    memset(m->sliding, 0, (size_t)e->shape->p);
    for (int i = 0; i < e->shape->p; i++) {
        /* who has no rate was closed in all of these flights, and has the friction of that */
        if (flag[i] && fabs(carom_motion_gamma(m, i)) > e->slow[i])
            e->rested[i] = 1;
        if (flag[i])
            push(e, i);
    }
    carom_mark mark = carom_arena_mark(e->scratch);
    double *work = carom_arena_doubles(e->scratch, (size_t)(e->n + m->row_count));
    if (!work)
        return carom_error_memory(error);
    carom_status status = press(e, work, moved, error);
    carom_arena_rewind(e->scratch, mark);
    return status;
}

/* Does a contact that is closed now leave, but too low to be told, while one slides? */
static bool slides_low(const carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    bool low = false, slides = false;
    for (int i = 0; i < e->shape->p; i++) {
        const bool closed = m->mode[i] != CAROM_MODE_OPEN;
        low = low || (e->low[i] && closed);
        slides = slides || (m->sliding[i] && closed && m->mu[i] > 0);
    }
    return low && slides;
}

carom_law_step carom_event_flights_law(const carom_event_driven *e, int i)
{
    const carom_contact *c = &e->shape->contacts[i];
    const carom_law *law = c->law ? c->law : e->collide.law;
    const carom_law_step nothing = {.restitution = c->restitution};
    carom_law_step say;
    return law->ops->step && law->ops->step(law, c, &say) ? say : nothing;
}

/* The friction of a hop that no impact of this instant begins, of contact i, which slides: where
 * its law gives impacts as much as sliding has, that. Its last impact may have been long ago, in
 * another direction, or none. */
static void hop(carom_event_driven *e, int i)
{
    const carom_motion *m = &e->motion;
    if (e->struck[i] == e->t || !carom_event_flights_law(e, i).rough)
        return;
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++)
        e->ratio[j] = -m->mu[i] * m->direction[j];
}

carom_status carom_event_flights_low(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    const size_t n = (size_t)e->n, p = (size_t)e->shape->p, s = (size_t)e->shape->s;
    if (!slides_low(e))
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(e->scratch);
    double *work = carom_arena_doubles(e->scratch, 2 * n + (size_t)m->row_count + p + s);
    unsigned char *sliding = carom_arena_zeros(e->scratch, p, 1);
    if (!work || !sliding)
        return carom_error_memory(error);
    double *fast = work + n + m->row_count, *mu = fast + n, *direction = mu + p;
    memcpy(sliding, m->sliding, p);
    memcpy(mu, m->mu, p * sizeof(double));
    memcpy(direction, m->direction, s * sizeof(double));
    memcpy(fast, m->state.u, n * sizeof(double));
    const double before = carom_record_kinetic(e->shape, &m->state);
    bool moved;
    for (int i = 0; i < e->shape->p; i++)
        if (sliding[i]) {
            hop(e, i);
            push(e, i);
        }
    carom_status status = press(e, work, &moved, error);
    const carom_event_follow *follow = e->record->follow;
    if (status == CAROM_OK && moved && follow && follow->project)
        status = follow->project(follow->self, e, fast, error);
    memcpy(m->sliding, sliding, p);
    memcpy(m->mu, mu, p * sizeof(double));
    memcpy(m->direction, direction, s * sizeof(double));
    carom_arena_rewind(e->scratch, mark);
    if (status != CAROM_OK || !moved)
        return status;
    memcpy(e->ode.y + e->nq, m->state.u, n * sizeof(double));
    e->record->result->ledger.impacts += carom_record_kinetic(e->shape, &m->state) - before;
    return CAROM_OK;
}

/* Contacts that came to rest and slide, whose friction in flight was another: they slide with that.
 */
static bool push_rested(carom_event_driven *e)
{
    carom_motion *m = &e->motion;
    bool any = false;
    for (int i = 0; i < e->shape->p; i++) {
        const double mu = m->mu[i];
        double off = 0;
        if (!e->rested[i] || !m->sliding[i])
            continue;
        for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++)
            off = hypot(off, e->ratio[j] + mu * m->direction[j]);
        if (off <= CAROM_TOLERANCE_CARRIED * mu)
            continue;
        push(e, i);
        any = true;
    }
    return any;
}

/* Accelerations with the present modes and friction; who follows the motion takes their part. */
static carom_status accelerate(carom_event_driven *e, double sign, double *sum, carom_error *error)
{
    const carom_event_follow *follow = e->record->follow;
    carom_status status =
        carom_motion_evaluate(&e->motion, e->t, e->ode.y, e->ode.y + e->nq, CAROM_WANT_ALL, error);
    if (status == CAROM_OK)
        carom_dense_axpy(e->n, sign * e->left, e->motion.a, sum);
    if (status == CAROM_OK && follow && follow->flights)
        status = follow->flights(follow->self, e, sign, error);
    return status;
}

carom_status carom_event_flights_settle(carom_event_driven *e, carom_error *error)
{
    carom_motion *m = &e->motion;
    const size_t n = (size_t)e->n, p = (size_t)e->shape->p, s = (size_t)e->shape->s;
    if (!(e->left > 0) || m->row_count == 0 || s == 0)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(e->scratch);
    double *change = carom_arena_zeros(e->scratch, n + p + s, sizeof(double));
    unsigned char *sliding = carom_arena_zeros(e->scratch, p, 1);
    if (!change || !sliding)
        return carom_error_memory(error);
    double *mu = change + n, *direction = mu + p;
    memcpy(sliding, m->sliding, p);
    memcpy(mu, m->mu, p * sizeof(double));
    memcpy(direction, m->direction, s * sizeof(double));
    const double before = carom_record_kinetic(e->shape, &m->state);
    carom_status status = CAROM_OK;
    const bool any = push_rested(e);
    if (any)
        status = accelerate(e, 1, change, error);
    memcpy(m->sliding, sliding, p);
    memcpy(m->mu, mu, p * sizeof(double));
    memcpy(m->direction, direction, s * sizeof(double));
    if (any && status == CAROM_OK)
        status = accelerate(e, -1, change, error);
    if (any && status == CAROM_OK) {
        carom_dense_axpy(e->n, 1, change, m->state.u);
        memcpy(e->ode.y + e->nq, m->state.u, n * sizeof(double));
        e->record->result->ledger.impacts += carom_record_kinetic(e->shape, &m->state) - before;
    }
    carom_arena_rewind(e->scratch, mark);
    return status;
}
