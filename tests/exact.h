/* Exact rational arithmetic for references: a double is a fraction, and sums, products, quotients
 * and solutions of linear systems of fractions are fractions. Integers have a fixed room; what does
 * not fit ends the test. */
#ifndef CAROM_TESTS_EXACT_H
#define CAROM_TESTS_EXACT_H

#include "check.h"

#include <stdlib.h>

enum { EXACT_LIMBS = 64, EXACT_ROWS = 16 };

__extension__ typedef unsigned __int128 exact_wide;

/* sign * sum limb[i] 2^(64 i); length 0 and sign 0: zero. */
typedef struct exact_integer {
    int sign, length;
    uint64_t limb[EXACT_LIMBS];
} exact_integer;

/* p/q with q > 0. */
typedef struct fraction {
    exact_integer p, q;
} fraction;

/* ---- integers ---------------------------------------------------------------------------- */

static inline void exact_need(int length)
{
    if (length > EXACT_LIMBS) {
        print_error("exact.h: an integer of %d limbs, at most %d\n", length, EXACT_LIMBS);
        abort();
    }
}

static inline void exact_copy(exact_integer *to, const exact_integer *from)
{
    to->sign = from->sign;
    to->length = from->length;
    memmove(to->limb, from->limb, sizeof *to->limb * (size_t)from->length);
}

