/* The set S of admissible outcomes: its making, membership, distance. Points to draw are in
 * admissible_points.c. Mathematics: docs/theory/admissible-set.md. */
#include "carom/admissible.h"

#include <math.h>
#include <string.h>

#include "base/parts.h"
#include "carom/need.h"
#include "carom/tolerance.h"
#include "cone/cone_frame.h"
#include "impact/membership.h"
#include "impact/polyhedron.h"
#include "impact/tangent.h"
#include "linalg/dense.h"

/* The frame of the cone room with the joints removed: kinetic metric becomes Euclidean. */
static carom_status make_frame(const carom_geometry *g, carom_arena *arena, carom_cone_frame *frame,
                               carom_error *error)
{
    int n = g->impact->n;
    carom_metric metric = {g->impact->mass_is_diagonal, g->impact->M, g->L};
    carom_status status = carom_cone_frame_create(n, &metric, arena, frame, error);
    double *row = status ? NULL : carom_arena_doubles(arena, (size_t)n);
    if (!status && !row)
        status = carom_error_memory(error);
    for (int j = 0; j < g->c && !status; j++) {
        memcpy(row, g->C + (size_t)j * n, (size_t)n * sizeof(double));
        carom_cone_frame_row(frame, row);
        carom_cone_frame_fix(frame, row);
    }
    return status;
}

/* A unit vector that is so near to the span of others depends on them. */
static const double DEPENDENT = CAROM_TOLERANCE_SIGN;

/* Orthonormal basis Q (n x k) of the span of the unit rows A (n x p), by Gram-Schmidt in order. */
static int make_basis(int n, int p, const double *A, double *Q)
{
    int k = 0;
    for (int j = 0; j < p && k < n; j++) {
        double *q = Q + (size_t)k * n;
        memcpy(q, A + (size_t)j * n, (size_t)n * sizeof(double));
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < k; l++) {
                const double *b = Q + (size_t)l * n;
                carom_dense_axpy(n, -carom_dense_dot(n, b, q), b, q);
            }
        double norm = carom_dense_norm(n, q);
        if (norm <= DEPENDENT)
            continue;
        carom_dense_scale(n, 1 / norm, q);
        k++;
    }
    return k;
}

/* Facets: rows of T in coordinates; and for every extreme ray t of T (within the span) the
 * condition t'(c - x_c) >= 0, since cone(A) = { v : t'v >= 0 for all t in T }. */
static carom_status make_facets(carom_admissible *s, int rows, const double *A, const double *Q,
                                carom_arena *arena, carom_error *error)
{
    int n = s->geometry->impact->n, k = s->k, count = 0;
    double *a = carom_arena_doubles(arena, (size_t)k * (size_t)rows + 1), *rays = NULL;
    if (!a)
        return carom_error_memory(error);
    for (int j = 0; j < rows; j++) {
        double *to = a + (size_t)j * k;
        for (int l = 0; l < k; l++)
            to[l] = carom_dense_dot(n, Q + (size_t)l * n, A + (size_t)j * n);
        carom_dense_scale(k, 1 / carom_dense_norm(k, to), to);
    }
    carom_status status = CAROM_OK;
    if (k > 0)
        status = carom_cone_rays(k, rows, a, arena, &rays, &count, error);
    if (status)
        return status;
    s->kinematic = rows;
    s->facets = rows + count;
    s->facet = carom_arena_doubles(arena, ((size_t)k + 1) * (size_t)s->facets + 1);
    if (!s->facet)
        return carom_error_memory(error);
    s->bound = s->facet + (size_t)k * (size_t)s->facets;
    if (k > 0) {
        memcpy(s->facet, a, (size_t)k * (size_t)rows * sizeof(double));
        memcpy(s->facet + (size_t)k * (size_t)rows, rays,
               (size_t)k * (size_t)count * sizeof(double));
    }
    for (int j = 0; j < s->facets; j++)
        s->bound[j] = j < rows ? 0 : carom_dense_dot(k, s->facet + (size_t)j * k, s->x_c);
    s->span = carom_arena_doubles(arena, (size_t)k * (size_t)k + 1);
    if (!s->span)
        return carom_error_memory(error);
    s->rank = k > 0 ? make_basis(k, count, rays, s->span) : 0;
    return CAROM_OK;
}

