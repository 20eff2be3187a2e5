/* Variations at events: saltation (docs/theory/sensitivities.md, "At an event"). The instant of an
 * event sigma = 0 moves on by -(dsigma)/sigma', and D with it along f-; then D goes through
 * everything that happens there. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

/* Accelerations that differ by less of themselves do not jump. */
static const double jump_least = 1e-6;

static const char *contact_name(const carom_variation *v, int i, char *number)
{
    return carom_contact_name(v->shape->contacts, i, number);
}

/* X from its halves. */
static void join(carom_variation *v)
{
    const size_t n = (size_t)v->n;
    for (size_t j = 0; j < (size_t)v->k; j++) {
        memcpy(v->X + 2 * j * n, v->dq + j * n, n * sizeof(double));
        memcpy(v->X + (2 * j + 1) * n, v->du + j * n, n * sizeof(double));
    }
}

/* The largest of what x' before the event was made of: forces that cancel leave their rounding. */
static double slope_size(const carom_variation *v)
{
    return fmax(carom_dense_max(2 * v->n, v->slope), carom_variation_point_size(&v->point));
}

void carom_variation_event_arrive(carom_variation *v)
{
    const size_t n = (size_t)v->n;
    const double size = slope_size(v);
    for (size_t j = 0; j < (size_t)v->k; j++) {
        if (v->extra[j] == 0)
            continue;
        carom_dense_axpy(v->n, v->extra[j], v->slope, v->dq + j * n);
        carom_dense_axpy(v->n, v->extra[j], v->slope + n, v->du + j * n);
        v->dt[j] += v->extra[j];
        v->made[j] = fmax(v->made[j], fabs(v->extra[j]) * size);
        v->extra[j] = 0;
    }
    join(v);
}

static bool all_known(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(x[i]))
            return false;
    return true;
}

/* Directions are NaN where a formula that makes them has a kink. */
static void check_directions(carom_variation *v, const carom_event_driven *e)
{
    const carom_orbit_directions *along = v->along;
    const size_t k = (size_t)v->k;
    bool known = all_known(v->X, 2 * (size_t)v->n * k) && all_known(v->dt, k);
    known = known && (!along->until || all_known(along->until, k));
    known = known && (!along->parameters ||
                      all_known(along->parameters, k * (size_t)v->shape->parameter_count));
    for (int j = 0; along->contacts && j < v->k; j++)
        for (int i = 0; i < v->shape->p; i++) {
            const carom_contact *c = &along->contacts[j][i];
            const double own[] = {c->restitution,     c->tangential_restitution,
                                  c->friction_static, c->friction_dynamic,
                                  c->stiffness,       c->exponent};
            known = known && all_known(own, sizeof own / sizeof *own);
        }
    if (!known)
        carom_variation_refuse(v, e->t,
                               "a formula of the scene's numbers (parameters, contacts, initial, "
                               "run) has a kink or a jump at their values (abs, min, max, sign, "
                               "if), and the direction crosses it");
}

/* The start: the directions as given. */
static void take_directions(carom_variation *v)
{
    const size_t n = (size_t)v->n;
    const carom_orbit_directions *along = v->along;
    for (size_t i = 0; i < n * (size_t)v->k; i++) {
        v->dq[i] = along->q ? along->q[i] : 0;
        v->du[i] = along->u ? along->u[i] : 0;
    }
    for (int j = 0; j < v->k; j++)
        v->dt[j] = along->t ? along->t[j] : 0;
    join(v);
}

/* The event of one's own that has come sets coordinates or velocities. */
static bool sets_something(const carom_variation *v)
{
    return v->shape->events[v->cause.contact].resets;
}

/* A gap comes to zero without a velocity: that of a contact which passes because of its guard does
 * nothing there. */
static carom_status check_graze(carom_variation *v, const carom_event_driven *e, carom_error *error)
{
    const int guard = carom_variation_limit_guard(v, v->cause.contact);
    char number[16];
    const carom_status status =
        guard < 0 ? CAROM_OK : carom_variation_limit_probe(v, e->t, e->ode.y, 0, error);
    if (status != CAROM_OK || (guard >= 0 && !(v->probe.guard[guard] > 0)))
        return status;
    carom_variation_refuse(v, e->t,
                           "contact %s is grazed at t = %.12g: it touches without normal "
                           "velocity, and the derivative grows without bound on one side",
                           contact_name(v, v->cause.contact, number), e->t);
    return CAROM_OK;
}

