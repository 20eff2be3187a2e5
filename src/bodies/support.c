/* Nearest points by support functions.
 *
 * A simplex of differences of support points walks to the origin (as in gjk.c); on smooth sets it
 * comes near, but never arrives. Then Newton's method finds the normal n for which the points
 * x(n) of a and y of b face each other,
 *
 *     T'(y - x(n)) = 0,   T across n,     (T'XT + g 1) theta = T'(y - x),   X = dx/dn, g = n.(y -
 * x)
 *
 * with y on the vertex, edge or face of b that the simplex has found, or y = y(-n) where b is
 * smooth too, whose derivative is then added to X. */
#include "bodies/support.h"
#include "bodies/cylinder.h"
#include "bodies/features.h"
#include "bodies/gjk.h"
#include "carom/tolerance.h"

#include <float.h>

enum { WALK = 200, NEWTON = 20, ASCENT = 200 };

v3 carom_support_point(const carom_support *s, v3 d, int *vertex)
{
    const v3 own = m3_back(s->at.R, d);
    if (s->p) {
        *vertex = carom_polytope_support(s->p, own, *vertex);
        return frame_point(&s->at, s->p->vertex[*vertex]);
    }
    if (s->shape->core == CAROM_CORE_CYLINDER) {
        const carom_cylinder c = {s->shape->half[0], s->shape->half[2]};
        return frame_point(&s->at, cylinder_rim_point(&c, own, own.z > 0));
    }
    return frame_point(&s->at, s->shape->ops->support(s->shape, own));
}

static v3 point_of(const carom_support *s, v3 d)
{
    int vertex = 0;
    return carom_support_point(s, d, &vertex);
}

/* The separation along n: a lower bound of the distance. */
static double separation(const carom_support *a, const carom_support *b, v3 n)
{
    return v3_dot(n, v3_sub(point_of(b, v3_neg(n)), point_of(a, n)));
}

static bool is_smooth(const carom_support *s)
{
    return !s->p && s->shape->core == CAROM_CORE_CONVEX;
}

/* ---- the walk ---- */

typedef struct walk {
    int count;
    v3 a[4], b[4], w[4];
    int vertex[4]; /* of b */
    double part[4];
    v3 v;
    double low;
} walk;

static void keep(walk *k, int count, const int corner[4], const double part[4], v3 v)
{
    const walk old = *k;
    k->count = count;
    k->v = v;
    for (int i = 0; i < count; i++) {
        k->a[i] = old.a[corner[i]];
        k->b[i] = old.b[corner[i]];
        k->w[i] = old.w[corner[i]];
        k->vertex[i] = old.vertex[corner[i]];
        k->part[i] = part[i];
    }
}

/* Until the bounds meet up to `enough`, or nothing helps any more. */
static void go(walk *k, const carom_support *a, const carom_support *b, double enough)
{
    int va = 0, vb = 0;
    for (int step = 0; step < WALK && k->count < 4; step++) {
        const double d = v3_norm(k->v);
        if (!(d > enough))
            return;
        const v3 n = v3_scale(1 / d, k->v);
        walk tried = *k;
        const int at = tried.count++;
        tried.a[at] = carom_support_point(a, n, &va);
        tried.b[at] = carom_support_point(b, v3_neg(n), &vb);
        tried.vertex[at] = vb;
        tried.w[at] = v3_sub(tried.b[at], tried.a[at]);
        k->low = fmax(k->low, v3_dot(n, tried.w[at]));
        if (d - k->low <= enough)
            return;
        int corner[4];
        double part[4];
        v3 v;
        const int count = carom_gjk_simplex(tried.count, tried.w, corner, part, &v);
        if (!(v3_norm2(v) < d * d))
            return;
        tried.low = k->low;
        keep(&tried, count, corner, part, v);
        *k = tried;
    }
}

static v3 mixed(const walk *k, const v3 *points)
{
    v3 x = {0, 0, 0};
    for (int i = 0; i < k->count; i++)
        x = v3_along(x, k->part[i], points[i]);
    return x;
}

/* ---- Newton's method ---- */

