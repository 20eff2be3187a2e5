/* A half-space against a convex core: every vertex that comes near is a contact. */
#include "bodies/pair.h"

static carom_witness over(v3 n, v3 x, int vertex)
{
    double gap = v3_dot(n, x);
    return (carom_witness){gap, v3_along(x, -gap, n),      x,
                           n,   feature_of(CAROM_FACE, 0), feature_of(CAROM_VERTEX, vertex)};
}

static void distance(const carom_pair *pair, carom_witness *w)
{
    carom_convex b = pair_second(pair);
    int low = convex_support(&b, v3_neg(pair->a->normal), 0);
    *w = over(pair->a->normal, convex_vertex(&b, low), low);
}

static void manifold(const carom_pair *pair, double reach, carom_manifold *out)
{
    carom_convex b = pair_second(pair);
    for (int k = 0; k < b.p->vertex_count; k++) {
        carom_witness w = over(pair->a->normal, convex_vertex(&b, k), k);
        if (w.gap <= reach)
            manifold_add(out, &w);
    }
}

const carom_pair_ops carom_pair_plane_polytope_ops = {distance, manifold};

/* The polygon of the plane has no neighbours to walk along: all its vertices are looked at. */
static void polygon_distance(const carom_pair *pair, carom_witness *w)
{
    carom_convex b = pair_second(pair);
    *w = over(pair->a->normal, convex_vertex(&b, 0), 0);
    for (int k = 1; k < b.p->vertex_count; k++) {
        carom_witness other = over(pair->a->normal, convex_vertex(&b, k), k);
        if (other.gap < w->gap)
            *w = other;
    }
}

const carom_pair_ops carom_pair_plane_polygon_ops = {polygon_distance, manifold};
