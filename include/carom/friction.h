/* Contact with Coulomb friction at one instant, from one contact to a hundred thousand.
 *
 * Contact i has one, two or three rows: its normal, then its tangents. With u = W r + q,
 *
 *     K_i = {|r_T| <= mu_i r_N},    K_i contains r_i,  perpendicular to  u_i + mu_i |u_T,i| e_N
 *                                                      in the dual cone of K_i,
 *
 * which is Signorini's condition and Coulomb's law without any relaxation. u are velocities and r
 * impulses, or accelerations and forces; restitution is a part of q. A bilateral contact has u = 0
 * on its rows and any r. W need not be symmetric; its symmetric part is positive semidefinite.
 * Derivations: docs/theory/friction-problem.md. */
#ifndef CAROM_FRICTION_H
#define CAROM_FRICTION_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How W is given. */
typedef enum carom_friction_form {
    CAROM_FRICTION_DENSE,  /* W: n x n */
    CAROM_FRICTION_BLOCKS, /* rows of blocks, a block for a pair of contacts */
    CAROM_FRICTION_BODIES  /* W = H' M^-1 H, q = H' M^-1 f + w: M v = f + H r, u = H' v + w */
} carom_friction_form;

/* W by rows of blocks. A pair of contacts has at most one block; what is not there is zero. */
typedef struct carom_friction_blocks {
    const int *start;    /* contacts + 1: the blocks of contact i are start[i] ... start[i+1] - 1 */
    const int *column;   /* the other contact of each block */
    const double *value; /* the blocks one after the other, each rows_i x rows_j, column-major */
} carom_friction_blocks;

/* Bodies, or trees of bodies, that the contacts connect. What does not move is not listed. */
typedef struct carom_friction_bodies {
    int count;
    const int *dof;   /* count: degrees of freedom of each; NULL: 6 each */
    const double *M;  /* mass matrices one after the other, dof x dof each, column-major */
    const double *f;  /* sum of dof: M v = f + H r; NULL: zero */
    const int *start; /* contacts + 1: contact i touches body[start[i]] ... body[start[i+1]-1] */
    const int *body;  /* none twice for one contact */
    const double *H;  /* a block for each of them, dof x rows_i, column-major: u = H'v + w */
} carom_friction_bodies;

/* The statement. Borrowed, never changed. */
typedef struct carom_friction_problem {
    int contacts;
    int dimension;         /* rows of every contact when `rows` is NULL: 1, 2 or 3 */
    const int *rows;       /* contacts: 1, 2 or 3; NULL: `dimension` each */
    const double *mu;      /* contacts: finite, >= 0; of no meaning where rows = 1 or bilateral.
                            * NULL: zero */
    const bool *bilateral; /* contacts, NULL: none */
    carom_friction_form form;
    const double *W;              /* CAROM_FRICTION_DENSE: n x n, column-major */
    carom_friction_blocks blocks; /* CAROM_FRICTION_BLOCKS */
    carom_friction_bodies bodies; /* CAROM_FRICTION_BODIES */
    const double *q;              /* n (the sum of the rows); w when the form is bodies */
} carom_friction_problem;

/* Rows of contact i, and of all contacts. */
CAROM_API int carom_friction_problem_rows_at(const carom_friction_problem *problem, int i);
CAROM_API int carom_friction_problem_rows(const carom_friction_problem *problem);

/* Is the statement one: sizes, indices, finite numbers, friction >= 0? The error says which contact
 * and what is allowed. Solving checks it too. */
CAROM_API carom_status carom_friction_problem_check(const carom_friction_problem *problem,
                                                    carom_error *error);

/* u = W r + q, computed with the statement as it is given. v (all dof, or NULL): velocities of the
 * bodies. Work space comes from the arena and is given back. */
CAROM_API carom_status carom_friction_problem_velocity(const carom_friction_problem *problem,
                                                       const double *r, carom_arena *arena,
                                                       double *u, double *v, carom_error *error);

