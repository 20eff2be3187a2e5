/* Chooses the slice of velocity space that a report shows. */
#include "pictures/velocity_view.h"

#include "carom/admissible.h"
#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

enum { ROUND = 72 }; /* directions that stand for a circle of them */

/* Column of the gradients of the slip or spread directions: M_c^-1 h. */
typedef struct directions {
    int count;
    double *v;  /* n x count: gradients, then slips, then spreads */
    int slips;  /* where the slips begin, */
    int spread; /* and the spreads */
} directions;

static carom_status collect(const carom_geometry *g, carom_arena *arena, directions *d,
                            carom_error *error)
{
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n, p = (size_t)impact->p, s = (size_t)g->s;
    size_t spread = (size_t)g->spread_start[p];
    *d = (directions){(int)(p + s + spread), NULL, (int)p, (int)(p + s)};
    d->v = carom_arena_doubles(arena, n * (p + s + spread) + 1);
    double *work = carom_arena_doubles(arena, n + (size_t)g->c);
    if (!d->v || !work)
        return carom_error_memory(error);
    memcpy(d->v, g->Y, n * p * sizeof(double));
    if (s)
        memcpy(d->v + n * p, g->Z, n * s * sizeof(double));
    for (size_t j = 0; j < spread; j++)
        carom_geometry_inverse_mass(g, impact->spread + n * j, d->v + n * (p + s + j), work);
    return CAROM_OK;
}

/* The part of v orthogonal to the basis, in place; its kinetic norm. */
static double reduce(const carom_geometry *g, int k, const double *basis, double *v)
{
    int n = g->impact->n;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < k; j++) {
            const double *e = basis + (size_t)j * (size_t)n;
            double part = carom_geometry_dot(g, e, v);
            for (int i = 0; i < n; i++)
                v[i] -= part * e[i];
        }
    return sqrt(fmax(0, carom_geometry_dot(g, v, v)));
}

/* Append v to a basis unless it adds nothing. */
static bool extend(const carom_geometry *g, int *k, double *basis, const double *v)
{
    int n = g->impact->n;
    double *e = basis + (size_t)*k * (size_t)n;
    double before = sqrt(fmax(0, carom_geometry_dot(g, v, v)));
    memcpy(e, v, (size_t)n * sizeof(double));
    double norm = reduce(g, *k, basis, e);
    if (!(norm > CAROM_TOLERANCE_HALF * before) || !(norm > 0))
        return false;
    for (int i = 0; i < n; i++)
        e[i] /= norm;
    ++*k;
    return true;
}

static void add_direction(carom_velocity_view *view, int most, const double *v,
                          carom_velocity_axis axis, int of)
{
    int k = view->k;
    if (k >= most || !extend(view->geometry, &view->k, view->basis, v))
        return;
    view->axis[k] = axis == CAROM_VELOCITY_GRADIENT && k > 0 ? CAROM_VELOCITY_OTHER : axis;
    view->axis_of[k] = of;
}

/* Velocities of all outcomes, alternatives included: the one farthest from the slice, minus u-. */
static bool farthest(const carom_report_impact *report, const carom_velocity_view *view,
                     double *found, double *work)
{
    const carom_geometry *g = view->geometry;
    size_t n = (size_t)g->impact->n;
    double most = 1e-6 * g->speed;
    bool any = false;
    for (int e = 0; e < report->count; e++) {
        const carom_outcome *o = report->entries[e].outcome;
        if (o->answer != CAROM_ANSWER_OK && o->answer != CAROM_ANSWER_SEVERAL)
            continue;
        for (int a = -1; a < o->alternative_count; a++) {
            const double *u = a < 0 ? o->u : o->alternatives[a].u;
            for (size_t i = 0; i < n; i++)
                work[i] = u[i] - g->u[i];
            double distance = reduce(g, view->k, view->basis, work);
            if (distance > most * (1 + CAROM_TOLERANCE_SAME)) {
                most = distance;
                any = true;
                for (size_t i = 0; i < n; i++)
                    found[i] = u[i] - g->u[i];
            }
        }
    }
    return any;
}

/* More directions than the picture has: through u-, the point z of maximum dissipation, and the
 * outcomes farthest away. */