carom_status carom_variation_event_open(void *self, const carom_event_driven *e, bool begins,
                                        carom_error *error)
{
    carom_variation *v = self;
    if (!v->told->exists)
        return CAROM_OK; /* nothing is left to follow */
    const size_t n = (size_t)v->n;
    v->begins = begins;
    v->ended = false;
    v->projected = v->moved = v->grazes = false;
    v->slack = 0;
    memset(v->extra, 0, sizeof(double) * (size_t)v->k);
    v->cause = e->cause;
    memset(v->fresh, 0, (size_t)v->shape->p);
    memset(v->lost, 0, sizeof(double) * (size_t)v->shape->p);
    if (begins) {
        v->inside = -1;
        take_directions(v);
        check_directions(v, e);
        for (int i = 0; i < v->shape->event_count; i++)
            v->again[i] = -INFINITY;
        for (int s = 0; s < v->shape->switch_count; s++)
            v->crossed[s] = -INFINITY;
        if (v->free)
            return CAROM_OK;
        carom_status status = carom_variation_limit_joints(v, e, error);
        if (status == CAROM_OK)
            status = carom_variation_limit_inside(v, e, error);
        return carom_variation_pass(v, e->t, status, error);
    }
    v->told->events++;
    carom_variation_split(v);
    carom_status status =
        carom_variation_point_evaluate(&v->point, e->t, e->ode.y, e->ode.y + n, error);
    if (status == CAROM_OK) {
        memcpy(v->slope, e->ode.y + n, n * sizeof(double));
        memcpy(v->slope + n, v->point.a, n * sizeof(double));
        if (!carom_variation_shift_is_force(v))
            status = carom_variation_switch_before(v, e, e->t, e->ode.y, error);
    }
    if (status == CAROM_OK)
        status = carom_variation_shift(v, e, error);
    if (status == CAROM_OK &&
        (v->cause.kind == CAROM_EVENT_GAP || v->cause.kind == CAROM_EVENT_OWN))
        carom_variation_event_arrive(v);
    if (status == CAROM_OK && v->cause.kind == CAROM_EVENT_GAP && v->grazes)
        status = check_graze(v, e, error);
    if (v->cause.kind == CAROM_EVENT_CORNER)
        carom_variation_refuse(v, e->t,
                               "a closed contact has a corner at t = %.12g: the velocity of its "
                               "support jumps there",
                               e->t);
    const bool slip =
        v->cause.kind == CAROM_EVENT_SLIP || v->cause.kind == CAROM_EVENT_SLIP_SPATIAL;
    if (v->grazes && (slip || (v->cause.kind == CAROM_EVENT_OWN && sets_something(v))))
        carom_variation_refuse(v, e->t,
                               "at t = %.12g %s is touched, not crossed: a neighbouring motion "
                               "passes it by",
                               e->t, slip ? "a slip of zero" : "the function of an event");
    if (status == CAROM_OK)
        status = carom_variation_limit_guards(v, e, error);
    if (status == CAROM_OK && v->cause.kind == CAROM_EVENT_OWN)
        status = carom_variation_limit_again(v, e, error);
    if (status == CAROM_OK && v->cause.kind == CAROM_EVENT_OWN)
        status = carom_variation_limit_kink(v, e, error);
    for (int j = 0; j < v->k; j++) /* what has not arrived at its instant is early by so much */
        v->early[j] = -v->extra[j];
    if (status == CAROM_OK &&
        !carom_variation_shift_is_force(v)) /* those move with carom_variation_switch_shift */
        status = carom_variation_switch_meet(v, e, e->t, e->ode.y, v->early, error);
    return carom_variation_pass(v, e->t, status, error);
}

/* Is the function of event k, at the state of the motion, moved off zero by a direction? */
static carom_status is_parted(carom_variation *v, const carom_event_driven *e, int k, bool *parted,
                              carom_error *error)
{
    carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = k};
    carom_status status = carom_variation_limit_probe(v, e->t, e->ode.y, 0, error);
    if (status == CAROM_OK)
        status = carom_variation_condition_read(v, e, &c, error);
    *parted = status == CAROM_OK && c.open;
    return status;
}

