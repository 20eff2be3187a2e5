/* The part of one polytope's surface that lies over a face of the other. */
#ifndef CAROM_SRC_BODIES_CLIP_H
#define CAROM_SRC_BODIES_CLIP_H

#include "bodies/convex.h"

/* No face may have more vertices. */
enum { CAROM_CLIP_FACE = 512 };

/* The contacts of the face of `side` with the feature of `other` that lies against it: all corners
 * of the common part, seen along the face's normal, with gap <= reach. The witness has the face's
 * side as a. tolerance: distances in the face below it are rounding. flat: an edge of the other
 * whose ends differ in height by less lies on the face. */
void carom_clip_face(const carom_convex *side, int face, const carom_convex *other, double reach,
                     double tolerance, double flat, carom_manifold *out);

/* The face of `other` that lies against a plane with normal n below it: of the faces at the nearest
 * vertex the one that looks most against n. Where an edge from there lies flat over the plane (its
 * ends differ by less than `flat`), only the faces of that edge count: the whole edge has to be
 * seen. -1: it has no faces. */
int carom_clip_against(const carom_convex *other, v3 n, double flat);

#endif