/* The feature of b that y stays on. */
typedef struct ground {
    int span; /* 0: a vertex, 1: an edge, 2: a face, 3: the smooth set itself */
    v3 p, e;  /* a point of it; the edge's vector, or the face's normal out of b */
    double r; /* how far the surface is from an edge: the side of a cylinder from its axis */
    uint32_t feature;
} ground;

/* A feature of the polytope b as a ground. */
static ground feature_ground(const carom_support *b, uint32_t feature)
{
    const carom_convex c = {b->p, b->at};
    const int index = feature_index(feature);
    ground g = {.span = feature_kind(feature), .feature = feature};
    if (g.span == 0) {
        g.p = convex_vertex(&c, index);
    } else if (g.span == 1) {
        g.p = convex_vertex(&c, b->p->edge[index].v[0]);
        g.e = v3_sub(convex_vertex(&c, b->p->edge[index].v[1]), g.p);
    } else {
        g.p = convex_vertex(&c, b->p->loop_vertex[b->p->loop_start[index]]);
        g.e = convex_normal(&c, index);
    }
    return g;
}

static ground ground_of(const carom_support *b, const walk *k)
{
    ground g = {.span = 3, .feature = feature_of(CAROM_FACE, 0)};
    int vertex[4], count = 0;
    if (!b->p)
        return g;
    for (int i = 0; i < k->count; i++) {
        bool seen = false;
        for (int j = 0; j < count; j++)
            seen = seen || vertex[j] == k->vertex[i];
        if (!seen)
            vertex[count++] = k->vertex[i];
    }
    return feature_ground(b, carom_features_carrier(b->p, count, vertex));
}

/* What a cylinder has: its rims, on which support points lie, its side about the axis, its caps. */
enum { CYLINDER_GROUNDS = 4 };
static ground cylinder_ground(const carom_support *b, int which)
{
    const double R = b->shape->half[0], h = b->shape->half[2], s = which == 2 ? -1 : 1;
    const v3 up = v3_scale(h, b->at.R.z);
    if (which == 0)
        return (ground){.span = 3, .feature = cylinder_rim(0, 0)};
    if (which == 1)
        return (ground){1, v3_sub(b->at.p, up), v3_scale(2, up), R, cylinder_side()};
    return (ground){2, v3_along(b->at.p, s, up), v3_scale(s, b->at.R.z), 0, cylinder_cap(s > 0)};
}

/* The derivative of the point of s along d, in the direction t. */
static v3 derivative(const carom_support *s, v3 d, v3 t)
{
    const double step = cbrt(DBL_EPSILON);
    return v3_scale(1 / (2 * step),
                    v3_sub(point_of(s, v3_along(d, step, t)), point_of(s, v3_along(d, -step, t))));
}

/* One step for n, and for the part t of an edge. Returns how far n turned. */
static double turn(const carom_support *a, const carom_support *b, const ground *g, v3 *n,
                   double *t)
{
    const v3 T[2] = {v3_perpendicular(*n), v3_cross(*n, v3_perpendicular(*n))};
    const v3 x = point_of(a, *n),
             y = g->span == 3 ? point_of(b, v3_neg(*n)) : v3_along(g->p, *t, g->e),
             r = v3_sub(y, x);
    const double gap = v3_dot(*n, r), f[2] = {v3_dot(T[0], r), v3_dot(T[1], r)};
    double K[2][2];
    for (int j = 0; j < 2; j++) {
        v3 bend = derivative(a, *n, T[j]);
        if (g->span == 3)
            bend = v3_add(bend, derivative(b, v3_neg(*n), T[j]));
        for (int i = 0; i < 2; i++)
            K[i][j] = v3_dot(T[i], bend) + (i == j ? gap : 0);
    }
    const double det = K[0][0] * K[1][1] - K[0][1] * K[1][0];
    double theta[2] = {(K[1][1] * f[0] - K[0][1] * f[1]) / det,
                       (K[0][0] * f[1] - K[1][0] * f[0]) / det};
    if (g->span == 1) { /* the normal stays across the edge */
        const double c[2] = {v3_dot(T[0], g->e), v3_dot(T[1], g->e)},
                     z[2] = {(K[1][1] * c[0] - K[0][1] * c[1]) / det,
                             (K[0][0] * c[1] - K[1][0] * c[0]) / det};
        const double move =
            (-v3_dot(*n, g->e) - c[0] * theta[0] - c[1] * theta[1]) / (c[0] * z[0] + c[1] * z[1]);
        theta[0] += move * z[0];
        theta[1] += move * z[1];
        *t += move;
    }
    *n = v3_unit(v3_along(v3_along(*n, theta[0], T[0]), theta[1], T[1]));
    return hypot(theta[0], theta[1]);
}

