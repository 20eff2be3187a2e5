/* Surfaces of triangles: each triangle near the other shape for itself, with the normals that the
 * surface allows; what several triangles report is kept once. */
#include "bodies/clip.h"
#include "bodies/pair.h"
#include "bodies/piece.h"

typedef struct visitor {
    const carom_pair *pair;
    const carom_mesh *mesh;
    carom_convex b; /* a convex second shape */
    double reach, best, flat;
    carom_witness *nearest;
    carom_manifold *out;
    int first;               /* where this pair's contacts begin */
    const carom_piece *with; /* a piece of the first mesh, when both are meshes */
} visitor;

/* Has this contact been found before: the same features, or the same vertex of the other shape at
 * the same place with the same normal (a vertex over the edge between two flat triangles)? */
static bool known(const visitor *v, const carom_witness *w)
{
    for (int k = v->first; k < v->out->count && k < v->out->room; k++) {
        const carom_witness *old = &v->out->witness[k];
        bool same = old->fa == w->fa && old->fb == w->fb;
        bool place = (old->fb == w->fb || old->fa == w->fa) &&
                     v3_norm(v3_sub(old->a, w->a)) <= v->flat &&
                     v3_norm(v3_sub(old->n, w->n)) <= CAROM_PAIR_FLAT;
        if (same || place)
            return true;
    }
    return false;
}

/* Contacts of two pieces, or of a piece and a convex shape, that both surfaces own. */
static void add_contacts(visitor *v, const carom_piece *one, const carom_piece *two,
                         const carom_witness *nearest)
{
    carom_witness room[2 * CAROM_CLIP_FACE];
    carom_manifold m = {room, 0, 2 * CAROM_CLIP_FACE, 0};
    carom_convex a = piece_full(one), b = two ? piece_full(two) : v->b;
    carom_pair_polytopes_contacts(&a, &b, nearest, v->reach, &m);
    for (int k = 0; k < m.count; k++) {
        carom_witness *w = &m.witness[k];
        if (!carom_piece_owns(one, w->fa, w->n) ||
            (two && !carom_piece_owns(two, w->fb, v3_neg(w->n))))
            continue;
        w->fa = carom_piece_name(one, w->fa);
        w->fb = two ? carom_piece_name(two, w->fb) : w->fb;
        if (!known(v, w))
            manifold_add(v->out, w);
    }
}

static void keep_nearest(visitor *v, const carom_piece *one, const carom_piece *two,
                         carom_witness *w)
{
    if (!(w->gap < v->best))
        return;
    v->best = w->gap;
    w->fa = carom_piece_name(one, w->fa);
    w->fb = two ? carom_piece_name(two, w->fb) : w->fb;
    *v->nearest = *w;
}

static void look(visitor *v, const carom_piece *one, const carom_piece *two)
{
    carom_witness w;
    if (!carom_piece_contact(one, &v->b, two, &w))
        return;
    if (v->nearest)
        keep_nearest(v, one, two, &w);
    else if (w.gap <= v->reach)
        add_contacts(v, one, two, &w);
}

static const frame here = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static void visit_convex(void *self, int triangle)
{
    visitor *v = self;
    carom_piece piece;
    carom_piece_take(&piece, v->mesh, triangle, &here);
    look(v, &piece, NULL);
}

/* The box of the second shape's core, seen from the first. */
static void box_of(const carom_pair *pair, v3 *lower, v3 *upper)
{
    const m3 *R = &pair->at.R;
    carom_pose pose = {{pair->at.p.x, pair->at.p.y, pair->at.p.z},
                       {R->x.x, R->x.y, R->x.z, R->y.x, R->y.y, R->y.z, R->z.x, R->z.y, R->z.z}};
    double low[3], high[3], r = pair->b->radius;
    carom_shape_bounds(pair->b, &pose, low, high);
    *lower = (v3){low[0] + r, low[1] + r, low[2] + r};
    *upper = (v3){high[0] - r, high[1] - r, high[2] - r};
}

static v3 widened(v3 a, double by)
{
    return (v3){a.x + by, a.y + by, a.z + by};
}

static visitor visitor_of(const carom_pair *pair)
{
    return (visitor){.pair = pair,
                     .mesh = &pair->a->mesh,
                     .best = INFINITY,
                     .flat = carom_pair_flat(pair->a->size, pair->b->size)};
}

static const carom_witness nothing = {INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0, 0};

