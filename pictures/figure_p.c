/* Pasquero, frictional impacts by breakable kinetic constraints: Fig. 1, 2, the diagram of bundles,
 * and the outcomes of the rod over its angle. */
#include "pictures/drawing.h"

#include "pictures/sketch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAPER "Pasquero, frictional impacts by means of breakable kinetic constraints, "

static const char disc[] = "carom: 1\n"
                           "parameters: {m: 1, R: 1, A: m*R^2/2, mu: 0.5, e: 0.6}\n"
                           "system:\n"
                           "  coordinates: [x, y, th]\n"
                           "  kinetic: m/2*(x'^2 + y'^2) + A/2*th'^2\n"
                           "  contacts:\n"
                           "    P: {gap: y - R, slip: x' - R*th', friction: mu, restitution: e}\n"
                           "initial: {y: R, x': 0.7, y': -1.1, th': -0.5}\n";

static const char rod[] =
    "carom: 1\n"
    "parameters: {m: 1, L: 1, f: 1/3, A: f*m*L^2, mu: 1, e: 0.6, th0: 1}\n"
    "system:\n"
    "  coordinates: [x, y, th]\n"
    "  kinetic: m/2*(x'^2 + y'^2) + A/2*th'^2\n"
    "  contacts:\n"
    "    P: {gap: y - L*sin(th), slip: x' - L*sin(th)*th', friction: mu, restitution: e}\n"
    "initial: {y: L*sin(th0), th: th0, y': -1}\n";

/* "p_L = (x', y', th')" with true minus signs. */
static void velocity_text(char *text, size_t size, char side, const double *u)
{
    const char *sign[3];
    for (int i = 0; i < 3; i++)
        sign[i] = u[i] < -0.005 ? "−" : "";
    carom_text_format(text, size, "`p`_%c = (%s%.2f, %s%.2f, %s%.2f)", side, sign[0], fabs(u[0]),
                      sign[1], fabs(u[1]), sign[2], fabs(u[2]));
}

/* Velocities of the centre before and after, and the mode, beside a sketch. */
static carom_status show_outcome(carom_drawing *d, carom_plot *plot, carom_drawing_case *c,
                                 double scale, carom_error *error)
{
    carom_outcome after;
    carom_status status = carom_drawing_law(d, c, "breakable", &after, error);
    if (status)
        return status;
    const double *q = c->state.q, *u = c->geometry.u, *v = after.u;
    carom_plot_arrow(plot, "c1 thick", q[0], q[1], q[0] + scale * u[0], q[1] + scale * u[1]);
    carom_plot_arrow(plot, "c0 thick", q[0], q[1], q[0] + scale * v[0], q[1] + scale * v[1]);
    carom_sketch_centre(plot, q[0], q[1]);
    char text[96];
    carom_plot_legend_at(plot, 0.655, 0.05);
    velocity_text(text, sizeof text, 'L', u);
    carom_plot_legend(plot, "c1 thick", text);
    velocity_text(text, sizeof text, 'R', v);
    carom_plot_legend(plot, "c0 thick", text);
    snprintf(text, sizeof text, "mode: %s", carom_mode_text(after.mode[0]));
    carom_svg_text(plot->svg, "ink", plot->legend_x + 33, plot->legend_y + 4.5, 's', 12.5, 0, text);
    return CAROM_OK;
}

