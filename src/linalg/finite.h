/* Are all numbers of an array finite? */
#ifndef CAROM_SRC_LINALG_FINITE_H
#define CAROM_SRC_LINALG_FINITE_H

#include <stddef.h>

/* The sum of 0 x: 0 for finite x only. */
double carom_finite_sum(size_t n, const double *x);

#endif
