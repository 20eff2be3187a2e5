/* Sobol's sequence: in every dimension the first 2^k points lie one in each of 2^k equal intervals,
 * and boxes of several dimensions hold as many as they should, so that means over N points err by
 * nearly 1/N instead of 1/sqrt(N). */
#include "carom/sample.h"

enum { BITS = 32, DEGREE = 6 };

/* A primitive polynomial over GF(2), its inner coefficients as bits, and the first direction
 * numbers, odd and below 2, 4, 8 ... (the choice of Joe and Kuo, SIAM J. Sci. Comput. 30, 2008,
 * whose projections on two dimensions are even). The first dimension needs none. */
typedef struct polynomial {
    int degree, inner;
    unsigned first[DEGREE];
} polynomial;

static const polynomial polynomials[CAROM_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

/* Direction numbers as binary fractions. */
static void make_directions(int dimension, uint32_t v[BITS])
{
    if (dimension == 0) {
        for (int k = 0; k < BITS; k++)
            v[k] = UINT32_C(1) << (BITS - 1 - k);
        return;
    }
    const polynomial *p = &polynomials[dimension - 1];
    for (int k = 0; k < BITS; k++) {
        if (k < p->degree) {
            v[k] = (uint32_t)p->first[k] << (BITS - 1 - k);
            continue;
        }
        v[k] = v[k - p->degree] ^ (v[k - p->degree] >> p->degree);
        for (int j = 1; j < p->degree; j++)
            if (p->inner >> (p->degree - 1 - j) & 1)
                v[k] ^= v[k - j];
    }
}

/* Digits that have nothing to do with each other for different seeds and dimensions. */
static uint32_t make_shift(uint64_t seed, int dimension)
{
    uint64_t x = seed + UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(dimension + 1);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((x ^ x >> 31) >> 32);
}

double carom_sobol_point(int dimension, uint32_t index, uint64_t seed)
{
    uint32_t v[BITS], x = make_shift(seed, dimension);
    make_directions(dimension, v);
    for (int k = 0; k < BITS && index >> k; k++)
        if (index >> k & 1)
            x ^= v[k];
    return ((double)x + 0.5) / 4294967296.0; /* in the middle of its interval */
}
