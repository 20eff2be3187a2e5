/* Brogliato, kinetic quasi-velocities, Example 5: which modes a particle on a rough plane has, and
 * the energy that sliding would gain where it is none of them. */
#include "pictures/drawing.h"

#include <math.h>
#include <string.h>

#define PAPER "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts and friction, "

static const char particle[] =
    "carom: 1\n"
    "impact:\n"
    "  mass: [1, 1]\n"
    "  velocity: [1, -1]\n"
    "  contacts:\n"
    "    - {normal: [0, 1], slip: [1, 0], restitution: 0.5, friction: 1}\n";

enum { RATIOS = 121 };

/* The impact with approach over slip = ratio, friction mu and tangential restitution e_t, decided
 * by the law. */
static carom_status decide(carom_drawing *d, carom_drawing_case *c, double ratio, double mu,
                           double e_t, carom_outcome *outcome, carom_error *error)
{
    carom_contact contact = c->impact.contacts[0];
    contact.friction_static = contact.friction_dynamic = mu;
    contact.tangential_restitution = e_t;
    double velocity[2] = {1, -ratio};
    carom_drawing_case changed = *c;
    changed.impact.contacts = &contact;
    changed.impact.u = velocity;
    carom_status status = carom_impact_derive(&changed.impact, d->arena, &changed.geometry, error);
    return status ? status : carom_drawing_law(d, &changed, "coulomb", outcome, error);
}

/* T_L/T- if sliding went on in its direction: the normal impulse of the law with p_T = -mu p_n. */
static carom_status slide_gain(carom_drawing *d, carom_drawing_case *c, double ratio, double mu,
                               double *gain, carom_error *error)
{
    carom_outcome outcome;
    carom_status status = decide(d, c, ratio, mu, 0, &outcome, error);
    if (status)
        return status;
    const double *w = c->impact.W, *h = c->impact.H, p = outcome.impulse[0];
    double u[2] = {1, -ratio}, force[2] = {w[0] * p - h[0] * mu * p, w[1] * p - h[1] * mu * p},
           v[2];
    carom_geometry_inverse_mass(&c->geometry, force, v, NULL);
    v[0] += u[0];
    v[1] += u[1];
    *gain = carom_geometry_dot(&c->geometry, v, v) / carom_geometry_dot(&c->geometry, u, u) - 1;
    return CAROM_OK;
}

/* What is asked at a point of the map: does the contact stick, or would sliding gain energy? */
typedef struct question {
    bool stick;
    double value; /* e_t, or the gain that is exceeded */
} question;

static carom_status ask(carom_drawing *d, carom_drawing_case *c, const question *q, double ratio,
                        double mu, bool *yes, carom_error *error)
{
    carom_mark mark = carom_arena_mark(d->arena);
    carom_outcome outcome;
    double gain = 0;
    carom_status status = q->stick ? decide(d, c, ratio, mu, q->value, &outcome, error)
                                   : slide_gain(d, c, ratio, mu, &gain, error);
    if (!status)
        *yes = q->stick ? outcome.mode[0] == CAROM_MODE_STICK : gain > q->value;
    carom_arena_rewind(d->arena, mark);
    return status;
}

/* The least friction with the answer yes, for every ratio: it stays yes above. */
static carom_status boundary(carom_drawing *d, carom_drawing_case *c, const question *q,
                             const carom_plot *plot, double *xy, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < RATIOS && !status; k++) {
        double ratio = plot->x_most * (k + 0.5) / RATIOS, low = 0, high = 400;
        for (int pass = 0; pass < 50 && !status; pass++) {
            double middle = 0.5 * (low + high);
            bool yes = false;
            status = ask(d, c, q, ratio, middle, &yes, error);
            if (yes)
                high = middle;
            else
                low = middle;
        }
        xy[2 * k] = ratio;
        xy[2 * k + 1] = low;
    }
    return status;
}

