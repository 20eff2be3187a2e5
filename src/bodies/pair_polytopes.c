/* Two convex polytopes (docs/theory/collision.md): apart, the nearest features found by a walk of
 * simplices; overlapping, the axis of least depth; then the manifold over the face that lies
 * against the other. */
#include "bodies/axes.h"
#include "bodies/clip.h"
#include "bodies/features.h"
#include "bodies/gjk.h"
#include "bodies/pair.h"
#include "carom/tolerance.h"

#include <float.h>

double carom_pair_flat(double size_a, double size_b)
{
    double large = larger(size_a, size_b), small = size_a + size_b - large;
    return larger(CAROM_PAIR_FLAT * small, CAROM_TOLERANCE_SUM * large);
}

/* A triangle has two faces with the same vertices: the one that looks along d. */
static uint32_t facing(const carom_convex *c, uint32_t feature, v3 d)
{
    if (feature_kind(feature) != CAROM_FACE || c->p->face_count != 2)
        return feature;
    return feature_of(CAROM_FACE, v3_dot(convex_normal(c, 0), d) < 0);
}

/* The nearest features as the walk left them. */
static void witness_of_walk(const carom_convex *a, const carom_convex *b, const carom_gjk *g,
                            carom_witness *w)
{
    w->a = w->b = (v3){0, 0, 0};
    for (int k = 0; k < g->count; k++) {
        w->a = v3_along(w->a, g->part[k], convex_vertex(a, g->a[k]));
        w->b = v3_along(w->b, g->part[k], convex_vertex(b, g->b[k]));
    }
    w->fa = facing(a, carom_features_carrier(a->p, g->count, g->a), g->v);
    w->fb = facing(b, carom_features_carrier(b->p, g->count, g->b), v3_neg(g->v));
}

/* The deepest of some contacts; the first of equal ones. */
static const carom_witness *deepest(const carom_manifold *m)
{
    const carom_witness *best = m->witness;
    for (int k = 1; k < m->count && k < m->room; k++)
        best = m->witness[k].gap < best->gap ? &m->witness[k] : best;
    return best;
}

/* Contacts over a face of either side, with a as a. */
static void clip(const carom_convex *a, const carom_convex *b, uint32_t fa, uint32_t fb,
                 double reach, double tolerance, carom_manifold *out)
{
    double flat = carom_pair_flat(a->p->size, b->p->size);
    if (feature_kind(fa) == CAROM_FACE) {
        carom_clip_face(a, feature_index(fa), b, reach, tolerance, flat, out);
        return;
    }
    int from = out->count;
    carom_clip_face(b, feature_index(fb), a, reach, tolerance, flat, out);
    for (int k = from; k < out->count && k < out->room; k++)
        out->witness[k] = witness_swapped(&out->witness[k]);
}

/* The contact of the axis of largest separation. False when the axis is only a bound: no points of
 * the two surfaces are that far apart along it. */
bool carom_pair_polytopes_axis(const carom_convex *a, const carom_convex *b, const carom_axis *axis,
                               double rounding, carom_witness *w)
{
    bool face_a = feature_kind(axis->fa) == CAROM_FACE;
    *w = (carom_witness){axis->gap, axis->a, axis->b, axis->n, axis->fa, axis->fb};
    if (!face_a && feature_kind(axis->fb) != CAROM_FACE)
        return true;
    carom_witness room[2 * CAROM_CLIP_FACE];
    carom_manifold m = {room, 0, 2 * CAROM_CLIP_FACE, 0};
    clip(a, b, axis->fa, axis->fb, INFINITY, rounding, &m);
    if (m.count && deepest(&m)->gap <= axis->gap + rounding) {
        *w = *deepest(&m);
        return true;
    }
    if (face_a)
        w->a = v3_along(axis->b, -axis->gap, axis->n);
    else
        w->b = v3_along(axis->a, axis->gap, axis->n);
    return false;
}

/* Faces that are parallel up to rounding are all the best axis, but the points are over one of them
 * only: look for it among the faces of one side (sign 1: of a). */
static bool witness_of_equal_face(const carom_convex *a, const carom_convex *b, double sign,
                                  double gap, double rounding, carom_witness *w)
{
    const carom_convex *side = sign > 0 ? a : b, *other = sign > 0 ? b : a;
    for (int f = 0; f < side->p->face_count; f++) {
        v3 n = convex_normal(side, f);
        int near = convex_support(other, v3_neg(n), 0);
        v3 point = convex_vertex(other, near);
        v3 on = convex_vertex(side, side->p->loop_vertex[side->p->loop_start[f]]);
        uint32_t face = feature_of(CAROM_FACE, f), vertex = feature_of(CAROM_VERTEX, near);
        carom_axis axis = {v3_dot(n, v3_sub(point, on)),
                           v3_scale(sign, n),
                           sign > 0 ? face : vertex,
                           sign > 0 ? vertex : face,
                           point,
                           point};
        if (axis.gap >= gap - rounding && carom_pair_polytopes_axis(a, b, &axis, rounding, w))
            return true;
    }
    return false;
}

