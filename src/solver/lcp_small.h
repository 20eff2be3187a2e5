/* Principal pivoting for small n, the common case only, from statement to answer. */
#ifndef CAROM_SRC_SOLVER_LCP_SMALL_H
#define CAROM_SRC_SOLVER_LCP_SMALL_H

#include "carom/lcp.h"

enum { CAROM_LCP_SMALL = 16 };

/* Solve a symmetric problem with 1 <= n <= CAROM_LCP_SMALL, if its numbers are finite, the set
 * regular and the solution strictly complementary: then z, w (may be NULL) and *info (may be NULL)
 * are filled. False: nothing is said and nothing written, use the general algorithm. */
bool carom_lcp_small_solve(const carom_lcp *lcp, double tolerance, double *z, double *w,
                           carom_lcp_info *info);

#endif
