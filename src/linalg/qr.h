/* QR factorisation with column pivoting, A P = Q R: rank, least squares, minimum-norm solutions. */
#ifndef CAROM_SRC_LINALG_QR_H
#define CAROM_SRC_LINALG_QR_H

#include "carom/base.h"

typedef struct carom_qr {
    int m, n, rank;
    double *R;    /* m x n: R of A P S^{-1} above, Householder vectors below the diagonal */
    double *tau;  /* min(m, n) */
    double *size; /* n, S: norms of the columns of A, in the order of A; 1 for a column of zeros */
    int *order;   /* n, column k of A P is column order[k] of A */
} carom_qr;

/* Factor a copy of A (leading dimension ld) in memory of the arena. Columns are normalised first,
 * so the rank does not depend on their units: a diagonal entry of R below tolerance (0: 16 max(m,
 * n) eps) counts as zero. */
carom_status carom_qr_factor(int m, int n, const double *A, int ld, double tolerance,
                             carom_arena *arena, carom_qr *qr, carom_error *error);

/* x = the vector of least Euclidean norm among those that minimise |A x - b|. b: m, x: n. */
carom_status carom_qr_solve(const carom_qr *qr, const double *b, carom_arena *arena, double *x,
                            carom_error *error);

/* N: n x (n - rank), orthonormal basis of the null space of A. */
carom_status carom_qr_null_space(const carom_qr *qr, carom_arena *arena, double *N,
                                 carom_error *error);

#endif