/* Everything above a boundary as an area, and the boundary as a curve. */
static void draw_above(carom_plot *plot, const char *fill, const char *style, double *xy)
{
    memcpy(xy + 2 * RATIOS, (double[]){plot->x_most, 999, 0, 999}, 4 * sizeof *xy);
    if (fill)
        carom_plot_area(plot, fill, RATIOS + 2, xy);
    carom_plot_curve(plot, style, RATIOS, xy);
}

/* Theorem 2: 1 - e > mu^2 (1 + e) and ratio >= 2 mu/(1 - e - mu^2 (1 + e)). */
static void draw_theorem(carom_plot *plot, double e)
{
    enum { STEPS = 61 };
    double sure[2 * (STEPS + 1)], limit = sqrt((1 - e) / (1 + e));
    for (int k = 0; k < STEPS; k++) {
        double mu = limit * k / STEPS;
        sure[2 * k] = fmin(99, 2 * mu / (1 - e - mu * mu * (1 + e)));
        sure[2 * k + 1] = mu;
    }
    sure[2 * STEPS] = 99;
    sure[2 * STEPS + 1] = 0;
    carom_plot_area(plot, "f2 c2", STEPS + 1, sure);
}

static carom_status gain_map(carom_drawing *d, carom_error *error)
{
    static const question stops = {true, 0}, stops_back = {true, 1}, gains = {false, 0};
    carom_drawing_case c;
    double xy[2 * RATIOS + 4];
    carom_status status = carom_drawing_read(d, particle, NULL, &c, error);
    if (status)
        return status;
    carom_plot plot =
        carom_plot_make(&d->svg, 64, CAROM_DRAWING_TOP, 385, 370, 0, 6, 0, 2.5, false);
    carom_plot_axes(&plot, "approach over slip  |`ẏ`^{−}|/|`ẋ`^{−}|", "friction  `μ`");
    draw_theorem(&plot, c.impact.contacts[0].restitution);
    status = boundary(d, &c, &gains, &plot, xy, error);
    if (!status) {
        draw_above(&plot, "f1", "c1 thick", xy);
        status = boundary(d, &c, &stops, &plot, xy, error);
    }
    if (!status) {
        draw_above(&plot, NULL, "c0 thick dashed", xy);
        status = boundary(d, &c, &stops_back, &plot, xy, error);
    }
    if (!status)
        draw_above(&plot, NULL, "c0 dashdot", xy);
    carom_plot_label(&plot, "ink", 4.9, 0.58, 0, 0, 'm', "sticks");
    carom_plot_label(&plot, "ink", 0.08, 0.55, 0, 0, 's', "slides");
    carom_plot_legend_at(&plot, 1.04, 0.04);
    carom_plot_legend(&plot, "c0 thick dashed", "valid sliding below,\nsticking above, `e`_t = 0");
    carom_plot_legend(&plot, "c0 dashdot", "the same, `e`_t = 1");
    carom_plot_legend_fill(&plot, "f1", "sliding in its direction\nwould gain energy");
    carom_plot_legend(&plot, "c1 thick", "`T`_L = 0 of sliding");
    carom_plot_legend_fill(&plot, "f2 c2", "no gain, sure by\nTheorem 2");
    return status;
}

const carom_drawing_entry carom_figures_b_gain[] = {
    {{"b-gain", "A particle on a rough plane: when sliding would gain energy",
      PAPER "Example 5, Theorem 2"},
     "`e` = ½. Sliding with `p`_T = −`μ` `p`_n and `ẋ`^{−} > 0 has "
     "`T`_L = ½`m`(1 + `e`)`ẏ`^{−}[((`e` − 1) + `μ`^{2}(1 + `e`))`ẏ`^{−} + 2`μ` `ẋ`^{−}]. It gains "
     "energy only where friction would turn the slip round, which is no mode of Coulomb's law with "
     "`e`_t ≤ 1: there the particle sticks. Friction that opposes the slip before the impact, "
     "whatever it does (Kane), gains.",
     420,
     gain_map},
    {{0}, NULL, 0, NULL},
};
