/* Smooth motion with a fixed set of closed contacts: accelerations and contact forces.
 *
 *   M u' = h + F x,   R'u' + bias = 0        (docs/theory/event-driven.md, "Between events")
 *
 * Rows R: normals of closed contacts, slips of sticking ones, joints, nonholonomic constraints, as
 * many as are independent. Columns F: the same, but a sliding contact's normal force carries its
 * friction, w - mu H d; and more of them where contacts are redundant: the forces then change as
 * little as they can from a reference (docs/theory/hyperstatic.md). */
#ifndef CAROM_SRC_FLOW_MOTION_H
#define CAROM_SRC_FLOW_MOTION_H

#include "carom/flow.h"
#include "flow/motion_row.h"

typedef struct carom_motion {
    const carom_system *system;
    const carom_system_shape *shape;
    carom_state state; /* everything at the point evaluated last */
    double *L;         /* Cholesky factor of M, or 1/M_ii */
    bool factored;     /* L is current and M does not change */
    unsigned want;     /* what the closed contacts need */
    /* the set, filled by the contact problem */
    int row_count;
    carom_motion_row *rows; /* room for p + s + m + a */
    int column_count;       /* 0: the columns are those of the rows */
    carom_motion_row *columns;
    double *reference, *unit; /* by column: force, and readiness to change; filled where columns are
                                 more than rows or some contact slides */
    unsigned char *mode;      /* p, carom_mode */
    unsigned char *implied;   /* p: closed, but its row follows from the others */
    unsigned char *sliding;   /* p: its friction acts in `direction` with full strength */
    unsigned char *broken;    /* p: it stuck until friction reached its limit, at this instant */
    double *direction;        /* s: direction of slip, friction acts against it */
    double *mu;               /* p: coefficient in force */
    double *slack;            /* p: forces below this are zero */
    double *onset, *delay;    /* p: slip that has just started, see motion_onset.h; 0: none */
    double *reached;          /* p: the largest speed since then */
    double *heading;          /* s: direction of slip in space at the start of a step */
    double quick;             /* largest speed of a contact so far */
    double slow;              /* slip speed that counts as none (spatial) */
    /* results */
    double *a;        /* n, accelerations */
    double *a_free;   /* n, without contacts and joints */
    double *force;    /* p */
    double *friction; /* s */
    double *joint;    /* m + a */
    double *spread;   /* spread: forces along them, beyond force times W */
    /* work */
    double *R, *F, *Y; /* n x rows: rows, columns, M^-1 columns */
    double *K, *x;     /* rows x columns, columns */
    bool singular;     /* K was, with as many columns as rows: it has no factors */
    bool unsettled;    /* the direction of a slip that starts was not found */
    double *space;     /* rows x columns + rows: factors where columns are more than rows */
    double *fine;      /* 2 n + columns: accelerations of twice the digits, a change of forces */
    double *turning;   /* work of motion_onset.h */
    int *turned;       /* s/2, its pivots */
    int *pivot, *chosen;
    int capacity; /* largest row_count */
} carom_motion;

carom_status carom_motion_create(const carom_system *system, carom_arena *arena,
                                 carom_motion *motion, carom_error *error);

/* x = M^-1 x for the mass evaluated last. */
void carom_motion_inverse_mass(const carom_motion *motion, double *x);

/* Factor the mass in state.M; CAROM_STOPPED with a message when it is not positive definite. */
carom_status carom_motion_factor(carom_motion *motion, carom_error *error);

/* Row k at the point evaluated last: its vector (n), rate offset (gamma = r'u + hat) and bias
 * (gamma' = r'u' + bias). */
static inline const double *carom_motion_vector(const carom_motion *motion, carom_motion_row row)
{
    return carom_motion_row_vector(&motion->state, motion->shape->n, row);
}
static inline double carom_motion_hat(const carom_motion *motion, carom_motion_row row)
{
    return carom_motion_row_hat(&motion->state, row);
}
static inline double carom_motion_bias(const carom_motion *motion, carom_motion_row row)
{
    return carom_motion_row_bias(&motion->state, row);
}

/* The column of contact i's normal force: w_i - mu_i H_i d_i when sliding. out: n. */
void carom_motion_column(const carom_motion *motion, int contact, double *out);

/* Evaluate the system at t, q, u (copied into state), the accelerations and forces. `more`: further
 * CAROM_WANT_ parts. A positive status: the point is not admissible, error says why. */
carom_status carom_motion_evaluate(carom_motion *motion, double t, const double *q, const double *u,
                                   unsigned more, carom_error *error);

/* Sums of magnitudes that cancel in the accelerations evaluated last: |M^-1 F| |x|. out: n. */
void carom_motion_magnitudes(const carom_motion *motion, double *out);

/* How many columns there are. */
static inline int carom_motion_columns(const carom_motion *motion)
{
    return motion->column_count > 0 ? motion->column_count : motion->row_count;
}

/* What the forces change by (columns) where the accelerations of the rows are to change by x
 * (rows), in place, with the factors of the point evaluated last. */
void carom_motion_change(const carom_motion *motion, double *x);

/* How far the forces evaluated last are off when the accelerations of their rows are: |K^-1| times
 * the sizes of what is summed in them, `cancelled` (n) included. By contact, the largest of its
 * normal force and friction, into `force` (p); zero where forces are hyperstatic or K is
 * singular. work: 3 capacity. */
void carom_motion_force_sizes(const carom_motion *motion, const double *cancelled, double *force,
                              double *work);

/* Normal velocity of contact i, slip of column j at the point evaluated last. */
double carom_motion_gamma(const carom_motion *motion, int contact);
double carom_motion_slip(const carom_motion *motion, int column);

/* How fast the rate of a gap changes with accelerations a. */
double carom_motion_gain(const carom_motion *motion, int contact, const double *a);

/* q' = N u (or u). out: nq. */
void carom_motion_kinematics(const carom_motion *motion, const double *u, double *out);

/* Y = M^-1 R and the factor of K = R'Y for r of the rows, by their numbers in `use` (NULL: the
 * first), symmetric and pivoted; returns its rank. pivot: r; work: as pivoted_cholesky.h. */
int carom_motion_factor_rows(carom_motion *motion, int r, const int *use, int *pivot, double *work);

/* Project the state evaluated last on the gaps and joints of the rows (positions, unless only
 * `velocities`) and on their rates; changes state.q, state.u. *moved tells whether anything
 * changed. tolerance: relative, what is left as it is. The impulses of the velocity change are left
 * in x. */
carom_status carom_motion_project(carom_motion *motion, double tolerance, bool velocities,
                                  bool *moved, carom_error *error);

#endif
