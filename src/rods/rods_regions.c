/* The x-t diagram: polygons of constant force and velocity, cut out by the fronts. */
#include "carom/rods.h"

#include "carom/need.h"
#include "carom/tolerance.h"

#include <math.h>

typedef struct polygon {
    int count;
    double y[CAROM_RODS_CORNERS + 4], t[CAROM_RODS_CORNERS + 4]; /* y = x/c */
} polygon;

/* Keep the part where a*y + b*t >= c (Sutherland-Hodgman for one edge). */
static void clip(polygon *p, double a, double b, double c)
{
    polygon q = {0};
    for (int i = 0; i < p->count; i++) {
        int j = (i + 1) % p->count;
        double di = a * p->y[i] + b * p->t[i] - c, dj = a * p->y[j] + b * p->t[j] - c;
        if (di >= 0) {
            q.y[q.count] = p->y[i];
            q.t[q.count++] = p->t[i];
        }
        if ((di > 0 && dj < 0) || (di < 0 && dj > 0)) {
            double part = di / (di - dj);
            q.y[q.count] = p->y[i] + part * (p->y[j] - p->y[i]);
            q.t[q.count++] = p->t[i] + part * (p->t[j] - p->t[i]);
        }
    }
    *p = q;
}

static double area(const polygon *p)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++) {
        int j = (i + 1) % p->count;
        sum += p->y[i] * p->t[j] - p->y[j] * p->t[i];
    }
    return 0.5 * fabs(sum);
}

static double start_of(const carom_rods_history *h, int n)
{
    return n == 0 ? -INFINITY : h->steps[n].t;
}

static double end_of(const carom_rods_history *h, int n)
{
    return n + 1 < h->count ? h->steps[n + 1].t : INFINITY;
}

/* Region of one rod where r is piece n and s is piece k; false when it is empty. */
static bool cut(const carom_rods_motion *m, int rod, int n, int k, double until,
                carom_rods_region *region)
{
    double T = m->travel[rod];
    const carom_rods_history *r = &m->right[rod], *s = &m->left[rod];
    polygon p = {4, {0, T, T, 0}, {0, 0, until, until}};
    if (n > 0)
        clip(&p, -1, 1, start_of(r, n)); /* t - y >= start */
    if (end_of(r, n) < INFINITY)
        clip(&p, 1, -1, -end_of(r, n));
    if (k > 0)
        clip(&p, 1, 1, T + start_of(s, k)); /* t - (T - y) >= start */
    if (end_of(s, k) < INFINITY)
        clip(&p, -1, -1, -T - end_of(s, k));
    if (p.count < 3 || p.count > CAROM_RODS_CORNERS || area(&p) <= CAROM_TOLERANCE_CARRIED * T * T)
        return false;
    double Z = m->impedance[rod], c = m->length[rod] / T;
    region->rod = rod;
    region->force = 0.5 * (r->steps[n].value + s->steps[k].value);
    region->velocity = 0.5 * (r->steps[n].value - s->steps[k].value) / Z;
    region->strain = 0 - region->force / (Z * c); /* EA = Z c */
    region->corner_count = p.count;
    for (int i = 0; i < p.count; i++) {
        region->x[i] = c * p.y[i];
        region->t[i] = p.t[i];
    }
    return true;
}

/* All regions, stored when `regions` is not NULL; returns how many. Piece n of r is inside the rod
 * from its start to its end + T, so only pieces of s that overlap this span can meet it. */
static int collect(const carom_rods_motion *m, double until, carom_rods_region *regions)
{
    int count = 0;
    for (int rod = 0; rod < m->count; rod++) {
        const carom_rods_history *r = &m->right[rod], *s = &m->left[rod];
        double T = m->travel[rod];
        int first = 0;
        for (int n = 0; n < r->count && start_of(r, n) < until; n++) {
            while (first + 1 < s->count && end_of(s, first) + T < start_of(r, n))
                first++;
            for (int k = first; k < s->count && start_of(s, k) < end_of(r, n) + T; k++) {
                carom_rods_region region;
                if (!cut(m, rod, n, k, until, &region))
                    continue;
                if (regions)
                    regions[count] = region;
                count++;
            }
        }
    }
    return count;
}

carom_status carom_rods_regions(const carom_rods_motion *motion, double until, carom_arena *arena,
                                int *count, carom_rods_region **regions, carom_error *error)
{
    CAROM_NEED(error, motion, arena, count, regions);
    if (!(until > 0) || until > motion->end * (1 + CAROM_TOLERANCE_CARRIED))
        return carom_error_set(
            error, CAROM_ERROR_ARGUMENT,
            "until is %g, must be positive and at most %g, the end of the motion", until,
            motion->end);
    int n = collect(motion, until, NULL);
    carom_rods_region *list = carom_arena_array(arena, (size_t)n, sizeof *list);
    if (!list)
        return carom_error_memory(error);
    collect(motion, until, list);
    *count = n;
    *regions = list;
    return CAROM_OK;
}
