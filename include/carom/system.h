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
#include "carom/expr.h"

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
    CAROM_WANT_ALL = 511,        /* all of these: the mechanics */
    CAROM_WANT_GUARDS = 512,     /* guard */
    CAROM_WANT_EVENTS = 1024     /* event, event_if */
};

/* Which crossings of zero count. */
typedef enum carom_crossing {
    CAROM_CROSSING_BOTH,
    CAROM_CROSSING_UP,  /* from below zero */
    CAROM_CROSSING_DOWN /* from above */
} carom_crossing;

/* An instant of one's own: where its function crosses zero and its guard, if it has one, is > 0,
 * coordinates and velocities take other values (or none do: a mark in the motion). */
typedef struct carom_system_event {
    const char *name;
    carom_crossing direction;
    bool has_guard; /* event_if counts */
    bool resets;    /* it changes coordinates or velocities */
} carom_system_event;

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
    int a;                          /* nonholonomic constraints */
    bool mass_is_diagonal;          /* then M holds n numbers */
    bool mass_is_constant;          /* M depends on neither q nor t */
    bool forces_are_constant;       /* M and h depend on neither q, u nor t, and `power` at most on
                                       u, linearly: free flight is a parabola */
    bool power_is_zero;             /* `power` vanishes identically */
    bool rows_are_constant;         /* W, w_hat, H, slip_motion, B, b_hat, A and a_hat depend on
                                       neither q, u nor t: gaps are affine, biases vanish */
    bool rows_are_timeless;         /* the same depend on q only; rows_are_constant says so too */
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
    int guard_count;
    const int *guard; /* p: the guard without which the contact does not close, -1: none; NULL:
                         no contact has one */
    int event_count;
    const carom_system_event *events;
    const carom_region *region; /* NULL: all contacts must hold; contacts in no group are none */
    int spread;                 /* spread columns of all contacts */
    const int *spread_start;    /* p + 1; NULL: it follows from the contacts */
    int switch_count;           /* functions at whose zeros the equations of motion are not smooth,
                                   see carom_system_switching */
    int parameter_count;        /* with respect to which there are derivatives */
    const char *const *parameters;
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
    double *spread;          /* n x spread, with the normals: columns of A of second-order cones */
    double *spread_motion;   /* spread, with the normals: A'u + spread_motion is the rate of s */
    double *spread_bias;     /* spread, with the biases: its rate is A'u' + spread_bias */
    double *spread_value;    /* spread, with the gaps: s itself, 0 where only rows are given */
    double *apex;            /* p, with the gaps: how far a contact with spread is from the apex of
                                its cone, |s| of gap = g - |s|; it is a cone only there */
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
    double *guard;           /* guard_count: a contact may close where its guard is > 0 */
    double *event;           /* event_count: functions whose zeros are events */
    double *event_if;        /* event_count: guards of events */
} carom_state;

/* Derivatives in k directions at the state of the last carom_system_differentiate. Matrices are
 * applied to vectors that do not change: what enters M u' = h + W lambda + ... and W'u' + g_bias
 * when those are differentiated. Everything is borrowed. */
typedef struct carom_tangents {
    /* what the matrices are applied to; NULL: 0 */
    const double *x;                                   /* n */
    const double *lambda, *lambda_T, *joint, *rolling; /* p, s, m, a */
    /* what is wanted; NULL: it is not. Column j belongs to direction j */
    double *Mx;                           /* n x k: (dM) x */
    double *Nx;                           /* nq x k: (dN) x */
    double *h;                            /* n x k */
    double *force;                        /* n x k: (dW) lambda + (dH) lambda_T
                                             + (dB) joint + (dA) rolling */
    double *g, *Wx, *w_hat, *g_bias;      /* p x k; (dW)'x */
    double *Hx, *slip_motion, *slip_bias; /* s x k; (dH)'x */
    double *f, *Bx, *b_hat, *b_bias;      /* m x k; (dB)'x */
    double *Ax, *a_hat, *a_bias;          /* a x k; (dA)'x */
    double *kinetic, *potential, *power;  /* k */
    double *guard;                        /* guard_count x k */
    double *event, *event_if;             /* event_count x k */
    double *event_sharp;                  /* event_count x k: of `event`, NaN at kinks; a system
                                             that knows of none leaves it as it is */
} carom_tangents;

