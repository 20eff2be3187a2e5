/* The return map: a motion from section point to section point, watched by an observer that stops
 * it there (docs/theory/orbits.md). */
#include "orbit/orbit_map.h"
#include "orbit/orbit_run.h"

#include "carom/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/orbit_basis.h"

/* Section points closer to the start than this part of the horizon are the start itself, which is
 * on the section only up to Newton's error. */
static const double same_instant = CAROM_TOLERANCE_SAME;

/* States at which two gaps are compared to find the image of a contact. */
enum { PROBES = 3 };

/* The gap of contact i at q. */
static double gap_at(carom_orbit_map *m, const double *q, int i)
{
    memcpy(m->state.q, q, sizeof(double) * (size_t)m->n);
    if (carom_system_evaluate(m->problem->system, CAROM_WANT_GAPS, &m->state, NULL) != CAROM_OK)
        return NAN;
    return m->state.g[i];
}

/* Is the gap of j that of i with coordinates exchanged? */
static bool is_image(carom_orbit_map *m, int i, int j)
{
    double *q = m->x0, *other = m->x1;
    for (int probe = 0; probe < PROBES; probe++) {
        for (int k = 0; k < m->n; k++)
            q[k] = 0.3 * sin(1 + 2.3 * k + 5.1 * probe);
        for (int k = 0; k < m->n; k++)
            other[m->image[k]] = q[k];
        const double a = gap_at(m, q, i), b = gap_at(m, other, j);
        if (!(fabs(a - b) <= CAROM_TOLERANCE_CARRIED * (1 + fabs(a))))
            return false;
    }
    return true;
}

/* The contact of the section and its images. */
static void find_struck(carom_orbit_map *m)
{
    if (m->problem->contact < 0)
        return;
    m->struck[m->problem->contact] = 1;
    if (!m->problem->symmetry)
        return;
    for (int i = 0; i < m->shape->p; i++)
        for (int j = 0; j < m->shape->p; j++)
            if (m->struck[i] && !m->struck[j] && is_image(m, i, j)) {
                m->struck[j] = 1;
                i = -1; /* images of images */
                break;
            }
}

carom_status carom_orbit_map_create(const carom_orbit_problem *problem, carom_arena *arena,
                                    carom_arena *work, carom_orbit_map *m, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(problem->system);
    const size_t n = (size_t)shape->n, p = (size_t)shape->p, s = (size_t)shape->s;
    const size_t r = p + s + (size_t)(shape->m + shape->a), k = 2 * n + 2;
    memset(m, 0, sizeof *m);
    m->problem = problem;
    m->shape = shape;
    m->work = work;
    m->n = shape->n;
    m->timed = problem->period > 0 && (problem->contact >= 0 || problem->event >= 0);
    carom_status status = carom_state_create(problem->system, arena, &m->state, error);
    if (status != CAROM_OK)
        return status;
    double *d = carom_arena_zeros(
        arena, n + 3 * n * r + r * r + r * k + 4 * n + 4 * n * k + k + (k + k) * k, sizeof(double));
    m->unknown = carom_arena_array(arena, 2 * n + 1 + n + 3 * r, sizeof(int));
    m->struck = carom_arena_zeros(arena, 2 * p, 1);
    m->segment_room = 64;
    m->segments = carom_arena_array(arena, 64, sizeof *m->segments);
    m->path = carom_arena_zeros(arena, 1, sizeof *m->path);
    if (!d || !m->unknown || !m->struck || !m->segments || !m->path)
        return carom_error_memory(error);
    m->mode = m->struck + p;
    m->image = m->unknown + 2 * n + 1;
    m->pivot = m->image + n;
    m->kind = m->pivot + r;
    m->index = m->kind + r;
    m->weight = d;
    m->R = d += n;
    m->Y = d += n * r;
    m->K = d += 2 * n * r;
    m->c = d += r * r;
    m->x0 = d += r * k;
    m->x1 = d += 2 * n;
    m->V = d += 2 * n;
    m->D = d += 2 * n * k;
    m->dt = d += 2 * n * k;
    m->Q = d += k;
    m->C = d + k * k;
    for (int i = 0; i < m->n; i++)
        m->image[i] = problem->symmetry ? problem->symmetry[i] : i;
    for (int i = 0; i < 2 * m->n; i++)
        if (i >= m->n || !problem->ignore || !problem->ignore[i])
            m->unknown[m->size++] = i;
    if (m->timed)
        m->unknown[m->size++] = 2 * m->n;
    find_struck(m);
    return CAROM_OK;
}

