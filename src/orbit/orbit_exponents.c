/* Lyapunov exponents: growth of an orthonormal frame along a motion, interval by interval
 * (docs/theory/orbits.md, "Lyapunov exponents"). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/orbit_map.h"

enum { PARTS = 10, INTERVALS = 1000 };

typedef struct frame {
    const carom_orbit_problem *problem;
    const unsigned char *struck; /* contacts of the section */
    int n, size;                 /* size = 2n */
    double t, *x;                /* now, 2n */
    double *V, *X;               /* 2n x 2n: frame, its image */
    double *sum, *part;          /* 2n: logarithms; PARTS x 2n */
    double *spent;               /* PARTS: time */
    double begin, end;           /* of the measurement */
    carom_arena *work;
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

static void make_unit(frame *f)
{
    memset(f->V, 0, sizeof(double) * (size_t)f->size * (size_t)f->size);
    for (int i = 0; i < f->size; i++)
        f->V[i + (size_t)i * (size_t)f->size] = 1;
}

/* X becomes the next frame, by Gram and Schmidt, twice; logarithms of the lengths into growth. What
 * is left of a column below the rounding of its length is no direction. */
static void orthonormalise(frame *f, double *growth)
{
    const int m = f->size;
    for (int j = 0; j < m; j++) {
        double *v = f->X + (size_t)j * (size_t)m;
        const double whole = carom_dense_norm(m, v);
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < j; i++) {
                const double *w = f->V + (size_t)i * (size_t)m;
                carom_dense_axpy(m, -carom_dense_dot(m, w, v), w, v);
            }
        const double length = carom_dense_norm(m, v);
        const bool lost = !(length > 256 * DBL_EPSILON * whole);
        growth[j] = lost ? -INFINITY : log(length);
        double *to = f->V + (size_t)j * (size_t)m;
        memset(to, 0, sizeof(double) * (size_t)m);
        if (!lost)
            carom_dense_axpy(m, 1 / length, v, to);
    }
}

/* Directions as the run wants them, from the frame. */
static carom_status vary(frame *f, carom_orbit_directions *along, carom_error *error)
{
    const size_t n = (size_t)f->n, k = (size_t)f->size;
    double *q = carom_arena_doubles(f->work, 2 * n * k);
    if (!q)
        return carom_error_memory(error);
    double *u = q + n * k;
    for (size_t j = 0; j < k; j++) {
        memcpy(q + j * n, f->V + 2 * j * n, n * sizeof(double));
        memcpy(u + j * n, f->V + (2 * j + 1) * n, n * sizeof(double));
    }
    *along = (carom_orbit_directions){.k = f->size, .q = q, .u = u};
    return CAROM_OK;
}

/* The motion to `until`, with the frame if `measured`. */
static carom_status run_to(frame *f, double until, bool measured, carom_orbit_tangents *x,
                           carom_error *error)
{
    const carom_orbit_problem *p = f->problem;
    const carom_flow_observer observer = {
        .self = f, .impact = on_impact, .instant = on_instant, .progress = on_progress};
    const carom_flow_start start = {f->t, f->x, f->x + f->n};
    carom_flow_options options = p->options;
    carom_flow_result result;
    carom_orbit_directions along;
    options.output = 0;
    options.keep_impacts = 0;
    options.until = until;
    carom_arena_reset(f->work);
    carom_status status = measured ? vary(f, &along, error) : CAROM_OK;
    if (status != CAROM_OK)
        return status;
    status = measured ? carom_orbit_run(p->system, p->law, &start, &options, &along, &observer,
                                        f->work, &result, x, error)
                      : carom_flow_run(p->system, p->law, &start, &options, &observer, f->work,
                                       &result, error);
    if (status < 0)
        return status;
    if (status != CAROM_OK)
        snprintf(f->answer->message, sizeof f->answer->message,
                 "the motion ended at t = %.12g: %.300s", result.t,
                 result.message[0] ? result.message : carom_flow_end_text(result.end));
    f->t = result.t;
    memcpy(f->x, result.q, sizeof(double) * (size_t)f->n);
    memcpy(f->x + f->n, result.u, sizeof(double) * (size_t)f->n);
    return status;
}

