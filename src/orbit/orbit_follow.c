/* Branches of periodic motions by pseudo-arclength, with what happens on them
 * (docs/theory/orbits.md, "Branches"). */
#include "carom/need.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"
#include "orbit/orbit_locate.h"

typedef carom_orbit_follower follower;
typedef carom_orbit_place place;

/* Steps: first, least, and the largest turn of the tangent in one. */
static const double first_step = 0.2, least_step = 1e-7, largest_turn = 0.3;

/* Where a margin goes to zero, points keep this part of the distance to it. */
static const double caution = 0.7;

enum { QUICK = 4, MOST = 1000 };

const char *carom_orbit_event_text(carom_orbit_event_kind kind)
{
    static const char *const texts[] = {
        "fold", "period-doubling", "neimark-sacker", "grazing", "mode", "coincidence", "end"};
    return (unsigned)kind < sizeof texts / sizeof *texts ? texts[kind] : "unknown";
}

typedef struct walk {
    place places[5];
    place *older, *before, *now, *next, *spare; /* three points, the one tried, one for events */
    double h, length;                           /* step to try, and the last one */
    int count;
    bool elsewhere; /* beyond the last point only motions with another path were found: */
    carom_orbit_event_kind kind;
    char why[300];
} walk;

static void rotate(walk *s)
{
    place *old = s->older;
    s->older = s->before;
    s->before = s->now;
    s->now = s->next;
    s->next = old;
}

/* The branch ends here. */
static carom_status end_branch(follower *f, walk *s, const char *why, carom_error *error)
{
    return carom_orbit_locate_tell(f, CAROM_ORBIT_END, s->now, why, error);
}

static double turn(const follower *f, const place *a, const place *b)
{
    double dot = 0;
    for (int c = 0; c <= f->size; c++)
        dot += a->tangent[c] * b->tangent[c];
    return acos(fmin(1, fmax(-1, dot)));
}

/* The angle between the tangent at `a` and the way to `b`: where tangents turn by less, so does it.
 * Newton's method may have gone to a solution far from the branch. */
static double stray(const follower *f, const place *a, const place *b)
{
    const int k = f->size;
    double along = 0, whole = 0;
    for (int c = 0; c <= k; c++) {
        const int i = c < k ? f->unknown[c] : -1;
        const double way = c == k          ? b->p - a->p
                           : i == 2 * f->n ? b->t0 - a->t0
                                           : b->x0[i] - a->x0[i];
        along += a->tangent[c] * way / f->scale[c];
        whole += (way / f->scale[c]) * (way / f->scale[c]);
    }
    return whole > 0 ? acos(fmin(1, fmax(-1, along / sqrt(whole)))) : 0;
}

/* y(0) of the polynomial through (x_i, y_i): Neville. */
static double extrapolate(int count, const double *x, const double *y)
{
    double z[3];
    for (int i = 0; i < count; i++)
        z[i] = y[i];
    for (int k = 1; k < count; k++)
        for (int i = 0; i + k < count; i++)
            z[i] = (x[i] * z[i + 1] - x[i + k] * z[i]) / (x[i] - x[i + k]);
    return z[0];
}

/* The last point goes to where the margin is zero: its numbers are smooth functions of the margin,
 * extrapolated from the last three points. */
static void go_to_zero(const follower *f, walk *s, int which)
{
    place *const points[] = {s->now, s->before, s->older};
    int count = 2;
    double x[3], y[3];
    for (int i = 0; i < 3; i++)
        x[i] = points[i]->margin[which].value;
    count += s->count > 2 && x[2] > x[1] && x[2] < INFINITY;
    const int numbers = 2 * f->n + 3;
    for (int k = 0; k < numbers; k++) {
        double *at[3];
        for (int i = 0; i < count; i++) {
            carom_orbit *o = &points[i]->orbit;
            at[i] = k < f->n           ? &o->q[k]
                    : k < 2 * f->n     ? &o->u[k - f->n]
                    : k == numbers - 3 ? &o->t
                    : k == numbers - 2 ? &o->period
                                       : &points[i]->p;
            y[i] = *at[i];
        }
        *at[0] = extrapolate(count, x, y);
    }
}

/* The branch ends where a margin is zero. */
static carom_status end_at_margin(follower *f, walk *s, int which, carom_error *error)
{
    char text[300];
    carom_orbit_problem problem;
    carom_status status = f->family->at(f->family->self, s->now->p, &problem, error);
    if (status != CAROM_OK)
        return status;
    const carom_orbit_event_kind kind = carom_orbit_margin_explain(
        s->now->margin, which, carom_system_get_shape(problem.system), text, sizeof text);
    go_to_zero(f, s, which);
    status = carom_orbit_locate_tell(f, kind, s->now, text, error);
    return status == CAROM_OK ? end_branch(f, s, text, error) : status;
}

