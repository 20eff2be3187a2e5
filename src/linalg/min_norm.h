/* Least squares of least norm for small dense systems that may be rank deficient. */
#ifndef CAROM_SRC_LINALG_MIN_NORM_H
#define CAROM_SRC_LINALG_MIN_NORM_H

#include "carom/base.h"

typedef struct carom_min_norm {
    int rank;        /* singular values above rcond times the largest */
    double residual; /* |Ax - b|, Euclidean */
    double largest;  /* largest singular value */
    double *kernel;  /* n x (n - rank), orthonormal basis of the null space, in the arena */
} carom_min_norm;

/* x (n) = the shortest minimiser of |Ax - b|; A is m x n, column-major, not changed. Singular
 * value decomposition; work space and kernel come from the arena. */
carom_status carom_min_norm_solve(int m, int n, const double *A, const double *b, double rcond,
                                  carom_arena *arena, double *x, carom_min_norm *info,
                                  carom_error *error);

#endif
