/* A mechanical system: coordinates, mass, forces, gaps, slips, joints, kinetic constraints.
 *
 *   q' = N(q) u                                   (identity unless said)
 *   M(q,t) u' = h(q,u,t) + W lambda + H lambda_T + B beta + A alpha
 *   gap g_i(q,t) >= 0:  gamma = W'u + w_hat,  gamma' = W'u' + g_bias
 *   slip:               v_T = H'u + slip_motion,  v_T' = H'u' + slip_bias
 *   joint f(q,t) = 0:   f' = B'u + b_hat,  f'' = B'u' + b_bias
 *   rolling:            phi = A'u + a_hat = 0,  phi' = A'u' + a_bias
 */
#ifndef CAROM_SYSTEM_H
#define CAROM_SYSTEM_H

#include "carom/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to evaluate. */
enum {
    CAROM_WANT_GAPS = 1,         /* g */
    CAROM_WANT_NORMALS = 2,      /* W, w_hat */
    CAROM_WANT_SLIPS = 4,        /* H, slip_motion */
    CAROM_WANT_JOINTS = 8,       /* f, B, b_hat, A, a_hat */
    CAROM_WANT_MASS = 16,        /* M */
    CAROM_WANT_FORCES = 32,      /* h */
    CAROM_WANT_BIASES = 64,      /* g_bias, slip_bias, b_bias, a_bias */
    CAROM_WANT_ENERGY = 128,     /* kinetic, potential, power */
    CAROM_WANT_KINEMATICS = 256, /* N */
    CAROM_WANT_ALL = 511
};

/* Which entries of a matrix may differ from zero: in column j the rows row[start[j]] ...
 * row[start[j + 1] - 1], ascending. start NULL: not stated, any entry may. Entries that are not
 * named stay zero and need not be read; large sparse systems are much faster with patterns. */
typedef struct carom_pattern {
    const int *start; /* columns + 1 */
    const int *row;
} carom_pattern;

/* Sizes and names: constant once the system is made. */
typedef struct carom_system_shape {
    int nq;                         /* coordinates */
    int n;                          /* velocities */
    int p;                          /* contacts */
    int s;                          /* slip columns of all contacts */
    int m;                          /* bilateral constraints */
    int a;                          /* permanent kinetic constraints */
    bool mass_is_diagonal;          /* then M holds n numbers */
    bool mass_is_constant;          /* M depends on neither q nor t */
    bool forces_are_constant;       /* M and h depend on neither q, u nor t, and `power` at most on
                                       u, linearly: free flight is a parabola */
    bool power_is_zero;             /* `power` vanishes identically */
    bool rows_are_constant;         /* W, w_hat, H, slip_motion, B, b_hat, A and a_hat depend on
                                       neither q, u nor t: gaps are affine, biases vanish */
    bool kinematics_is_identity;    /* then N is NULL */
    const char *const *coordinates; /* nq names */
    const char *const *velocities;  /* n names, "x'" */
    const carom_contact *contacts;  /* p; slip_count tells how H is shared out */
    const int *slip_start;          /* p + 1 */
    const char *const *joints;      /* m names */
    const char *const *rollings;    /* a names */
    carom_pattern normal_pattern;   /* of W, n x p */
    carom_pattern slip_pattern;     /* of H, n x s */
    carom_pattern joint_pattern;    /* of B, n x m */
    carom_pattern rolling_pattern;  /* of A, n x a */
    carom_pattern mass_pattern;     /* of M, n x n; diagonal ones need none */
} carom_system_shape;

/* Values at (t, q, u). Arrays are made by carom_state_create; shapes as in carom_impact. */
typedef struct carom_state {
    double t;
    double *q, *u;           /* nq, n */
    double *N;               /* nq x n */
    double *M;               /* n x n or n */
    double *h;               /* n */
    double *g;               /* p */
    double *W, *w_hat;       /* n x p, p */
    double *g_bias;          /* p */
    double *H, *slip_motion; /* n x s, s */
    double *slip_bias;       /* s */
    double *f;               /* m */
    double *B, *b_hat;       /* n x m, m */
    double *b_bias;          /* m */
    double *A, *a_hat;       /* n x a, a */
    double *a_bias;          /* a */
    double kinetic;          /* T(q,u,t), with its velocity-linear and velocity-free terms */
    double potential;        /* V(q,t) */
    double power;            /* of the forces beyond the potential, for the energy ledger: d/dt of
                                (1/2 u'Mu + V) that is not due to contacts, joints */
} carom_state;

