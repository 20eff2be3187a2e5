/* Two cylinders: the second seen from the first, which stands along z at the origin. */
#ifndef CAROM_SRC_BODIES_CYLINDERS_H
#define CAROM_SRC_BODIES_CYLINDERS_H

#include "bodies/cylinder.h"

typedef struct carom_cylinders {
    carom_cylinder a, b;
    frame at;        /* of b */
    v3 centre, axis; /* of b */
} carom_cylinders;

/* Where the normal of the best axis comes from. */
enum {
    CAROM_CYLINDERS_CAP_A,
    CAROM_CYLINDERS_CAP_B,
    CAROM_CYLINDERS_SIDES,
    CAROM_CYLINDERS_SIDE_RIM, /* the first's side, a rim of the second */
    CAROM_CYLINDERS_RIM_SIDE,
    CAROM_CYLINDERS_RIMS
};

typedef struct carom_cylinders_axis {
    double gap;
    v3 n;
    int kind, up[2];
} carom_cylinders_axis;

/* The separation along n, a unit vector. */
double carom_cylinders_separation(const carom_cylinders *x, v3 n);

/* Exact whether they are apart or overlap. */
void carom_cylinders_best(const carom_cylinders *x, double margin, carom_cylinders_axis *best);

/* The points of an axis, from the points farthest along it. */
carom_witness carom_cylinders_points(const carom_cylinders *x, const carom_cylinders_axis *axis,
                                     double margin);

/* All contacts within reach along the best axis. */
void carom_cylinders_contacts(const carom_cylinders *x, const carom_cylinders_axis *best,
                              double reach, double margin, double flat, carom_manifold *out);

#endif
