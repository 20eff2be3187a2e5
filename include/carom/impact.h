/* The impact at one instant: statement, derived geometry, outcome with its three verdicts.
 *
 * Impact equation  M (u+ - u-) = W L + H l_T + B beta + A alpha,  contacts g_i >= 0 closed
 * (plus `spread` times spread_impulse for second-order cones, |eta_i| <= L_i),
 * normal velocities gamma = W'u + w_hat, slips v_T = H'u + slip_motion (docs/theory/impact.md).
 */
#ifndef CAROM_IMPACT_H
#define CAROM_IMPACT_H

#include "carom/mode.h"
#include "carom/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accept restitution coefficients outside [0, 1]. */
#define CAROM_IMPACT_ANY_RESTITUTION 1u

/* The statement. Plain data, all pointers borrowed, usable with {0}. */
typedef struct carom_impact {
    int n; /* degrees of freedom */
    int p; /* closed contacts */
    int m; /* bilateral constraints (joints) */
    int a; /* nonholonomic constraints (rolling; the key is `permanent`) */
    bool mass_is_diagonal;
    const double *M;                /* n x n, or its n diagonal entries if mass_is_diagonal */
    const double *u;                /* n, velocity u- before the impact */
    const double *W;                /* n x p, column i = w_i = dg_i/dq */
    const double *w_hat;            /* p, dg_i/dt; NULL: 0 */
    const carom_contact *contacts;  /* p; NULL: all default */
    const double *H;                /* n x s, slip directions, contact after contact */
    const double *slip_motion;      /* s; NULL: 0 */
    const double *spread;           /* n x k, columns a_j of second-order cones |A u| <= w'u */
    const double *B;                /* n x m, column j: B_j'u + b_hat_j = 0 */
    const double *b_hat;            /* m; NULL: 0 */
    const double *A;                /* n x a, column j: A_j'u + a_hat_j = 0 */
    const double *a_hat;            /* a; NULL: 0 */
    const carom_region *region;     /* NULL: all contacts must hold */
    const char *const *coordinates; /* n names for messages, or NULL */
    unsigned flags;                 /* CAROM_IMPACT_... */
} carom_impact;

/* The impact of those contacts of a system with gap <= tolerance, from an evaluated state
 * (CAROM_WANT_ALL), which must outlive it. closed: room for shape->p numbers; closed[k] = index in
 * the system of the impact's contact k. */
CAROM_API carom_status carom_impact_from_system(const carom_system *system,
                                                const carom_state *state, double tolerance,
                                                carom_arena *arena, carom_impact *impact,
                                                int *closed, carom_error *error);

/* What follows from the statement alone. All arrays live in the arena given to derive.
 * "Constrained" means within the joints and nonholonomic constraints, rows C = [B A]:
 * M_c^-1 = M^-1 - M^-1 C (C'M^-1 C)^+ C'M^-1. */
