/* The construction of the impact with global dissipation index, drawn. */
#include "pictures/construction.h"

#include <math.h>

static const char wedge[] = "carom: 1\n"
                            "parameters: {a: 20*pi/180, d: 55*pi/180, bx: 0, by: 0, e: 0.6}\n"
                            "impact:\n"
                            "  mass: [1, 1]\n"
                            "  velocity: [sin(d) + bx, by - cos(d)]\n"
                            "  contacts:\n"
                            "    - normal: [-sin(a), cos(a)]\n"
                            "      motion: sin(a)*bx - cos(a)*by\n"
                            "      restitution: e\n"
                            "    - normal: [sin(a), cos(a)]\n"
                            "      motion: -sin(a)*bx - cos(a)*by\n"
                            "      restitution: e\n";

carom_status carom_construction_read(carom_drawing *d, const double b[2], carom_drawing_case *c,
                                     carom_error *error)
{
    char bx[40], by[40];
    carom_text_format(bx, sizeof bx, "bx=%.17g", b[0]);
    carom_text_format(by, sizeof by, "by=%.17g", b[1]);
    const char *const sets[] = {bx, by, NULL};
    return carom_drawing_read(d, wedge, sets, c, error);
}

/* The line through the tip along z: the hyperplane at which u- is mirrored when epsilon = 1. */
static void hyperplane(carom_plot *plot, const carom_velocity *v)
{
    double h = hypot(v->z_perp[0], v->z_perp[1]), x = -v->z_perp[1] / h, y = v->z_perp[0] / h;
    carom_plot_line(plot, "c7 dashed", v->tip[0] - 9 * x, v->tip[1] - 9 * y, v->tip[0] + 9 * x,
                    v->tip[1] + 9 * y);
    const double out = 1.09 * fabs(x); /* beyond the energy sphere */
    carom_plot_label(plot, "c7", v->tip[0] - out, v->tip[1] - out * y / x, -2, -8, 'm', "`H`");
}

/* Pixels from a point to its label, which starts or (dx < 0) ends there. */
typedef struct offset {
    double dx, dy;
} offset;

static void label(carom_plot *plot, const char *style, const double at[2], offset by,
                  const char *text)
{
    carom_plot_label(plot, style, at[0], at[1], by.dx, by.dy, by.dx < 0 ? 'e' : 's', text);
}

/* A vector from the tip of the cone: named at its end, or (at a part of its length) beside it where
 * the velocity it ends in has a name of its own. */
static void vector(carom_plot *plot, const char *style, const double tip[2], const double end[2],
                   const char *name, const char *velocity, double part, const offset by[3])
{
    const double beside[2] = {tip[0] + part * (end[0] - tip[0]), tip[1] + part * (end[1] - tip[1])};
    carom_plot_arrow(plot, style, tip[0], tip[1], end[0], end[1]);
    if (!velocity) {
        label(plot, style, end, by[0], name);
        return;
    }
    label(plot, style, beside, by[1], name);
    carom_plot_point(plot, "dot", end[0], end[1], 3);
    label(plot, "ink", end, by[2], velocity);
}

static void vectors(carom_plot *plot, const carom_construction *plan, const carom_velocity *v,
                    const double after[2])
{
    const double *tip = v->tip;
    double normal[2] = {tip[0] + v->z_perp[0], tip[1] + v->z_perp[1]};
    double thrown[2] = {tip[0] + after[0] - v->z[0], tip[1] + after[1] - v->z[1]};
    carom_plot_line(plot, "c7 dotted", v->x[0], v->x[1], v->z[0], v->z[1]);
    carom_plot_line(plot, "c7 dotted", v->x[0], v->x[1], normal[0], normal[1]);
    carom_plot_line(plot, "c7 dotted", after[0], after[1], v->z[0], v->z[1]);
    carom_plot_line(plot, "c7 dotted", after[0], after[1], thrown[0], thrown[1]);
    carom_velocity_arrow(plot, "c3", tip, normal, -6, 14, 'e', plan->normal);
    carom_velocity_arrow(plot, "c3 dashed", tip, thrown, -8, 2, 'e', plan->thrown);
    static const offset kept[3] = {{8, 12}, {4, 17}, {9, 10}},
                        before[3] = {{8, 10}, {-10, 14}, {8, 14}},
                        thrown_back[3] = {{-4, -8}, {9, 0}, {8, -6}};
    vector(plot, "c2", tip, v->z, plan->tangential, plan->ends[2], 0.5, kept);
    vector(plot, "c1 thick", tip, v->x, plan->before, plan->ends[0], 0.78, before);
    vector(plot, "c0 thick", tip, after, plan->after, plan->ends[1], 0.31, thrown_back);
}

carom_status carom_construction_draw(carom_drawing *d, const carom_construction *plan,
                                     carom_error *error)
{
    carom_drawing_case c;
    carom_velocity v;
    carom_outcome outcome;
    carom_status status = carom_construction_read(d, plan->b, &c, error);
    if (!status)
        status = carom_velocity_make(d, &c.geometry, plan->relative, &v, error);
    if (!status)
        status = carom_drawing_law(d, &c, "moreau", &outcome, error);
    if (status)
        return status;
    double least = plan->relative ? -1.2 : -0.85, low = plan->relative ? -1.05 : -0.75, after[2];
    carom_plot plot = carom_drawing_square(d, 380, least, least + 2.5, low, low + 2.5);
    carom_plot_axes(&plot, plan->axes[0], plan->axes[1]);
    status = carom_velocity_tangent(d, &v, &plot, 2, error);
    carom_velocity_normal(&v, &plot, 3, v.tip, -1);
    carom_plot_arc(&plot, "c7", v.tip[0], v.tip[1], 1, 0, 2 * CAROM_PI);
    hyperplane(&plot, &v);
    if (hypot(v.tip[0], v.tip[1]) > 0) {
        static const double zero[2] = {0, 0};
        carom_plot_point(&plot, "dot", 0, 0, 3);
        carom_velocity_arrow(&plot, "ink", zero, v.tip, -9, -5, 'e', "`b`");
    }
    carom_velocity_at(&v, outcome.u, after);
    vectors(&plot, plan, &v, after);
    carom_plot_legend_fill(&plot, "f2 c2", v.tip[0] != 0 ? "`T` + `b`" : "tangent cone `T`");
    carom_plot_legend_fill(&plot, "f3 c3",
                           v.tip[0] != 0 ? "`T`^{⊥} + `b`" : "`T`^{⊥} = `M`^{−1}`N`");
    carom_plot_legend(&plot, "c7", "energy sphere");
    carom_plot_legend(&plot, "c7 dashed", "hyperplane `H`");
    carom_plot_legend(&plot, "c1 thick", "before the impact");
    carom_plot_legend(&plot, "c0 thick", "after, `ε` = 0.6");
    return status;
}
