/* Motions at the limit of what they do (docs/theory/sensitivities.md, "Where there is none"): a
 * condition is zero at the very instant at which it decides, so that neighbours on one side do
 * something else. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

static const char *contact_name(const carom_variation *v, int i, char *number)
{
    return carom_contact_name(v->shape->contacts, i, number);
}

/* The normal force and friction of contact i. Forces that are not determined are those that the
 * motion has: the rows of the point alone would have one of several feet hold what all hold. */
static double force_of(const carom_variation *v, const carom_event_driven *e, int i,
                       double *friction)
{
    const bool shared = e->motion.column_count > 0;
    const double *lambda_T = shared ? e->motion.friction : v->point.lambda_T;
    *friction = 0;
    for (int j = v->shape->slip_start[i]; j < v->shape->slip_start[i + 1]; j++)
        *friction = hypot(*friction, lambda_T[j]);
    return shared ? e->motion.force[i] : v->point.lambda[i];
}

bool carom_variation_limit_at(const carom_variation *v, const carom_event_driven *e, int i,
                              carom_event *cause)
{
    const carom_variation_point *p = &v->point;
    const int first = v->shape->slip_start[i], columns = v->shape->slip_start[i + 1] - first;
    const double mu = v->shape->contacts[i].friction_static;
    double tangential;
    const double lambda = force_of(v, e, i, &tangential);
    if (v->mode[i] == CAROM_MODE_OPEN)
        return false;
    *cause = (carom_event){.kind = CAROM_EVENT_FORCE, .contact = i};
    if (lambda <= e->weak[i])
        return true;
    if (v->mode[i] != CAROM_MODE_STICK || !(mu * lambda - tangential <= fmax(1, mu) * e->weak[i]))
        return false;
    cause->kind = columns == 2             ? CAROM_EVENT_CONE
                  : p->lambda_T[first] > 0 ? CAROM_EVENT_CONE_MINUS
                                           : CAROM_EVENT_CONE_PLUS;
    return true;
}

/* Friction that is zero has no direction, and there is none below zero: what it does when it
 * begins is known from one side only. */
static void check_friction(carom_variation *v, const carom_event_driven *e, int i)
{
    const carom_contact *c = &v->shape->contacts[i];
    bool asked = false;
    char number[16];
    if (v->mode[i] == CAROM_MODE_OPEN || c->slip_count == 0 || !v->along->contacts)
        return;
    for (int j = 0; j < v->k; j++) {
        const carom_contact *change = &v->along->contacts[j][i];
        asked = asked || (change->friction_static != 0 && !(c->friction_static > 0)) ||
                (change->friction_dynamic != 0 && !(c->friction_dynamic > 0));
    }
    if (asked)
        carom_variation_refuse(v, e->t,
                               "contact %s is closed at t = %.12g with a friction of zero: there "
                               "is none below it",
                               contact_name(v, i, number), e->t);
}

/* How the slip of column l changes in direction j; after carom_variation_strike_rates. */
static double slip_change(const carom_variation *v, const carom_motion *m, int l, int j)
{
    const size_t n = (size_t)v->n;
    return carom_variation_strike_rate(v, (carom_motion_row){CAROM_MOTION_SLIP, l}, j) +
           carom_dense_dot(v->n, m->state.H + (size_t)l * n, v->du + (size_t)j * n);
}

carom_status carom_variation_limit_slips(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error)
{
    const carom_motion *m = &e->motion;
    carom_status status = CAROM_OK;
    memset(v->slips, 0, (size_t)v->shape->p);
    /* later a slip is zero at an event of its own, whose instant moves with it */
    if (m->row_count == 0 || !(v->begins || v->cause.kind == CAROM_EVENT_OWN))
        return CAROM_OK;
    status = carom_variation_strike_rates(v, &m->state, m->state.u, error);
    for (int i = 0; i < v->shape->p && status == CAROM_OK; i++) {
        double speed = 0;
        for (int l = v->shape->slip_start[i]; l < v->shape->slip_start[i + 1]; l++)
            speed = hypot(speed, carom_motion_slip(m, l));
        if (v->mode[i] == CAROM_MODE_OPEN || speed > e->slow[i])
            continue;
        for (int l = v->shape->slip_start[i]; l < v->shape->slip_start[i + 1]; l++)
            for (int j = 0; j < v->k; j++)
                v->slips[i] =
                    v->slips[i] || fabs(slip_change(v, m, l, j)) >
                                       CAROM_TOLERANCE_SAME * carom_variation_condition_size(v, j);
    }
    return status;
}

