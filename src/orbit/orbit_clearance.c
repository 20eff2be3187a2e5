/* The least gap on a periodic motion: minima of gaps between rows, on the cubic that has their
 * values and rates there (docs/theory/orbits.md, "Grazing"). */
#include "orbit/orbit_clearance.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"

/* Rows of a first look, and of a second where that finds a gap below a part of the largest: the
 * cubic between rows errs by the fourth power of their distance, and so may the motion of the first
 * look. */
enum { ROWS = 200, FINE_ROWS = 2000 };
static const double close_by = 0.02, first_look = 1e-8;

/* Minima below this part of the largest gap are the rounding of a contact that rests or leaves. */
static const double resting = CAROM_TOLERANCE_SOLVED;

typedef struct look {
    carom_orbit_map *map;
    carom_orbit_clearance *least;
    double t;         /* of the row before */
    double *g, *rate; /* p: at the row before */
    bool any;         /* there is a row before, without an impact since */
} look;

/* The least value between 0 and h of the cubic with values a, b and rates da < 0 < db. */
static double cubic_minimum(double h, double a, double da, double b, double db)
{
    /* s in [0, 1]: a + h da s + c2 s^2 + c3 s^3 */
    const double d = h * da, f = h * db;
    const double c2 = 3 * (b - a) - 2 * d - f, c3 = d + f - 2 * (b - a);
    const double root = sqrt(fmax(c2 * c2 - 3 * c3 * d, 0));
    const double s = c2 + root != 0 ? -d / (c2 + root) : 0;
    const double x = fmin(fmax(s, 0), 1);
    return a + x * (d + x * (c2 + x * c3));
}

static bool may_touch(const carom_orbit_map *m, int i)
{
    const int guard = m->shape->guard ? m->shape->guard[i] : -1;
    return guard < 0 || m->state.guard[guard] > 0;
}

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    look *l = self;
    carom_orbit_map *m = l->map;
    const size_t n = (size_t)m->n;
    m->state.t = row->t;
    memcpy(m->state.q, row->q, n * sizeof(double));
    memcpy(m->state.u, row->u, n * sizeof(double));
    carom_status status = carom_system_evaluate(
        m->problem->system, CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_GUARDS, &m->state,
        error);
    for (int i = 0; i < m->shape->p && status == CAROM_OK; i++) {
        const double g = m->state.g[i];
        const double rate =
            carom_dense_dot(m->n, m->state.W + (size_t)i * n, m->state.u) + m->state.w_hat[i];
        l->least->size = fmax(l->least->size, fabs(g));
        if (l->any && row->mode[i] == CAROM_MODE_OPEN && l->rate[i] < 0 && rate > 0 &&
            l->g[i] > 0 && g > 0 && may_touch(m, i)) {
            const double low = cubic_minimum(row->t - l->t, l->g[i], l->rate[i], g, rate);
            if (low > resting * l->least->size && low < l->least->gap) {
                l->least->gap = low;
                l->least->contact = i;
            }
        }
        l->g[i] = g;
        l->rate[i] = rate;
    }
    l->t = row->t;
    l->any = true;
    return status;
}

/* Velocities jump: what comes next has no minimum with what was before. */
static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    look *l = self;
    (void)impact, (void)error;
    l->any = false;
    return CAROM_OK;
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    look *l = self;
    (void)instant, (void)error;
    l->any = false;
    return CAROM_OK;
}

static carom_status look_along(carom_orbit_newton *w, int rows, double tolerance,
                               carom_orbit_clearance *clearance, carom_error *error)
{
    carom_orbit_map *m = &w->map;
    const size_t p = (size_t)m->shape->p;
    *clearance = (carom_orbit_clearance){.gap = INFINITY, .contact = -1};
    if (p == 0)
        return CAROM_OK;
    carom_arena_reset(w->work);
    look l = {.map = m, .least = clearance};
    l.g = carom_arena_zeros(w->work, 2 * p, sizeof(double));
    if (!l.g)
        return carom_error_memory(error);
    l.rate = l.g + p;
    const carom_flow_observer observer = {
        .self = &l, .row = on_row, .impact = on_impact, .instant = on_instant};
    const carom_flow_start start = {m->t0, m->x0, m->x0 + m->n};
    carom_flow_options options = w->problem.options;
    carom_flow_result result;
    options.tolerance = fmax(options.tolerance, tolerance);
    options.until = m->t1;
    options.output = (m->t1 - m->t0) / rows;
    carom_status status = carom_flow_run(w->problem.system, w->problem.law, &start, &options,
                                         &observer, w->work, &result, error);
    return status < 0 ? status : CAROM_OK;
}

carom_status carom_orbit_clearance_find(carom_orbit_newton *w, carom_orbit_clearance *clearance,
                                        carom_error *error)
{
    carom_status status = look_along(w, ROWS, first_look, clearance, error);
    if (status != CAROM_OK || !(clearance->gap < close_by * clearance->size))
        return status;
    return look_along(w, FINE_ROWS, 0, clearance, error);
}
