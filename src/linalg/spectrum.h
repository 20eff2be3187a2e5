/* Eigenvalues of symmetric and of general real matrices, singular values.
 *
 * Routines of our own, exact to rounding of the norm; with CAROM_LAPACK the larger symmetric and
 * singular problems go to LAPACK, which is faster there. Work space comes from the arena and is
 * given back. CAROM_ERROR_NUMERIC: a number is not finite, or the iteration does not converge. */
#ifndef CAROM_SRC_LINALG_SPECTRUM_H
#define CAROM_SRC_LINALG_SPECTRUM_H

#include "carom/base.h"

/* A (n x n, symmetric, lower triangle read) is overwritten: by the orthonormal eigenvectors when
 * asked for, else by nothing of use. values: n, ascending. */
carom_status carom_spectrum_symmetric(int n, double *A, bool vectors, carom_arena *arena,
                                      double *values, carom_error *error);

/* The largest eigenvalue of A B for symmetric A and symmetric positive definite B, lower triangles
 * read, both overwritten (n >= 1). CAROM_ERROR_NUMERIC too when B is not positive definite. */
carom_status carom_spectrum_product(int n, double *A, double *B, carom_arena *arena,
                                    double *largest, carom_error *error);

/* A = U diag(values) V', A m x n overwritten; values: min(m, n), descending. U (m x min) and Vt
 * (min x n) may both be NULL. */
carom_status carom_spectrum_singular(int m, int n, double *A, carom_arena *arena, double *values,
                                     double *U, double *Vt, carom_error *error);

/* Eigenvalues re + i im of a general A (n x n, overwritten), conjugate pairs together, the one with
 * im > 0 first. work: n. False: an entry is not finite, or the iteration does not converge. */
bool carom_spectrum_general(int n, double *A, double *work, double *re, double *im);

#endif
