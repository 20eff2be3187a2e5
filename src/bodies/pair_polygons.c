/* Two convex polygons of the plane (docs/theory/collision.md): points, segments and polygons. The
 * same structure as in space, with edges for faces: the best separating axis among the normals of
 * edges, and, apart, the nearest vertices. */
#include "bodies/pair.h"

#include <float.h>

/* A loop of vertices in the common frame. A segment has two edges back to back, a point none. */
typedef struct loop {
    const carom_convex *c;
    int count, edges;
} loop;

static loop loop_of(const carom_convex *c)
{
    int count = c->p->vertex_count;
    return (loop){c, count, count == 1 ? 0 : count};
}

static v3 vertex_of(const loop *l, int k)
{
    return convex_vertex(l->c, k < l->count ? k : k - l->count);
}

static v3 normal_of(const loop *l, int edge)
{
    if (l->count > 2)
        return convex_normal(l->c, edge);
    v3 d = v3_sub(vertex_of(l, edge + 1), vertex_of(l, edge));
    return v3_unit((v3){d.y, -d.x, 0});
}

/* Edges have names as faces do; a segment's two sides are one edge. */
static uint32_t edge_name(const loop *l, int edge)
{
    return feature_of(CAROM_EDGE, l->count == 2 ? 0 : edge);
}

static int lowest(const loop *l, v3 n)
{
    int best = 0;
    double low = v3_dot(n, vertex_of(l, 0));
    for (int k = 1; k < l->count; k++) {
        double here = v3_dot(n, vertex_of(l, k));
        best = here < low ? k : best;
        low = here < low ? here : low;
    }
    return best;
}

/* An edge of one loop and the separation of the other along its normal. */
typedef struct axis {
    double gap;
    int edge; /* -1: none */
    bool of_a;
    v3 n; /* the edge's normal */
} axis;

static void try_edges(const loop *l, const loop *other, bool of_a, double margin, axis *best)
{
    for (int k = 0; k < l->edges; k++) {
        v3 n = normal_of(l, k);
        double gap = v3_dot(n, v3_sub(vertex_of(other, lowest(other, n)), vertex_of(l, k)));
        if (best->edge < 0 || gap > best->gap + margin)
            *best = (axis){gap, k, of_a, n};
    }
}

/* The edge of the other that lies against the normal n: of the two at the lowest vertex the flatter
 * one. Returns its first vertex. */
static int edge_against(const loop *l, v3 n)
{
    int low = lowest(l, n), before = low ? low - 1 : l->count - 1;
    return v3_dot(n, normal_of(l, before)) < v3_dot(n, normal_of(l, low)) ? before : low;
}

/* One end of the part of a segment over the edge: its place, and the features there. */
typedef struct end {
    v3 x;
    uint32_t on_edge, on_other;
} end;

static void add_end(const axis *x, v3 on, const end *e, double reach, carom_manifold *out)
{
    double gap = v3_dot(x->n, v3_sub(e->x, on));
    carom_witness w = {gap, v3_along(e->x, -gap, x->n), e->x, x->n, e->on_edge, e->on_other};
    if (!x->of_a)
        w = witness_swapped(&w);
    if (gap <= reach)
        manifold_add(out, &w);
}

/* The contacts over an edge: the edge (or point) that lies against it, cut at its ends. */
static void clip(const loop *l, const loop *other, const axis *x, double reach, double margin,
                 carom_manifold *out)
{
    v3 from = vertex_of(l, x->edge), along = v3_sub(vertex_of(l, x->edge + 1), from);
    double length = v3_norm(along);
    v3 e = v3_scale(1 / length, along);
    int first = other->edges ? edge_against(other, x->n) : 0, ends = other->edges ? 2 : 1;
    const int place[2] = {x->edge, (x->edge + 1) % l->count};
    for (int k = 0; k < ends; k++) {
        v3 p = vertex_of(other, first + k), q = vertex_of(other, first + ends - 1 - k);
        double s = v3_dot(e, v3_sub(p, from)), t = v3_dot(e, v3_sub(q, from));
        end it = {p, edge_name(l, x->edge), feature_of(CAROM_VERTEX, (first + k) % other->count)};
        bool before = s<-margin, after = s> length + margin;
        if ((before && t < -margin) || (after && t > length + margin) ||
            (ends == 1 && (before || after)))
            return;
        if (before || after) {
            double cut = before ? 0 : length;
            it.x = v3_between(p, q, (cut - s) / (t - s));
            it.on_edge = feature_of(CAROM_VERTEX, place[after]);
            it.on_other = edge_name(other, first);
        }
        add_end(x, from, &it, reach, out);
    }
}

