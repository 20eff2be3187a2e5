/* The plane of velocities in the kinetic metric: its axes, and what is drawn in it. */
#include "pictures/velocity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FAR = 20 }; /* beyond every frame */

/* Make e unit in the kinetic metric; false when it is zero. */
static bool normalise(const carom_geometry *g, double *e)
{
    double norm = sqrt(carom_geometry_dot(g, e, e));
    for (int i = 0; i < g->impact->n && norm > 0; i++)
        e[i] /= norm;
    return norm > 0;
}

static carom_status make_axes(carom_velocity *v, carom_error *error)
{
    const carom_geometry *g = v->geometry;
    int n = g->impact->n;
    const double *a = g->Y, *b = g->Y + n;
    double along = 0;
    for (int i = 0; i < n; i++) {
        bool two = g->impact->p == 2;
        v->e_y[i] = a[i] / g->norm[0] + (two ? b[i] / g->norm[1] : 0);
        v->e_x[i] = two ? b[i] / g->norm[1] - a[i] / g->norm[0] : v->set.x[i];
    }
    if (!normalise(g, v->e_y))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "opposite contacts have no plane");
    along = carom_geometry_dot(g, v->e_x, v->e_y);
    for (int i = 0; i < n; i++)
        v->e_x[i] -= along * v->e_y[i];
    if (!normalise(g, v->e_x))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the velocities are on one line");
    return CAROM_OK;
}

carom_status carom_velocity_make(carom_drawing *d, const carom_geometry *g, bool relative,
                                 carom_velocity *v, carom_error *error)
{
    size_t n = (size_t)g->impact->n;
    *v = (carom_velocity){.geometry = g};
    carom_status status = carom_admissible_make(g, d->arena, &v->set, error);
    if (status)
        return status;
    v->e_x = carom_arena_doubles(d->arena, n);
    v->e_y = carom_arena_doubles(d->arena, n);
    if (!v->e_x || !v->e_y)
        return carom_error_memory(error);
    status = make_axes(v, error);
    if (status)
        return status;
    v->unit = v->set.speed;
    for (int j = 0; j < g->impact->p; j++) {
        v->normal[2 * j] = carom_geometry_dot(g, v->e_x, g->Y + (size_t)j * n) / g->norm[j];
        v->normal[2 * j + 1] = carom_geometry_dot(g, v->e_y, g->Y + (size_t)j * n) / g->norm[j];
    }
    double b[2];
    carom_velocity_at(v, g->b, b);
    memcpy(relative ? v->origin : v->tip, b, sizeof b);
    carom_velocity_at(v, g->u, v->x);
    for (int k = 0; k < 2; k++) {
        const double *e = k ? v->e_y : v->e_x;
        v->z[k] = v->tip[k] + carom_geometry_dot(g, e, v->set.z) / v->unit;
        v->z_perp[k] = v->x[k] - v->z[k];
    }
    return CAROM_OK;
}

void carom_velocity_at(const carom_velocity *v, const double *u, double xy[2])
{
    xy[0] = carom_geometry_dot(v->geometry, v->e_x, u) / v->unit - v->origin[0];
    xy[1] = carom_geometry_dot(v->geometry, v->e_y, u) / v->unit - v->origin[1];
}

double carom_velocity_radius(const carom_velocity *v, double r)
{
    double out = 0; /* the part of x outside the plane, which no impulse changes */
    for (int k = 0; k < 2; k++)
        out += pow(v->x[k] - v->tip[k], 2);
    return sqrt(fmax(0, r * r - (1 - out)));
}

/* The sector between two directions at a tip, wide enough for every frame: fill and edges. */
static void sector(carom_plot *plot, int colour, const double tip[2], const double a[2],
                   const double b[2])
{
    char fill[16], edge[16];
    snprintf(fill, sizeof fill, "f%d", colour);
    snprintf(edge, sizeof edge, "c%d", colour);
    double m[2] = {a[0] + b[0], a[1] + b[1]};
    double xy[8] = {tip[0] + FAR * a[0],
                    tip[1] + FAR * a[1],
                    tip[0],
                    tip[1],
                    tip[0] + FAR * b[0],
                    tip[1] + FAR * b[1],
                    tip[0] + FAR * m[0],
                    tip[1] + FAR * m[1]};
    carom_plot_area(plot, fill, 4, xy);
    carom_plot_curve(plot, edge, 3, xy);
}

carom_status carom_velocity_tangent(carom_drawing *d, const carom_velocity *v, carom_plot *plot,
                                    int colour, carom_error *error)
{
    if (v->geometry->impact->p == 1) {
        char fill[16], edge[16];
        snprintf(fill, sizeof fill, "f%d", colour);
        snprintf(edge, sizeof edge, "c%d", colour);
        const double *t = v->tip;
        carom_plot_area(plot, fill, 4, (double[]){-FAR, t[1], FAR, t[1], FAR, FAR, -FAR, FAR});
        carom_plot_line(plot, edge, -FAR, t[1], FAR, t[1]);
        return CAROM_OK;
    }
    double *rays;
    int count;
    carom_status status = carom_cone_rays(2, 2, v->normal, d->arena, &rays, &count, error);
    if (!status && count == 2)
        sector(plot, colour, v->tip, rays, rays + 2);
    return status;
}

void carom_velocity_normal(const carom_velocity *v, carom_plot *plot, int colour,
                           const double tip[2], double sign)
{
    double a[2] = {sign * v->normal[0], sign * v->normal[1]};
    double b[2] = {sign * v->normal[2], sign * v->normal[3]};
    if (v->geometry->impact->p == 2)
        sector(plot, colour, tip, a, b);
    else
        sector(plot, colour, tip, a, a);
}

/* Points of the library in coordinates of the plane. */
static double *to_plane(carom_drawing *d, const carom_velocity *v,
                        const carom_admissible_points *points)
{
    double *xy = carom_drawing_pairs(d, points->count);
    for (int k = 0; xy && k < points->count; k++)
        carom_velocity_at(v, points->u + (size_t)k * (size_t)v->geometry->impact->n, xy + 2 * k);
    return xy;
}

carom_status carom_velocity_outcomes(carom_drawing *d, const carom_velocity *v, carom_plot *plot,
                                     const char *style, carom_error *error)
{
    carom_admissible_points line;
    carom_status status = carom_admissible_outline(&v->set, 96, d->arena, &line, error);
    if (status)
        return status;
    double *xy = to_plane(d, v, &line);
    if (!xy)
        return carom_error_memory(error);
    if (line.count > 2)
        carom_plot_area(plot, style, line.count, xy);
    else
        carom_plot_curve(plot, style, line.count, xy);
    return CAROM_OK;
}

carom_status carom_velocity_level(carom_drawing *d, const carom_velocity *v, carom_plot *plot,
                                  const char *style, double epsilon, carom_error *error)
{
    carom_admissible_arc *arcs;
    int count;
    carom_status status = carom_admissible_arcs(&v->set, epsilon, CAROM_READING_ENERGY, 96,
                                                d->arena, &arcs, &count, error);
    for (int k = 0; k < count && !status; k++) {
        double *xy = to_plane(d, v, &arcs[k].line);
        if (!xy)
            return carom_error_memory(error);
        carom_plot_curve(plot, style, arcs[k].line.count, xy);
    }
    return status;
}

void carom_velocity_arrow(carom_plot *plot, const char *style, const double from[2],
                          const double to[2], double dx, double dy, char anchor, const char *text)
{
    carom_plot_arrow(plot, style, from[0], from[1], to[0], to[1]);
    carom_plot_label(plot, style, to[0], to[1], dx, dy, anchor, text);
}
