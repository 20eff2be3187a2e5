/* Plots: frames with data coordinates, axes, curves, legends and captions. */
#include "pictures/plot.h"

#include "carom/text.h"
#include "carom/tolerance.h"
#include "pictures/clip.h"
#include "pictures/thin.h"

#include <ctype.h>
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

void carom_plot_widen(double part, double *least, double *most)
{
    double size = fmax(fabs(*least), fabs(*most)), span = *most - *least;
    double room = span > CAROM_TOLERANCE_SAME * size ? part * span : size > 0 ? 0.5 * size : 1;
    *least -= room;
    *most += room;
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
    int decimals = 0;
    while (decimals < 5 && fabs(step * pow(10, decimals) - round(step * pow(10, decimals))) > 1e-6)
        decimals++;
    if (fabs(value) < CAROM_TOLERANCE_SAME * step)
        value = 0;
    if (fabs(value) >= 1e5 || decimals > 4)
        carom_text_format(text, size, "%s%.3g", value < 0 ? "−" : "", fabs(value));
    else
        carom_text_format(text, size, "%s%.*f", value < 0 ? "−" : "", decimals, fabs(value));
}

static void x_ticks(carom_plot *p)
{
    double step = p->x_step > 0 ? p->x_step : tick_step(p->x_most - p->x_least);
    double first = ceil(p->x_least / step - CAROM_TOLERANCE_SAME),
           last = floor(p->x_most / step + CAROM_TOLERANCE_SAME);
    for (double k = first; k <= last; k++) {
        char text[40];
        double at = carom_plot_x(p, k * step), bottom = p->top + p->height;
        carom_svg_line(p->svg, "faint", at, p->top, at, bottom);
        tick_text(text, sizeof text, k * step, step);
        carom_svg_text(p->svg, "ink", at, bottom + 17, 'm', 12, 0, text);
    }
}

static void y_ticks(carom_plot *p)
{
    double step = p->y_step > 0 ? p->y_step : tick_step(p->y_most - p->y_least);
    double first = ceil(p->y_least / step - CAROM_TOLERANCE_SAME),
           last = floor(p->y_most / step + CAROM_TOLERANCE_SAME);
    for (double k = first; k <= last; k++) {
        char text[40];
        double at = carom_plot_y(p, k * step);
        carom_svg_line(p->svg, "faint", p->left, at, p->left + p->width, at);
        tick_text(text, sizeof text, k * step, step);
        carom_svg_text(p->svg, "ink", p->left - 7, at + 4, 'e', 12, 0, text);
    }
}

void carom_plot_axes(carom_plot *p, const char *x_label, const char *y_label)
{
    carom_svg_raw(p->svg, "<g data-frame=\"%g %g %g %g\" data-range=\"%.9g %.9g %.9g %.9g\">\n",
                  p->left, p->top, p->width, p->height, p->x_least, p->x_most, p->y_least,
                  p->y_most);
    x_ticks(p);
    y_ticks(p);
    carom_svg_rect(p->svg, "ink thin", p->left, p->top, p->width, p->height);
    carom_svg_raw(p->svg, "</g>\n");
    double middle = p->left + p->width / 2, bottom = p->top + p->height;
    carom_svg_text(p->svg, "ink", middle, bottom + 37, 'm', 14, 0, x_label);
    carom_svg_text(p->svg, "ink", p->left - 44, p->top + p->height / 2, 'm', 14, -90, y_label);
}

/* Data to pixels, in the document's work space. */
static double *to_pixels(carom_plot *p, int count, const double *xy, size_t room)
{
    double *pixels = carom_svg_doubles(p->svg, 2 * room);
    for (int k = 0; pixels && k < count; k++) {
        pixels[2 * k] = carom_plot_x(p, xy[2 * k]);
        pixels[2 * k + 1] = carom_plot_y(p, xy[2 * k + 1]);
    }
    return pixels;
}

