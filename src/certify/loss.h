/* What a restitution matrix takes away (docs/theory/certificates.md):
 *   impulses  pbar = -R v_n-,  R = G^-1 (I + E),     T+ - T- = -1/2 v_n-'C v_n-,
 *   C = G^-1 - E'G^-1 E = sym (I - E)'G^-1 (I + E),  which is exactly 0 for E = I. */
#ifndef CAROM_SRC_CERTIFY_LOSS_H
#define CAROM_SRC_CERTIFY_LOSS_H

#include "certify/normal.h"

typedef struct carom_loss {
    bool diagonal;   /* E is */
    double *C;       /* p x p */
    double *C_doubt; /* p x p, bounds on its errors */
    double *R;       /* p x p */
    double *R_doubt; /* p x p */
} carom_loss;

/* For contacts that are independent (normal->regular). E: p x p. */
carom_status carom_loss_make(const carom_normal *normal, const double *E, carom_arena *arena,
                             carom_loss *loss, carom_error *error);

#endif
