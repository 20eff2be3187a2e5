/* The signed distance of two convex bodies from their support functions alone, by branch and bound
 * over the directions of the sphere: g = max over n of s(n), s(n) = min n.b - max n.a. It shares
 * nothing with the library's algorithms.
 *
 * For any b, a: s(n) <= n.(b - a). On a spherical triangle with corners n_i and a difference y the
 * bound is max n_i.y, divided by the distance of the flat triangle from the origin when positive.
 */
#ifndef CAROM_TESTS_BODIES_SUPPORT_SEARCH_H
#define CAROM_TESTS_BODIES_SUPPORT_SEARCH_H

#include "bodies/vector.h"

#include <stdlib.h>
#include <string.h>

/* The point of a body farthest along n. */
typedef v3 (*support_point)(const void *body, v3 n);

typedef struct support_pair {
    const void *a, *b;
    support_point point_a, point_b;
} support_pair;

/* The point of B - A least along n: s(n) = n.y. */
static inline v3 support_least(const support_pair *p, v3 n)
{
    return v3_sub(p->point_b(p->b, v3_neg(n)), p->point_a(p->a, n));
}

typedef struct support_cell {
    v3 n[3], y[4]; /* corners; differences for the corners and the middle */
    double bound;
} support_cell;

static inline double support_bound(const support_cell *c)
{
    v3 normal = v3_unit(v3_cross(v3_sub(c->n[1], c->n[0]), v3_sub(c->n[2], c->n[0])));
    double flat = fabs(v3_dot(normal, c->n[0])), bound = INFINITY;
    for (int k = 0; k < 4; k++) {
        double top = -INFINITY;
        for (int i = 0; i < 3; i++)
            top = fmax(top, v3_dot(c->n[i], c->y[k]));
        bound = fmin(bound, top > 0 ? top / flat : top);
    }
    return bound;
}

/* A heap of cells, the largest bound first. */
typedef struct support_heap {
    support_cell *cell;
    int count, room;
} support_heap;

static inline void support_push(support_heap *h, const support_cell *c)
{
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 256;
        h->cell = realloc(h->cell, (size_t)h->room * sizeof *h->cell);
    }
    int k = h->count++;
    for (int up; k > 0 && h->cell[up = (k - 1) / 2].bound < c->bound; k = up)
        h->cell[k] = h->cell[up];
    h->cell[k] = *c;
}

static inline support_cell support_pop(support_heap *h)
{
    support_cell top = h->cell[0], last = h->cell[--h->count];
    int k = 0;
    for (int child; (child = 2 * k + 1) < h->count; k = child) {
        if (child + 1 < h->count && h->cell[child + 1].bound > h->cell[child].bound)
            child++;
        if (h->cell[child].bound <= last.bound)
            break;
        h->cell[k] = h->cell[child];
    }
    h->cell[k] = last;
    return top;
}

static inline v3 support_try(const support_pair *p, v3 n, double *best)
{
    v3 y = support_least(p, n);
    *best = fmax(*best, v3_dot(n, y));
    return y;
}

/* The difference for the middle, and the bound. */
static inline void support_finish(const support_pair *p, support_cell *c, double *best)
{
    c->y[3] = support_try(p, v3_unit(v3_add(c->n[0], v3_add(c->n[1], c->n[2]))), best);
    c->bound = support_bound(c);
}

/* Is the signed distance at most `claimed` + tolerance? Returns the largest s(n) met when it is
 * not, else `claimed`; NAN when the search gives up (where the surface is nearly a sphere about the
 * other body there are too many directions that are nearly as good). */
static inline double support_refute(const support_pair *p, double claimed, double tolerance)
{
    static support_heap heap;
    double best = claimed;
    heap.count = 0;
    for (int octant = 0; octant < 8; octant++) {
        double sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
        support_cell c = {.n = {{sx, 0, 0}, {0, sy, 0}, {0, 0, sz}}};
        for (int k = 0; k < 3; k++)
            c.y[k] = support_try(p, c.n[k], &best);
        support_finish(p, &c, &best);
        support_push(&heap, &c);
    }
    for (int round = 0; round < 5000 && heap.count; round++) {
        support_cell c = support_pop(&heap);
        if (best > claimed + tolerance)
            return best;
        if (c.bound <= claimed + tolerance)
            return claimed;
        v3 m[3], y[3];
        for (int k = 0; k < 3; k++) {
            m[k] = v3_unit(v3_add(c.n[k], c.n[(k + 1) % 3]));
            y[k] = support_try(p, m[k], &best);
        }
        for (int k = 0; k < 4; k++) {
            support_cell d = {
                {c.n[k % 3], m[k % 3], m[(k + 2) % 3]}, {c.y[k % 3], y[k % 3], y[(k + 2) % 3]}, 0};
            if (k == 3) {
                memcpy(d.n, m, sizeof m);
                memcpy(d.y, y, sizeof y);
            }
            support_finish(p, &d, &best);
            if (d.bound > claimed + tolerance)
                support_push(&heap, &d);
        }
    }
    return heap.count ? (double)NAN : claimed;
}

/* The most that directions near n have over `claimed`, at all scales. */
static inline double support_nearby(const support_pair *p, v3 n, double claimed)
{
    v3 u = v3_perpendicular(n), w = v3_cross(n, u);
    double most = -INFINITY;
    for (double scale = 0.1; scale > 1e-9; scale /= 4)
        for (int k = 0; k < 8; k++) {
            double a = 0.785398163397448 * k + scale;
            v3 d = v3_unit(v3_along(v3_along(n, scale * cos(a), u), scale * sin(a), w));
            most = fmax(most, v3_dot(d, support_least(p, d)) - claimed);
        }
    return most;
}

#endif
