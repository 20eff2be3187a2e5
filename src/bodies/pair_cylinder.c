/* A cylinder against a polytope, a half-space, a mesh: in the cylinder's own frame. */
#include "bodies/clip.h"
#include "bodies/cylinder.h"
#include "bodies/exits.h"
#include "bodies/pair.h"
#include "bodies/piece.h"

#include <float.h>

static carom_cylinder cylinder_of(const carom_shape *shape)
{
    return (carom_cylinder){shape->half[0], shape->half[2]};
}

static double flat_of(const carom_pair *pair)
{
    return carom_pair_flat(pair->a->size, pair->b->size);
}

/* The deepest of the contacts that the best axis has; where none is as deep, its own. */
static void deepest(const carom_cylinder *c, const carom_convex *b, const carom_cylinder_axis *best,
                    double margin, double flat, carom_witness *w)
{
    enum { ROOM = 512 };
    carom_witness room[ROOM];
    carom_manifold m = {room, 0, ROOM, 0};
    *w = best->w;
    if (best->face < 0)
        return;
    carom_cylinder_contacts(c, b, best, INFINITY, margin, flat, &m);
    for (int k = 0; k < m.count && k < ROOM; k++)
        if (k == 0 || room[k].gap < w->gap)
            *w = room[k];
}

static void distance(const carom_pair *pair, carom_witness *w)
{
    carom_cylinder c = cylinder_of(pair->a);
    carom_convex b = pair_second(pair);
    carom_cylinder_axis best;
    carom_cylinder_best(&c, &b, NULL, carom_pair_margin(pair), &best);
    deepest(&c, &b, &best, carom_pair_margin(pair), flat_of(pair), w);
}

static void manifold(const carom_pair *pair, double reach, carom_manifold *out)
{
    carom_cylinder c = cylinder_of(pair->a);
    carom_convex b = pair_second(pair);
    carom_cylinder_axis best;
    carom_cylinder_best(&c, &b, NULL, carom_pair_margin(pair), &best);
    if (best.w.gap <= reach)
        carom_cylinder_contacts(&c, &b, &best, reach, carom_pair_margin(pair), flat_of(pair), out);
}

const carom_pair_ops carom_pair_cylinder_polytope_ops = {distance, manifold};

/* ---- a half-space ---- */

/* The contact of a point of the cylinder with the plane n.x = offset, n towards the cylinder. */
static carom_witness over_plane(v3 n, double offset, v3 x, uint32_t feature)
{
    double gap = v3_dot(n, x) - offset;
    return (carom_witness){gap,       x,       v3_along(x, -gap, n),
                           v3_neg(n), feature, feature_of(CAROM_FACE, 0)};
}

static void plane_of(const carom_pair *pair, v3 *n, double *offset)
{
    *n = m3_apply(pair->at.R, pair->b->normal);
    *offset = v3_dot(*n, pair->at.p);
}

static void distance_plane(const carom_pair *pair, carom_witness *w)
{
    carom_cylinder c = cylinder_of(pair->a);
    v3 n;
    double offset;
    plane_of(pair, &n, &offset);
    int up = n.z < 0;
    *w = over_plane(n, offset, cylinder_rim_point(&c, v3_neg(n), up), cylinder_rim(up, 0));
}

/* Lying: the ends of the lowest line. Standing: the lowest point of the rim, and a ring. */
static void manifold_plane(const carom_pair *pair, double reach, carom_manifold *out)
{
    carom_cylinder c = cylinder_of(pair->a);
    v3 n;
    double offset;
    plane_of(pair, &n, &offset);
    bool stands = fabs(n.z) > across_z(n);
    for (int up = 0; up < 2; up++) {
        carom_witness w =
            over_plane(n, offset, cylinder_rim_point(&c, v3_neg(n), up), cylinder_rim(up, 0));
        double tilt = c.R * across_z(n);
        bool faces = up == (n.z < 0), all = stands && faces && w.gap + 2 * tilt <= reach;
        if (w.gap <= reach && (stands ? faces && tilt > flat_of(pair) : true))
            manifold_add(out, &w);
        for (int k = 0; all && k < CAROM_CYLINDER_RING; k++) {
            w = over_plane(n, offset, cylinder_ring_point(&c, up, k), cylinder_ring(up, k));
            if (w.gap <= reach)
                manifold_add(out, &w);
        }
    }
}

const carom_pair_ops carom_pair_cylinder_plane_ops = {distance_plane, manifold_plane};

/* ---- a mesh ---- */

typedef struct visitor {
    const carom_pair *pair;
    carom_cylinder c;
    double reach, best, margin, flat;
    carom_witness *nearest;
    carom_manifold *out;
    int first;
    bool approach, spare; /* triangles as long as they may be nearer; leave out what exits spare */
    carom_exits exits;
} visitor;

static bool known(const visitor *v, const carom_witness *w)
{
    for (int k = v->first; k < v->out->count && k < v->out->room; k++) {
        const carom_witness *old = &v->out->witness[k];
        bool same = old->fa == w->fa && old->fb == w->fb;
        bool place = old->fa == w->fa && v3_norm(v3_sub(old->a, w->a)) <= v->flat &&
                     v3_norm(v3_sub(old->n, w->n)) <= CAROM_PAIR_FLAT;
        if (same || place)
            return true;
    }
    return false;
}

/* Does the surface allow the contact: the feature of the triangle and the normal into it? */
static bool owned(const carom_piece *piece, const carom_witness *w)
{
    v3 out = v3_neg(w->n), n = m3_apply(piece->at.R, piece->normal[0]);
    if (v3_norm(v3_sub(out, n)) <= CAROM_PAIR_FLAT && feature_kind(w->fb) == CAROM_FACE)
        return feature_index(w->fb) == 0;
    return carom_piece_owns(piece, w->fb, out);
}

