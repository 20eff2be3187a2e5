/* Points of the set of admissible outcomes: corners of levels, extreme points, arcs, outline. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carom/admissible.h"
#include "carom/cone.h"
#include "carom/need.h"
#include "carom/tolerance.h"
#include "linalg/dense.h"

/* Relative error of a sum of products of computed coordinates, for each term. */
static const double ROUNDING = 32 * DBL_EPSILON;

/* The polyhedron facet'c >= bound as convex hull: vertices, directions, and which span edges. */
typedef struct hull {
    int k, count;
    double *point;  /* k x count: vertices, or unit directions */
    bool *vertex;   /* count */
    uint64_t *zero; /* count: facets that hold it; bit `facets` for directions */
} hull;

static carom_status refuse(const char *what, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                           "%s of the admissible set: not with second-order cones", what);
}

/* Extreme rays of the homogenised cone { (c, s) : facet'c - bound s >= 0, s >= 0 }, lengths in
 * units of the speed. */
static carom_status hull_make(const carom_admissible *s, carom_arena *arena, hull *h,
                              carom_error *error)
{
    int k = s->k, m = s->facets, count;
    double unit = s->speed > 0 ? s->speed : 1, *rays;
    double *A = carom_arena_zeros(arena, (size_t)(k + 1) * (size_t)(m + 1), sizeof(double));
    if (!A)
        return carom_error_memory(error);
    for (int j = 0; j < m; j++) {
        memcpy(A + (size_t)j * (size_t)(k + 1), s->facet + (size_t)j * k,
               (size_t)k * sizeof(double));
        A[k + (size_t)j * (size_t)(k + 1)] = -s->bound[j] / unit;
    }
    A[k + (size_t)m * (size_t)(k + 1)] = 1;
    carom_status status = carom_cone_rays(k + 1, m + 1, A, arena, &rays, &count, error);
    if (status)
        return status;
    *h = (hull){.k = k, .count = count};
    h->point = carom_arena_doubles(arena, (size_t)k * (size_t)count + 1);
    h->vertex = carom_arena_array(arena, (size_t)count, sizeof(bool));
    h->zero = carom_arena_zeros(arena, (size_t)count, sizeof(uint64_t));
    if (!h->point || !h->vertex || !h->zero)
        return carom_error_memory(error);
    for (int i = 0; i < count; i++) {
        const double *ray = rays + (size_t)i * (size_t)(k + 1);
        h->vertex[i] = ray[k] > CAROM_TOLERANCE_SAME;
        for (int l = 0; l < k; l++)
            h->point[l + (size_t)i * k] = h->vertex[i] ? ray[l] / ray[k] * unit : ray[l];
        for (int j = 0; j <= m; j++)
            if (fabs(carom_dense_dot(k + 1, ray, A + (size_t)j * (size_t)(k + 1))) <=
                CAROM_TOLERANCE_SAME)
                h->zero[i] |= (uint64_t)1 << j;
    }
    return CAROM_OK;
}

/* Two extreme rays span a face of dimension two iff no third one lies on all their facets. */
static bool hull_adjacent(const hull *h, int a, int b)
{
    uint64_t both = h->zero[a] & h->zero[b];
    for (int i = 0; i < h->count; i++)
        if (i != a && i != b && (h->zero[i] & both) == both)
            return false;
    return true;
}

/* ---- Collections of points --------------------------------------------------------------------*/

static size_t points_numbers(const carom_admissible *s, int capacity)
{
    return ((size_t)s->geometry->impact->n + (size_t)s->k) * (size_t)capacity;
}

/* numbers: room for `capacity` points. */
static carom_admissible_points points_begin(const carom_admissible *s, int capacity,
                                            double *numbers)
{
    const size_t n = (size_t)s->geometry->impact->n;
    return (carom_admissible_points){.u = numbers, .plane = numbers + n * (size_t)capacity};
}

/* Add the point with coordinates c. */
static void points_add(const carom_admissible *s, const double *c, carom_admissible_points *p)
{
    const carom_geometry *g = s->geometry;
    int n = g->impact->n, k = s->k;
    double *u = p->u + (size_t)p->count * n;
    memcpy(p->plane + (size_t)p->count * k, c, (size_t)k * sizeof(double));
    for (int i = 0; i < n; i++)
        u[i] = s->x_0[i] + g->b[i];
    carom_dense_gemv(n, k, 1, s->basis, n, c, u);
    p->count++;
}

