/* Follows one frictional contact in impulse, through slip, stick and reversal. */
#include "law/path_motion.h"

#include "carom/tolerance.h"
#include "solver/ode_events.h"
#include "solver/root.h"

#include <math.h>
#include <string.h>

/* Where the path is. `measure` and `work` are p_N and the integral of u_N dp_N; while infinite
 * friction acts p_N stands still and they are taken along the tangential impulse instead, in which
 * compression and restitution keep their proportions. */
typedef struct path {
    const carom_path_problem *problem;
    double p[3];
    double measure, work;
    bool compressed;          /* u_N = 0 has been passed */
    double measure_c, work_c; /* there */
    bool ended;
    double cN, cT; /* dp_N and |dp_T| per unit of path while slipping: (1, mu) or (0, 1) */
    carom_path_result *result;
} path;

static double velocity(const path *w, int row)
{
    const carom_path_problem *q = w->problem;
    double u = q->u[row];
    for (int k = 0; k <= q->s; k++)
        u += q->D[row + 3 * k] * w->p[k];
    return u;
}

static double normal_velocity(const path *w)
{
    return velocity(w, 0);
}

/* What is still missing to the end, > 0 before it; only after compression. */
static double missing(const path *w)
{
    const carom_path_problem *q = w->problem;
    switch (q->stop) {
    case CAROM_PATH_NEWTON:
        return -q->e * q->u[0] - normal_velocity(w);
    case CAROM_PATH_POISSON:
        return (1 + q->e) * w->measure_c - w->measure;
    default:
        return q->e * q->e * -w->work_c - (w->work - w->work_c);
    }
}

static void mark_compression(path *w)
{
    w->compressed = true;
    w->measure_c = w->measure;
    w->work_c = w->work;
    memcpy(w->result->compression, w->p, sizeof w->p);
    if (w->problem->e == 0)
        w->ended = true;
}

/* How far along impulse rates d (with u_N changing at rate a and the measure at rate m) until
 * compression ends, or after that until the impact ends. */
static double length_to_event(const path *w, double a, double m)
{
    double u = normal_velocity(w), left;
    if (a == 0 && fabs(u) <= CAROM_TOLERANCE_CARRIED * fabs(w->problem->u[0]))
        u = 0; /* held: what is left is rounding */
    if (!w->compressed)
        return u >= 0 ? 0 : a > 0 ? -u / a : INFINITY;
    left = fmax(0, missing(w));
    switch (w->problem->stop) {
    case CAROM_PATH_NEWTON:
        return left == 0 ? 0 : a > 0 ? left / a : INFINITY;
    case CAROM_PATH_POISSON:
        return left / m;
    default: { /* m (u x + a x^2/2) = left, u >= 0 */
        double work = left / m, root = u * u + 2 * a * work;
        return work == 0 ? 0 : root <= 0 ? INFINITY : 2 * work / (u + sqrt(root));
    }
    }
}

/* Follow constant impulse rates d until `limit` or the end; closed form. m: rate of the measure. */
static void follow_line(path *w, const double d[3], double m, double limit)
{
    const carom_path_problem *q = w->problem;
    double a = 0, size = 0;
    for (int k = 0; k <= q->s; k++) {
        a += q->D[3 * k] * d[k];
        size += fabs(q->D[3 * k] * d[k]);
    }
    if (fabs(a) <= CAROM_TOLERANCE_SOLVED * size) /* rounding of dependent rows */
        a = 0;
    while (!w->ended && limit > 0) {
        double x = length_to_event(w, a, m);
        bool event = x <= limit;
        if (!event)
            x = limit;
        if (x == INFINITY)
            return; /* wedged: u_N never turns */
        double u = normal_velocity(w);
        w->work += m * x * (u + 0.5 * a * x);
        w->measure += m * x;
        for (int k = 0; k <= q->s; k++)
            w->p[k] += d[k] * x;
        limit -= x;
        if (event && w->compressed)
            w->ended = true;
        else if (event)
            mark_compression(w);
    }
}

/* Slip speed and direction in the plane, 2 tangential directions. State of the sliding equation:
 *   0 phi (direction of u_T), 1 log of |u_T| relative to its start, 2 p_N, 3 4 p_T, 5 measure,
 *   6 work
 * in the variable psi with d(path) = |u_T| dpsi, which removes the singularity at u_T = 0. */
