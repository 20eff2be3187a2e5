/* Sliding friction in normalised normal directions: mu_bar, n'H_T, D(q, mu, xi). */
#ifndef CAROM_SRC_CERTIFY_FRICTION_H
#define CAROM_SRC_CERTIFY_FRICTION_H

#include "certify/normal.h"

#include <stdio.h>

typedef struct carom_friction {
    const carom_geometry *g;
    carom_normal normal;
    bool rough;    /* some contact has slip and friction > 0 */
    bool infinite; /* some such friction is infinite */
    double *mu;    /* p, 0 without slip */
    bool *resting; /* p, no slip velocity */
    double *xi;    /* s, sliding directions; unit vectors of spatial contacts */
    double *NH;    /* p x s, n'H_T = w_i'M^-1 h_j / |w_i| */
    double *D;     /* p x p, G - NH mu_bar */
    double *D_doubt;
    double NH_norm;    /* Frobenius, of the columns with friction */
    double mu_norm;    /* sqrt sum (mu_i/|w_i|)^2 */
    double mu_largest; /* max mu_i/|w_i| */
} carom_friction;

carom_status carom_friction_make(const carom_geometry *geometry, carom_arena *arena,
                                 carom_friction *friction, carom_error *error);

/* xi from the slip velocities; contacts at rest: + */
void carom_friction_directions(carom_friction *friction);

/* D and its error bounds for the current xi. */
void carom_friction_matrix(carom_friction *friction);

/* Spectral norm of NH. */
carom_status carom_friction_norms(const carom_friction *friction, carom_arena *arena,
                                  double *spectral, carom_error *error);

#endif
