/* Parallel projection of points in space onto the page. */
#include "pictures/space.h"

#include <math.h>
#include <string.h>

carom_space carom_space_make(carom_plot *plot, double azimuth, double height)
{
    double degree = CAROM_PI / 180, a = azimuth * degree, h = height * degree;
    return (carom_space){plot, {-sin(a), cos(a), 0}, {-sin(h) * cos(a), -sin(h) * sin(a), cos(h)}};
}

void carom_space_project(const carom_space *s, const double p[3], double xy[2])
{
    xy[0] = s->right[0] * p[0] + s->right[1] * p[1] + s->right[2] * p[2];
    xy[1] = s->up[0] * p[0] + s->up[1] * p[1] + s->up[2] * p[2];
}

void carom_space_line(const carom_space *s, const char *style, const double a[3], const double b[3])
{
    double xy[4];
    carom_space_project(s, a, xy);
    carom_space_project(s, b, xy + 2);
    carom_plot_curve(s->plot, style, 2, xy);
}

void carom_space_arrow(const carom_space *s, const char *style, const double a[3],
                       const double b[3])
{
    double from[2], to[2];
    carom_space_project(s, a, from);
    carom_space_project(s, b, to);
    carom_plot_arrow(s->plot, style, from[0], from[1], to[0], to[1]);
}

void carom_space_label(const carom_space *s, const char *style, const double p[3], double dx,
                       double dy, char anchor, const char *text)
{
    double xy[2];
    carom_space_project(s, p, xy);
    carom_plot_label(s->plot, style, xy[0], xy[1], dx, dy, anchor, text);
}

void carom_space_polygon(const carom_space *s, const char *style, int count, const double *corners)
{
    double xy[16];
    for (int k = 0; k < count && k < 8; k++)
        carom_space_project(s, corners + 3 * k, xy + 2 * k);
    carom_plot_area(s->plot, style, count < 8 ? count : 8, xy);
}

/* The shadow of the ellipsoid is the ellipse c + L (cos, sin) with LL' = QQ', Q = P R diag(axes)
 * (2 x 3): its support function in the direction d is |Q'd|. */
void carom_space_ellipsoid(const carom_space *s, const char *style, const double centre[3],
                           const double *R, const double axes[3])
{
    enum { POINTS = 120 };
    double xx = 0, xy = 0, yy = 0, c[2], outline[2 * POINTS];
    for (int j = 0; j < 3; j++) {
        double q[2];
        carom_space_project(s, R + 3 * j, q);
        xx += q[0] * q[0] * axes[j] * axes[j];
        xy += q[0] * q[1] * axes[j] * axes[j];
        yy += q[1] * q[1] * axes[j] * axes[j];
    }
    carom_space_project(s, centre, c);
    double l11 = sqrt(xx), l21 = xy / l11, l22 = sqrt(yy - l21 * l21);
    for (int k = 0; k < POINTS; k++) {
        double angle = 2 * CAROM_PI * k / POINTS;
        outline[2 * k] = c[0] + l11 * cos(angle);
        outline[2 * k + 1] = c[1] + l21 * cos(angle) + l22 * sin(angle);
    }
    carom_plot_area(s->plot, style, POINTS, outline);
}
