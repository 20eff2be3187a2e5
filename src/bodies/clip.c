/* Clipping: the polygon (or edge, or vertex) that lies against a reference face, cut by the sides
 * of the face (Sutherland and Hodgman). Every corner of the result knows the features it comes
 * from: a vertex over the face, two edges that cross, a vertex of the face below the other polygon.
 */
#include "bodies/clip.h"

typedef struct corner {
    v3 x;
    double d;        /* outside of the side being cut: positive */
    int along;       /* what leads to the next corner: an edge of the other, or ~side */
    uint32_t fa, fb; /* the features of the face's side and of the other */
} corner;

typedef struct clipper {
    const carom_convex *side, *other;
    int face, count; /* the reference face and its number of sides */
    const int *vertex, *edge;
    v3 n, on;         /* its normal and a point of it */
    uint32_t against; /* the feature of the other that is cut */
} clipper;

static v3 face_vertex(const clipper *c, int k)
{
    return convex_vertex(c->side, c->vertex[k < c->count ? k : k - c->count]);
}

/* The vertex of the reference face where two of its sides meet: for sides that are not neighbours
 * (one between them was too short to cut anything) the start of the later one. */
static int common_vertex(const clipper *c, int first, int second)
{
    bool wraps = first == (second + 1) % c->count && second != (first + 1) % c->count;
    return c->vertex[wraps ? first : second];
}

/* The corner where the way from p to q crosses side k. */
static corner cross_side(const clipper *c, const corner *p, const corner *q, int k)
{
    corner made = {.x = v3_between(p->x, q->x, p->d / (p->d - q->d)), .along = p->along};
    if (p->along >= 0) {
        made.fa = feature_of(CAROM_EDGE, c->edge[k]);
        made.fb = feature_of(CAROM_EDGE, p->along);
    } else {
        made.fa = feature_of(CAROM_VERTEX, common_vertex(c, ~p->along, k));
        made.fb = c->against;
    }
    return made;
}

static void measure(const clipper *c, int k, double tolerance, int count, corner *polygon)
{
    v3 from = face_vertex(c, k), m = v3_unit(v3_cross(v3_sub(face_vertex(c, k + 1), from), c->n));
    for (int i = 0; i < count; i++) {
        double d = v3_dot(m, v3_sub(polygon[i].x, from));
        polygon[i].d = fabs(d) <= tolerance ? 0 : d;
    }
}

/* What is left of a polygon inside side k. */
static int cut_polygon(const clipper *c, int k, int count, const corner *in, corner *out)
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        const corner *p = &in[i], *q = &in[i + 1 < count ? i + 1 : 0];
        if (p->d <= 0) {
            out[made] = *p;
            if (p->d == 0 && q->d > 0)
                out[made].along = ~k;
            made++;
        }
        if (p->d < 0 && q->d > 0) {
            out[made] = cross_side(c, p, q, k);
            out[made++].along = ~k;
        } else if (p->d > 0 && q->d < 0) {
            out[made++] = cross_side(c, p, q, k);
        }
    }
    return made;
}

/* The same for an edge (two corners) or a vertex (one). */
static int cut_segment(const clipper *c, int k, int count, const corner *in, corner *out)
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        const corner *p = &in[i], *q = &in[count - 1 - i];
        if (p->d <= 0)
            out[made++] = *p;
        else if (q->d < 0)
            out[made++] = cross_side(c, q, p, k);
    }
    return made;
}

int carom_clip_against(const carom_convex *other, v3 n, double flat)
{
    const carom_polytope *p = other->p;
    int near = convex_support(other, v3_neg(n), 0), best = -1;
    bool lies = false;
    double least = INFINITY, low = v3_dot(n, convex_vertex(other, near));
    if (p->face_count == 0)
        return -1;
    for (int k = p->star_start[near]; k < p->star_start[near + 1]; k++) {
        bool here = v3_dot(n, convex_vertex(other, p->star_vertex[k])) <= low + flat;
        if (lies && !here)
            continue;
        if (here && !lies)
            least = INFINITY;
        lies = lies || here;
        for (int side = 0; side < 2; side++) {
            int face = p->edge[p->star_edge[k]].f[side];
            double cosine = v3_dot(n, convex_normal(other, face));
            if (cosine < least) {
                least = cosine;
                best = face;
            }
        }
    }
    return best;
}

/* The feature of the other that lies against the face: a face, a segment as a whole, a point. */
static int take_against(clipper *c, double flat, corner *polygon)
{
    const carom_polytope *p = c->other->p;
    const uint32_t fa = feature_of(CAROM_FACE, c->face);
    int count = 0;
    if (p->face_count == 0) {
        c->against = p->vertex_count == 2 ? feature_of(CAROM_EDGE, 0) : feature_of(CAROM_VERTEX, 0);
        for (; count < p->vertex_count; count++)
            polygon[count] =
                (corner){convex_vertex(c->other, count), 0, 0, fa, feature_of(CAROM_VERTEX, count)};
        return count;
    }
    int face = carom_clip_against(c->other, c->n, flat);
    c->against = feature_of(CAROM_FACE, face);
    for (int k = p->loop_start[face]; k < p->loop_start[face + 1]; k++)
        polygon[count++] = (corner){convex_vertex(c->other, p->loop_vertex[k]), 0, p->loop_edge[k],
                                    fa, feature_of(CAROM_VERTEX, p->loop_vertex[k])};
    return count;
}

void carom_clip_face(const carom_convex *side, int face, const carom_convex *other, double reach,
                     double tolerance, double flat, carom_manifold *out)
{
    const carom_polytope *p = side->p;
    corner one[2 * CAROM_CLIP_FACE], two[2 * CAROM_CLIP_FACE], *in = one, *cut = two;
    clipper c = {.side = side,
                 .other = other,
                 .face = face,
                 .count = p->loop_start[face + 1] - p->loop_start[face],
                 .vertex = p->loop_vertex + p->loop_start[face],
                 .edge = p->loop_edge + p->loop_start[face],
                 .n = convex_normal(side, face)};
    c.on = face_vertex(&c, 0);
    int count = take_against(&c, flat, in);
    bool polygon = count > 2;
    for (int k = 0; k < c.count && count; k++) {
        measure(&c, k, tolerance, count, in);
        count = polygon ? cut_polygon(&c, k, count, in, cut) : cut_segment(&c, k, count, in, cut);
        corner *swap = in;
        in = cut;
        cut = swap;
    }
    for (int i = 0; i < count; i++) {
        double gap = v3_dot(c.n, v3_sub(in[i].x, c.on));
        if (gap <= reach) {
            carom_witness w = {gap, v3_along(in[i].x, -gap, c.n), in[i].x, c.n, in[i].fa, in[i].fb};
            manifold_add(out, &w);
        }
    }
}
