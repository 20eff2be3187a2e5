/* The distance of two convex polytopes that are apart (docs/theory/collision.md).
 *
 * A simplex of differences of vertices walks towards the origin: the nearest point v of the simplex
 * gives a direction, the support of B - A in that direction the next corner. |v| is an upper bound
 * of the distance, v.w/|v| a lower one. It ends when they meet, when no new corner helps, or when
 * the simplex holds the origin. */
#include "bodies/gjk.h"

#include <float.h>
#include <string.h>

/* The nearest point of a simplex to the origin: which corners carry it, and their parts. */
typedef struct nearest {
    int count, corner[4];
    double part[4];
    v3 v;
    double d2;
} nearest;

static void keep_better(nearest *best, const nearest *other)
{
    if (other->d2 < best->d2)
        *best = *other;
}

static nearest of_point(const v3 *w, int i)
{
    return (nearest){1, {i}, {1}, w[i], v3_norm2(w[i])};
}

static nearest of_segment(const v3 *w, int i, int j)
{
    v3 d = v3_sub(w[j], w[i]);
    double length2 = v3_norm2(d), t = -v3_dot(w[i], d);
    if (!(t > 0))
        return of_point(w, i);
    if (!(t < length2))
        return of_point(w, j);
    t /= length2;
    v3 v = v3_along(w[i], t, d);
    /* From the nearer end: the same point with less rounding. */
    if (t > 0.5)
        v = v3_along(w[j], t - 1, d);
    return (nearest){2, {i, j}, {1 - t, t}, v, v3_norm2(v)};
}

/* Inside the triangle when the three areas that the projected origin makes are positive, otherwise
 * on one of its sides. */
static nearest of_triangle(const v3 *w, int i, int j, int k)
{
    v3 a = w[i], b = w[j], c = w[k], n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    double pa = v3_dot(n, v3_cross(b, c)), pb = v3_dot(n, v3_cross(c, a)),
           pc = v3_dot(n, v3_cross(a, b));
    if (pa > 0 && pb > 0 && pc > 0) {
        /* The combination of corners, not the multiple of n: a point of the triangle even where
         * the triangle is so narrow that n is noise. */
        double sum = pa + pb + pc;
        pa /= sum;
        pb /= sum;
        pc /= sum;
        v3 v = v3_along(v3_along(v3_scale(pa, a), pb, b), pc, c);
        return (nearest){3, {i, j, k}, {pa, pb, pc}, v, v3_norm2(v)};
    }
    nearest best = of_segment(w, i, j), other = of_segment(w, j, k);
    keep_better(&best, &other);
    other = of_segment(w, k, i);
    keep_better(&best, &other);
    return best;
}

/* Inside the tetrahedron when the origin is on the inner side of all four faces. A tetrahedron that
 * is flat up to rounding has no inside: its faces decide. */
static nearest of_tetrahedron(const v3 *w)
{
    static const int face[4][4] = {{1, 2, 3, 0}, {0, 3, 2, 1}, {0, 1, 3, 2}, {0, 2, 1, 3}};
    nearest best = {.d2 = INFINITY};
    bool inside = true;
    for (int f = 0; f < 4; f++) {
        v3 a = w[face[f][0]], b = w[face[f][1]], c = w[face[f][2]], d = w[face[f][3]];
        v3 n = v3_cross(v3_sub(b, a), v3_sub(c, a)), up = v3_sub(d, a);
        double origin = -v3_dot(n, a), across = v3_dot(n, up);
        double rounding = 32 * DBL_EPSILON * v3_norm(n) *
                          larger(larger(v3_max(a), v3_max(d)), larger(v3_max(b), v3_max(c)));
        if (origin * across > 0 && fabs(across) > rounding)
            continue;
        inside = false;
        nearest other = of_triangle(w, face[f][0], face[f][1], face[f][2]);
        keep_better(&best, &other);
    }
    if (inside)
        best = (nearest){4, {0, 1, 2, 3}, {0.25, 0.25, 0.25, 0.25}, {0, 0, 0}, 0};
    return best;
}

static nearest of_simplex(int count, const v3 *w)
{
    switch (count) {
    case 1:
        return of_point(w, 0);
    case 2:
        return of_segment(w, 0, 1);
    case 3:
        return of_triangle(w, 0, 1, 2);
    default:
        return of_tetrahedron(w);
    }
}

int carom_gjk_simplex(int count, const v3 *w, int corner[4], double part[4], v3 *v)
{
    const nearest n = of_simplex(count, w);
    memcpy(corner, n.corner, sizeof n.corner);
    memcpy(part, n.part, sizeof n.part);
    *v = n.v;
    return n.count;
}

/* Leave the corners that carry the nearest point. */
static void reduce(carom_gjk *g, const nearest *n)
{
    carom_gjk old = *g;
    g->count = n->count;
    for (int k = 0; k < n->count; k++) {
        g->a[k] = old.a[n->corner[k]];
        g->b[k] = old.b[n->corner[k]];
        g->w[k] = old.w[n->corner[k]];
        g->part[k] = n->part[k];
    }
    g->v = n->v;
}

static bool has_corner(const carom_gjk *g, int a, int b)
{
    for (int k = 0; k < g->count; k++)
        if (g->a[k] == a && g->b[k] == b)
            return true;
    return false;
}

void carom_gjk_run(const carom_convex *a, const carom_convex *b, carom_gjk *g)
{
    double d2 = INFINITY;
    int ia = 0, ib = 0;
    *g = (carom_gjk){.count = 1, .part = {1}};
    g->v = g->w[0] = v3_sub(convex_vertex(b, 0), convex_vertex(a, 0));
    d2 = v3_norm2(g->v);
    g->low = -INFINITY;
    while (d2 > 0) {
        ia = convex_support(a, g->v, ia);
        ib = convex_support(b, v3_neg(g->v), ib);
        v3 w = v3_sub(convex_vertex(b, ib), convex_vertex(a, ia));
        g->low = fmax(g->low, v3_dot(g->v, w) / sqrt(d2));
        if (has_corner(g, ia, ib))
            return;
        carom_gjk tried = *g;
        tried.a[tried.count] = ia;
        tried.b[tried.count] = ib;
        tried.w[tried.count++] = w;
        nearest n = of_simplex(tried.count, tried.w);
        /* A corner that brings nothing is rounding: the simplex before it is the answer. */
        if (!(n.d2 < d2))
            return;
        reduce(&tried, &n);
        *g = tried;
        d2 = n.d2;
        if (g->count == 4)
            return;
    }
}
