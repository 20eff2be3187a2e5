/* The contact of two given features of convex polytopes: vertex, edge or face each. */
#ifndef CAROM_SRC_BODIES_FEATURES_H
#define CAROM_SRC_BODIES_FEATURES_H

#include "bodies/convex.h"

/* The smallest feature of the polytope that holds all the vertices listed. */
uint32_t carom_features_carrier(const carom_polytope *p, int count, const int *vertices);

/* The nearest points of segments p, p + d and q, q + e: parts s, t in [0, 1] of each. */
void carom_features_segments(v3 p, v3 d, v3 q, v3 e, double *s, double *t);

/* The witness of w->fa and w->fb for polytopes that are apart, with the normal known as well as the
 * features allow: that of a face, else of two crossing edges, else the direction between the
 * points. w->a and w->b are points on the features to begin with. */
void carom_features_witness(const carom_convex *a, const carom_convex *b, carom_witness *w);

/* The same when neither feature is a face and w->a, w->b are the nearest points already: normal and
 * gap. */
void carom_features_direction(const carom_convex *a, const carom_convex *b, carom_witness *w);

/* The largest distance of two parallel planes with normal n that separate a from b, a below:
 * negative when they overlap along n. */
double carom_features_separation(const carom_convex *a, const carom_convex *b, v3 n);

#endif
