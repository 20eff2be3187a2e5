/* Principal pivoting for n <= 4, the common case only. */
#ifndef CAROM_SRC_SOLVER_LCP_SMALL_H
#define CAROM_SRC_SOLVER_LCP_SMALL_H

#include "carom/lcp.h"

enum { CAROM_LCP_SMALL = 4 };

/* Solve a symmetric problem, if it is regular and strictly complementary. False: nothing is said,
 * use the general algorithm. q_size is not looked at: the caller gives none. */
bool carom_lcp_small_solve(const carom_lcp *lcp, double tolerance, double *z, carom_lcp_info *info);

#endif
