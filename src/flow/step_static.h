/* Static friction above dynamic friction in a time step: which of the two a contact has
 * (docs/theory/time-stepping.md, "Static friction"). */
#ifndef CAROM_SRC_FLOW_STEP_STATIC_H
#define CAROM_SRC_FLOW_STEP_STATIC_H

#include "flow/step_contact.h"

/* Add contact i with its friction: static where it stuck in the step before, else dynamic. */
void carom_step_static_add(carom_step_contact *c, int contact, int slips);

/* The problem is solved: contacts whose slip has passed zero may stick from now on, those that
 * slide in spite of static friction slide. Tells whether coefficients have changed, so that the
 * problem is another one; that ends, for each contact changes at most twice in a step. */
bool carom_step_static_revise(carom_step_contact *c);

/* The step is over: contacts that stuck in it are known to the next one. */
void carom_step_static_keep(carom_step_contact *c);

#endif
