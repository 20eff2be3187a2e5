/* Where a motion goes: section points after a transient, and whether they repeat
 * (docs/theory/orbits.md, "Basins"). */
#include "carom/need.h"
#include <math.h>
#include <string.h>

#include "orbit/orbit_map.h"

enum { REPEATS = 2 };

/* Impacts that one rest may take to come about. */
enum { TAIL = 512 };

typedef struct sampler {
    carom_orbit_map *map;
    long seen, skip;
    double last; /* section point, or start */
    int count, room;
    double *points; /* size x (room + TAIL) */
    double *speed;  /* room + TAIL: of the impact that made the point; INFINITY: none did */
    double pace;    /* speed of the last impact */
    int tail;       /* impacts since that were slower one after the other */
    int settled;    /* points when the contact rested last */
} sampler;

/* Keep a section point; stop when there are enough, and the last is not on its way to rest. */
static carom_status sample(sampler *s, double t, const double *q, const double *u, double speed)
{
    const carom_orbit_map *m = s->map;
    s->last = t;
    s->tail = speed < s->pace ? s->tail + 1 : 0;
    s->pace = speed;
    if (s->seen++ < s->skip || (s->count == 0 && s->tail > 0)) /* not within a way to rest */
        return CAROM_OK;
    if (s->count == s->room + TAIL || (s->count >= s->room && s->tail == 0))
        return CAROM_STOPPED;
    double *to = s->points + (size_t)s->count * (size_t)m->size;
    s->speed[s->count] = speed;
    for (int a = 0; a < m->size; a++) {
        const int i = m->unknown[a];
        to[a] = i < m->n ? q[i] : i < 2 * m->n ? u[i - m->n] : fmod(t, m->problem->period);
    }
    return ++s->count == s->room && speed == INFINITY ? CAROM_STOPPED : CAROM_OK;
}

/* The contact of the section rests: of the impacts that led there the first counts. */
static carom_status on_change(void *self, const carom_flow_change *change, carom_error *error)
{
    sampler *s = self;
    (void)error;
    if (change->from != CAROM_MODE_OPEN || !s->map->struck[change->contact])
        return CAROM_OK;
    if (s->seen <= s->skip)
        s->seen -= s->tail;
    s->tail = 0;
    s->pace = 0;
    while (s->count > s->settled + 1 && s->speed[s->count - 1] < s->speed[s->count - 2])
        s->count--;
    s->settled = s->count;
    return s->count >= s->room ? CAROM_STOPPED : CAROM_OK;
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    sampler *s = self;
    double speed;
    for (int k = 0; k < impact->contact_count; k++)
        if (impact->impulse[k] > 0 && s->map->struck[impact->contacts[k]]) {
            carom_status status =
                carom_orbit_map_speed(s->map, impact, impact->contacts[k], &speed, error);
            return status == CAROM_OK ? sample(s, impact->t, impact->q, impact->after, speed)
                                      : status;
        }
    return CAROM_OK;
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    sampler *s = self;
    (void)error;
    return instant->event == s->map->problem->event
               ? sample(s, instant->t, instant->q, instant->u, INFINITY)
               : CAROM_OK;
}

/* Rows at the period, where that is the section. */
static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    sampler *s = self;
    (void)error;
    return sample(s, row->t, row->q, row->u, INFINITY);
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    const sampler *s = self;
    const carom_orbit_problem *p = s->map->problem;
    (void)steps;
    if (t - s->last > p->horizon) /* it has left the section for good */
        return CAROM_STOPPED;
    return p->progress ? p->progress(p->self, error) : CAROM_OK;
}

/* Largest difference of two points, phases on a circle, as a part of the sizes. */
static double distance(const sampler *s, const double *a, const double *b, const double *size)
{
    const carom_orbit_map *m = s->map;
    double most = 0;
    for (int i = 0; i < m->size; i++) {
        double d = fabs(a[i] - b[i]);
        if (m->unknown[i] == 2 * m->n)
            d = fmin(d, m->problem->period - d);
        most = fmax(most, size[i] > 0 ? d / size[i] : 0);
    }
    return most;
}

/* The least shift after which all points repeat; 0: none. */
static int find_period(const sampler *s, double tolerance, double *size)
{
    const carom_orbit_map *m = s->map;
    const size_t k = (size_t)m->size;
    double kind[3] = {0, 0, m->problem->period};
    for (int j = 0; j < s->count; j++)
        for (size_t i = 0; i < k; i++)
            if (m->unknown[i] < 2 * m->n)
                kind[m->unknown[i] / m->n] =
                    fmax(kind[m->unknown[i] / m->n], fabs(s->points[i + (size_t)j * k]));
    for (size_t i = 0; i < k; i++)
        size[i] = kind[m->unknown[i] / m->n];
    for (int shift = 1; shift * REPEATS <= s->count; shift++) {
        bool same = true;
        for (int j = 0; j + shift < s->count && same; j++)
            same = distance(s, s->points + (size_t)j * k, s->points + (size_t)(j + shift) * k,
                            size) <= tolerance;
        if (same)
            return shift;
    }
    return 0;
}

