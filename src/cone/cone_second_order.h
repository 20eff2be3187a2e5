/* Second-order cones { y : w'y >= |A'y| } in the Euclidean picture: what kind each one is, and the
 * projection onto their intersection with half-spaces. */
#ifndef CAROM_SRC_CONE_SECOND_ORDER_H
#define CAROM_SRC_CONE_SECOND_ORDER_H

#include "cone/cone_frame.h"

typedef enum carom_soc_kind {
    CAROM_SOC_FREE,   /* no restriction left */
    CAROM_SOC_ROW,    /* A = 0: half-space w'y >= 0 */
    CAROM_SOC_WEDGE,  /* A of rank 1: half-spaces (w - a)'y >= 0, (w + a)'y >= 0 */
    CAROM_SOC_PROPER, /* curved */
} carom_soc_kind;

typedef struct carom_soc {
    carom_soc_kind kind;
    bool flat; /* it had no interior: w = A eta0 with |eta0| <= 1; part of it became hyperplanes */
    int k, r;  /* columns of A, its rank */
    double *w; /* n */
    double *A; /* n x k, reduced */
    double *B; /* n x r, A A' = B B', orthogonal columns */
    double *V; /* k x r, B = A V, V'V = 1 */
    double *eta0; /* k */
    int row;      /* first of its half-spaces in the joined rows */
    double nu;    /* multipliers: reaction = nu w + B eta */
    double *eta;  /* r */
} carom_soc;

/* Bring the cone's second-order cones into the frame and sort them out; hyperplanes that hide in
 * them are fixed in the frame. soc: q of them. */
carom_status carom_cone_second_order_prepare(const carom_cone *cone, carom_cone_frame *frame,
                                             carom_arena *arena, carom_soc **soc,
                                             carom_error *error);

/* Nearest point z to x with R'z >= 0 (n x rows) and in all proper cones of soc. lambda: rows;
 * nu, eta of the proper ones are set. */
carom_status carom_cone_second_order_solve(int n, const double *x, int rows, const double *R, int q,
                                           carom_soc *soc, carom_arena *arena, double *z,
                                           double *lambda, int *iterations, carom_error *error);

#endif
