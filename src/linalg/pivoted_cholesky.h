/* Cholesky factorisation with diagonal pivoting of symmetric positive semidefinite matrices:
 * rank and one solution of consistent systems, whatever the scaling of rows and columns. */
#ifndef CAROM_SRC_LINALG_PIVOTED_CHOLESKY_H
#define CAROM_SRC_LINALG_PIVOTED_CHOLESKY_H

#include "carom/base.h"

/* Factor P'AP = L L' in place (lower triangle, L is n x rank). pivot[k] = original index of row k.
 * A pivot counts as zero when it is at most tolerance times its own diagonal entry of A, so the
 * rank does not change when A is scaled by a diagonal matrix. scale: n numbers of work space.
 * Returns the rank. */
int carom_pivoted_cholesky_factor(int n, double *A, int ld, double tolerance, int *pivot,
                                  double *scale);

/* Solve A x = b for b in the range of A; entries of dropped pivots are 0 (basic solution).
 * work: n numbers. x holds b on entry. */
void carom_pivoted_cholesky_solve(int n, int rank, const double *L, int ld, const int *pivot,
                                  double *x, double *work);

#endif
