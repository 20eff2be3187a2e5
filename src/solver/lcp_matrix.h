/* The scaled symmetric statement  w = A y + b, A_ii = 1, y_i = z_i / d_i  as the large solvers see
 * it: dense or banded, with a factorisation of A_FF + shift I for a set F of indices. */
#ifndef CAROM_SRC_SOLVER_LCP_MATRIX_H
#define CAROM_SRC_SOLVER_LCP_MATRIX_H

#include "carom/lcp.h"

typedef struct carom_lcp_matrix {
    int n;
    int band; /* -1: dense, A is n x n; else entry (i, j), j <= i <= j + band, is at
               * A[i - j + j*(band + 1)] */
    double *A;
    double *b; /* n, scaled q */
    double *e; /* n, magnitude of b_i: |b_i|, or more if q was summed from larger terms */
    double *d; /* n, 1 / sqrt(M_ii); 0 where M_ii = 0, the row of A is then the unit row */
    double *L; /* factor of A_FF + shift I */
    int k;     /* size of F */
} carom_lcp_matrix;

/* Scale. A negative diagonal entry is CAROM_ERROR_ARGUMENT. */
carom_status carom_lcp_matrix_make(carom_lcp_matrix *m, const carom_lcp *lcp, carom_arena *arena,
                                   carom_error *error);

/* w = A y; s (may be NULL): sum_j |A_ij y_j|. */
void carom_lcp_matrix_apply(const carom_lcp_matrix *m, const double *y, double *w, double *s);

/* w = A y + b; s (may be NULL): e_i + sum_j |A_ij y_j|. */
void carom_lcp_matrix_evaluate(const carom_lcp_matrix *m, const double *y, double *w, double *s);

/* Fills w and s at y >= 0 and returns the largest violation: of w_i = 0 where y_i > 0, of w_i >= 0
 * elsewhere, relative to s_i. */
double carom_lcp_matrix_violation(const carom_lcp_matrix *m, const double *y, double *w, double *s);

/* Does g prove that there is no solution: g >= 0, A g = 0, b'g < 0, each beyond rounding? Tiny
 * negative entries of g become 0. w, s: n, work. */
bool carom_lcp_matrix_proves_infeasible(const carom_lcp_matrix *m, double *g, double *w, double *s);

/* One projected Gauss-Seidel sweep, upwards or downwards, over-relaxed by the given factor. Returns
 * the largest change. */
double carom_lcp_matrix_sweep(const carom_lcp_matrix *m, double *y, bool upwards, double relax);

/* Factor A_FF + shift I, F ascending. False when it is not positive definite. */
bool carom_lcp_matrix_factor(carom_lcp_matrix *m, const int *F, int k, double shift);

/* x = (A_FF + shift I)^{-1} x */
void carom_lcp_matrix_solve(const carom_lcp_matrix *m, double *x);

/* A fixed pseudo-random vector, a part of which lies along any given direction: two inverse
 * iterations from it, |A^{-2} x|, show how small an eigenvalue is. */
void carom_lcp_matrix_probe(int n, double *x);

#endif
