/* The best axis between a cylinder and a convex polytope: s(n) is largest at one of finitely many
 * normals, each of which is tried (docs/theory/collision.md):
 *
 *   a cap: z;  a face of the polytope;  the side and a vertex: radial;  the side and an edge: z x
 * e; a rim and an edge: a normal of an ellipse;  a rim and a vertex: the way between them.
 *
 * s(n) is a lower bound of the gap for every n, so none of them can do harm. */
#include "bodies/cylinder.h"
#include "bodies/ellipse.h"

#include <float.h>

typedef struct search {
    const carom_cylinder *c;
    const carom_convex *b;
    const carom_axes_rule *rule;
    double margin, gap;
    v3 n;
    int kind, index, up, near; /* what the best normal comes from, and the vertex of b there */
    bool beside;               /* the point nearest to the best face lies beside it */
} search;

enum { NONE, CAP, FACE, SIDE_VERTEX, SIDE_EDGE, RIM_EDGE, RIM_VERTEX };

/* Try the normal n (from the cylinder to b). `local`: what the features alone would give, a bound.
 */
static void try_normal(search *s, v3 n, double local, double margin, int kind, int index, int up)
{
    /* A nearest point that lies beside the face by d is a loss of order d^2 only, which rounding
     * may hide: then the edge or vertex it passed wins the tie. */
    margin = s->beside && kind >= SIDE_EDGE ? -margin : margin;
    if (!(local > s->gap + margin))
        return;
    int near = convex_support(s->b, v3_neg(n), s->near);
    double gap = v3_dot(n, convex_vertex(s->b, near)) - cylinder_support(s->c, n);
    if (!(gap > s->gap + margin) || (kind != CAP && gap < local - 4 * s->margin))
        return;
    if (s->rule && !s->rule->allows(s->rule->self, near, v3_neg(n)))
        return;
    s->gap = gap;
    s->n = n;
    s->kind = kind;
    s->index = index;
    s->up = up;
    s->near = near;
    s->beside = false;
}

/* Does the lowest point of the rim over face f lie beside the face, by so little that rounding
 * hides the loss? Turning the normal by t towards the edge that was passed gains d t - r t^2/2, at
 * most d^2/(2 r), r the gap and the rim's curvature together: hidden up to d = sqrt(2 r margin),
 * where margin is some roundings of the size. */
static bool lies_beside(const search *s, int f)
{
    const carom_polytope *p = s->b->p;
    v3 n = convex_normal(s->b, f), x = cylinder_rim_point(s->c, v3_neg(n), n.z < 0);
    double most = -INFINITY, hidden = s->margin / sqrt(DBL_EPSILON);
    for (int k = p->loop_start[f]; k < p->loop_start[f + 1]; k++) {
        int next = k + 1 < p->loop_start[f + 1] ? k + 1 : p->loop_start[f];
        v3 v = convex_vertex(s->b, p->loop_vertex[k]);
        v3 out = v3_cross(v3_sub(convex_vertex(s->b, p->loop_vertex[next]), v), n);
        most = fmax(most, v3_dot(out, v3_sub(x, v)) / v3_norm(out));
    }
    return most > s->margin && most <= hidden;
}

static void try_faces(search *s)
{
    const carom_polytope *p = s->b->p;
    for (int f = 0; f < p->face_count; f++) {
        v3 n = v3_neg(convex_normal(s->b, f));
        v3 on = convex_vertex(s->b, p->loop_vertex[p->loop_start[f]]);
        try_normal(s, n, v3_dot(n, on) - cylinder_support(s->c, n), 0, FACE, f, 0);
    }
    for (int up = 0; up < 2; up++)
        try_normal(s, (v3){0, 0, up ? 1 : -1}, INFINITY, s->margin, CAP, 0, up);
    s->beside = s->kind == FACE && lies_beside(s, s->index);
}

static void try_vertices(search *s)
{
    for (int k = 0; k < s->b->p->vertex_count; k++) {
        v3 v = convex_vertex(s->b, k);
        double rho = across_z(v);
        int up = v.z > 0;
        v3 radial = rho > 0 ? (v3){v.x / rho, v.y / rho, 0} : (v3){1, 0, 0};
        try_normal(s, radial, rho - s->c->R, s->margin, SIDE_VERTEX, k, 0);
        v3 d = v3_sub(v, cylinder_rim_point(s->c, radial, up));
        double away = v3_norm(d);
        if (away > s->margin)
            try_normal(s, v3_scale(1 / away, d), away, s->margin, RIM_VERTEX, k, up);
    }
}

