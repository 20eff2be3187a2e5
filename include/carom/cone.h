/* Cones and their projections in a metric M (docs/theory/cones.md).
 *
 * All functions are scale invariant: M times a positive number, rows times positive numbers and x
 * times a positive number change the answer by scale only. Dependent, redundant, duplicate and
 * opposite rows or generators are normal input. Norms and products are those of the metric:
 * x.y = x'My.
 */
#ifndef CAROM_CONE_H
#define CAROM_CONE_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The metric. Plain data; {0} is the Euclidean one. */
typedef struct carom_metric {
    bool diagonal;
    const double *M; /* n x n symmetric positive definite, or its n diagonal entries; NULL: I */
    const double *L; /* its Cholesky factor (lower), or sqrt of the diagonal; NULL: not at hand */
} carom_metric;

/* A convex cone by inequalities,
 *   T = { y : w_i'y >= 0,  c_j'y = 0,  v_k'y >= |A_k'y| },
 * the intersection of half-spaces, hyperplanes and second-order cones. Rows are covectors, stored
 * as columns. Usable with {0} apart from n. */
typedef struct carom_cone {
    int n;
    carom_metric metric;
    int p;                   /* half-spaces */
    const double *W;         /* n x p */
    int c;                   /* hyperplanes */
    const double *C;         /* n x c */
    int q;                   /* second-order cones */
    const double *axis;      /* n x q, columns v_k */
    const int *spread_start; /* q + 1 offsets into the columns of spread */
    const double *spread;    /* n x k, columns of the A_k, any number and any rank; none: A = 0 */
} carom_cone;

/* Moreau's decomposition x = z + z_perp: z in T, z_perp in the polar cone, z.z_perp = 0. With
 * multipliers:  -M z_perp = W lambda + C beta + sum_k (v_k nu_k + A_k eta_k),
 * lambda >= 0, |eta_k| <= nu_k. Arrays live in the arena. */
typedef struct carom_projection {
    double *z, *z_perp; /* n */
    double distance;    /* |z_perp| */
    double *lambda;     /* p; if not unique the one of least norm, weighted by the rows' norms */
    double *beta;       /* c */
    double *nu;         /* q */
    double *eta;        /* k, in the order of spread */
    bool unique;        /* lambda is the only one (with the other multipliers as shown) */
    bool attained;      /* false: T has no interior and no finite nu, eta exist; z is right */
    bool converged;     /* false: z is not accurate, see residual */
    double residual;    /* largest violation of the conditions, relative to |x| */
    int iterations;
} carom_projection;

/* Project x (n) on the cone. */
CAROM_API carom_status carom_cone_project(const carom_cone *cone, const double *x,
                                          carom_arena *arena, carom_projection *projection,
                                          carom_error *error);

/* A convex cone by generators, K = { G a + E b : a >= 0 }. */
typedef struct carom_generated_cone {
    int n;
    carom_metric metric;
    int g;           /* generators */
    const double *G; /* n x g, vectors */
    int e;           /* lines */
    const double *E; /* n x e */
} carom_generated_cone;

/* x = z + z_perp with z = G lambda + E beta in K and z_perp in its polar cone. nu, eta are NULL. */
CAROM_API carom_status carom_cone_project_generated(const carom_generated_cone *cone,
                                                    const double *x, carom_arena *arena,
                                                    carom_projection *projection,
                                                    carom_error *error);

/* How far a decomposition is from Moreau's, recomputed from the statement alone. All relative to
 * |x|, `dual` to the largest term of its sum if that is larger; rows and axes are measured in units
 * of their own norm. */
typedef struct carom_cone_residual {
    double sum;    /* |x - z - z_perp| */
    double primal; /* violation of z in T */
    double dual;   /* -M z_perp is not the combination shown, or a multiplier has no right sign */
    double orthogonal; /* |z.z_perp| / |x|^2 */
    double worst;      /* the largest of them */
} carom_cone_residual;

/* Verify a projection of x on the cone. */
CAROM_API carom_status carom_cone_verify(const carom_cone *cone, const double *x,
                                         const carom_projection *projection, carom_arena *arena,
                                         carom_cone_residual *residual, carom_error *error);

/* Extreme rays of the cone { y : A'y >= 0 }, A k x p of rank k (so that it contains no line),
 * Euclidean, by double description. rays: k x count, of unit length, in the arena. p > 64:
 * CAROM_ERROR_UNSUPPORTED. */
CAROM_API carom_status carom_cone_rays(int k, int p, const double *A, carom_arena *arena,
                                       double **rays, int *count, carom_error *error);

/* A union of convex polyhedral cones T = T_1 u T_2 u ..., T_k = { y : w_j'y >= 0 for j in group k
 * }, within { C'y = 0 }. */
typedef struct carom_union {
    int n;
    carom_metric metric;
    int p;
    const double *W; /* n x p */
    int c;
    const double *C; /* n x c */
    int group_count;
    const int *group_start; /* group_count + 1 offsets into group_row */
    const int *group_row;
} carom_union;

typedef enum carom_stationary_type {
    CAROM_STATIONARY_INSIDE,  /* z = x: x is in T */
    CAROM_STATIONARY_MINIMUM, /* local minimum of the distance */
    CAROM_STATIONARY_SADDLE   /* stationary in Clarke's sense, no minimum */
} carom_stationary_type;

/* "inside", "minimum", "saddle" */
CAROM_API const char *carom_cone_union_text(carom_stationary_type type);

typedef struct carom_stationary {
    carom_stationary_type type;
    double distance; /* |x - z| */
    double *z;       /* n */
    double *lambda;  /* p, M (z - x) = W lambda + C beta, lambda >= 0, of least norm */
    bool unique;     /* lambda is the only one */
    unsigned active; /* bit j: w_j'z = 0 */
} carom_stationary;

enum { CAROM_UNION_LIMIT = 8 }; /* largest p */

/* All stationary points of the distance from x to T, nearest first, coinciding ones merged. There
 * is always one. p > CAROM_UNION_LIMIT: CAROM_ERROR_UNSUPPORTED. */
CAROM_API carom_status carom_cone_union_stationary(const carom_union *set, const double *x,
                                                   carom_arena *arena, carom_stationary **points,
                                                   int *count, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