double carom_orbit_map_instant(const carom_orbit_map *m)
{
    return same_instant * m->problem->horizon;
}

/* What the observer of a run keeps. */
typedef struct watch {
    carom_orbit_map *map;
    int seen;               /* section points passed */
    int stop_at;            /* stop at this one; 0: never */
    double begin;           /* start of the run */
    double last;            /* the event before */
    double wanted, nearest; /* counting: the time to come near to, how near it came */
    int best;
    bool first_row;
} watch;

static bool is_start(const watch *w, double t)
{
    return t - w->begin <= carom_orbit_map_instant(w->map);
}

static void add_segment(watch *w, double t, int event, int contact)
{
    carom_orbit_map *m = w->map;
    if (is_start(w, t))
        return;
    if (m->segment_count < m->segment_room)
        m->segments[m->segment_count++] = (carom_orbit_segment){event, contact, t - w->last};
    w->last = t;
}

/* A section point at t. */
static carom_status pass(watch *w, double t)
{
    if (is_start(w, t))
        return CAROM_OK;
    w->seen++;
    if (fabs(t - w->begin - w->wanted) < w->nearest) {
        w->nearest = fabs(t - w->begin - w->wanted);
        w->best = w->seen;
    }
    return w->stop_at > 0 && w->seen == w->stop_at ? CAROM_STOPPED : CAROM_OK;
}

carom_status carom_orbit_map_speed(carom_orbit_map *m, const carom_flow_impact *impact, int contact,
                                   double *speed, carom_error *error)
{
    carom_state *x = &m->state;
    x->t = impact->t;
    memcpy(x->q, impact->q, sizeof(double) * (size_t)m->n);
    memcpy(x->u, impact->before, sizeof(double) * (size_t)m->n);
    carom_status status = carom_system_evaluate(m->problem->system, CAROM_WANT_NORMALS, x, error);
    if (status == CAROM_OK)
        *speed = fabs(carom_dense_dot(m->n, x->W + (size_t)contact * (size_t)m->n, impact->before) +
                      x->w_hat[contact]);
    return status;
}

/* An impact gave contact i an impulse: how fast it closed. */
static carom_status add_impact(const watch *w, const carom_flow_impact *impact, int i,
                               carom_error *error)
{
    carom_orbit_path_step step = {.kind = CAROM_ORBIT_PATH_IMPACT, .index = i, .t = impact->t};
    if (is_start(w, impact->t))
        return CAROM_OK;
    carom_status status = carom_orbit_map_speed(w->map, impact, i, &step.speed, error);
    if (status == CAROM_OK)
        carom_orbit_path_add(w->map->path, step);
    return status;
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    watch *w = self;
    bool here = false;
    int first = -1;
    carom_status status = CAROM_OK;
    for (int k = 0; k < impact->contact_count && status == CAROM_OK; k++)
        if (impact->impulse[k] > 0) {
            here = here || w->map->struck[impact->contacts[k]];
            first = first < 0 ? impact->contacts[k] : first;
            status = add_impact(w, impact, impact->contacts[k], error);
        }
    if (status != CAROM_OK)
        return status;
    add_segment(w, impact->t, -1, first);
    return here ? pass(w, impact->t) : CAROM_OK;
}

static carom_status on_change(void *self, const carom_flow_change *change, carom_error *error)
{
    const watch *w = self;
    (void)error;
    if (is_start(w, change->t))
        return CAROM_OK;
    if (change->from == CAROM_MODE_OPEN)
        carom_orbit_path_rest(w->map->path, change->t, change->contact, change->to);
    else
        carom_orbit_path_add(w->map->path, (carom_orbit_path_step){.kind = CAROM_ORBIT_PATH_CHANGE,
                                                                   .index = change->contact,
                                                                   .mode = change->to,
                                                                   .t = change->t});
    return CAROM_OK;
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    watch *w = self;
    (void)error;
    add_segment(w, instant->t, instant->event, -1);
    if (!is_start(w, instant->t))
        carom_orbit_path_add(w->map->path, (carom_orbit_path_step){.kind = CAROM_ORBIT_PATH_EVENT,
                                                                   .index = instant->event,
                                                                   .t = instant->t});
    return instant->event == w->map->problem->event ? pass(w, instant->t) : CAROM_OK;
}

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    watch *w = self;
    (void)error;
    if (w->first_row)
        memcpy(w->map->mode, row->mode, (size_t)w->map->shape->p);
    w->first_row = false;
    return CAROM_OK;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    const watch *w = self;
    const carom_orbit_problem *p = w->map->problem;
    (void)t, (void)steps;
    return p->progress ? p->progress(p->self, error) : CAROM_OK;
}

