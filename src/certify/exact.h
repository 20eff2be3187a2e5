/* Signs of minors without rounding, for matrices whose entries are modest multiples of one power of
 * two: integers of 128 bits, elimination without fractions (Bareiss). */
#ifndef CAROM_SRC_CERTIFY_EXACT_H
#define CAROM_SRC_CERTIFY_EXACT_H

#include "carom/base.h"

enum { CAROM_EXACT_LIMIT = 64 }; /* largest subset */

/* The integers A * 2^shift (n x n); NULL when they do not fit or there is no memory. */
const long long *carom_exact_integers(int n, const double *A, carom_arena *arena);

/* Sign of det A[set, set]: *sign = -1, 0, 1. False when a number does not fit. */
bool carom_exact_sign(int n, const long long *integers, int count, const int *set, int *sign);

/* The same from the doubles of A themselves; only the entries of the block have to fit. */
bool carom_exact_minor(int n, const double *A, int count, const int *set, int *sign);

/* Sign of the determinant, and the vector y = adj(A[set, set]) 1 (rounded to doubles, signs exact,
 * count numbers); for determinant 0 a vector of the kernel when the leading block of order count-1
 * is regular. False when a number does not fit. */
bool carom_exact_solve(int n, const long long *integers, int count, const int *set, int *sign,
                       double *y);

#endif
