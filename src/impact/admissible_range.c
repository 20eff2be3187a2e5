/* How far velocities go in the set of admissible outcomes, with proof
 * (docs/theory/admissible-set.md, "Ranges"). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/admissible.h"
#include "carom/need.h"
#include "carom/tolerance.h"
#include "cone/nnls.h"
#include "impact/polyhedron.h"
#include "linalg/dense.h"

/* Facets and the sphere pass through a point that is so near to them, in units of the radius. */
static const double TOUCHES = CAROM_TOLERANCE_SAME;

/* a'y over the polyhedron and the ball of this radius, in the span of T. z is the point of least
 * norm, and nothing is farther from it than `cap`. Coordinates carry the rounding of the whole
 * velocity they were cut from. */
typedef struct problem {
    carom_polyhedron p;
    double radius, cap, rounding;
    double outside;                      /* rounding of what no impulse changes */
    double *a, *y, *z, *columns, *s, *r; /* rank thrice, rank x (rows + 1), rows + 1, rank */
    carom_arena *arena; /* with what nearest points and least squares need reserved */
} problem;

static void nearest(const problem *m, double t)
{
    carom_polyhedron_nearest(&m->p, m->a, t, m->arena, m->y);
}

/* How far y(t) is beyond the ball. */
static double excess(const problem *m, double t)
{
    nearest(m, t);
    const double size = carom_dense_norm(m->p.k, m->y);
    return (size - m->radius) * (size + m->radius);
}

/* y of the radius, between two t; where even the largest stays inside, that one. |y(t)|^2 is made
 * of parabolas, so that secants converge fast; an end that stays is given half its weight
 * (Illinois). */
static void find_point(const problem *m, double largest)
{
    double low = 0, high = largest, at_high = excess(m, high);
    if (at_high <= 0)
        return;
    double at_low = excess(m, low);
    for (int step = 0, side = 0; step < 200 && high - low > DBL_EPSILON * high; step++) {
        const double secant = low - at_low * (high - low) / (at_high - at_low);
        const bool usable = secant > low && secant < high && step % 8 != 7;
        const double middle = usable ? secant : low + 0.5 * (high - low);
        if (!(middle > low && middle < high))
            break;
        const double beyond = excess(m, middle);
        if (beyond <= 0) {
            at_high = side < 0 ? 0.5 * at_high : at_high;
            low = middle, at_low = beyond, side = -1;
        } else {
            at_low = side > 0 ? 0.5 * at_low : at_low;
            high = middle, at_high = beyond, side = 1;
        }
        if (beyond <= 0 && beyond >= -DBL_EPSILON * m->radius * m->radius)
            return; /* on the sphere, and inside */
    }
    nearest(m, low);
}

/* A bound of a'c over all of the set from the multipliers of what passes through y. Where facets
 * and sphere nearly touch, the multipliers grow without limit: the rounding of their sum is part of
 * the bound. */
static double prove(const problem *m)
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
    carom_nnls_solve(k, count + sphere, m->columns, m->a, 0, m->arena, m->s, m->r, &info);
    double *rho = m->r; /* a + F mu */
    memcpy(rho, m->a, (size_t)k * sizeof *rho);
    double bound = 0, multipliers = carom_dense_norm(k, m->a);
    for (int j = 0; j < count; j++) {
        carom_dense_axpy(k, -m->s[j], m->columns + (size_t)j * (size_t)k, rho);
        bound -= m->s[j] * m->p.bound[active[j]];
        multipliers += m->s[j];
    }
    return bound + (m->radius * carom_dense_norm(k, rho) + m->rounding * multipliers);
}

/* What z says: it is in the set, and the set is within `cap` of it. */
static void meet_cap(const problem *m, double *value, double *bound)
{
    const int k = m->p.k;
    const double at_z = carom_dense_dot(k, m->a, m->z), size = carom_dense_norm(k, m->a);
    *bound = fmin(*bound, at_z + size * (m->cap + m->rounding));
    *value = fmin(fmax(*value, at_z), *bound);
}

/* The largest a'y and its bound. The farther away the point that is projected, the fewer digits:
 * farther only as long as the proof asks for it. */
static void maximise(const problem *m, double *value, double *bound)
{
    const double size = carom_dense_norm(m->p.k, m->a);
    *value = -INFINITY;
    *bound = INFINITY;
    if (m->p.k == 0 || size == 0) {
        *value = *bound = 0;
        return;
    }
    for (double reach = 4; reach <= 1e9; reach *= 64) {
        find_point(m, reach * m->radius / size);
        *value = fmax(*value, carom_dense_dot(m->p.k, m->a, m->y));
        *bound = fmin(*bound, prove(m));
        meet_cap(m, value, bound);
        if (*bound - *value <= CAROM_TOLERANCE_CARRIED * size * m->radius)
            break;
    }
}

