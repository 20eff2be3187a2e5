/* Branches of periodic motions by pseudo-arclength, with what happens on them
 * (docs/theory/orbits.md, "Branches"). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/lu.h"
#include "orbit/orbit_clearance.h"

/* Residuals of points, and how sharply events are located, as a part of the branch. */
static const double converged = 1e-12, located = 1e-13;

/* Steps: first, least, and the largest turn of the tangent in one. */
static const double first_step = 0.2, least_step = 1e-7, largest_turn = 0.3;

/* Near a grazing, points keep this part of the distance to it, until it is this part of the gap. */
static const double caution = 0.7, touches = 1e-9;

enum { CORRECTIONS = 14, QUICK = 4, LOCATIONS = 60, MOST = 1000, TESTS = 3 };

/* A point of the branch: unknowns of the start, its tangent, its tests. */
typedef struct place {
    double p, t0;
    double *x0;      /* 2n */
    double *V;       /* 2n x (k + 1) */
    double *tangent; /* k + 1, scaled; the parameter last */
    double *bend;    /* k + 1: how the tangent turned on the way here, per length */
    double test[TESTS];
    bool pair; /* the third test is of a pair of complex multipliers */
    int segments;
    int *signature; /* SIGNATURE: what happens on the orbit, in order */
    carom_orbit_clearance clearance;
    carom_orbit orbit; /* as told */
    carom_arena *arena;
} place;

enum { SIGNATURE = 64 };

typedef struct follower {
    const carom_orbit_family *family;
    const carom_orbit_branch *branch;
    int n, size, points;
    const unsigned char *mode;
    const int *unknown; /* size: number in (q, u, t) */
    double *scale;      /* size + 1 */
    double periods;     /* of the section at times: t0/period */
    double *M, *rhs;    /* (k + 1)^2, k + 1 */
    int *pivot;
    carom_arena *scratch;
    int corrections;
    char message[400];
} follower;

const char *carom_orbit_event_text(carom_orbit_event_kind kind)
{
    static const char *const texts[] = {
        "fold", "period-doubling", "neimark-sacker", "grazing", "mode", "coincidence", "end"};
    return (unsigned)kind < sizeof texts / sizeof *texts ? texts[kind] : "unknown";
}

static carom_status create_place(const follower *f, carom_arena *arena, place *x,
                                 carom_error *error)
{
    const size_t n2 = 2 * (size_t)f->n, k = (size_t)f->size + 1;
    memset(x, 0, sizeof *x);
    double *d = carom_arena_zeros(arena, n2 + n2 * k + 2 * k, sizeof(double));
    x->signature = carom_arena_zeros(arena, SIGNATURE, sizeof(int));
    carom_status status = carom_arena_create(carom_arena_allocator(arena), &x->arena, error);
    if (!d || !x->signature)
        return carom_error_memory(error);
    x->x0 = d;
    x->V = d + n2;
    x->tangent = d + n2 + n2 * k;
    x->bend = x->tangent + k;
    return status;
}

static void copy_place(const follower *f, place *to, const place *from)
{
    const size_t n2 = 2 * (size_t)f->n, k = (size_t)f->size + 1;
    to->p = from->p;
    to->t0 = from->t0;
    memcpy(to->x0, from->x0, n2 * sizeof(double));
    memcpy(to->V, from->V, n2 * k * sizeof(double));
    memcpy(to->tangent, from->tangent, k * sizeof(double));
}

/* Move the unknowns by `length` along a scaled direction. */
static void move_place(const follower *f, place *x, const double *direction, double length)
{
    const size_t n2 = 2 * (size_t)f->n, k = (size_t)f->size;
    for (size_t c = 0; c <= k; c++) {
        const double d = length * direction[c] * f->scale[c];
        for (size_t i = 0; i < n2; i++)
            x->x0[i] += d * x->V[i + c * n2];
        if (c == k)
            x->p += d;
        else if (f->unknown[c] == 2 * f->n)
            x->t0 += d;
    }
}

