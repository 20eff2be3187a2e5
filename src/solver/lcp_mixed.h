/* The short way for large dense problems that are well conditioned on the face of the solution. */
#ifndef CAROM_SRC_SOLVER_LCP_MIXED_H
#define CAROM_SRC_SOLVER_LCP_MIXED_H

#include "carom/lcp.h"

typedef enum carom_lcp_mixed_result {
    CAROM_LCP_MIXED_SOLVED, /* z and info are filled: the only solution, to rounding */
    CAROM_LCP_MIXED_LEFT,   /* not a problem for this way; z is where sweeps have come, scaled */
    CAROM_LCP_MIXED_HARD,   /* the same, and Newton steps have not helped */
    CAROM_LCP_MIXED_UNTRIED,
    CAROM_LCP_MIXED_MEMORY
} carom_lcp_mixed_result;

/* M symmetric positive semidefinite, not banded; start may be NULL. */
carom_lcp_mixed_result carom_lcp_mixed_solve(const carom_lcp *lcp, const carom_lcp_options *options,
                                             carom_arena *arena, double *z, carom_lcp_info *info);

#endif
