/* The equation of periodic motions, residual P(z) - z = 0 of a return map, and what follows from
 * its derivative: Newton's step, multipliers (docs/theory/orbits.md). */
#include "orbit/orbit_newton.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/lu.h"
#include "linalg/spectrum.h"

typedef carom_orbit_newton newton;

/* Orbits are asked for to twelve digits: the motion is computed to that. */
static const double sharp = 1e-12;

static carom_status check(const carom_orbit_problem *p, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(p->system);
    if (p->contact >= shape->p || p->event >= shape->event_count)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the section does not exist");
    if (p->contact < 0 && p->event < 0 && !(p->period > 0))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "there is neither a `section` nor a `period`");
    if (p->periods < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%d periods; at least 1", p->periods);
    if (!(p->horizon > 0))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the longest time to a section point is %g, it must be positive",
                               p->horizon);
    return CAROM_OK;
}

/* Without a period the equations must not depend on time. */
carom_status carom_orbit_newton_check(carom_orbit_newton *w, carom_error *error)
{
    const carom_orbit_problem *p = w->map.problem;
    carom_orbit_map *m = &w->map;
    if (p->period > 0)
        return CAROM_OK;
    const double one = 1;
    const carom_directions along = {.k = 1, .t = &one};
    const size_t n = (size_t)m->n, c = (size_t)m->shape->p;
    carom_arena_reset(w->work);
    double *x = carom_arena_zeros(w->work, n + c + 1, sizeof(double)), sum = 0;
    if (!x)
        return carom_error_memory(error);
    carom_tangents t = {.h = x, .g = x + n};
    m->state.t = m->t0;
    memcpy(m->state.q, m->x0, n * sizeof(double));
    memcpy(m->state.u, m->x0 + n, n * sizeof(double));
    carom_status status = carom_system_differentiate(p->system, CAROM_WANT_FORCES | CAROM_WANT_GAPS,
                                                     &m->state, &along, error);
    if (status != CAROM_OK)
        return status;
    carom_system_tangents(p->system, &t);
    for (size_t i = 0; i < n + c; i++)
        sum += fabs(x[i]);
    return sum == 0 ? CAROM_OK
                    : carom_error_set(error, CAROM_ERROR_INPUT,
                                      "forces or gaps depend on t, but there is no `period`: "
                                      "motions cannot return");
}

carom_status carom_orbit_newton_create(carom_orbit_newton *w, const carom_orbit_problem *problem,
                                       carom_arena *arena, carom_error *error)
{
    memset(w, 0, sizeof *w);
    w->problem = *problem;
    w->problem.options.tolerance = fmin(problem->options.tolerance, sharp);
    carom_status status = check(problem, error);
    if (status == CAROM_OK)
        status = carom_arena_create(carom_arena_allocator(arena), &w->work, error);
    if (status == CAROM_OK)
        status = carom_orbit_map_create(&w->problem, arena, w->work, &w->map, error);
    if (status != CAROM_OK)
        return status;
    const size_t k = (size_t)w->map.size, all = 2 * (size_t)w->map.n + 1;
    double *d = carom_arena_zeros(arena, 2 * k * k + 3 * k + all, sizeof(double));
    w->image = carom_arena_array(arena, all + k, sizeof(int));
    if (!d || !w->image)
        return carom_error_memory(error);
    w->size = w->map.size;
    w->pivot = w->image + all;
    w->r = d;
    w->A = d += k;
    w->slope = d += k * k;
    w->LU = d += k;
    w->move = d += k * k;
    w->best = d + k;
    return CAROM_OK;
}

/* The symmetry, once for each section point (or period). */
void carom_orbit_newton_compose(carom_orbit_newton *w)
{
    const carom_orbit_map *m = &w->map;
    const int times = m->points > 0 ? m->points : m->problem->periods;
    for (int i = 0; i < m->n; i++) {
        int j = i;
        for (int k = 0; k < times; k++)
            j = m->image[j];
        w->image[i] = j;
        w->image[m->n + i] = m->n + j;
    }
    w->image[2 * m->n] = 2 * m->n;
}

