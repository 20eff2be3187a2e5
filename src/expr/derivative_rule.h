/* The chain rule for one node. */
#ifndef CAROM_SRC_EXPR_DERIVATIVE_RULE_H
#define CAROM_SRC_EXPR_DERIVATIVE_RULE_H

#include "expr/graph.h"

/* The derivative of a node, given those of its arguments (graph->zero where they do not depend). */
carom_node carom_derivative_rule(carom_graph *graph, carom_node node, const carom_node d[3]);

#endif