/* A sampler with its room; `work` is to be destroyed also after an error. */
static carom_status begin(const carom_orbit_problem *problem, carom_arena *arena,
                          carom_orbit_map *map, carom_arena **work, sampler *s, double **size,
                          carom_error *error)
{
    s->map = map;
    s->room = CAROM_ORBIT_SETTLE_POINTS;
    carom_status status = carom_arena_create(carom_arena_allocator(arena), work, error);
    if (status == CAROM_OK)
        status = carom_orbit_map_create(problem, *work, *work, map, error);
    if (status != CAROM_OK)
        return status;
    s->points = carom_arena_zeros(*work, (size_t)(map->size + 1) * (size_t)(s->room + TAIL + 1),
                                  sizeof(double));
    if (!s->points)
        return carom_error_memory(error);
    *size = s->points + (size_t)map->size * (size_t)(s->room + TAIL);
    s->speed = *size + map->size;
    return CAROM_OK;
}

/* What the points say, into the arena. */
static carom_status judge(sampler *s, double tolerance, double *size, carom_arena *arena,
                          carom_orbit_attractor *attractor, carom_error *error)
{
    const carom_orbit_map *map = s->map;
    if (s->count >= s->room) {
        s->count = s->room;
        const int period = find_period(s, tolerance, size);
        attractor->fate = period > 0 ? CAROM_ORBIT_PERIODIC : CAROM_ORBIT_APERIODIC;
        attractor->count = period > 0 ? period : s->count;
    }
    attractor->size = map->size;
    attractor->modulus = map->timed ? map->problem->period : 0;
    const size_t numbers = (size_t)map->size * (size_t)attractor->count;
    attractor->points = carom_arena_doubles(arena, numbers + 1);
    if (!attractor->points)
        return carom_error_memory(error);
    memcpy(attractor->points, s->points, numbers * sizeof(double));
    return CAROM_OK;
}

carom_status carom_orbit_settle(const carom_orbit_problem *problem, const carom_flow_start *start,
                                int skip, double tolerance, carom_arena *arena,
                                carom_orbit_attractor *attractor, carom_error *error)
{
    CAROM_NEED(error, problem, problem->system, start, arena, attractor);
    carom_orbit_map map;
    carom_arena *work = NULL;
    carom_flow_result result;
    carom_flow_options options = problem->options;
    double *size = NULL;
    const bool clocked = problem->contact < 0 && problem->event < 0;
    sampler s = {.skip = skip + clocked, .last = start->t};
    *attractor = (carom_orbit_attractor){.fate = CAROM_ORBIT_LOST};
    carom_status status = begin(problem, arena, &map, &work, &s, &size, error);
    const carom_flow_observer observer = {.self = &s,
                                          .row = clocked ? on_row : NULL,
                                          .impact = clocked ? NULL : on_impact,
                                          .change = clocked ? NULL : on_change,
                                          .instant = clocked ? NULL : on_instant,
                                          .progress = on_progress};
    options.keep_impacts = 0;
    options.output = clocked ? problem->period : 0;
    options.until = start->t + (clocked ? problem->period * (skip + s.room + 2)
                                        : problem->horizon * (skip + s.room));
    if (status == CAROM_OK)
        status = carom_flow_run(problem->system, problem->law, start, &options, &observer, work,
                                &result, error);
    if (status >= 0)
        status = judge(&s, tolerance, size, arena, attractor, error);
    carom_arena_destroy(work);
    return status;
}

carom_status carom_orbit_settle_points(const carom_orbit_problem *problem, int count,
                                       const double *points, double tolerance, carom_arena *arena,
                                       carom_orbit_attractor *attractor, carom_error *error)
{
    CAROM_NEED(error, problem, problem->system, points, arena, attractor);
    carom_orbit_map map;
    carom_arena *work = NULL;
    double *size = NULL;
    sampler s = {0};
    *attractor = (carom_orbit_attractor){.fate = CAROM_ORBIT_LOST};
    carom_status status = begin(problem, arena, &map, &work, &s, &size, error);
    const int width = status == CAROM_OK ? 1 + 2 * map.n : 0;
    for (int k = 0; k < count && k < s.room && status == CAROM_OK; k++) {
        const double *x = points + (size_t)k * (size_t)width;
        sample(&s, x[0], x + 1, x + 1 + map.n, INFINITY);
    }
    if (status == CAROM_OK)
        status = judge(&s, tolerance, size, arena, attractor, error);
    carom_arena_destroy(work);
    return status;
}
