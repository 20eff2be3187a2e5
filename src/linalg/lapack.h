/* The one door to BLAS and LAPACK. With CAROM_LAPACK=OFF it is closed: CAROM_HAS_LAPACK is 0, the
 * routines of our own serve all sizes, and what stands behind the door is never called. */
#ifndef CAROM_SRC_LINALG_LAPACK_H
#define CAROM_SRC_LINALG_LAPACK_H

#include <stdbool.h>
#include <stddef.h>

#ifdef CAROM_LAPACK
enum { CAROM_HAS_LAPACK = 1 };
#else
enum { CAROM_HAS_LAPACK = 0 };
#endif

/* Cholesky factor, lower; returns as carom_cholesky_factor does. */
int carom_lapack_cholesky(int n, double *A, int ld);

/* Row-pivoted elimination; pivot counts from 0. Returns as carom_lu_factor does. */
int carom_lapack_lu(int n, double *A, int ld, int *pivot);

/* Solve L x = b, or L' x = b, in place. */
void carom_lapack_triangle(int n, const double *L, int ld, bool transposed, double *x);

/* As carom_spectrum_symmetric and carom_spectrum_singular, with work space given. False: the
 * iteration does not converge. */
size_t carom_lapack_symmetric_room(int n);
bool carom_lapack_symmetric(int n, double *A, bool vectors, double *values, double *work,
                            size_t room);
size_t carom_lapack_singular_room(int m, int n);
bool carom_lapack_singular(int m, int n, double *A, double *values, double *U, double *Vt,
                           double *work, size_t room, int *integers); /* 8 min(m, n) */

#endif