/* The one measure of all methods, from r alone: |r - P_K(r - u - mu |u_T| e_N)| (u on bilateral
 * rows) over all contacts, divided by max(|q|, |r|, |u|) unless that is below the least normal
 * number; by the largest of the terms where bodies have a q that is no more than the rounding of
 * them. u (n, or NULL) receives the velocities. */
CAROM_API carom_status carom_friction_problem_residual(const carom_friction_problem *problem,
                                                       const double *r, carom_arena *arena,
                                                       double *u, double *residual,
                                                       carom_error *error);

/* The methods, each with the reason why it must work in docs/theory/friction-problem.md. */
typedef enum carom_friction_method {
    CAROM_FRICTION_AUTO,
    CAROM_FRICTION_SWEEPS,   /* block Gauss-Seidel, each contact solved exactly in its turn */
    CAROM_FRICTION_INTERIOR, /* coupled primal-dual interior point */
    CAROM_FRICTION_NEWTON,   /* semismooth Newton on the natural map, from the start given */
    CAROM_FRICTION_PROXIMAL, /* Newton on W + delta I, the centre moves, delta falls */
    CAROM_FRICTION_PATH,     /* from a smooth convex problem into the problem itself */
    CAROM_FRICTION_CLOSED,   /* one contact alone; an answer's, not to be asked for */
    CAROM_FRICTION_METHODS   /* their number */
} carom_friction_method;

/* "auto", "sweeps", ...; NULL for what is none. */
CAROM_API const char *carom_friction_method_name(carom_friction_method method);

typedef enum carom_friction_outcome {
    CAROM_FRICTION_SOLVED,     /* the residual is at most `accept`, and velocities are right to
                                * `accept` beside q too, in twice the digits: without a solution
                                * r runs to infinity, and a residual that is relative to it to zero */
    CAROM_FRICTION_LIMIT,      /* it is not; the best point is returned */
    CAROM_FRICTION_INFEASIBLE, /* proved: no velocities have u_N >= 0, whatever the friction */
    CAROM_FRICTION_CANCELLED   /* the caller's watch said so; the best point is returned */
} carom_friction_outcome;

typedef struct carom_friction_options {
    carom_friction_method method;
    double tolerance;    /* the residual to aim at, in the units of the statement and in units in
                          * which W is near one; 0: 1e-12 */
    double accept;       /* a residual that still counts as solved; 0: 1e-8 */
    int max_iterations;  /* factorisations or sweeps of a method; 0: chosen by it */
    const double *start; /* n, or NULL: reactions to start from (a warm start) */
    bool polish;         /* below the tolerance too: one more step of Newton's method, kept if it is
                          * better. Contacts are then closed to rounding */
    bool (*watch)(void *self, int iterations, double residual); /* NULL: none; called now and
                                                                 * then, false: stop */
    void *self;
} carom_friction_options;

typedef struct carom_friction_info {
    carom_friction_outcome outcome;
    carom_friction_method method; /* the one that gave the answer of the largest island */
    int iterations;               /* sweeps, and steps of Newton's kind, of all islands */
    int factorisations;
    int islands;
    double residual;    /* carom_friction_problem_residual of the returned r */
    double certificate; /* INFEASIBLE: q_N' y < 0 for the ray y of largest entry 1 */
} carom_friction_info;

/* Solve. options may be NULL. r, u: n numbers (u may be NULL, and so may info). ray: n numbers or
 * NULL; zero, but for an infeasible problem: then y >= 0 on normal rows, 0 on tangential ones, any
 * sign on bilateral ones, W'y = 0 and q'y < 0, so that y'u = q'y < 0 for all reactions. All work
 * space comes from the arena and is given back: with the same arena a second solution of that size
 * allocates nothing. */
CAROM_API carom_status carom_friction_problem_solve(const carom_friction_problem *problem,
                                                    const carom_friction_options *options,
                                                    carom_arena *arena, double *r, double *u,
                                                    double *ray, carom_friction_info *info,
                                                    carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
