/* Solvers of the contact problem of one time step. */
#ifndef CAROM_SRC_FLOW_STEP_SOLVE_H
#define CAROM_SRC_FLOW_STEP_SOLVE_H

#include "flow/step_contact.h"

/* Solve for P. residual: what is left, relative; 0 for direct methods. */
carom_status carom_step_solve(carom_step_contact *c, double tolerance, carom_arena *scratch,
                              double *residual, carom_error *error);

/* After the solution, for the velocity v = v_free + Y P: rows of contacts that push are made to
 * vanish at v itself. Between bodies of very different mass, v is the small difference of large
 * impulses. */
void carom_step_solve_polish(carom_step_contact *c, double *velocity);

/* w = b + D P and the sums of the magnitudes of its terms, row by row, from rows and responses: D
 * itself, also where it is not symmetric. */
void carom_step_solve_rates(carom_step_contact *c);

#endif
