/* Glocker, concepts for modelling impacts without friction: bodies and rods, Fig. 1 to 4 and 7. */
#include "pictures/drawing.h"

#include "carom/rods.h"
#include "pictures/sketch.h"

#include <math.h>
#include <stdio.h>

#define PAPER "Glocker, concepts for modelling impacts without friction, "

/* ---- Fig. 1: two bodies ---- */

static const char two_bodies[] = "carom: 1\n"
                                 "impact:\n"
                                 "  mass: [2, 1]\n"
                                 "  velocity: [1, -0.4]\n"
                                 "  contacts:\n"
                                 "    - {normal: [-1, 1], restitution: 0.5}\n";

/* A ball with its velocity as an arrow above it. */
static void ball(carom_plot *plot, double x, double r, const char *mass, const char *style,
                 double velocity, const char *name)
{
    carom_plot_disc(plot, "body", x, r, r);
    carom_plot_label(plot, "ink", x, r, 0, 5, 'm', mass);
    double y = 2 * r + 0.35, half = 0.85 * velocity;
    carom_plot_arrow(plot, style, x - half, y, x + half, y);
    carom_plot_label(plot, style, x, y, 0, -10, 'm', name);
}

static carom_status figure_1(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_outcome after;
    carom_status status = carom_drawing_read(d, two_bodies, NULL, &c, error);
    if (!status)
        status = carom_drawing_law(d, &c, "newton", &after, error);
    if (status)
        return status;
    const double *before = c.geometry.u, R = 1, r = 0.794; /* radii as the cube roots of masses */
    carom_plot plot = carom_drawing_sketch(d, 190, -9.2, 9.2, -1.4, 3.4);
    carom_sketch_ground(&plot, -9, 0, 9, 0);
    ball(&plot, -7.4, R, "`m`_1", "c1", before[0], "`v`_1^{−}");
    ball(&plot, -4.2, r, "`m`_2", "c1", before[1], "`v`_2^{−}");
    carom_plot_disc(&plot, "body", -R, R, R);
    carom_plot_disc(&plot, "body", r, r, r);
    carom_plot_arrow(&plot, "c3 thick", -0.15, 0.9, -1.5, 0.9);
    carom_plot_arrow(&plot, "c3 thick", 0.1, 0.9, 1.45, 0.9);
    carom_plot_label(&plot, "c3", -0.9, 0.9, 0, -8, 'm', "`Λ`");
    carom_plot_label(&plot, "c3", 0.75, 0.9, 0, -8, 'm', "`Λ`");
    ball(&plot, 4.4, R, "`m`_1", "c0", after.u[0], "`v`_1^{+}");
    ball(&plot, 7.3, r, "`m`_2", "c0", after.u[1], "`v`_2^{+}");
    carom_plot_label(&plot, "ink", -5.8, -0.75, 0, 8, 'm', "before");
    carom_plot_label(&plot, "ink", 0, -0.75, 0, 8, 'm', "impact");
    carom_plot_label(&plot, "ink", 5.9, -0.75, 0, 8, 'm', "after");
    return CAROM_OK;
}

/* ---- Fig. 2: waves in the rods ---- */

static void contact_line(carom_plot *plot, const carom_rods_contact *contact, double until)
{
    carom_plot_line(plot, "ink thick", 0, 0, 0, contact->contact_time);
    carom_plot_line(plot, "ink dashed", 0, contact->contact_time, 0, contact->open_time);
    carom_plot_line(plot, "ink dotted", 0, contact->open_time, 0, until);
    carom_plot_point(plot, "dot", 0, contact->contact_time, 3.5);
    carom_plot_point(plot, "dot", 0, contact->open_time, 3.5);
}

/* The velocity of a region in its middle: 0, v/2 or v, as every region of equal rods has one. */
static void region_velocity(carom_plot *plot, int count, const double *xy, double part)
{
    static const char *const names[3] = {"0", "`v`/2", "`v`"};
    double x = 0, y = 0, least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; i++) {
        x += xy[2 * i] / count;
        y += xy[2 * i + 1] / count;
        least = fmin(least, xy[2 * i]);
        most = fmax(most, xy[2 * i]);
    }
    int name = (int)lround(2 * part);
    if (name < 0 || name > 2 || carom_plot_x(plot, most) - carom_plot_x(plot, least) < 30)
        return;
    carom_svg_text(plot->svg, "ink", carom_plot_x(plot, x), carom_plot_y(plot, y) + 4, 'm', 12.5, 0,
                   names[name]);
}