static const carom_flow_observer watching = {.row = on_row,
                                             .impact = on_impact,
                                             .change = on_change,
                                             .instant = on_instant,
                                             .progress = on_progress};

static carom_status say(carom_orbit_map *m, const char *text)
{
    snprintf(m->message, sizeof m->message, "%s", text);
    return CAROM_STOPPED;
}

/* Why a run ended without its section point. */
static carom_status explain(carom_orbit_map *m, const carom_flow_result *result, int seen)
{
    if (result->end == CAROM_FLOW_REACHED && seen == 0)
        snprintf(m->message, sizeof m->message,
                 "no section point within %.6g after t = %.12g; the section never happens there",
                 m->problem->horizon, m->t0);
    else if (result->end == CAROM_FLOW_REACHED)
        snprintf(m->message, sizeof m->message, "only %d section points within %.6g", seen,
                 m->problem->horizon * fmax(1 + m->problem->skip, m->points));
    else
        snprintf(m->message, sizeof m->message, "the motion ended at t = %.12g: %.300s", result->t,
                 result->message[0] ? result->message : carom_flow_end_text(result->end));
    return CAROM_STOPPED;
}

carom_status carom_orbit_map_first(carom_orbit_map *m, const carom_flow_start *start,
                                   carom_error *error)
{
    const carom_orbit_problem *p = m->problem;
    carom_flow_options options = p->options;
    watch w = {
        .map = m, .stop_at = 1 + p->skip, .begin = start->t, .last = start->t, .nearest = -1};
    carom_flow_observer observer = watching;
    carom_flow_result result;
    const bool clocked = p->contact < 0 && p->event < 0;
    observer.self = &w;
    options.output = 0;
    options.until = clocked ? (ceil(start->t / p->period - same_instant) + p->skip) * p->period
                            : start->t + p->horizon * (1 + p->skip);
    options.until = fmax(options.until, start->t);
    m->t0 = start->t;
    carom_arena_reset(m->work);
    carom_status status =
        carom_flow_run(p->system, p->law, start, &options, &observer, m->work, &result, error);
    if (status < 0)
        return status;
    m->t1 = result.t;
    if (p->skip > 0 && p->period > 0) /* time counts up to periods, and early it is sharper */
        m->t1 -= floor((m->t1 - start->t) / p->period + same_instant) * p->period;
    memcpy(m->x1, result.q, sizeof(double) * (size_t)m->n);
    memcpy(m->x1 + m->n, result.u, sizeof(double) * (size_t)m->n);
    if (clocked ? status != CAROM_OK : w.seen < w.stop_at)
        return result.end == CAROM_FLOW_STOPPED && !clocked ? say(m, "stopped")
                                                            : explain(m, &result, w.seen);
    return CAROM_OK;
}

carom_status carom_orbit_map_count(carom_orbit_map *m, carom_error *error)
{
    const carom_orbit_problem *p = m->problem;
    carom_flow_options options = p->options;
    const bool clocked = p->contact < 0 && p->event < 0;
    watch w = {.map = m,
               .begin = m->t0,
               .last = m->t0,
               .wanted = p->periods * p->period,
               .nearest = INFINITY,
               .first_row = true};
    carom_flow_observer observer = watching;
    carom_flow_result result;
    const carom_flow_start start = {m->t0, m->x0, m->x0 + m->n};
    m->points = clocked ? 0 : p->periods;
    m->span = p->periods * p->period;
    observer.self = &w;
    options.output = 0;
    options.until = m->timed ? m->t0 + (p->periods + 0.5) * p->period : m->t0;
    carom_arena_reset(m->work);
    carom_status status =
        carom_flow_run(p->system, p->law, &start, &options, &observer, m->work, &result, error);
    if (status < 0 || !m->timed)
        return status;
    m->points = w.best;
    return w.best > 0 ? CAROM_OK : explain(m, &result, w.seen);
}