/* The nearest points of polytopes more than rounding apart; *proved: planes between the points
 * separate them. */
static bool find_nearest(const carom_convex *a, const carom_convex *b, double rounding,
                         carom_witness *w, bool *proved)
{
    carom_gjk g;
    carom_gjk_run(a, b, &g);
    witness_of_walk(a, b, &g, w);
    *proved = false;
    if (g.count == 4 || v3_norm(g.v) <= rounding)
        return false;
    carom_features_witness(a, b, w);
    /* The proof: planes through the points that have the polytopes on both sides. */
    *proved = carom_features_separation(a, b, w->n) >= w->gap - rounding;
    return true;
}

/* Points and segments: the nearest points are known at once. */
static bool of_lines(const carom_convex *a, const carom_convex *b, double rounding,
                     carom_witness *w)
{
    double s = 0, t = 0;
    v3 p = convex_vertex(a, 0), q = convex_vertex(b, 0), d = {0, 0, 0}, e = {0, 0, 0};
    if (a->p->vertex_count == 2)
        d = v3_sub(convex_vertex(a, 1), p);
    if (b->p->vertex_count == 2)
        e = v3_sub(convex_vertex(b, 1), q);
    if (a->p->vertex_count == 2 && b->p->vertex_count == 2)
        carom_features_segments(p, d, q, e, &s, &t);
    else if (a->p->vertex_count == 2)
        s = fmin(1, fmax(0, v3_dot(v3_sub(q, p), d) / v3_norm2(d)));
    else if (b->p->vertex_count == 2)
        t = fmin(1, fmax(0, v3_dot(v3_sub(p, q), e) / v3_norm2(e)));
    w->fa = s > 0 && s < 1 ? feature_of(CAROM_EDGE, 0) : feature_of(CAROM_VERTEX, s > 0);
    w->fb = t > 0 && t < 1 ? feature_of(CAROM_EDGE, 0) : feature_of(CAROM_VERTEX, t > 0);
    w->a = v3_along(p, s, d);
    w->b = v3_along(q, t, e);
    carom_features_direction(a, b, w);
    return w->gap > rounding;
}

void carom_pair_polytopes_distance(const carom_convex *a, const carom_convex *b, carom_witness *w)
{
    double rounding = carom_axes_rounding(a, b);
    if (a->p->vertex_count <= 2 && b->p->vertex_count <= 2 && of_lines(a, b, rounding, w))
        return;
    bool proved, apart = find_nearest(a, b, rounding, w, &proved);
    v3 meet = w->a;
    if (proved)
        return;
    carom_axis axis = carom_axes_deepest(a, b);
    carom_witness other;
    bool found = carom_pair_polytopes_axis(a, b, &axis, rounding, &other);
    if (!found && !apart)
        found = witness_of_equal_face(a, b, 1, axis.gap, rounding, &other) ||
                witness_of_equal_face(a, b, -1, axis.gap, rounding, &other);
    if (found || !apart)
        *w = other;
    if (!apart && feature_kind(w->fa) == CAROM_VERTEX && feature_kind(w->fb) == CAROM_VERTEX)
        w->a = w->b = meet;
}

/* Of the faces around a feature the one that looks most along d; -1: the feature has none. */
static int face_around(const carom_convex *c, uint32_t feature, v3 d, double *cosine)
{
    const carom_polytope *p = c->p;
    int index = feature_index(feature), best = -1;
    *cosine = -INFINITY;
    if (p->face_count == 0)
        return -1;
    bool vertex = feature_kind(feature) == CAROM_VERTEX;
    int from = vertex ? p->star_start[index] : 0, to = vertex ? p->star_start[index + 1] : 1;
    for (int k = from; k < to; k++)
        for (int side = 0; side < 2; side++) {
            int face = p->edge[vertex ? p->star_edge[k] : index].f[side];
            double here = v3_dot(d, convex_normal(c, face));
            if (here > *cosine) {
                *cosine = here;
                best = face;
            }
        }
    return best;
}

/* The reference face for the contact w: its own face, else the one around its features that is
 * nearest to being it. False: there is no face at all. */
static bool reference(const carom_convex *a, const carom_convex *b, const carom_witness *w,
                      uint32_t *fa, uint32_t *fb)
{
    double along_a, along_b;
    *fa = w->fa;
    *fb = w->fb;
    if (feature_kind(w->fa) == CAROM_FACE || feature_kind(w->fb) == CAROM_FACE)
        return true;
    int face_a = face_around(a, w->fa, w->n, &along_a);
    int face_b = face_around(b, w->fb, v3_neg(w->n), &along_b);
    if (face_a < 0 && face_b < 0)
        return false;
    if (along_a >= along_b)
        *fa = feature_of(CAROM_FACE, face_a);
    else
        *fb = feature_of(CAROM_FACE, face_b);
    return true;
}

/* One end of two edges that lie along each other: a vertex of one and its nearest point on the
 * other, a contact of its own when planes through the two points separate the polytopes. */
