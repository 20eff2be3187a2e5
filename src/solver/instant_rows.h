/* Contacts at one instant whose rows are known: velocities from the motion of the bodies, in
 * doubled precision (docs/theory/instant.md, "On rows"). */
#ifndef CAROM_SRC_SOLVER_INSTANT_ROWS_H
#define CAROM_SRC_SOLVER_INSTANT_ROWS_H

#include "linalg/doubled.h"
#include "solver/instant.h"

/* The rows that W is made of, W = S^-1 J'Y S^-1; everything is borrowed. */
struct carom_instant_rows {
    int n;                    /* coordinates of the bodies */
    const double *const *J;   /* N rows of n */
    const double *const *Y;   /* N columns of n, Y = M_c^-1 J */
    const double *scale;      /* N, S */
    const double *size;       /* N, sizes of the terms of q */
    const double *dust;       /* N, what rounding leaves of a velocity that is zero */
    const double *mu_d;       /* p, as given: in units of forces, not of r */
    const double *rest;       /* N, what the rounding of q has left of the velocity S q; or NULL */
    const double *const *low; /* N columns, what rounding has left of Y; or NULL */
};

/* Entry j of column k of Y, both parts of it. */
static inline doubled carom_instant_rows_entry(const struct carom_instant_rows *rows, int k, int j)
{
    return (doubled){rows->Y[k][j], rows->low ? rows->low[k][j] : 0};
}

/* The motion of forces f = S^-1 r: y = Y f (n), the velocities u = S^-1 J'y + q and the sizes of
 * their terms (N), |S^-1 J|'|y| beside those of q. */
void carom_instant_rows_motion(const carom_instant *problem, const doubled *f, doubled *y,
                               double *u, double *size);

/* What forces r that are each off by `off` may add to the motion and to the velocities (n + N):
 * |Y| S^-1 off over those that are not zero, and |S^-1 J|' of it. */
void carom_instant_rows_unknown(const carom_instant *problem, const double *r, double off,
                                double *unknown);

/* J_r'Y_c and W = S^-1 J'Y S^-1 (N x N) with twice the digits. */
doubled carom_instant_rows_product(const struct carom_instant_rows *rows, int r, int c);
void carom_instant_rows_gram(const struct carom_instant_rows *rows, int N, doubled *W);

/* The forces S^-1 P z of the unknowns z of one combination of modes (N), in doubled precision. */
struct carom_instant_modes;
void carom_instant_rows_forces(const struct carom_instant_modes *modes, const doubled *z,
                               doubled *force);

/* Forces, motion, velocities and their sizes of the unknowns modes->exact. */
void carom_instant_rows_take(struct carom_instant_modes *modes);

/* The same of unknowns z, which are corrected with residuals of twice the digits until they are
 * known to rounding, or as well as they can be: equations that hold to rounding leave them what it
 * is over the least pivot. Returns the part of the largest that they are known to. */
double carom_instant_rows_settle(struct carom_instant_modes *modes, const double *z);

#endif
