/* Glocker, concepts for modelling impacts without friction: the figures in velocity space, Fig. 5,
 * 8, 10, 11, and the local law, Fig. 12. */
#include "pictures/construction.h"

#include <math.h>
#include <stdio.h>

#define PAPER "Glocker, concepts for modelling impacts without friction, "

static const char *const across = "`u`·`e`_{`x`} / ‖`u`^{−}‖", *const along =
                                                                   "`u`·`e`_{`y`} / ‖`u`^{−}‖";

/* ---- Fig. 5: one contact ---- */

static const char one_contact[] = "carom: 1\n"
                                  "impact:\n"
                                  "  mass: [2, 1]\n"
                                  "  velocity: [0.35, -0.75]\n"
                                  "  contacts:\n"
                                  "    - {normal: [0, 1], restitution: 0.5}\n";

static carom_status figure_5(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_velocity v;
    carom_outcome lost, kept, half;
    carom_status status = carom_drawing_read(d, one_contact, NULL, &c, error);
    if (!status)
        status = carom_velocity_make(d, &c.geometry, true, &v, error);
    if (!status)
        status = carom_drawing_law(d, &c, "inelastic", &lost, error);
    if (!status)
        status = carom_drawing_law(d, &c, "moreau:restitution=1", &kept, error);
    if (!status)
        status = carom_drawing_law(d, &c, "newton", &half, error);
    if (status)
        return status;
    double zero[2] = {0, 0}, lost_at[2], kept_at[2], half_at[2];
    carom_velocity_at(&v, lost.u, lost_at);
    carom_velocity_at(&v, kept.u, kept_at);
    carom_velocity_at(&v, half.u, half_at);
    carom_plot plot = carom_drawing_square(d, 380, -1.25, 1.25, -1.25, 1.25);
    carom_plot_axes(&plot, across, along);
    status = carom_velocity_tangent(d, &v, &plot, 2, error);
    carom_velocity_normal(&v, &plot, 3, zero, -1);
    carom_plot_disc(&plot, "f7 c7", 0, 0, carom_velocity_radius(&v, 1));
    carom_plot_line(&plot, "c1 dotted", v.x[0], v.x[1], lost_at[0], lost_at[1]);
    if (!status)
        status = carom_velocity_outcomes(d, &v, &plot, "c4 thick dashed", error);
    carom_velocity_arrow(&plot, "c1 thick", zero, v.x, 9, 8, 's', "`u`^{−}");
    carom_velocity_arrow(&plot, "c0", zero, kept_at, 9, -2, 's', "`ε` = 1");
    carom_velocity_arrow(&plot, "c0", zero, half_at, 9, 4, 's', "`ε` = ½");
    carom_velocity_arrow(&plot, "c0", zero, lost_at, 9, -7, 's', "`ε` = 0");
    carom_plot_label(&plot, "c3", 0, -1.1, 8, 0, 's', "`T`^{⊥}");
    carom_plot_label(&plot, "c2", -1.15, 1.05, 0, 0, 's', "`T`");
    carom_plot_legend_fill(&plot, "f2 c2", "tangent cone `T`");
    carom_plot_legend(&plot, "c3", "`T`^{⊥}, a half-line");
    carom_plot_legend_fill(&plot, "f7 c7", "energy ball");
    carom_plot_legend(&plot, "c1 thick", "before the impact");
    carom_plot_legend(&plot, "c0", "after the impact");
    carom_plot_legend(&plot, "c4 thick dashed", "all outcomes");
    return status;
}

/* ---- Fig. 8: two contacts ---- */