/* The next point is beyond the ends of the parameter: the last point has it at the end. */
static carom_status end_outside(follower *f, walk *s, carom_error *error)
{
    const carom_orbit_branch *b = f->branch;
    const bool ahead = (s->next->p - b->from) * (b->to - b->from) > 0;
    carom_status status =
        carom_orbit_place_arrive(f, s->now, ahead ? b->to : b->from, s->next, error);
    if (status != CAROM_OK)
        return status;
    rotate(s);
    if (b->point)
        status = b->point(b->self, s->now->p, &s->now->orbit, error);
    return status == CAROM_OK ? end_branch(f, s,
                                           ahead ? "the parameter reached its end"
                                                 : "the parameter is back at its start",
                                           error)
                              : status;
}

/* The sizes of the unknowns at a point: positions have the size of their way in a period, too, and
 * velocities that are zero on the section that of the way over the period. */
static void measure(const follower *f, const double *x, double t_scale, double period,
                    double *scale)
{
    double size[2] = {0, 0};
    for (int i = 0; i < 2 * f->n; i++)
        size[i / f->n] = fmax(size[i / f->n], fabs(x[i]));
    size[0] = fmax(size[0], period * size[1]);
    size[1] = fmax(size[1], period > 0 ? size[0] / period : 0);
    for (int c = 0; c < f->size; c++) {
        const int i = f->unknown[c];
        scale[c] = i == 2 * f->n ? t_scale : size[i / f->n];
    }
}

/* Lengths are measured by the largest state so far: where the branch grows beyond it, what is known
 * of the present point is measured anew. */
static void grow_scale(const follower *f, walk *s)
{
    place *x = s->now;
    double *scale = f->rhs, norm = 0;
    measure(f, x->x0, 0, x->orbit.period, scale);
    for (int c = 0; c < f->size; c++) {
        const double old = f->scale[c];
        f->scale[c] = fmax(old, scale[c]);
        x->tangent[c] *= old / f->scale[c];
        x->bend[c] *= old / f->scale[c];
    }
    for (int c = 0; c <= f->size; c++)
        norm += x->tangent[c] * x->tangent[c];
    norm = sqrt(norm);
    for (int c = 0; c <= f->size; c++) {
        x->tangent[c] /= norm;
        x->bend[c] /= norm * norm;
    }
    carom_dense_scale(f->size * (f->size + 1), 1 / norm, x->A_bend);
    x->test[0] = x->tangent[f->size];
    s->length *= norm;
    s->h *= norm;
}

/* The point found becomes the present one, and tells how far to go next. */
static carom_status accept(follower *f, walk *s, double h, bool quick, carom_error *error)
{
    carom_orbit_place_bend(f, s->now, h, s->next);
    s->length = h;
    s->h = quick ? 1.4 * h : f->corrections > 2 * QUICK ? 0.6 * h : h;
    rotate(s);
    grow_scale(f, s);
    s->count++;
    return f->branch->point ? f->branch->point(f->branch->self, s->now->p, &s->now->orbit, error)
                            : CAROM_OK;
}

/* A point that is not the next of the branch: what differs there tells how the branch ends. */
static carom_status refuse(follower *f, walk *s, carom_error *error)
{
    carom_orbit_problem problem;
    s->elsewhere = !carom_orbit_path_same(&s->now->path, &s->next->path);
    if (!s->elsewhere)
        return CAROM_OK;
    const carom_status status = f->family->at(f->family->self, s->next->p, &problem, error);
    if (status == CAROM_OK)
        s->kind =
            carom_orbit_path_compare(&s->now->path, &s->next->path,
                                     carom_system_get_shape(problem.system), s->why, sizeof s->why);
    return status;
}

/* No step is short enough. */
static carom_status end_before(follower *f, walk *s, bool found, carom_error *error)
{
    if (!s->elsewhere)
        return end_branch(f, s, found ? "the branch turns sharply" : f->message, error);
    carom_status status = carom_orbit_locate_last(f, s->now, 2 * s->h, s->spare, error);
    if (status == CAROM_OK)
        status = carom_orbit_locate_tell(f, s->kind, s->spare, s->why, error);
    return status == CAROM_OK ? carom_orbit_locate_tell(f, CAROM_ORBIT_END, s->spare, s->why, error)
                              : status;
}

/* One step along the branch; *over: it has ended and was told. */
static carom_status step(follower *f, walk *s, bool *over, carom_error *error)
{
    const double most = f->branch->step > 0 ? f->branch->step : 0.02;
    int which = 0;
    const double wall = s->count > 1 ? carom_orbit_margin_ahead(s->before->margin, s->now->margin,
                                                                s->length, &which)
                                     : INFINITY;
    const carom_orbit_margin *margin = &s->now->margin[which];
    const bool near = wall < INFINITY && caution * wall < fmin(s->h, most);
    const double h = near ? caution * wall : fmin(s->h, most);
    *over = near && (margin->value <= margin->zero || h <= least_step * most);
    if (*over)
        return end_at_margin(f, s, which, error);
    carom_status status = carom_orbit_place_advance(f, s->now, h, s->next, error);
    if (status < 0)
        return status;
    const bool found = status == CAROM_OK;
    if (!found || fmax(turn(f, s->now, s->next), stray(f, s->now, s->next)) > largest_turn) {
        s->h = 0.5 * h;
        *over = !(s->h > least_step * most);
        status = found ? refuse(f, s, error) : CAROM_OK;
        return *over && status == CAROM_OK ? end_before(f, s, found, error) : status;
    }
    s->elsewhere = false;
    const bool quick = f->corrections <= QUICK;
    status = carom_orbit_locate_bifurcations(f, s->now, h, s->next, s->spare, error);
    if (status == CAROM_OK && !carom_orbit_path_same(&s->now->path, &s->next->path))
        status = carom_orbit_locate_change(f, s->now, h, s->next, s->spare, error);
    if (status != CAROM_OK)
        return status;
    *over = !carom_orbit_locate_within(f, s->next->p);
    return *over ? end_outside(f, s, error) : accept(f, s, h, quick, error);
}

