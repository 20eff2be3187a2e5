/* Partial elimination of a dense front: the inner step of sparse elimination. */
#ifndef CAROM_SRC_LINALG_FRONT_H
#define CAROM_SRC_LINALG_FRONT_H

#include "carom/base.h"

/* The front [P1 U; P2 C] has k rows and columns to eliminate and m that stay. P = [P1; P2] is
 * (k + m) x k, U is k x m, C is m x m with leading dimension m, all column-major. On return P1 = L
 * \ U', P2 = L2 with P2 = L2 U', U = L^-1 U, C = C - L2 U. Rows are exchanged among the k only
 * (exchange: k). False when a pivot is zero or not finite. */
bool carom_front_factor(int k, int m, double *P, double *U, double *C, int *exchange);

/* The k unknowns in x: forward x = L^-1 x and y (m) = -L2 x; backward x = U'^-1 (x - U y). */
void carom_front_forward(int k, int m, const double *P, const int *exchange, double *x, double *y);
void carom_front_backward(int k, int m, const double *P, const double *U, const double *y,
                          double *x);

/* C (m x n) -= A (m x k) B (k x n), with leading dimensions. */
void carom_front_subtract(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                          double *C, int ldc);

#endif
