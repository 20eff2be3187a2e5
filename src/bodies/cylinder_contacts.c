/* Contacts of a cylinder with flat things: a cap over a polygon, the side over a face. Points of
 * the two that lie over each other along the reference direction, like the corners of clipped
 * polygons, with the rim as it is: where it crosses an edge, where it is lowest, and a ring of
 * points where it lies flat. */
#include "bodies/clip.h"
#include "bodies/cylinder.h"

/* A polygon of b: a face, a segment, or a point. */
typedef struct polygon {
    const carom_convex *b;
    int count;
    const int *vertex, *edge; /* NULL: 0, 1 and edge 0 */
    uint32_t feature;
    v3 r; /* the direction along which things are seen, from b to the cylinder */
    double margin;
} polygon;

static polygon polygon_of(const carom_convex *b, int face, v3 r, double margin)
{
    const carom_polytope *p = b->p;
    polygon x = {.b = b, .count = p->vertex_count, .r = r, .margin = margin};
    if (face >= 0) {
        x.count = p->loop_start[face + 1] - p->loop_start[face];
        x.vertex = p->loop_vertex + p->loop_start[face];
        x.edge = p->loop_edge + p->loop_start[face];
        x.feature = feature_of(CAROM_FACE, face);
    } else {
        x.feature = p->edge_count ? feature_of(CAROM_EDGE, 0) : feature_of(CAROM_VERTEX, 0);
    }
    return x;
}

static int vertex_number(const polygon *x, int k)
{
    k = k < x->count ? k : k - x->count;
    return x->vertex ? x->vertex[k] : k;
}

static v3 vertex_at(const polygon *x, int k)
{
    return convex_vertex(x->b, vertex_number(x, k));
}

static int side_count(const polygon *x)
{
    return x->count > 2 ? x->count : x->count - 1;
}

/* Outward across side k, in the directions of the polygon as seen along r. */
static v3 side_normal(const polygon *x, int k)
{
    return v3_unit(v3_cross(v3_sub(vertex_at(x, k + 1), vertex_at(x, k)), x->r));
}

/* Is a point over the polygon, leaving out one side (-1: none)? */
static bool over(const polygon *x, v3 p, int without)
{
    for (int k = 0; k < x->count; k++)
        if (k != without && v3_dot(side_normal(x, k), v3_sub(p, vertex_at(x, k))) > x->margin)
            return false;
    return x->count > 2;
}

/* The point below p on the plane of the polygon, along r. */
static v3 below(const polygon *x, v3 p)
{
    v3 n = convex_normal(x->b, feature_index(x->feature));
    double t = v3_dot(n, v3_sub(p, vertex_at(x, 0))) / v3_dot(n, x->r);
    return v3_along(p, -t, x->r);
}

/* Contact of the point a of the cylinder with the point b below it. */
static void add(const polygon *x, v3 a, v3 b, uint32_t fa, uint32_t fb, double reach,
                carom_manifold *out)
{
    double gap = v3_dot(x->r, v3_sub(a, b));
    carom_witness w = {gap, a, v3_along(a, -gap, x->r), v3_neg(x->r), fa, fb};
    if (gap <= reach)
        manifold_add(out, &w);
}

/* The cap as a disc: the point of its plane over p. */
static v3 onto_cap(const carom_cylinder *c, const polygon *x, int up, v3 p)
{
    double z = up ? c->h : -c->h;
    v3 q = v3_along(p, (z - p.z) / x->r.z, x->r);
    q.z = z;
    return q;
}

/* Vertices of the polygon under the disc. */
static void add_vertices(const carom_cylinder *c, const polygon *x, int up, double reach,
                         carom_manifold *out)
{
    for (int k = 0; k < x->count; k++) {
        v3 v = vertex_at(x, k), q = onto_cap(c, x, up, v);
        if (across_z(q) <= c->R + x->margin)
            add(x, q, v, cylinder_cap(up), feature_of(CAROM_VERTEX, vertex_number(x, k)), reach,
                out);
    }
}

/* Where the rim crosses the sides of the polygon: the sides seen on the plane of the cap are
 * straight lines q + t d. */
static void add_crossings(const carom_cylinder *c, const polygon *x, int up, double reach,
                          carom_manifold *out)
{
    for (int k = 0; k < side_count(x); k++) {
        v3 p = vertex_at(x, k), e = v3_sub(vertex_at(x, k + 1), p);
        v3 q = onto_cap(c, x, up, p), d = v3_sub(onto_cap(c, x, up, v3_add(p, e)), q);
        double dd = d.x * d.x + d.y * d.y, qd = q.x * d.x + q.y * d.y;
        double cross = q.x * d.y - q.y * d.x, rest = c->R * c->R * dd - cross * cross;
        if (!(rest > 0) || !(dd > 0))
            continue;
        double length = sqrt(dd), edge = x->margin / length;
        for (int second = 0; second < 2; second++) {
            double t = (-qd + (second ? 1 : -1) * sqrt(rest)) / dd;
            /* At a vertex the vertex itself is the contact. */
            if (t <= edge || t >= 1 - edge)
                continue;
            add(x, v3_along(q, t, d), v3_along(p, t, e), cylinder_rim(up, second),
                feature_of(CAROM_EDGE, x->edge ? x->edge[k] : 0), reach, out);
        }
    }
}

