/* Extreme rays of polyhedral cones { x >= 0, E x = 0, G x >= 0 } by double description, for small
 * dimensions: the cone starts as the orthant and is cut by one row after the other. */
#ifndef CAROM_SRC_LINALG_RAYS_H
#define CAROM_SRC_LINALG_RAYS_H

#include "carom/base.h"

#include <stdint.h>

typedef struct carom_rays {
    int m;         /* dimension of the space */
    int dimension; /* m less the independent equalities so far */
    int bits;      /* inequalities so far, those of the orthant first; at most 64 */
    int count, capacity;
    double *x;      /* m x count, each with largest entry 1; entries are exactly 0 where tight */
    uint64_t *zero; /* count: bit k is set when inequality k holds with equality */
} carom_rays;

/* The orthant of dimension m. */
carom_status carom_rays_start(carom_rays *rays, int m, carom_arena *arena, carom_error *error);

/* Cut by a'x = 0 or a'x >= 0. A value of a'x below tolerance * sum |a_i x_i| counts as zero. */
carom_status carom_rays_cut(carom_rays *rays, const double *a, bool equality, double tolerance,
                            carom_arena *arena, carom_error *error);

#endif
