/* A point of a branch: its equation, Newton's method at right angles to the tangent, and what is
 * known of it once it is found (docs/theory/orbits.md, "Branches"). */
#include "orbit/orbit_place.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

typedef carom_orbit_follower follower;
typedef carom_orbit_place place;

/* Residual of a point. */
static const double converged = CAROM_TOLERANCE_CARRIED;

/* What a step with predicted derivatives must gain. */
static const double gain = 0.01;

/* A predicted point is off by more than this: the first motion from there need not be sharper. */
static const double rough = 1e-9;

enum { CORRECTIONS = 14, APPROACHES = 2 };

carom_status carom_orbit_place_create(const follower *f, carom_arena *arena, place *x,
                                      carom_error *error)
{
    const size_t n2 = 2 * (size_t)f->n, k = (size_t)f->size + 1;
    memset(x, 0, sizeof *x);
    double *d = carom_arena_zeros(arena, n2 + n2 * k + 2 * k + 2 * k * k, sizeof(double));
    carom_status status = carom_arena_create(carom_arena_allocator(arena), &x->arena, error);
    if (!d)
        return carom_error_memory(error);
    x->x0 = d;
    x->V = d + n2;
    x->tangent = d + n2 + n2 * k;
    x->bend = x->tangent + k;
    x->A = x->bend + k;
    x->A_bend = x->A + k * k;
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

/* The equation at a place: problem, start on its contacts, image, residual; with its derivatives,
 * or with those that `guess` has (k x (k + 1)), of motions computed to `tolerance`, 0: as sharply
 * as orbits are. */
static carom_status evaluate(follower *f, place *x, const double *guess, double tolerance,
                             carom_orbit_newton *w, carom_error *error)
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
    w->problem.options.tolerance = fmax(w->problem.options.tolerance, tolerance);
    m->points = f->points;
    m->span = problem.periods * problem.period;
    m->t0 = m->timed || !(problem.period > 0) ? x->t0 : f->periods * problem.period;
    memcpy(m->mode, f->mode, (size_t)m->shape->p);
    memcpy(m->x0, x->x0, 2 * (size_t)f->n * sizeof(double));
    carom_orbit_newton_compose(w);
    status = carom_orbit_start_project(m, error);
    if (status == CAROM_OK)
        status = guess ? carom_orbit_map_move(m, error) : carom_orbit_map_apply(m, error);
    if (status == CAROM_OK)
        carom_orbit_newton_assemble(w);
    if (status == CAROM_OK && guess) {
        const size_t k = (size_t)f->size;
        memcpy(w->A, guess, k * k * sizeof(double));
        memcpy(w->slope, guess + k * k, k * sizeof(double));
    }
    if (status > 0)
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

/* One step of Newton's method at right angles to the border; false: singular. */
static bool improve(follower *f, place *x, const double *border, carom_orbit_newton *w)
{
    for (int a = 0; a < f->size; a++)
        f->rhs[a] = -w->r[a] / f->scale[a];
    if (!solve(f, w, border, 0))
        return false;
    move_place(f, x, f->rhs, 1);
    carom_arena_destroy(w->work);
    w->work = NULL;
    return true;
}

/* Steps with derivatives that the points before predict, as long as each gains two digits: a motion
 * without variations costs a part of one with them. */
static carom_status approach(follower *f, place *x, const double *border, const double *guess,
                             carom_orbit_newton *w, carom_error *error)
{
    double before = INFINITY;
    for (int i = 0; i < APPROACHES; i++) {
        carom_status status = evaluate(f, x, guess, i == 0 ? rough : 0, w, error);
        if (status != CAROM_OK)
            return status;
        if (w->norm <= converged || !(w->norm < gain * before) || !improve(f, x, border, w))
            break;
        before = w->norm;
    }
    carom_arena_destroy(w->work);
    w->work = NULL;
    return CAROM_OK;
}

/* Newton at right angles to the direction. CAROM_STOPPED: no convergence. */
static carom_status correct(follower *f, place *x, const double *border, carom_orbit_newton *w,
                            carom_error *error)
{
    double before = INFINITY;
    for (f->corrections = 0; f->corrections < CORRECTIONS; f->corrections++) {
        carom_status status = evaluate(f, x, NULL, 0, w, error);
        if (status != CAROM_OK)
            return status;
        if (w->norm <= converged || (w->norm <= 1000 * converged && w->norm > 0.2 * before))
            return CAROM_OK;
        if (f->corrections > 3 && !(w->norm < before))
            break;
        before = w->norm;
        if (!improve(f, x, border, w))
            break;
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
    x->path = *w->map.path;
    const size_t k = (size_t)f->size;
    memcpy(x->A, w->A, k * k * sizeof(double));
    memcpy(x->A + k * k, w->slope, k * sizeof(double));
    return carom_orbit_margin_find(w, x->margin, error);
}

/* From `base` by `length` along its tangent to the point x. */
carom_status carom_orbit_place_advance(follower *f, const place *base, double length, place *x,
                                       carom_error *error)
{
    carom_orbit_newton w = {0};
    copy_place(f, x, base);
    move_place(f, x, base->tangent, length);
    move_place(f, x, base->bend, 0.5 * length * length);
    carom_status status = CAROM_OK;
    if (base->predicts) {
        const size_t numbers = (size_t)f->size * (size_t)(f->size + 1);
        memcpy(x->A, base->A, numbers * sizeof(double));
        carom_dense_axpy((int)numbers, length, base->A_bend, x->A);
        status = approach(f, x, base->tangent, x->A, &w, error);
    }
    if (status == CAROM_OK)
        status = correct(f, x, base->tangent, &w, error);
    if (status == CAROM_OK)
        status = complete(f, x, base->tangent, &w, error);
    carom_arena_destroy(w.work);
    if (status == CAROM_ERROR_NUMERIC || status == CAROM_ERROR_INPUT) {
        snprintf(f->message, sizeof f->message, "%.390s", error ? error->text : "");
        status = CAROM_STOPPED;
    }
    return status;
}

void carom_orbit_place_bend(const follower *f, const place *before, double length, place *x)
{
    const int k = f->size;
    for (int c = 0; c <= k; c++)
        x->bend[c] = (x->tangent[c] - before->tangent[c]) / length;
    for (int i = 0; i < k * (k + 1); i++)
        x->A_bend[i] = (x->A[i] - before->A[i]) / length;
    x->predicts = carom_orbit_path_same(&before->path, &x->path);
}

carom_status carom_orbit_place_at(follower *f, double p, const double *along, place *x,
                                  carom_error *error)
{
    carom_orbit_newton w = {0};
    x->p = p;
    carom_status status = correct(f, x, f->straight, &w, error);
    x->p = p;
    if (status == CAROM_OK)
        status = complete(f, x, along, &w, error);
    carom_arena_destroy(w.work);
    return status;
}

carom_status carom_orbit_place_arrive(follower *f, const place *base, double p, place *x,
                                      carom_error *error)
{
    const double part = (p - base->p) / (base->tangent[f->size] * f->scale[f->size]);
    copy_place(f, x, base);
    move_place(f, x, base->tangent, part);
    return carom_orbit_place_at(f, p, base->tangent, x, error);
}
