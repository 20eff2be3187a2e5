/* Formulas that switch (docs/theory/sensitivities.md, "Formulas that switch"): `if`, `sign`, `abs`,
 * `min` and `max` have another branch where a function sigma of the state crosses zero. Steps of
 * the variations end there, and where the accelerations jump D goes through it as through an event.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

typedef carom_variation_crossing crossing;
typedef carom_variation_condition condition;

/* Halvings of an interval in which an interpolant is below zero and no point of it is. */
enum { DEPTH = 6, NODES = CAROM_BERNSTEIN_NODES };

carom_status carom_variation_switch_look(carom_variation *v, double t, const double *x,
                                         carom_error *error)
{
    v->probe.t = t;
    memmove(v->probe.q, x, sizeof(double) * (size_t)v->n);
    memmove(v->probe.u, x + v->n, sizeof(double) * (size_t)v->n);
    return carom_system_switching(v->system, &v->probe, NULL, v->switches, NULL, error);
}

static carom_status look(carom_variation *v, double t, carom_error *error)
{
    carom_variation_at(v, t, v->x);
    return carom_variation_switch_look(v, t, v->x, error);
}

/* All functions at the nodes of an interval: sample[NODES s + i]. */
static carom_status sample(carom_variation *v, double from, double end, double *samples,
                           carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < NODES && status == CAROM_OK; i++) {
        const double t = i + 1 < NODES ? from + (end - from) * carom_bernstein_node[i] : end;
        status = look(v, t, error);
        for (int s = 0; s < v->shape->switch_count && status == CAROM_OK; s++)
            samples[NODES * s + i] = v->switches[s];
    }
    return status;
}

/* Just behind its crossing a function may be on its old side again by rounding, of the state or of
 * time, where the motion takes its shortest steps: that is no crossing back. */
static double just_behind(const carom_variation *v, const carom_event_driven *e, int s)
{
    /* the motion crosses a jump with a step of some of the shortest */
    const double step = fmax(e->options->event_tolerance, 32 * e->options->min_step);
    return v->crossed[s] + step * fmax(1, fabs(v->from));
}

static void forget_rounding(carom_variation *v, const carom_event_driven *e, int s, double end,
                            double *samples)
{
    for (int i = 0; i < NODES; i++)
        if (v->from + (end - v->from) * carom_bernstein_node[i] <= just_behind(v, e, s) &&
            v->side[s] * samples[i] < 0)
            samples[i] = 0;
}

/* The side of function s from now on, and whether it starts at zero, or stays there. */
static void choose_side(carom_variation *v, int s, double *samples, bool *fresh, bool *stays)
{
    double top = 0;
    for (int i = 0; i < NODES; i++)
        top = fmax(top, fabs(samples[i]));
    *stays = !(top > 0);
    *fresh = v->side[s] == 0 && fabs(samples[0]) <= CAROM_TOLERANCE_SUM * top;
    if (*fresh)
        samples[0] = 0;
    for (int i = 0; i < NODES && v->side[s] == 0; i++)
        v->side[s] = (signed char)(samples[i] > 0 ? 1 : samples[i] < 0 ? -1 : 0);
}

/* The first node beyond zero, NODES: none; *dips: the interpolant is below zero somewhere. */
static int first_beyond(const double *samples, int side, bool *dips)
{
    double own[NODES], b[NODES];
    int first = NODES;
    for (int i = NODES; i-- > 0;) {
        own[i] = side * samples[i];
        first = own[i] < 0 ? i : first;
    }
    carom_bernstein_interpolate(own, b);
    *dips = first == NODES && side != 0 && carom_bernstein_first_negative(b, NODES - 1) >= 0;
    return first;
}