/* Contact i touches without a velocity, and nothing holds it. */
static bool leaves_at_rest(const carom_variation *v, const carom_event_driven *e, int i)
{
    const carom_motion *m = &e->motion;
    const int guard = v->shape->guard ? v->shape->guard[i] : -1;
    return v->mode[i] == CAROM_MODE_OPEN && fabs(m->state.g[i]) <= e->options->closed &&
           fabs(carom_motion_gamma(m, i)) <= e->slow[i] && (guard < 0 || m->state.guard[guard] > 0);
}

carom_status carom_variation_limit_leaving(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error)
{
    const carom_motion *m = &e->motion;
    const size_t n = (size_t)v->n;
    bool any = false;
    if (!v->begins && v->cause.kind != CAROM_EVENT_OWN)
        return CAROM_OK;
    for (int i = 0; i < v->shape->p; i++)
        any = any || leaves_at_rest(v, e, i);
    if (!any)
        return CAROM_OK;
    const carom_status status = carom_variation_strike_rates(v, &m->state, m->state.u, error);
    for (int i = 0; i < v->shape->p && status == CAROM_OK; i++) {
        const carom_motion_row row = {CAROM_MOTION_NORMAL, i};
        char number[16];
        for (int j = 0; j < v->k && leaves_at_rest(v, e, i); j++) {
            const double moved =
                carom_variation_strike_rate(v, row, j) +
                carom_dense_dot(v->n, m->state.W + (size_t)i * n, v->du + (size_t)j * n);
            if (fabs(moved) > CAROM_TOLERANCE_SAME * carom_variation_condition_size(v, j))
                carom_variation_refuse(v, e->t,
                                       "contact %s leaves at t = %.12g without a velocity: in a "
                                       "neighbouring motion that approaches it strikes",
                                       contact_name(v, i, number), e->t);
        }
    }
    return status;
}

carom_status carom_variation_limit_crossing(carom_variation *v, const carom_event_driven *e,
                                            double t, const double *x, carom_error *error)
{
    const size_t n = (size_t)v->n;
    const carom_state *s = &v->point.state;
    bool any = false;
    for (int i = 0; i < v->shape->p; i++)
        any = any || (v->point.sliding[i] && v->point.mu[i] > 0);
    if (!any)
        return CAROM_OK;
    carom_status status = carom_variation_point_evaluate(&v->point, t, x, x + n, error);
    if (status == CAROM_OK)
        status = carom_variation_strike_rates(v, s, s->u, error);
    for (int i = 0; i < v->shape->p && status == CAROM_OK; i++) {
        double speed = 0, moved = 0, size = 0;
        char number[16];
        for (int l = v->shape->slip_start[i]; l < v->shape->slip_start[i + 1]; l++) {
            const double *H = s->H + (size_t)l * n;
            speed = hypot(speed, carom_dense_dot(v->n, H, s->u) + s->slip_motion[l]);
            for (int j = 0; j < v->k; j++) {
                const carom_motion_row row = {CAROM_MOTION_SLIP, l};
                moved = fmax(moved, fabs(carom_variation_strike_rate(v, row, j) +
                                         carom_dense_dot(v->n, H, v->du + (size_t)j * n)));
                size = fmax(size, carom_variation_condition_size(v, j));
            }
        }
        if (v->point.sliding[i] && v->point.mu[i] > 0 &&
            speed <= e->options->tolerance * e->speed[i] && moved > CAROM_TOLERANCE_SAME * size)
            carom_variation_refuse(v, t,
                                   "the slip of contact %s is zero at t = %.12g, where a formula "
                                   "switches: which of them is first depends on the direction",
                                   contact_name(v, i, number), t);
    }
    return status;
}

/* Contact i, whose slip is zero and moves: dynamic friction, whose direction is that of a
 * neighbour's slip, must bring it back at once. */
