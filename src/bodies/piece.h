/* One triangle of a mesh as a convex polytope that knows its neighbours: contacts with it have the
 * normals of the surface, not of the triangle alone, so that edges inside a flat part do not exist
 * (docs/theory/collision.md). */
#ifndef CAROM_SRC_BODIES_PIECE_H
#define CAROM_SRC_BODIES_PIECE_H

#include "bodies/axes.h"
#include "bodies/mesh.h"

typedef struct carom_piece {
    const carom_mesh *mesh;
    int triangle;
    frame at; /* of the mesh in the common frame */
    v3 vertex[3];
    v3 normal[2], beyond[4]; /* of the two faces; of the upper one and across the ridges */
    double offset[2];
    carom_edge ridge[3]; /* of `open` */
    int side[3];         /* which side of the triangle an edge of `open` is */
    carom_polytope full; /* the triangle with two faces back to back */
    carom_polytope open; /* its upper face and the edges that stand out */
} carom_piece;

void carom_piece_take(carom_piece *piece, const carom_mesh *mesh, int triangle, const frame *at);

static inline carom_convex piece_full(const carom_piece *piece)
{
    return (carom_convex){&piece->full, piece->at};
}

static inline carom_convex piece_open(const carom_piece *piece)
{
    return (carom_convex){&piece->open, piece->at};
}

/* May a contact at the vertex (of the triangle) have the normal n? For carom_axes_rule. */
bool carom_piece_allows(const void *piece, int vertex, v3 n);

/* May a contact at the feature of `full` have the normal n, in the common frame? */
bool carom_piece_owns(const carom_piece *piece, uint32_t feature, v3 n);

/* The feature of `full` as one of the mesh. */
uint32_t carom_piece_name(const carom_piece *piece, uint32_t feature);

/* The nearest or deepest contact that both sides allow; the second side may be a convex shape
 * (piece_b NULL) or a piece of another mesh. False: none. */
bool carom_piece_contact(const carom_piece *piece_a, const carom_convex *b,
                         const carom_piece *piece_b, carom_witness *w);

#endif
