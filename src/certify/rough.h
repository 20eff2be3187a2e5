/* Sliding friction in normalised normal directions: mu_bar, n'H_T, D(q, mu, xi). */
#ifndef CAROM_SRC_CERTIFY_ROUGH_H
#define CAROM_SRC_CERTIFY_ROUGH_H

#include "certify/normal.h"

#include <stdio.h>

typedef struct carom_rough {
    const carom_geometry *g;
    carom_normal normal;
    bool rough;        /* some contact has slip and friction > 0 */
    bool infinite;     /* some such friction is infinite */
    double *mu;        /* p, dynamic, 0 without slip */
    double *mu_static; /* p */
    bool *resting;     /* p, no slip velocity */
    double *xi;        /* s, sliding directions; unit vectors of spatial contacts */
    double *NH;        /* p x s, n'H_T = w_i'M^-1 h_j / |w_i|; exactly 0 where it is rounding */
    double *NH_size;   /* p x s, the same with the magnitudes of its terms; 0 where NH is */
    double *D;         /* p x p, G - NH mu_bar */
    double *D_doubt;
    double NH_norm;    /* Frobenius, of the columns with friction */
    double mu_norm;    /* sqrt sum (mu_i/|w_i|)^2 */
    double mu_largest; /* max mu_i/|w_i| */
} carom_rough;

carom_status carom_rough_make(const carom_geometry *geometry, carom_arena *arena,
                              carom_rough *rough, carom_error *error);

/* xi from the slip velocities; contacts at rest: + */
void carom_rough_directions(carom_rough *rough);

/* D and its error bounds for the current xi. */
void carom_rough_matrix(carom_rough *rough);

/* Spectral norm of NH. */
carom_status carom_rough_norms(const carom_rough *rough, carom_arena *arena, double *spectral,
                               carom_error *error);

#endif