/* |y - z| in the set up to this radius: z'y >= |z|^2 leaves r^2 - |z|^2, which is the same part of
 * |x - z|^2 as of |x|^2 - |z|^2. The difference of x and z keeps its digits where both squares
 * agree. */
static double find_cap(const carom_admissible *s, double radius)
{
    double square = 0;
    for (int l = 0; l < s->k; l++)
        square += (s->x_c[l] - s->z_c[l]) * (s->x_c[l] - s->z_c[l]);
    const double all = (s->speed - s->least) * (s->speed + s->least);
    const double part = (radius - s->least) * (radius + s->least);
    return sqrt(all > 0 ? square * fmax(0, part / all) : square);
}

/* The rounding of the velocity before, as the weights see it: |w| |x| in the kinetic metric.
 * y: 2 n + c numbers. */
static double find_outside(const carom_admissible *s, const double *weights, double *y)
{
    const carom_geometry *g = s->geometry;
    const int n = g->impact->n;
    carom_geometry_inverse_mass(g, weights, y, y + n);
    double outside = sqrt(fmax(0, carom_dense_dot(n, weights, y))) * s->speed;
    for (int i = 0; i < n; i++)
        outside += fabs(weights[i] * g->b[i]);
    return outside * CAROM_TOLERANCE_SUM;
}

static carom_status prepare(const carom_admissible *s, const double *weights, double radius,
                            problem *m, carom_error *error)
{
    const int n = s->geometry->impact->n;
    const size_t k = (size_t)s->rank;
    carom_status status = carom_polyhedron_make(s, m->arena, &m->p, error);
    if (status)
        return status;
    const size_t rows = (size_t)m->p.rows, numbers = 4 * k + (k + 1) * (rows + 1) + (size_t)s->k;
    const size_t wide = 2 * (size_t)n + (size_t)s->geometry->c;
    const size_t points = carom_polyhedron_bytes(s),
                 proof = carom_nnls_bytes(s->rank, m->p.rows + 1);
    status = carom_arena_reserve(m->arena,
                                 carom_arena_bytes(numbers + wide, sizeof(double)) +
                                     (points > proof ? points : proof),
                                 error);
    if (status)
        return status;
    double *d = carom_arena_reserved(m->arena, numbers + wide, sizeof *d);
    m->outside = find_outside(s, weights, d + numbers);
    m->a = d;
    m->y = d + k;
    m->r = d + 2 * k;
    m->z = d + 3 * k;
    m->columns = d + 4 * k;
    m->s = m->columns + k * (rows + 1);
    double *inside = m->s + rows + 1;
    for (int l = 0; l < s->k; l++)
        inside[l] = carom_dense_dot(n, weights, s->basis + (size_t)l * (size_t)n);
    for (int l = 0; l < s->rank; l++) {
        m->a[l] = carom_dense_dot(s->k, s->span + (size_t)l * (size_t)s->k, inside);
        m->z[l] = carom_dense_dot(s->k, s->span + (size_t)l * (size_t)s->k, s->z_c);
    }
    m->cap = find_cap(s, radius);
    m->rounding = CAROM_TOLERANCE_SUM * s->speed;
    m->radius = sqrt(fmax(0, (radius - s->offset) * (radius + s->offset)));
    return CAROM_OK;
}

carom_status carom_admissible_find_range(const carom_admissible *set, const double *weights,
                                         double radius, carom_arena *arena,
                                         carom_admissible_range *range, carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, weights, arena, range);
    const carom_geometry *g = set->geometry;
    const int n = g->impact->n;
    if (!set->polyhedral)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "ranges of the admissible set: not with second-order cones");
    carom_mark mark = carom_arena_mark(arena);
    problem m = {.arena = arena};
    carom_status status = prepare(set, weights, radius, &m, error);
    if (!status) {
        carom_admissible_range found;
        maximise(&m, &found.high, &found.high_proved);
        for (int l = 0; l < m.p.k; l++)
            m.a[l] = -m.a[l];
        maximise(&m, &found.low, &found.low_proved);
        const double fixed =
            carom_dense_dot(n, weights, set->x_0) + carom_dense_dot(n, weights, g->b);
        *range = (carom_admissible_range){fixed - found.low, fixed + found.high,
                                          fixed - (found.low_proved + m.outside),
                                          fixed + (found.high_proved + m.outside)};
    }
    carom_arena_rewind(arena, mark);
    return status;
}
