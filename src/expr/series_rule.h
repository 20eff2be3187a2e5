/* How coefficient k of one node follows from its arguments: the lines of the program. */
#ifndef CAROM_SRC_EXPR_SERIES_RULE_H
#define CAROM_SRC_EXPR_SERIES_RULE_H

#include "expr/series.h"

bool carom_series_varies(const carom_series *series, carom_node node);

/* The part in which a node is computed: with the motion, where more than one asks for it. */
carom_series_part carom_series_part_of(const carom_series *series, carom_node node);

/* The value of a node that depends on parameters alone, where it is used. */
void carom_series_scalar(carom_series *series, carom_node node);

/* The name of a function of one argument in OpenCL C, NULL: it has none. */
const char *carom_series_function_name(carom_op op);

/* The expression that computes such a node, and the line of a node that varies. */
void carom_series_scalar_rule(carom_series *series, carom_node node);
void carom_series_rule(carom_series *series, carom_node node);

#endif