static carom_clip frame_of(const carom_plot *p)
{
    return (carom_clip){p->left, p->left + p->width, p->top, p->top + p->height};
}

/* Points in pixels as lines, cut at the frame. */
static void draw_pixels(carom_plot *p, const char *style, int count, const double *pixels)
{
    carom_clip frame = frame_of(p);
    double *piece = carom_svg_doubles(p->svg, 2 * (size_t)count + 4);
    if (!pixels || !piece)
        return;
    int held = 0;
    for (int k = 0; k + 1 < count; k++) {
        double cut[4];
        bool seen = carom_clip_segment(&frame, pixels + 2 * k, cut);
        bool joined =
            seen && held && cut[0] == piece[2 * held - 2] && cut[1] == piece[2 * held - 1];
        if (held && !joined) {
            carom_svg_polyline(p->svg, style, held, piece);
            held = 0;
        }
        if (seen && !held)
            memcpy(piece + 2 * held++, cut, 2 * sizeof *cut);
        if (seen)
            memcpy(piece + 2 * held++, cut + 2, 2 * sizeof *cut);
    }
    if (held)
        carom_svg_polyline(p->svg, style, held, piece);
}

void carom_plot_curve(carom_plot *p, const char *style, int count, const double *xy)
{
    draw_pixels(p, style, count, to_pixels(p, count, xy, (size_t)count));
}

void carom_plot_way(carom_plot *p, const char *style, int count, const double *xy)
{
    double *pixels = to_pixels(p, count, xy, (size_t)count);
    if (pixels)
        draw_pixels(p, style, carom_thin_curve(count, pixels, CAROM_PLOT_UNSEEN), pixels);
}

void carom_plot_area(carom_plot *p, const char *style, int count, const double *xy)
{
    /* each of the four sides can add a corner for every crossing */
    size_t room = 16 * (size_t)count + 32;
    carom_clip frame = frame_of(p);
    double *pixels = to_pixels(p, count, xy, room), *work = carom_svg_doubles(p->svg, 2 * room);
    if (!pixels || !work)
        return;
    int left = carom_clip_polygon(&frame, count, pixels, work);
    if (left >= 3)
        carom_svg_polygon(p->svg, style, left, pixels);
}

void carom_plot_line(carom_plot *p, const char *style, double x1, double y1, double x2, double y2)
{
    carom_plot_curve(p, style, 2, (double[]){x1, y1, x2, y2});
}

enum { ARC_POINTS = 121 };

static void arc_points(double x, double y, double r, double a, double b, double *xy)
{
    for (int k = 0; k < ARC_POINTS; k++) {
        double angle = a + (b - a) * k / (ARC_POINTS - 1);
        xy[2 * k] = x + r * cos(angle);
        xy[2 * k + 1] = y + r * sin(angle);
    }
}

void carom_plot_arc(carom_plot *p, const char *style, double x, double y, double r, double a,
                    double b)
{
    double xy[2 * ARC_POINTS];
    arc_points(x, y, r, a, b, xy);
    carom_plot_curve(p, style, ARC_POINTS, xy);
}

void carom_plot_disc(carom_plot *p, const char *style, double x, double y, double r)
{
    double xy[2 * ARC_POINTS];
    arc_points(x, y, r, 0, 2 * CAROM_PI, xy);
    carom_plot_area(p, style, ARC_POINTS - 1, xy);
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
    p->legend_box = 0;
}

/* Six figures: a number that is written over keeps its length. */
static void six_figures(char *text, double value)
{
    char plain[352];
    int length = carom_number_print_fixed(value, 2, plain, sizeof plain);
    carom_text_format(text, 7, "%.*s%s", length < 6 ? 6 - length : 0, "000000", plain);
}

/* Paper behind the entries, so that nothing runs through them: a rectangle before the first entry,
 * whose size is written over as entries come. */
