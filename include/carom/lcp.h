/* Linear complementarity problems:  w = M z + q,  0 <= z,  0 <= w,  z'w = 0. */
#ifndef CAROM_LCP_H
#define CAROM_LCP_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The statement. */
typedef struct carom_lcp {
    int n;
    const double *M; /* n x n, column-major */
    const double *q; /* n */
    bool symmetric;  /* the caller's word: M is symmetric positive semidefinite */
    int bandwidth;   /* the caller's word: M_ij = 0 for |i-j| > bandwidth; 0 means "not known" */
    const double *q_size; /* n, or NULL: q_i was summed from terms of this magnitude, so it is only
                           * known to a rounding of that; NULL means |q_i| */
} carom_lcp;

typedef enum carom_lcp_algorithm {
    CAROM_LCP_AUTO,
    CAROM_LCP_PIVOT,        /* principal pivoting, symmetric positive semidefinite M; chosen
                             * automatically for small M of any kind too */
    CAROM_LCP_LEMKE,        /* any M; lexicographic, ends with a solution or on a ray */
    CAROM_LCP_GAUSS_SEIDEL, /* projected, accelerated; large symmetric problems */
    CAROM_LCP_ENUMERATE,    /* all complementary bases, small n */
    CAROM_LCP_BLOCK         /* block pivoting, large symmetric positive semidefinite M */
} carom_lcp_algorithm;

/* Self-describing table of the algorithms, for `carom solvers`. */
typedef struct carom_lcp_solver_info {
    carom_lcp_algorithm algorithm;
    const char *name, *summary, *reference;
} carom_lcp_solver_info;

/* The algorithms, in the order they are listed. */
CAROM_API int carom_lcp_solver_count(void);
CAROM_API const carom_lcp_solver_info *carom_lcp_solver_at(int index);

typedef struct carom_lcp_options {
    carom_lcp_algorithm algorithm;
    double tolerance;    /* on carom_lcp_residual; 0: 1e-12 */
    int max_iterations;  /* 0: chosen by the algorithm */
    const double *start; /* n, or NULL: a z to start from (pivot, block, gauss-seidel); its positive
                          * entries are the first guess of the active set */
    bool any_solution;   /* of several solutions of a symmetric problem the first that is met will
                          * do: the one of least norm is not looked for (pivot) */
} carom_lcp_options;

typedef enum carom_lcp_outcome {
    CAROM_LCP_SOLVED,
    CAROM_LCP_INFEASIBLE, /* proved: no solution */
    CAROM_LCP_RAY,  /* Lemke ended on a ray: no solution, or M is not in a class it can decide */
    CAROM_LCP_LIMIT /* tolerance not reached; best point returned */
} carom_lcp_outcome;

typedef struct carom_lcp_info {
    carom_lcp_outcome outcome;
    carom_lcp_algorithm algorithm; /* the one that was used */
    int iterations;
    double residual; /* carom_lcp_residual of the returned z */
    bool unique_w;   /* proved: w is the same for all solutions (symmetric M) */
    bool unique_z;   /* proved: this is the only solution */
} carom_lcp_info;

/* Solve. options may be NULL. z, w: n numbers (w may be NULL, and so may info). For symmetric
 * positive semidefinite M with several solutions the z of least Euclidean norm in the scaled
 * variables is returned, unless options say that any will do. */
CAROM_API carom_status carom_lcp_solve(const carom_lcp *lcp, const carom_lcp_options *options,
                                       carom_arena *arena, double *z, double *w,
                                       carom_lcp_info *info, carom_error *error);

/* The error measure, independent of every solver and of the units of z and w: largest of the
 * violated signs and of min(z_i, w_i), each relative to the scale of its row (docs/theory/lcp.md).
 */
CAROM_API double carom_lcp_residual(const carom_lcp *lcp, const double *z);

/* One connected piece of the solution set, the convex hull of its vertices plus the cone of its
 * rays: an isolated point has one vertex and no ray, a segment two vertices. */
typedef struct carom_lcp_piece {
    int vertex_count, ray_count;
    const double *vertices; /* n x vertex_count */
    const double *rays;     /* n x ray_count */
} carom_lcp_piece;

typedef struct carom_lcp_solutions {
    int count; /* 0: proved that there is none */
    const carom_lcp_piece *pieces;
} carom_lcp_solutions;

enum { CAROM_LCP_ENUMERATE_LIMIT = 16 }; /* largest n for enumeration */

/* All solutions. */
CAROM_API carom_status carom_lcp_enumerate(const carom_lcp *lcp, carom_arena *arena,
                                           carom_lcp_solutions *solutions, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
