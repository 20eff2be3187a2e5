/* From graph to tape: what is needed, sums joined, sines paired, instructions ordered in batches.
 */
#include "expr/tape_code.h"

#include <string.h>

/* Which groups need each node: from the outputs down, in one loop against the order of making. */
static void spread_groups(const carom_graph *g, const carom_tape_output *outputs, size_t count,
                          unsigned *groups)
{
    for (size_t k = 0; k < count; k++)
        groups[outputs[k].node] |= outputs[k].groups;
    for (carom_node x = g->count; x-- > 0;) {
        int arity = groups[x] ? carom_graph_arity((carom_op)g->nodes[x].op) : 0;
        for (int k = 0; k < arity; k++)
            groups[carom_graph_argument(g, x, k)] |= groups[x];
    }
}

/* Work space of the compiler: per node of the graph. */
typedef struct compiler {
    const carom_graph *g;
    unsigned *groups;
    uint32_t *slot;
    uint32_t *waiting;    /* arguments not computed yet */
    uint32_t *first_user; /* into users, by node; one entry more than nodes */
    carom_node *users;    /* nodes that use a node */
    carom_node *next;     /* next node in the list of those ready for the same operation */
    carom_node *cosine;   /* of a node, if its sine is needed too; else 0, which is a constant */
    carom_node *owner;    /* the sum that a term or partial sum is computed in; else the node */
    carom_node ready[CAROM_TAPE_OPS]; /* heads of these lists */
    uint32_t ready_count[CAROM_TAPE_OPS];
} compiler;

static bool is_operation(const carom_graph *g, carom_node x)
{
    return g->nodes[x].op != CAROM_OP_CONST && g->nodes[x].op != CAROM_OP_VARIABLE;
}

/* The cosine computed together with this sine, or 0. */
static carom_node partner(const compiler *c, carom_node x)
{
    const carom_graph_node *n = &c->g->nodes[x];
    return n->op == CAROM_OP_SIN ? c->cosine[n->as.arg[0]] : 0;
}

static bool is_sum(const carom_graph *g, carom_node x)
{
    return g->nodes[x].op == CAROM_OP_ADD || g->nodes[x].op == CAROM_OP_SUB;
}

/* The argument of a sum that continues it to the left, if it is computed in the same instruction:
 * 0 or 1, or -1. Subtracting a sum is not adding it, so that one stays apart. */
static int spine(const compiler *c, carom_node x)
{
    const carom_graph_node *n = &c->g->nodes[x];
    for (int k = 0; k < (n->op == CAROM_OP_ADD ? 2 : 1); k++)
        if (is_sum(c->g, n->as.arg[k]) && c->owner[n->as.arg[k]] == c->owner[x])
            return k;
    return -1;
}

/* Sums of three terms or more become one instruction, with products among their terms. Partial sums
 * and products go with the sum if nothing else uses them. `uses` counts users and outputs. */
static void join_sums(compiler *c, const uint32_t *uses)
{
    const carom_graph *g = c->g;
    for (carom_node x = 0; x < g->count; x++)
        c->owner[x] = x;
    for (carom_node x = g->count; x-- > 0;) {
        const carom_graph_node *n = &g->nodes[x];
        if (!c->groups[x] || !is_sum(g, x))
            continue;
        for (int k = 0; k < (n->op == CAROM_OP_ADD ? 2 : 1); k++) {
            carom_node a = n->as.arg[k];
            if (is_sum(g, a) && uses[a] == 1) {
                c->owner[a] = c->owner[x];
                break;
            }
        }
        bool part = c->owner[x] != x || spine(c, x) >= 0;
        for (int k = 0; part && k < 2; k++) {
            carom_node a = n->as.arg[k];
            bool product = g->nodes[a].op == CAROM_OP_MUL || g->nodes[a].op == CAROM_OP_SQUARE;
            if (product && uses[a] == 1)
                c->owner[a] = c->owner[x];
        }
    }
}

/* x can be computed. A cosine with a sine waits for nothing but that sine. */
static void make_ready(compiler *c, carom_node x)
{
    const carom_graph_node *n = &c->g->nodes[x];
    if (n->op == CAROM_OP_COS && c->cosine[n->as.arg[0]])
        return;
    int op = partner(c, x)                         ? CAROM_TAPE_SINCOS
             : is_sum(c->g, x) && spine(c, x) >= 0 ? CAROM_TAPE_SUM
                                                   : n->op;
    c->next[x] = c->ready[op];
    c->ready[op] = x;
    c->ready_count[op]++;
}

/* Sines and cosines of one argument find each other. */
static void pair_sines(compiler *c)
{
    const carom_graph *g = c->g;
    for (carom_node x = 0; x < g->count; x++)
        if (c->groups[x] && g->nodes[x].op == CAROM_OP_COS)
            c->cosine[g->nodes[x].as.arg[0]] = x;
    for (carom_node x = 0; x < g->count; x++) /* mark those with a sine */
        if (c->groups[x] && g->nodes[x].op == CAROM_OP_SIN)
            c->waiting[g->nodes[x].as.arg[0]] = 1;
    for (carom_node x = 0; x < g->count; x++) {
        if (!c->waiting[x])
            c->cosine[x] = 0;
        c->waiting[x] = 0;
    }
}