/* Edges along the axis add nothing to their vertices. */
static void try_edge(search *s, int k)
{
    const int *v = s->b->p->edge[k].v;
    v3 p = convex_vertex(s->b, v[0]), e = v3_unit(v3_sub(convex_vertex(s->b, v[1]), p));
    double level = across_z(e);
    if (level <= 4 * DBL_EPSILON)
        return;
    v3 u = {-e.y / level, e.x / level, 0}, w = v3_cross(e, u);
    double pu = v3_dot(p, u), pw = v3_dot(p, w);
    try_normal(s, u, pu - s->c->R, s->margin, SIDE_EDGE, k, 0);
    try_normal(s, v3_neg(u), -pu - s->c->R, s->margin, SIDE_EDGE, k, 0);
    double b = s->c->R * fabs(e.z);
    /* Seen along the edge the rim is an ellipse, R along u and R |e_z| along w, and w rises by
     * `level`: the rim of the cap is at +- h level. */
    for (int up = 0; up < 2; up++) {
        double y = pw - (up ? s->c->h : -s->c->h) * level, normal[2][2];
        int count = carom_ellipse_normals(s->c->R, b, pu, y, normal);
        for (int i = 0; i < count; i++) {
            double local = normal[i][0] * pu + normal[i][1] * y -
                           hypot(s->c->R * normal[i][0], b * normal[i][1]);
            v3 n = v3_add(v3_scale(normal[i][0], u), v3_scale(normal[i][1], w));
            if (up == (n.z > 0))
                try_normal(s, n, local, s->margin, RIM_EDGE, k, up);
        }
    }
}

/* The point of edge k at which the line of the axis is nearest. */
static v3 nearest_to_axis(const search *s, int k)
{
    const int *v = s->b->p->edge[k].v;
    v3 p = convex_vertex(s->b, v[0]), d = v3_sub(convex_vertex(s->b, v[1]), p);
    double t = -(p.x * d.x + p.y * d.y) / (d.x * d.x + d.y * d.y);
    return v3_along(p, t < 0 ? 0 : t > 1 ? 1 : t, d);
}

/* The edge from vertex v that is k-th around it, as the polytope numbers its edges: an open
 * triangle has those that stand out only. -1: it is none of them. */
static int edge_around(const carom_polytope *p, int v, int k)
{
    const int other = p->star_vertex[k];
    for (int e = p->star_edge[k], i = -1; i < p->edge_count; e = ++i) {
        if (e < 0 || e >= p->edge_count)
            continue;
        const int *end = p->edge[e].v;
        if ((end[0] == v && end[1] == other) || (end[1] == v && end[0] == other))
            return e;
    }
    return -1;
}

/* A vertex beyond the caps that is nearest to the side because an edge along the axis leads from
 * it: the edge where it passes the cap. */
static void slide_to_cap(const search *s, carom_witness *w)
{
    const carom_polytope *p = s->b->p;
    double end = w->b.z > 0 ? s->c->h : -s->c->h, rho = across_z(w->b);
    for (int k = p->edge_count ? p->star_start[s->near] : 0;
         p->edge_count && k < p->star_start[s->near + 1]; k++) {
        v3 to = convex_vertex(s->b, p->star_vertex[k]), from = w->b;
        double t = (end - from.z) / (to.z - from.z);
        v3 x = v3_between(from, to, t);
        const int edge = edge_around(p, s->near, k);
        if (edge >= 0 && t > 0 && t < 1 && across_z(x) <= rho + 4 * s->margin) {
            w->fa = cylinder_rim(end > 0, 0);
            w->fb = feature_of(CAROM_EDGE, edge);
            w->b = x;
            w->a = v3_along(x, -w->gap, w->n);
            return;
        }
    }
}

/* The contact of the best normal. Faces and caps give a normal only; their points are found by the
 * caller, with the vertex of b as a beginning. */
static void set_contact(const search *s, carom_cylinder_axis *best)
{
    carom_witness *w = &best->w;
    v3 rim = cylinder_rim_point(s->c, s->n, s->up), v = convex_vertex(s->b, s->near);
    *w = (carom_witness){s->gap, v3_along(v, -s->gap, s->n),       v, s->n,
                         0,      feature_of(CAROM_VERTEX, s->near)};
    best->face = -1;
    switch (s->kind) {
    case CAP:
        w->fa = cylinder_cap(s->up);
        best->face = CAROM_CYLINDER_CAP + s->up;
        break;
    case FACE:
        w->fa = cylinder_rim(s->n.z > 0, 0);
        w->fb = feature_of(CAROM_FACE, s->index);
        w->a = cylinder_rim_point(s->c, s->n, s->n.z > 0);
        w->b = v3_along(w->a, s->gap, s->n);
        best->face = s->index;
        break;
    case SIDE_VERTEX:
        w->fa = cylinder_side();
        if (fabs(w->b.z) > s->c->h)
            slide_to_cap(s, w);
        break;
    case SIDE_EDGE:
        w->fa = cylinder_side();
        w->fb = feature_of(CAROM_EDGE, s->index);
        w->b = nearest_to_axis(s, s->index);
        w->a = v3_along(w->b, -s->gap, s->n);
        break;
    case RIM_EDGE:
        w->fa = cylinder_rim(s->up, 0);
        w->fb = feature_of(CAROM_EDGE, s->index);
        w->a = rim;
        w->b = v3_along(rim, s->gap, s->n);
        break;
    default:
        w->fa = cylinder_rim(s->up, 0);
        break;
    }
}

bool carom_cylinder_best(const carom_cylinder *c, const carom_convex *b,
                         const carom_axes_rule *rule, double margin, carom_cylinder_axis *best)
{
    search s = {.c = c, .b = b, .rule = rule, .margin = margin, .gap = -INFINITY};
    try_faces(&s);
    try_vertices(&s);
    for (int k = 0; k < b->p->edge_count; k++)
        try_edge(&s, k);
    if (s.kind == NONE)
        return false;
    set_contact(&s, best);
    return true;
}