static carom_status make_coordinates(carom_admissible *s, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = s->geometry->impact;
    int n = impact->n, p = impact->p, rows = 0;
    size_t ns = (size_t)n;
    carom_cone_frame frame;
    carom_status status = make_frame(s->geometry, arena, &frame, error);
    if (status)
        return status;
    double *A = carom_arena_doubles(arena, ns * (size_t)p + ns * ns + ns);
    s->basis = carom_arena_doubles(arena, ns * ns + 3 * ns);
    if (!A || !s->basis)
        return carom_error_memory(error);
    double *Q = A + ns * (size_t)p, *x = Q + ns * ns;
    s->x_0 = s->basis + ns * ns;
    s->x_c = s->x_0 + n;
    s->z_c = s->x_c + n;
    for (int j = 0; j < p; j++) { /* unit rows; those that joints block say nothing */
        double *row = A + ns * (size_t)rows;
        carom_cone_frame_rows(&frame, 1, impact->W + (size_t)j * ns, row);
        double norm = carom_dense_norm(n, row);
        if (norm > 0)
            carom_dense_scale(n, 1 / norm, row);
        rows += norm > 0;
    }
    s->k = make_basis(n, rows, A, Q);
    memcpy(x, s->x, ns * sizeof(double));
    carom_cone_frame_vector(&frame, x);
    memcpy(s->x_0, x, ns * sizeof(double));
    memcpy(s->basis, Q, ns * (size_t)s->k * sizeof(double));
    for (int l = 0; l < s->k; l++) {
        s->x_c[l] = carom_dense_dot(n, Q + (size_t)l * n, x);
        carom_dense_axpy(n, -s->x_c[l], Q + (size_t)l * n, s->x_0);
        carom_cone_frame_vector_back(&frame, s->basis + (size_t)l * n);
    }
    s->offset = carom_dense_norm(n, s->x_0);
    carom_cone_frame_vector_back(&frame, s->x_0);
    memcpy(x, s->z, ns * sizeof(double));
    carom_cone_frame_vector(&frame, x);
    for (int l = 0; l < s->k; l++)
        s->z_c[l] = carom_dense_dot(n, Q + (size_t)l * n, x);
    return make_facets(s, rows, A, Q, arena, error);
}

carom_status carom_admissible_make(const carom_geometry *geometry, carom_arena *arena,
                                   carom_admissible *set, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, set);
    const carom_impact *impact = geometry->impact;
    if (impact->region)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "the admissible velocities are a union of cones (region): there is "
                               "no convex set of admissible outcomes");
    carom_tangent tangent;
    carom_projection pr;
    carom_admissible s = {.geometry = geometry,
                          .polyhedral = geometry->spread_start[impact->p] == 0};
    s.x = carom_arena_doubles(arena, (size_t)impact->n);
    if (!s.x)
        return carom_error_memory(error);
    for (int i = 0; i < impact->n; i++)
        s.x[i] = geometry->u[i] - geometry->b[i];
    carom_status status = carom_tangent_make(geometry, arena, &tangent, error);
    if (!status)
        status = carom_cone_project(&tangent.cone, s.x, arena, &pr, error);
    if (status)
        return status;
    s.z = pr.z;
    s.speed = sqrt(carom_geometry_dot(geometry, s.x, s.x));
    s.least = sqrt(carom_geometry_dot(geometry, s.z, s.z));
    if (s.polyhedral)
        status = make_coordinates(&s, arena, error);
    if (!status)
        *set = s;
    return status;
}

carom_status carom_admissible_contains(const carom_admissible *set, const double *u,
                                       double tolerance, carom_arena *arena,
                                       carom_membership *membership, carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, u, arena, membership);
    const carom_geometry *g = set->geometry;
    int n = g->impact->n;
    carom_mark mark = carom_arena_mark(arena);
    double *y = carom_arena_doubles(arena, 2 * (size_t)n);
    if (!y)
        return carom_error_memory(error);
    double *d = y + n, allowed = (tolerance > 0 ? tolerance : CAROM_VERDICT_TOLERANCE) * set->speed;
    for (int i = 0; i < n; i++) {
        y[i] = u[i] - g->b[i];
        d[i] = set->x[i] - y[i];
    }
    /* y in T: distance |y - prox_T y|. x - y in T_perp: distance |prox_T(x - y)|. */
    carom_tangent tangent;
    carom_projection to_y, to_d;
    carom_status status = carom_tangent_make(g, arena, &tangent, error);
    if (!status)
        status = carom_cone_project(&tangent.cone, y, arena, &to_y, error);
    if (!status)
        status = carom_cone_project(&tangent.cone, d, arena, &to_d, error);
    if (!status) {
        carom_membership m = {0};
        m.kinematic_gap = to_y.distance;
        m.kinetic_gap = sqrt(carom_geometry_dot(g, to_d.z, to_d.z));
        m.energy_gap = sqrt(carom_geometry_dot(g, y, y)) - set->speed;
        carom_membership_judge(&m, allowed);
        *membership = m;
    }
    carom_arena_rewind(arena, mark);
    return status;
}

