/* Ways out of a surface of triangles: the normals that the surface allows where it meets a shape.
 * Each triangle is treated for itself, and one that reaches the shape by a hair beside a ridge may
 * know no way out but deep through its own face, while its neighbour knows the short one
 * (docs/theory/collision.md). */
#ifndef CAROM_SRC_BODIES_EXITS_H
#define CAROM_SRC_BODIES_EXITS_H

#include "bodies/vector.h"

#include <stdbool.h>

enum { CAROM_EXITS = 32 };

typedef struct carom_exit {
    v3 n;
    double gap;
} carom_exit;

/* The ways out that are known: of those with one normal and like depths the deepest, and where
 * there are more than fit, the shorter ones. */
typedef struct carom_exits {
    int count;
    double deepest; /* gap of all that were shown */
    double margin;  /* gaps are known to this */
    carom_exit at[CAROM_EXITS];
} carom_exits;

/* None yet. The list itself is not written. */
void carom_exits_start(carom_exits *exits, double margin);

/* A contact. One that is open is no way out. */
void carom_exits_show(carom_exits *exits, v3 n, double gap);

/* Do contacts disagree, one of them an overlap? */
static inline bool carom_exits_differ(const carom_exits *exits)
{
    return exits->count > 1 && exits->deepest < -exits->margin;
}

/* The separation of a triangle and the shape along n. */
typedef double carom_exits_along(const void *self, v3 n);

/* Does a way out that is shorter than -gap part the triangle from the shape as well? */
bool carom_exits_spare(const carom_exits *exits, double gap, carom_exits_along *along,
                       const void *self);

#endif
