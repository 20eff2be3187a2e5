/* One contact alone, exactly: xi = A x + rho with the cone L (docs/theory/friction-problem.md). */
#ifndef CAROM_SRC_SOLVER_FRICTION_ONE_H
#define CAROM_SRC_SOLVER_FRICTION_ONE_H

#include <stdbool.h>

/* What does not change with rho: A_00, and the tangents with the normal eliminated. */
typedef struct carom_friction_one {
    int rows;
    bool free;
    double a;     /* 1 / A_00; 0: no reaction can change anything */
    double l[2];  /* A_T0 / A_00 */
    double u[2];  /* A_0T / A_00 */
    double S[4];  /* A_TT - A_T0 A_0T / A_00, column-major, 2 x 2 */
    double noise; /* rounding of its determinant */
    double alpha; /* of the last sliding solution: where the next search starts */
} carom_friction_one;

/* A: rows x rows, column-major; NULL: zero. */
void carom_friction_one_make(carom_friction_one *one, int rows, bool free, const double *A);

/* x such that A x + rho and x satisfy the laws of the contact. Where A does not allow it (a zero
 * block) x = 0. */
void carom_friction_one_solve(carom_friction_one *one, const double *rho, double *x);

#endif
