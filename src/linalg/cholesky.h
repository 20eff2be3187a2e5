/* Cholesky factorisation A = L L' of symmetric positive definite matrices, column-major, lower. */
#ifndef CAROM_SRC_LINALG_CHOLESKY_H
#define CAROM_SRC_LINALG_CHOLESKY_H

#include "carom/base.h"

/* Factor in place; only the lower triangle is read and written. Returns 0, or the number (from 1)
 * of the first pivot that is not positive. LAPACK above the measured cross-over. */
int carom_cholesky_factor(int n, double *A, int ld);

/* Solve L L' x = b in place. */
void carom_cholesky_solve(int n, const double *L, int ld, double *x);

/* Solve L x = b and L' x = b in place. */
void carom_cholesky_forward(int n, const double *L, int ld, double *x);
void carom_cholesky_backward(int n, const double *L, int ld, double *x);

/* L L' = A becomes the factor of A without row and column k (from 0): n - 1 columns remain. */
void carom_cholesky_delete(int n, double *L, int ld, int k);

/* Factor and solve band matrices: entry (i, j), j <= i <= j + band, at A[i - j + j*(band + 1)]. */
int carom_cholesky_band_factor(int n, int band, double *A);
void carom_cholesky_band_solve(int n, int band, const double *L, double *x);

#endif
