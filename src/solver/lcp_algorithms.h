/* The algorithms behind carom_lcp_solve. Each fills z and the outcome, iterations and uniqueness of
 * info; the caller (lcp.c) has checked the statement and adds w and the residual. z has room for 3n
 * numbers: one that has w = M z + q and the magnitudes of its terms (docs/theory/lcp.md) at hand
 * leaves them there and says so by the residual CAROM_LCP_EVALUATED. */
#ifndef CAROM_SRC_SOLVER_LCP_ALGORITHMS_H
#define CAROM_SRC_SOLVER_LCP_ALGORITHMS_H

#include "carom/lcp.h"

enum { CAROM_LCP_EVALUATED = -1 };

typedef carom_status carom_lcp_method(const carom_lcp *lcp, const carom_lcp_options *options,
                                      carom_arena *arena, double *z, carom_lcp_info *info,
                                      carom_error *error);

/* An algorithm describes itself. */
typedef struct carom_lcp_solver {
    carom_lcp_solver_info info;
    carom_lcp_method *solve;
    bool symmetric_only; /* needs a symmetric positive semidefinite M */
    int largest;         /* largest n; 0: any */
} carom_lcp_solver;

extern const carom_lcp_solver carom_lcp_pivot_table, carom_lcp_block_table, carom_lcp_lemke_table,
    carom_lcp_gauss_seidel_table, carom_lcp_enumerate_table;

/* The proximal-point loop of carom_lcp_block_table from the centre z, which is nearly a solution.
 */
carom_lcp_method carom_lcp_block_polish;

/* Is the statement well formed: sizes, finite numbers? */
carom_status carom_lcp_check(const carom_lcp *lcp, carom_error *error);

#endif