/* Is one of the nearest contacts allowed? Where none is the triangle is near by a border that does
 * not stand out, and what else the cap sees of it belongs to the neighbour across. */
static bool nearest_owned(const visitor *v, const carom_piece *piece, double gap,
                          const carom_manifold *m)
{
    for (int k = 0; k < m->count && k < m->room; k++)
        if (m->witness[k].gap <= gap + v->flat && owned(piece, &m->witness[k]))
            return true;
    return false;
}

/* The cylinder and a triangle that it meets. */
typedef struct meeting {
    const carom_cylinder *c;
    carom_convex b;
} meeting;

static double separation(const void *self, v3 n)
{
    const meeting *m = self;
    return v3_dot(n, convex_vertex(&m->b, convex_support(&m->b, v3_neg(n), 0))) -
           cylinder_support(m->c, n);
}

/* Is this a contact, as far as is known yet? */
static bool stays(visitor *v, const carom_piece *piece, const carom_witness *w)
{
    const meeting m = {&v->c, piece_full(piece)};
    if (v->spare)
        return !carom_exits_spare(&v->exits, w->gap, separation, &m);
    carom_exits_show(&v->exits, w->n, w->gap);
    return true;
}

static void visit(void *self, int triangle)
{
    visitor *v = self;
    carom_piece piece;
    carom_cylinder_axis best;
    carom_piece_take(&piece, &v->pair->b->mesh, triangle, &v->pair->at);
    carom_convex full = piece_full(&piece), open = piece_open(&piece);
    carom_axes_rule rule = {carom_piece_allows, &piece};
    /* Apart, the nearest feature decides whether the surface owns the contact; otherwise only what
     * it allows is tried. */
    carom_cylinder_best(&v->c, &full, NULL, v->margin, &best);
    if (best.w.gap <= v->margin && !carom_cylinder_best(&v->c, &open, &rule, v->margin, &best))
        return;
    if (best.w.gap <= v->margin && feature_kind(best.w.fb) == CAROM_EDGE)
        best.w.fb = feature_of(CAROM_EDGE, piece.side[feature_index(best.w.fb)]);
    enum { ROOM = 512 };
    carom_witness room[ROOM];
    carom_manifold m = {room, 0, ROOM, 0};
    double reach = v->nearest ? INFINITY : v->reach;
    if (best.w.gap <= reach)
        carom_cylinder_contacts(&v->c, &full, &best, reach, v->margin, v->flat, &m);
    if (best.w.gap > v->margin && !nearest_owned(v, &piece, best.w.gap, &m))
        return;
    for (int k = 0; k < m.count && k < ROOM; k++) {
        carom_witness *w = &room[k];
        if (!owned(&piece, w) || !stays(v, &piece, w))
            continue;
        w->fb = carom_piece_name(&piece, w->fb);
        if (v->nearest && w->gap < v->best) {
            v->best = w->gap;
            *v->nearest = *w;
        } else if (!v->nearest && !known(v, w)) {
            manifold_add(v->out, w);
        }
    }
}

/* The box of the cylinder, seen from the mesh. */
static void box_in_mesh(const carom_pair *pair, v3 *lower, v3 *upper)
{
    const frame *at = &pair->at;
    v3 axis = m3_back(at->R, (v3){0, 0, 1}), middle = m3_back(at->R, v3_neg(at->p));
    double R = pair->a->half[0], h = pair->a->half[2];
    v3 extent = {R * sqrt(fmax(0, 1 - axis.x * axis.x)) + h * fabs(axis.x),
                 R * sqrt(fmax(0, 1 - axis.y * axis.y)) + h * fabs(axis.y),
                 R * sqrt(fmax(0, 1 - axis.z * axis.z)) + h * fabs(axis.z)};
    *lower = v3_sub(middle, extent);
    *upper = v3_add(middle, extent);
}

/* Show all triangles near the cylinder. */
static void pass(visitor *v)
{
    v3 lower, upper, by = {v->reach, v->reach, v->reach};
    v->best = INFINITY;
    if (v->nearest)
        *v->nearest = (carom_witness){INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0, 0};
    else
        v->out->count = v->first;
    box_in_mesh(v->pair, &lower, &upper);
    if (v->approach)
        carom_mesh_approach(&v->pair->b->mesh, lower, upper, &v->best, visit, v);
    else
        carom_mesh_query(&v->pair->b->mesh, v3_sub(lower, by), v3_add(upper, by), visit, v);
}

/* All triangles, and once more where contacts disagree about the way out. */
static void pass_spared(visitor *v)
{
    v->approach = false;
    pass(v);
    v->spare = carom_exits_differ(&v->exits);
    if (v->spare)
        pass(v);
}

static void distance_mesh(const carom_pair *pair, carom_witness *w)
{
    visitor v = {.pair = pair,
                 .c = cylinder_of(pair->a),
                 .nearest = w,
                 .margin = carom_pair_margin(pair),
                 .flat = flat_of(pair),
                 .approach = true};
    carom_exits_start(&v.exits, v.margin);
    pass(&v);
    if (w->gap <= v.margin)
        pass_spared(&v);
}

static void manifold_mesh(const carom_pair *pair, double reach, carom_manifold *out)
{
    visitor v = {.pair = pair,
                 .c = cylinder_of(pair->a),
                 .reach = reach,
                 .margin = carom_pair_margin(pair),
                 .flat = flat_of(pair),
                 .out = out,
                 .first = out->count};
    carom_exits_start(&v.exits, v.margin);
    pass_spared(&v);
}

const carom_pair_ops carom_pair_cylinder_mesh_ops = {distance_mesh, manifold_mesh};
