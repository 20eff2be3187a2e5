/* Interval arithmetic on tapes. Every operation is rounded outwards by a unit of its result, the
 * functions of libm by some: bounds hold, and lose nothing that matters. */
#include "expr/tape_range.h"

#include "expr/op.h"
#include "expr/tape_code.h"

#include <float.h>

static const carom_range unbounded = {-INFINITY, INFINITY};
/* Outwards by `units` roundings of each end. */
static carom_range widen(double low, double high, double units)
{
    const double part = units * DBL_EPSILON;
    return (carom_range){low - (part * fabs(low) + DBL_MIN), high + (part * fabs(high) + DBL_MIN)};
}

static bool is_point(carom_range a)
{
    return a.low == a.high;
}

static carom_range multiply(carom_range a, carom_range b)
{
    const double p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    double low = p[0], high = p[0];
    if (is_point(a) && a.low == 0)
        return a;
    if (is_point(b) && b.low == 0)
        return b;
    for (int k = 1; k < 4; k++) {
        low = p[k] < low ? p[k] : low;
        high = p[k] > high ? p[k] : high;
    }
    return widen(low, high, 1);
}

static carom_range add(carom_range a, carom_range b)
{
    return widen(a.low + b.low, a.high + b.high, 1);
}

static carom_range negate(carom_range a)
{
    return (carom_range){-a.high, -a.low};
}

static carom_range invert(carom_range a)
{
    return a.low > 0 || a.high < 0 ? widen(1 / a.high, 1 / a.low, 1) : unbounded;
}

static carom_range square(carom_range a)
{
    const double low = a.low * a.low, high = a.high * a.high;
    if (a.low <= 0 && a.high >= 0)
        return widen(0, low > high ? low : high, 1);
    return low < high ? widen(low, high, 1) : widen(high, low, 1);
}

/* x^k for a whole k: by squares, as the product is. */
static carom_range power(carom_range a, double k)
{
    carom_range r = {1, 1}, s = a;
    for (int n = (int)fabs(k); n > 0; n >>= 1, s = square(s))
        if (n & 1)
            r = multiply(r, s);
    return k < 0 ? invert(r) : r;
}

/* Is a number of the form `peak` + 2 pi k within [low, high], or as near as rounding? */
static bool holds_peak(carom_range a, double peak)
{
    const double turn = 2 * CAROM_PI, slack = 8 * DBL_EPSILON * (fabs(a.low) + fabs(a.high) + turn);
    return ceil((a.low - slack - peak) / turn) * turn + peak <= a.high + slack;
}

/* Takes a turn, or is not known: a wave has all its values there. */
static bool is_turn(carom_range a)
{
    return !(a.high - a.low < 2 * CAROM_PI);
}

/* The sine shifted by `lead`: 0, or a quarter for the cosine. */
static carom_range wave(carom_range a, double lead, double at_low, double at_high)
{
    carom_range r = at_low < at_high ? widen(at_low, at_high, 4) : widen(at_high, at_low, 4);
    if (r.high > 1 || holds_peak(a, 0.5 * CAROM_PI - lead))
        r.high = 1;
    if (r.low < -1 || holds_peak(a, -0.5 * CAROM_PI - lead))
        r.low = -1;
    return r;
}

static carom_range sine(carom_range a)
{
    return is_turn(a) ? (carom_range){-1, 1} : wave(a, 0, sin(a.low), sin(a.high));
}

static carom_range cosine(carom_range a)
{
    return is_turn(a) ? (carom_range){-1, 1} : wave(a, 0.5 * CAROM_PI, cos(a.low), cos(a.high));
}

/* Of functions that grow, or fall, wherever they are finite. */
static carom_range monotone(carom_op op, carom_range a)
{
    const double low = carom_op_evaluate(op, a.low, 0, 0),
                 high = carom_op_evaluate(op, a.high, 0, 0);
    if (!(isfinite(low) && isfinite(high)))
        return unbounded;
    return low < high ? widen(low, high, 4) : widen(high, low, 4);
}

static carom_range tangent(carom_range a)
{
    return a.high - a.low >= CAROM_PI || holds_peak(a, 0.5 * CAROM_PI) ||
                   holds_peak(a, -0.5 * CAROM_PI)
               ? unbounded
               : monotone(CAROM_OP_TAN, a);
}

/* cosh and its inverse, even about 0. */
static carom_range even(carom_op op, carom_range a)
{
    carom_range ends = monotone(op, a);
    if (!(a.low < 0 && a.high > 0))
        return ends;
    return op == CAROM_OP_COSH ? (carom_range){1, ends.high} : (carom_range){ends.low, 1};
}

/* a^b = exp(b log a), a > 0. */
static carom_range real_power(carom_range a, carom_range b)
{
    if (is_point(b) && b.low == nearbyint(b.low) && fabs(b.low) <= 64)
        return power(a, b.low);
    if (!(a.low > 0))
        return unbounded;
    const carom_range x = multiply(b, monotone(CAROM_OP_LOG, a)), r = monotone(CAROM_OP_EXP, x);
    /* the exponential hands on the error of its argument */
    return widen(r.low, r.high, 4 * (fabs(x.low) + fabs(x.high) + 1));
}