/* Where a flight leads through: between the two ends of each value, with the accelerations a. */
typedef struct carom_flight {
    double t[2];
    const double *q_low, *q_high, *u_low, *u_high; /* nq, nq, n, n */
    const double *a;                               /* n */
} carom_flight;

/* How a system is made from the outside: a table and a self. */
typedef struct carom_system_ops {
    const char *name;
    /* Fill the wanted parts of *state for its t, q, u. Arrays start zeroed, and structural zeros
     * may be left untouched. CAROM_ERROR_NUMERIC says that there are no values at this state, and
     * a motion tries a shorter step; after any other error it ends at once, without another call:
     * CAROM_ERROR_CALLBACK is there for functions that fail for reasons of their own. */
    carom_status (*evaluate)(void *self, unsigned want, carom_state *state, carom_error *error);
    void (*destroy)(void *self); /* NULL: nothing to do */
    /* Where a part was stated in the input, for messages: CAROM_WANT_GAPS and a contact, SLIPS and
     * a column of H, JOINTS and a bilateral or (after those) nonholonomic constraint, MASS or
     * FORCES and a velocity, ENERGY and 0 kinetic, 1 potential, 2 power. NULL, or a line of 0:
     * nowhere. */
    void (*locate)(const void *self, unsigned want, int index, int *line, int *column);
    /* evaluate looks for NaN and infinity itself and returns CAROM_ERROR_NUMERIC; the message is
     * written by carom_system_evaluate. */
    bool checks_values;
    /* The values after an event at the state: q (nq) and u (n) hold those before it, and only what
     * changes is written. NULL: no event resets. */
    carom_status (*reset)(void *self, int event, const carom_state *state, double *q, double *u,
                          carom_error *error);
    /* Forward mode, for carom_system_differentiate, carom_system_tangents and
     * carom_system_reset_tangents. NULL: there are no derivatives. */
    carom_status (*differentiate)(void *self, unsigned want, const carom_state *state,
                                  const carom_directions *directions, carom_error *error);
    void (*tangents)(void *self, carom_tangents *tangents);
    void (*reset_tangents)(void *self, int event, double *q, double *u);
    /* A second self with work space of its own, which shares what does not change; destroyed like
     * the first, before it. NULL: such systems cannot be shared. */
    carom_status (*share)(const void *self, const carom_allocator *allocator, void **shared,
                          carom_error *error);
    /* low (p): what W'a + g_bias, the second derivatives of the gaps in time, never fall below on
     * the flight, all gaps being smooth there. False: not known. NULL: never known; then flights of
     * constant force towards walls that move or bend are looked at point by point. */
    bool (*curvature)(void *self, const carom_flight *flight, double *low);
    /* Marks what the wanted parts depend on, as their structure tells: coordinates q (nq),
     * velocities u (n), time t (1); bytes come in as 0. NULL: on everything. */
    void (*depends)(void *self, unsigned want, unsigned char *q, unsigned char *u,
                    unsigned char *t);
    /* The functions at whose zeros M, h, rows or biases are not smooth, `switch_count` of them:
     * values, and, in the directions unless they are NULL, changes (switch_count x k). NULL: there
     * are none. */
    carom_status (*switching)(void *self, const carom_state *state,
                              const carom_directions *directions, double *value, double *change,
                              carom_error *error);
} carom_system_ops;

typedef struct carom_system carom_system;

