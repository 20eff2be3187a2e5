/* Surfaces of triangles: each triangle near the other shape for itself, with the normals that the
 * surface allows; what several triangles report is kept once. */
#include "bodies/clip.h"
#include "bodies/exits.h"
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
    bool approach, spare; /* triangles as long as they may be nearer; leave out what exits spare */
    carom_exits exits;
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

/* A triangle and what it meets. */
typedef struct meeting {
    carom_convex a, b;
} meeting;

static double separation(const void *self, v3 n)
{
    const meeting *m = self;
    return v3_dot(n, convex_vertex(&m->b, convex_support(&m->b, v3_neg(n), 0))) -
           v3_dot(n, convex_vertex(&m->a, convex_support(&m->a, n, 0)));
}

/* Is this a contact, as far as is known yet? */
static bool stays(visitor *v, const carom_piece *one, const carom_piece *two,
                  const carom_witness *w)
{
    const meeting m = {piece_full(one), two ? piece_full(two) : v->b};
    if (v->spare)
        return !carom_exits_spare(&v->exits, w->gap, separation, &m);
    carom_exits_show(&v->exits, w->n, w->gap);
    return true;
}

/* Give the contact the names of the surfaces, and add it if it is new. */
static void add(visitor *v, const carom_piece *one, const carom_piece *two, carom_witness w)
{
    w.fa = carom_piece_name(one, w.fa);
    w.fb = two ? carom_piece_name(two, w.fb) : w.fb;
    if (!known(v, &w))
        manifold_add(v->out, &w);
}

/* Is the feature an edge, and the normal n not that of the triangle itself? */
static bool is_ridge(const carom_piece *piece, uint32_t feature, v3 n)
{
    return feature_kind(feature) == CAROM_EDGE &&
           v3_norm(v3_sub(n, m3_apply(piece->at.R, piece->normal[0]))) > CAROM_PAIR_FLAT;
}

/* Contacts of two pieces, or of a piece and a convex shape, that both surfaces own. Corners over a
 * face that leans over the nearest contact by more than 60 degrees can be deeper than twice that:
 * the way out of a triangle without neighbours, not of the surface. Where it lies on edges that the
 * surface does not own, the nearest contact of two edges stands alone. */
static void add_contacts(visitor *v, const carom_piece *one, const carom_piece *two,
                         const carom_witness *nearest)
{
    carom_witness room[2 * CAROM_CLIP_FACE];
    carom_manifold m = {room, 0, 2 * CAROM_CLIP_FACE, 0};
    carom_convex a = piece_full(one), b = two ? piece_full(two) : v->b;
    const bool edges = is_ridge(one, nearest->fa, nearest->n) &&
                       (two ? is_ridge(two, nearest->fb, v3_neg(nearest->n))
                            : feature_kind(nearest->fb) == CAROM_EDGE);
    bool owned = false;
    carom_pair_polytopes_contacts(&a, &b, nearest, v->reach, &m);
    for (int k = 0; k < m.count; k++) {
        const carom_witness *w = &m.witness[k];
        if (w->gap < 2 * fmin(nearest->gap, 0) - v->flat || !carom_piece_owns(one, w->fa, w->n) ||
            (two && !carom_piece_owns(two, w->fb, v3_neg(w->n))))
            continue;
        owned = true;
        add(v, one, two, *w);
    }
    if (edges && !owned)
        add(v, one, two, *nearest);
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
    if (!stays(v, one, two, &w))
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

static const carom_witness nothing = {INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0, 0};

/* Show all triangles of the first mesh near the second shape to visit. */
static void pass(visitor *v, carom_mesh_visit visit)
{
    v3 lower, upper;
    v->best = INFINITY;
    if (v->nearest)
        *v->nearest = nothing;
    else
        v->out->count = v->first;
    box_of(v->pair, &lower, &upper);
    if (v->approach)
        carom_mesh_approach(v->mesh, lower, upper, &v->best, visit, v);
    else
        carom_mesh_query(v->mesh, widened(lower, -v->reach), widened(upper, v->reach), visit, v);
}

/* All triangles, and once more where contacts disagree about the way out. */
static void pass_spared(visitor *v, carom_mesh_visit visit)
{
    v->approach = false;
    pass(v, visit);
    v->spare = carom_exits_differ(&v->exits);
    if (v->spare)
        pass(v, visit);
}

static void distance(const carom_pair *pair, carom_mesh_visit visit, carom_witness *w)
{
    visitor v = {.pair = pair,
                 .mesh = &pair->a->mesh,
                 .b = pair_second(pair),
                 .nearest = w,
                 .approach = true};
    carom_exits_start(&v.exits, carom_pair_margin(pair));
    pass(&v, visit);
    if (w->gap <= v.exits.margin)
        pass_spared(&v, visit);
}

static void manifold(const carom_pair *pair, carom_mesh_visit visit, double reach,
                     carom_manifold *out)
{
    visitor v = {.pair = pair,
                 .mesh = &pair->a->mesh,
                 .b = pair_second(pair),
                 .reach = reach,
                 .flat = carom_pair_flat(pair->a->size, pair->b->size),
                 .out = out,
                 .first = out->count};
    carom_exits_start(&v.exits, carom_pair_margin(pair));
    pass_spared(&v, visit);
}

static void distance_convex(const carom_pair *pair, carom_witness *w)
{
    distance(pair, visit_convex, w);
}

static void manifold_convex(const carom_pair *pair, double reach, carom_manifold *out)
{
    manifold(pair, visit_convex, reach, out);
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
    if (v->approach)
        carom_mesh_approach(&v->pair->b->mesh, lower, upper, &v->best, visit_piece, v);
    else
        carom_mesh_query(&v->pair->b->mesh, widened(lower, -v->reach), widened(upper, v->reach),
                         visit_piece, v);
}

static void distance_mesh(const carom_pair *pair, carom_witness *w)
{
    distance(pair, visit_mesh, w);
}

static void manifold_mesh(const carom_pair *pair, double reach, carom_manifold *out)
{
    manifold(pair, visit_mesh, reach, out);
}

const carom_pair_ops carom_pair_meshes_ops = {distance_mesh, manifold_mesh};
