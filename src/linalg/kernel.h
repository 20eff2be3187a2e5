/* Small square systems that may be singular: consistent or not, shortest solution, kernel. */
#ifndef CAROM_SRC_LINALG_KERNEL_H
#define CAROM_SRC_LINALG_KERNEL_H

#include "carom/base.h"

/* Gaussian elimination with full pivoting on A x = b; A (n x n) and b are destroyed. A pivot counts
 * as zero when it is at most rank_tolerance times the largest entry of A; the system is consistent
 * when the remaining right-hand side is at most slack. Returns the rank and, if *consistent, the
 * shortest x and an orthonormal basis of the null space in kernel (n x (n - rank), room for n x n).
 * order: n integers of work space. Faster than a singular value decomposition by an order of
 * magnitude for n up to about ten. */
int carom_kernel_solve(int n, double *A, double *b, double rank_tolerance, double slack, int *order,
                       double *x, double *kernel, bool *consistent);

#endif
