/* Natsiavas and Paraskevopoulos, single frictionless contact by a boundary layer: Fig. 1 to 4. */
#include "pictures/drawing.h"

#include "carom/layer.h"
#include "carom/tolerance.h"
#include "pictures/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One curve x(t) or x'(t) of the motion through a layer. */
typedef struct history {
    double k, c, ratio; /* a/b, with b = 1, unit mass, unit speed */
    const char *style;
} history;

enum { POINTS = 241 };

static carom_layer layer_of(const history *h)
{
    return (carom_layer){.k = h->k, .c = h->c, .a = h->ratio, .b = 1, .inertia = 1, .speed = 1};
}

/* Draw the motion from entry to exit, with a mark where it turns (velocity: where it is zero). */
static carom_status draw_history(carom_drawing *d, carom_plot *plot, const history *h,
                                 bool velocity, carom_error *error)
{
    carom_layer layer = layer_of(h);
    carom_layer_result result;
    double t[POINTS], x[POINTS], u[POINTS], xy[2 * POINTS];
    carom_status status = carom_layer_follow(&layer, d->arena, 0, NULL, NULL, NULL, &result, error);
    if (status)
        return status;
    /* the last instant is a rounding before the exit, where the motion still is the layer's */
    for (int i = 0; i < POINTS; i++)
        t[i] = result.duration * (1 - CAROM_TOLERANCE_CARRIED) * i / (POINTS - 1);
    status = carom_layer_follow(&layer, d->arena, POINTS, t, x, u, &result, error);
    if (status)
        return status;
    for (int i = 0; i < POINTS; i++) {
        xy[2 * i] = t[i];
        xy[2 * i + 1] = velocity ? u[i] : x[i];
    }
    carom_plot_curve(plot, h->style, POINTS, xy);
    char mark[32];
    snprintf(mark, sizeof mark, "f%c solid", h->style[1]);
    carom_plot_point(plot, mark, result.turn, velocity ? 0 : result.least, 3);
    return CAROM_OK;
}

static carom_status draw_histories(carom_drawing *d, carom_plot *plot, int count,
                                   const history *list, bool velocity, carom_error *error)
{
    for (int i = 0; i < count; i++) {
        carom_status status = draw_history(d, plot, &list[i], velocity, error);
        if (status)
            return status;
    }
    return CAROM_OK;
}

enum { FOUR = 4, FIVE = 5 };
static const history by_stiffness[FOUR] = {
    {0.5, 0, 1, "c0"}, {1, 0, 1, "c1 dashed"}, {2, 0, 1, "c2 dashdot"}, {5, 0, 1, "c3 long"}};
static const history by_damping[FIVE] = {{1, 0, 1, "c0"},
                                         {1, 0.5, 1, "c1 dashed"},
                                         {1, 1, 1, "c2 dashdot"},
                                         {1, 2, 1, "c3 long"},
                                         {1, 5, 1, "c6 dotted thick"}};
static const history by_ratio[FOUR] = {{1, 1, 0.5, "c0"},
                                       {1, 1, 0.8, "c1 dashed"},
                                       {1, 1, 0.95, "c2 dashdot"},
                                       {1, 1, 1, "c7 dotted thick"}};

static void legend_of(carom_plot *plot, const char *style, const char *name, double value)
{
    char text[64];
    carom_text_format(text, sizeof text, "%s = %g", name, value);
    carom_plot_legend(plot, style, text);
}

static const char *const time_axis = "time  `t` `v`^{−}/`b`";
static const char *const distance_axis = "distance to the wall  `x`/`b`";
static const char *const velocity_axis = "velocity  `ẋ`/`v`^{−}";

static carom_status figure_1a(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 4.2, 0, 1.05);
    carom_plot_axes(&plot, time_axis, distance_axis);
    carom_plot_legend_at(&plot, 0.8, 0.68);
    for (int i = 0; i < FOUR; i++)
        legend_of(&plot, by_stiffness[i].style, "`k`", by_stiffness[i].k);
    carom_plot_legend_point(&plot, "dot", "`t` = `t`_c");
    return draw_histories(d, &plot, FOUR, by_stiffness, false, error);
}

