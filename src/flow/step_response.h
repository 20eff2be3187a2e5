/* How velocities respond to impulses in a time step: K^-1 r for K = M, or M with the derivatives of
 * the forces, and with joints held (docs/theory/time-stepping.md, "Sparse steps").
 *
 * Velocities coupled by K form blocks, blocks coupled by joints form groups. A row touches few
 * groups, and its response is zero outside them. */
#ifndef CAROM_SRC_FLOW_STEP_RESPONSE_H
#define CAROM_SRC_FLOW_STEP_RESPONSE_H

#include "flow/step_rows.h"

typedef struct carom_step_response {
    int n;
    bool diagonal, constant; /* mass */
    const double *M;         /* of the state: n, or n x n */
    carom_step_rows mass;    /* columns of M, unless it is diagonal */
    carom_step_rows joints;  /* m + a: joints, then nonholonomic constraints */
    bool factored;           /* L is current */
    /* the structure */
    bool scalar;        /* every velocity is a group of its own: K is diagonal, no joints */
    int groups, blocks; /* numbers of them */
    int *group;         /* n: of each velocity */
    int *member;        /* n velocities, by group and block */
    int *place;         /* n: where a velocity stands in `member` */
    int *group_start;   /* groups + 1, into member */
    int *block_start;   /* blocks + 1, into member */
    int *first_block;   /* groups + 1 */
    size_t *L_start;    /* blocks: where the square of a block begins in L and LU */
    double *L;          /* Cholesky factors of M; 1/M for blocks of one velocity */
    bool implicit;      /* LU is used */
    double *LU;         /* factors of K with the forces */
    int *pivot;         /* n, by member */
    /* joints by group */
    int *joint_start; /* groups + 1, into hold */
    int *hold;        /* joints; the first held[g] ones of a group are independent */
    int *held;        /* groups */
    size_t *Y_start;  /* groups: n_g x j_g responses in Y */
    size_t *S_start;  /* groups: j_g x j_g in S */
    double *Y, *S;    /* responses of the joints, factored R'Y */
    int *S_pivot;     /* m + a */
    bool skew;        /* joint forces act along `along`, not along the rows that are obeyed */
    double *along;    /* entries as those of `joints` */
    double *Y_along, *S_along;
    int *along_pivot;
    double *beta, *hat; /* m + a: impulses by place in hold, offsets by joint */
    double *local;      /* n: work space */
} carom_step_response;

/* For a state of the system; nothing is evaluated yet. */
carom_status carom_step_response_create(carom_arena *arena, const carom_system_shape *shape,
                                        const carom_state *state, carom_step_response *response,
                                        carom_error *error);

/* Take mass and joints of the state; true: the structure is out of date. */
bool carom_step_response_gather(carom_step_response *response, bool mass);

/* Find blocks and groups: from the patterns and, when not NULL, the entries of K (n x n). */
carom_status carom_step_response_build(carom_step_response *response, const double *K,
                                       carom_arena *arena, carom_error *error);

/* Factor the mass. 0, or the number (from 1) of a velocity at which it is not positive definite. */
int carom_step_response_factor_mass(carom_step_response *response);

/* Is K (n x n) block diagonal in the structure built last, with room for its factors? */
bool carom_step_response_fits(const carom_step_response *response, const double *K);

/* Factor K (n x n), which has the structure built last; false: singular. Sets implicit. */
bool carom_step_response_factor_forces(carom_step_response *response, const double *K);

/* Responses of the joints; dependent ones are left out. */
void carom_step_response_hold(carom_step_response *response);

/* Keep the joints gathered now; mix: their forces act along (1 - theta) of those and theta of the
 * ones gathered since, which are the ones that are obeyed (carom_step_response_obey). */
void carom_step_response_keep_joints(carom_step_response *response);
void carom_step_response_mix_joints(carom_step_response *response, double theta);

/* x = K^-1 x, joints left aside. */
void carom_step_response_apply(const carom_step_response *response, double *x);

/* out -= M d, for a mass of the system, as in a state. */
void carom_step_response_subtract_mass(const carom_step_response *response, const double *M,
                                       const double *d, double *out);

/* x -= Y S^-1 (R'x + hat) with the joints held: afterwards R'x = -hat. */
void carom_step_response_obey(carom_step_response *response, double *x);

/* y (the groups one after the other that begin at the velocities in `index`) holds a row; it
 * becomes its response with joints held. count: length of y and index. */
void carom_step_response_row(carom_step_response *response, int count, const int *index, double *y);

#endif
