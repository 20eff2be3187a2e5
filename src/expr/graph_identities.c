/* Identities applied when a node is made: docs/theory/formulas.md, "Identities". Each helper
 * returns the simpler node, or NONE when there is none and the operation is to be stored. */
#include "expr/graph_identities.h"

#include "carom/expr.h"
#include "expr/op.h"

static carom_op op_of(const carom_graph *g, carom_node a)
{
    return (carom_op)g->nodes[a].op;
}

static bool is(const carom_graph *g, carom_node a, double value)
{
    return op_of(g, a) == CAROM_OP_CONST && g->nodes[a].as.value == value;
}

static carom_node arg(const carom_graph *g, carom_node a, int k)
{
    return g->nodes[a].as.arg[k];
}

static carom_node negate(carom_graph *g, carom_node a)
{
    return carom_graph_unary(g, CAROM_OP_NEG, a);
}

/* Whether a node is a constant times something. */
static bool has_factor(const carom_graph *g, carom_node a)
{
    return op_of(g, a) == CAROM_OP_MUL && op_of(g, arg(g, a, 0)) == CAROM_OP_CONST;
}

/* a + sign b of multiples of one node: c x + sign d x. NONE when they are not. */
static carom_node simplify_like(carom_graph *g, carom_node a, carom_node b, double sign)
{
    bool scaled_a = has_factor(g, a), scaled_b = has_factor(g, b);
    carom_node x = scaled_a ? arg(g, a, 1) : a, y = scaled_b ? arg(g, b, 1) : b;
    if (x != y || !(scaled_a || scaled_b))
        return CAROM_NODE_NONE;
    double c = scaled_a ? g->nodes[arg(g, a, 0)].as.value : 1;
    double d = scaled_b ? g->nodes[arg(g, b, 0)].as.value : 1;
    return carom_graph_binary(g, CAROM_OP_MUL, carom_graph_constant(g, c + sign * d), x);
}

static carom_node simplify_add(carom_graph *g, carom_node a, carom_node b)
{
    if (a == g->zero)
        return b;
    if (b == g->zero)
        return a;
    if (a == b)
        return carom_graph_binary(g, CAROM_OP_MUL, carom_graph_constant(g, 2), a);
    if (op_of(g, b) == CAROM_OP_NEG)
        return carom_graph_binary(g, CAROM_OP_SUB, a, arg(g, b, 0));
    if (op_of(g, a) == CAROM_OP_NEG)
        return carom_graph_binary(g, CAROM_OP_SUB, b, arg(g, a, 0));
    return simplify_like(g, a, b, 1);
}

static carom_node simplify_sub(carom_graph *g, carom_node a, carom_node b)
{
    if (b == g->zero)
        return a;
    if (a == g->zero)
        return negate(g, b);
    if (a == b)
        return g->zero;
    if (op_of(g, b) == CAROM_OP_NEG)
        return carom_graph_binary(g, CAROM_OP_ADD, a, arg(g, b, 0));
    if (op_of(g, a) == CAROM_OP_NEG)
        return negate(g, carom_graph_binary(g, CAROM_OP_ADD, arg(g, a, 0), b));
    carom_node multiple = simplify_like(g, a, b, -1);
    if (multiple != CAROM_NODE_NONE)
        return multiple;
    /* The opposite of a difference that is there already shares it. */
    carom_graph_node opposite = {.op = CAROM_OP_SUB};
    opposite.as.arg[0] = b;
    opposite.as.arg[1] = a;
    carom_node known = carom_graph_find(g, &opposite);
    return known == CAROM_NODE_NONE ? CAROM_NODE_NONE : negate(g, known);
}

/* The product of constants c d when it is a finite number that did not underflow. */
static carom_node merge(carom_graph *g, carom_node c, carom_node d)
{
    double product = g->nodes[c].as.value * g->nodes[d].as.value;
    return isnormal(product) ? carom_graph_constant(g, product) : CAROM_NODE_NONE;
}

