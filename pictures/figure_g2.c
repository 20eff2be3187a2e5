/* Glocker, Newtonian impacts with global dissipation index: Fig. 1 and 2. */
#include "pictures/construction.h"
#include "pictures/sketch.h"

#include <math.h>
#include <string.h>

/* A set with a corner: curved walls g1, g2 that meet at q_0 = 0. */
static const char corner_set[] = "carom: 1\n"
                                 "system:\n"
                                 "  coordinates: [x, y]\n"
                                 "  kinetic: x'^2/2 + y'^2/2\n"
                                 "  contacts:\n"
                                 "    g1: {gap: y - 0.25*x - 0.14*x^2}\n"
                                 "    g2: {gap: x + 0.45*y - 0.16*y^2}\n"
                                 "initial: {x: 0, y: 0}\n";

enum { TRACED = 61 };

/* Follow the boundary g_i = 0 from the corner: a step along the wall, then Newton's method back on
 * it, with the gaps and gradients of the library. side: +1 or -1 along (w_y, -w_x). */
static carom_status trace(carom_drawing *d, carom_drawing_case *c, int i, double side, double *xy,
                          carom_error *error)
{
    const carom_system *system = carom_scene_get(c->scene)->system;
    (void)d;
    c->state.q[0] = c->state.q[1] = 0;
    for (int k = 0; k < TRACED; k++) {
        memcpy(xy + 2 * k, c->state.q, 2 * sizeof *xy);
        for (int pass = 0; pass < 5; pass++) {
            unsigned want = CAROM_WANT_GAPS | CAROM_WANT_NORMALS;
            carom_status status = carom_system_evaluate(system, want, &c->state, error);
            if (status)
                return status;
            const double *w = c->state.W + 2 * i;
            double norm = hypot(w[0], w[1]), g = c->state.g[i], step = pass == 0 ? 0.05 : 0;
            c->state.q[0] += side * step * w[1] / norm - g * w[0] / (norm * norm);
            c->state.q[1] += -side * step * w[0] / norm - g * w[1] / (norm * norm);
        }
    }
    return CAROM_OK;
}

static carom_status figure_1(carom_drawing *d, carom_error *error)
{
    carom_drawing_case c;
    carom_status status = carom_drawing_read(d, corner_set, NULL, &c, error);
    if (status)
        return status;
    double W[4], *rays, boundary[4 * TRACED];
    int count;
    memcpy(W, c.state.W, sizeof W);
    status = carom_cone_rays(2, 2, W, d->arena, &rays, &count, error);
    if (!status)
        status = trace(d, &c, 0, 1, boundary, error);
    if (!status)
        status = trace(d, &c, 1, -1, boundary + 2 * TRACED, error);
    if (status)
        return status;
    carom_plot plot = carom_drawing_square(d, 380, -1.9, 2.5, -1.7, 2.7);
    carom_plot_axes(&plot, "`q`_1 (length)", "`q`_2 (length)");
    /* the set: out along one wall, back along the other */
    double region[4 * TRACED + 2] = {0};
    for (int k = 0; k < TRACED; k++) {
        memcpy(region + 2 * k, boundary + 2 * k, 2 * sizeof *region);
        memcpy(region + 2 * (2 * TRACED - k), boundary + 2 * TRACED + 2 * k, 2 * sizeof *region);
    }
    region[2 * TRACED] = region[2 * TRACED + 1] = 9; /* and beyond the frame between them */
    carom_plot_area(&plot, "f7", 2 * TRACED + 1, region);
    carom_plot_curve(&plot, "ink thick", TRACED, boundary);
    carom_plot_curve(&plot, "ink thick", TRACED, boundary + 2 * TRACED);
    int first = rays[0] * rays[3] - rays[1] * rays[2] > 0 ? 0 : 1;
    carom_sketch_cone(&plot, "f2 c2", rays + 2 * first, rays + 2 * (1 - first), 1.9);
    double minus[4] = {-W[0], -W[1], -W[2], -W[3]};
    carom_sketch_cone(&plot, "f3 c3", minus + 2, minus, 1.25);
    carom_plot_arrow(&plot, "c1", 0, 0, W[0], W[1]);
    carom_plot_arrow(&plot, "c1", 0, 0, W[2], W[3]);
    carom_plot_label(&plot, "c1", W[0], W[1], 8, 0, 's', "`w`_1");
    carom_plot_label(&plot, "c1", W[2], W[3], -12, -14, 'e', "`w`_2");
    carom_plot_point(&plot, "dot", 0, 0, 4);
    carom_plot_label(&plot, "ink", 0, 0, -12, -8, 'e', "`q`_0");
    carom_plot_label(&plot, "ink", boundary[2 * 42], boundary[2 * 42 + 1], 2, 26, 's', "`g`_1 = 0");
    carom_plot_label(&plot, "ink", -0.2, 2.25, -6, 4, 'e', "`g`_2 = 0");
    carom_plot_legend_fill(&plot, "f7", "set `C`: `g`_1 ≥ 0\nand `g`_2 ≥ 0");
    carom_plot_legend_fill(&plot, "f2 c2", "tangent cone `T`");
    carom_plot_legend_fill(&plot, "f3 c3", "normal cone `N`");
    carom_plot_legend(&plot, "c1", "gradients `w`_{`j`}");
    carom_plot_legend(&plot, "ink thick", "boundary of `C`");
    return CAROM_OK;
}