typedef struct carom_geometry {
    const carom_impact *impact;
    int s;                   /* slip columns in all */
    int c;                   /* m + a */
    const int *slip_start;   /* p + 1 offsets into the columns of H */
    const int *spread_start; /* p + 1 offsets into the columns of spread */
    const int *first, *last; /* p; w_i is zero outside its entries first[i] ... last[i] - 1 */
    double *
        unit; /* n, largest |entry| of the rows W, H, C in each coordinate; 1 where there is none */
    double *L;     /* Cholesky factor of M (n x n, lower), or sqrt of its n diagonal entries */
    double *u;     /* n, u- made compatible with the joints (equal to u- when it is) */
    double *Y;     /* n x p, column i = M_c^-1 w_i, the gradient of g_i in the kinetic metric */
    double *Z;     /* n x s, column j = M_c^-1 h_j of the slip directions */
    double *D;     /* p x p, Delassus matrix W'M_c^-1 W */
    double *norm;  /* p, sqrt(D_ii) */
    double *gamma; /* p, normal velocities of u */
    double *gamma_size; /* p, the sums |w_i|'|u| + |w_hat_i|: what gamma is compared with */
    double fastest;     /* the largest term |w_k u_k|, |h_k u_k|, |a_k u_k|, |motion| of all rows */
    double *slip;       /* s, slip velocities of u */
    double *b;          /* n, frame velocity of least kinetic norm: W'b = -w_hat, C'b = -c_hat, and
                           spread'b = 0 where such a one exists (second-order cones) */
    double *b_slip;     /* n, the same with zero relative slip too, where one exists; else b */
    double *C;          /* n x c, joined constraint rows */
    double *c_hat;      /* c */
    const struct carom_response *joints; /* M_c^-1 (src/impact/response.h); NULL: no joints */
    int joint_rank;                      /* independent rows of C */
    double energy;                       /* 1/2 u-'M u- of the velocity as given */
    double speed;       /* scale of velocities: largest kinetic norm of u-, b; for tolerances */
    double joint_error; /* how far the given u- violates the joints, kinetic norm */
    bool approaching;   /* no contact separates: gamma <= 0, second-order cones u - b in -T */
    bool still;         /* nothing is in motion: w_hat, slip_motion, joints 0, so b = b_slip = 0 */
    bool slip_frame;    /* b_slip has no relative slip; else friction on what moves does work in
                           every frame */
    bool dependent;     /* D is rank deficient, up to rounding of D */
    double pivot;  /* smallest pivot of D in units of its diagonal: 1 orthogonal, 0 dependent */
    int bandwidth; /* of D: 0 diagonal, 1 tridiagonal ... p - 1 full */
} carom_geometry;

/* Check the statement (shapes are the caller's word; values are checked: symmetric positive
 * definite mass, finite numbers, non-zero normals, coefficients in range, consistent motion) and
 * derive its geometry. */
CAROM_API carom_status carom_impact_derive(const carom_impact *impact, carom_arena *arena,
                                           carom_geometry *geometry, carom_error *error);

/* y = M_c^-1 x (n), and y = M x. x and y must not overlap. work: n + c numbers; NULL without
 * joints. */
CAROM_API void carom_geometry_inverse_mass(const carom_geometry *geometry, const double *x,
                                           double *y, double *work);
CAROM_API void carom_geometry_mass(const carom_geometry *geometry, const double *x, double *y);

/* gamma = W'u + w_hat (p), and the slips H'u + slip_motion (s), of any velocity u. */
CAROM_API void carom_geometry_normal_velocity(const carom_geometry *geometry, const double *u,
                                              double *gamma);
CAROM_API void carom_geometry_slip_velocity(const carom_geometry *geometry, const double *u,
                                            double *slip);

/* The joint impulses beta (c) that best explain a momentum jump C beta = momentum (n). work:
 * n + c numbers. */
CAROM_API void carom_geometry_joint_impulses(const carom_geometry *geometry, const double *momentum,
                                             double *beta, double *work);

/* The kinetic inner product x'My. */
CAROM_API double carom_geometry_dot(const carom_geometry *geometry, const double *x,
                                    const double *y);

/* theta_ij = pi - arccos(D_ij / sqrt(D_ii D_jj)), p x p; NaN where a norm is zero. */
CAROM_API void carom_geometry_angles(const carom_geometry *geometry, double *theta);

typedef enum carom_answer {
    CAROM_ANSWER_OK,           /* one outcome */
    CAROM_ANSWER_NONE,         /* the law has no solution here */
    CAROM_ANSWER_SEVERAL,      /* several; the fields show the default choice */
    CAROM_ANSWER_INAPPLICABLE, /* the law does not speak about this impact; message says why */
    CAROM_ANSWER_FAILED        /* the computation did not reach its accuracy */
} carom_answer;

/* "ok", "none", "several", "inapplicable", "failed" */
CAROM_API const char *carom_answer_text(carom_answer answer);

