/* The arithmetic of the operations: one definition for folding constants and for running tapes. */
#ifndef CAROM_SRC_EXPR_OP_H
#define CAROM_SRC_EXPR_OP_H

#include "expr/graph.h"

#include <math.h>

/* |exponent| up to which powers are products; above it libm's pow is more accurate and as fast. */
enum { CAROM_POWER_MAX = 8 };

/* x^k for a whole k, |k| <= CAROM_POWER_MAX. The sign of x needs no care: these are products. */
static inline double carom_op_power(double x, double k)
{
    int n = (int)fabs(k);
    double x2 = x * x, r = n & 1 ? x : 1;
    if (n & 2)
        r *= x2;
    if (n & 4)
        r *= x2 * x2;
    if (n & 8)
        r *= (x2 * x2) * (x2 * x2);
    return k < 0 ? 1 / r : r;
}

/* min and max that keep NaN, and take the first argument at a tie. */
static inline double carom_op_min(double a, double b)
{
    return a <= b ? a : b < a ? b : NAN;
}

static inline double carom_op_max(double a, double b)
{
    return a >= b ? a : b > a ? b : NAN;
}

/* Without a negative zero, so that 1/sqrt(0) is +infinity however the zero came about. */
static inline double carom_op_sqrt(double a)
{
    return sqrt(a) + 0.0;
}

static inline double carom_op_sign(double a)
{
    return a > 0 ? 1 : a < 0 ? -1 : a;
}

static inline double carom_op_side(double a)
{
    return a < 0 ? -1 : isnan(a) ? a : 1;
}

/* A comparison with NaN is NaN, and so is what it selects. */
static inline double carom_op_truth(double a, double b, int holds)
{
    return isunordered(a, b) ? NAN : holds;
}

static inline double carom_op_evaluate(carom_op op, double a, double b, double c)
{
    switch (op) {
    case CAROM_OP_ADD:
        return a + b;
    case CAROM_OP_SUB:
        return a - b;
    case CAROM_OP_MUL:
        return a * b;
    case CAROM_OP_DIV:
        return a / b;
    case CAROM_OP_NEG:
        return -a;
    case CAROM_OP_SQUARE:
        return a * a;
    case CAROM_OP_POWER:
        return carom_op_power(a, b);
    case CAROM_OP_POW:
        return pow(a, b);
    case CAROM_OP_SIN:
        return sin(a);
    case CAROM_OP_COS:
        return cos(a);
    case CAROM_OP_TAN:
        return tan(a);
    case CAROM_OP_ASIN:
        return asin(a);
    case CAROM_OP_ACOS:
        return acos(a);
    case CAROM_OP_ATAN:
        return atan(a);
    case CAROM_OP_ATAN2:
        return atan2(a, b);
    case CAROM_OP_SINH:
        return sinh(a);
    case CAROM_OP_COSH:
        return cosh(a);
    case CAROM_OP_TANH:
        return tanh(a);
    case CAROM_OP_SECH: /* 0 where cosh overflows */
        return 1 / cosh(a);
    case CAROM_OP_EXP:
        return exp(a);
    case CAROM_OP_LOG:
        return log(a);
    case CAROM_OP_SQRT:
        return carom_op_sqrt(a);
    case CAROM_OP_ABS:
        return fabs(a);
    case CAROM_OP_SIGN:
        return carom_op_sign(a);
    case CAROM_OP_SIDE:
        return carom_op_side(a);
    case CAROM_OP_MIN:
        return carom_op_min(a, b);
    case CAROM_OP_MAX:
        return carom_op_max(a, b);
    case CAROM_OP_LESS:
        return carom_op_truth(a, b, a < b);
    case CAROM_OP_LESS_EQUAL:
        return carom_op_truth(a, b, a <= b);
    case CAROM_OP_EQUAL:
        return carom_op_truth(a, b, a == b);
    case CAROM_OP_SELECT:
        return isnan(a) ? a : a != 0 ? b : c;
    case CAROM_OP_CONST:
    case CAROM_OP_VARIABLE:
    case CAROM_OP_COUNT:
        break;
    }
    return NAN;
}

#endif
