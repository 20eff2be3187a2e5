/* The solution of least norm from the tableau of another one. */
#ifndef CAROM_SRC_SOLVER_LCP_CROSS_MINIMUM_H
#define CAROM_SRC_SOLVER_LCP_CROSS_MINIMUM_H

#include "solver/lcp_cross.h"

/* z, a solution with support in F, becomes the one with the least sum of M_ii z_i^2. The columns of
 * the r indices `dependent` depend on those of F; all others outside F have w_i > 0. False: it was
 * not found, z is unchanged. */
bool carom_lcp_cross_minimum(const carom_lcp_cross *t, int r, const int *dependent, double *z);

#endif