static void check_slip(carom_variation *v, const carom_event_driven *e, int i)
{
    const double mu = v->shape->contacts[i].friction_dynamic;
    double tangential;
    char number[16];
    const double friction = mu * force_of(v, e, i, &tangential);
    if (v->mode[i] != CAROM_MODE_STICK && friction > e->weak[i])
        carom_variation_refuse(v, e->t,
                               "contact %s slides from a slip of zero at t = %.12g: a neighbouring "
                               "motion that slips otherwise has another friction",
                               contact_name(v, i, number), e->t);
    if (v->mode[i] == CAROM_MODE_STICK && tangential >= friction - fmax(1, mu) * e->weak[i])
        carom_variation_refuse(v, e->t,
                               "contact %s sticks at t = %.12g with no less than its dynamic "
                               "friction: a neighbouring motion that slips goes on slipping",
                               contact_name(v, i, number), e->t);
}

/* Is contact i kept from slipping by what other contacts and joints hold already? A block at rest
 * against a wall: how floor and wall share the force does not matter. */
static bool is_held(carom_variation *v, const carom_event_driven *e, int i)
{
    carom_motion_row *rows = v->strike.rows;
    int count = 0;
    for (int j = 0; j < v->shape->m; j++)
        rows[count++] = (carom_motion_row){CAROM_MOTION_JOINT, j};
    for (int j = 0; j < v->shape->a; j++)
        rows[count++] = (carom_motion_row){CAROM_MOTION_ROLLING, j};
    for (int k = 0; k < v->shape->p; k++)
        if (v->mode[k] != CAROM_MODE_OPEN && e->motion.force[k] > e->weak[k])
            rows[count++] = (carom_motion_row){CAROM_MOTION_NORMAL, k};
    memset(v->strike.sliding, 0, (size_t)v->shape->p);
    count = carom_variation_strike_choose(v, e, count);
    for (int l = v->shape->slip_start[i]; l < v->shape->slip_start[i + 1]; l++) {
        rows[count] = (carom_motion_row){CAROM_MOTION_SLIP, l};
        if (carom_variation_strike_choose(v, e, count + 1) > count)
            return false;
    }
    return true;
}

carom_status carom_variation_limit_modes(carom_variation *v, const carom_event_driven *e,
                                         bool beside, carom_error *error)
{
    carom_status status = CAROM_OK;
    if (v->point.r == 0)
        return CAROM_OK;
    memcpy(v->slope, e->ode.k[0], 2 * (size_t)v->n * sizeof(double));
    status = carom_variation_point_evaluate(&v->point, e->t, e->ode.y, e->ode.y + v->n, error);
    for (int i = 0; i < v->shape->p && status == CAROM_OK; i++) {
        carom_event cause;
        double rate = 0, most = 0;
        bool known = true;
        check_friction(v, e, i);
        if (v->slips[i] || (carom_variation_hop(v, i) && v->mode[i] == CAROM_MODE_STICK))
            check_slip(v, e, i);
        if (!carom_variation_limit_at(v, e, i, &cause) ||
            (cause.kind != CAROM_EVENT_FORCE && is_held(v, e, i)))
            continue;
        status = carom_variation_shift_force(v, &cause, &rate, v->extra, &known, error);
        for (int j = 0; j < v->k; j++)
            most = fmax(most, fabs(v->extra[j]));
        memset(v->extra, 0, sizeof(double) * (size_t)v->k);
        char number[16];
        /* without a force nothing brings back a neighbour that starts beside the contact */
        const bool leaves =
            (v->begins || carom_variation_hop(v, i)) && beside && cause.kind == CAROM_EVENT_FORCE;
        const double grown = rate * (e->options->until - e->t);
        if (known &&
            ((most > e->weak[i] && fabs(grown) <= e->weak[i]) || (leaves && grown <= e->weak[i])))
            carom_variation_refuse(
                v, e->t,
                cause.kind == CAROM_EVENT_FORCE
                    ? "contact %s is closed without a force from t = %.12g on: a neighbouring "
                      "motion leaves it"
                    : "contact %s sticks at the limit of its friction from t = %.12g on: a "
                      "neighbouring motion slips",
                contact_name(v, i, number), e->t);
    }
    return status;
}

carom_status carom_variation_limit_probe(carom_variation *v, double t, const double *x,
                                         unsigned want, carom_error *error)
{
    carom_state *s = &v->probe;
    s->t = t;
    memmove(s->q, x, sizeof(double) * (size_t)v->n);
    memmove(s->u, x + v->n, sizeof(double) * (size_t)v->n);
    want |= v->shape->guard_count > 0 ? CAROM_WANT_GUARDS : 0u;
    want |= v->shape->event_count > 0 ? CAROM_WANT_EVENTS : 0u;
    return carom_system_evaluate(v->system, want, s, error);
}