/* The nearest points of a vertex and an edge, or of the vertices at its ends. */
static void try_vertex(const loop *l, int v, const loop *other, int edge, bool of_a, double *best,
                       carom_witness *w)
{
    v3 x = vertex_of(l, v), from = vertex_of(other, edge), d = {0, 0, 0};
    uint32_t name = feature_of(CAROM_VERTEX, edge);
    if (other->edges) {
        d = v3_sub(vertex_of(other, edge + 1), from);
        double t = v3_dot(v3_sub(x, from), d), length2 = v3_norm2(d);
        if (t >= length2)
            return; /* the next edge's beginning */
        if (t > 0) {
            from = v3_along(from, t / length2, d);
            name = edge_name(other, edge);
        }
    }
    v3 away = v3_sub(from, x);
    double length = v3_norm(away);
    if (length >= *best)
        return;
    *best = length;
    carom_witness found = {length, x, from, v3_unit(away), feature_of(CAROM_VERTEX, v), name};
    *w = of_a ? found : witness_swapped(&found);
}

static void nearest_vertices(const loop *a, const loop *b, carom_witness *w)
{
    double best = INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < (b->edges ? b->edges : 1); j++)
            try_vertex(a, i, b, j, true, &best, w);
    for (int j = 0; j < b->count; j++)
        for (int i = 0; i < (a->edges ? a->edges : 1); i++)
            try_vertex(b, j, a, i, false, &best, w);
}

/* Cores without inside that meet: any normal of a segment, else up. */
static void touching(const loop *a, const loop *b, carom_witness *w)
{
    const loop *l = a->edges ? a : b;
    v3 n = l->edges ? normal_of(l, 0) : (v3){0, 1, 0};
    if (v3_dot(n, v3_sub(b->c->at.p, a->c->at.p)) < 0)
        n = v3_neg(n);
    w->n = n;
    w->gap = 0;
    w->b = w->a;
}

enum { ENDS = 4 };

/* Do the points of an axis exist: is the deepest contact over its edge as deep as the axis says? */
static bool contact_of(const loop *a, const loop *b, const axis *x, double margin, carom_witness *w)
{
    carom_witness room[ENDS];
    carom_manifold m = {room, 0, ENDS, 0};
    clip(x->of_a ? a : b, x->of_a ? b : a, x, INFINITY, margin, &m);
    for (int k = 0; k < m.count; k++)
        if (k == 0 || room[k].gap < w->gap)
            *w = room[k];
    return m.count && w->gap <= x->gap + margin;
}

/* Edges that are parallel up to rounding are all the best axis; the points are over one of them. */
static bool contact_of_equal(const loop *a, const loop *b, axis *x, double margin, carom_witness *w)
{
    for (int k = 0; k < a->edges + b->edges; k++) {
        bool of_a = k < a->edges;
        axis other = {.of_a = of_a, .edge = of_a ? k : k - a->edges};
        const loop *l = of_a ? a : b, *m = of_a ? b : a;
        other.n = normal_of(l, other.edge);
        other.gap =
            v3_dot(other.n, v3_sub(vertex_of(m, lowest(m, other.n)), vertex_of(l, other.edge)));
        if (other.gap >= x->gap - margin && contact_of(a, b, &other, margin, w)) {
            *x = other;
            return true;
        }
    }
    return false;
}

/* The nearest or deepest contact, and the axis to build a manifold on (edge -1: none). */
static axis decide(const loop *a, const loop *b, double margin, carom_witness *w)
{
    axis best = {.edge = -1, .gap = -INFINITY};
    try_edges(a, b, true, 0, &best);
    try_edges(b, a, false, margin, &best);
    if (best.edge >= 0 && (contact_of(a, b, &best, margin, w) ||
                           (best.gap <= margin && contact_of_equal(a, b, &best, margin, w))))
        return best;
    nearest_vertices(a, b, w);
    if (w->gap <= margin)
        touching(a, b, w);
    best.edge = -1;
    return best;
}

static void distance(const carom_pair *pair, carom_witness *w)
{
    carom_convex one = pair_first(pair), two = pair_second(pair);
    loop a = loop_of(&one), b = loop_of(&two);
    decide(&a, &b, carom_pair_margin(pair), w);
}

static void manifold(const carom_pair *pair, double reach, carom_manifold *out)
{
    carom_convex one = pair_first(pair), two = pair_second(pair);
    loop a = loop_of(&one), b = loop_of(&two);
    double margin = carom_pair_margin(pair);
    carom_witness w;
    axis best = decide(&a, &b, margin, &w);
    if (w.gap > reach)
        return;
    if (best.edge < 0)
        manifold_add(out, &w);
    else
        clip(best.of_a ? &a : &b, best.of_a ? &b : &a, &best, reach, margin, out);
}

const carom_pair_ops carom_pair_polygons_ops = {distance, manifold};
