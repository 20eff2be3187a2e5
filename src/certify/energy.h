/* What the certificates of a restitution matrix share. */
#ifndef CAROM_SRC_CERTIFY_ENERGY_H
#define CAROM_SRC_CERTIFY_ENERGY_H

#include "certify/loss.h"

#define CAROM_ENERGY_SOURCE                                                                        \
    "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction: "

typedef struct carom_energy {
    const carom_geometry *g;
    const carom_watch *watch;
    carom_arena *arena;
    carom_certificates *all;
    carom_error *error;
    carom_normal m;
    const double *E;
    carom_law law; /* matrix with this E, which is what is judged */
    carom_value value;
    carom_loss loss; /* only `diagonal` where the contacts are dependent */
} carom_energy;

/* F = L^-1 E L (p x p): the energy ratio is |F y|^2/|y|^2 with v = L y. */
void carom_energy_bounds_ratio(const carom_energy *w, double *F);

/* lambda_max(G)/lambda_min(G), 1 for G = I. */
double carom_energy_bounds_conditioning(const carom_energy *w);

/* Prop. 3 to 7 and continuity. */
carom_status carom_energy_bounds(carom_energy *w);

/* Newton's law in inequality form, which needs no G^-1. */
void carom_energy_bounds_newton(carom_energy *w);

#endif