/* ops and self are borrowed until destroy, which calls ops->destroy(self); when create fails self
 * stays the caller's. The shape is copied, names and patterns included; slip_start may be NULL (it
 * follows from the contacts), and so may names (they become q1 ..., u1 ..., their number). */
CAROM_API carom_status carom_system_create(const carom_system_ops *ops, void *self,
                                           const carom_system_shape *shape,
                                           const carom_allocator *allocator, carom_system **system,
                                           carom_error *error);

/* The same system for another thread: the model is shared, only its work space is made anew, at
 * a moment when nobody evaluates. The first must live as long as all that share with it. */
CAROM_API carom_status carom_system_share(const carom_system *system,
                                          const carom_allocator *allocator, carom_system **shared,
                                          carom_error *error);

/* Destroy a system, with ops->destroy(self). NULL is allowed. */
CAROM_API void carom_system_destroy(carom_system *system);

/* Sizes and names, valid as long as the system. */
CAROM_API const carom_system_shape *carom_system_get_shape(const carom_system *system);

/* Bounds of the curvature of gaps, as in the table; false: not known. */
CAROM_API bool carom_system_curvature(const carom_system *system, const carom_flight *flight,
                                      double *low);

/* Arrays for a state, zeroed, from the arena. */
CAROM_API carom_status carom_state_create(const carom_system *system, carom_arena *arena,
                                          carom_state *state, carom_error *error);

/* Evaluate at state->t, q, u. NaN or infinity in what was evaluated is an error that names it
 * (CAROM_ERROR_NUMERIC; the parts of the state then are undefined). Systems have work space: not
 * for two threads at once, each takes its own (carom_system_share). */
CAROM_API carom_status carom_system_evaluate(const carom_system *system, unsigned want,
                                             carom_state *state, carom_error *error);

/* The state after an event: q (nq) and u (n) from those before it, all formulas evaluated before
 * the instant. */
CAROM_API carom_status carom_system_reset(const carom_system *system, int event,
                                          const carom_state *state, double *q, double *u,
                                          carom_error *error);

/* Derivatives at state->t, q, u in the k directions, of the parts in `want` and, with
 * CAROM_WANT_EVENTS, of what events set. They are exact, and do not touch what
 * carom_system_evaluate computes. Then ask for them as often as needed: */
CAROM_API carom_status carom_system_differentiate(const carom_system *system, unsigned want,
                                                  const carom_state *state,
                                                  const carom_directions *directions,
                                                  carom_error *error);

/* What the wanted parts may depend on: coordinates q (nq), velocities u (n), time *t, 1 or 0. */
CAROM_API void carom_system_depends(const carom_system *system, unsigned want, unsigned char *q,
                                    unsigned char *u, unsigned char *t);

/* Derivatives of what was differentiated last, which must hold the parts that are asked for. They
 * are NaN or infinite where none exist. */
CAROM_API void carom_system_tangents(const carom_system *system, carom_tangents *tangents);

/* Where formulas with `if`, `sign`, `abs`, `min` or `max` in the equations of motion switch: the
 * functions (switch_count) that cross zero there, and how they change (switch_count x k; directions
 * NULL: not asked for). Replaces what was differentiated last. */
CAROM_API carom_status carom_system_switching(const carom_system *system, const carom_state *state,
                                              const carom_directions *directions, double *value,
                                              double *change, carom_error *error);

/* How the values after an event change: q (nq x k), u (n x k) hold the directions and get what the
 * event makes of them, at a fixed instant; NaN where a formula that sets has a kink or a jump. */
CAROM_API void carom_system_reset_tangents(const carom_system *system, int event, double *q,
                                           double *u);

/* What must hold at a state to start from, evaluated here at state->t, q, u: the mass matrix is
 * positive definite (the error names a direction with no kinetic energy), and no contact with gap
 * <= closed has a vanishing gradient (closed INFINITY: every contact; -INFINITY: none is asked). */
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
