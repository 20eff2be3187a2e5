/* Nodes of a graph as a program (OpenCL C) for their Taylor coefficients along a motion.
 *
 * Along a motion q(t + s) = sum q_k s^k every node is such a series, and coefficient k of a node
 * follows from the coefficients 0 ... k of its arguments (docs/theory/series.md). The text is a
 * function that writes coefficient k of all nodes, called with k = 0, 1, 2 ...; what depends on
 * parameters alone is computed once, by another function. */
#ifndef CAROM_SRC_EXPR_SERIES_H
#define CAROM_SRC_EXPR_SERIES_H

#include "expr/tex.h"

/* Nodes are computed together with the motion, or only when contacts or energies are asked for. */
typedef enum carom_series_part {
    CAROM_SERIES_MOTION = 1,
    CAROM_SERIES_CONTACTS = 2,
    CAROM_SERIES_ENERGY = 4,
    CAROM_SERIES_CURVATURE = 8 /* ranges of these are asked for, too */
} carom_series_part;

typedef struct carom_series {
    carom_tex text;
    const carom_graph *graph;
    int n;               /* coordinates: rows 0 ... n-1 are q, n ... 2n-1 u, 2n is t */
    unsigned char *part; /* by node: the parts that need it, 0: none */
    int *row;            /* by node, of what varies; -1: none */
    bool *even;          /* by node: it grows evenly with time, or not at all */
    int *constant;       /* by node, of what depends on parameters alone; -1: none */
    int rows, constants;
    bool hides; /* a function may be too small at one point to tell what it is at another */
    const char *refused; /* the first operation that has no series, NULL: none */
} carom_series;

/* Begin a text about nodes of this graph, from this arena. */
carom_status carom_series_begin(carom_series *series, const carom_graph *graph, int coordinates,
                                carom_arena *arena, carom_error *error);

/* This node will be asked for with this part; before carom_series_write. */
void carom_series_need(carom_series *series, carom_node node, carom_series_part part);

/* Both functions, with the numbers of their rows and constants. CAROM_ERROR_UNSUPPORTED: an
 * operation with corners or jumps depends on the motion. */
carom_status carom_series_write(carom_series *series, carom_error *error);

/* Coefficient k of a node, as an expression of `c`, `p`, `v` and `k`. */
void carom_series_coefficient(carom_series *series, carom_node node);

/* The range of a node, as an expression of `c`, `p` and `r`; and, after carom_series_write, the
 * function that computes the ranges of what CAROM_SERIES_CURVATURE needs (series_range.c). */
void carom_series_range(carom_series *series, carom_node node);
void carom_series_write_ranges(carom_series *series);

/* Append as printf does. */
void carom_series_say(carom_series *series, const char *format, ...) CAROM_PRINTF(2, 3);

#endif