/* atan2 away from its cut and from 0: by the quadrant of the denominator. */
static carom_range angle(carom_range y, carom_range x)
{
    carom_range r;
    if (x.low > 0)
        return monotone(CAROM_OP_ATAN, multiply(y, invert(x)));
    if (!(y.low > 0 || y.high < 0))
        return unbounded;
    r = negate(monotone(CAROM_OP_ATAN, multiply(x, invert(y))));
    const double quarter = y.low > 0 ? 0.5 * CAROM_PI : -0.5 * CAROM_PI;
    return widen(r.low + quarter, r.high + quarter, 4);
}

/* The corner of |a| is not in the range; then it is one of a and -a. */
static carom_range absolute(carom_range a, bool *smooth)
{
    *smooth = *smooth && (a.low > 0 || a.high < 0 || is_point(a));
    return a.high < 0 ? negate(a) : a;
}

/* Comparisons, signs and what they select: known only where all of the range agrees. */
static carom_range decide(carom_op op, carom_range a, carom_range b, carom_range c, bool *smooth)
{
    const bool below = a.high<b.low, above = a.low> b.high, points = is_point(a) && is_point(b);
    double value = NAN;
    switch (op) {
    case CAROM_OP_SIGN:
    case CAROM_OP_SIDE:
        value = a.low > 0     ? 1
                : a.high < 0  ? -1
                : is_point(a) ? carom_op_evaluate(op, a.low, 0, 0)
                              : NAN;
        break;
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
        *smooth = *smooth && (below || above || points);
        return below == (op == CAROM_OP_MIN) ? a : b;
    case CAROM_OP_SELECT:
        *smooth = *smooth && is_point(a);
        return a.low != 0 ? b : c;
    default:
        value = points           ? carom_op_evaluate(op, a.low, b.low, 0)
                : below || above ? op != CAROM_OP_EQUAL && below
                                 : NAN;
    }
    *smooth = *smooth && !isnan(value);
    return (carom_range){value, value};
}

static carom_range evaluate(carom_op op, carom_range a, carom_range b, carom_range c, bool *smooth)
{
    switch (op) {
    case CAROM_OP_ADD:
        return add(a, b);
    case CAROM_OP_SUB:
        return add(a, negate(b));
    case CAROM_OP_MUL:
        return multiply(a, b);
    case CAROM_OP_DIV:
        return multiply(a, invert(b));
    case CAROM_OP_NEG:
        return negate(a);
    case CAROM_OP_SQUARE:
        return square(a);
    case CAROM_OP_POWER:
        return power(a, b.low);
    case CAROM_OP_POW:
        return real_power(a, b);
    case CAROM_OP_SIN:
        return sine(a);
    case CAROM_OP_COS:
        return cosine(a);
    case CAROM_OP_TAN:
        return tangent(a);
    case CAROM_OP_COSH:
    case CAROM_OP_SECH:
        return even(op, a);
    case CAROM_OP_ATAN2:
        return angle(a, b);
    case CAROM_OP_ABS:
        return absolute(a, smooth);
    case CAROM_OP_ASIN:
    case CAROM_OP_ACOS:
    case CAROM_OP_ATAN:
    case CAROM_OP_SINH:
    case CAROM_OP_TANH:
    case CAROM_OP_EXP:
    case CAROM_OP_LOG:
    case CAROM_OP_SQRT:
        return monotone(op, a);
    default:
        return decide(op, a, b, c, smooth);
    }
}

static carom_range sum(const carom_tape_code *k, const carom_tape_term *terms,
                       const carom_range *ranges)
{
    const carom_tape_term *x = terms + k->a, *last = x + k->b;
    carom_range total = multiply(ranges[x->a], ranges[x->b]);
    for (x++; x < last; x++) {
        const carom_range product = multiply(ranges[x->a], ranges[x->b]);
        total = add(total, x->sign < 0 ? negate(product) : product);
    }
    return total;
}

size_t carom_tape_ranges_room(const carom_tape *tape)
{
    return tape->slot_count;
}

bool carom_tape_ranges(carom_tape *tape, unsigned groups, const carom_tape_box *box,
                       carom_range *ranges)
{
    const carom_tape_program *p = carom_tape_find_program(tape, groups);
    bool smooth = true;
    for (size_t s = 0; s < tape->leaf_count; s++)
        ranges[s] = (carom_range){tape->slots[s], tape->slots[s]};
    const carom_range *const from[] = {&box->t, box->q, box->u};
    for (size_t k = 0; k < tape->input_count; k++)
        ranges[tape->inputs[k].slot] = from[tape->inputs[k].from][tape->inputs[k].index];
    const carom_tape_code *k = p->codes;
    for (const carom_tape_batch *b = p->batches, *last = b + p->batch_count; b < last; b++)
        for (const carom_tape_code *end = k + b->count; k < end; k++) {
            if (b->op == CAROM_TAPE_SUM) {
                ranges[k->to] = sum(k, tape->terms, ranges);
            } else if (b->op == CAROM_TAPE_SINCOS) {
                const carom_range a = ranges[k->a];
                ranges[k->to] = sine(a);
                ranges[k->c] = cosine(a);
            } else {
                ranges[k->to] =
                    evaluate((carom_op)b->op, ranges[k->a], ranges[k->b], ranges[k->c], &smooth);
            }
            const carom_range r = ranges[k->to];
            if (!smooth || !(r.low > -INFINITY && r.high < INFINITY))
                return false;
        }
    return true;
}