static void legend_paper(carom_plot *p, double width, double height)
{
    char w[8], h[8];
    bool first = !p->legend_box;
    if (first)
        p->legend_width = p->legend_height = 0;
    p->legend_width = fmax(p->legend_width, width);
    p->legend_height += height;
    six_figures(w, p->legend_width);
    six_figures(h, p->legend_height + 2);
    if (first) {
        carom_svg_raw(p->svg, "<rect class=\"paper\" x=\"%.2f\" y=\"%.2f\" width=\"",
                      p->legend_x - 5, p->legend_y - 11);
        p->legend_box = p->svg->out.size;
        carom_svg_raw(p->svg, "%s\" height=\"%s\"/>\n", w, h);
    } else if (!p->svg->out.failed) {
        char *at = p->svg->out.text + p->legend_box;
        memcpy(at, w, 6);
        memcpy(at + 6 + strlen("\" height=\""), h, 6);
    }
}

static void legend_text(carom_plot *p, const char *text)
{
    while (*text) {
        char line[128];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
        double height = *text ? 16 : CAROM_PLOT_LEGEND_LINE;
        legend_paper(p, carom_svg_text_width(12.5, line) + 40, height);
        carom_svg_text(p->svg, "ink", p->legend_x + 33, p->legend_y + 4.5, 's', 12.5, 0, line);
        p->legend_y += height;
    }
}

void carom_plot_legend(carom_plot *p, const char *style, const char *text)
{
    legend_paper(p, 0, 0);
    carom_svg_line(p->svg, style, p->legend_x, p->legend_y, p->legend_x + 26, p->legend_y);
    legend_text(p, text);
}

void carom_plot_legend_fill(carom_plot *p, const char *style, const char *text)
{
    legend_paper(p, 0, 0);
    carom_svg_rect(p->svg, style, p->legend_x + 3, p->legend_y - 6, 20, 12);
    legend_text(p, text);
}

void carom_plot_legend_point(carom_plot *p, const char *style, const char *text)
{
    legend_paper(p, 0, 0);
    carom_svg_circle(p->svg, style, p->legend_x + 13, p->legend_y, 4);
    legend_text(p, text);
}

void carom_plot_legend_name(carom_plot *p, const char *style, int most, const char *name)
{
    legend_paper(p, 40 + 8.0 * most, CAROM_PLOT_LEGEND_LINE);
    carom_svg_line(p->svg, style, p->legend_x, p->legend_y, p->legend_x + 26, p->legend_y);
    carom_svg_text_label(p->svg, "ink", p->legend_x + 33, p->legend_y + 4.5, 's', 12.5, 0, most,
                         name);
    p->legend_y += CAROM_PLOT_LEGEND_LINE;
}

static const double caption_size = 12.5;

/* The bytes of the next line of a caption: cut at the last blank that fits. */
static size_t caption_line(double width, const char *text)
{
    size_t end = 0, length = strlen(text);
    char part[512];
    for (size_t k = 1; k <= length && k < sizeof part; k++) {
        /* numbers stay with what they number: "Fig. 1", "eq. (2)", "x = y" */
        bool joined = k < length && (isdigit((unsigned char)text[k + 1]) ||
                                     strchr("(=", text[k + 1]) || text[k - 1] == '=');
        if (k != length && (text[k] != ' ' || joined))
            continue;
        snprintf(part, sizeof part, "%.*s", (int)k, text);
        if (end && carom_svg_text_width(caption_size, part) > width - 40)
            break;
        end = k;
    }
    return end ? end : length;
}

int carom_plot_caption_lines(double width, const char *text)
{
    int lines = 0;
    for (; *text; lines++) {
        text += caption_line(width, text);
        text += strspn(text, " ");
    }
    return lines;
}

void carom_plot_caption(carom_svg *svg, double y, const char *text)
{
    while (*text) {
        char line[512];
        size_t length = caption_line(svg->width, text);
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        carom_svg_text(svg, "ink", 20, y, 's', caption_size, 0, line);
        y += CAROM_PLOT_CAPTION_LINE;
        text += length;
        text += strspn(text, " ");
    }
}
