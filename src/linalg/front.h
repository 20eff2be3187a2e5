/* Partial elimination of a dense front: the inner step of sparse elimination. */
#ifndef CAROM_SRC_LINALG_FRONT_H
#define CAROM_SRC_LINALG_FRONT_H

#include "carom/base.h"

/* The front [P1 T; P2 C] has k rows and columns to eliminate and m that stay. P = [P1; P2] is
 * (k + m) x k, U = T' is m x k, C is m x m, all column-major. On return P1 = L \ U1, P2 = L2 with
 * P2 = L2 U1, T = L^-1 T, C = C - L2 T. Rows are exchanged among the k only (exchange: k). False
 * when a pivot is zero or not finite. */
bool carom_front_factor(int k, int m, double *P, double *U, double *C, int *exchange);

/* The k unknowns in x: forward x = L^-1 x and y (m) = -L2 x; backward x = U1^-1 (x - T y). */
void carom_front_forward(int k, int m, const double *P, const int *exchange, double *x, double *y);
void carom_front_backward(int k, int m, const double *P, const double *U, const double *y,
                          double *x);

#endif
