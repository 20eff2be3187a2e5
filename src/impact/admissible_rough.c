/* Is a velocity admissible with friction? The cone of reactions has friction's part in it; contacts
 * do not close and no energy is gained, as without (docs/theory/admissible-set.md, "Friction"). */
#include "carom/admissible.h"
#include "carom/cone.h"
#include "carom/need.h"
#include "impact/membership.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* The normal impulse that friction of an impulse tau needs, |tau|/mu, moves the velocity by |w|/mu
 * for each unit of it, the friction itself by |h|: where the first is below the tolerance beside
 * the second, the cone cannot be told from one with mu = inf, which is then the better stated. */
static bool is_endless(const carom_geometry *g, int i, double mu, double tolerance)
{
    const int n = g->impact->n;
    const double *w = g->impact->W + (size_t)i * (size_t)n;
    const double normal = sqrt(fabs(carom_dense_dot(n, w, g->Y + (size_t)i * (size_t)n)));
    double least = INFINITY;
    for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++) {
        const size_t at = (size_t)j * (size_t)n;
        least = fmin(least, sqrt(fabs(carom_dense_dot(n, g->impact->H + at, g->Z + at))));
    }
    return normal <= tolerance * mu * least;
}

static double coefficient(const carom_geometry *g, int i, double tolerance)
{
    const carom_contact *contacts = g->impact->contacts;
    const double mu =
        contacts && g->slip_start[i + 1] > g->slip_start[i] ? contacts[i].friction_static : 0;
    return mu > 0 && is_endless(g, i, mu, tolerance) ? INFINITY : mu;
}

/* Room for a cone of all contacts, in order: half-spaces, second-order cones, hyperplanes. */
typedef struct rough {
    carom_cone cone; /* T_mu; its polar cone is the opposite of all reactions */
    double *W, *axis, *spread, *C;
    int *start;
} rough;

static carom_status make_room(const carom_geometry *g, carom_arena *arena, rough *r,
                              carom_error *error)
{
    const carom_impact *impact = g->impact;
    const size_t n = (size_t)impact->n, p = (size_t)impact->p, s = (size_t)g->s, c = (size_t)g->c;
    r->W = carom_arena_doubles(arena, n * p + 1);
    r->axis = carom_arena_doubles(arena, n * p + 1);
    r->spread = carom_arena_doubles(arena, n * (s + (size_t)g->spread_start[p]) + 1);
    r->C = carom_arena_doubles(arena, n * (s + c) + 1);
    r->start = carom_arena_zeros(arena, p + 1, sizeof *r->start);
    if (!r->W || !r->axis || !r->spread || !r->C || !r->start)
        return carom_error_memory(error);
    r->cone = (carom_cone){.n = impact->n,
                           .metric = {impact->mass_is_diagonal, impact->M, g->L},
                           .W = r->W,
                           .C = r->C,
                           .axis = r->axis,
                           .spread_start = r->start,
                           .spread = r->spread};
    if (c > 0) /* C is NULL without joints */
        memcpy(r->C, g->C, n * c * sizeof(double));
    r->cone.c = g->c;
    return CAROM_OK;
}

/* A second-order cone about w_i with these columns times a factor. */
static void add_cone(rough *r, const double *w, const double *columns, int count, double factor)
{
    const int n = r->cone.n, first = r->start[r->cone.q];
    memcpy(r->axis + (size_t)r->cone.q * (size_t)n, w, (size_t)n * sizeof *w);
    for (int k = 0; k < count * n; k++)
        r->spread[(size_t)first * (size_t)n + (size_t)k] = factor * columns[k];
    r->start[++r->cone.q] = first + count;
}

static carom_status add_contact(const carom_geometry *g, int i, double tolerance, rough *r,
                                carom_error *error)
{
    const carom_impact *impact = g->impact;
    const size_t n = (size_t)impact->n;
    const double *w = impact->W + (size_t)i * n, mu = coefficient(g, i, tolerance);
    const int slips = g->slip_start[i + 1] - g->slip_start[i];
    const int spreads = g->spread_start[i + 1] - g->spread_start[i];
    const double *H = slips ? impact->H + (size_t)g->slip_start[i] * n : NULL;
    if (spreads && mu > 0)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "a contact with `spread` and friction: its reactions are no cone of "
                               "second order");
    if (spreads)
        add_cone(r, w, impact->spread + (size_t)g->spread_start[i] * n, spreads, 1);
    else if (mu > 0 && isfinite(mu))
        add_cone(r, w, H, slips, mu);
    else
        memcpy(r->W + (size_t)r->cone.p++ * n, w, n * sizeof *w);
    for (int k = 0; k < slips && mu > 0 && !isfinite(mu); k++)
        memcpy(r->C + (size_t)r->cone.c++ * n, H + (size_t)k * n, n * sizeof *w);
    return CAROM_OK;
}

carom_status carom_admissible_rough(const carom_admissible *set, const double *u, double tolerance,
                                    carom_arena *arena, carom_membership *membership,
                                    carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, u, arena, membership);
    const carom_geometry *g = set->geometry;
    const int n = g->impact->n;
    const double relative = tolerance > 0 ? tolerance : CAROM_VERDICT_TOLERANCE;
    const double *frame = g->still || !g->slip_frame ? g->b : g->b_slip;
    carom_membership m;
    rough r;
    carom_projection to_d;
    carom_mark mark = carom_arena_mark(arena);
    double *d = carom_arena_doubles(arena, 3 * (size_t)n + 1);
    carom_status status = d ? carom_admissible_contains(set, u, tolerance, arena, &m, error)
                            : carom_error_memory(error);
    if (!status)
        status = make_room(g, arena, &r, error);
    for (int i = 0; i < g->impact->p && !status; i++)
        status = add_contact(g, i, relative, &r, error);
    for (int i = 0; i < n && !status; i++) {
        d[i] = g->u[i] - u[i];
        d[n + i] = u[i] - frame[i];
        d[2 * n + i] = g->u[i] - frame[i];
    }
    if (!status) /* u+ - u- is a reaction where u- - u+ is in the polar cone of T_mu */
        status = carom_cone_project(&r.cone, d, arena, &to_d, error);
    if (!status) {
        const double allowed = relative * set->speed;
        m.kinetic_gap = sqrt(carom_geometry_dot(g, to_d.z, to_d.z));
        m.energy_gap = sqrt(carom_geometry_dot(g, d + n, d + n)) -
                       sqrt(carom_geometry_dot(g, d + 2 * n, d + 2 * n));
        carom_membership_judge(&m, allowed);
        *membership = m;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
