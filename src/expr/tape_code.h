/* The inside of a tape. */
#ifndef CAROM_SRC_EXPR_TAPE_CODE_H
#define CAROM_SRC_EXPR_TAPE_CODE_H

#include "expr/tape.h"

/* Instructions beyond the operations of the graph. */
enum {
    CAROM_TAPE_SINCOS = CAROM_OP_COUNT, /* of one argument: slot `to` the sine, `c` the cosine */
    CAROM_TAPE_SUM,                     /* terms a ... a + b - 1, from left to right */
    CAROM_TAPE_OPS
};

enum { CAROM_TAPE_PROGRAMS = 10 }; /* combinations of groups kept ready */

/* Slot `to` = op(slots a, b, c). */
typedef struct carom_tape_code {
    uint32_t to, a, b, c;
} carom_tape_code;

/* A term of a sum: sign times slot a times slot b (slot 0 holds 1). */
typedef struct carom_tape_term {
    uint32_t a, b;
    double sign;
} carom_tape_term;

/* `count` instructions of one operation that do not depend on each other. */
typedef struct carom_tape_batch {
    uint32_t op, count;
} carom_tape_batch;

/* A variable, and where it comes from: entry `index` of t, q or u (`from` 0, 1, 2). */
typedef struct carom_tape_input {
    carom_variable variable;
    uint32_t slot, from, index;
} carom_tape_input;

/* The instructions of one combination of groups; room for all. */
typedef struct carom_tape_program {
    unsigned groups;
    size_t count, batch_count;
    carom_tape_code *codes;
    carom_tape_batch *batches;
} carom_tape_program;

struct carom_tape {
    double *slots;
    size_t slot_count, leaf_count; /* leaves first: 1, constants, variables */
    carom_tape_input *inputs;      /* t, q, u */
    size_t input_count;
    carom_tape_input *parameters; /* their slots have their values */
    size_t parameter_count;
    carom_tape_code *codes; /* all, arguments before their users */
    uint8_t *ops;
    unsigned *groups; /* that need each instruction */
    size_t count;
    carom_tape_term *terms;
    size_t term_count;
    unsigned held; /* groups whose values are in the slots, for the variables that are there */
    carom_tape_program programs[CAROM_TAPE_PROGRAMS];
    int next;  /* program to be replaced */
    int found; /* asked for last */
};

/* The program of these groups: one kept ready, or filtered now in place of the oldest. */
const carom_tape_program *carom_tape_find_program(carom_tape *tape, unsigned groups);

/* Derivatives of one instruction in k directions, from those of its arguments; d: k of each slot.
 */
void carom_tape_tangent_derive(uint32_t op, const carom_tape_code *code,
                               const carom_tape_term *terms, const double *slots, int k, double *d);

/* Fill an empty tape: codes, leaves, terms. */
carom_status carom_tape_compile(const carom_graph *graph, const carom_tape_output *outputs,
                                size_t count, carom_arena *arena, uint32_t *slot_of,
                                carom_tape *tape, carom_error *error);

#endif
