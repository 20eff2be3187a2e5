/* Diagrams of a sweep: points over a parameter. */
#include "pictures/diagram.h"

#include "pictures/course_series.h"
#include "pictures/plot.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 760, LEFT = 76, HEIGHT = 420, FINE = 4 }; /* FINE: places a pixel, each way */

static const double *point(const carom_diagram *d, long k)
{
    return d->xy + 2 * k;
}

/* The ranges of finite points; false when there is none. */
static bool find_ranges(const carom_diagram *d, double x[2], double y[2])
{
    x[0] = y[0] = INFINITY;
    x[1] = y[1] = -INFINITY;
    for (long k = 0; k < d->count; k++) {
        const double *p = point(d, k);
        if (!isfinite(p[0]) || !isfinite(p[1]))
            continue;
        x[0] = fmin(x[0], p[0]), x[1] = fmax(x[1], p[0]);
        y[0] = fmin(y[0], p[1]), y[1] = fmax(y[1], p[1]);
    }
    return x[0] <= x[1];
}

/* One mark a place, so that the document does not grow with points on top of each other. */
typedef struct places {
    unsigned char *seen;
    int across, up;
} places;

static bool is_new(const places *p, double x, double y)
{
    const int i = (int)(x * FINE), j = (int)(y * FINE);
    if (i < 0 || j < 0 || i >= p->across || j >= p->up)
        return false;
    const size_t bit = (size_t)j * (size_t)p->across + (size_t)i;
    const unsigned char mask = (unsigned char)(1 << bit % 8);
    const bool first = !(p->seen[bit / 8] & mask);
    p->seen[bit / 8] |= mask;
    return first;
}

/* All points of a series as dots of one path: lines of no length with round ends. */
static void draw_series(const carom_diagram *d, const carom_plot *plot, int series, places *p)
{
    carom_svg *svg = plot->svg;
    const double size = d->count > 20000 ? 1.1 : d->count > 2000 ? 1.6 : d->count > 200 ? 2.4 : 4;
    memset(p->seen, 0, ((size_t)p->across * (size_t)p->up + 7) / 8);
    carom_svg_raw(svg, "<path class=\"c%d\" style=\"stroke-width:%.1f\" d=\"", series % 8, size);
    for (long k = 0; k < d->count; k++) {
        const double *xy = point(d, k);
        if (d->of[k] != series || !isfinite(xy[0]) || !isfinite(xy[1]))
            continue;
        const double x = carom_plot_x(plot, xy[0]), y = carom_plot_y(plot, xy[1]);
        if (!is_new(p, x - plot->left, y - plot->top))
            continue;
        carom_svg_raw(svg, "M");
        carom_svg_number(&svg->out, x);
        carom_svg_raw(svg, " ");
        carom_svg_number(&svg->out, y);
        carom_svg_raw(svg, "h0");
    }
    carom_svg_raw(svg, "\"/>\n");
}

static void draw_all(const carom_diagram *d, carom_svg *svg, double top, double width,
                     const double x[2], const double y[2], places *p)
{
    carom_plot plot = carom_plot_make(svg, LEFT, top, width, HEIGHT, x[0], x[1], y[0], y[1], false);
    carom_plot_axes(&plot, "", "");
    carom_svg_text_label(svg, "ink", LEFT + width / 2, top + HEIGHT + 40, 'm', 14, 0, 40, d->x);
    carom_svg_text_label(svg, "ink", 18, top + HEIGHT / 2, 'm', 14, -90, 40, d->y);
    plot.legend_x = LEFT + width + 14;
    plot.legend_y = top + 14;
    for (int k = 0; k < d->series_count; k++) {
        char style[16];
        carom_text_format(style, sizeof style, "c%d", k % 8);
        draw_series(d, &plot, k, p);
        if (d->series_count > 1)
            carom_plot_legend_name(&plot, style, 18, d->series[k]);
    }
}

static carom_status draw(const carom_diagram *d, const carom_allocator *allocator,
                         carom_arena *arena, carom_svg *svg, carom_error *error)
{
    double x[2], y[2];
    const double top = d->bare ? 4 : 40, width = WIDTH - LEFT - (d->series_count > 1 ? 170 : 20);
    places p = {.across = (int)(width * FINE) + 1, .up = HEIGHT * FINE + 1};
    p.seen = carom_arena_zeros(arena, ((size_t)p.across * (size_t)p.up + 7) / 8, 1);
    if (!p.seen)
        return carom_error_memory(error);
    if (!find_ranges(d, x, y))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "there is no point to draw");
    carom_plot_widen(0.02, &x[0], &x[1]);
    carom_plot_widen(0.05, &y[0], &y[1]);
    carom_svg_begin(svg, allocator, WIDTH, top + HEIGHT + 56, d->title,
                    "Points of motions over a parameter.");
    if (!d->bare)
        carom_svg_text_label(svg, "ink bold", 20, 24, 's', 15, 0, 70, d->title);
    draw_all(d, svg, top, width, x, y, &p);
    return CAROM_OK;
}

carom_status carom_diagram_draw(const carom_diagram *d, const carom_allocator *allocator,
                                char **text, size_t *size, carom_error *error)
{
    carom_svg svg = {0};
    carom_arena *arena;
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    status = draw(d, allocator, arena, &svg, error);
    carom_arena_destroy(arena);
    if (status) {
        carom_svg_destroy(&svg);
        return status;
    }
    const carom_svg_show show = {.cropped = d->bare, .width = d->width, .unit = d->unit};
    return carom_svg_finish(&svg, &show, text, size, error);
}
