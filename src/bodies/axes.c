/* Separating axes (docs/theory/collision.md). When polytopes overlap, the depth is the least
 * distance from the origin to the boundary of A - B. Its faces are of three kinds: a face of A with
 * a vertex of B, a vertex of A with a face of B, an edge of each. */
#include "bodies/axes.h"
#include "bodies/features.h"

#include <float.h>

double carom_axes_rounding(const carom_convex *a, const carom_convex *b)
{
    return 16 * DBL_EPSILON * (a->p->size + b->p->size + v3_norm(v3_sub(b->at.p, a->at.p)));
}

/* Faces of one polytope against the vertices of the other; sign: 1 when they are a's. */
static void try_faces(const carom_convex *face_side, const carom_convex *other, double sign,
                      double margin, carom_axis *best)
{
    const carom_polytope *p = face_side->p;
    int near = 0;
    for (int f = 0; f < p->face_count; f++) {
        v3 n = convex_normal(face_side, f);
        near = convex_support(other, v3_neg(n), near);
        v3 point = convex_vertex(other, near);
        v3 on = convex_vertex(face_side, p->loop_vertex[p->loop_start[f]]);
        double gap = v3_dot(n, v3_sub(point, on));
        if (gap > best->gap + margin) {
            uint32_t face = feature_of(CAROM_FACE, f), vertex = feature_of(CAROM_VERTEX, near);
            *best = (carom_axis){
                gap,  v3_scale(sign, n), sign > 0 ? face : vertex, sign > 0 ? vertex : face, point,
                point};
        }
    }
}

/* An edge in the common frame. Its normals m are those orthogonal to it with m.u >= 0 and m.v >= 0;
 * a segment has u = v = 0: all. */
typedef struct ridge {
    v3 from, e, u, v;
    double length2;
} ridge;

static ridge ridge_of(const carom_convex *c, int edge)
{
    const carom_edge *it = &c->p->edge[edge];
    ridge r = {.from = convex_vertex(c, it->v[0])};
    r.e = v3_sub(convex_vertex(c, it->v[1]), r.from);
    r.length2 = v3_norm2(r.e);
    if (it->f[0] >= 0) {
        r.u = v3_cross(r.e, convex_normal(c, it->f[0]));
        r.v = v3_cross(convex_normal(c, it->f[1]), r.e);
    }
    return r;
}

static bool has_normal(const ridge *r, v3 m)
{
    return v3_dot(m, r->u) >= 0 && v3_dot(m, r->v) >= 0;
}

typedef struct search {
    const carom_convex *a, *b;
    double margin, size;
    carom_axis best;
} search;

/* Two edges matter where they span a face of A - B: where a common normal m points out of a and
 * into b. */
static bool spans(const ridge *x, const ridge *y, v3 m)
{
    return has_normal(x, m) && has_normal(y, v3_neg(m));
}

static void keep(search *s, int ea, int eb, v3 p, v3 q, v3 n, double gap)
{
    if (gap > s->best.gap + s->margin)
        s->best =
            (carom_axis){gap, n, feature_of(CAROM_EDGE, ea), feature_of(CAROM_EDGE, eb), p, q};
}

/* Two edges and their common unit normal. They count where their nearest points p, q are inside
 * both, so that q - p is orthogonal to both. Its length is the separation, and is well known even
 * for edges so nearly parallel that m is not; the points then give the better direction. */
static void try_crossing(search *s, int ea, int eb, const ridge *x, const ridge *y, v3 m,
                         double sine)
{
    double along_x, along_y;
    carom_features_segments(x->from, x->e, y->from, y->e, &along_x, &along_y);
    v3 p = v3_along(x->from, along_x, x->e), q = v3_along(y->from, along_y, y->e);
    v3 d = v3_sub(q, p);
    double length = v3_norm(d);
    if (fabs(v3_dot(d, x->e)) > s->margin * sqrt(x->length2) ||
        fabs(v3_dot(d, y->e)) > s->margin * sqrt(y->length2))
        return;
    if (length > sine * s->size)
        m = v3_scale(1 / length, d);
    for (int sign = 0; sign < 2; sign++, m = v3_neg(m))
        if (spans(x, y, m))
            keep(s, ea, eb, p, q, m, v3_dot(m, d));
}

static void try_pair(search *s, int ea, int eb, const ridge *x, const ridge *y)
{
    v3 m = v3_cross(x->e, y->e);
    double m2 = v3_norm2(m), lengths2 = x->length2 * y->length2;
    if (!(m2 > DBL_EPSILON * DBL_EPSILON * lengths2))
        return;
    bool ahead = spans(x, y, m), behind = spans(x, y, v3_neg(m));
    double sine = sqrt(m2 / lengths2), line;
    m = v3_scale(1 / sqrt(m2), m);
    line = v3_dot(m, v3_sub(y->from, x->from));
    /* The distance of the lines bounds what the pair can give, up to the rounding of m. */
    if ((ahead && line > s->best.gap - s->margin / sine) ||
        (behind && -line > s->best.gap - s->margin / sine) || sine * s->size < s->margin)
        try_crossing(s, ea, eb, x, y, m, sine);
}

enum { BLOCK = 32 }; /* edges of b that are kept while those of a pass by */

static void try_edges(search *s)
{
    ridge kept[BLOCK];
    int count = s->b->p->edge_count;
    for (int from = 0; from < count; from += BLOCK) {
        int to = from + BLOCK < count ? from + BLOCK : count;
        for (int eb = from; eb < to; eb++)
            kept[eb - from] = ridge_of(s->b, eb);
        for (int ea = 0; ea < s->a->p->edge_count; ea++) {
            ridge x = ridge_of(s->a, ea);
            for (int eb = from; eb < to; eb++)
                try_pair(s, ea, eb, &x, &kept[eb - from]);
        }
    }
}

/* Polytopes without any axis (points and parallel segments that touch) lie in a line: any normal
 * of it, towards b. */
static carom_axis axis_of_line(const carom_convex *a, const carom_convex *b)
{
    const carom_convex *c = a->p->edge_count ? a : b;
    v3 d = v3_sub(b->at.p, a->at.p), n = v3_unit(d);
    carom_axis axis = {.fa = feature_of(CAROM_VERTEX, 0), .fb = feature_of(CAROM_VERTEX, 0)};
    if (c->p->edge_count) {
        v3 e = v3_unit(v3_sub(convex_vertex(c, 1), convex_vertex(c, 0)));
        n = v3_along(n, -v3_dot(n, e), e);
        n = v3_max(n) > 0.5 ? v3_unit(n) : v3_perpendicular(e);
    }
    axis.n = n;
    axis.a = convex_vertex(a, 0);
    axis.b = convex_vertex(b, 0);
    return axis;
}

carom_axis carom_axes_deepest(const carom_convex *a, const carom_convex *b)
{
    search s = {.a = a, .b = b, .size = fmax(a->p->size, b->p->size), .best.gap = -INFINITY};
    s.margin = carom_axes_rounding(a, b);
    try_faces(a, b, 1, 0, &s.best);
    try_faces(b, a, -1, s.margin, &s.best);
    try_edges(&s);
    return s.best.gap > -INFINITY ? s.best : axis_of_line(a, b);
}