static void add_end(const carom_convex *a, const carom_convex *b, uint32_t fa, uint32_t fb,
                    double reach, const carom_witness *known, carom_manifold *out)
{
    carom_witness w = {.fa = fa, .fb = fb};
    for (int k = 0; k < out->count && k < out->room; k++)
        if (fa == out->witness[k].fa && fb == out->witness[k].fb)
            return;
    carom_features_witness(a, b, &w);
    if (w.gap <= reach && v3_norm(v3_sub(w.a, known->a)) > 0 &&
        carom_features_separation(a, b, w.n) > 0)
        manifold_add(out, &w);
}

/* Is the vertex over the inside of the edge? */
static bool over_edge(const carom_convex *c, int edge, v3 point)
{
    const int *v = c->p->edge[edge].v;
    v3 from = convex_vertex(c, v[0]), e = v3_sub(convex_vertex(c, v[1]), from);
    double t = v3_dot(v3_sub(point, from), e);
    return t > 0 && t < v3_norm2(e);
}

/* The ends of the common part of two edges. */
static void add_ends(const carom_convex *a, const carom_convex *b, int ea, int eb, double reach,
                     const carom_witness *known, carom_manifold *out)
{
    for (int k = 0; k < 2; k++) {
        int va = a->p->edge[ea].v[k], vb = b->p->edge[eb].v[k];
        if (over_edge(b, eb, convex_vertex(a, va)))
            add_end(a, b, feature_of(CAROM_VERTEX, va), feature_of(CAROM_EDGE, eb), reach, known,
                    out);
        if (over_edge(a, ea, convex_vertex(b, vb)))
            add_end(a, b, feature_of(CAROM_EDGE, ea), feature_of(CAROM_VERTEX, vb), reach, known,
                    out);
    }
}

/* The edges at a feature: itself, or those of the vertex. */
static int edges_at(const carom_polytope *p, uint32_t feature, int k)
{
    int index = feature_index(feature);
    if (p->edge_count == 0)
        return -1;
    if (feature_kind(feature) == CAROM_EDGE)
        return k == 0 ? index : -1;
    int at = p->star_start[index] + k;
    return at < p->star_start[index + 1] ? p->star_edge[at] : -1;
}

/* Polytopes apart whose nearest features are vertices or edges: edges along each other touch at
 * both ends of what they have in common. */
static void add_parallel(const carom_convex *a, const carom_convex *b, double reach,
                         const carom_witness *w, carom_manifold *out)
{
    for (int i = 0, ea; (ea = edges_at(a->p, w->fa, i)) >= 0; i++)
        for (int j = 0, eb; (eb = edges_at(b->p, w->fb, j)) >= 0; j++)
            add_ends(a, b, ea, eb, reach, w, out);
}

static bool same_features(const carom_witness *x, const carom_witness *y)
{
    return x->fa == y->fa && x->fb == y->fb;
}

/* Do the contacts over a face say the same as the nearest pair w? The least gap is the same, and so
 * is the separation along the normal of the face: near touching the first alone holds for any
 * angle. */
static bool lie_flat(const carom_convex *a, const carom_convex *b, const carom_manifold *m,
                     const carom_witness *w)
{
    const double flat = carom_pair_flat(a->p->size, b->p->size);
    return m->count && fabs(deepest(m)->gap - w->gap) <= flat &&
           carom_features_separation(a, b, m->witness->n) >= w->gap - flat;
}

void carom_pair_polytopes_contacts(const carom_convex *a, const carom_convex *b,
                                   const carom_witness *w, double reach, carom_manifold *out)
{
    carom_witness room[2 * CAROM_CLIP_FACE];
    carom_manifold m = {room, 0, 2 * CAROM_CLIP_FACE, 0};
    uint32_t fa, fb;
    if (reference(a, b, w, &fa, &fb))
        clip(a, b, fa, fb, reach, carom_axes_rounding(a, b), &m);
    const bool flat = lie_flat(a, b, &m, w);
    if (!flat)
        manifold_add(out, w);
    for (int k = 0; k < m.count; k++)
        if (flat || !same_features(&m.witness[k], w))
            manifold_add(out, &m.witness[k]);
    if (!flat && w->gap > 0)
        add_parallel(a, b, reach, w, out);
}

static void find_contacts(const carom_convex *a, const carom_convex *b, double reach,
                          carom_manifold *out)
{
    carom_witness w;
    carom_pair_polytopes_distance(a, b, &w);
    if (w.gap <= reach)
        carom_pair_polytopes_contacts(a, b, &w, reach, out);
}

static void distance(const carom_pair *pair, carom_witness *w)
{
    carom_convex a = pair_first(pair), b = pair_second(pair);
    carom_pair_polytopes_distance(&a, &b, w);
}

static void manifold(const carom_pair *pair, double reach, carom_manifold *out)
{
    if (pair->a->is_box && pair->b->is_box && carom_pair_boxes_manifold(pair, reach, out))
        return;
    carom_convex a = pair_first(pair), b = pair_second(pair);
    find_contacts(&a, &b, reach, out);
}

const carom_pair_ops carom_pair_polytopes_ops = {distance, manifold};