/* Who uses whom among the nodes needed, and who has nothing to wait for. */
static void connect(compiler *c)
{
    const carom_graph *g = c->g;
    for (int pass = 0; pass < 2; pass++) {
        for (carom_node x = 0; x < g->count; x++) {
            int arity = c->groups[x] && is_operation(g, x)
                            ? carom_graph_arity((carom_op)g->nodes[x].op)
                            : 0;
            for (int k = 0; k < arity; k++) {
                carom_node a = carom_graph_argument(g, x, k);
                if (!is_operation(g, a) || c->owner[a] != a)
                    continue;
                if (pass == 0) {
                    c->first_user[a + 1]++;
                    c->waiting[c->owner[x]]++;
                } else {
                    c->users[c->first_user[a]++] = c->owner[x];
                }
            }
        }
        /* Counts become starts; the second pass moves each start to the next node's. */
        for (carom_node x = 0; pass == 0 && x < g->count; x++)
            c->first_user[x + 1] += c->first_user[x];
    }
    for (carom_node x = g->count; x-- > 0;)
        if (c->groups[x] && is_operation(g, x) && c->owner[x] == x && !c->waiting[x])
            make_ready(c, x);
}

/* One term of a sum: a product that is computed in it, or anything else times 1. */
static carom_tape_term make_term(const compiler *c, carom_node sum, carom_node x, double sign)
{
    const carom_graph_node *n = &c->g->nodes[x];
    if (c->owner[x] != c->owner[sum])
        return (carom_tape_term){c->slot[x], 0, sign};
    carom_node b = n->op == CAROM_OP_SQUARE ? n->as.arg[0] : n->as.arg[1];
    return (carom_tape_term){c->slot[n->as.arg[0]], c->slot[b], sign};
}

/* The sum x from its last term to its first, then turned round: the order in which it was written,
 * and so the same rounding as one addition after the other. */
static void emit_sum(compiler *c, carom_tape *t, carom_node x, uint32_t slot)
{
    size_t first = t->term_count, last;
    for (carom_node y = x;;) {
        const carom_graph_node *n = &c->g->nodes[y];
        double sign = n->op == CAROM_OP_SUB ? -1 : 1;
        int on = spine(c, y);
        t->terms[t->term_count++] = make_term(c, y, n->as.arg[on == 1 ? 0 : 1], sign);
        if (on < 0) {
            t->terms[t->term_count++] = make_term(c, y, n->as.arg[0], 1);
            break;
        }
        y = n->as.arg[on];
    }
    last = t->term_count;
    c->slot[x] = slot;
    t->groups[t->count] = c->groups[x];
    t->ops[t->count] = CAROM_TAPE_SUM;
    t->codes[t->count++] = (carom_tape_code){slot, (uint32_t)first, (uint32_t)(last - first), 0};
    for (size_t i = first; i + 1 < last; i++) {
        carom_tape_term keep = t->terms[i];
        t->terms[i] = t->terms[--last];
        t->terms[last] = keep;
    }
}

/* Write the instruction of x; returns how many slots it fills. */
static uint32_t emit(compiler *c, carom_tape *t, carom_node x, uint32_t slot)
{
    const carom_graph_node *n = &c->g->nodes[x];
    int arity = carom_graph_arity((carom_op)n->op);
    carom_node cosine = partner(c, x);
    if (is_sum(c->g, x) && spine(c, x) >= 0) {
        emit_sum(c, t, x, slot);
        return 1;
    }
    c->slot[x] = slot;
    carom_tape_code k = {slot, c->slot[n->as.arg[0]], arity > 1 ? c->slot[n->as.arg[1]] : 0,
                         arity > 2 ? c->slot[n->c] : 0};
    if (cosine)
        k.c = c->slot[cosine] = slot + 1;
    t->groups[t->count] = c->groups[x] | (cosine ? c->groups[cosine] : 0);
    t->ops[t->count] = cosine ? CAROM_TAPE_SINCOS : n->op;
    t->codes[t->count++] = k;
    return cosine ? 2 : 1;
}

/* What used x need not wait for it any more. */
static void release(compiler *c, carom_node x)
{
    for (uint32_t k = x ? c->first_user[x - 1] : 0; k < c->first_user[x]; k++)
        if (--c->waiting[c->users[k]] == 0)
            make_ready(c, c->users[k]);
}

/* Order the operations in batches of equal ones: always the operation with most nodes ready. */
static void schedule(compiler *c, carom_tape *t, uint32_t slot)
{
    for (;;) {
        int op = 0;
        for (int k = 1; k < CAROM_TAPE_OPS; k++)
            op = c->ready_count[k] > c->ready_count[op] ? k : op;
        if (!c->ready_count[op])
            return;
        carom_node x = c->ready[op];
        c->ready[op] = CAROM_NODE_NONE;
        c->ready_count[op] = 0;
        while (x != CAROM_NODE_NONE) {
            carom_node following = c->next[x];
            slot += emit(c, t, x, slot);
            release(c, x);
            if (partner(c, x))
                release(c, partner(c, x));
            x = following;
        }
    }
}