typedef struct sliding {
    path *w;
    double speed; /* |u_T| at the start */
} sliding;

/* Change of u_T on a unit of path in direction t: across t, which turns it, and along t. */
static void slip_rates(const path *w, const double t[2], double *across, double *along)
{
    const double *D = w->problem->D;
    double a1 = w->cN * D[1] - w->cT * (D[4] * t[0] + D[7] * t[1]);
    double a2 = w->cN * D[2] - w->cT * (D[5] * t[0] + D[8] * t[1]);
    *across = t[0] * a2 - t[1] * a1;
    *along = t[0] * a1 + t[1] * a2;
}

static carom_status slide(void *self, double psi, const double *y, double *dy, carom_error *error)
{
    (void)psi;
    (void)error;
    const sliding *s = self;
    const path *w = s->w;
    const double *D = w->problem->D;
    double t1 = cos(y[0]), t2 = sin(y[0]);
    double r = s->speed * exp(y[1]);
    double u = w->problem->u[0] + D[0] * y[2] + D[3] * y[3] + D[6] * y[4];
    slip_rates(w, (double[]){t1, t2}, &dy[0], &dy[1]);
    dy[2] = w->cN * r;
    dy[3] = -w->cT * t1 * r;
    dy[4] = -w->cT * t2 * r;
    dy[5] = r;
    dy[6] = u * r;
    return CAROM_OK;
}

static void take(path *w, const double *y)
{
    memcpy(w->p, y + 2, 3 * sizeof(double));
    w->measure = y[5];
    w->work = y[6];
}

/* Events along the sliding path: compression ends, or on a curved path resumes; and after it the
 * impact ends. */
enum { TURN, END, EVENTS };

static double event_at(void *self, int k, double psi, const double *y)
{
    const path *w = ((const sliding *)self)->w;
    path there = *w;
    (void)psi;
    take(&there, y);
    if (k == TURN)
        return w->compressed ? -normal_velocity(&there) : normal_velocity(&there);
    return w->compressed ? -missing(&there) : -1;
}

/* Slip below exp(-40) of its start has stopped: what is left of the path is below rounding. */
static const double stopped = -40;

static void pass_event(path *w, int event)
{
    if (event == END)
        w->ended = true;
    else if (w->compressed)
        w->compressed = false;
    else
        mark_compression(w);
}

/* A straight slide where no impulse can turn or stop the slip (the joints hold it). */
static void follow_straight(path *w, double speed)
{
    const double *u = w->problem->u;
    double d[3] = {w->cN, -w->cT * u[1] / speed, -w->cT * u[2] / speed};
    follow_line(w, d, 1, INFINITY);
}

/* A direction that attracts the slip and that rounding no longer tells from it: from here on the
 * path is straight, and has its closed form. Without this a wedged contact slides at a constant
 * velocity for ever. Compression that may resume on the line is left to the steps. */
static bool follow_invariant(path *w, const double *y, double speed, double rate, bool *has_stopped)
{
    const double *D = w->problem->D, t[2] = {cos(y[0]), sin(y[0])};
    double across, along, d[3] = {w->cN, -w->cT * t[0], -w->cT * t[1]};
    slip_rates(w, t, &across, &along);
    /* d(across)/dphi; the part of D_TN turns with t, that of D_TT twice as fast */
    const double turning =
        -(w->cN * (t[0] * D[1] + t[1] * D[2])) -
        w->cT * ((t[0] * t[0] - t[1] * t[1]) * (D[8] - D[4]) - 4 * t[0] * t[1] * D[5]);
    if (!(fabs(across) <= CAROM_TOLERANCE_SUM * -turning) ||
        (w->compressed && D[0] * d[0] + D[3] * d[1] + D[6] * d[2] < 0))
        return false;
    if (fabs(along) <= CAROM_TOLERANCE_SUM * rate)
        along = 0;
    const double limit = along < 0 ? speed * exp(y[1]) / -along : INFINITY;
    follow_line(w, d, 1, limit);
    *has_stopped = !w->ended && limit < INFINITY;
    return true;
}