/* c b, c a constant: signs and constants move outwards, c > 0. */
static carom_node simplify_scale(carom_graph *g, carom_node c, carom_node b)
{
    if (c == g->zero)
        return g->zero;
    if (c == g->one)
        return b;
    if (g->nodes[c].as.value < 0)
        return negate(g, carom_graph_binary(g, CAROM_OP_MUL, negate(g, c), b));
    if (op_of(g, b) == CAROM_OP_NEG)
        return negate(g, carom_graph_binary(g, CAROM_OP_MUL, c, arg(g, b, 0)));
    if (has_factor(g, b)) {
        carom_node rest = arg(g, b, 1), product = merge(g, c, arg(g, b, 0));
        if (product != CAROM_NODE_NONE)
            return carom_graph_binary(g, CAROM_OP_MUL, product, rest);
    }
    return CAROM_NODE_NONE;
}

/* a is the constant, if there is one. */
static carom_node simplify_mul(carom_graph *g, carom_node a, carom_node b)
{
    if (op_of(g, a) == CAROM_OP_CONST)
        return simplify_scale(g, a, b);
    if (a == b)
        return carom_graph_unary(g, CAROM_OP_SQUARE, a);
    if (op_of(g, a) == CAROM_OP_NEG)
        return negate(g, carom_graph_binary(g, CAROM_OP_MUL, arg(g, a, 0), b));
    if (op_of(g, b) == CAROM_OP_NEG)
        return negate(g, carom_graph_binary(g, CAROM_OP_MUL, a, arg(g, b, 0)));
    for (int k = 0; k < 2; k++) {
        carom_node scaled = k ? b : a, other = k ? a : b;
        if (has_factor(g, scaled)) {
            carom_node c = arg(g, scaled, 0), rest = arg(g, scaled, 1);
            return carom_graph_binary(g, CAROM_OP_MUL, c,
                                      carom_graph_binary(g, CAROM_OP_MUL, rest, other));
        }
    }
    return CAROM_NODE_NONE;
}

/* Division by a power of two is an exact product. */
static bool is_power_of_two(double x)
{
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5 && exponent > -1000 && exponent < 1000;
}

static carom_node simplify_div(carom_graph *g, carom_node a, carom_node b)
{
    if (b == g->one)
        return a;
    if (a == g->zero && !is(g, b, 0))
        return g->zero;
    if (op_of(g, b) == CAROM_OP_CONST && is_power_of_two(g->nodes[b].as.value))
        return carom_graph_binary(g, CAROM_OP_MUL,
                                  carom_graph_constant(g, 1 / g->nodes[b].as.value), a);
    if (op_of(g, a) == CAROM_OP_NEG)
        return negate(g, carom_graph_binary(g, CAROM_OP_DIV, arg(g, a, 0), b));
    if (op_of(g, b) == CAROM_OP_NEG)
        return negate(g, carom_graph_binary(g, CAROM_OP_DIV, a, arg(g, b, 0)));
    if (has_factor(g, a) && op_of(g, b) != CAROM_OP_CONST) {
        carom_node c = arg(g, a, 0);
        return carom_graph_binary(g, CAROM_OP_MUL, c,
                                  carom_graph_binary(g, CAROM_OP_DIV, arg(g, a, 1), b));
    }
    return CAROM_NODE_NONE;
}

/* asin and acos of a sine or cosine, the saw teeth that tables are made of: atan2 of the two, one
 * of them by its amount. It keeps in the corners the digits that asin loses there, and so do its
 * derivatives, in which 1 - sin^2 would cancel. */