/* Points of the rim over the inside of the polygon: the lowest, and a ring. */
static void add_rim(const carom_cylinder *c, const polygon *x, int up, double reach, double flat,
                    carom_manifold *out)
{
    v3 n = convex_normal(x->b, feature_index(x->feature));
    /* Seen edge-on a polygon has no inside: a point is over it to within the margin, and its height
     * then is known to margin/(n.r) only. */
    if (!(v3_dot(n, x->r) * flat > x->margin))
        return;
    /* The height n.(q - v)/(n.r) over the polygon's plane falls fastest against n. */
    double tilt = c->R * across_z(n) / v3_dot(n, x->r);
    if (tilt > flat) {
        v3 q = cylinder_rim_point(c, v3_neg(n), up);
        if (over(x, q, -1))
            add(x, q, below(x, q), cylinder_rim(up, 0), x->feature, reach, out);
    }
    /* The ring stands for the rim when all of it comes within reach; until then the lowest point
     * rolls. */
    v3 middle = {0, 0, up ? c->h : -c->h};
    double height = v3_dot(x->r, v3_sub(middle, below(x, middle)));
    for (int k = 0; k < CAROM_CYLINDER_RING && height + tilt <= reach; k++) {
        v3 q = cylinder_ring_point(c, up, k);
        if (over(x, q, -1))
            add(x, q, below(x, q), cylinder_ring(up, k), x->feature, reach, out);
    }
}

/* Contacts of a cap with a convex polygon (or segment, or point) of b, seen along r, which points
 * from b to the cylinder: face >= 0 a face, -1 all of a polytope without faces. */
static void touch_cap(const carom_cylinder *c, int up, const carom_convex *b, int face, v3 r,
                      double reach, double margin, double flat, carom_manifold *out)
{
    polygon x = polygon_of(b, face, r, margin);
    add_vertices(c, &x, up, reach, out);
    add_crossings(c, &x, up, reach, out);
    if (face >= 0)
        add_rim(c, &x, up, reach, flat, out);
}

/* Contacts of the side with a face of b: the line nearest to the face, cut by its sides. */
static void touch_side(const carom_cylinder *c, const carom_convex *b, int face, double reach,
                       double margin, carom_manifold *out)
{
    polygon x = polygon_of(b, face, convex_normal(b, face), margin);
    v3 from = cylinder_rim_point(c, v3_neg(x.r), 0), to = from;
    to.z = c->h;
    v3 d = v3_sub(to, from);
    double low = 0, high = 1;
    int low_side = -1, high_side = -1;
    for (int k = 0; k < x.count; k++) {
        v3 m = side_normal(&x, k);
        double p = v3_dot(m, v3_sub(from, vertex_at(&x, k))), q = p + v3_dot(m, d);
        p = fabs(p) <= margin ? 0 : p;
        q = fabs(q) <= margin ? 0 : q;
        if (p > 0 && q > 0)
            return;
        double t = p / (p - q);
        if (p > 0 && q <= 0 && t > low) {
            low = t;
            low_side = k;
        } else if (p <= 0 && q > 0 && t < high) {
            high = t;
            high_side = k;
        }
    }
    if (low > high)
        return;
    for (int end = 0; end < 2; end++) {
        int side = end ? high_side : low_side;
        v3 a = v3_along(from, end ? high : low, d);
        add(&x, a, below(&x, a), side < 0 ? cylinder_rim(end, 0) : cylinder_side(),
            side < 0 ? x.feature : feature_of(CAROM_EDGE, x.edge[side]), reach, out);
    }
}

/* ---- the manifold ---- */

/* Of the faces around a feature of b the one that looks most along d. */
static int face_around(const carom_convex *b, uint32_t feature, v3 d, double *cosine)
{
    const carom_polytope *p = b->p;
    int best = -1, index = feature_index(feature), kind = feature_kind(feature);
    *cosine = -INFINITY;
    if (kind == CAROM_FACE) {
        *cosine = v3_dot(d, convex_normal(b, index));
        return index;
    }
    if (p->face_count == 0)
        return -1;
    int from = kind == CAROM_VERTEX ? p->star_start[index] : 0,
        to = kind == CAROM_VERTEX ? p->star_start[index + 1] : 1;
    for (int k = from; k < to; k++)
        for (int side = 0; side < 2; side++) {
            int f = p->edge[kind == CAROM_VERTEX ? p->star_edge[k] : index].f[side];
            double here = v3_dot(d, convex_normal(b, f));
            if (here > *cosine) {
                *cosine = here;
                best = f;
            }
        }
    return best;
}

