/* What the certificates of impacts with friction share. */
#ifndef CAROM_SRC_CERTIFY_SLIDING_H
#define CAROM_SRC_CERTIFY_SLIDING_H

#include "certify/slide.h"

#define CAROM_SLIDING_SOURCE                                                                       \
    "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction: "

typedef struct carom_sliding {
    const carom_geometry *g;
    const carom_watch *watch;
    carom_arena *arena;
    carom_certificates *all;
    carom_error *error;
    carom_rough f;
    carom_slide slide;
    const double *E;
    bool diagonal;       /* E is */
    double conditioning; /* of I + E; INFINITY: it is singular */
    double doubt;        /* relative error of the matrices by rounding */
    carom_law law;       /* coulomb in the equality form with this E, which is what is judged */
    carom_value values[2];
} carom_sliding;

/* Fill f, slide, E ... of a work with its first five fields set; only f where f.rough is false, a
 * friction is infinite or the contacts are dependent. E NULL: the contacts' coefficients. */
carom_status carom_sliding_make(carom_sliding *sliding, const double *E);

/* x (p x columns) := (I + E)^-1 x; E not singular. */
carom_status carom_sliding_divide(const carom_sliding *sliding, int columns, double *x);

/* L'M_c^-1 v, the vector of normal j (j < p) or slip j - p in coordinates in which the kinetic
 * metric is Euclidean, of unit length (or zero). column: n. */
void carom_sliding_column(const carom_geometry *geometry, int j, double *column);

/* friction-energy: can energy grow, whatever the contacts do? */
carom_status carom_sliding_energy(carom_sliding *sliding);

#endif
