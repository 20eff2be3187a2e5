/* The contact problem without friction has one motion, that nearest to the free one: where masses
 * differ much it is found on the rows, as motion finds it. */
#ifndef CAROM_SRC_CERTIFY_PAINLEVE_SMOOTH_H
#define CAROM_SRC_CERTIFY_PAINLEVE_SMOOTH_H

#include "certify/painleve_state.h"

/* No contact has friction, and the Gram matrix of their rows costs digits. */
bool carom_painleve_smooth(const carom_painleve_state *state);

/* Its forces r (problem.N), positive at independent contacts; not *found: contacts contradict each
 * other. */
carom_status carom_painleve_smooth_solve(const carom_painleve_state *state, double *r, bool *found);

#endif