/* Contacts over the flat thing nearest to the normal: the cap, or a face of b. */
static void over_reference(const carom_cylinder *c, const carom_convex *b,
                           const carom_cylinder_axis *best, double reach, double margin,
                           double flat, carom_manifold *out)
{
    double cosine;
    v3 n = best->w.n;
    int face = face_around(b, best->w.fb, v3_neg(n), &cosine), up = n.z > 0;
    bool cap = best->face >= CAROM_CYLINDER_CAP || fabs(n.z) > cosine;
    cap = cap && !(best->face >= 0 && best->face < CAROM_CYLINDER_CAP);
    if (cap) {
        v3 z = {0, 0, up ? 1 : -1};
        touch_cap(c, up, b, carom_clip_against(b, z, flat), v3_neg(z), reach, margin, flat, out);
        return;
    }
    if (face < 0)
        return;
    v3 m = convex_normal(b, face);
    if (fabs(m.z) > across_z(m))
        touch_cap(c, m.z < 0, b, face, m, reach, margin, flat, out);
    else
        touch_side(c, b, face, reach, margin, out);
}

/* An edge of b along the side touches at both ends of what they have in common. */
static void add_parallel(const carom_cylinder *c, const carom_convex *b, const carom_witness *w,
                         double reach, double flat, carom_manifold *out)
{
    const carom_polytope *p = b->p;
    int v = feature_index(w->fb);
    if (w->fa != cylinder_side() || feature_kind(w->fb) != CAROM_VERTEX || !p->edge_count)
        return;
    for (int k = p->star_start[v]; k < p->star_start[v + 1]; k++) {
        v3 from = convex_vertex(b, v), to = convex_vertex(b, p->star_vertex[k]);
        double end = to.z > c->h ? c->h : to.z < -c->h ? -c->h : to.z;
        if (fabs(to.z - from.z) <= flat || fabs(end - from.z) <= flat)
            continue;
        v3 x = v3_between(from, to, (end - from.z) / (to.z - from.z));
        double rho = across_z(x), gap = rho - c->R;
        if (!(gap <= reach) || !(rho > 0))
            continue;
        v3 n = {x.x / rho, x.y / rho, 0};
        int near = convex_support(b, v3_neg(n), v);
        double bound = v3_dot(n, convex_vertex(b, near)) - c->R;
        bool cut = end != to.z;
        carom_witness other = {gap,
                               v3_along(x, -gap, n),
                               x,
                               n,
                               cut ? cylinder_rim(end > 0, 0) : cylinder_side(),
                               cut ? feature_of(CAROM_EDGE, p->star_edge[k])
                                   : feature_of(CAROM_VERTEX, p->star_vertex[k])};
        if (bound >= gap - flat)
            manifold_add(out, &other);
    }
}

/* Do the contacts over something flat say the same as the best axis? The least gap is the same, and
 * so is the separation along their normal: near touching the first alone holds for any angle. */
static bool lie_flat(const carom_cylinder *c, const carom_convex *b, const carom_manifold *m,
                     const carom_witness *best, double flat)
{
    const carom_witness *low = m->witness;
    for (int k = 1; k < m->count && k < m->room; k++)
        low = m->witness[k].gap < low->gap ? &m->witness[k] : low;
    if (!m->count || !(fabs(low->gap - best->gap) <= flat))
        return false;
    const v3 n = low->n, near = convex_vertex(b, convex_support(b, v3_neg(n), 0));
    return v3_dot(n, near) - cylinder_support(c, n) >= best->gap - flat;
}

static bool same_features(const carom_witness *x, const carom_witness *y)
{
    return x->fa == y->fa && x->fb == y->fb;
}

/* Deeper than the best contact, and by a normal more than 60 degrees from its own: a ball whose
 * centre is inside the cylinder leaves it by the side or by a cap, not by both. */
static bool across(const carom_witness *x, const carom_witness *best, double flat)
{
    return x->gap < fmin(0, best->gap) - flat && v3_dot(x->n, best->n) < 0.5;
}

void carom_cylinder_contacts(const carom_cylinder *c, const carom_convex *b,
                             const carom_cylinder_axis *best, double reach, double margin,
                             double flat, carom_manifold *out)
{
    enum { ROOM = 512 };
    carom_witness room[ROOM];
    carom_manifold m = {room, 0, ROOM, 0};
    over_reference(c, b, best, reach, margin, flat, &m);
    const bool covers = lie_flat(c, b, &m, &best->w, flat);
    if (!covers)
        manifold_add(out, &best->w);
    for (int k = 0; k < m.count && k < ROOM; k++)
        if (covers || !(same_features(&room[k], &best->w) || across(&room[k], &best->w, flat)))
            manifold_add(out, &room[k]);
    if (!covers || best->face < 0)
        add_parallel(c, b, &best->w, reach, flat, out);
}
