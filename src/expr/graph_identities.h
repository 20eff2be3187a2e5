/* The simpler node that an operation is by the identities of docs/theory/formulas.md. */
#ifndef CAROM_SRC_EXPR_GRAPH_IDENTITIES_H
#define CAROM_SRC_EXPR_GRAPH_IDENTITIES_H

#include "expr/graph.h"

/* The node that op(a, b, c) is without an operation of its own; CAROM_NODE_NONE: there is none, or
 * the graph has failed. */
carom_node carom_graph_identities_find(carom_graph *graph, carom_op op, carom_node a, carom_node b,
                                       carom_node c);

#endif
