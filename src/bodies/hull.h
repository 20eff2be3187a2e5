/* The convex hull of points in space as a polytope with whole faces. */
#ifndef CAROM_SRC_BODIES_HULL_H
#define CAROM_SRC_BODIES_HULL_H

#include "bodies/polytope.h"

/* Build the hull in the arena; points that are not its vertices are left out. Refused: fewer than
 * four points, or points that lie in one plane up to rounding. */
carom_status carom_hull_build(int count, const v3 *points, carom_arena *arena, carom_polytope *hull,
                              carom_error *error);

/* A facet of a hull made of triangles, as used while building. */
typedef struct carom_hull_facet {
    int v[3];      /* counter-clockwise from outside */
    int beside[3]; /* the facet across the edge v[k] -> v[k + 1] */
    int first;     /* head of the list of points outside it, -1: none */
    bool gone;
} carom_hull_facet;

/* The hull as triangles: facets that are not `gone`. Signs are exact, so the result is a closed
 * convex surface whatever the points. flat: the four points of the start lie in a plane. */
carom_status carom_hull_triangles(int count, const v3 *points, carom_arena *arena,
                                  carom_hull_facet **facets, int *facet_count, bool *flat,
                                  carom_error *error);

#endif
