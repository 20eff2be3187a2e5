/* Cuts lines and polygons at a rectangle, in numbers instead of clip paths. */
#include "pictures/clip.h"

#include <math.h>
#include <string.h>

/* Liang and Barsky: the range of the parameter inside one side, q - t p >= 0. */
static bool narrow(double p, double q, double *from, double *to)
{
    if (p == 0)
        return q >= 0;
    double t = q / p;
    if (p < 0)
        *from = fmax(*from, t);
    else
        *to = fmin(*to, t);
    return *from <= *to;
}

bool carom_clip_segment(const carom_clip *f, const double *ends, double *cut)
{
    double x = ends[0], y = ends[1], dx = ends[2] - x, dy = ends[3] - y, from = 0, to = 1;
    if (!isfinite(x + y + dx + dy) || !narrow(-dx, x - f->x_least, &from, &to) ||
        !narrow(dx, f->x_most - x, &from, &to) || !narrow(-dy, y - f->y_least, &from, &to) ||
        !narrow(dy, f->y_most - y, &from, &to))
        return false;
    cut[0] = from > 0 ? x + from * dx : x;
    cut[1] = from > 0 ? y + from * dy : y;
    cut[2] = to < 1 ? x + to * dx : ends[2];
    cut[3] = to < 1 ? y + to * dy : ends[3];
    return true;
}

/* Sutherland and Hodgman, one side: keep where sign*(xy[axis] - at) >= 0. */
static int keep_side(int axis, double at, double sign, int count, const double *xy, double *kept)
{
    int left = 0;
    for (int k = 0; k < count; k++) {
        const double *a = xy + 2 * k, *b = xy + 2 * ((k + 1) % count);
        double da = sign * (a[axis] - at), db = sign * (b[axis] - at);
        if (da >= 0)
            memcpy(kept + 2 * left++, a, 2 * sizeof *a);
        if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
            double t = da / (da - db);
            kept[2 * left] = a[0] + t * (b[0] - a[0]);
            kept[2 * left + 1] = a[1] + t * (b[1] - a[1]);
            kept[2 * left++ + axis] = at;
        }
    }
    return left;
}

int carom_clip_polygon(const carom_clip *f, int count, double *xy, double *work)
{
    count = keep_side(0, f->x_least, 1, count, xy, work);
    count = keep_side(0, f->x_most, -1, count, work, xy);
    count = keep_side(1, f->y_least, 1, count, xy, work);
    return keep_side(1, f->y_most, -1, count, work, xy);
}
