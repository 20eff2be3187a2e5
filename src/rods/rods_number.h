/* Numbers for the waves in rods: sums and products of velocities and impedance ratios to any number
 * of bits, whose sign, zero included, is decided and not guessed (docs/theory/rods.md, "Signs").
 *
 * A number is held twice: in fixed point, 64 (limbs - 1) bits behind the point, and exactly modulo
 * the prime 2^61 - 1. What is zero modulo the prime, and zero to rounding, is zero. */
#ifndef CAROM_SRC_RODS_RODS_NUMBER_H
#define CAROM_SRC_RODS_RODS_NUMBER_H

#include <stdint.h>

#include "carom/base.h"

/* Storage of one number: limbs + 1 words. */
typedef uint64_t carom_rods_word;

typedef struct carom_rods_format {
    int limbs;    /* of the fixed point, the highest is the whole part */
    int exponent; /* the number 1.0 stands for 2^exponent */
} carom_rods_format;

static inline size_t carom_rods_number_words(const carom_rods_format *format)
{
    return (size_t)format->limbs + 1;
}

/* x = value 2^-exponent, rounded; the residue is exact. |value| must be below 2^(exponent + 60). */
void carom_rods_number_set(const carom_rods_format *format, double value, carom_rods_word *x);

/* x = (b - a)/(a + b) for a, b > 0. */
void carom_rods_number_contrast(const carom_rods_format *format, double a, double b,
                                carom_rods_word *x);

/* z = x + y, z = x - y, z = x y; z may be x or y in the first two. product: 2 limbs of work. */
void carom_rods_number_add(const carom_rods_format *format, const carom_rods_word *x,
                           const carom_rods_word *y, carom_rods_word *z);
void carom_rods_number_subtract(const carom_rods_format *format, const carom_rods_word *x,
                                const carom_rods_word *y, carom_rods_word *z);
void carom_rods_number_multiply(const carom_rods_format *format, const carom_rods_word *x,
                                const carom_rods_word *y, carom_rods_word *z,
                                carom_rods_word *product);

/* -1, 0, 1; 2 where it is not zero but too small for the bits: below 2^-bits. */
int carom_rods_number_sign(const carom_rods_format *format, const carom_rods_word *x, int bits);

/* The value, rounded to a double, and times 2^exponent. */
double carom_rods_number_get(const carom_rods_format *format, const carom_rods_word *x);

#endif