/* Directions that span the unknowns, and that of the parameter, from V. */
static carom_status vary(carom_orbit_map *m, carom_orbit_directions *along, carom_error *error)
{
    const carom_orbit_problem *p = m->problem;
    m->rank = carom_orbit_basis_find(m);
    const size_t n = (size_t)m->n, k = (size_t)m->rank + 1, c = (size_t)m->shape->parameter_count;
    double *x = carom_arena_zeros(m->work, k * (2 + 2 * n + c), sizeof(double));
    const carom_contact **contacts = carom_arena_array(m->work, k, sizeof *contacts);
    carom_contact *none = carom_arena_zeros(m->work, (size_t)m->shape->p + 1, sizeof *none);
    if (!x || !contacts || !none)
        return carom_error_memory(error);
    double *t = x, *until = t + k, *q = until + k, *u = q + n * k, *parameters = u + n * k;
    for (size_t j = 0; j < k; j++) {
        const double *from = j + 1 < k ? m->Q + j * (2 * n + 1) : m->V + 2 * (size_t)m->size * n;
        memcpy(q + j * n, from, n * sizeof(double));
        memcpy(u + j * n, from + n, n * sizeof(double));
        t[j] = j + 1 < k ? from[2 * n] : 0;
        contacts[j] = j + 1 == k && p->contacts ? p->contacts : none;
    }
    if (!m->timed && p->period > 0) { /* the section is at t = i period */
        t[k - 1] = m->t0 / p->period * p->period_change;
        until[k - 1] = (m->t0 + m->span) / p->period * p->period_change;
    }
    if (p->parameters)
        memcpy(parameters + (k - 1) * c, p->parameters, c * sizeof(double));
    *along = (carom_orbit_directions){.k = (int)k,
                                      .t = t,
                                      .q = q,
                                      .u = u,
                                      .parameters = parameters,
                                      .contacts = contacts,
                                      .until = until};
    return CAROM_OK;
}

/* Follow the motion from the start to its end, with derivatives along V unless x is NULL. */
static carom_status run_map(carom_orbit_map *m, carom_orbit_tangents *x, carom_error *error)
{
    const carom_orbit_problem *p = m->problem;
    carom_flow_options options = p->options;
    carom_orbit_directions along;
    carom_flow_result result;
    carom_flow_observer observer = watching;
    const carom_orbit_watch spans = {0};
    watch w = {.map = m, .stop_at = m->points, .begin = m->t0, .last = m->t0, .nearest = -1};
    const carom_flow_start start = {m->t0, m->x0, m->x0 + m->n};
    const size_t n = (size_t)m->n;
    observer.self = &w;
    options.output = 0;
    options.until = m->t0 + (m->points > 0 ? p->horizon * m->points : m->span);
    m->segment_count = m->path->count = 0;
    carom_arena_reset(m->work);
    carom_status status = carom_orbit_start_directions(m, error);
    if (status == CAROM_OK && x)
        status = vary(m, &along, error);
    if (status == CAROM_OK)
        status = x ? carom_orbit_run_watched(p->system, p->law, &start, &options, &along, &observer,
                                             &spans, m->work, &result, x, error)
                   : carom_flow_run(p->system, p->law, &start, &options, &observer, m->work,
                                    &result, error);
    if (status < 0)
        return status;
    if (m->points > 0 ? w.seen < m->points : status != CAROM_OK)
        return result.end == CAROM_FLOW_STOPPED ? say(m, "stopped") : explain(m, &result, w.seen);
    m->t1 = result.t;
    memcpy(m->x1, result.q, n * sizeof(double));
    memcpy(m->x1 + n, result.u, n * sizeof(double));
    return CAROM_OK;
}

carom_status carom_orbit_map_move(carom_orbit_map *m, carom_error *error)
{
    return run_map(m, NULL, error);
}

carom_status carom_orbit_map_apply(carom_orbit_map *m, carom_error *error)
{
    carom_orbit_tangents x;
    const size_t n = (size_t)m->n;
    carom_status status = run_map(m, &x, error);
    if (status != CAROM_OK)
        return status;
    if (!x.exists)
        return say(m, x.reason);
    carom_orbit_basis_expand(m, x.q, x.u, x.t);
    const size_t last = (size_t)m->size, rank = (size_t)m->rank;
    m->dt[last] = x.t[rank];
    memcpy(m->D + 2 * last * n, x.q + rank * n, n * sizeof(double));
    memcpy(m->D + (2 * last + 1) * n, x.u + rank * n, n * sizeof(double));
    return CAROM_OK;
}
