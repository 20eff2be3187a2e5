/* Lyapunov exponents: growth of an orthonormal frame along a motion, interval by interval
 * (docs/theory/orbits.md, "Lyapunov exponents"). */
#include "carom/need.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/orbit_map.h"
#include "orbit/orbit_run.h"

enum { PARTS = 10, INTERVALS = 1000 };

typedef struct frame {
    const carom_orbit_problem *problem;
    const unsigned char *struck; /* contacts of the section */
    int n, size;                 /* size = 2n */
    int alive;                   /* directions that the modes so far have left */
    double since, interval;      /* when the frame was made orthonormal, and how often it is */
    double *x;                   /* 2n: a point of the motion */
    double *X, *growth;          /* 2n x 2n: the frame; 2n: logarithms of its growth */
    double *sum, *part;          /* 2n: logarithms; PARTS x 2n */
    double *spent;               /* PARTS: time */
    double begin, end;           /* of the measurement */
    carom_orbit_lyapunov *answer;
} frame;

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    frame *f = self;
    (void)error;
    for (int k = 0; k < impact->contact_count; k++)
        if (impact->impulse[k] > 0 && f->struck[impact->contacts[k]] && impact->t >= f->begin) {
            f->answer->points++;
            break;
        }
    return CAROM_OK;
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    frame *f = self;
    (void)error;
    f->answer->points += instant->event == f->problem->event && instant->t >= f->begin;
    return CAROM_OK;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    const frame *f = self;
    (void)t, (void)steps;
    return f->problem->progress ? f->problem->progress(f->problem->self, error) : CAROM_OK;
}

/* Columns of the variations: X at a fixed time, and what goes with it in the same combinations. */
typedef struct column {
    double *x, *D, *dt, *shift, *limit;
} column;

static column column_of(const frame *f, const carom_variation *v, int j)
{
    const size_t at = (size_t)j * (size_t)f->size;
    return (column){f->X + at, v->X + at, v->dt + j, v->shift + j, v->limit + j};
}

/* to = factor to + part from. */
static void combine(const frame *f, const carom_variation *v, column to, double factor, double part,
                    column from)
{
    for (int i = 0; i < f->size; i++) {
        to.x[i] = factor * to.x[i] + part * from.x[i];
        to.D[i] = factor * to.D[i] + part * from.D[i];
    }
    *to.dt = factor * *to.dt + part * *from.dt;
    *to.limit = factor * *to.limit + part * *from.limit;
    for (int i = 0; i < v->memory; i++) {
        const size_t at = (size_t)i * (size_t)v->k;
        to.shift[at] = factor * to.shift[at] + part * from.shift[at];
    }
}

/* X becomes orthonormal, by Gram and Schmidt, twice; logarithms of the lengths into growth. What is
 * left of a column below the rounding of its length is no direction, nor are more of them than the
 * directions that closed contacts have left: those are what the integration is off them. */
static void orthonormalise(frame *f, carom_variation *v)
{
    const int m = f->size;
    int found = 0;
    for (int j = 0; j < m; j++) {
        const column to = column_of(f, v, j);
        const double whole = carom_dense_norm(m, to.x);
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < j; i++) {
                const column from = column_of(f, v, i);
                combine(f, v, to, 1, -carom_dense_dot(m, from.x, to.x), from);
            }
        const double length = carom_dense_norm(m, to.x);
        const bool lost = found == f->alive || !(length > 256 * DBL_EPSILON * whole);
        f->growth[j] = lost ? -INFINITY : log(length);
        combine(f, v, to, lost ? 0 : 1 / length, 0, to);
        found += !lost;
    }
}

/* Logarithms of an interval into the sums. */
static void count_growth(frame *f, double t)
{
    int part = (int)(PARTS * (f->since - f->begin) / (f->end - f->begin));
    part = part < 0 ? 0 : part >= PARTS ? PARTS - 1 : part;
    for (int j = 0; j < f->size; j++) {
        f->sum[j] += f->growth[j];
        f->part[part + j * PARTS] += f->growth[j];
    }
    f->spent[part] += t - f->since;
    f->answer->time += t - f->since;
}

