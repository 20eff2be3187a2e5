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
    carom_friction f;
    carom_slide slide;
    const double *E;
    double doubt; /* relative error of the matrices by rounding */
    double faces; /* of copositivity tests so far */
} carom_sliding;

/* friction-energy: every pattern of sliding directions. */
carom_status carom_sliding_energy(carom_sliding *w);

#endif
