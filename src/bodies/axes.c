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

/* Faces of one polytope against the vertices of the other; sign: 1 when they are a's. Points of the
 * other that are known bound what a face can give, so that most faces need no search. */
static void try_faces(const carom_convex *face_side, const carom_convex *other,
                      const carom_axes_rule *rule, double sign, double margin, carom_axis *best)
{
    const carom_polytope *p = face_side->p;
    frame to_face = frame_relative(&face_side->at, &other->at);
    v3 middle = frame_point(&to_face, other->p->middle), deep = middle;
    int near = 0;
    for (int f = 0; f < p->face_count; f++) {
        v3 n = p->normal[f];
        if (fmin(v3_dot(n, middle), v3_dot(n, deep)) - p->offset[f] <= best->gap + margin)
            continue;
        near = carom_polytope_support(other->p, v3_neg(m3_back(to_face.R, n)), near);
        v3 point = frame_point(&to_face, other->p->vertex[near]);
        double gap = v3_dot(n, point) - p->offset[f];
        if (gap <= best->gap + margin)
            continue;
        if (rule && !rule->allows(rule->self, near, v3_neg(m3_apply(face_side->at.R, n))))
            continue;
        uint32_t face = feature_of(CAROM_FACE, f), vertex = feature_of(CAROM_VERTEX, near);
        deep = point;
        point = frame_point(&face_side->at, point);
        *best = (carom_axis){gap,
                             v3_scale(sign, m3_apply(face_side->at.R, n)),
                             sign > 0 ? face : vertex,
                             sign > 0 ? vertex : face,
                             point,
                             point};
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

/* The largest (sign 1) or least (-1) value of n.x on an edge. */
static double extreme(const carom_convex *c, int edge, v3 n, double sign)
{
    const int *v = c->p->edge[edge].v;
    double one = sign * v3_dot(n, convex_vertex(c, v[0])),
           two = sign * v3_dot(n, convex_vertex(c, v[1]));
    return sign * fmax(one, two);
}

/* Edges can only do better than the best face if they are nearer to each other than its depth:
 * those of a that rise to where b, enlarged by the depth, begins, and those of b likewise. */
static void try_edges(search *s)
{
    ridge kept[BLOCK];
    int index[BLOCK], count = s->b->p->edge_count, next = 0;
    bool bounded = s->best.gap > -INFINITY;
    v3 n = bounded ? s->best.n : (v3){0, 0, 1};
    double depth = fabs(s->best.gap) + 2 * s->margin;
    double top = v3_dot(n, convex_vertex(s->a, convex_support(s->a, n, 0)));
    while (next < count) {
        int held = 0;
        for (; next < count && held < BLOCK; next++)
            if (!bounded || extreme(s->b, next, n, -1) <= top + depth) {
                index[held] = next;
                kept[held++] = ridge_of(s->b, next);
            }
        for (int ea = 0; ea < s->a->p->edge_count && held; ea++) {
            if (bounded && extreme(s->a, ea, n, 1) < top - 2 * depth)
                continue;
            ridge x = ridge_of(s->a, ea);
            for (int k = 0; k < held; k++)
                try_pair(s, ea, index[k], &x, &kept[k]);
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

bool carom_axes_allowed(const carom_convex *a, const carom_convex *b, const carom_axes_rule *rule_a,
                        const carom_axes_rule *rule_b, carom_axis *axis)
{
    search s = {.a = a, .b = b, .size = larger(a->p->size, b->p->size), .best.gap = -INFINITY};
    s.margin = carom_axes_rounding(a, b);
    try_faces(a, b, rule_b, 1, 0, &s.best);
    try_faces(b, a, rule_a, -1, s.margin, &s.best);
    try_edges(&s);
    *axis = s.best;
    return s.best.gap > -INFINITY;
}

carom_axis carom_axes_deepest(const carom_convex *a, const carom_convex *b)
{
    carom_axis axis;
    return carom_axes_allowed(a, b, NULL, NULL, &axis) ? axis : axis_of_line(a, b);
}