/* At the end of a step: is an interval over? The first one of the measurement starts at the first
 * step that ends after the time left out. */
static carom_status on_step(void *self, carom_variation *v, double t, carom_error *error)
{
    frame *f = self;
    const bool begun = f->since >= f->begin;
    const double next =
        begun ? fmin(f->since + f->interval, f->end) : fmin(f->begin, f->since + f->interval);
    if (!v->told->exists || t < next || !(t > f->since))
        return CAROM_OK;
    carom_variation_at(v, t, f->x);
    carom_status status = carom_variation_point_evaluate(&v->point, t, f->x, f->x + f->n, error);
    if (status != CAROM_OK)
        return carom_variation_pass(v, t, status, error);
    for (int j = 0; j < f->size; j++) {
        const column c = column_of(f, v, j);
        memcpy(c.x, c.D, sizeof(double) * (size_t)f->size);
        carom_dense_axpy(f->n, -*c.dt, f->x + f->n, c.x);
        carom_dense_axpy(f->n, -*c.dt, v->point.a, c.x + f->n);
    }
    orthonormalise(f, v);
    carom_variation_split(v);
    if (begun)
        count_growth(f, t);
    f->since = t;
    return CAROM_OK;
}

/* Where the derivative ceased to exist the frame starts again, after the event; what it grew by
 * since the last interval is left out. */
static carom_status on_close(void *self, carom_variation *v, const carom_event_driven *e,
                             carom_error *error)
{
    frame *f = self;
    const int left = f->size - carom_variation_strike_rank(v, e);
    f->alive = left < f->alive ? left : f->alive;
    if (v->told->exists)
        return CAROM_OK;
    memcpy(f->answer->message, v->told->reason, sizeof f->answer->message);
    f->answer->restarts++;
    f->since = e->t;
    return carom_variation_event_restart(v, e, error);
}

/* The unit frame as the run wants it. */
static carom_status make_unit(frame *f, carom_arena *arena, carom_orbit_directions *along,
                              carom_error *error)
{
    const size_t n = (size_t)f->n, k = (size_t)f->size;
    double *q = carom_arena_zeros(arena, 2 * n * k, sizeof(double));
    if (!q)
        return carom_error_memory(error);
    double *u = q + n * k;
    for (size_t i = 0; i < n; i++)
        q[i + i * n] = u[i + (n + i) * n] = 1;
    *along = (carom_orbit_directions){.k = f->size, .q = q, .u = u};
    return CAROM_OK;
}

/* The motion with its frame. */
static carom_status measure(frame *f, const carom_flow_start *start, carom_arena *arena,
                            carom_error *error)
{
    const carom_orbit_problem *p = f->problem;
    const carom_flow_observer observer = {
        .self = f, .impact = on_impact, .instant = on_instant, .progress = on_progress};
    const carom_orbit_watch watch = {f, on_step, on_close};
    carom_flow_options options = p->options;
    carom_flow_result result;
    carom_orbit_tangents tangents;
    carom_orbit_directions along;
    options.output = 0;
    options.keep_impacts = 0;
    options.until = f->end;
    carom_status status = make_unit(f, arena, &along, error);
    if (status != CAROM_OK)
        return status;
    status = carom_orbit_run_watched(p->system, p->law, start, &options, &along, &observer, &watch,
                                     arena, &result, &tangents, error);
    if (status > 0)
        snprintf(f->answer->message, sizeof f->answer->message,
                 "the motion ended at t = %.12g: %.300s", result.t,
                 result.message[0] ? result.message : carom_flow_end_text(result.end));
    return status;
}

