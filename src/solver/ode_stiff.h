/* Stiff equations: extrapolation of the linearly implicit Euler method (docs/theory/ode.md,
 * "Stiff").
 */
#ifndef CAROM_SRC_SOLVER_ODE_STIFF_H
#define CAROM_SRC_SOLVER_ODE_STIFF_H

#include "solver/ode_dop853.h"

/* Columns of the table of extrapolation, which is the order. */
enum { CAROM_ODE_STIFF_ORDER = 7 };

typedef struct carom_ode_stiff {
    int n;
    carom_ode_rhs *f;
    void *self;
    double t, h;  /* the step tried last */
    double *y;    /* n, at t */
    double *next; /* n, at t + h */
    double *less; /* n, the same with one order less: their difference is the error */
    double *J;    /* n x n, df/dy at (t, y) */
    double *LU;   /* n x n; work, as all below */
    double *table, *move, *slope, *shifted;
    int *pivot;
    long evaluations;
} carom_ode_stiff;

carom_status carom_ode_stiff_create(carom_arena *arena, int n, carom_ode_rhs *f, void *self,
                                    carom_ode_stiff *ode, carom_error *error);

/* The derivative at (t, y) by differences; size: of the components, n. */
carom_status carom_ode_stiff_linearise(carom_ode_stiff *ode, double t, const double *size,
                                       carom_error *error);

/* Try a step of length h from (t, y); the end is in `next`. Where I - h J is singular there is none
 * of this length: `next` is not a number and the estimated error infinite. */
carom_status carom_ode_stiff_try(carom_ode_stiff *ode, double t, double h, carom_error *error);

/* The estimated error of the step tried last, the largest of its parts of `scale` (n). */
double carom_ode_stiff_error(const carom_ode_stiff *ode, const double *scale);

/* The factor by which the next step may differ, from the error of this one. */
double carom_ode_stiff_factor(double err);

#endif