/* Did an impact come before the present event by less than instants are known to, and does a
 * direction part them? */
static bool follows_impact(const carom_variation *v, const carom_event_driven *e)
{
    const double known = e->options->event_tolerance * fmax(1, fabs(e->t));
    if (v->memory == 0 || !(e->t - v->instant[0] <= known))
        return false;
    for (int j = 0; j < v->k; j++)
        if (fabs(v->dt[j] - v->shift[j]) >
            CAROM_TOLERANCE_HALF * fmax(fabs(v->dt[j]), fabs(v->shift[j])))
            return true;
    return false;
}

/* What else happens at the instant of an event that is about to set values does so in neighbouring
 * motions too, or the derivative depends on who is first. */
static carom_status check_order(carom_variation *v, const carom_event_driven *e, int event,
                                carom_error *error)
{
    const carom_system_event *events = v->shape->events;
    const bool own = v->cause.kind == CAROM_EVENT_OWN && !v->begins;
    carom_status status = CAROM_OK;
    bool parted = false;
    for (int k = 0; k < v->shape->event_count && status == CAROM_OK; k++) {
        if (k == event || !e->own.due[k] || !events[k].resets)
            continue;
        status = is_parted(v, e, k, &parted, error);
        if (parted || v->begins)
            carom_variation_refuse(v, e->t,
                                   "events %s and %s happen at one instant, t = %.12g: what comes "
                                   "first depends on the direction",
                                   events[event].name, events[k].name, e->t);
    }
    if (status != CAROM_OK)
        return status;
    if (own && v->cause.contact == event)
        parted = follows_impact(v, e);
    else
        status = is_parted(v, e, event, &parted, error);
    if (parted || v->begins)
        carom_variation_refuse(v, e->t,
                               "event %s happens at t = %.12g together with another event: what "
                               "comes first depends on the direction",
                               events[event].name, e->t);
    return status;
}

carom_status carom_variation_event_reset(void *self, const carom_event_driven *e, int event,
                                         carom_error *error)
{
    carom_variation *v = self;
    if (!v->told->exists)
        return CAROM_OK; /* nothing is left to follow */
    const carom_directions along = carom_variation_directions(v);
    const carom_system_event *events = v->shape->events;
    carom_variation_event_arrive(v);
    carom_status status = check_order(v, e, event, error);
    v->moved = true;
    if (status == CAROM_OK)
        status = carom_variation_closing_meet(v, e, event, error);
    if (status == CAROM_OK)
        status = carom_system_differentiate(v->system, CAROM_WANT_EVENTS, &e->motion.state, &along,
                                            error);
    if (status == CAROM_OK) {
        carom_system_reset_tangents(v->system, event, v->dq, v->du);
        join(v);
        if (!all_known(v->X, 2 * (size_t)v->n * (size_t)v->k))
            carom_variation_refuse(v, e->t,
                                   "what event %s sets has a kink or a jump at t = %.12g (abs, "
                                   "min, max, sign, if), and the direction crosses it",
                                   events[event].name, e->t);
    }
    return carom_variation_pass(v, e->t, status, error);
}

carom_status carom_variation_event_project(void *self, const carom_event_driven *e,
                                           const double *before, carom_error *error)
{
    carom_variation *v = self;
    if (!v->told->exists)
        return CAROM_OK; /* nothing is left to follow */
    carom_variation_point *s = &v->strike;
    memcpy(s->sliding, e->motion.sliding, (size_t)v->shape->p);
    memcpy(s->mu, e->motion.mu, sizeof(double) * (size_t)v->shape->p);
    memcpy(s->direction, e->motion.direction, sizeof(double) * (size_t)v->shape->s);
    memcpy(s->rows, e->motion.rows, sizeof *s->rows * (size_t)e->motion.row_count);
    carom_variation_strike_choose(v, e, e->motion.row_count);
    v->projected = true;
    for (int i = 0; i < v->shape->p; i++) /* a hop, whose friction is that of sliding */
        if (e->low[i] && !e->rested[i] && e->struck[i] != e->t)
            v->ratio.known[i] = 0;
    carom_variation_event_arrive(v);
    s->ratio = &v->ratio;
    carom_status status = carom_variation_strike_lost(v, e, error);
    memset(s->dx, 0, sizeof(double) * (size_t)s->r * (size_t)v->k);
    if (status == CAROM_OK)
        status = carom_variation_strike(v, e, before, s->dx, error);
    s->ratio = NULL;
    join(v);
    return carom_variation_pass(v, e->t, status, error);
}