/* How a system is made from the outside: a table and a self. */
typedef struct carom_system_ops {
    const char *name;
    /* Fill the wanted parts of *state for its t, q, u. Arrays start zeroed, and structural zeros
     * may be left untouched. */
    carom_status (*evaluate)(void *self, unsigned want, carom_state *state, carom_error *error);
    void (*destroy)(void *self); /* NULL: nothing to do */
    /* Where a part was stated in the input, for messages: CAROM_WANT_GAPS and a contact, SLIPS and
     * a column of H, JOINTS and a bilateral or (after those) permanent constraint, MASS or FORCES
     * and a velocity, ENERGY and 0 kinetic, 1 potential, 2 power. NULL, or a line of 0: nowhere. */
    void (*locate)(const void *self, unsigned want, int index, int *line, int *column);
    /* evaluate looks for NaN and infinity itself and returns CAROM_ERROR_NUMERIC; the message is
     * written by carom_system_evaluate. */
    bool checks_values;
} carom_system_ops;

typedef struct carom_system carom_system;

/* ops and self are borrowed until destroy, which calls ops->destroy(self); when create fails self
 * stays the caller's. The shape is copied, names and patterns included; slip_start may be NULL (it
 * follows from the contacts), and so may names (they become q1 ..., u1 ..., their number). */
CAROM_API carom_status carom_system_create(const carom_system_ops *ops, void *self,
                                           const carom_system_shape *shape,
                                           const carom_allocator *allocator, carom_system **system,
                                           carom_error *error);

/* Destroy a system, with ops->destroy(self). NULL is allowed. */
CAROM_API void carom_system_destroy(carom_system *system);

/* Sizes and names, valid as long as the system. */
CAROM_API const carom_system_shape *carom_system_get_shape(const carom_system *system);

/* Arrays for a state, zeroed, from the arena. */
CAROM_API carom_status carom_state_create(const carom_system *system, carom_arena *arena,
                                          carom_state *state, carom_error *error);

/* Evaluate at state->t, q, u. NaN or infinity in what was evaluated is an error that names it
 * (CAROM_ERROR_NUMERIC; the parts of the state then are undefined). Systems have work space: not
 * for two threads at once. */
CAROM_API carom_status carom_system_evaluate(const carom_system *system, unsigned want,
                                             carom_state *state, carom_error *error);

/* What must hold at a state to start from, evaluated here at state->t, q, u: the mass matrix is
 * positive definite (the error names a direction of velocity with no kinetic energy), and no
 * contact with gap <= closed has a vanishing gradient (closed: INFINITY means every contact). */
CAROM_API carom_status carom_system_check(const carom_system *system, double closed,
                                          carom_arena *arena, carom_state *state,
                                          carom_error *error);

/* Makers of the library: formulas (carom/formulas.h), and a free rigid body over a plane
 * (docs/theory/rigid-body.md). */
typedef struct carom_rigid_body {
    double mass;
    double inertia[3];     /* principal moments about the centre of mass, body axes */
    double point[3];       /* contact point, body coordinates, from the centre of mass */
    double normal[3];      /* of the plane, space coordinates, need not be of unit length */
    double offset;         /* plane: normal . x = offset */
    double gravity[3];     /* acceleration, space coordinates */
    carom_contact contact; /* slip_count 2 for friction */
} carom_rigid_body;

/* nq = 7 (position, unit quaternion w x y z), n = 6 (velocity of the centre in space axes, angular
 * velocity in body axes). */
CAROM_API carom_status carom_system_rigid_body(const carom_rigid_body *body,
                                               const carom_allocator *allocator,
                                               carom_system **system, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
