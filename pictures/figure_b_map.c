/* Brogliato, kinetic quasi-velocities: what its propositions say, drawn: consistency regions, the
 * ellipse of conservative outcomes, critical friction. */
#include "pictures/drawing.h"

#include "carom/certify.h"
#include "carom/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAPER "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts and friction, "

/* ---- The ellipse of conservative outcomes ---- */

static const char three_balls[] = "carom: 1\n"
                                  "impact:\n"
                                  "  mass: [1, 1, 1]\n"
                                  "  velocity: [1, 0, 0]\n"
                                  "  contacts:\n"
                                  "    - {normal: [-1, 1, 0], restitution: 1}\n"
                                  "    - {normal: [0, -1, 1], restitution: 1}\n";

/* Coefficients e_1 = v_1+/-v_1-, e_21 = v_2+/-v_1- of normalised velocities after the impact. */
static void coefficients(const carom_geometry *g, const double *gamma, double e[2])
{
    double approach = -g->gamma[0] / g->norm[0];
    e[0] = gamma[0] / g->norm[0] / approach;
    e[1] = gamma[1] / g->norm[1] / approach;
}

static carom_status draw_arc(carom_drawing *d, carom_plot *plot, const carom_geometry *g,
                             const char *style, double energy, carom_error *error)
{
    carom_same_energy curve;
    carom_status status = carom_same_energy_find(g, energy, 97, d->arena, &curve, error);
    if (status)
        return status;
    double approach = -g->gamma[0] / g->norm[0];
    for (int k = 0; k < 2 * curve.count; k++)
        curve.v[k] /= approach;
    carom_plot_curve(plot, style, curve.count, curve.v);
    return CAROM_OK;
}

static carom_status mark_law(carom_drawing *d, carom_plot *plot, carom_drawing_case *c,
                             const char *law, const char *style, const char *text,
                             carom_error *error)
{
    carom_outcome outcome;
    double e[2];
    carom_status status = carom_drawing_law(d, c, law, &outcome, error);
    if (status)
        return status;
    coefficients(&c->geometry, outcome.gamma, e);
    carom_plot_point(plot, style, e[0], e[1], 5);
    carom_plot_legend_point(plot, style, text);
    return CAROM_OK;
}

