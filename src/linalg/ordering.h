/* The order of rows in which a symmetric sparse matrix is narrow. */
#ifndef CAROM_SRC_LINALG_ORDERING_H
#define CAROM_SRC_LINALG_ORDERING_H

#include "carom/base.h"

#include <stddef.h>

/* A graph of n nodes: the neighbours of i are neighbour[start[i]] ... neighbour[start[i + 1] - 1];
 * i itself may be among them. */
typedef struct carom_ordering_graph {
    int n;
    const int *start;
    const int *neighbour;
} carom_ordering_graph;

/* Entries of the envelope (diagonal included) when row order[k] comes k-th; order NULL: as they
 * are. place: n integers of work space. The measure by which the order below is chosen, and tested.
 */
size_t carom_ordering_profile(const carom_ordering_graph *graph, const int *order, int *place);

/* The order with the smaller envelope of two: as they are, and reverse Cuthill-McKee from an end of
 * the graph (Cuthill, McKee, Reducing the bandwidth of sparse symmetric matrices, 1969; George,
 * Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981). order: n; work: 3n. */
void carom_ordering_narrow(const carom_ordering_graph *graph, int *order, int *work);

#endif
