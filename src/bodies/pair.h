/* Distances and manifolds of pairs of cores: one file a kind of pair. Everything is in a common
 * frame; radii are added by the caller. */
#ifndef CAROM_SRC_BODIES_PAIR_H
#define CAROM_SRC_BODIES_PAIR_H

#include "bodies/convex.h"
#include "bodies/shape.h"

/* The nearest points, or the deepest ones. */
void carom_pair_polytopes_distance(const carom_convex *a, const carom_convex *b, carom_witness *w);

/* All contacts with gap <= reach. */
void carom_pair_polytopes_manifold(const carom_convex *a, const carom_convex *b, double reach,
                                   carom_manifold *out);

/* The same for two boxes, b at the frame given, sizes the half diagonals. False: not decided here,
 * nothing was added. */
bool carom_pair_boxes_manifold(const double ha[3], const double hb[3], const frame *at,
                               double size_a, double size_b, double reach, carom_manifold *out);

/* Faces whose contacts differ in gap by less than this part of the size lie flat on each other: the
 * angle between them has then less effect than its square's rounding. */
#define CAROM_PAIR_FLAT 1.5e-8

/* The length below which two cores of the sizes given lie flat. */
double carom_pair_flat(double size_a, double size_b);

#endif
