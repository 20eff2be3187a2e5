/* Convex sets that are known by their support functions, and the nearest points of two of them: the
 * way of pairs that have no better one (docs/theory/collision.md). */
#ifndef CAROM_SRC_BODIES_SUPPORT_H
#define CAROM_SRC_BODIES_SUPPORT_H

#include "bodies/convex.h"
#include "bodies/shape.h"

/* One side: a polytope, or the core of a convex shape or a cylinder. */
typedef struct carom_support {
    const carom_polytope *p;  /* NULL: the shape's core */
    const carom_shape *shape; /* not read where p is given */
    frame at;                 /* in the common frame */
} carom_support;

/* The point farthest along d; *vertex: where to begin looking among the vertices of a polytope, and
 * the one found. */
v3 carom_support_point(const carom_support *s, v3 d, int *vertex);

/* The nearest points of a strictly convex a and of b, or where they overlap the points of the
 * shortest way apart that a search finds. */
void carom_support_nearest(const carom_support *a, const carom_support *b, double margin,
                           carom_witness *w);

#endif
