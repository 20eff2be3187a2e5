/* Nodes of a graph compiled to a flat list of instructions.
 *
 * Outputs come in groups (bits); one run computes the groups asked for, sharing what they share.
 * Constants stand ready in their slots, variables are copied in, and every instruction writes one
 * slot. Running does not allocate. */
#ifndef CAROM_SRC_EXPR_TAPE_H
#define CAROM_SRC_EXPR_TAPE_H

#include "expr/graph.h"

/* What to compute: node, and the groups it belongs to. */
typedef struct carom_tape_output {
    carom_node node;
    unsigned groups;
} carom_tape_output;

typedef struct carom_tape carom_tape;

/* From the arena, with its work space; slot_of (count entries, may be NULL) receives the slot of
 * each output. The graph is not needed afterwards. */
carom_status carom_tape_create(const carom_graph *graph, const carom_tape_output *outputs,
                               size_t count, carom_arena *arena, uint32_t *slot_of,
                               carom_tape **tape, carom_error *error);

/* Compute the groups; the slots hold the values until the next run. */
const double *carom_tape_run(carom_tape *tape, unsigned groups, double t, const double *q,
                             const double *u);

/* Whether any output depends on this variable. */
bool carom_tape_uses(const carom_tape *tape, carom_variable variable);

/* Instructions of a run of these groups. */
size_t carom_tape_length(carom_tape *tape, unsigned groups);

#endif
