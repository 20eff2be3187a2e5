/* The contact of two given features, with the best normal that they offer
 * (docs/theory/collision.md). */
#include "bodies/features.h"
#include "carom/tolerance.h"

#include <float.h>

static bool on_face(const carom_polytope *p, int face, int vertex)
{
    for (int k = p->loop_start[face]; k < p->loop_start[face + 1]; k++)
        if (p->loop_vertex[k] == vertex)
            return true;
    return false;
}

uint32_t carom_features_carrier(const carom_polytope *p, int count, const int *vertices)
{
    int distinct[4] = {0}, kept = 0;
    for (int k = 0; k < count; k++) {
        bool seen = false;
        for (int j = 0; j < kept; j++)
            seen = seen || distinct[j] == vertices[k];
        if (!seen)
            distinct[kept++] = vertices[k];
    }
    if (kept == 1)
        return feature_of(CAROM_VERTEX, distinct[0]);
    int v = distinct[0];
    for (int k = p->star_start[v]; kept == 2 && k < p->star_start[v + 1]; k++)
        if (p->star_vertex[k] == distinct[1])
            return feature_of(CAROM_EDGE, p->star_edge[k]);
    for (int k = p->star_start[v]; k < p->star_start[v + 1]; k++)
        for (int side = 0; side < 2; side++) {
            int face = p->edge[p->star_edge[k]].f[side];
            bool all = true;
            for (int j = 1; j < kept; j++)
                all = all && on_face(p, face, distinct[j]);
            if (all)
                return feature_of(CAROM_FACE, face);
        }
    /* Rounding: vertices of a simplex that no face holds together. */
    return feature_of(CAROM_VERTEX, v);
}

static double clamp(double t)
{
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/* Minimise |p + s d - q - t e|^2 over the square, one variable after the other from the unbounded
 * solution; then once more from there, which takes the rounding out of nearly parallel ones. */
void carom_features_segments(v3 p, v3 d, v3 q, v3 e, double *s, double *t)
{
    double dd = v3_norm2(d), ee = v3_norm2(e), de = v3_dot(d, e);
    v3 n = v3_cross(d, e), r = v3_sub(q, p);
    double det = v3_norm2(n);
    /* Below the rounding of the product they are parallel, and every s is as good. */
    if (det <= CAROM_TOLERANCE_SUM * DBL_EPSILON * dd * ee)
        det = 0;
    *s = det > 0 ? clamp(v3_dot(n, v3_cross(r, e)) / det) : 0;
    for (int pass = 0; pass < 2; pass++) {
        v3 from = v3_sub(v3_along(p, *s, d), q);
        double free = v3_dot(from, e) / ee;
        *t = clamp(free);
        if (*t != free) {
            v3 to = v3_sub(v3_along(q, *t, e), p);
            *s = clamp(v3_dot(to, d) / dd);
        } else if (det > 0 && *s > 0 && *s < 1) {
            /* Both inside: a correction of s by what is left of the orthogonality to d. */
            v3 gap = v3_sub(v3_along(q, *t, e), v3_along(p, *s, d));
            *s = clamp(*s + (v3_dot(gap, d) - v3_dot(gap, e) * de / ee) * ee / det);
        }
    }
}

double carom_features_separation(const carom_convex *a, const carom_convex *b, v3 n)
{
    int ia = convex_support(a, n, 0), ib = convex_support(b, v3_neg(n), 0);
    return v3_dot(n, v3_sub(convex_vertex(b, ib), convex_vertex(a, ia)));
}

/* One side is a face: its normal, and the other side's point. sign: 1 when the face is a's. */
static void of_face(const carom_convex *c, int face, double sign, v3 point, carom_witness *w)
{
    v3 n = convex_normal(c, face), on = convex_vertex(c, c->p->loop_vertex[c->p->loop_start[face]]);
    w->gap = v3_dot(n, v3_sub(point, on));
    v3 foot = v3_along(point, -w->gap, n);
    w->n = v3_scale(sign, n);
    w->a = sign > 0 ? foot : point;
    w->b = sign > 0 ? point : foot;
}

/* Make n orthogonal to the unit vector e to the last bits. */
static v3 without(v3 n, v3 e)
{
    n = v3_along(n, -v3_dot(n, e), e);
    return v3_along(n, -v3_dot(n, e), e);
}

/* Neither side is a face: the direction between the points, made orthogonal to the edges. Two
 * edges that cross by more than they are apart (both as parts of the size) define the normal
 * better than the points do. */
void carom_features_direction(const carom_convex *a, const carom_convex *b, carom_witness *w)
{
    v3 d = v3_sub(w->b, w->a), e[2], n = v3_unit(d);
    const carom_convex *side[2] = {a, b};
    const uint32_t feature[2] = {w->fa, w->fb};
    bool edge[2];
    for (int k = 0; k < 2; k++) {
        edge[k] = feature_kind(feature[k]) == CAROM_EDGE;
        if (edge[k]) {
            const int *v = side[k]->p->edge[feature_index(feature[k])].v;
            e[k] = v3_unit(v3_sub(convex_vertex(side[k], v[1]), convex_vertex(side[k], v[0])));
            n = without(n, e[k]);
        }
    }
    if (edge[0] && edge[1]) {
        v3 cross = v3_cross(e[0], e[1]);
        if (v3_norm(cross) * fmax(a->p->size, b->p->size) > v3_norm(d))
            n = v3_scale(v3_dot(cross, d) < 0 ? -1 : 1, cross);
    }
    w->n = v3_unit(n);
    w->gap = v3_dot(w->n, d);
}

/* The points of a vertex or edge each that are nearest to each other. */
static void nearest_points(const carom_convex *a, const carom_convex *b, carom_witness *w)
{
    int ia = feature_index(w->fa), ib = feature_index(w->fb), ka = feature_kind(w->fa),
        kb = feature_kind(w->fb);
    double s = 0, t = 0;
    v3 p, q, d = {0, 0, 0}, e = {0, 0, 0};
    p = convex_vertex(a, ka == CAROM_EDGE ? a->p->edge[ia].v[0] : ia);
    q = convex_vertex(b, kb == CAROM_EDGE ? b->p->edge[ib].v[0] : ib);
    if (ka == CAROM_EDGE)
        d = v3_sub(convex_vertex(a, a->p->edge[ia].v[1]), p);
    if (kb == CAROM_EDGE)
        e = v3_sub(convex_vertex(b, b->p->edge[ib].v[1]), q);
    if (ka == CAROM_EDGE && kb == CAROM_EDGE)
        carom_features_segments(p, d, q, e, &s, &t);
    else if (ka == CAROM_EDGE)
        s = clamp(v3_dot(v3_sub(q, p), d) / v3_norm2(d));
    else if (kb == CAROM_EDGE)
        t = clamp(v3_dot(v3_sub(p, q), e) / v3_norm2(e));
    w->a = v3_along(p, s, d);
    w->b = v3_along(q, t, e);
}

void carom_features_witness(const carom_convex *a, const carom_convex *b, carom_witness *w)
{
    if (feature_kind(w->fa) == CAROM_FACE)
        of_face(a, feature_index(w->fa), 1, w->b, w);
    else if (feature_kind(w->fb) == CAROM_FACE)
        of_face(b, feature_index(w->fb), -1, w->a, w);
    else {
        nearest_points(a, b, w);
        carom_features_direction(a, b, w);
    }
}
