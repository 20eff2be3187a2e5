/* The algorithms behind carom_lcp_solve. Each fills z and the outcome, iterations and uniqueness of
 * info; the caller (lcp.c) has checked the statement and adds w and the residual. */
#ifndef CAROM_SRC_SOLVER_LCP_ALGORITHMS_H
#define CAROM_SRC_SOLVER_LCP_ALGORITHMS_H

#include "carom/lcp.h"

typedef carom_status carom_lcp_method(const carom_lcp *lcp, const carom_lcp_options *options,
                                      carom_arena *arena, double *z, carom_lcp_info *info,
                                      carom_error *error);

carom_lcp_method carom_lcp_pivot_solve;
carom_lcp_method carom_lcp_lemke_solve;
carom_lcp_method carom_lcp_enumerate_solve;

/* Is the statement well formed: sizes, finite numbers? */
carom_status carom_lcp_check(const carom_lcp *lcp, carom_error *error);

#endif
