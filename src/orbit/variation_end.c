/* Motions that do something at the very end of a run (docs/theory/sensitivities.md, "Where there is
 * none"): in neighbours it has happened, or it has not. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

/* By how much the present instant moves against the end of the run. */
static double late(const carom_variation *v, int j)
{
    return v->dt[j] - (v->along->until ? v->along->until[j] : 0);
}

void carom_variation_end_until(carom_variation *v, const carom_event_driven *e, double t)
{
    const double tau = e->options->event_tolerance * fmax(1, fabs(t)) + v->slack;
    bool moves = false;
    for (int j = 0; j < v->k; j++)
        moves = moves || fabs(late(v, j)) > CAROM_TOLERANCE_SAME * fabs(v->dt[j]);
    if (moves && t >= e->options->until - tau)
        carom_variation_refuse(v, t,
                               "something happens at the end of the run, t = %.12g: it has not "
                               "happened yet in a neighbouring motion",
                               t);
}

void carom_variation_end_accumulation(carom_variation *v, const carom_event_driven *e, double t)
{
    const double until = e->options->until;
    bool moves = false;
    v->rest = t;
    v->rest_since = e->t;
    for (int j = 0; j < v->k; j++) {
        const double end = v->along->until ? v->along->until[j] : 0;
        moves = moves || fabs(v->limit[j] - end) > CAROM_TOLERANCE_SAME * fabs(v->limit[j]);
    }
    /* the limit is extrapolated from sums of steps */
    if (moves && fabs(t - until) <= CAROM_TOLERANCE_SAME * fmax(1, fabs(until)))
        carom_variation_refuse(v, e->t,
                               "impacts accumulate at the end of the run, t = %.12g: in a "
                               "neighbouring motion they have not ended",
                               until);
}

void carom_variation_end_rest(carom_variation *v, const carom_event_driven *e)
{
    const double near = CAROM_TOLERANCE_SAME * fmax(1, fabs(e->t));
    bool parted = false;
    if (!v->told->limit || v->memory == 0 || !(e->t > v->rest_since) ||
        !(fabs(e->t - v->rest) <= near))
        return;
    for (int j = 0; j < v->k; j++)
        parted = parted || fabs(v->dt[j] - v->limit[j]) >
                               CAROM_TOLERANCE_HALF * fmax(fabs(v->dt[j]), fabs(v->limit[j]));
    if (parted)
        carom_variation_refuse(v, e->t,
                               "something happens at t = %.12g, when impacts come to their limit: "
                               "which of them is first depends on the direction",
                               e->t);
}

/* An open contact that closes at the end, to rounding. */
static void check_gap(carom_variation *v, const carom_event_driven *e, int i)
{
    const carom_state *s = &v->probe;
    const size_t n = (size_t)v->n, p = (size_t)v->shape->p;
    const double rate = carom_dense_dot(v->n, s->W + (size_t)i * n, s->u) + s->w_hat[i];
    const double tau = e->options->event_tolerance * fmax(1, fabs(s->t));
    bool moves = false;
    char number[16];
    if (v->mode[i] != CAROM_MODE_OPEN || !(rate < -e->slow[i]) || e->own.passed[i] ||
        !(s->g[i] <= fmax(carom_event_rounding_resolution(e, i), -rate * tau)) ||
        (carom_variation_limit_guard(v, i) >= 0 &&
         !(s->guard[carom_variation_limit_guard(v, i)] > 0)))
        return;
    for (int j = 0; j < v->k; j++) {
        const double shift = late(v, j);
        const double moved = v->strike.normal[(size_t)i + (size_t)j * p] - rate * shift;
        moves = moves || fabs(moved) > CAROM_TOLERANCE_SAME * carom_variation_condition_size(v, j);
    }
    if (moves)
        carom_variation_refuse(v, s->t,
                               "contact %s closes at the end of the run, t = %.12g: in a "
                               "neighbouring motion it has closed",
                               carom_contact_name(v->shape->contacts, i, number), s->t);
}

/* Slip of contact i at the end along its direction d: d.v, its rate along the motion. */
static double slip_at_end(const carom_variation *v, int i, double *rate)
{
    const carom_state *s = &v->point.state;
    double slip = 0;
    *rate = 0;
    for (int l = v->shape->slip_start[i]; l < v->shape->slip_start[i + 1]; l++) {
        const double *H = s->H + (size_t)l * (size_t)v->n;
        const double d = v->point.direction[l];
        slip += d * (carom_dense_dot(v->n, H, s->u) + s->slip_motion[l]);
        *rate += d * (carom_dense_dot(v->n, H, v->point.a) + s->slip_bias[l]);
    }
    return slip;
}

/* A slip that ends at the end of the run, to rounding: what friction does then has begun in one
 * neighbour only. */
static void check_slip_end(carom_variation *v, const carom_event_driven *e, int i)
{
    double rate;
    bool moves = false;
    char number[16];
    if (!v->point.sliding[i] || !(v->point.mu[i] > 0) || !(v->point.lambda[i] > e->weak[i]))
        return;
    const double slip = slip_at_end(v, i, &rate);
    if (!(slip <= e->slow[i]) || !(rate < 0))
        return;
    for (int j = 0; j < v->k; j++) {
        double moved = -rate * late(v, j);
        for (int l = v->shape->slip_start[i]; l < v->shape->slip_start[i + 1]; l++) {
            const double *H = v->point.state.H + (size_t)l * (size_t)v->n;
            const carom_motion_row row = {CAROM_MOTION_SLIP, l};
            moved += v->point.direction[l] *
                     (carom_variation_strike_rate(v, row, j) +
                      carom_dense_dot(v->n, H, v->du + (size_t)j * (size_t)v->n));
        }
        moves = moves || fabs(moved) > CAROM_TOLERANCE_SAME * carom_variation_condition_size(v, j);
    }
    if (moves)
        carom_variation_refuse(v, v->point.state.t,
                               "the slip of contact %s ends at the end of the run, t = %.12g: in "
                               "a neighbouring motion it has ended",
                               carom_contact_name(v->shape->contacts, i, number), v->point.state.t);
}

