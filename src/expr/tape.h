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

/* The same instructions with work space of its own, for another thread. What does not change is
 * shared: `tape` must live as long. */
carom_status carom_tape_share(const carom_tape *tape, carom_arena *arena, carom_tape **shared,
                              carom_error *error);

/* Compute the groups; the slots hold the values until the next run. */
const double *carom_tape_run(carom_tape *tape, unsigned groups, double t, const double *q,
                             const double *u);

/* How t, q, u and the parameters change in k directions; NULL: not at all. Column-major. */
typedef struct carom_tape_directions {
    int k;
    const double *t;          /* k */
    const double *q;          /* nq x k */
    const double *u;          /* n x k */
    const double *parameters; /* parameter_count x k, those kept as variables */
    int nq, n, parameter_count;
} carom_tape_directions;

/* Room that carom_tape_tangent needs, in doubles. */
size_t carom_tape_tangent_room(const carom_tape *tape, int k);

/* Forward mode: the groups as carom_tape_run computes them, and what every slot changes by. The
 * derivative of slot s in direction j is tangents[s * k + j]. */
const double *carom_tape_tangent(carom_tape *tape, unsigned groups, double t, const double *q,
                                 const double *u, const carom_tape_directions *directions,
                                 double *tangents);

/* After carom_tape_tangent, at the same point: derivatives that differ from those along the
 * opposite directions, at a kink or a jump of a formula to rounding, become NaN. False: none. room:
 * carom_tape_kink_room doubles. */
size_t carom_tape_kink_room(const carom_tape *tape, int k);
bool carom_tape_kink(carom_tape *tape, unsigned groups, double t, const double *q, const double *u,
                     int k, double *tangents, double *room);

/* Whether any output depends on this variable. */
bool carom_tape_uses(const carom_tape *tape, carom_variable variable);

/* Whether a run of these groups computes with this variable. */
bool carom_tape_reads(carom_tape *tape, unsigned groups, carom_variable variable);

/* Whether this slot holds the variable itself. */
bool carom_tape_is_variable(const carom_tape *tape, uint32_t slot, carom_variable variable);

/* Whether this slot holds a number that never changes. */
bool carom_tape_is_constant(const carom_tape *tape, uint32_t slot);

#endif