static carom_status figure_2(carom_drawing *d, carom_error *error)
{
    const double l1 = 1, l2 = 2.5, v = 1, c = 1, until = 6.5;
    const carom_rod rod[2] = {{l1, 1, 1, 1, v}, {l2, 1, 1, 1, 0}};
    carom_rods rods = {.count = 2, .rods = rod, .until = until / c};
    carom_rods_motion motion;
    carom_rods_region *regions;
    int count;
    carom_status status = carom_rods_solve(&rods, d->arena, &motion, error);
    if (!status)
        status = carom_rods_regions(&motion, until / c, d->arena, &count, &regions, error);
    if (status)
        return status;
    carom_plot plot = carom_plot_make(&d->svg, 64, CAROM_DRAWING_TOP, 390, 420, -l1 - 0.15,
                                      l2 + 0.15, -0.5, until, false);
    carom_plot_axes(&plot, "`x` / `l`_1", "`c` `t` / `l`_1");
    carom_plot_area(&plot, "paper", 4, (double[]){-l1, 0, l2, 0, l2, until, -l1, until});
    for (int k = 0; k < count; k++) {
        const carom_rods_region *g = &regions[k];
        bool neutral = fabs(g->strain) < 0.25 * v / c; /* the strain is -v/2c, 0 or v/2c */
        double xy[2 * CAROM_RODS_CORNERS];
        for (int i = 0; i < g->corner_count; i++) {
            xy[2 * i] = g->x[i] + (g->rod == 0 ? -l1 : 0);
            xy[2 * i + 1] = c * g->t[i];
        }
        if (!neutral)
            carom_plot_area(&plot, g->strain < 0 ? "f0 c0 thin" : "f1 c1 thin", g->corner_count,
                            xy);
        region_velocity(&plot, g->corner_count, xy, g->velocity / v);
    }
    carom_plot_line(&plot, "ink thin", -l1, 0, -l1, until);
    carom_plot_line(&plot, "ink thin", l2, 0, l2, until);
    carom_plot_line(&plot, "ink thin", -l1, 0, l2, 0);
    contact_line(&plot, &motion.joints[1], until);
    carom_plot_label(&plot, "ink", 0, 2 * l1, -10, -6, 'e', "2`l`_1");
    carom_plot_label(&plot, "ink", 0, 2 * l2, -10, 4, 'e', "2`l`_2");
    carom_plot_label(&plot, "ink", -0.5 * l1, 0, 0, 18, 'm', "rod 1");
    carom_plot_label(&plot, "ink", 0.5 * l2, 0, 0, 18, 'm', "rod 2");
    carom_plot_legend_at(&plot, 1.035, 0.03);
    carom_plot_legend_fill(&plot, "f0 c0 thin", "compression,\nstrain −`v`/2`c`");
    carom_plot_legend_fill(&plot, "f1 c1 thin", "tension,\nstrain +`v`/2`c`");
    carom_plot_legend(&plot, "ink thick", "contact with force");
    carom_plot_legend(&plot, "ink dashed", "closed, no force");
    carom_plot_legend(&plot, "ink dotted", "open");
    carom_svg_text(plot.svg, "ink", plot.legend_x, plot.legend_y + 8, 's', 12.5, 0,
                   "0, `v`/2, `v`: velocity");
    return CAROM_OK;
}

/* ---- Fig. 3: a multibody system with one contact ---- */

static const char pendulum[] =
    "carom: 1\n"
    "parameters: {a: 0.5, b: 1.0, l: 1, s: 0.9}\n"
    "system:\n"
    "  coordinates: [p, r]\n"
    "  kinetic: l^2*p'^2/6 + (l^2*p'^2 + l*s*cos(p - r)*p'*r' + s^2*r'^2/3)/2\n"
    "  contacts:\n"
    "    wall: {gap: l*sin(a) + s*sin(b) - l*sin(p) - s*sin(r), restitution: 0.6}\n"
    "initial: {p: a, r: b, p': 0.5, r': 0.8}\n";

static const double link_radius = 0.085;