/* The crossing of function s between two times: halved until they are neighbours. */
static carom_status bracket(carom_variation *v, int s, double low, double high, crossing *c,
                            carom_error *error)
{
    carom_status status = CAROM_OK;
    double before = low, after = high, t;
    /* the last time before zero, then the first behind it */
    for (double top = high; status == CAROM_OK && (t = 0.5 * (before + top)) > before && t < top;) {
        status = look(v, t, error);
        *(v->side[s] * v->switches[s] > 0 ? &before : &top) = t;
    }
    for (double base = before;
         status == CAROM_OK && (t = 0.5 * (base + after)) > base && t < after;) {
        status = look(v, t, error);
        *(v->side[s] * v->switches[s] < 0 ? &after : &base) = t;
    }
    *c = (crossing){s, before, after};
    return status;
}

/* Function s crosses zero and comes back between the nodes, or comes near: shorter intervals tell.
 */
static carom_status look_closer(carom_variation *v, const carom_event_driven *e, int s, double from,
                                double end, double *samples, crossing *c, carom_error *error)
{
    bool dips = true;
    for (int depth = 0; depth < DEPTH && dips; depth++) {
        double own[NODES], b[NODES];
        for (int i = 0; i < NODES; i++)
            own[i] = v->side[s] * samples[NODES * s + i];
        carom_bernstein_interpolate(own, b);
        const double at = from + (end - from) * carom_bernstein_first_negative(b, NODES - 1);
        const double room = 0.25 * (end - from);
        from = fmax(from, at - 0.5 * room);
        end = fmin(end, at + room);
        carom_status status = sample(v, from, end, samples, error);
        if (status != CAROM_OK)
            return status;
        const int beyond = first_beyond(samples + NODES * s, v->side[s], &dips);
        if (beyond > 0 && beyond < NODES)
            return bracket(v, s, from + (end - from) * carom_bernstein_node[beyond - 1],
                           from + (end - from) * carom_bernstein_node[beyond], c, error);
    }
    if (!dips)
        return CAROM_OK;
    carom_variation_at(v, 0.5 * (from + end), v->x);
    return carom_variation_contrast_zero(v, e, s, 0.5 * (from + end), v->x, false, NULL, error);
}

