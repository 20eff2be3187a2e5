/* Separating axes of two convex polytopes: the depth of an overlap, or a plane between them. */
#ifndef CAROM_SRC_BODIES_AXES_H
#define CAROM_SRC_BODIES_AXES_H

#include "bodies/convex.h"

/* The axis of largest separation among the normals of faces and of crossing edges. */
typedef struct carom_axis {
    double gap;      /* separation along n: minus the depth when the polytopes overlap */
    v3 n;            /* unit, from a to b */
    uint32_t fa, fb; /* face and vertex, vertex and face, or edge and edge */
    v3 a, b;         /* edges: their nearest points. face: a point of the other side */
} carom_axis;

/* Exact for polytopes that overlap or touch. Faces are preferred to edges, and those of a to those
 * of b, where they agree up to rounding. */
carom_axis carom_axes_deepest(const carom_convex *a, const carom_convex *b);

/* What a side allows, where it is a part of something larger (a triangle of a mesh): may contacts
 * at its vertex have the normal n, outward, in the common frame? */
typedef struct carom_axes_rule {
    bool (*allows)(const void *self, int vertex, v3 n);
    const void *self;
} carom_axes_rule;

/* The same among what both sides allow; a rule may be NULL. False: nothing is allowed. */
bool carom_axes_allowed(const carom_convex *a, const carom_convex *b, const carom_axes_rule *rule_a,
                        const carom_axes_rule *rule_b, carom_axis *axis);

/* A few roundings of the coordinates of a pair: lengths below it are not told apart. */
double carom_axes_rounding(const carom_convex *a, const carom_convex *b);

#endif
