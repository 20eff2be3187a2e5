/* Carries the partial derivatives of every node through the graph, as nodes. */
#include "expr/derivative.h"

#include "expr/derivative_rule.h"

#include <stdlib.h>
#include <string.h>

/* A growing array. */
typedef struct vector {
    void *data;
    size_t capacity; /* in bytes */
} vector;

/* A term of a sum: scale * node. */
typedef struct term {
    carom_node node;
    double scale;
} term;

/* The partial derivatives of a node: partials[start ... start+count-1]. */
typedef struct list {
    uint32_t start, count;
} list;

struct carom_derivative {
    carom_graph *graph;
    carom_status failure;
    vector stack;    /* terms still to be split, or nodes still to be visited */
    vector terms;    /* term */
    vector order;    /* carom_node: those a term is made of, in ascending order */
    vector mark;     /* uint32_t per node: position in order + base of the visit */
    vector lists;    /* list per position in order */
    vector partials; /* carom_partial, of one term */
    vector sums;     /* carom_partial, of all terms */
    vector dot;      /* carom_node per node, NONE: not known yet */
    vector rest;
    uint32_t marked; /* entries of mark in use, zero beyond */
    uint32_t base;   /* marks above it belong to this visit */
    uint32_t dots, rests;
};

carom_status carom_derivative_create(carom_graph *graph, carom_derivative **derivative,
                                     carom_error *error)
{
    carom_allocator *a = &graph->allocator;
    carom_derivative *made = a->resize(a->self, NULL, sizeof *made);
    if (!made)
        return carom_error_memory(error);
    *made = (carom_derivative){.graph = graph};
    *derivative = made;
    return CAROM_OK;
}

void carom_derivative_destroy(carom_derivative *derivative)
{
    if (!derivative)
        return;
    carom_derivative *d = derivative;
    carom_allocator *a = &d->graph->allocator;
    vector *all[] = {&d->stack,    &d->terms, &d->order, &d->mark, &d->lists,
                     &d->partials, &d->sums,  &d->dot,   &d->rest};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k]->data)
            a->resize(a->self, all[k]->data, 0);
    a->resize(a->self, d, 0);
}

carom_status carom_derivative_check(const carom_derivative *derivative, carom_error *error)
{
    carom_status status = carom_graph_check(derivative->graph, error);
    return status || !derivative->failure ? status : carom_error_memory(error);
}

/* Room for `count` entries; false when there is no memory. */
static bool reserve(carom_derivative *d, vector *v, size_t count, size_t size)
{
    if (d->failure)
        return false;
    if (count * size <= v->capacity)
        return true;
    size_t capacity = v->capacity ? v->capacity : 1024;
    while (capacity < count * size)
        capacity *= 2;
    carom_allocator *a = &d->graph->allocator;
    void *data = a->resize(a->self, v->data, capacity);
    if (!data) {
        d->failure = CAROM_ERROR_MEMORY;
        return false;
    }
    v->data = data;
    v->capacity = capacity;
    return true;
}

#define PUSH(d, v, count, type, value)                                                             \
    (reserve(d, &(v), (size_t)(count) + 1, sizeof(type))                                           \
         ? (void)(((type *)(v).data)[(count)++] = (value))                                         \
         : (void)0)

static double constant_of(const carom_graph *g, carom_node n)
{
    return g->nodes[n].as.value;
}

/* Split a node into terms, through sums, differences, signs and constant factors. */
static size_t split(carom_derivative *d, carom_node root, unsigned on)
{
    const carom_graph *g = d->graph;
    size_t waiting = 0, count = 0;
    PUSH(d, d->stack, waiting, term, ((term){root, 1}));
    while (waiting > 0 && !d->failure) {
        term x = ((term *)d->stack.data)[--waiting];
        const carom_graph_node *n = &g->nodes[x.node];
        if (!(n->on & on))
            continue;
        carom_node a = n->as.arg[0], b = n->as.arg[1];
        if (n->op == CAROM_OP_ADD || n->op == CAROM_OP_SUB) {
            double sign = n->op == CAROM_OP_ADD ? 1 : -1;
            PUSH(d, d->stack, waiting, term, ((term){b, sign * x.scale}));
            PUSH(d, d->stack, waiting, term, ((term){a, x.scale}));
        } else if (n->op == CAROM_OP_NEG) {
            PUSH(d, d->stack, waiting, term, ((term){a, -x.scale}));
        } else if (n->op == CAROM_OP_MUL && carom_graph_is_constant(g, a)) {
            PUSH(d, d->stack, waiting, term, ((term){b, x.scale * constant_of(g, a)}));
        } else {
            PUSH(d, d->terms, count, term, x);
        }
    }
    return d->failure ? 0 : count;
}