static carom_status figure_1(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_status status = carom_drawing_read(d, disc, NULL, &c, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_sketch(d, 280, -2.6, 3.6, -0.45, 2.5);
    const double x = c.state.q[0], y = c.state.q[1];
    carom_sketch_ground(&plot, -2.4, 0, 2.4, 0);
    carom_plot_disc(&plot, "body", x, y, 1);
    carom_plot_line(&plot, "ink thin", x, y, x - 0.64, y + 0.77);
    carom_plot_label(&plot, "ink", x - 0.5, y + 0.6, 8, -2, 's', "`R`");
    carom_plot_line(&plot, "c7 dashed thin", x, y, x - 0.95, y);
    carom_sketch_angle(&plot, "ink", x, y, 34, CAROM_PI, 2.264, "`ϑ`");
    carom_plot_point(&plot, "dot", x, 0, 3.5);
    carom_plot_label(&plot, "ink", x, 0, 9, -8, 's', "`P`");
    carom_plot_label(&plot, "ink", x, y, -9, 24, 'e', "`G` (`x`, `y`)");
    return show_outcome(d, &plot, &c, 0.75, error);
}

static carom_status figure_2(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_status status = carom_drawing_read(d, rod, NULL, &c, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_sketch(d, 280, -2.3, 2.9, -0.35, 2.05);
    const double *q = c.state.q, C = cos(q[2]), S = sin(q[2]), w = 0.04;
    /* the end P is at (x + L cos, y - L sin) */
    double px = q[0] + C, py = q[1] - S, ex = q[0] - C, ey = q[1] + S;
    carom_sketch_ground(&plot, -2.1, 0, 2.1, 0);
    carom_sketch_bar(&plot, px, py, ex, ey, w);
    carom_sketch_dimension(&plot, px, py, ex, ey, -22, "2`L`");
    carom_sketch_angle(&plot, "ink", px, py, 34, CAROM_PI, CAROM_PI - q[2], "`ϑ`");
    carom_plot_point(&plot, "dot", px, py, 3.5);
    carom_plot_label(&plot, "ink", px, py, 2, 24, 's', "`P`");
    carom_plot_label(&plot, "ink", q[0], q[1], -14, 22, 'e', "`G` (`x`, `y`)");
    return show_outcome(d, &plot, &c, 0.5, error);
}

/* ---- Diagram (2) of the bundles ---- */

static carom_status figure_bundles(carom_drawing *d, carom_error *error)
{
    (void)error;
    static const struct node {
        double x, y;
        const char *text;
    } nodes[] = {{90, 70, "V(ℬ)"},       {235, 70, "V(𝒮)"}, {400, 70, "V(ℳ)"},
                 {550, 70, "V(𝒜)"},      {90, 165, "ℬ"},    {235, 165, "`J`_1(𝒮)"},
                 {400, 165, "`J`_1(ℳ)"}, {550, 165, "𝒜"},   {235, 260, "𝒮"},
                 {400, 260, "ℳ"},        {317, 335, "ℝ"}};
    static const struct link {
        int from, to;
        const char *text;
        double dx, dy;
    } links[] = {{0, 1, "⊂", 0, -8},         {1, 2, "`i`_∗", 0, -8},     {3, 2, "⊃", 0, -8},
                 {4, 5, "`b`", 0, -8},       {5, 6, "`i`_∗", 0, -8},     {7, 6, "`a`", 0, -8},
                 {4, 0, "`Δ`_{`h`}", 17, 4}, {5, 1, "`Δ`_{`h`}", 17, 4}, {6, 2, "`Δ`_{`h`}", 17, 4},
                 {7, 3, "`Δ`_{`h`}", 17, 4}, {5, 8, "`π`", 12, 4},       {6, 9, "`π`", 12, 4},
                 {4, 8, "`π`", -4, 18},      {7, 9, "`π`", 4, 18},       {8, 9, "`i`", 0, -8},
                 {8, 10, "`t`", -12, 6},     {9, 10, "`t`", 14, 6}};
    carom_svg *svg = &d->svg;
    for (size_t k = 0; k < sizeof links / sizeof *links; k++) {
        const struct node *a = &nodes[links[k].from], *b = &nodes[links[k].to];
        double dx = b->x - a->x, dy = b->y - a->y, length = hypot(dx, dy);
        /* leave room for the names: they are wider than high */
        double room = 15 + 18 * fabs(dx) / length;
        dx /= length, dy /= length;
        carom_svg_arrow(svg, "ink", a->x + room * dx, a->y + room * dy, b->x - room * dx,
                        b->y - room * dy);
        carom_svg_text(svg, "c0", 0.5 * (a->x + b->x) + links[k].dx,
                       0.5 * (a->y + b->y) + links[k].dy, 'm', 14, 0, links[k].text);
    }
    for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++)
        carom_svg_text(svg, "ink", nodes[k].x, nodes[k].y + 6, 'm', 18, 0, nodes[k].text);
    return CAROM_OK;
}

/* ---- Outcomes of the rod over its angle ---- */

/* The outcome of the rod falling without spin at an angle with given coefficients. */
static carom_status fall(carom_drawing *d, carom_drawing_case *c, double angle, double e, double mu,
                         carom_outcome *outcome, carom_error *error)
{
    c->state.q[2] = angle;
    c->state.q[1] = sin(angle);
    carom_status status = carom_drawing_evaluate(d, c, error);
    if (status)
        return status;
    carom_contact contact = c->impact.contacts[0];
    contact.restitution = e;
    contact.friction_static = contact.friction_dynamic = mu;
    c->impact.contacts = &contact;
    c->impact.flags |= CAROM_IMPACT_ANY_RESTITUTION; /* curves that leave the frame at 1 */
    status = carom_impact_derive(&c->impact, d->arena, &c->geometry, error);
    return status ? status : carom_drawing_law(d, c, "breakable", outcome, error);
}

/* Is the answer yes for the rod at this angle, coefficient on the other axis? */
typedef struct question {
    bool stick; /* sticks (over friction), else: rebounds (over restitution) */
    double mu;  /* friction when asking for rebound */
    const char *inertia;
} question;

static carom_status ask(carom_drawing *d, carom_drawing_case *c, const question *q, double angle,
                        double value, bool *yes, carom_error *error)
{
    carom_mark mark = carom_arena_mark(d->arena);
    carom_outcome outcome;
    carom_status status =
        fall(d, c, angle, q->stick ? 0.5 : value, q->stick ? value : q->mu, &outcome, error);
    if (!status)
        *yes = q->stick ? outcome.mode[0] == CAROM_MODE_STICK : outcome.u[1] > 0;
    carom_arena_rewind(d->arena, mark);
    return status;
}

enum { ANGLES = 181 };

/* The smallest value on the second axis at which the answer is yes, over the angle. */
static carom_status boundary(carom_drawing *d, const question *q, double most, double *xy,
                             carom_error *error)
{
    const char *const sets[] = {q->inertia, NULL};
    carom_drawing_case c;
    carom_status status = carom_drawing_read(d, rod, sets, &c, error);
    for (int k = 0; k < ANGLES && !status; k++) {
        double degrees = 0.5 * k, low = 0, high = most;
        bool yes = false;
        status = ask(d, &c, q, degrees * CAROM_PI / 180, most, &yes, error);
        if (!yes)
            low = high = 9 * most; /* never: out of the frame */
        for (int pass = 0; pass < 46 && !status && high <= most; pass++) {
            double middle = 0.5 * (low + high);
            status = ask(d, &c, q, degrees * CAROM_PI / 180, middle, &yes, error);
            if (yes)
                high = middle;
            else
                low = middle;
        }
        xy[2 * k] = degrees;
        xy[2 * k + 1] = high;
    }
    return status;
}

static carom_status draw_boundary(carom_drawing *d, carom_plot *plot, const question *q,
                                  double most, const char *style, const char *text, bool fill,
                                  carom_error *error)
{
    double xy[2 * ANGLES + 4];
    carom_status status = boundary(d, q, most, xy, error);
    if (status)
        return status;
    if (fill) {
        const double end[4] = {xy[2 * ANGLES - 2], 99, xy[0], 99};
        memcpy(xy + 2 * ANGLES, end, sizeof end);
        carom_plot_area(plot, "f0", ANGLES + 2, xy);
    }
    carom_plot_curve(plot, style, ANGLES, xy);
    carom_plot_legend(plot, style, text);
    return CAROM_OK;
}

static carom_status figure_rebound(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 350, 0, 90, 0, 1);
    plot.x_step = 15;
    carom_plot_axes(&plot, "angle  `ϑ`  (degrees)", "restitution  `ε`_S");
    carom_plot_legend_at(&plot, 0.04, 0.68);
    const question stick = {false, 1e6, "f=1/3"}, rough = {false, 0.5, "f=1/3"},
                   smooth = {false, 0, "f=1/3"};
    carom_status status =
        draw_boundary(d, &plot, &stick, 4, "c0 thick", "sticking, `μ` large", true, error);
    if (!status)
        status = draw_boundary(d, &plot, &rough, 4, "c1 dashed", "`μ` = 0.5", false, error);
    if (!status)
        status = draw_boundary(d, &plot, &smooth, 4, "c2 dashdot", "`μ` = 0", false, error);
    carom_plot_legend_fill(&plot, "f0", "rebound, `ẏ`_R > 0 (sticking)");
    return status;
}