static void points_add_new(const carom_admissible *s, const double *c, carom_admissible_points *p)
{
    for (int i = 0; i < p->count; i++) {
        double far = 0;
        for (int l = 0; l < s->k; l++)
            far = fmax(far, fabs(c[l] - p->plane[l + (size_t)i * s->k]));
        if (far <= CAROM_TOLERANCE_SAME * s->speed)
            return;
    }
    points_add(s, c, p);
}

/* Where the edge from vertex a towards b (a vertex, or a direction) crosses the sphere |c| = r: at
 * t_0 -+ h, from + t_0 d the point of its line nearest to the centre, h half the chord. A line that
 * is as far away as the sphere, to the rounding of its terms, touches it there. */
static void cross_edge(const carom_admissible *s, const hull *h, int a, int b, double r, double *d,
                       carom_admissible_points *p)
{
    int k = s->k;
    const double *from = h->point + (size_t)a * k, *to = h->point + (size_t)b * k;
    double *c = d + k;
    for (int l = 0; l < k; l++)
        d[l] = h->vertex[b] ? to[l] - from[l] : to[l];
    const double dd = carom_dense_dot(k, d, d), t_0 = -carom_dense_dot(k, from, d) / dd;
    if (!(dd > 0))
        return;
    for (int l = 0; l < k; l++)
        c[l] = from[l] + t_0 * d[l];
    const double terms = carom_dense_dot(k, from, from) + t_0 * t_0 * dd + r * r;
    const double depth = r * r - carom_dense_dot(k, c, c), rounding = ROUNDING * (k + 1) * terms;
    if (depth < -rounding)
        return;
    const double half = depth > rounding ? sqrt(depth / dd) : 0,
                 reach = CAROM_TOLERANCE_SAME * s->speed / sqrt(dd);
    for (int side = -1; side <= (half > 0); side += 2) {
        double t = t_0 + side * half;
        if (t < -reach || (h->vertex[b] && t > 1 + reach))
            continue;
        t = fmax(0, h->vertex[b] ? fmin(t, 1) : t);
        for (int l = 0; l < k; l++)
            c[l] = from[l] + t * d[l];
        points_add_new(s, c, p);
    }
}

static void cross_edges(const carom_admissible *s, const hull *h, double r, double *work,
                        carom_admissible_points *p)
{
    for (int a = 0; a < h->count; a++)
        for (int b = 0; b < h->count; b++)
            if (h->vertex[a] && a != b && (!h->vertex[b] || a < b) && hull_adjacent(h, a, b))
                cross_edge(s, h, a, b, r, work, p);
}

/* Is the point with these coordinates in the polyhedron? */
static bool holds(const carom_admissible *s, const double *c)
{
    for (int j = 0; j < s->facets; j++)
        if (carom_dense_dot(s->k, s->facet + (size_t)j * s->k, c) <
            s->bound[j] - CAROM_TOLERANCE_SAME * s->speed)
            return false;
    return true;
}

/* Radius of a level in the coordinates of the basis. */
static double plane_radius(const carom_admissible *s, double epsilon, carom_reading reading)
{
    double r = carom_admissible_radius(s, epsilon, reading);
    return sqrt(fmax(0, (r - s->offset) * (r + s->offset)));
}

/* The global index reaches the level at z - t z_perp, z_perp = x - z: |z|^2 + t^2 |z_perp|^2 = r^2
 * with |z_perp|^2 = |x|^2 - |z|^2. */
static double index_of_level(const carom_admissible *s, double epsilon, carom_reading reading)
{
    if (reading == CAROM_READING_ENERGY || !(s->speed > s->least))
        return epsilon;
    const double r = carom_admissible_radius(s, epsilon, reading);
    return sqrt(epsilon * (r + s->least) / (s->speed + s->least));
}

static carom_status check_level(const carom_admissible *s, double epsilon, carom_error *error)
{
    if (!s->polyhedral)
        return refuse("levels", error);
    if (!(epsilon >= 0 && epsilon <= 1))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "dissipation level %g is outside [0, 1]", epsilon);
    return CAROM_OK;
}

