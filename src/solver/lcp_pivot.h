/* The work space of principal pivoting, shared by the search (lcp_pivot.c) and by the choice of the
 * solution of least norm (lcp_minimum.c). */
#ifndef CAROM_SRC_SOLVER_LCP_PIVOT_H
#define CAROM_SRC_SOLVER_LCP_PIVOT_H

#include "carom/lcp.h"

typedef struct carom_lcp_pivot_work {
    int n, k;        /* size of the problem, of F */
    double *A, *b;   /* scaled statement w = A y + b, n x n with ones on the diagonal, and n */
    double *e;       /* n, magnitude of b_i: |b_i|, or more if q was summed from larger terms */
    double *d;       /* n, z_i = d_i y_i; 0 where M_ii = 0 */
    double *y, *w;   /* n */
    double *s;       /* n, e_i + sum_j |A_ij| y_j: the magnitude that w_i is rounded at */
    double *L;       /* factor of A_FF, leading dimension n, in the order of F */
    double *x, *l;   /* n, work */
    int *F;          /* n, the set, in order of entry */
    bool *in, *idle; /* n; idle: w_i < 0 only by rounding, do not try again */
    bool indefinite; /* a negative curvature was met */
} carom_lcp_pivot_work;

/* Room for n; false when there is no memory. */
bool carom_lcp_pivot_take(carom_lcp_pivot_work *p, int n, carom_arena *arena);

/* A = D M D, b = D q, e = D q_size (may be NULL). False when a diagonal entry is negative: M is not
 * semidefinite. */
bool carom_lcp_pivot_scale(carom_lcp_pivot_work *p, const double *M, const double *q,
                           const double *q_size);

/* The active-set search from the empty set; *pivots is counted up. */
carom_lcp_outcome carom_lcp_pivot_iterate(carom_lcp_pivot_work *p, double tolerance, int limit,
                                          int *pivots);

/* w = A y + b and the magnitudes s. */
void carom_lcp_pivot_evaluate(carom_lcp_pivot_work *p);

/* l = L^{-1} A_Fj, x = A_FF^{-1} A_Fj; returns the curvature 1 - l'l along d = e_j - x, or 0 when
 * it cannot be told from the rounding of d'Ad: column j depends on those of F. */
double carom_lcp_pivot_curvature(carom_lcp_pivot_work *p, int j);

/* For a dependent j, right after its curvature: w_j = b'd is a sum of terms of this magnitude. */
double carom_lcp_pivot_magnitude(const carom_lcp_pivot_work *p, int j);

/* j joins F, right after its curvature s > 0 was computed. */
void carom_lcp_pivot_append(carom_lcp_pivot_work *p, int j, double s);

/* Given a solution y, w: is it the only one? If not, y becomes the solution of least norm, unless
 * any solution will do. */
carom_status carom_lcp_minimum_choose(carom_lcp_pivot_work *p, const carom_lcp_options *options,
                                      carom_arena *arena, bool *unique, carom_error *error);

#endif
