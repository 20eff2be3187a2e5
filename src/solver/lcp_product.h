/* The product that every algorithm and the residual need. */
#ifndef CAROM_SRC_SOLVER_LCP_PRODUCT_H
#define CAROM_SRC_SOLVER_LCP_PRODUCT_H

/* w += M z and s += |M| |z|, M n x n; columns with z_j = 0 are not read. */
void carom_lcp_product_add(int n, const double *M, const double *z, double *w, double *s);

#endif
