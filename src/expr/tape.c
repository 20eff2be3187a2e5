#include "expr/tape.h"

#include "base/arena.h"
#include "expr/op.h"

#include <string.h>

enum {
    PROGRAMS = 6,            /* combinations of groups kept ready */
    SINCOS = CAROM_OP_COUNT, /* both of one argument: slot `to` the sine, slot `c` the cosine */
    OPS = CAROM_OP_COUNT + 1
};

/* Slot `to` = op(slots a, b, c). */
typedef struct code {
    uint32_t to, a, b, c;
} code;

/* `count` instructions of one operation that do not depend on each other. */
typedef struct batch {
    uint32_t op, count;
} batch;

typedef struct input {
    carom_variable variable;
    uint32_t slot;
} input;

/* The instructions of one combination of groups; room for all. */
typedef struct program {
    unsigned groups;
    size_t count, batch_count;
    code *codes;
    batch *batches;
} program;

struct carom_tape {
    double *slots;
    input *inputs;
    size_t input_count;
    code *codes; /* all, arguments before their users */
    uint8_t *ops;
    unsigned *groups; /* that need each instruction */
    size_t count;
    program programs[PROGRAMS];
    int next; /* program to be replaced */
};

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
    uint32_t *waiting;     /* arguments not computed yet */
    uint32_t *first_user;  /* into users, by node; one entry more than nodes */
    carom_node *users;     /* nodes that use a node */
    carom_node *next;      /* next node in the list of those ready for the same operation */
    carom_node *cosine;    /* of a node, if its sine is needed too; else 0, which is a constant */
    carom_node ready[OPS]; /* heads of these lists */
    uint32_t ready_count[OPS];
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

/* x can be computed. A cosine with a sine waits for nothing but that sine. */
static void make_ready(compiler *c, carom_node x)
{
    const carom_graph_node *n = &c->g->nodes[x];
    if (n->op == CAROM_OP_COS && c->cosine[n->as.arg[0]])
        return;
    int op = partner(c, x) ? SINCOS : n->op;
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
                if (!is_operation(g, a))
                    continue;
                if (pass == 0) {
                    c->first_user[a + 1]++;
                    c->waiting[x]++;
                } else {
                    c->users[c->first_user[a]++] = x;
                }
            }
        }
        /* Counts become starts; the second pass moves each start to the next node's. */
        for (carom_node x = 0; pass == 0 && x < g->count; x++)
            c->first_user[x + 1] += c->first_user[x];
    }
    for (carom_node x = g->count; x-- > 0;)
        if (c->groups[x] && is_operation(g, x) && !c->waiting[x])
            make_ready(c, x);
}

/* Write the instruction of x; returns how many slots it fills. */
static uint32_t emit(compiler *c, carom_tape *t, carom_node x, uint32_t slot)
{
    const carom_graph_node *n = &c->g->nodes[x];
    int arity = carom_graph_arity((carom_op)n->op);
    carom_node cosine = partner(c, x);
    c->slot[x] = slot;
    code k = {slot, c->slot[n->as.arg[0]], arity > 1 ? c->slot[n->as.arg[1]] : 0,
              arity > 2 ? c->slot[n->c] : 0};
    if (cosine)
        k.c = c->slot[cosine] = slot + 1;
    t->groups[t->count] = c->groups[x] | (cosine ? c->groups[cosine] : 0);
    t->ops[t->count] = cosine ? SINCOS : n->op;
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
        for (int k = 1; k < OPS; k++)
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

/* Constants and variables get the first slots. Returns how many there are. */
static uint32_t place_leaves(compiler *c, carom_tape *t)
{
    uint32_t used = 0;
    for (carom_node x = 0; x < c->g->count; x++) {
        const carom_graph_node *n = &c->g->nodes[x];
        if (!c->groups[x] || is_operation(c->g, x))
            continue;
        c->slot[x] = used++;
        if (n->op == CAROM_OP_CONST)
            t->slots[c->slot[x]] = n->as.value;
        else
            t->inputs[t->input_count++] = (input){n->as.variable, c->slot[x]};
    }
    return used;
}

static carom_status take_tape(carom_tape *t, const compiler *c, carom_arena *arena,
                              carom_error *error)
{
    size_t leaves = 0, operations = 0;
    for (carom_node x = 0; x < c->g->count; x++)
        if (c->groups[x])
            (*(is_operation(c->g, x) ? &operations : &leaves))++;
    t->slots = carom_arena_zeros(arena, leaves + operations, sizeof(double));
    t->inputs = carom_arena_array(arena, leaves, sizeof *t->inputs);
    t->codes = carom_arena_array(arena, operations, sizeof *t->codes);
    t->ops = carom_arena_array(arena, operations, sizeof *t->ops);
    t->groups = carom_arena_array(arena, operations, sizeof *t->groups);
    bool ok = t->slots && t->inputs && t->codes && t->ops && t->groups;
    for (int k = 0; ok && k < PROGRAMS; k++) {
        t->programs[k].codes = carom_arena_array(arena, operations, sizeof(code));
        t->programs[k].batches = carom_arena_array(arena, operations, sizeof(batch));
        ok = t->programs[k].codes && t->programs[k].batches;
    }
    return ok ? CAROM_OK : carom_error_memory(error);
}

/* One block of memory for the compiler's arrays: at most three arguments, hence users, per node. */
static uint32_t *take_compiler(compiler *c, const carom_graph *g)
{
    size_t n = g->count, size = (6 * n + 1 + 3 * n) * sizeof(uint32_t);
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
                    .first_user = memory + 5 * n,
                    .users = memory + 6 * n + 1};
    for (int op = 0; op < OPS; op++)
        c->ready[op] = CAROM_NODE_NONE;
    return memory;
}

