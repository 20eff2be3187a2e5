/* A strictly convex core, known by its support function, against all others: one contact, since no
 * face of it can lie flat on anything. */
#include "bodies/cylinder.h"
#include "bodies/pair.h"
#include "bodies/piece.h"
#include "bodies/support.h"

static const frame here = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static carom_support first_of(const carom_pair *pair)
{
    return (carom_support){NULL, pair->a, here};
}

/* Which feature of a cylinder a point of its surface belongs to, x in its own frame. */
static uint32_t cylinder_feature(const carom_shape *shape, v3 x, double margin)
{
    const double R = shape->half[0], h = shape->half[2];
    const bool end = fabs(x.z) >= h - margin, side = across_z(x) >= R - margin;
    return end && side ? cylinder_rim(x.z > 0, 0) : end ? cylinder_cap(x.z > 0) : cylinder_side();
}

static void distance(const carom_pair *pair, carom_witness *w)
{
    const carom_support a = first_of(pair),
                        b = {pair->b->core == CAROM_CORE_POLYTOPE ? &pair->b->polytope : NULL,
                             pair->b, pair->at};
    carom_support_nearest(&a, &b, carom_pair_margin(pair), w);
    if (pair->b->core == CAROM_CORE_CYLINDER)
        w->fb = cylinder_feature(pair->b, frame_back(&pair->at, w->b),
                                 CAROM_TOLERANCE_HALF * pair->b->size);
}

static void manifold(const carom_pair *pair, double reach, carom_manifold *out)
{
    carom_witness w;
    distance(pair, &w);
    if (w.gap <= reach)
        manifold_add(out, &w);
}

const carom_pair_ops carom_pair_convex_ops = {distance, manifold};

/* ---- a half-space ---- */

static void distance_plane(const carom_pair *pair, carom_witness *w)
{
    const v3 n = m3_apply(pair->at.R, pair->b->normal),
             x = pair->a->ops->support(pair->a, v3_neg(n));
    const double gap = v3_dot(n, v3_sub(x, pair->at.p));
    *w = (carom_witness){gap,
                         x,
                         v3_along(x, -gap, n),
                         v3_neg(n),
                         feature_of(CAROM_FACE, 0),
                         feature_of(CAROM_FACE, 0)};
}

static void manifold_plane(const carom_pair *pair, double reach, carom_manifold *out)
{
    carom_witness w;
    distance_plane(pair, &w);
    if (w.gap <= reach)
        manifold_add(out, &w);
}

const carom_pair_ops carom_pair_convex_plane_ops = {distance_plane, manifold_plane};

/* ---- a mesh: its triangles one by one ---- */

typedef struct visitor {
    const carom_pair *pair;
    double reach, best;
    carom_witness *nearest;
    carom_manifold *out;
    int first;
} visitor;

/* The contact with a triangle that the surface owns: apart, the nearest points; where the cores
 * overlap, the triangle's own normal, above the triangle. */
static bool contact(const visitor *v, const carom_piece *piece, carom_witness *w)
{
    const carom_support a = first_of(v->pair), b = {&piece->full, NULL, piece->at};
    const double margin = carom_pair_margin(v->pair);
    carom_support_nearest(&a, &b, margin, w);
    const v3 up = m3_apply(piece->at.R, piece->normal[0]);
    if (w->gap > margin) {
        if (v3_norm(v3_add(w->n, up)) <= CAROM_PAIR_FLAT)
            w->fb = feature_of(CAROM_FACE, 0);
        return carom_piece_owns(piece, w->fb, v3_neg(w->n));
    }
    const v3 x = v->pair->a->ops->support(v->pair->a, v3_neg(up)),
             corner = frame_point(&piece->at, piece->vertex[0]);
    const double gap = v3_dot(up, v3_sub(x, corner));
    *w = (carom_witness){gap,
                         x,
                         v3_along(x, -gap, up),
                         v3_neg(up),
                         feature_of(CAROM_FACE, 0),
                         feature_of(CAROM_FACE, 0)};
    return true;
}

static void visit(void *self, int triangle)
{
    visitor *v = self;
    carom_piece piece;
    carom_witness w;
    carom_piece_take(&piece, &v->pair->b->mesh, triangle, &v->pair->at);
    if (!contact(v, &piece, &w))
        return;
    w.fb = carom_piece_name(&piece, w.fb);
    if (v->nearest) {
        if (w.gap < v->best)
            *v->nearest = w;
        v->best = fmin(v->best, w.gap);
        return;
    }
    for (int k = v->first; k < v->out->count && k < v->out->room; k++)
        if (v->out->witness[k].fb == w.fb)
            return;
    if (w.gap <= v->reach)
        manifold_add(v->out, &w);
}

/* The box of the core, seen from the mesh. */
static void box_in_mesh(const carom_pair *pair, v3 *lower, v3 *upper)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        const v3 d = {k == 0, k == 1, k == 2}, out = m3_apply(pair->at.R, d);
        const v3 most = pair->a->ops->support(pair->a, out),
                 least = pair->a->ops->support(pair->a, v3_neg(out));
        high[k] = v3_at(frame_back(&pair->at, most), k);
        low[k] = v3_at(frame_back(&pair->at, least), k);
    }
    *lower = v3_of(low);
    *upper = v3_of(high);
}

static void distance_mesh(const carom_pair *pair, carom_witness *w)
{
    v3 lower, upper;
    *w = (carom_witness){INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0, 0};
    visitor v = {.pair = pair, .best = INFINITY, .nearest = w};
    box_in_mesh(pair, &lower, &upper);
    carom_mesh_approach(&pair->b->mesh, lower, upper, &v.best, visit, &v);
}

static void manifold_mesh(const carom_pair *pair, double reach, carom_manifold *out)
{
    v3 lower, upper, by = {reach, reach, reach};
    visitor v = {.pair = pair, .reach = reach, .out = out, .first = out->count};
    box_in_mesh(pair, &lower, &upper);
    carom_mesh_query(&pair->b->mesh, v3_sub(lower, by), v3_add(upper, by), visit, &v);
}

const carom_pair_ops carom_pair_convex_mesh_ops = {distance_mesh, manifold_mesh};