int carom_variation_limit_guard(const carom_variation *v, int contact)
{
    return v->shape->guard ? v->shape->guard[contact] : -1;
}

/* Is the guard of contact i zero? */
static carom_status check_contact(carom_variation *v, const carom_event_driven *e, int i,
                                  carom_error *error)
{
    carom_variation_condition c = {.kind = CAROM_VARIATION_GUARD,
                                   .index = carom_variation_limit_guard(v, i)};
    char number[16];
    const carom_status status = carom_variation_condition_read(v, e, &c, error);
    if (status == CAROM_OK && c.open)
        carom_variation_refuse(v, e->t,
                               "contact %s closes at t = %.12g where its `when` is zero: a "
                               "neighbouring motion passes it",
                               contact_name(v, i, number), e->t);
    return status;
}

carom_status carom_variation_limit_guards(carom_variation *v, const carom_event_driven *e,
                                          carom_error *error)
{
    const int i = v->cause.contact;
    const bool own = v->cause.kind == CAROM_EVENT_OWN && v->shape->events[i].resets &&
                     v->shape->events[i].has_guard;
    const bool gap = v->cause.kind == CAROM_EVENT_GAP && carom_variation_limit_guard(v, i) >= 0;
    if (!own && !gap)
        return CAROM_OK;
    carom_status status = carom_variation_limit_probe(v, e->t, e->ode.y, 0, error);
    if (status != CAROM_OK || gap)
        return status == CAROM_OK ? check_contact(v, e, i, error) : status;
    carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT_IF, .index = i};
    status = carom_variation_condition_read(v, e, &c, error);
    if (status == CAROM_OK && c.open)
        carom_variation_refuse(v, e->t,
                               "event %s comes at t = %.12g where its `if` is zero: it does not "
                               "happen in a neighbouring motion",
                               v->shape->events[i].name, e->t);
    return status;
}

carom_status carom_variation_limit_again(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error)
{
    const int k = v->cause.contact;
    const double since = e->t - v->again[k];
    v->again[k] = e->t;
    if (!v->shape->events[k].resets)
        return CAROM_OK;
    carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = k};
    carom_status status = carom_variation_limit_probe(v, e->t, e->ode.y, 0, error);
    if (status == CAROM_OK)
        status = carom_variation_condition_read(v, e, &c, error);
    if (status == CAROM_OK && fabs(c.value) > CAROM_TOLERANCE_REGULAR * c.terms)
        carom_variation_refuse(v, e->t,
                               "event %s comes at t = %.12g because the start was put on its "
                               "joints: its function has jumped over zero",
                               v->shape->events[k].name, e->t);
    if (status != CAROM_OK || isinf(since))
        return status;
    if (status == CAROM_OK && fabs(c.rate) * since <= e->options->tolerance * c.terms)
        carom_variation_refuse(v, e->t,
                               "event %s comes again at t = %.12g after an excursion below "
                               "rounding: such events accumulate, and what follows is not known",
                               v->shape->events[k].name, e->t);
    return status;
}

carom_status carom_variation_limit_kink(carom_variation *v, const carom_event_driven *e,
                                        carom_error *error)
{
    const int event = v->cause.contact;
    const size_t events = (size_t)v->shape->event_count;
    const carom_directions along = carom_variation_directions(v);
    carom_mark mark = carom_arena_mark(v->scratch);
    carom_tangents t = {.event_sharp =
                            carom_arena_zeros(v->scratch, events * (size_t)v->k, sizeof(double))};
    if (!t.event_sharp)
        return carom_error_memory(error);
    const carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_EVENTS, &e->motion.state, &along, error);
    if (status == CAROM_OK)
        carom_system_tangents(v->system, &t);
    bool kink = false;
    for (size_t j = 0; j < (size_t)v->k && status == CAROM_OK; j++)
        kink = kink || isnan(t.event_sharp[(size_t)event + j * events]);
    if (kink)
        carom_variation_refuse(v, e->t,
                               "the function of event %s has a kink or a jump at t = %.12g, where "
                               "the event comes (abs, min, max, sign, if), and the direction "
                               "crosses it",
                               v->shape->events[event].name, e->t);
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* By how much direction j leads off a joint, of whose function b is the gradient and `change` the
 * derivative; what rounding leaves is none. */
