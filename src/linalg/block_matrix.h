/* Sparse matrices of small dense blocks, stored by rows of blocks: contacts against contacts,
 * bodies against bodies. */
#ifndef CAROM_SRC_LINALG_BLOCK_MATRIX_H
#define CAROM_SRC_LINALG_BLOCK_MATRIX_H

#include "carom/base.h"

typedef struct carom_block_matrix {
    int nodes;         /* rows (and columns) of blocks */
    const int *row;    /* nodes + 1: node i owns rows row[i] ... row[i+1] - 1 */
    const int *start;  /* nodes + 1: its blocks are start[i] ... start[i+1] - 1 */
    const int *column; /* node of each block */
    const size_t *at;  /* block k, column-major, begins at value + at[k]; one more: their end */
    double *value;
    bool three; /* all nodes have three rows: the common case has a product of its own */
} carom_block_matrix;

/* Rows of node i. */
static inline int carom_block_matrix_size(const carom_block_matrix *A, int i)
{
    return A->row[i + 1] - A->row[i];
}

/* y (rows of node i) += A x, the product of one row of blocks. */
void carom_block_matrix_row(const carom_block_matrix *A, int i, const double *x, double *y);

/* y += A x */
void carom_block_matrix_multiply(const carom_block_matrix *A, const double *x, double *y);

/* The graph of the pattern made symmetric, without the diagonal: neighbours of i at
 * neighbour[start[i]] ... ; room for 2 * blocks neighbours, nodes + 1 starts; work: 2 nodes + 1. */
void carom_block_matrix_graph(const carom_block_matrix *A, int *start, int *neighbour, int *work);

#endif
