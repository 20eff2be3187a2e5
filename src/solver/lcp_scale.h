/* Equilibration of LCPs: rows and columns of M near 1, by powers of two (docs/theory/lcp.md). */
#ifndef CAROM_SRC_SOLVER_LCP_SCALE_H
#define CAROM_SRC_SOLVER_LCP_SCALE_H

#include "carom/lcp.h"

/* r, c: n positive powers of two such that r_i M_ij c_j has rows and columns near 1. work: n^2 +
 * 2n.
 */
void carom_lcp_scale_equilibrate(const carom_lcp *lcp, int *work, double *r, double *c);

#endif
