/* Small pictures of a motion for reports: a quantity over time, or a phase plane. */
#include "pictures/picture.h"

#include "pictures/plot.h"

#include <math.h>

enum { WIDTH = 340, HEIGHT = 236, LEFT = 78, TOP = 10, RIGHT = 18, BOTTOM = 46 };

/* Ticks at the times of impacts, on the lower side of the frame. */
static void draw_impacts(const carom_plot *plot, const carom_trace *trace)
{
    double last = -1e9, bottom = plot->top + plot->height;
    for (long k = 0; k < trace->impacts; k++) {
        double x = carom_plot_x(plot, trace->impact_t[k]);
        if (x < last + 0.5)
            continue; /* closer than the eye can tell */
        last = x;
        carom_svg_line(plot->svg, "c1 thin", x, bottom, x, bottom - 7);
    }
}

void carom_picture_motion(const carom_trace *trace, const carom_course_curve *curve, bool phase,
                          const char *x_name, const char *y_name, const char *style,
                          const carom_allocator *allocator, carom_svg *svg)
{
    double x[2], y[2];
    carom_course_range(curve->count, curve->xy, 0, &x[0], &x[1]);
    carom_course_range(curve->count, curve->xy, 1, &y[0], &y[1]);
    carom_plot_widen(0.06, &y[0], &y[1]);
    if (phase || !(x[1] > x[0]))
        carom_plot_widen(0.06, &x[0], &x[1]);
    carom_svg_begin(svg, allocator, WIDTH, HEIGHT, phase ? "Phase plane" : "Curve over time",
                    phase ? "A velocity against its coordinate."
                          : "A quantity over time; ticks at the bottom mark impacts.");
    carom_plot plot = carom_plot_make(svg, LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM,
                                      x[0], x[1], y[0], y[1], false);
    plot.x_step = carom_picture_step((x[1] - x[0]) / 5);
    plot.y_step = carom_picture_step((y[1] - y[0]) / 7);
    carom_plot_axes(&plot, "", "");
    carom_plot_curve(&plot, style, curve->count, curve->xy);
    if (!phase)
        draw_impacts(&plot, trace);
    carom_svg_text_label(svg, "ink", LEFT + (WIDTH - LEFT - RIGHT) / 2.0, HEIGHT - 8, 'm', 13, 0,
                         32, x_name);
    carom_svg_text_label(svg, "ink", 14, TOP + (HEIGHT - TOP - BOTTOM) / 2.0, 'm', 13, -90, 24,
                         y_name);
}