carom_status carom_admissible_level(const carom_admissible *set, double epsilon,
                                    carom_reading reading, carom_arena *arena,
                                    carom_admissible_points *points, carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, arena, points);
    carom_status status = check_level(set, epsilon, error);
    if (status)
        return status;
    hull h;
    status = hull_make(set, arena, &h, error);
    if (status)
        return status;
    const int k = set->k, most = 2 * h.count * h.count + 2;
    double *work = carom_arena_doubles(arena, 2 * (size_t)k + points_numbers(set, most));
    if (!work)
        return carom_error_memory(error);
    carom_admissible_points p = points_begin(set, most, work + 2 * k);
    const double r = plane_radius(set, epsilon, reading), t = index_of_level(set, epsilon, reading);
    for (int l = 0; l < k; l++)
        work[l] = set->z_c[l] - t * (set->x_c[l] - set->z_c[l]);
    if (holds(set, work))
        points_add(set, work, &p);
    if (carom_admissible_radius(set, epsilon, reading) >
        set->least) /* else the sphere touches S in z */
        cross_edges(set, &h, r, work, &p);
    *points = p;
    return CAROM_OK;
}

carom_status carom_admissible_extremes(const carom_admissible *set, carom_arena *arena,
                                       carom_admissible_points *points, int *vertices,
                                       carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, arena, points, vertices);
    if (!set->polyhedral)
        return refuse("extreme points", error);
    hull h;
    carom_status status = hull_make(set, arena, &h, error);
    if (status)
        return status;
    const int most = 2 * h.count * h.count + h.count + 1;
    double *work = carom_arena_doubles(arena, 2 * (size_t)set->k + points_numbers(set, most));
    if (!work)
        return carom_error_memory(error);
    carom_admissible_points p = points_begin(set, most, work + 2 * set->k);
    double ball = carom_dense_norm(set->k, set->x_c);
    for (int i = 0; i < h.count; i++)
        if (h.vertex[i] && carom_dense_norm(set->k, h.point + (size_t)i * set->k) <=
                               ball + CAROM_TOLERANCE_SAME * set->speed)
            points_add_new(set, h.point + (size_t)i * set->k, &p);
    *vertices = p.count;
    cross_edges(set, &h, ball, work, &p);
    *points = p;
    return CAROM_OK;
}

/* ---- The plane, k = 2 -------------------------------------------------------------------------*/

static int compare_angles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool holds_at(const carom_admissible *s, double r, double angle)
{
    double c = r * cos(angle), d = r * sin(angle);
    for (int j = 0; j < s->facets; j++) {
        const double *f = s->facet + 2 * (size_t)j;
        if (f[0] * c + f[1] * d < s->bound[j] - CAROM_TOLERANCE_SAME * s->speed)
            return false;
    }
    return true;
}

/* Angles where the circle of radius r crosses the facets, sorted, in [start, start + 2 pi). */
static int crossings(const carom_admissible *s, double r, double *angles)
{
    int count = 0;
    for (int j = 0; j < s->facets; j++) {
        const double *f = s->facet + 2 * (size_t)j;
        double q = r > 0 ? s->bound[j] / r : 2;
        if (fabs(q) > 1 + CAROM_TOLERANCE_SAME)
            continue;
        double middle = atan2(f[1], f[0]), half = acos(fmax(-1, fmin(1, q)));
        for (int side = -1; side <= 1; side += 2)
            angles[count++] = remainder(middle + side * half, 2 * CAROM_PI);
    }
    qsort(angles, (size_t)count, sizeof *angles, compare_angles);
    return count;
}

/* The intervals of angles that S keeps of the circle: between neighbouring crossings all or
 * nothing holds; touching intervals are joined; single points are kept when nothing else is. */
static int keep_arcs(const carom_admissible *s, double r, const double *angles, int count,
                     carom_admissible_arc *arcs)
{
    const double turn = 2 * CAROM_PI;
    int found = 0;
    if (count == 0) {
        if (holds_at(s, r, 0))
            arcs[found++] = (carom_admissible_arc){.from = 0, .to = r > 0 ? turn : 0, .radius = r};
        return found;
    }
    for (int i = 0; i < count; i++) {
        double from = angles[i], to = i + 1 < count ? angles[i + 1] : angles[0] + turn;
        if (to - from <= CAROM_TOLERANCE_SAME || !holds_at(s, r, 0.5 * (from + to)))
            continue;
        if (found && from - arcs[found - 1].to <= 2 * CAROM_TOLERANCE_SAME)
            arcs[found - 1].to = to;
        else
            arcs[found++] = (carom_admissible_arc){.from = from, .to = to, .radius = r};
    }
    if (found > 1 && arcs[0].from + turn - arcs[found - 1].to <= 2 * CAROM_TOLERANCE_SAME) {
        arcs[0].from = arcs[found - 1].from - turn; /* joined over the cut of the angle */
        found--;
    }
    for (int i = 0; i < count && !found; i++)
        if (holds_at(s, r, angles[i]))
            arcs[found++] = (carom_admissible_arc){.from = angles[i], .to = angles[i], .radius = r};
    return found;
}

