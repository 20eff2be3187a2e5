/* Formulas as one graph of operations in which equal subexpressions are one node.
 *
 * Nodes are numbered in the order they are made, so arguments come before their users and every
 * pass over the graph is a loop, not a recursion. Operations on constants are folded, and the
 * identities of docs/theory/formulas.md applied, when a node is made. */
#ifndef CAROM_SRC_EXPR_GRAPH_H
#define CAROM_SRC_EXPR_GRAPH_H

#include "carom/base.h"

#include <stdint.h>

/* A node's number. NONE stands for "no memory" or "too large"; operations on it give NONE, so that
 * a whole construction is checked once, at its end (carom_graph_check). */
typedef uint32_t carom_node;
#define CAROM_NODE_NONE UINT32_MAX

/* Variables: time 0, coordinate i 1 + 2i, its velocity 2 + 2i; parameters, where they are kept as
 * variables, above 2^31. */
typedef uint32_t carom_variable;
#define CAROM_VARIABLE_T            0u
#define CAROM_VARIABLE_Q(i)         (1u + 2u * (carom_variable)(i))
#define CAROM_VARIABLE_U(i)         (2u + 2u * (carom_variable)(i))
#define CAROM_VARIABLE_P(k)         (0x80000000u + (carom_variable)(k))
#define CAROM_VARIABLE_PARAMETER(v) ((v) >= 0x80000000u)
#define CAROM_VARIABLE_VELOCITY(v)  ((v) != 0 && (v) % 2u == 0 && !CAROM_VARIABLE_PARAMETER(v))
#define CAROM_VARIABLE_INDEX(v)                                                                    \
    ((int)(CAROM_VARIABLE_PARAMETER(v) ? (v)-0x80000000u : ((v)-1u) / 2u))

/* What a node depends on: ALL is the state, P a parameter. BAD: on a constant that is not finite,
 * outside the branches of an if. */
enum {
    CAROM_ON_T = 1,
    CAROM_ON_Q = 2,
    CAROM_ON_U = 4,
    CAROM_ON_ALL = 7,
    CAROM_ON_BAD = 8,
    CAROM_ON_P = 16
};

/* The degree in the velocities of what is no polynomial in them. */
enum { CAROM_DEGREE_NONE = 255 };

/* Operations: enumerator, number of arguments. */
#define CAROM_OPS(X)                                                                               \
    X(CONST, 0)                                                                                    \
    X(VARIABLE, 0)                                                                                 \
    X(ADD, 2)                                                                                      \
    X(SUB, 2)                                                                                      \
    X(MUL, 2)                                                                                      \
    X(DIV, 2)                                                                                      \
    X(NEG, 1)                                                                                      \
    X(SQUARE, 1)                                                                                   \
    X(POWER, 2) /* a to the small integer constant b, by products */                               \
    X(POW, 2)                                                                                      \
    X(SIN, 1)                                                                                      \
    X(COS, 1)                                                                                      \
    X(TAN, 1)                                                                                      \
    X(ASIN, 1)                                                                                     \
    X(ACOS, 1)                                                                                     \
    X(ATAN, 1)                                                                                     \
    X(ATAN2, 2)                                                                                    \
    X(SINH, 1)                                                                                     \
    X(COSH, 1)                                                                                     \
    X(TANH, 1)                                                                                     \
    X(SECH, 1) /* 1/cosh, whose square is the slope of tanh */                                     \
    X(EXP, 1)                                                                                      \
    X(LOG, 1)                                                                                      \
    X(SQRT, 1)                                                                                     \
    X(ABS, 1)                                                                                      \
    X(SIGN, 1)                                                                                     \
    X(SIDE, 1) /* -1 below zero, otherwise 1: the slope of abs */                                  \
    X(MIN, 2)                                                                                      \
    X(MAX, 2)                                                                                      \
    X(LESS, 2)       /* a < b: 1 or 0 */                                                           \
    X(LESS_EQUAL, 2) /* a <= b */                                                                  \
    X(EQUAL, 2)                                                                                    \
    X(SELECT, 3) /* a != 0 ? b : c */

typedef enum carom_op {
#define CAROM_OP_ENUMERATOR(name, count) CAROM_OP_##name,
    CAROM_OPS(CAROM_OP_ENUMERATOR)
#undef CAROM_OP_ENUMERATOR
        CAROM_OP_COUNT
} carom_op;

int carom_graph_arity(carom_op op);

typedef struct carom_graph_node {
    uint8_t op;
    uint8_t on; /* CAROM_ON_ bits */
    uint8_t
        degree;   /* as a polynomial in the velocities, at most; CAROM_DEGREE_NONE if it is none */
    carom_node c; /* third argument */
    union {
        carom_node arg[2];
        double value; /* of a constant */
        carom_variable variable;
    } as;
} carom_graph_node;

typedef struct carom_graph {
    carom_allocator allocator;
    carom_graph_node *nodes;
    uint32_t count, capacity;
    uint32_t *table; /* open addressing: node numbers, NONE = empty */
    uint32_t table_size;
    carom_status failure; /* sticky: memory, or more than CAROM_EXPR_NODES_MAX nodes */
    carom_node zero, one;
    double *parameters; /* values of the parameters that are variables */
    uint32_t parameter_count, parameter_capacity;
} carom_graph;

carom_status carom_graph_init(carom_graph *graph, const carom_allocator *allocator,
                              carom_error *error);
void carom_graph_release(carom_graph *graph);

/* Report a failure met since the start. */
carom_status carom_graph_check(const carom_graph *graph, carom_error *error);

/* The node that is equal to this one, CAROM_NODE_NONE when there is none. */
carom_node carom_graph_find(const carom_graph *graph, const carom_graph_node *node);

carom_node carom_graph_constant(carom_graph *graph, double value);
carom_node carom_graph_variable(carom_graph *graph, carom_variable variable);

/* Parameter k as a variable, with the value it has. */
carom_node carom_graph_parameter(carom_graph *graph, int k, double value);

/* Any operation but CONST and VARIABLE; arguments beyond its arity are ignored. */
carom_node carom_graph_apply(carom_graph *graph, carom_op op, carom_node a, carom_node b,
                             carom_node c);

static inline carom_node carom_graph_unary(carom_graph *graph, carom_op op, carom_node a)
{
    return carom_graph_apply(graph, op, a, 0, 0);
}

static inline carom_node carom_graph_binary(carom_graph *graph, carom_op op, carom_node a,
                                            carom_node b)
{
    return carom_graph_apply(graph, op, a, b, 0);
}

static inline bool carom_graph_is_constant(const carom_graph *graph, carom_node a)
{
    return a < graph->count && graph->nodes[a].op == CAROM_OP_CONST;
}

/* Argument k of a node. */
static inline carom_node carom_graph_argument(const carom_graph *graph, carom_node a, int k)
{
    const carom_graph_node *n = &graph->nodes[a];
    return k < 2 ? n->as.arg[k] : n->c;
}

#endif