static carom_node simplify_saw(carom_graph *g, carom_op op, carom_node a)
{
    const bool sine = op_of(g, a) == CAROM_OP_SIN;
    if (!sine && op_of(g, a) != CAROM_OP_COS)
        return CAROM_NODE_NONE;
    const carom_node other = carom_graph_unary(g, sine ? CAROM_OP_COS : CAROM_OP_SIN, arg(g, a, 0));
    const carom_node amount = carom_graph_unary(g, CAROM_OP_ABS, other);
    return op == CAROM_OP_ASIN ? carom_graph_binary(g, CAROM_OP_ATAN2, a, amount)
                               : carom_graph_binary(g, CAROM_OP_ATAN2, amount, a);
}

/* f(-a) of even and odd functions. */
static carom_node simplify_function(carom_graph *g, carom_op op, carom_node a)
{
    if (op == CAROM_OP_ASIN || op == CAROM_OP_ACOS) {
        const carom_node saw = simplify_saw(g, op, a);
        if (saw != CAROM_NODE_NONE)
            return saw;
    }
    if (op_of(g, a) != CAROM_OP_NEG)
        return CAROM_NODE_NONE;
    switch (op) {
    case CAROM_OP_SQUARE:
    case CAROM_OP_COS:
    case CAROM_OP_COSH:
    case CAROM_OP_SECH:
    case CAROM_OP_ABS:
        return carom_graph_unary(g, op, arg(g, a, 0));
    case CAROM_OP_NEG:
        return arg(g, a, 0);
    case CAROM_OP_SIN:
    case CAROM_OP_TAN:
    case CAROM_OP_ASIN:
    case CAROM_OP_ATAN:
    case CAROM_OP_SINH:
    case CAROM_OP_TANH:
    case CAROM_OP_SIGN:
        return negate(g, carom_graph_unary(g, op, arg(g, a, 0)));
    default:
        return CAROM_NODE_NONE;
    }
}

/* Powers with a constant exponent: x^0 = 1 (also 0^0), products for small whole exponents. */
static carom_node simplify_pow(carom_graph *g, carom_node a, carom_node b)
{
    if (op_of(g, b) != CAROM_OP_CONST)
        return CAROM_NODE_NONE;
    double k = g->nodes[b].as.value;
    if (k == 0)
        return g->one;
    if (k == 1)
        return a;
    if (k == 2)
        return carom_graph_unary(g, CAROM_OP_SQUARE, a);
    if (k == 3 || k == 4) {
        carom_node square = carom_graph_unary(g, CAROM_OP_SQUARE, a);
        return k == 3 ? carom_graph_binary(g, CAROM_OP_MUL, square, a)
                      : carom_graph_unary(g, CAROM_OP_SQUARE, square);
    }
    if (k == 0.5)
        return carom_graph_unary(g, CAROM_OP_SQRT, a);
    if (k == -1)
        return carom_graph_binary(g, CAROM_OP_DIV, g->one, a);
    if (k == rint(k) && fabs(k) <= CAROM_POWER_MAX)
        return carom_graph_binary(g, CAROM_OP_POWER, a, b);
    return CAROM_NODE_NONE;
}

static carom_node simplify_select(carom_graph *g, carom_node a, carom_node b, carom_node c)
{
    if (b == c)
        return b;
    if (op_of(g, a) == CAROM_OP_CONST && !isnan(g->nodes[a].as.value))
        return a == g->zero ? c : b;
    return CAROM_NODE_NONE;
}

carom_node carom_graph_identities_find(carom_graph *g, carom_op op, carom_node a, carom_node b,
                                       carom_node c)
{
    switch (op) {
    case CAROM_OP_ADD:
        return simplify_add(g, a, b);
    case CAROM_OP_SUB:
        return simplify_sub(g, a, b);
    case CAROM_OP_MUL:
        return simplify_mul(g, a, b);
    case CAROM_OP_DIV:
        return simplify_div(g, a, b);
    case CAROM_OP_POW:
        return simplify_pow(g, a, b);
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
        return a == b ? a : CAROM_NODE_NONE;
    case CAROM_OP_SELECT:
        return simplify_select(g, a, b, c);
    default:
        return simplify_function(g, op, a);
    }
}