carom_status carom_variation_event_limit(void *self, const carom_event_driven *e, int pattern,
                                         int from, carom_error *error)
{
    carom_variation *v = self;
    const size_t k = (size_t)v->k, P = (size_t)pattern, j = (size_t)from;
    (void)error;
    v->told->limit = NULL;
    if (!v->told->exists || from + 2 * pattern >= v->memory)
        return CAROM_OK;
    const double *t = v->instant + j;
    const double a = t[0] - t[P], b = t[P] - t[2 * P];
    for (size_t c = 0; c < k; c++) {
        const double *d = v->shift + j * k + c;
        const double da = d[0] - d[P * k], db = d[P * k] - d[2 * P * k];
        v->limit[c] = d[0] + 2 * a * da / (b - a) - a * a * (db - da) / ((b - a) * (b - a));
    }
    v->told->limit = v->limit;
    carom_variation_end_accumulation(v, e, t[0] + a * a / (b - a));
    return CAROM_OK;
}

/* Does the acceleration jump, by more than rounding of what cancels in it? */
static bool jumps(const carom_variation *v, const double *f)
{
    double top = 0, most = 0;
    for (int i = 0; i < v->n; i++) {
        top = fmax(top, fmax(fabs(f[v->n + i]), fabs(v->slope[v->n + i])));
        most = fmax(most, fabs(f[v->n + i] - v->slope[v->n + i]));
    }
    return most > fmax(jump_least * top, CAROM_TOLERANCE_SUM * slope_size(v));
}

/* The mode from now on. */
static void take_mode(carom_variation *v, const carom_event_driven *e)
{
    const carom_motion *m = &e->motion;
    carom_variation_point *p = &v->point;
    const size_t contacts = (size_t)v->shape->p;
    p->r = m->row_count;
    memcpy(p->rows, m->rows, sizeof *p->rows * (size_t)m->row_count);
    memcpy(p->sliding, m->sliding, contacts);
    memcpy(p->mu, m->mu, sizeof(double) * contacts);
    memcpy(p->direction, m->direction, sizeof(double) * (size_t)v->shape->s);
    for (int i = 0; i < v->shape->p; i++)
        v->lifted[i] = v->mode[i] != CAROM_MODE_OPEN && m->mode[i] == CAROM_MODE_OPEN;
    memcpy(v->mode, m->mode, contacts);
    for (int i = 0; i < v->shape->p; i++) {
        const carom_contact *c = &v->shape->contacts[i];
        p->spatial[i] = v->shape->slip_start[i + 1] - v->shape->slip_start[i] == 2;
        p->sliding[i] = p->sliding[i] && m->row_count > 0;
        for (int j = 0; j < v->k; j++) {
            const carom_contact *change = v->along->contacts ? &v->along->contacts[j][i] : NULL;
            v->dmu[(size_t)i + (size_t)j * contacts] = !change ? 0
                                                       : p->mu[i] == c->friction_dynamic
                                                           ? change->friction_dynamic
                                                           : change->friction_static;
        }
    }
}

