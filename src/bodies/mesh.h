/* A surface of triangles with neighbours and a tree of boxes: closed (a body), or with a border
 * (a field of heights). */
#ifndef CAROM_SRC_BODIES_MESH_H
#define CAROM_SRC_BODIES_MESH_H

#include "bodies/polytope.h"

/* A node of the tree: a leaf holds one triangle, child[0] = ~triangle; otherwise two children. */
typedef struct carom_mesh_node {
    v3 lower, upper;
    int child[2];
} carom_mesh_node;

typedef struct carom_mesh_triangle {
    int v[3];      /* counter-clockwise from outside */
    int edge[3];   /* v[k] -> v[k + 1] */
    int beside[3]; /* the triangle across; -1: the border */
    bool ridge[3]; /* the edge stands out: the surface bends down there, or ends */
    v3 normal;
    double offset; /* of its plane */
} carom_mesh_triangle;

typedef struct carom_mesh {
    int vertex_count, triangle_count, edge_count, node_count;
    const v3 *vertex;
    const carom_mesh_triangle *triangle;
    const int (*edge)[2];        /* the vertices of each edge */
    const int *star_start;       /* vertex_count + 1 */
    const int *star_vertex;      /* neighbours of each vertex over edges */
    const bool *corner;          /* of vertices: some ridge ends there */
    const carom_mesh_node *node; /* node[0] is the root */
} carom_mesh;

/* Build in the arena. open: a border is allowed. Refused: indices outside, triangles without area,
 * edges with more than two triangles or of two that run the same way, a border where none is
 * allowed, a closed surface whose inside is outside. */
carom_status carom_mesh_build(int vertex_count, const v3 *vertices, int triangle_count,
                              const int *triangles, bool open, carom_arena *arena, carom_mesh *mesh,
                              carom_error *error);

/* The tree over all triangles. Used by carom_mesh_build. */
carom_status carom_mesh_tree(carom_mesh *mesh, carom_arena *arena, carom_error *error);

/* The vector along side k of a triangle. */
static inline v3 mesh_side(const carom_mesh *mesh, const carom_mesh_triangle *t, int k)
{
    return v3_sub(mesh->vertex[t->v[k == 2 ? 0 : k + 1]], mesh->vertex[t->v[k]]);
}

/* The normal across side k; at the border straight out, in the plane of the triangle. */
static inline v3 mesh_across(const carom_mesh *mesh, const carom_mesh_triangle *t, int k)
{
    if (t->beside[k] >= 0)
        return mesh->triangle[t->beside[k]].normal;
    return v3_unit(v3_cross(mesh_side(mesh, t, k), t->normal));
}

/* Call visit for every triangle whose box meets [lower, upper], in the order of the tree. */
typedef void (*carom_mesh_visit)(void *self, int triangle);
void carom_mesh_query(const carom_mesh *mesh, v3 lower, v3 upper, carom_mesh_visit visit,
                      void *self);

/* The same in an order of growing distance between boxes, as long as that is less than *best, which
 * visit may lower. */
void carom_mesh_approach(const carom_mesh *mesh, v3 lower, v3 upper, const double *best,
                         carom_mesh_visit visit, void *self);

#endif