static void choose_spread(const carom_report_impact *report, carom_velocity_view *view, int most,
                          const directions *d, double *work, carom_arena *arena)
{
    const carom_geometry *g = view->geometry;
    size_t n = (size_t)g->impact->n;
    carom_admissible set;
    if (carom_admissible_make(g, arena, &set, NULL) == CAROM_OK) {
        for (size_t i = 0; i < n; i++)
            work[i] = set.z[i] - set.x[i];
        if (sqrt(fmax(0, carom_geometry_dot(g, work, work))) > CAROM_TOLERANCE_SAME * g->speed)
            add_direction(view, most, work,
                          g->impact->p == 1 && set.polyhedral ? CAROM_VELOCITY_GRADIENT
                                                              : CAROM_VELOCITY_PUSH,
                          0);
    }
    while (view->k < most && farthest(report, view, work, work + n))
        add_direction(view, most, work, CAROM_VELOCITY_OUTCOME, 0);
    for (int j = 0; j < d->count; j++)
        add_direction(view, most, d->v + (size_t)j * n,
                      j < d->slips ? CAROM_VELOCITY_GRADIENT : CAROM_VELOCITY_OTHER, j);
}

static bool diagonal(const carom_impact *impact)
{
    size_t n = (size_t)impact->n;
    for (size_t j = 0; j < n && !impact->mass_is_diagonal; j++)
        for (size_t i = 0; i < n; i++)
            if (i != j && impact->M[i + n * j] != 0)
                return false;
    return true;
}

static void add_coordinate(carom_velocity_view *view, int most, int coordinate, double *work)
{
    size_t n = (size_t)view->geometry->impact->n;
    memset(work, 0, n * sizeof(double));
    work[coordinate] = 1;
    add_direction(view, most, work, CAROM_VELOCITY_COORDINATE, coordinate);
}

/* One contact: its gradient becomes the last axis, drawn upwards. */
static void put_normal_last(carom_velocity_view *view)
{
    size_t n = (size_t)view->geometry->impact->n;
    for (int j = 0; j + 1 < view->k; j++) {
        for (size_t i = 0; i < n; i++) {
            double *a = view->basis + (size_t)j * n + i, *b = a + n, t = *a;
            *a = *b;
            *b = t;
        }
        carom_velocity_axis axis = view->axis[j];
        view->axis[j] = view->axis[j + 1];
        view->axis[j + 1] = axis;
        view->axis_of[j + 1] = view->axis_of[j];
    }
}

static void choose_directions(const carom_report_impact *report, carom_velocity_view *view,
                              int most, const directions *d, double *work, carom_arena *arena)
{
    const carom_geometry *g = view->geometry;
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n;
    if (report->axis_count) {
        for (int j = 0; j < report->axis_count; j++)
            add_coordinate(view, most, report->axes[j], work);
        return;
    }
    if (impact->n <= most && diagonal(impact) && g->c == 0) {
        for (int j = 0; j < impact->n; j++)
            add_coordinate(view, most, j, work);
        return;
    }
    if (view->reach > most) {
        choose_spread(report, view, most, d, work, arena);
        if (impact->p == 1)
            put_normal_last(view);
        return;
    }
    for (int j = 0; j < d->count; j++)
        add_direction(view, most, d->v + (size_t)j * n,
                      j < d->slips ? CAROM_VELOCITY_GRADIENT : CAROM_VELOCITY_OTHER, j);
    if (view->k < 2) {
        for (size_t i = 0; i < n; i++)
            work[i] = g->u[i] - g->b[i];
        add_direction(view, 2, work, CAROM_VELOCITY_OTHER, 0);
    }
    if (impact->p == 1)
        put_normal_last(view);
}

/* Unit vectors of the spread or slip plane of a contact that stand for all of them. */
static int circle_of(int columns)
{
    return columns == 0 ? 0 : columns == 1 ? 2 : columns == 2 ? ROUND : 0;
}

static void circle_at(int columns, int k, double *e)
{
    e[0] = columns == 1 ? (k == 0 ? 1 : -1) : cos(2 * CAROM_PI * k / ROUND);
    e[1] = columns == 1 ? 0 : sin(2 * CAROM_PI * k / ROUND);
}

