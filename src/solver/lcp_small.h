/* Principal pivoting for small n, the common case only, from statement to answer. */
#ifndef CAROM_SRC_SOLVER_LCP_SMALL_H
#define CAROM_SRC_SOLVER_LCP_SMALL_H

#include "carom/lcp.h"

enum { CAROM_LCP_SMALL = 16 };

/* Solve a problem with 1 <= n <= CAROM_LCP_SMALL, if its numbers are finite and the answer is
 * beyond doubt: then z, w (may be NULL) and *info (may be NULL) are filled. Of several solutions of
 * a symmetric problem it is the one of least norm, or, if any_solution, the first that was met.
 * False: nothing is said and nothing written, use the general algorithms. */
bool carom_lcp_small_solve(const carom_lcp *lcp, double tolerance, bool any_solution, double *z,
                           double *w, carom_lcp_info *info);

#endif
