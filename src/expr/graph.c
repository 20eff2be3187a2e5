/* Makes nodes: folds constants, finds equal ones, keeps signs outside. */
#include "expr/graph_identities.h"

#include "carom/expr.h"
#include "expr/op.h"

#include <string.h>

enum { FIRST_NODES = 256 };

int carom_graph_arity(carom_op op)
{
    static const unsigned char arity[] = {
#define OP_ARITY(name, count) count,
        CAROM_OPS(OP_ARITY)
#undef OP_ARITY
    };
    return arity[op];
}

/* The hash table: equal nodes are found by operation, arguments and the bits of a constant. */

static uint64_t hash(const carom_graph_node *n)
{
    uint64_t bits;
    memcpy(&bits, &n->as, sizeof bits);
    uint64_t h = bits * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    h = (h + n->op + ((uint64_t)n->c << 8)) * 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 32);
}

static bool equal(const carom_graph_node *a, const carom_graph_node *b)
{
    return a->op == b->op && a->c == b->c && memcmp(&a->as, &b->as, sizeof a->as) == 0;
}

/* The place of a node in the table: where it is, or where it would go. */
static uint32_t *find(const carom_graph *g, const carom_graph_node *n)
{
    uint32_t mask = g->table_size - 1;
    uint32_t k = (uint32_t)hash(n) & mask;
    while (g->table[k] != CAROM_NODE_NONE && !equal(&g->nodes[g->table[k]], n))
        k = (k + 1) & mask;
    return &g->table[k];
}

carom_node carom_graph_find(const carom_graph *graph, const carom_graph_node *node)
{
    return *find(graph, node);
}

/* Twice as many nodes, and a table four times as large as the nodes. */
static bool grow(carom_graph *g)
{
    uint32_t capacity = g->capacity ? 2 * g->capacity : FIRST_NODES;
    if (capacity > CAROM_EXPR_NODES_MAX) {
        g->failure = CAROM_ERROR_UNSUPPORTED;
        return false;
    }
    carom_allocator *a = &g->allocator;
    carom_graph_node *nodes = a->resize(a->self, g->nodes, capacity * sizeof *nodes);
    if (nodes)
        g->nodes = nodes;
    uint32_t size = 4 * capacity;
    uint32_t *table = nodes ? a->resize(a->self, NULL, size * sizeof *table) : NULL;
    if (!table) {
        g->failure = CAROM_ERROR_MEMORY;
        return false;
    }
    memset(table, 0xFF, size * sizeof *table);
    a->resize(a->self, g->table, 0);
    g->table = table;
    g->table_size = size;
    g->capacity = capacity;
    for (uint32_t k = 0; k < g->count; k++)
        *find(g, &g->nodes[k]) = k;
    return true;
}

static carom_node insert(carom_graph *g, const carom_graph_node *n)
{
    if (g->failure)
        return CAROM_NODE_NONE;
    uint32_t *place = find(g, n);
    if (*place != CAROM_NODE_NONE)
        return *place;
    if (g->count == g->capacity) {
        if (!grow(g))
            return CAROM_NODE_NONE;
        place = find(g, n);
    }
    g->nodes[g->count] = *n;
    *place = g->count;
    return g->count++;
}

carom_status carom_graph_init(carom_graph *graph, const carom_allocator *allocator,
                              carom_error *error)
{
    *graph = (carom_graph){.allocator = *allocator};
    if (!grow(graph)) {
        carom_graph_release(graph);
        return carom_error_memory(error);
    }
    graph->zero = carom_graph_constant(graph, 0);
    graph->one = carom_graph_constant(graph, 1);
    return CAROM_OK;
}

void carom_graph_release(carom_graph *graph)
{
    carom_allocator *a = &graph->allocator;
    if (graph->nodes)
        a->resize(a->self, graph->nodes, 0);
    if (graph->table)
        a->resize(a->self, graph->table, 0);
    if (graph->parameters)
        a->resize(a->self, graph->parameters, 0);
    graph->nodes = NULL;
    graph->table = NULL;
    graph->parameters = NULL;
}

carom_status carom_graph_check(const carom_graph *graph, carom_error *error)
{
    if (graph->failure == CAROM_ERROR_UNSUPPORTED)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "the formulas and their derivatives need more than %d operations",
                               CAROM_EXPR_NODES_MAX);
    return graph->failure ? carom_error_memory(error) : CAROM_OK;
}

carom_node carom_graph_constant(carom_graph *graph, double value)
{
    carom_graph_node n = {.op = CAROM_OP_CONST};
    n.as.value = value == 0 ? 0 : isnan(value) ? NAN : value; /* one zero, one NaN */
    n.on = isfinite(value) ? 0 : CAROM_ON_BAD;
    return insert(graph, &n);
}

