/* Glocker, concepts for modelling impacts without friction: geodesics at edges and corners, Fig. 6
 * and 9. */
#include "pictures/drawing.h"

#include "pictures/space.h"

#include <math.h>
#include <stdio.h>

#define PAPER "Glocker, concepts for modelling impacts without friction, "

/* A sheet z = 0 (x < 0) that bends up by s at the edge x = 0. */
static const char bent[] = "carom: 1\n"
                           "parameters: {s: 55*pi/180}\n"
                           "impact:\n"
                           "  mass: [1, 1, 1]\n"
                           "  velocity: [1, 0.55, 0]\n"
                           "  contacts:\n"
                           "    - {normal: [0, 0, 1]}\n"
                           "    - {normal: [-sin(s), 0, cos(s)]}\n";

static carom_status figure_6(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_outcome after;
    carom_status status = carom_drawing_read(d, bent, NULL, &c, error);
    if (!status)
        status = carom_drawing_law(d, &c, "bend", &after, error);
    if (status)
        return status;
    const double *u = c.geometry.u, *v = after.u, s = 55 * CAROM_PI / 180, w = 1.4, l = 1.7;
    const double C = cos(s), S = sin(s), hc = cos(s / 2), hs = sin(s / 2);
    carom_plot plot = carom_drawing_sketch(d, 340, -2.8, 3.6, -1.35, 2.05);
    carom_space space = carom_space_make(&plot, -118, 26);
    const double sheet_1[12] = {-l, -w, 0, 0, -w, 0, 0, w, 0, -l, w, 0};
    const double sheet_2[12] = {0, -w, 0, l * C, -w, l * S, l * C, w, l * S, 0, w, 0};
    const double flat[12] = {0, -w, 0, l, -w, 0, l, w, 0, 0, w, 0};
    const double mirror[12] = {-0.75 * hc, -w, -0.75 * hs, 1.2 * hc,   -w, 1.2 * hs,
                               1.2 * hc,   w,  1.2 * hs,   -0.75 * hc, w,  -0.75 * hs};
    carom_space_polygon(&space, "c7 dashed thin", 4, flat);
    carom_space_polygon(&space, "f4 c4 thin", 4, mirror);
    carom_space_polygon(&space, "f0 c0", 4, sheet_1);
    carom_space_polygon(&space, "f0 c0", 4, sheet_2);
    const double from[3] = {-1.4 * u[0], -1.4 * u[1], 0}, edge[3] = {0, 0, 0};
    const double on[3] = {1.4 * u[0], 1.4 * u[1], 0};
    const double up[3] = {1.4 * v[0], 1.4 * v[1], 1.4 * v[2]};
    carom_space_line(&space, "c1 thick", from, edge);
    carom_space_arrow(&space, "c1 dashed", edge, on);
    carom_space_arrow(&space, "c1 thick", edge, up);
    const double half[3] = {-0.7 * u[0], -0.7 * u[1], 0};
    carom_space_arrow(&space, "c1 thick", from, half);
    carom_space_label(&space, "c1", from, -7, 2, 'e', "`u`^{−}");
    carom_space_label(&space, "c1", up, 10, 2, 's', "`u`^{+}");
    carom_space_label(&space, "c7", flat + 3, 8, 6, 's', "sheet 2 unfolded");
    carom_space_label(&space, "ink", sheet_1 + 9, -8, 4, 'e', "sheet 1");
    carom_space_label(&space, "ink", sheet_2 + 6, -8, 0, 'e', "sheet 2");
    carom_space_label(&space, "c4", mirror, 8, 12, 's', "bisecting plane");
    return CAROM_OK;
}

/* A geodesic over faces of the cube's corner. Contacts are the two faces seen from inside: w_1 of
 * the face that is left, w_2 of the one that is reached. */
static const char fold[] = "carom: 1\n"
                           "impact:\n"
                           "  mass: [1, 1, 1]\n"
                           "  velocity: [1, 0, 0]\n"
                           "  contacts:\n"
                           "    - {normal: [0, 0, -1]}\n"
                           "    - {normal: [-1, 0, 0]}\n";

/* The velocity after crossing from the face with normal axis a to that with axis b. */
static carom_status cross(carom_drawing *d, carom_drawing_case *c, int a, int b, const double u[3],
                          double v[3], carom_error *error)
{
    double W[6] = {0};
    carom_outcome after;
    W[a] = -1;
    W[3 + b] = -1;
    c->impact.W = W;
    c->impact.u = u;
    carom_status status = carom_impact_derive(&c->impact, d->arena, &c->geometry, error);
    if (!status)
        status = carom_drawing_law(d, c, "bend", &after, error);
    for (int i = 0; i < 3 && !status; i++)
        v[i] = after.u[i];
    return status;
}

