#include "expr/tape.h"

#include "base/arena.h"
#include "expr/op.h"

#include <string.h>

enum { PROGRAMS = 6 }; /* combinations of groups kept ready */

typedef struct code {
    uint32_t op, to, a, b, c; /* slot `to` = op(slots a, b, c) */
} code;

typedef struct input {
    carom_variable variable;
    uint32_t slot;
} input;

/* The instructions of one combination of groups. */
typedef struct program {
    unsigned groups;
    size_t count;
    code *codes; /* room for all */
} program;

struct carom_tape {
    double *slots;
    input *inputs;
    size_t input_count;
    code *codes;      /* all, in an order that computes arguments first */
    unsigned *groups; /* of each instruction */
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

/* Slots: constants, then variables, then results. Returns their number. */
static uint32_t place_nodes(const carom_graph *g, const unsigned *groups, uint32_t *slot)
{
    uint32_t used = 0;
    for (int pass = 0; pass < 3; pass++)
        for (carom_node x = 0; x < g->count; x++) {
            carom_op op = (carom_op)g->nodes[x].op;
            int belongs = op == CAROM_OP_CONST ? 0 : op == CAROM_OP_VARIABLE ? 1 : 2;
            if (groups[x] && belongs == pass)
                slot[x] = used++;
        }
    return used;
}

static void fill(carom_tape *t, const carom_graph *g, const unsigned *groups, const uint32_t *slot)
{
    for (carom_node x = 0; x < g->count; x++) {
        const carom_graph_node *n = &g->nodes[x];
        if (!groups[x])
            continue;
        if (n->op == CAROM_OP_CONST) {
            t->slots[slot[x]] = n->as.value;
        } else if (n->op == CAROM_OP_VARIABLE) {
            t->inputs[t->input_count++] = (input){n->as.variable, slot[x]};
        } else {
            int arity = carom_graph_arity((carom_op)n->op);
            t->groups[t->count] = groups[x];
            t->codes[t->count++] =
                (code){n->op, slot[x], slot[n->as.arg[0]], arity > 1 ? slot[n->as.arg[1]] : 0,
                       arity > 2 ? slot[n->c] : 0};
        }
    }
}

static carom_status compile(const carom_graph *g, const carom_tape_output *outputs, size_t count,
                            carom_arena *arena, uint32_t *slot_of, unsigned *groups, uint32_t *slot,
                            carom_tape *t, carom_error *error)
{
    spread_groups(g, outputs, count, groups);
    uint32_t used = place_nodes(g, groups, slot);
    t->slots = carom_arena_zeros(arena, used, sizeof(double));
    t->inputs = carom_arena_array(arena, used, sizeof *t->inputs);
    t->codes = carom_arena_array(arena, used, sizeof *t->codes);
    t->groups = carom_arena_array(arena, used, sizeof *t->groups);
    if (!t->slots || !t->inputs || !t->codes || !t->groups)
        return carom_error_memory(error);
    fill(t, g, groups, slot);
    for (int k = 0; k < PROGRAMS; k++) {
        t->programs[k].codes = carom_arena_array(arena, t->count, sizeof(code));
        if (!t->programs[k].codes)
            return carom_error_memory(error);
    }
    for (size_t k = 0; k < count && slot_of; k++)
        slot_of[k] = slot[outputs[k].node];
    return CAROM_OK;
}

carom_status carom_tape_create(const carom_graph *graph, const carom_tape_output *outputs,
                               size_t count, carom_arena *arena, uint32_t *slot_of,
                               carom_tape **tape, carom_error *error)
{
    carom_allocator a = graph->allocator;
    carom_tape *made = carom_arena_zeros(arena, 1, sizeof *made);
    size_t size = graph->count * (sizeof(unsigned) + sizeof(uint32_t));
    unsigned *groups = made ? a.resize(a.self, NULL, size) : NULL;
    if (!groups)
        return carom_error_memory(error);
    memset(groups, 0, size);
    carom_status status = compile(graph, outputs, count, arena, slot_of, groups,
                                  (uint32_t *)(groups + graph->count), made, error);
    a.resize(a.self, groups, 0);
    if (!status)
        *tape = made;
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
    p->count = 0;
    for (size_t k = 0; k < t->count; k++)
        if (t->groups[k] & groups)
            p->codes[p->count++] = t->codes[k];
    return p;
}

size_t carom_tape_length(carom_tape *tape, unsigned groups)
{
    return find_program(tape, groups)->count;
}

static void run(const code *codes, size_t count, double *restrict slots)
{
    for (const code *k = codes, *end = codes + count; k < end; k++) {
        const double a = slots[k->a], b = slots[k->b];
        double *to = &slots[k->to];
        switch (k->op) {
        case CAROM_OP_ADD:
            *to = a + b;
            break;
        case CAROM_OP_SUB:
            *to = a - b;
            break;
        case CAROM_OP_MUL:
            *to = a * b;
            break;
        case CAROM_OP_SQUARE:
            *to = a * a;
            break;
        case CAROM_OP_NEG:
            *to = -a;
            break;
        case CAROM_OP_DIV:
            *to = a / b;
            break;
        default:
            *to = carom_op_evaluate((carom_op)k->op, a, b, slots[k->c]);
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
    run(p->codes, p->count, tape->slots);
    return tape->slots;
}
