/* One slide pattern of an impact with friction: all quantities of Prop. 10/11 and of the energy. */
#ifndef CAROM_SRC_CERTIFY_SLIDE_H
#define CAROM_SRC_CERTIFY_SLIDE_H

#include "certify/loss.h"
#include "certify/rough.h"

typedef struct carom_slide {
    const carom_rough *f;
    const double *E; /* p x p restitution */
    double *R;       /* s x s, (t'H_T)'(t'H_T) = H'M^-1H - (n'H_T)'G^-1(n'H_T) */
    double *P;       /* s x p, (n'H_T)'G^-1: slip velocity of the normal part */
    bool regular;    /* D = G - n'H_T mu_bar is invertible */
    double *inverse; /* p x p, its inverse, the script E of the paper */
    double *Q;       /* p x p, inverse (I + E): pbar = -Q v_n */
    double *B;       /* s x p, mu_bar Q: p_T = B v_n */
    double *K;       /* p x p, B'R B */
    carom_loss loss; /* of E without friction */
} carom_slide;

carom_status carom_slide_make(const carom_rough *friction, const double *E, carom_arena *arena,
                              carom_slide *slide, carom_error *error);

/* For the current directions xi of the friction: inverse, Q, B, K. */
carom_status carom_slide_pattern(carom_slide *slide, carom_arena *arena, carom_error *error);

#endif