static carom_status figure_1b(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 4.2, -1.1, 1.1);
    carom_plot_axes(&plot, time_axis, velocity_axis);
    carom_plot_legend_at(&plot, 0.8, 0.68);
    for (int i = 0; i < FOUR; i++)
        legend_of(&plot, by_stiffness[i].style, "`k`", by_stiffness[i].k);
    carom_plot_legend_point(&plot, "dot", "`t` = `t`_c");
    return draw_histories(d, &plot, FOUR, by_stiffness, true, error);
}

static carom_status figure_1c(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 2.2, 0.5, 1.02);
    carom_plot_axes(&plot, time_axis, distance_axis);
    carom_plot_legend_at(&plot, 0.8, 0.62);
    for (int i = 0; i < FIVE; i++)
        legend_of(&plot, by_damping[i].style, "`c`", by_damping[i].c);
    carom_plot_legend_point(&plot, "dot", "`t` = `t`_c");
    return draw_histories(d, &plot, FIVE, by_damping, false, error);
}

static carom_status figure_1d(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 2.2, -1.1, 1.1);
    carom_plot_axes(&plot, time_axis, velocity_axis);
    carom_plot_legend_at(&plot, 0.8, 0.62);
    for (int i = 0; i < FIVE; i++)
        legend_of(&plot, by_damping[i].style, "`c`", by_damping[i].c);
    carom_plot_legend_point(&plot, "dot", "`t` = `t`_c");
    return draw_histories(d, &plot, FIVE, by_damping, true, error);
}

/* Poisson's ratio of the boundary force f = k/x - c x'/x^2 of the sharp layer, as in (38): the
 * damping part integrates to c (1/x_least - 1), the other by Simpson's rule. */
static carom_status force_ratio(carom_drawing *d, const carom_layer *layer,
                                const carom_layer_result *result, double *ratio, carom_error *error)
{
    enum { PIECES = 64 };
    double impulse[2] = {0, 0}, damping = layer->c * (1 / result->least - 1);
    for (int half = 0; half < 2; half++) {
        double from = half ? result->turn : 0, to = half ? result->duration : result->turn;
        double t[PIECES + 1], x[PIECES + 1], u[PIECES + 1];
        carom_layer_result ignored;
        for (int i = 0; i <= PIECES; i++)
            t[i] = from + (to - from) * (1 - CAROM_TOLERANCE_CARRIED) * i / PIECES;
        carom_status status =
            carom_layer_follow(layer, d->arena, PIECES + 1, t, x, u, &ignored, error);
        if (status)
            return status;
        for (int i = 0; i <= PIECES; i++)
            impulse[half] += (i == 0 || i == PIECES ? 1 : i % 2 ? 4 : 2) * layer->k / x[i];
        impulse[half] *= (to - from) / PIECES / 3;
    }
    *ratio = (impulse[1] - damping) / (impulse[0] + damping);
    return CAROM_OK;
}

/* What Fig. 2 shows of one layer. */
enum { DURATION, NEWTON, POISSON };

static carom_status over_damping(carom_drawing *d, carom_plot *plot, const char *style, double k,
                                 int what, carom_error *error)
{
    enum { VALUES = 101 };
    double xy[2 * VALUES];
    for (int i = 0; i < VALUES; i++) {
        carom_layer layer = {
            .k = k, .c = plot->x_most * i / (VALUES - 1), .a = 1, .b = 1, .inertia = 1, .speed = 1};
        carom_layer_result result;
        carom_status status =
            carom_layer_follow(&layer, d->arena, 0, NULL, NULL, NULL, &result, error);
        double ratio = 0;
        if (!status && what == POISSON)
            status = force_ratio(d, &layer, &result, &ratio, error);
        if (status)
            return status;
        xy[2 * i] = layer.c;
        xy[2 * i + 1] = what == DURATION ? result.duration
                        : what == NEWTON ? result.restitution
                                         : ratio;
    }
    carom_plot_curve(plot, style, VALUES, xy);
    return CAROM_OK;
}