static carom_status figure_2(carom_drawing *d, carom_error *error)
{
    static const carom_construction plan = {.b = {0, 0},
                                            .relative = true,
                                            .before = "`u`^{−} − `b`",
                                            .after = "`u`^{+} − `b`",
                                            .tangential = "`z`",
                                            .normal = "`z`^{⊥}",
                                            .thrown = "−`ε` `z`^{⊥}",
                                            .axes = {"(`u` − `b`)·`e`_{`x`} / ‖`u`^{−} − `b`‖",
                                                     "(`u` − `b`)·`e`_{`y`} / ‖`u`^{−} − `b`‖"}};
    return carom_construction_draw(d, &plan, error);
}

static carom_status figure_2b(carom_drawing *d, carom_error *error)
{
    static const carom_construction plan = {
        .b = {0.35, 0.45},
        .before = "`u`^{−} − `b`",
        .after = "`u`^{+} − `b`",
        .tangential = "`z`",
        .normal = "`z`^{⊥}",
        .thrown = "−`ε` `z`^{⊥}",
        .ends = {"`u`^{−}", "`u`^{+}", "`v`"},
        .axes = {"`u`·`e`_{`x`} / ‖`u`^{−} − `b`‖", "`u`·`e`_{`y`} / ‖`u`^{−} − `b`‖"}};
    return carom_construction_draw(d, &plan, error);
}

#define PAPER "Glocker, geometry of Newtonian impacts with global dissipation index, "

const carom_drawing_entry carom_figures_g2[] = {
    {{"g2-1", "Tangent and normal cone of a set with a corner", PAPER "Fig. 1, eqs. (17), (18)"},
     "`N` = {−Σ `α`_{`j`} `w`_{`j`}, `α`_{`j`} ≥ 0} is spanned by the negative gradients of the "
     "closed "
     "constraints, `T` is its polar and approximates `C` near `q`_0.",
     430,
     figure_1},
    {{"g2-2", "Construction of the impact with global dissipation index",
      PAPER "Fig. 2, eqs. (26)–(31)"},
     "The part `z` in `T` is kept, the part `z`^{⊥} in `T`^{⊥} is thrown back, `ε` = 0.6; "
     "`e`_{`x`}, "
     "`e`_{`y`} are orthonormal in the kinetic metric.",
     430,
     figure_2},
    {{"g2-2b", "The same construction at a moving set: the cone is translated by b",
      PAPER "Fig. 2, eqs. (19), (26)–(31) with b ≠ 0"},
     "The walls move with `b`, −`w`_{`j`}^{T}`b` = `ŵ`_{`j`}: vectors that start at `b` are "
     "relative to "
     "them, dots are velocities. `v` = `z` + `b` is the point of `T` + `b` nearest to `u`^{−}; "
     "`ε` = 0.6.",
     430,
     figure_2b},
    {{0}, NULL, 0, NULL},
};
