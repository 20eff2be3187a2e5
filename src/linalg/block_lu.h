/* A = L U of sparse matrices of small blocks, multifrontal, on a pattern that stays: the plan is
 * made once, factors follow without allocation. Rows are exchanged only inside a front: for
 * matrices whose symmetric part is positive definite, or nearly so, that is enough. */
#ifndef CAROM_SRC_LINALG_BLOCK_LU_H
#define CAROM_SRC_LINALG_BLOCK_LU_H

#include "linalg/block_tree.h"

typedef struct carom_block_front {
    int k, m;              /* rows eliminated, rows that stay */
    int row;               /* first eliminated row, in the order of elimination */
    int parent;            /* -1: none */
    int scatter, scatters; /* its blocks of A */
    size_t P, U;           /* where its factors are in value: (k + m) x k and m x k */
    size_t index;          /* its m rows in index; their places in the parent's front in into */
    int inside;            /* how many of them the parent eliminates */
} carom_block_front;

/* A block of A goes to row, column of a front. */
typedef struct carom_block_scatter {
    int block, row, column, rows, columns;
} carom_block_scatter;

typedef struct carom_block_lu {
    int n, fronts;
    carom_block_front *front;
    carom_block_scatter *scatter;
    const size_t *at; /* of A */
    int *index, *into;
    int *old;           /* n: row of A of each row in the order of elimination */
    int *exchange;      /* n */
    int *open;          /* fronts + 1: those whose rests wait on the stack */
    double *value;      /* factors */
    double *stack;      /* fronts under way */
    double *x, *y;      /* n: work of a solution */
    double work;        /* multiplications of a factorisation */
    size_t factor_room; /* doubles in value, and in stack */
    size_t stack_room;
} carom_block_lu;

/* Order, tree and room for matrices of A's pattern; nothing of its values is read. */
carom_status carom_block_lu_plan(const carom_block_matrix *A, carom_arena *arena,
                                 carom_block_lu *lu, carom_error *error);

/* Factor the matrix of these values. False when a pivot is zero or not finite. */
bool carom_block_lu_factor(carom_block_lu *lu, const double *value);

/* The sign of the determinant of the matrix that was factored. */
int carom_block_lu_sign(const carom_block_lu *lu);

/* x = A^-1 x */
void carom_block_lu_solve(carom_block_lu *lu, double *x);

#endif