/* A contact that begins to slip at the end of the run, with less friction than it stuck with. */
static carom_status check_stick_end(carom_variation *v, const carom_event_driven *e, int i,
                                    carom_error *error)
{
    const carom_contact *c = &v->shape->contacts[i];
    carom_event cause;
    double rate = 0;
    bool known = true, moves = false;
    char number[16];
    if (v->mode[i] != CAROM_MODE_STICK || !(c->friction_dynamic < c->friction_static) ||
        !carom_variation_limit_at(v, e, i, &cause) || cause.kind == CAROM_EVENT_FORCE)
        return CAROM_OK;
    const carom_status status =
        carom_variation_shift_force(v, &cause, &rate, v->extra, &known, error);
    for (int j = 0; j < v->k; j++) {
        moves = moves || fabs(v->extra[j] - rate * late(v, j)) > e->weak[i];
        v->extra[j] = 0;
    }
    if (status == CAROM_OK && known && moves)
        carom_variation_refuse(v, v->point.state.t,
                               "contact %s reaches the limit of its friction at the end of the "
                               "run, t = %.12g: in a neighbouring motion it slips",
                               carom_contact_name(v->shape->contacts, i, number), v->point.state.t);
    return status;
}

/* Events of one's own, and formulas that switch, at the end, to rounding. */
static carom_status check_events(carom_variation *v, const carom_event_driven *e,
                                 carom_error *error)
{
    carom_status status = CAROM_OK;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *shift = carom_arena_doubles(v->scratch, (size_t)v->k);
    if (!shift)
        return carom_error_memory(error);
    for (int j = 0; j < v->k; j++)
        shift[j] = late(v, j);
    for (int k = 0; k < v->shape->event_count && status == CAROM_OK; k++) {
        carom_variation_condition c = {.kind = CAROM_VARIATION_EVENT, .index = k, .late = shift};
        status = carom_variation_condition_read(v, e, &c, error);
        if (status == CAROM_OK && c.open && c.value * c.rate <= 0 &&
            carom_variation_limit_counts(v, k, c.rate))
            carom_variation_refuse(v, v->probe.t,
                                   "event %s comes at the end of the run, t = %.12g: it has "
                                   "happened in a neighbouring motion",
                                   v->shape->events[k].name, v->probe.t);
    }
    double *x = carom_arena_doubles(v->scratch, 2 * (size_t)v->n);
    if (!x)
        return carom_error_memory(error);
    memcpy(x, v->x, sizeof(double) * 2 * (size_t)v->n);
    if (status == CAROM_OK)
        status = carom_variation_switch_meet(v, e, v->probe.t, x, shift, error);
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* What happens at the end, with which slope the motion arrives there, on the side of formulas that
 * it comes from. */
static carom_status look_at_end(carom_variation *v, const carom_event_driven *e, double end,
                                carom_error *error)
{
    const size_t n = (size_t)v->n;
    const carom_directions along = carom_variation_directions(v);
    carom_variation_at(v, end, v->x);
    memcpy(v->arrival, v->x, 2 * n * sizeof(double));
    carom_status status = carom_variation_point_evaluate(&v->point, end, v->x, v->x + n, error);
    memcpy(v->slope, v->x + n, n * sizeof(double));
    memcpy(v->slope + n, v->point.a, n * sizeof(double));
    if (status == CAROM_OK)
        status = carom_variation_switch_before(v, e, end, v->arrival, error);
    if (status == CAROM_OK)
        status = carom_variation_point_evaluate(&v->point, end, v->arrival, v->arrival + n, error);
    memcpy(v->x, v->arrival, 2 * n * sizeof(double));
    memcpy(v->arrival, v->slope, 2 * n * sizeof(double));
    if (status == CAROM_OK)
        status =
            carom_variation_limit_probe(v, end, v->x, CAROM_WANT_GAPS | CAROM_WANT_NORMALS, error);
    if (status == CAROM_OK)
        status = carom_system_differentiate(v->system, CAROM_WANT_GAPS, &v->probe, &along, error);
    v->ended = status == CAROM_OK;
    return status;
}

carom_status carom_variation_end(carom_variation *v, const carom_event_driven *e, double end,
                                 carom_error *error)
{
    if (v->shape->p + v->shape->event_count + v->shape->switch_count == 0)
        return CAROM_OK;
    carom_status status = look_at_end(v, e, end, error);
    if (status != CAROM_OK)
        return status;
    carom_tangents t = {.g = v->strike.normal};
    carom_system_tangents(v->system, &t);
    for (int i = 0; i < v->shape->p; i++)
        check_gap(v, e, i);
    if (v->point.r > 0)
        status = carom_variation_strike_rates(v, &v->point.state, v->point.state.u, error);
    for (int i = 0; i < v->shape->p && v->point.r > 0 && status == CAROM_OK; i++)
        check_slip_end(v, e, i);
    for (int i = 0; i < v->shape->p && v->point.r > 0 && status == CAROM_OK; i++)
        status = check_stick_end(v, e, i, error);
    if (status != CAROM_OK)
        return status;
    return check_events(v, e, error);
}