/* Newton's method for the normal, and for the part t of an edge, on a ground. The contact there;
 * false: there is none. */
static bool settle(const carom_support *a, const carom_support *b, const ground *g, v3 n, double t,
                   double margin, carom_witness *w)
{
    if (g->span == 2)
        n = v3_neg(g->e);
    double moved = INFINITY;
    for (int i = 0; i < NEWTON && g->span != 2 && moved > 4 * DBL_EPSILON; i++) {
        const double before = moved;
        moved = turn(a, b, g, &n, &t);
        if (!isfinite(moved) || (i > 3 && moved >= before && before < CAROM_TOLERANCE_HALF))
            break;
    }
    if (!isfinite(v3_norm(n)) || (g->span == 1 && !(t >= 0 && t <= 1)))
        return false;
    const v3 x = point_of(a, n), y = g->span == 3   ? point_of(b, v3_neg(n))
                                     : g->span == 2 ? g->p
                                                    : v3_along(g->p, t, g->e);
    const double gap = v3_dot(n, v3_sub(y, x)) - g->r;
    *w = (carom_witness){gap, x, v3_along(x, gap, n), n, feature_of(CAROM_FACE, 0), g->feature};
    return gap - separation(a, b, n) <= margin;
}

/* Where the part t of an edge begins: beside the point y. */
static double beside(const ground *g, v3 y)
{
    return g->span == 1 ? v3_dot(v3_sub(y, g->p), g->e) / v3_norm2(g->e) : 0;
}

/* The normal and the points to rounding. False: the walk's are better. */
static bool polish_on(const carom_support *a, const carom_support *b, const walk *k, ground g,
                      double margin, carom_witness *w)
{
    carom_witness found;
    if (!settle(a, b, &g, v3_unit(k->v), beside(&g, mixed(k, k->b)), margin, &found) ||
        !(found.gap >= k->low - margin) || !(found.gap <= v3_norm(k->v) + margin))
        return false;
    *w = found;
    return true;
}

static bool polish(const carom_support *a, const carom_support *b, const walk *k, double margin,
                   carom_witness *w)
{
    if (b->p || is_smooth(b))
        return polish_on(a, b, k, ground_of(b, k), margin, w);
    for (int i = 0; i < CYLINDER_GROUNDS; i++)
        if (polish_on(a, b, k, cylinder_ground(b, i), margin, w))
            return true;
    return false;
}

/* ---- overlaps of the cores ---- */

/* Upwards from n as far as steps help. */
static double ascend(const carom_support *a, const carom_support *b, v3 *n)
{
    double best = separation(a, b, *n), length = 0.5;
    for (int i = 0; i < ASCENT && length > DBL_EPSILON; i++) {
        const v3 r = v3_sub(point_of(b, v3_neg(*n)), point_of(a, *n));
        const v3 up = v3_along(r, -v3_dot(r, *n), *n);
        const double size = v3_norm(up);
        if (!(size > 0))
            return best;
        const v3 next = v3_unit(v3_along(*n, length / size, up));
        const double value = separation(a, b, next);
        if (value > best) {
            best = value;
            *n = next;
            length *= 1.5;
        } else {
            length /= 2;
        }
    }
    return best;
}

/* Keep the contact on the ground next to n when it is less deep than w. */
static void try_ground(const carom_support *a, const carom_support *b, const ground *g, v3 n,
                       double margin, carom_witness *w)
{
    carom_witness found;
    const v3 x = point_of(a, n);
    const bool on_face = g->span == 2;
    if (!settle(a, b, g, n, beside(g, x), margin, &found) || !(found.gap > w->gap - margin))
        return;
    if (found.gap > w->gap + margin || on_face || w->gap == -INFINITY)
        *w = found;
}

