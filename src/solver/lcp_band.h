/* The band of a matrix whose caller did not declare one. */
#ifndef CAROM_SRC_SOLVER_LCP_BAND_H
#define CAROM_SRC_SOLVER_LCP_BAND_H

#include <stdbool.h>

/* The largest |i - j| with M_ij != 0 of the n x n matrix M, or n - 1 as soon as it is more than
 * `most`: a full matrix costs a look at one column. */
int carom_lcp_band_measure(const double *M, int n, int most);

/* Is M_ij = 0 for |i - j| > reach, reach 0 or 1? Looks at all entries, several at a time. */
bool carom_lcp_band_within(const double *M, int n, int reach);

#endif