/* The equation at a place: problem, start on its contacts, image, residual. */
static carom_status evaluate(follower *f, place *x, carom_orbit_newton *w, carom_error *error)
{
    carom_orbit_problem problem;
    carom_orbit_map *m = &w->map;
    carom_status status = f->family->at(f->family->self, x->p, &problem, error);
    if (status != CAROM_OK)
        return status;
    carom_arena_reset(f->scratch);
    status = carom_orbit_newton_create(w, &problem, f->scratch, error);
    if (status != CAROM_OK)
        return status;
    m->points = f->points;
    m->span = problem.periods * problem.period;
    m->t0 = m->timed || !(problem.period > 0) ? x->t0 : f->periods * problem.period;
    memcpy(m->mode, f->mode, (size_t)m->shape->p);
    memcpy(m->x0, x->x0, 2 * (size_t)f->n * sizeof(double));
    carom_orbit_newton_compose(w);
    status = carom_orbit_start_project(m, error);
    if (status == CAROM_OK)
        status = carom_orbit_map_apply(m, error);
    if (status == CAROM_OK)
        carom_orbit_newton_assemble(w);
    else if (status > 0)
        memcpy(f->message, m->message, sizeof f->message);
    x->t0 = m->t0;
    memcpy(x->x0, m->x0, 2 * (size_t)f->n * sizeof(double));
    memcpy(x->V, m->V, 2 * (size_t)f->n * (size_t)(f->size + 1) * sizeof(double));
    return status;
}

/* [J r_p; tangent'] d = (rhs, last), scaled; into f->rhs. False: singular. */
static bool solve(follower *f, const carom_orbit_newton *w, const double *border, double last)
{
    const size_t k = (size_t)f->size, K = k + 1;
    for (size_t c = 0; c < K; c++) {
        for (size_t a = 0; a < k; a++)
            f->M[a + c * K] =
                (c == k ? w->slope[a] : w->A[a + c * k] - (a == c)) * f->scale[c] / f->scale[a];
        f->M[k + c * K] = border[c];
    }
    f->rhs[k] = last;
    if (carom_lu_factor((int)K, f->M, (int)K, f->pivot, 4 * DBL_EPSILON) != 0)
        return false;
    carom_lu_solve((int)K, f->M, (int)K, f->pivot, f->rhs);
    return true;
}

/* The tangent at a converged place, pointing as `along` does. */
static bool find_tangent(follower *f, const carom_orbit_newton *w, const double *along, double *out)
{
    const size_t K = (size_t)f->size + 1;
    double norm = 0;
    memset(f->rhs, 0, K * sizeof(double));
    if (!solve(f, w, along, 1))
        return false;
    for (size_t c = 0; c < K; c++)
        norm += f->rhs[c] * f->rhs[c];
    norm = sqrt(norm);
    for (size_t c = 0; c < K; c++)
        out[c] = f->rhs[c] / norm;
    return norm > 0;
}

/* Newton at right angles to the direction. CAROM_STOPPED: no convergence. */
static carom_status correct(follower *f, place *x, const double *border, carom_orbit_newton *w,
                            carom_error *error)
{
    const size_t k = (size_t)f->size;
    double before = INFINITY;
    for (f->corrections = 0; f->corrections < CORRECTIONS; f->corrections++) {
        carom_status status = evaluate(f, x, w, error);
        if (status != CAROM_OK)
            return status;
        if (w->norm <= converged || (w->norm <= 1e3 * converged && w->norm > 0.2 * before))
            return CAROM_OK;
        if (f->corrections > 3 && !(w->norm < before))
            break;
        before = w->norm;
        for (size_t a = 0; a < k; a++)
            f->rhs[a] = -w->r[a] / f->scale[a];
        if (!solve(f, w, border, 0))
            break;
        move_place(f, x, f->rhs, 1);
        carom_arena_destroy(w->work);
        w->work = NULL;
    }
    snprintf(f->message, sizeof f->message, "Newton's method does not converge: residual %.3g",
             w->norm);
    return CAROM_STOPPED;
}

