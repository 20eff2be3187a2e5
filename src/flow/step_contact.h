/* The contact problem of one time step, in velocities (docs/theory/time-stepping.md):
 *
 *   v = v_free + Y P,  rows r'v + offset,   normal: >= 0 complementary to P_N >= 0,
 *   tangential: Coulomb's law with |P_T| <= mu P_N. */
#ifndef CAROM_SRC_FLOW_STEP_CONTACT_H
#define CAROM_SRC_FLOW_STEP_CONTACT_H

#include "carom/flow.h"

typedef struct carom_step_contact {
    int n;                /* degrees of freedom */
    int count;            /* active contacts */
    int tangents;         /* rows of friction of those contacts, all together */
    int *contact;         /* by active contact: its number */
    int *tangent;         /* by active contact: first of its friction rows (from 0), -1: none */
    int *width;           /* by active contact: 0, 1 or 2 friction rows */
    double *mu;           /* by active contact */
    const double **row;   /* count + tangents vectors (n each) */
    double *Y;            /* n x (count + tangents), responses */
    double *D;            /* (count + tangents)^2 */
    double *b;            /* count + tangents: rows at v_free, with their offsets */
    double *P;            /* count + tangents: the answer */
    double *memory;       /* p + s: impulses of the step before, by contact and slip column */
    unsigned char *guess; /* by contact: steps in a row that carried an impulse, <= 255 */
    double *work;         /* capacity^2 + 2 capacity */
    int *nonzero, *nonzero_start; /* sparsity of the rows */
    int capacity;
} carom_step_contact;

carom_status carom_step_contact_create(carom_arena *arena, const carom_system_shape *shape,
                                       carom_step_contact *c, carom_error *error);

/* D = row' Y. */
void carom_step_contact_delassus(carom_step_contact *c);

/* Solve for P. residual: what is left, relative; 0 for direct methods. */
carom_status carom_step_contact_solve(carom_step_contact *c, double tolerance, carom_arena *scratch,
                                      double *residual, carom_error *error);

#endif
