/* Cones of impacts with friction on which the energy taken away is a quadratic form
 * (docs/theory/certificates.md, "Energy with friction"). Their points are t >= 0 (m numbers), each
 * variable with its share of x = -v_n-, of the impulses r and of sigma = v_T+ + e_t v_T-. */
#ifndef CAROM_SRC_CERTIFY_SLIDING_CONE_H
#define CAROM_SRC_CERTIFY_SLIDING_CONE_H

#include "certify/sliding_form.h"
#include "linalg/rays.h"

typedef struct carom_sliding_cone {
    const carom_sliding_form *form;
    int m;
    double *x;         /* p x m */
    double *r;         /* N x m */
    double *sigma;     /* s x m */
    double *B, *doubt; /* m x m, -2 (T+ - T-) = t'B t; bounds on its errors */
    int equalities;    /* rows of Q that are held at zero, */
    int inequalities;  /* and behind them those that are not negative */
    double *Q;         /* m x rows */
} carom_sliding_cone;

/* All impulses in the friction cones (sigma = 0), with x >= 0 as inequalities. */
carom_status carom_sliding_cone_plain(const carom_sliding_form *form, carom_sliding_cone *cone);

/* Contacts stick or slide as in `pattern` (p); the equations of the normal law and of slips that
 * depend on each other are equalities. */
carom_status carom_sliding_cone_pattern(const carom_sliding_form *form,
                                        const unsigned char *pattern, carom_sliding_cone *cone);

/* Extreme rays of the cone; *cut: there are more than `most`, they are not all found. */
carom_status carom_sliding_cone_rays(const carom_sliding_cone *cone, int most, carom_rays *rays,
                                     bool *cut);

/* v_n- (p) and v_T- (s) of the point t. */
carom_status carom_sliding_cone_velocity(const carom_sliding_cone *cone, const double *t,
                                         double *v_n, double *v_T);

#endif