static void link_body(carom_plot *plot, double x1, double y1, double x2, double y2)
{
    enum { ROUND = 12 };
    const double w = link_radius;
    double angle = atan2(y2 - y1, x2 - x1), xy[4 * (ROUND + 1)];
    for (int k = 0; k <= ROUND; k++) {
        double turn = angle + CAROM_PI / 2 + CAROM_PI * k / ROUND;
        xy[2 * k] = x1 + w * cos(turn);
        xy[2 * k + 1] = y1 + w * sin(turn);
        xy[2 * (ROUND + 1 + k)] = x2 - w * cos(turn);
        xy[2 * (ROUND + 1 + k) + 1] = y2 - w * sin(turn);
    }
    carom_plot_area(plot, "body", 2 * (ROUND + 1), xy);
}

static carom_status figure_3(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_outcome after;
    carom_status status = carom_drawing_read(d, pendulum, NULL, &c, error);
    if (!status)
        status = carom_drawing_law(d, &c, "newton", &after, error);
    if (status)
        return status;
    const double l = 1, s = 0.9, a = c.state.q[0], b = c.state.q[1], *u = c.geometry.u;
    double jx = l * sin(a), jy = -l * cos(a), tx = jx + s * sin(b), ty = jy - s * cos(b);
    carom_plot plot = carom_drawing_sketch(d, 300, -1, 2.2, -1.95, 0.3);
    carom_sketch_ground(&plot, 0.45, 0.06, -0.45, 0.06);
    carom_sketch_ground(&plot, tx + link_radius, -1.9, tx + link_radius, 0);
    link_body(&plot, 0, 0, jx, jy);
    link_body(&plot, jx, jy, tx, ty);
    carom_plot_point(&plot, "dot", 0, 0, 3.5);
    carom_plot_point(&plot, "dot", jx, jy, 3.5);
    /* velocities of the point P of the link's cap that meets the wall, to the same scale */
    for (int k = 0; k < 2; k++) {
        const double *w = k ? after.u : u, scale = 0.55, px = tx + link_radius;
        double vx = l * cos(a) * w[0] + s * cos(b) * w[1];
        double vy = l * sin(a) * w[0] + (s * sin(b) + link_radius) * w[1];
        carom_plot_arrow(&plot, k ? "c0 thick" : "c1 thick", px, ty, px + scale * vx,
                         ty + scale * vy);
        carom_plot_label(&plot, k ? "c0" : "c1", px + scale * vx, ty + scale * vy, k ? -8 : 8,
                         k ? 2 : -2, k ? 'e' : 's', k ? "`v`_P^{+}" : "`v`_P^{−}");
    }
    carom_plot_point(&plot, "dot", tx + link_radius, ty, 3.5);
    carom_plot_label(&plot, "ink", tx + link_radius, ty, 14, 20, 's', "`P`");
    carom_sketch_angle(&plot, "ink", 0, 0, 78, -CAROM_PI / 2, -CAROM_PI / 2 + a, "`q`_1");
    carom_sketch_angle(&plot, "ink", jx, jy, 56, -CAROM_PI / 2, -CAROM_PI / 2 + b, "`q`_2");
    carom_plot_line(&plot, "c7 dashed thin", 0, 0, 0, -0.75);
    carom_plot_line(&plot, "c7 dashed thin", jx, jy, jx, jy - 0.6);
    return CAROM_OK;
}

/* ---- Fig. 4: kinematics of the contact ---- */

/* An ellipse and its point farthest in a direction. */
typedef struct ellipse {
    double x, y, a, b, angle;
} ellipse;

static void support(const ellipse *e, double nx, double ny, double *px, double *py)
{
    double c = cos(e->angle), s = sin(e->angle);
    double u = e->a * (c * nx + s * ny), v = e->b * (-s * nx + c * ny), norm = hypot(u, v);
    u *= e->a / norm, v *= e->b / norm;
    *px = e->x + c * u - s * v;
    *py = e->y + s * u + c * v;
}

/* The nearest points of two ellipses: each is farthest along the common normal. */
static void nearest(const ellipse *one, const ellipse *two, double P[2], double Q[2])
{
    double nx = 1, ny = 0;
    for (int pass = 0; pass < 500; pass++) {
        support(one, nx, ny, &P[0], &P[1]);
        support(two, -nx, -ny, &Q[0], &Q[1]);
        double dx = Q[0] - P[0], dy = Q[1] - P[1], distance = hypot(dx, dy);
        nx = 0.7 * nx + 0.3 * dx / distance; /* damped: it converges for every gap */
        ny = 0.7 * ny + 0.3 * dy / distance;
        double norm = hypot(nx, ny);
        nx /= norm, ny /= norm;
    }
}

