/* One slide pattern of an impact with friction: all quantities of Prop. 10/11 and of the energy. */
#ifndef CAROM_SRC_CERTIFY_SLIDE_H
#define CAROM_SRC_CERTIFY_SLIDE_H

#include "certify/friction.h"

typedef struct carom_slide {
    const carom_friction *f;
    const double *E; /* p x p restitution */
    double *R;       /* s x s, (t'H_T)'(t'H_T) = H'M^-1H - (n'H_T)'G^-1(n'H_T) */
    double *P;       /* s x p, (n'H_T)'G^-1: slip velocity of the normal part */
    bool regular;    /* D = G - n'H_T mu_bar is invertible */
    double *inverse; /* p x p, its inverse, the script E of the paper */
    double *Q;       /* p x p, inverse (I + E): pbar = -Q v_n */
    double *B;       /* s x p, mu_bar Q: p_T = B v_n */
    double *K;       /* p x p, B'R B */
    double *C;       /* p x p, G^-1 - E'G^-1 E */
} carom_slide;

carom_status carom_slide_make(const carom_friction *friction, const double *E, carom_arena *arena,
                              carom_slide *slide, carom_error *error);

/* For the current directions xi of the friction: inverse, Q, B, K. */
carom_status carom_slide_pattern(carom_slide *slide, carom_arena *arena, carom_error *error);

/* u- with normal part v (p) and tangential slip tau (s), kinetic norm `speed` relative to b, and
 * the outcome of sliding with the current pattern. *done: false when tau is not attainable. */
carom_status carom_slide_run(const carom_slide *slide, const double *v, const double *tau,
                             double speed, carom_arena *arena, double **u, carom_outcome *outcome,
                             bool *done, carom_error *error);

#endif