/* The ball is met by shrinking y_0 towards its centre: for some t in [0, 1] the nearest point of
 * the polyhedron to t y_0 has the radius of the ball (t = 1/(1 + mu), mu the ball's multiplier). */
static void nearest_in_set(const carom_polyhedron *in, double ball, const double *y_0,
                           carom_arena *arena, double *y)
{
    double low = 0, high = 1;
    carom_polyhedron_nearest(in, y_0, 1, arena, y);
    if (carom_dense_norm(in->k, y) <= ball)
        return;
    for (int step = 0; step < 120 && high - low > 1e-17 * high; step++) {
        double middle = low > 0 && high / low > 4 ? sqrt(low * high) : 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        carom_polyhedron_nearest(in, y_0, middle, arena, y);
        if (carom_dense_norm(in->k, y) <= ball)
            low = middle;
        else
            high = middle;
    }
    carom_polyhedron_nearest(in, y_0, low, arena, y);
}

carom_status carom_admissible_distance(const carom_admissible *set, const double *u,
                                       carom_arena *arena, double *nearest, double *distance,
                                       carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, u, arena, nearest, distance);
    const carom_geometry *g = set->geometry;
    int n = g->impact->n, k = set->k;
    if (!set->polyhedral)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "distance to the admissible set: not with second-order cones");
    carom_mark mark = carom_arena_mark(arena);
    double *y = carom_arena_doubles(arena, 2 * (size_t)n + 3 * (size_t)k);
    if (!y)
        return carom_error_memory(error);
    double *at = y + n, *c = at + n, *y_0 = c + k, *found = y_0 + k;
    for (int i = 0; i < n; i++)
        y[i] = u[i] - g->b[i];
    for (int l = 0; l < k; l++)
        c[l] = carom_geometry_dot(g, set->basis + (size_t)l * n, y);
    for (int l = 0; l < set->rank; l++)
        y_0[l] = carom_dense_dot(k, set->span + (size_t)l * k, c);
    carom_polyhedron in;
    carom_status status = carom_polyhedron_make(set, arena, &in, error);
    if (!status)
        status = carom_arena_reserve(arena, carom_polyhedron_bytes(set), error);
    if (!status) {
        nearest_in_set(&in, carom_dense_norm(k, set->x_c), y_0, arena, found);
        memset(c, 0, (size_t)k * sizeof(double));
        carom_dense_gemv(k, set->rank, 1, set->span, k, found, c);
        carom_dense_copy(n, set->x_0, at);
        carom_dense_gemv(n, k, 1, set->basis, n, c, at);
        for (int i = 0; i < n; i++) {
            y[i] -= at[i];
            nearest[i] = at[i] + g->b[i];
        }
        *distance = sqrt(carom_geometry_dot(g, y, y));
    }
    carom_arena_rewind(arena, mark);
    return status;
}

double carom_admissible_radius(const carom_admissible *s, double epsilon, carom_reading reading)
{
    CAROM_NEED_OR(NAN, s);
    if (reading == CAROM_READING_RADIUS)
        return (1 - epsilon) * s->least + epsilon * s->speed;
    double gap = s->speed * s->speed - s->least * s->least;
    return sqrt(s->least * s->least + epsilon * epsilon * fmax(0, gap));
}

/* The inverse of the radius. */
static double level_of(const carom_admissible *s, double radius)
{
    const double lost = radius * radius - s->least * s->least;
    const double most = s->speed * s->speed - s->least * s->least;
    const double level = most > 0 ? copysign(sqrt(fabs(lost / most)), lost) : NAN;
    return fabs(level) <= CAROM_TOLERANCE_SAME ? 0 : level; /* half the digits of the squares */
}

carom_status carom_admissible_locate(const carom_admissible *set, const double *u, double tolerance,
                                     carom_arena *arena, carom_admissible_place *place,
                                     carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, u, arena, place);
    const carom_geometry *g = set->geometry;
    const int n = g->impact->n;
    *place = (carom_admissible_place){0};
    carom_mark mark = carom_arena_mark(arena);
    double *y = carom_arena_doubles(arena, (size_t)n + 1);
    if (!y)
        return carom_error_memory(error);
    carom_status status =
        carom_admissible_contains(set, u, tolerance, arena, &place->membership, error);
    if (!status && !place->membership.inside)
        status = carom_admissible_distance(set, u, arena, y, &place->distance, error);
    for (int i = 0; i < n; i++)
        y[i] = u[i] - g->b[i];
    place->level = level_of(set, sqrt(fmax(0, carom_geometry_dot(g, y, y))));
    carom_arena_rewind(arena, mark);
    return status;
}