carom_status carom_tape_create(const carom_graph *graph, const carom_tape_output *outputs,
                               size_t count, carom_arena *arena, uint32_t *slot_of,
                               carom_tape **tape, carom_error *error)
{
    carom_allocator a = graph->allocator;
    carom_tape *made = carom_arena_zeros(arena, 1, sizeof *made);
    compiler c;
    uint32_t *memory = made ? take_compiler(&c, graph) : NULL;
    if (!memory)
        return carom_error_memory(error);
    spread_groups(graph, outputs, count, c.groups);
    carom_status status = take_tape(made, &c, arena, error);
    if (!status) {
        pair_sines(&c);
        connect(&c);
        schedule(&c, made, place_leaves(&c, made));
        for (size_t k = 0; k < count && slot_of; k++)
            slot_of[k] = c.slot[outputs[k].node];
        *tape = made;
    }
    a.resize(a.self, memory, 0);
    return status;
}

/* The program of these groups: one kept ready, or filtered now in place of the oldest. */
static const program *find_program(carom_tape *t, unsigned groups)
{
    for (int k = 0; k < PROGRAMS; k++)
        if (t->programs[k].groups == groups)
            return &t->programs[k];
    program *p = &t->programs[t->next];
    t->next = (t->next + 1) % PROGRAMS;
    p->groups = groups;
    p->count = p->batch_count = 0;
    for (size_t k = 0; k < t->count; k++) {
        if (!(t->groups[k] & groups))
            continue;
        if (!p->batch_count || p->batches[p->batch_count - 1].op != t->ops[k])
            p->batches[p->batch_count++] = (batch){t->ops[k], 0};
        p->batches[p->batch_count - 1].count++;
        p->codes[p->count++] = t->codes[k];
    }
    return p;
}

size_t carom_tape_length(carom_tape *tape, unsigned groups)
{
    return find_program(tape, groups)->count;
}

#define EACH(value)                                                                                \
    for (; k < end; k++)                                                                           \
    slots[k->to] = (value)
#define A slots[k->a]
#define B slots[k->b]

static void run(const program *p, double *restrict slots)
{
    const code *k = p->codes;
    for (const batch *b = p->batches, *last = b + p->batch_count; b < last; b++) {
        const code *end = k + b->count;
        switch (b->op) {
        case CAROM_OP_ADD:
            EACH(A + B);
            break;
        case CAROM_OP_SUB:
            EACH(A - B);
            break;
        case CAROM_OP_MUL:
            EACH(A * B);
            break;
        case CAROM_OP_DIV:
            EACH(A / B);
            break;
        case CAROM_OP_NEG:
            EACH(-A);
            break;
        case CAROM_OP_SQUARE:
            EACH(A * A);
            break;
        case CAROM_OP_SQRT:
            EACH(carom_op_sqrt(A));
            break;
        case SINCOS:
            for (; k < end; k++) {
                const double a = A;
                slots[k->to] = sin(a);
                slots[k->c] = cos(a);
            }
            break;
        default:
            EACH(carom_op_evaluate((carom_op)b->op, A, B, slots[k->c]));
        }
    }
}

const double *carom_tape_run(carom_tape *tape, unsigned groups, double t, const double *q,
                             const double *u)
{
    const program *p = find_program(tape, groups);
    for (size_t k = 0; k < tape->input_count; k++) {
        carom_variable v = tape->inputs[k].variable;
        tape->slots[tape->inputs[k].slot] = v == CAROM_VARIABLE_T ? t
                                            : CAROM_VARIABLE_VELOCITY(v)
                                                ? u[CAROM_VARIABLE_INDEX(v)]
                                                : q[CAROM_VARIABLE_INDEX(v)];
    }
    run(p, tape->slots);
    return tape->slots;
}
