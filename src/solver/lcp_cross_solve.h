/* Any small statement by principal pivoting in a tableau. */
#ifndef CAROM_SRC_SOLVER_LCP_CROSS_SOLVE_H
#define CAROM_SRC_SOLVER_LCP_CROSS_SOLVE_H

#include "carom/lcp.h"

/* Solve a problem with 1 <= n <= CAROM_LCP_SMALL, where that is beyond doubt: then z, w (may be
 * NULL) and *info (may be NULL) are filled. False: nothing is said and nothing written, use the
 * general algorithms. */
bool carom_lcp_cross_solve(const carom_lcp *lcp, double tolerance, bool any_solution, double *z,
                           double *w, carom_lcp_info *info);

#endif