static int compare_nodes(const void *a, const void *b)
{
    carom_node x = *(const carom_node *)a, y = *(const carom_node *)b;
    return (x > y) - (x < y);
}

/* The nodes that root is made of and that depend on `on`, ascending; their positions in `mark`. */
static size_t visit(carom_derivative *d, carom_node root, unsigned on)
{
    const carom_graph *g = d->graph;
    size_t waiting = 0, count = 0;
    if (!reserve(d, &d->mark, g->count, sizeof(uint32_t)))
        return 0;
    uint32_t *mark = d->mark.data;
    memset(mark + d->marked, 0, (g->count - d->marked) * sizeof *mark);
    d->marked = g->count;
    if (d->base > UINT32_MAX / 2) { /* marks would wrap: start afresh */
        memset(mark, 0, g->count * sizeof *mark);
        d->base = 0;
    }
    PUSH(d, d->stack, waiting, carom_node, root);
    while (waiting > 0 && !d->failure) {
        carom_node x = ((carom_node *)d->stack.data)[--waiting];
        if (mark[x] > d->base || !(g->nodes[x].on & on))
            continue;
        mark[x] = d->base + 1;
        PUSH(d, d->order, count, carom_node, x);
        int arity = carom_graph_arity((carom_op)g->nodes[x].op);
        for (int k = g->nodes[x].op == CAROM_OP_SELECT; k < arity; k++)
            PUSH(d, d->stack, waiting, carom_node, carom_graph_argument(g, x, k));
    }
    if (d->failure || !reserve(d, &d->lists, count, sizeof(list)))
        return 0;
    qsort(d->order.data, count, sizeof(carom_node), compare_nodes);
    for (size_t k = 0; k < count; k++)
        mark[((carom_node *)d->order.data)[k]] = d->base + 1 + (uint32_t)k;
    return count;
}

/* The list of one node from the lists of its arguments: a merge by variable. */
static size_t derive(carom_derivative *d, carom_node x, unsigned on, size_t used)
{
    const uint32_t *mark = d->mark.data;
    const list *lists = d->lists.data;
    carom_graph *g = d->graph;
    const carom_graph_node n = g->nodes[x];
    if (n.op == CAROM_OP_VARIABLE) {
        PUSH(d, d->partials, used, carom_partial, ((carom_partial){n.as.variable, g->one}));
        return used;
    }
    list rest[3] = {{0, 0}, {0, 0}, {0, 0}};
    int arity = carom_graph_arity((carom_op)n.op);
    for (int k = n.op == CAROM_OP_SELECT; k < arity; k++) {
        carom_node a = carom_graph_argument(g, x, k);
        if (g->nodes[a].on & on)
            rest[k] = lists[mark[a] - d->base - 1];
    }
    for (;;) {
        const carom_partial *all = d->partials.data;
        carom_variable v = UINT32_MAX;
        for (int k = 0; k < arity; k++)
            if (rest[k].count && all[rest[k].start].variable < v)
                v = all[rest[k].start].variable;
        if (v == UINT32_MAX || d->failure)
            return used;
        carom_node da[3] = {g->zero, g->zero, g->zero};
        for (int k = 0; k < arity; k++)
            if (rest[k].count && all[rest[k].start].variable == v) {
                da[k] = all[rest[k].start].node;
                rest[k].start++;
                rest[k].count--;
            }
        carom_node dx = carom_derivative_rule(g, x, da);
        if (dx != g->zero)
            PUSH(d, d->partials, used, carom_partial, ((carom_partial){v, dx}));
    }
}

/* Append the gradient of one term, scaled, to the sums. */
static size_t derive_term(carom_derivative *d, term x, unsigned on, size_t sums)
{
    size_t count = visit(d, x.node, on), used = 0;
    for (size_t k = 0; k < count && !d->failure; k++) {
        size_t before = used;
        used = derive(d, ((carom_node *)d->order.data)[k], on, used);
        ((list *)d->lists.data)[k] = (list){(uint32_t)before, (uint32_t)(used - before)};
    }
    d->base += (uint32_t)count + 1;
    if (d->failure || !count)
        return sums;
    list last = ((list *)d->lists.data)[count - 1]; /* the term itself is the youngest node */
    carom_node scale = carom_graph_constant(d->graph, x.scale);
    for (uint32_t k = 0; k < last.count; k++) {
        carom_partial p = ((carom_partial *)d->partials.data)[last.start + k];
        p.node = carom_graph_binary(d->graph, CAROM_OP_MUL, scale, p.node);
        PUSH(d, d->sums, sums, carom_partial, p);
    }
    return sums;
}

