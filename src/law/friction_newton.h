/* Newton's method on the modes of a frictional impact problem. */
#ifndef CAROM_SRC_LAW_FRICTION_NEWTON_H
#define CAROM_SRC_LAW_FRICTION_NEWTON_H

#include "law/friction.h"

/* Unknowns z per contact: none when open, impulses when sticking or without friction, the normal
 * impulse of planar slip, normal impulse and angle of slip of spatial slip. */
typedef struct carom_friction_newton {
    const carom_friction *f;
    carom_mode *mode; /* p */
    int m;            /* unknowns */
    double *z, *F;    /* m, unknowns and equations: the velocities that the modes want to be zero */
    double *Jacobian; /* m x m, dF/dz */
    double *x, *xi;   /* N, impulses of z and their velocities */
    double *column;   /* N */
    double *clean;    /* N, x with normal impulses >= 0 */
    double *step;     /* m, what the last step added to z, before rounding */
    int *pivot;       /* m */
} carom_friction_newton;

carom_status carom_friction_newton_room(const carom_friction *problem, carom_arena *arena,
                                        carom_friction_newton *newton, carom_error *error);

/* The modes of x as it stands; xi: its velocities. */
void carom_friction_newton_modes(carom_friction_newton *newton, const double *x);

/* The modes that x - rho xi, projected on the cones, points to: what the contact law makes of
 * impulses and velocities together (augmented Lagrangian, Alart and Curnier). x - rho xi is left in
 * `column`, xi in `xi`. */
void carom_friction_newton_modes_ahead(carom_friction_newton *newton, const double *x, double rho);

/* Unknowns for the modes: impulses of x, sliding angles from a velocity-like vector times sign. */
void carom_friction_newton_start(carom_friction_newton *newton, const double *x,
                                 const double *direction, double sign);

/* x of z; x, xi and F of z; F of given xi. */
void carom_friction_newton_impulses(carom_friction_newton *newton);
void carom_friction_newton_evaluate(carom_friction_newton *newton);
void carom_friction_newton_equations(carom_friction_newton *newton, const double *xi);

/* The Jacobian at z, xi. */
void carom_friction_newton_jacobian(carom_friction_newton *newton);

/* z -= J^-1 F. When J is singular (dependent contacts): of least norm for small systems, else by a
 * small shift J + delta I and corrections, which leave the kernel alone and converge on the range.
 */
carom_status carom_friction_newton_step(carom_friction_newton *newton, carom_arena *arena,
                                        carom_error *error);

/* How the last step changed the impulses (N): small changes of large impulses, which their
 * difference would not have. */
void carom_friction_newton_change(const carom_friction_newton *newton, double *change);

/* Replace x by the impulses of z when these have a lower residual than *residual; returns theirs.
 */
double carom_friction_newton_keep(carom_friction_newton *newton, double *x, double *residual);

/* Newton from x on its modes; x is replaced when that lowers its residual. */
carom_status carom_friction_newton_polish(carom_friction_newton *newton, carom_arena *arena,
                                          double *x, double *residual, carom_error *error);

#endif
