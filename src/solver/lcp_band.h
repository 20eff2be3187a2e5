/* The band of a matrix whose caller did not declare one. */
#ifndef CAROM_SRC_SOLVER_LCP_BAND_H
#define CAROM_SRC_SOLVER_LCP_BAND_H

/* The largest |i - j| with M_ij != 0 of the n x n matrix M, or n - 1 as soon as it is more than
 * `most`: a full matrix costs a look at one column. */
int carom_lcp_band_measure(const double *M, int n, int most);

#endif