/* Tests of bifurcations: the tangent's parameter, det(A + I), modulus of pairs. */
static void find_tests(follower *f, place *x)
{
    const carom_orbit *o = &x->orbit;
    double doubling = 1, nearest = INFINITY;
    x->pair = false;
    x->test[2] = 1;
    for (int i = 0; i < o->multiplier_count; i++) {
        if (o->im[i] == 0) {
            doubling *= o->re[i] + 1;
            continue;
        }
        doubling *= hypot(o->re[i] + 1, o->im[i]);
        const double off = hypot(o->re[i], o->im[i]) - 1;
        if (fabs(off) < nearest) {
            nearest = fabs(off);
            x->test[2] = off;
            x->pair = true;
        }
    }
    x->test[0] = x->tangent[f->size];
    x->test[1] = doubling;
}

/* What happens on the orbit, as numbers to compare. */
static void find_signature(place *x)
{
    const carom_orbit *o = &x->orbit;
    x->segments = o->segment_count;
    for (int i = 0; i < o->segment_count && i < SIGNATURE; i++)
        x->signature[i] =
            o->segments[i].event >= 0 ? 1000 + o->segments[i].event : o->segments[i].contact;
}

static bool same_signature(const place *a, const place *b)
{
    const int count = a->segments < SIGNATURE ? a->segments : SIGNATURE;
    return a->segments == b->segments &&
           memcmp(a->signature, b->signature, (size_t)count * sizeof(int)) == 0;
}

/* A corrected place becomes a point: orbit, tangent, tests, clearance. */
static carom_status complete(follower *f, place *x, const double *along, carom_orbit_newton *w,
                             carom_error *error)
{
    carom_arena_reset(x->arena);
    x->orbit = (carom_orbit){0};
    x->orbit.q = carom_arena_zeros(x->arena, 2 * (size_t)f->n, sizeof(double));
    if (!x->orbit.q)
        return carom_error_memory(error);
    x->orbit.u = x->orbit.q + f->n;
    carom_status status = carom_orbit_newton_fill(w, &x->orbit, x->arena, error);
    carom_orbit_segment *kept =
        carom_arena_array(x->arena, (size_t)x->orbit.segment_count + 1, sizeof *kept);
    if (!kept)
        return carom_error_memory(error);
    memcpy(kept, x->orbit.segments, (size_t)x->orbit.segment_count * sizeof *kept);
    x->orbit.segments = kept;
    if (status == CAROM_OK)
        status = carom_orbit_newton_multipliers(w, &x->orbit, x->arena, error);
    if (status != CAROM_OK)
        return status;
    x->orbit.found = true;
    if (!find_tangent(f, w, along, x->tangent)) {
        snprintf(f->message, sizeof f->message, "the branch has no tangent: branches cross");
        return CAROM_STOPPED;
    }
    find_tests(f, x);
    find_signature(x);
    return carom_orbit_clearance_find(w, &x->clearance, error);
}

/* From `base` by `length` along its tangent to the point x. */
static carom_status advance(follower *f, const place *base, double length, place *x,
                            carom_error *error)
{
    carom_orbit_newton w = {0};
    copy_place(f, x, base);
    move_place(f, x, base->tangent, length);
    move_place(f, x, base->bend, 0.5 * length * length);
    carom_status status = correct(f, x, base->tangent, &w, error);
    if (status == CAROM_OK)
        status = complete(f, x, base->tangent, &w, error);
    carom_arena_destroy(w.work);
    if (status == CAROM_ERROR_NUMERIC || status == CAROM_ERROR_INPUT) {
        snprintf(f->message, sizeof f->message, "%.390s", error ? error->text : "");
        status = CAROM_STOPPED;
    }
    return status;
}

/* The point on the way from `base` where a test is zero, its values there and at `length` of
 * different signs: Illinois' method on the length. */