static const double stiffness[FOUR] = {0.5, 1, 2, 5};
static const char *const colour[FOUR] = {"c0", "c1", "c2", "c3"};
static const char *const pattern[FOUR] = {"c0", "c1 dashed", "c2 dashdot", "c3 long"};
static const char *const colour_dotted[FOUR] = {"c0 dotted thick", "c1 dotted thick",
                                                "c2 dotted thick", "c3 dotted thick"};
static const char *const damping_axis = "damping  `c`  (`m` = `b` = `v`^{−} = 1)";

static carom_status figure_2a(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 5, 0, 4.2);
    carom_plot_axes(&plot, damping_axis, "contact time  `t`_f `v`^{−}/`b`");
    carom_plot_legend_at(&plot, 0.82, 0.07);
    carom_status status = CAROM_OK;
    for (int i = 0; i < FOUR && !status; i++) {
        status = over_damping(d, &plot, pattern[i], stiffness[i], DURATION, error);
        /* the limit c -> infinity, half the contact time without damping */
        carom_plot_line(&plot, colour_dotted[i], 4.6, 1 / stiffness[i], 5, 1 / stiffness[i]);
        legend_of(&plot, pattern[i], "`k`", stiffness[i]);
    }
    carom_plot_legend(&plot, "c7 dotted thick", "`c` → ∞");
    return status;
}

static carom_status figure_2b(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 5, 0, 1.05);
    carom_plot_axes(&plot, damping_axis, "restitution  `e`_N, `e`_P");
    carom_status status = CAROM_OK;
    for (int i = 0; i < FOUR && !status; i++) {
        status = over_damping(d, &plot, colour[i], stiffness[i], NEWTON, error);
        if (!status)
            status = over_damping(d, &plot, colour_dotted[i], stiffness[i], POISSON, error);
        /* named on the curve: patterns tell the two coefficients apart */
        static const double height[FOUR] = {0.165, 0.29, 0.455, 0.69};
        char text[32];
        carom_text_format(text, sizeof text, "`k` = %g", stiffness[i]);
        carom_plot_label(&plot, colour[i], 4, height[i], 0, 0, 's', text);
    }
    carom_plot_legend_at(&plot, 0.48, 0.05);
    carom_plot_legend(&plot, "c7", "`e`_N = `e`_P of the reaction");
    carom_plot_legend(&plot, "c7 dotted thick", "`e`_P of the boundary force alone");
    return status;
}

static void ratio_legend(carom_plot *plot)
{
    for (int i = 0; i < FOUR; i++)
        if (by_ratio[i].ratio < 1)
            legend_of(plot, by_ratio[i].style, "`a`/`b`", by_ratio[i].ratio);
        else
            carom_plot_legend(plot, by_ratio[i].style, "closed form, `a` = `b`");
}

static carom_status figure_3a(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 2.8, 0.4, 1.05);
    carom_plot_axes(&plot, time_axis, distance_axis);
    carom_plot_legend_at(&plot, 0.66, 0.74);
    ratio_legend(&plot);
    return draw_histories(d, &plot, FOUR, by_ratio, false, error);
}

static carom_status figure_3b(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_wide(d, 340, 0, 2.8, -1.1, 0.8);
    carom_plot_axes(&plot, time_axis, velocity_axis);
    carom_plot_legend_at(&plot, 0.66, 0.74);
    ratio_legend(&plot);
    return draw_histories(d, &plot, FOUR, by_ratio, true, error);
}

/* Rotation matrix (by columns) of a unit quaternion w x y z. */
static void rotation(const double *q, double *R)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int k = 0; k < 9; k++)
        R[k / 3 + 3 * (k % 3)] = rows[k];
}

/* The ellipsoid's lowest point in body coordinates: r = -A^2 R'z / |A R'z|. */
static void lowest_point(const double *R, const double axes[3], double r[3])
{
    double norm = 0;
    for (int j = 0; j < 3; j++)
        norm += pow(axes[j] * R[2 + 3 * j], 2);
    for (int j = 0; j < 3; j++)
        r[j] = -axes[j] * axes[j] * R[2 + 3 * j] / sqrt(norm);
}

static const double centre[3] = {0, 0.2, 1.35}, semi_axes[3] = {1.25, 0.8, 0.55};
static const double turned[4] = {0.95, -0.20, 0.10, -0.17}; /* near a unit quaternion */

