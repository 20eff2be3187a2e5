/* P'AP = L D L' of symmetric indefinite matrices with Bunch-Kaufman pivoting (blocks of D are 1x1
 * or 2x2), column-major, lower triangle. For saddle-point systems and for the signs of eigenvalues.
 */
#ifndef CAROM_SRC_LINALG_LDL_H
#define CAROM_SRC_LINALG_LDL_H

#include "carom/base.h"

/* Numbers of positive, negative and vanishing eigenvalues. */
typedef struct carom_inertia {
    int positive, negative, zero;
} carom_inertia;

/* Factor in place; pivot: n. Work space from the arena is given back. *singular: the number (from
 * 1) of the first block of D that is exactly zero, or 0. */
carom_status carom_ldl_factor(int n, double *A, int ld, int *pivot, carom_arena *arena,
                              int *singular, carom_error *error);

/* Solve A x = b in place. */
void carom_ldl_solve(int n, const double *LD, int ld, const int *pivot, double *x);

/* Sylvester: A has the inertia of D. Eigenvalues of D below tolerance times the largest entry of D
 * count as zero. */
carom_inertia carom_ldl_inertia(int n, const double *LD, int ld, const int *pivot,
                                double tolerance);

#endif