static void draw_ellipse(carom_plot *plot, const ellipse *e)
{
    enum { CORNERS = 90 };
    double xy[2 * CORNERS];
    for (int k = 0; k < CORNERS; k++) {
        double t = 2 * CAROM_PI * k / CORNERS, u = e->a * cos(t), v = e->b * sin(t);
        xy[2 * k] = e->x + cos(e->angle) * u - sin(e->angle) * v;
        xy[2 * k + 1] = e->y + sin(e->angle) * u + cos(e->angle) * v;
    }
    carom_plot_area(plot, "body", CORNERS, xy);
}

static carom_status figure_4(carom_drawing *d, carom_error *error)
{
    (void)error;
    carom_plot plot = carom_drawing_sketch(d, 230, -6.1, 6.1, -2, 2);
    for (int side = 0; side < 2; side++) {
        double shift = side ? 3 : -3, gap = 0.42;
        ellipse one = {shift - 1.3 - gap / 2, -0.25, 1.25, 1.05, 0.5};
        ellipse two = {shift + 1.15 + gap, 0.35, 1.2, 0.95, -0.6};
        double P[2], Q[2];
        nearest(&one, &two, P, Q);
        draw_ellipse(&plot, &one);
        draw_ellipse(&plot, &two);
        double g = hypot(Q[0] - P[0], Q[1] - P[1]), nx = (P[0] - Q[0]) / g, ny = (P[1] - Q[1]) / g;
        carom_plot_point(&plot, "dot", P[0], P[1], 3);
        carom_plot_point(&plot, "dot", Q[0], Q[1], 3);
        carom_plot_label(&plot, "ink", P[0], P[1], -3, 20, 'e', "`P`");
        carom_plot_label(&plot, "ink", Q[0], Q[1], 4, -10, 's', "`Q`");
        if (side == 0) {
            carom_plot_arrow(&plot, "c0 thick", P[0], P[1], P[0] + 0.95 * nx, P[1] + 0.95 * ny);
            carom_plot_label(&plot, "c0", P[0] + 0.95 * nx, P[1] + 0.95 * ny, 0, -8, 'm', "`n`");
            carom_sketch_dimension(&plot, P[0], P[1], Q[0], Q[1], -46, "`g`");
        } else {
            carom_plot_arrow(&plot, "c3 thick", P[0], P[1], P[0] + 1.1 * nx, P[1] + 1.1 * ny);
            carom_plot_arrow(&plot, "c3 thick", Q[0], Q[1], Q[0] - 1.1 * nx, Q[1] - 1.1 * ny);
            carom_plot_label(&plot, "c3", P[0] + 1.1 * nx, P[1] + 1.1 * ny, 4, -9, 'm', "`Λ` `n`");
            carom_plot_label(&plot, "c3", Q[0] - 1.1 * nx, Q[1] - 1.1 * ny, -2, 20, 'm',
                             "−`Λ` `n`");
        }
    }
    return CAROM_OK;
}

/* ---- Fig. 7: several contacts ---- */

static void rocking(carom_plot *plot, double x, double y)
{
    const double tilt = 0.13, half = 2.3, h = 0.16, a = 1.1, c = cos(tilt), s = sin(tilt);
    double px = x - a, corners[8];
    const double local[8] = {-half + a, 0, half + a, 0, half + a, 2 * h, -half + a, 2 * h};
    for (int k = 0; k < 4; k++) {
        corners[2 * k] = px + c * local[2 * k] - s * local[2 * k + 1];
        corners[2 * k + 1] = y + s * local[2 * k] + c * local[2 * k + 1];
    }
    carom_plot_area(plot, "body", 4, corners);
    for (int i = -1; i <= 1; i += 2) {
        double at = x + i * a;
        carom_plot_area(plot, "body", 3, (double[]){at, y, at - 0.22, y - 0.6, at + 0.22, y - 0.6});
        carom_plot_label(plot, "ink", at, y - 0.6, 0, 30, 'm', i < 0 ? "1" : "2");
    }
    carom_sketch_ground(plot, x - 2.3, y - 0.6, x + 2.3, y - 0.6);
    carom_plot_label(plot, "c0", x + a, y + 0.15, 10, 0, 's', "`g`_2");
    carom_plot_line(plot, "c0", x + a, y, x + a, y + tan(tilt) * 2 * a);
    carom_plot_label(plot, "c0", x - a, y - 0.3, 16, 5, 's', "`g`_1 = 0");
}

