/* Newton's method on the modes of a frictional impact that was solved: the equations that its
 * refinement works with. */
#ifndef CAROM_SRC_LAW_COULOMB_NEWTON_H
#define CAROM_SRC_LAW_COULOMB_NEWTON_H

#include "law/coulomb.h"

/* Unknowns z per contact: none when open, impulses when sticking or without friction, the normal
 * impulse of planar slip, normal impulse and angle of slip of spatial slip. */
typedef struct carom_coulomb_newton {
    const carom_coulomb *f;
    carom_mode *mode; /* p */
    int m;            /* unknowns */
    double *z, *F;    /* m, unknowns and equations: the velocities that the modes want to be zero */
    double *Jacobian; /* m x m, dF/dz */
    double *x, *xi;   /* N, impulses of z and their velocities */
    double *column;   /* N */
    double *step;     /* m, what the last step added to z, before rounding */
    int *pivot;       /* m */
} carom_coulomb_newton;

carom_status carom_coulomb_newton_room(const carom_coulomb *problem, carom_arena *arena,
                                       carom_coulomb_newton *newton, carom_error *error);

/* Unknowns for the modes: impulses of x, sliding angles from a velocity-like vector times sign. */
void carom_coulomb_newton_start(carom_coulomb_newton *newton, const double *x,
                                const double *direction, double sign);

/* x of z; F of given xi. */
void carom_coulomb_newton_impulses(carom_coulomb_newton *newton);
void carom_coulomb_newton_equations(carom_coulomb_newton *newton, const double *xi);

/* The Jacobian at z, xi. */
void carom_coulomb_newton_jacobian(carom_coulomb_newton *newton);

/* z -= J^-1 F. When J is singular (dependent contacts): of least norm for small systems, else by a
 * small shift J + delta I and corrections, which leave the kernel alone and converge on the range.
 */
carom_status carom_coulomb_newton_step(carom_coulomb_newton *newton, carom_arena *arena,
                                       carom_error *error);

/* Steps from z until the equations hold to rounding; x: the impulses of the best point on the way,
 * where that misses the law by less than `best`, which it becomes (carom_coulomb_miss). */
carom_status carom_coulomb_newton_pursue(carom_coulomb_newton *newton, carom_arena *arena,
                                         double *x, double *best, carom_error *error);

/* How the last step changed the impulses (N): small changes of large impulses, which their
 * difference would not have. */
void carom_coulomb_newton_change(const carom_coulomb_newton *newton, double *change);

#endif
