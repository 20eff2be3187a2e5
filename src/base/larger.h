/* The larger of two numbers: fmax without its care for NaN, which costs a call. */
#ifndef CAROM_SRC_BASE_LARGER_H
#define CAROM_SRC_BASE_LARGER_H

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

#endif
