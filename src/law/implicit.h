/* The implicit restitution operator in quasi-velocities (docs/theory/implicit.md):
 *     v+ - v- in -G_bar N_W(Gamma (v+ + Lambda v-)),
 * W = { y : A y <= c } x second-order cones. All matrices column-major. */
#ifndef CAROM_SRC_LAW_IMPLICIT_H
#define CAROM_SRC_LAW_IMPLICIT_H

#include "carom/law.h"
#include "carom/quasi.h"

typedef struct carom_implicit {
    const carom_quasi *quasi;
    bool full;           /* v = (v_n, v_t), else v_n alone */
    bool own_gamma;      /* Gamma given by the user */
    int k;               /* quasi-velocities */
    int w;               /* rows of Gamma, columns of G_bar: normals, in full space slips too */
    const double *v;     /* k, before */
    const double *G_bar; /* k x w */
    double *D;           /* k x k, metric of the energy */
    double *Gamma;       /* w x k */
    double *Lambda;      /* k x k */
    int r;               /* inequalities */
    double *A;           /* r x w */
    double *c;           /* r */
    int cones;           /* second-order cones y_a >= |(y_a+1 ... )| */
    int *cone_start;     /* cones + 1 offsets into y */
    /* carom_implicit_metric: */
    bool exists;         /* P = P' > 0 with P G_bar = Gamma' */
    const char *missing; /* why not */
    double *P;           /* k x k */
    double *S;           /* w x w, Gamma G_bar */
    bool symmetric;      /* S is symmetric positive semidefinite */
} carom_implicit;

/* Read the parameters. *reason (in text) is set when they do not fit the impact. */
carom_status carom_implicit_state(const carom_law *law, const carom_quasi *quasi,
                                  carom_arena *arena, carom_implicit *problem, const char **reason,
                                  char text[160], carom_error *error);

/* The existence condition: S, P. */
carom_status carom_implicit_metric(carom_implicit *problem, carom_arena *arena, carom_error *error);

/* The bound on the change of energy, NaN when its conditions (P exists, Lambda symmetric, 0 in W)
 * do not hold. */
carom_status carom_implicit_metric_bound(const carom_implicit *problem, carom_arena *arena,
                                         double *bound, carom_error *error);

/* impulse (w): v+ = v- + G_bar impulse. *answer: ok, none or failed. */
carom_status carom_implicit_solve(const carom_implicit *problem, carom_arena *arena,
                                  double *impulse, carom_answer *answer, double *residual,
                                  bool *unique, carom_error *error);

/* Correct the positive multipliers eta (r) of A y <= c and the impulses with them; M = A S A'. */
carom_status carom_implicit_refine(const carom_implicit *problem, const double *M, double *eta,
                                   carom_arena *arena, double *impulse, carom_error *error);

#endif
