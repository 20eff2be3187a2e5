/* Are all numbers of an array finite? */
#ifndef CAROM_SRC_LINALG_FINITE_H
#define CAROM_SRC_LINALG_FINITE_H

#include <stdbool.h>
#include <stddef.h>

/* More than a few numbers, by wide instructions. */
double carom_finite_sum_many(size_t n, const double *x);

/* The sum of 0 x: 0 for finite x only. */
static inline double carom_finite_sum(size_t n, const double *x)
{
    if (n > 6)
        return carom_finite_sum_many(n, x);
    double even = 0, odd = 0;
    for (size_t k = 0; k + 1 < n; k += 2) {
        even += 0 * x[k];
        odd += 0 * x[k + 1];
    }
    return n % 2 ? even + odd + 0 * x[n - 1] : even + odd;
}

/* Are they? */
static inline bool carom_finite_all(size_t n, const double *x)
{
    return carom_finite_sum(n, x) == 0;
}

#endif