static carom_status figure_8(carom_drawing *d, carom_error *error)
{
    static const double still[2] = {0, 0};
    carom_drawing_case c;
    carom_velocity v;
    carom_status status = carom_construction_read(d, still, &c, error);
    if (!status)
        status = carom_velocity_make(d, &c.geometry, true, &v, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_square(d, 380, -1.1, 1.25, -1.1, 1.25);
    carom_plot_axes(&plot, across, along);
    status = carom_velocity_tangent(d, &v, &plot, 2, error);
    carom_velocity_normal(&v, &plot, 3, v.x, 1);
    carom_plot_arc(&plot, "c7", 0, 0, carom_velocity_radius(&v, 1), 0, 2 * CAROM_PI);
    if (!status) /* on paper, so that its colour is that of the legend */
        status = carom_velocity_outcomes(d, &v, &plot, "paper", error);
    if (!status)
        status = carom_velocity_outcomes(d, &v, &plot, "f0 c0", error);
    for (int k = 0; k < 3; k++) {
        double level = 0.3 * k, r = carom_admissible_radius(&v.set, level, CAROM_READING_ENERGY);
        carom_plot_arc(&plot, "c7 dotted", 0, 0, carom_velocity_radius(&v, r / v.unit), 0,
                       2 * CAROM_PI);
        if (!status && k > 0)
            status = carom_velocity_level(d, &v, &plot, "c0 thin", level, error);
    }
    if (!status)
        status = carom_velocity_level(d, &v, &plot, "c4 thick dashed", 1, error);
    double zero[2] = {0, 0};
    carom_velocity_arrow(&plot, "c1 thick", zero, v.x, 8, 14, 's', "`u`^{−}");
    carom_plot_point(&plot, "f2 solid", v.z[0], v.z[1], 4.5);
    carom_plot_legend_fill(&plot, "f2 c2", "tangent cone `T`");
    carom_plot_legend_fill(&plot, "f3 c3", "`u`^{−} − `T`^{⊥}");
    carom_plot_legend(&plot, "c7", "energy sphere");
    carom_plot_legend(&plot, "c7 dotted", "levels `ε` = 0, 0.3, 0.6");
    carom_plot_legend_fill(&plot, "f0 c0", "admissible set `S`");
    carom_plot_legend(&plot, "c4 thick dashed", "outcomes at `ε` = 1");
    carom_plot_legend_point(&plot, "f2 solid", "maximum dissipation,\n`ε` = 0");
    carom_plot_legend(&plot, "c1 thick", "before the impact");
    return status;
}

static carom_status figure_10(carom_drawing *d, carom_error *error)
{
    static const carom_construction plan = {
        .b = {0, 0},
        .relative = true,
        .before = "`u`^{−}",
        .after = "`u`^{+}",
        .tangential = "`v`",
        .normal = "`v`^{⊥}",
        .thrown = "−`ε` `v`^{⊥}",
        .axes = {"`u`·`e`_{`x`} / ‖`u`^{−}‖", "`u`·`e`_{`y`} / ‖`u`^{−}‖"}};
    return carom_construction_draw(d, &plan, error);
}

/* ---- Fig. 11: what the global index reaches ---- */

static const char three_balls[] = "carom: 1\n"
                                  "impact:\n"
                                  "  mass: [1, 1, 1]\n"
                                  "  velocity: [1, 0, 0]\n"
                                  "  contacts:\n"
                                  "    - {normal: [-1, 1, 0], restitution: 1}\n"
                                  "    - {normal: [0, -1, 1], restitution: 1}\n";

/* A slender rod (half-length 1) on two supports at -a and a, turning about the left one. */
static const char rocking_rod[] = "carom: 1\n"
                                  "parameters: {a: 0.3}\n"
                                  "impact:\n"
                                  "  mass: [1, 1/3]\n"
                                  "  velocity: [-a, -1]\n"
                                  "  contacts:\n"
                                  "    - {normal: [1, -a], restitution: 0}\n"
                                  "    - {normal: [1, a], restitution: 0}\n";

/* The set S with the half-line of the global index, in a plane of velocities. */
static carom_status draw_reach(carom_drawing *d, const carom_velocity *v, carom_plot *plot,
                               carom_error *error)
{
    double zero[2] = {0, 0}, left = v->x[0] < 0 ? -1 : 1;
    carom_status status = carom_velocity_tangent(d, v, plot, 2, error);
    if (!status) /* on paper, so that its colour is that of the legend */
        status = carom_velocity_outcomes(d, v, plot, "paper", error);
    if (!status)
        status = carom_velocity_outcomes(d, v, plot, "f0", error);
    carom_plot_arc(plot, "c7", 0, 0, carom_velocity_radius(v, 1), 0, 2 * CAROM_PI);
    if (!status)
        status = carom_velocity_level(d, v, plot, "c4 thick dashed", 1, error);
    /* from z along -z_perp up to the energy sphere: epsilon from 0 to 1 */
    carom_plot_line(plot, "c6 thick", v->z[0], v->z[1], v->z[0] - v->z_perp[0],
                    v->z[1] - v->z_perp[1]);
    carom_velocity_arrow(plot, "c1 thick", zero, v->x, left < 0 ? 20 : 10, left < 0 ? 12 : 6, 's',
                         "`u`^{−}");
    return status;
}

static carom_status mark_outcome(carom_drawing *d, const carom_velocity *v, carom_drawing_case *c,
                                 carom_plot *plot, const char *law, const char *name,
                                 carom_outcome *outcome, carom_error *error)
{
    carom_status status = carom_drawing_law(d, c, law, outcome, error);
    if (status)
        return status;
    double at[2];
    carom_velocity_at(v, outcome->u, at);
    carom_plot_point(plot, "f0 solid", at[0], at[1], 5);
    bool right = at[0] > 0;
    carom_plot_label(plot, "ink", at[0], at[1], right ? 13 : -13, 5, right ? 's' : 'e', name);
    return CAROM_OK;
}

static void reach_legend(carom_plot *plot, const char *after)
{
    carom_plot_legend_fill(plot, "f2 c2", "tangent cone `T`");
    carom_plot_legend_fill(plot, "f0", "admissible set `S`");
    carom_plot_legend(plot, "c7", "energy sphere");
    carom_plot_legend(plot, "c4 thick dashed", "`S` at `ε` = 1");
    carom_plot_legend(plot, "c6 thick", "index, 0 ≤ `ε` ≤ 1");
    carom_plot_legend(plot, "c1 thick", "before the impact");
    carom_plot_legend_point(plot, "f0 solid", after);
}

/* Three balls in a row with arrows as long as their velocities. */
static void balls(carom_plot *side, double y, const double *u, const char *style, const char *text)
{
    carom_plot_label(side, "ink", -3, y, 0, -32, 's', text);
    for (int i = 0; i < 3; i++)
        carom_plot_disc(side, "body", 2 * i - 2, y, 1);
    for (int i = 0; i < 3; i++) {
        double x = 2 * i - 2;
        carom_plot_arrow(side, style, x, y, x + 1.9 * u[i], y);
        carom_plot_point(side, "dot", x, y, 2);
    }
}

/* The rod on its supports: height velocity u_1, rotation u_2, shown as velocities of its ends. */
static void rod(carom_plot *side, double y, const double *u, const char *style, const char *text)
{
    carom_plot_label(side, "ink", -3, y, 0, -30, 's', text);
    carom_plot_area(side, "body", 4, (double[]){-2.4, y, 2.4, y, 2.4, y + 0.25, -2.4, y + 0.25});
    for (int i = -1; i <= 1; i += 2) {
        double x = 0.72 * i, end = 2.4 * i, speed = u[0] + i * u[1];
        carom_plot_area(side, "dot", 3, (double[]){x, y, x - 0.3, y - 0.5, x + 0.3, y - 0.5});
        carom_plot_arrow(side, style, end, y + 0.12, end, y + 0.12 + 1.2 * speed);
    }
}

static carom_plot beside(carom_drawing *d)
{
    return carom_plot_make(&d->svg, 462, 215, 166, 200, -3.1, 4.0, -3.9, 3.7, true);
}

static carom_status reach(carom_drawing *d, const char *scene, const char *law, const char *name,
                          const char *after, carom_error *error)
{
    carom_drawing_case c;
    carom_velocity v;
    carom_outcome outcome;
    carom_status status = carom_drawing_read(d, scene, NULL, &c, error);
    if (!status)
        status = carom_velocity_make(d, &c.geometry, true, &v, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_square(d, 380, -1.1, 1.1, -1.1, 1.1), side = beside(d);
    carom_plot_axes(&plot, across, along);
    status = draw_reach(d, &v, &plot, error);
    if (!status)
        status = mark_outcome(d, &v, &c, &plot, law, name, &outcome, error);
    reach_legend(&plot, after);
    if (status)
        return status;
    void (*show)(carom_plot *, double, const double *, const char *, const char *) =
        c.impact.n == 3 ? balls : rod;
    show(&side, 1.5, c.geometry.u, "c1", "before");
    show(&side, -2.3, outcome.u, "c0", "after");
    return CAROM_OK;
}

/* One of two panels side by side: the set S of a scene with its half-line. */
static carom_status reach_panel(carom_drawing *d, double left, const char *name, const char *scene,
                                carom_drawing_case *c, carom_velocity *v, carom_plot *plot,
                                carom_error *error)
{
    carom_status status = carom_drawing_read(d, scene, NULL, c, error);
    if (!status)
        status = carom_velocity_make(d, &c->geometry, true, v, error);
    if (status)
        return status;
    *plot = carom_plot_make(&d->svg, left, CAROM_DRAWING_TOP + 20, 236, 236, -1.1, 1.1, -1.1, 1.1,
                            true);
    carom_svg_text(&d->svg, "ink", left + 118, CAROM_DRAWING_TOP + 12, 'm', 13, 0, name);
    carom_plot_axes(plot, across, along);
    return draw_reach(d, v, plot, error);
}

static carom_status figure_11(carom_drawing *d, carom_error *error)
{
    carom_drawing_case balls_case, rod_case;
    carom_velocity v;
    carom_outcome outcome;
    carom_plot plot;
    carom_status status = reach_panel(d, 64, "Newton's cradle: three equal balls", three_balls,
                                      &balls_case, &v, &plot, error);
    if (!status)
        status = mark_outcome(d, &v, &balls_case, &plot, "sequential", "(a)", &outcome, error);
    if (!status)
        status = mark_outcome(d, &v, &balls_case, &plot, "moreau", "(b)", &outcome, error);
    if (!status)
        status = reach_panel(d, 374, "rocking rod", rocking_rod, &rod_case, &v, &plot, error);
    if (!status)
        status = mark_outcome(d, &v, &rod_case, &plot, "moreau", "(c)", &outcome, error);
    if (status)
        return status;
    plot.legend_x = 64;
    plot.legend_y = CAROM_DRAWING_TOP + 316;
    plot.legend_box = 0;
    carom_plot_legend_fill(&plot, "f2 c2", "tangent cone `T`");
    carom_plot_legend_fill(&plot, "f0", "admissible set `S`");
    carom_plot_legend(&plot, "c4 thick dashed", "`S` at `ε` = 1");
    carom_plot_legend(&plot, "c7", "energy sphere, cut by the plane");
    plot.legend_x = 374;
    plot.legend_y = CAROM_DRAWING_TOP + 316;
    plot.legend_box = 0;
    carom_plot_legend(&plot, "c6 thick", "index, 0 ≤ `ε` ≤ 1");
    carom_plot_legend(&plot, "c1 thick", "before the impact");
    carom_plot_legend_point(&plot, "f0 solid", "after: (a), (b) `ε` = 1, (c) `ε` = 0");
    return CAROM_OK;
}

static carom_status figure_11a(carom_drawing *d, carom_error *error)
{
    return reach(d, three_balls, "sequential", "(a)", "after, `ε` = 1", error);
}

static carom_status figure_11b(carom_drawing *d, carom_error *error)
{
    return reach(d, three_balls, "moreau", "(b)", "after, `ε` = 1", error);
}

static carom_status figure_11c(carom_drawing *d, carom_error *error)
{
    return reach(d, rocking_rod, "moreau", "(c)", "after, `ε` = 0", error);
}

/* ---- Fig. 12: the law of one contact among others ---- */

/* Two contacts coupled through D_12 > 0; the velocity of the second runs over both branches. */
static const char corner_law[] = "carom: 1\n"
                                 "parameters: {s: 0}\n"
                                 "impact:\n"
                                 "  mass: [1, 1]\n"
                                 "  velocity: [s, -1]\n"
                                 "  contacts:\n"
                                 "    - {normal: [-0.6, 0.8], restitution: 0.5}\n"
                                 "    - {normal: [0.6, 0.8], restitution: 0.5}\n";

static carom_status corner_points(carom_drawing *d, carom_plot *plot, carom_error *error)
{
    carom_drawing_case c;
    carom_status status = carom_drawing_read(d, corner_law, NULL, &c, error);
    double *u = carom_drawing_pairs(d, 1);
    if (status || !u)
        return status ? status : carom_error_memory(error);
    for (int k = 0; k <= 8 && !status; k++) {
        carom_outcome outcome;
        u[0] = (k + 0.5) / 6; /* beside the symmetric impact, whose two points coincide */
        u[1] = -1;
        c.impact.u = u;
        status = carom_impact_derive(&c.impact, d->arena, &c.geometry, error);
        if (!status)
            status = carom_drawing_law(d, &c, "newton", &outcome, error);
        for (int i = 0; i < 2 && !status; i++)
            carom_plot_point(plot, i ? "f1 solid" : "f0 solid",
                             outcome.gamma[i] + 0.5 * c.geometry.gamma[i], outcome.impulse[i], 3.5);
    }
    return status;
}

static carom_status figure_12(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 330, -0.3, 1, -0.3, 2.8);
    carom_plot_axes(&plot, "`γ`_{`i`}^{+} + `ε` `γ`_{`i`}^{−}  (velocity)", "`Λ`_{`i`}  (impulse)");
    carom_plot_curve(&plot, "c4 thick", 3, (double[]){0, 9, 0, 0, 9, 0});
    carom_plot_legend_at(&plot, 0.5, 0.1);
    carom_plot_legend(&plot, "c4 thick", "0 ≤ `γ`_{`i`}^{+} + `ε` `γ`_{`i`}^{−} ⊥ `Λ`_{`i`} ≥ 0");
    carom_plot_legend_point(&plot, "f0 solid", "first contact, nine impacts");
    carom_plot_legend_point(&plot, "f1 solid", "second contact, the same");
    return corner_points(d, &plot, error);
}

const carom_drawing_entry carom_figures_g4_outcome[] = {
    {{"g4-5", "One contact: half-space, half-line, energy ball and outcomes",
      PAPER "Fig. 5, eqs. (36)–(42)"},
     "`u`^{+} lies on `u`^{−} − `T`^{⊥}, in `T` and in the energy ball: a segment from the "
     "projection (`ε` = 0) to the reflection (`ε` = 1).",
     430,
     figure_5},
    {{"g4-8", "Two contacts: the set of admissible outcomes", PAPER "Fig. 8, eqs. (50)–(53)"},
     "`S` = (`u`^{−} − `T`^{⊥}) ∩ `T` ∩ ball is more than a line; only its point of maximum "
     "dissipation is unique. Levels with `r`^{2} = ‖`z`‖^{2} + `ε`^{2}(‖`u`^{−}‖^{2} − ‖`z`‖^{2}).",
     430,
     figure_8},
    {{"g4-10", "Construction of the impact law", PAPER "Fig. 10, eqs. (56)–(60)"},
     "`u`^{−} = `v` + `v`^{⊥} by Moreau's theorem, `u`^{+} = `v` − `ε` `v`^{⊥}; `e`_{`x`}, "
     "`e`_{`y`} are "
     "orthonormal in the kinetic metric.",
     430,
     figure_10},
    {{"g4-11", "What the global dissipation index reaches", PAPER "Fig. 11, eq. (60)"},
     "(a) the cradle in experiment, (0, 0, 1), (b) by the index, (−1, 2, 2)/3, on the same sphere "
     "`ε` = 1; (c) the rocking rod, `ε` = 0. The index reaches one half-line of `S` only. The "
     "plane is "
     "that of ∇`g`_1, ∇`g`_2: the velocity of the balls' centre of mass is orthogonal to it, no "
     "impulse changes it, and the cut of the sphere has the radius (2/3)^{½}.",
     400,
     figure_11},
    {{"g4-11a", "Newton's cradle in experiment: the last ball flies", PAPER "Fig. 11 (a)"},
     "Three equal balls, velocities (1, 0, 0) before: contacts one after the other give the toy's "
     "outcome (0, 0, 1), which is in `S` at `ε` = 1 but not on the half-line of the index. "
     "Momentum "
     "is kept, so the plane cuts the sphere in a circle of radius (2/3)^{½}.",
     430,
     figure_11a},
    {{"g4-11b", "Newton's cradle with global dissipation index", PAPER "Fig. 11 (b), eq. (60)"},
     "The same impact by the global index with `ε` = 1: the first ball bounces back, the others "
     "move on together, (−1, 2, 2)/3, with the same energy. Momentum is kept: the plane cuts the "
     "energy sphere in a circle of radius (2/3)^{½}.",
     430,
     figure_11b},
    {{"g4-11c", "Rocking rod with global dissipation index zero",
      PAPER "Fig. 11 (c), eq. (60) with ε = 0"},
     "A slender rod turning about one of two near supports meets the other: `ε` = 0 gives the "
     "point of maximum dissipation, and the rod rocks over to the new support.",
     430,
     figure_11c},
    {{"g4-12", "The impact law in local coordinates", PAPER "Fig. 12, eq. (61)"},
     "Each contact either takes an impulse and leaves at −`ε` `γ`^{−}, or takes none and leaves "
     "faster. Dots: a particle in a wedge, `ε` = ½, computed by Newton's inequality law.",
     380,
     figure_12},
    {{0}, NULL, 0, NULL},
};