/* The body of Fig. 4 as a system; its gap rho, computed by the library, places the foot of P. */
static carom_status body_gap(carom_drawing *d, const double *q, const double *r, double *gap,
                             carom_error *error)
{
    carom_rigid_body body = {.mass = 1, .inertia = {0.19, 0.37, 0.44}, .normal = {0, 0, 1}};
    body.contact = carom_contact_default();
    memcpy(body.point, r, sizeof body.point);
    const carom_allocator *allocator = carom_arena_allocator(d->arena);
    carom_system *system;
    carom_status status = carom_system_rigid_body(
        &body, allocator && allocator->resize ? allocator : NULL, &system, error);
    if (status)
        return status;
    carom_state state;
    status = carom_state_create(system, d->arena, &state, error);
    if (!status) {
        memcpy(state.q, centre, sizeof centre);
        memcpy(state.q + 3, q, 4 * sizeof *q);
        status = carom_system_evaluate(system, CAROM_WANT_GAPS, &state, error);
    }
    if (!status)
        *gap = state.g[0];
    carom_system_destroy(system);
    return status;
}

static void draw_frames(const carom_space *s, const double *R)
{
    static const char *const body_names[3] = {"`e`_1", "`e`_2", "`e`_3"};
    static const char *const space_names[3] = {"`x`^1", "`x`^2", "`x`^3"};
    const double origin[3] = {1.5, -1.9, 0}, reach[3] = {1.7, 1.45, 1.6};
    for (int j = 0; j < 3; j++) {
        double tip[3], space_tip[3];
        for (int i = 0; i < 3; i++) {
            tip[i] = centre[i] + reach[j] * R[i + 3 * j];
            space_tip[i] = origin[i] + (i == j ? 0.75 : 0);
        }
        carom_space_arrow(s, "c0", centre, tip);
        carom_space_label(s, "c0", tip, j == 0 ? -7 : 7, j == 1 ? 14 : 4, j == 0 ? 'e' : 's',
                          body_names[j]);
        carom_space_arrow(s, "ink", origin, space_tip);
        carom_space_label(s, "ink", space_tip, j == 1 ? 7 : -5, j == 2 ? 0 : 12, j == 1 ? 's' : 'e',
                          space_names[j]);
    }
    carom_space_label(s, "ink", origin, 4, 20, 's', "`F`");
}

static carom_status figure_4(carom_drawing *d, carom_error *error)
{
    carom_plot plot = carom_drawing_sketch(d, 340, -2.9, 2.9, -1.1, 2.4);
    carom_space space = carom_space_make(&plot, 28, 22);
    double q[4], R[9], r[3], P[3], gap, norm = 0;
    for (int k = 0; k < 4; k++)
        norm += turned[k] * turned[k];
    for (int k = 0; k < 4; k++)
        q[k] = turned[k] / sqrt(norm);
    rotation(q, R);
    lowest_point(R, semi_axes, r);
    carom_status status = body_gap(d, q, r, &gap, error);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        P[i] = centre[i] + R[i] * r[0] + R[i + 3] * r[1] + R[i + 6] * r[2];
    double foot[3] = {P[0], P[1], P[2] - gap}, above[3] = {foot[0], foot[1], 0};
    const double plane[12] = {2, -2.3, 0, 2, 2.3, 0, -1.6, 2.3, 0, -1.6, -2.3, 0};
    const double inside[3] = {1.45, 1.75, 0}, normal_foot[3] = {-0.6, 1.8, 0};
    const double normal_tip[3] = {-0.6, 1.8, 0.8};
    carom_space_polygon(&space, "f7 c7", 4, plane);
    carom_space_label(&space, "ink", inside, 0, 0, 'm', "`Π`");
    carom_space_ellipsoid(&space, "f0 c0", centre, R, semi_axes);
    draw_frames(&space, R);
    carom_space_arrow(&space, "c1", centre, P);
    carom_space_line(&space, "c1 dashed", P, foot);
    double xy[2];
    carom_space_project(&space, P, xy);
    carom_plot_point(&plot, "dot", xy[0], xy[1], 3.5);
    carom_plot_label(&plot, "ink", xy[0], xy[1], 8, 24, 's', "`P`");
    carom_plot_label(&plot, "c1", 0.5 * xy[0], 0.5 * xy[1] + 0.75, -8, 4, 'e', "`r`_P");
    carom_space_label(&space, "c1", above, 8, -6, 's', "`ρ` = `s`(`x`_P)");
    carom_space_project(&space, centre, xy);
    carom_plot_point(&plot, "dot", xy[0], xy[1], 3.5);
    carom_plot_label(&plot, "ink", xy[0], xy[1], -9, -6, 'e', "`C`");
    carom_space_arrow(&space, "ink", normal_foot, normal_tip);
    carom_space_label(&space, "ink", normal_tip, 8, 8, 's', "`s`");
    return CAROM_OK;
}

