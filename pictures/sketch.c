/* Parts of sketches: ground, angles, dimensions, cones, bars, centres of mass. */
#include "pictures/sketch.h"

#include <math.h>

void carom_sketch_ground(carom_plot *p, double x1, double y1, double x2, double y2)
{
    const double spacing = 11, reach = 9;
    double ax = carom_plot_x(p, x1), ay = carom_plot_y(p, y1);
    double bx = carom_plot_x(p, x2), by = carom_plot_y(p, y2);
    double length = hypot(bx - ax, by - ay), ux = (bx - ax) / length, uy = (by - ay) / length;
    carom_svg_line(p->svg, "ink", ax, ay, bx, by);
    /* strokes lean back along the line and go to its right (y runs down in pixels) */
    double sx = (-ux - uy) * reach * 0.7071, sy = (-uy + ux) * reach * 0.7071;
    for (double at = spacing; at < length; at += spacing) {
        double x = ax + at * ux, y = ay + at * uy;
        carom_svg_line(p->svg, "ink thin", x, y, x + sx, y + sy);
    }
}

/* A head that points along (ux, uy) with its tip at (x, y). */
static void head(carom_svg *svg, const char *style, double x, double y, double ux, double uy)
{
    const double length = 8, half = 3;
    char filled[128];
    carom_text_format(filled, sizeof filled, "head %s", style);
    double bx = x - length * ux, by = y - length * uy;
    carom_svg_polygon(
        svg, filled, 3,
        (double[]){x, y, bx - half * uy, by + half * ux, bx + half * uy, by - half * ux});
}

void carom_sketch_angle(carom_plot *p, const char *style, double x, double y, double radius,
                        double a, double b, const char *text)
{
    double cx = carom_plot_x(p, x), cy = carom_plot_y(p, y), sign = b > a ? 1 : -1;
    double shorter = b - sign * fmin(6 / radius, 0.5 * fabs(b - a));
    carom_svg_arc(p->svg, style, cx, cy, radius, a, shorter);
    /* the head lies on the chord of the last bit of the arc, so that it meets it */
    double ex = cx + radius * cos(b), ey = cy - radius * sin(b);
    double fx = cx + radius * cos(shorter), fy = cy - radius * sin(shorter);
    double d = hypot(ex - fx, ey - fy);
    if (d > 0)
        head(p->svg, style, ex, ey, (ex - fx) / d, (ey - fy) / d);
    double middle = 0.5 * (a + b), far = radius + 13;
    carom_svg_text(p->svg, style, cx + far * cos(middle), cy - far * sin(middle) + 5, 'm', 14, 0,
                   text);
}

void carom_sketch_dimension(carom_plot *p, double x1, double y1, double x2, double y2, double shift,
                            const char *text)
{
    double ax = carom_plot_x(p, x1), ay = carom_plot_y(p, y1);
    double bx = carom_plot_x(p, x2), by = carom_plot_y(p, y2);
    double length = hypot(bx - ax, by - ay), ux = (bx - ax) / length, uy = (by - ay) / length;
    double nx = uy, ny = -ux; /* to the left as seen */
    double sign = shift < 0 ? -1 : 1, over = shift + 4 * sign;
    carom_svg_line(p->svg, "c7 thin", ax + 3 * sign * nx, ay + 3 * sign * ny, ax + over * nx,
                   ay + over * ny);
    carom_svg_line(p->svg, "c7 thin", bx + 3 * sign * nx, by + 3 * sign * ny, bx + over * nx,
                   by + over * ny);
    ax += shift * nx, ay += shift * ny, bx += shift * nx, by += shift * ny;
    carom_svg_line(p->svg, "ink thin", ax + 5 * ux, ay + 5 * uy, bx - 5 * ux, by - 5 * uy);
    head(p->svg, "ink", ax, ay, -ux, -uy);
    head(p->svg, "ink", bx, by, ux, uy);
    double away = 12 * sign;
    carom_svg_text(p->svg, "ink", 0.5 * (ax + bx) + away * nx, 0.5 * (ay + by) + away * ny + 5, 'm',
                   14, 0, text);
}

void carom_sketch_cone(carom_plot *p, const char *style, const double *a, const double *b, double r)
{
    enum { STEPS = 40 };
    double from = atan2(a[1], a[0]), to = atan2(b[1], b[0]), xy[2 * (STEPS + 2)] = {0};
    if (to < from)
        to += 2 * CAROM_PI;
    for (int k = 0; k <= STEPS; k++) {
        double angle = from + (to - from) * k / STEPS;
        xy[2 * k + 2] = r * cos(angle);
        xy[2 * k + 3] = r * sin(angle);
    }
    carom_plot_area(p, style, STEPS + 2, xy);
}

void carom_sketch_bar(carom_plot *p, double x1, double y1, double x2, double y2, double w)
{
    double length = hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    double bx = x1 + 1.6 * w * ux, by = y1 + 1.6 * w * uy; /* where the point ends */
    carom_plot_area(p, "body", 5,
                    (double[]){x1, y1, bx + w * uy, by - w * ux, x2 + w * uy, y2 - w * ux,
                               x2 - w * uy, y2 + w * ux, bx - w * uy, by + w * ux});
}

void carom_sketch_centre(carom_plot *p, double x, double y)
{
    double cx = carom_plot_x(p, x), cy = carom_plot_y(p, y), r = 5;
    carom_svg_circle(p->svg, "ink thin", cx, cy, r);
    carom_svg_raw(p->svg,
                  "<path class=\"dot\" d=\"M%.2f %.2fL%.2f %.2fA%g %g 0 0 1 %.2f %.2fZ"
                  "M%.2f %.2fL%.2f %.2fA%g %g 0 0 1 %.2f %.2fZ\"/>\n",
                  cx, cy, cx, cy - r, r, r, cx + r, cy, cx, cy, cx, cy + r, r, r, cx - r, cy);
}
