/* Brogliato, kinetic quasi-velocities: the systems of Fig. 1, posed by their own gap functions. */
#include "pictures/drawing.h"

#include "carom/certify.h"
#include "pictures/sketch.h"

#include <math.h>
#include <stdio.h>

#define PAPER "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts and friction, "

/* A line of text beside the sketch, with numbers of the library. */
static void note(carom_plot *plot, int row, const char *format, ...) CAROM_PRINTF(3, 4);

static void note(carom_plot *plot, int row, const char *format, ...)
{
    char text[96];
    va_list list;
    va_start(list, format);
    carom_text_format_list(text, sizeof text, format, list);
    va_end(list);
    carom_svg_text(plot->svg, "ink", plot->left + plot->width - 4, plot->top + 20 + 21 * row, 'e',
                   14, 0, text);
}

static void axes(carom_plot *plot, double x, double y, double length)
{
    carom_plot_arrow(plot, "ink thin", x, y, x + length, y);
    carom_plot_arrow(plot, "ink thin", x, y, x, y + length);
    carom_plot_label(plot, "ink", x + length, y, 6, -5, 's', "`x`");
    carom_plot_label(plot, "ink", x, y + length, 0, -7, 'm', "`y`");
}

/* ---- a: rocking block ---- */

static const char block[] =
    "carom: 1\n"
    "parameters: {m: 1, l: 2, L: 1.2, I: m*(l^2 + L^2)/12, th0: 0}\n"
    "system:\n"
    "  coordinates: [x, y, th]\n"
    "  kinetic: m/2*(x'^2 + y'^2) + I/2*th'^2\n"
    "  contacts:\n"
    "    h1: {gap: y - l/2*cos(th) + L/2*sin(th), slip: x' + (l/2*cos(th) - L/2*sin(th))*th'}\n"
    "    h2: {gap: y - l/2*cos(th) - L/2*sin(th), slip: x' + (l/2*cos(th) + L/2*sin(th))*th'}\n"
    "initial: {y: l/2*cos(th0) + L/2*sin(th0), th: th0}\n";

static carom_status figure_1a(carom_drawing *d, carom_error *error)
{
    carom_drawing_case flat, tilted;
    carom_status status = carom_drawing_read(d, block, NULL, &flat, error);
    const char *const sets[] = {"th0=0.3", NULL};
    if (!status)
        status = carom_drawing_read(d, block, sets, &tilted, error);
    if (status)
        return status;
    double angles[4];
    carom_geometry_angles(&flat.geometry, angles);
    const double l = 2, L = 1.2, *q = tilted.state.q, c = cos(q[2]), s = sin(q[2]);
    carom_plot plot = carom_drawing_sketch(d, 290, -2.6, 3.2, -0.5, 2.45);
    carom_sketch_ground(&plot, -2.4, 0, 2.4, 0);
    double corners[8];
    const double local[8] = {-L / 2, -l / 2, L / 2, -l / 2, L / 2, l / 2, -L / 2, l / 2};
    for (int k = 0; k < 4; k++) { /* the slips say: theta turns counter-clockwise */
        corners[2 * k] = q[0] + c * local[2 * k] - s * local[2 * k + 1];
        corners[2 * k + 1] = q[1] + s * local[2 * k] + c * local[2 * k + 1];
    }
    carom_plot_area(&plot, "body", 4, corners);
    carom_sketch_centre(&plot, q[0], q[1]);
    carom_plot_label(&plot, "ink", q[0], q[1], 10, 4, 's', "(`x`, `y`)");
    carom_plot_line(&plot, "c7 dashed thin", q[0], q[1], q[0], q[1] + 0.95);
    carom_plot_line(&plot, "c7 dashed thin", q[0], q[1], q[0] - 0.9 * s,
                    q[1] + 0.9 * c); /* its axis */
    carom_sketch_angle(&plot, "ink", q[0], q[1], 62, CAROM_PI / 2, CAROM_PI / 2 + q[2], "`θ`");
    carom_sketch_dimension(&plot, corners[6], corners[7], corners[4], corners[5], 14, "`L`");
    carom_sketch_dimension(&plot, corners[2], corners[3], corners[4], corners[5], -16, "`l`");
    carom_plot_line(&plot, "c0 thick", corners[2], corners[3], corners[2],
                    corners[3] - tilted.state.g[0]);
    carom_plot_label(&plot, "c0", corners[2], 0.5 * tilted.state.g[0], 8, 5, 's', "`h`_1");
    carom_plot_label(&plot, "c0", corners[0], 0, -10, -8, 'e', "`h`_2 = 0");
    axes(&plot, -2.3, 0, 0.6);
    note(&plot, 0, "at `θ` = 0: kinetic angle `θ`_{12} = %.1f°", angles[2] * 180 / CAROM_PI);
    return CAROM_OK;
}