static carom_status locate(follower *f, const place *base, double length, double at_end, int test,
                           place *x, carom_error *error)
{
    double a = 0, fa = base->test[test], b = length, fb = at_end, last = 0;
    for (int i = 0; i < LOCATIONS; i++) {
        double s = (a * fb - b * fa) / (fb - fa);
        if (!(s > fmin(a, b) && s < fmax(a, b)))
            s = 0.5 * (a + b);
        carom_status status = advance(f, base, s, x, error);
        if (status != CAROM_OK)
            return status;
        const double y = x->test[test];
        if (y == 0 || fabs(b - a) <= located || fabs(s - last) <= 0.01 * located)
            return CAROM_OK;
        last = s;
        if ((y > 0) == (fb > 0)) {
            b = s;
            fb = y;
            fa *= 0.5;
        } else {
            a = s;
            fa = y;
            fb *= 0.5;
        }
        if ((y > 0) == (fb > 0) && b == s)
            continue;
    }
    return CAROM_OK;
}

static carom_status tell_event(follower *f, carom_orbit_event_kind kind, const place *x,
                               const char *message, carom_error *error)
{
    const carom_orbit_branch *b = f->branch;
    return b->event ? b->event(b->self, kind, x->p, &x->orbit, message, error) : CAROM_OK;
}

static bool within(const follower *f, double p)
{
    const double a = fmin(f->branch->from, f->branch->to), b = fmax(f->branch->from, f->branch->to);
    return p >= a && p <= b;
}

