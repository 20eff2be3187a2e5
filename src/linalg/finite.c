/* One pass over an array for numbers that are not finite. */
#include "linalg/finite.h"

#include "linalg/wide.h"

/* Partial sums, so that the compiler vectorises; in long arrays so many that the time of an
 * addition does not limit it. */
enum { FEW = 8, MANY = 32, LONG = 128 };

CAROM_WIDE static double sum_long(size_t n, const double *x)
{
    double part[MANY] = {0}, sum = 0;
    size_t i = 0;
    for (; i + MANY <= n; i += MANY)
        for (int k = 0; k < MANY; k++)
            part[k] += 0 * x[i + (size_t)k];
    for (; i < n; i++)
        sum += 0 * x[i];
    for (int k = 0; k < MANY; k++)
        sum += part[k];
    return sum;
}

CAROM_WIDE static double sum_short(size_t n, const double *x)
{
    double part[FEW] = {0}, sum = 0;
    size_t i = 0;
    for (; i + FEW <= n; i += FEW)
        for (int k = 0; k < FEW; k++)
            part[k] += 0 * x[i + (size_t)k];
    for (; i < n; i++)
        sum += 0 * x[i];
    for (int k = 0; k < FEW; k++)
        sum += part[k];
    return sum;
}

double carom_finite_sum_many(size_t n, const double *x)
{
    return n < LONG ? sum_short(n, x) : sum_long(n, x);
}
