/* Runs the instructions of a tape, for the groups of outputs asked for. */
#include "expr/tape_code.h"

#include "expr/op.h"

#include <string.h>

/* Room for the programs of a tape, none of which is ready. */
static bool take_programs(carom_tape *tape, carom_arena *arena)
{
    tape->next = tape->found = 0;
    for (int k = 0; k < CAROM_TAPE_PROGRAMS; k++) {
        carom_tape_program *p = &tape->programs[k];
        *p = (carom_tape_program){.codes = carom_arena_array(arena, tape->count, sizeof *p->codes),
                                  .batches =
                                      carom_arena_array(arena, tape->count, sizeof *p->batches)};
        if (!p->codes || !p->batches)
            return false;
    }
    return true;
}

carom_status carom_tape_create(const carom_graph *graph, const carom_tape_output *outputs,
                               size_t count, carom_arena *arena, uint32_t *slot_of,
                               carom_tape **tape, carom_error *error)
{
    carom_tape *made = carom_arena_zeros(arena, 1, sizeof *made);
    if (!made)
        return carom_error_memory(error);
    carom_status status = carom_tape_compile(graph, outputs, count, arena, slot_of, made, error);
    if (!status && !take_programs(made, arena))
        status = carom_error_memory(error);
    if (!status)
        *tape = made;
    return status;
}

carom_status carom_tape_share(const carom_tape *tape, carom_arena *arena, carom_tape **shared,
                              carom_error *error)
{
    carom_tape *made = carom_arena_take(arena, sizeof *made);
    double *slots = carom_arena_doubles(arena, tape->slot_count);
    if (!made || !slots)
        return carom_error_memory(error);
    *made = *tape;
    /* Leaves hold constants and parameters; the rest is computed. */
    memcpy(slots, tape->slots, tape->leaf_count * sizeof *slots);
    made->slots = slots;
    made->held = 0;
    if (!take_programs(made, arena))
        return carom_error_memory(error);
    *shared = made;
    return CAROM_OK;
}

const carom_tape_program *carom_tape_find_program(carom_tape *tape, unsigned groups)
{
    carom_tape *t = tape;
    if (t->programs[t->found].groups == groups)
        return &t->programs[t->found];
    for (int k = 0; k < CAROM_TAPE_PROGRAMS; k++)
        if (t->programs[k].groups == groups) {
            t->found = k;
            return &t->programs[k];
        }
    carom_tape_program *p = &t->programs[t->next];
    t->found = t->next;
    t->next = (t->next + 1) % CAROM_TAPE_PROGRAMS;
    p->groups = groups;
    p->count = p->batch_count = 0;
    for (size_t k = 0; k < t->count; k++) {
        if (!(t->groups[k] & groups))
            continue;
        if (!p->batch_count || p->batches[p->batch_count - 1].op != t->ops[k])
            p->batches[p->batch_count++] = (carom_tape_batch){t->ops[k], 0};
        p->batches[p->batch_count - 1].count++;
        p->codes[p->count++] = t->codes[k];
    }
    return p;
}

static const carom_tape_input *find_input(const carom_tape *tape, carom_variable variable)
{
    for (size_t k = 0; k < tape->input_count; k++)
        if (tape->inputs[k].variable == variable)
            return &tape->inputs[k];
    return NULL;
}

bool carom_tape_uses(const carom_tape *tape, carom_variable variable)
{
    return find_input(tape, variable);
}

bool carom_tape_is_variable(const carom_tape *tape, uint32_t slot, carom_variable variable)
{
    const carom_tape_input *input = find_input(tape, variable);
    return input && input->slot == slot;
}

bool carom_tape_is_constant(const carom_tape *tape, uint32_t slot)
{
    for (size_t k = 0; k < tape->input_count; k++)
        if (tape->inputs[k].slot == slot)
            return false;
    for (size_t k = 0; k < tape->parameter_count; k++)
        if (tape->parameters[k].slot == slot)
            return false;
    return slot < tape->leaf_count;
}

/* Whether an instruction has this slot as an argument; those that it does not have are slot 0. */
static bool reads(const carom_tape_code *c, uint32_t op, const carom_tape_term *terms,
                  uint32_t slot)
{
    if (op != CAROM_TAPE_SUM)
        return c->a == slot || c->b == slot || c->c == slot;
    for (const carom_tape_term *x = terms + c->a, *last = x + c->b; x < last; x++)
        if (x->a == slot || x->b == slot)
            return true;
    return false;
}

bool carom_tape_reads(carom_tape *tape, unsigned groups, carom_variable variable)
{
    const carom_tape_input *input = find_input(tape, variable);
    const carom_tape_program *p = carom_tape_find_program(tape, groups);
    const carom_tape_code *c = p->codes;
    for (const carom_tape_batch *b = p->batches; input && b < p->batches + p->batch_count; b++)
        for (const carom_tape_code *end = c + b->count; c < end; c++)
            if (reads(c, b->op, tape->terms, input->slot))
                return true;
    return false;
}

#define EACH(value)                                                                                \
    for (; k < end; k++)                                                                           \
    slots[k->to] = (value)
#define A slots[k->a]
#define B slots[k->b]

static void sum(const carom_tape_code *k, const carom_tape_code *end, const carom_tape_term *terms,
                double *slots)
{
    for (; k < end; k++) {
        const carom_tape_term *x = terms + k->a, *last = x + k->b;
        double total = slots[x->a] * slots[x->b]; /* the first sign is plus */
        for (x++; x < last; x++)
            total += x->sign * (slots[x->a] * slots[x->b]);
        slots[k->to] = total;
    }
}

static void run(const carom_tape_program *p, const carom_tape_term *terms, double *restrict slots)
{
    const carom_tape_code *k = p->codes;
    for (const carom_tape_batch *b = p->batches, *last = b + p->batch_count; b < last; b++) {
        const carom_tape_code *end = k + b->count;
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
        case CAROM_TAPE_SINCOS:
            for (; k < end; k++) {
                const double a = A;
                slots[k->to] = sin(a);
                slots[k->c] = cos(a);
            }
            break;
        case CAROM_TAPE_SUM:
            sum(k, end, terms, slots);
            k = end;
            break;
        default:
            EACH(carom_op_evaluate((carom_op)b->op, A, B, slots[k->c]));
        }
    }
}

/* Puts the variables into their slots; false: the same numbers, to the bit, are there. */
static bool load(carom_tape *tape, double t, const double *q, const double *u)
{
    const double *const from[] = {&t, q, u};
    bool changed = false;
    for (const carom_tape_input *x = tape->inputs, *end = x + tape->input_count; x < end; x++) {
        double *to = &tape->slots[x->slot];
        const double *value = &from[x->from][x->index];
        changed = changed || memcmp(to, value, sizeof *to) != 0;
        *to = *value;
    }
    return changed;
}

const double *carom_tape_run(carom_tape *tape, unsigned groups, double t, const double *q,
                             const double *u)
{
    if (load(tape, t, q, u))
        tape->held = 0;
    if ((tape->held & groups) == groups)
        return tape->slots;
    run(carom_tape_find_program(tape, groups), tape->terms, tape->slots);
    tape->held |= groups;
    return tape->slots;
}
