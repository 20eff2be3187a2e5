/* Convex cones in the plane of a picture: their edges, polars and intersections with a frame. */
#include "pictures/plane_cone.h"

#include "carom/tolerance.h"
#include "pictures/svg.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From its sides to its half-planes. gap: the angle left free. */
static carom_plane_cone complete(double from, double to, double gap, bool line)
{
    double open = to - from;
    carom_plane_cone c = {.from = from, .to = to};
    c.shape = open < CAROM_TOLERANCE_SAME                    ? CAROM_PLANE_RAY
              : gap < CAROM_PI - CAROM_TOLERANCE_SAME        ? CAROM_PLANE_ALL
              : fabs(open - CAROM_PI) > CAROM_TOLERANCE_SAME ? CAROM_PLANE_SECTOR
              : line                                         ? CAROM_PLANE_LINE
                                                             : CAROM_PLANE_HALF;
    c.count = c.shape == CAROM_PLANE_SECTOR ? 2 : c.shape == CAROM_PLANE_HALF ? 1 : 0;
    c.normal[0][0] = -sin(from);
    c.normal[0][1] = cos(from);
    c.normal[1][0] = sin(to);
    c.normal[1][1] = -cos(to);
    return c;
}

/* Everything but the largest gap between the generators' directions, if that is a half turn or
 * more. */
carom_plane_cone carom_plane_cone_generate(int count, const double *generators, double *angles)
{
    int used = 0;
    double largest = 0;
    for (int k = 0; k < count; k++)
        largest = fmax(largest, hypot(generators[2 * k], generators[2 * k + 1]));
    for (int k = 0; k < count; k++)
        if (hypot(generators[2 * k], generators[2 * k + 1]) > CAROM_TOLERANCE_SAME * largest)
            angles[used++] = atan2(generators[2 * k + 1], generators[2 * k]);
    if (!used)
        return (carom_plane_cone){.shape = CAROM_PLANE_NOTHING};
    qsort(angles, (size_t)used, sizeof *angles, compare);
    double gap = angles[0] + 2 * CAROM_PI - angles[used - 1], from = angles[0],
           to = angles[used - 1];
    for (int k = 1; k < used; k++)
        if (angles[k] - angles[k - 1] > gap) {
            gap = angles[k] - angles[k - 1];
            from = angles[k];
            to = angles[k - 1] + 2 * CAROM_PI;
        }
    return complete(from, to, gap, used == 2);
}

/* The velocity shown at c, and what is known of it. */
static carom_status ask(const carom_velocity_view *view, const carom_admissible *set,
                        const double *c, double *u, carom_arena *arena,
                        carom_membership *membership, carom_error *error)
{
    const carom_geometry *g = view->geometry;
    size_t n = (size_t)g->impact->n;
    carom_mark mark = carom_arena_mark(arena);
    for (size_t i = 0; i < n; i++)
        u[i] = g->b[i] + view->x_0[i] + c[0] * view->basis[i] + c[1] * view->basis[n + i];
    carom_status status = carom_admissible_contains(set, u, 1e-7, arena, membership, error);
    carom_arena_rewind(arena, mark);
    return status;
}

static void places(const carom_velocity_view *view, const carom_admissible *set, double *u,
                   double *x, double *z)
{
    const carom_geometry *g = view->geometry;
    for (int i = 0; i < g->impact->n; i++)
        u[i] = set->z[i] + g->b[i];
    carom_velocity_view_place(view, g->u, x);
    carom_velocity_view_place(view, u, z);
}

carom_status carom_plane_cone_ask(const carom_velocity_view *view, const carom_admissible *set,
                                  carom_arena *arena, carom_plane_cone *cone, carom_error *error)
{
    double x[3] = {0}, z[3] = {0}, side[2];
    double *u = carom_arena_doubles(arena, (size_t)view->geometry->impact->n);
    *cone = (carom_plane_cone){.shape = CAROM_PLANE_NOTHING};
    if (!u)
        return carom_error_memory(error);
    places(view, set, u, x, z);
    if (!(hypot(z[0] - x[0], z[1] - x[1]) > CAROM_PICTURE_UNSEEN * view->speed))
        return CAROM_OK;
    double middle = atan2(z[1] - x[1], z[0] - x[0]);
    for (int k = 0; k < 2; k++) {
        double inside = 0, outside = CAROM_PI;
        for (int step = 0; step < 32; step++) {
            double angle = (inside + outside) / 2, at = middle + (k ? angle : -angle);
            double c[2] = {x[0] + view->speed * cos(at), x[1] + view->speed * sin(at)};
            carom_membership known;
            carom_status status = ask(view, set, c, u, arena, &known, error);
            if (status)
                return status;
            *(known.kinetic ? &inside : &outside) = angle;
        }
        side[k] = inside < 1e-5 ? 0 : inside;
    }
    *cone = complete(middle - side[0], middle + side[1], 2 * CAROM_PI - side[0] - side[1], false);
    return CAROM_OK;
}

carom_status carom_plane_cone_outline(const carom_velocity_view *view, const carom_admissible *set,
                                      int count, double *polygon, carom_arena *arena,
                                      carom_error *error)
{
    double x[3] = {0}, z[3] = {0};
    double *u = carom_arena_doubles(arena, (size_t)view->geometry->impact->n);
    if (!u)
        return carom_error_memory(error);
    places(view, set, u, x, z);
    for (int k = 0; k < count; k++) {
        double at = 2 * CAROM_PI * k / count, inside = 0, outside = 2 * view->speed;
        for (int step = 0; step < 24; step++) {
            double far = (inside + outside) / 2;
            double c[2] = {z[0] + far * cos(at), z[1] + far * sin(at)};
            carom_membership known;
            carom_status status = ask(view, set, c, u, arena, &known, error);
            if (status)
                return status;
            *(known.inside ? &inside : &outside) = far;
        }
        polygon[2 * k] = z[0] + inside * cos(at);
        polygon[2 * k + 1] = z[1] + inside * sin(at);
    }
    return CAROM_OK;
}
