/* How far velocities go in the set of admissible outcomes, with proof
 * (docs/theory/admissible-set.md, "Ranges"). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/admissible.h"
#include "carom/tolerance.h"
#include "cone/nnls.h"
#include "impact/polyhedron.h"
#include "linalg/dense.h"

/* Facets and the sphere pass through a point that is so near to them, in units of the radius. */
static const double TOUCHES = CAROM_TOLERANCE_SAME;

/* a'y over the polyhedron and the ball of this radius, in the span of T. */
typedef struct problem {
    carom_polyhedron p;
    double radius;
    double *a, *y, *columns, *s, *r; /* rank, rank, rank x (rows + 1), rows + 1, rank */
    carom_arena *arena;
    carom_error *error;
} problem;

static carom_status nearest(const problem *m, double t)
{
    return carom_polyhedron_nearest(&m->p, m->a, t, m->arena, m->y, m->error);
}

/* How far y(t) is beyond the ball. */
static carom_status excess(const problem *m, double t, double *beyond)
{
    carom_status status = nearest(m, t);
    const double size = carom_dense_norm(m->p.k, m->y);
    *beyond = (size - m->radius) * (size + m->radius);
    return status;
}

/* y of the radius, between two t; where even the largest stays inside, that one. |y(t)|^2 is made
 * of parabolas, so that secants converge fast; an end that stays is given half its weight
 * (Illinois). */
static carom_status find_point(const problem *m, double largest)
{
    double low = 0, high = largest, at_low, at_high, beyond;
    carom_status status = excess(m, high, &at_high);
    if (status || at_high <= 0)
        return status;
    status = excess(m, low, &at_low);
    for (int step = 0, side = 0; step < 200 && !status && high - low > DBL_EPSILON * high; step++) {
        const double secant = low - at_low * (high - low) / (at_high - at_low);
        const bool usable = secant > low && secant < high && step % 8 != 7;
        const double middle = usable ? secant : low + 0.5 * (high - low);
        if (!(middle > low && middle < high))
            break;
        status = excess(m, middle, &beyond);
        if (beyond <= 0) {
            at_high = side < 0 ? 0.5 * at_high : at_high;
            low = middle, at_low = beyond, side = -1;
        } else {
            at_low = side > 0 ? 0.5 * at_low : at_low;
            high = middle, at_high = beyond, side = 1;
        }
        if (beyond <= 0 && beyond >= -DBL_EPSILON * m->radius * m->radius)
            return status; /* on the sphere, and inside */
    }
    return status ? status : nearest(m, low);
}

/* A bound of a'c over all of the set from the multipliers of what passes through y. */
static carom_status prove(const problem *m, double *bound)
{
    const int k = m->p.k;
    const double size = carom_dense_norm(k, m->y);
    int count = 0, active[64];
    for (int j = 0; j < m->p.rows && count < 64; j++) {
        const double *row = m->p.row + (size_t)j * (size_t)k;
        if (carom_dense_dot(k, row, m->y) - m->p.bound[j] > TOUCHES * m->radius)
            continue;
        for (int l = 0; l < k; l++)
            m->columns[l + count * k] = -row[l];
        active[count++] = j;
    }
    const bool sphere = size > 0 && size >= m->radius * (1 - TOUCHES);
    for (int l = 0; l < k && sphere; l++)
        m->columns[l + count * k] = m->y[l] / size;
    carom_nnls_info info;
    carom_status status = carom_nnls_solve(k, count + sphere, m->columns, m->a, 0, m->arena, m->s,
                                           m->r, &info, m->error);
    double *rho = m->r; /* a + F mu */
    memcpy(rho, m->a, (size_t)k * sizeof *rho);
    *bound = 0;
    for (int j = 0; j < count && !status; j++) {
        carom_dense_axpy(k, -m->s[j], m->columns + (size_t)j * (size_t)k, rho);
        *bound -= m->s[j] * m->p.bound[active[j]];
    }
    *bound += m->radius * carom_dense_norm(k, rho);
    return status;
}

/* The largest a'y and its bound. The farther away the point that is projected, the fewer digits:
 * farther only as long as the proof asks for it. */
static carom_status maximise(const problem *m, double *value, double *bound)
{
    const double size = carom_dense_norm(m->p.k, m->a);
    *value = -INFINITY;
    *bound = INFINITY;
    if (m->p.k == 0 || size == 0) {
        *value = *bound = 0;
        return CAROM_OK;
    }
    for (double reach = 4; reach <= 1e9; reach *= 64) {
        double proved;
        carom_status status = find_point(m, reach * m->radius / size);
        if (!status)
            status = prove(m, &proved);
        if (status)
            return status;
        *value = fmax(*value, carom_dense_dot(m->p.k, m->a, m->y));
        *bound = fmin(*bound, proved);
        if (*bound - *value <= CAROM_TOLERANCE_CARRIED * size * m->radius)
            break;
    }
    return CAROM_OK;
}

static carom_status prepare(const carom_admissible *s, const double *weights, double radius,
                            problem *m)
{
    const int n = s->geometry->impact->n;
    const size_t k = (size_t)s->rank;
    carom_status status = carom_polyhedron_make(s, m->arena, &m->p, m->error);
    if (status)
        return status;
    const size_t rows = (size_t)m->p.rows;
    double *d = carom_arena_doubles(m->arena, 3 * k + (k + 1) * (rows + 1) + (size_t)s->k + 1);
    if (!d)
        return carom_error_memory(m->error);
    m->a = d;
    m->y = d + k;
    m->r = d + 2 * k;
    m->columns = d + 3 * k;
    m->s = m->columns + k * (rows + 1);
    double *inside = m->s + rows + 1;
    for (int l = 0; l < s->k; l++)
        inside[l] = carom_dense_dot(n, weights, s->basis + (size_t)l * (size_t)n);
    for (int l = 0; l < s->rank; l++)
        m->a[l] = carom_dense_dot(s->k, s->span + (size_t)l * (size_t)s->k, inside);
    m->radius = sqrt(fmax(0, (radius - s->offset) * (radius + s->offset)));
    return CAROM_OK;
}

carom_status carom_admissible_find_range(const carom_admissible *s, const double *weights,
                                         double radius, carom_arena *arena,
                                         carom_admissible_range *range, carom_error *error)
{
    const carom_geometry *g = s->geometry;
    const int n = g->impact->n;
    if (!s->polyhedral)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "ranges of the admissible set: not with second-order cones");
    carom_mark mark = carom_arena_mark(arena);
    problem m = {.arena = arena, .error = error};
    carom_admissible_range found;
    carom_status status = prepare(s, weights, radius, &m);
    if (!status)
        status = maximise(&m, &found.high, &found.high_proved);
    for (int l = 0; l < m.p.k && !status; l++)
        m.a[l] = -m.a[l];
    if (!status)
        status = maximise(&m, &found.low, &found.low_proved);
    if (!status) {
        const double fixed =
            carom_dense_dot(n, weights, s->x_0) + carom_dense_dot(n, weights, g->b);
        *range = (carom_admissible_range){fixed - found.low, fixed + found.high,
                                          fixed - found.low_proved, fixed + found.high_proved};
    }
    carom_arena_rewind(arena, mark);
    return status;
}
