/* The order of elimination of a sparse block matrix and the fronts it is made of. */
#ifndef CAROM_SRC_LINALG_BLOCK_TREE_H
#define CAROM_SRC_LINALG_BLOCK_TREE_H

#include "linalg/block_matrix.h"

/* Nodes are numbered anew in the order of elimination ("places"). A front eliminates places
 * first[s] ... first[s+1] - 1, whose structure below is (nearly) the same; its rows that stay are
 * the places below[below_start[s]] ..., ascending. Fronts stand in postorder: children before
 * their parent, and the last child right before it. */
typedef struct carom_block_tree {
    int nodes, fronts;
    int *order;       /* nodes: node at each place */
    int *place;       /* nodes: place of each node */
    int *first;       /* fronts + 1 */
    int *parent;      /* fronts: -1 for a root */
    int *below_start; /* fronts + 1 */
    int *below;
    int *front; /* nodes: front of each place */
} carom_block_tree;

/* Pattern of A, made symmetric. The tree lives in the arena. */
carom_status carom_block_tree_make(const carom_block_matrix *A, carom_arena *arena,
                                   carom_block_tree *tree, carom_error *error);

#endif