/* Bifurcations between two neighbouring points, located and told. */
static carom_status find_events(follower *f, const place *base, double length, const place *next,
                                place *spare, carom_error *error)
{
    static const carom_orbit_event_kind kinds[TESTS] = {
        CAROM_ORBIT_FOLD, CAROM_ORBIT_PERIOD_DOUBLING, CAROM_ORBIT_NEIMARK_SACKER};
    for (int k = 0; k < TESTS; k++) {
        const bool crossed = (base->test[k] > 0) != (next->test[k] > 0);
        if (!crossed || (k == 2 && !(base->pair && next->pair)))
            continue;
        carom_status status = locate(f, base, length, next->test[k], k, spare, error);
        if (status == CAROM_OK && within(f, spare->p))
            status = tell_event(f, kinds[k], spare, NULL, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* The least gap falls: where it would be zero, from the last two points, INFINITY: nowhere ahead.
 */
static double distance_to_grazing(const place *before, const place *now, double length)
{
    const double a = before->clearance.gap, b = now->clearance.gap;
    if (!(a < INFINITY) || !(b < a) || before->clearance.contact != now->clearance.contact)
        return INFINITY;
    return length * b / (a - b);
}

/* The point at which the parameter is exactly `to`. */
static carom_status arrive(follower *f, const place *base, place *x, carom_error *error)
{
    carom_orbit_newton w = {0};
    double *straight = f->rhs + f->size + 1; /* k + 1: the parameter stays */
    memset(straight, 0, sizeof(double) * (size_t)(f->size + 1));
    straight[f->size] = 1;
    const double part = (f->branch->to - base->p) / (base->tangent[f->size] * f->scale[f->size]);
    copy_place(f, x, base);
    move_place(f, x, base->tangent, part);
    x->p = f->branch->to;
    carom_status status = correct(f, x, straight, &w, error);
    x->p = f->branch->to;
    if (status == CAROM_OK)
        status = complete(f, x, base->tangent, &w, error);
    carom_arena_destroy(w.work);
    return status;
}

/* What changes between two orbits whose events differ. */
static carom_orbit_event_kind name_change(const place *a, const place *b)
{
    int impacts[2] = {0, 0};
    const place *const both[2] = {a, b};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < both[s]->segments && i < SIGNATURE; i++)
            impacts[s] += both[s]->signature[i] < 1000;
    return impacts[0] != impacts[1]     ? CAROM_ORBIT_GRAZING
           : a->segments == b->segments ? CAROM_ORBIT_COINCIDENCE
                                        : CAROM_ORBIT_MODE;
}

/* Halve the way between two points with different events until it is found where they change. */
static carom_status locate_change(follower *f, const place *base, double length, const place *next,
                                  place *spare, carom_error *error)
{
    double a = 0, b = length;
    const carom_orbit_event_kind kind = name_change(base, next);
    while (b - a > located) {
        const double s = 0.5 * (a + b);
        if (s == a || s == b)
            break;
        carom_status status = advance(f, base, s, spare, error);
        if (status < 0)
            return status;
        if (status == CAROM_OK && same_signature(base, spare))
            a = s;
        else
            b = s;
    }
    carom_status status = advance(f, base, a, spare, error);
    return status == CAROM_OK ? tell_event(f, kind, spare, NULL, error) : status;
}

/* Beyond the last point by `part` of the last step, on a straight line: near enough to a grazing
 * that is a millionth of a step away. */
static void extrapolate(const follower *f, const place *before, place *now, double part)
{
    now->p += part * (now->p - before->p);
    for (int i = 0; i < f->n; i++) {
        now->orbit.q[i] += part * (now->orbit.q[i] - before->orbit.q[i]);
        now->orbit.u[i] += part * (now->orbit.u[i] - before->orbit.u[i]);
    }
    now->orbit.t += part * (now->orbit.t - before->orbit.t);
    now->orbit.period += part * (now->orbit.period - before->orbit.period);
}

typedef struct walk {
    place places[4]; /* before, now, next, spare */
    place *before, *now, *next, *spare;
    double h, length; /* step to try, and the last one */
    int count;
    bool grazing;
} walk;

static void rotate(walk *s)
{
    place *old = s->before;
    s->before = s->now;
    s->now = s->next;
    s->next = old;
}

/* The branch ends here. */
static carom_status end_branch(follower *f, walk *s, const char *why, carom_error *error)
{
    return tell_event(f, CAROM_ORBIT_END, s->now, why, error);
}

static double turn(const follower *f, const place *a, const place *b)
{
    double dot = 0;
    for (int c = 0; c <= f->size; c++)
        dot += a->tangent[c] * b->tangent[c];
    return acos(fmin(1, fmax(-1, dot)));
}

/* One step along the branch; *over: it has ended and was told. */
static carom_status step(follower *f, walk *s, bool *over, carom_error *error)
{
    const double most = f->branch->step > 0 ? f->branch->step : 0.02;
    const double wall = s->count > 1 ? distance_to_grazing(s->before, s->now, s->length) : INFINITY;
    double h = fmin(s->h, most);
    char text[480];
    s->grazing = wall < INFINITY && caution * wall < h;
    if (s->grazing)
        h = caution * wall;
    if (s->grazing &&
        (s->now->clearance.gap <= touches * s->now->clearance.size || h <= least_step * most)) {
        char number[16];
        carom_orbit_problem problem;
        *over = true;
        carom_status status = f->family->at(f->family->self, s->now->p, &problem, error);
        if (status != CAROM_OK)
            return status;
        const carom_system_shape *shape = carom_system_get_shape(problem.system);
        snprintf(text, sizeof text, "contact %s is grazed",
                 carom_contact_name(shape->contacts, s->now->clearance.contact, number));
        extrapolate(f, s->before, s->now, wall / s->length);
        status = tell_event(f, CAROM_ORBIT_GRAZING, s->now, text, error);
        return status == CAROM_OK ? end_branch(f, s, text, error) : status;
    }
    carom_status status = advance(f, s->now, h, s->next, error);
    if (status < 0)
        return status;
    if (status != CAROM_OK || turn(f, s->now, s->next) > largest_turn) {
        s->h = 0.5 * h;
        if (s->h > least_step * most)
            return CAROM_OK;
        snprintf(text, sizeof text, "%.400s",
                 status != CAROM_OK ? f->message : "the branch turns sharply");
        *over = true;
        return end_branch(f, s, text, error);
    }
    const bool quick = f->corrections <= QUICK;
    status = find_events(f, s->now, h, s->next, s->spare, error);
    if (status == CAROM_OK && !same_signature(s->now, s->next))
        status = locate_change(f, s->now, h, s->next, s->spare, error);
    if (status != CAROM_OK)
        return status;
    if (!within(f, s->next->p)) {
        const bool ahead = (s->next->p - f->branch->from) * (f->branch->to - f->branch->from) > 0;
        *over = true;
        if (ahead) {
            status = arrive(f, s->now, s->next, error);
            if (status != CAROM_OK)
                return status;
            rotate(s);
            if (f->branch->point)
                status = f->branch->point(f->branch->self, s->now->p, &s->now->orbit, error);
        }
        return status == CAROM_OK ? end_branch(f, s,
                                               ahead ? "the parameter reached its end"
                                                     : "the parameter is back at its start",
                                               error)
                                  : status;
    }
    for (int c = 0; c <= f->size; c++)
        s->next->bend[c] = (s->next->tangent[c] - s->now->tangent[c]) / h;
    s->length = h;
    s->h = quick ? 1.4 * h : f->corrections > 2 * QUICK ? 0.6 * h : h;
    rotate(s);
    s->count++;
    return f->branch->point ? f->branch->point(f->branch->self, s->now->p, &s->now->orbit, error)
                            : CAROM_OK;
}

/* The first point, from the orbit given. */
static carom_status begin(follower *f, const carom_orbit *start, walk *s, carom_error *error)
{
    carom_orbit_newton w = {0};
    const size_t K = (size_t)f->size + 1;
    place *x = s->now;
    double *straight = f->rhs + K;
    memset(straight, 0, K * sizeof(double));
    straight[K - 1] = f->branch->to >= f->branch->from ? 1 : -1;
    x->p = f->branch->from;
    x->t0 = start->t;
    memcpy(x->x0, start->q, sizeof(double) * (size_t)f->n);
    memcpy(x->x0 + f->n, start->u, sizeof(double) * (size_t)f->n);
    carom_status status = correct(f, x, straight, &w, error);
    x->p = f->branch->from;
    if (status == CAROM_OK)
        status = complete(f, x, straight, &w, error);
    carom_arena_destroy(w.work);
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
        double size[2] = {0, 0};
        f->M = d;
        f->rhs = d + K * K;
        f->scale = d + K * K + 2 * K;
        for (int i = 0; i < 2 * f->n; i++)
            size[i / f->n] = fmax(size[i / f->n], fabs(w.map.x0[i]));
        size[0] = fmax(size[0], start->period * size[1]);
        for (size_t c = 0; c + 1 < K; c++) {
            const int i = w.map.unknown[c];
            f->scale[c] = i == 2 * f->n ? problem.period : size[i / f->n] > 0 ? size[i / f->n] : 1;
        }
        f->scale[K - 1] = fabs(f->branch->to - f->branch->from);
    }
    carom_arena_destroy(w.work);
    return status;
}

carom_status carom_orbit_follow(const carom_orbit_family *family, const carom_orbit *start,
                                const carom_orbit_branch *branch, carom_arena *arena,
                                carom_error *error)
{
    follower f = {.family = family, .branch = branch};
    walk s = {0};
    bool over = false;
    if (!(branch->from != branch->to))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the parameter does not vary");
    carom_status status = carom_arena_create(carom_arena_allocator(arena), &f.scratch, error);
    if (status == CAROM_OK)
        status = prepare(&f, start, arena, error);
    for (int i = 0; i < 4 && status == CAROM_OK; i++)
        status = create_place(&f, arena, &s.places[i], error);
    s.before = &s.places[0];
    s.now = &s.places[1];
    s.next = &s.places[2];
    s.spare = &s.places[3];
    if (status == CAROM_OK)
        status = begin(&f, start, &s, error);
    const int most = branch->most > 0 ? branch->most : MOST;
    while (status == CAROM_OK && !over && s.count < most)
        status = step(&f, &s, &over, error);
    if (status == CAROM_OK && !over)
        status = end_branch(&f, &s, "so many points were asked for", error);
    for (int i = 0; i < 4; i++)
        carom_arena_destroy(s.places[i].arena);
    carom_arena_destroy(f.scratch);
    return status;
}