carom_status carom_variation_event_flights(void *self, const carom_event_driven *e, double sign,
                                           carom_error *error)
{
    carom_variation *v = self;
    const size_t n = (size_t)v->n;
    const carom_directions along = {
        .k = v->k, .t = v->dt, .q = v->dq, .u = v->X, .parameters = v->along->parameters};
    if (!v->told->exists || !v->told->limit)
        return CAROM_OK;
    if (sign > 0) /* both calls see the variations as they were */
        memcpy(v->X, v->du, sizeof(double) * n * (size_t)v->k);
    take_mode(v, e);
    for (int i = 0; i < v->shape->p && sign > 0; i++) /* they do not turn with the slip */
        v->point.spatial[i] = v->point.spatial[i] && !(e->rested[i] && v->ratio.known[i]);
    v->point.ratio = sign > 0 ? &v->ratio : NULL;
    carom_status status =
        carom_variation_point_evaluate(&v->point, e->t, e->ode.y, e->ode.y + n, error);
    if (status == CAROM_OK)
        status = carom_variation_point_tangent(&v->point, &along, v->dmu, v->work, error);
    v->point.ratio = NULL;
    for (size_t j = 0; j < (size_t)v->k && status == CAROM_OK; j++) {
        carom_dense_axpy(v->n, sign * (v->limit[j] - v->dt[j]), v->point.a, v->du + j * n);
        carom_dense_axpy(v->n, sign * e->left, v->work + j * n, v->du + j * n);
    }
    if (sign < 0)
        join(v);
    return carom_variation_pass(v, e->t, status, error);
}

/* A contact leaves so slowly that the motion takes its flight as rest: what D has of its rate ends
 * with the impacts that are left out. */
static bool flies_low(const carom_variation *v, const carom_event_driven *e)
{
    for (int i = 0; i < v->shape->p; i++)
        if (e->low[i] && e->motion.mode[i] != CAROM_MODE_OPEN)
            return true;
    return false;
}

carom_status carom_variation_event_close(void *self, const carom_event_driven *e,
                                         carom_error *error)
{
    carom_variation *v = self;
    if (!v->told->exists)
        return CAROM_OK; /* nothing is left to follow */
    const double *f = e->ode.k[0];
    carom_variation_off off = {0};
    const bool set = v->cause.kind == CAROM_EVENT_OWN && sets_something(v);
    const bool jump = !v->begins && jumps(v, f);
    carom_status status = CAROM_OK;
    if (jump && v->shared && !v->moved) {
        bool known;
        status = carom_variation_slip_shift(v, e, &known, error);
        v->grazes = !known;
    }
    if (jump && v->grazes)
        carom_variation_refuse(v, e->t,
                               v->shared ? "contacts begin to slip at t = %.12g under forces that "
                                           "are not determined: how their limit moves is not known"
                                         : "the mode changes at t = %.12g where its condition is "
                                           "touched, not crossed",
                               e->t);
    if (jump)
        carom_variation_event_arrive(v);
    memset(v->side, 0, (size_t)v->shape->switch_count);
    take_mode(v, e);
    if (status == CAROM_OK)
        status = carom_variation_limit_slips(v, e, error);
    if (status == CAROM_OK)
        status = carom_variation_limit_leaving(v, e, error);
    if (status == CAROM_OK)
        status = carom_variation_strike_hold(v, e, &off, error);
    join(v);
    for (int j = 0; j < v->k; j++) {
        v->most[j] = fmax(v->most[j], v->made[j]);
        v->made[j] = carom_dense_max(2 * v->n, v->X + 2 * (size_t)j * (size_t)v->n);
    }
    if ((off.position > 1 || (off.rate > 1 && !set)) && !v->begins && !v->projected &&
        !flies_low(v, e) && v->cause.kind != CAROM_EVENT_SLIP_SPATIAL)
        carom_variation_refuse(v, e->t,
                               "at t = %.12g contacts come to rest on each other whose rates are "
                               "zero only up to rounding: a neighbouring motion does not",
                               e->t);
    if (status == CAROM_OK && (jump || v->moved)) {
        carom_variation_end_until(v, e, e->t);
        carom_variation_end_rest(v, e);
    }
    if (status == CAROM_OK)
        carom_variation_hop_check(v, e);
    if (status == CAROM_OK)
        status = carom_variation_limit_modes(v, e, off.position > 1 || off.rate > 1, error);
    if (status == CAROM_OK && v->begins)
        status = carom_variation_limit_start(v, e, error);
    return carom_variation_pass(v, e->t, status, error);
}

carom_status carom_variation_event_restart(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error)
{
    v->told->exists = true;
    v->told->limit = NULL;
    v->memory = 0;
    const carom_status status = carom_variation_event_open(v, e, true, error);
    return status == CAROM_OK ? carom_variation_event_close(v, e, error) : status;
}
