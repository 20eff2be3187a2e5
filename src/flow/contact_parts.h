/* What the ways to solve the contact problem share: candidates, their treatment, and the linear map
 * from contact forces to accelerations (docs/theory/event-driven.md, "The contact problem"). */
#ifndef CAROM_SRC_FLOW_CONTACT_PARTS_H
#define CAROM_SRC_FLOW_CONTACT_PARTS_H

#include "flow/contact_problem.h"
#include "impact/response.h"

/* How a candidate is treated. */
enum {
    CAROM_CONTACT_PARTS_SMOOTH,
    CAROM_CONTACT_PARTS_SLIDING, /* slips already: friction is in its normal column */
    CAROM_CONTACT_PARTS_REST     /* no slip yet: stick or slip is to be found */
};

/* Rows and columns: normals of the candidates, then the slips of those at rest. */
typedef struct carom_contact_parts {
    carom_motion *motion;
    const carom_system_shape *shape;
    int n;
    int held;                /* independent joints and nonholonomic constraints */
    carom_motion_row *hold;  /* m + a */
    carom_response response; /* with these rows held */
    double *bias;            /* m + a: of joints, then nonholonomic constraints */
    double *a;               /* n, accelerations without contact forces, joints satisfied */
    double *a_terms;         /* n, sizes of what adds up to them, forces and joints */
    int contacts;            /* candidates */
    int *contact;            /* their numbers */
    int *treatment;          /* by candidate */
    int *slip;               /* contacts + 1, slip rows of candidate k: slip[k] ... slip[k+1] - 1 */
    int rows;
    double *A, *b;                 /* rows x rows, rows: accelerations = A forces + b */
    double *norm;                  /* rows, root of v'M_c^-1 v of the row's vector */
    double *tolerance;             /* rows, accelerations below it are zero */
    double *x, *w;                 /* rows: forces, accelerations */
    unsigned char *closed, *stuck; /* by candidate: stays; and does not slip */
    unsigned char *started;        /* by candidate: slips from rest, with the dynamic coefficient */
    const double **vector;         /* rows: their vectors */
    double *space;                 /* of one step of the solution */
    double *cones;                 /* of choosing rows, then of distributing forces, beside it */
    int *block;                    /* contacts + rows, likewise */
    double *before;                /* rows: forces that are put aside */
} carom_contact_parts;

/* Sort the candidates and number their rows; all memory that the methods below and those of
 * contact_rows.h need is taken here, from scratch. Same arguments as carom_contact_problem_solve.
 */
carom_status carom_contact_parts_create(carom_motion *motion, const unsigned char *candidate,
                                        const double *slow, carom_arena *scratch,
                                        carom_contact_parts *parts, carom_error *error);

/* Number the rows for the present treatment and fill A, b, norm, tolerance. */
void carom_contact_parts_linearise(carom_contact_parts *parts, double force_rest);

/* The row of the motion that row i stands for. */
carom_motion_row carom_contact_parts_row(const carom_contact_parts *parts, int i);

/* Size of the slip acceleration of candidate k, zero when it is below the tolerance. */
double carom_contact_parts_slipping(const carom_contact_parts *parts, int k);

/* w = A x + b. */
void carom_contact_parts_accelerations(carom_contact_parts *parts);

/* Whether forces x and y (rows each) give the same accelerations of the whole system, the slips of
 * sliding contacts included, to a part `same` of what the single forces would do. */
bool carom_contact_parts_same(const carom_contact_parts *parts, const double *x, const double *y,
                              double same);

/* Forces of the held rows that go with the contact forces x. out: held. */
void carom_contact_parts_joints(const carom_contact_parts *parts, double *out);

#endif