/* Means, and how much those of the parts scatter. */
static void conclude(frame *f)
{
    carom_orbit_lyapunov *a = f->answer;
    for (int j = 0; j < f->size; j++) {
        double sum = 0, square = 0;
        int count = 0;
        a->exponents[j] = a->time > 0 ? f->sum[j] / a->time : NAN;
        for (int k = 0; k < PARTS; k++) {
            if (!(f->spent[k] > 0))
                continue;
            const double rate = f->part[k + j * PARTS] / f->spent[k];
            sum += rate;
            square += rate * rate;
            count++;
        }
        const double mean = count > 0 ? sum / count : 0;
        const double variance = count > 1 ? (square - count * mean * mean) / (count - 1) : NAN;
        a->error[j] = isfinite(a->exponents[j]) ? sqrt(fmax(variance, 0) / fmax(count, 1)) : NAN;
    }
}

/* The frame turns towards the order of the exponents only in the limit: those that are closer than
 * their errors may stand in another one. */
static void sort(carom_orbit_lyapunov *a)
{
    for (int j = 1; j < a->count; j++) {
        const double exponent = a->exponents[j], error = a->error[j];
        int k = j;
        for (; k > 0 && a->exponents[k - 1] < exponent; k--) {
            a->exponents[k] = a->exponents[k - 1];
            a->error[k] = a->error[k - 1];
        }
        a->exponents[k] = exponent;
        a->error[k] = error;
    }
}

/* What a section sees (carom_orbit_lyapunov.section). */
static void conclude_section(const frame *f)
{
    carom_orbit_lyapunov *a = f->answer;
    const carom_orbit_problem *p = f->problem;
    const bool section = p->contact >= 0 || p->event >= 0;
    int flow = -1;
    if (!section && p->period > 0)
        a->points = (long)floor(a->time / p->period);
    for (int i = 0; i < a->count && section && !(p->period > 0); i++)
        if (flow < 0 || fabs(a->exponents[i]) < fabs(a->exponents[flow]))
            flow = i;
    for (int i = 0; i < a->count && a->points > 0; i++)
        if (i != flow)
            a->section[a->section_count++] = a->time / (double)a->points * a->exponents[i];
}

static carom_status create(frame *f, carom_arena *arena, carom_error *error)
{
    const size_t m = 2 * (size_t)f->n;
    double *d = carom_arena_zeros(arena, m * m + (6 + PARTS) * m + PARTS, sizeof(double));
    if (!d)
        return carom_error_memory(error);
    f->X = d;
    f->x = d += m * m;
    f->growth = d += m;
    f->sum = d += m;
    f->part = d += m;
    f->spent = d += PARTS * m;
    f->answer->exponents = d += PARTS;
    f->answer->error = d += m;
    f->answer->section = d + m;
    f->answer->count = (int)m;
    return CAROM_OK;
}

carom_status carom_orbit_exponents(const carom_orbit_problem *problem,
                                   const carom_flow_start *start, double until, double skip,
                                   double interval, carom_arena *arena,
                                   carom_orbit_lyapunov *answer, carom_error *error)
{
    CAROM_NEED(error, problem, problem->system, start, arena, answer);
    frame f = {.problem = problem,
               .n = carom_system_get_shape(problem->system)->n,
               .answer = answer,
               .since = start->t,
               .begin = start->t + skip,
               .end = until};
    carom_orbit_map map;
    carom_arena *work = NULL;
    *answer = (carom_orbit_lyapunov){0};
    if (!(f.begin < until) || !(skip >= 0))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the exponents are to be taken from t = %g to %g", f.begin, until);
    f.size = f.alive = 2 * f.n;
    f.interval = interval > 0 ? interval : (until - f.begin) / INTERVALS;
    if (!(interval > 0) && problem->period > 0)
        f.interval = fmin(f.interval, problem->period);
    carom_status status = carom_arena_create(carom_arena_allocator(arena), &work, error);
    if (status == CAROM_OK)
        status = carom_orbit_map_create(problem, arena, work, &map, error);
    if (status == CAROM_OK)
        status = create(&f, arena, error);
    if (status == CAROM_OK) {
        f.struck = map.struck;
        status = measure(&f, start, work, error);
    }
    if (status >= 0) {
        conclude(&f);
        sort(answer);
        conclude_section(&f);
    }
    carom_arena_destroy(work);
    return status;
}
