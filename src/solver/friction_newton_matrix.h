/* The matrix of every method of Newton's kind, K = C A + B with d x d blocks C_i, B_i for each
 * contact, and its factors: in contact space on the pattern of A, or in body space, where
 *
 *     (M + H N H') v = H B^-1 f,   x = B^-1 f - N H' v,   N = B^-1 C
 *
 * solves K x = f with six rows a body instead of three a contact. B must be invertible there. */
#ifndef CAROM_SRC_SOLVER_FRICTION_NEWTON_MATRIX_H
#define CAROM_SRC_SOLVER_FRICTION_NEWTON_MATRIX_H

#include "linalg/block_lu.h"
#include "solver/friction_island.h"

typedef struct carom_friction_newton_matrix {
    const carom_friction_island *island;
    carom_block_lu lu;
    carom_block_matrix K;  /* by contacts or by bodies */
    int *source;           /* contacts: block of A for each of K, -1: none. Bodies: block of K for
                            * each pair of bodies of each contact */
    int *diagonal;         /* block of K on the diagonal of each node */
    const double *C, *B;   /* 9 for each contact, as given last; C NULL: unit matrices */
    double *inverse, *N;   /* bodies: 9 for each contact, B^-1 and B^-1 C */
    double *f, *x, *v, *X; /* work space: n, n, degrees of freedom, three times that */
} carom_friction_newton_matrix;

/* Order, pattern and room for the matrix of an island and its factors. */
carom_status carom_friction_newton_matrix_plan(const carom_friction_island *island,
                                               carom_arena *arena,
                                               carom_friction_newton_matrix *matrix,
                                               carom_error *error);

/* C, B: 9 numbers for each contact, the first d x d, column-major; they are read again when
 * solving. False: singular. */
bool carom_friction_newton_matrix_factor(carom_friction_newton_matrix *matrix, const double *C,
                                         const double *B);

/* x = K^-1 x, with `refinements` steps in contact space. */
void carom_friction_newton_matrix_solve(carom_friction_newton_matrix *matrix, int refinements,
                                        double *x);

#endif