static void distance_convex(const carom_pair *pair, carom_witness *w)
{
    visitor v = visitor_of(pair);
    v3 lower, upper;
    *w = nothing;
    v.b = pair_second(pair);
    v.nearest = w;
    box_of(pair, &lower, &upper);
    carom_mesh_approach(v.mesh, lower, upper, &v.best, visit_convex, &v);
}

static void manifold_convex(const carom_pair *pair, double reach, carom_manifold *out)
{
    visitor v = visitor_of(pair);
    v3 lower, upper;
    v.b = pair_second(pair);
    v.reach = reach;
    v.out = out;
    v.first = out->count;
    box_of(pair, &lower, &upper);
    carom_mesh_query(v.mesh, widened(lower, -reach), widened(upper, reach), visit_convex, &v);
}

const carom_pair_ops carom_pair_mesh_polytope_ops = {distance_convex, manifold_convex};

/* ---- a half-space below a mesh ---- */

static carom_witness over(v3 n, v3 x, int vertex)
{
    double gap = v3_dot(n, x);
    return (carom_witness){gap, v3_along(x, -gap, n),      x,
                           n,   feature_of(CAROM_FACE, 0), feature_of(CAROM_VERTEX, vertex)};
}

static void distance_plane(const carom_pair *pair, carom_witness *w)
{
    const carom_mesh *mesh = &pair->b->mesh;
    *w = over(pair->a->normal, frame_point(&pair->at, mesh->vertex[0]), 0);
    for (int k = 1; k < mesh->vertex_count; k++) {
        carom_witness other = over(pair->a->normal, frame_point(&pair->at, mesh->vertex[k]), k);
        if (other.gap < w->gap)
            *w = other;
    }
}

static void manifold_plane(const carom_pair *pair, double reach, carom_manifold *out)
{
    const carom_mesh *mesh = &pair->b->mesh;
    for (int k = 0; k < mesh->vertex_count; k++) {
        carom_witness w = over(pair->a->normal, frame_point(&pair->at, mesh->vertex[k]), k);
        if (w.gap <= reach && mesh->corner[k])
            manifold_add(out, &w);
    }
}

const carom_pair_ops carom_pair_mesh_plane_ops = {distance_plane, manifold_plane};

/* ---- two meshes: triangles of the second near triangles of the first ---- */

static void visit_piece(void *self, int triangle)
{
    visitor *v = self;
    carom_piece piece;
    carom_piece_take(&piece, &v->pair->b->mesh, triangle, &v->pair->at);
    look(v, v->with, &piece);
}

/* The box of a piece of the first mesh, seen from the second. */
static void box_of_piece(const visitor *v, const carom_piece *piece, v3 *lower, v3 *upper)
{
    for (int k = 0; k < 3; k++) {
        v3 x = frame_back(&v->pair->at, piece->vertex[k]);
        *lower = k == 0 ? x : (v3){fmin(lower->x, x.x), fmin(lower->y, x.y), fmin(lower->z, x.z)};
        *upper = k == 0 ? x : (v3){fmax(upper->x, x.x), fmax(upper->y, x.y), fmax(upper->z, x.z)};
    }
}

static void visit_mesh(void *self, int triangle)
{
    visitor *v = self;
    carom_piece piece;
    v3 lower, upper;
    carom_piece_take(&piece, v->mesh, triangle, &here);
    v->with = &piece;
    box_of_piece(v, &piece, &lower, &upper);
    if (v->nearest)
        carom_mesh_approach(&v->pair->b->mesh, lower, upper, &v->best, visit_piece, v);
    else
        carom_mesh_query(&v->pair->b->mesh, widened(lower, -v->reach), widened(upper, v->reach),
                         visit_piece, v);
}

static void distance_mesh(const carom_pair *pair, carom_witness *w)
{
    visitor v = visitor_of(pair);
    v3 lower, upper;
    *w = nothing;
    v.nearest = w;
    box_of(pair, &lower, &upper);
    carom_mesh_approach(v.mesh, lower, upper, &v.best, visit_mesh, &v);
}

static void manifold_mesh(const carom_pair *pair, double reach, carom_manifold *out)
{
    visitor v = visitor_of(pair);
    v3 lower, upper;
    v.reach = reach;
    v.out = out;
    v.first = out->count;
    box_of(pair, &lower, &upper);
    carom_mesh_query(v.mesh, widened(lower, -reach), widened(upper, reach), visit_mesh, &v);
}

const carom_pair_ops carom_pair_meshes_ops = {distance_mesh, manifold_mesh};