carom_node carom_graph_variable(carom_graph *graph, carom_variable variable)
{
    carom_graph_node n = {.op = CAROM_OP_VARIABLE};
    n.as.variable = variable;
    n.on = variable == CAROM_VARIABLE_T         ? CAROM_ON_T
           : CAROM_VARIABLE_PARAMETER(variable) ? CAROM_ON_P
           : CAROM_VARIABLE_VELOCITY(variable)  ? CAROM_ON_U
                                                : CAROM_ON_Q;
    n.degree = n.on == CAROM_ON_U;
    return insert(graph, &n);
}

carom_node carom_graph_parameter(carom_graph *graph, int k, double value)
{
    carom_allocator *a = &graph->allocator;
    if ((uint32_t)k >= graph->parameter_capacity) {
        uint32_t capacity = 2 * (uint32_t)k + 16;
        double *grown = a->resize(a->self, graph->parameters, capacity * sizeof *grown);
        if (!grown) {
            graph->failure = CAROM_ERROR_MEMORY;
            return CAROM_NODE_NONE;
        }
        graph->parameters = grown;
        graph->parameter_capacity = capacity;
    }
    while (graph->parameter_count <= (uint32_t)k)
        graph->parameters[graph->parameter_count++] = 0;
    graph->parameters[k] = value;
    return carom_graph_variable(graph, CAROM_VARIABLE_P(k));
}

static carom_op op_of(const carom_graph *g, carom_node a)
{
    return (carom_op)g->nodes[a].op;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The degree in the velocities of an operation on arguments of degrees d. */
static uint8_t degree_of(const carom_graph *g, carom_op op, const carom_node args[3],
                         const int d[3])
{
    int all = larger(larger(d[0], d[1]), d[2]), degree = all ? CAROM_DEGREE_NONE : 0;
    if (all == CAROM_DEGREE_NONE)
        return CAROM_DEGREE_NONE;
    switch (op) {
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
    case CAROM_OP_NEG:
        degree = all;
        break;
    case CAROM_OP_MUL:
        degree = d[0] + d[1];
        break;
    case CAROM_OP_SQUARE:
        degree = 2 * d[0];
        break;
    case CAROM_OP_DIV:
        degree = d[1] ? CAROM_DEGREE_NONE : d[0];
        break;
    case CAROM_OP_POWER:
        if (g->nodes[args[1]].as.value > 0)
            degree = d[0] * (int)g->nodes[args[1]].as.value;
        break;
    case CAROM_OP_SELECT:
        degree = d[0] ? CAROM_DEGREE_NONE : all;
        break;
    default:
        break;
    }
    return (uint8_t)(degree < CAROM_DEGREE_NONE ? degree : CAROM_DEGREE_NONE);
}

carom_node carom_graph_apply(carom_graph *graph, carom_op op, carom_node a, carom_node b,
                             carom_node c)
{
    int arity = carom_graph_arity(op);
    carom_node args[3] = {a, arity > 1 ? b : 0, arity > 2 ? c : 0};
    bool constant = true;
    uint8_t on = 0;
    double x[3] = {0};
    int degrees[3] = {0};
    for (int k = 0; k < arity; k++) {
        if (args[k] == CAROM_NODE_NONE || graph->failure)
            return CAROM_NODE_NONE;
        const carom_graph_node *n = &graph->nodes[args[k]];
        on |= op == CAROM_OP_SELECT && k > 0 ? n->on & ~CAROM_ON_BAD : n->on;
        degrees[k] = n->degree;
        constant = constant && op_of(graph, args[k]) == CAROM_OP_CONST;
        x[k] = op_of(graph, args[k]) == CAROM_OP_CONST ? graph->nodes[args[k]].as.value : 0;
    }
    if (constant)
        return carom_graph_constant(graph, carom_op_evaluate(op, x[0], x[1], x[2]));
    /* Sums and products commute to the last bit: constant first, then the older node. */
    if (op == CAROM_OP_ADD || op == CAROM_OP_MUL) {
        bool swap = op_of(graph, args[1]) == CAROM_OP_CONST ||
                    (op_of(graph, args[0]) != CAROM_OP_CONST && args[1] < args[0]);
        if (swap) {
            carom_node keep = args[0];
            args[0] = args[1];
            args[1] = keep;
            int degree = degrees[0];
            degrees[0] = degrees[1];
            degrees[1] = degree;
        }
    }
    carom_node simpler = carom_graph_identities_find(graph, op, args[0], args[1], args[2]);
    if (simpler != CAROM_NODE_NONE || graph->failure)
        return simpler;
    carom_graph_node n = {.op = (uint8_t)op, .on = on, .c = args[2]};
    n.degree = degree_of(graph, op, args, degrees);
    n.as.arg[0] = args[0];
    n.as.arg[1] = args[1];
    return insert(graph, &n);
}