/* Two crossings, first onto `first` (axis 0 or 1), then onto the other; starts beside the ray into
 * the corner by `beside`. */
static carom_status geodesic(carom_drawing *d, const carom_space *space, const char *style,
                             int first, double beside, double tip[3], carom_error *error)
{
    carom_drawing_case c;
    carom_status status = carom_drawing_read(d, fold, NULL, &c, error);
    double u[3][3] = {{0.8, 0.6, 0}}, p[4][3];
    int second = 1 - first;
    if (!status)
        status = cross(d, &c, 2, first, u[0], u[1], error);
    if (!status)
        status = cross(d, &c, first, second, u[1], u[2], error);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        p[0][i] = -1.35 * u[0][i];
    /* off the ray, towards the edge that is crossed first */
    p[0][first] += beside * u[0][second];
    p[0][second] -= beside * u[0][first];
    double t_1 = -p[0][first] / u[0][first];
    for (int i = 0; i < 3; i++)
        p[1][i] = p[0][i] + t_1 * u[0][i];
    double t_2 = -p[1][second] / u[1][second];
    for (int i = 0; i < 3; i++) {
        p[2][i] = p[1][i] + t_2 * u[1][i];
        p[3][i] = p[2][i] + 1.15 * u[2][i];
    }
    carom_space_line(space, style, p[0], p[1]);
    carom_space_line(space, style, p[1], p[2]);
    carom_space_arrow(space, style, p[2], p[3]);
    for (int i = 0; i < 3; i++)
        tip[i] = p[3][i];
    return CAROM_OK;
}

static carom_status figure_9(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_sketch(d, 340, -2.6, 2.6, -1.65, 1.3);
    carom_space space = carom_space_make(&plot, 45, 32);
    const double n = -1.5, top[12] = {0, 0, 0, n, 0, 0, n, n, 0, 0, n, 0};
    const double right[12] = {0, 0, 0, n, 0, 0, n, 0, n, 0, 0, n};
    const double left[12] = {0, 0, 0, 0, n, 0, 0, n, n, 0, 0, n};
    carom_space_polygon(&space, "f0 c0", 4, top);
    carom_space_polygon(&space, "f7 c0", 4, right);
    carom_space_polygon(&space, "f5 c0", 4, left);
    const double from[3] = {-1.35 * 0.8, -1.35 * 0.6, 0}, corner[3] = {0, 0, 0};
    double tip_1[3], tip_2[3], xy[2];
    carom_status status = geodesic(d, &space, "c1", 0, 0.14, tip_1, error);
    if (!status)
        status = geodesic(d, &space, "c2", 1, 0.14, tip_2, error);
    carom_space_line(&space, "ink thick", from, corner);
    const double half[3] = {-0.6 * 0.8, -0.6 * 0.6, 0};
    carom_space_arrow(&space, "ink thick", from, half);
    carom_space_label(&space, "ink", from, 0, -12, 'm', "`u`^{−}");
    if (status)
        return status;
    carom_space_project(&space, corner, xy);
    carom_plot_point(&plot, "dot", xy[0], xy[1], 4);
    carom_plot_label(&plot, "ink", xy[0], xy[1], 0, -12, 'm', "?");
    carom_space_label(&space, "c1", tip_1, -4, 18, 'm', "path 1");
    carom_space_label(&space, "c2", tip_2, 10, 20, 'm', "path 2");
    return status;
}

const carom_drawing_entry carom_figures_g4_geodesic[] = {
    {{"g4-6", "Natural extension of a geodesic at a sharp edge",
      PAPER "Fig. 6 (law of the sharp bend)"},
     "The path is straight when the sheets are unfolded; `u`^{+} is `u`^{−} mirrored at the plane "
     "through the edge that bisects the two directions.",
     350,
     figure_6},
    {{"g4-9", "A geodesic at a corner has no unique extension", PAPER "Fig. 9"},
     "Two geodesics close to the one into the corner of a cube, on either side of it, each "
     "straight "
     "when unfolded over two edges, leave in different directions on different faces.",
     350,
     figure_9},
    {{0}, NULL, 0, NULL},
};