static void cradle(carom_plot *plot, double x, double top)
{
    const double r = 0.32, length = 2.3, lift = 0.5, y = top - length;
    double from = x - 4 * r, up = from - length * sin(lift), high = top - length * cos(lift);
    carom_sketch_ground(plot, x + 2.1, top, x - 2.4, top);
    carom_plot_line(plot, "c7 dashed thin", from, top, up, high); /* where the first came from */
    carom_plot_arc(plot, "c7 dashed thin", up, high, r, 0, 2 * CAROM_PI);
    for (int i = 0; i < 5; i++) {
        double hang = x + (i - 2) * 2 * r;
        carom_plot_line(plot, "ink thin", hang, top, hang, y);
        carom_plot_disc(plot, "body", hang, y, r);
    }
    for (int i = 0; i < 4; i++) {
        const char *const names[4] = {"`g`_1", "`g`_2", "`g`_3", "`g`_4"};
        double at = x + (2 * i - 3) * r;
        carom_plot_point(plot, "f0 solid", at, y, 2.5);
        carom_plot_label(plot, "c0", at, y - r, 0, 18, 'm', names[i]);
    }
    carom_plot_arrow(plot, "c1 thick", from, y, from + 0.85, y);
    carom_plot_label(plot, "c1", from - r, y + 0.6 * r, -4, -4, 'e', "`v`");
}

static carom_status figure_7(carom_drawing *d, carom_error *error)
{
    (void)error;
    carom_plot plot = carom_drawing_sketch(d, 220, -6, 6, -1.9, 1.9);
    rocking(&plot, -3, -0.3);
    cradle(&plot, 3.4, 1.5);
    return CAROM_OK;
}

static carom_status figure_7a(carom_drawing *d, carom_error *error)
{
    (void)error;
    carom_plot plot = carom_drawing_sketch(d, 200, -4, 4, -1.4, 1.3);
    rocking(&plot, 0, -0.3);
    return CAROM_OK;
}

static carom_status figure_7b(carom_drawing *d, carom_error *error)
{
    (void)error;
    carom_plot plot = carom_drawing_sketch(d, 220, -4, 4, -1.5, 1.7);
    cradle(&plot, 0.3, 1.45);
    return CAROM_OK;
}

const carom_drawing_entry carom_figures_g4[] = {
    {{"g4-1", "Collision of two bodies", PAPER "Fig. 1, eqs. (1)–(11)"},
     "Masses 2 and 1, `ε` = ½: velocities before and after, to scale, and the pair of impulses "
     "`Λ` that act on them.",
     200,
     figure_1},
    {{"g4-2", "Waves in two colliding rods", PAPER "Fig. 2, eqs. (12)–(19)"},
     "Exact solution by characteristics, `l`_2 = 2.5 `l`_1, same material; blank regions are free "
     "of strain, and each region carries its velocity `u`_{`t`}. Force ends at "
     "`c` `t` = 2`l`_1; the gap opens at 2`l`_2 with relative velocity `v`. Mean velocities "
     "afterwards: `ε` = `l`_1/`l`_2.",
     465,
     figure_2},
    {{"g4-3", "Multibody system with a single point of collision", PAPER "Fig. 3, eqs. (23)–(36)"},
     "A double pendulum meets a wall with its tip `P`, `ε` = 0.6; velocities of `P` before and "
     "after, to scale. Joints are perfect and drop out.",
     310,
     figure_3},
    {{"g4-4", "Kinematics and impulses of a contact", PAPER "Fig. 4, eqs. (23)–(25)"},
     "Left: nearest points `P`, `Q` of two bodies, unit normal `n`, distance `g`. Right: the pair "
     "of impulses along `n`.",
     240,
     figure_4},
    {{"g4-7", "Systems with several contacts", PAPER "Fig. 7, eq. (43)"},
     "Left: a rocking rod with two contacts. Right: Newton's cradle, five balls with four "
     "contacts, when the first ball arrives.",
     230,
     figure_7},
    {{"g4-7a", "Rocking rod with two contacts", PAPER "Fig. 7, left, eq. (43)"},
     "The rod turns about support 1 and will meet support 2.",
     210,
     figure_7a},
    {{"g4-7b", "Newton's cradle with four contacts", PAPER "Fig. 7, right, eq. (43)"},
     "Five balls and four contacts `g`_{`i`} = 0 at the instant of the collision: the first ball "
     "has "
     "come down on the row (dashed: before) with velocity `v`.",
     230,
     figure_7b},
    {{0}, NULL, 0, NULL},
};
