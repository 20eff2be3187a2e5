/* What can be proved of the contact problem without enumerating its modes
 * (docs/theory/painleve.md, "Spatial contacts at rest"). */
#ifndef CAROM_SRC_CERTIFY_PAINLEVE_PROOFS_H
#define CAROM_SRC_CERTIFY_PAINLEVE_PROOFS_H

#include "certify/painleve_state.h"

/* Forces x (N) that keep every contact closed and those at rest from slipping; *held: there are. */
carom_status carom_painleve_proofs_hold(const carom_painleve_state *state, double *x, bool *held);

/* No forces in the cones have gap accelerations >= 0 at all contacts. */
carom_status carom_painleve_proofs_infeasible(const carom_painleve_state *state, bool *proved);

/* There is at most one solution. */
carom_status carom_painleve_proofs_unique(const carom_painleve_state *state, bool *proved);

/* No other forces give the motion of a solution: the columns that may carry them are independent.
 */
carom_status carom_painleve_proofs_determined(const carom_painleve_state *state,
                                              const carom_painleve_solution *solution,
                                              bool *proved);

#endif
