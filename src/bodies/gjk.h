/* The distance of two convex polytopes that are apart (Gilbert, Johnson and Keerthi). */
#ifndef CAROM_SRC_BODIES_GJK_H
#define CAROM_SRC_BODIES_GJK_H

#include "bodies/convex.h"

/* The point v of B - A nearest to the origin as a combination of differences of vertices. */
typedef struct carom_gjk {
    int count; /* of differences, 1 to 4 */
    int a[4], b[4];
    v3 w[4];        /* vertex b - vertex a */
    double part[4]; /* of each, >= 0, sum 1 */
    v3 v;
    double low; /* a lower bound of the distance: what the supporting planes prove */
} carom_gjk;

/* The nearest point of a simplex of up to four corners to the origin: how many corners carry it,
 * which, and their parts. */
int carom_gjk_simplex(int count, const v3 *w, int corner[4], double part[4], v3 *v);

/* Fill *g. The distance lies between g->low and |g->v|; they agree up to rounding when the
 * polytopes are apart. When they overlap, v is (nearly) zero. */
void carom_gjk_run(const carom_convex *a, const carom_convex *b, carom_gjk *g);

#endif
