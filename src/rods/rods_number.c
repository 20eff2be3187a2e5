/* Fixed-point numbers of any length with an exact residue beside them. */
#include "rods/rods_number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const uint64_t prime = ((uint64_t)1 << 61) - 1;

static uint64_t reduce(wide x)
{
    uint64_t sum = (uint64_t)(x & prime) + (uint64_t)(x >> 61);
    sum = (sum & prime) + (sum >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t times(uint64_t x, uint64_t y)
{
    return reduce((wide)x * y);
}

/* 2^e modulo the prime, where 2^61 = 1. */
static uint64_t power_of_two(int e)
{
    return (uint64_t)1 << ((e % 61 + 61) % 61);
}

/* 1/x = x^(prime - 2). */
static uint64_t inverse(uint64_t x)
{
    uint64_t result = 1;
    for (uint64_t e = prime - 2; e; e >>= 1, x = times(x, x))
        if (e & 1)
            result = times(result, x);
    return result;
}

/* value = mantissa 2^e with an integer mantissa, value >= 0. */
static uint64_t take_apart(double value, int *e)
{
    const double part = frexp(value, e);
    *e -= 53;
    return (uint64_t)ldexp(part, 53);
}

static uint64_t residue_of(double value)
{
    int e;
    const uint64_t m = take_apart(value, &e);
    return times(reduce(m), power_of_two(e));
}

static void negate(int limbs, uint64_t *x)
{
    uint64_t carry = 1;
    for (int i = 0; i < limbs; i++) {
        x[i] = ~x[i] + carry;
        carry = carry && x[i] == 0;
    }
}

/* x += m 2^shift, the point of x being at bit 0; bits below x are dropped. */
static void put(int limbs, uint64_t *x, uint64_t m, int shift)
{
    if (shift <= -64)
        return;
    if (shift < 0) {
        m >>= -shift;
        shift = 0;
    }
    const int at = shift / 64, by = shift % 64;
    if (at < limbs)
        x[at] |= m << by;
    if (by > 0 && at + 1 < limbs)
        x[at + 1] |= m >> (64 - by);
}

void carom_rods_number_set(const carom_rods_format *f, double value, carom_rods_word *x)
{
    int e;
    const uint64_t m = take_apart(fabs(value), &e);
    memset(x, 0, sizeof *x * carom_rods_number_words(f));
    put(f->limbs, x, m, e - f->exponent + 64 * (f->limbs - 1));
    x[f->limbs] = times(residue_of(fabs(value)), power_of_two(-f->exponent));
    if (value < 0) {
        negate(f->limbs, x);
        x[f->limbs] = x[f->limbs] ? prime - x[f->limbs] : 0;
    }
}

static int compare(int limbs, const uint64_t *x, const uint64_t *y)
{
    for (int i = limbs - 1; i >= 0; i--)
        if (x[i] != y[i])
            return x[i] > y[i] ? 1 : -1;
    return 0;
}

static void subtract(int limbs, const uint64_t *y, uint64_t *x)
{
    uint64_t borrow = 0;
    for (int i = 0; i < limbs; i++) {
        const wide d = (wide)x[i] - y[i] - borrow;
        x[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
}

static void twice(int limbs, uint64_t *x)
{
    for (int i = limbs - 1; i > 0; i--)
        x[i] = x[i] << 1 | x[i - 1] >> 63;
    x[0] <<= 1;
}

/* Integers of this size hold any two doubles on one scale. */
enum { SCALE = 36 };

/* Long division of large - small by large + small, bit by bit. */
void carom_rods_number_contrast(const carom_rods_format *f, double a, double b, carom_rods_word *x)
{
    uint64_t rest[SCALE] = {0}, divisor[SCALE] = {0}, least[SCALE] = {0};
    int ea, eb;
    const double small = fmin(a, b), large = fmax(a, b);
    const uint64_t ms = take_apart(small, &ea), ml = take_apart(large, &eb);
    memset(x, 0, sizeof *x * carom_rods_number_words(f));
    put(SCALE, rest, ml, eb - ea);
    memcpy(divisor, rest, sizeof rest);
    put(SCALE, least, ms, 0);
    subtract(SCALE, least, rest);
    negate(SCALE, least);
    subtract(SCALE, least, divisor);
    for (int bit = 64 * (f->limbs - 1) - 1; bit >= 0 && small > 0; bit--) {
        twice(SCALE, rest);
        if (compare(SCALE, rest, divisor) >= 0) {
            subtract(SCALE, divisor, rest);
            x[bit / 64] |= (uint64_t)1 << bit % 64;
        }
    }
    const uint64_t ra = residue_of(a), rb = residue_of(b), sum = reduce((wide)ra + rb);
    if (a > b)
        negate(f->limbs, x);
    x[f->limbs] = times(reduce((wide)rb + prime - ra), inverse(sum));
}

void carom_rods_number_add(const carom_rods_format *f, const carom_rods_word *x,
                           const carom_rods_word *y, carom_rods_word *z)
{
    uint64_t carry = 0;
    for (int i = 0; i < f->limbs; i++) {
        const wide sum = (wide)x[i] + y[i] + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    z[f->limbs] = reduce((wide)x[f->limbs] + y[f->limbs]);
}

void carom_rods_number_subtract(const carom_rods_format *f, const carom_rods_word *x,
                                const carom_rods_word *y, carom_rods_word *z)
{
    uint64_t borrow = 0;
    for (int i = 0; i < f->limbs; i++) {
        const wide d = (wide)x[i] - y[i] - borrow;
        z[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    z[f->limbs] = reduce((wide)x[f->limbs] + prime - y[f->limbs]);
}

static bool is_negative(const carom_rods_format *f, const carom_rods_word *x)
{
    return x[f->limbs - 1] >> 63;
}

/* Signed product by that of the two's complements, less what their signs add to it. */
void carom_rods_number_multiply(const carom_rods_format *f, const carom_rods_word *x,
                                const carom_rods_word *y, carom_rods_word *z,
                                carom_rods_word *product)
{
    const int n = f->limbs;
    memset(product, 0, sizeof *product * 2 * (size_t)n);
    for (int i = 0; i < n; i++) {
        uint64_t carry = 0;
        if (x[i] == 0)
            continue;
        for (int j = 0; j < n; j++) {
            const wide t = (wide)x[i] * y[j] + product[i + j] + carry;
            product[i + j] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        product[i + n] += carry;
    }
    if (is_negative(f, x))
        subtract(n, y, product + n);
    if (is_negative(f, y))
        subtract(n, x, product + n);
    const uint64_t residue = times(x[n], y[n]);
    memcpy(z, product + n - 1, sizeof *z * (size_t)n);
    z[n] = residue;
}

int carom_rods_number_sign(const carom_rods_format *f, const carom_rods_word *x, int bits)
{
    const uint64_t all = is_negative(f, x) ? ~(uint64_t)0 : 0;
    const int tail = 64 * (f->limbs - 1) - bits; /* bits that may be wrong */
    for (int i = f->limbs - 1; i >= 0 && 64 * (i + 1) > tail; i--) {
        const uint64_t mask = 64 * i >= tail ? ~(uint64_t)0 : ~(uint64_t)0 << (tail - 64 * i);
        if ((x[i] ^ all) & mask)
            return all ? -1 : 1;
    }
    return x[f->limbs] == 0 ? 0 : 2;
}

double carom_rods_number_get(const carom_rods_format *f, const carom_rods_word *x)
{
    const bool negative = is_negative(f, x);
    double sum = 0;
    uint64_t borrow = negative;
    int top = -1;
    uint64_t limb[3] = {0};
    for (int i = 0; i < f->limbs; i++) { /* magnitude, the three highest limbs that count */
        uint64_t v = negative ? ~x[i] + borrow : x[i];
        borrow = borrow && v == 0;
        limb[2] = limb[1];
        limb[1] = limb[0];
        limb[0] = v;
        if (v) {
            top = i;
            sum = ldexp((double)limb[0], 64) + (double)limb[1];
            sum = limb[2] ? sum + ldexp((double)limb[2], -64) : sum;
        }
    }
    if (top < 0)
        return 0;
    sum = ldexp(sum, 64 * (top - f->limbs) + f->exponent);
    return negative ? -sum : sum;
}
