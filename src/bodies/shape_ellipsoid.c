/* An ellipsoid about the origin: its three semi-axes. Its core is the convex set that is left when
 * a ball of half the smallest radius of curvature, r = c^2 / (2 a), is taken off all around (c the
 * shortest semi-axis, a the longest): the ellipsoid is all that is within r of it, and overlaps up
 * to r leave the cores apart. */
#include "bodies/moments.h"
#include "bodies/shape.h"

static carom_status make(const carom_shape_def *def, carom_shape *shape, carom_error *error)
{
    static const char *const names[3] = {"first semi-axis", "second semi-axis", "third semi-axis"};
    double least = INFINITY, most = 0;
    for (int k = 0; k < 3; k++) {
        carom_status status = carom_shape_check_length(def, names[k], def->size[k], error);
        if (status)
            return status;
        shape->half[k] = def->size[k];
        least = fmin(least, def->size[k]);
        most = fmax(most, def->size[k]);
    }
    if (def->radius > 0)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the rounding radius of the ellipsoid is %g; it is round as it is, "
                               "and the radius must be 0",
                               def->radius);
    shape->core = CAROM_CORE_CONVEX;
    shape->radius = least * (least / most) / 2;
    shape->size = most - shape->radius;
    return CAROM_OK;
}

/* The ellipsoid's own farthest point is A^2 d / |A d|, A = diag of the semi-axes. */
static v3 support(const carom_shape *shape, v3 d)
{
    const double *h = shape->half;
    const v3 Ad = {h[0] * d.x, h[1] * d.y, h[2] * d.z};
    const v3 x = v3_scale(1 / v3_norm(Ad), (v3){h[0] * Ad.x, h[1] * Ad.y, h[2] * Ad.z});
    return v3_along(x, -shape->radius / v3_norm(d), d);
}

static void moments(const carom_shape *shape, carom_moments *m)
{
    const double *h = shape->half;
    *m = (carom_moments){.one = 4 * CAROM_PI / 3 * h[0] * h[1] * h[2]};
    m->xx.x.x = m->one * h[0] * h[0] / 5;
    m->xx.y.y = m->one * h[1] * h[1] / 5;
    m->xx.z.z = m->one * h[2] * h[2] / 5;
}

/* Its sections with the planes of its axes. */
static bool outline(const carom_shape_def *def, int k, carom_shape_line *line)
{
    enum { ROUND = 24 };
    *line = (carom_shape_line){.count = ROUND + 1};
    for (int i = 0; i <= ROUND && k < 3; i++) {
        const int x = (k + 1) % 3, y = (k + 2) % 3;
        line->points[i][x] = def->size[x] * cos(2 * CAROM_PI * i / ROUND);
        line->points[i][y] = def->size[y] * sin(2 * CAROM_PI * i / ROUND);
    }
    return k < 3;
}

const carom_shape_ops carom_shape_ellipsoid_ops = {
    .is = {.space = {"ellipsoid", "three numbers > 0", "semi-axes, along x, y, z; in space", 3}},
    .make = make,
    .support = support,
    .moments = moments,
    .outline = outline,
};