/* The three requirements on any outcome, with the numbers behind them. */
typedef struct carom_verdict {
    bool kinematic;        /* contacts do not close: gamma+ >= 0 */
    bool kinetic;          /* impulses push and stay in the friction cone */
    bool energetic;        /* |u+ - b| <= |u- - b|: no energy is gained as seen from the contacts */
    double least_velocity; /* smallest gamma_i+ (cones: w.u - |Au|) */
    double least_impulse;  /* smallest impulse, or slack mu*L_i - |l_T,i|, L_i - |eta_i| of a
                              second-order cone, if that is smaller */
    double energy_gain;    /* 1/2|u+ - b|^2 - 1/2|u- - b|^2 */
    double momentum_error; /* |M(u+ - u-) - W L - ...| in the kinetic norm, relative to the speed */
    double misfit; /* the same by coordinates, largest in units of what is allowed: 1e-9 of the
                      momenta, and rounding of the impulses. Above 1 u+ is not explained by them */
} carom_verdict;

/* A number, a word or a velocity that a law adds to its outcome (a duration, say). */
typedef struct carom_detail {
    const char *name; /* static text or in the arena */
    double value;
    const char *text;     /* shown instead of the value when not NULL */
    const double *vector; /* n, a velocity whose kinetic norm is the value; NULL: none */
} carom_detail;

enum { CAROM_DETAILS = 16 };

/* The answer of one law. Arrays live in the arena; those that do not exist are NULL. */
typedef struct carom_outcome carom_outcome;
struct carom_outcome {
    carom_answer answer;
    double *u;                  /* n, velocity u+ after the impact */
    double *impulse;            /* p, L */
    double *tangential_impulse; /* s, l_T */
    double *spread_impulse;     /* spread columns: reaction of second-order cones beyond W L */
    double *joint_impulse;      /* m + a, beta then alpha */
    carom_mode *mode;           /* p */
    bool impulse_unique; /* false: u+ is unique but L is not, the one of least norm is shown */
    bool impulse_exists; /* false: u+ is right but no finite impulses explain it (a second-order
                            cone without interior) */
    /* filled by carom_outcome_complete from the fields above: */
    double *gamma;        /* p, normal velocities after */
    double *slip;         /* s, slip velocities after */
    double energy;        /* 1/2 u+'M u+ */
    double energy_change; /* after - before */
    carom_verdict verdict;
    int alternative_count; /* answer `several`: the others, without the one shown here */
    carom_outcome *alternatives;
    int detail_count;
    carom_detail details[CAROM_DETAILS]; /* the first detail_count are set */
    char message[512];                   /* what to know about the answer; empty: nothing */
};

/* Arrays for an outcome of this impact: u+ = u-, everything else zero, modes open, answer ok. */
CAROM_API carom_status carom_outcome_create(const carom_geometry *geometry, carom_arena *arena,
                                            carom_outcome *outcome, carom_error *error);

/* u+ = u- (compatible with the joints) + M_c^-1 (W L + H l_T) from the impulses in *outcome. */
CAROM_API void carom_outcome_from_impulses(const carom_geometry *geometry, carom_outcome *outcome);

/* Recompute, from u+ and the impulses alone and without trusting the law, everything that is said
 * about the outcome: joint impulses, normal velocities, slips, energies, momentum error and the
 * three verdicts. */
CAROM_API carom_status carom_outcome_complete(const carom_geometry *geometry, carom_arena *arena,
                                              carom_outcome *outcome, carom_error *error);

/* Append to the message, separated by "; ". */
CAROM_API void carom_outcome_say(carom_outcome *outcome, const char *format, ...)
    CAROM_PRINTF(2, 3);

/* Add a detail (ignored when full). */
CAROM_API void carom_outcome_detail(carom_outcome *outcome, const char *name, double value);

/* The same with a vector of the arena. */
CAROM_API void carom_outcome_detail_vector(carom_outcome *outcome, const char *name,
                                           const carom_geometry *geometry, const double *vector);

/* Relative tolerance of the verdicts. */
#define CAROM_VERDICT_TOLERANCE 1e-9

#ifdef __cplusplus
}
#endif
#endif