static void add_half(carom_velocity_view *view, const double *covector, int contact, double *bound)
{
    const carom_geometry *g = view->geometry;
    int n = g->impact->n;
    carom_velocity_half half = {.contact = contact};
    double norm = 0, level = 0;
    for (int i = 0; i < n; i++)
        level -= covector[i] * view->x_0[i];
    for (int j = 0; j < view->k; j++) {
        for (int i = 0; i < n; i++)
            half.normal[j] += covector[i] * view->basis[i + (size_t)j * (size_t)n];
        norm += half.normal[j] * half.normal[j];
    }
    norm = sqrt(norm);
    *bound = level;
    if (!(norm > CAROM_TOLERANCE_HALF * g->norm[contact]))
        return; /* parallel to the slice: it cuts nothing */
    for (int j = 0; j < view->k; j++)
        half.normal[j] /= norm;
    half.bound = level / norm;
    if (fabs(half.bound) <= CAROM_TOLERANCE_SAME * view->speed)
        half.bound = 0;
    view->T[view->count++] = half;
}

/* Half-spaces of T. A second-order cone w'y >= |A'y| is all (w - A e)'y >= 0, |e| = 1. */
static void find_tangent_cone(carom_velocity_view *view, int *first, double *work)
{
    const carom_geometry *g = view->geometry;
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n;
    double bound, e[2];
    for (int i = 0; i < impact->p; i++) {
        const double *w = impact->W + (size_t)i * n;
        int from = g->spread_start[i], columns = g->spread_start[i + 1] - from;
        first[i] = view->count;
        if (columns == 0)
            add_half(view, w, i, &bound);
        for (int k = 0; k < circle_of(columns); k++) {
            circle_at(columns, k, e);
            memcpy(work, w, n * sizeof(double));
            for (int j = 0; j < columns; j++)
                for (size_t r = 0; r < n; r++)
                    work[r] -= e[j] * impact->spread[r + n * (size_t)(from + j)];
            add_half(view, work, i, &bound);
        }
    }
    first[impact->p] = view->count;
}

/* The groups of a region, or one group of all. */
static bool find_groups(carom_velocity_view *view, const int *first, carom_arena *arena)
{
    const carom_region *region = view->geometry->impact->region;
    int groups = region ? region->group_count : 1, p = view->geometry->impact->p, used = 0;
    size_t room = (size_t)view->count + 1;
    for (int k = 0; region && k < region->group_start[groups]; k++)
        room += (size_t)(first[region->group_contact[k] + 1] - first[region->group_contact[k]]);
    view->group_count = groups;
    view->group_start = carom_arena_array(arena, (size_t)groups + 1, sizeof(int));
    view->group_half = carom_arena_array(arena, room, sizeof(int));
    if (!view->group_start || !view->group_half)
        return false;
    for (int k = 0; k < groups; k++) {
        view->group_start[k] = used;
        int from = region ? region->group_start[k] : 0,
            to = region ? region->group_start[k + 1] : p;
        for (int j = from; j < to; j++) {
            int contact = region ? region->group_contact[j] : j;
            for (int h = first[contact]; h < first[contact + 1]; h++)
                view->group_half[used++] = h;
        }
    }
    view->group_start[groups] = used;
    return true;
}

/* basis'M of a combination v_i + f (e_1 a_1 + e_2 a_2). */
static void place_sum(const carom_velocity_view *view, const double *v, double f, int columns,
                      const double *e, const double *a, double *c)
{
    const carom_geometry *g = view->geometry;
    size_t n = (size_t)g->impact->n;
    for (int j = 0; j < view->k; j++) {
        const double *axis = view->basis + (size_t)j * n;
        c[j] = v ? carom_geometry_dot(g, axis, v) : 0;
        for (int m = 0; m < columns; m++)
            c[j] += f * e[m] * carom_geometry_dot(g, axis, a + (size_t)m * n);
    }
}

