/* Explicit Runge-Kutta of order 8 (Dormand and Prince) with an error estimate and a continuous
 * solution of order 7 on the step (docs/theory/ode.md). */
#ifndef CAROM_SRC_SOLVER_ODE_DOP853_H
#define CAROM_SRC_SOLVER_ODE_DOP853_H

#include "carom/base.h"

/* dy = f(t, y). A status > 0 says "not here, try a smaller step". */
typedef carom_status carom_ode_rhs(void *self, double t, const double *y, double *dy,
                                   carom_error *error);

enum { CAROM_ODE_DOP853_STAGES = 16 };

typedef struct carom_ode_dop853 {
    int n;          /* components */
    int controlled; /* the first so many take part in the error estimate */
    carom_ode_rhs *f;
    void *self;
    double t, h;                        /* the step tried last: from t to t + h */
    double *y;                          /* n, at t */
    double *next;                       /* n, at t + h */
    double *work;                       /* n */
    double *k[CAROM_ODE_DOP853_STAGES]; /* slopes; k[0] at t is the caller's to fill,
                                           k[12] at t + h is filled by _dense */
    double *c[8];                       /* coefficients of the continuous solution */
    long evaluations;
} carom_ode_dop853;

carom_status carom_ode_dop853_create(carom_arena *arena, int n, int controlled, carom_ode_rhs *f,
                                     void *self, carom_ode_dop853 *ode, carom_error *error);

/* Try a step of length h from (t, y) with slope k[0]; the end is in `next`. */
carom_status carom_ode_dop853_try(carom_ode_dop853 *ode, double t, double h, carom_error *error);

/* The estimated error of the step tried last, each component divided by its scale (`controlled`
 * numbers > 0, or 0 where there is no error): <= 1 is good. */
double carom_ode_dop853_error(const carom_ode_dop853 *ode, const double *scale);

/* Prepare the continuous solution of the step tried last; four more evaluations. */
carom_status carom_ode_dop853_dense(carom_ode_dop853 *ode, carom_error *error);

/* The first `count` components at t + theta h. */
void carom_ode_dop853_at(const carom_ode_dop853 *ode, double theta, int count, double *y);

/* The factor by which the next step may differ, from the error of this one. */
double carom_ode_dop853_factor(double err);

/* The method's tableau: a[i*16 + j] (16 x 16, rows 0..15), c (16), b (16: order 8),
 * e5, e3 (16: error estimates). Called by tests only, which hold the conditions of order against
 * it; it is here because the steps have their coefficients written out, and it is made of the same
 * rows. */
void carom_ode_dop853_tableau(double *a, double *c, double *b, double *e5, double *e3);

#endif