static carom_tape_input make_input(carom_variable v, uint32_t slot)
{
    if (v == CAROM_VARIABLE_T)
        return (carom_tape_input){v, slot, 0, 0};
    return (carom_tape_input){v, slot, CAROM_VARIABLE_VELOCITY(v) ? 2 : 1,
                              (uint32_t)CAROM_VARIABLE_INDEX(v)};
}

/* Constants and variables get the first slots, after the 1. Returns the next slot. */
static uint32_t place_leaves(compiler *c, carom_tape *t)
{
    uint32_t used = 1;
    t->slots[0] = 1;
    for (carom_node x = 0; x < c->g->count; x++) {
        const carom_graph_node *n = &c->g->nodes[x];
        if (!c->groups[x] || is_operation(c->g, x))
            continue;
        c->slot[x] = used++;
        if (n->op == CAROM_OP_CONST) {
            t->slots[c->slot[x]] = n->as.value;
        } else if (CAROM_VARIABLE_PARAMETER(n->as.variable)) {
            t->slots[c->slot[x]] = c->g->parameters[CAROM_VARIABLE_INDEX(n->as.variable)];
            t->parameters[t->parameter_count++] =
                (carom_tape_input){.variable = n->as.variable, .slot = c->slot[x]};
        } else {
            t->inputs[t->input_count++] = make_input(n->as.variable, c->slot[x]);
        }
    }
    return used;
}

static carom_status take_tape(carom_tape *t, const compiler *c, carom_arena *arena,
                              carom_error *error)
{
    size_t leaves = 1, operations = 0;
    for (carom_node x = 0; x < c->g->count; x++)
        if (c->groups[x])
            (*(is_operation(c->g, x) ? &operations : &leaves))++;
    t->slot_count = leaves + operations;
    t->leaf_count = leaves;
    t->slots = carom_arena_zeros(arena, t->slot_count, sizeof(double));
    t->inputs = carom_arena_array(arena, leaves, sizeof *t->inputs);
    t->parameters = carom_arena_array(arena, c->g->parameter_count, sizeof *t->parameters);
    t->codes = carom_arena_array(arena, operations, sizeof *t->codes);
    t->ops = carom_arena_array(arena, operations, sizeof *t->ops);
    t->groups = carom_arena_array(arena, operations, sizeof *t->groups);
    t->terms = carom_arena_array(arena, 2 * operations, sizeof *t->terms);
    bool ok = t->slots && t->inputs && t->parameters && t->codes && t->ops && t->groups && t->terms;
    return ok ? CAROM_OK : carom_error_memory(error);
}

/* One block of memory for the compiler's arrays: at most three arguments, hence users, per node. */
static uint32_t *take_compiler(compiler *c, const carom_graph *g)
{
    size_t n = g->count, size = (7 * n + 1 + 3 * n) * sizeof(uint32_t);
    carom_allocator a = g->allocator;
    uint32_t *memory = a.resize(a.self, NULL, size);
    if (!memory)
        return NULL;
    memset(memory, 0, size);
    *c = (compiler){.g = g,
                    .groups = memory,
                    .slot = memory + n,
                    .waiting = memory + 2 * n,
                    .next = memory + 3 * n,
                    .cosine = memory + 4 * n,
                    .owner = memory + 5 * n,
                    .first_user = memory + 6 * n,
                    .users = memory + 7 * n + 1};
    for (int op = 0; op < CAROM_TAPE_OPS; op++)
        c->ready[op] = CAROM_NODE_NONE;
    return memory;
}

/* How often each node is used, by nodes needed and as an output. */
static void count_uses(const compiler *c, const carom_tape_output *outputs, size_t count,
                       uint32_t *uses)
{
    for (size_t k = 0; k < count; k++)
        uses[outputs[k].node]++;
    for (carom_node x = 0; x < c->g->count; x++) {
        int arity = c->groups[x] ? carom_graph_arity((carom_op)c->g->nodes[x].op) : 0;
        for (int k = 0; k < arity; k++)
            uses[carom_graph_argument(c->g, x, k)]++;
    }
}

carom_status carom_tape_compile(const carom_graph *graph, const carom_tape_output *outputs,
                                size_t count, carom_arena *arena, uint32_t *slot_of,
                                carom_tape *tape, carom_error *error)
{
    carom_allocator a = graph->allocator;
    compiler c;
    uint32_t *memory = take_compiler(&c, graph);
    if (!memory)
        return carom_error_memory(error);
    spread_groups(graph, outputs, count, c.groups);
    carom_status status = take_tape(tape, &c, arena, error);
    if (!status) {
        count_uses(&c, outputs, count, c.users); /* room that is free still */
        join_sums(&c, c.users);
        pair_sines(&c);
        connect(&c);
        schedule(&c, tape, place_leaves(&c, tape));
        for (size_t k = 0; k < count && slot_of; k++)
            slot_of[k] = c.slot[outputs[k].node];
    }
    a.resize(a.self, memory, 0);
    return status;
}
