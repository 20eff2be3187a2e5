/* Two boxes: the algorithms of polytopes with everything that a box knows beforehand. The 15 axes
 * come from 9 cosines, and the clipping takes place in the plane of the reference face. What is
 * not an overlap, or a face over a face, is left to the general way. */
#include "bodies/axes.h"
#include "bodies/features.h"
#include "bodies/pair.h"

#include <float.h>
#include <string.h>

/* One box seen from the other: R[i][j] is component i of its axis j. */
typedef struct view {
    const double *h, *o; /* half lengths of this box and of the other */
    double R[3][3], t[3];
} view;

typedef struct boxes {
    view a, b;      /* b seen from a, a seen from b */
    double Q[3][3]; /* |R| of a */
    double margin, size;
    bool apart;  /* some axis separates the boxes */
    double gap;  /* the best axis so far whose points were found */
    int face;    /* its face: 0 to 2 axes of a, 3 to 5 of b; -1: edges */
    v3 n, p, q;  /* edges: normal and points */
    int axis[2]; /* edges: the axes along them */
    int low[2];  /* edges: the vertices where they begin */
} boxes;

static const int next_axis[5] = {0, 1, 2, 0, 1};

/* The edge from vertex `low` along an axis, as the polytope of a box numbers them. */
static int edge_from(int low, int axis)
{
    static const int number[8][3] = {{0, 1, 2},  {-1, 3, 4},   {5, -1, 6},   {-1, -1, 7},
                                     {8, 9, -1}, {-1, 10, -1}, {11, -1, -1}, {-1, -1, -1}};
    return number[low & ~(1 << axis)][axis];
}

static void set_views(boxes *x, const double *ha, const double *hb, const frame *at)
{
    const double t[3] = {at->p.x, at->p.y, at->p.z};
    const double R[3][3] = {{at->R.x.x, at->R.y.x, at->R.z.x},
                            {at->R.x.y, at->R.y.y, at->R.z.y},
                            {at->R.x.z, at->R.y.z, at->R.z.z}};
    x->a.h = x->b.o = ha;
    x->a.o = x->b.h = hb;
    for (int i = 0; i < 3; i++) {
        x->a.t[i] = t[i];
        x->b.t[i] = -(t[0] * R[0][i] + t[1] * R[1][i] + t[2] * R[2][i]);
        for (int j = 0; j < 3; j++) {
            x->a.R[i][j] = x->b.R[j][i] = R[i][j];
            x->Q[i][j] = fabs(R[i][j]);
        }
    }
}

/* How far the boxes reach towards each other along the normal of face k: 0 to 2 axes of a, 3 to 5
 * of b. */
static double reach_along(const boxes *x, int k)
{
    const double *ha = x->a.h, *hb = x->a.o;
    const int j = k - 3;
    if (k < 3)
        return ha[k] + hb[0] * x->Q[k][0] + hb[1] * x->Q[k][1] + hb[2] * x->Q[k][2];
    return hb[j] + ha[0] * x->Q[0][j] + ha[1] * x->Q[1][j] + ha[2] * x->Q[2][j];
}

/* Separations along the normals of faces. False as soon as one is beyond reach. */
static bool try_faces(boxes *x, double reach)
{
    x->gap = -INFINITY;
    for (int k = 0; k < 6; k++) {
        const double s = fabs(k < 3 ? x->a.t[k] : x->b.t[k - 3]) - reach_along(x, k);
        if (s > x->gap + (k < 3 ? 0 : x->margin)) {
            x->gap = s;
            x->face = k;
        }
    }
    return x->gap <= reach;
}

/* The pair of edges that face each other along the axes i of a and j of b, looked at closely: where
 * they come nearest, and whether that is inside both (docs/theory/collision.md). */
