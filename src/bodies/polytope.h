/* A convex polytope in space: vertices, edges and faces with their neighbours. A point (no edge)
 * and a segment (one edge, no face) are polytopes too, and a triangle (two faces back to back). */
#ifndef CAROM_SRC_BODIES_POLYTOPE_H
#define CAROM_SRC_BODIES_POLYTOPE_H

#include "bodies/vector.h"
#include "carom/base.h"

/* Vertices v[0] -> v[1], as the loop of face f[0] runs; f[1] runs it backwards. */
typedef struct carom_edge {
    int v[2], f[2];
} carom_edge;

typedef struct carom_polytope {
    int vertex_count, edge_count, face_count;
    const v3 *vertex;
    const carom_edge *edge; /* a segment's has f = {-1, -1} */
    const v3 *normal;       /* of faces, unit, outward */
    const double *offset;   /* face: normal . x = offset */
    const int *loop_start;  /* face_count + 1 */
    const int *loop_vertex; /* of each face, counter-clockwise from outside */
    const int *loop_edge;   /* from that vertex to the next of the loop */
    const int *star_start;  /* vertex_count + 1 */
    const int *star_vertex; /* neighbours of each vertex */
    const int *star_edge;   /* the edges to them */
    v3 middle;              /* the mean of the vertices: a point inside */
    double size;            /* largest distance of a vertex from the origin */
} carom_polytope;

/* Fill in edges, normals, offsets, stars and size from vertices and loops, by the arena. The loops
 * must close: each edge once in each direction. */
carom_status carom_polytope_complete(carom_polytope *p, carom_arena *arena, carom_error *error);

/* The vertex farthest in the direction d, from a start vertex by ascent along edges (or by looking
 * at all of a few). */
int carom_polytope_support(const carom_polytope *p, v3 d, int start);

#endif