static carom_status ellipse(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_status status = carom_drawing_read(d, three_balls, NULL, &c, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_square(d, 380, -1.25, 1.25, -1.25, 1.25);
    carom_plot_axes(&plot, "`e`_1", "`e`_{21}");
    carom_plot_line(&plot, "c7 thin", -2, 0, 2, 0);
    carom_plot_line(&plot, "c7 thin", 0, -2, 0, 2);
    /* v'G^-1 v = 1 with G = [1 a; a 1]: e'e - 2a e_1 e_21 = 1 (normalised by the approach) */
    double a = c.geometry.D[2] / (c.geometry.norm[0] * c.geometry.norm[1]), whole[2 * 181];
    for (int k = 0; k <= 180; k++) {
        double t = CAROM_PI * k / 90, r = 1 / sqrt(1 - 2 * a * cos(t) * sin(t));
        whole[2 * k] = r * cos(t);
        whole[2 * k + 1] = r * sin(t);
    }
    carom_plot_curve(&plot, "c7 dashed", 181, whole);
    carom_plot_legend(&plot, "c7 dashed", "energy conserved");
    status = draw_arc(d, &plot, &c.geometry, "c0 thick", 1, error);
    carom_plot_legend(&plot, "c0 thick", "and consistent");
    const double parts[3] = {0.75, 0.5, 0.25};
    for (int k = 0; k < 3 && !status; k++)
        status = draw_arc(d, &plot, &c.geometry, "c5", parts[k], error);
    carom_plot_legend(&plot, "c5", "¾, ½, ¼ of the\nnormal energy left");
    if (!status)
        status = mark_law(d, &plot, &c, "moreau", "f1 solid", "`moreau`: (1, 0)", error);
    if (!status)
        status = mark_law(d, &plot, &c, "sequential", "f2 solid", "cradle: (0, 1)", error);
    if (!status)
        status = mark_law(d, &plot, &c, "lzb", "f3 solid", "compliant (`lzb`)", error);
    return status;
}

/* ---- Regions of admissible coefficients ---- */

static carom_status region(carom_drawing *d, double a, carom_error *error)
{
    enum { COUNT = 401 };
    carom_pair_region r;
    carom_status status = carom_pair_region_make(a, COUNT, d->arena, &r, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_square(d, 380, -1.15, 1.15, -1.15, 1.15);
    carom_plot_axes(&plot, "`e`_1", "`e`_2");
    double outline[4 * COUNT];
    for (int k = 0; k < r.count; k++) {
        int back = 2 * r.count - 1 - k;
        outline[2 * k] = outline[2 * back] = r.e1[k];
        outline[2 * k + 1] = r.lower[k];
        outline[2 * back + 1] = r.upper[k];
    }
    const double w = r.half_width, square[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
    if (r.square)
        carom_plot_area(&plot, "f4 c4 long", 4, square);
    else
        carom_plot_area(&plot, "c7 dotted", 4, square);
    carom_plot_area(&plot, "paper", 2 * r.count, outline); /* colours as in the legend */
    carom_plot_area(&plot, "f0 c0", 2 * r.count, outline);
    carom_plot_area(&plot, "paper", 4, (double[]){-w, -w, w, -w, w, w, -w, w});
    carom_plot_area(&plot, "f2 c2 dashed", 4, (double[]){-w, -w, w, -w, w, w, -w, w});
    carom_plot_disc(&plot, "paper", 0, 0, r.radius);
    carom_plot_disc(&plot, "f3 c3 dashdot", 0, 0, r.radius);
    if (r.square)
        carom_plot_legend_fill(&plot, "f4 c4 long", "exact, approaching\nvelocities (Prop. 2)");
    carom_plot_legend_fill(&plot, "f0 c0",
                           r.square ? "exact, all\nvelocities"
                                    : "exact, all and\napproaching (Prop. 2)");
    carom_plot_legend_fill(&plot, "f2 c2 dashed", "sufficient, Prop. 6");
    carom_plot_legend_fill(&plot, "f3 c3 dashdot", "sufficient, Prop. 7");
    if (!r.square)
        carom_plot_legend(&plot, "c7 dotted", "|`e`_{`i`}| = 1");
    return CAROM_OK;
}

static carom_status region_obtuse(carom_drawing *d, carom_error *error)
{
    return region(d, 0.5, error);
}

static carom_status region_acute(carom_drawing *d, carom_error *error)
{
    return region(d, -0.5, error);
}

/* ---- Critical friction over an angle ---- */

static const char rod[] = "carom: 1\n"
                          "parameters: {m: 1, l: 1, f: 1/3, mu: 1}\n"
                          "system:\n"
                          "  coordinates: [x, y, th]\n"
                          "  kinetic: m/2*(x'^2 + y'^2) + f*m*l^2/2*th'^2\n"
                          "  contacts:\n"
                          "    tip: {gap: y - l*sin(th), slip: x' + l*sin(th)*th', friction: mu}\n"
                          "initial: {y: l*sin(1), th: 1}\n";
static const char oscillator[] =
    "carom: 1\n"
    "parameters: {m1: 1, f: 0.1, s: 1, mu: 1}\n"
    "system:\n"
    "  coordinates: [y, ph]\n"
    "  kinetic: m1/2*y'^2 + f*m1/2*(s^2*ph'^2 + y'^2 + 2*s*sin(ph)*ph'*y')\n"
    "  contacts:\n"
    "    tip: {gap: y - s*cos(ph), slip: s*cos(ph)*ph', friction: mu}\n"
    "initial: {y: s*cos(1), ph: 1}\n";
static const char body[] = "carom: 1\n"
                           "parameters: {m: 1, f: 0.1, l: 1, r: 0.5, mu: 1}\n"
                           "system:\n"
                           "  coordinates: [x, y, ph]\n"
                           "  kinetic: m/2*(x'^2 + y'^2) + m*f*(l^2 + r^2)/2*ph'^2\n"
                           "  contacts:\n"
                           "    P: {gap: y - l*cos(ph) - r*sin(ph), slip: x' + (l*cos(ph) + "
                           "r*sin(ph))*ph', friction: mu}\n"
                           "initial: {y: l*cos(1) + r*sin(1), ph: 1}\n";

/* One curve: mu_c along the last coordinate, with its minima marked. */
typedef struct critical_curve {
    const char *scene, *set, *style, *mark, *text;
} critical_curve;

/* Mark the smooth minimum between two angles (degrees), as the library locates it. */
static carom_status mark_minimum(carom_drawing *d, carom_plot *plot, const critical_curve *curve,
                                 carom_drawing_case *c, double from, double to, carom_error *error)
{
    const double degree = CAROM_PI / 180;
    const carom_system *system = carom_scene_get(c->scene)->system;
    int last = carom_system_get_shape(system)->nq - 1;
    carom_critical_path path;
    carom_status status =
        carom_critical_along(system, &c->state, CAROM_TOLERANCE_SAME, last, from * degree,
                             to * degree, 9, NULL, NULL, d->arena, &path, error);
    if (!status && path.inside && path.least < plot->y_most)
        carom_plot_point(plot, curve->mark, path.at / degree, path.least, 4);
    return status;
}

static carom_status draw_critical(carom_drawing *d, carom_plot *plot, const critical_curve *curve,
                                  bool fill, carom_error *error)
{
    enum { COUNT = 361 };
    const double degree = CAROM_PI / 180;
    const char *const sets[] = {curve->set, NULL};
    double samples[COUNT], xy[2 * COUNT + 4], lower = plot->x_least, upper = plot->x_most;
    carom_drawing_case c;
    carom_critical_path path;
    carom_status status = carom_drawing_read(d, curve->scene, sets, &c, error);
    if (status)
        return status;
    const carom_system *system = carom_scene_get(c.scene)->system;
    int last = carom_system_get_shape(system)->nq - 1;
    status = carom_critical_along(system, &c.state, CAROM_TOLERANCE_SAME, last, lower * degree,
                                  upper * degree, COUNT, samples, NULL, d->arena, &path, error);
    if (status)
        return status;
    for (int k = 0; k < COUNT; k++) {
        xy[2 * k] = lower + (upper - lower) * k / (COUNT - 1);
        xy[2 * k + 1] = fmin(samples[k], 50 * plot->y_most); /* infinite: no critical friction */
    }
    if (fill) { /* everything above the curve */
        const double top = 60 * plot->y_most;
        memcpy(xy + 2 * COUNT, (double[]){upper, top, lower, top}, 4 * sizeof *xy);
        carom_plot_area(plot, "f1", COUNT + 2, xy);
    }
    carom_plot_curve(plot, curve->style, COUNT, xy);
    for (int k = 1; k + 1 < COUNT && !status; k++)
        if (samples[k] < samples[k - 1] && samples[k] <= samples[k + 1])
            status = mark_minimum(d, plot, curve, &c, xy[2 * k - 2], xy[2 * k + 2], error);
    carom_plot_legend(plot, curve->style, curve->text);
    return status;
}

static carom_status critical(carom_drawing *d, carom_plot *plot, int count,
                             const critical_curve *list, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < count && !status; k++)
        status = draw_critical(d, plot, &list[k], k == 0, error);
    carom_plot_legend_point(plot, "dot", "minimum");
    carom_plot_legend_fill(plot, "f1", "above `μ`_c of\nthe first");
    return status;
}

/* A frame with its legend beside it: the curves fill it. */
static carom_plot critical_frame(carom_drawing *d, double x_least, double x_most, double y_least,
                                 double y_most)
{
    carom_plot plot = carom_plot_make(&d->svg, 64, CAROM_DRAWING_TOP, 400, 350, x_least, x_most,
                                      y_least, y_most, false);
    carom_plot_legend_at(&plot, 1.03, 0.04);
    return plot;
}

static carom_status critical_rod(carom_drawing *d, carom_error *error)
{
    static const critical_curve list[] = {
        {rod, "f=1/3", "c0 thick", "f0 solid", "`I` = `m` `l`^{2}/3,\nhomogeneous"},
        {rod, "f=1/12", "c1 dashed", "f1 solid", "`I` = `m` `l`^{2}/12"},
        {rod, "f=1", "c2 dashdot", "f2 solid", "`I` = `m` `l`^{2},\nmass at the ends"}};
    carom_plot plot = critical_frame(d, 0, 90, 0, 6);
    plot.x_step = 15;
    carom_plot_axes(&plot, "angle  `θ`  (degrees)", "critical friction  `μ`_c");
    return critical(d, &plot, 3, list, error);
}

static carom_status critical_oscillator(carom_drawing *d, carom_error *error)
{
    static const critical_curve list[] = {
        {oscillator, "f=0.05", "c0 thick", "f0 solid", "`m`_2/`m`_1 = 0.05"},
        {oscillator, "f=0.25", "c1 dashed", "f1 solid", "`m`_2/`m`_1 = 0.25"},
        {oscillator, "f=1", "c2 dashdot", "f2 solid", "`m`_2/`m`_1 = 1"}};
    carom_plot plot = critical_frame(d, 0, 90, 0, 5);
    plot.x_step = 15;
    carom_plot_axes(&plot, "angle of the rod  `φ`  (degrees)", "critical friction  `μ`_c");
    return critical(d, &plot, 3, list, error);
}

static carom_status critical_body(carom_drawing *d, carom_error *error)
{
    static const critical_curve list[] = {{body, "f=0.02", "c0 thick", "f0 solid", "`κ` = 0.02"},
                                          {body, "f=0.1", "c1 dashed", "f1 solid", "`κ` = 0.1"},
                                          {body, "f=0.4", "c2 dashdot", "f2 solid", "`κ` = 0.4"}};
    carom_plot plot = critical_frame(d, -60, 120, 0, 6);
    plot.x_step = 30;
    carom_plot_axes(&plot, "angle  `φ`  (degrees)", "critical friction  `μ`_c");
    return critical(d, &plot, 3, list, error);
}

const carom_drawing_entry carom_figures_b_map[] = {
    {{"b-ellipse", "Three balls: all conservative restitution coefficients", PAPER "Example 1"},
     "Only `e`_1 and `e`_{21} act on `v`_n^{−} ∝ (−1, 0); energy is conserved on "
     "`e`_1^{2} + `e`_{21}^{2} + `e`_1`e`_{21} = 1 (sign corrected), consistent in the first "
     "quadrant.",
     430,
     ellipse},
    {{"b-region", "Two contacts: admissible restitution coefficients, obtuse kinetic angle",
      PAPER "Prop. 2, 6, 7 and Remark"},
     "`E`_{nn} = diag(`e`_1, `e`_2), `G`_{12} = ½ (kinetic angle 120°): no energy is gained iff "
     "(1 − `e`_1^{2})(1 − `e`_2^{2}) ≥ `G`_{12}^{2}(1 − `e`_1`e`_2)^{2}, |`e`_{`i`}| ≤ 1.",
     430,
     region_obtuse},
    {{"b-region-acute", "Two contacts: admissible restitution coefficients, acute kinetic angle",
      PAPER "Prop. 2, 6, 7 and Remark"},
     "`G`_{12} = −½ (kinetic angle 60°): for approaching velocities the whole square is "
     "admissible, for all velocities only the inner region.",
     430,
     region_acute},
    {{"b-critical-rod", "Critical friction of a rod over its angle",
      PAPER "Prop. 12, Painlevé's example"},
     "`μ`_c = (1 + 3cos^{2}`θ`)/(3|sin `θ` cos `θ`|) for the homogeneous rod, least 4/3 at "
     "tan `θ` = 2; above it the contact problem has no solution or several.",
     400,
     critical_rod},
    {{"b-critical-oscillator", "Critical friction of the frictional impact oscillator",
      PAPER "Prop. 12"},
     "`μ`_c = tan `φ` + (`m`_2/`m`_1)/tan `φ`, least 2(`m`_2/`m`_1)^{½}: arbitrarily small for a "
     "light tip.",
     400,
     critical_oscillator},
    {{"b-critical-body", "Critical friction of a planar body over its angle", PAPER "Prop. 12"},
     "Contact point at `l` = 1, `r` = ½; `κ` = `k`^{2}/(`l`^{2} + `r`^{2}) from the radius of "
     "gyration. The least value 2(`κ`(1 + `κ`))^{½} is reached at two angles.",
     400,
     critical_body},
    {{0}, NULL, 0, NULL},
};
