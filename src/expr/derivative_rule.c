/* The chain rule, one line per operation. */
#include "expr/derivative_rule.h"

static carom_node add(carom_graph *g, carom_node a, carom_node b)
{
    return carom_graph_binary(g, CAROM_OP_ADD, a, b);
}

static carom_node sub(carom_graph *g, carom_node a, carom_node b)
{
    return carom_graph_binary(g, CAROM_OP_SUB, a, b);
}

static carom_node mul(carom_graph *g, carom_node a, carom_node b)
{
    return carom_graph_binary(g, CAROM_OP_MUL, a, b);
}

static carom_node quotient(carom_graph *g, carom_node a, carom_node b)
{
    return carom_graph_binary(g, CAROM_OP_DIV, a, b);
}

static carom_node unary(carom_graph *g, carom_op op, carom_node a)
{
    return carom_graph_unary(g, op, a);
}

/* a^k of a constant k: k a^(k-1) da, exact at negative a for whole k. */
static carom_node power_rule(carom_graph *g, carom_node a, carom_node k, carom_node da)
{
    carom_node less = carom_graph_binary(g, CAROM_OP_POW, a, sub(g, k, g->one));
    return mul(g, mul(g, k, less), da);
}

/* a^b: b a^(b-1) da + a^b log(a) db. */
static carom_node pow_rule(carom_graph *g, carom_node n, carom_node a, carom_node b, carom_node da,
                           carom_node db)
{
    carom_node d = power_rule(g, a, b, da);
    if (db == g->zero)
        return d;
    return add(g, d, mul(g, mul(g, n, unary(g, CAROM_OP_LOG, a)), db));
}

/* (1 - a)(1 + a), without the cancellation of 1 - a^2 near 1. */
static carom_node one_minus_square(carom_graph *g, carom_node a)
{
    return mul(g, sub(g, g->one, a), add(g, g->one, a));
}

/* atan2(a, b): (b da - a db)/(a^2 + b^2). */
static carom_node atan2_rule(carom_graph *g, carom_node a, carom_node b, carom_node da,
                             carom_node db)
{
    carom_node r2 = add(g, unary(g, CAROM_OP_SQUARE, a), unary(g, CAROM_OP_SQUARE, b));
    return quotient(g, sub(g, mul(g, b, da), mul(g, a, db)), r2);
}

/* Functions of one argument: f'(a) da. n is the node f(a) itself. */
static carom_node function_rule(carom_graph *g, carom_op op, carom_node n, carom_node a,
                                carom_node da)
{
    switch (op) {
    case CAROM_OP_SIN:
        return mul(g, unary(g, CAROM_OP_COS, a), da);
    case CAROM_OP_COS:
        return unary(g, CAROM_OP_NEG, mul(g, unary(g, CAROM_OP_SIN, a), da));
    case CAROM_OP_TAN:
        return mul(g, add(g, g->one, unary(g, CAROM_OP_SQUARE, n)), da);
    case CAROM_OP_ASIN:
        return quotient(g, da, unary(g, CAROM_OP_SQRT, one_minus_square(g, a)));
    case CAROM_OP_ACOS:
        return unary(g, CAROM_OP_NEG,
                     quotient(g, da, unary(g, CAROM_OP_SQRT, one_minus_square(g, a))));
    case CAROM_OP_ATAN:
        return quotient(g, da, add(g, g->one, unary(g, CAROM_OP_SQUARE, a)));
    case CAROM_OP_SINH:
        return mul(g, unary(g, CAROM_OP_COSH, a), da);
    case CAROM_OP_COSH:
        return mul(g, unary(g, CAROM_OP_SINH, a), da);
    case CAROM_OP_TANH: /* not 1 - tanh^2, which cancels */
        return mul(g, unary(g, CAROM_OP_SQUARE, unary(g, CAROM_OP_SECH, a)), da);
    case CAROM_OP_SECH:
        return unary(g, CAROM_OP_NEG, mul(g, mul(g, n, unary(g, CAROM_OP_TANH, a)), da));
    case CAROM_OP_EXP:
        return mul(g, n, da);
    case CAROM_OP_LOG:
        return quotient(g, da, a);
    case CAROM_OP_SQRT:
        return quotient(g, mul(g, carom_graph_constant(g, 0.5), da), n);
    case CAROM_OP_ABS:
        return mul(g, unary(g, CAROM_OP_SIDE, a), da);
    default: /* sign, side: zero */
        return g->zero;
    }
}

carom_node carom_derivative_rule(carom_graph *graph, carom_node node, const carom_node d[3])
{
    carom_graph *g = graph;
    const carom_graph_node n = g->nodes[node];
    carom_node a = n.as.arg[0], b = n.as.arg[1], da = d[0], db = d[1];
    switch ((carom_op)n.op) {
    case CAROM_OP_ADD:
        return add(g, da, db);
    case CAROM_OP_SUB:
        return sub(g, da, db);
    case CAROM_OP_MUL:
        return add(g, mul(g, da, b), mul(g, a, db));
    case CAROM_OP_DIV:
        return quotient(g, sub(g, da, mul(g, node, db)), b);
    case CAROM_OP_NEG:
        return unary(g, CAROM_OP_NEG, da);
    case CAROM_OP_SQUARE:
        return mul(g, mul(g, carom_graph_constant(g, 2), a), da);
    case CAROM_OP_POWER:
        return power_rule(g, a, b, da);
    case CAROM_OP_POW:
        return pow_rule(g, node, a, b, da, db);
    case CAROM_OP_ATAN2:
        return atan2_rule(g, a, b, da, db);
    case CAROM_OP_MIN: /* a tie belongs to the first argument */
        return carom_graph_apply(g, CAROM_OP_SELECT,
                                 carom_graph_binary(g, CAROM_OP_LESS_EQUAL, a, b), da, db);
    case CAROM_OP_MAX:
        return carom_graph_apply(g, CAROM_OP_SELECT,
                                 carom_graph_binary(g, CAROM_OP_LESS_EQUAL, b, a), da, db);
    case CAROM_OP_SELECT: /* the derivative of the branch taken */
        return carom_graph_apply(g, CAROM_OP_SELECT, a, db, d[2]);
    case CAROM_OP_CONST:
    case CAROM_OP_VARIABLE:
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
    case CAROM_OP_EQUAL:
        return g->zero;
    default:
        return function_rule(g, (carom_op)n.op, node, a, da);
    }
}
