/* Numbers of twice the working precision, as unevaluated sums of two doubles (Dekker, Knuth). */
#ifndef CAROM_SRC_LINALG_DOUBLED_H
#define CAROM_SRC_LINALG_DOUBLED_H

#include <math.h>

typedef struct doubled {
    double hi, lo; /* hi = the sum rounded to a double */
} doubled;

/* Relative rounding error of one operation below, generously. */
#define DOUBLED_UNIT 0x1p-100

/* a + b exactly. */
static inline doubled doubled_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (doubled){s, (a - (s - t)) + (b - t)};
}

/* a * b exactly, barring underflow. */
static inline doubled doubled_product(double a, double b)
{
    double p = a * b;
    return (doubled){p, fma(a, b, -p)};
}

static inline doubled doubled_add(doubled a, doubled b)
{
    doubled s = doubled_sum(a.hi, b.hi), t = doubled_sum(a.lo, b.lo);
    s = doubled_sum(s.hi, s.lo + t.hi);
    return doubled_sum(s.hi, s.lo + t.lo);
}

static inline doubled doubled_negate(doubled a)
{
    return (doubled){-a.hi, -a.lo};
}

static inline doubled doubled_multiply(doubled a, doubled b)
{
    doubled p = doubled_product(a.hi, b.hi);
    return doubled_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline doubled doubled_divide(doubled a, doubled b)
{
    double q = a.hi / b.hi;
    doubled r = doubled_add(a, doubled_negate(doubled_multiply(b, (doubled){q, 0})));
    double q2 = r.hi / b.hi;
    r = doubled_add(r, doubled_negate(doubled_multiply(b, (doubled){q2, 0})));
    return doubled_add(doubled_sum(q, q2), (doubled){r.hi / b.hi, 0});
}

/* a / b of a doubled and a double. */
static inline doubled doubled_divide_double(doubled a, double b)
{
    double q = a.hi / b;
    doubled p = doubled_product(q, b);
    return doubled_sum(q, (((a.hi - p.hi) - p.lo) + a.lo) / b);
}

/* a + b and a * b of a doubled and a double. */
static inline doubled doubled_add_double(doubled a, double b)
{
    doubled s = doubled_sum(a.hi, b);
    return doubled_sum(s.hi, s.lo + a.lo);
}

static inline doubled doubled_scale(doubled a, double b)
{
    doubled p = doubled_product(a.hi, b);
    return doubled_sum(p.hi, p.lo + a.lo * b);
}

/* sum + w u. Nothing is added to zero: rows touch a few coordinates, so that the first term of a
 * sum is often half of its work. */
static inline doubled doubled_add_scaled(doubled sum, doubled u, double w)
{
    if (sum.hi == 0)
        return doubled_scale(u, w);
    return doubled_add(sum, doubled_scale(u, w));
}

/* sum + w'u */
static inline doubled doubled_dot(int n, const double *w, const doubled *u, doubled sum)
{
    for (int k = 0; k < n; k++)
        if (w[k] != 0)
            sum = doubled_add_scaled(sum, u[k], w[k]);
    return sum;
}

#endif
