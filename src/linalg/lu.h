/* Gaussian elimination with row pivoting of small dense square matrices, column-major. */
#ifndef CAROM_SRC_LINALG_LU_H
#define CAROM_SRC_LINALG_LU_H

#include "carom/base.h"

/* Factor in place; pivot: n row numbers. Returns 0, or the number (from 1) of the first pivot whose
 * size is not above `threshold` times the largest entry of its column as given. LAPACK for larger
 * matrices with threshold 0. */
int carom_lu_factor(int n, double *A, int ld, int *pivot, double threshold);

/* Solve A x = b in place with the factors. */
void carom_lu_solve(int n, const double *LU, int ld, const int *pivot, double *x);

#endif
