/* Promises of laws: the parts that several of them share. */
#ifndef CAROM_SRC_LAW_PROMISE_H
#define CAROM_SRC_LAW_PROMISE_H

#include "carom/law.h"

/* The contacts' coefficients: all within [low, high]? */
bool carom_promise_within(const carom_geometry *geometry, double low, double high);

/* Is every coefficient the same as those of the contacts it is coupled with? */
bool carom_promise_uniform(const carom_geometry *geometry);

/* Newton's inequality law with these coefficients (p): gamma+ >= -epsilon gamma-, impulses push,
 * and the energy changes by 1/2 sum (1 - epsilon_i) L_i gamma_i-. Sets what follows for the data.
 */
void carom_promise_newton(const carom_geometry *geometry, const double *epsilon,
                          carom_promise *promise);

/* The words: "proved: ..." for what is promised, and why not the rest. energy: what is said where
 * the energetic verdict is promised ("loses energy"); reason: why something is not, NULL: nothing
 * to say. */
void carom_promise_write(carom_promise *promise, const char *energy, const char *reason);

/* "a contact separates before, it may not afterwards", or what else keeps newton's promise back. */
const char *carom_promise_reason(const carom_geometry *geometry);

#endif
