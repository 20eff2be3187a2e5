#include "figure/plot.h"

#include "base/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

carom_plot carom_plot_make(carom_svg *svg, double left, double top, double width, double height,
                           double x_least, double x_most, double y_least, double y_most, bool equal)
{
    carom_plot plot = {.svg = svg,
                       .left = left,
                       .top = top,
                       .width = width,
                       .height = height,
                       .x_least = x_least,
                       .x_most = x_most,
                       .y_least = y_least,
                       .y_most = y_most};
    if (equal) {
        double per_x = (x_most - x_least) / width, per_y = (y_most - y_least) / height;
        double grow_x = per_y > per_x ? (per_y - per_x) * width / 2 : 0;
        double grow_y = per_x > per_y ? (per_x - per_y) * height / 2 : 0;
        plot.x_least -= grow_x;
        plot.x_most += grow_x;
        plot.y_least -= grow_y;
        plot.y_most += grow_y;
    }
    carom_plot_legend_at(&plot, 0.04, 0.06);
    return plot;
}

double carom_plot_x(const carom_plot *p, double x)
{
    return p->left + (x - p->x_least) / (p->x_most - p->x_least) * p->width;
}

double carom_plot_y(const carom_plot *p, double y)
{
    return p->top + (p->y_most - y) / (p->y_most - p->y_least) * p->height;
}

/* 1, 2 or 5 times a power of ten, about five to eight ticks. */
static double tick_step(double range)
{
    double raw = range / 6, power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void tick_text(char *text, size_t size, double value, double step)
{
    int decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    if (fabs(value) < 1e-9 * step)
        value = 0;
    if (fabs(value) >= 1e5 || decimals > 4)
        snprintf(text, size, "%.3g", value);
    else
        snprintf(text, size, "%s%.*f", value < 0 ? "\xE2\x88\x92" : "", decimals, fabs(value));
}

void carom_plot_axes(carom_plot *p, const char *x_label, const char *y_label)
{
    char text[40];
    double bottom = p->top + p->height, right = p->left + p->width;
    double step = tick_step(p->x_most - p->x_least);
    for (double x = ceil(p->x_least / step - 1e-9) * step; x <= p->x_most + 1e-9 * step;
         x += step) {
        double at = carom_plot_x(p, x);
        carom_svg_line(p->svg, "faint", at, p->top, at, bottom);
        tick_text(text, sizeof text, x, step);
        carom_svg_text(p->svg, "ink", at, bottom + 17, 'm', 12, 0, text);
    }
    step = tick_step(p->y_most - p->y_least);
    for (double y = ceil(p->y_least / step - 1e-9) * step; y <= p->y_most + 1e-9 * step;
         y += step) {
        double at = carom_plot_y(p, y);
        carom_svg_line(p->svg, "faint", p->left, at, right, at);
        tick_text(text, sizeof text, y, step);
        carom_svg_text(p->svg, "ink", p->left - 7, at + 4, 'e', 12, 0, text);
    }
    carom_svg_rect(p->svg, "ink thin", p->left, p->top, p->width, p->height);
    carom_svg_text(p->svg, "ink", p->left + p->width / 2, bottom + 37, 'm', 14, 0, x_label);
    carom_svg_text(p->svg, "ink", p->left - 44, p->top + p->height / 2, 'm', 14, -90, y_label);
}

/* Map to pixels and draw; coordinates far outside are kept finite. */
static carom_status draw(carom_plot *p, const char *style, int count, const double *xy, bool area,
                         carom_error *error)
{
    carom_arena *arena;
    bool own = p->svg->allocator.resize != NULL;
    carom_status status = carom_arena_create(own ? &p->svg->allocator : NULL, &arena, error);
    if (status)
        return status;
    double *pixels = carom_arena_doubles(arena, 2 * (size_t)count);
    if (pixels) {
        for (int k = 0; k < count; k++) {
            double x = carom_plot_x(p, xy[2 * k]), y = carom_plot_y(p, xy[2 * k + 1]);
            pixels[2 * k] = fmax(-1e4, fmin(1e4, x));
            pixels[2 * k + 1] = fmax(-1e4, fmin(1e4, y));
        }
        carom_svg_clip(p->svg, p->left, p->top, p->width, p->height);
        if (area)
            carom_svg_polygon(p->svg, style, count, pixels);
        else
            carom_svg_polyline(p->svg, style, count, pixels);
        carom_svg_unclip(p->svg);
    }
    carom_arena_destroy(arena);
    return pixels ? CAROM_OK : carom_error_memory(error);
}

carom_status carom_plot_curve(carom_plot *p, const char *style, int count, const double *xy,
                              carom_error *error)
{
    return draw(p, style, count, xy, false, error);
}

carom_status carom_plot_area(carom_plot *p, const char *style, int count, const double *xy,
                             carom_error *error)
{
    return draw(p, style, count, xy, true, error);
}

void carom_plot_point(carom_plot *p, const char *style, double x, double y, double radius)
{
    carom_svg_circle(p->svg, style, carom_plot_x(p, x), carom_plot_y(p, y), radius);
}

void carom_plot_arrow(carom_plot *p, const char *style, double x1, double y1, double x2, double y2)
{
    carom_svg_arrow(p->svg, style, carom_plot_x(p, x1), carom_plot_y(p, y1), carom_plot_x(p, x2),
                    carom_plot_y(p, y2));
}

void carom_plot_label(carom_plot *p, const char *style, double x, double y, double dx, double dy,
                      char anchor, const char *text)
{
    carom_svg_text(p->svg, style, carom_plot_x(p, x) + dx, carom_plot_y(p, y) + dy, anchor, 14, 0,
                   text);
}

void carom_plot_legend_at(carom_plot *p, double x, double y)
{
    p->legend_x = p->left + x * p->width;
    p->legend_y = p->top + y * p->height;
}

void carom_plot_legend(carom_plot *p, const char *style, const char *text)
{
    carom_svg_line(p->svg, style, p->legend_x, p->legend_y, p->legend_x + 26, p->legend_y);
    carom_svg_text(p->svg, "ink", p->legend_x + 33, p->legend_y + 4.5, 's', 13, 0, text);
    p->legend_y += 19;
    p->legend_count++;
}

void carom_plot_caption(carom_svg *svg, double y, const char *text)
{
    const double size = 12.5;
    const size_t most = (size_t)((svg->width - 40) / (0.535 * size));
    while (*text) {
        size_t length = strlen(text), shown = 0, end = 0;
        /* count characters, not bytes; cut at the last blank that fits */
        for (size_t k = 0; k < length && shown <= most; k++) {
            shown += ((unsigned char)text[k] & 0xC0) != 0x80;
            if (text[k] == ' ' && shown <= most)
                end = k;
            if (k + 1 == length && shown <= most)
                end = length;
        }
        if (end == 0)
            end = length;
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)end, text);
        carom_svg_text(svg, "ink", 20, y, 's', size, 0, line);
        y += 17;
        text += end;
        text += strspn(text, " ");
    }
}
