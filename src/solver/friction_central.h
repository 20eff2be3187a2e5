/* The central path of an island: x and s inside the Lorentz cones, and the equations of Newton's
 * method for
 *
 *     A x + b + |s_T| e_0 - s = 0,   x o s -> 0,
 *
 * in contact space where A is given by its blocks, in body space where it is given by bodies
 * (docs/theory/friction-problem.md). */
#ifndef CAROM_SRC_SOLVER_FRICTION_CENTRAL_H
#define CAROM_SRC_SOLVER_FRICTION_CENTRAL_H

#include "solver/friction_cone.h"
#include "solver/friction_newton_matrix.h"

typedef struct carom_friction_central {
    const carom_friction_island *island;
    carom_friction_newton_matrix *matrix;
    carom_friction_scaling *scaling; /* contacts: of x and s, when factored */
    double *x, *s;                   /* n: the point */
    double *xi;                      /* n: A x + b */
    double *p;                       /* n: A x + b + |s_T| e_0 - s, what is left of the equations */
    double *g;                       /* n: right-hand side of the scaled complementarity */
    double *dx, *ds;                 /* n: the step */
    double *C, *B;                   /* 9 for each contact */
    double *v, *f; /* degrees of freedom: velocities of the step, impulses that are left over */
} carom_friction_central;

/* |s_T|, and its gradient e (zero where there is none), of a contact of d rows. */
double carom_friction_central_shift(int d, const double *s);
void carom_friction_central_direction(int d, const double *s, double *e);

/* Room for an island, at x = s = 0. */
carom_status carom_friction_central_make(const carom_friction_island *island,
                                         carom_friction_newton_matrix *matrix, carom_arena *arena,
                                         carom_friction_central *central, carom_error *error);

/* xi and p at the point. */
void carom_friction_central_evaluate(carom_friction_central *central);

/* Scale and factor at the point; false: it is not inside, or the matrix is singular. */
bool carom_friction_central_factor(carom_friction_central *central);

/* dx, ds with E ds = p + A dx (what is left of the equations goes to zero) and complementarity
 * W_s dx + W_s^-1 ds = g. */
void carom_friction_central_solve(carom_friction_central *central);

#endif
