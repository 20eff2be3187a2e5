/* Eigenvalues of symmetric matrices and singular values, by LAPACK with work space of the arena. */
#ifndef CAROM_SRC_LINALG_SPECTRUM_H
#define CAROM_SRC_LINALG_SPECTRUM_H

#include "carom/base.h"

/* A (n x n, symmetric, lower triangle read) is overwritten: by the orthonormal eigenvectors when
 * asked for, else by nothing of use. values: n, ascending. CAROM_ERROR_NUMERIC when the iteration
 * does not converge. */
carom_status carom_spectrum_symmetric(int n, double *A, bool vectors, carom_arena *arena,
                                      double *values, carom_error *error);

/* A = U diag(values) V', A m x n overwritten; values: min(m, n), descending. U (m x min) and Vt
 * (min x n) may both be NULL. */
carom_status carom_spectrum_singular(int m, int n, double *A, carom_arena *arena, double *values,
                                     double *U, double *Vt, carom_error *error);

#endif