static void try_crossing(boxes *x, int i, int j, double sign, double sine)
{
    int k = next_axis[i + 1], l = next_axis[i + 2], u = next_axis[j + 1], w = next_axis[j + 2];
    const double *ha = x->a.h, *hb = x->a.o;
    double(*R)[3] = x->a.R;
    double corner_a[3], corner_b[3], along_a, along_b;
    bool up[4] = {-sign * R[l][j] >= 0, sign * R[k][j] >= 0, sign * R[i][w] < 0,
                  sign * R[i][u] >= 0};
    corner_a[i] = -ha[i];
    corner_a[k] = up[0] ? ha[k] : -ha[k];
    corner_a[l] = up[1] ? ha[l] : -ha[l];
    corner_b[j] = -hb[j];
    corner_b[u] = up[2] ? hb[u] : -hb[u];
    corner_b[w] = up[3] ? hb[w] : -hb[w];
    double p0[3], q0[3], e[3] = {0, 0, 0}, f[3];
    e[i] = 2 * ha[i];
    for (int c = 0; c < 3; c++) {
        p0[c] = corner_a[c];
        q0[c] = x->a.t[c] + R[c][0] * corner_b[0] + R[c][1] * corner_b[1] + R[c][2] * corner_b[2];
        f[c] = 2 * hb[j] * R[c][j];
    }
    carom_features_segments(v3_of(p0), v3_of(e), v3_of(q0), v3_of(f), &along_a, &along_b);
    v3 p = v3_along(v3_of(p0), along_a, v3_of(e)), q = v3_along(v3_of(q0), along_b, v3_of(f));
    v3 d = v3_sub(q, p), n;
    double length = v3_norm(d), m[3];
    if (fabs(v3_dot(d, v3_of(e))) > 2 * ha[i] * x->margin ||
        fabs(v3_dot(d, v3_of(f))) > 2 * hb[j] * x->margin)
        return;
    m[i] = 0;
    m[k] = -sign * R[l][j] / sine;
    m[l] = sign * R[k][j] / sine;
    n = v3_of(m);
    if (length > sine * x->size) {
        n = v3_scale(v3_dot(n, d) < 0 ? -1 / length : 1 / length, d);
        v3_to(n, m);
        double nu = m[0] * R[0][u] + m[1] * R[1][u] + m[2] * R[2][u];
        double nw = m[0] * R[0][w] + m[1] * R[1][w] + m[2] * R[2][w];
        if ((m[k] >= 0) != up[0] || (m[l] >= 0) != up[1] || (nu < 0) != up[2] || (nw < 0) != up[3])
            return;
    }
    double gap = v3_dot(n, d);
    if (gap <= x->gap + x->margin)
        return;
    x->gap = gap;
    x->face = -1;
    x->n = n;
    x->p = p;
    x->q = q;
    x->axis[0] = i;
    x->axis[1] = j;
    x->low[0] = up[0] << k | up[1] << l;
    x->low[1] = up[2] << u | up[3] << w;
}

/* Separations along the common normals of edges. Most are ruled out by the projected sizes; what
 * could be better than the faces is looked at closely. */
static void try_edges(boxes *x)
{
    const double *ha = x->a.h, *hb = x->a.o, *t = x->a.t;
    double(*R)[3] = x->a.R, (*Q)[3] = x->Q;
    for (int i = 0; i < 3; i++) {
        int k = next_axis[i + 1], l = next_axis[i + 2];
        for (int j = 0; j < 3; j++) {
            int u = next_axis[j + 1], w = next_axis[j + 2];
            double sine2 = R[k][j] * R[k][j] + R[l][j] * R[l][j];
            double away = t[l] * R[k][j] - t[k] * R[l][j];
            double s = fabs(away) -
                       (ha[k] * Q[l][j] + ha[l] * Q[k][j] + hb[u] * Q[i][w] + hb[w] * Q[i][u]);
            /* s is sine times the separation. Edges that are parallel up to rounding can gain no
             * more than that over the faces. */
            double bound = x->gap + x->margin, least = s + x->margin / 8;
            x->apart = x->apart || s > x->margin / 8;
            bool better = bound < 0 ? least >= 0 || least * least < bound * bound * sine2
                                    : least > 0 && least * least > bound * bound * sine2;
            if (better && sine2 * x->size * x->size > x->margin * x->margin)
                try_crossing(x, i, j, away < 0 ? -1 : 1, sqrt(sine2));
        }
    }
}

/* A corner of the polygon over the reference face: u, v in the face, z above it. */
typedef struct corner {
    double u, v, z;
    int along; /* what leads to the next corner: an edge of the other, or ~side */
    uint32_t fa, fb;
} corner;

/* The reference face: axis and sign of one box, and the features it is made of. */
typedef struct reference {
    const view *view;
    int axis, u, v, sign; /* sign: 1 or 0 */
    uint32_t face, against;
} reference;

