/* Time-stepping with a fixed step: Moreau-Jean (theta) and Schatzman-Paoli
 * (docs/theory/time-stepping.md). */
#ifndef CAROM_SRC_FLOW_TIME_STEPPING_H
#define CAROM_SRC_FLOW_TIME_STEPPING_H

#include "flow/motion.h"
#include "flow/record.h"
#include "flow/step_contact.h"

typedef struct carom_time_stepping {
    carom_record *record;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    carom_arena *scratch;
    carom_motion motion; /* state at the beginning of the step */
    carom_state point;   /* forces at the theta point */
    carom_step_contact contact;
    int n, nq, p;
    double h, t;
    unsigned want;            /* parts evaluated at the beginning of a step */
    double *e, *e_tangential; /* p, restitution the law gives each contact */
    unsigned char *rough;     /* p: the law knows friction */
    unsigned char *mode;      /* p */
    const char *law_name;
    double *v, *next, *change, *old_force; /* n */
    double *impulse, *tangent;             /* p, s: of this step */
    double *rate;                          /* nq */
    bool implicit;                         /* the forces depend on the motion: What is used */
    double *What;                          /* n x n, factored */
    int *What_pivot;
    int held; /* joints and rolling constraints that are independent */
    carom_motion_row *hold;
    double *Yj, *S, *beta, *hats; /* n x held responses, factored held x held, impulses, offsets */
    int *S_pivot;
    double kick; /* largest change of velocity by the forces of the last step */
    bool warned_iteration;
} carom_time_stepping;

/* One step of either scheme: `next` and the impulses from the state at the beginning. */
carom_status carom_time_step_moreau_jean(carom_time_stepping *s, carom_error *error);
carom_status carom_time_step_schatzman_paoli(carom_time_stepping *s, carom_error *error);

/* Forces at t + part h for a final velocity `next`, into s->point. */
carom_status carom_time_step_forces_at(carom_time_stepping *s, double part, const double *next,
                                       carom_error *error);

/* Responses of the joints; dependent ones are left out. */
void carom_time_step_hold_joints(carom_time_stepping *s);

/* x -= Yj S^-1 (R'x + offset), offset NULL: 0; the impulses are left in beta. */
void carom_time_step_obey_joints(carom_time_stepping *s, double *x, const double *offset);

/* Vectors and responses of the rows of the active contacts. */
void carom_time_step_assemble(carom_time_stepping *s);

/* Solve for the impulses of the active contacts and add their effect to the velocity. */
carom_status carom_time_step_solve_contacts(carom_time_stepping *s, double *velocity,
                                            carom_error *error);

carom_status carom_time_stepping_run(carom_record *record, const carom_law *law,
                                     const carom_flow_start *start, carom_arena *work,
                                     carom_arena *scratch, carom_error *error);

#endif
