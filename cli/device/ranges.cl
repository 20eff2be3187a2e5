/* Interval arithmetic, as src/expr/tape_range.c has it: every operation is rounded outwards by a unit of its
 * result, functions by some; what has no bound is the whole line. x is the lower end, y the upper one. */
typedef double2 range;

#define PI 3.14159265358979323846
#define UNBOUNDED ((range)(-INFINITY, INFINITY))

static range widen(double low, double high, double units)
{
    const double part = units * DBL_EPSILON;
    return (range)(low - (part * fabs(low) + DBL_MIN), high + (part * fabs(high) + DBL_MIN));
}

static range range_of(double a)
{
    return (range)(a, a);
}

static range range_add(range a, range b)
{
    return widen(a.x + b.x, a.y + b.y, 1.0);
}

static range range_negate(range a)
{
    return (range)(-a.y, -a.x);
}

static range range_subtract(range a, range b)
{
    return range_add(a, range_negate(b));
}

static range range_multiply(range a, range b)
{
    const double ll = a.x * b.x, lh = a.x * b.y, hl = a.y * b.x, hh = a.y * b.y;
    if ((a.x == 0.0 && a.y == 0.0) || (b.x == 0.0 && b.y == 0.0))
        return (range)(0.0, 0.0);
    if (isnan(ll + lh + hl + hh)) /* fmin and fmax would pass it over */
        return UNBOUNDED;
    return widen(fmin(fmin(ll, lh), fmin(hl, hh)), fmax(fmax(ll, lh), fmax(hl, hh)), 1.0);
}

/* Of a number that all motions of a kind have, the other end is the other factor's. */
static range range_scale(double a, range b)
{
    const double x = a * b.x, y = a * b.y;
    return a == 0.0 ? (range)(0.0, 0.0) : x < y ? widen(x, y, 1.0) : widen(y, x, 1.0);
}

static range range_invert(range a)
{
    return a.x > 0.0 || a.y < 0.0 ? widen(1.0 / a.y, 1.0 / a.x, 1.0) : UNBOUNDED;
}

static range range_divide(range a, range b)
{
    return range_multiply(a, range_invert(b));
}

static range range_square(range a)
{
    const double x = a.x * a.x, y = a.y * a.y;
    if (a.x <= 0.0 && a.y >= 0.0)
        return widen(0.0, fmax(x, y), 1.0);
    return widen(fmin(x, y), fmax(x, y), 1.0);
}

/* a^k for a whole k, by squares, as the product is. */
static range range_power(range a, double k)
{
    range r = range_of(1.0), s = a;
    for (int n = (int)fabs(k); n > 0; n >>= 1) {
        if (n & 1)
            r = range_multiply(r, s);
        s = range_square(s);
    }
    return k < 0.0 ? range_invert(r) : r;
}

/* Is a number of the form `peak` + 2 pi k within a, or as near as rounding? */
static bool holds_peak(range a, double peak)
{
    const double turn = 2.0 * PI, slack = 8.0 * DBL_EPSILON * (fabs(a.x) + fabs(a.y) + turn);
    return ceil((a.x - slack - peak) / turn) * turn + peak <= a.y + slack;
}

/* The sine shifted by `lead`, from its values at both ends. */
static range range_wave(range a, double lead, double first, double last)
{
    range r = widen(fmin(first, last), fmax(first, last), 4.0);
    const bool turn = !(a.y - a.x < 2.0 * PI);
    if (turn || r.y > 1.0 || holds_peak(a, 0.5 * PI - lead))
        r.y = 1.0;
    if (turn || r.x < -1.0 || holds_peak(a, -0.5 * PI - lead))
        r.x = -1.0;
    return r;
}

static range range_sin(range a)
{
    return range_wave(a, 0.0, sin(a.x), sin(a.y));
}

static range range_cos(range a)
{
    return range_wave(a, 0.5 * PI, cos(a.x), cos(a.y));
}

/* Of functions that grow, or fall, wherever they are finite: from their values at both ends. */
static range range_monotone(double first, double last)
{
    if (!isfinite(first) || !isfinite(last))
        return UNBOUNDED;
    return widen(fmin(first, last), fmax(first, last), 4.0);
}

static range range_tan(range a)
{
    return !(a.y - a.x < PI) || holds_peak(a, 0.5 * PI) || holds_peak(a, -0.5 * PI)
               ? UNBOUNDED
               : range_monotone(tan(a.x), tan(a.y));
}

static range range_cosh(range a)
{
    const range ends = range_monotone(cosh(a.x), cosh(a.y));
    return a.x < 0.0 && a.y > 0.0 ? (range)(1.0, ends.y) : ends;
}

static range range_sech(range a)
{
    const range ends = range_monotone(sech_of(a.x), sech_of(a.y));
    return a.x < 0.0 && a.y > 0.0 ? (range)(ends.x, 1.0) : ends;
}

/* a^b = exp(b log a), a > 0. The exponential hands on the error of its argument. */
static range range_pow(range a, range b)
{
    if (b.x == b.y && b.x == rint(b.x) && fabs(b.x) <= 64.0)
        return range_power(a, b.x);
    if (!(a.x > 0.0))
        return UNBOUNDED;
    const range x = range_multiply(b, range_monotone(log(a.x), log(a.y)));
    const range r = range_monotone(exp(x.x), exp(x.y));
    return widen(r.x, r.y, 4.0 * (fabs(x.x) + fabs(x.y) + 1.0));
}

/* atan2 away from its cut and from 0: by the quadrant of the denominator. */
static range range_atan2(range y, range x)
{
    if (x.x > 0.0) {
        const range r = range_divide(y, x);
        return range_monotone(atan(r.x), atan(r.y));
    }
    if (!(y.x > 0.0 || y.y < 0.0))
        return UNBOUNDED;
    const range s = range_divide(x, y), r = range_negate(range_monotone(atan(s.x), atan(s.y)));
    const double quarter = y.x > 0.0 ? 0.5 * PI : -0.5 * PI;
    return widen(r.x + quarter, r.y + quarter, 4.0);
}
