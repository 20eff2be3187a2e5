/* Principal pivoting in one small tableau (docs/theory/lcp-small.md):
 *     x_B = v + T x_N,
 * row and column i belong to the pair (w_i, z_i): w_i is basic and z_i = 0 outside the set F, the
 * other way round inside. So T_FF = M_FF^{-1}, and T outside F is the Schur complement of M_FF. */
#ifndef CAROM_SRC_SOLVER_LCP_CROSS_H
#define CAROM_SRC_SOLVER_LCP_CROSS_H

#include "carom/lcp.h"
#include "solver/lcp_small.h"

/* n is rounded up to even by an empty row and column, so that the compiler can work on two numbers
 * at a time without remainder. */
typedef struct carom_lcp_cross {
    int n, rows;                  /* rows: n, rounded up */
    const double *M;              /* rows x n: the caller's, or copy */
    double q[CAROM_LCP_SMALL];    /* rows */
    double size[CAROM_LCP_SMALL]; /* rows: magnitude of q_i */
    _Alignas(
        64) double T[CAROM_LCP_SMALL * (CAROM_LCP_SMALL + 1)]; /* rows x (n + 1); column n: v */
    double unit[CAROM_LCP_SMALL];                              /* |M_ii|, or 1 where it is zero */
    double weight[CAROM_LCP_SMALL]; /* of v_i^2: 1 / unit outside F, unit inside */
    double other[CAROM_LCP_SMALL];  /* the weight on the other side */
    bool in[CAROM_LCP_SMALL];       /* F */
    bool positive;                  /* are all M_ii? */
    int pivots;
    double least; /* v_i < 0 with less v_i^2 * weight than this is rounding */
    double copy[CAROM_LCP_SMALL * CAROM_LCP_SMALL]; /* where M needs padding, or has a band */
} carom_lcp_cross;

/* What the diagonal entry of an index outside F says: its column is independent of those of F,
 * depends on them, or it cannot be told (or M is not semidefinite). */
typedef enum carom_lcp_cross_kind {
    CAROM_LCP_CROSS_FREE,
    CAROM_LCP_CROSS_DEPENDENT,
    CAROM_LCP_CROSS_UNCLEAR
} carom_lcp_cross_kind;

/* Empty F. Of M the entries with |i - j| > bandwidth are not read, if that is not 0. */
void carom_lcp_cross_fill(carom_lcp_cross *t, const carom_lcp *lcp);

/* Exchange w_k and z_k. */
void carom_lcp_cross_pivot(carom_lcp_cross *t, int k);

/* Pivot until no v_i is negative beyond rounding. False: not within the limit, or no pivot can be
 * trusted, or there is none; nothing is proved by that. */
bool carom_lcp_cross_run(carom_lcp_cross *t, bool symmetric);

/* w = M z + q and s, the sums of the magnitudes of its terms, in arrays of CAROM_LCP_SMALL numbers.
 * A number that is not finite, anywhere in the statement, is then in some s. */
void carom_lcp_cross_evaluate(const carom_lcp_cross *t, const double *z, double *w, double *s);

/* For symmetric M. */
carom_lcp_cross_kind carom_lcp_cross_classify(const carom_lcp_cross *t, int k);

/* v_k^2 is to be weighed thus while k is outside F, by the inverse inside. */
static inline void carom_lcp_cross_weigh(carom_lcp_cross *t, int k, double weight)
{
    t->weight[k] = weight;
    t->other[k] = t->unit[k] = 1 / weight;
}

/* The value v_k. */
static inline double carom_lcp_cross_value(const carom_lcp_cross *t, int k)
{
    return t->T[t->n * t->rows + k];
}

#endif
