/* A restitution matrix for all quasi-velocities, v+ = -E v- with v = (v_n, v_t) (docs/theory/
 * certificates.md, "All four blocks"). In y = L^-1 v, diag(G, I) = LL', the kinetic energy is
 * |y|^2/2 and v+ = -E v- reads y+ = -F y-, F = L^-1 E L. Impulses exist for the y with (I + F)y in
 * the range of L^-1 G_bar: a subspace, spanned by S. There
 *     -2 (T+ - T-) = |y|^2 - |F y|^2 = ((I + F)y)'((I - F)y). */
#ifndef CAROM_SRC_CERTIFY_FULL_H
#define CAROM_SRC_CERTIFY_FULL_H

#include "carom/quasi.h"
#include "certify/normal.h"
#include "certify/witness.h"

typedef struct carom_full {
    const carom_law *law;
    const carom_geometry *g;
    carom_arena *arena;
    carom_certificates *all;
    carom_error *error;
    carom_normal m;
    carom_quasi q;
    int k;           /* p + tangents */
    const double *E; /* k x k */
    double *F;       /* k x k */
    double *S;       /* k x freedom, orthonormal */
    int freedom;     /* dimension of the velocities with an outcome */
    double *U, *V;   /* k x freedom, (I + F)S and (I - F)S */
    double rounding; /* of their entries */
    int jumps;       /* independent columns of U: */
    double *moving;  /* freedom x jumps, velocities that jump; orthonormal */
    double *still;   /* freedom x (freedom - jumps), those that do not: U still = 0 */
} carom_full;

/* Fill everything from k on, for a full with the fields before it. The contacts are independent and
 * E is k x k. */
carom_status carom_full_make(carom_full *full);

/* x := L x for a vector of quasi-velocities (k). */
void carom_full_raise(const carom_full *full, double *x);

/* Attach the velocity with quasi-velocities L y (y is used up), at the scene's speed, to a
 * certificate; the law is run with it. */
carom_status carom_full_attach(const carom_full *full, carom_certificate *certificate, double *y,
                               carom_witness_claim claim);

#endif
