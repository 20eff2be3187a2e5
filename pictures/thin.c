/* Leaves out points of a curve that an eye would miss.
 *
 * From a point that stays, the lines that pass all later points within the tolerance form a sector
 * of directions, which narrows from point to point: a point at distance r > tolerance in the
 * direction a leaves [a - w, a + w], sin w = tolerance/r. Where the next point lies outside the
 * sector, or closer to the start than one before it (the curve turns back), the last one stays and
 * a new sector begins. One pass; the line to a point inside the sector misses none of the others by
 * more than the tolerance, or the root of two times that at an end where the curve turned back. */
#include "pictures/thin.h"

#include "carom/base.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct sector {
    double x, y;      /* where it starts */
    double middle;    /* the direction of the first point beyond the tolerance */
    double low, high; /* directions beside it that are still possible */
    double reach;     /* distance of the farthest point so far */
    bool open;        /* all points so far are within the tolerance of the start */
} sector;

static sector start_at(const double *p)
{
    return (sector){.x = p[0], .y = p[1], .open = true};
}

/* Takes a point in; false: the line to it would miss an earlier one. */
static bool take(sector *s, const double *p, double tolerance)
{
    const double dx = p[0] - s->x, dy = p[1] - s->y, r = hypot(dx, dy);
    if (!isfinite(r))
        return false;
    if (r < s->reach - tolerance || (!s->open && r <= tolerance))
        return false;
    s->reach = fmax(s->reach, r);
    if (r <= tolerance)
        return true;
    const double wide = asin(tolerance / r);
    if (s->open) {
        s->open = false;
        s->middle = atan2(dy, dx);
        s->low = -wide;
        s->high = wide;
        return true;
    }
    const double beside = remainder(atan2(dy, dx) - s->middle, 2 * CAROM_PI);
    if (!(beside >= s->low && beside <= s->high))
        return false;
    s->low = fmax(s->low, beside - wide);
    s->high = fmin(s->high, beside + wide);
    return true;
}

/* The curve as far as it is kept. */
typedef struct kept {
    double *xy;
    int count;
    int last; /* the point that was kept last, as it was numbered */
} kept;

static void keep(kept *all, int k)
{
    if (k == all->last)
        return;
    memmove(all->xy + 2 * all->count++, all->xy + 2 * k, 2 * sizeof *all->xy);
    all->last = k;
}

int carom_thin_curve(int count, double *xy, double tolerance)
{
    kept all = {.xy = xy, .last = -1};
    sector s = {0};
    for (int k = 0; k < count; k++) {
        if (all.count > 0 && take(&s, xy + 2 * k, tolerance))
            continue;
        if (k > 0)
            keep(&all, k - 1);
        s = start_at(xy + 2 * (k > 0 ? k - 1 : 0));
        if (k == 0 || !take(&s, xy + 2 * k, tolerance)) { /* beside a hole */
            keep(&all, k);
            s = start_at(xy + 2 * k);
        }
    }
    if (count > 0)
        keep(&all, count - 1);
    return all.count;
}