#define PAPER "Natsiavas, Paraskevopoulos, single frictionless contact by b-geometry, "

const carom_drawing_entry carom_figures_np[] = {
    {{"np-1a", "Boundary layer: distance over time, no damping, several k",
      PAPER "Fig. 1a, eqs. (25), (26), (36) with its sign corrected"},
     "Motion through the layer 0 < `x` ≤ `b` for `c` = 0, `a` = `b` = `m` = `v`^{−} = 1: symmetric "
     "about `t`_c; a larger `k` turns earlier and less deep.",
     390,
     figure_1a},
    {{"np-1b", "Boundary layer: velocity over time, no damping, several k",
      PAPER "Fig. 1b, eqs. (25), (26), (36) with its sign corrected"},
     "Velocity normal to the wall for the motions of Fig. 1a: the exit speed is that of the entry.",
     390,
     figure_1b},
    {{"np-1c", "Boundary layer: distance over time, k = 1, several c",
      PAPER "Fig. 1c, eqs. (25), (26), (36) with its sign corrected"},
     "Damping makes the motion asymmetric about `t`_c, `a` = `b` = `m` = `v`^{−} = 1.",
     390,
     figure_1c},
    {{"np-1d", "Boundary layer: velocity over time, k = 1, several c",
      PAPER "Fig. 1d, eqs. (25), (26), (36) with its sign corrected"},
     "Velocity for the motions of Fig. 1c: the exit speed `e`_N falls with `c`.",
     390,
     figure_1d},
    {{"np-2a", "Boundary layer: contact time over damping, several k", PAPER "Fig. 2a, eq. (36)"},
     "`t`_f falls from 2`m` `v`^{−}/(`a` `k`) at `c` = 0 to half of it as `c` grows.",
     390,
     figure_2a},
    {{"np-2b", "Boundary layer: restitution over damping, several k",
      PAPER "Fig. 2b, eqs. (37), (38)"},
     "`e`_N depends on `a` `k`/`c` alone. Poisson's `e`_P equals it when `f` is the whole "
     "reaction; "
     "with the boundary force (25) alone it is slightly larger.",
     390,
     figure_2b},
    {{"np-3a", "Boundary layer: distance over time, several a/b", PAPER "Fig. 3a, eqs. (25), (28)"},
     "`k` = `c` = `b` = `m` = `v`^{−} = 1, metric of the source: the force sets in between `b` and "
     "`a`. As `a`/`b` → 1 the motion tends to the closed form.",
     390,
     figure_3a},
    {{"np-3b", "Boundary layer: velocity over time, several a/b", PAPER "Fig. 3b, eqs. (25), (28)"},
     "`k` = `c` = `b` = `m` = `v`^{−} = 1; velocities of the motions of Fig. 3a. All leave with "
     "the "
     "same speed: `e`_N does not depend on `a`/`b`.",
     390,
     figure_3b},
    {{"np-4", "A rigid body hitting a plane wall", PAPER "Fig. 4, eqs. (42)–(44)"},
     "Body frame `e`_1, `e`_2, `e`_3 at the centre of mass `C`; the point `P` is the lowest of the "
     "body, `ρ` its distance from the wall `Π` with normal `s`.",
     350,
     figure_4},
    {{0}, NULL, 0, NULL},
};
