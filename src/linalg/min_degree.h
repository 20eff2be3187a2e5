/* The order of elimination in which the factors of a sparse symmetric pattern stay sparse: minimum
 * degree. */
#ifndef CAROM_SRC_LINALG_MIN_DEGREE_H
#define CAROM_SRC_LINALG_MIN_DEGREE_H

#include "linalg/ordering.h"

/* Number of integers of work space for a graph of n nodes and `entries` neighbours. */
size_t carom_min_degree_room(int n, size_t entries);

/* order[k] is eliminated k-th. The graph is symmetric; a node may be its own neighbour, none is
 * listed twice. By AMD (Amestoy, Davis, Duff, An approximate minimum degree ordering algorithm,
 * 1996) where the library is built with it, else by the routine below. */
void carom_min_degree_order(const carom_ordering_graph *graph, int *order, int *work);

/* The routine of our own: quotient graph with absorption of elements, degrees bounded from above
 * as AMD does, ties by number. Declared here so that its tests run in every build, with AMD too. */
void carom_min_degree_plain(const carom_ordering_graph *graph, int *order, int *work);

#endif
