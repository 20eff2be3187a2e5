/* One triangle of a mesh and what its neighbours leave of it. */
#include "bodies/piece.h"
#include "bodies/features.h"
#include "bodies/pair.h"
#include "carom/tolerance.h"

#include <float.h>

/* Sines below this are rounding of directions. */
static const double angle_rounding = CAROM_TOLERANCE_SUM;

static const int loop_start[3] = {0, 3, 6};
static const int loop_vertex[6] = {0, 1, 2, 0, 2, 1};
static const int loop_edge[6] = {0, 1, 2, 2, 1, 0};
static const int star_start[4] = {0, 2, 4, 6};
static const int star_vertex[6] = {1, 2, 0, 2, 1, 0};
static const int star_edge[6] = {0, 2, 0, 1, 1, 2};
static const carom_edge sides[3] = {{{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};

void carom_piece_take(carom_piece *p, const carom_mesh *mesh, int triangle, const frame *at)
{
    const carom_mesh_triangle *t = &mesh->triangle[triangle];
    p->mesh = mesh;
    p->triangle = triangle;
    p->at = *at;
    p->normal[0] = p->beyond[0] = t->normal;
    p->normal[1] = v3_neg(t->normal);
    p->offset[0] = t->offset;
    p->offset[1] = -t->offset;
    double size = 0;
    int ridges = 0;
    v3 middle = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        p->vertex[k] = mesh->vertex[t->v[k]];
        size = larger(size, v3_norm(p->vertex[k]));
        middle = v3_along(middle, 1. / 3, p->vertex[k]);
        if (t->ridge[k]) {
            p->side[ridges] = k;
            p->beyond[1 + ridges] = mesh_across(mesh, t, k);
            p->ridge[ridges] = (carom_edge){{k, (k + 1) % 3}, {0, 1 + ridges}};
            ridges++;
        }
    }
    p->full = (carom_polytope){.vertex_count = 3,
                               .edge_count = 3,
                               .face_count = 2,
                               .vertex = p->vertex,
                               .edge = sides,
                               .normal = p->normal,
                               .offset = p->offset,
                               .loop_start = loop_start,
                               .loop_vertex = loop_vertex,
                               .loop_edge = loop_edge,
                               .star_start = star_start,
                               .star_vertex = star_vertex,
                               .star_edge = star_edge,
                               .middle = middle,
                               .size = size};
    p->open = p->full;
    p->open.face_count = 1;
    p->open.edge_count = ridges;
    p->open.edge = p->ridge;
    p->open.normal = p->beyond;
}

/* All edges of the surface must lead away from n at the vertex. */
bool carom_piece_allows(const void *self, int vertex, v3 n)
{
    const carom_piece *p = self;
    const carom_mesh *mesh = p->mesh;
    int v = mesh->triangle[p->triangle].v[vertex];
    n = m3_back(p->at.R, n);
    for (int k = mesh->star_start[v]; k < mesh->star_start[v + 1]; k++) {
        v3 d = v3_sub(mesh->vertex[mesh->star_vertex[k]], mesh->vertex[v]);
        if (v3_dot(n, d) > angle_rounding * v3_norm(d))
            return false;
    }
    return true;
}

/* Between the normals of the two faces of a side. */
static bool side_allows(const carom_piece *p, int side, v3 n)
{
    const carom_mesh_triangle *t = &p->mesh->triangle[p->triangle];
    v3 e = v3_unit(mesh_side(p->mesh, t, side));
    n = m3_back(p->at.R, n);
    return t->ridge[side] && v3_dot(n, v3_cross(e, t->normal)) >= -angle_rounding &&
           v3_dot(n, v3_cross(mesh_across(p->mesh, t, side), e)) >= -angle_rounding;
}

bool carom_piece_owns(const carom_piece *p, uint32_t feature, v3 n)
{
    int index = feature_index(feature);
    switch (feature_kind(feature)) {
    case CAROM_FACE:
        return index == 0;
    case CAROM_EDGE:
        return side_allows(p, index, n);
    default:
        return p->mesh->corner[p->mesh->triangle[p->triangle].v[index]] &&
               carom_piece_allows(p, index, n);
    }
}

uint32_t carom_piece_name(const carom_piece *p, uint32_t feature)
{
    const carom_mesh_triangle *t = &p->mesh->triangle[p->triangle];
    int index = feature_index(feature);
    switch (feature_kind(feature)) {
    case CAROM_FACE:
        return feature_of(CAROM_FACE, p->triangle);
    case CAROM_EDGE:
        return feature_of(CAROM_EDGE, t->edge[index]);
    default:
        return feature_of(CAROM_VERTEX, t->v[index]);
    }
}

/* Edges of the open triangle are numbered by ridges; those of the full one by sides. */
static uint32_t full_feature(const carom_piece *p, uint32_t feature)
{
    if (!p || feature_kind(feature) != CAROM_EDGE)
        return feature;
    return feature_of(CAROM_EDGE, p->side[feature_index(feature)]);
}

/* A contact at the border of the triangle with the triangle's own normal is one of its face: the
 * border may be an edge that does not stand out. */
static void promote(const carom_piece *p, const carom_convex *a, const carom_convex *b, bool first,
                    carom_witness *w)
{
    v3 n = m3_apply(p->at.R, p->normal[0]), out = first ? w->n : v3_neg(w->n);
    uint32_t *feature = first ? &w->fa : &w->fb;
    if (feature_kind(*feature) == CAROM_FACE || v3_norm(v3_sub(out, n)) > CAROM_PAIR_FLAT)
        return;
    *feature = feature_of(CAROM_FACE, 0);
    carom_features_witness(a, b, w);
}

bool carom_piece_contact(const carom_piece *one, const carom_convex *b, const carom_piece *two,
                         carom_witness *w)
{
    carom_convex a = piece_full(one), a_open = piece_open(one);
    carom_convex b_full = two ? piece_full(two) : *b, b_open = two ? piece_open(two) : *b;
    double rounding = carom_axes_rounding(&a, &b_full);
    carom_pair_polytopes_distance(&a, &b_full, w);
    if (w->gap > rounding) {
        promote(one, &a, &b_full, true, w);
        if (two)
            promote(two, &a, &b_full, false, w);
        return carom_piece_owns(one, w->fa, w->n) &&
               (!two || carom_piece_owns(two, w->fb, v3_neg(w->n)));
    }
    carom_axes_rule rule_a = {carom_piece_allows, one}, rule_b = {carom_piece_allows, two};
    carom_axis axis;
    if (!carom_axes_allowed(&a_open, &b_open, &rule_a, two ? &rule_b : NULL, &axis))
        return false;
    axis.fa = full_feature(one, axis.fa);
    axis.fb = full_feature(two, axis.fb);
    carom_pair_polytopes_axis(&a, &b_full, &axis, rounding, w);
    return true;
}
