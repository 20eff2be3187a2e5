/* Householder reflections I - tau v v', v_0 = 1: QR factorisations and orthonormal bases. */
#ifndef CAROM_SRC_LINALG_HOUSEHOLDER_H
#define CAROM_SRC_LINALG_HOUSEHOLDER_H

/* The reflection that carries x (n >= 1) to (beta, 0 ... 0): returns tau, 0 when x is of that form
 * already. x_0 becomes beta, the rest of x the rest of v. */
double carom_householder_make(int n, double *x);

/* C (n x columns, leading dimension ld) becomes (I - tau v v') C; v_0 is taken as 1, v[0] not read.
 */
void carom_householder_apply(int n, const double *v, double tau, int columns, double *C, int ld);

/* A = Q R in place, A m x n: R in the upper triangle, the vectors v below it; tau: min(m, n). */
void carom_householder_factor(int m, int n, double *A, int ld, double *tau);

/* The first `columns` <= m columns of Q in place of the vectors: A has room for them. n: columns of
 * the matrix that was factored. */
void carom_householder_form(int m, int n, int columns, double *A, int ld, const double *tau);

#endif