/* Generators of the impulses' cone in the slice: gradients, with spread, with friction. */
static void find_impulses(carom_velocity_view *view, const directions *d)
{
    const carom_geometry *g = view->geometry;
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n, k = (size_t)view->k;
    double e[2];
    for (int i = 0; i < impact->p; i++) {
        const double *y = d->v + (size_t)i * n;
        int slips = g->slip_start[i + 1] - g->slip_start[i];
        int spreads = g->spread_start[i + 1] - g->spread_start[i];
        double mu = impact->contacts ? impact->contacts[i].friction_static : 0;
        const double *z = d->v + (size_t)(d->slips + g->slip_start[i]) * n;
        const double *a = d->v + (size_t)(d->spread + g->spread_start[i]) * n;
        for (int m = 0; m < circle_of(spreads); m++) {
            circle_at(spreads, m, e);
            place_sum(view, y, 1, spreads, e, a, view->N + k * (size_t)view->normals++);
        }
        if (spreads == 0)
            place_sum(view, y, 0, 0, e, a, view->N + k * (size_t)view->normals++);
        for (int m = 0; mu > 0 && m < circle_of(slips); m++) {
            circle_at(slips, m, e);
            place_sum(view, isinf(mu) ? NULL : y, isinf(mu) ? 1 : mu, slips, e, z,
                      view->K + k * (size_t)view->pushes++);
            view->rough = true;
        }
    }
    memcpy(view->K + k * (size_t)view->pushes, view->N, k * (size_t)view->normals * sizeof(double));
    view->pushes += view->normals;
}

static bool covers(const carom_velocity_view *view, const directions *d, double *work)
{
    size_t n = (size_t)view->geometry->impact->n;
    for (int j = 0; j < d->count; j++) {
        const double *v = d->v + (size_t)j * n;
        double before = sqrt(fmax(0, carom_geometry_dot(view->geometry, v, v)));
        memcpy(work, v, n * sizeof(double));
        if (reduce(view->geometry, view->k, view->basis, work) > 1e-7 * before)
            return false;
    }
    return true;
}

carom_status carom_velocity_view_choose(const carom_report_impact *report, int most,
                                        carom_arena *arena, carom_velocity_view *view,
                                        carom_error *error)
{
    const carom_geometry *g = report->geometry;
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n, p = (size_t)impact->p;
    directions d;
    *view = (carom_velocity_view){.geometry = g};
    carom_status status = collect(g, arena, &d, error);
    if (status)
        return status;
    size_t halves = ROUND * p + 1;
    view->basis = carom_arena_doubles(arena, 4 * n);
    view->x_0 = carom_arena_doubles(arena, n);
    view->T = carom_arena_array(arena, halves, sizeof *view->T);
    view->N = carom_arena_doubles(arena, 3 * halves);
    view->K = carom_arena_doubles(arena, 6 * halves);
    double *work = carom_arena_doubles(arena, 4 * n);
    int *first = carom_arena_array(arena, p + 1, sizeof(int));
    if (!view->basis || !view->x_0 || !view->T || !view->N || !view->K || !work || !first)
        return carom_error_memory(error);
    for (int j = 0; j < d.count && view->reach < 4 && view->reach < impact->n; j++)
        extend(g, &view->reach, work, d.v + (size_t)j * n);
    choose_directions(report, view, most, &d, work, arena);
    for (size_t i = 0; i < n; i++)
        view->x_0[i] = g->u[i] - g->b[i];
    view->speed = sqrt(fmax(0, carom_geometry_dot(g, view->x_0, view->x_0)));
    double offset = reduce(g, view->k, view->basis, view->x_0);
    view->radius = sqrt(fmax(0, view->speed * view->speed - offset * offset));
    view->exact = covers(view, &d, work);
    find_tangent_cone(view, first, work);
    if (view->exact)
        find_impulses(view, &d);
    return find_groups(view, first, arena) ? CAROM_OK : carom_error_memory(error);
}

double carom_velocity_view_place(const carom_velocity_view *view, const double *u, double *c)
{
    const carom_geometry *g = view->geometry;
    size_t n = (size_t)g->impact->n;
    double all = 0;
    for (int j = 0; j < view->k; j++) {
        const double *axis = view->basis + (size_t)j * n;
        c[j] = carom_geometry_dot(g, axis, u) - carom_geometry_dot(g, axis, g->b);
    }
    /* |u - b - x_0 - basis c|^2, one entry at a time through the mass would need work space: the
     * parts along the basis and the rest are orthogonal */
    double uu = carom_geometry_dot(g, u, u), ub = carom_geometry_dot(g, u, g->b);
    double bb = carom_geometry_dot(g, g->b, g->b), ux = carom_geometry_dot(g, u, view->x_0);
    double bx = carom_geometry_dot(g, g->b, view->x_0);
    double xx = carom_geometry_dot(g, view->x_0, view->x_0);
    all = uu - 2 * ub + bb - 2 * (ux - bx) + xx;
    for (int j = 0; j < view->k; j++)
        all -= c[j] * c[j];
    return sqrt(fmax(0, all));
}
