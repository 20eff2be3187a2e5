/* Does a ray prove that an island has no solution? Decided from the statement alone, in twice the
 * digits; how the ray was found does not matter. */
#ifndef CAROM_SRC_SOLVER_FRICTION_PROOF_H
#define CAROM_SRC_SOLVER_FRICTION_PROOF_H

#include "solver/friction_island.h"

#include <float.h>

/* The least -w'y (-q'y) of a proof, in terms of the sum of its terms' magnitudes: rounding, which
 * allows for a kernel of condition 1e6. */
#define CAROM_FRICTION_PROOF_STRENGTH (1e6 * DBL_EPSILON)

/* y (island->n, in the statement's units): y_N >= 0, y_T = 0, any sign on bilateral rows; H y = 0
 * where bodies are given, else W'y = 0; and w'y (q'y) < 0. *product: that. Work space comes from
 * the arena and is given back. */
bool carom_friction_proof_holds(const carom_friction_island *island, carom_arena *arena,
                                const double *y, double *product);

/* p (degrees of freedom of island->given) = H y, summed in twice the digits; terms: the sums of the
 * magnitudes (NULL: not wanted). False: no memory. */
bool carom_friction_proof_momenta(const carom_friction_island *island, carom_arena *arena,
                                  const double *y, double *p, double *terms);

/* z = A y, or A'y, of an island without bodies, for y in its scaled units, in twice the digits. */
bool carom_friction_proof_product(const carom_friction_island *island, carom_arena *arena,
                                  const double *y, bool transposed, double *z);

#endif
