/* The quadratic form of the energy that an impact with friction takes away, in impulses
 * (docs/theory/certificates.md, "Energy with friction"):
 *     r = (pbar, p_T),   x = -v_n- = (I + E)^-1 (G pbar + N p_T),
 *     -2 (T+ - T-) = r'A r + sum 2/(1 + e_t) mu pbar |sigma|,   sigma = v_T+ + e_t v_T-,
 *     A = [(I - E)(I + E)^-1 (G  N);  D_e (N'  S)],   D_e = diag (1 - e_t)/(1 + e_t),
 * N = n'H_T, S = H_T'M^-1 H_T. */
#ifndef CAROM_SRC_CERTIFY_SLIDING_FORM_H
#define CAROM_SRC_CERTIFY_SLIDING_FORM_H

#include "certify/sliding.h"

typedef struct carom_sliding_form {
    carom_sliding *w;
    int p, s, N;       /* N = p + s */
    bool regular;      /* I + E is: otherwise nothing below is filled */
    double *X;         /* p x N, x = X r */
    double *A, *doubt; /* N x N, symmetric; bounds of its errors */
    double *S;         /* s x s */
    int *owner;        /* s, contact of a slip */
    double *kernel;    /* s x kernels, slips that depend on each other and on the normals: */
    int kernels;       /* sum k_j h_j is a combination of normals */
    double *Pi;        /* s x s, the projector on the range of S - N'G^-1 N */
    bool *concerned;   /* p, rough contacts with a part in that */
} carom_sliding_form;

carom_status carom_sliding_form_make(carom_sliding *sliding, carom_sliding_form *form);

/* Is the form >= 0 whatever the impulses: by structure (one factor for all), or definite beyond its
 * doubt? *free: the proof needs no equation of dependent slips, so that it is one for all r. */
carom_status carom_sliding_form_semidefinite(const carom_sliding_form *form, bool *proved,
                                             bool *free);

/* e_t of contact i. */
double carom_sliding_form_tangential(const carom_sliding_form *form, int contact);

#endif
