/* Diagrams of dynamics as SVG. */
#include "pictures/dynamics.h"

#include <math.h>
#include <stdio.h>

#include "pictures/plot.h"

enum { WIDTH = 640, HEIGHT = 400, LEFT = 76, TOP = 46, LEGEND = 150 };

/* The box around everything that is drawn. */
typedef struct box {
    double x[2], y[2];
} box;

static void include(box *b, double x, double y)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    b->x[0] = fmin(b->x[0], x);
    b->x[1] = fmax(b->x[1], x);
    b->y[0] = fmin(b->y[0], y);
    b->y[1] = fmax(b->y[1], y);
}

static box find_box(const carom_dynamics *d)
{
    box b = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    if (d->cells)
        return (box){{d->x_least, d->x_most}, {d->y_least, d->y_most}};
    for (int k = 0; k < d->curve_count; k++)
        for (int i = 0; i < d->curves[k].count; i++)
            include(&b, d->curves[k].xy[2 * i], d->curves[k].xy[2 * i + 1]);
    for (int i = 0; i < d->point_count; i++)
        include(&b, d->points[2 * i], d->points[2 * i + 1]);
    for (int i = 0; i < d->mark_count; i++)
        include(&b, d->marks[i].x, d->marks[i].y);
    if (!(b.x[0] <= b.x[1]))
        b = (box){{0, 1}, {0, 1}};
    carom_plot_widen(0.02, &b.x[0], &b.x[1]);
    carom_plot_widen(0.06, &b.y[0], &b.y[1]);
    return b;
}

/* Rows reach over the ones below, drawn before them: between edges that only meet the paper shows
 * through. */
static const double lap = 1;

/* Cells of one row that are alike, as one rectangle. */
static void draw_cells(const carom_dynamics *d, carom_plot *plot)
{
    const double w = (d->x_most - d->x_least) / d->columns, h = (d->y_most - d->y_least) / d->rows;
    for (int j = 0; j < d->rows; j++)
        for (int i = 0, end; i < d->columns; i = end) {
            const int kind = d->cells[(size_t)j * (size_t)d->columns + (size_t)i];
            for (end = i + 1; end < d->columns &&
                              d->cells[(size_t)j * (size_t)d->columns + (size_t)end] == kind;)
                end++;
            if (kind < 0)
                continue;
            char style[16];
            snprintf(style, sizeof style, "f%d solid", kind % CAROM_DYNAMICS_KINDS);
            const double x = carom_plot_x(plot, d->x_least + i * w);
            const double y = carom_plot_y(plot, d->y_least + (j + 1) * h);
            carom_svg_rect(plot->svg, style, x, y, carom_plot_x(plot, d->x_least + end * w) - x,
                           carom_plot_y(plot, d->y_least + j * h) - y + (j > 0 ? lap : 0));
        }
}

/* Is there a curve of this kind? */
static bool has_curve(const carom_dynamics *d, bool dashed)
{
    for (int k = 0; k < d->curve_count; k++)
        if (d->curves[k].dashed == dashed)
            return true;
    return false;
}

static void draw_legend(const carom_dynamics *d, carom_plot *plot)
{
    bool used[CAROM_DYNAMICS_KINDS] = {false};
    carom_plot_legend_at(plot, 1.03, 0);
    if (d->full && has_curve(d, false))
        carom_plot_legend(plot, "c0", d->full);
    if (d->broken && has_curve(d, true))
        carom_plot_legend(plot, "c3 dashed", d->broken);
    for (int i = 0; i < d->mark_count; i++)
        used[d->marks[i].kind % CAROM_DYNAMICS_KINDS] = true;
    for (int i = 0; d->cells && i < d->rows * d->columns; i++)
        if (d->cells[i] >= 0)
            used[d->cells[i] % CAROM_DYNAMICS_KINDS] = true;
    for (int k = 0; k < CAROM_DYNAMICS_KINDS; k++) {
        char style[16];
        if (!used[k] || !d->kinds[k])
            continue;
        snprintf(style, sizeof style, "f%d solid", k);
        if (d->cells)
            carom_plot_legend_fill(plot, style, d->kinds[k]);
        else
            carom_plot_legend_point(plot, style, d->kinds[k]);
    }
}

carom_status carom_dynamics_draw(const carom_dynamics *d, const carom_allocator *allocator,
                                 char **text, size_t *size, carom_error *error)
{
    const box b = find_box(d);
    carom_svg svg;
    carom_svg_begin(&svg, allocator, WIDTH, TOP + HEIGHT + 60, d->title ? d->title : "diagram",
                    d->cells ? "map of basins of attraction" : "diagram over a parameter");
    if (d->title)
        carom_svg_text_label(&svg, "ink bold", WIDTH / 2.0, 26, 'm', 16, 0, 70, d->title);
    const bool legend = d->full || d->broken || d->mark_count > 0 || d->cells;
    carom_plot plot = carom_plot_make(&svg, LEFT, TOP, WIDTH - LEFT - (legend ? LEGEND : 20),
                                      HEIGHT, b.x[0], b.x[1], b.y[0], b.y[1], false);
    if (d->cells)
        draw_cells(d, &plot);
    carom_plot_axes(&plot, "", "");
    carom_svg_text_label(&svg, "ink", LEFT + plot.width / 2, TOP + HEIGHT + 42, 'm', 14, 0, 40,
                         d->x);
    carom_svg_text_label(&svg, "ink", 18, TOP + HEIGHT / 2.0, 'm', 14, -90, 40, d->y);
    for (int k = 0; k < d->curve_count; k++)
        carom_plot_curve(&plot, d->curves[k].dashed ? "c3 dashed" : "c0", d->curves[k].count,
                         d->curves[k].xy);
    for (int i = 0; i < d->point_count; i++)
        carom_plot_point(&plot, "dot", d->points[2 * i], d->points[2 * i + 1], 0.6);
    for (int i = 0; i < d->mark_count; i++) {
        char style[24];
        snprintf(style, sizeof style, "f%d solid", d->marks[i].kind % CAROM_DYNAMICS_KINDS);
        carom_plot_point(&plot, style, d->marks[i].x, d->marks[i].y, 4.5);
    }
    if (legend)
        draw_legend(d, &plot);
    const carom_svg_show show = {.width = d->width, .unit = d->unit};
    return carom_svg_finish(&svg, &show, text, size, error);
}
