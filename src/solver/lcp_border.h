/* Solutions with A_FF + shift I for sets F near a set B whose factor is kept: the system of B,
 * bordered by a column for every index that has come or gone (docs/theory/lcp-block.md). */
#ifndef CAROM_SRC_SOLVER_LCP_BORDER_H
#define CAROM_SRC_SOLVER_LCP_BORDER_H

#include "carom/base.h"

typedef struct carom_lcp_border {
    int n, capacity;
    const double *A, *L; /* n x n; factor of A_BB + shift I, leading dimension kb */
    double shift;
    int kb, *place;   /* size of B; n: place in B, or -1 */
    int count, *slot; /* columns of V so far; n: the column of an index, or -1 */
    double *V;        /* kb x count: L^{-1} of A_Bj for j outside B, of a unit vector for j in B */
    double *G;        /* capacity^2: V'V */
    int come, gone;   /* indices of F outside B, of B outside F */
    int *T;           /* come + gone: the border, those that have come first */
    double *S;        /* factor of the Schur complement of the border, of size come + gone */
    double *y, *h;    /* kb, capacity: work */
    const int *F;     /* k, ascending, the caller's */
    int k;
} carom_lcp_border;

/* Room for problems of size n. False when there is no memory. */
bool carom_lcp_border_take(carom_lcp_border *b, int n, carom_arena *arena);

/* L is the factor of A_FF + shift I: F becomes B. F must live as long as the border. */
void carom_lcp_border_start(carom_lcp_border *b, const double *A, const double *L, const int *F,
                            int k, double shift);

/* From now on solutions are those of F. False when that costs more than a new factor, or the border
 * is not regular; a new factor must then follow. */
bool carom_lcp_border_change(carom_lcp_border *b, const int *F, int k, double shift);

/* x = (A_FF + shift I)^{-1} x, in the order of F. */
void carom_lcp_border_solve(carom_lcp_border *b, double *x);

#endif