/* One accepted step at a time until the slip stops, the impact ends, or (wedged) neither. */
static carom_status slide_on(const sliding *s, double rate, carom_ode_events *e, double scale[7],
                             bool *has_stopped, carom_error *error)
{
    enum { MOST = 20000 };
    path *w = s->w;
    const double least = scale[6];
    carom_status status = CAROM_OK;
    *has_stopped = false;
    for (int step = 0; step < MOST && e->h > 0 && !w->ended && !*has_stopped; step++) {
        int event;
        /* friction that drives the bodies together makes the work as large as it likes */
        scale[6] = fmax(least, scale[0] * fabs(e->ode.y[6]));
        status = carom_ode_events_start(e, error);
        if (!status)
            status = carom_ode_events_step(e, INFINITY, scale, &event, error);
        if (status)
            return status;
        take(w, e->ode.y);
        if (event >= 0)
            pass_event(w, event);
        else
            *has_stopped = e->ode.y[1] < stopped;
        if (!w->ended && !*has_stopped &&
            follow_invariant(w, e->ode.y, s->speed, rate, has_stopped))
            break;
    }
    return status;
}

/* Spatial sliding until it stops or the impact ends. */
static carom_status follow_sliding(path *w, carom_arena *arena, bool *has_stopped,
                                   carom_error *error)
{
    const carom_path_problem *q = w->problem;
    const double *D = q->D;
    sliding s = {w, hypot(q->u[1], q->u[2])};
    double tangential = hypot(hypot(D[4], D[8]), D[5]);
    double rate = w->cN * hypot(D[1], D[2]) + w->cT * tangential;
    *has_stopped = false;
    if (rate == 0) {
        follow_straight(w, s.speed);
        return CAROM_OK;
    }
    enum { PIECES = 8 };
    carom_ode_events events;
    carom_status status =
        carom_ode_events_create(arena, 7, 7, slide, event_at, EVENTS, PIECES, &s, &events, error);
    if (status)
        return status;
    double impulse = fabs(q->u[0]) / D[0] + (tangential > 0 ? s.speed / tangential : 0);
    double tolerance = 1e-15;
    double scale[7] = {tolerance,
                       tolerance,
                       tolerance * impulse,
                       tolerance * impulse,
                       tolerance * impulse,
                       tolerance * impulse,
                       tolerance * impulse * fabs(q->u[0])};
    double start[7] = {atan2(q->u[2], q->u[1])};
    memcpy(events.ode.y, start, sizeof start);
    events.h = 0.05 / rate;
    status = slide_on(&s, rate, &events, scale, has_stopped, error);
    w->result->evaluations = events.ode.evaluations;
    return status;
}

/* Planar sliding is a straight line. */
static void follow_planar(path *w, bool *has_stopped)
{
    const carom_path_problem *q = w->problem;
    double sign = q->u[1] > 0 ? 1 : -1;
    double d[3] = {w->cN, -w->cT * sign, 0};
    double a = q->D[1] * d[0] + q->D[4] * d[1]; /* du_T */
    double limit = a * sign < 0 ? -q->u[1] / a : INFINITY;
    follow_line(w, d, 1, limit);
    *has_stopped = !w->ended && limit < INFINITY;
}

/* Eigenvalues (descending) and the first eigenvector's angle of the tangential block. */
static void diagonalise(const double *D, double value[2], double *angle)
{
    double mean = 0.5 * (D[4] + D[8]), half = 0.5 * (D[4] - D[8]);
    double radius = hypot(half, D[5]);
    *angle = radius > 0 ? 0.5 * atan2(D[5], half) : 0;
    value[0] = mean + radius;
    value[1] = fmax(0, value[0] > 0 ? (D[4] * D[8] - D[5] * D[5]) / value[0] : 0);
    if (value[1] < CAROM_TOLERANCE_SUM * value[0])
        value[1] = 0;
}

/* c = D_TT^+ D_TN, the friction that sticking needs per normal impulse. */
static void sticking_friction(const carom_path_problem *q, double c[2])
{
    double value[2], angle;
    c[0] = c[1] = 0;
    if (q->s == 1) {
        c[0] = q->D[4] > 0 ? q->D[1] / q->D[4] : 0;
    } else if (q->s == 2) {
        diagonalise(q->D, value, &angle);
        double x = cos(angle), y = sin(angle);
        double b0 = value[0] > 0 ? (x * q->D[1] + y * q->D[2]) / value[0] : 0;
        double b1 = value[1] > 0 ? (x * q->D[2] - y * q->D[1]) / value[1] : 0;
        c[0] = x * b0 - y * b1;
        c[1] = y * b0 + x * b1;
    }
}