/* ---- b: rod, c: planar body ---- */

static const char rod[] = "carom: 1\n"
                          "parameters: {m: 1, l: 1, I: m*l^2/3, th0: 0.95, mu: 1}\n"
                          "system:\n"
                          "  coordinates: [x, y, th]\n"
                          "  kinetic: m/2*(x'^2 + y'^2) + I/2*th'^2\n"
                          "  contacts:\n"
                          "    tip: {gap: y - l*sin(th), slip: x' + l*sin(th)*th', friction: mu}\n"
                          "initial: {y: l*sin(th0), th: th0}\n";

/* The critical friction of the pose, from its contact problem. */
static carom_status critical(carom_drawing *d, const carom_drawing_case *c, double *value,
                             carom_error *error)
{
    carom_critical answer;
    carom_status status = carom_critical_friction(&c->geometry, NULL, d->arena, &answer, error);
    if (!status)
        *value = answer.common;
    return status;
}

static carom_status figure_1b(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    double mu;
    carom_status status = carom_drawing_read(d, rod, NULL, &c, error);
    if (!status)
        status = critical(d, &c, &mu, error);
    if (status)
        return status;
    const double *q = c.state.q, cosine = cos(q[2]), sine = sin(q[2]), w = 0.045;
    carom_plot plot = carom_drawing_sketch(d, 270, -2, 2.4, -0.35, 1.95);
    carom_sketch_ground(&plot, -2, 0, 1.8, 0);
    /* slip x' + l sin(th) th': the tip is at (x - l cos(th), y - l sin(th)) */
    double tx = q[0] - cosine, ty = q[1] - sine, ex = q[0] + cosine, ey = q[1] + sine;
    carom_sketch_bar(&plot, tx, ty, ex, ey, w);
    carom_sketch_centre(&plot, q[0], q[1]);
    carom_plot_label(&plot, "ink", q[0], q[1], 14, 8, 's', "(`x`, `y`)");
    carom_sketch_angle(&plot, "ink", tx, ty, 56, 0, q[2], "`θ`");
    carom_sketch_dimension(&plot, tx, ty, ex, ey, 24, "2`l`");
    carom_plot_arrow(&plot, "c3 thick", tx, 0, tx, 0.62);
    carom_plot_label(&plot, "c3", tx, 0.62, -7, 4, 'e', "`λ`_n");
    /* the direction in which friction presses the tip on the floor: slip to the left, xi = -1 */
    carom_plot_arrow(&plot, "c1 thick", tx, 0, tx + 0.5, 0);
    carom_plot_label(&plot, "c1", tx + 0.5, 0, 12, -7, 'm', "`λ`_T");
    carom_plot_arrow(&plot, "c0 thick", tx - 0.08, 0.06, tx - 0.58, 0.06);
    carom_plot_label(&plot, "c0", tx - 0.5, 0.06, -2, -9, 'm', "`v`_T");
    axes(&plot, -1.95, 0, 0.4);
    note(&plot, 0, "`h` = `y` − `l` sin `θ`");
    note(&plot, 1, "here `θ` = %.2f rad", q[2]);
    note(&plot, 2, "critical friction `μ`_c = %.4f", mu);
    return CAROM_OK;
}

static const char body[] = "carom: 1\n"
                           "parameters: {m: 1, k: 0.4, l: 1, r: 0.45, ph0: 0.35, mu: 1}\n"
                           "system:\n"
                           "  coordinates: [x, y, ph]\n"
                           "  kinetic: m/2*(x'^2 + y'^2) + m*k^2/2*ph'^2\n"
                           "  contacts:\n"
                           "    P: {gap: y - l*cos(ph) - r*sin(ph), slip: x' + (l*cos(ph) + "
                           "r*sin(ph))*ph', friction: mu}\n"
                           "initial: {y: l*cos(ph0) + r*sin(ph0), ph: ph0}\n";