/* The contact whose normal is next to n: on the features around b's farthest vertex, the parts of a
 * cylinder, or both sets themselves. Ascent alone stops where the farthest point of b jumps. */
static void settle_near(const carom_support *a, const carom_support *b, v3 n, double margin,
                        carom_witness *w)
{
    int v = 0;
    carom_support_point(b, v3_neg(n), &v);
    const carom_polytope *p = b->p;
    if (p) {
        ground g = feature_ground(b, feature_of(CAROM_VERTEX, v));
        try_ground(a, b, &g, n, margin, w);
        const int degree = p->edge_count ? p->star_start[v + 1] - p->star_start[v] : 0;
        for (int k = 0; k < degree; k++) {
            const int edge = p->star_edge[p->star_start[v] + k];
            g = feature_ground(b, feature_of(CAROM_EDGE, edge));
            try_ground(a, b, &g, n, margin, w);
            for (int side = 0; side < 2 && p->edge[edge].f[side] >= 0; side++) {
                g = feature_ground(b, feature_of(CAROM_FACE, p->edge[edge].f[side]));
                try_ground(a, b, &g, n, margin, w);
            }
        }
    } else if (is_smooth(b)) {
        const ground g = {.span = 3, .feature = feature_of(CAROM_FACE, 0)};
        try_ground(a, b, &g, n, margin, w);
    } else {
        for (int i = 0; i < CYLINDER_GROUNDS; i++) {
            const ground g = cylinder_ground(b, i);
            try_ground(a, b, &g, n, margin, w);
        }
    }
}

/* The shortest way apart, from the directions of a lattice and the normals of b's faces. */
static void part(const carom_support *a, const carom_support *b, double margin, carom_witness *w)
{
    double best = -INFINITY;
    v3 chosen = {0, 0, 1};
    *w = (carom_witness){.gap = -INFINITY};
    for (int k = 0; k < 27; k++) {
        v3 n = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if (k == 13)
            continue;
        n = v3_unit(n);
        const double value = ascend(a, b, &n);
        chosen = value > best ? n : chosen;
        best = fmax(best, value);
        settle_near(a, b, n, margin, w);
    }
    for (int f = 0; b->p && f < b->p->face_count; f++) {
        const ground g = feature_ground(b, feature_of(CAROM_FACE, f));
        try_ground(a, b, &g, v3_neg(g.e), margin, w);
    }
    if (w->gap >= best - margin)
        return;
    const v3 x = point_of(a, chosen);
    int vertex = 0;
    carom_support_point(b, v3_neg(chosen), &vertex);
    *w = (carom_witness){best,
                         x,
                         v3_along(x, best, chosen),
                         chosen,
                         feature_of(CAROM_FACE, 0),
                         b->p ? feature_of(CAROM_VERTEX, vertex) : feature_of(CAROM_FACE, 0)};
}

void carom_support_nearest(const carom_support *a, const carom_support *b, double margin,
                           carom_witness *w)
{
    walk k = {.count = 1, .part = {1}, .low = -INFINITY};
    const v3 d = v3_sub(b->at.p, a->at.p), n = v3_norm(d) > 0 ? v3_unit(d) : (v3){0, 0, 1};
    k.a[0] = point_of(a, n);
    k.b[0] = carom_support_point(b, v3_neg(n), &k.vertex[0]);
    k.v = k.w[0] = v3_sub(k.b[0], k.a[0]);
    const double rough = fmax(margin, sqrt(DBL_EPSILON) * v3_norm(k.v));
    go(&k, a, b, rough);
    if (v3_norm(k.v) > margin && polish(a, b, &k, margin, w))
        return;
    go(&k, a, b, margin);
    if (k.count == 4 || !(v3_norm(k.v) > margin)) {
        part(a, b, margin, w);
        return;
    }
    if (polish(a, b, &k, margin, w))
        return;
    const double gap = v3_norm(k.v);
    const ground g = ground_of(b, &k);
    const v3 x = mixed(&k, k.a), normal = v3_unit(k.v);
    *w = (carom_witness){gap,      x, v3_along(x, gap, normal), normal, feature_of(CAROM_FACE, 0),
                         g.feature};
}
