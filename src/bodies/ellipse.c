/* The foot of a normal through (x, y) is (a^2 x/(t + a^2), b^2 y/(t + b^2)), where t solves
 *
 *   (a x/(t + a^2))^2 + (b y/(t + b^2))^2 = 1.
 *
 * The largest solution gives the nearest point. Of the two that may lie between -a^2 and -b^2 the
 * one nearer to -b^2 is a second local minimum of the distance (the point is then inside, beyond
 * the centre of curvature); all others are saddles and the farthest point. With s = t + b^2 and c^2
 * = a^2 - b^2 both branches are convex and decreasing from a start where the left side is too
 * large, so that Newton's method approaches the solution from one side. */
#include "bodies/ellipse.h"

#include <float.h>
#include <math.h>

/* f(s) = (p/(s + q))^2 + (r/s)^2 - 1 from a start with f >= 0 towards larger s. sign -1: for s and
 * q of the other branch, f(s) = (p/(q - s))^2 + (r/s)^2 - 1. */
static double approach(double p, double q, double r, double s, double sign)
{
    for (int k = 0; k < 100; k++) {
        double u = p / (q + sign * s), v = r / s;
        double f = u * u + v * v - 1, slope = -2 * sign * u * u / (q + sign * s) - 2 * v * v / s;
        double next = s - f / slope;
        if (!(next > s * (1 + DBL_EPSILON)))
            return s;
        s = next;
    }
    return s;
}

static void set_unit(double nx, double ny, double normal[2])
{
    double length = hypot(nx, ny);
    normal[0] = nx / length;
    normal[1] = ny / length;
}

int carom_ellipse_normals(double a, double b, double x, double y, double normal[2][2])
{
    double c2 = (a - b) * (a + b), p = a * x, r = b * y;
    /* The larger of the values at which one term alone is 1. */
    double s = fmax(fabs(r), fabs(p) - c2);
    if (!(s > 0) && !(b > 0))
        return 0;   /* over the inside of an ellipse that is a segment */
    if (!(s > 0)) { /* on the long axis, inside: the two feet are mirror images */
        double nx = x / c2, ny2 = 1 - (a * nx) * (a * nx);
        double ny = sqrt(ny2 > 0 ? ny2 : 0) / b;
        if (!(c2 > 0)) { /* the centre of a circle */
            nx = 0;
            ny = 1;
        }
        set_unit(nx, ny, normal[0]);
        set_unit(nx, -ny, normal[1]);
        return 2;
    }
    s = approach(p, c2, r, s, 1);
    set_unit(x / (s + c2), y / s, normal[0]);
    /* There are two inside the evolute, p^(2/3) + r^(2/3) = c^(4/3). */
    if (!(c2 > 0) || r == 0 || !(cbrt(p * p) + cbrt(r * r) < cbrt(c2 * c2)))
        return 1;
    s = approach(p, c2, r, fabs(r), -1);
    set_unit(x / (c2 - s), -y / s, normal[1]);
    return 2;
}