/* One interval of the measurement. */
static carom_status measure(frame *f, double until, double *growth, carom_error *error)
{
    carom_orbit_tangents x;
    const double before = f->t;
    carom_status status = run_to(f, until, true, &x, error);
    if (status != CAROM_OK)
        return status;
    if (!x.exists) {
        f->answer->restarts++;
        memcpy(f->answer->message, x.reason, sizeof f->answer->message);
        make_unit(f);
        return CAROM_OK;
    }
    const size_t n = (size_t)f->n, m = (size_t)f->size;
    for (size_t j = 0; j < m; j++) {
        memcpy(f->X + 2 * j * n, x.q + j * n, n * sizeof(double));
        memcpy(f->X + (2 * j + 1) * n, x.u + j * n, n * sizeof(double));
    }
    orthonormalise(f, growth);
    int part = (int)(PARTS * (before - f->begin) / (f->end - f->begin));
    part = part < 0 ? 0 : part >= PARTS ? PARTS - 1 : part;
    for (size_t j = 0; j < m; j++) {
        f->sum[j] += growth[j];
        f->part[(size_t)part + j * PARTS] += growth[j];
    }
    f->spent[part] += f->t - before;
    f->answer->time += f->t - before;
    return CAROM_OK;
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

static carom_status create(frame *f, carom_orbit_map *map, carom_arena *arena, carom_error *error)
{
    const size_t m = 2 * (size_t)f->n;
    double *d = carom_arena_zeros(arena, 2 * m * m + (5 + PARTS) * m + PARTS, sizeof(double));
    if (!d)
        return carom_error_memory(error);
    f->struck = map->struck;
    f->V = d;
    f->X = d += m * m;
    f->x = d += m * m;
    f->sum = d += m;
    f->part = d += m;
    f->spent = d += PARTS * m;
    f->answer->exponents = d += PARTS;
    f->answer->error = d + m;
    f->answer->count = (int)m;
    return CAROM_OK;
}

carom_status carom_orbit_exponents(const carom_orbit_problem *problem,
                                   const carom_flow_start *start, double until, double skip,
                                   double interval, carom_arena *arena,
                                   carom_orbit_lyapunov *answer, carom_error *error)
{
    frame f = {.problem = problem,
               .n = carom_system_get_shape(problem->system)->n,
               .answer = answer,
               .begin = start->t + skip,
               .end = until};
    carom_orbit_map map;
    *answer = (carom_orbit_lyapunov){0};
    if (!(f.begin < until) || !(skip >= 0))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the exponents are to be taken from t = %g to %g", f.begin, until);
    f.size = 2 * f.n;
    double h = interval > 0 ? interval : (until - f.begin) / INTERVALS;
    if (!(interval > 0) && problem->period > 0)
        h = fmin(h, problem->period);
    carom_status status = carom_arena_create(carom_arena_allocator(arena), &f.work, error);
    if (status == CAROM_OK)
        status = carom_orbit_map_create(problem, arena, f.work, &map, error);
    if (status == CAROM_OK)
        status = create(&f, &map, arena, error);
    double *growth = carom_arena_zeros(arena, (size_t)f.size, sizeof(double));
    if (status == CAROM_OK && !growth)
        status = carom_error_memory(error);
    if (status == CAROM_OK) {
        f.t = start->t;
        memcpy(f.x, start->q, sizeof(double) * (size_t)f.n);
        memcpy(f.x + f.n, start->u, sizeof(double) * (size_t)f.n);
        make_unit(&f);
        status = skip > 0 ? run_to(&f, f.begin, false, NULL, error) : CAROM_OK;
    }
    while (status == CAROM_OK && f.t < until * (1 - DBL_EPSILON)) {
        status = measure(&f, f.t + 1.5 * h < until ? f.t + h : until, growth, error);
        if (status == CAROM_OK && problem->progress)
            status = problem->progress(problem->self, error);
    }
    if (status >= 0) {
        conclude(&f);
        sort(answer);
    }
    carom_arena_destroy(f.work);
    return status;
}