/* The first point, from the orbit given. */
static carom_status begin(follower *f, const carom_orbit *start, walk *s, carom_error *error)
{
    place *x = s->now;
    x->t0 = start->t;
    memcpy(x->x0, start->q, sizeof(double) * (size_t)f->n);
    memcpy(x->x0 + f->n, start->u, sizeof(double) * (size_t)f->n);
    carom_status status = carom_orbit_place_at(f, f->branch->from, f->straight, x, error);
    if (status == CAROM_OK && f->branch->point)
        status = f->branch->point(f->branch->self, x->p, &x->orbit, error);
    s->h = first_step * (f->branch->step > 0 ? f->branch->step : 0.02);
    s->count = 1;
    return status;
}

/* Sizes of the unknowns, and what is closed at the start. */
static carom_status prepare(follower *f, const carom_orbit *start, carom_arena *arena,
                            carom_error *error)
{
    carom_orbit_problem problem;
    carom_orbit_newton w = {0};
    carom_status status = f->family->at(f->family->self, f->branch->from, &problem, error);
    if (status == CAROM_OK)
        status = carom_orbit_newton_create(&w, &problem, arena, error);
    if (status == CAROM_OK) {
        carom_orbit_map *m = &w.map;
        m->t0 = start->t;
        memcpy(m->x0, start->q, sizeof(double) * (size_t)m->n);
        memcpy(m->x0 + m->n, start->u, sizeof(double) * (size_t)m->n);
        status = carom_orbit_newton_check(&w, error);
        if (status == CAROM_OK)
            status = carom_orbit_map_count(m, error);
        f->n = m->n;
        f->size = w.size;
        f->points = m->points;
        f->mode = m->mode;
        f->unknown = m->unknown;
        f->periods = problem.period > 0 ? round(start->t / problem.period) : 0;
    }
    const size_t K = (size_t)f->size + 1;
    double *d = status == CAROM_OK ? carom_arena_zeros(arena, K * K + 3 * K, sizeof(double)) : NULL;
    f->pivot = carom_arena_array(arena, K, sizeof(int));
    if (status == CAROM_OK && (!d || !f->pivot))
        status = carom_error_memory(error);
    if (status == CAROM_OK) {
        f->M = d;
        f->rhs = d + K * K;
        f->straight = d + K * K + K;
        f->straight[K - 1] = f->branch->to >= f->branch->from ? 1 : -1;
        f->scale = d + K * K + 2 * K;
        measure(f, w.map.x0, problem.period, start->period, f->scale);
        for (size_t c = 0; c + 1 < K; c++)
            f->scale[c] = f->scale[c] > 0 ? f->scale[c] : 1;
        f->scale[K - 1] = fabs(f->branch->to - f->branch->from);
    }
    carom_arena_destroy(w.work);
    return status;
}

carom_status carom_orbit_follow(const carom_orbit_family *family, const carom_orbit *start,
                                const carom_orbit_branch *branch, carom_arena *arena,
                                carom_error *error)
{
    CAROM_NEED(error, family, start, start->q, start->u, branch, arena);
    follower f = {.family = family, .branch = branch};
    walk s = {0};
    bool over = false;
    if (!(branch->from != branch->to))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the parameter does not vary");
    carom_status status = carom_arena_create(carom_arena_allocator(arena), &f.scratch, error);
    if (status == CAROM_OK)
        status = prepare(&f, start, arena, error);
    for (int i = 0; i < 5 && status == CAROM_OK; i++)
        status = carom_orbit_place_create(&f, arena, &s.places[i], error);
    s.older = &s.places[0];
    s.before = &s.places[1];
    s.now = &s.places[2];
    s.next = &s.places[3];
    s.spare = &s.places[4];
    if (status == CAROM_OK)
        status = begin(&f, start, &s, error);
    const int most = branch->most > 0 ? branch->most : MOST;
    while (status == CAROM_OK && !over && s.count < most)
        status = step(&f, &s, &over, error);
    if (status == CAROM_OK && !over)
        status = end_branch(&f, &s, "so many points were asked for", error);
    for (int i = 0; i < 5; i++)
        carom_arena_destroy(s.places[i].arena);
    carom_arena_destroy(f.scratch);
    return status;
}