/* Stable: terms keep their order. Merge sort of runs, in place with a second half of the array. */
static void sort_partials(carom_partial *p, carom_partial *spare, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            for (size_t i = start, j = middle, k = start; k < end; k++)
                spare[k] =
                    i < middle && (j >= end || p[i].variable <= p[j].variable) ? p[i++] : p[j++];
        }
        memcpy(p, spare, count * sizeof *p);
    }
}

const carom_partial *carom_derivative_gradient(carom_derivative *derivative, carom_node node,
                                               unsigned on, int *count)
{
    carom_derivative *d = derivative;
    *count = 0;
    if (node == CAROM_NODE_NONE || d->failure)
        return NULL;
    size_t terms = split(d, node, on), sums = 0;
    for (size_t k = 0; k < terms && !d->failure; k++)
        sums = derive_term(d, ((term *)d->terms.data)[k], on, sums);
    if (!sums || !reserve(d, &d->sums, 2 * sums, sizeof(carom_partial)))
        return NULL;
    carom_partial *p = d->sums.data;
    sort_partials(p, p + sums, sums);
    size_t kept = 0;
    for (size_t k = 0; k < sums;) {
        carom_partial total = p[k++];
        for (; k < sums && p[k].variable == total.variable; k++)
            total.node = carom_graph_binary(d->graph, CAROM_OP_ADD, total.node, p[k].node);
        if (total.node != d->graph->zero)
            p[kept++] = total;
    }
    *count = (int)kept;
    return p;
}

/* Maps of the whole graph, remembered per node: f of a node from f of its arguments. */

typedef carom_node (*node_map)(carom_graph *g, carom_node x, const carom_node args[3]);

static carom_node map(carom_derivative *d, vector *memory, uint32_t *known, carom_node root,
                      node_map f)
{
    carom_graph *g = d->graph;
    size_t waiting = 0;
    if (root == CAROM_NODE_NONE || !reserve(d, memory, g->count, sizeof(carom_node)))
        return CAROM_NODE_NONE;
    carom_node *image = memory->data;
    if (g->count > *known)
        memset(image + *known, 0xFF, (g->count - *known) * sizeof *image);
    *known = g->count;
    PUSH(d, d->stack, waiting, carom_node, root);
    while (waiting > 0 && !d->failure && !g->failure) {
        carom_node x = ((carom_node *)d->stack.data)[waiting - 1], args[3] = {0};
        int arity = carom_graph_arity((carom_op)g->nodes[x].op);
        bool ready = true;
        for (int k = 0; k < arity; k++) {
            carom_node a = carom_graph_argument(g, x, k);
            args[k] = image[a];
            if (args[k] == CAROM_NODE_NONE) {
                PUSH(d, d->stack, waiting, carom_node, a);
                ready = false;
            }
        }
        if (!ready)
            continue;
        image[x] = f(g, x, args);
        waiting--;
    }
    return d->failure || g->failure ? CAROM_NODE_NONE : image[root];
}

static carom_node time_rule(carom_graph *g, carom_node x, const carom_node args[3])
{
    const carom_graph_node *n = &g->nodes[x];
    if (n->op != CAROM_OP_VARIABLE)
        return carom_derivative_rule(g, x, args);
    carom_variable v = n->as.variable;
    if (v == CAROM_VARIABLE_T)
        return g->one;
    return CAROM_VARIABLE_VELOCITY(v) || CAROM_VARIABLE_PARAMETER(v)
               ? g->zero
               : carom_graph_variable(g, v + 1);
}

carom_node carom_derivative_in_time(carom_derivative *derivative, carom_node node)
{
    return map(derivative, &derivative->dot, &derivative->dots, node, time_rule);
}

static carom_node rest_rule(carom_graph *g, carom_node x, const carom_node args[3])
{
    const carom_graph_node n = g->nodes[x];
    if (!(n.on & CAROM_ON_U))
        return x;
    if (n.op == CAROM_OP_VARIABLE)
        return g->zero;
    return carom_graph_apply(g, (carom_op)n.op, args[0], args[1], args[2]);
}

carom_node carom_derivative_at_rest(carom_derivative *derivative, carom_node node)
{
    return map(derivative, &derivative->rest, &derivative->rests, node, rest_rule);
}
