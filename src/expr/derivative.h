/* Exact derivatives of graph nodes, as graph nodes.
 *
 * Dual arithmetic carried out once, over nodes instead of numbers: every node gets the list of its
 * partial derivatives that are not zero by structure, from the lists of its arguments and the chain
 * rule. A sum at the top is split into its terms first, so that the work is proportional to the
 * terms, each with the variables it has. Second derivatives are gradients of gradients. */
#ifndef CAROM_SRC_EXPR_DERIVATIVE_H
#define CAROM_SRC_EXPR_DERIVATIVE_H

#include "expr/graph.h"

/* One partial derivative. */
typedef struct carom_partial {
    carom_variable variable;
    carom_node node;
} carom_partial;

typedef struct carom_derivative carom_derivative; /* work space */

carom_status carom_derivative_create(carom_graph *graph, carom_derivative **derivative,
                                     carom_error *error);
void carom_derivative_destroy(carom_derivative *derivative); /* NULL is allowed */

/* The partial derivatives with respect to the kinds of variables in `on` (CAROM_ON_ bits), sorted
 * by variable, zeros by structure left out; valid until the next call. A failure shows in
 * carom_derivative_check. */
const carom_partial *carom_derivative_gradient(carom_derivative *derivative, carom_node node,
                                               unsigned on, int *count);

/* The derivative in time along a motion with q' = u and constant u. */
carom_node carom_derivative_in_time(carom_derivative *derivative, carom_node node);

/* The value at u = 0. */
carom_node carom_derivative_at_rest(carom_derivative *derivative, carom_node node);

/* Report a failure of memory or size met by any of the above. */
carom_status carom_derivative_check(const carom_derivative *derivative, carom_error *error);

#endif