static carom_status figure_1c(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    double mu;
    carom_status status = carom_drawing_read(d, body, NULL, &c, error);
    if (!status)
        status = critical(d, &c, &mu, error);
    if (status)
        return status;
    const double *q = c.state.q, l = 1, r = 0.45, C = cos(q[2]), S = sin(q[2]);
    /* the slip says: phi turns counter-clockwise, the point is l down (S, -C), r to the left (-C,
     * -S)
     */
    double px = q[0] + l * S - r * C, py = q[1] - l * C - r * S;
    double fx = q[0] + l * S, fy = q[1] - l * C;
    carom_plot plot = carom_drawing_sketch(d, 280, -2.2, 2.4, -0.35, 2.1);
    carom_sketch_ground(&plot, -1.9, 0, 1.9, 0);
    enum { CORNERS = 80 };
    double outline[2 * CORNERS];
    for (int k = 0; k < CORNERS; k++) { /* an egg that ends in the contact point */
        double t = 2 * CAROM_PI * k / CORNERS, reach = hypot(l, r),
               from = atan2(py - q[1], px - q[0]);
        double off = 0.5 * (1 + cos(t)), size = 0.62 + (reach - 0.62) * pow(off, 4);
        outline[2 * k] = q[0] + size * cos(from + t);
        outline[2 * k + 1] = q[1] + size * sin(from + t);
    }
    carom_plot_area(&plot, "body", CORNERS, outline);
    carom_sketch_centre(&plot, q[0], q[1]);
    carom_plot_line(&plot, "ink dashed thin", q[0], q[1], fx, fy);
    carom_plot_line(&plot, "ink dashed thin", fx, fy, px, py);
    carom_plot_label(&plot, "ink", 0.5 * (q[0] + fx), 0.5 * (q[1] + fy), 9, 2, 's', "`l`");
    carom_plot_label(&plot, "ink", 0.5 * (fx + px), 0.5 * (fy + py), 6, -8, 'm', "`r`");
    carom_plot_line(&plot, "c7 dashed thin", q[0], q[1], q[0], q[1] - 0.95);
    carom_sketch_angle(&plot, "ink", q[0], q[1], 46, -CAROM_PI / 2, -CAROM_PI / 2 + q[2], "`φ`");
    carom_plot_label(&plot, "ink", q[0], q[1], -9, -8, 'e', "(`x`, `y`)");
    carom_plot_point(&plot, "dot", px, py, 3.5);
    carom_plot_label(&plot, "ink", px, py, -10, -8, 'e', "`P`");
    axes(&plot, -1.85, 0, 0.45);
    note(&plot, 0, "`l` = 1, `r` = 0.45,");
    note(&plot, 1, "radius of gyration `k` = 0.4");
    note(&plot, 2, "here `φ` = %.2f rad", q[2]);
    note(&plot, 3, "critical friction `μ`_c = %.4f", mu);
    return CAROM_OK;
}

/* ---- d, e: disc on a plane, in a corner ---- */

static const char disc[] = "carom: 1\n"
                           "parameters: {m: 1, R: 1, mu: 0.5}\n"
                           "system:\n"
                           "  coordinates: [x, y, th]\n"
                           "  kinetic: m/2*(x'^2 + y'^2) + m*R^2/4*th'^2\n"
                           "  contacts:\n"
                           "    floor: {gap: y - R, slip: x' + R*th', friction: mu}\n"
                           "    wall: {gap: x - R, slip: y' - R*th', friction: mu}\n"
                           "initial: {x: 2.2*R, y: R}\n";

static void draw_disc(carom_plot *plot, double x, double y)
{
    carom_plot_disc(plot, "body", x, y, 1);
    carom_sketch_centre(plot, x, y);
    carom_plot_line(plot, "ink thin", x, y, x + 0.643, y + 0.766);
    carom_plot_label(plot, "ink", x + 0.32, y + 0.38, -8, -4, 'e', "`R`");
    carom_sketch_angle(plot, "ink", x, y, 34, 0, 0.87, "`θ`");
    carom_plot_line(plot, "c7 dashed thin", x, y, x + 0.75, y);
}