static reference reference_of(const view *x, int axis, int sign)
{
    reference r = {x,
                   axis,
                   next_axis[axis + 1],
                   next_axis[axis + 2],
                   sign,
                   feature_of(CAROM_FACE, 2 * axis + sign),
                   0};
    return r;
}

/* The face of the other box that looks most against the reference. */
static void take_against(reference *r, corner c[4])
{
    const view *x = r->view;
    const double *row = x->R[r->axis];
    int g = fabs(row[0]) >= fabs(row[1]) ? 0 : 1;
    g = fabs(row[2]) > fabs(row[g]) ? 2 : g;
    int p = next_axis[g + 1], q = next_axis[g + 2], up = (row[g] < 0) == (r->sign == 1);
    double s = r->sign ? 1 : -1, o = up ? x->o[g] : -x->o[g];
    r->against = feature_of(CAROM_FACE, 2 * g + up);
    for (int k = 0; k < 4; k++) {
        int bp = k == 1 || k == 2, bq = k >= 2;
        double hp = bp ? x->o[p] : -x->o[p], hq = bq ? x->o[q] : -x->o[q];
        int vertex = up << g | bp << p | bq << q;
        c[k].u = x->t[r->u] + o * x->R[r->u][g] + hp * x->R[r->u][p] + hq * x->R[r->u][q];
        c[k].v = x->t[r->v] + o * x->R[r->v][g] + hp * x->R[r->v][p] + hq * x->R[r->v][q];
        c[k].z = s * (x->t[r->axis] + o * row[g] + hp * row[p] + hq * row[q]) - x->h[r->axis];
        c[k].along = edge_from(vertex, k & 1 ? q : p);
        c[k].fa = r->face;
        c[k].fb = feature_of(CAROM_VERTEX, vertex);
    }
}

/* Sides 0 to 3: u = h, v = h, u = -h, v = -h. The edge of the reference face there, and the vertex
 * where two of them meet. */
static uint32_t side_edge(const reference *r, int side)
{
    int across = side & 1 ? r->v : r->u, along = side & 1 ? r->u : r->v, up = side < 2;
    return feature_of(CAROM_EDGE, edge_from(r->sign << r->axis | up << across, along));
}

static uint32_t side_vertex(const reference *r, int one, int two)
{
    int at_u = one & 1 ? two : one, at_v = one & 1 ? one : two;
    return feature_of(CAROM_VERTEX, r->sign << r->axis | (at_u < 2) << r->u | (at_v < 2) << r->v);
}

/* The corners over the face and the order in which they follow each other. They stay where they
 * are: each of the four sides cuts at most two corners off and makes at most two. */
typedef struct polygon {
    corner corner[12];
    int count, made;
    int order[12];
} polygon;

static void cross_side(const reference *r, polygon *p, int from, int to, double t, int side)
{
    const corner *c = &p->corner[from], *d = &p->corner[to];
    corner *made = &p->corner[p->made++];
    made->u = c->u + t * (d->u - c->u);
    made->v = c->v + t * (d->v - c->v);
    made->z = c->z + t * (d->z - c->z);
    made->along = c->along;
    made->fa = c->along >= 0 ? side_edge(r, side) : side_vertex(r, ~c->along, side);
    made->fb = c->along >= 0 ? feature_of(CAROM_EDGE, c->along) : r->against;
}

/* What is left of the polygon inside a side; rounding is on it. */
static void cut(const reference *r, int side, double margin, polygon *p)
{
    double d[12], h = r->view->h[side & 1 ? r->v : r->u], s = side < 2 ? 1 : -1;
    int order[12], count = 0;
    bool crosses = false;
    for (int i = 0; i < p->count; i++) {
        const corner *c = &p->corner[p->order[i]];
        double at = s * (side & 1 ? c->v : c->u) - h;
        d[i] = at <= margin && at >= -margin ? 0 : at;
        crosses = crosses || d[i] > 0;
    }
    if (!crosses)
        return;
    for (int i = 0; i < p->count; i++) {
        int j = i + 1 < p->count ? i + 1 : 0, from = p->order[i], to = p->order[j];
        if (d[i] <= 0)
            order[count++] = from;
        if (d[i] == 0 && d[j] > 0)
            p->corner[from].along = ~side;
        if (d[i] * d[j] < 0) {
            order[count++] = p->made;
            cross_side(r, p, from, to, d[i] / (d[i] - d[j]), side);
            if (d[i] < 0)
                p->corner[p->made - 1].along = ~side;
        }
    }
    p->count = count;
    memcpy(p->order, order, sizeof order);
}