/* Residual and derivatives from the image just computed. */
void carom_orbit_newton_assemble(carom_orbit_newton *w)
{
    const carom_orbit_map *m = &w->map;
    const carom_orbit_problem *p = m->problem;
    const size_t n = (size_t)m->n, k = (size_t)w->size;
    double scale[3] = {0, 0, 0};
    for (size_t i = 0; i < 2 * n; i++)
        scale[i / n] = fmax(scale[i / n], fmax(fabs(m->x0[i]), fabs(m->x1[i])));
    /* a coordinate that is zero on the section has the size of its way */
    const double duration = fabs(m->t1 - m->t0);
    scale[0] = fmax(scale[0], duration * scale[1]);
    scale[1] = fmax(scale[1], duration > 0 ? scale[0] / duration : 0);
    scale[2] = fmax(p->period, duration);
    w->norm = 0;
    for (size_t a = 0; a < k; a++) {
        const size_t j = (size_t)m->unknown[a];
        size_t i = 0;
        while ((size_t)w->image[i] != j)
            i++;
        w->r[a] = j == 2 * n ? m->t1 - m->t0 - p->periods * p->period : m->x1[i] - m->x0[j];
        for (size_t c = 0; c < k; c++)
            w->A[a + c * k] = j == 2 * n ? m->dt[c] : m->D[i + c * 2 * n];
        w->slope[a] = j == 2 * n ? m->dt[k] - p->periods * p->period_change
                                 : m->D[i + k * 2 * n] - m->V[j + k * 2 * n];
        const double size = scale[j == 2 * n ? 2 : j / n];
        w->norm = fmax(w->norm, size > 0 ? fabs(w->r[a]) / size : 0);
    }
}

/* (A - I) dz = -r; false: singular, a fold of orbits. */
bool carom_orbit_newton_step(carom_orbit_newton *w)
{
    const size_t k = (size_t)w->size;
    memcpy(w->LU, w->A, k * k * sizeof(double));
    for (size_t a = 0; a < k; a++) {
        w->LU[a + a * k] -= 1;
        w->move[a] = -w->r[a];
    }
    if (carom_lu_factor(w->size, w->LU, w->size, w->pivot, 4 * DBL_EPSILON) != 0)
        return false;
    carom_lu_solve(w->size, w->LU, w->size, w->pivot, w->move);
    return true;
}

/* Eigenvalues of the return map, the largest first; on a section less the one of the flow, 0. */
carom_status carom_orbit_newton_multipliers(carom_orbit_newton *w, carom_orbit *orbit,
                                            carom_arena *arena, carom_error *error)
{
    const int k = w->size;
    const bool section = w->map.problem->contact >= 0 || w->map.problem->event >= 0;
    orbit->re = carom_arena_zeros(arena, 2 * (size_t)k + 1, sizeof(double));
    if (!orbit->re)
        return carom_error_memory(error);
    orbit->im = orbit->re + k;
    memcpy(w->LU, w->A, sizeof(double) * (size_t)k * (size_t)k);
    if (!carom_spectrum_general(k, w->LU, w->move, orbit->re, orbit->im))
        return carom_error_set(error, CAROM_ERROR_NUMERIC, "the multipliers cannot be computed");
    for (int i = 1; i < k; i++) { /* a stable order: pairs stay together */
        const double re = orbit->re[i], im = orbit->im[i];
        int j = i;
        for (; j > 0 &&
               hypot(orbit->re[j - 1], orbit->im[j - 1]) < hypot(re, im) * (1 - 4 * DBL_EPSILON);
             j--) {
            orbit->re[j] = orbit->re[j - 1];
            orbit->im[j] = orbit->im[j - 1];
        }
        orbit->re[j] = re;
        orbit->im[j] = im;
    }
    orbit->multiplier_count = k - section;
    orbit->stable = k - section <= 0 || hypot(orbit->re[0], orbit->im[0]) < 1;
    return CAROM_OK;
}

/* What the map knows of the orbit, into the answer. */
carom_status carom_orbit_newton_fill(carom_orbit_newton *w, carom_orbit *orbit, carom_arena *arena,
                                     carom_error *error)
{
    const carom_orbit_map *m = &w->map;
    const size_t n = (size_t)m->n, k = (size_t)w->size;
    double *d = carom_arena_doubles(arena, k * k + 2 * k);
    if (!d)
        return carom_error_memory(error);
    orbit->t = m->t0;
    memcpy(orbit->q, m->x0, n * sizeof(double));
    memcpy(orbit->u, m->x0 + n, n * sizeof(double));
    orbit->period =
        m->points > 0 && !m->timed ? m->t1 - m->t0 : m->problem->periods * m->problem->period;
    orbit->points = m->points;
    orbit->residual = w->norm;
    orbit->segment_count = m->segment_count;
    orbit->segments = m->segments;
    orbit->size = w->size;
    orbit->z = d;
    orbit->slope = d + k;
    orbit->jacobian = d + 2 * k;
    for (size_t a = 0; a < k; a++)
        orbit->z[a] = (size_t)m->unknown[a] == 2 * n ? m->t0 : m->x0[m->unknown[a]];
    memcpy(orbit->slope, w->slope, k * sizeof(double));
    memcpy(orbit->jacobian, w->A, k * k * sizeof(double));
    for (size_t a = 0; a < k; a++)
        orbit->jacobian[a + a * k] -= 1;
    return CAROM_OK;
}