carom_status carom_admissible_arcs(const carom_admissible *set, double epsilon,
                                   carom_reading reading, int segments, carom_arena *arena,
                                   carom_admissible_arc **arcs, int *count, carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, arena, arcs, count);
    carom_status status = check_level(set, epsilon, error);
    if (!status && (set->k != 2 || segments < 1))
        status = carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                 "arcs need two independent contacts and at least one segment, "
                                 "not %d and %d",
                                 set->k, segments);
    if (status)
        return status;
    size_t most = 2 * (size_t)set->facets + 1;
    double *angles = carom_arena_doubles(arena, most);
    carom_admissible_arc *found = carom_arena_array(arena, most, sizeof *found);
    if (!angles || !found)
        return carom_error_memory(error);
    double r = plane_radius(set, epsilon, reading);
    int kept = keep_arcs(set, r, angles, crossings(set, r, angles), found);
    const size_t line = points_numbers(set, segments + 1);
    double *numbers = carom_arena_array(arena, (size_t)kept, line * sizeof *numbers);
    if (!numbers)
        return carom_error_memory(error);
    for (int i = 0; i < kept; i++) {
        carom_admissible_arc *a = found + i;
        int pieces = a->to > a->from ? segments : 0;
        a->line = points_begin(set, pieces + 1, numbers + (size_t)i * line);
        for (int j = 0; j <= pieces; j++) {
            double angle = a->from + (a->to - a->from) * (pieces ? (double)j / pieces : 0);
            points_add(set, (double[2]){r * cos(angle), r * sin(angle)}, &a->line);
        }
    }
    *arcs = found;
    *count = kept;
    return CAROM_OK;
}

/* Corners and arc points of a convex set, in the order of their angle about their centre. */
static void sort_around(carom_admissible_points *p, int n)
{
    double centre[2] = {0, 0};
    for (int i = 0; i < p->count; i++)
        for (int l = 0; l < 2; l++)
            centre[l] += p->plane[l + 2 * i] / p->count;
    for (int i = 1; i < p->count; i++) /* insertion: short lists, nearly sorted */
        for (int j = i; j > 0; j--) {
            double *a = p->plane + 2 * (size_t)(j - 1), *b = a + 2;
            if (atan2(a[1] - centre[1], a[0] - centre[0]) <=
                atan2(b[1] - centre[1], b[0] - centre[0]))
                break;
            double *ua = p->u + (size_t)(j - 1) * n, *ub = ua + n;
            for (int l = 0; l < 2 + n; l++) {
                double *x = l < 2 ? a + l : ua + l - 2, *y = l < 2 ? b + l : ub + l - 2, swap = *x;
                *x = *y;
                *y = swap;
            }
        }
}

carom_status carom_admissible_outline(const carom_admissible *set, int segments, carom_arena *arena,
                                      carom_admissible_points *line, carom_error *error)
{
    CAROM_NEED(error, set, set->geometry, arena, line);
    if (!set->polyhedral || set->k > 2 || segments < 1)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "an outline is drawn for half-spaces with at most two independent "
                               "contacts (here %d) and at least one segment (here %d)",
                               set->k, segments);
    carom_admissible_points corners;
    int vertices, arc_count = 0, most = 0;
    carom_admissible_arc *arcs = NULL;
    carom_status status = carom_admissible_extremes(set, arena, &corners, &vertices, error);
    if (!status && set->k == 2)
        status = carom_admissible_arcs(set, 1, CAROM_READING_ENERGY, segments, arena, &arcs,
                                       &arc_count, error);
    if (status)
        return status;
    for (int i = 0; i < arc_count; i++)
        most += arcs[i].line.count;
    const int all = corners.count + most;
    double *numbers = carom_arena_doubles(arena, points_numbers(set, all));
    if (!numbers)
        return carom_error_memory(error);
    carom_admissible_points p = points_begin(set, all, numbers);
    for (int i = 0; i < corners.count; i++)
        points_add(set, corners.plane + (size_t)i * set->k, &p);
    for (int i = 0; i < arc_count; i++)
        for (int j = 0; j < arcs[i].line.count; j++)
            points_add_new(set, arcs[i].line.plane + 2 * (size_t)j, &p);
    if (set->k == 2)
        sort_around(&p, set->geometry->impact->n);
    *line = p;
    return CAROM_OK;
}