static void clip(reference *r, double margin, polygon *p)
{
    take_against(r, p->corner);
    p->count = p->made = 4;
    for (int k = 0; k < 4; k++)
        p->order[k] = k;
    for (int side = 0; side < 4 && p->count; side++)
        cut(r, side, margin, p);
}

/* Add the contact of a corner, in the frame of a; not again where it is that of known features. */
static void add_corner(const reference *r, bool of_a, const frame *at, const corner *c, bool known,
                       uint32_t fa, uint32_t fb, carom_manifold *out)
{
    double x[3], n[3] = {0, 0, 0}, s = r->sign ? 1 : -1;
    x[r->u] = c->u;
    x[r->v] = c->v;
    x[r->axis] = s * r->view->h[r->axis];
    n[r->axis] = s;
    carom_witness w = {c->z, v3_of(x), v3_along(v3_of(x), c->z, v3_of(n)), v3_of(n), c->fa, c->fb};
    if (!of_a)
        w = (carom_witness){
            w.gap, frame_point(at, w.b), frame_point(at, w.a), v3_neg(m3_apply(at->R, w.n)), w.fb,
            w.fa};
    if (!known || w.fa != fa || w.fb != fb)
        manifold_add(out, &w);
}

/* The face next to the crossing edges that is nearest to their normal. */
static reference nearest_face(const boxes *x, bool *of_a)
{
    double n[3], best = 0;
    reference r = reference_of(&x->a, 0, 1);
    v3_to(x->n, n);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            double c = n[k];
            if (side)
                c = -(n[0] * x->a.R[0][k] + n[1] * x->a.R[1][k] + n[2] * x->a.R[2][k]);
            if (k != x->axis[side] && fabs(c) > best) {
                best = fabs(c);
                *of_a = side == 0;
                r = reference_of(side ? &x->b : &x->a, k, c > 0);
            }
        }
    return r;
}

bool carom_pair_boxes_manifold(const carom_pair *pair, double reach, carom_manifold *out)
{
    const frame *at = &pair->at;
    double size_a = pair->a->size, size_b = pair->b->size;
    boxes x;
    x.size = larger(size_a, size_b);
    x.margin = 16 * DBL_EPSILON * (size_a + size_b + v3_norm(at->p));
    x.apart = false;
    set_views(&x, pair->a->half, pair->b->half, at);
    if (!try_faces(&x, reach))
        return true;
    try_edges(&x);
    if (x.gap > reach)
        return true;
    bool edges = x.face < 0, of_a = x.face < 3;
    int axis = x.face % 3;
    reference r = edges  ? nearest_face(&x, &of_a)
                  : of_a ? reference_of(&x.a, axis, x.a.t[axis] > 0)
                         : reference_of(&x.b, axis, x.b.t[axis] > 0);
    polygon p;
    clip(&r, x.margin, &p);
    double deepest = INFINITY;
    for (int k = 0; k < p.count; k++)
        deepest = p.corner[p.order[k]].z < deepest ? p.corner[p.order[k]].z : deepest;
    /* Apart, and the nearest points are not over a face: corners, or edges that no axis meets. */
    if ((x.apart && x.gap <= 0) || (!edges && deepest > x.gap + x.margin))
        return false;
    uint32_t fa = feature_of(CAROM_EDGE, edges ? edge_from(x.low[0], x.axis[0]) : 0),
             fb = feature_of(CAROM_EDGE, edges ? edge_from(x.low[1], x.axis[1]) : 0);
    /* Faces lie flat where they say the same as the edges: of the gap, and of the separation. */
    const double flat = carom_pair_flat(size_a, size_b), away = r.view->t[r.axis],
                 along = (r.sign ? away : -away) - reach_along(&x, r.axis + (of_a ? 0 : 3));
    edges = edges && (fabs(deepest - x.gap) > flat || along < x.gap - flat);
    if (edges)
        manifold_add(out, &(carom_witness){x.gap, x.p, x.q, x.n, fa, fb});
    for (int k = 0; k < p.count; k++) {
        const corner *c = &p.corner[p.order[k]];
        if (c->z <= reach)
            add_corner(&r, of_a, at, c, edges, fa, fb, out);
    }
    return true;
}