carom_status carom_variation_switch_find(carom_variation *v, const carom_event_driven *e,
                                         double end, crossing *c, carom_error *error)
{
    const int count = v->shape->switch_count;
    const double from = v->from;
    *c = (crossing){.index = -1, .before = end, .after = end};
    carom_mark mark = carom_arena_mark(v->scratch);
    double *samples = carom_arena_doubles(v->scratch, 2 * NODES * (size_t)count);
    if (!samples)
        return carom_error_memory(error);
    double *closer = samples + (size_t)NODES * (size_t)count;
    carom_status status = sample(v, from, end, samples, error);
    carom_variation_split(v);
    for (int s = 0; s < count && status == CAROM_OK && v->told->exists; s++) {
        bool fresh, stays, dips;
        double *own = samples + (size_t)NODES * (size_t)s;
        crossing found = {.index = -1};
        if (end <= just_behind(v, e, s)) /* the step across it */
            continue;
        forget_rounding(v, e, s, end, own);
        choose_side(v, s, own, &fresh, &stays);
        if (fresh || stays) {
            carom_variation_at(v, from, v->x);
            status = carom_variation_contrast_zero(v, e, s, from, v->x, stays, NULL, error);
        }
        const int i = first_beyond(own, v->side[s], &dips);
        if (i == 0)
            found = (crossing){s, from, from};
        else if (i < NODES)
            status = bracket(v, s, from + (end - from) * carom_bernstein_node[i - 1],
                             i + 1 < NODES ? from + (end - from) * carom_bernstein_node[i] : end,
                             &found, error);
        else if (dips) {
            memcpy(closer, samples, sizeof(double) * NODES * (size_t)count);
            status = look_closer(v, e, s, from, end, closer, &found, error);
        }
        if (status == CAROM_OK && found.index >= 0 && (c->index < 0 || found.before < c->before))
            *c = found;
    }
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* Work of a crossing: the state there, and on either side of it. */
typedef struct passage {
    double t, room;         /* half the time between the sides */
    double *x, *f, *behind; /* 2n: state, slope before, slope behind */
    double *g, *moved;      /* 2n + 1, k */
    double *other;          /* k */
    double size;            /* of what the accelerations are made of */
    double *before;         /* switch_count: functions before */
} passage;

static carom_status take_room(carom_variation *v, passage *p, carom_error *error)
{
    const size_t n = (size_t)v->n, k = (size_t)v->k;
    double *d = carom_arena_zeros(v->scratch, 8 * n + 1 + 2 * k + (size_t)v->shape->switch_count,
                                  sizeof(double));
    if (!d)
        return carom_error_memory(error);
    *p = (passage){.x = d, .f = d + 2 * n, .behind = d + 4 * n, .g = d + 6 * n};
    p->moved = p->g + 2 * n + 1;
    p->other = p->moved + k;
    p->before = p->other + k;
    return CAROM_OK;
}

/* Functions and slopes at time `by` before or behind the crossing, along the slope p->f. */
static carom_status step_off(carom_variation *v, const passage *p, double by, double *slope,
                             carom_error *error)
{
    const size_t n = (size_t)v->n;
    for (size_t i = 0; i < 2 * n; i++)
        v->x[i] = p->x[i] + by * p->f[i];
    carom_status status = carom_variation_switch_look(v, p->t + by, v->x, error);
    if (status == CAROM_OK)
        status = carom_variation_point_evaluate(&v->point, p->t + by, v->x, v->x + n, error);
    memcpy(slope, v->x + n, n * sizeof(double));
    memcpy(slope + n, v->point.a, n * sizeof(double));
    return status;
}

/* The slopes on either side of function s = 0, so far off that rounding does not decide, and how
 * its instant moves. */
static carom_status look_around(carom_variation *v, const carom_event_driven *e, int s, passage *p,
                                condition *c, carom_error *error)
{
    const size_t size = 2 * (size_t)v->n * sizeof(double);
    *c = (condition){
        .kind = CAROM_VARIATION_SWITCH, .index = s, .gradient = p->g, .moved = p->moved};
    carom_status status = step_off(v, p, 0, p->f, error);
    memcpy(v->slope, p->f, size);
    if (status == CAROM_OK)
        status = carom_variation_condition_read(v, e, c, error);
    const double least = 16 * DBL_EPSILON * fmax(fabs(p->t), e->options->until);
    p->room = fmax(p->room, least);
    if (c->rate != 0)
        p->room = fmax(p->room, fmin(CAROM_TOLERANCE_SUM * c->terms / fabs(c->rate),
                                     CAROM_TOLERANCE_SAME * fmax(1, fabs(p->t))));
    if (status == CAROM_OK)
        status = step_off(v, p, p->room, p->behind, error);
    if (status == CAROM_OK)
        status = step_off(v, p, -p->room, v->slope, error);
    p->size = carom_variation_point_size(&v->point);
    memcpy(p->before, v->switches, sizeof(double) * (size_t)v->shape->switch_count);
    memcpy(p->f, v->slope, size);
    if (status == CAROM_OK)
        status = carom_variation_switch_look(v, p->t, p->x, error);
    if (status == CAROM_OK)
        status = carom_variation_condition_read(v, e, c, error);
    return status;
}

static double rate_of(const carom_variation *v, const double *g, const double *f)
{
    return carom_dense_dot(2 * v->n, g, f) + g[2 * v->n];
}

/* Other functions that cross zero there: does their instant move alike? */
static carom_status check_others(carom_variation *v, const carom_event_driven *e, int s, passage *p,
                                 carom_error *error)
{
    carom_status status = CAROM_OK;
    const int count = v->shape->switch_count;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *behind = carom_arena_doubles(v->scratch, (size_t)count);
    if (!behind)
        return carom_error_memory(error);
    status = step_off(v, p, p->room, p->behind, error);
    memcpy(behind, v->switches, sizeof(double) * (size_t)count);
    if (status == CAROM_OK)
        status = carom_variation_switch_look(v, p->t, p->x, error);
    for (int r = 0; r < count && status == CAROM_OK; r++) {
        if (!(p->before[r] * behind[r] < 0))
            continue;
        v->side[r] = (signed char)(behind[r] > 0 ? 1 : -1);
        v->crossed[r] = p->t;
        condition c = {.kind = CAROM_VARIATION_SWITCH, .index = r, .moved = p->other};
        status = r == s ? CAROM_OK : carom_variation_condition_read(v, e, &c, error);
        for (int j = 0; j < v->k && r != s && status == CAROM_OK; j++) {
            const double shift = -p->other[j] / c.rate;
            const double size = fmax(fabs(shift), fabs(v->extra[j]));
            if (fabs(shift - v->extra[j]) > CAROM_TOLERANCE_HALF * size)
                carom_variation_refuse(v, p->t,
                                       "two conditions of formulas change at one instant, t = "
                                       "%.12g: which is first depends on the direction",
                                       p->t);
        }
    }
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* Rows in force that turn there, or whose motion jumps: the motion has a corner, or an impact. */
static carom_status check_rows(carom_variation *v, const carom_event_driven *e, const passage *p,
                               carom_error *error)
{
    const carom_variation_point *q = &v->point;
    const size_t n = (size_t)v->n, r = (size_t)q->r;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *rows = carom_arena_doubles(v->scratch, n * r + 2 * n + r);
    if (!rows)
        return carom_error_memory(error);
    double *hat = rows + n * r + 2 * n;
    const double fastest = carom_dense_max(v->n, e->peak + e->nq);
    carom_status status = step_off(v, p, -p->room, rows + n * r, error);
    for (size_t k = 0; k < r && status == CAROM_OK; k++) {
        memcpy(rows + k * n, carom_variation_point_row(q, q->rows[k]), n * sizeof(double));
        hat[k] = carom_motion_row_hat(&q->state, q->rows[k]);
    }
    if (status == CAROM_OK)
        status = step_off(v, p, p->room, rows + n * r, error);
    for (size_t k = 0; k < r && status == CAROM_OK; k++) {
        const double *row = carom_variation_point_row(q, q->rows[k]);
        const double now = carom_motion_row_hat(&q->state, q->rows[k]),
                     size = fastest * carom_dense_max(v->n, row);
        if (carom_variation_contrast_differ(v->n, 0, rows + k * n, row) ||
            carom_variation_contrast_differ(1, size, hat + k, &now))
            carom_variation_refuse(v, p->t,
                                   "a closed contact or joint has a corner at t = %.12g: its "
                                   "formula switches there",
                                   p->t);
    }
    carom_arena_rewind(v->scratch, mark);
    return status;
}

carom_status carom_variation_switch_cross(carom_variation *v, const carom_event_driven *e,
                                          const crossing *x, carom_error *error)
{
    passage p = {0};
    condition c;
    carom_mark mark = carom_arena_mark(v->scratch);
    carom_status status = take_room(v, &p, error);
    if (status != CAROM_OK)
        return status;
    p.t = 0.5 * (x->before + x->after);
    p.room = 0.5 * (x->after - x->before);
    carom_variation_at(v, p.t, p.x);
    status = look_around(v, e, x->index, &p, &c, error);
    if (status == CAROM_OK && v->point.r > 0)
        status = check_rows(v, e, &p, error);
    const bool jumps = status == CAROM_OK &&
                       carom_variation_contrast_differ(v->n, p.size, p.f + v->n, p.behind + v->n);
    const double behind = rate_of(v, p.g, p.behind);
    if (jumps && !(c.rate * v->side[x->index] < 0 && behind * v->side[x->index] < 0))
        carom_variation_refuse(v, p.t,
                               "forces jump at t = %.12g where the condition of a formula is "
                               "touched, not crossed",
                               p.t);
    for (int j = 0; j < v->k; j++)
        v->extra[j] = jumps && v->told->exists ? -p.moved[j] / c.rate : 0;
    v->side[x->index] = (signed char)-v->side[x->index];
    v->crossed[x->index] = p.t;
    memcpy(v->slope, p.f, 2 * (size_t)v->n * sizeof(double));
    if (jumps && status == CAROM_OK && v->told->exists)
        status = check_others(v, e, x->index, &p, error);
    memcpy(v->slope, p.f, 2 * (size_t)v->n * sizeof(double));
    carom_variation_event_arrive(v);
    if (jumps)
        carom_variation_end_until(v, e, p.t);
    if (jumps && status == CAROM_OK)
        status = carom_variation_limit_crossing(v, e, p.t, p.x, error);
    v->told->events += jumps;
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* Do the forces of the rows jump there? In a mode that holds the motion the accelerations do not.
 */
static carom_status compare_forces(carom_variation *v, const passage *p, bool *jump,
                                   carom_error *error)
{
    const carom_variation_point *q = &v->point;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *x = carom_arena_doubles(v->scratch, (size_t)q->r + 2 * (size_t)v->n);
    if (!x)
        return carom_error_memory(error);
    carom_status status = step_off(v, p, p->room, x + q->r, error);
    memcpy(x, q->x, sizeof(double) * (size_t)q->r);
    if (status == CAROM_OK)
        status = step_off(v, p, -p->room, x + q->r, error);
    *jump = status == CAROM_OK && carom_variation_contrast_differ(q->r, 0, x, q->x);
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* The passage of an instant: the state and slope there, functions and slope just before it. */
static carom_status look_before(carom_variation *v, const carom_event_driven *e, double t,
                                const double *x, passage *p, carom_error *error)
{
    const size_t size = 2 * (size_t)v->n * sizeof(double);
    carom_status status = take_room(v, p, error);
    if (status != CAROM_OK)
        return status;
    p->t = t;
    p->room = e->options->event_tolerance * fmax(1, fabs(t));
    memcpy(p->x, x, size);
    memcpy(p->f, v->slope, size);
    status = step_off(v, p, -p->room, p->behind, error);
    memcpy(p->before, v->switches, sizeof(double) * (size_t)v->shape->switch_count);
    return status;
}

carom_status carom_variation_switch_shift(carom_variation *v, const carom_event_driven *e,
                                          bool *found, carom_error *error)
{
    const int count = v->shape->switch_count;
    passage p = {0};
    condition c;
    *found = false;
    if (count == 0)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(v->scratch);
    carom_status status = look_before(v, e, e->t, e->ode.y, &p, error);
    if (status == CAROM_OK)
        status = step_off(v, &p, p.room, p.behind, error);
    int s = 0;
    while (status == CAROM_OK && s < count && !(p.before[s] * v->switches[s] < 0))
        s++;
    if (status == CAROM_OK && s < count)
        status = look_around(v, e, s, &p, &c, error);
    if (status == CAROM_OK && s < count)
        status = compare_forces(v, &p, found, error);
    if (status == CAROM_OK && *found) {
        memcpy(v->slope, p.f, 2 * (size_t)v->n * sizeof(double));
        for (int j = 0; j < v->k; j++)
            v->extra[j] = -p.moved[j] / c.rate;
    }
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* Is function s, on whose side the motion came, still there at `before` and no longer at `now`? */
static bool has_left(const carom_variation *v, const double *before, const double *now, int s)
{
    return v->side[s] * before[s] > 0 && !(v->side[s] * now[s] > 0);
}

carom_status carom_variation_switch_before(carom_variation *v, const carom_event_driven *e,
                                           double t, const double *x, carom_error *error)
{
    passage p = {0};
    if (v->shape->switch_count == 0)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(v->scratch);
    carom_status status = look_before(v, e, t, x, &p, error);
    if (status == CAROM_OK)
        status = carom_variation_switch_look(v, p.t, p.x, error);
    for (int s = 0; s < v->shape->switch_count && status == CAROM_OK; s++)
        if (has_left(v, p.before, v->switches, s))
            memcpy(v->slope, p.behind, 2 * (size_t)v->n * sizeof(double));
    carom_arena_rewind(v->scratch, mark);
    return status;
}

carom_status carom_variation_switch_meet(carom_variation *v, const carom_event_driven *e, double t,
                                         const double *x, const double *late, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int s = 0; s < v->shape->switch_count && status == CAROM_OK && v->told->exists; s++)
        status = carom_variation_contrast_zero(v, e, s, t, x, false, late, error);
    return status;
}