/* 1 - |(x I + mu D_TT)^-1 D_TN| in principal axes. */
typedef struct depart {
    double b[2], value[2], mu;
} depart;

static double shortfall(void *self, double x)
{
    const depart *d = self;
    return 1 - hypot(d->b[0] / (x + d->mu * d->value[0]), d->b[1] / (x + d->mu * d->value[1]));
}

/* The one direction t in which a contact that cannot stick slides away from rest:
 * (x I + mu D_TT) t = D_TN with x > 0, |t| = 1. |t| falls with x, from more than 1 at x = 0. */
static void departure(const carom_path_problem *q, double t[2])
{
    double value[2], angle, mu = q->mu_dynamic;
    t[0] = q->D[1] >= 0 ? 1 : -1;
    t[1] = 0;
    if (q->s < 2)
        return;
    diagonalise(q->D, value, &angle);
    double x = cos(angle), y = sin(angle);
    double b0 = x * q->D[1] + y * q->D[2], b1 = x * q->D[2] - y * q->D[1];
    depart d = {{b0, b1}, {value[0], value[1]}, mu};
    double root = carom_root_rise(shortfall, &d, 0, hypot(b0, b1), 0);
    double t0 = b0 / (root + mu * value[0]), t1 = b1 / (root + mu * value[1]);
    double length = hypot(t0, t1);
    t[0] = (x * t0 - y * t1) / length;
    t[1] = (y * t0 + x * t1) / length;
}

/* From rest: stick, or slide away along a line, to the end of the impact. */
static void follow_from_rest(path *w)
{
    const carom_path_problem *q = w->problem;
    double c[2], t[2];
    sticking_friction(q, c);
    w->result->sticks = hypot(c[0], c[1]) <= q->mu_static;
    if (w->result->sticks) {
        double d[3] = {1, -c[0], -c[1]};
        follow_line(w, d, 1, INFINITY);
        return;
    }
    w->result->reversed = true;
    departure(q, t);
    double d[3] = {1, -q->mu_dynamic * t[0], -q->mu_dynamic * t[1]};
    follow_line(w, d, 1, INFINITY);
}

/* Infinite friction has brought the slip to rest without normal impulse. What compression it did
 * counts for nothing against what follows; if it did all of it, so does what it must return. */
static void leave_infinite_friction(path *w)
{
    if (w->compressed && w->problem->stop != CAROM_PATH_NEWTON)
        w->ended = true;
    else
        w->measure = w->work = 0;
}

carom_status carom_path_motion_follow(const carom_path_problem *q, carom_arena *arena,
                                      carom_path_result *result, carom_error *error)
{
    carom_path_result r = {.stop_impulse = NAN};
    bool infinite = q->mu_dynamic == INFINITY;
    path w = {
        .problem = q, .cN = infinite ? 0 : 1, .cT = infinite ? 1 : q->mu_dynamic, .result = &r};
    bool at_rest = q->s == 0 || (q->u[1] == 0 && q->u[2] == 0);
    carom_mark mark = carom_arena_mark(arena);
    if (!at_rest && q->s == 2) {
        carom_status status = follow_sliding(&w, arena, &at_rest, error);
        carom_arena_rewind(arena, mark);
        if (status)
            return status;
    } else if (!at_rest) {
        follow_planar(&w, &at_rest);
    }
    if (at_rest && !w.ended) {
        r.stop_impulse = w.p[0];
        if (infinite)
            leave_infinite_friction(&w);
        if (!w.ended)
            follow_from_rest(&w);
    }
    r.ended = w.ended;
    memcpy(r.p, w.p, sizeof r.p);
    for (int row = 0; row <= q->s; row++)
        r.u[row] = velocity(&w, row);
    r.work_stored = -w.work_c;
    r.work_returned = w.work - w.work_c;
    *result = r;
    return CAROM_OK;
}