static carom_status figure_1d(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_critical answer;
    carom_status status = carom_drawing_read(d, disc, NULL, &c, error);
    if (!status)
        status = carom_critical_friction(&c.geometry, NULL, d->arena, &answer, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_sketch(d, 270, -2.6, 3.6, -0.45, 2.5);
    carom_sketch_ground(&plot, -2.4, 0, 2.4, 0);
    double y = c.state.q[1];
    draw_disc(&plot, 0, y);
    carom_plot_label(&plot, "ink", 0, y, -8, 20, 'e', "(`x`, `y`)");
    carom_plot_arrow(&plot, "c3 thick", 0, y - 1, 0, y - 0.35);
    carom_plot_label(&plot, "c3", 0, y - 0.45, 8, 4, 's', "`λ`_n");
    carom_plot_arrow(&plot, "c1 thick", 0, 0, -0.75, 0);
    carom_plot_label(&plot, "c1", -0.75, 0, -4, -8, 'e', "`λ`_T");
    axes(&plot, -2.3, 0, 0.55);
    note(&plot, 0, "`h` = `y` − `R`,  `v`_T = `ẋ` + `R` `θ̇`");
    if (isinf(answer.common))
        note(&plot, 1, "no critical friction: `n`^{T}`H`_T = 0");
    else
        note(&plot, 1, "critical friction `μ`_c = %.4f", answer.common);
    return CAROM_OK;
}

static carom_status figure_1e(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    double angles[4];
    carom_status status = carom_drawing_read(d, disc, NULL, &c, error);
    if (!status) {
        c.state.q[0] = 1; /* against the wall */
        status = carom_drawing_evaluate(d, &c, error);
    }
    if (status)
        return status;
    carom_geometry_angles(&c.geometry, angles);
    carom_plot plot = carom_drawing_sketch(d, 280, -1.6, 4.4, -0.45, 2.6);
    carom_sketch_ground(&plot, 0, 0, 3, 0);
    carom_sketch_ground(&plot, 0, 2.5, 0, 0);
    double x = c.state.q[0], y = c.state.q[1];
    draw_disc(&plot, x, y);
    carom_plot_arrow(&plot, "c3 thick", x, 0, x, 0.62);
    carom_plot_label(&plot, "c3", x, 0.62, 8, 4, 's', "`λ`_{n1}");
    carom_plot_arrow(&plot, "c3 thick", 0, y, 0.62, y);
    carom_plot_label(&plot, "c3", 0.4, y, 0, -9, 'm', "`λ`_{n2}");
    carom_plot_arrow(&plot, "c1 thick", x, 0, x + 0.6, 0);
    carom_plot_label(&plot, "c1", x + 0.6, 0, 6, -8, 's', "`λ`_{T1}");
    carom_plot_arrow(&plot, "c1 thick", 0, y, 0, y - 0.6);
    carom_plot_label(&plot, "c1", 0, y - 0.6, 28, 2, 's', "`λ`_{T2}");
    note(&plot, 0, "`h`_1 = `y` − `R`,  `h`_2 = `x` − `R`");
    note(&plot, 1, "kinetic angle `θ`_{12} = %.0f°", angles[2] * 180 / CAROM_PI);
    return CAROM_OK;
}

/* ---- f: particle in a corner ---- */

static const char corner[] = "carom: 1\n"
                             "parameters: {a: 70*pi/180}\n"
                             "impact:\n"
                             "  mass: [1, 1]\n"
                             "  velocity: [-0.5, 0.85]\n"
                             "  contacts:\n"
                             "    - {name: floor, normal: [0, 1]}\n"
                             "    - {name: wall, normal: [sin(a), -cos(a)]}\n";

static carom_status figure_1f(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_outcome after;
    double angles[4];
    carom_status status = carom_drawing_read(d, corner, NULL, &c, error);
    if (!status)
        status = carom_drawing_law(d, &c, "moreau:restitution=0", &after, error);
    if (status)
        return status;
    carom_geometry_angles(&c.geometry, angles);
    const double a = 70 * CAROM_PI / 180, *W = c.impact.W, *u = c.geometry.u;
    carom_plot plot = carom_drawing_sketch(d, 290, -2.4, 3.4, -1.3, 1.75);
    const double sides[4] = {1, 0, cos(a), sin(a)};
    const double minus[4] = {-W[2], -W[3], -W[0], -W[1]};
    carom_sketch_cone(&plot, "f2", sides, sides + 2, 1.6);
    carom_sketch_cone(&plot, "f3", minus, minus + 2, 1.2);
    carom_sketch_ground(&plot, 0, 0, 2.4, 0);
    carom_sketch_ground(&plot, 1.7 / tan(a), 1.7, 0, 0);
    carom_plot_arrow(&plot, "ink", 0, 0, 0.75 * W[0], 0.75 * W[1]);
    carom_plot_arrow(&plot, "ink", 0, 0, 0.75 * W[2], 0.75 * W[3]);
    carom_plot_label(&plot, "ink", 0.75 * W[0], 0.75 * W[1], -10, 2, 'e', "∇`h`_1");
    carom_plot_label(&plot, "ink", 0.75 * W[2], 0.75 * W[3], 8, 8, 's', "∇`h`_2");
    carom_plot_arrow(&plot, "c1 thick", 0, 0, 1.3 * u[0], 1.3 * u[1]);
    carom_plot_label(&plot, "c1", 1.3 * u[0], 1.3 * u[1], -8, 4, 'e', "`u`^{−}");
    carom_plot_arrow(&plot, "c0 thick", 0, 0, 1.3 * after.u[0], 1.3 * after.u[1]);
    carom_plot_label(&plot, "c0", 1.3 * after.u[0], 1.3 * after.u[1], 10, 12, 's',
                     "`u`^{+}, `e` = 0");
    carom_plot_label(&plot, "c2", 1.52, 0.75, 8, 0, 's', "tangent cone");
    carom_plot_label(&plot, "c3", -1.05, -1.05, 0, 0, 'e', "normal cone");
    carom_sketch_angle(&plot, "ink", 0, 0, 46, 0, a, "`α`");
    note(&plot, 0, "kinetic angle `θ`_{12} = %.0f°", angles[2] * 180 / CAROM_PI);
    return CAROM_OK;
}

const carom_drawing_entry carom_figures_b[] = {
    {{"b-1a", "Rocking block", PAPER "Fig. 1a, Example 3"},
     "`h`_{1,2} = `y` − (`l`/2) cos `θ` ± (`L`/2) sin `θ`, here `l` = 2, `L` = 1.2, `θ` = 0.3; the "
     "kinetic angle of its two contacts at rest decides how an impact spreads.",
     300,
     figure_1a},
    {{"b-1b", "Rod sliding on its tip", PAPER "Fig. 1b, Painlevé's example, Prop. 12"},
     "A homogeneous rod of length 2`l` that leans back from the way its tip slides: friction `λ`_T "
     "turns the tip into the floor. Above `μ`_c the contact problem has no solution or several.",
     280,
     figure_1b},
    {{"b-1c", "Planar body with a contact point", PAPER "Fig. 1c, Prop. 12"},
     "`h` = `y` − `l` cos `φ` − `r` sin `φ`: the point `P` lies `l` below and `r` beside the "
     "centre.",
     290,
     figure_1c},
    {{"b-1d", "Disc on a plane", PAPER "Fig. 1d"},
     "Normal and tangential dynamics decouple: no friction makes the contact problem singular.",
     280,
     figure_1d},
    {{"b-1e", "Disc in a corner", PAPER "Fig. 1e, Examples 4 and 6"},
     "`v`_{T1} = `ẋ` + `R` `θ̇`, `v`_{T2} = `ẏ` − `R` `θ̇` (the wall's sign corrected); the normals "
     "are orthogonal in the kinetic metric.",
     290,
     figure_1e},
    {{"b-1f", "Particle in a corner with its cones", PAPER "Fig. 1f, Example 2"},
     "The wall is met while the floor is left: only the wall takes an impulse, and with `e` = 0 "
     "the "
     "particle slides along it. A corner of angle `α` (here 70°) has the kinetic angle `α`.",
     300,
     figure_1f},
    {{0}, NULL, 0, NULL},
};