static carom_status figure_stick(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 350, 0, 90, 0, 2.2);
    plot.x_step = 15;
    carom_plot_axes(&plot, "angle  `ϑ`  (degrees)", "friction  `μ`_s");
    carom_plot_legend_at(&plot, 0.035, 0.06);
    const question homogeneous = {true, 0, "f=1/3"}, slim = {true, 0, "f=1/12"},
                   ends = {true, 0, "f=1"};
    carom_status status =
        draw_boundary(d, &plot, &homogeneous, 8, "c0 thick", "`A` = `m` `L`^{2}/3", true, error);
    if (!status)
        status =
            draw_boundary(d, &plot, &slim, 8, "c1 dashed", "`A` = `m` `L`^{2}/12", false, error);
    if (!status)
        status = draw_boundary(d, &plot, &ends, 8, "c2 dashdot", "`A` = `m` `L`^{2}", false, error);
    carom_plot_legend_fill(&plot, "f0", "sticks (first)");
    carom_plot_label(&plot, "ink", 45, 0.12, 0, 0, 'm', "all three slip");
    return status;
}

const carom_drawing_entry carom_figures_p[] = {
    {{"p-1", "Disc on a rough line", PAPER "Fig. 1, Example 2, eqs. (12), (14)"},
     "Contact `S`: `y` − `R` = 0; the point `P` does not slide, `B`: `ẋ` − `R` `ϑ̇` = 0. Arrows: "
     "velocity of `G` before and after, to scale, `A` = `m` `R`^{2}/2, `ε`_S = 0.6, `μ` = 0.5.",
     290,
     figure_1},
    {{"p-2", "Rod on a rough line", PAPER "Fig. 2, Example 3, eqs. (12), (14)"},
     "Contact `S`: `y` − `L` sin `ϑ` = 0, `B`: `ẋ` − `L` `ϑ̇` sin `ϑ` = 0. Arrows: velocity of `G` "
     "before and after a fall without spin, homogeneous rod, `ε`_S = 0.6, `μ` = 1.",
     290,
     figure_2},
    {{"p-bundles", "The bundles of an impulsive system", PAPER "diagram (2)"},
     "Configuration space-time ℳ over time `t`, contact 𝒮, kinetic constraints 𝒜 (permanent) and ℬ "
     "(instantaneous) with their inclusions `i`, `a`, `b`; `J`_1 are velocities, V their "
     "differences; "
     "a frame `h` makes vectors of velocities, `Δ`_{`h`}(`p`) = `p` − `h`.",
     330,
     figure_bundles},
    {{"p-rebound", "Does a falling rod rebound? Angle and restitution",
      PAPER "Example 3, eq. (14)"},
     "Homogeneous rod falling without spin; sticking: rebound iff "
     "cos^{2}`ϑ` < (`A`/2`m``L`^{2})((1 + 4`ε`_S(`m``L`^{2} + `A`)/`A`)^{½} − 1).",
     400,
     figure_rebound},
    {{"p-stick", "Does a falling rod stick? Angle and friction", PAPER "Example 3, eq. (14)"},
     "Falling without spin it sticks iff "
     "`m``L`^{2}|sin `ϑ` cos `ϑ`|/(`A`(`m``L`^{2} + `A`))^{½} ≤ `μ`_s, whatever its speed.",
     400,
     figure_stick},
    {{0}, NULL, 0, NULL},
};
