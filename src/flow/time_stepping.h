/* Time-stepping with a fixed step: Moreau-Jean (theta) and Schatzman-Paoli
 * (docs/theory/time-stepping.md). */
#ifndef CAROM_SRC_FLOW_TIME_STEPPING_H
#define CAROM_SRC_FLOW_TIME_STEPPING_H

#include "flow/record.h"
#include "flow/step_contact.h"

typedef struct carom_time_stepping {
    carom_record *record;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    carom_arena *work, *scratch;
    carom_state state; /* at the beginning of the step */
    carom_state point; /* forces at the theta point */
    carom_step_response response;
    carom_step_contact contact;
    int n, nq, p;
    double h, t, end;         /* of this step: its length, where it starts and ends on the grid */
    bool couples;             /* velocities, by mass or joints */
    unsigned want;            /* parts evaluated at the beginning of a step */
    double *e, *e_tangential; /* p, restitution the law gives each contact */
    unsigned char *rough;     /* p: the law knows friction */
    unsigned char *mode;      /* p */
    unsigned char *was;       /* p, modes as told last */
    const char *law_name;
    double *v, *next, *change, *old_force; /* n */
    double *impulse, *tangent;             /* p, s: of this step */
    double *since;                         /* p: when a contact that carries impulses began to */
    double *expected, *way;                /* p: gaps if normals stay, how far they went */
    unsigned char *corners;                /* p: times that a gap was below that */
    double *rate;                          /* nq or n, the larger */
    bool looks_ahead;                      /* some parts are not taken at the start of a step */
    bool moves;                            /* contacts move by themselves: then */
    double *before, *after;                /* p + s: rates at t_k, motions at t_k+1 */
    double *joint_motion;                  /* m + a: what the new velocity has to obey */
    int *fresh;                            /* p: contacts that carry an impulse again */
    double *What;                          /* n x n, NULL until the forces depend on the motion */
    double kick;       /* largest change of velocity by the forces of the last step */
    bool forces_known; /* `point` holds them: enough where they are constant */
    bool warned_iteration;
} carom_time_stepping;

/* One step of either scheme: `next` and the impulses from the state at the beginning. */
carom_status carom_time_step_moreau_jean(carom_time_stepping *s, carom_error *error);
carom_status carom_time_step_schatzman_paoli(carom_time_stepping *s, carom_error *error);

/* Everything of the step that is not taken at its start, after that was looked at. *grown: patterns
 * have. (step_ahead.c) */
carom_status carom_step_ahead(carom_time_stepping *s, bool *grown, carom_error *error);

/* Forces at t + part h for a final velocity `next`, into s->point; `more`: further CAROM_WANT_
 * parts. */
carom_status carom_time_step_forces_at(carom_time_stepping *s, double part, const double *next,
                                       unsigned more, carom_error *error);

/* q' = N u. out: nq. */
void carom_time_step_kinematics(const carom_time_stepping *s, const double *u, double *out);

/* Solve for the impulses of the active contacts and add their effect to the velocity. */
carom_status carom_time_step_solve_contacts(carom_time_stepping *s, double *velocity,
                                            carom_error *error);

carom_status carom_time_stepping_run(carom_record *record, const carom_law *law,
                                     const carom_flow_start *start, carom_arena *work,
                                     carom_arena *scratch, carom_error *error);

#endif