static inline void exact_set(exact_integer *a, long long value)
{
    a->sign = (value > 0) - (value < 0);
    a->length = value != 0;
    a->limb[0] = value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static inline void exact_trim(exact_integer *a)
{
    while (a->length > 0 && a->limb[a->length - 1] == 0)
        a->length--;
    if (a->length == 0)
        a->sign = 0;
}

static inline int exact_compare_size(const exact_integer *a, const exact_integer *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (int i = a->length - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* r = a + s b in sizes, for |a| >= |b|, s = 1 or -1; r may be a. */
static inline void exact_combine(exact_integer *r, const exact_integer *a, const exact_integer *b,
                                 int s)
{
    exact_need(a->length + 1);
    uint64_t carry = 0;
    for (int i = 0; i < a->length; i++) {
        uint64_t x = a->limb[i], y = i < b->length ? b->limb[i] : 0;
        exact_wide t = s > 0 ? (exact_wide)x + y + carry : (exact_wide)x - y - carry;
        r->limb[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64) & 1;
    }
    r->length = a->length;
    if (s > 0 && carry)
        r->limb[r->length++] = 1;
}

/* r = a + s b */
static inline void exact_sum(exact_integer *r, const exact_integer *a, const exact_integer *b,
                             int s)
{
    exact_integer t;
    int sign_b = s * b->sign;
    if (a->sign == 0 || sign_b == 0) {
        exact_copy(&t, a->sign == 0 ? b : a);
        t.sign = a->sign == 0 ? sign_b : a->sign;
    } else {
        bool swap = exact_compare_size(a, b) < 0;
        exact_combine(&t, swap ? b : a, swap ? a : b, a->sign == sign_b ? 1 : -1);
        t.sign = swap ? sign_b : a->sign;
        exact_trim(&t);
    }
    exact_copy(r, &t);
}

static inline void exact_product(exact_integer *r, const exact_integer *a, const exact_integer *b)
{
    exact_integer t;
    t.length = a->length + b->length;
    exact_need(t.length);
    memset(t.limb, 0, sizeof *t.limb * (size_t)t.length);
    for (int i = 0; i < a->length; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->length; j++) {
            exact_wide x = (exact_wide)a->limb[i] * b->limb[j] + t.limb[i + j] + carry;
            t.limb[i + j] = (uint64_t)x;
            carry = (uint64_t)(x >> 64);
        }
        t.limb[i + b->length] = carry;
    }
    t.sign = a->sign * b->sign;
    exact_trim(&t);
    exact_copy(r, &t);
}

/* a *= 2^bits, bits >= 0 */
static inline void exact_shift(exact_integer *a, int bits)
{
    int limbs = bits / 64, rest = bits % 64;
    if (a->sign == 0 || bits == 0)
        return;
    exact_need(a->length + limbs + 1);
    a->limb[a->length] = 0;
    for (int i = a->length; i >= 0; i--) {
        uint64_t low = i > 0 && rest ? a->limb[i - 1] >> (64 - rest) : 0;
        a->limb[i + limbs] = (a->limb[i] << rest) | low;
    }
    memset(a->limb, 0, sizeof *a->limb * (size_t)limbs);
    a->length += limbs + 1;
    exact_trim(a);
}

/* a = quotient b + rest in sizes, by school division with normalised limbs (Knuth, algorithm D).
 * The quotient has the sign of a times that of b, the rest that of a. */
static inline void exact_divide(const exact_integer *a, const exact_integer *b,
                                exact_integer *quotient, exact_integer *rest)
{
    exact_integer u, v, q;
    exact_copy(&u, a);
    exact_copy(&v, b);
    exact_set(&q, 0);
    if (exact_compare_size(a, b) >= 0 && a->sign) {
        int shift = __builtin_clzll(v.limb[v.length - 1]), n = v.length;
        exact_shift(&u, shift);
        exact_shift(&v, shift);
        int m = a->length - n; /* u has room for the limb n + m */
        exact_need(n + m + 1);
        for (int i = u.length; i <= n + m; i++)
            u.limb[i] = 0;
        q.length = m + 1;
        for (int j = m; j >= 0; j--) {
            exact_wide top = ((exact_wide)u.limb[j + n] << 64) | u.limb[j + n - 1];
            exact_wide guess =
                u.limb[j + n] >= v.limb[n - 1] ? (exact_wide)UINT64_MAX : top / v.limb[n - 1];
            exact_wide left = top - guess * v.limb[n - 1];
            while (n > 1 && left >> 64 == 0 &&
                   guess * v.limb[n - 2] > ((left << 64) | u.limb[j + n - 2])) {
                guess--;
                left += v.limb[n - 1];
            }
            uint64_t borrow = 0, carry = 0;
            for (int i = 0; i < n; i++) {
                exact_wide x = guess * v.limb[i] + carry;
                carry = (uint64_t)(x >> 64);
                exact_wide d = (exact_wide)u.limb[i + j] - (uint64_t)x - borrow;
                u.limb[i + j] = (uint64_t)d;
                borrow = (uint64_t)(d >> 64) & 1;
            }
            exact_wide d = (exact_wide)u.limb[j + n] - carry - borrow;
            u.limb[j + n] = (uint64_t)d;
            if ((uint64_t)(d >> 64) & 1) { /* one too many: add the divisor back */
                guess--;
                uint64_t back = 0;
                for (int i = 0; i < n; i++) {
                    exact_wide x = (exact_wide)u.limb[i + j] + v.limb[i] + back;
                    u.limb[i + j] = (uint64_t)x;
                    back = (uint64_t)(x >> 64);
                }
                u.limb[j + n] += back;
            }
            q.limb[j] = (uint64_t)guess;
        }
        u.length = n;
        for (int i = 0; shift && i < n; i++)
            u.limb[i] = (u.limb[i] >> shift) | (i + 1 < n ? u.limb[i + 1] << (64 - shift) : 0);
        q.sign = a->sign * b->sign;
        u.sign = a->sign;
        exact_trim(&u);
        exact_trim(&q);
    }
    if (quotient)
        exact_copy(quotient, &q);
    if (rest)
        exact_copy(rest, &u);
}

/* The greatest common divisor, positive. */
static inline void exact_gcd(const exact_integer *a, const exact_integer *b, exact_integer *gcd)
{
    exact_integer x, y;
    exact_copy(&x, a);
    exact_copy(&y, b);
    while (y.sign) {
        exact_integer rest;
        exact_divide(&x, &y, NULL, &rest);
        exact_copy(&x, &y);
        exact_copy(&y, &rest);
    }
    x.sign = x.sign != 0;
    exact_copy(gcd, &x);
}

/* The number as m 2^e, m with the top 64 to 128 bits. */
static inline long double exact_top(const exact_integer *a, int *exponent)
{
    int n = a->length;
    *exponent = n > 2 ? 64 * (n - 2) : 0;
    long double m = n ? (long double)a->limb[n - 1] : 0;
    if (n > 1)
        m = m * 0x1p64L + (long double)a->limb[n - 2];
    return a->sign < 0 ? -m : m;
}

/* ---- fractions --------------------------------------------------------------------------- */

static inline fraction fraction_int(long long value)
{
    fraction f;
    exact_set(&f.p, value);
    exact_set(&f.q, 1);
    return f;
}

static inline fraction fraction_of(double value)
{
    fraction f = fraction_int(0);
    int exponent;
    double m = frexp(value, &exponent);
    if (value == 0)
        return f;
    exact_set(&f.p, (long long)ldexp(m, 53));
    exponent -= 53;
    while (exponent < 0 && !(f.p.limb[0] & 1)) {
        f.p.limb[0] >>= 1;
        exponent++;
    }
    exact_shift(exponent < 0 ? &f.q : &f.p, abs(exponent));
    return f;
}

static inline fraction fraction_reduced(fraction f)
{
    exact_integer gcd;
    if (f.q.sign < 0) {
        f.q.sign = 1;
        f.p.sign = -f.p.sign;
    }
    if (f.q.length <= 1 && f.q.limb[0] == 1)
        return f;
    exact_gcd(&f.p, &f.q, &gcd);
    exact_divide(&f.p, &gcd, &f.p, NULL);
    exact_divide(&f.q, &gcd, &f.q, NULL);
    return f;
}

static inline fraction fraction_sum(fraction a, fraction b, int s)
{
    fraction r;
    exact_integer x, y;
    exact_product(&x, &a.p, &b.q);
    exact_product(&y, &b.p, &a.q);
    exact_sum(&r.p, &x, &y, s);
    exact_product(&r.q, &a.q, &b.q);
    return fraction_reduced(r);
}

static inline fraction fraction_add(fraction a, fraction b)
{
    return fraction_sum(a, b, 1);
}

static inline fraction fraction_subtract(fraction a, fraction b)
{
    return fraction_sum(a, b, -1);
}

static inline fraction fraction_multiply(fraction a, fraction b)
{
    fraction r;
    exact_product(&r.p, &a.p, &b.p);
    exact_product(&r.q, &a.q, &b.q);
    return fraction_reduced(r);
}

static inline fraction fraction_divide(fraction a, fraction b)
{
    fraction r;
    exact_product(&r.p, &a.p, &b.q);
    exact_product(&r.q, &a.q, &b.p);
    return fraction_reduced(r);
}

static inline int fraction_sign(const fraction *a)
{
    return a->p.sign;
}

static inline int fraction_compare(fraction a, fraction b)
{
    exact_integer x, y;
    exact_product(&x, &a.p, &b.q);
    exact_product(&y, &b.p, &a.q);
    exact_sum(&x, &x, &y, -1);
    return x.sign;
}

/* Nearest double, up to a unit in the last place. */
static inline double fraction_double(const fraction *a)
{
    int p, q;
    long double x = exact_top(&a->p, &p), y = exact_top(&a->q, &q);
    return (double)ldexpl(x / y, p - q);
}

/* sum of doubles times fractions */
static inline fraction fraction_dot(int n, const double *w, const fraction *u)
{
    fraction sum = fraction_int(0);
    for (int k = 0; k < n; k++)
        if (w[k] != 0 && u[k].p.sign)
            sum = fraction_add(sum, fraction_multiply(fraction_of(w[k]), u[k]));
    return sum;
}

/* ---- linear systems ---------------------------------------------------------------------- */

/* Rows [A b] of a system A x = b: `rows` x (columns + 1), entry (i, j) at A[i][j]. */
typedef struct exact_system {
    int rows, columns;
    fraction a[EXACT_ROWS][EXACT_ROWS + 1];
} exact_system;

static inline void exact_system_make(exact_system *s, int rows, int columns)
{
    s->rows = rows;
    s->columns = columns;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= columns; j++)
            s->a[i][j] = fraction_int(0);
}

/* x (columns), zero for unknowns that are free. Returns the rank, -1 when there is no solution. One
 * step of Bareiss' elimination divides without remainder, so that entries stay determinants. */
static inline int exact_system_solve(const exact_system *s, fraction *x)
{
    static exact_integer T[EXACT_ROWS][EXACT_ROWS + 1];
    int m = s->rows, n = s->columns, rank = 0, pivot[EXACT_ROWS];
    assert_true(m <= EXACT_ROWS && n <= EXACT_ROWS);
    for (int i = 0; i < m; i++) { /* clear denominators, row by row */
        exact_integer common, t;
        exact_set(&common, 1);
        for (int j = 0; j <= n; j++) {
            exact_gcd(&common, &s->a[i][j].q, &t);
            exact_divide(&s->a[i][j].q, &t, &t, NULL);
            exact_product(&common, &common, &t);
        }
        for (int j = 0; j <= n; j++) {
            exact_divide(&common, &s->a[i][j].q, &t, NULL);
            exact_product(&T[i][j], &s->a[i][j].p, &t);
        }
    }
    exact_integer previous, u, v;
    exact_set(&previous, 1);
    for (int c = 0; c < n && rank < m; c++) {
        int row = rank;
        while (row < m && T[row][c].sign == 0)
            row++;
        if (row == m)
            continue;
        for (int j = 0; j <= n && row != rank; j++) {
            exact_copy(&u, &T[row][j]);
            exact_copy(&T[row][j], &T[rank][j]);
            exact_copy(&T[rank][j], &u);
        }
        for (int i = 0; i < m; i++) { /* Gauss and Jordan: above the pivot too */
            if (i == rank)
                continue;
            for (int j = 0; j <= n; j++) {
                if (j == c)
                    continue;
                exact_product(&u, &T[rank][c], &T[i][j]);
                exact_product(&v, &T[i][c], &T[rank][j]);
                exact_sum(&u, &u, &v, -1);
                exact_divide(&u, &previous, &T[i][j], NULL);
            }
            exact_set(&T[i][c], 0);
        }
        exact_copy(&previous, &T[rank][c]);
        for (int k = 0; k < rank; k++) /* all pivots are the same number now */
            exact_copy(&T[k][pivot[k]], &previous);
        pivot[rank++] = c;
    }
    for (int i = rank; i < m; i++)
        if (T[i][n].sign)
            return -1;
    for (int j = 0; j < n; j++)
        x[j] = fraction_int(0);
    for (int k = 0; k < rank; k++) {
        exact_copy(&x[pivot[k]].p, &T[k][n]);
        exact_copy(&x[pivot[k]].q, &previous);
        x[pivot[k]] = fraction_reduced(x[pivot[k]]);
    }
    return rank;
}

#endif