static bool leads_off(const carom_variation *v, const double *b, double b_hat, double change, int j)
{
    const double *dq = v->dq + (size_t)j * (size_t)v->n;
    double moved = b_hat * v->dt[j], terms = fabs(moved);
    for (int i = 0; i < v->n; i++) {
        moved += b[i] * dq[i];
        terms += fabs(b[i] * dq[i]);
    }
    terms += fabs(change - moved); /* by parameters */
    return fabs(change) > CAROM_TOLERANCE_SAME * terms;
}

carom_status carom_variation_limit_joints(carom_variation *v, const carom_event_driven *e,
                                          carom_error *error)
{
    const carom_state *s = &e->motion.state;
    const size_t n = (size_t)v->n, m = (size_t)v->shape->m;
    const carom_directions along = carom_variation_directions(v);
    if (m == 0)
        return CAROM_OK;
    const carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_JOINTS, s, &along, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.f = v->strike.held};
    carom_system_tangents(v->system, &t);
    for (size_t i = 0; i < m; i++)
        for (int j = 0; j < v->k; j++)
            if (leads_off(v, s->B + i * n, s->b_hat[i], t.f[i + (size_t)j * m], j))
                carom_variation_refuse(v, e->t, "neighbours start off joint %s",
                                       v->shape->joints && v->shape->joints[i] ? v->shape->joints[i]
                                                                               : "bilateral");
    return CAROM_OK;
}

carom_status carom_variation_limit_inside(carom_variation *v, const carom_event_driven *e,
                                          carom_error *error)
{
    const carom_state *s = &e->motion.state;
    const size_t p = (size_t)v->shape->p;
    const carom_directions along = carom_variation_directions(v);
    bool any = false;
    for (size_t i = 0; i < p; i++)
        any = any || fabs(s->g[i]) <= e->options->closed;
    if (!any)
        return CAROM_OK;
    const carom_status status =
        carom_system_differentiate(v->system, CAROM_WANT_GAPS, s, &along, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.g = v->strike.normal};
    carom_system_tangents(v->system, &t);
    for (int i = 0; i < v->shape->p; i++) {
        if (!(fabs(s->g[i]) <= e->options->closed) ||
            (carom_variation_limit_guard(v, i) >= 0 &&
             !(s->guard[carom_variation_limit_guard(v, i)] > 0)))
            continue;
        for (int j = 0; j < v->k; j++)
            if (leads_off(v, s->W + (size_t)i * (size_t)v->n, s->w_hat[i],
                          t.g[(size_t)i + (size_t)j * p], j))
                v->inside = i;
    }
    return CAROM_OK;
}

bool carom_variation_limit_counts(const carom_variation *v, int k, double rate)
{
    const carom_system_event *event = &v->shape->events[k];
    const bool up = rate > 0, down = rate < 0;
    if (!event->resets || (event->direction == CAROM_CROSSING_UP && down) ||
        (event->direction == CAROM_CROSSING_DOWN && up))
        return false;
    return !event->has_guard || v->probe.event_if[k] > 0;
}

carom_status carom_variation_limit_start(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error)
{
    char number[16];
    if (v->inside >= 0)
        carom_variation_refuse(v, e->t,
                               "contact %s is closed at the start: neighbours on one side start "
                               "in penetration, where there is no motion",
                               contact_name(v, v->inside, number));
    if (v->shape->event_count + v->shape->guard_count == 0)
        return CAROM_OK;
    memcpy(v->slope, e->ode.k[0], 2 * (size_t)v->n * sizeof(double));
    carom_status status = carom_variation_limit_probe(v, e->t, e->ode.y, CAROM_WANT_GAPS, error);
    for (int i = 0; i < v->shape->p && status == CAROM_OK; i++)
        if (carom_variation_limit_guard(v, i) >= 0 && fabs(v->probe.g[i]) <= e->options->closed)
            status = check_contact(v, e, i, error);
    for (int k = 0; k < v->shape->event_count && status == CAROM_OK; k++) {
        carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = k};
        status = carom_variation_condition_read(v, e, &c, error);
        if (status == CAROM_OK && c.open && carom_variation_limit_counts(v, k, c.rate))
            carom_variation_refuse(v, e->t,
                                   "the function of event %s is zero at the start: the event "
                                   "happens in a neighbouring motion",
                                   v->shape->events[k].name);
        else if (status == CAROM_OK && carom_variation_limit_counts(v, k, c.rate))
            status = carom_variation_touch_start(v, e, &c, error);
    }
    return status;
}
