/* Where the equations of motion are not smooth: `if`, `sign`, `abs`, `min` and `max` switch where a
 * function of the state crosses zero (docs/theory/tangents.md, "Where formulas switch"). */
#include "system/formulas.h"

/* Does a field enter the accelerations of any mode? */
static bool moves(carom_formulas_field field)
{
    const carom_formulas_kind kind = carom_formulas_kind_of(field);
    return kind != CAROM_KIND_VALUE && kind != CAROM_KIND_POWER;
}

/* The function at whose zero node a switches, NONE: it is smooth, or differs at one point only. */
static carom_node function_of(carom_graph *g, carom_node a)
{
    switch ((carom_op)g->nodes[a].op) {
    case CAROM_OP_ABS:
    case CAROM_OP_SIGN:
    case CAROM_OP_SIDE:
    case CAROM_OP_ATAN2: /* jumps behind the origin */
        return carom_graph_argument(g, a, 0);
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
        return carom_graph_binary(g, CAROM_OP_SUB, carom_graph_argument(g, a, 0),
                                  carom_graph_argument(g, a, 1));
    default:
        return CAROM_NODE_NONE;
    }
}

carom_status carom_formulas_switches(const carom_formulas_read *read,
                                     const carom_formulas_derived *derived, carom_node **nodes,
                                     int *count, carom_error *error)
{
    carom_graph *g = &read->scope->graph;
    const carom_node all = g->count;
    unsigned char *used = carom_arena_zeros(read->scope->arena, all, 1);
    *nodes = carom_arena_array(read->scope->arena, all, sizeof **nodes);
    *count = 0;
    if (!used || !*nodes)
        return carom_error_memory(error);
    for (size_t k = 0; k < derived->count; k++)
        if (moves((carom_formulas_field)derived->entries[k].field))
            used[derived->entries[k].node] = 1;
    for (carom_node a = all; a-- > 0;) { /* users stand behind their arguments */
        const int arity = used[a] ? carom_graph_arity((carom_op)g->nodes[a].op) : 0;
        for (int k = 0; k < arity; k++)
            used[carom_graph_argument(g, a, k)] = 1;
        const carom_node f = arity > 0 ? function_of(g, a) : CAROM_NODE_NONE;
        if (f == CAROM_NODE_NONE || !(g->nodes[f].on & (CAROM_ON_ALL | CAROM_ON_P)))
            continue;
        int known = 0;
        while (known < *count && (*nodes)[known] != f)
            known++;
        (*nodes)[known] = f;
        *count += known == *count;
    }
    return carom_graph_check(g, error);
}
